"""The experiments of chapter 4 on small graphs: whom they ask, what they measure, and what their nulls find."""

from dataclasses import replace
from functools import partial

import pytest
import torch

from privbook.papers.attack_settings import client_lies, likelihoods, link_attacks
from privbook.runs.cache import Cache
from privgraph import attacks, datasets
from privgraph.methods import DPSGD, NodeClassifier
from privgraph.methods.federated import hold
from privgraph.streams import stream

TWIN = datasets.load("cora-twin")


@pytest.fixture
def small(monkeypatch):
    """Link attacks on the synthetic graph, which is its own shadow data set, with few pairs, nodes and epochs."""
    whole = link_attacks.method_of
    for name, value in dict(graph=lambda name: (TWIN, ""), PAIRS=60, NODES=40, USUAL=200, SHADOW={"cora": "cora"},
                            LOW_AND_HIGH={"cora-twin": (3, 4)}, NodeClassifier=partial(NodeClassifier, epochs=5),
                            method_of=lambda *said: replace(whole(*said), epochs=10)).items():
        monkeypatch.setattr(link_attacks, name, value)


@pytest.mark.parametrize("edges", ["open", "none"])
def test_everybody_is_asked_and_no_edge_leaks_where_none_is_used(edges, small, tmp_path):
    setting = link_attacks.EXPERIMENT.setting(edges=edges)
    found = link_attacks.link_attacks_run(setting, 0, Cache(tmp_path))
    assert found.keys() == set(link_attacks.METRICS) and all(0 <= value <= 100 for value in found.values())
    assert found["linkteller"] == (50 if edges == "none" else pytest.approx(100, abs=5))
    assert found["recall_0.25"] <= found["recall_1"] <= found["recall_4"]
    assert found["f1_1"] == found["f1_linkteller_all"] == found["precision_1"] == pytest.approx(found["recall_1"])


def test_known_pairs_are_not_those_that_are_asked_about(small):
    target = link_attacks.Target(TWIN, link_attacks.method_of("open", 0.0), 0)
    sample = target.pairs(0)
    part = link_attacks.other_pairs(target, sample, 0)
    asked, known = ({tuple(sorted(pair)) for pair in pairs.pairs.t().tolist()} for pairs in (sample, part))
    assert len(asked) == len(known) == 120 and not asked & known and int(part.linked.sum()) == 60


def test_queries_are_those_of_the_interface(small):
    """The matrix that is kept at hand changes nothing but rounding."""
    target = link_attacks.Target(TWIN, link_attacks.method_of("open", 0.0), 0)
    pairs = target.pairs(0).pairs[:, :20]
    plain = attacks.queried_influence(target.fitted.model, TWIN.x, target.release.edge_index, pairs)
    assert torch.allclose(target.queried(pairs), plain, atol=0.02 * float(plain.max()))


@pytest.mark.parametrize("network", ["sage", "dpsgd"])
def test_members_and_a_stranger(network, monkeypatch, tmp_path):
    """A few nodes of the synthetic graph and six shadow models; the null is judged by the same members."""
    few = datasets.induced(TWIN, torch.arange(400))
    for name, value in dict(graph=lambda name: (few, ""), EPOCHS=30,
                            DPSGD=partial(DPSGD, epochs=1, hidden=4)).items():
        monkeypatch.setattr(likelihoods, name, value)
    found = likelihoods.likelihoods_run(likelihoods.EXPERIMENT.setting(network=network, shadows=6), 0, Cache(tmp_path))
    assert found.keys() == set(likelihoods.EXPERIMENT.metrics)
    assert all(0 <= value <= 100 for name, value in found.items() if name != "gap")
    assert abs(found["bar_null_auc"] - 50) < 15 and (network == "dpsgd" or found["online_auc"] > 55)


@pytest.mark.parametrize("lie", ["honest", "sybils"])
def test_a_lie_costs_what_two_runs_say(lie, monkeypatch, tmp_path):
    held = hold(datasets.load("karate"), stream("split", 0), clients=4, public=0.4)
    held.train_mask = torch.ones(34, dtype=torch.bool)
    quick = client_lies.FederatedDeepWalk(dimension=4, rounds=2, walks=2, length=5, window=2, first_epochs=2)
    for name, value in dict(graph=lambda name: (held, ""), held=lambda name, seed: held,
                            method_of=lambda name: quick).items():
        monkeypatch.setattr(client_lies, name, value)
    setting = client_lies.EXPERIMENT.setting(dataset="karate", method="deepwalk", lie=lie)
    found = client_lies.client_lies_run(setting, 0, Cache(tmp_path))
    whole = attacks.cost_of_lies(quick, held, 0, {0: client_lies.LIES[lie]})
    assert {group: found[f"cost_{group}"] for group in client_lies.GROUPS} == {
        group: pytest.approx(whole.points[group]) for group in client_lies.GROUPS}
    assert found.keys() == set(client_lies.EXPERIMENT.metrics)
    assert lie != "honest" or all(found[f"cost_{group}"] == 0 for group in client_lies.GROUPS)
    assert lie != "sybils" or found["first_alike"] == 100
