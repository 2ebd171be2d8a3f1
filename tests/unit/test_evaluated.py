"""A method beside its null controls: every kind, on paired seeds, as one table."""

import math

import pytest
import torch

import privgraph
from privgraph.cli import main
from privgraph.datasets import Sampler, load, load_graphs, split
from privgraph.methods import (
    GAP,
    LPGNN,
    PATE,
    Curated,
    Distilled,
    Embedding,
    FederatedDeepWalk,
    Federation,
    FewShot,
    LabelsTimesDegree,
    Local,
    PrototypicalNetwork,
    PublicFeatures,
    RandomVectors,
    StructuralMean,
    all_methods,
    permuted_features,
    rewired_edges,
)
from privgraph.methods.contract.toys import path_graph
from privgraph.methods.distilled import QUICK
from privgraph.methods.evaluated import FOR_THE_OWNER, LARGEST
from privgraph.methods.evaluation import majority, references, repeat
from privgraph.nn import Interval, interval
from privgraph.streams import stream

# What each kind is set beside: the method first, then its null controls, then what is had without it.
BESIDE = {Local: ["real features", "permuted features", "constant features", "majority class"],
          Distilled: ["student", "majority class", "student of true labels"],
          Curated: ["real graph", "rewired edges", "majority class"],
          Embedding: ["linear probe", "majority class", "linear probe of x"],
          Federation: ["all"], FewShot: ["new classes"]}
CHEAP = {"federateddeepwalk": dict(dimension=2, rounds=1, walks=1, length=3, window=1, first_epochs=1, epochs=1)}


CASES = [pytest.param(kind(**CHEAP[name]) if name in CHEAP else kind.examples()[0], id=name)
         for name, kind in all_methods().items()]


def graph_for(method):
    data = load("karate")
    if "domain_sizes" in getattr(method, "public", lambda sizes: ())(privgraph.methods.sizes_of(data)):
        data.x, data.domain_sizes = (data.x > 0).float(), (2,) * data.x.size(1)
    return data


def given(method):
    if not isinstance(method, FewShot):
        return (graph_for(method),), {}
    data = load_graphs("letters")
    train, test = (Sampler(data, classes, 3, 2, 2) for classes in (data.train_classes, data.test_classes))
    return (train,), {"test": test, "tasks": 2}


@pytest.mark.parametrize("method", CASES)
def test_every_method_is_set_beside_what_it_must_beat(method):
    if "bound" in method.__dataclass_fields__:
        method = type(method)(**vars(method) | {"bound": 17})
    where, how = given(method)
    found = method.evaluate(*where, seeds=1, **how)
    kind = next(kind for kind in BESIDE if isinstance(method, kind))
    assert set(BESIDE[kind]) <= {*found} or "random features" in found
    assert all(isinstance(each, Interval) and each.n == 1 and 0 <= each.mean <= 100 for each in found.values())
    lines = str(found).splitlines()
    assert lines[len(found):] == [*found.verdict(), FOR_THE_OWNER]
    assert all(line.startswith(name) and "accuracy" in line for name, line in zip(found, lines, strict=False))


def test_arms_are_paired_and_are_those_of_fit():
    data, method = load("karate"), GAP(epsilon=2.0, epochs=2)
    found = method.evaluate(data, seeds=2)
    for name, control in (("real graph", None), ("rewired edges", rewired_edges)):
        scores = []
        for seed in range(2):
            seen = split(data, stream("split", seed))
            seen = seen if control is None else control(seen, stream("controls", seed))
            scores.append(100 * method.fit(seen, seed=seed).score(seen))
        assert found[name] == interval(scores)
    first = method.fit(split(data, stream("split", 0)), seed=0).release
    assert all(torch.equal(part, first.tensors[name]) for name, part in found.first.tensors.items())
    assert found.first.randomness == "public"  # nothing of it may be passed on


def test_of_people_who_report_the_arms_are_those_of_repeat():
    data, method = load("karate"), LPGNN(epochs=2)
    found = method.evaluate(data, seeds=2)
    for arm in ("real", "permuted", "constant"):
        assert found[f"{arm} features"].mean == pytest.approx(interval(repeat(method, data, 2, arm)).mean)


def test_a_method_that_knows_nothing_does_not_beat_its_controls_and_one_that_knows_all_does():
    data = load("karate")
    knows = LabelsTimesDegree().evaluate(data, seeds=3)
    nothing = RandomVectors().evaluate(data, seeds=3)
    assert knows["linear probe"].mean > 90 > knows["majority class"].mean
    assert nothing["linear probe"].low < nothing["majority class"].high
    of_features = PublicFeatures().evaluate(data, seeds=3)["linear probe"]
    assert knows["linear probe of x"] == of_features == nothing["linear probe of x"] != knows["linear probe"]
    assert knows["majority class"] == interval([majority(data, seed) for seed in range(3)])


def test_features_that_are_protected_have_a_control_of_their_own():
    data = load("karate")
    method = all_methods()["dpsgd"](math.inf, rate=1.0, epochs=30)
    found = method.evaluate(data, seeds=2)
    scores = []
    for seed in range(2):
        seen = permuted_features(split(data, stream("split", seed)), stream("controls", seed))
        scores.append(100 * method.fit(seen, seed=seed).score(seen))
    assert found["permuted features"] == interval(scores)
    assert "permuted features" not in GAP(epochs=1).evaluate(data, seeds=1)  # to which they are public


def test_a_public_graph_is_another_one_or_a_share():
    method = PATE(3, scale=1.0, student=QUICK, teacher=QUICK, teachers=2)
    data = load("karate")
    half, most = (method.evaluate(data, seeds=1, public=share) for share in (0.5, 0.8))
    assert len(half.first.x) == 17 and len(most.first.x) == 27
    assert method.evaluate(data, seeds=1).first.x.equal(half.first.x)
    other = path_graph(20, 2)
    other.x = torch.zeros(20, data.x.size(1))
    assert method.evaluate(data, other, seeds=1).first.x.equal(other.x)
    with pytest.raises(ValueError, match="different people"):
        method.evaluate(data, seeds=1, public=data)
    with pytest.raises(ValueError, match="public must be a graph of other people"):
        method.fit(split(data, stream("split", 0)))


def test_who_holds_what_may_be_said_or_be_in_the_graph():
    method = FederatedDeepWalk(**CHEAP["federateddeepwalk"])
    data = load("karate")
    two, = method.evaluate(data, seeds=1, clients=2).first
    four, = method.evaluate(data, seeds=1).first
    assert len(two.messages) == 2 and len(four.messages) == 4
    held, = method.evaluate(privgraph.methods.federated.hold(data, stream("split", 7), 3), seeds=1).first
    assert len(held.messages) == 3
    found = method.evaluate(data, 0.5, seeds=1, clients=2)
    assert {"all, own", "all, noise"} <= {*found} and found.remark("all") == ""
    assert found.remark("all, own").startswith("every client gets its own rows back")


def test_tasks_have_an_untrained_start_others_beside_and_chance():
    where, how = given(StructuralMean())
    found = PrototypicalNetwork(episodes=2).evaluate(*where, seeds=1, **how, beside={"counting": StructuralMean()})
    assert [*found] == ["new classes", "untrained", "counting", "chance"] and found["chance"].mean == 100 / 3
    assert found.remark("untrained") == "the same, from its first weights" and found.remark("chance") == ""


def test_it_is_told_that_choosing_is_a_release(capsys):
    text = str(LPGNN(epochs=1).evaluate(load("karate"), seeds=1))
    assert "the best of several runs, chosen by it, releases that choice too" in text
    assert main("run lpgnn --graph karate --repeats 1 --epochs 1".split()) == 0
    assert FOR_THE_OWNER in capsys.readouterr().out.splitlines()


def test_references_print_as_the_rest():
    found = references(load("karate"), 2)
    assert [*found] == ["majority class", "plain GCN"] and found.remark("majority class") == LARGEST
    assert str(found).count(" accuracy ") == 3  # and the owner's line


@pytest.mark.parametrize("how, words", [(dict(seeds=0), "seeds must be"), (dict(seeds=1.5), "seeds must be"),
                                        (dict(public=0.3), "public"), (dict(clients=2), "clients")])
def test_what_makes_no_sense_is_refused(how, words):
    with pytest.raises((ValueError, TypeError), match=words):
        LPGNN(epochs=1).evaluate(load("karate"), **how)


def test_nothing_is_evaluated_where_a_budget_is_counted(tmp_path):
    with privgraph.budget_file(tmp_path / "people.json", limit=9.0):
        with pytest.raises(ValueError, match="seed must be left out while a budget_file is open"):
            LPGNN(epochs=1).evaluate(load("karate"))
