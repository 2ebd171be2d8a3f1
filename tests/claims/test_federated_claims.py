"""What chapter 11 says holds: a client that randomises its links first, and walks on what comes out."""

import math
from itertools import combinations

import pytest
import torch
from torch_geometric.data import Data

from privgraph.audit import Independent, worst_case
from privgraph.graph import to_undirected
from privgraph.mechanisms import SymmetricResponse
from privgraph.methods import FederatedDeepWalk
from privgraph.randomness import seeded

HELD = {0: {0, 1}, 1: {0, 1}, 2: {0}, 3: {1}}  # who holds whom: 0 and 1 are public
TIMES = {frozenset(pair): len(HELD[pair[0]] & HELD[pair[1]]) for pair in combinations(HELD, 2)}


def lists(links):
    return tuple(frozenset(u for link in links if v in link for u in link - {v}) for v in HELD)


def part_of(people, client):
    own = [v for v in HELD if client in HELD[v]]
    return tuple(frozenset(own.index(u) for u in people[v] if u in own) for v in own)


@pytest.mark.bears("repair", "ppfl-cannot-share-topology")
@pytest.mark.bears("for", "federated-private-edge")
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_links_randomised_at_the_client_cost_as_often_as_they_are_held(epsilon, record_property):
    """All 64 graphs of two public people and a private one at each of two clients: every pair, in every graph."""
    everything = Independent((SymmetricResponse(epsilon),) * 2, split=lambda g: (part_of(g, 0), part_of(g, 1)))
    spent = {}
    for pair, times in TIMES.items():
        others = [link for link in TIMES if link != pair]
        rests = [set(links) for size in range(6) for links in combinations(others, size)]
        losses = [worst_case(everything, [lists(rest), lists(rest | {pair})]).epsilon for rest in rests]
        assert 2 * len(losses) == 64
        assert max(losses) == pytest.approx(times * epsilon, abs=1e-9) == min(losses)
        spent[tuple(sorted(pair))] = max(losses)
    record_property("witness", ", ".join(f"{u}-{v} (held {TIMES[frozenset((u, v))]} times): {loss:.1f}"
                                         for (u, v), loss in spent.items()))


@pytest.mark.bears("for", "federated-private-edge")
def test_after_the_answers_a_client_never_looks_at_its_links_again(monkeypatch, record_property):
    """The same answers, with and without a private link: the same bytes, in all rounds. It is no accident of the
    coins: other answers give other bytes."""
    holder = torch.tensor([-1, -1, -1, -1, 0, 0, 1, 1])
    links = [(0, 1), (1, 2), (2, 3), (0, 4), (3, 4), (4, 5), (2, 6), (6, 7)]
    method = FederatedDeepWalk(dimension=2, rounds=2, walks=2, length=5, window=2, first_epochs=1,
                               edges=SymmetricResponse(1.0))
    tell = SymmetricResponse.__call__
    def messages(kept, answered):
        def told(self, graph, *, generator):
            return tell(SymmetricResponse(math.inf), Data(edge_index=answered, num_nodes=6), generator=generator)
        monkeypatch.setattr(SymmetricResponse, "__call__", told)
        world = Data(edge_index=to_undirected(torch.tensor(kept).t(), 8), num_nodes=8, holder=holder)
        return [dict(each.messages) for each in method.run(world, seeded(0))[1]]
    path, star = (to_undirected(torch.tensor(pairs).t(), 6) for pairs in (
        [(i, i + 1) for i in range(5)], [(0, i) for i in range(1, 6)]))
    same, less, other = messages(links, path), messages(links[:-3] + links[-2:], path), messages(links, star)
    assert same == less and same != other
    record_property("witness", f"{sum(map(len, same))} messages of {len(same[0][0])} bytes each: the same with and "
                               "without the link 4-5")
