"""Federated DeepWalk: alignment through one frame against each pair; a client's walks against a loop; whole runs."""

import time

import torch
from bench_deepwalk import loop

from privgraph.datasets import default
from privgraph.graph import random_walks
from privgraph.methods import FederatedDeepWalk
from privgraph.methods.federated import align_to_each, common_frame, hold, parts, procrustes
from privgraph.randomness import seeded

LENGTH = FederatedDeepWalk().length


def uploads(clients: int, public: int, dimension: int) -> torch.Tensor:
    """One matrix of rows, turned for each client and a little wrong at each, float [k, P, d]."""
    generator = seeded(0)
    rows = torch.randn(public, dimension, generator=generator)
    turns = torch.linalg.qr(torch.randn(clients, dimension, dimension, generator=generator)).Q
    return rows @ turns + 0.1 * torch.randn(clients, public, dimension, generator=generator)


def pair_by_pair(sent: torch.Tensor) -> torch.Tensor:
    """Algorithm 3 as it is printed: for each client, each other one is turned into its space."""
    return torch.stack([torch.stack([other @ procrustes(other, own) for other in sent]).mean(0) for own in sent])


def test_one_frame_against_each_pair(compare):
    """20 clients, from which on the server takes one frame; both give nearly the same answers."""
    sent = uploads(20, 2000, 32)
    each, frame = align_to_each(sent), common_frame(sent)
    assert torch.allclose(each, pair_by_pair(sent), atol=1e-4) and (each - frame).norm() < 0.01 * each.norm()
    compare("alignment, 20 clients x 2,000 x 32: a pair at a time / one frame", lambda: pair_by_pair(sent),
            lambda: common_frame(sent), at_least=3, rounds=3)


def test_one_frame_against_all_pairs_at_once(compare):
    sent = uploads(20, 2000, 32)
    compare("alignment, 20 clients x 2,000 x 32: all pairs at once / one frame", lambda: align_to_each(sent),
            lambda: common_frame(sent), at_least=2, rounds=3)


def test_a_clients_walks_against_a_loop(compare):
    """Ten walks of 20 nodes from each of a client's nodes that has a link: an epoch."""
    part = parts(hold(default(), seeded(0)))[0]
    edges, n = part.edge_index, part.num_nodes
    starts, neighbours = edges[0].unique().repeat(10), [[] for _ in range(n)]
    for source, target in edges.t().tolist():
        neighbours[source].append(target)
    compare("walks of one client, an epoch: loop / library", lambda: loop(neighbours, starts.tolist(), LENGTH),
            lambda: random_walks(edges, n, starts, LENGTH, seeded(0)), at_least=5, rounds=3)


def test_many_clients(note):
    """The reach: under two seconds on an idle machine."""
    sent = uploads(100, 10_000, 64)
    start = time.perf_counter()
    common_frame(sent)
    note("alignment, 100 clients x 10,000 x 64: seconds", time.perf_counter() - start)


def test_ten_rounds(note):
    """The reach: four clients and ten rounds in under thirty seconds on an idle machine."""
    data = hold(default(), seeded(0))
    start = time.perf_counter()
    FederatedDeepWalk().run(data, seeded(1))
    note(f"federated DeepWalk on {data.name}, 4 clients, 10 rounds: seconds", time.perf_counter() - start)
