"""The machine of ``privgraph.experiments`` knows no paper; what knows one is found, and sees downwards only."""

import ast
import io
import re
import tokenize
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from privgraph import experiments, methods
from privgraph.datasets import CARDS, PRINTED
from privgraph.experiments import papers

ROOM = Path(experiments.__file__).parent
# What knows no paper: every file beside the folders, but for the list of what the room exports and the repetitions of
# one method, or of teachers and a student, that need no experiment.
MACHINE = [path for path in sorted(ROOM.glob("*.py")) if path.stem not in ("__init__", "repeats", "students")]
KNOWING = {"catalogue": {"EXPERIMENTS"}, "answers": {"answer"}, "contradictions": set()}


EXAMPLES = re.compile(r"``.*?``|^ *(>>>|\.\.\.) [^\n]*$", re.DOTALL | re.MULTILINE)


def names_of_papers_and_methods() -> set[str]:
    learning = (name for name in methods.__all__ if hasattr(getattr(methods, name), "learn"))
    return {*papers(), *papers().values(), *learning}


def prose_and_code(text: str) -> tuple[str, str]:
    """Comments and docstrings, where examples (between double backticks, or run as tests) may name something; and
    names and strings."""
    tree, prose = ast.parse(text), []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            prose.append(EXAMPLES.sub("", ast.get_docstring(node)))
            node.body[0].value.value = ""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    prose += [token.string for token in tokens if token.type == tokenize.COMMENT]
    return "\n".join(prose), ast.unparse(tree)


def whole_words(names, text: str) -> set[str]:
    return {name for name in names if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE)}


@pytest.mark.parametrize("module", MACHINE, ids=lambda m: m.stem)
def test_the_machine_of_experiments_knows_no_paper(module):
    """No name of a paper or a method anywhere, none of a graph in code; it sees only what is found in the folders."""
    prose, code = prose_and_code(module.read_text(encoding="utf-8"))
    assert not whole_words(names_of_papers_and_methods(), prose + code)
    assert not whole_words(names_of_papers_and_methods() | set(CARDS) | set(PRINTED), code)
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            room, _, inner = (node.module or "").partition(".")
            seen = {alias.name for alias in node.names}
            assert not KNOWING.keys() & seen
            assert room not in KNOWING or (not inner and seen <= KNOWING[room])


def floors(path: Path) -> int:
    """The machine, the catalogue, what reads its ledgers, the answers, what puts them beside the printed numbers."""
    above = {"catalogue": 1, "results.py": 2, "current.py": 2, "answers": 3, "contradictions": 3, "coverage.py": 4}
    return above.get(path.relative_to(ROOM).parts[0], 0)


def arrows() -> set[tuple[Path, Path]]:
    """(file, the file that it imports) inside experiments/."""
    found, top = set(), ROOM / "__init__.py"
    for path in (path for path in ROOM.rglob("*.py") if path != top):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
                targets = [base, *(base / alias.name for alias in node.names)]
                files = (file for each in targets for file in (each.with_suffix(".py"), each / "__init__.py"))
                found |= {(path, target) for target in files
                          if target.is_file() and ROOM in target.parents and target != top}
    return found


def test_no_arrow_inside_experiments_points_upwards():
    """Answers see their own paper in the catalogue, and no other paper; nothing goes round in a circle."""
    below = {}
    for path, target in arrows():
        assert floors(target) <= floors(path), f"{path.name} imports {target}"
        below.setdefault(path, set()).add(target)
        if path.parent.name in ("answers", "contradictions") and path.stem in papers():
            assert not (set(target.relative_to(ROOM).parts) | {target.stem}) & (papers().keys() - {path.stem})
    list(TopologicalSorter(below).static_order())  # raises where there is a circle
