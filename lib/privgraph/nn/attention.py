"""Attention over the edges of a graph, without a row of numbers for every edge and head.

PyG's layers copy what each edge carries, [E, H, C], weigh it and add it up, and do the same backwards. Here the weights
[E, H] are, for each head, the values of a sparse matrix. What a node receives is a product of that matrix with [N, C]
(SpMM), and what the two ends of an edge have in common is computed at its entries only (SDDMM); each is the other's
derivative. ``attend`` is the slow way, PyG's own: a test proves both the same, gradients too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from ..late import pyg

TINY = 1e-16  # PyG's, in the denominator of a softmax


@dataclass(frozen=True, eq=False)
class Pattern:
    """Who attends to whom: the edges, sorted by their target.

    :param source: int64 [E].
    :param target: int64 [E], sorted.
    :param num_nodes: N.
    """

    source: Tensor
    target: Tensor
    num_nodes: int

    @classmethod
    def of(cls, edge_index: Tensor, num_nodes: int) -> Pattern:
        """Of edges in any order; they may be directed, and repeat.

        :param edge_index: int64 [2, E].
        :param num_nodes: N.
        """
        target, order = edge_index[1].sort(stable=True)
        return cls(edge_index[0][order], target, num_nodes)

    @cached_property
    def start(self) -> Tensor:
        """Node v attends to ``source[start[v]:start[v + 1]]``, int64 [N + 1]."""
        counts = torch.bincount(self.target, minlength=self.num_nodes)
        return F.pad(counts.cumsum(0), (1, 0))

    @cached_property
    def places(self) -> Tensor:
        """0 to E - 1, int64 [E]."""
        return torch.arange(len(self.source))

    @cached_property
    def back(self) -> Tensor:
        """The edges in the order of ``reverse``, int64 [E]."""
        return self.source.sort(stable=True)[1]

    @cached_property
    def reverse(self) -> Pattern:
        """The same edges the other way round, sorted by what was their source."""
        return Pattern(self.target[self.back], self.source[self.back], self.num_nodes)

    def received(self, weight: Tensor, x: Tensor) -> Tensor:
        """For each node the weighted sum of what it attends to.

        :param weight: float [E, H].
        :param x: float [N, H, C].
        :returns: float [N, H, C].
        """
        size = (self.num_nodes, self.num_nodes)
        return torch.stack([csr(self.start, self.source, w, size) @ values
                            for w, values in zip(columns(weight), columns(x), strict=True)], 1)

    def common(self, x: Tensor, y: Tensor) -> Tensor:
        """For each edge the inner product of x at its target and y at its source.

        :param x: float [N, H, C].
        :param y: float [N, H, C].
        :returns: float [E, H].
        """
        nothing = csr(self.start, self.source, x.new_zeros(len(self.source)), (self.num_nodes, self.num_nodes))
        return torch.stack([torch.sparse.sampled_addmm(nothing, at_target, at_source.t(), beta=0.0).values()
                            for at_target, at_source in zip(columns(x), columns(y), strict=True)], 1)

    def summed(self, values: Tensor, order: Tensor | None = None) -> Tensor:
        """For each node the sum over the edges that it is the target of.

        :param values: float [E, k].
        :param order: which row of ``values`` each edge has; None: its own.
        :returns: float [N, k].
        """
        order = self.places if order is None else order
        return csr(self.start, order, values.new_ones(len(order)), (self.num_nodes, len(order))) @ values


def csr(start: Tensor, column: Tensor, values: Tensor, size: tuple[int, int]) -> Tensor:
    return torch.sparse_csr_tensor(start, column, values, size, check_invariants=False)


def columns(x: Tensor) -> list[Tensor]:
    """One head after the other, each as a product wants it."""
    return [each.contiguous() for each in x.unbind(1)]


class Received(torch.autograd.Function):
    """``pattern.received``, with gradients."""

    @staticmethod
    def forward(ctx, weight: Tensor, x: Tensor, pattern: Pattern) -> Tensor:
        ctx.save_for_backward(weight, x)
        ctx.pattern = pattern
        return pattern.received(weight, x)

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient: Tensor):
        weight, x = ctx.saved_tensors
        pattern = ctx.pattern
        back = weight.index_select(0, pattern.back)
        return pattern.common(gradient, x), pattern.reverse.received(back, gradient), None


class Common(torch.autograd.Function):
    """``pattern.common``, with gradients."""

    @staticmethod
    def forward(ctx, x: Tensor, y: Tensor, pattern: Pattern) -> Tensor:
        ctx.save_for_backward(x, y)
        ctx.pattern = pattern
        return pattern.common(x, y)

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient: Tensor):
        x, y = ctx.saved_tensors
        pattern = ctx.pattern
        return pattern.received(gradient, y), pattern.reverse.received(gradient.index_select(0, pattern.back), x), None


class Ends(torch.autograd.Function):
    """For each edge x at its source plus y at its target, [E, ...] of [N, ...]."""

    @staticmethod
    def forward(ctx, x: Tensor, y: Tensor, pattern: Pattern) -> Tensor:
        ctx.pattern = pattern
        return x.index_select(0, pattern.source) + y.index_select(0, pattern.target)

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient: Tensor):
        pattern, flat = ctx.pattern, gradient.flatten(1)
        sums = pattern.reverse.summed(flat, pattern.back), pattern.summed(flat)
        return *(each.view(-1, *gradient.shape[1:]) for each in sums), None


class Softmax(torch.autograd.Function):
    """Over the edges of each target, [E, H]."""

    @staticmethod
    def forward(ctx, scores: Tensor, pattern: Pattern) -> Tensor:
        largest = torch.segment_reduce(scores, "max", offsets=pattern.start, axis=0, unsafe=True)
        raised = (scores - largest.index_select(0, pattern.target)).exp_()
        shares = raised / (pattern.summed(raised) + TINY).index_select(0, pattern.target)
        ctx.save_for_backward(shares)
        ctx.pattern = pattern
        return shares

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient: Tensor):
        shares, = ctx.saved_tensors
        weighted = shares * gradient
        sums = ctx.pattern.summed(weighted).index_select(0, ctx.pattern.target)
        return weighted - shares * sums, None


def projections(layer: Any) -> list[nn.Module]:
    """The linear layers through which an attention layer of PyG sees its inputs."""
    if isinstance(layer, pyg.nn.GATConv):
        return [layer.lin]
    if isinstance(layer, pyg.nn.GATv2Conv):
        return [layer.lin_l, layer.lin_r]
    return [layer.lin_query, layer.lin_key, layer.lin_value, layer.lin_skip]


def attend_fast(layer: Any, projected: list[Tensor], pattern: Pattern) -> Tensor:
    """What ``attend`` gives, with first derivatives only.

    :param layer: of PyG.
    :param projected: float [N, H C] of each of its ``projections``.
    :param pattern: with the self loops that the layer wants.
    :returns: float [N, H C], or [N, C] for a layer that averages its heads.
    """
    heads = [x.view(-1, layer.heads, layer.out_channels) for x in projected[:3]]
    if isinstance(layer, pyg.nn.GATConv):
        ends = ((heads[0] * weights).sum(-1) for weights in (layer.att_src, layer.att_dst))
        scores, value, rest = F.leaky_relu(Ends.apply(*ends, pattern), layer.negative_slope), heads[0], layer.bias
    elif isinstance(layer, pyg.nn.GATv2Conv):
        both = F.leaky_relu(Ends.apply(*heads, pattern), layer.negative_slope)
        scores, value, rest = (both * layer.att).sum(-1), heads[0], layer.bias
    else:
        query, key, value = heads
        scores, rest = Common.apply(query, key, pattern) / layer.out_channels ** 0.5, projected[3]
    out = Received.apply(Softmax.apply(scores, pattern), value, pattern)
    return (out.flatten(1) if layer.concat else out.mean(1)) + rest


def attend(layer: Any, projected: list[Tensor], edge_index: Tensor) -> Tensor:
    """The rest of an attention layer, after its ``projections``, as PyG computes it.

    :param layer: of PyG.
    :param projected: float [N, H C] of each of its ``projections``.
    :param edge_index: int64 [2, E], with the self loops that the layer wants.
    :returns: float [N, H C], or [N, C] for a layer that averages its heads.
    """
    heads = [x.view(-1, layer.heads, layer.out_channels) for x in projected[:3]]
    if isinstance(layer, pyg.nn.GATConv):
        scores = tuple((heads[0] * a).sum(-1) for a in (layer.att_src, layer.att_dst))
        alpha = layer.edge_updater(edge_index, alpha=scores, edge_attr=None, size=None)
        out, rest = layer.propagate(edge_index, x=(heads[0], heads[0]), alpha=alpha, size=None), layer.bias
    elif isinstance(layer, pyg.nn.GATv2Conv):
        alpha = layer.edge_updater(edge_index, x=(heads[0], heads[1]), edge_attr=None)
        out, rest = layer.propagate(edge_index, x=(heads[0], heads[1]), alpha=alpha), layer.bias
    else:
        query, key, value = heads
        out, rest = layer.propagate(edge_index, query=query, key=key, value=value, edge_attr=None), projected[3]
        layer._alpha = None  # PyG keeps the attention of the last call for its own forward
    return (out.flatten(1) if layer.concat else out.mean(1)) + rest
