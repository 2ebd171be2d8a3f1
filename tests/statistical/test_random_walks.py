"""Random walks against their exact chances, and against a loop. Level 1e-6 for each test, fixed seeds, no retries."""

import itertools
import random

import pytest
import torch
from scipy import stats

from privgraph.graph import random_walks, to_undirected
from privgraph.randomness import seeded

LEVEL = 1e-6
# Two triangles with a node between them, a leaf at 6, and 7 alone: every case of the bias is there.
N = 8
GRAPH = to_undirected(torch.tensor([[0, 0, 1, 2, 3, 4, 4, 5, 6], [1, 2, 2, 3, 4, 5, 6, 3, 4]]), N)
EDGES = {tuple(edge) for edge in GRAPH.t().tolist()}
BIASES = [(1.0, 1.0), (4.0, 0.25), (0.25, 4.0), (0.5, 2.0), (1.0, 3.0), (3.0, 1.0)]


def weights(before: int | None, at: int, p: float, q: float) -> dict[int, float]:
    """alpha of each node that can come next, as the paper defines it; a node without neighbours is its own."""
    found = {}
    for x in range(N):
        if (at, x) in EDGES:
            if before is None:
                found[x] = 1.0
            elif x == before:
                found[x] = 1 / p
            elif (before, x) in EDGES:
                found[x] = 1.0
            else:
                found[x] = 1 / q
    return found or {at: 1.0}


def chance(walk: tuple[int, ...], p: float, q: float) -> float:
    """The probability of a walk, given where it begins."""
    product = 1.0
    for place in range(1, len(walk)):
        alpha = weights(walk[place - 2] if place > 1 else None, walk[place - 1], p, q)
        product *= alpha.get(walk[place], 0.0) / sum(alpha.values())
    return product


def codes(walks: torch.Tensor) -> torch.Tensor:
    """A number for each walk: its nodes are the digits."""
    return (walks * N ** torch.arange(walks.size(1))).sum(1)


def counts(walks: torch.Tensor) -> torch.Tensor:
    return torch.bincount(codes(walks), minlength=N ** walks.size(1))


def p_value(p: float, q: float, stated: tuple[float, float], start: int = 4, n: int = 100_000) -> float:
    """Of "walks of five nodes follow ``stated``" when they are drawn with p and q; 0 where an impossible one came."""
    found = counts(random_walks(GRAPH, N, torch.full((n,), start), 5, seeded(21), p, q))
    possible = [(start, *rest) for rest in itertools.product(range(N), repeat=4)]
    expected = torch.tensor([n * chance(walk, *stated) for walk in possible], dtype=torch.double)
    observed = found[codes(torch.tensor(possible))].double()
    if observed[expected == 0].any() or observed.sum() != n:
        return 0.0
    rare = expected < 20  # together one category, so that the approximation by chi-square holds
    pooled = [torch.cat([each[~rare], each[rare].sum()[None]]) for each in (observed, expected)]
    kept = pooled[1] > 0
    return stats.chisquare(pooled[0][kept], pooled[1][kept]).pvalue if kept.sum() > 1 else 1.0


@pytest.mark.parametrize("p, q", BIASES)
def test_whole_walks_have_their_exact_chances(p, q):
    """100,000 walks of five nodes, over all that there are; a p or a q that is 10% too large is seen."""
    assert p_value(p, q, (p, q)) > LEVEL
    assert p_value(1.1 * p, q, (p, q)) < LEVEL
    assert p_value(p, 1.1 * q, (p, q)) < LEVEL


@pytest.mark.parametrize("start", range(N))
def test_they_have_them_from_every_node(start):
    assert p_value(0.5, 2.0, (0.5, 2.0), start) > LEVEL


def slow_walks(starts: list[int], length: int, p: float, q: float, rng: random.Random) -> torch.Tensor:
    """One walk after the other, one step after the other."""
    walks = []
    for start in starts:
        walk = [start]
        while len(walk) < length:
            alpha = weights(walk[-2] if len(walk) > 1 else None, walk[-1], p, q)
            walk += rng.choices(list(alpha), list(alpha.values()))
        walks.append(walk)
    return torch.tensor(walks)


def two_sample(first: torch.Tensor, second: torch.Tensor) -> float:
    """p-value of "both are walks of the same kind", the rare ones together."""
    table = torch.stack([counts(first), counts(second)])
    rare = table.sum(0) < 20
    table = torch.cat([table[:, ~rare], table[:, rare].sum(1, keepdim=True)], 1)
    return stats.chi2_contingency(table[:, table.sum(0) > 0].numpy()).pvalue


@pytest.mark.parametrize("p, q", BIASES[:3])
def test_walks_of_a_loop_are_of_the_same_kind(p, q):
    """20,000 walks of four nodes each way, from all nodes in turn; a p that is 60% too large is seen."""
    starts = list(range(N)) * 2500
    slow = slow_walks(starts, 4, p, q, random.Random(22))
    assert two_sample(slow, random_walks(GRAPH, N, torch.tensor(starts), 4, seeded(23), p, q)) > LEVEL
    assert two_sample(slow, random_walks(GRAPH, N, torch.tensor(starts), 4, seeded(23), 1.6 * p, q)) < LEVEL


def test_walks_are_independent_of_each_other():
    """40,000 pairs that begin together, where most draws are refused: one says nothing about the other."""
    walks = random_walks(GRAPH, N, torch.full((80_000,), 4), 3, seeded(24), 0.3, 3.0)[:, 1:]
    first, second = codes(walks[:40_000]), codes(walks[40_000:])
    alone = [torch.bincount(each, minlength=64) for each in (first, second)]
    table = torch.bincount(first * 64 + second, minlength=64 * 64).view(64, 64)
    table = table[alone[0] > 600][:, alone[1] > 600]  # about ten of each pair, or more
    assert table.size(0) > 3 and table.size(1) > 3
    assert stats.chi2_contingency(table.numpy()).pvalue > LEVEL


def test_walks_follow_edges_from_where_they_begin_and_stay_where_there_is_none():
    starts = torch.tensor([7, 0, 7, 6, 3])
    for p, q in BIASES:
        walks = random_walks(GRAPH, N, starts, 30, seeded(25), p, q)
        assert walks.shape == (5, 30) and walks.dtype == torch.long and torch.equal(walks[:, 0], starts)
        assert (walks[[0, 2]] == 7).all()
        for walk in walks[[1, 3, 4]].tolist():
            assert all(step in EDGES for step in itertools.pairwise(walk))


def test_directed_edges_are_followed_one_way():
    """0 -> 1 -> 2, and nothing leaves 2."""
    walks = random_walks(torch.tensor([[0, 1], [1, 2]]), 3, torch.tensor([0, 1, 2]), 4, seeded(0))
    assert walks.tolist() == [[0, 1, 2, 2], [1, 2, 2, 2], [2, 2, 2, 2]]


def test_the_bias_of_a_directed_edge_goes_from_where_a_walk_came():
    """From 0 over 1 to 2 or 3: 0 -> 2 is an edge, and of 3 only 3 -> 0 is; 40,000 walks, q off by 6% is seen."""
    edges, q = torch.tensor([[0, 1, 1, 0, 3], [1, 2, 3, 2, 0]]), 2.0
    walks = random_walks(edges, 4, torch.zeros(40_000, dtype=torch.long), 3, seeded(26), 1.0, q)
    ends = walks[walks[:, 1] == 1, 2]
    assert stats.binomtest(int((ends == 2).sum()), len(ends), 1 / (1 + 1 / q)).pvalue > LEVEL


def test_the_smallest_walks():
    none, nobody = torch.empty(2, 0, dtype=torch.long), torch.empty(0, dtype=torch.long)
    assert random_walks(none, 2, torch.tensor([1, 0]), 3, seeded(0), 2.0, 2.0).tolist() == [[1, 1, 1], [0, 0, 0]]
    assert random_walks(GRAPH, N, torch.tensor([3]), 1, seeded(0)).tolist() == [[3]]
    assert random_walks(GRAPH, N, nobody, 4, seeded(0), 2.0, 0.5).shape == (0, 4)
