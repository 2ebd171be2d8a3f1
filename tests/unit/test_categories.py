"""Categorical features: against slow loops, against RGNN's Table I, and what is refused."""

import math

import numpy as np
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import Compose

from privgraph import datasets
from privgraph.datasets import Categories, GroupFeatures, Quantiles, categories_of
from privgraph.randomness import seeded


def toy(x, **more) -> Data:
    """A graph without edges, with these features."""
    return Data(x=torch.as_tensor(x, dtype=torch.float32), edge_index=torch.empty(2, 0, dtype=torch.long), **more)


def same(x: torch.Tensor, rows) -> bool:
    return x.dtype == torch.float32 and torch.equal(x, torch.tensor(rows, dtype=torch.float32))


@pytest.mark.parametrize("columns, size", [(7, 3), (6, 3), (5, 1), (5, 5), (5, 9), (1, 2)])
def test_grouping_is_an_or_of_consecutive_columns(columns, size):
    """Each person, each block, one column after the other."""
    x = (torch.rand(40, columns, generator=seeded(columns)) < 0.2).float()
    slow = [[float(any(row[first:first + size])) for first in range(0, columns, size)] for row in x.tolist()]
    grouped = GroupFeatures(size)(toy(x))
    assert same(grouped.x, slow)
    assert grouped.domain_sizes == (2,) * math.ceil(columns / size) and grouped.feature_range == (0.0, 1.0)


def slow_cuts(values: list[float], bins: int) -> list[float]:
    """Where the running share of people first reaches j/bins; never the largest value."""
    different = sorted(set(values))
    if len(different) <= bins:
        return different[:-1]
    def reaches(v, j):
        return sum(w <= v for w in values) * bins >= j * len(values)
    return sorted({min(next(v for v in different if reaches(v, j)), different[-2]) for j in range(1, bins)})


COLUMNS = [[0.5, -1, 3, 3, 3, 3, 3, 3], [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 0, 0, 0, 0, 9], [5, 5, 5, 5, 5, 5, 6, 7],
           [7, 0, 7, 0, 7, 0, 7, 1e6]]


@pytest.mark.parametrize("bins", [2, 3, 4, 7, 8, 100])
def test_quantiles_count_the_cuts_below(bins):
    """Also where most people share a value, where all differ, and with more bins than values or people."""
    random = torch.randint(12, (8, 3), generator=seeded(bins)).float().T.tolist()
    columns = COLUMNS + random
    cuts = [slow_cuts(values, bins) for values in columns]
    data = Quantiles(bins)(toy(np.array(columns).T))
    assert same(data.x.T, [[sum(cut < value for cut in points) for value in values]
                           for values, points in zip(columns, cuts, strict=True)])
    assert data.domain_sizes == tuple(len(points) + 1 for points in cuts)
    assert data.feature_range == (0.0, max(data.domain_sizes) - 1.0)


@pytest.mark.parametrize("bins", [2, 4, 8])
def test_quantiles_are_numpys(bins):
    """64 different numbers: NumPy's inverted_cdf names the cuts, and every bin gets as many people."""
    x = torch.randn(64, 2, generator=seeded(0))
    cuts = np.quantile(x.numpy(), np.arange(1, bins) / bins, axis=0, method="inverted_cdf")
    data = Quantiles(bins)(toy(x))
    assert np.array_equal(data.x.numpy(), (x.numpy() > cuts[:, None]).sum(0))
    for column in data.x.long().T:
        assert column.bincount().tolist() == [64 // bins] * bins


def test_no_category_is_empty_and_order_is_kept():
    """300 columns of 9 numbers, most of them tied."""
    x = torch.randint(6, (9, 300), generator=seeded(1)).float()
    x[0], x[1] = 0, 5  # no column is constant
    data = Quantiles(bins=3)(toy(x))
    for values, found, size in zip(x.T, data.x.long().T, data.domain_sizes, strict=True):
        assert 2 <= size <= 3 and found.unique().tolist() == list(range(size))
        by_value = found[values.sort().indices]
        assert (by_value.diff() >= 0).all() and all(len(found[values == v].unique()) == 1 for v in values)


def test_columns_with_few_values_keep_them():
    data = Quantiles(bins=3)(toy([[10.0, 1], [0, 1], [-4, 1], [10, 0]]))
    assert same(data.x, [[2, 1], [1, 1], [0, 1], [2, 0]]) and data.domain_sizes == (3, 2)


def test_public_cuts_read_nothing_from_the_data():
    """A value on a cut lies below it; a person's categories do not change with the others; one person is enough."""
    cut = Quantiles(cuts=[(0.1, 2, 3), [0]])
    x = [[0.1, -1.0], [2.5, 0], [9, 1e-9], [-9, 5], [3, 0]]
    data = cut(toy(x))
    assert same(data.x, [[0, 0], [2, 0], [3, 1], [0, 1], [2, 0]]) and data.domain_sizes == (4, 2)
    for row, expected in zip(x, data.x.tolist(), strict=True):
        alone = cut(toy([row]))
        assert alone.x.tolist() == [expected] and alone.domain_sizes == (4, 2)
    assert Quantiles(cuts=[torch.tensor([0.0]), np.array([1.0])])(toy(x)).domain_sizes == (2, 2)


def test_declared_categories_are_left_as_they_are():
    data = Categories([2, 4])(toy([[0.0, 3], [1, 0]]))
    x, sizes = categories_of(data)
    assert x.dtype == torch.long and x.tolist() == [[0, 3], [1, 0]] and sizes == (2, 4)
    assert same(data.x, [[0, 3], [1, 0]]) and data.feature_range == (0.0, 3.0)


@pytest.mark.parametrize("transform", [GroupFeatures(2), Quantiles(2), Quantiles(cuts=[(0,)] * 3), Categories([2] * 3)])
def test_the_original_is_unchanged(transform):
    """Also by ``forward``; the name, the masks and everything else come along."""
    x = torch.tensor([[0.0, 1, 1], [1, 0, 1], [0, 0, 0]])
    data = toy(x.clone(), y=torch.tensor([0, 1, -1]), train_mask=torch.tensor([True, False, False]), name="toy",
               num_classes=2, feature_range=(-3.0, 7.0))
    before = data.to_dict()
    for changed in (transform(data), transform.forward(data)):
        assert data.to_dict() == before and torch.equal(data.x, x) and data.feature_range == (-3.0, 7.0)
        assert "domain_sizes" not in data and set(changed.keys()) - {"unaccounted"} == {*data.keys(), "domain_sizes"}
        assert ("unaccounted" in changed) == (transform == Quantiles(2))
        assert changed.y is data.y and changed.train_mask is data.train_mask and changed.edge_index is data.edge_index
        assert (changed.name, changed.num_classes) == ("toy", 2) and changed.feature_range == (0.0, 1.0)
        assert categories_of(changed)[0].shape == changed.x.shape


def test_transforms_compose_and_splits_keep_domains():
    """Amounts to absent or present, then groups: what a person holds is whether any amount in the block is positive."""
    data = datasets.load("digits")
    both = Compose([Quantiles(cuts=[(0,)] * 64), GroupFeatures(8)])(data)
    assert same(both.x, [[float(any(row[8 * j:8 * j + 8])) for j in range(8)] for row in data.x.tolist()])
    split = datasets.split(both, seeded(0))
    assert split.domain_sizes == (2,) * 8 and split.train_mask.sum() == 898 and split.feature_range == (0.0, 1.0)
    assert Compose([GroupFeatures(8), Categories((2,))])(both).domain_sizes == (2,)


X = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]


@pytest.mark.parametrize("call, message", [
    (lambda: GroupFeatures(0), "size must be a whole number, at least 1, got 0"),
    (lambda: GroupFeatures(2.0), "size must be a whole number"),
    (lambda: GroupFeatures(2)(toy([[0.0, 1, 0.5], [1, 0, 2]])),
     r"column 2 must hold whole numbers in 0\.\.1, got 0\.5"),
    (lambda: GroupFeatures(2)(toy([[0.0, 1, 0.5], [1, -1, 2]])), r"column 1 must hold .*, got -1$"),
    (lambda: GroupFeatures(2)(toy([[0.0, math.nan]])), "finite, got 1 NaN"),
    (lambda: GroupFeatures(2)(toy(torch.empty(0, 3))), r"at least one node and one column, got shape \[0, 3\]"),
    (lambda: GroupFeatures(2)(toy(torch.empty(3, 0))), r"got shape \[3, 0\]"),
    (lambda: GroupFeatures(2)(Data(x=torch.ones(2, 2, dtype=torch.long))), "must be a float tensor"),
    (lambda: Quantiles(), "either bins or cuts must be given, got bins=None and cuts=None"),
    (lambda: Quantiles(2, [(1,)]), "either bins or cuts must be given, got bins=2"),
    (lambda: Quantiles(1), "bins must be a whole number, at least 2, got 1"),
    (lambda: Quantiles(4)(toy([[0.0, 1, 2, 3], [1, 0, 5, 3]])),
     "column 3 has one value only: drop it, a domain needs at least 2"),
    (lambda: Quantiles(2)(toy([[0.0, 1.0]])), "column 0 has one value only"),
    (lambda: Quantiles(2)(toy(torch.empty(0, 2))), "at least one node"),
    (lambda: Quantiles(2)(toy([[0.0], [math.inf]])), "finite, got 1 NaN or infinite"),
    (lambda: Quantiles(cuts=[(0,), (2, 1)]), r"increasing, .* got \(2, 1\) for column 1"),
    (lambda: Quantiles(cuts=[(1, 1)]), r"got \(1, 1\) for column 0"),
    (lambda: Quantiles(cuts=[(1, 1 + 1e-12)]), "for column 0"),  # one number in float32
    (lambda: Quantiles(cuts=[()]), r"at least one for each column, got \(\) for column 0"),
    (lambda: Quantiles(cuts=[(0, math.nan)]), "cuts must be finite"),
    (lambda: Quantiles(cuts=[(0, math.inf)]), "cuts must be finite"),
    (lambda: Quantiles(cuts=[0.5]), "got 0.5 for column 0"),
    (lambda: Quantiles(cuts=[(0,)])(toy(X)), "cuts must have one entry for each of 2 columns, got 1"),
    (lambda: Categories((2, 1)), "each of domain_sizes must be a whole number, at least 2, got 1"),
    (lambda: Categories((2,))(toy(X)), "domain_sizes must have one entry for each of 2 columns, got 1"),
    (lambda: Categories((2, 3))(toy([[0.0, 3]])), r"column 1 must hold whole numbers in 0\.\.2, got 3"),
    (lambda: Categories((2, 3))(toy([[0.0, -1]])), "column 1 must hold .*, got -1"),
    (lambda: Categories((2, 3))(toy([[0.0, 1.5]])), r"column 1 must hold .*, got 1\.5"),
    (lambda: Categories((2, 3))(toy([[0.0, math.nan]])), "finite"),
    (lambda: categories_of(toy(X)), "got none; datasets.GroupFeatures .* datasets.Quantiles .* datasets.Categories"),
    (lambda: categories_of(toy([[0.5]], domain_sizes=(2,))), "column 0 must hold .*, got 0.5"),
    (lambda: categories_of(toy(X, domain_sizes=(2,))), "one entry for each of 2 columns, got 1"),
])
def test_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_an_amount_hidden_in_one_place_is_found():
    """The check reads every entry, not the range alone."""
    x = torch.zeros(300, 40)
    x[211, 17] = 0.25
    with pytest.raises(ValueError, match=r"column 17 .*, got 0\.25"):
        GroupFeatures(5)(toy(x))


@pytest.mark.parametrize("name", ["german-rgnn", "student-rgnn"])
def test_the_cards_of_rgnns_own_graphs(name):
    """Sizes as on the card, features 0/1, and a name that says the file is the card's."""
    if not datasets.at_hand(name):
        pytest.skip(f"{name} is not on this machine")
    data, card = datasets.load(name), datasets.card(name)
    assert data.name == name
    assert (data.num_nodes, data.num_edges // 2, data.x.size(1), data.num_classes) == (
        card.nodes, card.edges, card.features, card.classes)
    assert categories_of(Categories((2,) * card.features)(data))[0].sum(0).min() > 0  # every category occurs


def test_cards_say_that_the_edges_leak():
    for name in ("german-rgnn", "student-rgnn", "patients"):
        assert "leaks" in datasets.card(name).private
