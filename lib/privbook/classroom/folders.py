"""Which notebook of a folder is whose, and for which assignment; and for each other file, why it is left out.

People rename, copy and nest what they hand in, and their computers add files of their own. So every file below a folder
of submissions is accounted for: it is a submission (``Found``), or it is left out and said why (``LeftOut``). No link
is followed, and whatever a student's folder holds costs that student alone.
"""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from privgraph.checks import check_name

from .plain_files import MOST, Entry, entries, kind_of, walked

COPY = re.compile(r"[ _-]*(?:\((\d+)\)|[ _-](?:copy|kopie)[ _-]*\(?(\d*)\)?|[ _-](\d{1,2}))$", re.IGNORECASE)
NOTEBOOK = re.compile(r"(?:\.ipynb)+(?:\.txt|\.json)?$", re.IGNORECASE)  # browsers like to add the latter
AUTOMATIC = ((".ipynb_checkpoints", "is Jupyter's automatic copy"), ("__MACOSX", "was added by macOS"),
             ("._", "was added by macOS"), (".", "is hidden"))  # how a part of a path begins
ARCHIVE = re.compile(r"\.(?:zip|7z|rar|tar|t?gz)$", re.IGNORECASE)


@dataclass(frozen=True)
class Found:
    """:param student: the name of the folder that it lies in.
    :param assignment: its name.
    :param path: of the notebook, below the folder of submissions."""

    student: str
    assignment: str
    path: Path


@dataclass(frozen=True)
class LeftOut:
    """:param path: below the folder of submissions.
    :param why: in words that go on after the path.
    :param meant: whether it may be meant as a submission, so that a person has to look.
    :param student: whose it is, as far as that is known."""

    path: Path
    why: str
    meant: bool = False
    student: str = ""


def handed_in(folder: Path, names: Collection[str], recognise: Callable[[Path], str] = lambda path: "",
              ) -> tuple[list[Found], list[LeftOut]]:
    """All submissions below a folder, by student and assignment, and each other file with the reason.

    A student has one of each assignment: the newest, and among equally old ones the one with the highest number.

    :param folder: holds a folder for each student; what was unpacked one folder deeper is looked for there.
    :param names: of the assignments.
    :param recognise: the assignment of a notebook (its path) whose name does not tell; nothing if it is none.
    """
    folder, found, left = Path(folder), [], []
    below = unpacked(folder, names)
    for name in entries(folder / below):
        place = below / name
        kind = kind_of(str(folder / place))
        if why := automatic(place) or ("" if kind == "a folder" else beside(name, kind)):
            left.append(LeftOut(place, why, meant=not automatic(place) and bool(kind != "a file" or is_notebook(name))))
            continue
        ours, others = of_student(folder, place, names, recognise)
        left += others
        found += ours
    return found, left + [LeftOut(Path(name), beside(name, kind_of(str(folder / name))), meant=is_notebook(name))
                          for name in entries(folder) if below != Path() and name != below.name]


def unpacked(folder: Path, names: Collection[str]) -> Path:
    """Where the students' folders lie: here, or in the only folder here, if it holds several with notebooks."""
    here = [Path(name) for name in entries(folder) if kind_of(str(folder / name)) == "a folder"]
    here = [place for place in here if not automatic(place)]
    if len(here) != 1:
        return Path()
    try:
        holding = {path.parts[1] for path, _, _ in walked(folder, here[0], MOST)
                   if len(path.parts) > 2 and is_notebook(path.name) and not automatic(path)}
    except (ValueError, OSError):
        return Path()
    return here[0] if len(holding) > 1 and not any(assignment_of(f"{name}.ipynb", names)[0]
                                                   for name in holding) else Path()


def of_student(folder: Path, place: Path, names: Collection[str], recognise: Callable[[Path], str],
               ) -> tuple[list[Found], list[LeftOut]]:
    """A student's submissions, and what else lies in the folder ``place``."""
    student, candidates, left = place.name, {}, []
    try:
        listed = list(walked(folder, place))
    except (ValueError, OSError) as error:
        return [], [LeftOut(place, f"is not graded: {error}", True, student)]
    for entry in listed:
        name, copy = assignment_of(entry.path.name, names)
        if why := automatic(entry.path):
            left.append(LeftOut(entry.path, why, False, student))
        elif name := name or (recognise(folder / entry.path) if is_notebook(entry.path.name) else ""):
            candidates.setdefault(name, []).append((entry.kind == "a file", entry.changed, copy, entry))
        else:
            left.append(LeftOut(entry.path, other(entry), is_notebook(entry.path.name), student))
    try:
        check_name(student, "student")
    except ValueError as error:
        left += [LeftOut(entry.path, "is not graded, for its folder's name", False, student)
                 for each in candidates.values() for *_, entry in each]
        return [], [*left, LeftOut(place, f"is not graded: {error}", bool(candidates), student)]
    found = []
    for name in sorted(candidates):
        *older, (*_, newest) = sorted(candidates[name], key=lambda one: one[:3])
        found.append(Found(student, name, newest.path))
        left += [LeftOut(entry.path, instead_of(newest, entry), False, student) for *_, entry in older]
    if not found:
        left.append(LeftOut(place, "holds no notebook of an assignment", True, student))
    return found, left


def assignment_of(name: str, names: Collection[str]) -> tuple[str, int]:
    """The assignment that a file's name says, and the number of the copy; an empty name if it says none.

    >>> assignment_of("01_Randomised-response (1)-Copy2.IPYNB", ["01-randomised-response"])
    ('01-randomised-response', 2)
    >>> assignment_of("ada 01-randomised-response final.ipynb", ["01-randomised-response"])
    ('01-randomised-response', 0)
    """
    if not is_notebook(name):
        return "", 0
    stem, copy, known = dashed(NOTEBOOK.sub("", name)), 0, {dashed(one): one for one in names}
    while stem not in known and (end := COPY.search(stem)):
        stem, copy = stem[:end.start()], copy or int(next((word for word in end.groups() if word), "1"))
    inside = [one for key, one in known.items() if f"-{key}-" in f"-{stem}-"]
    return (inside[0], copy) if len(inside) == 1 else ("", 0)


def dashed(name: str) -> str:
    return re.sub(r"[\s_.-]+", "-", name).strip("-").casefold()


def is_notebook(name: str) -> bool:
    return bool(NOTEBOOK.search(name))


def automatic(path: Path) -> str:
    """What a file or folder is that a program made by itself; nothing for another."""
    return next((why for part in path.parts for begin, why in AUTOMATIC if part.startswith(begin)), "")


def beside(name: str, kind: str) -> str:
    if kind != "a file":
        return f"is {kind}"
    return "is an archive: unpack it" if ARCHIVE.search(name) else "lies beside the students' folders"


def other(entry: Entry) -> str:
    """Why a file in a student's folder is no submission."""
    if entry.kind != "a file":
        return f"is {entry.kind}"
    if is_notebook(entry.path.name):
        return "is a notebook, and neither its name nor its cells are those of an assignment"
    return "is an archive: unpack it" if ARCHIVE.search(entry.path.name) else "is no notebook"


def instead_of(newest: Entry, entry: Entry) -> str:
    if entry.kind != "a file":
        return f"is {entry.kind}; {newest.path.name} is graded"
    return f"is older than {newest.path}, which is graded"


def accounted(found: list[Found], left: list[LeftOut]) -> Iterator[dict]:
    """A row for each file: where it lies, whose it is, and what became of it."""
    rows = [(one.path, one.student, one.assignment, "graded") for one in found]
    rows += [(one.path, one.student, "", one.why) for one in left]
    for path, student, assignment, became in sorted(rows):
        yield {"file": str(path), "student": student, "assignment": assignment, "what": became}
