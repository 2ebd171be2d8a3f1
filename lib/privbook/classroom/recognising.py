"""A notebook as somebody handed it in, in which our cells are found again, whatever was done to it by accident.

Cells are copied, split, deleted, moved and turned into text, and editors drop what we wrote beside them. Ours are known
by their names, then by what only our editor's notebooks have, then by their place, then by what they define. What is
not recognised is said (``Recognised.odd``), so that a person looks at it: it is no reason for a zero.
"""

import ast
import functools
import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from .assignment import Assignment
from .texts import whole

MOST_CELLS, MOST_TEXT = 1_000, 1_000_000  # of a notebook; characters
WRITTEN = ("answer", "essay")  # kinds that hold what the student writes
PLAIN_IDENTIFIER = re.compile(r"\s*IDENTIFIER\s*=\s*([\"'])([^\"'\n]*)\1\s*(?:#.*)?")
COMMENT = re.compile(r"#.*|\"{3}[\s\S]*?\"{3}|'{3}[\s\S]*?'{3}|\"[^\"\n]{40,}\"|'[^'\n]{40,}'")
LONG_COMMENT, LONG_IN_ANSWER = 60, 250  # characters; less is no answer in words
WORD, FEW_WORDS = re.compile(r"[^\W\d_]{2,}"), 8  # fewer are no text, but a program that is broken
COMMAND = re.compile(r"^[^\S\n]*[%!].*$", re.MULTILINE)  # of Jupyter's, which is no Python
Key = tuple[str, str]  # ("check", "keep") of a cell that is one of ours; ("", "") of another


def kind_and_name(cell) -> Key:
    """("check", "keep") of a cell that is one of ours; ("", "") of another."""
    metadata = cell.get("metadata", {})
    said = metadata.get("nbgrader", {}) if isinstance(metadata, dict) else {}
    kind, _, name = str(said.get("grade_id", "") if isinstance(said, dict) else "").partition("-")
    return (kind, name)


@dataclass(frozen=True)
class Cell:
    """A student's cell.

    :param key: what it says that it is.
    :param identifier: nbformat's, which survives where metadata do not."""

    source: str
    code: bool
    key: Key
    identifier: str

    @classmethod
    def of(cls, cell: dict) -> "Cell":
        """Of a notebook's JSON of any version."""
        text = cell.get("source", cell.get("input", ""))
        source = whole(text if isinstance(text, str) else "".join(text))
        return cls(source, cell["cell_type"] == "code", kind_and_name(cell), str(cell.get("id", ""))[:64])

    def node(self) -> NotebookNode:
        return new_code_cell(self.source) if self.code else new_markdown_cell(self.source)


@dataclass
class Recognised:
    """:param notebook: what was handed in, made fit: our own cells are ours again.
    :param remarks: what is odd about it.
    :param doubts: part -> why its answer was perhaps not found; without full points a person has to look at it."""

    notebook: NotebookNode
    remarks: list[str]
    doubts: dict[str, str]


def cells_of(content: bytes) -> list[Cell]:
    """The cells of a file.

    :raises ValueError: if it is no notebook, or one that no person could read.
    """
    try:
        found = json.loads(content)
    except UnicodeDecodeError:
        found = json.loads(content.decode("utf-8", "replace"))
    cells = found["cells"] if "cells" in found else [cell for sheet in found["worksheets"] for cell in sheet["cells"]]
    if len(cells) > MOST_CELLS:
        raise ValueError(f"it has more than {MOST_CELLS:,} cells")
    made = list(map(Cell.of, cells))
    if sum(len(cell.source) for cell in made) > MOST_TEXT:
        raise ValueError(f"its cells have more than {MOST_TEXT:,} characters")
    return made


def recognised(cells: list[Cell], assignment: Assignment, student: str) -> Recognised:
    """A student's cells, in which ours are ours: locked ones as we wrote them, answers with the student's text.

    An edited cell of ours stays beside ours, as the student's. What was removed is put back after what stood before
    it; but no stub of an answer is, since it would define anew what the student has perhaps defined elsewhere.
    """
    notebook = assignment.for_students()
    ours = {kind_and_name(cell): cell for cell in notebook.cells if "nbgrader" in cell.metadata}
    place, sure = Matching(cells, ours, assignment).places()
    notebook.cells = list(put_together(cells, ours, place))
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
    lost, odd = not_found(ours, place, sure), list(remarks(cells, ours, place, sure))
    general = {name: odd[0] for name in assignment.parts if name not in lost} if odd else {}
    doubts = dict(written_as_text(cells, assignment, place)) | lost | general
    if another_identifier(cells, student):  # a number that was typed in is right for another's data
        doubts = {name: "the identifier in the notebook is not that of its folder"
                  for name, part in assignment.parts.items() if part.calls is None} | doubts
    return Recognised(notebook, [*odd, *lost.values()], doubts)


def holds_text(notebook: NotebookNode, assignment: Assignment) -> bool:
    """Whether a notebook that was made fit holds a text of the student's, elsewhere than where a text is asked for."""
    texts = {squeezed(cell.source) for cell in assignment.handed_out.cells} | {""}
    return any(squeezed(cell.source) not in texts and (cell.cell_type != "code" or is_text(cell))
               for cell in notebook.cells if kind_and_name(cell)[0] not in ("essay", "check", "setup"))


def is_text(cell: NotebookNode) -> bool:
    """Whether a cell of code is a text, or holds one in its comments or between quotes; of an answer, a long one."""
    said = "".join(COMMENT.findall(cell.source))
    words = WORD.findall(cell.source)
    return len(said) > (LONG_IN_ANSWER if "nbgrader" in cell.metadata else LONG_COMMENT) or (
        len(words) >= FEW_WORDS and not parses(COMMAND.sub("", cell.source)))


class Matching:
    """Which of a student's cells is which of ours.

    :param cells: the student's.
    :param ours: our cells that have names, in their order."""

    def __init__(self, cells: list[Cell], ours: dict[Key, NotebookNode], assignment: Assignment):
        self.cells, self.ours, self.assignment = cells, ours, assignment
        self.place: dict[Key, int] = {}
        self.texts = {squeezed(cell.source) for cell in assignment.handed_out.cells if "nbgrader" not in cell.metadata}

    def places(self) -> tuple[dict[Key, int], set[Key]]:
        """Our cell -> index of the student's; which of them were known by their names or their words."""
        for steps in ((self.by_name, self.by_identifier, self.by_words), (self.by_place, self.by_definition)):
            for step in steps:
                for key, index in step():
                    if key not in self.place and index not in self.place.values():
                        self.place[key] = index
            if self.by_words in steps:
                sure = set(self.place)
        return self.place, sure

    def missing(self) -> list[Key]:
        return [key for key in self.ours if key not in self.place]

    def free(self) -> list[int]:
        """Cells that are none of ours yet, nor copies of one, nor words of ours, nor empty."""
        taken, named = set(self.place.values()), {*self.place, *[key for key in self.ours if key[0] in WRITTEN]}
        return [index for index, cell in enumerate(self.cells) if index not in taken and cell.key not in named
                and cell.source.strip() and squeezed(cell.source) not in self.texts]

    def by_name(self) -> Iterator[tuple[Key, int]]:
        """Of several with one name: where something was written in, if it is to be written in."""
        for key, own in self.ours.items():
            named = [index for index, cell in enumerate(self.cells) if cell.key == key]
            as_ours = [index for index in named if squeezed(self.cells[index].source) == squeezed(own.source)]
            changed = [index for index in named if index not in as_ours and self.cells[index].source.strip()]
            if key[0] == "answer" and not changed and self.is_defined_elsewhere(key[1], *named[:1]):
                continue  # the stub would undo it
            for index in ((changed or named) if key[0] in WRITTEN else (as_ours or named))[:1]:
                yield key, index

    def is_defined_elsewhere(self, part: str, stub: int = 0) -> bool:
        """In a new cell; or before the stub in one of ours that was written in, as who uses one cell for all does."""
        name, ours = self.assignment.parts[part].answer, {squeezed(cell.source) for cell in self.ours.values()}
        return any(cell.code and name in defined(cell.source) and squeezed(cell.source) not in ours
                   and (index < stub or not any(cell.key)) for index, cell in enumerate(self.cells))

    def by_identifier(self) -> Iterator[tuple[Key, int]]:
        for index in self.free():
            for key in self.missing():
                if self.cells[index].identifier == self.ours[key].id and not any(self.cells[index].key):
                    yield key, index

    def by_words(self) -> Iterator[tuple[Key, int]]:
        """Cells of ours that nobody writes in."""
        for key in self.missing():
            for index in self.free() if key[0] not in WRITTEN else ():
                if squeezed(self.cells[index].source) == squeezed(self.ours[key].source):
                    yield key, index
                    break

    def by_place(self) -> Iterator[tuple[Key, int]]:
        """Where between two known cells as many are free as are missing, of the same kinds."""
        order, gap = [*self.ours, None], []
        before = -1
        for key in order:
            if key is not None and key not in self.place:
                gap.append(key)
                continue
            after = len(self.cells) if key is None else self.place[key]
            for code in (True, False):
                wanted = [one for one in gap if (one[0] != "essay") == code]
                there = [index for index in self.free() if before < index < after and self.cells[index].code == code]
                if len(wanted) == len(there) and all(map(self.plausible, wanted, there)):
                    yield from zip(wanted, there, strict=True)
            before, gap = max(before, after), []

    def plausible(self, key: Key, index: int) -> bool:
        """Whether an answer may stand there: not if another cell defines it, or this one another answer."""
        if key[0] != "answer":
            return key[0] == "essay"
        wanted = self.assignment.parts[key[1]].answer
        mine = defined(self.cells[index].source)
        elsewhere = any(wanted in defined(self.cells[other].source) for other in self.free() if other != index)
        return wanted in mine or not elsewhere and not mine & {part.answer for part in self.assignment.parts.values()}

    def by_definition(self) -> Iterator[tuple[Key, int]]:
        """The last cell that defines what is asked for."""
        for key in self.missing():
            if key[0] == "answer":
                name = self.assignment.parts[key[1]].answer
                for index in reversed(self.free()):
                    if self.cells[index].code and name in defined(self.cells[index].source):
                        yield key, index
                        break


def put_together(cells: list[Cell], ours: dict[Key, NotebookNode], place: dict[Key, int]) -> Iterator[NotebookNode]:
    """The student's cells in their order, with ours in their places, and those of ours that are not there."""
    keys, after = {index: key for key, index in place.items()}, removed(ours, place)
    stubs = {key: squeezed(own.source) for key, own in ours.items()}
    yield from after.get(None, ())
    for index, cell in enumerate(cells):
        if index not in keys:
            if squeezed(cell.source) != stubs.get(cell.key):  # a copy of a stub would undo what was written elsewhere
                yield cell.node()
            continue
        key, own = keys[index], ours[keys[index]]
        if key[0] in WRITTEN or key[0] == "identifier" and PLAIN_IDENTIFIER.fullmatch(cell.source):
            own.source = cell.source
        elif squeezed(cell.source) != squeezed(own.source):
            yield cell.node()
        yield own
        yield from after.get(key, ())


def removed(ours: dict[Key, NotebookNode], place: dict[Key, int]) -> dict[Key | None, list[NotebookNode]]:
    """Our cell -> what follows it and is to be put back; None: what comes first."""
    found, before = {}, None
    for key, own in ours.items():
        if key in place:
            before = key
        elif key[0] != "answer":
            found.setdefault(before, []).append(own)
    return found


def not_found(ours: Collection[Key], place: dict[Key, int], sure: set[Key]) -> dict[str, str]:
    """Part -> which cell of it was not found by its name, in words."""
    found = {}
    for kind, name in ours:
        if kind in ("answer", "check") and (kind, name) not in sure:
            how = "was found by its place or by what it defines" if (kind, name) in place else "is not there"
            found.setdefault(name, f"the cell {kind}-{name} {how}")
    return found


def written_as_text(cells: list[Cell], assignment: Assignment, place: dict[Key, int]) -> Iterator[tuple[str, str]]:
    """Part -> that its answer seems to stand in a text, which does not run."""
    for name, part in assignment.parts.items():
        if any(part.answer in defined(cell.source) for index, cell in enumerate(cells)
               if not cell.code and index != place.get(("answer", name))):
            yield name, f"a cell of text defines {part.answer}"


def remarks(cells: list[Cell], ours: Collection[Key], place: dict[Key, int], sure: set[Key]) -> Iterator[str]:
    """What is odd about a notebook as a whole."""
    order = [place[key] for key in ours if key in sure]
    if order != sorted(order):
        yield "its cells are in another order"
    lost = [kind for kind, name in ours if kind in ("setup", "identifier") and (kind, name) not in sure]
    if lost:
        yield f"the cell {' and the cell '.join(lost)} cannot be found"
    if not any(key[0] for key in (cell.key for cell in cells)):
        yield "no cell has its name any more"


def another_identifier(cells: list[Cell], student: str) -> bool:
    written = [PLAIN_IDENTIFIER.fullmatch(cell.source) for cell in cells]
    return bool({found[2].strip() for found in written if found} - {"your-identifier", "", student})


def squeezed(source: str) -> str:
    """Without blanks and empty lines, which editors change."""
    return "".join(source.split())


@functools.cache
def parses(source: str) -> bool:
    try:
        ast.parse(source)
    except Exception:  # too deep, too long, or no Python
        return False
    return True


@functools.cache
def defined(source: str) -> set[str]:
    """The names that a cell defines; of one that cannot be taken apart, those that stand at the beginning of a line.

    >>> sorted(defined("def f(x): pass\\na, b = 1, 2")), sorted(defined("%%time\\ndef f(x): pass\\nb = 3"))
    (['a', 'b', 'f'], ['b', 'f'])
    """
    try:
        tree = ast.parse(source) if len(source) < 100_000 else None
    except Exception:
        tree = None
    if tree is None:
        return {one or other for one, other in re.findall(r"^(?:(?:async )?def +(\w+)|(\w+) *=(?!=))", source, re.M)}
    found = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        else:
            found |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return found
