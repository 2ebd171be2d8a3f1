"""LapGraph: its law written out, the short way of drawing against the long one, and mutants that the audit finds."""

import math
from itertools import combinations
from types import SimpleNamespace

import pytest
import torch
from scipy import stats
from torch_geometric.data import Data

from privgraph.audit.contract import check_mechanism
from privgraph.audit.refuting import CheckFailed
from privgraph.graph import to_undirected
from privgraph.mechanisms import largest_pairs
from privgraph.mechanisms.edge_mechanism import TooManyPairs
from privgraph.mechanisms.largest_pairs import LapGraph
from privgraph.randomness import secret, seeded

LEVEL = 1e-6


def graph(n: int, pairs) -> Data:
    return Data(edge_index=to_undirected(torch.tensor(pairs).t(), n), num_nodes=n)


def test_the_chances_are_those_of_many_graphs_that_are_drawn_by_the_definition():
    """Three people, one edge, 200,000 draws of every bit, without the mechanism: each chance is met to five standard
    errors."""
    mechanism, runs, generator = LapGraph(2.0, 0.5), 200_000, seeded(0)

    def noise(*shape):
        e = torch.empty(2, *shape, dtype=torch.double).exponential_(generator=generator)
        return e[0] - e[1]
    count = (1 + noise(runs) * mechanism.scales[0]).round().clamp(0, 3)
    bits = torch.tensor([1.0, 0.0, 0.0]) + noise(runs, 3) * mechanism.scales[1]
    told = bits.argsort(1, descending=True).argsort(1) < count[:, None]
    table = mechanism.distribution((frozenset({1}), frozenset({0}), frozenset()))
    assert sum(table.values()) == pytest.approx(1, abs=1e-9)
    for outcome, chance in table.items():
        one = torch.tensor([outcome[0][0], outcome[0][1], outcome[1][0]]).bool()  # pairs 0-1, 0-2, 1-2
        found = float((told == one).all(1).double().mean())
        assert abs(found - chance) < 5 * math.sqrt(chance * (1 - chance) / runs), outcome


@pytest.mark.parametrize("zeros, count", [(10, 10), (1000, 3)])
def test_the_largest_of_many_are_those_of_all_drawn(zeros, count):
    """The first and the last of them, 3,000 times."""
    mechanism = LapGraph(1.0)
    short = torch.stack([mechanism.largest_of(zeros, count, seeded(seed)) for seed in range(3000)])
    e = torch.empty(2, 3000, zeros, dtype=torch.double).exponential_(generator=seeded(1))
    long = ((e[0] - e[1]) * mechanism.scales[1]).topk(count).values
    assert (short[:, :-1] >= short[:, 1:]).all()
    for place in (0, count - 1):
        assert stats.ks_2samp(short[:, place], long[:, place]).pvalue > LEVEL


@pytest.mark.parametrize("tail", [1e-12, 0.1, 0.4999, 0.5, 0.6, 0.7, 0.9, 1 - 1e-9])
def test_the_largest_of_one_bit_is_where_so_much_noise_lies_above(tail, monkeypatch):
    step = torch.tensor([-math.log1p(-tail)], dtype=torch.double)
    monkeypatch.setattr(largest_pairs, "drawing", lambda generator: SimpleNamespace(exponential=lambda _: step))
    found = float(LapGraph(2.0, 0.5).largest_of(1, 1, None))
    assert found == pytest.approx(float(stats.laplace.isf(tail)), rel=1e-6, abs=1e-9)


def test_the_largest_are_those_of_all_pairs_without_an_edge(monkeypatch):
    """Nine people and three edges leave 33 of 36."""
    asked, largest_of = [], LapGraph.largest_of
    monkeypatch.setattr(largest_pairs, "DENSE", 0)
    monkeypatch.setattr(LapGraph, "largest_of", lambda self, *how: asked.append(how[:2]) or largest_of(self, *how))
    for seed in range(20):
        LapGraph(0.2, 0.01).report(graph(9, [(0, 1), (1, 2), (4, 8)]), generator=seeded(seed))
    assert {zeros for zeros, _ in asked} == {33} and 33 == max(count for _, count in asked)


def told_pairs(mechanism, data, seed) -> list:
    return mechanism.report(data, generator=seeded(seed)).edge_index.t().tolist()


def test_the_short_way_tells_each_pair_as_often_as_the_long_one(monkeypatch):
    """Nine people, 4,000 graphs either way: how often each of 36 pairs is told, and how many are."""
    data, mechanism, counts = graph(9, [(0, 1), (1, 2), (4, 8)]), LapGraph(3.0, 0.2), []
    for dense in (largest_pairs.DENSE, 0):
        monkeypatch.setattr(largest_pairs, "DENSE", dense)
        told = [told_pairs(mechanism, data, seed) for seed in range(4000)]
        pairs = torch.zeros(9, 9)
        for u, v in (pair for report in told for pair in report):
            pairs[u, v] += 1
        counts.append((pairs, [len(report) for report in told]))
    (long, sizes), (short, others) = counts
    places = torch.combinations(torch.arange(9)).flip(1)  # a pair stands at its lower-numbered end
    table = torch.stack([part[places[:, 0], places[:, 1]] for part in (long, short)]).long()
    assert (table > 50).all() and table.sum() == sum(sizes) + sum(others)
    assert stats.chi2_contingency(table.numpy()).pvalue > LEVEL
    assert stats.ks_2samp(sizes, others).pvalue > LEVEL


def test_no_bit_is_drawn_for_each_of_two_hundred_million_pairs():
    """Twenty thousand people on a ring; at epsilon 200 nearly all that is told is true."""
    ring = torch.stack([torch.arange(20_000), (torch.arange(20_000) + 1) % 20_000])
    data = Data(edge_index=to_undirected(ring, 20_000), num_nodes=20_000)
    made = LapGraph(200.0)(data, generator=seeded(0))
    true = torch.isin(made.edge_index[0] * 20_000 + made.edge_index[1],
                      data.edge_index[0] * 20_000 + data.edge_index[1])
    assert abs(made.num_edges // 2 - 20_000) < 10 and true.double().mean() > 0.999


def test_with_secret_randomness_all_bits_are_drawn_or_none():
    told = LapGraph(50.0)(graph(5, [(0, 1), (2, 4)]), generator=secret())
    assert told.edge_index.size(1) % 2 == 0
    with pytest.raises(TooManyPairs, match="with secret randomness"):
        LapGraph(1.0)(Data(edge_index=torch.empty(2, 0, dtype=torch.long), num_nodes=10_000), generator=secret())


class TrueCount(LapGraph):
    """As many pairs are told as there are."""

    def noisy_count(self, edges, pairs, generator):
        return edges

    def chance_of(self, count, edges, pairs):
        return float(count == edges)


class WholeBudgetTwice(LapGraph):
    """Number and bits each have noise for the whole budget."""

    @property
    def scales(self):
        return 1 / self.epsilon, 1 / self.epsilon


class BitsForTwo(LapGraph):
    """Half of the noise on a bit."""

    @property
    def scales(self):
        return super().scales[0], super().scales[1] / 2


class EdgesFirst(LapGraph):
    """Where there is room, edges are told first."""

    def of_all(self, edges, n, count, generator):
        found = super().of_all(edges, n, count, generator)
        return edges[:, :count] if count <= edges.size(1) else found


class NamesTheOrder(LapGraph):
    """The count is rounded up to a multiple of two."""

    def noisy_count(self, edges, pairs, generator):
        return min(pairs, 2 * (super().noisy_count(edges, pairs, generator) // 2))


@pytest.mark.parametrize("mutant, found", [
    (TrueCount(1.0, 0.5), "worst case"), (WholeBudgetTwice(4.0, 0.5), "worst case"),
    (BitsForTwo(8.0), "worst case"), (EdgesFirst(1.0, 0.5), "drawn"), (NamesTheOrder(1.0, 0.5), "drawn")],
    ids=lambda part: type(part).__name__ if isinstance(part, LapGraph) else "")
def test_a_mutant_is_found(mutant, found):
    with pytest.raises(CheckFailed, match=found):
        check_mechanism(mutant)


def test_a_hundredth_is_for_the_number():
    assert LapGraph(2.0).scales == (50.0, 1 / (0.99 * 2.0)) and LapGraph(2.0, 0.25).scales == (2.0, 1 / 1.5)


def test_the_exact_worst_case_of_three_people():
    """All 24 pairs of neighbours among three people, over eight outcomes: of a larger budget more is seen."""
    worst = {}
    for epsilon in (1.0, 8.0):
        mechanism = LapGraph(epsilon)
        tables = {}
        for size in range(4):
            for edges in combinations(((0, 1), (0, 2), (1, 2)), size):
                lists = tuple(frozenset(u + w - v for u, w in edges if v in (u, w)) for v in range(3))
                tables[edges] = mechanism.distribution(lists)
        worst[epsilon] = max(math.log(table[told] / other[told]) for one, table in tables.items()
                             for two, other in tables.items() if len({*one} ^ {*two}) == 1 for told in table)
    assert worst[1.0] == pytest.approx(0.834, abs=1e-3) and worst[8.0] == pytest.approx(7.617, abs=1e-3)
