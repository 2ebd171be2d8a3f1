"""Generated graphs in which edges and features say as much of a class as one asks for."""

import pytest
import torch

from privgraph.datasets import blocks, load
from privgraph.randomness import seeded


def within(data) -> float:
    """Share of the edges within a class."""
    return float((data.y[data.edge_index[0]] == data.y[data.edge_index[1]]).double().mean())


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("homophily", [0.0, 0.3, 0.9, 1.0])
def test_classes_edges_and_bits_are_as_they_were_asked_for(classes, homophily):
    """Shares and means lie within five standard deviations; a wrong one of a tenth would not."""
    data = blocks(seeded(1), 6000, classes, 12.0, homophily, 40, 0.5)
    counts = torch.bincount(data.y)
    assert counts.max() - counts.min() <= 1 and len(counts) == data.num_classes == classes
    assert within(data) == pytest.approx(homophily, abs=5 * (0.25 / 36000) ** 0.5)
    assert data.num_edges / 6000 == pytest.approx(12, abs=0.1)
    means = torch.stack([data.x[data.y == c].mean(0) for c in range(classes)])
    assert data.x.unique().tolist() == [0, 1]
    assert (torch.minimum((means - 0.25).abs(), (means - 0.75).abs()) < 5 * (0.1875 / counts.min()) ** 0.5).all()
    assert data.is_undirected() and data.is_coalesced() and not data.has_self_loops()


def test_without_contrast_bits_say_nothing():
    data = blocks(seeded(2), 6000, 3, 4.0, features=30, contrast=0.0)
    means = torch.stack([data.x[data.y == c].mean(0) for c in range(3)])
    assert (means - 0.5).abs().max() < 5 * (0.25 / 2000) ** 0.5


def test_the_same_coins_give_the_same_graph():
    first, again, other = (blocks(seeded(seed), 50, 2, 3.0) for seed in (3, 3, 4))
    assert torch.equal(first.x, again.x) and torch.equal(first.edge_index, again.edge_index)
    assert not torch.equal(first.y, other.y)


def test_each_class_reaches_all_of_the_others():
    data = blocks(seeded(5), 3000, 3, 20.0, 0.0)
    pairs = torch.bincount(3 * data.y[data.edge_index[0]] + data.y[data.edge_index[1]], minlength=9).view(3, 3)
    assert (pairs.diagonal() == 0).all()
    assert (pairs[~torch.eye(3, dtype=torch.bool)].double() / data.num_edges - 1 / 6).abs().max() < 0.01


def test_the_named_graph_is_the_one_by_default():
    data = load("blocks")
    assert data.name == "blocks" and torch.equal(data.x, blocks(seeded(0)).x)
