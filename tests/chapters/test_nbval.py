"""Run a second time by nbval, every chapter gives real texts to compare, and one changed number turns it red."""

import copy
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from nbval.plugin import get_sanitize_patterns

ROOT = Path(__file__).resolve().parents[2]
EXECUTED = ROOT / "build" / "executed"
COUNTS = ROOT / "build" / "nbval.json"  # written by `make compare`
CHAPTERS = [path.stem for path in sorted((ROOT / "chapters").glob("*.md"))]
SANITIZE = get_sanitize_patterns((ROOT / "tests" / "chapters" / "sanitize.cfg").read_text())
NBVAL = "-p count_comparisons @tests/chapters/nbval.args -p no:cacheprovider --color=no -rA".split()
FEWEST = 3  # texts compared in a chapter; with fewer, it prints too little for nbval to check


def sanitized(text):
    for pattern, replacement in SANITIZE:
        text = re.sub(pattern, replacement, text)
    return text


def with_another_digit(text):
    """`text` with one digit changed, the last that survives sanitising; None if it has none."""
    for digit in reversed(list(re.finditer(r"\d", text))):
        changed = text[: digit.start()] + str((int(digit[0]) + 1) % 10) + text[digit.end():]
        if sanitized(changed) != sanitized(text):
            return changed


def with_another_number(notebook):
    """`notebook` up to its first cell with a stored number that nbval compares, with one digit of it changed."""
    notebook = copy.deepcopy(notebook)
    for position, cell in enumerate(notebook.cells):
        ignored = {"nbval-ignore-output", "nbval-skip"} & set(cell.metadata.get("tags", []))
        if cell.cell_type != "code" or ignored or "NBVAL_" in cell.source:
            continue
        for output in cell.outputs:
            texts, key = (output, "text") if output.get("name") == "stdout" else (output.get("data", {}), "text/plain")
            text = texts.get(key, "")
            if not text.startswith("<") and (changed := with_another_digit(text)):
                texts[key] = changed
                notebook.cells = notebook.cells[: position + 1]  # the rest would only take time
                return notebook
    raise AssertionError("the chapter shows no number")


@pytest.fixture(scope="module")
def rerun(tmp_path_factory):
    """One run of nbval, with the arguments of `make compare`, over notebooks made to pass and to fail."""
    printed = new_output("stream", name="stdout", text="epsilon 1.5 in 0.27 s\n")
    source = "import time; print(f'epsilon {3 / 2} in {time.perf_counter() % 1:.2f} s')"
    tiny = new_notebook(cells=[new_code_cell(source, outputs=[printed], execution_count=1)])
    notebooks = {"same": tiny, "changed": with_another_number(tiny),
                 "empty": new_notebook(cells=[new_code_cell(source)])}
    if (chapter := EXECUTED / f"{CHAPTERS[0]}.ipynb").exists():
        notebooks["changed-chapter"] = with_another_number(nbformat.read(chapter, as_version=4))
    folder = tmp_path_factory.mktemp("rerun")
    for name, notebook in notebooks.items():
        nbformat.write(notebook, folder / f"{name}.ipynb")
    command = [sys.executable, "-m", "pytest", *NBVAL, f"--count-to={folder / 'counts.json'}", folder]
    with_plugin = {**os.environ, "PYTHONPATH": str(ROOT / "tests" / "chapters")}
    run = subprocess.run(command, cwd=ROOT, env=with_plugin, capture_output=True, text=True)
    assert run.returncode == 1, run.stdout + run.stderr
    return run.stdout, json.loads((folder / "counts.json").read_text())


def outcomes(rerun, name):
    """How often each outcome came up in the cells of one notebook."""
    return re.findall(rf"^(PASSED|FAILED|ERROR) \S*\b{name}\.ipynb::", rerun[0], flags=re.MULTILINE)


def test_the_same_numbers_pass_whatever_the_time(rerun):
    assert outcomes(rerun, "same") == ["PASSED"], rerun[0]
    assert rerun[1]["same.ipynb"] == 1


def test_one_changed_number_fails(rerun):
    assert outcomes(rerun, "changed") == ["FAILED"], rerun[0]
    assert "mismatch 'stdout'" in rerun[0]


def test_a_notebook_without_outputs_passes_but_counts_nothing(rerun):
    """The hole in nbval that the counts exist for."""
    assert outcomes(rerun, "empty") == ["PASSED"], rerun[0]
    assert rerun[1]["empty.ipynb"] == 0


def test_one_changed_number_in_a_real_chapter_fails(rerun):
    if "changed-chapter.ipynb" not in rerun[1]:
        pytest.skip("the chapters are not executed: `make execute`")
    assert outcomes(rerun, "changed-chapter").count("FAILED") == 1, rerun[0]


def test_every_chapter_was_compared():
    if not COUNTS.exists():
        pytest.skip("the chapters did not run a second time: `make compare`")
    compared = json.loads(COUNTS.read_text())
    assert [name for name in CHAPTERS if compared.get(f"{name}.ipynb", 0) < FEWEST] == []
