r"""From graphs to vectors: three convolutions and a readout (the dissertation, eq. 5.1 and 5.2, section 5.3.2).

*What MinCUT pooling is for a readout.* It sends every node to one of k clusters, softly: :math:`S` [n, k] has rows that
sum to 1, and the coarse graph has features :math:`S^T X` and weights :math:`S^T A S`. Summed over the clusters, the
features are :math:`1^T S^T X = 1^T X`: **the sum over the nodes, whatever S is**. So a pooling layer after the last
convolution changes nothing. Here it comes before the last convolution, which then works on the coarse graph; that is
the nearest reading under which it does something.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..checks import check_choice, check_count, check_fraction, check_is, check_sequence
from ..graph import Graph
from ..graph_batch import GraphBatch
from ..late import pyg
from ..randomness import torch_seeded
from .attention import attend
from .backbones import project
from .features import Dense

LAYERS = {"gcn": "GCNConv", "gat": "GATConv"}  # PyG's
READOUTS = ("mean", "sum", "mincut")
SMALL = 1e-9  # keeps a graph without edges from 0 / 0


class GraphEncoder(nn.Module):
    """``forward(graphs)`` gives a vector for each graph, float [G, widths[-1]], none of it negative.

    :param num_features: columns of the features.
    :param layer: one of ``LAYERS``; attention has one head.
    :param widths: of the convolutions, each followed by ReLU.
    :param readout: ``"mean"`` or ``"sum"`` over the nodes; ``"mincut"``: the last convolution works on ``clusters``
        soft clusters, and their mean is taken.
    :param clusters: k of MinCUT pooling, which the dissertation does not give.
    :param dropout: share of the entries between convolutions.
    :param generator: seeds the initial weights.

    >>> from privgraph.datasets import load_graphs
    >>> from privgraph.randomness import seeded
    >>> triangles = load_graphs("triangles").graphs
    >>> GraphEncoder(1, generator=seeded(0))(triangles.take(torch.arange(5))).shape
    torch.Size([5, 16])
    """

    def __init__(self, num_features: int, *, layer: str = "gcn", widths: tuple[int, ...] = (32, 32, 16),
                 readout: str = "mean", clusters: int = 4, dropout: float = 0.0, generator: torch.Generator):
        super().__init__()
        self.readout, self.dropout = check_choice(readout, "readout", READOUTS), check_fraction(dropout, "dropout")
        make = getattr(pyg.nn, LAYERS[check_choice(layer, "layer", LAYERS)])
        clusters = check_count(clusters, "clusters", low=1)
        sizes = [check_count(size, "each of widths", low=1) for size in check_sequence(widths, "widths", "widths")]
        if len(sizes) < 2:
            raise ValueError(f"widths must name at least 2 convolutions, got {widths}")
        sizes = [check_count(num_features, "num_features", low=1), *sizes]
        with torch_seeded(generator):
            convolutions = [make(a, b) for a, b in zip(sizes, sizes[1:], strict=False)]
            self.coarse = None
            if readout == "mincut":
                convolutions[-1] = nn.Linear(sizes[-2], sizes[-1])
                self.coarse = nn.Linear(sizes[-2], clusters)
        self.convolutions = nn.ModuleList(convolutions)

    @property
    def num_features(self) -> int:
        return self.convolutions[0].in_channels

    def forward(self, graphs: GraphBatch) -> Tensor:
        """

        :returns: float [G, D], one vector for each graph.
        """
        return self.with_cut(graphs)[0]

    def with_cut(self, graphs: GraphBatch) -> tuple[Tensor, Tensor]:
        """The vectors, and what MinCUT pooling wants to be small beside the task: a number, 0 for other readouts.

        :raises ValueError: for graphs with another number of features.
        """
        if check_is(graphs, "graphs", GraphBatch).num_features != self.num_features:
            raise ValueError(f"graphs must have {self.num_features} features, as the encoder was made for, "
                             f"got {graphs.num_features}")
        matrix = Graph(graphs.edge_index, len(graphs.x)).adjacency(self_loops=True)
        with_loops = torch.cat([graphs.edge_index, torch.arange(len(graphs.x)).expand(2, -1)], 1)
        x, on_nodes = graphs.x, self.convolutions if self.coarse is None else self.convolutions[:-1]
        for i, layer in enumerate(on_nodes):
            x = F.dropout(x, self.dropout, self.training) if i else x
            if isinstance(layer, pyg.nn.GATConv):
                x = attend(layer, [layer.lin(x)], with_loops).relu()
            else:
                x = project(layer, Dense(x, matrix)).relu()
        if self.coarse is None:
            total = x.new_zeros(len(graphs), x.size(1)).index_add(0, graphs.batch, x)
            return (total / graphs.sizes[:, None] if self.readout == "mean" else total), x.new_zeros(())
        pooled, weights, loss = mincut(x, self.coarse(x).softmax(1), graphs)
        return self.convolutions[-1](weights @ pooled).relu().mean(1), loss


def mincut(x: Tensor, shares: Tensor, graphs: GraphBatch) -> tuple[Tensor, Tensor, Tensor]:
    r"""MinCUT pooling (Bianchi, Grattarola and Alippi 2020) of all graphs at once; no matrix of n x n is made.

    :param x: [N, d]; ``shares`` :math:`S` [N, k], rows sum to 1.
    :returns: :math:`S^T X` [G, k, d]; :math:`S^T A S` [G, k, k] without its diagonal, divided by the roots of its
        degrees; and the mean over graphs of the loss, the cut :math:`-tr(S^T A S) / tr(S^T D S)` plus how far the
        clusters are from equal and apart, :math:`\|S^T S / \|S^T S\| - I / \sqrt{k}\|`. A graph without edges has no
        cut to make: 0.
    """
    k, count = shares.size(1), len(graphs)
    source, target = graphs.edge_index

    def per_graph(rows: Tensor, batch: Tensor) -> Tensor:
        return rows.new_zeros(count, *rows.shape[1:]).index_add(0, batch, rows)

    pooled = per_graph(shares[:, :, None] * x[:, None], graphs.batch)
    weights = per_graph(shares[source][:, :, None] * shares[target][:, None], graphs.batch[source])
    degree = torch.bincount(source, minlength=len(x))
    inside = weights.diagonal(dim1=1, dim2=2).sum(1)
    cut = inside / (per_graph(degree * shares.square().sum(1), graphs.batch) + SMALL)
    overlap = per_graph(shares[:, :, None] * shares[:, None], graphs.batch)
    even = torch.eye(k) / k**0.5
    apart = (overlap / overlap.norm(dim=(1, 2), keepdim=True) - even).norm(dim=(1, 2))
    weights = weights * (1 - torch.eye(k))
    root = (weights.sum(2) + SMALL).sqrt()
    return pooled, weights / root[:, :, None] / root[:, None], (apart - cut).mean()
