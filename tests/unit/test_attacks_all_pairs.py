"""All pairs among some nodes, and accusing as many as are believed to be linked: against loops and lists."""

import math
from itertools import combinations

import pytest
import torch
from scipy import stats

from privgraph import datasets
from privgraph.attacks import BELIEFS, accuse, pairs_among
from privgraph.graph import degrees, to_undirected
from privgraph.randomness import seeded

KARATE = datasets.load("karate")
LINKS = {tuple(sorted(pair)) for pair in KARATE.edge_index.t().tolist()}
DEGREE = degrees(KARATE.edge_index, 34)


@pytest.mark.parametrize("least, most", [(0, None), (0, 3), (4, None), (3, 5)])
@pytest.mark.parametrize("seed", range(3))
def test_all_pairs_among_nodes_of_a_class_of_degrees(least, most, seed):
    sample = pairs_among(KARATE.edge_index, 34, 7, seeded(seed), least=least, most=most)
    nodes = sorted(set(sample.pairs.flatten().tolist()))
    assert len(nodes) == 7 and all(least <= int(DEGREE[node]) <= (most or 34) for node in nodes)
    asked = [tuple(sorted(pair)) for pair in sample.pairs.t().tolist()]
    assert sorted(asked) == list(combinations(nodes, 2))
    assert sample.linked.tolist() == [pair in LINKS for pair in asked]


def test_all_nodes_of_the_class_can_be_taken_and_one_more_cannot():
    low, high = int((DEGREE <= 2).sum()), int((DEGREE >= 6).sum())
    assert pairs_among(KARATE.edge_index, 34, low, seeded(0), most=2).pairs.size(1) == math.comb(low, 2)
    assert pairs_among(KARATE.edge_index, 34, high, seeded(0), least=6).pairs.size(1) == math.comb(high, 2)
    with pytest.raises(ValueError, match=rf"count must be at most {low}, .* degree in 0..2, got {low + 1}"):
        pairs_among(KARATE.edge_index, 34, low + 1, seeded(0), most=2)


def test_nodes_ends_and_places_are_drawn_uniformly():
    """1,000 samples of 3 of 6 nodes: at level 1e-6 each node comes as often as others, and first as often as second;
    a link is as likely to be at each of the three places. (Drawing the first three always gives p-values of 0.)"""
    path = to_undirected(torch.stack([torch.arange(5), torch.arange(1, 6)]), 6)
    samples = [pairs_among(path, 6, 3, seeded(seed)) for seed in range(1000)]
    nodes = torch.stack([torch.bincount(sample.pairs.flatten(), minlength=6) > 0 for sample in samples]).sum(0)
    first = sum(int((sample.pairs[0] < sample.pairs[1]).sum()) for sample in samples)
    places = torch.stack([sample.linked for sample in samples]).sum(0)
    assert int(nodes.sum()) == 3000
    assert stats.chisquare(nodes.numpy()).pvalue > 1e-6 and stats.chisquare(places.numpy()).pvalue > 1e-6
    assert stats.binomtest(first, 3000, 0.5).pvalue > 1e-6


def one_order_after_another(scores, linked, m):
    """Mean numbers over many random orders of pairs with equal scores, the first m of which are accused."""
    found = []
    for seed in range(4000):
        mixed = torch.randperm(len(scores), generator=seeded(seed)).tolist()
        accused = sorted(mixed, key=lambda i: -float(scores[i]))[:m]
        found.append(sum(bool(linked[i]) for i in accused))
    return sum(found) / len(found)


@pytest.mark.parametrize("belief", [0.1, *BELIEFS, 1.3, 100.0])
def test_the_highest_scores_are_accused(belief):
    """Without ties: by sorting a list."""
    scores, linked = torch.randn(60, generator=seeded(0)), torch.rand(60, generator=seeded(1)) < 0.2
    edges = int(linked.sum())
    m = min(60, math.ceil(belief * edges))
    accused = sorted(range(60), key=lambda i: -float(scores[i]))[:m]
    hits = sum(bool(linked[i]) for i in accused)
    result = accuse(scores, linked, belief)
    assert (result.accused, result.belief) == (m, belief)
    assert (result.precision, result.recall) == pytest.approx((hits / m, hits / edges))
    both = result.precision + result.recall
    assert result.f1 == pytest.approx(2 * result.precision * result.recall / both if both else 0)


def test_of_equal_scores_each_is_as_likely_to_be_accused():
    """4,000 orders: the mean is known to .03 (four standard errors), and a partial sort errs by more than that."""
    scores = torch.tensor([3.0, 2, 2, 2, 2, 2, 1, 1, math.inf, -math.inf])
    linked = torch.tensor([1, 1, 1, 0, 0, 0, 1, 0, 0, 1]).bool()
    for belief, m in ((0.4, 2), (0.8, 4), (1.0, 5), (1.5, 8), (2.0, 10)):
        result = accuse(scores, linked, belief)
        assert result.accused == m
        assert result.recall * 5 == pytest.approx(one_order_after_another(scores, linked, m), abs=0.03)


def test_only_the_order_of_scores_counts_and_not_that_of_the_list():
    scores, linked = (torch.randn(50, generator=seeded(0)) * 2).round(), torch.rand(50, generator=seeded(1)) < 0.3
    order = torch.randperm(50, generator=seeded(2))
    for belief in BELIEFS:
        result = accuse(scores, linked, belief)
        assert accuse(scores.exp(), linked, belief) == accuse(scores[order], linked[order], belief) == result


def test_who_knows_all_and_who_knows_nothing():
    linked = torch.arange(1000) < 40
    for belief in BELIEFS:
        right, coin = accuse(linked.float(), linked, belief), accuse(torch.zeros(1000), linked, belief)
        assert (right.precision, right.recall) == pytest.approx((min(1, 1 / belief), min(1, belief)))
        assert coin.precision == pytest.approx(0.04) and coin.recall == pytest.approx(0.04 * belief)


def test_drawn_scores_have_the_density_for_a_precision():
    """5,000 pairs of which 1,000 are linked: the hypergeometric law of what is found, at level 1e-6."""
    linked = torch.arange(5000) % 5 == 0
    found = round(accuse(torch.rand(5000, generator=seeded(7)), linked, 1.0).recall * 1000)
    law = stats.hypergeom(5000, 1000, 1000)
    assert law.cdf(found) > 5e-7 and law.sf(found - 1) > 5e-7


def test_a_result_prints_on_one_line():
    text = str(accuse(torch.tensor([2.0, 1.0, 0.0, 0.5]), torch.tensor([True, False, True, False]), 0.5))
    assert text == "at 0.5 times the density 1 accused, precision 1.000, recall 0.500, F1 0.667"
