"""DeepWalk: walks against a loop, a million steps in seconds."""

import random
import time

import pytest
import torch

from privgraph.graph import random_walks, to_undirected
from privgraph.randomness import seeded

NODES, LENGTH = 2708, 41
STARTS = torch.arange(25_000) % NODES  # 25,000 walks of 40 steps are a million


def random_graph() -> torch.Tensor:
    """As many nodes and edges as Cora has."""
    return to_undirected(torch.randint(NODES, (2, 5300), generator=seeded(0)), NODES)


def loop(neighbours: list[list[int]], starts: list[int]) -> list[list[int]]:
    walks = []
    for start in starts:
        walk = [start]
        for _ in range(LENGTH - 1):
            walk.append(random.choice(neighbours[walk[-1]] or walk[-1:]))
        walks.append(walk)
    return walks


def test_against_a_loop(compare):
    edges = random_graph()
    neighbours = [[] for _ in range(NODES)]
    for source, target in edges.t().tolist():
        neighbours[source].append(target)
    compare("random walks, 10^6 steps: loop / library", lambda: loop(neighbours, STARTS.tolist()),
            lambda: random_walks(edges, NODES, STARTS, LENGTH, seeded(0)), at_least=10, rounds=3)


@pytest.mark.parametrize("p, q, at_most", [(1.0, 1.0, 0.1), (4.0, 0.25, 2.0), (0.25, 4.0, 2.0)])
def test_a_million_steps(p, q, at_most, note):
    """The reach: under two seconds, and under a tenth of one without a bias."""
    edges, seconds = random_graph(), []
    for _ in range(5):
        start = time.perf_counter()
        random_walks(edges, NODES, STARTS, LENGTH, seeded(0), p, q)
        seconds.append(time.perf_counter() - start)
    note(f"random walks, p = {p:g}, q = {q:g}: milliseconds for 10^6 steps", 1000 * min(seconds))
    assert min(seconds) < at_most
