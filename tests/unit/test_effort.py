"""What a method takes is said before it begins: for each at a million edges an estimate, or a refusal by sizes."""

import argparse
import math
import re
from dataclasses import replace

import pytest
import torch
from torch_geometric.data import Data

from privgraph import effort as efforts
from privgraph import waiting
from privgraph.cli import foreseen, main
from privgraph.cli.said import Report
from privgraph.effort import Effort, Extent
from privgraph.mechanisms import (
    ExponentialReplacement,
    GraphMechanism,
    SymmetricResponse,
    TwoHopResponse,
    all_mechanisms,
)
from privgraph.methods import GAE, Curated, FewShot, GraphPrivatizer, Method, PrivGNN, all_methods, extent_of

MILLION = Extent(200_000, 1_000_000, 32, 5)
TENTH = Extent(20_000, 100_000, 32, 5)
CORA = Extent(2708, 5278, 1433, 7)
UNASKED = argparse.Namespace(anyway=False)


def by_default(kind: type[Method]) -> Method:
    """With the hyperparameters that nobody has to say."""
    needed = {"scale": 1.0} if issubclass(kind, all_methods()["pate"] | PrivGNN) else {}
    return kind(**needed)


METHODS = [pytest.param(by_default(kind), id=name) for name, kind in all_methods().items()]


def outcome(method: Method, extent: Extent, capsys, **said) -> str:
    """What is told before a run, or why it is not begun."""
    report = Report(as_json=False)
    try:
        foreseen.foresee(method, extent, {}, 1, argparse.Namespace(**{"anyway": False} | said), report)
    except ValueError as error:
        return f"refused: {error}"
    return capsys.readouterr().out


@pytest.mark.parametrize("method", METHODS)
def test_at_a_million_edges_each_method_is_estimated_or_refused(method, capsys):
    told, quick = outcome(method, MILLION, capsys), False
    try:
        each = method.effort(MILLION)
        assert isinstance(each, Effort) and 0 < each.seconds < 1e7 and efforts.LIBRARIES <= each.gigabytes < 1e4
        quick = each.seconds <= foreseen.SAID
    except ValueError:
        assert told.startswith("refused")
    if told.startswith("refused"):
        assert "200,000" in told and re.search(r"about [\d,]+ (seconds|minutes|hours|GB)", told)
        assert "smaller graph" in told or "on larger graphs" in told
    else:
        takes = r"this takes about [\d,]+ (seconds|minutes) and [\d.]+ GB on one processor, by an estimate from sizes\n"
        assert told == "" if quick else re.fullmatch(takes, told)


@pytest.mark.parametrize("method", METHODS)
def test_nothing_is_refused_on_a_graph_like_cora(method, capsys):
    """But for a thousand queries of PrivGNN, each with a teacher of its own, of which Cora has not so many."""
    method = replace(method, num_queries=200) if isinstance(method, PrivGNN) else method
    assert not outcome(method, CORA, capsys).startswith("refused")


@pytest.mark.parametrize("method", METHODS)
def test_more_of_a_graph_takes_longer(method):
    if isinstance(method, FewShot):
        assert method.effort(MILLION) == method.effort(CORA)  # which are told of no graph
        return
    small = method.effort(Extent(1000, 4000, 16, 3))
    for name in ("nodes", "edges", "features", "classes"):
        more = method.effort(replace(Extent(1000, 4000, 16, 3), **{name: 5000}))
        assert more.seconds >= small.seconds and more.gigabytes >= small.gigabytes
    more = method.effort(Extent(5000, 20_000, 16, 3))
    assert more.seconds > small.seconds and more.gigabytes >= small.gigabytes


SMALLER = {"x_steps": 3, "pairs": 5, "teachers": 2, "walks": 1, "length": 15, "rounds": 1, "hops": 1}


def less_of(method: Method, name: str) -> Method:
    """With a smaller value of a hyperparameter, or of one of its own."""
    name, _, inner = name.partition(".")
    value = getattr(method, name)
    if inner:
        return replace(method, **{name: less_of(value, inner)})
    return replace(method, **{name: SMALLER.get(name, None if value is None else max(1, value // 2))})


@pytest.mark.parametrize("method", METHODS)
def test_what_a_refusal_proposes_is_cheaper(method):
    """Each of the hyperparameters that it names."""
    if type(method).__name__ == "DPNE":
        pytest.skip("it has no epochs, and its size is that of the graph")
    before = method.effort(TENTH)
    for name in method.CHEAPER:
        after = less_of(method, name).effort(TENTH)
        assert after.seconds < before.seconds or (name in ("hops", "rounds") and after.seconds <= before.seconds), name


def test_a_method_of_ones_own_that_says_nothing_is_begun(capsys):
    class Own(Method):
        guarantees = reload = None
    Own.__abstractmethods__ = frozenset()
    assert Own().effort(MILLION) is None and outcome(Own(), MILLION, capsys) == ""


@pytest.mark.parametrize("mechanism", [pytest.param(each, id=f"{name} {number}") for name, kind in
                                       all_mechanisms().items() if issubclass(kind, GraphMechanism)
                                       for number, each in enumerate(kind.examples())])
def test_each_report_of_edges_is_estimated_or_refused(mechanism):
    for extent in (CORA, MILLION):
        try:
            told, each = mechanism.effort(extent)
            assert 0 < each.seconds < 600 and 0 < told.edges < 2.1e7 and told.nodes == extent.nodes
        except ValueError as error:
            assert "allowed are 20,000,000" in str(error) and extent is MILLION


def test_what_people_report_is_part_of_what_the_method_takes():
    """A denser graph, and the comparison of all pairs of nodes for each arm."""
    def seconds(structure):
        return GraphPrivatizer(structure=structure).effort(TENTH).seconds
    compared = ExponentialReplacement(1.0)
    silent = ExponentialReplacement(math.inf)
    each = compared.effort(TENTH)[1].seconds - silent.effort(TENTH)[1].seconds
    assert each > 3 and seconds(compared) - seconds(silent) == pytest.approx(3 * each)
    assert seconds(SymmetricResponse(5.0)) > 2 * seconds(SymmetricResponse(9.0))
    with pytest.raises(ValueError, match="allowed are 20,000,000"):
        seconds(SymmetricResponse(0.1))
    with pytest.raises(ValueError, match="within two hops are expected to hold at least 88,653,621"):
        TwoHopResponse(0.1).effort(Extent(200_000, 3_000_000))


# The command.

def test_what_takes_too_long_is_begun_if_wanted_anyway(monkeypatch, capsys):
    monkeypatch.setattr(foreseen, "MOST", 0.0)
    words = ["run", "gap", "--graph", "karate", "--repeats", "1", "--epochs", "2"]
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert "GAP would take about 0 seconds and 0.5 GB for one run with its controls, on 34 nodes, 78 edges, 34 " in err
    assert "take a smaller graph, less of --epochs, or say --anyway" in err and "guarantee" not in out
    monkeypatch.setattr(foreseen, "SAID", 0.0)
    assert main([*words, "--anyway", "--json"]) == 0
    out, err = capsys.readouterr()
    assert "this takes about" in err and '"effort": {"seconds": ' in out


def test_more_memory_than_there_is_is_not_begun_unasked(monkeypatch, capsys):
    monkeypatch.setattr(foreseen, "memory_here", lambda: 0.4)
    method = GAE(epochs=1)
    assert "this machine has 0 GB: take a smaller graph, less of --epochs, --pairs, or" in outcome(method, CORA, capsys)
    assert outcome(method, CORA, capsys, anyway=True).startswith("this takes about 6 seconds and 0.69 GB")
    monkeypatch.setattr(foreseen, "memory_here", lambda: None)
    assert outcome(method, CORA, capsys) == ""


@pytest.mark.parametrize("words", ["attack inner-product gae --graph karate --sensitive-degree 9",
                                   "attack linkteller lpgnn --graph karate", "sweep gap --graph karate --to {}/out",
                                   "compare gap progap --graph karate --to {}/out"])
def test_other_commands_ask_first_too(words, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib", reason="a sweep draws a picture")
    monkeypatch.setattr(foreseen, "MOST", 0.0)
    assert main(words.format(tmp_path).split()) == 2
    assert "say --anyway" in capsys.readouterr().err and not (tmp_path / "out").exists()


def test_all_runs_and_what_stands_beside_are_counted(monkeypatch, capsys):
    """Of three runs and of one that is saved."""
    seen = {}
    monkeypatch.setattr("privgraph.cli.run.foresee", lambda method, extent, how, runs, options, report, beside:
                        seen.update(extent=extent, runs=runs, beside=beside) or report.say("asked"))
    monkeypatch.setattr(Curated, "evaluate", lambda *args, **how: (_ for _ in ()).throw(ValueError("it runs")))
    assert main(["run", "gap", "--graph", "karate", "--repeats", "3", "--save", "somewhere-new"]) == 2
    assert (seen["runs"], seen["extent"]) == (4, Extent(34, 78, 34, 2)) and seen["beside"].seconds > 0
    assert "it runs" in capsys.readouterr().err


def test_pairs_of_a_large_graph_are_said(monkeypatch, capsys):
    monkeypatch.setattr("privgraph.methods.gae.MOST_NODES", 20)
    assert main(["run", "gae", "--graph", "karate", "--repeats", "1", "--epochs", "1"]) == 0
    assert "pairs = 68, by the number of nodes and edges; --pairs says otherwise" in capsys.readouterr().out
    assert main(["run", "gae", "--graph", "karate", "--repeats", "1", "--epochs", "1", "--pairs", "9"]) == 0
    assert "pairs = " not in capsys.readouterr().out


def test_sizes_of_a_graph():
    data = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=3)
    assert extent_of(data) == Extent(3, 1, 0, 1) and Extent(100, 1000).part(0.5) == Extent(50, 250)


def test_a_loop_shows_a_bar_where_the_loop_around_does(capsys):
    for progress, bars in ((True, True), (False, False), (None, False)):
        for _ in waiting.steps(range(2), "outside", progress):
            list(waiting.steps(range(3), "inside"))
        assert ("inside" in capsys.readouterr().err) == bars and waiting.SHOWN == []
    for _ in waiting.steps(range(2), "outside", True):
        list(waiting.steps(range(3), "inside", False))
    assert "inside" not in capsys.readouterr().err
