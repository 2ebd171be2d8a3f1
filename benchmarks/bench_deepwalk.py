"""DeepWalk: walks against a loop, a million steps in seconds; skip-gram against pairs that are written out."""

import random
import time

import pytest
import torch
import torch.nn.functional as F
from torch_geometric.data import Data

from privgraph.graph import random_walks, to_undirected
from privgraph.methods import DeepWalk
from privgraph.nn import SkipGram, in_window
from privgraph.randomness import seeded

NODES, LENGTH = 2708, 41
STARTS = torch.arange(25_000) % NODES  # 25,000 walks of 40 steps are a million


def random_graph() -> torch.Tensor:
    """As many nodes and edges as Cora has."""
    return to_undirected(torch.randint(NODES, (2, 5300), generator=seeded(0)), NODES)


def loop(neighbours: list[list[int]], starts: list[int], length: int = LENGTH) -> list[list[int]]:
    walks = []
    for start in starts:
        walk = [start]
        for _ in range(length - 1):
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


def pair_by_pair(model: SkipGram, walks: torch.Tensor, near: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """As anybody would write it: a list of pairs, and five negatives for each."""
    centre, context = (walks[:, place].flatten() for place in near.nonzero().t())
    negatives = torch.randint(NODES, (len(centre), 5), generator=generator)
    u = F.embedding(centre, model.vectors)
    met = F.softplus(-(u * F.embedding(context, model.contexts)).sum(1))
    apart = F.softplus((u[:, None] * F.embedding(negatives, model.contexts)).sum(2)).sum(1)
    return (met + apart).mean()


def test_a_step_of_skip_gram(compare):
    """Forward and backward for 64 walks of 40 nodes, window 10, 128 dimensions: about 44,000 pairs."""
    generator = seeded(0)
    model, near = SkipGram.initial(NODES, 128, generator), in_window(40, 10)
    walks = random_walks(random_graph(), NODES, STARTS[:64], 40, generator)
    compare("skip-gram, a step: pairs written out / library",
            lambda: pair_by_pair(model, walks, near, generator).backward(),
            lambda: model(walks, torch.randint(NODES, (64,), generator=generator), near.float(), 5).backward(),
            at_least=5, rounds=3)


def test_an_epoch(note):
    """Ten walks of 40 nodes from each of as many nodes as Cora has: 18.7 million pairs."""
    data = Data(edge_index=random_graph(), num_nodes=NODES)
    for dimension in (16, 128):
        start = time.perf_counter()
        DeepWalk(dimension=dimension, epochs=2).embed(data, seeded(0))
        note(f"DeepWalk, {dimension} dimensions: seconds an epoch", (time.perf_counter() - start) / 2)
