"""What can be counted of a graph, against networkx, and nearest mean on it."""

import networkx as nx
import pytest
import torch
from torch_geometric.utils import to_networkx

from privgraph.datasets import Sampler, load_graphs
from privgraph.graph_batch import GraphBatch
from privgraph.methods import StructuralMean, task_accuracies
from privgraph.methods.few_shot import structure
from privgraph.methods.few_shot.structure import COLUMNS, MOST, numbers_of
from privgraph.randomness import seeded

TRIANGLES = load_graphs("triangles")
SOME = TRIANGLES.graphs.take(torch.arange(0, len(TRIANGLES.graphs), len(TRIANGLES.graphs) // 15))


def by_networkx(graph) -> dict[str, list[float]]:
    g = to_networkx(graph, to_undirected=True)
    degree = [d for _, d in g.degree()]
    shares = [sum(min(d, MOST) == k for d in degree) / len(degree) for k in range(MOST + 1)]
    values = torch.linalg.eigvalsh(torch.tensor(nx.to_numpy_array(g))).tolist()
    x = graph.x
    return {"counts": [len(g), g.number_of_edges()], "degrees": [*shares, max(degree)],
            "triangles": [sum(nx.triangles(g).values()) // 3], "spectrum": [values[0], *values[-3:]],
            "features": [*x.mean(0).tolist(), *x.std(0, unbiased=False).tolist()]}


@pytest.mark.parametrize("columns", ["counts", "degrees", "triangles", "spectrum", "features"])
def test_numbers_are_networkxs(columns):
    expected = [by_networkx(graph)[columns] for graph in SOME]
    assert numbers_of(SOME, columns).tolist() == [pytest.approx(row, abs=1e-4) for row in expected]


def test_eigenvalues_of_many_graphs_are_taken_in_blocks(monkeypatch):
    """Two at a time, which then are padded to the larger of them, give the same."""
    whole, seen = numbers_of(SOME, "spectrum"), []
    monkeypatch.setattr(structure, "BLOCK", 2 * int(SOME.sizes.max()) ** 2)
    monkeypatch.setattr(structure, "extreme_eigenvalues", lambda graphs, ends=structure.extreme_eigenvalues: (
        seen.append(len(graphs)), ends(graphs))[1])
    assert torch.allclose(numbers_of(SOME, "spectrum"), whole, atol=1e-5)
    assert max(seen) == 2 and sum(seen) == len(SOME)


def test_groups_are_their_parts():
    parts = [numbers_of(SOME, name) for name in ("counts", "degrees", "triangles", "spectrum", "features")]
    assert torch.equal(numbers_of(SOME, "structure"), torch.cat(parts[:4], 1))
    assert torch.equal(numbers_of(SOME), torch.cat(parts, 1))


def test_triangles_name_the_classes_of_triangles_from_one_shot():
    train, test = (Sampler(TRIANGLES, c, 3, 1, 10) for c in (TRIANGLES.train_classes, TRIANGLES.test_classes))
    tasks = [test(seeded(i)) for i in range(20)]
    assert task_accuracies(StructuralMean("triangles").learn(train, seeded(0)), tasks).min() == 1
    assert task_accuracies(StructuralMean("counts").learn(train, seeded(0)), tasks).mean() < 0.6


def test_a_number_that_is_the_same_in_training_does_not_rule_new_classes():
    """One column is 1 on all base graphs and thousands on new ones; it would decide everything, so it is left out."""
    def sample(generator):
        return Sampler(TRIANGLES, TRIANGLES.train_classes, 3, 5, 5)(generator)
    constant = GraphBatch(torch.ones_like(TRIANGLES.graphs.x), TRIANGLES.graphs.edge_index, TRIANGLES.graphs.sizes)

    def blank(generator):
        task = sample(generator)
        return type(task)(constant.take(torch.arange(15)), task.support_y, constant.take(torch.arange(15)),
                          task.query_y, 3)
    assert StructuralMean("features").learn(blank, seeded(0)).weights.tolist() == [0, 0]
    assert (StructuralMean("features").learn(sample, seeded(0)).weights > 0).all()


@pytest.mark.parametrize("columns", COLUMNS)
def test_a_node_alone_and_no_edges(columns):
    graphs = GraphBatch(torch.ones(4, 1), torch.empty(2, 0, dtype=torch.long), torch.tensor([1, 3]))
    assert numbers_of(graphs, columns).isfinite().all()


def test_too_large_for_eigenvalues():
    line = torch.arange(500)
    edges = torch.stack([torch.cat([line, line + 1]), torch.cat([line + 1, line])])
    with pytest.raises(ValueError, match="at most 500 nodes for their eigenvalues, got one of 501"):
        numbers_of(GraphBatch(torch.ones(501, 1), edges, torch.tensor([501])), "spectrum")
