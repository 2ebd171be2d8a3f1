"""Notebooks for readers: no solution in them, nothing that only the site understands, and they run from the archive."""

import ast
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import jupytext
import nbformat
import pytest
from nbclient import NotebookClient

import notebooks
from privbook import claims

CHAPTERS = sorted(notebooks.CHAPTERS.glob("*.md"))
BY_NAME = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
SOLUTION = re.compile(r"\{solution-start\}.*?\n`{3,}\n(.*?)^`{3,}\{solution-end\}", re.DOTALL | re.MULTILINE)


def told(chapter: Path) -> str:
    return "\n".join(cell.source for cell in notebooks.student(chapter).cells)


@BY_NAME
def test_no_solution_is_told(chapter):
    """No line of a solution, of sentences or of code, but for lines that stand on the page elsewhere too."""
    text = chapter.read_text(encoding="utf-8")
    solutions = SOLUTION.findall(text)
    assert len(solutions) == text.count("{solution-start}") == told(chapter).count(notebooks.ANSWER)
    page = set(SOLUTION.sub("", text).splitlines())
    secret = {line for solution in solutions for line in solution.splitlines() if len(line) > 12} - page
    assert secret & set(told(chapter).splitlines()) == set()


@BY_NAME
def test_what_is_shown_stays(chapter):
    """All code outside of solutions but the author's checks, in order; and no directive, role or option is left in a
    sentence."""
    outside = SOLUTION.sub("}", chapter.read_text(encoding="utf-8"))
    code = [notebooks.without_checks(cell.source) for cell in jupytext.reads(outside, "md:myst").cells
            if cell.cell_type == "code"]
    found = notebooks.student(chapter)
    assert [cell.source for cell in found.cells if cell.cell_type == "code" and cell.source != notebooks.ANSWER
            ] == [source for source in code if source]
    prose = "\n".join(cell.source for cell in found.cells if cell.cell_type == "markdown")
    assert re.findall(r"\{[a-z:-]+\}`|^:::.*|^`{3,}\{.*|^:\w+:.*", prose, re.MULTILINE) == []
    assert prose.count("```") % 2 == 0
    nbformat.validate(found)


def test_numbers_are_those_of_the_run():
    values = {"gain": 1.234, "name": "Cora", "many": 12_345}
    said = ("{glue:text}`gain:.1f` points on {glue:text}`name`, {glue:text}`gain:.0f`%, {glue:text}`many:,d` and "
            "{glue:text}`lost:.2f`")
    assert notebooks.readable(said, values) == (
        "[on the page: 1.2] points on [on the page: Cora], [on the page: 1%], [on the page: 12,345] and {lost:.2f}")
    assert [notebooks.number(text) for text in ("3", "0.5", "'a b'", "inf")] == [3, 0.5, "a b", float("inf")]


@BY_NAME
def test_every_glued_number_is_one_of_the_run(chapter):
    """Whatever its name is: `{glue:text}`gap_amazon-photo:.0f`` is a number too."""
    roles = re.findall(r"\{glue:text\}`[^`]*`", chapter.read_text(encoding="utf-8"))
    names = [re.split("[`:]", role)[2] for role in roles]
    told = [notebooks.readable(re.sub(":[^`:]*`$", "`", role), dict.fromkeys(names, 7)) for role in roles]
    assert set(told) <= {"[on the page: 7]"}


@pytest.mark.parametrize("code, left", [
    ("x = 1\nassert x == 1\ny = 2", "x = 1\ny = 2"), ("x = 1\nassert (x ==\n        1), 'one'", "x = 1"),
    ("for x in y:\n    assert x\n    assert not x\nz = 1", "z = 1"),
    ("for x in y:\n    z = x\n    assert z", "for x in y:\n    z = x"),
    ("if x:\n    assert y\nelse:\n    assert z", ""), ("with x:\n    for y in z:\n        assert y", ""),
    ("def check(f):\n    assert f(1) == 2, 'two'\n    assert f", "def check(f):\n    assert f(1) == 2, 'two'")])
def test_the_authors_checks_are_left_out(code, left):
    assert notebooks.without_checks(code) == left


@BY_NAME
def test_what_is_left_can_be_run_and_checks_nothing_of_the_authors(chapter):
    for cell in notebooks.student(chapter).cells:
        if cell.cell_type == "code":
            tree = ast.parse(cell.source)
            inside = {each for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for each in ast.walk(node)}
            assert all(node in inside and node.msg for node in ast.walk(tree) if isinstance(node, ast.Assert))


def test_notebooks_for_the_lab_are_written_and_what_somebody_changed_stays(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(notebooks, "CHAPTERS", chapters := tmp_path / "chapters")
    chapters.mkdir()
    for name in ("01_one", "02_two"):
        (chapters / f"{name}.md").write_text("# A page\n\n```{code-cell} ipython3\nx = 1\nassert x\n```\n")
    notebooks.write_for_lab(tmp_path / "lab")
    one, two = (tmp_path / "lab" / f"{name}.ipynb" for name in ("01_one", "02_two"))
    assert [cell.source for cell in nbformat.read(one, 4).cells] == ["# A page", "x = 1"]
    changed = nbformat.read(one, 4)
    changed.cells[1].source = "x = 2"
    nbformat.write(changed, one)
    for path in chapters.glob("*.md"):
        path.write_text(path.read_text().replace("x = 1", "x = 3"))
    notebooks.write_for_lab(tmp_path / "lab")
    assert [nbformat.read(path, 4).cells[1].source for path in (one, two)] == ["x = 2", "x = 3"]
    assert capsys.readouterr().out == "lab/01_one.ipynb was changed and stays; delete it to have the page's again\n"


@pytest.mark.slow
def test_evidence_of_every_claim_is_in_the_archive_and_can_be_collected(tmp_path):
    """With the helpers that it imports."""
    with zipfile.ZipFile(notebooks.write(tmp_path / "one")) as archive:
        archive.extractall(tmp_path)
    home = tmp_path / "graphs-that-keep-secrets"
    named = sorted({test.partition("::")[0] for test in claims.tests_of([*claims.load_claims().values()])})
    assert len(named) > 20 and [name for name in named if not (home / name).is_file()] == []
    ended = subprocess.run([sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:nbval", *named], cwd=home,
                           capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(home / "lib")})
    assert ended.returncode == 0, ended.stdout[-2000:]


def test_the_archive_is_the_same_twice_and_runs_on_its_own(tmp_path, monkeypatch):
    """Unpacked elsewhere, with nothing of the repository but what is in it."""
    first, second = (notebooks.write(tmp_path / name) for name in ("one", "two"))
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as archive:
        archive.extractall(tmp_path / "home")
    home = tmp_path / "home" / "graphs-that-keep-secrets"
    monkeypatch.setenv("PYTHONPATH", str(home / "lib"))
    for name in ("PRIVGRAPH_DATA", "PRIVGRAPH_RESULTS", "PRIVGRAPH_BOOK"):
        monkeypatch.delenv(name, raising=False)
    notebook = nbformat.read(home / "notebooks" / "01_graphs_and_message_passing.ipynb", 4)
    where = nbformat.v4.new_code_cell("import privgraph; print(privgraph.__file__)")
    notebook.cells.insert(0, where)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(home / "notebooks")}}).execute()
    assert str(home) in notebook.cells[0].outputs[0].text
