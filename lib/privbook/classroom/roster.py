"""Who is in the course: what each student is called here, and by the learning platform.

A platform tells who handed a file in by a name, an address or a number. Only what fits exactly one student of the
roster counts as that student's; what fits nobody, or several, is for a person to decide.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path

from privgraph.checks import check_name

from .tables import Table, write_rows

CALLED = {  # field: heads that platforms, and our own tables, give it
    "name": ("name", "Full name", "Student"), "first": ("First name", "FirstName"),
    "last": ("Last name", "Surname", "LastName"), "email": ("email", "Email address", "E-mail address"),
    "number": ("number", "ID number", "SIS User ID", "SID", "Student ID"), "login": ("login", "Username",
                                                                                     "SIS Login ID")}
KEYS = ("email", "number", "login", "canvas")  # which are one student's alone
REMOVED = re.compile(r"[\x00-\x1f\x7f&<>\"`|':\\/]|\.\.")  # by Moodle, from the names of files
TAG = re.compile(r"<[^>]*>")
LANGUAGE = re.compile(r"\{mlang\s+([\w,\s-]+)\}(.*?)\{mlang\}", re.DOTALL)


class NotUnderstood(ValueError):
    """A file, or a line of a table, that a person has to look at; the text says why."""


@dataclass(frozen=True)
class Student:
    """:param identifier: what their data are drawn from, and their folder is called.
    :param name: as the platform shows it.
    :param sorts_as: the name as the platform sorts it: "Last, First".
    :param number: in the university's books.
    :param canvas: the number that Canvas gives them.
    :param extra_minutes: which they have after each due date.
    """

    identifier: str
    name: str
    sorts_as: str = ""
    email: str = ""
    number: str = ""
    login: str = ""
    canvas: str = ""
    extra_minutes: str = ""


COLUMNS = [one.name.replace("_", " ") for one in fields(Student)]


def fold(name: str) -> str:
    """A name without what platforms change in it: case, blanks, and signs that no file's name may have.

    >>> fold("Siobhán  O'Brien_Ní") == fold("siobha" + chr(0x301) + "n obrien ní")
    True
    """
    kept = REMOVED.sub("", unicodedata.normalize("NFC", name)).replace("_", " ")
    return unicodedata.normalize("NFC", " ".join(kept.split()).casefold())


def spellings(name: str) -> set[str]:
    """All folded forms of a name: with its tags and without, in each of its languages, either half first.

    >>> sorted(spellings("{mlang en}Anna{mlang}{mlang de}Änne{mlang} Lee"))
    ['anna lee', '{mlang en}anna{mlang}{mlang de}änne{mlang} lee', 'änne lee']
    >>> sorted(spellings("Lee, Ann"))
    ['ann lee', 'lee ann', 'lee, ann']
    """
    codes = {code.strip() for said, _ in LANGUAGE.findall(name) for code in said.split(",")}
    forms = {name, TAG.sub("", name)}
    forms |= {LANGUAGE.sub(lambda found, code=code: found[2] if code in re.split(r"[\s,]+", found[1]) else "", name)
              for code in codes}
    halves = [half for form in forms for half in (form.partition(","), form.rpartition(","))]
    forms |= {name for last, comma, first in halves if comma for name in (f"{first} {last}", f"{last} {first}")}
    return {fold(form) for form in forms} - {""}


def slug(name: str) -> str:
    """What Canvas makes of a name in the names of files.

    >>> slug("Müller-Lüdenscheidt, Änne")
    'müllerlüdenscheidtänne'
    """
    lower = unicodedata.normalize("NFC", name).lower()
    return "".join(letter for letter in lower if unicodedata.category(letter)[0] in "LMN")


class Roster:
    """Students by their identifiers, and by everything that one of them is called."""

    def __init__(self, students: Iterable[Student] = ()):
        self.students: dict[str, Student] = {}
        self.known: dict[tuple[str, str], set[str]] = defaultdict(set)
        for one in students:
            self.add(one)

    def add(self, one: Student) -> None:
        """
        :raises ValueError: if their identifier cannot be the name of a folder, or is another's.
        """
        check_name(one.identifier, "identifier")
        if self.known["identifier", one.identifier.casefold()]:
            raise ValueError(f"two students have the identifier {one.identifier!r}")
        if one.extra_minutes and not re.fullmatch(r"\d{1,6}", one.extra_minutes):
            raise ValueError(f"extra minutes must be a whole number, got {one.extra_minutes!r}")
        self.students[one.identifier] = one
        forms = {("name", form) for form in spellings(one.name) | spellings(one.sorts_as)}
        forms |= {(kind, getattr(one, kind).casefold()) for kind in ("identifier", *KEYS)}
        for form in forms | {("slug", slug(one.sorts_as or one.name))}:
            self.known[form].add(one.identifier)

    @classmethod
    def read(cls, path: Path) -> "Roster":
        """A table with the columns of ``COLUMNS``; it needs ``identifier`` and ``name``, and may have others."""
        table, found = Table.read(path, "roster"), cls()
        if not {"identifier", "name"} <= set(table.columns):
            raise ValueError(f"roster must have the columns identifier and name, got {str(path)!r}; privbook classroom "
                             "roster makes one")
        for line, row in enumerate(table.dictionaries(), 2):
            try:
                found.add(Student(**{column.replace(" ", "_"): row.get(column, "").strip() for column in COLUMNS}))
            except ValueError as error:
                raise ValueError(f"line {line} of {str(path)!r}: {error}") from None
        return found

    def who(self, kind: str, value: str) -> set[str]:
        """All whose e-mail address, or the like, this is."""
        forms = {"name": spellings, "slug": lambda name: {slug(name)}}.get(kind, lambda text: {text.casefold()})
        return {one for form in forms(value.strip()) for one in self.known.get((kind, form), ())} if value else set()

    def the_one(self, *said: tuple[str, str]) -> Student:
        """The only student of whom something of this is true, each of a kind and a value, and nothing is otherwise.

        :raises NotUnderstood: if it is nobody, or several.
        """
        said = [(kind, value) for kind, value in said if value]
        for kind, value in said:
            if len(found := self.who(kind, value)) > 1:
                raise NotUnderstood(f"the {kind} {value!r} fits {len(found)} students: {', '.join(sorted(found))}")
            for one in found:
                for other, text in said:  # people can call themselves as somebody else
                    if other in KEYS and getattr(self.students[one], other).casefold() not in ("", text.casefold()):
                        raise NotUnderstood(f"the {kind} {value!r} is {one}'s, and the {other} {text!r} is not")
                return self.students[one]
        told = ", ".join(f"{kind} {value!r}" for kind, value in said)
        raise NotUnderstood(f"nobody in the roster has {told}" if told else "nothing says whose it is")


def from_platform(table: Table) -> Iterator[dict[str, str]]:
    """What a platform's list of participants, worksheet or gradebook says of each student."""
    if table.at(*CALLED["name"]) is None and table.at(*CALLED["last"]) is None:
        raise ValueError(f"the list has no column of names; name it name, and that of addresses email: it has "
                         f"{', '.join(table.columns)}")
    for row in table.rows:
        said = {kind: table.get(row, *heads) for kind, heads in CALLED.items()}
        first, last = said.pop("first"), said.pop("last")
        name = " ".join(TAG.sub("", said["name"] or f"{first} {last}").split())
        if not name or "Points Possible" in name:
            continue  # Canvas's second line
        if table.at("Student") is not None:
            said["canvas"] = table.get(row, "ID")
        canvas_sorts = name if table.at("Student") is not None and "," in name else ""
        said["sorts_as"] = f"{last}, {first}" if first and last else canvas_sorts
        if canvas_sorts:
            last, _, first = (half.strip() for half in name.rpartition(","))
            name = f"{first} {last}"
        own = table.columns.index("identifier") if "identifier" in table.columns else None  # Moodle's is Identifier
        yield said | {"name": name, "identifier": "" if own is None else row[own].strip()}


def new_identifier(said: dict[str, str], taken: Iterable[str]) -> str:
    """What a student knows by heart, as far as it can be a name of a file: the login, or the address up to the @."""
    for base in (said["login"], said["email"]):
        if re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,39}", base := base.partition("@")[0].lower()):
            break
    else:
        plain = unicodedata.normalize("NFKD", said["name"]).encode("ascii", "ignore").decode().lower()
        base = "-".join(re.findall(r"[a-z0-9]+", plain))[:40] or "student"
    numbered = (base if number == 1 else f"{base}-{number}" for number in range(1, 10**6))
    return next(one for one in numbered if one not in {other.casefold() for other in taken})


def make_roster(list_of: Path, to: Path) -> tuple[int, int]:
    """Write a roster from a platform's list; who is in it already stays as they are. How many there are and are new.

    :param list_of: Moodle's participants or grading worksheet, Canvas's gradebook, or any table with names.
    """
    old = Roster.read(to) if to.exists() else Roster()
    found, own, said_before = dict(old.students), Table.read(to, "roster") if to.exists() else None, set()
    for said in from_platform(Table.read(list_of, "list")):
        told = tuple(said[kind] for kind in KEYS if said.get(kind)) or said["name"]
        if told in said_before:
            raise ValueError(f"two students are called {said['name']!r}, and nothing tells them apart: the list needs "
                             "a column with addresses or numbers")
        said_before.add(told)
        if one := already(old, said):
            found[one.identifier] = replace(one, **{key: value for key, value in said.items() if not getattr(one, key)})
        else:
            identifier = said["identifier"] or new_identifier(said, found)
            found[identifier] = Student(**{**said, "identifier": identifier})
    students = Roster(found.values()).students.values()  # which refuses what cannot be
    notes = {row["identifier"]: row for row in own.dictionaries()} if own else {}  # columns of the teacher's own stay
    columns = [*COLUMNS, *(column for column in (own.columns if own else []) if column not in COLUMNS)]
    write_rows(to, columns, [notes.get(one.identifier, {}) | {column: getattr(one, column.replace(" ", "_"))
                                                             for column in COLUMNS} for one in students])
    return len(students), len(students) - len(old.students)


def already(roster: Roster, said: dict[str, str]) -> Student | None:
    """Whoever of the roster this is: by what is one student's alone, or by a name where nothing else speaks against."""
    for kind in ("identifier", *KEYS):
        if len(found := roster.who(kind, said.get(kind, ""))) == 1:
            return roster.students[found.pop()]
    found = {one for one in roster.who("name", said["name"])
             if not any(getattr(roster.students[one], kind) and said.get(kind) for kind in KEYS)}
    return roster.students[found.pop()] if len(found) == 1 else None
