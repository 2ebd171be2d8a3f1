"""Experiments are found, and measure today what their rows of the ledger say."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from privgraph.datasets import at_hand
from privgraph.experiments import EXPERIMENTS, catalogue, rows_of
from privgraph.experiments.plan import Run, identity
from privgraph.experiments.runner import measure

FOLDER = Path(catalogue.__file__).parent


def test_every_experiment_of_the_folder_is_found_under_a_name_of_its_own():
    written = [path for path in FOLDER.rglob("*.py") if "\nEXPERIMENT = " in path.read_text(encoding="utf-8")]
    assert len(EXPERIMENTS) == len(written) == len(list(FOLDER.rglob("*.py"))) - 6  # settings.py, a folder's __init__.py


TOY = '''
from ..grid import Experiment
from ..streams import stream

def run(cell, seed, cache):
    return {"tails": float(stream("collect", seed).initial_seed() % 2) - cell["bias"]}

EXPERIMENT = Experiment("coins", 1, {"bias": 0.0}, ("tails",), lambda cell: [(3, [cell(dataset="karate")])], run, title="Coins")
'''


def test_one_new_file_is_an_experiment_with_a_ledger(tmp_path):
    shutil.copytree(FOLDER.parents[1], tmp_path / "lib" / "privgraph", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "lib" / "privgraph" / "experiments" / "catalogue" / "coins.py").write_text(TOY)
    command = [sys.executable, "-m", "privgraph", "reproduce", "coins"]
    done = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path / "lib"), "HOME": str(tmp_path)},
                          capture_output=True, text=True)
    assert done.stdout == "3 runs added, 0 failed, 0 still missing\n", done.stderr
    assert (tmp_path / "results" / "measured" / "coins.csv").exists()


def cheapest(experiment) -> tuple[Run, dict[str, float]] | None:
    """The run that took least of those whose graph is at hand, and what it measured."""
    place, runs = identity(experiment), {}
    for row in rows_of(experiment):
        if at_hand(row["dataset"]):
            runs.setdefault((row["seconds"], place(row), row["seed"]), {})[row["metric"]] = row["value"]
    if not runs:
        return None
    seconds, where, seed = min(runs)
    cell, = (cell for cell in experiment.cells if place(cell) == where)
    return Run(cell, seed), runs[seconds, where, seed]


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_a_row_comes_out_again(experiment, monkeypatch, tmp_path):
    monkeypatch.setenv("PRIVGRAPH_CACHE", str(tmp_path))
    found = cheapest(experiment)
    if found is None:
        pytest.skip(f"none of {', '.join(experiment.datasets)} is on this machine")
    run, before = found
    _, rows, error = measure(experiment, run)
    assert not error and {row["metric"]: row["value"] for row in rows} == pytest.approx(before, rel=1e-6, abs=1e-6), run
