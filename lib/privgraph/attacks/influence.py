r"""LinkTeller: whose prediction moves when a node's features are turned up a little? (Wu et al. 2022.)

The attacker may query a trained network. She scales the features of v by 1 + t and watches the logits of u:

.. math:: \mathrm{score}(u, v) = \Big\lVert \frac{d}{dt}\, f_u(X + t\, e_v x_v^{\top}) \Big\rVert_2 \text{ at } t = 0

The authors take a difference of two forward passes for each pair. Two layers carry a change over two hops, so the
derivative needs only the nodes between v and u, and many pairs fit into one pass: first the change that v
causes in its neighbours' hidden values, then the change these cause in the logits of u. Pairs and attention's edges are
taken in blocks, so memory grows with the graph's nodes and edges, and not with the messages on its edges.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch.autograd.forward_ad as forward_ad
import torch.nn.functional as F
from torch import Tensor, nn

from ..checks import check_choice, check_flag, check_pairs
from ..graph import edge_key, lookup
from ..late import pyg
from ..nn import REFERENCE, Backbone, Dense, Factored, GraphInput
from ..nn.attention import attend, projections
from .worlds import network, tried_on

BLOCK = 1 << 17  # edges around the centres of one block; an attention holds about 16 messages on each of them


@tried_on(network, symmetric=False)
def linkteller(model: Backbone, x: Tensor | Factored, edge_index: Tensor, pairs: Tensor, *,
               edge_weight: Tensor | None = None, output: str = "logits", both: bool = False) -> Tensor:
    """The influence of v on u for every pair, float [n]: higher means more likely an edge.

    ``queried_influence`` is the same by queries alone, and of networks of any depth.

    :param model: a trained backbone.
    :param x: the features float [N, d] that the attacker sends.
    :param edge_index: the edges int64 [2, E] behind the model's interface (with their weights).
    :param pairs: int64 [2, n], rows u and v.
    :param output: ``"logits"`` or ``"posteriors"``.
    :param both: add the influence of u on v. The authors take one direction; an edge carries both.
    :raises TypeError: for a model that is no ``Backbone``.
    """
    check_choice(output, "output", ("logits", "posteriors")), check_flag(both, "both")
    if not isinstance(model, Backbone):
        raise TypeError(f"model must be a privgraph.nn.Backbone, got {type(model).__name__}")
    with torch.no_grad():
        inputs = model.prepare(x, edge_index, edge_weight)
        check_pairs(pairs, x.shape[0])
        asked = torch.cat([pairs, pairs.flip(0)], 1) if both else pairs
        network = Network(model.eval(), inputs, asked[0])
        change = torch.cat([network.change(*block) for block in asked.split(network.lists.blocks(asked[0]), dim=1)])
        if output == "posteriors":
            p = network.logits[asked[0]].softmax(1)
            change = p * (change - (p * change).sum(1, keepdim=True))
        return change.norm(dim=1).view(1 + both, pairs.size(1)).sum(0)


@dataclass(frozen=True)
class Lists:
    """Who hears whom, sorted: node c hears ``source[start[c]:start[c + 1]]``."""

    source: Tensor
    target: Tensor
    start: Tensor
    weight: Tensor | None

    @staticmethod
    def from_inputs(inputs: GraphInput, num_nodes: int) -> "Lists":
        if inputs.matrix is not None:
            csr = inputs.matrix.csr
            start, source, weight = csr.crow_indices(), csr.col_indices(), csr.values()
            target = torch.arange(num_nodes).repeat_interleave(start.diff())
            return Lists(source, target, start, weight)
        source, target = inputs.edge_index
        order = edge_key((target, source), num_nodes).argsort()
        size = torch.bincount(target, minlength=num_nodes)
        return Lists(source[order], target[order], F.pad(size.cumsum(0), (1, 0)), None)

    def around(self, centres: Tensor) -> tuple[Tensor, Tensor]:
        """The lists of ``centres`` one after the other: (which centre, which edge)."""
        size = self.start[centres + 1] - self.start[centres]
        row = torch.arange(len(centres)).repeat_interleave(size)
        return row, torch.arange(len(row)) - (size.cumsum(0) - size)[row] + self.start[centres][row]

    def received_by(self, nodes: Tensor) -> Tensor:
        """``nodes`` and all that they hear, each once."""
        nodes = nodes.unique()
        return torch.cat([nodes, self.source[self.around(nodes)[1]]]).unique()

    def blocks(self, centres: Tensor) -> list[int]:
        """How many centres in a row make a block of about ``BLOCK`` edges around them."""
        size = self.start[centres + 1] - self.start[centres] + 1
        return torch.bincount(size.cumsum(0) // BLOCK).tolist() or [0]

    def stars(self, centres: Tensor) -> Iterator[tuple[Tensor, Tensor, Tensor, Tensor]]:
        """A star of its own for every centre: copies of the nodes that it hears, then of the centres, block by block.

        Gives (which centres, the copied nodes, the centre whose star each copy is in, the edges between the copies).
        """
        for block in torch.arange(len(centres)).split(self.blocks(centres)):
            ray, edge = self.around(centres[block])
            copied = torch.cat([self.source[edge], centres[block]])
            star = torch.stack([torch.arange(len(ray)), len(ray) + ray])
            yield block, copied, torch.cat([block[ray], block]), star

    def find(self, centre: Tensor, source: Tensor) -> tuple[Tensor, Tensor]:
        """For each pair: does ``centre`` hear ``source``, and on which edge (the first of parallel ones)?"""
        n = len(self.start) - 1
        return lookup(edge_key((self.target, self.source), n), edge_key((centre, source), n))


class Network:
    """A backbone on one graph, with what its two layers hold between them where the nodes ``u`` are answered."""

    def __init__(self, model: Backbone, inputs: GraphInput, u: Tensor):
        self.model, self.inputs = model, inputs
        self.seen = [inputs.features.project(part.weight) for part in parts(model.first)]  # without biases
        self.lists = Lists.from_inputs(inputs, len(self.seen[0]))
        hidden = self.output(model.first, inputs.features, self.seen, self.lists.received_by(u))
        active = Dense(model.hidden_step(hidden), inputs.matrix)
        self.felt = [active.project(part.weight) for part in parts(model.second)]
        self.logits = self.output(model.second, active, self.felt, u.unique())
        with torch.enable_grad():
            free = hidden.detach().requires_grad_()
            self.slope = torch.autograd.grad(model.hidden_step(free).sum(), free)[0]

    def output(self, layer: nn.Module, features: Dense | Factored, projected: list[Tensor], nodes: Tensor) -> Tensor:
        """What ``layer`` gives, [N, width]; an attention gives it for ``nodes`` only, and 0 for the others."""
        if self.model.kind == REFERENCE or self.inputs.matrix is not None:
            return self.model.convolve(layer, features, self.inputs)
        values = attention(layer, self.lists, projected, nodes)
        return values.new_zeros(len(projected[0]), values.size(1)).index_copy_(0, nodes, values)

    def change(self, u: Tensor, v: Tensor) -> Tensor:
        """d logits_u / dt for every pair, [n, C]."""
        pair, middle = self.between(u, v)
        direct = [p[v[pair]] for p in self.seen]
        change = layer_change(self.model.first, self.lists, self.seen, middle,
                              torch.arange(len(pair)), v[pair], direct) * self.slope[middle]
        carried = [change @ part.weight.t() for part in parts(self.model.second)]
        return layer_change(self.model.second, self.lists, self.felt, u, pair, middle, carried)

    def between(self, u: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """(pair, w) for every node w that u hears and that hears v; a node hears itself too."""
        if self.model.kind == REFERENCE:
            return (here := (u == v).nonzero().squeeze(1)), u[here]
        row, edge = self.lists.around(u)
        pair, middle = torch.cat([row, torch.arange(len(u))]), torch.cat([self.lists.source[edge], u])
        key = (pair * (len(self.lists.start) - 1) + middle).unique()
        pair, middle = key // (len(self.lists.start) - 1), key % (len(self.lists.start) - 1)
        hears = self.lists.find(middle, v[pair])[0] | (middle == v[pair])
        return pair[hears], middle[hears]


def parts(layer: Any) -> list[nn.Linear]:
    """The linear maps of a layer: (what is aggregated, what the node itself adds), or an attention's projections."""
    if isinstance(layer, nn.Linear):
        return [layer]
    if isinstance(layer, pyg.nn.GCNConv):
        return [layer.lin]
    if isinstance(layer, pyg.nn.SAGEConv):
        return [layer.lin_l, layer.lin_r]
    return [layer.lin_rel, layer.lin_root] if hasattr(layer, "lin_rel") else projections(layer)


def layer_change(layer: nn.Module, lists: Lists, projected: list[Tensor], centres: Tensor, row: Tensor,
                 source: Tensor, changes: list[Tensor]) -> Tensor:
    """How the outputs at ``centres`` [R] change when projected inputs change.

    Change i is one of node ``source[i]``, by ``changes[.][i]``, and counts for the centre ``row[i]`` only.
    """
    own = source == centres[row]
    if isinstance(layer, nn.Linear):
        return changes[0].new_zeros(len(centres), changes[0].size(1)).index_add_(0, row, changes[0])
    if lists.weight is not None:
        hears, edge = lists.find(centres[row], source)
        weight = F.pad(lists.weight, (0, 1))[torch.where(hears, edge, -1)]  # 0 where there is no edge
        heard = weight[:, None] * changes[0]
        if len(changes) > 1:
            heard = heard + own[:, None] * changes[1]
        return heard.new_zeros(len(centres), heard.size(1)).index_add_(0, row, heard)
    return attention_change(layer, lists, projected, centres, row, source, changes)


def attention(layer: nn.Module, lists: Lists, projected: list[Tensor], centres: Tensor) -> Tensor:
    """The outputs of an attention layer at ``centres``, in the memory of one block of stars."""
    return torch.cat([attend(layer, gathered(layer, projected, copied), star)[star.size(1):]
                      for _, copied, _, star in lists.stars(centres)])


def attention_change(layer: nn.Module, lists: Lists, projected: list[Tensor], centres: Tensor, row: Tensor,
                     source: Tensor, changes: list[Tensor]) -> Tensor:
    """``layer_change`` of an attention layer, whose weights change too: forward-mode derivatives on stars."""
    n, out = len(lists.start) - 1, []
    key, order = edge_key((row, source), n).sort()
    for _, copied, centre, star in lists.stars(centres):
        found, hit = lookup(key, edge_key((centre, copied), n))
        duals = []
        with forward_ad.dual_level():
            for copies, change in zip(gathered(layer, projected, copied), changes, strict=True):
                moved = change.new_zeros(copies.shape)
                moved[found] = change[order[hit[found]]]
                duals.append(forward_ad.make_dual(copies, moved))
            out.append(forward_ad.unpack_dual(attend(layer, duals, star)).tangent[star.size(1):])
    return torch.cat(out)


def gathered(layer: nn.Module, projected: list[Tensor], nodes: Tensor) -> list[Tensor]:
    """What the projections of an attention layer give for ``nodes``, with their biases."""
    return [values[nodes] if part.bias is None else values[nodes] + part.bias
            for part, values in zip(projections(layer), projected, strict=True)]
