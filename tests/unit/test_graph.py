import networkx as nx
import pytest
import torch

from privgraph import graph
from privgraph.randomness import seeded


def random_graph(n: int = 30, seed: int = 0) -> torch.Tensor:
    g = nx.gnp_random_graph(n, 0.15, seed=seed)
    return graph.to_undirected(torch.tensor(list(g.edges)).t(), n)


@pytest.mark.parametrize("normalise", graph.NORMALISATIONS)
@pytest.mark.parametrize("self_loops", [False, True])
def test_adjacency_is_the_dense_formula(normalise, self_loops):
    edges, n = random_graph(), 31  # node 30 is isolated
    a = torch.zeros(n, n)
    a[edges[1], edges[0]] = 1
    a += torch.eye(n) if self_loops else 0
    degree = a.sum(1)
    inverse = torch.where(degree > 0, 1 / degree, 0)
    expected = {"symmetric": inverse.sqrt()[:, None] * a * inverse.sqrt(), "mean": inverse[:, None] * a, "sum": a}
    matrix = graph.adjacency(edges, n, normalise, self_loops)
    assert torch.allclose(matrix.to_dense(), expected[normalise], atol=1e-6)


@pytest.mark.parametrize("normalise", graph.NORMALISATIONS)
def test_gradient_of_a_product_is_the_transpose(normalise):
    matrix = graph.adjacency(random_graph(), 30, normalise)
    x = torch.rand(30, 4, generator=seeded(1), requires_grad=True)
    weight = torch.rand(30, 4, generator=seeded(2))
    ((matrix @ x) * weight).sum().backward()
    assert torch.allclose(x.grad, matrix.to_dense().t() @ weight, atol=1e-5)


def test_propagate_equals_a_loop_over_edges():
    edges, n, steps = random_graph(), 30, 3
    x = torch.rand(n, 5, generator=seeded(0))
    degree = graph.degrees(edges, n).float()
    slow = x
    for _ in range(steps):
        heard = torch.zeros_like(slow)
        for u, v in edges.t().tolist():
            heard[v] += slow[u] / (degree[u] * degree[v]).sqrt()
        slow = heard
    assert torch.allclose(graph.propagate(graph.adjacency(edges, n), x, steps), slow, atol=1e-6)
    assert torch.equal(graph.propagate(graph.adjacency(edges, n), x, 0), x)


def test_isolated_nodes_hear_nothing():
    edges = torch.tensor([[0, 1], [1, 0]])
    for normalise in graph.NORMALISATIONS:
        assert (graph.adjacency(edges, 3, normalise) @ torch.ones(3, 2))[2].tolist() == [0, 0]
    empty = torch.empty(2, 0, dtype=torch.long)
    assert (graph.adjacency(empty, 3) @ torch.ones(3, 2)).sum() == 0


def test_homophily_and_degrees():
    path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    assert graph.degrees(path, 4).tolist() == [1, 2, 1, 0]
    assert graph.homophily(path, torch.tensor([0, 0, 1])) == 0.5
    assert graph.homophily(path, torch.tensor([0, 0, -1])) == 1.0


def test_sampled_pairs_are_what_they_say():
    edges, n = random_graph(), 30
    known = set(map(tuple, edges.t().tolist()))
    free = n * (n - 1) // 2 - len(known) // 2
    pairs = graph.sample_non_edges(edges, n, free, seeded(0)).t().tolist()  # all of them: the hardest case
    assert len(set(map(tuple, pairs))) == free
    assert all(u < v and (u, v) not in known for u, v in pairs)
    some = graph.sample_edges(edges, 10, seeded(0)).t().tolist()
    assert len(set(map(tuple, some))) == 10 and all((u, v) in known for u, v in some)
    with pytest.raises(ValueError, match=f"between 0 and {free}"):
        graph.sample_non_edges(edges, n, free + 1, seeded(0))


def test_same_seed_same_sample():
    edges = random_graph()
    assert torch.equal(graph.sample_non_edges(edges, 30, 20, seeded(3)), graph.sample_non_edges(edges, 30, 20, seeded(3)))
