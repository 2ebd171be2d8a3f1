"""DeepWalk: walks against a loop, a million steps in seconds; skip-gram against pairs that are written out; growth."""

import math
import random
import time

import pytest
import torch
import torch.nn.functional as F
from scale import exponent
from scale import random_graph as graph_of
from torch_geometric.data import Data

from privgraph.graph import Graph, random_walks, to_undirected
from privgraph.methods import DeepWalk
from privgraph.nn import SkipGram, in_window, skipgram
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


SIZES = (30_000, 100_000, 300_000, 1_000_000)  # edges, of which each node has ten
SHORT = DeepWalk(dimension=32, walks=1, length=20, window=5, epochs=1)


def taken(function) -> float:
    """Seconds of the processor, the median of three: what else runs on the machine counts less than by the clock."""
    seconds = []
    for _ in range(3):
        start = time.process_time()
        function()
        seconds.append(time.process_time() - start)
    return sorted(seconds)[1]


def test_growth_of_an_epoch(note):
    """A walk of 20 nodes from each node, 32 dimensions: a million edges in 20 seconds, and in proportion to edges."""
    rows = []
    for edges in SIZES:
        data = graph_of(edges)
        rows.append(dict(edges=edges, seconds=taken(lambda data=data: SHORT.embed(data, seeded(0)))))
    note("DeepWalk, 32 dimensions, 10^6 edges: seconds of an epoch", rows[-1]["seconds"])
    note("DeepWalk, 3 * 10^4 to 10^6 edges: exponent of growth", exponent(rows))
    assert rows[-1]["seconds"] < 20 and exponent(rows) < 1.15


@pytest.mark.parametrize("p, q", [(1.0, 1.0), (4.0, 0.25), (0.25, 4.0)])
def test_growth_of_walks(p, q, note):
    """Their steps are as in proportion to the nodes. Where neighbours do not fit the cache one costs more: no limit."""
    rows = []
    for edges in SIZES:
        graph = Graph.of(graph_of(edges))
        starts = torch.arange(graph.num_nodes)
        rows.append(dict(edges=edges, seconds=taken(lambda starts=starts, graph=graph: graph.walks(
            starts, SHORT.length, seeded(0), p, q))))
    note(f"random walks, p = {p:g}, q = {q:g}, 3 * 10^4 to 10^6 edges: exponent of growth", exponent(rows))


def test_rows_that_wait(compare, monkeypatch):
    """On 20,000 nodes; on few nodes tables are whole for both."""
    data = graph_of(100_000)

    def way(few: float):
        def embed():
            monkeypatch.setattr(skipgram, "FEW", few)
            SHORT.embed(data, seeded(0))
        return embed
    compare("DeepWalk, 10^5 edges: whole tables / touched rows", way(math.inf), way(skipgram.FEW), at_least=1.5,
            rounds=3)
