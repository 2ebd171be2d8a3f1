"""The Weisfeiler-Lehman kernel, against the same with words for names."""

from collections import Counter

import pytest
import torch

from privgraph.datasets import Sampler, load_graphs
from privgraph.graph_batch import GraphBatch
from privgraph.methods import WLKernel, task_accuracies
from privgraph.methods.few_shot import wl_kernel, wl_names
from privgraph.randomness import seeded

LETTERS = load_graphs("letters")
SOME = LETTERS.graphs.take(torch.arange(0, len(LETTERS.graphs), len(LETTERS.graphs) // 20))


def words(graph, rounds: int) -> Counter:
    """Names as text that says all: a node's own name, and those of its neighbours in order."""
    names, found = ["o"] * graph.num_nodes, Counter()
    for i in range(rounds + 1):
        found.update((i, name) for name in names)
        around = [sorted(names[u] for u, w in graph.edge_index.t().tolist() if w == v) for v in range(len(names))]
        names = [f"{own}({','.join(each)})" for own, each in zip(names, around, strict=True)]
    return found


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_the_kernel_counts_equal_words(rounds):
    counts = [words(graph, rounds) for graph in SOME]

    def alike(a, b):
        return sum(a[word] * b[word] for word in a)
    expected = [[alike(a, b) / (alike(a, a) * alike(b, b)) ** 0.5 for b in counts] for a in counts]
    assert torch.allclose(wl_kernel(SOME, rounds), torch.tensor(expected, dtype=torch.float64), atol=1e-12)


def test_what_it_cannot_tell():
    """Six nodes in one ring or in two: all nodes see the same, so the kernel finds no difference."""
    ring = torch.tensor([[0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0]])
    two = torch.tensor([[0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3]]) + 6
    edges = torch.cat([ring, two], 1)
    graphs = GraphBatch(torch.ones(12, 1), torch.cat([edges, edges.flip(0)], 1), torch.tensor([6, 6]))
    assert wl_kernel(graphs, 5)[0, 1] == pytest.approx(1.0) and len(wl_names(graphs, 5)[-1].unique()) == 1


@pytest.mark.parametrize("ways", [2, 4])
def test_the_machine_names_classes(ways):
    test = Sampler(LETTERS, LETTERS.test_classes, ways, 10, 10)
    solver = WLKernel().learn(test, seeded(0))
    tasks = [test(seeded(i)) for i in range(10)]
    assert task_accuracies(solver, tasks).mean() > 1.5 / ways
    assert all((solver(task).sum(1) - 1).abs().max() < 1e-5 for task in tasks)
