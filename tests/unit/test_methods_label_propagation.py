"""Label propagation: the walk as a loop, shares freed of lies, and mutants that the contract finds."""

import math
from dataclasses import replace

import pytest
import torch

from privgraph.datasets import load, split
from privgraph.graph import adjacency
from privgraph.mechanisms import RandomisedResponse
from privgraph.methods import LabelPropagation, check_method
from privgraph.methods.contract.toys import changed, path_graph
from privgraph.methods.label_propagation import LEAST, propagated
from privgraph.methods.release import report_labels
from privgraph.randomness import seeded


def test_the_walk_is_that_of_the_equation():
    """One person after the other, one step after the other."""
    data = path_graph()
    y = torch.tensor([0, 1, -1, 1, -1, 0, -1, -1])
    said = [[float(one == c) for c in (0, 1)] for one in y.tolist()]
    met = said
    for _ in range(3):
        following = []
        for v in range(8):
            hears = [u for u, w in data.edge_index.t().tolist() if w == v]
            mean = [sum(met[u][c] for u in hears) / len(hears) for c in (0, 1)]
            following.append([0.75 * mean[c] + 0.25 * said[v][c] for c in (0, 1)])
        met = following
    expected = torch.tensor(met) / torch.tensor(met).sum(1, keepdim=True)
    found = propagated(y, 2, adjacency(data.edge_index, 8, "mean"), 3, 0.25)
    assert torch.allclose(found[:7], expected[:7]) and found[7].sum() == pytest.approx(1)


def test_who_meets_nobody_gets_the_shares_of_all():
    alone = torch.tensor([0, 1, 1, 1, -1])
    none = torch.empty(2, 0, dtype=torch.long)
    found = propagated(alone, 2, adjacency(none, 5, "mean"), 2, 0.15)
    assert torch.allclose(found[4], torch.tensor([0.25, 0.75])) and found[0].tolist() == [1, 0]


def test_nobody_who_answers_is_nobody_who_is_met():
    found = propagated(torch.full((3,), -1), 2, adjacency(torch.tensor([[0, 1], [1, 0]]), 3, "mean"), 2, 0.15)
    assert found.tolist() == [[0, 0]] * 3


def test_shares_of_answers_become_shares_of_truths():
    """What the expected answers of a group of people show is who they are."""
    truths = torch.tensor([[0.7, 0.2, 0.1], [0.4, 0.4, 0.2]])
    answers = truths @ RandomisedResponse(0.8, 3).transition
    assert torch.allclose(LabelPropagation(0.8).honest(answers), truths, atol=1e-6)


def test_a_share_that_noise_makes_negative_is_next_to_nothing():
    row = LabelPropagation(1.0).honest(torch.tensor([[0.9, 0.1, 0.0]]))[0]
    assert row[2] < 2 * LEAST and row[2] > 0 and row.sum() == pytest.approx(1)


def test_the_release_holds_reports_and_public_edges():
    data, method = path_graph(), LabelPropagation(1.5)
    release = method.train(data, seeded(3))
    assert set(release.tensors) == {"y", "edge_index"} and torch.equal(release.tensors["edge_index"], data.edge_index)
    assert torch.equal(release.tensors["y"], report_labels(data, 1.5, seeded(3)))
    held, edges = release.guarantees
    assert (held.unit, held.trust, held.delta, edges.epsilon) == ("features and label", "local", 0.0, math.inf)
    assert held.epsilon == pytest.approx(1.5, rel=1e-9, abs=0) and release.public[0] == "edge_index"


def test_a_model_answers_by_what_its_people_meet():
    data, method = path_graph(), LabelPropagation(math.inf, hops=2, restart=0.5)
    release = method.train(data, seeded(0))
    p = method.learn(release, seeded(0)).predict_proba()
    shares = propagated(release.tensors["y"], 2, adjacency(data.edge_index, 8, "mean"), 2, 0.5)
    assert torch.allclose(p, method.honest(shares), atol=1e-6)


def test_it_learns():
    """Two groups of the karate club, a label at epsilon 8 and at next to nothing; a mean of 20."""
    data = split(load("karate"), seeded(0))
    named = {epsilon: sum(LabelPropagation(epsilon).fit(data, seed=seed).score(data) for seed in range(20)) / 20
             for epsilon in (1e-3, 8.0)}
    assert named[8.0] > named[1e-3] + 0.15


class Loud(LabelPropagation):
    """A tenth more than is stated."""

    def train(self, data, generator, progress=False):
        louder = report_labels(data, 1.1 * self.epsilon, generator)
        return self.release(data, generator, y=louder, edge_index=data.edge_index)


class TrueAtTheEnd(LabelPropagation):
    """Validation labels as they are: they are for choosing only."""

    def train(self, data, generator, progress=False):
        left = super().train(data, generator, progress)
        y = torch.where(data.val_mask, data.y, left.tensors["y"])
        return replace(left, tensors=left.tensors | {"y": y})


class Alike(LabelPropagation):
    """Edges between people with different features are left out."""

    def train(self, data, generator, progress=False):
        u, v = data.edge_index
        near = (data.x[u] - data.x[v]).abs().sum(1) < 2
        return super().train(changed(data, edge_index=data.edge_index[:, near]), generator, progress)


class Majority(LabelPropagation):
    """Who has no neighbour of her own class reports the commonest one."""

    def train(self, data, generator, progress=False):
        common = data.y.clamp_min(0).bincount().argmax()
        lonely = torch.ones(data.num_nodes, dtype=torch.bool)
        u, v = data.edge_index
        lonely[u[data.y[u] == data.y[v]]] = False
        return super().train(changed(data, y=torch.where(lonely & (data.y >= 0), common, data.y)), generator, progress)


@pytest.mark.parametrize("kind, found", [
    (Loud, r"features and label \(replace\) is not covered"), (TrueAtTheEnd, "noise only"), (Alike, "noise only"),
    (Majority, "features and label|her own record")], ids=lambda part: getattr(part, "__name__", ""))
def test_a_mutant_is_found(kind, found):
    with pytest.raises(AssertionError, match=found):
        check_method(kind(1.0))
