import re
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest
import torch
from torch_geometric.data import Data

from privgraph import graph
from privgraph.datasets import load
from privgraph.graph import Edges, Graph, SparseMatrix, check_edge_index, sorted_key
from privgraph.mechanisms import Blink, LapGraph, NeighbourReplacement, SymmetricResponse, TwoHopResponse
from privgraph.methods import DPNE, GAE, LPPGE, DeepWalk, LabelsTimesDegree, mark_sensitive
from privgraph.randomness import seeded


def random_graph(n: int = 30, seed: int = 0) -> torch.Tensor:
    g = nx.gnp_random_graph(n, 0.15, seed=seed)
    return graph.to_undirected(torch.tensor(list(g.edges)).t(), n)


def any_graph(seed: int) -> Graph:
    """A graph whose edges come in any order, and person 30, who knows nobody."""
    edges = random_graph(seed=seed)
    edges = edges[:, torch.randperm(edges.size(1), generator=seeded(seed))]
    return Graph.of(Data(edge_index=edges, num_nodes=31))


def odd_edges(n: int = 31) -> tuple[torch.Tensor, torch.Tensor]:
    """Directed edges with weights; some are parallel, some nodes hear nobody but are heard."""
    edges = torch.randint(n - 1, (2, 60), generator=seeded(5))
    edges = edges[:, (edges[0] != edges[1]) & (edges[1] > 4)]
    edges = torch.cat([edges, edges[:, :7]], 1)
    return edges, torch.rand(edges.size(1), generator=seeded(6)) + 0.1


@pytest.mark.parametrize("normalize", graph.NORMALISATIONS)
@pytest.mark.parametrize("self_loops", [False, True])
@pytest.mark.parametrize("odd", [False, True])
def test_adjacency_is_the_dense_formula(normalize, self_loops, odd):
    edges, n = random_graph(), 31  # node 30 is isolated
    weight = None
    if odd:
        edges, weight = odd_edges()
    a = torch.zeros(n, n).index_put((edges[1], edges[0]), torch.ones(edges.size(1)) if weight is None else weight, True)
    a += torch.eye(n) if self_loops else 0
    degree = a.sum(1)
    inverse = torch.where(degree > 0, 1 / degree, 0)
    expected = {"symmetric": inverse.sqrt()[:, None] * a * inverse.sqrt(), "mean": inverse[:, None] * a, "sum": a}
    matrix = graph.adjacency(edges, n, normalize, self_loops, weight)
    assert torch.allclose(matrix.to_dense(), expected[normalize], atol=1e-6)


@pytest.mark.parametrize("normalize", graph.NORMALISATIONS)
@pytest.mark.parametrize("kind", ["undirected", "odd", "many edges"])
def test_gradient_of_a_product_is_the_transpose(normalize, kind):
    edges, weight = odd_edges() if kind == "odd" else (random_graph(), None)
    n = {"undirected": 60, "odd": 31, "many edges": 30}[kind]
    matrix = graph.adjacency(edges, n, normalize, weight=weight)
    assert matrix.is_dense == (kind == "many edges")
    x = torch.rand(n, 4, generator=seeded(1), requires_grad=True)
    loss = torch.rand(n, 4, generator=seeded(2))
    product = matrix @ x
    assert torch.allclose(product, matrix.to_dense() @ x, atol=1e-5)
    (product * loss).sum().backward()
    assert torch.allclose(x.grad, matrix.to_dense().t() @ loss, atol=1e-5)


def test_rewired_graphs_keep_all_degrees_and_nearly_no_edge():
    edges, n = random_graph(100, 3), 100
    found = [graph.rewire(edges, n, seeded(seed)) for seed in range(20)]
    original = edges[0] * n + edges[1]
    for new in found:
        assert torch.equal(graph.degrees(new, n), graph.degrees(edges, n)) and Edges(new, n).mutual()
        assert (new[0] != new[1]).all() and torch.equal(graph.to_undirected(new, n), new)
    share = sum(float(torch.isin(new[0] * n + new[1], original).float().mean()) for new in found) / 20
    assert 0.1 < share < 0.25  # chance: about the density, .15, a little more for people of high degree
    assert graph.rewire(edges, n, seeded(0), rounds=0).equal(edges)
    pair = torch.tensor([[0, 1], [1, 0]])
    assert torch.equal(graph.rewire(pair, 2, seeded(0)), pair)


def test_undirected_or_not():
    edges, n = random_graph(), 30
    assert Edges(edges, n).mutual() and not Edges(edges[:, 1:], n).mutual()
    weight = (edges.sum(0) + 1).float()
    assert Edges(edges, n).mutual(weight) and not Edges(edges, n).mutual(edges[0].float())


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


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("width", [1, 5, 64, 127, 128, 129, 191, 192, 300])
def test_columns_go_through_all_hops_in_blocks_and_no_bit_changes(width, dtype):
    ends = (200 * torch.rand(2, 2_000, generator=seeded(0)).square()).long()  # short and long rows; not symmetric
    matrix = SparseMatrix(*ends, torch.rand(2_000, dtype=dtype, generator=seeded(1)), (200, 200))
    x, back = (torch.randn(200, width, dtype=dtype, generator=seeded(seed)) for seed in (2, 3))
    found = []
    for hops in (graph.propagate, lambda matrix, x, steps: matrix @ (matrix @ (matrix @ x))):
        given = x.clone().requires_grad_()
        told = hops(matrix, given, 3)
        found.append((told, *torch.autograd.grad((told * back).sum() + told.sum(), given)))
    assert all(map(torch.equal, *found)) and not matrix.is_dense


@pytest.mark.parametrize("columns", [2, 64])
def test_propagation_has_gradients_of_its_gradients(columns, monkeypatch):
    monkeypatch.setattr(graph, "COLUMNS", columns)
    weight = 1 + torch.rand(5, dtype=torch.double, generator=seeded(1))
    matrix = SparseMatrix(*torch.tensor([[0, 0, 2, 5, 9], [1, 7, 9, 5, 4]]), weight, (10, 10))
    x = torch.rand(10, 5, generator=seeded(0)).double().requires_grad_()
    def squared(x):
        return graph.propagate(matrix, x, 2).square()
    assert torch.autograd.gradcheck(squared, x) and torch.autograd.gradgradcheck(squared, x)


def test_blocks_of_columns_are_never_narrow():
    """Of fewer than 32 columns a product has other bits."""
    for width in range(128, 400):
        widths = [block.size(1) for block in graph.column_blocks(torch.empty(1, width))]
        assert sum(widths) == width and set(widths[:-1]) == {64} and 64 <= widths[-1] < 128


def test_isolated_nodes_hear_nothing():
    edges = torch.tensor([[0, 1], [1, 0]])
    for normalize in graph.NORMALISATIONS:
        assert (graph.adjacency(edges, 3, normalize) @ torch.ones(3, 2))[2].tolist() == [0, 0]
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
    assert torch.equal(graph.sample_non_edges(edges, 30, 20, seeded(3)),
                       graph.sample_non_edges(edges, 30, 20, seeded(3)))


def test_importing_graph_changes_no_warning_filter():
    """In a process of its own: the filters before and after, and no word about CSR when a matrix is made."""
    script = ("import warnings, torch, torch_geometric, scipy.stats; before = list(warnings.filters)\n"
              "from privgraph import graph; assert warnings.filters == before, 'import'\n"
              "path = torch.tensor([[0, 1], [1, 0]]); graph.adjacency(path, 2)\n"
              "assert warnings.filters == before, 'use'")
    done = subprocess.run([sys.executable, "-W", "error::UserWarning:privgraph", "-c", script], capture_output=True,
                          text=True)
    assert done.returncode == 0 and "CSR" not in done.stderr, done.stderr


def test_keys_order_edges_and_tell_them_apart():
    pairs = torch.cartesian_prod(torch.arange(5), torch.arange(5)).t()
    key = graph.edge_key(pairs, 5)
    assert key.tolist() == list(range(25)) and torch.equal(graph.key_edges(key, 5), pairs)
    edges = torch.tensor([[0, 3, 4], [1, 2, 4]])
    assert pairs[:, graph.contains(edges, pairs, 5)].tolist() == edges.tolist()
    assert not graph.contains(edges, edges.flip(0)[:, :2], 5).any()


def test_keys_are_spelt_in_one_place():
    spelt = re.compile(r"\* *(n|num_nodes|len\(\w+\)) *\+ ")
    library = Path(graph.__file__).parent
    guilty = {str(path.relative_to(library)): line for path in library.rglob("*.py")
              for line in path.read_text(encoding="utf-8").splitlines() if spelt.search(line)}
    assert guilty == {"graph.py": "    return source * num_nodes + target"}


def test_a_product_has_a_gradient_of_its_gradient():
    """As a dense matrix has: what goes through a step of gradient descent needs it."""
    matrix = graph.adjacency(torch.tensor([[0, 1, 1, 2, 3, 0], [1, 0, 2, 1, 0, 3]]), 40, "symmetric", self_loops=True)
    assert not matrix.is_dense
    x = torch.randn(40, 2, generator=seeded(0))
    found = []
    for factor in (matrix, matrix.to_dense()):
        leaf = x.clone().requires_grad_()
        slope, = torch.autograd.grad((factor @ leaf).pow(3).sum(), leaf, create_graph=True)
        found.append(torch.autograd.grad(slope.square().sum(), leaf)[0])
    assert found[1].abs().max() > 1 and torch.allclose(*found, atol=1e-3, rtol=1e-4)


# A graph is checked where it comes in, and nowhere else.

def links_of(edge_index: torch.Tensor) -> set[frozenset]:
    return {frozenset(pair) for pair in edge_index.t().tolist()}


@pytest.mark.parametrize("seed", range(4))
def test_what_is_made_of_a_graph_is_what_sets_say_and_could_come_in_again(seed):
    """Edges that stay keep their order; each result has both directions of every edge, no loop, and none twice."""
    whole, pairs = any_graph(seed), torch.randint(31, (2, 60), generator=seeded(seed))
    nodes, links, told = torch.rand(31, generator=seeded(seed)) < 0.6, links_of(whole.edge_index), links_of(pairs)
    told, known = {pair for pair in told if len(pair) == 2}, set(nodes.nonzero().view(-1).tolist())
    made = {"without": (whole.without(pairs), links - told), "plus": (whole.plus(pairs), links | told),
            "among": (whole.among(nodes), {pair for pair in links if pair <= known}),
            "made": (Graph.made(pairs, 31), told)}
    assert links & told and told - links and all(0 < len(wanted) for _, wanted in made.values())
    for name, (found, wanted) in made.items():
        check_edge_index(found.edge_index, 31)
        assert type(found) is Graph and links_of(found.edge_index) == wanted, name
        assert found.degree.tolist() == [sum(v in pair for pair in wanted) for v in range(31)]
        assert found.has(pairs).tolist() == [frozenset(pair) in wanted for pair in pairs.t().tolist()]
        assert links_of(found.links) == wanted and found.links.size(1) == len(wanted)
    kept = [pair for pair in whole.edge_index.t().tolist() if set(pair) <= known]
    assert whole.among(nodes).edge_index.t().tolist() == kept != sorted(kept)


@pytest.mark.parametrize("normalize", graph.NORMALISATIONS)
def test_the_matrix_of_a_graph_is_that_of_its_edges(normalize):
    edges = any_graph(0).edge_index
    for given in (None, torch.rand(edges.size(1), generator=seeded(1))):
        found, wanted = (kind(edges, 60).adjacency(normalize, weight=given) for kind in (Graph, Edges))
        assert torch.equal(found.to_dense(), wanted.to_dense())
        assert (found.transposed is found.csr) == (wanted.transposed is wanted.csr) == (
            normalize != "mean" and given is None)


def test_nothing_is_in_a_graph_without_edges():
    empty = Graph.of(Data(edge_index=torch.empty(2, 0, dtype=torch.long), num_nodes=2))
    pair = torch.tensor([[0], [1]])
    assert not empty.has(pair).any() and empty.without(pair).edge_index.size(1) == 0 and empty.degree.tolist() == [0, 0]
    assert empty.plus(pair).has(pair.flip(0)).all() and empty.links.size(1) == 0


@pytest.mark.parametrize("data, error", [
    (Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2), "both directions"),
    (Data(edge_index=torch.tensor([[0, 0, 1], [0, 1, 0]]), num_nodes=2), "no self loops, got 1"),
    (Data(edge_index=torch.tensor([[0, 0, 1, 1], [1, 1, 0, 0]]), num_nodes=2), "no duplicate edges, got 2"),
    (Data(edge_index=torch.tensor([[0, 2], [2, 0]]), num_nodes=2), r"nodes 0..1, got 0..2"),
    (Data(edge_index=torch.tensor([[0, 1], [1, 0]])), "state how many people there are"),
    (Data(num_nodes=2), "data must have edge_index"), ([[0, 1], [1, 0]], "data must be a torch_geometric.data.Data")])
def test_the_border_refuses_what_is_no_graph(data, error):
    with pytest.raises((ValueError, TypeError), match=error):
        Graph.of(data)


EMBEDDINGS = (*GAE.examples(), *LPPGE.examples(), *DPNE.examples(), *DeepWalk.examples(), LabelsTimesDegree())
MECHANISMS = (SymmetricResponse(1.0), LapGraph(1.0), Blink(1.0, 1.0), NeighbourReplacement(1.0), TwoHopResponse(1.0))


@pytest.mark.parametrize("inside", [*(each.embed for each in EMBEDDINGS), *MECHANISMS], ids=lambda each: str(
    getattr(each, "__self__", each)))
def test_edges_are_checked_once(inside):
    """However many graphs are made of a graph on the way."""
    data, checked = mark_sensitive(load("karate"), 2), []

    def watch(frame, event, _):
        checked.extend([frame.f_back] * (event == "call" and frame.f_code is sorted_key.__code__))
    sys.setprofile(watch)
    try:
        inside(data, generator=seeded(0))
    finally:
        sys.setprofile(None)
    assert len(checked) == 1
