"""Many small GraphSAGE networks, trained side by side.

A method with a thousand teachers trains a thousand networks on a thousand small graphs. Their parameters are stacked,
so that a layer of all of them is one batched product; graphs are padded to a common size, and padding counts nowhere.
Each network keeps its own weights, dropout and moments of Adam, so the result is that of training them one after the
other with the same generators.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.data import Data

from ..checks import check_count, check_generator
from ..graph import SparseMatrix, adjacency
from ..randomness import draw_seed, seeded
from .backbones import Backbone
from .training import flushed_denormals


@dataclass(frozen=True)
class Stack:
    """B graphs, padded to K nodes each.

    ``inputs`` [B, K, 2 F]: the mean of the neighbours' features beside a node's own, a constant of training.
    ``matrix``: mean aggregation in all graphs at once, [B K, B K]. ``real`` bool [B, K]; ``y`` int64 [B, K], 0 at padding.
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
    matrix = adjacency(edges, count * size, "mean")
    return Stack(torch.cat([(matrix @ x.flatten(0, 1)).view_as(x), x], 2), matrix, real, y)


class StackedSAGE(nn.Module):
    """Two-layer GraphSAGE networks with batch normalisation, their parameters stacked: [B, ...].

    :param networks: ``Backbone("sage", ..., batch_norm=True)``, all of one shape; ``write_back`` gives them the weights.
    """

    def __init__(self, networks: list[Backbone]):
        super().__init__()
        self.networks = networks  # in a plain list, so that their own weights are not trained

        def stacked(read):
            return nn.Parameter(torch.stack([read(network).detach() for network in networks]))
        self.first, self.second = (stacked(lambda network: both_weights(getattr(network, name))) for name in ("first", "second"))
        self.first_bias = stacked(lambda network: network.first.lin_l.bias[None])
        self.second_bias = stacked(lambda network: network.second.lin_l.bias[None])
        self.gain = stacked(lambda network: network.norm.weight[None])
        self.shift = stacked(lambda network: network.norm.bias[None])
        self.mean, self.var = torch.zeros_like(self.gain), torch.ones_like(self.gain)

    def forward(self, stack: Stack, keep: Tensor) -> Tensor:
        """Logits [B, K, C] in training; ``keep`` [B, K, H]: dropout, 0 or 1 / (1 - p)."""
        h = self.normalise(torch.baddbmm(self.first_bias, stack.inputs, self.first), stack)
        h = self.networks[0].activation(h) * keep
        aggregate = (stack.matrix @ h.flatten(0, 1)).view_as(h)
        return torch.baddbmm(self.second_bias, torch.cat([aggregate, h], 2), self.second)

    def normalise(self, z: Tensor, stack: Stack) -> Tensor:
        """Batch normalisation over the real nodes of each graph; keeps running moments, as PyTorch does."""
        norm, real, n = self.networks[0].norm, stack.real[..., None], stack.sizes[:, None, None]
        mean = (z * real).sum(1, keepdim=True) / n
        var = ((z - mean).square() * real).sum(1, keepdim=True) / n
        with torch.no_grad():
            self.mean.lerp_(mean, norm.momentum)
            self.var.lerp_(var * n / (n - 1), norm.momentum)
        return (z - mean) * (var + norm.eps).rsqrt() * self.gain + self.shift

    @torch.no_grad()
    def write_back(self) -> list[Backbone]:
        """The networks with the trained weights and running moments, in evaluation mode."""
        for b, network in enumerate(self.networks):
            for layer, weights, bias in ((network.first, self.first, self.first_bias), (network.second, self.second, self.second_bias)):
                left, right = weights[b].chunk(2)
                layer.lin_l.weight.copy_(left.t()), layer.lin_r.weight.copy_(right.t()), layer.lin_l.bias.copy_(bias[b, 0])
            for name, value in (("weight", self.gain), ("bias", self.shift), ("running_mean", self.mean), ("running_var", self.var)):
                getattr(network.norm, name).copy_(value[b, 0])
            network.eval()
        return self.networks


def both_weights(layer: nn.Module) -> Tensor:
    """PyG's two weights of a GraphSAGE layer as one, for [aggregate, own] @ W: [2 F, H]."""
    return torch.cat([layer.lin_l.weight.t(), layer.lin_r.weight.t()])


def train_stacked(networks: list[Backbone], graphs: list[Data], generators: list[torch.Generator], *, epochs: int,
                  learning_rate: float, weight_decay: float = 0.0) -> list[Backbone]:
    """Train network b on graph b with cross-entropy over all its nodes; the last epoch counts.

    The same as ``nn.train(network, network.prepare(x, edge_index), loss, None, ...)`` for each, but for rounding.
    (Which training amplifies: in single precision two runs that differ in one rounding drift apart.)

    :param networks: ``Backbone("sage", ..., batch_norm=True)``, changed in place and returned.
    :param generators: one for each network, which seeds its dropout.
    """
    check_count(epochs, "epochs", low=1)
    if not len(networks) == len(graphs) == len(generators):
        raise ValueError("networks, graphs and generators must be equally many, "
                         f"got {len(networks)}, {len(graphs)} and {len(generators)}")
    if (least := min(graph.num_nodes for graph in graphs)) < 2:
        raise ValueError(f"batch normalisation needs at least two nodes in each graph, got {least}")
    model, stack = StackedSAGE(networks), stack_graphs(graphs)
    drops = [seeded(draw_seed(check_generator(g))) for g in generators]
    optimiser = torch.optim.Adam(model.parameters(), lr=learning_rate, weight_decay=weight_decay)
    share = stack.real / stack.sizes[:, None]
    with flushed_denormals():
        for _ in range(epochs):
            logits = model(stack, dropout_masks(model, stack, drops))
            losses = F.cross_entropy(logits.flatten(0, 1), stack.y.flatten(), reduction="none").view_as(share)
            optimiser.zero_grad()
            (losses * share).sum().backward()
            optimiser.step()
    return model.write_back()


def dropout_masks(model: StackedSAGE, stack: Stack, generators: list[torch.Generator]) -> Tensor:
    """What PyTorch's dropout would draw for each network from its own generator: [B, K, H], 0 at padding."""
    keep = 1 - model.networks[0].dropout
    if keep == 1:
        return stack.real[..., None].to(model.gain.dtype)
    masks = torch.zeros(*stack.real.shape, model.gain.size(2), dtype=model.gain.dtype)
    for mask, size, generator in zip(masks, stack.sizes.tolist(), generators):
        mask[:size].bernoulli_(keep, generator=generator)
    return masks.div_(keep)
