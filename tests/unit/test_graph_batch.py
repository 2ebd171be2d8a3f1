"""Many graphs as one: what is taken is what was put in, and what is no batch of graphs is refused."""

import pytest
import torch
from torch_geometric.data import Batch, Data
from torch_geometric.utils import erdos_renyi_graph

from privgraph.graph_batch import GraphBatch
from privgraph.randomness import seeded, torch_seeded


def some(seed: int = 0, count: int = 7) -> list[Data]:
    """Graphs of 1 to 6 nodes with random edges, some without any."""
    with torch_seeded(seeded(seed)):
        sizes = [1, *torch.randint(2, 7, (count - 1,)).tolist()]
        return [Data(x=torch.randn(n, 3), edge_index=erdos_renyi_graph(n, 0.4) if n > 1 else torch.zeros(2, 0).long())
                for n in sizes]


def same(a: Data, b: Data) -> bool:
    def edges(graph):
        return sorted(zip(*graph.edge_index.tolist(), strict=True))
    return torch.equal(a.x, b.x) and edges(a) == edges(b)


def test_what_is_put_in_comes_out_again():
    graphs = some()
    held = GraphBatch.from_data_list(graphs)
    assert len(held) == len(graphs) and all(same(a, b) for a, b in zip(held, graphs, strict=True))
    assert held.num_edges.tolist() == [graph.num_edges // 2 for graph in graphs]
    assert same(held[-1], graphs[-1]) and GraphBatch.from_data_list(held) is held


def test_it_numbers_nodes_as_pyg_does():
    graphs = some()
    held, batch = GraphBatch.from_data_list(graphs), Batch.from_data_list(graphs)
    assert torch.equal(held.x, batch.x) and torch.equal(held.batch, batch.batch) and torch.equal(held.ptr, batch.ptr)
    assert torch.equal(held.edge_index, batch.edge_index)


@pytest.mark.parametrize("index", [[3, 0, 3, 6], [0], [], list(range(6, -1, -1))])
def test_any_selection_can_be_taken_with_repeats(index):
    graphs = some(1)
    taken = GraphBatch.from_data_list(graphs).take(torch.tensor(index, dtype=torch.long))
    assert len(taken) == len(index) and all(same(a, graphs[i]) for a, i in zip(taken, index, strict=True))


def test_what_was_taken_can_be_joined_and_taken_from_again():
    graphs = some(2)
    held = GraphBatch.from_data_list(graphs)
    joined = GraphBatch.join([held.take(torch.tensor([2, 5])), held, held.take(torch.tensor([0]))])
    expected = [graphs[2], graphs[5], *graphs, graphs[0]]
    order = torch.randperm(len(expected), generator=seeded(0))
    assert all(same(a, expected[i]) for a, i in zip(joined.take(order), order.tolist(), strict=True))
    assert GraphBatch(joined.x, joined.edge_index, joined.sizes)  # in order, by its own rules


def test_edges_may_come_in_any_order():
    held = GraphBatch.from_data_list(some(3))
    order = torch.randperm(held.edge_index.size(1), generator=seeded(0))
    mixed = GraphBatch(held.x, held.edge_index[:, order], held.sizes)
    assert all(same(a, b) for a, b in zip(mixed, held, strict=True))


def test_other_features_leave_the_graphs_alone():
    held = GraphBatch.from_data_list(some(4))
    other = held.with_features(torch.ones(len(held.x), 1))
    assert other.num_features == 1 and torch.equal(other.edge_index, held.edge_index) and held.num_features == 3


PAIR = torch.tensor([[0, 1], [1, 0]])


@pytest.mark.parametrize("arguments, words", [
    ((torch.ones(3, 1), PAIR, torch.tensor([3, 0])), "1 below 1"),
    ((torch.ones(3, 1), PAIR, torch.tensor([2])), "a sum of 2"),
    ((torch.ones(3, 1), PAIR, torch.tensor([1, 2])), "2 that leave theirs"),
    ((torch.ones(3, 1), PAIR[:, :1], torch.tensor([3])), "both directions"),
    ((torch.ones(3, 1), PAIR, torch.tensor([3.0])), "int64"),
    ((torch.ones(3), PAIR, torch.tensor([3])), "features must be"),
])
def test_what_is_no_batch_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        GraphBatch(*arguments)


def test_what_cannot_be_joined_or_taken_is_refused():
    held = GraphBatch.from_data_list(some())
    for index in (torch.tensor([7]), torch.tensor([-1]), torch.tensor([0.5])):
        with pytest.raises(ValueError, match="index must"):
            held.take(index)
    with pytest.raises(ValueError, match="same number of features"):
        GraphBatch.join([held, held.with_features(torch.ones(len(held.x), 1))])
    with pytest.raises(ValueError, match="got 0 with"):
        GraphBatch.join([])
    with pytest.raises(ValueError, match="must have x, edge_index"):
        GraphBatch.from_data_list([Data(edge_index=PAIR)])
    with pytest.raises(TypeError, match="list of Data"):
        GraphBatch.from_data_list(3)
    with pytest.raises(ValueError, match="a row for each"):
        held.with_features(torch.ones(2, 1))
