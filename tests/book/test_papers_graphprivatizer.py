"""GraphPrivatizer's experiments: attackers, methods of the settings, overlap of graphs."""

import pytest
import torch

from privbook.papers.catalogue import experiments
from privbook.papers.graphprivatizer import private_edges
from privbook.papers.graphprivatizer import tables as graphprivatizer
from privgraph import datasets
from privgraph.attacks import sample_pairs
from privgraph.mechanisms import NeighbourReplacement, SymmetricResponse, TwoHopResponse
from privgraph.methods import LPGNN, GraphPrivatizer
from privgraph.privacy import find_guarantee
from privgraph.randomness import seeded

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
