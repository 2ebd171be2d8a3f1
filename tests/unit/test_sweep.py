"""Accuracy over the epsilon that truly holds: what is turned, where a method breaks even, and what a folder keeps."""

import json
import math
import re
import sys

import pytest

from privgraph.cli import main
from privgraph.datasets import load
from privgraph.mechanisms import SymmetricResponse
from privgraph.methods import (
    DPNE,
    GAE,
    GAP,
    LPGNN,
    RGNN,
    Curated,
    FewShot,
    GraphPrivatizer,
    Local,
    Noised,
    RandomVectors,
    all_methods,
    sizes_of,
)
from privgraph.methods.sweeping import Point, break_even, check_one_unit, paragraph
from privgraph.methods.turned import NEAR, knob, stated, turn
from privgraph.privacy import Guarantee

SIZES = sizes_of(load("karate"))


def finite(kind) -> bool:
    return not issubclass(kind, FewShot) and any(
        each.basis != "none" and 0 < each.epsilon < math.inf for each in kind.examples()[0].guarantees(SIZES, 1e-5))


TURNED = {name: kind for name, kind in all_methods().items() if finite(kind)}


def test_enough_can_be_turned():
    assert {"lpgnn", "rgnn", "graphprivatizer", "gap", "progap", "nodegap", "dpsgd", "pate", "privgnn", "dpne"} <= {
        *TURNED}


@pytest.mark.parametrize("name", TURNED)
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_what_is_turned_states_the_epsilon_that_was_asked_for(name, epsilon):
    method = TURNED[name].examples()[0]
    found = turn(method, epsilon, SIZES, delta=1e-5)
    assert found.guarantee in found.method.guarantees(SIZES, 1e-5)
    assert abs(found.guarantee.epsilon / epsilon - 1) <= NEAR and found.guarantee.unit == stated(
        method, SIZES, delta=1e-5).unit
    changed = {name for name, value in vars(found.method).items() if value != vars(method)[name]}
    assert changed <= {*knob(method, SIZES, found.guarantee.unit, 1e-5)} and all(f"{each} = " in found.how
                                                                                for each in changed)


def test_a_budget_of_two_parts_is_split_as_it_was():
    found = turn(LPGNN(epsilon_x=1, epsilon_y=3), 8.0, SIZES)
    assert (found.method.epsilon_x, found.method.epsilon_y) == (2.0, 6.0) and "in the proportion 1 : 3" in found.how
    assert turn(RGNN(), 3.0, SIZES).guarantee.epsilon == pytest.approx(3.0, rel=NEAR, abs=0)


def test_a_mechanism_that_is_turned_is_said_by_its_epsilon():
    """It is no number, and was once printed as one."""
    assert turn(GAE(edges=SymmetricResponse(3.0)), 1.0, SIZES).how == "edges.epsilon = 1"
    assert turn(Noised(DPNE()), 1.0, SIZES).how.startswith("of.epsilon = ")


def test_what_has_no_such_budget_is_refused():
    for method, unit in ((RandomVectors(), None), (LPGNN(epsilon_x=math.inf), None), (GAP(), "node")):
        with pytest.raises(ValueError, match="states? an epsilon above 0 and below inf"):
            turn(method, 1.0, SIZES, unit)
    with pytest.raises(ValueError, match="epsilon must be"):
        turn(DPNE(), 0.0, SIZES)


def test_a_mechanism_in_a_field_is_turned():
    found = turn(GraphPrivatizer(structure=SymmetricResponse(3.0)), 2.0, SIZES, "undirected edge")
    assert found.method.structure.epsilon == pytest.approx(2.0, rel=NEAR, abs=0)
    assert (found.method.epsilon_x, found.how) == (GraphPrivatizer().epsilon_x, "structure.epsilon = 2")


# Where a method breaks even.

BASE = [60.0, 61.0, 62.0, 60.5, 61.5]


def points(gaps: dict[float, float]) -> list[Point]:
    return [Point(Guarantee(epsilon, unit="undirected edge", basis="proved"),
                  {"real graph": [value + gap for value in BASE], "majority class": [30.0] * 5, "plain GCN": [99.0] * 5,
                   "rewired edges": [value + 0.05 * (-1) ** seed for seed, value in enumerate(BASE)]})
            for epsilon, gap in gaps.items()]


@pytest.mark.parametrize("gaps, even", [
    ({1.0: 0.0, 2.0: 5.0, 4.0: 9.0}, 2.0), ({1.0: 5.0, 2.0: 5.0}, 1.0), ({1.0: 5.0, 2.0: 0.0}, None),
    ({1.0: 5.0, 2.0: 0.0, 4.0: 3.0}, 4.0), ({1.0: 0.0, 2.0: -3.0}, None)])
def test_it_is_the_smallest_from_which_on_all_rivals_are_beaten(gaps, even):
    assert break_even(points(gaps)) == even
    told = paragraph({"gap": points(gaps)}, {"gap": "epsilon"}, "toy")
    assert ("is not shown to beat all of majority class, rewired edges at any epsilon up to "
            f"{max(gaps):g}." in told) == (even is None)
    assert even is None or f"from epsilon = {even:g} on" in told
    assert "Whoever chooses an epsilon or a method by these numbers releases that choice too" in told


def test_what_a_picture_shows_is_said_word_by_word():
    held = [Guarantee(epsilon, unit="undirected edge", relation="add/remove", trust="central", basis="proved")
            for epsilon in (1.0, 2.0, 8.0)]
    found = [Point(each, {"real graph": [at, at + 1, at + 2]}) for each, at in zip(held, (50, 60, 70), strict=True)]
    beside = [Point(each.guarantee, {**each.scores, "majority class": [30.0] * 3}) for each in found]
    told = paragraph({"gap": found, "dpne": beside}, {"gap": "noise", "dpne": "epsilon"}, "toy").splitlines()
    assert told[:4] == [
        "Accuracy on toy over epsilon, 3 seeds. Epsilon is that of undirected edge (add/remove), against whoever sees "
        "what is released, but not against the curator.",
        "gap: 51.0 ± 2.5 % (95% interval, 3 seeds) at epsilon = 1, which is small, 71.0 ± 2.5 % (95% interval, 3 seeds)"
        " at epsilon = 8, which is meaningless; there is nothing beside it that it must beat. Turned: noise.",
        "dpne: 51.0 ± 2.5 % (95% interval, 3 seeds) at epsilon = 1, which is small, 71.0 ± 2.5 % (95% interval, 3 "
        "seeds) at epsilon = 8, which is meaningless; it beats all of majority class from epsilon = 1 on. Turned: "
        "epsilon.",
        "Comparisons are of paired seeds and hold together for each method, over all of its budgets, with an error of "
        "5% (3 in all)."]
    assert paragraph({"gap": found[:1]}, {"gap": "noise"}, "toy").count("at epsilon = 1") == 1
    few = [Point(each.guarantee, {"real graph": [1.0, 2.0]}) for each in found]
    assert "Too few runs to compare" in paragraph({"gap": few}, {"gap": "noise"}, "toy").splitlines()[2]


def test_few_runs_few_nodes_and_no_rivals_break_nothing_even():
    found = points({1.0: 5.0})
    assert break_even([Point(found[0].guarantee, {name: each[:2] for name, each in found[0].scores.items()})]) is None
    assert break_even(found, answers=8) is None and break_even(found, answers=500) == 1.0
    assert break_even([Point(found[0].guarantee, {"real graph": BASE})]) is None


def test_epsilons_of_different_units_are_not_put_on_one_axis():
    edge = Guarantee(1.0, unit="undirected edge", relation="add/remove", trust="central", basis="proved")
    check_one_unit({"a": edge, "b": Guarantee(3.0, 1e-5, unit="undirected edge", relation="add/remove",
                                              trust="central", basis="accounted")})
    with pytest.raises(ValueError, match="must protect the same unit.*b: node"):
        check_one_unit({"a": edge, "b": Guarantee(1.0, unit="node", trust="central", basis="proved")})


# The commands.

@pytest.fixture
def tried(monkeypatch):
    """What ran: the epsilons and seeds, of methods that need no training."""
    ran = []
    for kind, name in ((DPNE, "linear probe"), (Curated, "real graph"), (Local, "real features")):
        monkeypatch.setattr(kind, "tried", lambda self, given, seed, progress=False, name=name: ran.append(
            (self.__class__.__name__, seed)) or (None, {name: 80.0 + seed % 2, "majority class": 30.0}))
    monkeypatch.setattr("privgraph.cli.sweep.references", lambda data, seeds, progress: __import__(
        "privgraph").methods.Evaluation({"majority class": [30.0] * seeds, "plain GCN": [90.0] * seeds}))
    return ran


SWEEP = "sweep dpne --graph karate --epsilon 1,4,2 --repeats 3 --to"


@pytest.mark.usefixtures("pictures")
def test_a_sweep_leaves_a_table_a_picture_and_a_paragraph_and_goes_on_where_it_ended(tried, tmp_path, capsys):
    place = tmp_path / "out"
    assert main([*SWEEP.split(), str(place)]) == 0
    assert {path.name for path in place.iterdir()} == {"runs.csv", "settings.json", "said.txt", "picture.svg",
                                                       "picture.png"}
    assert all(path.stat().st_mode & 0o077 == 0 for path in place.iterdir())  # accuracies of private data
    out = capsys.readouterr().out
    assert "dpne at epsilon = 2: epsilon = " in out and "Epsilon is that of undirected edge (add/remove)" in out
    assert (place / "said.txt").read_text() in out and len(tried) == 9
    svg = (place / "picture.svg").read_text()
    assert "epsilon of undirected edge (add/remove, central)" in svg and not re.search(r'(href|src)="http', svg)
    table = (place / "runs.csv").read_text()
    assert main([*SWEEP.split(), str(place)]) == 0 and len(tried) == 9
    assert (place / "runs.csv").read_text() == table
    (place / "runs.csv").write_text("".join(table.splitlines(keepends=True)[:-2]))  # it was ended before the last run
    assert main([*SWEEP.replace("1,4,2", "1,2,4,8").split(), str(place)]) == 0 and len(tried) == 9 + 1 + 3


@pytest.mark.usefixtures("pictures")
def test_runs_of_other_settings_and_other_files_are_not_mixed_in(tried, tmp_path, capsys):
    place = tmp_path / "out"
    assert main([*SWEEP.split(), str(place)]) == 0
    assert main([*SWEEP.split(), str(place), "--dimension", "3"]) == 2
    assert "other settings: dimension of dpne was 64, and is 3" in capsys.readouterr().err and len(tried) == 9
    before = (place / "settings.json").read_text()
    for change, said in (({"content": "0"}, "other settings: the graph had other edges, features or labels"),
                         ({"methods": {"gap": {}}}, "other settings: methods were gap, and are dpne")):
        (place / "settings.json").write_text(json.dumps(json.loads(before) | change))
        assert main([*SWEEP.split(), str(place)]) == 2 and said in capsys.readouterr().err
    (place / "settings.json").write_text(before)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("years")
    assert main([*SWEEP.split(), str(tmp_path / "mine")]) == 2 and "thesis.txt" in capsys.readouterr().err
    (place / "runs.csv").write_text("method,asked,seed\ndpne,one,0\n")
    assert main([*SWEEP.split(), str(place)]) == 2 and "got in line 2" in capsys.readouterr().err


@pytest.mark.usefixtures("pictures")
def test_several_are_compared_at_equal_budgets_of_one_unit(tried, tmp_path, capsys):
    words = "compare gap dpne --graph karate --epsilon 1,2 --repeats 3 --json --to".split()
    assert main([*words, str(tmp_path / "out")]) == 0
    line = json.loads(capsys.readouterr().out)
    assert {*line["accuracy"]} == {"gap", "dpne"} and line["break_even"] == pytest.approx({"gap": 1.0, "dpne": 1.0})
    assert {*line["accuracy"]["gap"]["1"]} == {"real graph", "majority class", "plain GCN"}
    assert main(["compare", "gap", "lpgnn", *words[3:], str(tmp_path / "two")]) == 2
    assert "lpgnn: features and label (replace, local): one epsilon of these says nothing" in capsys.readouterr().err
    for wrong in ("maml", "fedavggat", "fly"):
        assert main(["compare", "gap", wrong, *words[3:], str(tmp_path / "two")]) == 2
        assert "METHOD must be" in capsys.readouterr().err
    assert not (tmp_path / "two").exists()


@pytest.mark.usefixtures("pictures")
def test_methods_are_compared_with_hyperparameters(tried, tmp_path, capsys):
    """One method with several too; those of a field of the method are said as run has them."""
    words = "compare {} --graph karate --epsilon 1,2 --repeats 3 --json --to"
    named = ["gap", "gap:hops=2,hidden=8", "gap:hops=2,hidden=9"]
    assert main([*words.format(" ".join(named)).split(), str(tmp_path / "out")]) == 0
    line = json.loads(capsys.readouterr().out)
    assert list(line["accuracy"]) == named and (tmp_path / "out/said.txt").read_text().count("\ngap:hops=2") == 2
    settings = json.loads((tmp_path / "out/settings.json").read_text())
    assert [settings["methods"][name]["hidden"] for name in named[1:]] == [8, 9]
    assert settings["methods"]["gap"]["hops"] == GAP(1.0).hops != settings["methods"][named[1]]["hops"] == 2
    assert main([*words.format("pate:student-epochs=3,teachers=4,num-queries=4").split(), str(tmp_path / "pate")]) == 0
    assert json.loads((tmp_path / "pate/settings.json").read_text())["methods"].popitem()[1]["student"]["epochs"] == 3
    assert main([*words.format("lpgnn:standardize=False,epsilon_y=1").split(), str(tmp_path / "lpgnn")]) == 0
    assert not json.loads((tmp_path / "lpgnn/settings.json").read_text())["methods"].popitem()[1]["standardize"]


@pytest.mark.usefixtures("pictures")
@pytest.mark.parametrize("text, said", [
    ("gap:hop=1", "for hop, did you mean hops?"), ("gap:hops=one", "hops of gap must be a whole number"),
    ("gap:hops", "METHOD must be written NAME:key=value,..., got 'hops'"), ("gap:hops=1,hops=2", "each key once"),
    ("gap:hops=0.5", "hops of gap must be a whole number"), ("gap:hops=-1", "hops must be"),
    ("gap:standardize=maybe", "standardize")])
def test_hyperparameters_that_are_none_are_named(text, said, tmp_path, capsys):
    assert stopped(["compare", text, "--graph", "karate", "--to", str(tmp_path / "out")]) == 2
    assert said in capsys.readouterr().err and not (tmp_path / "out").exists()


def stopped(words: list[str]) -> int:
    try:
        return main(words)
    except SystemExit as end:
        return end.code


@pytest.mark.usefixtures("pictures")
def test_an_epsilon_that_does_not_hold_on_this_graph_is_said_not_to(tried, tmp_path, capsys):
    """The range of these features is that of everybody's values."""
    words = "compare gap --graph karate --epsilon 1 --repeats 3 --to".split()
    assert main([*words, str(tmp_path / "one")]) == 0
    assert "does not hold on this graph" not in capsys.readouterr().out
    words = "sweep dpsgd --graph patients --epsilon 1 --repeats 3 --epochs 1 --to".split()
    assert main([*words, str(tmp_path / "two")]) == 0
    assert "It does not hold on this graph" in (tmp_path / "two/said.txt").read_text()


@pytest.mark.usefixtures("pictures")
def test_edges_that_people_report_are_swept_by_their_unit(tried, tmp_path, capsys):
    words = "sweep graphprivatizer --graph karate --structure symmetric-response:epsilon=3 --epsilon 1,2 --repeats 3"
    assert main([*words.split(), "--unit", "undirected edge", "--to", str(tmp_path / "out")]) == 0
    assert "graphprivatizer at epsilon = 2: structure.epsilon = " in capsys.readouterr().out


def test_without_matplotlib_nothing_runs(tried, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main([*SWEEP.split(), str(tmp_path / "out")]) == 2
    assert "pip install 'privgraph[pictures]'" in capsys.readouterr().err and not tried


@pytest.mark.usefixtures("pictures")
@pytest.mark.parametrize("words", ["--epsilon 0,1", "--epsilon x", "--repeats 0", "--unit node"])
def test_what_cannot_be_swept_is_said(words, tried, tmp_path, capsys):
    try:
        status = main(["sweep", "dpne", "--graph", "karate", "--to", str(tmp_path / "out"), *words.split()])
    except SystemExit as end:
        status = end.code
    err = capsys.readouterr().err
    assert status == 2 and ("must be" in err or "must state" in err) and not tried
