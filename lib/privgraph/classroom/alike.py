"""Answers that are suspiciously equal: the same code in two submissions, but for names of spaces and comments.

It is a reason to look, and no proof: short answers are equal by themselves. Those that most students share are left out.
"""

import ast
from collections import defaultdict

from .submissions import Submission, kind_and_name

SHORT = 120  # characters of a program without comments; less says nothing
COMMON = 0.5  # of the submissions


def equal_answers(found: list[Submission]) -> list[dict]:
    """A row for each answer that two to half of the students gave in the same words."""
    groups, count = defaultdict(set), defaultdict(set)
    for submission in found:
        count[submission.assignment.name].add(submission.student)
        ours = {cell.source for cell in submission.assignment.for_students().cells}
        for cell in submission.notebook.cells:
            kind, name = kind_and_name(cell)
            code = program(cell.source) if kind == "answer" and cell.source not in ours else ""
            if len(code) >= SHORT:
                groups[submission.assignment.name, name, code].add(submission.student)
    return [{"assignment": assignment, "part": part, "students": " ".join(sorted(students))}
            for (assignment, part, _), students in sorted(groups.items())
            if 1 < len(students) <= max(2, COMMON * len(count[assignment]))]


def program(source: str) -> str:
    """What a cell says, without comments, layout and the words of its documentation; its text if it is no Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source.strip()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.Module)) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)
