"""GraphPrivatizer's experiments: attackers, methods of the settings, overlap of graphs."""

from dataclasses import replace

import pytest
import torch

from privbook.papers.catalogue import experiments
from privbook.papers.graphprivatizer import private_edges, rounding
from privbook.papers.graphprivatizer import tables as graphprivatizer
from privbook.papers.shared import private
from privbook.runs.cache import Cache
from privbook.runs.grid import graph
from privgraph import datasets
from privgraph.attacks import sample_pairs
from privgraph.mechanisms import NeighbourReplacement, SymmetricResponse, TwoHopResponse
from privgraph.methods import LPGNN, GraphPrivatizer
from privgraph.privacy import find_guarantee
from privgraph.randomness import seeded
from privgraph.streams import stream

KARATE = datasets.load("karate")
QUICK = dict(x_steps=2, y_steps=1, epochs=5)


def collected(structure, seed=0, **settings):
    data = datasets.split(KARATE, seeded(seed))
    method = GraphPrivatizer(structure=structure, **QUICK | settings)
    return data, method, method.collect(data, seeded(seed + 1))


def test_attackers_of_the_experiments():
    data, method, release = collected(NeighbourReplacement(0.1))
    fitted, sample = method.learn(release, seeded(3)), sample_pairs(data.edge_index, 34, 20, seeded(4))
    scores = dict(graphprivatizer.attacks(fitted, release, sample))
    assert set(scores) == set(graphprivatizer.EXPERIMENT.metrics) - {"accuracy"}
    assert all(score.shape == (40,) and torch.isfinite(score).all() for score in scores.values())
    told = {tuple(e) for e in release.edge_index.t().tolist()}
    assert scores["report_auc"].tolist() == [((a, b) in told) + ((b, a) in told) for a, b in sample.pairs.t().tolist()]
    x = release.estimate()
    cosine = torch.cosine_similarity(x[sample.pairs[0]], x[sample.pairs[1]])
    assert torch.allclose(scores["features_auc"].float(), cosine, atol=1e-5)


def a_setting(method: str, **changes) -> dict:
    lists = {} if method.startswith("gp") else dict(mix=0.0, similarity="none")
    said = private("cora-twin") | dict(method=method, epsilon=1.0, backbone="gcn") | lists
    return graphprivatizer.EXPERIMENT.setting(**said | changes)


def collected_anew(setting, seed, cache=None):
    data = datasets.split(graph(setting["dataset"])[0], stream("split", seed))
    return graphprivatizer.method_of(setting).collect(data, stream("collect", seed))


@pytest.mark.parametrize("name", ["lpgnn", "two-hop", "gp-t", "gp-m"])
def test_whatever_the_server_does_a_release_is_collected_once_and_no_row_changes(name, tmp_path, monkeypatch):
    usual, calls = graphprivatizer.method_of, []
    monkeypatch.setattr(graphprivatizer, "method_of", lambda setting: replace(usual(setting), epochs=2))
    def counted(collected=graphprivatizer.collected, **said):
        calls.append(said)
        return collected(**said)
    counted.__qualname__ = "counted"
    for changes in ({}, dict(backbone="sage", training="released"), dict(backbone="gt", y_steps=0), dict(x_steps=2)):
        setting, rows = a_setting(name, **changes), []
        for how in (dict(release_of=collected_anew), dict(collected=counted)):
            with monkeypatch.context() as patch:
                patch.setattr(graphprivatizer, *next(iter(how.items())))
                rows.append(graphprivatizer.graphprivatizer_run(setting, 0, Cache(tmp_path)))
        assert rows[0] == rows[1]
    assert len(calls) == 1


@pytest.mark.parametrize("backbone", ["gcn", "gat"])
def test_only_rounding_moves_a_run_whose_edges_come_in_another_order(backbone, tmp_path, monkeypatch):
    """Scores of pairs that lie apart by more keep their order: an AUC moves where some are nearly equal."""
    usual = graphprivatizer.method_of
    monkeypatch.setattr(graphprivatizer, "method_of", lambda setting: replace(usual(setting), epochs=2))
    setting = rounding.EXPERIMENT.setting(**private("cora-twin"), backbone=backbone)
    measured = rounding.rounding_run(setting, 0, Cache(tmp_path))
    assert set(measured) == set(rounding.EXPERIMENT.metrics)
    said = a_setting("lpgnn", epsilon=float("inf"), backbone=backbone)
    whole = graphprivatizer.graphprivatizer_run(said, 0, Cache(tmp_path))
    assert all(measured[name] == whole[name] for name in rounding.MOVED)
    moved = [abs(measured[f"{name}_moved"]) for name in rounding.MOVED]
    assert max(moved) == 0 if backbone == "gcn" else max(moved) < 2


def test_a_release_comes_out_of_the_cache_bit_for_bit(tmp_path):
    setting = a_setting("gp-t", backbone="gat")
    plain = collected_anew(setting, 0)
    for _ in range(2):
        found = graphprivatizer.release_of(setting, 0, Cache(tmp_path))
        for name, value in vars(plain).items():
            own = getattr(found, name)
            same = torch.equal(own, value) and own.dtype == value.dtype if torch.is_tensor(value) else own == value
            assert same, name


def test_methods_of_the_cells():
    """Each kind of cell becomes the method that it names, with the hyperparameters that it names."""
    entries = experiments()["graphprivatizer"].settings
    made = {(c["method"], c["backbone"], c["training"], c["dataset"]): graphprivatizer.method_of(c) for c in entries}
    gat = made["gp-m", "gat", "paper", "cora"]
    assert gat.structure.strategy == "most-similar" and gat.heads == 4 and (gat.x_steps, gat.y_steps) == (16, 2)
    assert made["gp-t", "gt", "paper", "cora"].heads == 1
    assert type(made["two-hop", "gcn", "paper", "pubmed"].structure) is TwoHopResponse
    assert type(made["lpgnn", "gcn", "paper", "cora"]) is LPGNN
    released = made["lpgnn", "gat", "released", "facebook-pages"]
    assert (released.learning_rate, released.weight_decay, released.dropout) == (1e-3, 1e-2, 0.5)
    assert {c["mechanism"] for c in experiments()["private-edges"].settings} == {*private_edges.MECHANISMS,
                                                                            *private_edges.EDGE_CONTROLS}
    budgets = {name: make(2.0).guarantees for name, make in private_edges.MECHANISMS.items()}
    for name, found in budgets.items():  # what "budget" means
        unit = ("neighbour slot", "swap in a neighbour list") if name == "exponential" else ("undirected edge",
                                                                                             "add/remove")
        assert find_guarantee(found, *unit).epsilon == pytest.approx(2.0)


def test_overlap_of_graphs():
    data, method, release = collected(SymmetricResponse(2.0))
    true = {tuple(e) for e in data.edge_index.t().tolist()}
    told = [tuple(e) for e in release.edge_index.t().tolist()]
    found = private_edges.overlap(release, data.edge_index, 34)
    assert found["reported"] == len(told) and found["recall"] == pytest.approx(100 * len(true & set(told)) / len(true))
    assert found["precision"] == pytest.approx(100 * len(true & set(told)) / len(told))
