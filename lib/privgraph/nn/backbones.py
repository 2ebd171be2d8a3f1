"""The six backbones of the GraphPrivatizer paper, and an MLP as the reference that ignores edges.

Each is two layers of PyG's convolution with SELU and dropout between them. The layers are PyG's; what
is ours is *when* they aggregate. GCN, GraphSAGE and GraphConv aggregate and project, with nothing
learnt in between. So on fixed inputs the first aggregate is computed once, and where the features are
sparse they are projected before they are aggregated (``features.py``).
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.nn import GATConv, GATv2Conv, GCNConv, GraphConv, SAGEConv, TransformerConv

from ..checks import check_choice, check_count, check_share
from ..graph import SparseMatrix, adjacency
from ..randomness import torch_seeded
from .features import Dense, Factored, sparse_rows

# name -> (layer, how it aggregates: normalisation and self loops; None where the weights are learnt)
BACKBONES = {
    "gcn": (GCNConv, ("symmetric", True)),
    "sage": (SAGEConv, ("mean", False)),
    "graphconv": (GraphConv, ("sum", False)),
    "gat": (GATConv, None),
    "gatv2": (GATv2Conv, None),
    "gt": (TransformerConv, None),
}
REFERENCE = "mlp"
HEADS = 4  # attention heads of the first layer of gat, gatv2 and gt
SPARSE = 0.1  # features with a smaller share of non-zeros are projected as a sparse matrix


@dataclass(frozen=True)
class GraphInput:
    """What a backbone reads: edges, features and, for the linear aggregators, the matrix that aggregates."""

    edge_index: Tensor
    features: Dense | Factored
    matrix: SparseMatrix | None = None


class Backbone(nn.Module):
    """Two convolutions: ``forward(inputs)`` gives logits [N, C].

    :param kind: one of ``BACKBONES``, or ``"mlp"``.
    :param generator: seeds the initial weights.

    >>> from privgraph.randomness import seeded
    >>> path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> net = Backbone("sage", 4, 2, generator=seeded(0))
    >>> net(net.prepare(torch.ones(3, 4), path)).shape
    torch.Size([3, 2])
    """

    def __init__(self, kind: str, num_features: int, num_classes: int, *, hidden: int = 16, dropout: float = 0.5,
                 generator: torch.Generator):
        super().__init__()
        check_choice(kind, "backbone", [*BACKBONES, REFERENCE])
        check_count(hidden, "hidden", low=1), check_count(num_classes, "num_classes", low=2)
        self.kind, self.dropout = kind, check_share(dropout, "dropout")
        with torch_seeded(generator):
            self.first, self.second = make_layers(kind, num_features, hidden, num_classes)

    def prepare(self, x: Tensor | Factored, edge_index: Tensor) -> GraphInput:
        """The constants of training on fixed inputs, computed once. ``x``: [N, d], dense or in factors."""
        kind = BACKBONES.get(self.kind, (None, None))[1]
        if kind is None:
            return GraphInput(edge_index, Dense(x if isinstance(x, Tensor) else x.to_dense()))
        matrix = adjacency(edge_index, x.shape[0], *kind)
        if isinstance(x, Tensor) and x.count_nonzero() < SPARSE * x.numel():
            x = Factored(sparse_rows(x))
        return GraphInput(edge_index, Dense(x, matrix) if isinstance(x, Tensor) else x.aggregated_by(matrix), matrix)

    def forward(self, inputs: GraphInput) -> Tensor:
        h = self.convolve(self.first, inputs.features, inputs)
        h = F.dropout(F.selu(h), self.dropout, self.training)
        return self.convolve(self.second, Dense(h, inputs.matrix), inputs)

    def convolve(self, layer: nn.Module, features: Dense | Factored, inputs: GraphInput) -> Tensor:
        """PyG's ``layer(x, edge_index)``, with the aggregation taken out where it is linear."""
        if self.kind == REFERENCE:
            return layer(features.x)
        if inputs.matrix is None:
            return layer(features.x, inputs.edge_index)
        return project(layer, features)


def make_layers(kind: str, num_features: int, hidden: int, num_classes: int) -> tuple[nn.Module, nn.Module]:
    if kind == REFERENCE:
        return nn.Linear(num_features, hidden), nn.Linear(hidden, num_classes)
    layer, linear = BACKBONES[kind]
    if linear:
        return layer(num_features, hidden), layer(hidden, num_classes)
    return layer(num_features, hidden, heads=HEADS), layer(HEADS * hidden, num_classes, concat=False)


def project(layer: nn.Module, features: Dense | Factored) -> Tensor:
    """The learnt part of a linear convolution."""
    if isinstance(layer, GCNConv):
        return features.project_aggregate(layer.lin.weight) + layer.bias
    if isinstance(layer, SAGEConv):
        return features.project_aggregate(layer.lin_l.weight) + layer.lin_l.bias + features.project(layer.lin_r.weight)
    aggregate = features.project_aggregate(layer.lin_rel.weight) + layer.lin_rel.bias
    return aggregate + features.project(layer.lin_root.weight)
