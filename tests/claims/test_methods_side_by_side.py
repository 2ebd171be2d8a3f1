"""Chapter 13: the true budgets of methods that are compared, and why a list cannot be bounded for nothing."""

import math
from itertools import combinations, product

import pytest
import torch

from privgraph.graph import to_undirected
from privgraph.mechanisms import Gaussian
from privgraph.methods import GAP, NeighbourVotes, ProGAP, Sizes
from privgraph.methods.gap import sums, unit_rows
from privgraph.privacy import GaussianPair, Step, gdp_epsilon, pld_epsilon
from privgraph.randomness import seeded


def graphs(n):
    """Every undirected graph of n people, as edges of both directions."""
    pairs = list(combinations(range(n), 2))
    for size in range(len(pairs) + 1):
        for edges in combinations(pairs, size):
            yield edges, to_undirected(torch.tensor(edges, dtype=torch.long).reshape(-1, 2).t(), n)


def distances(rows, norm):
    """How far each edge that goes moves the table of sums, on all graphs of as many people."""
    found, n = [], len(rows)
    for edges, both in graphs(n):
        for gone in edges:
            left = tuple(edge for edge in edges if edge != gone)
            fewer = to_undirected(torch.tensor(left, dtype=torch.long).reshape(-1, 2).t(), n)
            found.append(float((sums(rows, both) - sums(rows, fewer)).norm(p=norm)))
    return found


# gap-an-edge, progap-an-edge

@pytest.mark.bears("repair", "gap-an-edge", "progap-an-edge")
@pytest.mark.parametrize("claimed, true", [(1, 1.47), (2, 2.95), (4, 5.99), (8, 12.26)])
def test_noise_for_one_row_costs_more_where_an_edge_moves_two(claimed, true):
    """Chapter 13: by two accountants, for 1 and for 3 hops, whose noise is for sqrt(K): at delta 1e-5."""
    moved = max(distances(unit_rows(torch.randn(4, 3, generator=seeded(0))), 2))
    assert moved == pytest.approx(math.sqrt(2))
    for hops in (1, 3):
        sigma = Gaussian(float(claimed), 1e-5, math.sqrt(hops)).sigma
        closed = gdp_epsilon(moved * math.sqrt(hops) / sigma, 1e-5)
        composed = pld_epsilon([Step(GaussianPair(sigma / moved), hops)], 1e-5).pessimistic
        assert closed == pytest.approx(true, abs=0.005) and composed == pytest.approx(closed, rel=1e-3, abs=0)
        assert Gaussian(closed, 1e-5, math.sqrt(2 * hops)).sigma == pytest.approx(sigma, rel=1e-6, abs=0)
    for kind in (GAP, ProGAP):   # ours pay for both rows
        held, = kind(float(claimed), 1e-5).guarantees(Sizes(34, 2))
        assert kind(float(claimed), 1e-5).noise.sigma == pytest.approx(
            math.sqrt(2) * Gaussian(float(claimed), 1e-5).sigma, rel=1e-6, abs=0)
        assert held.unit == "undirected edge" and held.epsilon == pytest.approx(claimed, rel=1e-4, abs=0)


# neighbour-votes

@pytest.mark.bears("for", "neighbour-votes")
def test_an_edge_moves_the_votes_by_two_and_no_more():
    """Chapter 13: on all graphs of 4 people and for votes of all kinds; attained where both vote for one class."""
    kinds = [torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0]), torch.tensor([0.3, 0.7])]
    found = [distance for votes in product(kinds, repeat=4)
             for distance in distances(torch.stack(votes).double(), 1)]
    assert max(found) == pytest.approx(2) and min(found) == pytest.approx(2)
    for rounds in (1, 2, 5):
        method = NeighbourVotes(3.0, rounds=rounds)
        held, = method.guarantees(Sizes(34, 2))
        assert held.epsilon == pytest.approx(3.0, rel=1e-6, abs=0) and held.delta == 0
        assert rounds * max(found) / method.noise.scale == pytest.approx(3.0, rel=1e-6, abs=0)


@pytest.mark.bears("for", "neighbour-votes")
def test_votes_are_rows_that_add_up_to_one_whatever_a_network_says():
    method, y = NeighbourVotes(1.0), torch.tensor([0, -1, 2, 1])
    p = torch.rand(4, 3, generator=seeded(0)) ** 20
    votes = method.votes(p, y, torch.tensor([True, True, False, True]))
    assert torch.allclose(votes.sum(1), torch.ones(4, dtype=torch.double), atol=1e-15) and (votes >= 0).all()


# bounded-lists-refill

def subsets(names):
    return [frozenset(some) for size in range(len(names) + 1) for some in combinations(names, size)]


def keeps_its_own(rule):
    """Whether nobody who goes changes what is said of the others."""
    return all(rule[names] - {gone} == rule[names - {gone}] for names in rule for gone in names)


@pytest.mark.bears("for", "bounded-lists-refill")
def test_a_rule_that_never_refills_looks_at_each_name_alone():
    """Chapter 13: all 4,096 rules that choose from lists of 3 names; 8 never refill, and each is a set of names that
    are kept wherever they stand."""
    lists = subsets(range(3))
    rules = [dict(zip(lists, chosen, strict=True)) for chosen in product(*(subsets(names) for names in lists))]
    still = [rule for rule in rules if keeps_its_own(rule)]
    assert len(rules) == 4096 and len(still) == 8
    for rule in still:
        alone = {v for v in range(3) if rule[frozenset({v})]}
        assert all(rule[names] == names & alone for names in lists)
        for bound in (1, 2):   # who bounds every list keeps no more names in all
            assert all(len(rule[names]) <= bound for names in lists) == (len(alone) <= bound)
