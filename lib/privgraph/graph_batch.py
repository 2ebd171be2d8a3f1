"""Many small graphs held as one large one: what classification of whole graphs works on.

A batch of PyG is made graph by graph, which for a hundred letters of five nodes costs more than a pass through a
network. ``GraphBatch`` keeps the nodes of all graphs in one table, graph after graph, and takes any selection of them
(with repeats) in a few operations on whole tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from .checks import check_all, check_data, check_features, check_nodes, check_tensor
from .graph import check_edge_index
from .late import pyg

if TYPE_CHECKING:
    from torch_geometric.data import Data


@dataclass(frozen=True, eq=False)
class GraphBatch(Sequence):
    """Graphs one after the other; a sequence of PyG's ``Data``. A graph has at least one node, and perhaps no edge.

    :param x: float [N, d], the features of the nodes of all graphs.
    :param edge_index: int64 [2, E], both directions of every edge; no edge leaves its graph.
    :param sizes: int64 [G], how many nodes each graph has.
    """

    x: Tensor
    edge_index: Tensor
    sizes: Tensor

    def __post_init__(self):
        check_features(self.x)
        if check_tensor(self.sizes, "sizes").dtype != torch.long or self.sizes.dim() != 1:
            raise ValueError(f"sizes must be an int64 tensor of shape [G], "
                             f"got {self.sizes.dtype} of shape {list(self.sizes.shape)}")
        if (empty := int((self.sizes < 1).sum())) or int(self.sizes.sum()) != len(self.x):
            raise ValueError(f"sizes must be at least 1 and add up to the {len(self.x)} rows of x, "
                             f"got {empty} below 1 and a sum of {int(self.sizes.sum())}")
        check_edge_index(self.edge_index, len(self.x), least=0)
        if (crossing := int((self.batch[self.edge_index[0]] != self.batch[self.edge_index[1]]).sum())):
            raise ValueError(f"edge_index must join nodes of one graph, got {crossing} that leave theirs")

    @classmethod
    def from_data_list(cls, graphs: Sequence[Data]) -> "GraphBatch":
        """Any sequence of graphs, each with ``x`` and ``edge_index``; the very object where it is one of these."""
        if isinstance(graphs, GraphBatch):
            return graphs
        several = [check_data(graph, "x", "edge_index") for graph in check_all(graphs, "graphs", pyg.data.Data)]
        return cls.join([cls(graph.x, graph.edge_index, torch.tensor([len(graph.x)])) for graph in several])

    @classmethod
    def join(cls, several: Sequence["GraphBatch"]) -> "GraphBatch":
        """All graphs of several, in order."""
        check_all(several, "several", GraphBatch)
        if len(widths := {graphs.num_features for graphs in several}) != 1:
            raise ValueError(f"several must be at least one, all with the same number of features, "
                             f"got {len(several)} with {sorted(widths)}")
        first = torch.tensor([0, *(len(graphs.x) for graphs in several)]).cumsum(0)
        edges = [graphs.edge_index + start for graphs, start in zip(several, first.tolist(), strict=False)]
        return made(torch.cat([graphs.x for graphs in several]), torch.cat(edges, 1),
                    torch.cat([graphs.sizes for graphs in several]))

    @cached_property
    def ptr(self) -> Tensor:
        """int64 [G + 1]: graph i has the nodes ptr[i]..ptr[i+1]-1."""
        return torch.cat([self.sizes.new_zeros(1), self.sizes.cumsum(0)])

    @cached_property
    def batch(self) -> Tensor:
        """int64 [N]: the graph of each node, in order."""
        return torch.repeat_interleave(torch.arange(len(self.sizes)), self.sizes)

    @cached_property
    def by_graph(self) -> tuple[Tensor, Tensor]:
        """The edges graph by graph, int64 [2, E], and where each graph's begin, int64 [G + 1]."""
        order = self.batch[self.edge_index[0]].sort(stable=True)
        counts = torch.bincount(order.values, minlength=len(self.sizes))
        return self.edge_index[:, order.indices], torch.cat([counts.new_zeros(1), counts.cumsum(0)])

    @property
    def num_features(self) -> int:
        return self.x.size(1)

    @property
    def num_edges(self) -> Tensor:
        """int64 [G]: undirected edges of each graph."""
        return self.by_graph[1].diff() // 2

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, i: int) -> Data:
        one = self.take(torch.arange(len(self))[[i]])
        return pyg.data.Data(x=one.x, edge_index=one.edge_index)

    def take(self, index: Tensor) -> "GraphBatch":
        """The graphs with these numbers, int64 [K], in this order; one may come several times."""
        check_nodes(index, len(self), "index")
        edges, start = self.by_graph
        rows = stretches(self.ptr[index], self.sizes[index])
        found = stretches(start[index], start.diff()[index])
        sizes = self.sizes[index]
        moved = torch.cat([sizes.new_zeros(1), sizes.cumsum(0)])[:-1] - self.ptr[index]  # old number to new
        shift = torch.repeat_interleave(moved, start.diff()[index])
        return made(self.x[rows], edges[:, found] + shift, sizes)

    def with_features(self, x: Tensor) -> "GraphBatch":
        """The same graphs with other features, float [N, d']."""
        if len(check_features(x)) != len(self.x):
            raise ValueError(f"x must have a row for each of {len(self.x)} nodes, got {len(x)}")
        return made(x, self.edge_index, self.sizes)


def made(x: Tensor, edge_index: Tensor, sizes: Tensor) -> GraphBatch:
    """From parts that are in order because they come from graphs that were checked."""
    graphs = object.__new__(GraphBatch)
    for name, value in (("x", x), ("edge_index", edge_index), ("sizes", sizes)):
        object.__setattr__(graphs, name, value)
    return graphs


def stretches(start: Tensor, length: Tensor) -> Tensor:
    """start[0], start[0] + 1, ... (length[0] of them), start[1], ...: int64 [sum of lengths]."""
    ends = length.cumsum(0)
    return torch.arange(int(length.sum())) + torch.repeat_interleave(start - ends + length, length)
