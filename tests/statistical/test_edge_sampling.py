"""Reports of edges against the stated distributions. Level 1e-6 for each test, fixed seeds, no retries.

Each test says how many samples it takes and the smallest defect it catches; a mutant with budgets 20% too large
fails it.
"""

import math
from itertools import combinations, product

import pytest
import torch
from scipy import stats
from torch_geometric.data import Data

from privgraph import mechanisms as M
from privgraph.audit import relations
from privgraph.graph import to_undirected
from privgraph.mechanisms import candidates, edge_sampling, similar_nodes
from privgraph.mechanisms.edge_sampling import Places, noisy_degrees, respond, sample_ranks
from privgraph.mechanisms.similar_nodes import pick
from privgraph.randomness import secret, seeded

LEVEL = 1e-6
PATH = relations.neighbour_lists([(0, 1), (1, 2)])
STAR = relations.neighbour_lists([(0, 1), (0, 2), (0, 3)])


def as_data(lists, x=None):
    edges = [(u, v) for v, friends in enumerate(lists) for u in friends]
    return Data(edge_index=to_undirected(torch.tensor(edges).t(), len(lists)), num_nodes=len(lists), x=x)


def pooled(observed: dict, stated: dict) -> float:
    """p-value of counts against probabilities; outcomes with fewer than 8 expected share one cell."""
    n = sum(observed.values())
    assert observed.keys() <= stated.keys(), "an outcome that cannot be"
    likely = [o for o, p in stated.items() if n * p >= 8]
    counts, expected = [observed.get(o, 0) for o in likely], [n * stated[o] for o in likely]
    if len(likely) < len(stated):
        counts, expected = [*counts, n - sum(counts)], [*expected, n - math.fsum(expected)]
    return stats.chisquare(counts, expected).pvalue


def outcome(mechanism, report):
    """A report in the words of ``distribution``: each person's bits for the others in turn, and her degree."""
    n, named = report.num_nodes, set(map(tuple, report.edge_index.t().tolist()))
    once = getattr(mechanism, "reports", 2) == 1
    rows = [tuple(int((u, v) in named) for u in range(v + 1 if once else 0, n) if u != v) for v in range(n)]
    return tuple(rows if report.degrees is None else zip(rows, report.degrees.tolist(), strict=True))


def whole_report_p_value(spends, states, draws=1_200) -> float:
    data, g, counts = as_data(PATH), seeded(31), {}
    for _ in range(draws):
        seen = outcome(spends, spends.draw(data, g))
        counts[seen] = counts.get(seen, 0) + 1
    return pooled(counts, states.distribution(PATH))


WHOLE = {"degree preserving": (M.DegreePreservingResponse(1.5, 2.5), M.DegreePreservingResponse(1.8, 3.0)),
         "blink": (M.Blink(1.5, 2.5), M.Blink(1.8, 3.0)),
         "blink, one report": (M.Blink(1.5, 2.5, 1), M.Blink(1.8, 3.0, 1))}


@pytest.mark.bears("for", "sound-edge-mechanisms")
@pytest.mark.parametrize("name", WHOLE)
def test_whole_reports_follow_their_distribution(name):
    """1,200 whole reports of a path of 3 people, bits and degrees together; budgets 20% too large are caught."""
    right, mutant = WHOLE[name]
    assert whole_report_p_value(right, right) > LEVEL > whole_report_p_value(mutant, right)


def symmetric_p_value(spends, states, copies=200, draws=30) -> float:
    """6,000 stars of 4 people, two hundred at a time; what is said about people of other stars is dropped."""
    star = as_data(STAR).edge_index
    edges = torch.cat([star + 4 * c for c in range(copies)], 1)
    data, g, counts = Data(edge_index=edges, num_nodes=4 * copies), seeded(30), torch.zeros(64, dtype=torch.long)
    place = {pair: i for i, pair in enumerate(combinations(range(4), 2))}
    value = torch.tensor([[2 ** (5 - place[v, u]) if (v, u) in place else 0 for u in range(4)] for v in range(4)])
    for _ in range(draws):
        named, person = spends.draw(data, g).edge_index
        inside = named // 4 == person // 4
        named, person = named[inside], person[inside]
        codes = torch.zeros(copies, dtype=torch.long).index_add_(0, person // 4, value[person % 4, named % 4])
        counts += torch.bincount(codes, minlength=64)
    stated = {sum(rows, ()): p for rows, p in states.distribution(STAR).items()}
    return pooled(dict(zip(product((0, 1), repeat=6), counts.tolist(), strict=True)), stated)


@pytest.mark.bears("for", "sound-edge-mechanisms")
@pytest.mark.parametrize("epsilon", [1.0, 2.0])
def test_symmetric_response_follows_its_distribution(epsilon):
    """6,000 reports over 64 outcomes; an epsilon off by 20% either way is caught."""
    right = M.SymmetricResponse(epsilon)
    assert symmetric_p_value(right, right) > LEVEL
    for factor in (0.8, 1.2):
        assert symmetric_p_value(M.SymmetricResponse(factor * epsilon), right) < LEVEL


@pytest.mark.parametrize("v", range(4))
def test_replacements_follow_their_distribution(v):
    """60,000 draws for each neighbour of v on 4 nodes; an epsilon off by 20% is caught, and v is never drawn."""
    x = torch.tensor([[1.0, 0.2], [0.3, 1.0], [-1.0, 0.4], [0.1, -0.7]])
    right, mutant = (M.ExponentialReplacement(e).with_features(x) for e in (2.0, 2.4))
    others, found = [u for u in range(4) if u != v], []
    for u in others:
        stated = {names[0]: p for names, p in right.row_distribution(v, frozenset({u}), 4).items()}
        slots = torch.arange(60_000)
        for spends in (right, mutant):
            names = pick(torch.tensor(spends.weight).double(), slots * 0 + u, slots * 0 + v, slots, seeded(32))
            found.append(pooled({w: int((names == w).sum()) for w in others}, stated))
            assert int((names == v).sum()) == 0
    assert min(found[::2]) > LEVEL > max(found[1::2])


@pytest.mark.parametrize("small, tries, kind", [(20_000, 200, "seeded"), (300, 200, "seeded"), (300, 2, "seeded"),
                                                (20_000, 200, "secret"), (20_000, 2, "secret")])
def test_replacements_on_many_nodes_follow_the_weights(small, tries, kind, monkeypatch):
    """300 nodes, 30 people who each hear node 7, 60 draws: 1,800 names in 20 groups; a scale off by 40% is caught.

    From rows, from candidates, and from candidates with rows for whom two tries gave nobody."""
    monkeypatch.setattr(similar_nodes, "SMALL", small), monkeypatch.setattr(candidates, "TRIES", tries)
    n, x, g = 300, torch.randn(300, 4, generator=seeded(33)), seeded(34) if kind == "seeded" else secret()
    star = torch.stack([torch.full((30,), 7), torch.arange(100, 130)])
    data = Data(edge_index=to_undirected(star, n), x=x, num_nodes=n)
    scale = M.ExponentialReplacement(6.0).scale(x)
    unit = x[7].double() / x[7].double().norm()
    distance = torch.arccos((torch.nn.functional.normalize(x.double()) @ unit).clamp(-1, 1)) / math.pi
    distance[7] = 0.0
    group = torch.clamp(distance * 20, max=19).long()
    counts = torch.zeros(20)
    for _ in range(60):
        report = M.ExponentialReplacement(6.0).draw(data, g).edge_index
        counts += torch.bincount(group[report[0, (report[1] >= 100) & (report[1] < 130)]], minlength=20)
    def p_value(s):
        expected = torch.zeros(20, dtype=torch.double)
        for v in range(100, 130):
            weight = torch.exp(-s * distance)
            weight[v] = 0.0
            expected.index_add_(0, group, weight / weight.sum() * 60)
        few = expected < 8
        pool = [torch.cat([t[~few], t[few].sum()[None]]) for t in (counts.double(), expected)]
        return stats.chisquare(*[t[pool[1] > 0].tolist() for t in pool]).pvalue
    assert p_value(scale) > LEVEL > p_value(1.4 * scale)


def test_ranks_are_independent_coins_with_their_rates():
    """400,000 rows of 1 to 3 things: each subset as often as independent coins say; a rate off by 10% is caught."""
    rates = torch.tensor([0.03, 0.2, 0.5, 0.7], dtype=torch.double).repeat(100_000)
    sizes = torch.tensor([3, 2, 3, 1]).repeat(100_000)
    ranks = sample_ranks(sizes, rates, seeded(35))
    assert bool((ranks[1:] > ranks[:-1]).all())
    first = sizes.cumsum(0) - sizes
    row = torch.searchsorted(first, ranks, right=True) - 1
    code = torch.zeros(len(sizes), dtype=torch.long).index_add_(0, row, 2 ** (ranks - first[row]))
    for kind in range(4):
        rate, size = float(rates[kind]), int(sizes[kind])
        ones = torch.tensor([bin(c).count("1") for c in range(2**size)]).double()
        counts = torch.bincount(code[kind::4], minlength=2**size)
        for wrong in (1.0, 1.1):
            p = (wrong * rate) ** ones * (1 - wrong * rate) ** (size - ones) * 100_000.0
            assert (stats.chisquare(counts.tolist(), p.tolist()).pvalue > LEVEL) == (wrong == 1.0)


@pytest.mark.parametrize("once", [True, False])
def test_lies_fall_uniformly_on_the_pairs_without_an_edge(once):
    """1,000 reports of 25 people: every non-edge equally often, every edge at its rate; 20% off is caught."""
    n, g = 25, seeded(36)
    pairs = torch.combinations(torch.arange(n)).t()
    edges = to_undirected(pairs[:, torch.rand(pairs.size(1), generator=g) < 0.2], n)
    places, keep, lie = Places(n, once), torch.full((n,), 0.6).double(), torch.full((n,), 0.1).double()
    counts = torch.zeros(n, n)
    for _ in range(1_000):
        named, person = respond(edges, places, keep, lie, g, drop=1 - keep)
        counts[named, person] += 1
    true = torch.zeros(n, n, dtype=torch.bool)
    true[edges[0], edges[1]] = True
    asked = torch.ones(n, n, dtype=torch.bool).tril(-1) if once else ~torch.eye(n, dtype=torch.bool)
    for cells, rate in ((asked & true, 0.6), (asked & ~true, 0.1)):
        for wrong in (1.0, 1.2):
            z = (counts[cells] - 1_000 * rate * wrong) / math.sqrt(1_000 * rate * (1 - rate))
            p = stats.chi2.sf(float((z**2).sum()), int(cells.sum()))
            assert (p > LEVEL) == (wrong == 1.0)
    assert counts[~asked].sum() == 0


@pytest.mark.parametrize("degree", [0, 2, 8])
def test_noisy_degrees_follow_their_distribution(degree):
    """54,000 people who all have the same degree, noise clamped to a range of nine; a budget off by 20% is caught."""
    g, counts = seeded(38), torch.zeros(9, dtype=torch.double)
    for _ in range(6_000):
        counts += torch.bincount(noisy_degrees(torch.full((9,), degree), 0.6, g), minlength=9)
    for epsilon in (0.6, 0.72):
        stated = edge_sampling.degree_distribution(degree, epsilon, 9)
        assert float(stated.sum()) == pytest.approx(1)
        p = stats.chisquare(counts.tolist(), (stated * counts.sum()).tolist()).pvalue
        assert (p > LEVEL) == (epsilon == 0.6)


@pytest.mark.parametrize("mechanism", [M.SymmetricResponse(5.0), M.DegreePreservingResponse(0.5, 3.0),
                                       M.Blink(1.0, 5.0), M.Blink(1.0, 5.0, reports=1)])
def test_as_many_pairs_are_reported_as_expected(mechanism):
    """2,000 people with four neighbours each: within 5.5 standard deviations, which is at most 13%."""
    n = 2_000
    ring = torch.arange(n)
    edges = to_undirected(torch.cat([torch.stack([ring, (ring + k) % n]) for k in (1, 2)], 1), n)
    expected = mechanism.expected_pairs(n, 2 * n)
    count = mechanism.report(Data(edge_index=edges, num_nodes=n), generator=seeded(39)).edge_index.size(1)
    # A Poisson count, or one whose rate varies too: noisy degrees at budget 0.5 have variance 7.8 beside the mean of 4.
    wide = 3 if isinstance(mechanism, M.DegreePreservingResponse) else 1
    assert abs(count - expected) < 5.5 * math.sqrt(wide * expected) < 0.13 * expected
