"""Experiments are found, and measure today what their rows of the ledger say."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from privbook.papers import catalogue
from privbook.papers.catalogue import experiments
from privbook.papers.results import Results
from privbook.papers.segcl import settings as choice
from privbook.runs.plan import PlannedRun, identity, rows_of, wanted
from privbook.runs.runner import measure
from privgraph.datasets import at_hand

FOLDER = Path(catalogue.__file__).parent


def test_every_experiment_of_the_folder_is_found_under_a_name_of_its_own():
    written = sum(path.read_text(encoding="utf-8").count("EXPERIMENT = Experiment(") for path in FOLDER.rglob("*.py"))
    assert len(experiments()) == written >= 15


TOY = '''
from privgraph.streams import stream

from ..runs.grid import Experiment

def run(setting, seed, cache):
    return {"tails": float(stream("collect", seed).initial_seed() % 2) - setting["bias"]}

EXPERIMENT = Experiment("coins", 1, {"bias": 0.0}, ("tails",), lambda setting: [(3, [setting(dataset="karate")])], run,
                        title="Coins")
'''


def test_one_new_file_is_an_experiment_with_a_ledger(tmp_path):
    shutil.copytree(FOLDER.parents[1], tmp_path / "lib", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "lib" / "privbook" / "papers" / "coins.py").write_text(TOY)
    command = [sys.executable, "-m", "privbook", "reproduce", "coins"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "lib"), "PRIVGRAPH_CACHE": str(tmp_path / "cache")}
    environment.pop("PRIVGRAPH_RESULTS", None)
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.stdout == "3 runs added, 0 failed, 0 still missing\n", done.stderr
    assert (tmp_path / "results" / "measured" / "coins.csv").exists()


def test_all_of_cora_comes_before_anything_of_facebook_and_three_seeds_before_ten():
    """And last what takes an hour a run. All that the paper prints for these graphs is there: test_reproductions.py."""
    runs = wanted(experiments()["graphprivatizer"])
    assert len({tuple(run.values()) for run, _ in runs}) == len(experiments()["graphprivatizer"].settings) > 4000
    order = [setting["dataset"] for setting, _ in runs]
    assert order[-18:] == 9 * ["amazon-photo"] + 9 * ["facebook-pages"]
    assert all(setting["method"] == "two-hop" and setting["backbone"] in ("gat", "gatv2", "gt")
               for setting, _ in runs[-18:])
    assert len(order) - order[::-1].index("cora") < order.index("facebook-pages")
    lists = [seed for setting, seed in runs if setting["dataset"] == "cora" and setting["threshold"] > 0
             and setting["epsilon"] == 0.1]
    assert lists == sorted(lists) and set(lists) == set(range(10))
    before = [seed for setting, seed in runs[:order.index("pubmed")] if setting["threshold"] > 0]
    own = [seed for seed in before if seed >= 1000]
    assert set(before) - set(own) == {0, 1, 2} and len(before) - len(own) == 3 * lists.count(0)
    assert len(own) == 2 * 3 * 12 * 16 and len(set(own)) == 2 * 16  # each setting of an average has two of its own


# Training on noisy labels magnifies the last bit of a sum, and processors add in different orders: most rows of three
# experiments come out again on another processor within points only. These came out on two, to the last printed digit.
# Of the other experiments the run that took least is taken.
STEADY = {"lpgnn": (dict(dataset="cora", backbone="gat"), 7),
          "private-edges": (dict(dataset="cora", mechanism="blink", budget=1.0, epsilon_x=3.0, epsilon_y=3.0,
                                 x_steps=2, y_steps=0), 1),
          "graphprivatizer": (dict(dataset="pubmed", method="lpgnn", backbone="gcn", training="released", epsilon_x=3.0,
                                   epsilon_y=3.0, x_steps=16, y_steps=0), 2)}


def chosen(experiment) -> tuple[PlannedRun, dict[str, float]] | None:
    """A run whose graph is at hand, and what it measured."""
    place, runs = identity(experiment), {}
    for row in rows_of(experiment):
        if at_hand(row["dataset"]):
            runs.setdefault((row["seconds"], place(row), row["seed"]), {})[row["metric"]] = row["value"]
    if experiment.name in STEADY:
        said, seed = STEADY[experiment.name]
        runs = {key: found for key, found in runs.items() if key[1:] == (place(experiment.setting(**said)), seed)}
    if not runs:
        return None
    found = min(runs)
    setting, = (setting for setting in experiment.settings if place(setting) == found[1])
    return PlannedRun(setting, found[2]), runs[found]


# Of these a third kind of processor gave values .3 to .8 points off, and rows are held to one point. Another seed is
# further off, which a test below sees.
MAGNIFIED = ("lppge-labels", "segcl-choice", "segcl-tasks")
POINT = 1.0


@pytest.mark.slow
@pytest.mark.lot("lib/")
@pytest.mark.parametrize("experiment", experiments().values(), ids=experiments())
def test_a_row_comes_out_again(experiment, monkeypatch, tmp_path):
    """To 1e-6; old rows of LPGNN were kept with four decimals."""
    monkeypatch.setenv("PRIVGRAPH_CACHE", str(tmp_path))
    found = chosen(experiment)
    if found is None:
        pytest.skip("its graph is not on this machine")
    run, before = found
    _, row, error = measure(experiment, run)
    assert not error and row.metrics == as_before(experiment, before)


def as_before(experiment, before: dict[str, float]):
    """What counts as the same values."""
    apart = POINT if experiment.name in MAGNIFIED else 5.1e-5 if experiment.name == "lpgnn" else 1e-6
    return pytest.approx(before, rel=1e-6, abs=apart)


@pytest.mark.full
@pytest.mark.parametrize("name", MAGNIFIED)
def test_another_seed_is_not_taken_for_the_same(name, monkeypatch, tmp_path):
    monkeypatch.setenv("PRIVGRAPH_CACHE", str(tmp_path))
    run, before = chosen(experiments()[name])
    _, row, error = measure(experiments()[name], PlannedRun(run.setting, run.seed + 1))
    assert not error and row.metrics != as_before(experiments()[name], before)


@pytest.mark.parametrize("name", choice.CHOSEN)
def test_what_is_chosen_for_few_shot_tasks_is_the_best_on_base_classes(name):
    """Of the grid, by the ledger, with all of its seeds."""
    results = Results("segcl-choice")
    for method in ("pn", "segcl"):
        settings = [setting for setting in choice.EXPERIMENT.settings
                    if (setting["dataset"], setting["method"]) == (name, method)]
        means = {tuple(setting.values())[2:]: results.mean("accuracy", **setting) for setting in settings}
        assert len(means) == {"pn": 18, "segcl": 6}[method]
        seeds = {mean.n for mean in means.values()}
        assert len(seeds) == 1 and seeds <= {choice.CHOICE_SEEDS, choice.FEWER, choice.FEWEST}
        best = max(means, key=lambda place: means[place].mean)
        said = choice.CHOSEN[name]
        assert best[:3] == said[:3] and (method == "pn" or best[3:] == said[3:])
