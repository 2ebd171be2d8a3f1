"""The machine of ``privbook`` knows no paper; what is about one paper lies in its folder, and sees no other paper."""

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

import privbook
from privbook.papers.published import papers
from privgraph import methods
from privgraph.datasets import CARDS, PRINTED
from test_architecture import imports

ROOM = Path(privbook.__file__).parent
FOLDERS = {path.parent for path in (ROOM / "papers").glob("*/__init__.py")}
# What knows no paper: runs, and every file beside the papers' folders, but for what several papers have or print.
MACHINE = [*sorted((ROOM / "runs").glob("*.py")),
           *(path for path in sorted((ROOM / "papers").glob("*.py")) if path.stem not in ("shared", "graphs_counted"))]


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


ENGLISH = {"GAP"}  # methods that are called like a word: only as they are written


def whole_words(names, text: str) -> set[str]:
    return {name for name in names if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text,
                                                0 if name in ENGLISH else re.IGNORECASE)}


def seen_by(module: Path) -> set[Path]:
    """The folders of papers that a module imports from."""
    return {folder for target in imports(module) if isinstance(target, Path) for folder in FOLDERS
            if folder in target.parents}


@pytest.mark.parametrize("module", MACHINE, ids=lambda m: m.stem)
def test_the_machine_knows_no_paper(module):
    """No name of a paper or a method anywhere, none of a graph in code; and papers are found, not imported."""
    prose, code = prose_and_code(module.read_text(encoding="utf-8"))
    assert not whole_words(names_of_papers_and_methods(), prose + code)
    assert not whole_words(names_of_papers_and_methods() | set(CARDS) | set(PRINTED), code)
    assert not seen_by(module)


@pytest.mark.parametrize("folder", sorted(FOLDERS), ids=lambda folder: folder.name)
def test_what_answers_for_a_paper_sees_its_own_experiments_only(folder):
    """Experiments may share settings with those of another paper, as with LPGNN's; lookups and contradictions not."""
    for module in [*folder.glob("lookup.py"), *folder.glob("contradictions*"), *folder.glob("contradictions/*.py")]:
        if module.is_file():
            assert seen_by(module) - {folder} <= {each for each in FOLDERS if each.name not in papers()}


def test_every_file_with_numbers_of_a_paper_has_a_folder_that_answers():
    assert {folder.name for folder in FOLDERS if (folder / "lookup.py").is_file()} >= set(papers())
