"""Many small GraphSAGE networks, trained side by side.

A method with a thousand teachers trains a thousand networks on a thousand small graphs. Their parameters are stacked,
so that a layer of all of them is one batched product; graphs are padded to a common size, and padding counts nowhere.
Each network keeps its own weights, dropout and moments of Adam, so the result is that of training them one after the
other with the same generators, but for rounding: sums over a graph run over its padding too, whose length is that of
the largest graph beside it. One network alone has no padding, and nothing but its own graph decides its bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..checks import check_count, check_generator, check_learning_rate
from ..graph import Edges, SparseMatrix
from ..randomness import draw_seed, seeded
from .backbones import Backbone
from .training import flushed_denormals

if TYPE_CHECKING:
    from torch_geometric.data import Data


@dataclass(frozen=True)
class Stack:
    """B graphs, padded to K nodes each.

    ``inputs`` [B, K, 2 F]: the mean of the neighbours' features beside a node's own, a constant of training.
    ``matrix``: mean aggregation in all graphs at once, [B K, B K]. ``real`` bool [B, K]; ``y`` int64 [B, K], 0 at
    padding.
    """

    inputs: Tensor
    matrix: SparseMatrix
    real: Tensor
    y: Tensor

    @property
    def sizes(self) -> Tensor:
        return self.real.sum(1)


def stack_graphs(graphs: list[Data]) -> Stack:
    """Pad and join graphs with x [n, F], edge_index [2, E] and y [n] (all labelled)."""
    count, size, width = len(graphs), max(g.num_nodes for g in graphs), graphs[0].x.size(1)
    x = graphs[0].x.new_zeros(count, size, width)
    real, y = torch.zeros(count, size, dtype=torch.bool), torch.zeros(count, size, dtype=torch.long)
    for b, graph in enumerate(graphs):
        n = graph.num_nodes
        x[b, :n], real[b, :n], y[b, :n] = graph.x, True, graph.y
    edges = torch.cat([graph.edge_index + b * size for b, graph in enumerate(graphs)], 1)
    matrix = Edges(edges, count * size).adjacency("mean")
    return Stack(torch.cat([(matrix @ x.flatten(0, 1)).view_as(x), x], 2), matrix, real, y)


class StackedSAGE(nn.Module):
    """Two-layer GraphSAGE networks with batch normalisation, their parameters stacked: [B, ...].

    :param network: ``Backbone("sage", ..., batch_norm=True)``, the shape of each.
    :param weights: its state dict with the initial weights, once for each of them.
    """

    def __init__(self, network: Backbone, weights: list[dict[str, Tensor]]):
        super().__init__()
        check_shape(network)
        self.activation, self.dropout, self.norm = network.activation, network.dropout, network.norm
        def stacked(name):
            return torch.stack([each[name] for each in weights])
        def layer(name):  # PyG's two weights as one, for [aggregate, own] @ W
            both = torch.cat([stacked(f"{name}.lin_l.weight"), stacked(f"{name}.lin_r.weight")], 2).transpose(1, 2)
            return nn.Parameter(both.contiguous()), nn.Parameter(stacked(f"{name}.lin_l.bias")[:, None])
        (self.first, self.first_bias), (self.second, self.second_bias) = layer("first"), layer("second")
        self.gain, self.shift = (nn.Parameter(stacked(f"norm.{name}")[:, None]) for name in ("weight", "bias"))
        self.mean, self.var = torch.zeros_like(self.gain), torch.ones_like(self.gain)

    def forward(self, stack: Stack, keep: Tensor) -> Tensor:
        """Logits [B, K, C] in training; ``keep`` [B, K, H]: dropout, 0 or 1 / (1 - p)."""
        h = self.normalize(torch.baddbmm(self.first_bias, stack.inputs, self.first), stack)
        h = self.activation(h) * keep
        aggregate = (stack.matrix @ h.flatten(0, 1)).view_as(h)
        return torch.baddbmm(self.second_bias, torch.cat([aggregate, h], 2), self.second)

    def normalize(self, z: Tensor, stack: Stack) -> Tensor:
        """Batch normalisation over the real nodes of each graph; keeps running moments, as PyTorch does."""
        real, n = stack.real[..., None], stack.sizes[:, None, None]
        mean = (z * real).sum(1, keepdim=True) / n
        var = ((z - mean).square() * real).sum(1, keepdim=True) / n
        with torch.no_grad():
            self.mean.lerp_(mean, self.norm.momentum)
            self.var.lerp_(var * n / (n - 1), self.norm.momentum)
        return (z - mean) * (var + self.norm.eps).rsqrt() * self.gain + self.shift

    @torch.no_grad()
    def weights(self) -> list[dict[str, Tensor]]:
        """A state dict for each network, as ``Backbone`` has it."""
        parts = {"norm.weight": self.gain, "norm.bias": self.shift, "norm.running_mean": self.mean,
                 "norm.running_var": self.var, "first.lin_l.bias": self.first_bias,
                 "second.lin_l.bias": self.second_bias}
        parts = {name: part[:, 0] for name, part in parts.items()}
        for name, both in (("first", self.first), ("second", self.second)):
            parts[f"{name}.lin_l.weight"], parts[f"{name}.lin_r.weight"] = both.transpose(1, 2).chunk(2, 2)
        return [{name: part[b] for name, part in parts.items()} for b in range(len(self.gain))]


def check_shape(network: Backbone) -> None:
    if network.kind != "sage" or not isinstance(network.norm, nn.BatchNorm1d):
        raise ValueError(f"network must be GraphSAGE with batch_norm, got {network.kind} with {network.norm}")


def train_stacked(network: Backbone, graphs: list[Data], generators: list[torch.Generator], *, epochs: int,
                  learning_rate: float, weight_decay: float = 0.0) -> list[dict[str, Tensor]]:
    """Train networks of one shape, each on its own graph, with cross-entropy over all its nodes; the last epoch counts.

    The same as ``nn.train(network.redraw(generator), network.prepare(x, edge_index), loss, None, ...)`` for one after
    the other, but for rounding. (Training amplifies that: in single precision two runs that differ in one rounding
    drift apart.)

    :param network: ``Backbone("sage", ..., batch_norm=True)``; its weights are drawn anew for each graph.
    :param generators: one for each graph, for initial weights and dropout.
    :param graphs: each with ``x``, ``y`` and ``edge_index``.
    :returns: the weights of each, for ``network.load_state_dict(..., strict=False)``.
    :raises ValueError: where there are not as many generators as graphs, and for a graph of one node.
    """
    epochs, learning_rate = check_count(epochs, "epochs", low=1), check_learning_rate(learning_rate, "learning_rate")
    if len(graphs) != len(generators):
        raise ValueError(f"graphs and generators must be equally many, got {len(graphs)} and {len(generators)}")
    if (least := min(graph.num_nodes for graph in graphs)) < 2:
        raise ValueError(f"batch normalisation needs at least two nodes in each graph, got {least}")
    model = StackedSAGE(network, [copied(network.redraw(check_generator(g))) for g in generators])
    stack, drops = stack_graphs(graphs), [seeded(draw_seed(g)) for g in generators]
    optimiser = torch.optim.Adam(model.parameters(), lr=learning_rate, weight_decay=weight_decay)
    share = stack.real / stack.sizes[:, None]
    with flushed_denormals():
        for _ in range(epochs):
            logits = model(stack, dropout_masks(model, stack, drops))
            losses = F.cross_entropy(logits.flatten(0, 1), stack.y.flatten(), reduction="none").view_as(share)
            optimiser.zero_grad()
            (losses * share).sum().backward()
            optimiser.step()
    return model.weights()


def copied(network: Backbone) -> dict[str, Tensor]:
    """The state dict, apart from the network."""
    return {name: value.clone() for name, value in network.state_dict().items()}


def dropout_masks(model: StackedSAGE, stack: Stack, generators: list[torch.Generator]) -> Tensor:
    """What PyTorch's dropout would draw for each network from its own generator: [B, K, H], 0 at padding."""
    keep = 1 - model.dropout
    if keep == 1:
        return stack.real[..., None].to(model.gain.dtype)
    masks = torch.zeros(*stack.real.shape, model.gain.size(2), dtype=model.gain.dtype)
    for mask, size, generator in zip(masks, stack.sizes.tolist(), generators, strict=True):
        mask[:size].bernoulli_(keep, generator=generator)
    return masks.div_(keep)
