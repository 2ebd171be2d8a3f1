"""RGNN: all features reconstructed in one product, against Algorithm 1 and against a product a feature; growth."""

import subprocess
import sys
import time

import torch

import slow_rgnn as slow
from privgraph import datasets
from privgraph.graph import adjacency, propagate, to_undirected
from privgraph.mechanisms import GRRFS
from privgraph.methods.reconstruction import reconstruct_features
from privgraph.randomness import seeded

WORDS = GRRFS(1.0, (2,) * 58, 10)  # Cora's words in blocks of 25
MIXED = GRRFS(1.0, (2, 3, 5, 4) * 14, 10)  # as many features with more values


def cora(mechanism):
    """(Cora's edges or its twin's, reports, the matrix of the means)."""
    data = datasets.default()
    values = torch.stack([torch.randint(size, (data.num_nodes,), generator=seeded(i))
                          for i, size in enumerate(mechanism.domain_sizes)], 1)
    reports = mechanism(values, generator=seeded(1))
    return data.edge_index, reports, adjacency(data.edge_index, data.num_nodes, "mean", self_loops=True)


def by_feature(reports, mechanism, matrix, steps):
    """The loop over features alone: one-hot, sparse products, equation 5, second value or arg max. [N, d]"""
    columns = []
    for i, size in enumerate(mechanism.domain_sizes):
        shares = propagate(matrix, torch.nn.functional.one_hot(reports[:, i], size).float(), steps)
        estimates = slow.equation_5(shares, len(mechanism.domain_sizes), mechanism.sampled, size,
                                    *slow.probabilities(mechanism.epsilon, size))
        columns.append(estimates[:, 1] if size == 2 else estimates.argmax(1).float())
    return torch.stack(columns, 1)


def test_words_against_the_loop_of_algorithm_1(compare):
    """Features, hops and nodes one at a time, in plain Python; two hops only, because it is slow."""
    edges, reports, matrix = cora(WORDS)
    def run():
        return slow.estimate_features(reports, edges, WORDS.domain_sizes, 1.0, 10, 2)
    exact = torch.tensor(run())[:, :, 1].t()
    assert torch.allclose(reconstruct_features(reports, WORDS, matrix, 2), exact, atol=1e-4)
    compare("RGNN features on Cora, K = 2: Algorithm 1 in Python / library", run,
            lambda: reconstruct_features(reports, WORDS, matrix, 2), at_least=100, rounds=1)


def test_words_against_one_product_a_feature(compare):
    _, reports, matrix = cora(WORDS)
    slow_way, fast = by_feature(reports, WORDS, matrix, 16), reconstruct_features(reports, WORDS, matrix, 16)
    assert torch.allclose(slow_way, fast, atol=1e-4)
    compare("RGNN features on Cora, 58 binary, K = 16: a product a feature / one",
            lambda: by_feature(reports, WORDS, matrix, 16), lambda: reconstruct_features(reports, WORDS, matrix, 16),
            at_least=2)


def test_mixed_domains_against_one_product_a_feature(compare):
    _, reports, matrix = cora(MIXED)
    slow_way, fast = by_feature(reports, MIXED, matrix, 16), reconstruct_features(reports, MIXED, matrix, 16)
    binary = torch.tensor([size == 2 for size in MIXED.domain_sizes])
    assert torch.allclose(slow_way[:, binary], fast[:, binary], atol=1e-4)
    assert (slow_way == fast)[:, ~binary].float().mean() > 0.999  # rounding breaks ties
    compare("RGNN features on Cora, 56 mixed, K = 16: a product a feature / one",
            lambda: by_feature(reports, MIXED, matrix, 16), lambda: reconstruct_features(reports, MIXED, matrix, 16))


def seconds(nodes: int, features: int, pairs: int, steps: int = 4) -> float:
    """Reconstruction of random binary reports on a random graph, its matrix included."""
    edges = to_undirected(torch.randint(nodes, (2, pairs), generator=seeded(0)), nodes)
    reports = torch.randint(2, (nodes, features), generator=seeded(1))
    start = time.perf_counter()
    matrix = adjacency(edges, nodes, "mean", self_loops=True)
    reconstruct_features(reports, GRRFS(1.0, (2,) * features, 10), matrix, steps)
    return time.perf_counter() - start


def test_facebooks_size(note):
    """22,470 nodes, 170,912 edges, 48 features, K = 4."""
    taken = min(seconds(22_470, 48, 170_912) for _ in range(5))
    note("RGNN features of 22,470 x 48, K = 4: seconds", taken)
    assert taken < 1


def test_a_million_nodes(note):
    """10^6 nodes of mean degree 10, 64 columns, K = 4, in its own process: time, and peak memory with the reports."""
    code = ("import sys, resource; sys.path[:0] = ['benchmarks', 'tests']; from bench_rgnn import seconds; "
            "print(seconds(1_000_000, 64, 5_000_000), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)")
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    taken, memory = map(float, printed.split()[-2:])
    note("RGNN features of 10^6 x 64, K = 4: seconds", taken)
    note("RGNN features of 10^6 x 64, K = 4: peak memory in GiB", memory)
    assert taken < 60 and memory < 6
