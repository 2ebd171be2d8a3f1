"""What students handed in: read as data, put to the box, and given back with what it showed and the marks."""

import json
import os
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from privgraph.teach import pack_input

from .assignment import Assignment
from .judging import UNREAD, Given, Mark
from .plain_files import open_folder, read_file
from .texts import picture, plain, whole

MOST_CELLS, MOST_TEXT = 1_000, 1_000_000  # of a notebook; characters
LONGEST = 4_000_000  # characters of one answer, as the box tells it
SHOWN = "{points} of {of:g} points. {feedback}"


def kind_and_name(cell: NotebookNode) -> tuple[str, str]:
    """("check", "keep") of a cell that is one of ours; ("", "") of another."""
    said = cell.get("metadata", {}).get("nbgrader", {})
    kind, _, name = str(said.get("grade_id", "") if isinstance(said, dict) else "").partition("-")
    return (kind, name)


@dataclass(frozen=True)
class Submission:
    """:param student: the name of the folder it came in.
    :param notebook: what was handed in, made fit: our own cells are ours again, and all of them are there.
    :param fault: why it could not be read; its notebook is then the empty one, and a person has to look at it.
    """

    student: str
    assignment: Assignment
    notebook: NotebookNode
    fault: str = ""

    @classmethod
    def read(cls, path: Path, student: str, assignment: Assignment) -> "Submission":
        """What lies there; neither the file nor its folder may be a link (see ``files``)."""
        try:
            at = open_folder(path.parent.parent, path.parent.name)
            try:
                handed_in = nbformat.from_dict(json.loads(read_file(at, path.name)))
            finally:
                os.close(at)
            cells = [fit(cell) for cell in limited(nbformat.v4.upgrade(handed_in).cells)]
            return cls(student, assignment, rebuilt(cells, assignment))
        except Exception as error:  # a file of any content
            return cls.unread(student, assignment, f"this is no notebook ({reason(error)})")

    @classmethod
    def unread(cls, student: str, assignment: Assignment, fault: str) -> "Submission":
        """A submission of which nothing is known but that it is there."""
        return cls(student, assignment, assignment.for_students(), fault)

    @cached_property
    def given(self) -> Given:
        return self.assignment.given(self.student)

    def questions(self) -> list:
        """The cells for the box, see ``inside``: after each check the question about its part."""
        found = []
        for cell in self.notebook.cells:
            if cell.cell_type == "code":
                found.append(cell.source)
                kind, name = kind_and_name(cell)
                if kind == "check":
                    part = self.assignment.parts[name]
                    calls = [list(map(pack_input, call)) for call in part.inputs(self.given)]
                    found.append([name, part.answer, json.dumps(calls) if part.calls else None])
        return found

    def marks(self, lines: list[dict], ended: str = "") -> dict[str, Mark]:
        """Each part's mark, from what came out of the box; nothing of a student's runs here."""
        if self.fault:
            received = f"Not graded yet, a person has to look at it: {self.fault}."
            return {name: Mark(0.0, received, waits=True) for name in self.assignment.parts}
        received = dict(answers(lines))
        marks = {name: part.mark(self.given, received.get(name)) for name, part in self.assignment.parts.items()}
        return {name: replace(mark, feedback=f"{mark.feedback} (The notebook was {ended}.)")
                if ended and name not in received else mark for name, mark in marks.items()}

    def with_marks(self, lines: list[dict], marks: dict[str, Mark]) -> NotebookNode:
        """The notebook with what each cell showed, and below each check what the student is told."""
        found, shown = self.notebook.copy(), (line["outputs"] for line in lines if "outputs" in line)
        for cell in found.cells:
            if cell.cell_type == "code":
                cell.outputs = list(outputs(next(shown, [])))
                kind, name = kind_and_name(cell)
                if kind == "check":
                    of, mark = self.assignment.points[name], marks[name]
                    points = "?" if mark.waits else f"{of * mark.fraction:g}"
                    text = SHOWN.format(points=points, of=of, feedback=plain(mark.feedback))
                    cell.outputs = [new_output("stream", name="stdout", text=textwrap.fill(text, 84) + "\n")]
        return found


def reason(error: Exception) -> str:
    """An error in one short line."""
    return f"{type(error).__name__}: {error}"[:200]


def limited(cells: list) -> list:
    """The cells, if a person could read them."""
    if len(cells) > MOST_CELLS:
        raise ValueError(f"it has more than {MOST_CELLS:,} cells")
    if sum(len(piece) for cell in cells for piece in cell.source) > MOST_TEXT:  # a text, or a list of lines
        raise ValueError(f"its cells have more than {MOST_TEXT:,} characters")
    return cells


def fit(cell: NotebookNode) -> NotebookNode:
    """A cell of a submission without anything but its text and the name it has from us."""
    source = whole(cell.source if isinstance(cell.source, str) else "".join(cell.source))
    new = new_code_cell(source) if cell.cell_type == "code" else new_markdown_cell(source)
    kind, name = kind_and_name(cell)
    if kind:
        new.metadata["nbgrader"] = {"grade_id": f"{kind}-{name}" if name else kind}
    return new


def rebuilt(cells: list[NotebookNode], assignment: Assignment) -> NotebookNode:
    """A submission's cells, in which ours are ours: locked ones as we wrote them, answers with the student's text.

    What was removed is put at the end; what was doubled counts once, where it stands first. A text that was doubled
    counts where it was first written in: nobody would read it otherwise, and its stub has no points.
    """
    found = assignment.for_students()
    ours = {kind_and_name(cell): cell for cell in found.cells if "nbgrader" in cell.metadata}
    stubs = {key: cell.source for key, cell in ours.items() if key[0] == "essay"}
    written = {kind_and_name(cell) for cell in cells if cell.source != stubs.get(kind_and_name(cell))}
    kept = []
    for cell in cells:
        key = kind_and_name(cell)
        if key in ours and not (key in written and cell.source == stubs.get(key)):
            own = ours.pop(key)
            if key[0] in ("answer", "essay"):
                own.source = cell.source
            kept.append(own)
        else:
            cell.metadata.pop("nbgrader", None)
            kept.append(cell)
    found.cells = [*kept, *ours.values()]
    for number, cell in enumerate(found.cells):
        cell.id = f"cell-{number}"
    return found


def answers(lines: list[dict]) -> Iterator[tuple[str, object]]:
    """Part -> what was told of it, or ``UNREAD``. The last word counts."""
    for line in lines:
        if isinstance(line.get("part"), str) and isinstance(line.get("answer"), str):
            try:
                yield line["part"], json.loads(line["answer"]) if len(line["answer"]) <= LONGEST else UNREAD
            except (ValueError, RecursionError, MemoryError):
                yield line["part"], UNREAD


def outputs(shown) -> Iterator[NotebookNode]:
    """A cell's outputs, from what the box told of it."""
    for item in shown if isinstance(shown, list) else []:
        if isinstance(item, list) and len(item) == 2 and all(isinstance(word, str) for word in item):
            kind, content = item
            if kind != "image/png":
                yield new_output("stream", name="stdout", text=whole(content))
            elif image := picture(content):
                yield new_output("display_data", data={"image/png": image})
