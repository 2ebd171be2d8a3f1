"""Answers that are suspiciously equal: the same program in two submissions, or a value of somebody else's data.

It is a reason to look, and no proof: short answers are equal by themselves. Programs that most students share are left
out, as are values that would be right for several.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator

from .recognising import kind_and_name
from .submissions import Submission, answers

SHORT = 120  # characters of a program without comments; less says nothing
LONG = 100_000  # of a program that is taken apart; longer ones are compared as they are
COMMON = 0.5  # of the submissions


def suspicions(found: list[Submission], received: list[list[dict]]) -> list[dict]:
    """A row for each: assignment, part, students, and why.

    :param received: what came out of the box for each submission.
    """
    return [dict(zip(("assignment", "part", "students", "why"), row, strict=True))
            for row in sorted({*same_program(found), *borrowed(found, received)})]


def same_program(found: list[Submission]) -> Iterator[tuple[str, str, str, str]]:
    """Answers that two to half of the students gave in the same words."""
    groups, count = defaultdict(set), defaultdict(set)
    for submission in found:
        count[submission.assignment.name].add(submission.student)
        ours = {cell.source for cell in submission.assignment.for_students().cells}
        for cell in submission.notebook.cells:
            kind, name = kind_and_name(cell)
            code = program(cell.source) if kind == "answer" and cell.source not in ours else ""
            if len(code) >= SHORT:
                groups[submission.assignment.name, name, code].add(submission.student)
    for (assignment, part, _), students in groups.items():
        if 1 < len(students) <= max(2, COMMON * len(count[assignment])):
            yield assignment, part, " ".join(sorted(students)), "the same program"


def borrowed(found: list[Submission], received: list[list[dict]]) -> Iterator[tuple[str, str, str, str]]:
    """Values that are wrong for the student's own data and right for exactly one other's."""
    given = {(one.assignment.name, one.student): one.given for one in found}
    for submission, lines in zip(found, received, strict=True):
        name, said = submission.assignment.name, dict(answers(lines))
        for part, judged in submission.assignment.parts.items():
            if judged.calls is None and not judged.mark(submission.given, said.get(part)).fraction:
                owners = [student for (other, student), data in given.items()
                          if other == name and judged.mark(data, said.get(part)).fraction]
                if len(owners) == 1:
                    yield name, part, f"{submission.student} {owners[0]}", f"a value of {owners[0]}'s data"


def program(source: str) -> str:
    """What a cell says, without comments, layout and the words of its documentation; its text if it is no Python.

    >>> program("x=1 # mine") == program("x = 1  # yours")
    True
    """
    if len(source) > LONG:
        return source.strip()
    try:
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.Module)) and ast.get_docstring(node):
                node.body = node.body[1:] or [ast.Pass()]
        return ast.unparse(tree)
    except Exception:  # 900 terms are too deep for it, and so is an integer of 5,000 digits too long
        return source.strip()
