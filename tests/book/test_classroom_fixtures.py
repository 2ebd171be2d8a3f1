"""Each assignment: its solution gets full marks, a blank nothing, other right answers count, wrong ones are named."""

import functools
import re

import pytest

from privbook.classroom import assignments
from privbook.classroom.assignment import KINDS
from privbook.classroom.fixtures import faults, fixtures, points, trusted_marks
from privbook.classroom.judging import close
from privbook.classroom.submissions import kind_and_name
from privgraph.teach import pack, unpack

KNOWN = assignments()
STUDENTS = ("ada", "student-7")
# Every fixture for one of the two, in turn; the full run takes both.
GRADED = [pytest.param(assignment, fixture, student, id=f"{name}-{fixture.name}-{student}",
                       marks=() if (number + turn) % 2 else pytest.mark.full)
          for name, assignment in KNOWN.items() for number, fixture in enumerate(fixtures(assignment))
          for turn, student in enumerate(STUDENTS)]
each = pytest.mark.parametrize("assignment", KNOWN.values(), ids=lambda assignment: assignment.name)


@pytest.mark.parametrize("assignment, fixture, student", GRADED)
def test_it_is_graded_as_it_should_be(assignment, fixture, student):
    assert faults(assignment, fixture, student) == []


@each
def test_there_are_enough_answers_of_each_kind(assignment):
    """Two other right ones, four wrong ones that are told why, and at least one part that is graded by hand."""
    found = list(fixtures(assignment))
    assert sum(fixture.most is None for fixture in found) >= 3 and sum(bool(fixture.says) for fixture in found) >= 4
    assert assignment.rubric and 60 <= assignment.about["minutes"] <= 120 and assignment.about["needs"]


@each
def test_points_add_up(assignment):
    assert assignment.total() == 20 and assignment.points.keys() == assignment.parts.keys() | assignment.rubric.keys()
    for name, lines in assignment.rubric.items():
        assert sum(points for points, _ in lines) == assignment.points[name]


@each
def test_students_get_no_solution(assignment):
    """No line of a solution, no mark of one, nothing of the judge, and what is ours cannot be edited."""
    handed_out = assignment.for_students()
    text = "\n".join(cell.source for cell in handed_out.cells)
    assert "SOLUTION" not in text and all(message not in text for part in assignment.parts.values()
                                          for message in part.wrong)
    solutions = re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION",
                           "\n".join(cell.source for cell in assignment.notebook.cells), re.DOTALL)
    lines = [line.strip() for solution in solutions for line in solution.splitlines() if len(line.strip()) > 25]
    assert len(solutions) >= 5 and len(lines) >= 5 and [line for line in lines if line in text] == []
    kinds = {kind_and_name(cell)[0] for cell in handed_out.cells} - {""}
    assert kinds == set(KINDS) and all(cell.metadata.get("editable", True) is False for cell in handed_out.cells
                                       if kind_and_name(cell)[0] in ("setup", "check"))


@each
def test_another_students_answers_are_not_right(assignment):
    """At least one value is each student's own."""
    values = [part for part in assignment.parts.values() if part.calls is None]
    told = [[unpack(pack(part.right(assignment.given(student)))) for part in values] for student in ("ada", "bob")]
    assert values and not all(close(a, b, part.tolerance) for a, b, part in zip(*told, values, strict=True))


@each
def test_no_misunderstanding_comes_out_right(assignment):
    """For none of twenty students: whoever has it would get the points."""
    for student in (f"student-{number}" for number in range(20)):
        given = assignment.given(student)
        for name, part in assignment.parts.items():
            if type(part).agrees_at is part_agrees():
                inputs = part.inputs(given)
                right = [unpack(pack(part.right(given, *arguments))) for arguments in inputs]
                same = [message for message, function in part.wrong.items()
                        if part.agrees(function, given, inputs, right)]
                assert same == [], f"{name}: {same}"


@functools.cache
def part_agrees():
    from privbook.classroom import Part
    return Part.agrees_at


@each
def test_a_draw_is_graded_twice_alike(assignment):
    marks = [trusted_marks(assignment, "ada", assignment.answers()) for _ in range(2)]
    assert marks[0] == marks[1] and points(assignment, marks[0]) == sum(
        assignment.points[name] for name in assignment.parts)
