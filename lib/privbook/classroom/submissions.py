"""What students handed in: read as data, put to the box, and given back with what it showed and the marks."""

import json
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_output

from privgraph.teach import pack_input

from .assignment import Assignment
from .judging import HIDDEN, UNREAD, Given, Mark
from .plain_files import read_below
from .recognising import Cell, cells_of, defined, kind_and_name, recognised, squeezed
from .stripping import without_outputs
from .texts import picture, plain, whole

LEAST = 3  # cells of an assignment, by which a notebook is known
LONGEST = 4_000_000  # characters of one answer, as the box tells it
ABSENT = re.compile(r"(?:ModuleNotFound|FileNotFound|Connection|URL)Error|gaierror")
UNKNOWN = re.compile(r"NameError: name '(\w+)' is not defined")
SHOWN = "{points} of {of:g} points. {feedback}"


@dataclass(frozen=True)
class Submission:
    """:param student: the name of the folder it came in.
    :param notebook: what was handed in, made fit: our own cells are ours again, and all of them are there.
    :param fault: why it could not be read; its notebook is then the empty one, and a person has to look at it.
    :param unknown: a name that nobody knows, for whom hidden inputs are drawn; none are without it.
    :param remarks: what is odd about it.
    :param doubts: part -> why its answer was perhaps not found; without full points it waits for a person.
    """

    student: str
    assignment: Assignment
    notebook: NotebookNode
    fault: str = ""
    unknown: str = ""
    remarks: tuple[str, ...] = ()
    doubts: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, student: str, assignment: Assignment, top: Path | None = None,
             unknown: str = "") -> "Submission":
        """What lies there.

        :param top: below which nothing may be a link (default: the folder above the student's).
        :param unknown: a name that nobody knows.
        """
        try:
            found = recognised(read_cells(path, top or path.parent.parent), assignment, student)
            return cls(student, assignment, found.notebook, "", unknown, tuple(found.remarks), found.doubts)
        except Exception as error:  # a file of any content
            return cls.unread(student, assignment, f"this is no notebook ({reason(error)})")

    @classmethod
    def unread(cls, student: str, assignment: Assignment, fault: str) -> "Submission":
        """A submission of which nothing is known but that it is there."""
        return cls(student, assignment, assignment.for_students(), fault)

    @cached_property
    def given(self) -> Given:
        """What the notebook draws for the student; and, for inputs that nobody has seen, for somebody unknown."""
        hidden = {HIDDEN: self.assignment.given(self.unknown)} if self.unknown else {}
        return {**self.assignment.given(self.student), **hidden}

    def questions(self, ours: Collection[str] = ()) -> list:
        """The cells for the box, see ``inside``: a function is asked for when all cells have run.

        What it is asked is then in no cell that is shown. A value is also asked for below its own cell.

        :param ours: parts in whose place our own answers are put, below their cells; then nothing is shown.
        """
        found, last, solutions = [], [], self.assignment.answers() if ours else {}
        for cell in self.notebook.cells:
            if cell.cell_type == "code":
                found.append(cell.source)
                kind, name = kind_and_name(cell)
                if kind == "check":
                    part = self.assignment.parts[name]
                    calls = [list(map(pack_input, call)) for call in part.inputs(self.given)]
                    question = [name, part.answer, json.dumps(calls) if part.calls else None]
                    found.append(question if ours or not part.calls else [part.answer])
                    last.append(question)
                    found += [solutions[name]] if name in ours else []
        return found if ours else found + last

    def helpers(self, marks: Mapping[str, Mark]) -> list[str]:
        """Wrong answers on which a later wrong one may build; with ours in their place that one may be right.

        :param marks: of each part.
        """
        wrong = [name for name in self.assignment.points if name in marks and marks[name].fraction < 1]
        return [] if self.fault else wrong[:-1]

    def marks(self, lines: list[dict], ended: str = "", ours: Collection[str] = (),
              again: Sequence[dict] = ()) -> dict[str, Mark]:
        """Each part's mark, from what came out of the box; nothing of a student's runs here.

        :param lines: what came out of the box.
        :param ended: why it was ended, if it was.
        :param ours: parts in whose place our own answers were put when it ran again.
        :param again: what came out then.
        """
        if self.fault:
            received = f"Not graded yet, a person has to look at it: {self.fault}."
            return {name: Mark(0.0, received, waits=True) for name in self.assignment.parts}
        received, later = told_of_parts(lines), told_of_parts(again)
        marks = {name: self.best(name, received.get(name, [None])) for name in self.assignment.parts}
        stopped = dict.fromkeys(marks.keys() - received.keys(), f"the notebook was {ended}") if ended else {}
        for name in marks.keys() & later.keys() if ours else ():
            if (given_ours := self.best(name, later[name])).fraction > marks[name].fraction:
                said = f"{given_ours.feedback} {self.in_place(name, ours)}: {marks[name].feedback}"
                marks[name] = Mark(given_ours.fraction, said)
        missing = lacking(lines) or out_of_order(self.notebook, lines)
        doubts = {**(dict.fromkeys(marks, missing) if missing else {}), **self.doubts, **stopped}
        return {name: replace(mark, waits=True, feedback=f"{mark.feedback} Needs a look by a person: {doubts[name]}.")
                if name in doubts and mark.fraction < 1 and not mark.waits else mark for name, mark in marks.items()}

    def best(self, name: str, told: list) -> Mark:
        """The mark of an answer that was asked for several times."""
        marks = [self.assignment.parts[name].mark(self.given, one) for one in told]
        return max(marks, key=lambda mark: (mark.fraction, not mark.waits))

    def in_place(self, name: str, ours: Collection[str]) -> str:
        order = list(self.assignment.points)
        helpers = [f"`{self.assignment.parts[one].answer}`" for one in ours if order.index(one) < order.index(name)]
        if not helpers:  # the first run did not get there
            return "This is of a second run. In the first"
        return f"This is with a right {' and '.join(helpers)} in the place of yours, on which it builds. With your own"

    def odd(self, lines: list[dict], marks: dict[str, Mark], ended: str = "") -> str:
        """Why a person has to look at it, in words; nothing if nobody has to.

        :param lines: what came out of the box.
        :param ended: why it was ended, if it was.
        :param marks: of each part.
        """
        waiting = [name for name, mark in marks.items() if mark.waits]
        found = lacking(lines) or out_of_order(self.notebook, lines) or ended
        missing = [found] if waiting and found else []
        doubts = {self.doubts[name] for name in waiting if name in self.doubts} - set(self.remarks)
        unread = [name for name in waiting if name not in self.doubts and not missing]
        return "; ".join([*[f"{', '.join(unread)} could not be read"] * bool(unread), *self.remarks, *sorted(doubts),
                          *missing])

    def with_marks(self, lines: list[dict], marks: dict[str, Mark]) -> NotebookNode:
        """The notebook with what each cell showed, and below each check what the student is told."""
        found, shown = self.notebook.copy(), (line["outputs"] for line in lines if "outputs" in line)
        for cell in found.cells:
            if cell.cell_type == "code":
                cell.outputs = list(outputs(next(shown, [])))
                kind, name = kind_and_name(cell)
                if kind == "check":
                    of, mark = self.assignment.points[name], marks[name]
                    points = "?" if mark.waits else f"{mark.points(of):g}"
                    text = SHOWN.format(points=points, of=of, feedback=plain(mark.feedback))
                    cell.outputs = [new_output("stream", name="stdout", text=textwrap.fill(text, 84) + "\n")]
        return found


def read_cells(path: Path, top: Path) -> list[Cell]:
    """The cells of the notebook that lies there; neither the file nor a folder below ``top`` may be a link."""
    return cells_of(without_outputs(read_below(top, path.relative_to(top).parts)))


def assignment_of(path: Path, top: Path, known: Mapping[str, Assignment]) -> str:
    """Of which assignment most of a notebook's cells are; nothing if that is none, or it cannot be read."""
    try:
        texts = {squeezed(cell.source) for cell in read_cells(path, top)}
    except Exception:
        return ""
    shared = {name: sum(squeezed(cell.source) in texts for cell in one.handed_out.cells) for name, one in known.items()}
    best = max(shared, key=shared.__getitem__, default="")
    return best if best and shared[best] > LEAST and list(shared.values()).count(shared[best]) == 1 else ""


def lacking(lines: list[dict]) -> str:
    """What a student's cells asked for and did not find in the box, which may be there at home."""
    texts = (item[1] for line in lines for item in told(line.get("outputs")) if item[0] == "error")
    found = sorted({match[0] for match in map(ABSENT.match, texts) if match})
    return f"its cells asked for something that is not in the box ({', '.join(found)})" if found else ""


def out_of_order(notebook: NotebookNode, lines: list[dict]) -> str:
    """Which name a cell asked for that only one further down defines: it ran where cells were run in another order."""
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    shown = [told(line["outputs"]) for line in lines if "outputs" in line]
    for number, each in enumerate(shown[:len(cells)]):
        for unknown in (found[1] for kind, text in each if kind == "error" and (found := UNKNOWN.match(text))):
            if any(unknown in defined(source) for source in cells[number + 1:]):
                return f"its cells were run in another order: {unknown} is used before the cell that defines it"
    return ""


def told(shown) -> list[list[str]]:
    """Outputs as the box tells them, without what was made by hand otherwise."""
    return [item for item in shown if isinstance(item, list) and len(item) == 2
            and all(isinstance(word, str) for word in item)] if isinstance(shown, list) else []


def reason(error: Exception) -> str:
    """An error in one short line; some hold all of a file, which takes seconds to write out."""
    said = next((word[:200] for word in error.args if isinstance(word, str)), "")
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def answers(lines: Iterable[dict]) -> Iterator[tuple[str, object]]:
    """Part -> what was told of it, or ``UNREAD``. The last word counts."""
    for line in lines:
        if isinstance(line.get("part"), str) and isinstance(line.get("answer"), str):
            try:
                yield line["part"], json.loads(line["answer"]) if len(line["answer"]) <= LONGEST else UNREAD
            except (ValueError, RecursionError, MemoryError):
                yield line["part"], UNREAD


def told_of_parts(lines: Iterable[dict]) -> dict[str, list]:
    """Part -> what was told of it, at most twice: what was told in between was not asked for."""
    found: dict[str, list] = {}
    for part, told in answers(lines):
        found[part] = [*found.get(part, []), told][-2:]
    return found


def outputs(shown) -> Iterator[NotebookNode]:
    """A cell's outputs, from what the box told of it."""
    for kind, content in told(shown):
        if kind != "image/png":
            yield new_output("stream", name="stdout", text=whole(content))
        elif image := picture(content):
            yield new_output("display_data", data={"image/png": image})
