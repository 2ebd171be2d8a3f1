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
from privgraph.randomness import kind_of, secret, seeded

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


PEOPLE, ROUNDS = 8, 3
HOLDER = torch.tensor([-1, -1, -1, -1, 0, 0, 1, 1])
LINKS = [(0, 1), (1, 2), (2, 3), (0, 4), (3, 4), (4, 5), (2, 6), (6, 7), (5, 6)]  # the last is in nobody's part
METHOD = FederatedDeepWalk(dimension=2, rounds=ROUNDS, walks=2, length=5, window=2, first_epochs=1,
                           edges=SymmetricResponse(1.0))
PATH, STAR = ([(i, i + 1) for i in range(5)], [(0, i) for i in range(1, 6)])  # of six people, whom a client holds


def undirected(links, n):
    return to_undirected(torch.tensor(links, dtype=torch.long).view(-1, 2).t(), n)


def world(links):
    return Data(edge_index=undirected(links, PEOPLE), num_nodes=PEOPLE, holder=HOLDER)


def run_told(monkeypatch, links, answered, generator=None):
    """All that is sent in all rounds, both ways, where each client is told ``answered`` when it asks its mechanism; and
    what it asked: which mechanism, of which edges, with which randomness."""
    asked, tell = [], SymmetricResponse.__call__
    def told(self, graph, *, generator):
        asked.append((self, graph.edge_index.tolist(), (kind_of(generator), generator.initial_seed())))
        return tell(SymmetricResponse(math.inf), Data(edge_index=undirected(answered, 6), num_nodes=6),
                    generator=generator)
    with monkeypatch.context() as patched:
        patched.setattr(SymmetricResponse, "__call__", told)
        rounds = METHOD.run(world(links), generator or seeded(0))[1]
    return [(dict(each.messages), dict(each.replies)) for each in rounds], asked


@pytest.mark.bears("for", "federated-private-edge")
def test_each_client_answers_for_its_links_once_in_all_rounds(monkeypatch, record_property):
    """By the mechanism whose epsilon is stated, for all the links of its part and for no others, with randomness that
    nobody else has and that is secret where the run is."""
    rounds, asked = run_told(monkeypatch, LINKS, PATH)
    own = [part.edge_index.tolist() for part in METHOD.split(world(LINKS), seeded(0))]
    assert len(rounds) == ROUNDS and [each[:2] for each in asked] == [(METHOD.edges, edges) for edges in own]
    seeds, others = ([each[2] for each in run] for run in (asked, run_told(monkeypatch, LINKS, PATH, seeded(1))[1]))
    assert len({*seeds, *others}) == 4 and {kind for kind, _ in seeds} == {"public"}
    secretly = run_told(monkeypatch, LINKS, PATH, secret())[1]
    assert [kind for *_, (kind, _) in secretly] == ["secret"] * 2
    stated = {(g.unit, g.relation): g.epsilon for g in METHOD.guarantees()}
    assert stated["private edge", "add/remove"] == METHOD.edges.epsilon
    record_property("witness", f"{ROUNDS} rounds: {len(asked)} clients, {len(asked)} answers to all their links")


@pytest.mark.bears("for", "federated-private-edge")
def test_after_the_answers_a_client_never_looks_at_its_links_again(monkeypatch, record_property):
    """The same answers, with and without any link, of whatever kind, in a whole graph and where it is the only one: the
    same bytes, in all rounds and both ways. It is no accident of the noise: other answers give other bytes."""
    same = run_told(monkeypatch, LINKS, PATH)[0]
    for link in LINKS:
        assert run_told(monkeypatch, [other for other in LINKS if other != link], PATH)[0] == same, link
    for alone in ([], *([link] for link in LINKS)):
        assert run_told(monkeypatch, alone, PATH)[0] == same, alone
    assert run_told(monkeypatch, LINKS, STAR)[0] != same
    sizes = [len(message) for told in same for side in told for message in side.values()]
    record_property("witness", f"{len(sizes)} messages and replies of {sizes[0]} bytes each: the same with and without "
                               f"any of {len(LINKS)} links")
