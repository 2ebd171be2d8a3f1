"""What the executed chapters hold: no error that was not announced, and nothing on stderr but progress bars."""

import csv
import re
import time
from pathlib import Path

import jupytext
import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_output

import published
import warm

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = [path.stem for path in sorted((ROOT / "chapters").glob("*.md"))]
ERROR = new_output("error", ename="ZeroDivisionError", evalue="", traceback=[])
BAR = re.compile(r"\d+%\||\d+it \[")


@pytest.fixture(params=CHAPTERS)
def cells(request):
    path = ROOT / "build" / "executed" / f"{request.param}.ipynb"
    if not path.exists():
        pytest.skip("the chapters are not executed: `make execute`")
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def test_every_cell_ran_and_only_announced_errors(request, cells):
    source = jupytext.read(ROOT / "chapters" / f"{request.node.callspec.params['cells']}.md")
    assert cells and list(published.run_faults(published.code_cells(source), cells)) == []


@pytest.mark.parametrize("plant, said", [
    (lambda cell: cell.update(execution_count=None), "1 cells did not run"),
    (lambda cell: cell.outputs.append(ERROR), "a cell ended with an error"),
    (lambda cell: cell.update(source="2"), "the run is not of this source: 2 cells, 2 in the source")])
def test_a_run_with_a_fault_would_be_seen(plant, said):
    written, ran = ([new_code_cell(text, execution_count=1) for text in ("1", "1 / 0")] for _ in range(2))
    ran[1].outputs, ran[1].metadata["tags"] = [ERROR], ["raises-exception"]
    assert list(published.run_faults(written, ran)) == []
    plant(ran[0])
    assert list(published.run_faults(written, ran)) == [said]


def test_stderr_holds_progress_bars_only(cells):
    """The site removes stderr for the bars' sake, so a warning there would pass unseen."""
    for cell in cells:
        for output in cell.outputs:
            if output.output_type == "stream" and output.name == "stderr":
                lines = re.split(r"[\r\n]+", output.text)
                assert not [line for line in lines if line.strip() and not BAR.search(line)], cell.source


LONGEST = 400  # characters; nobody scrolls a line of 122,553 pixels sideways, so a longer one says nothing


def test_no_printed_line_is_endless(cells):
    for cell in cells:
        for output in cell.outputs:
            texts = output.get("text", "") or output.get("data", {}).get("text/plain", "")
            glued = "scrapbook" in output.get("metadata", {})
            long = [line for line in texts.splitlines() if len(line) > LONGEST and not BAR.search(line)]
            assert glued or not long, f"{len(long[0])} characters: {long[0][:100]}"


def test_no_path_of_this_machine(cells):
    for cell in cells:
        assert str(ROOT) not in str(cell.outputs), cell.source
        assert str(Path.home()) + "/" not in str(cell.outputs), cell.source


def test_glued_numbers_are_plain(cells):
    """The site formats a glued value only if its text is a number: `np.float64(2.5)` stops the build,
    `2.5` does not."""
    for cell in cells:
        for output in cell.outputs:
            if "scrapbook" in output.get("metadata", {}):
                texts = [text for kind, text in output.data.items() if kind.endswith("text/plain")]
                assert texts and not any(text.startswith("np.") for text in texts), cell.source


REFERENCE = 0.3  # seconds of the processor that ``work`` takes where a page's limits are meant as they stand


def work() -> None:
    """As much of NumPy as of Python."""
    matrix = np.full((400, 400), 1 / 400)
    for _ in range(60):
        matrix = matrix @ matrix
        matrix /= matrix.sum(1, keepdims=True)
    total = 0
    for number in range(3_000_000):
        total += number * number


def slower() -> float:
    """How many times as long this machine takes, at least 1: one kind of rented machine takes twice as long as another,
    for the same page."""
    begun = time.process_time()
    work()
    return max(1.0, (time.process_time() - begun) / REFERENCE)


def test_pages_cost_what_they_may():
    """Seconds of the processor. What is dear belongs into the ledger, from which a page reads it."""
    path = ROOT / "build" / "costs.csv"
    if not path.exists():
        pytest.skip("the chapters are not executed: `make execute`")
    with path.open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    times = slower()
    dear = [row for row in rows if float(row["seconds"]) > times * warm.PAGE
            or float(row["longest cell"]) > times * warm.CELL]
    assert dear == [], f"this machine is {times:.2f} times as slow"
