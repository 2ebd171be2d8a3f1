"""The method: LPGNN on reported edges, and what the experiments of chapter 8 measure about it."""

import math
from dataclasses import replace

import pytest
import torch

from privgraph import datasets, graph
from privgraph.mechanisms import Blink, Laplace, NeighbourReplacement, SymmetricResponse, TwoHopResponse
from privgraph.methods import LPGNN, GraphPrivatizer, LPGNNRelease, rewired_edges
from privgraph.nn import BACKBONES, accuracy
from privgraph.privacy import find_guarantee
from privgraph.randomness import seeded

KARATE = datasets.load("karate")
QUICK = dict(x_steps=2, y_steps=1, epochs=5)
STRUCTURES = [NeighbourReplacement(1.0), NeighbourReplacement(1.0, "most-similar"), TwoHopResponse(1.0),
              SymmetricResponse(3.0), Blink(1.0, 3.0)]


def collected(structure, seed=0, **settings):
    data = datasets.split(KARATE, seeded(seed))
    method = GraphPrivatizer(structure=structure, **QUICK | settings)
    return data, method, method.collect(data, seeded(seed + 1))


@pytest.mark.parametrize("structure", STRUCTURES, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("backbone", BACKBONES)
def test_every_backbone_learns_on_every_report(structure, backbone):
    data, method, release = collected(structure, backbone=backbone)
    p = method.learn(release, seeded(3)).predict_proba()
    assert p.shape == (34, 2) and torch.allclose(p.sum(1), torch.ones(34), atol=1e-5)
    assert not torch.equal(release.edge_index, data.edge_index)


def test_without_edge_noise_it_is_lpgnn():
    data = datasets.split(KARATE, seeded(0))
    plain = LPGNN(**QUICK).collect(data, seeded(1))
    told = GraphPrivatizer(structure=NeighbourReplacement(math.inf), **QUICK).collect(data, seeded(1))
    assert torch.equal(plain.report, told.report) and torch.equal(plain.edge_index, told.edge_index)


def test_the_report_of_edges_reads_noisy_features_only():
    """Other true features, the same noisy ones: the same edges are reported."""
    data, method, release = collected(NeighbourReplacement(0.1), epsilon_x=math.inf)
    other = data.clone()
    other.x = 1 - data.x
    assert not torch.equal(method.collect(other, seeded(1)).edge_index, release.edge_index)
    data, method, release = collected(NeighbourReplacement(0.1), epsilon_x=1e-9)  # coins, whatever x is
    other = data.clone()
    other.x = 1 - data.x
    assert torch.equal(method.collect(other, seeded(1)).report, release.report)
    assert torch.equal(method.collect(other, seeded(1)).edge_index, release.edge_index)


def test_learning_reads_the_reported_edges_only():
    """A release whose edges are replaced gives another model; the true edges are not in it."""
    data, method, release = collected(SymmetricResponse(2.0))
    assert not any(torch.is_tensor(v) and v.shape == data.edge_index.shape and torch.equal(v, data.edge_index)
                   for v in vars(release).values())


def test_guarantees_of_each_unit():
    *_, release = collected(NeighbourReplacement(0.1))
    assert [find_guarantee(release.guarantees, unit).epsilon
            for unit in ("label", "feature vector", "undirected edge")] == [3, 3, math.inf]
    swap = find_guarantee(release.guarantees, "neighbour slot", "swap in a neighbour list")
    assert (swap.epsilon, swap.claimed) == (math.inf, 0.1)
    assert find_guarantee(release.guarantees, "neighbour slot", "add/remove").epsilon == math.inf
    *_, sound = collected(SymmetricResponse(2.0))
    assert {(g.unit, g.relation): g.epsilon for g in sound.structure} == {
        ("neighbour slot", "add/remove"): 2.0, ("undirected edge", "add/remove"): 2.0,
        ("neighbour slot", "swap in a neighbour list"): 4.0}


@pytest.mark.parametrize("output", ["hard", "soft"])
def test_releases_save_and_load(tmp_path, output):
    data, method, release = collected(Blink(1.0, 3.0, output=output))
    release.save(tmp_path / "release.pt")
    again = LPGNNRelease.load(tmp_path / "release.pt")
    assert again.structure == release.structure and torch.equal(again.edge_index, release.edge_index)
    one, two = (method.learn(r, seeded(3)).predict_proba() for r in (release, again))
    assert torch.equal(one, two) and (again.edge_weight is None) == (output == "hard")


def test_a_weighted_report_needs_a_linear_backbone():
    data, method, release = collected(Blink(1.0, 3.0, output="soft"), backbone="gat")
    with pytest.raises(ValueError, match="edge_weight is for gcn, sage, graphconv only, got it with backbone 'gat'"):
        method.learn(release, seeded(0))


def test_heads_are_a_hyperparameter():
    data, method, release = collected(NeighbourReplacement(1.0), backbone="gat", heads=2)
    assert method.prepare(release, seeded(0)).model.first.heads == 2
    with pytest.raises(ValueError, match="heads must be a whole number, at least 1, got 0"):
        LPGNN("gat", heads=0)


def test_without_noise_it_learns_the_club():
    data = datasets.split(KARATE, seeded(0))
    method = GraphPrivatizer(epsilon_x=math.inf, epsilon_y=math.inf, x_steps=1, y_steps=0,
                             structure=SymmetricResponse(20.0))
    fitted = method.learn(method.collect(data, seeded(1)), seeded(2))
    assert accuracy(fitted.predict_proba(), data.y, data.test_mask) > 80


def test_the_control_of_edges():
    data = rewired_edges(KARATE, seeded(0))
    assert torch.equal(graph.degrees(data.edge_index, 34), graph.degrees(KARATE.edge_index, 34)) and data.x is KARATE.x
    assert not torch.equal(data.edge_index, KARATE.edge_index)


# What the experiments measure.


@pytest.mark.parametrize("backbone", BACKBONES)
def test_the_order_of_reported_edges_decides_nothing_but_rounding(backbone):
    """No bit where a sorted matrix adds up. An attention adds up in the order in which edges come; training makes more
    of that, less of it without dropout."""
    ordered = backbone in ("gcn", "sage", "graphconv")
    data, method, release = collected(TwoHopResponse(1.0), backbone=backbone, **{} if ordered else {"dropout": 0.0})
    order = torch.randperm(release.edge_index.size(1), generator=seeded(4))
    shuffled = replace(release, edge_index=release.edge_index[:, order])
    first, second = (method.learn(told, seeded(3)).predict_proba() for told in (release, shuffled))
    torch.testing.assert_close(first, second, rtol=0, atol=0 if ordered else 1e-4)


def test_edges_are_reported_by_what_answers_for_an_edge():
    """Whatever else it answers for; and by nothing else."""
    for structure in (SymmetricResponse(1.0), NeighbourReplacement(1.0), TwoHopResponse(1.0)):
        assert GraphPrivatizer(structure=structure).edges == structure.guarantees
    with pytest.raises(TypeError, match="must be a mechanism that reports edges"):
        GraphPrivatizer(structure=Laplace(1.0))
