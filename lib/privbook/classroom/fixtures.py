"""Answers whose marks are known, beside each assignment: they show that its grading grades.

``answers/NAME.py`` holds the cells of some parts, each below a line ``# %% PART``. Its first lines say what it is for:
``# full marks: ...``, or ``# at most 9: ...`` and a line ``# says: ...`` for each thing that the feedback must name.
"""

import contextlib
import io
import os
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from privgraph.teach.handing_in import MIME, hold, tell
from privgraph.teach.seeds import GRADED

from .assignment import Assignment
from .judging import Mark
from .submissions import Submission

HEAD = re.compile(r"# (?:full marks|at most (?P<most>\d+)): (?P<what>.+)\n(?P<says>(?:# says: .+\n)*)")
CELL = re.compile(r"^# %% (\w+)\n", re.MULTILINE)


@dataclass(frozen=True)
class Fixture:
    """:param cells: part -> source.
    :param most: points that it may get; None for all.
    :param says: words of the feedback."""

    name: str
    what: str
    cells: dict[str, str]
    most: int | None = None
    says: tuple[str, ...] = ()

    @classmethod
    def read(cls, path: Path) -> "Fixture":
        text = path.read_text(encoding="utf-8")
        if not (head := HEAD.match(text)):
            raise ValueError(f"{path.name} must begin with '# full marks: ...' or '# at most 9: ...'")
        _, *pieces = CELL.split(text[head.end():])
        says = tuple(line.removeprefix("# says: ") for line in head["says"].splitlines())
        return cls(path.stem, head["what"], dict(zip(pieces[::2], pieces[1::2], strict=True)),
                   int(head["most"]) if head["most"] else None, says)


def fixtures(assignment: Assignment) -> Iterator[Fixture]:
    """The solution, nothing at all, and what lies in ``answers``."""
    yield Fixture("solution", "our own", assignment.answers())
    yield Fixture("blank", "nothing", {}, most=0)
    for path in sorted((assignment.folder / "answers").glob("*.py")):
        yield Fixture.read(path)


def trusted_marks(assignment: Assignment, student: str, cells: dict[str, str]) -> dict[str, Mark]:
    """The marks of answers that are ours, run in this process: no box, and a hundred times as fast."""
    submission = Submission(student, assignment, assignment.with_answers(cells))
    lines = list(run_here(submission))
    ours = submission.helpers(submission.marks(lines))
    return submission.marks(lines, ours=ours, again=list(run_here(submission, ours)) if ours else [])


def run_here(submission: Submission, ours: Sequence[str] = ()) -> Iterator[dict]:
    """As ``inside`` does, without a kernel."""
    namespace, asked = {"__name__": "__main__", "IDENTIFIER": submission.student}, submission.questions(ours)
    with mock.patch.dict(os.environ, {GRADED: submission.student}), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for cell in asked:
            if isinstance(cell, str):
                with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
                    exec(compile(cell, "cell", "exec"), namespace)
            elif len(cell) == 1:
                hold(namespace, *cell)
            else:
                part, name, calls = cell
                shown = []
                with mock.patch("IPython.display.display", lambda data, raw, shown=shown: shown.append(data)):
                    tell(namespace, name, calls)
                yield {"part": part, "answer": shown[0][MIME]}


def points(assignment: Assignment, marks: dict[str, Mark]) -> float:
    return sum(mark.points(assignment.points[name]) for name, mark in marks.items())


def faults(assignment: Assignment, fixture: Fixture, student: str) -> list[str]:
    """What is otherwise than a fixture says; an empty list if its grading is as it should be."""
    marks = trusted_marks(assignment, student, fixture.cells)
    found, received = points(assignment, marks), " ".join(mark.feedback for mark in marks.values())
    all_points = sum(assignment.points[name] for name in marks)
    if fixture.most is None and found < all_points:
        wrong = {name: mark.feedback for name, mark in marks.items() if mark.fraction < 1}
        return [f"{found:g} of {all_points:g} points: {wrong}"]
    too_many = fixture.most is not None and found > fixture.most
    silent = [f"the feedback does not say {words!r}" for words in fixture.says if words not in received]
    return [f"{found:g} points, at most {fixture.most}"] * too_many + silent
