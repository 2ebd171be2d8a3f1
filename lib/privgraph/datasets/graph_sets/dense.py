"""Graphs of a few nodes each, drawn all at once as dense tables, and then packed."""

import torch
from torch import Tensor

from ...graph_batch import GraphBatch


def packed(adjacency: Tensor, x: Tensor, present: Tensor) -> GraphBatch:
    """The graphs of a table with room for n nodes each.

    :param adjacency: bool [G, n, n], symmetric; only nodes that are present have edges.
    :param x: float [G, n, d].
    :param present: bool [G, n], at least one of each graph.
    """
    number = present.flatten().cumsum(0).view(present.shape) - 1
    graph, *ends = adjacency.nonzero(as_tuple=True)
    return GraphBatch(x[present], torch.stack([number[graph, end] for end in ends]), present.sum(1))


def symmetric(lower: Tensor) -> Tensor:
    """A symmetric table without loops from what is below the diagonal of ``lower``, bool [G, n, n]."""
    lower = lower.tril(-1)
    return lower | lower.transpose(1, 2)
