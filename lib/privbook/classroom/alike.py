"""Answers that are suspiciously equal: nearly the same program or text, or a value of somebody else's data.

It is a reason to look, and no proof: short answers are equal by themselves, and so are those that follow the page.
Programs are compared statement by statement, without names, comments and layout; texts by their runs of words.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from .recognising import kind_and_name
from .submissions import Submission, answers

FEWEST = 25  # nodes of a program's tree; less says nothing
LONG = 100_000  # characters of an answer; of longer ones, so many
WORDS, FEWEST_WORDS = 4, 30  # of a run, and of a text
SAME_PROGRAM, SAME_TEXT = 0.65, 0.4  # the share of what either has that both have, from which they are alike


def suspicions(found: list[Submission], received: list[list[dict]]) -> list[dict]:
    """A row for each: assignment, part, students, and why.

    :param received: what came out of the box for each submission.
    """
    return [dict(zip(("assignment", "part", "students", "why"), row, strict=True))
            for row in sorted({*alike(found), *borrowed(found, received)})]


def alike(found: list[Submission]) -> Iterator[tuple[str, str, str, str]]:
    """Groups of students, of any size, with nearly the same answer to a part."""
    pieces: dict[tuple[str, str, str], dict[str, frozenset]] = defaultdict(dict)
    for submission in found:
        ours = {cell.source for cell in submission.assignment.handed_out.cells}
        for cell in submission.notebook.cells:
            kind, name = kind_and_name(cell)
            if kind in ("answer", "essay") and cell.source not in ours:
                taken = statements(cell.source) if kind == "answer" else runs_of_words(cell.source)
                if taken:
                    pieces[submission.assignment.name, name, kind][submission.student] = taken
    for (assignment, part, kind), each in pieces.items():
        why, least = ("the same program", SAME_PROGRAM) if kind == "answer" else ("the same text", SAME_TEXT)
        for group in groups(each, least):
            yield assignment, part, " ".join(sorted(group)), why


def groups(each: dict[str, frozenset], least: float) -> list[set[str]]:
    """Students whose pieces are alike, directly or by way of others."""
    group = {student: {student} for student in each}
    for one, other in combinations(each, 2):
        if group[one] is not group[other]:
            both = len(each[one] & each[other])
            if both >= least * (len(each[one]) + len(each[other]) - both):
                group[one] |= group[other]
                group |= dict.fromkeys(group[other], group[one])
    return [set(found) for found in {frozenset(found) for found in group.values()} if len(found) > 1]


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


def statements(source: str) -> frozenset:
    """What a program does, piece by piece: each subtree of some size, without the names of its variables."""
    try:
        tree = ast.parse(source[:LONG])
        tree = Renamed(tree).visit(tree)
        pieces = [node for node in ast.walk(tree) if isinstance(node, (ast.stmt, ast.expr))]
        return frozenset(map(shape, pieces)) if len(pieces) >= FEWEST else frozenset()
    except Exception:  # 900 terms are too deep for it, an integer of 5,000 digits too long, and much is no Python
        words = re.findall(r"\w+|[^\w\s]", source[:LONG])
        return frozenset(zip(*(words[start:] for start in range(WORDS)), strict=False))


def shape(node: ast.AST) -> str:
    """A statement or expression with what it is made of, two levels deep: one more statement changes few of them."""
    below = [[type(inner).__name__, *names(inner), *(type(each).__name__ for each in ast.iter_child_nodes(inner))]
             for inner in ast.iter_child_nodes(node)]
    return repr([type(node).__name__, *names(node), *below])


def names(node: ast.AST) -> list:
    """What is written in a node itself: attributes and constants; of names what ``Renamed`` left of them."""
    return [value for field, value in ast.iter_fields(node)
            if field in ("id", "attr", "value", "arg") and isinstance(value, (str, int, float))]


class Renamed(ast.NodeTransformer):
    """Variables and arguments without their names; no documentation, and no hints of types."""

    def __init__(self, tree: ast.AST):
        self.own = {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)}
        self.own |= {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
        node.returns = None
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name("own", node.ctx) if node.id in self.own else node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg("own")


def runs_of_words(text: str) -> frozenset:
    """All runs of so many words of a text that is long enough.

    >>> len(runs_of_words("word " * 40)), runs_of_words("too short")
    (1, frozenset())
    """
    words = re.findall(r"\w+", text[:LONG].casefold())
    return frozenset(zip(*(words[start:] for start in range(WORDS)), strict=False)) if len(words) >= FEWEST_WORDS \
        else frozenset()
