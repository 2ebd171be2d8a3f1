"""GraphPrivatizer's replacement against the loop of Algorithm 1, its growth with the graph;
LinkTeller against two forwards a pair."""

import math
import subprocess
import sys
import time

import pytest
import torch
from torch_geometric.data import Data

from privgraph import datasets
from privgraph.attacks import linkteller, sample_pairs
from privgraph.graph import to_undirected
from privgraph.mechanisms import MultiBit, NeighbourReplacement
from privgraph.methods import LPGNN
from privgraph.nn import BACKBONES
from privgraph.randomness import seeded


@pytest.fixture(scope="module")
def data():
    return datasets.split(datasets.default(), seeded(0))


def loop(mechanism, data, generator):
    """Algorithms 1, 2 and 4 as they are printed, person by person, on rows that were mixed and normalised before."""
    x = mechanism.mixed(data)
    unit = x / x.norm(dim=1, keepdim=True)
    lists = [[] for _ in range(data.num_nodes)]
    for u, v in data.edge_index.t().tolist():
        lists[v].append(u)
    reported = []
    for v, near in enumerate(lists):
        for u in near:
            others = [w for w in lists[u] if w != v]
            names = [w for w in others if float(unit[w] @ unit[u]) >= mechanism.threshold] + [u]
            keep = math.exp(mechanism.epsilon) / (math.exp(mechanism.epsilon) + len(names) - 1)
            place = -1 if float(torch.rand(1, generator=generator)) < keep or len(names) == 1 else \
                int(torch.randint(len(names) - 1, (1,), generator=generator))
            reported.append((names[place], v))
    return torch.tensor(reported).t()


def test_replacement_against_the_loop(compare, data):
    bits = MultiBit(3.0, data.num_features, *data.feature_range)
    seen = Data(x=bits.estimate(bits.report(data.x, generator=seeded(1))), edge_index=data.edge_index)
    mechanism = NeighbourReplacement(0.1)
    compare("GraphPrivatizer on Cora: loop / library", lambda: loop(mechanism, seen, seeded(2)),
            lambda: mechanism(seen, generator=seeded(2)), at_least=10)


def random_graph(num_edges: int) -> Data:
    """Mean degree 10: ``num_edges`` directed edges, 64 features."""
    n = num_edges // 10
    pairs = torch.randint(n, (2, num_edges // 2), generator=seeded(0))
    return Data(x=torch.randn(n, 64, generator=seeded(1)), edge_index=to_undirected(pairs, n), num_nodes=n)


def seconds(data: Data) -> float:
    start = time.perf_counter()
    NeighbourReplacement(0.1)(data, generator=seeded(2))
    return time.perf_counter() - start


def test_growth_and_memory():
    """10^4, 10^5, 10^6 directed edges: under 20 s and 3 GB, and at most 3 times more per two-hop pair."""
    cost = {}
    for edges in (10_000, 100_000, 1_000_000):
        data = random_graph(edges)
        degree = torch.bincount(data.edge_index[1])
        cost[edges] = min(seconds(data) for _ in range(3)) / float((degree * (degree - 1)).sum())
    print({edges: f"{1e9 * value:.0f} ns a two-hop pair" for edges, value in cost.items()})
    assert cost[1_000_000] < 3 * cost[10_000]
    code = ("import sys, resource; sys.path.insert(0, 'benchmarks'); from bench_graphprivatizer import *; "
            "print(seconds(random_graph(1_000_000)), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)")
    taken, memory = map(float, subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                                              check=True).stdout.split()[-2:])
    print(f"10^6 edges: {taken:.1f} s, {memory / 1e6:.2f} GB")
    assert taken < 20 and memory < 3e6


@torch.no_grad()
def two_forwards(model, x, edge_index, pairs):
    """LinkTeller as its authors run it: two passes through the network for each pair."""
    scores = []
    for u, v in pairs.t().tolist():
        moved = x.clone()
        moved[v] *= 1.001
        base, turned = (model(model.prepare(z, edge_index)) for z in (x, moved))
        scores.append((turned[u] - base[u]).norm() / 0.001)
    return torch.stack(scores)


@pytest.mark.parametrize("backbone", BACKBONES)
def test_linkteller_against_two_forwards_a_pair(data, backbone):
    """20 of the 500 + 500 pairs are timed the slow way; the cost of a pair does not depend on their number."""
    method = LPGNN.as_published(backbone, epochs=5)
    release = method.collect(data, seeded(1))
    model = method.learn(release, seeded(2)).model.eval()
    x = release.factored(release.matrix(), method.x_steps).to_dense()
    pairs = sample_pairs(data.edge_index, data.num_nodes, 500, seeded(3)).pairs
    linkteller(model, x, data.edge_index, pairs)
    start = time.perf_counter()
    fast = linkteller(model, x, data.edge_index, pairs)
    quick = time.perf_counter() - start
    start = time.perf_counter()
    slow = two_forwards(model, x, data.edge_index, pairs[:, 490:510])
    ratio = (time.perf_counter() - start) / 20 * 1000 / quick
    print(f"LinkTeller, {backbone}: two forwards a pair / one pass: {ratio:.0f}")
    assert ratio > 50 and torch.allclose(fast[490:510], slow, rtol=0.05, atol=0.01 * float(slow.max()))
