"""The six backbones of the GraphPrivatizer paper, and an MLP as the reference that ignores edges.

Each is two layers of PyG's convolution with an activation (SELU, or ReLU in RGNN) and dropout between them; PrivGNN's
GraphSAGE also normalises the batch there. The layers are PyG's; what is ours is *when* they project and aggregate. GCN,
GraphSAGE and GraphConv aggregate and project, with nothing learnt in between. So on fixed inputs the first aggregate is
computed once, and where the features are sparse they are projected before they are aggregated (``features.py``). GAT,
GATv2 and GT project first, in factors where the features come in factors, and then attend.
"""

from dataclasses import dataclass
from functools import cached_property

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..checks import check_choice, check_count, check_features, check_flag, check_fraction, check_is, check_pairs
from ..graph import Edges, SparseMatrix, check_weight
from ..late import pyg
from ..randomness import torch_seeded
from .attention import Pattern, attend_fast, projections
from .features import Dense, Factored, sparse_rows

# name -> (PyG's layer, how it aggregates: normalisation and self loops; None where the weights are learnt)
BACKBONES = {
    "gcn": ("GCNConv", ("symmetric", True)),
    "sage": ("SAGEConv", ("mean", False)),
    "graphconv": ("GraphConv", ("sum", False)),
    "gat": ("GATConv", None),
    "gatv2": ("GATv2Conv", None),
    "gt": ("TransformerConv", None),
}
REFERENCE = "mlp"
ACTIVATIONS = {"selu": F.selu, "relu": F.relu}
SPARSE = 0.1  # features with a smaller share of non-zeros are projected as a sparse matrix


@dataclass(frozen=True)
class GraphInput:
    """What a backbone reads: edges, features and, for the linear aggregators, the matrix that aggregates.

    :param features: of ``Dense`` or ``Factored``.
    """

    edge_index: Tensor
    features: Dense | Factored
    matrix: SparseMatrix | None = None

    @cached_property
    def pattern(self) -> Pattern:
        """The edges as an attention reads them."""
        return Pattern.of(self.edge_index, self.features.shape[0])


class Backbone(nn.Module):
    """Two convolutions: ``forward(inputs)`` gives logits [N, C].

    :param kind: one of ``BACKBONES``, or ``"mlp"``.
    :param heads: attention heads of the first layer, where there are any.
    :param batch_norm: normalise the first layer's output, before the activation.
    :param generator: seeds the initial weights.
    :param activation: after the first layer, a name of ``ACTIVATIONS``.

    >>> from privgraph.randomness import seeded
    >>> path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> net = Backbone("sage", 4, 2, generator=seeded(0))
    >>> net(net.prepare(torch.ones(3, 4), path)).shape
    torch.Size([3, 2])
    """

    def __init__(self, kind: str, num_features: int, num_classes: int, *, hidden: int = 16, dropout: float = 0.5,
                 heads: int = 4, activation: str = "selu", batch_norm: bool = False, generator: torch.Generator):
        super().__init__()
        check_choice(kind, "backbone", [*BACKBONES, REFERENCE])
        hidden, num_classes = check_count(hidden, "hidden", low=1), check_count(num_classes, "num_classes", low=2)
        heads, num_features = check_count(heads, "heads", low=1), check_count(num_features, "num_features", low=1)
        check_choice(activation, "activation", ACTIVATIONS)
        self.num_features = num_features
        self.kind, self.dropout, self.activation = kind, check_fraction(dropout, "dropout"), ACTIVATIONS[activation]
        with torch_seeded(generator):
            self.first, self.second = make_layers(kind, num_features, hidden, num_classes, heads)
        self.norm = nn.BatchNorm1d(width(self.first)) if check_flag(batch_norm, "batch_norm") else nn.Identity()

    def redraw(self, generator: torch.Generator) -> "Backbone":
        """New initial weights. They depend on ``generator`` alone, but are not those of a new ``Backbone`` with it."""
        with torch_seeded(generator):
            for part in (self.first, self.second, self.norm):
                getattr(part, "reset_parameters", lambda: None)()
        return self

    def prepare(self, x: Tensor | Factored, edge_index: Tensor, edge_weight: Tensor | None = None) -> GraphInput:
        """The constants of training on fixed inputs, computed once.

        :param x: features float [N, d], dense or in factors.
        :param edge_index: int64 [2, E]; may be directed.
        :param edge_weight: float [E]; only the linear aggregators can use weights.
        :raises ValueError: for weights of edges where the network learns its own.
        """
        self.check_inputs(x, edge_index)
        kind, num_nodes = BACKBONES.get(self.kind, (None, None))[1], x.shape[0]
        if edge_weight is not None:
            check_linear(self.kind)
        if isinstance(x, Tensor) and x.count_nonzero() < SPARSE * x.numel():
            x = Factored(sparse_rows(x))
        if kind is None:
            if getattr(self.first, "add_self_loops", False):
                edge_index = pyg.utils.remove_self_loops(edge_index)[0]
                edge_index = pyg.utils.add_self_loops(edge_index, num_nodes=num_nodes)[0]
            return GraphInput(edge_index, Dense(x) if isinstance(x, Tensor) else x)
        matrix = Edges(edge_index, num_nodes).adjacency(*kind, weight=check_weight(edge_weight, edge_index))
        return GraphInput(edge_index, Dense(x, matrix) if isinstance(x, Tensor) else x.aggregated_by(matrix), matrix)

    def check_inputs(self, x: Tensor | Factored, edge_index: Tensor) -> None:
        """Finite features with the columns that the network was made for, and edges among their nodes.

        :param x: float [N, d], or in factors.
        :raises ValueError: for another number of columns than the network was made for.
        """
        if not isinstance(x, Factored) and check_features(x).size(1) != self.num_features:
            raise ValueError(
                f"features must have {self.num_features} columns, as the network was made for, got {x.size(1)}")
        check_pairs(edge_index, x.shape[0], "edge_index", "E")

    def begin(self, inputs: GraphInput) -> Tensor:
        """The first layer's output, before normalisation and dropout: the same whether the network trains or not.

        :returns: float [N, hidden].
        """
        return self.convolve(self.first, inputs.features, inputs)

    def forward(self, inputs: GraphInput, begun: Tensor | None = None) -> Tensor:
        """

        :param begun: ``begin(inputs)``, where that is known already, float [N, hidden].
        :returns: logits, float [N, C].
        """
        h = self.hidden_step(self.begin(inputs) if begun is None else begun)
        return self.convolve(self.second, Dense(h, inputs.matrix), inputs)

    def hidden_step(self, h: Tensor) -> Tensor:
        """What happens to the first layer's output [N, hidden] before the second reads it;
        entry by entry after training.

        :param h: float [N, hidden].
        :returns: float [N, hidden].
        """
        return F.dropout(self.activation(self.norm(h)), self.dropout, self.training)

    def convolve(self, layer: nn.Module, features: Dense | Factored, inputs: GraphInput) -> Tensor:
        """PyG's ``layer(x, edge_index)``, with projection and aggregation taken apart.

        :param layer: of PyG.
        :param features: what it reads, dense or in factors.
        :returns: float [N, h].
        """
        if self.kind == REFERENCE:
            return linear(layer, features)
        if inputs.matrix is None:
            return attend_fast(layer, [linear(part, features) for part in projections(layer)], inputs.pattern)
        return project(layer, features)


def check_linear(kind: str) -> None:
    """Refuse weights of edges for a backbone that learns its own.

    :param kind: of ``Backbone``; the one that ignores edges ignores their weights.
    """
    linear = [name for name, (_, how) in BACKBONES.items() if how]
    if kind not in (*linear, REFERENCE):
        raise ValueError(f"edge_weight is for {', '.join(linear)} only, got it with backbone {kind!r}")


def make_layers(kind: str, num_features: int, hidden: int, num_classes: int,
                heads: int) -> tuple[nn.Module, nn.Module]:
    if kind == REFERENCE:
        return nn.Linear(num_features, hidden), nn.Linear(hidden, num_classes)
    name, aggregates = BACKBONES[kind]
    layer = getattr(pyg.nn, name)
    if aggregates:
        return layer(num_features, hidden), layer(hidden, num_classes)
    return layer(num_features, hidden, heads=heads), layer(heads * hidden, num_classes, concat=False)


def around(inputs: GraphInput, node: int) -> GraphInput:
    """All that two layers of GraphSAGE read of a prepared graph to answer for ``node``, which comes first in it."""
    check_is(inputs, "inputs", GraphInput), check_count(node, "node", high=len(inputs.features.x) - 1)
    source, target = inputs.edge_index
    neighbours = source[target == node]
    nodes = torch.cat([neighbours.new_tensor([node]), neighbours])
    star = torch.stack([torch.arange(1, nodes.numel()), torch.zeros(neighbours.numel(), dtype=torch.long)])
    return GraphInput(star, inputs.features.rows(nodes), Edges(star, nodes.numel()).adjacency("mean"))


def width(layer: nn.Module) -> int:
    """How many columns the output of a first layer has."""
    return layer.out_features if isinstance(layer, nn.Linear) else layer.out_channels * getattr(layer, "heads", 1)


def linear(layer: nn.Module, features: Dense | Factored) -> Tensor:
    """``layer(x)`` of a linear layer."""
    projected = features.project(layer.weight)
    return projected if layer.bias is None else projected + layer.bias


def project(layer: nn.Module, features: Dense | Factored) -> Tensor:
    """The learnt part of a convolution that aggregates linearly."""
    if isinstance(layer, pyg.nn.GCNConv):
        return features.project_aggregate(layer.lin.weight) + layer.bias
    if isinstance(layer, pyg.nn.SAGEConv):
        return features.project_aggregate(layer.lin_l.weight) + layer.lin_l.bias + features.project(layer.lin_r.weight)
    aggregate = features.project_aggregate(layer.lin_rel.weight) + layer.lin_rel.bias
    return aggregate + features.project(layer.lin_root.weight)
