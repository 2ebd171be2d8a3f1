import math

import numpy as np
import pytest
from scipy import stats

from privgraph import experiments
from privgraph.datasets import card
from privgraph.experiments import Ledger, difference, paired, run_missing, select, summarise, verdict
from privgraph.experiments.grids import EXPERIMENTS, Experiment
from privgraph.experiments.runner import missing, open_ledger
from privgraph.nn import Interval, interval


def fake_run(cell, seed):
    if cell["size"] == "broken":
        raise RuntimeError("a run that fails")
    return {"accuracy": 80 + seed + cell["size"]}


def experiment(sizes=(0.5, math.inf), revision=1, seeds=3) -> Experiment:
    cells = tuple(dict(dataset="karate", size=size, seeds=seeds) for size in sizes)
    return Experiment("fake", revision, ("size",), cells, fake_run)


@pytest.fixture
def results(monkeypatch, tmp_path):
    monkeypatch.setenv("PRIVGRAPH_RESULTS", str(tmp_path))
    return tmp_path


def test_runs_resume_and_nothing_is_run_twice(results):
    assert run_missing(experiment(seeds=1), progress=False) == 2
    assert run_missing(experiment(), progress=False) == 4
    assert run_missing(experiment(), progress=False) == 0
    rows = open_ledger(experiment()).rows()
    assert sorted((r["size"], r["seed"], r["value"]) for r in rows) == [
        (s, k, 80 + k + s) for s in (0.5, math.inf) for k in range(3)]
    assert {r["dataset"] for r in rows} == {"karate"} and all(len(r["sha256"]) == 64 for r in rows)


def test_what_finished_before_a_failure_is_kept(results):
    with pytest.raises(RuntimeError, match="a run that fails"):
        run_missing(experiment(sizes=(0.5, "broken")), progress=False)
    assert len(open_ledger(experiment()).rows()) == 3


def test_a_new_revision_makes_old_rows_stale(results):
    run_missing(experiment(), progress=False)
    newer = experiment(revision=2)
    assert len(missing(newer, open_ledger(newer))) == 6
    assert open_ledger(newer).rows(revision=2) == []


def test_no_run_starts_after_the_time_is_up(results):
    assert run_missing(experiment(), minutes=0, progress=False) == 0


def test_graphs_that_are_not_here_are_left_out(results, monkeypatch):
    monkeypatch.delenv("PRIVGRAPH_DATA", raising=False)
    monkeypatch.setenv("PRIVGRAPH_CACHE", str(results))
    away = Experiment("fake", 1, ("size",), (dict(dataset="cora", size=1.0, seeds=1),), fake_run)
    assert missing(away, open_ledger(away)) == []


def test_another_graph_under_a_known_name_is_not_measured(results, monkeypatch):
    np.savez(results / "cora.npz", edge_index=[[0, 1], [1, 0]], x=np.eye(2), y=[0, 1])
    monkeypatch.setenv("PRIVGRAPH_DATA", str(results))
    cora = Experiment("fake", 1, ("size",), (dict(dataset="cora", size=1.0, seeds=1),), fake_run)
    with pytest.warns(UserWarning, match="another graph"), pytest.raises(ValueError, match="nothing was run"):
        run_missing(cora, progress=False)
    assert open_ledger(cora).rows() == []


def test_a_row_that_the_ledger_did_not_write_is_named(results):
    run_missing(experiment(), progress=False)
    ledger = open_ledger(experiment())
    text = ledger.path.read_text()
    ledger.path.write_text(text + "fake,1,karate\n")
    with pytest.raises(ValueError, match="fake.csv, line 8: not a whole row"):
        ledger.rows()
    ledger.path.write_text(text.replace("revision", "version", 1))
    with pytest.raises(ValueError, match="expected the columns"):
        ledger.rows()


def test_rows_come_back_as_they_were_written(tmp_path):
    ledger = Ledger(tmp_path / "x.csv", ["epsilon", "kind"])
    row = dict(experiment="x", revision=1, dataset="cora", sha256="0123", epsilon=math.inf, kind="real", seed=3,
               metric="accuracy", value=81.25, seconds=1.5, privgraph="0.1.0", torch="2.13.0", device="cpu")
    ledger.append([row])
    ledger.append([row | {"seed": 4}])
    assert ledger.rows() == [row, row | {"seed": 4}]


ROWS = [dict(dataset="cora", arm=arm, seed=seed, value=value) for arm, values in
        (("real", [80.0, 82.0, 81.0]), ("permuted", [79.5, 81.0])) for seed, value in enumerate(values)]


def test_summaries_and_paired_differences():
    assert summarise(ROWS, arm="real") == interval([80.0, 82.0, 81.0])
    assert summarise(ROWS, arm="absent") is None and paired(ROWS, dict(arm="real"), dict(arm="absent")) is None
    assert paired(ROWS, dict(arm="real"), dict(arm="permuted"), dataset="cora") == interval([0.5, 1.0])
    assert len(select(ROWS, dataset="cora", arm="permuted")) == 2
    with pytest.raises(ValueError, match="mixes several settings"):
        summarise(ROWS, dataset="cora")


@pytest.mark.parametrize("low, high, expected", [(-2, 2, "agrees"), (-1, 0.5, "agrees"), (-2.1, 0, "inconclusive"),
                                                 (1, 3, "inconclusive"), (2.1, 9, "differs"), (-9, -2.01, "differs"),
                                                 (-9, 9, "inconclusive")])
def test_verdicts_on_synthetic_cases(low, high, expected):
    assert verdict(Interval((low + high) / 2, (high - low) / 2, 10)) == expected


def test_difference_is_welchs_interval():
    ours, theirs = [80.0, 81.0, 83.0, 79.0], [82.0, 80.5, 84.0]
    mean, spread = sum(theirs) / 3, stats.tstd(theirs)
    expected = stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval(0.95)
    gap = difference(ours, mean, spread, runs=3)
    assert (gap.low, gap.high) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_published_numbers_are_there():
    rows = experiments.published("lpgnn")
    cell = [r for r in rows if r["dataset"] == "cora" and r["backbone"] == "gcn"]
    assert [(r["mean"], r["spread"]) for r in cell] == [(81.7, 1.0)] and len(rows) == 30
    with pytest.raises(ValueError, match="the known ones are lpgnn"):
        experiments.published("nothing")


def test_the_committed_ledger_fits_its_experiment():
    """Every row belongs to a cell of the grid, on the graph its card describes, once."""
    experiment = EXPERIMENTS["lpgnn"]
    ledger = open_ledger(experiment)
    rows = ledger.rows(experiment.revision)
    known = {ledger.key({**cell, "seed": seed}) for cell in experiment.cells for seed in range(cell["seeds"])}
    keys = [ledger.key(row) for row in rows]
    assert rows and set(keys) <= known and len(set(keys)) == len(keys)
    assert all(card(row["dataset"]).sha256 in (None, row["sha256"]) for row in rows)


def test_the_cells_name_every_parameter():
    for experiment in EXPERIMENTS.values():
        for cell in experiment.cells:
            assert set(cell) == {"dataset", "seeds", *experiment.parameters}
