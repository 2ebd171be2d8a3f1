"""Neighbour votes: the equation as a loop, perceptrons that did not see a node, and mutants that the contract finds."""

from dataclasses import replace

import pytest
import torch

from privgraph.mechanisms import Laplace
from privgraph.methods import NeighbourVotes, check_method
from privgraph.methods.contract.toys import changed, path_graph
from privgraph.methods.gap import ROUNDED
from privgraph.methods.neighbour_votes import FOLDS, LEAST, read
from privgraph.randomness import seeded

QUICK = {"hidden": 4, "epochs": 2}


@pytest.fixture
def said(monkeypatch):
    """Class probabilities that are the same in each round, so that only sums are left to draw."""
    p = torch.tensor([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5], [0.0, 1.0], [0.3, 0.7], [0.6, 0.4], [1.0, 0.0], [0.1, 0.9]])
    monkeypatch.setattr(NeighbourVotes, "out_of_fold", lambda self, *_: p)
    return p


@pytest.mark.parametrize("labels", [True, False])
def test_the_sums_are_those_of_the_equation(labels, said):
    """One neighbour after the other; training nodes vote for their label, where labels count."""
    data = path_graph()
    data.y[int(data.train_mask.nonzero()[0])] = -1  # who has none votes like all others
    votes = [said[v].tolist() for v in range(data.num_nodes)]
    for v in (data.train_mask & (data.y >= 0)).nonzero().view(-1).tolist():
        if labels:
            votes[v] = [float(data.y[v] == one) for one in (0, 1)]
    generator, tables = seeded(3), [said.clamp_min(LEAST).log()]
    for _ in range(2):
        noise = Laplace(3.0 * (1 - ROUNDED) / 2, sensitivity=2.0)
        sums = noise(torch.zeros(8, 2, dtype=torch.double), generator=generator)
        for u, v in data.edge_index.t().tolist():
            sums[v] += torch.tensor(votes[u], dtype=torch.double)
        tables.append(sums.float())
    released = NeighbourVotes(3.0, labels, 2, **QUICK).train(data, seeded(3)).tensors["tables"]
    assert torch.allclose(released, torch.stack(tables), atol=1e-5)


def out_of_fold(data, epochs=3, **changes):
    y = torch.where(data.train_mask | data.val_mask, changed(data, **changes).y, -1)
    return NeighbourVotes(hidden=4, epochs=epochs).out_of_fold(data.x, y, (data.train_mask, data.val_mask), 2,
                                                               seeded(1), False)


def test_what_is_said_of_a_training_node_comes_from_who_did_not_see_it():
    """Another label of hers changes what is said of others, and nothing that is said of her."""
    data = path_graph()
    data.train_mask = torch.arange(8) < 6
    before = out_of_fold(data)
    for v in range(6):
        y = data.y.clone()
        y[v] = 1 - y[v]
        after = out_of_fold(data, y=y)
        assert torch.equal(after[v], before[v]) and not torch.equal(after, before)
    assert torch.allclose(before.sum(1), torch.ones(8))


def test_others_get_the_mean_of_all_perceptrons(monkeypatch):
    """Of as many as there are folds; a training node's fold is one of them."""
    told = iter([torch.full((8, 2), number / 10) for number in range(1, FOLDS + 1)])
    monkeypatch.setattr("privgraph.methods.model.NetworkModel.predict_proba", lambda self: next(told))
    data = path_graph()
    found = out_of_fold(data)[:, 0]
    assert torch.allclose(found[~data.train_mask], torch.tensor((1 + FOLDS) / 20))
    assert all(any(abs(10 * one - number) < 1e-5 for number in range(1, FOLDS + 1)) for one in
               found[data.train_mask].tolist())
    assert next(told, None) is None and len(found[data.train_mask].unique()) == min(FOLDS, int(data.train_mask.sum()))


def test_a_read_out_reads_columns_of_one_size_and_one_that_is_constant():
    x = read([torch.tensor([[1.0, 5.0], [3.0, 5.0]]), torch.tensor([[100.0], [300.0]])])
    assert x.shape == (2, 3) and torch.allclose(x[:, 0], x[:, 2]) and (x[:, 1] == 0).all()


def test_a_budget_is_divided_among_rounds():
    one, three = NeighbourVotes(2.0), NeighbourVotes(2.0, rounds=3)
    assert three.noise.scale == pytest.approx(3 * one.noise.scale, abs=0) and one.noise.scale >= 1.0


# Mutants.

class OneEnd(NeighbourVotes):
    """Noise for an edge that moves one sum."""

    @property
    def noise(self):
        return replace(super().noise, sensitivity=1.0, epsilon=super().noise.epsilon)

    def steps(self, sizes):
        return super().steps(sizes)


class ThreeVotes(NeighbourVotes):
    """Everybody has three votes."""

    def votes(self, p, y, train_mask):
        return 3 * super().votes(p, y, train_mask)


class EachRoundAll(NeighbourVotes):
    """The whole budget in each round."""

    @property
    def noise(self):
        return replace(super().noise, epsilon=self.epsilon)

    def steps(self, sizes):
        return NeighbourVotes(self.epsilon).steps(sizes)


class VotesByDegree(NeighbourVotes):
    """Who has many friends votes more for the first class."""

    def train(self, data, generator, progress=False):
        degree = torch.bincount(data.edge_index[0], minlength=data.num_nodes)[:, None].float()
        return super().train(changed(data, x=torch.cat([data.x, degree], 1)), generator, progress)


class Means(NeighbourVotes):
    """The noisy sums are divided by the true number of friends, on the way out."""

    def train(self, data, generator, progress=False):
        left = super().train(data, generator, progress)
        degree = torch.bincount(data.edge_index[0], minlength=data.num_nodes).clamp_min(1).view(-1, 1)
        tables = torch.stack([left.tensors["tables"][0], *(table / degree for table in left.tensors["tables"][1:])])
        return replace(left, tensors=left.tensors | {"tables": tables})


class SameCoins(NeighbourVotes):
    """Each round is covered by the same noise."""

    def votes(self, p, y, train_mask):
        self.GENERATOR[-1].manual_seed(1)
        return super().votes(p, y, train_mask)

    GENERATOR = []

    def train(self, data, generator, progress=False):
        self.GENERATOR.append(generator)
        return super().train(data, generator, progress)


@pytest.mark.parametrize("kind, found", [
    (OneEnd, r"undirected edge \(add/remove\) is not covered"),
    (ThreeVotes, r"undirected edge \(add/remove\) is not covered"),
    (EachRoundAll, r"undirected edge \(add/remove\)"),
    (VotesByDegree, "noise only; with a change of the edge"), (Means, "noise only; with a change of the edge"),
    (SameCoins, "no coin may be used twice|with the same generator|with another")],
    ids=lambda part: getattr(part, "__name__", ""))
def test_a_mutant_is_found(kind, found):
    with pytest.raises(AssertionError, match=found):
        check_method(kind(1.0, rounds=2, **QUICK))
