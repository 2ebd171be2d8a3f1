"""One reader of the ledger: it mixes nothing, pairs by seed, and says what there is."""

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from privbook.papers.results import Results
from privbook.runs.grid import Experiment
from privbook.runs.plan import open_ledger
from privbook.runs.rows import Head, Row
from privgraph.nn import interval

PARAMETERS = {"arm": "real", "budget": 1.0, "hops": 2}
MEASURED = {("karate", "real", 1.0, 2): [80.0, 82.0, 81.0], ("karate", "permuted", 1.0, 2): [79.5, 81.0],
            ("digits", "real", 1.0, 2): [60.0, 70.0, 65.0], ("karate", "real", math.inf, 2): [90.0]}


def toy(**changes) -> Experiment:
    def grid(setting):
        yield 3, [setting(dataset="karate"), setting(dataset="digits", arm="constant")]
    usual = Experiment("toy", 1, PARAMETERS, ("accuracy", "auc"), grid, run=lambda setting, seed, cache: {})
    return replace(usual, **changes)


def write(rows: dict[tuple, list[float]] = MEASURED, **head) -> None:
    said = dict(experiment="toy", revision=1, sha256="a", privgraph="0.1.0", torch="2.13.0", device="cpu") | head
    open_ledger(toy()).append([
        Row(Head(dataset=dataset, **said), dict(zip(PARAMETERS, setting, strict=True)), seed, 1.0,
            {"accuracy": value, "auc": value / 100})
        for (dataset, *setting), values in rows.items() for seed, value in reversed(list(enumerate(values)))])


@pytest.fixture
def runs(monkeypatch, tmp_path):
    monkeypatch.setenv("PRIVGRAPH_RESULTS", str(tmp_path))
    monkeypatch.setattr("privbook.runs.ledger.CARDS", dict.fromkeys(("karate", "digits"), Card))
    write()
    return Results(toy())


class Card:
    sha256 = None


def test_values_of_one_setting_by_seed(runs):
    wanted = {0: 80.0, 1: 82.0, 2: 81.0}
    assert runs.values("accuracy", dataset="karate", arm="real", budget=1.0) == wanted  # hops are 2 everywhere
    assert list(runs.values("accuracy", **runs.setting(dataset="karate"))) == [0, 1, 2]
    assert runs.values("auc", **runs.setting(dataset="karate")) == pytest.approx(
        {k: v / 100 for k, v in wanted.items()})
    assert runs.values("accuracy", seeds=range(1, 9), **runs.setting(dataset="karate")) == {1: 82.0, 2: 81.0}
    assert runs.values("accuracy", **runs.setting(dataset="karate", hops=3)) == {}
    assert runs.values("accuracy", budget=7.0) == {}


def test_means_and_paired_differences(runs):
    karate = dict(dataset="karate", budget=1.0)
    assert runs.mean("accuracy", arm="real", **karate) == interval([80.0, 82.0, 81.0])
    assert runs.mean("accuracy", budget=5.0) is None
    assert runs.gap({}, dict(budget=5.0), "accuracy", arm="permuted") is None
    assert runs.gap(dict(arm="real"), dict(arm="permuted"), "accuracy", **karate) == interval([0.5, 1.0])
    assert runs.gap(dict(arm="real"), dict(arm="permuted"), "accuracy", seeds=[1], **karate) == interval([1.0])


def test_settings_are_pooled_seed_by_seed(runs):
    """The luck of a seed is shared by the graphs: three seeds of two graphs are three numbers, not six."""
    graphs = [dict(dataset="karate"), dict(dataset="digits")]
    assert runs.pooled(graphs, "accuracy", arm="real", budget=1.0) == {0: 70.0, 1: 76.0, 2: 73.0}
    assert runs.pooled(graphs, "accuracy", seeds=[0, 2], arm="real", budget=1.0) == {0: 70.0, 2: 73.0}
    only = [dict(arm="real"), dict(arm="permuted")]
    assert runs.pooled(only, "accuracy", dataset="karate", budget=1.0) == {0: 79.75, 1: 81.5}  # what all have
    assert runs.gap(graphs, graphs[:1], "accuracy", arm="real", budget=1.0) == interval([-10.0, -6.0, -8.0])
    assert runs.pooled([], "accuracy") == {}
    assert runs.pooled([*graphs, dict(budget=9.0)], "accuracy", arm="real", budget=1.0) == {}


@pytest.mark.parametrize("ask, message", [
    (dict(dataset="karate"), r"toy: 3 settings have these values; choose one of each: "
                             r"\{'arm': \['permuted', 'real'\], 'budget': \[1.0, inf\]\}"),
    (dict(arm="real", budget=1.0), r"2 settings .*\{'dataset': \['digits', 'karate'\]\}"), ({}, "4 settings"),
    (dict(dataset="karate", backbone="gcn"), "the columns are dataset, arm, budget, hops; got backbone"),
    (dict(dataset="cora"), "dataset must be one of digits, karate; got 'cora'"),
    (dict(dataset="karate", arm="reel"), "arm must be one of constant, permuted, real; got 'reel'"),
    (dict(dataset="karate", arm="reel", budget=1.0, hops=2), "arm must be one of .* got 'reel'")])
def test_what_mixes_settings_or_is_nowhere_raises(runs, ask, message):
    for read in (runs.values, runs.mean):
        with pytest.raises(ValueError, match=message):
            read("accuracy", **ask)
    with pytest.raises(ValueError, match=message):
        runs.gap(ask, runs.setting(dataset="karate"), "accuracy")


def test_a_text_of_the_grid_that_was_not_run_gives_nothing(runs):
    assert runs.values("accuracy", arm="constant") == {}


def test_several_metrics_do_not_mix(runs):
    with pytest.raises(ValueError, match="toy measures several things; choose a metric of accuracy, auc"):
        runs.values(dataset="karate", arm="permuted")
    with pytest.raises(ValueError, match="metric must be one of accuracy, auc; got 'loss'"):
        runs.values("loss", dataset="karate", arm="permuted")
    assert Results(toy(metrics=("auc",))).values(dataset="karate", arm="permuted") == pytest.approx({0: 0.795, 1: 0.81})


def test_two_graphs_of_one_name_do_not_mix(runs):
    write({("karate", "permuted", 1.0, 2): [1.0, 2.0, 3.0, 4.0]}, sha256="b")
    with pytest.raises(ValueError, match="toy: several graphs of the ledger are called karate"):
        Results(toy()).values("accuracy", dataset="karate", arm="permuted")


def test_another_revision_is_left_out_and_other_versions_are_not(runs):
    write({("karate", "permuted", 1.0, 2): [0.0] * 9}, revision=2)
    write({("karate", "permuted", 1.0, 2): [0.0] * 3}, torch="3.0.0")
    assert Results(toy()).values("accuracy", arm="permuted") == {0: 79.5, 1: 81.0, 2: 0.0}


def test_an_experiment_is_known_by_its_name():
    assert Results("lpgnn").experiment.name == "lpgnn"
    with pytest.raises(ValueError, match="experiment must be one of .*ceiling, .*got 'lpgn'"):
        Results("lpgn")


def test_the_chapters_average_nothing_by_hand():
    """Rows of the ledger become numbers through ``Results``, which mixes nothing."""
    chapters = Path(__file__).parents[2] / "chapters"
    by_hand = re.compile(r"""\[["']value["']\]|\.metrics\[|experiments\.plan""")
    assert {path.name: found for path in sorted(chapters.glob("*.md"))
            if (found := by_hand.findall(path.read_text(encoding="utf-8")))} == {}
