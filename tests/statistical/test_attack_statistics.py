"""Attacks against their distributions. Level 1e-6 for each test, fixed seeds, no retries; each has a failing mutant."""

import math

import networkx as nx
import numpy as np
import pytest
import torch
from scipy import special, stats
from torch_geometric.data import Data

from privgraph.attacks import ceiling, evaluate_attack, plant, sample_pairs
from privgraph.attacks import node_pairs as pairs_module
from privgraph.attacks.evaluation import auc_interval
from privgraph.datasets.small import karate
from privgraph.graph import degrees, sample_edges, to_undirected
from privgraph.mechanisms import RandomisedResponse
from privgraph.randomness import seeded

pytestmark = pytest.mark.slow

LEVEL = 1e-6
KARATE = karate().edge_index


# Which pairs are drawn

def all_pairs(kind):
    """Every pair of the karate club that may be drawn, as u * 34 + v."""
    a = np.zeros((34, 34), dtype=int)
    a[tuple(KARATE.numpy())] = 1
    wanted = {"edges": a > 0, "uniform": a == 0, "two-hop": (a == 0) & (a @ a > 0)}[kind]
    u, v = np.nonzero(np.triu(wanted, 1))
    return u * 34 + v


def uniform_p_value(drawn: np.ndarray, kind: str) -> float:
    """p-value that each row of ``drawn`` [runs, count] is a uniform subset of the pairs of that kind.

    Chi-square of the counts. Drawing without replacement makes it smaller by (T - count) / (T - 1), T pairs.
    """
    pairs = all_pairs(kind)
    runs, count = drawn.shape
    observed = np.bincount(np.searchsorted(pairs, drawn.ravel()), minlength=len(pairs))
    assert np.isin(drawn, pairs).all()
    statistic = ((observed - runs * count / len(pairs)) ** 2).sum() / (runs * count / len(pairs))
    return stats.chi2.sf(statistic * (len(pairs) - 1) / (len(pairs) - count), len(pairs) - 1)


COUNT = {"edges": 40, "uniform": 75, "two-hop": 75}  # at a time; there are 78 edges


def drawn_pairs(kind: str, total=60_000) -> np.ndarray:
    generator, linked, count = seeded(21), kind == "edges", COUNT[kind]
    non_edges = "uniform" if linked else kind
    samples = (sample_pairs(KARATE, 34, count, generator, non_edges) for _ in range(total // count))
    pairs = torch.stack([s.pairs[:, s.linked == linked] for s in samples])          # [runs, 2, count]
    return (pairs.amin(1) * 34 + pairs.amax(1)).numpy()


@pytest.mark.parametrize("kind", ["edges", "uniform", "two-hop"])
def test_pairs_are_uniform(kind):
    """60,000 pairs of the karate club's 78 edges, 483 non-edges or 265 two-hop pairs. Half of the pairs 12% likelier
    than the others is caught (power .93 or more), and so is 20% by the next test."""
    assert uniform_p_value(drawn_pairs(kind), kind) > LEVEL


@pytest.mark.parametrize("kind", ["edges", "uniform", "two-hop"])
def test_a_sampler_that_prefers_half_of_the_pairs_by_a_fifth_is_caught(kind):
    pairs, rng = all_pairs(kind), np.random.default_rng(0)
    weight = np.where(np.arange(len(pairs)) % 2, 1.2, 1.0)
    runs = 60_000 // COUNT[kind]
    drawn = np.stack([rng.choice(pairs, COUNT[kind], replace=False, p=weight / weight.sum()) for _ in range(runs)])
    assert uniform_p_value(drawn, kind) < LEVEL


def test_wedges_without_the_lot_prefer_pairs_with_many_common_neighbours(monkeypatch):
    """The mutant of "two-hop" that keeps every wedge."""
    monkeypatch.setattr(pairs_module, "common_neighbours", lambda matrix, u, v: torch.ones_like(u))
    assert uniform_p_value(drawn_pairs("two-hop", total=12_000), "two-hop") < LEVEL


def test_two_hop_pairs_from_the_list_are_uniform(monkeypatch):
    """60,000 pairs by the other way, which lists them all."""
    monkeypatch.setattr(pairs_module, "ROUNDS", 0)
    assert uniform_p_value(drawn_pairs("two-hop"), "two-hop") > LEVEL


def ends_p_value(pairs: torch.Tensor, edge_index: torch.Tensor, n: int) -> float:
    """p-value that the ends are as likely as in all non-edges: node v as n - 1 - d(v), in 10 blocks of nodes."""
    free = (n - 1 - degrees(edge_index, n)).double().view(10, -1).sum(1)
    observed = torch.bincount(pairs.flatten(), minlength=n).view(10, -1).sum(1)
    return stats.chisquare(observed.numpy(), (pairs.numel() * free / free.sum()).numpy()).pvalue


def test_the_ends_of_non_edges_come_from_the_whole_graph():
    """13,000 ends of 6,500 non-edges of 1,000 nodes. Caught: a sample filled from the first nodes of the file, as in
    the released GraphPrivatizer attack, and the first half of the nodes 20% too often (12%: power .64)."""
    n = 1000
    edges = to_undirected(torch.tensor(list(nx.gnm_random_graph(n, 6500, seed=1).edges)).t(), n)
    sample = sample_pairs(edges, n, 6500, seeded(22))
    assert ends_p_value(sample.pairs[:, ~sample.linked], edges, n) > LEVEL
    known, rng = set(map(tuple, edges.t().tolist())), np.random.default_rng(1)
    first = torch.tensor([(u, v) for u in range(8) for v in range(n) if u != v and (u, v) not in known][:6500]).t()
    assert ends_p_value(first, edges, n) < LEVEL
    weight = np.where(np.arange(n) < n // 2, 1.2, 1.0)
    skewed = torch.from_numpy(rng.choice(n, (2, 6500), p=weight / weight.sum()))
    assert ends_p_value(skewed, edges, n) < LEVEL


def test_either_end_may_come_first():
    """60,000 pairs: a chance of .512 of having the smaller end first is caught (power .84); the edge list, always
    smaller end first, fails."""
    generator = seeded(23)
    samples = [sample_pairs(KARATE, 34, 75, generator).pairs for _ in range(400)]
    forward = sum(int((pairs[0] < pairs[1]).sum()) for pairs in samples)
    assert stats.binomtest(forward, 60_000).pvalue > LEVEL
    listed = sample_edges(KARATE, 75, generator)
    assert stats.binomtest(int((listed[0] < listed[1]).sum()), 75).pvalue < LEVEL


# Intervals

def covers(draw, auc: float, runs: int = 3000, shrink: float = 1.0) -> int:
    """In how many of ``runs`` samples the 95% interval holds the true AUC; ``shrink`` < 1 breaks it."""
    error = stats.norm.sf(shrink * stats.norm.isf(0.025))
    limits = (auc_interval(*draw(), error) for _ in range(runs))
    return sum(low <= auc <= high for _, low, high in limits)


def normal_scores(auc, m=100, n=150, seed=5):
    rng, shift = np.random.default_rng(seed), math.sqrt(2) * stats.norm.ppf(auc)
    return lambda: (rng.normal(shift, 1, m), rng.normal(0, 1, n))


def tied_scores(auc, m=100, n=150, seed=6):
    """Bits: 1 with probability ``auc`` on an edge and 1 - ``auc`` on another pair; the AUC is ``auc``."""
    rng = np.random.default_rng(seed)
    return lambda: (rng.random(m) < auc, rng.random(n) < 1 - auc)


def too_few(covered: int, runs: int = 3000) -> float:
    return stats.binomtest(covered, runs, 0.93, alternative="less").pvalue


@pytest.mark.parametrize("scores", [normal_scores, tied_scores])
@pytest.mark.parametrize("auc", [0.5, 0.75, 0.95])
def test_intervals_of_the_auc_cover(scores, auc):
    """3,000 samples of 100 + 150 pairs; nominal 95%. Rejected when compatible with neither at least 93% nor at most
    97%: a true coverage of 90% is caught (power .9), 98.5% too (.7). AUC .5 is the attacker that knows nothing."""
    covered = covers(scores(auc), auc)
    assert too_few(covered) > LEVEL
    assert stats.binomtest(covered, 3000, 0.97, alternative="greater").pvalue > LEVEL


@pytest.mark.parametrize("scores", [normal_scores, tied_scores])
def test_an_interval_a_fifth_too_narrow_is_caught(scores):
    """Its coverage is about 88%."""
    assert too_few(covers(scores(0.75), 0.75, shrink=0.8)) < LEVEL


def missed_tpr(confidence: float, runs: int = 3000) -> int:
    """In how many samples the interval misses the true TPR at the sample's own threshold; normal scores, 60 + 300."""
    rng, missed, linked = np.random.default_rng(7), 0, torch.arange(360) < 60
    for _ in range(runs):
        scores = rng.normal(1.5 * linked.numpy())
        true = special.ndtr(1.5 - np.sort(scores[60:])[-4])
        result = evaluate_attack(torch.from_numpy(scores), linked, confidence)
        missed += not result.tpr_low <= true <= result.tpr_high
    return missed


def test_intervals_of_the_tpr_cover():
    """3,000 samples: true misses of 7.5%, not at most 5%, are caught (power .84); the 85% interval is a mutant."""
    assert stats.binomtest(missed_tpr(0.95), 3000, 0.05, alternative="greater").pvalue > LEVEL
    assert stats.binomtest(missed_tpr(0.85), 3000, 0.05, alternative="greater").pvalue < LEVEL


# Canaries

def planted_canaries(count=20_000, seed=24):
    """20,000 canaries in a sparse graph of 40,000 nodes."""
    rng = np.random.default_rng(8)
    edges = to_undirected(torch.from_numpy(rng.integers(40_000, size=(2, 80_000))), 40_000)
    return plant(Data(edge_index=edges, num_nodes=40_000), count, seeded(seed))


def bits_of(planted):
    """Whether each canary is an edge, read off the graph in the order of its ends, as the mechanism sees it."""
    source, target = planted.data.edge_index
    u, v = planted.pairs
    return torch.isin(u * 40_000 + v, source * 40_000 + target).long()


PLANTED = planted_canaries()


def share_p_value(right: torch.Tensor, expected: float) -> float:
    return stats.binomtest(int(right.sum()), len(right), expected).pvalue


def test_coins_are_fair_and_the_graph_obeys_them():
    """20,000 coins: a chance of .52 is caught (power .78). Neighbouring coins agree in one half of the cases."""
    assert torch.equal(bits_of(PLANTED).bool(), PLANTED.present)
    assert share_p_value(PLANTED.present, 0.5) > LEVEL
    assert share_p_value(PLANTED.present[1:] == PLANTED.present[:-1], 0.5) > LEVEL


@pytest.mark.bears("for", "book-canary-ceiling")
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_randomised_response_reaches_the_ceiling_and_not_more(epsilon):
    """Each pair reported once; guess what was reported. 20,000 canaries: at epsilon 1 an epsilon 10% too large
    (share off by .019, power .9) is caught; 20% at each of the three."""
    bits = bits_of(PLANTED)
    right = RandomisedResponse(epsilon, 2)(bits, generator=seeded(25)) == PLANTED.present
    assert share_p_value(right, ceiling(epsilon)) > LEVEL
    mutant = RandomisedResponse(1.2 * epsilon, 2)(bits, generator=seeded(25)) == PLANTED.present
    assert share_p_value(mutant, ceiling(epsilon)) < LEVEL


@pytest.mark.bears("for", "book-canary-ceiling")
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_both_ends_reporting_breaks_the_ceiling(epsilon):
    """The mutant that spends 2 epsilon. Where its two reports agree, a guess is right with e^2eps / (1 + e^2eps).

    Guessing always would not show it: where the reports differ the guess is blind, and the share right over all
    is again e^eps / (1 + e^eps). The attacker must abstain, or be judged by the AUC.
    """
    bits, c = bits_of(PLANTED), ceiling(epsilon)
    one, two = (RandomisedResponse(epsilon, 2)(bits, generator=seeded(s)) for s in (26, 27))
    agree = one == two
    right = (one == PLANTED.present)[agree]
    assert stats.binomtest(int(right.sum()), len(right), c, alternative="greater").pvalue < LEVEL
    assert share_p_value(right, ceiling(2 * epsilon)) > LEVEL
    assert c * c + c * (1 - c) == pytest.approx(c)
    always = torch.where(agree, one, RandomisedResponse(1.0, 2)(torch.zeros_like(one), generator=seeded(28)))
    assert share_p_value(always == PLANTED.present, c) > LEVEL
    assert evaluate_attack((one + two).double(), PLANTED.present, 1 - LEVEL).auc_low > c


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_the_auc_ceiling_is_reached_by_randomised_response(epsilon):
    """20,000 canaries: the ceiling lies in the interval of level 1e-6; above it with epsilon 20% too large."""
    bits = bits_of(PLANTED)
    reports, mutant = (RandomisedResponse(e, 2)(bits, generator=seeded(29)).double() for e in (epsilon, 1.2 * epsilon))
    result = evaluate_attack(reports, PLANTED.present, 1 - LEVEL)
    assert result.auc_low < special.expit(epsilon) < result.auc_high
    assert evaluate_attack(mutant, PLANTED.present, 1 - LEVEL).auc_low > special.expit(epsilon)
