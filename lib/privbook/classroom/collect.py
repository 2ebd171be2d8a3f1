"""What students handed in on a learning platform, sorted into ``submitted/STUDENT/ASSIGNMENT/ASSIGNMENT.ipynb``.

The source stays as it is. Every file of it is either taken or listed with the reason, and a file is somebody's only if
what the *platform* wrote into its name fits exactly one student of the roster. What students wrote, the names of their
files and of folders within their own, says nothing of whose it is.
"""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

import yaml

from privgraph.writing import PRIVATE, ready_folder, write

from . import lateness
from .folders import ARCHIVE, assignment_of, automatic, is_notebook
from .platform_files import Entry, open_source
from .roster import KEYS, NotUnderstood, Roster, Student
from .submissions import kind_and_name
from .tables import Table, write_rows, write_table
from .texts import one_line
from .worksheet import FOLDER, Worksheet

CANVAS = re.compile(r"(.*?)_(?:(LATE)_)?(\d+)_(\d+)_(.+)", re.DOTALL)
METADATA, STAMP = "submission_metadata.yml", "timestamp.txt"  # Gradescope's, nbgrader's
SAID = re.compile(r"""IDENTIFIER\s*=\s*["'](.*?)["']""")
UNTOUCHED = "your-identifier"
LARGEST_LIST = 5_000_000  # bytes of what a platform says beside the files
TAKEN = ("student", "assignment", "minutes late", "handed in", "file", "note", "platform", "order", "sha256")
REFUSED = ("file", "why")


@dataclass(frozen=True)
class HandedIn:
    """A notebook of which it is known whose it is and what for.

    :param named: whether its own name is the assignment's.
    :param account: the platform's number of who handed it in.
    :param order: Canvas's number of the file, which grows; otherwise the time.
    :param late: minutes, or ``lateness.UNKNOWN``; nothing where nobody asked.
    :param platform: by what the platform takes feedback back: the beginning of the name.
    """

    student: Student
    assignment: str
    path: str
    entry: Entry
    named: bool
    account: str = ""
    order: str = ""
    time: datetime | None = None
    late: str = ""
    platform: str = ""
    note: str = ""

    def row(self, content: bytes) -> dict[str, str]:
        stamp = self.time.isoformat(" ", "minutes") if self.time else ""
        return dict(zip(TAKEN, (self.student.identifier, self.assignment, self.late, stamp, self.path, self.note,
                                self.platform, self.order, digest(content)), strict=True))


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Collector:
    """:param names: of the assignments.
    :param said: the one that the source is of; nothing if the names of files say it.
    :param due: when it had to be handed in.
    """

    def __init__(self, roster: Roster, names: Iterable[str], said: str = "", worksheet: Worksheet | None = None,
                 due: datetime | None = None):
        self.roster, self.names, self.said, self.worksheet, self.due = roster, set(names), said, worksheet, due
        self.wrapper, self.gradescope, self.stamps = 0, {}, {}
        self.refused: list[tuple[str, str]] = []

    def refuse(self, entry: Entry, why: str) -> None:
        self.refused.append((entry.paths[0], why))

    def look(self, entries: list[Entry]) -> list[HandedIn]:
        """All that can be understood; the others are in ``refused``."""
        self.prepare(entries)
        found = []
        for entry in entries:
            try:
                if PurePosixPath(entry.paths[0]).name not in (METADATA, STAMP):
                    found += self.understood(entry)
            except NotUnderstood as error:
                self.refuse(entry, str(error))
        return found

    def prepare(self, entries: list[Entry]) -> None:
        """How many folders are around everything, and what platforms say beside the files."""
        folders = [PurePosixPath(entry.paths[0]).parts[:-1] for entry in entries
                   if is_notebook(entry.paths[0]) and not automatic(PurePosixPath(entry.paths[0]))]
        while folders and len({parts[:self.wrapper + 1] for parts in folders}) == 1 and len(folders[0]) > self.wrapper:
            self.wrapper += 1
        for entry in entries:
            path = PurePosixPath(entry.paths[0])
            try:
                if path.name == METADATA and len(path.parts) <= self.wrapper + 1:
                    self.gradescope |= yaml.safe_load(small(entry))
                if path.name == STAMP:
                    self.stamps[path.parent] = lateness.told(small(entry).decode())
            except (yaml.YAMLError, RecursionError, TypeError, ValueError) as error:
                self.refuse(entry, f"it cannot be read: {type(error).__name__}")

    def understood(self, entry: Entry) -> list[HandedIn]:
        """Whose it is and what for; several where a group handed it in together."""
        if entry.fault:
            raise NotUnderstood(entry.fault)
        if made := automatic(PurePosixPath(entry.paths[0])):
            raise NotUnderstood(f"it {made}")
        reasons, found = [], {}
        for path in entry.paths:  # its name, in each way in which it can be read
            try:
                for one in self.of_path(path, entry):
                    found.setdefault(one.student.identifier, one)
            except NotUnderstood as error:
                reasons.append(error)
        if len(found) > 1 and not all(one.note for one in found.values()):  # a group is one, and says so
            raise NotUnderstood(f"its name, read in one way or another, fits several students: "
                                f"{', '.join(sorted(found))}")
        if not found:
            raise reasons[0]
        return list(found.values())

    def of_path(self, path: str, entry: Entry) -> list[HandedIn]:
        parts = PurePosixPath(path).parts
        blank = HandedIn(Student("", ""), "", path, entry, named=False)
        first = self.wrapper + (parts[self.wrapper:self.wrapper + 1] == ("submitted",))  # nbgrader's, among others
        for at, part in enumerate(parts[:first + 1]):
            is_file = at == len(parts) - 1
            if record := self.gradescope.get(part):
                found = self.by_gradescope(record, blank)
            elif moodle := FOLDER.fullmatch(part):
                found = [self.by_moodle(moodle, blank)]
            elif is_file and (canvas := CANVAS.fullmatch(part)):
                found = [self.by_canvas(canvas, blank)]
            elif not is_file and (who := self.by_folder(part)):
                found = [replace(blank, student=who)]
            else:
                continue
            assignment, named = self.assignment_of(parts)
            return [self.dated(replace(one, assignment=assignment, named=named)) for one in found]
        raise NotUnderstood(f"nothing in its name says whose it is: {' / '.join(parts[:first + 1])}")

    def by_folder(self, part: str) -> Student | None:
        """Whose folder it is, by anything that one student alone is called."""
        for kind in ("identifier", *KEYS, "name"):
            if self.roster.who(kind, part):
                return self.roster.the_one((kind, part))
        return None

    def by_moodle(self, found: re.Match, blank: HandedIn) -> HandedIn:
        name, number, kind, plugin, _ = found.groups()
        if (kind, plugin) != ("assignsubmission", "file"):
            raise NotUnderstood(f"it is no file that was handed in, but {kind}_{plugin}")
        if self.worksheet is None:
            student, status = self.roster.the_one(("name", name)), ""
        else:
            student = self.worksheet.student(number, self.roster, folder=name)
            status = self.worksheet.get(number, "Status")
        time = self.worksheet and lateness.told(self.worksheet.get(number, "Last modified (submission)"))
        late = lateness.said_late(status)
        late = "" if late is None else lateness.minutes_late(late, student.extra_minutes)
        return replace(blank, student=student, account=number, platform=f"{name}_{number}_{kind}_{plugin}_",
                       time=time or None, late=late)

    def by_canvas(self, found: re.Match, blank: HandedIn) -> HandedIn:
        name, late, user, number, _ = found.groups()
        if name == "anon":
            raise NotUnderstood("Canvas made it anonymous; let it show names, and download it again")
        student = self.roster.the_one(("canvas", user), ("slug", name))
        if (called := self.roster.who("slug", name)) and student.identifier not in called:
            raise NotUnderstood(f"the number {user} is {student.identifier}'s, and the name {name!r} is "
                                f"{', '.join(sorted(called))}'s")
        prefix = "".join(f"{one}_" for one in (name, late, user, number) if one)
        return replace(blank, student=student, account=user, order=number, platform=prefix,
                       late=lateness.UNKNOWN if late else "0")

    def by_gradescope(self, record, blank: HandedIn) -> list[HandedIn]:
        record = record if isinstance(record, dict) else {}
        people = [one for one in record.get(":submitters") or [] if isinstance(one, dict)]
        time = record.get(":created_at")
        if isinstance(time, datetime):
            blank = replace(blank, time=time if time.tzinfo else time.replace(tzinfo=UTC))
        found = [self.roster.the_one(*((kind, str(one.get(key) or "")) for kind, key in
                                       (("email", ":email"), ("number", ":sid"), ("name", ":name")))) for one in people]
        if not found:
            raise NotUnderstood("Gradescope names nobody who handed it in")
        note = f"handed in by a group of {len(found)}" if len(found) > 1 else ""
        return [replace(blank, student=one, note=note) for one in found]

    def dated(self, one: HandedIn) -> HandedIn:
        """With the time, and by how much it is late. What Canvas packs has the time of the download."""
        if not one.order:
            time = one.time or self.stamps.get(PurePosixPath(one.path).parent) or one.entry.time
            one = replace(one, time=time, order=time.isoformat() if time else "")
            if self.due and time:
                one = replace(one, late=lateness.minutes_late(lateness.after(time, self.due),
                                                              one.student.extra_minutes))
        return one

    def assignment_of(self, parts: tuple[str, ...]) -> tuple[str, bool]:
        """What a notebook is for, and whether its own name says so."""
        *folders, name = parts
        if not is_notebook(name):
            raise NotUnderstood("it is an archive: unpack it, and collect the folder" if ARCHIVE.search(name) else
                                "it is no notebook (.ipynb)")
        own = FOLDER.fullmatch(name) or CANVAS.fullmatch(name)  # what the platform put before it is not its name
        fitting, _ = assignment_of(own[5] or "" if own else name, self.names)
        if fitting and self.said and fitting != self.said:
            raise NotUnderstood(f"it is called as {fitting}, not {self.said}")
        within = next((folder for folder in reversed(folders) if folder in self.names), "")
        if found := self.said or fitting or within:
            return found, bool(fitting)
        raise NotUnderstood("its name is that of no assignment; --assignment says which one all of them are")


def small(entry: Entry) -> bytes:
    if entry.fault or entry.size > LARGEST_LIST:
        raise ValueError(entry.fault or "too large")
    return entry.read()


def collect(source: Path, roster: Roster, into: Path, names: Iterable[str], *, said: str = "",
            worksheet: Worksheet | None = None, due: datetime | None = None, say=print) -> tuple[int, int, list[str]]:
    """Sort a source into the course's folder: how many notebooks were taken, how many files not, and from whom is none.

    :param into: the course's folder: ``submitted``, ``collected.csv`` and ``not-collected.csv`` are in it afterwards.
    :param names: of the assignments, and the others as of ``Collector``.
    """
    collector, groups = Collector(roster, names, said, worksheet, due), defaultdict(list)
    ledger = Ledger(into)
    with open_source(source) as entries:
        for one in collector.look(entries):
            groups[one.student.identifier, one.assignment].append(one)
        for key in sorted(groups):
            if chosen := newest(groups[key], collector.refuse):
                ledger.take(*chosen, roster, collector.refuse)
    refused = [(one_line(path), one_line(why)) for path, why in sorted(collector.refused)]
    ledger.write()
    write_table(into / "not-collected.csv", REFUSED, refused)
    for path, why in refused:
        say(f"not taken: {path}  {why}")
    for row in ledger.taken:
        if row["note"]:
            say(f"{row['student']}  {row['assignment']}  {row['note']}")
    seen = {row["assignment"] for row in ledger.taken}
    return len(ledger.taken), len(refused), [one for one in roster.students for name in seen
                                             if len(seen) == 1 and (one, name) not in ledger.rows]


def newest(group: list[HandedIn], refuse) -> tuple[HandedIn, bytes] | None:
    """The last that a student handed in, with its content; None if nothing says which that is, or it cannot be read."""
    named = [one for one in group if one.named] or group
    for one in group:
        if one not in named:
            refuse(one.entry, "another file is called as the assignment, and this one is not")
    best, why = [one for one in named if age(one) == max(map(age, named))], ""
    try:
        contents = {one.entry.read() for one in best}
        if len(accounts := {one.account for one in named}) > 1:
            why = f"{len(accounts)} accounts of the platform ({', '.join(sorted(accounts))}) fit this student"
        elif len(contents) > 1 or len(named) > 1 and not named[0].named:
            why = f"one of {len(named)} notebooks, and nothing says which counts; leave one in its folder"
    except NotUnderstood as error:
        why = str(error) if len(named) == 1 else f"the newest of {len(named)} cannot be read: {error}"
    for one in named:
        if why or one is not best[0]:
            refuse(one.entry, why or f"not newer than {best[0].path}, which is taken")
    note = f"the newest of {len(named)} files" if len(named) > 1 else ""
    return None if why else (replace(best[0], note=notes(best[0].note, note)), contents.pop())


def age(one: HandedIn) -> tuple[float, float]:
    """What grows from one file of a student's to the next; of what was handed in at once, the file's own time."""
    when = float(one.order) if one.order.isdigit() else one.time.timestamp() if one.time else 0.0
    return when, one.entry.time.timestamp() if one.entry.time else 0.0


def notes(*said: str) -> str:
    return "; ".join(filter(None, said))


class Ledger:
    """What was taken, now and before: ``collected.csv``, of which the teacher may fill in minutes that nobody knows.

    :param into: the course's folder.
    """

    def __init__(self, into: Path):
        self.path, self.into = into / "collected.csv", into
        self.rows = {(row["student"], row["assignment"]): row for row in Table.read(self.path).dictionaries()
                     } if self.path.exists() else {}
        self.taken: list[dict[str, str]] = []

    def take(self, one: HandedIn, content: bytes, roster: Roster, refuse) -> None:
        """Write it to where it is graded, unless that would overwrite a repair or something newer."""
        key = one.student.identifier, one.assignment
        target = self.into / "submitted" / key[0] / key[1] / f"{key[1]}.ipynb"
        row, old = one.row(content), self.rows.get(key)
        row["note"] = notes(row["note"], identifier_note(content, one.student, roster))
        if target.exists():
            here = digest(target.read_bytes())
            if old and here != old["sha256"] == row["sha256"]:
                row["note"] = notes(row["note"], "repaired by hand, which stays")
            elif here != row["sha256"] and (old is None or here != old["sha256"]):
                return refuse(one.entry, f"the one that is there was changed by hand; remove {target} to take this one")
            elif old and here != row["sha256"] and older(row, old):
                return refuse(one.entry, "older than what was collected before")
        if not (target.exists() and "repaired by hand" in row["note"]):
            ready_folder(target.parent, "to")
            write(target, content, PRIVATE, "to")
        if old and old["sha256"] == row["sha256"] and row["minutes late"] in ("", lateness.UNKNOWN):
            row["minutes late"] = old["minutes late"]  # the teacher may have filled it in
        self.rows[key] = {column: one_line(row[column]) for column in TAKEN}
        self.taken.append(self.rows[key])

    def write(self) -> None:
        write_rows(self.path, TAKEN, [self.rows[key] for key in sorted(self.rows)])


def older(row: dict[str, str], old: dict[str, str]) -> bool:
    """Whether it is known to have been handed in before the other."""
    if row["order"].isdigit() and old["order"].isdigit():
        return int(row["order"]) < int(old["order"])
    with suppress(ValueError):
        return datetime.fromisoformat(row["order"]) < datetime.fromisoformat(old["order"])
    return False


def identifier_note(content: bytes, student: Student, roster: Roster) -> str:
    """What a teacher should know if the notebook names another student, or nobody: the data in it are not theirs."""
    with suppress(ValueError, RecursionError, TypeError, AttributeError, KeyError):
        cells = json.loads(content)["cells"]
        ours = [cell for cell in cells if kind_and_name(cell)[0] == "identifier"] or cells
        found = SAID.search("\n".join("".join(cell["source"]) for cell in ours))
        if found and found[1].strip() != student.identifier:
            other = roster.students.get(found[1].strip())
            return ("its identifier was never filled in" if found[1] == UNTOUCHED else
                    f"it says that it is {found[1][:100]!r}, " + ("another student" if other else "which is nobody"))
    return ""
