"""Assignments as they are written: a folder with ``assignment.md`` (a notebook with solutions) and ``judge.py``.

In the notebook, cells carry a word more, which becomes nbgrader's metadata here. ``identifier: true`` is where students
write who they are, and ``setup: true``, below it, draws their own data. ``answer: NAME`` holds a solution between BEGIN
SOLUTION and END SOLUTION; ``check: NAME`` with ``points`` tries it on what students may see; ``essay: NAME`` with
``points`` is graded by hand. ``judge.py`` holds what students do not see: ``PARTS``, NAME -> Part, and ``RUBRIC``,
NAME -> list of (points, what must be said). ``samples.md`` has answers to compare an essay with, one for each number of
points: ``## NAME: 1, 3`` says which lines of the rubric the text below it meets, and ``>`` begins what it lacks.
"""

import contextlib
import importlib.util
import io
import math
import re
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType

import jupytext
from nbformat import NotebookNode

from .judging import Given, Part

FOLDER = Path(__file__).resolve().parents[3] / "assignments"
KINDS = {  # what nbgrader calls them
    "identifier": dict(grade=False, solution=False, locked=False),
    "setup": dict(grade=False, solution=False, locked=True),
    "answer": dict(grade=False, solution=True, locked=False),
    "check": dict(grade=True, solution=False, locked=True),
    "essay": dict(grade=True, solution=True, locked=False),
}
SAMPLE = re.compile(r"^## (\w+): ([\d, ]+)\n\n(.*?)\n\n(?:> (.*?)\n)?(?=\n## |\Z)", re.MULTILINE | re.DOTALL)
STUB, TEXT_STUB = "# Write your answer here.\n...", "*Write your answer here.*"


@dataclass(frozen=True)
class Sample:
    """An answer to an essay whose points are known.

    :param lines: of the rubric that it meets, from 1 on.
    :param lacks: what it does not say, or says wrongly."""

    lines: tuple[int, ...]
    text: str
    lacks: str


@dataclass(frozen=True)
class Assignment:
    """:param folder: of ``assignment.md`` and ``judge.py``; its name is the assignment's."""

    folder: Path

    @property
    def name(self) -> str:
        """That of its folder."""
        return self.folder.name

    @cached_property
    def notebook(self) -> NotebookNode:
        """With solutions, and nbgrader's metadata."""
        found = jupytext.read(self.folder / "assignment.md")
        for number, cell in enumerate(found.cells):
            cell.id = f"cell-{number}"  # not by chance: the same source is the same file
            for kind, fields in KINDS.items():
                if kind in cell.metadata:
                    name = cell.metadata.pop(kind)
                    points = {"points": cell.metadata.pop("points")} if fields["grade"] else {}
                    cell.metadata["nbgrader"] = {
                        "grade_id": kind if name is True else f"{kind}-{name}", "schema_version": 3, "task": False,
                        "cell_type": cell.cell_type, **fields, **points}
        found.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        return found

    @property
    def about(self) -> dict:
        """``title``, ``goal``, ``minutes``, ``level`` (1 to 3) and ``needs`` (chapters), from the notebook's head."""
        return dict(self.notebook.metadata["assignment"])

    @cached_property
    def judge(self) -> ModuleType:
        """The module that says what is right."""
        spec = importlib.util.spec_from_file_location(f"judge_{self.name.replace('-', '_')}", self.folder / "judge.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    @property
    def parts(self) -> dict[str, Part]:
        """What is marked, by name."""
        return self.judge.PARTS

    @property
    def rubric(self) -> dict[str, list[tuple[int, str]]]:
        """Points of the text, each with what it takes."""
        return self.judge.RUBRIC

    @property
    def samples(self) -> dict[str, dict[int, Sample]]:
        """Essay -> points -> an answer that earns them; none where nobody wrote any."""
        found: dict[str, dict[int, Sample]] = {name: {} for name in self.rubric}
        path = self.folder / "samples.md"
        text = path.read_text(encoding="utf-8").rstrip() + "\n\n" if path.exists() else ""
        for name, numbers, said, lacks in SAMPLE.findall(text):
            lines = tuple(map(int, numbers.split(", ")))
            earned = sum(self.rubric[name][line - 1][0] for line in lines)
            found[name][earned] = Sample(lines, said.strip(), lacks.strip())
        return found

    @property
    def points(self) -> dict[str, int]:
        """Points of each part, those graded by hand too, in the notebook's order."""
        marked = [cell.metadata.nbgrader for cell in self.notebook.cells
                  if "points" in cell.metadata.get("nbgrader", {})]
        return {fields.grade_id.partition("-")[2]: fields.points for fields in marked}

    def given(self, student: str) -> Given:
        """What the first cell draws for this student; only our own code runs.

        :param student: their identifier.
        """
        namespace = {"__name__": "given", "IDENTIFIER": student}
        with contextlib.redirect_stdout(io.StringIO()):
            for cell in self.notebook.cells:
                if cell.metadata.get("nbgrader", {}).get("grade_id") == "setup":
                    exec(compile(cell.source, f"{self.name}: setup", "exec"), namespace)
        return namespace

    def with_answers(self, answers: dict[str, str]) -> NotebookNode:
        """The notebook as a student hands it in.

        :param answers: part -> source of its cell; what is not named keeps the stub.
        """
        found = self.for_students()
        for cell in found.cells:
            kind, _, name = cell.metadata.get("nbgrader", {}).get("grade_id", "").partition("-")
            if kind in ("answer", "essay") and name in answers:
                cell.source = answers[name]
        return found

    def for_students(self) -> NotebookNode:
        """Without solutions; cells that are ours are locked, and carry nbgrader's checksums. Each time a new one."""
        return deepcopy(self.handed_out)

    @cached_property
    def handed_out(self) -> NotebookNode:
        """The notebook without solutions, as students get it."""
        from nbgrader.preprocessors import ClearOutput, ClearSolutions, ComputeChecksums, LockCells
        from traitlets.config import Config
        stubs = Config(ClearSolutions={"code_stub": {"python": STUB}, "text_stub": TEXT_STUB})
        found = jupytext.reads(jupytext.writes(self.notebook, "ipynb"), "ipynb")
        for step in (LockCells(), ClearSolutions(config=stubs), ClearOutput(), ComputeChecksums()):
            found, _ = step.preprocess(found, {})
        return found

    def answers(self) -> dict[str, str]:
        """The solution of each part that is graded by comparison, and of those graded by hand."""
        cells = {cell.metadata.nbgrader.grade_id.partition("-"): cell for cell in self.notebook.cells
                 if cell.metadata.get("nbgrader", {}).get("solution")}
        return {name: cell.source for (_, _, name), cell in cells.items()}

    def total(self) -> int:
        """All points."""
        return math.fsum(self.points.values())


def assignments(folder: Path = FOLDER) -> dict[str, Assignment]:
    """Every assignment of a folder, by name.

    :param folder: where each assignment has one.
    """
    return {path.parent.name: Assignment(path.parent) for path in sorted(Path(folder).glob("*/assignment.md"))}
