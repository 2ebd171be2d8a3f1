"""PyG's perceptron, for what a student knows without edges."""

import torch
from torch import Tensor
from torch_geometric.nn import MLP as PlainMLP

from ..checks import check_count, check_fraction
from ..randomness import torch_seeded


class MLP(PlainMLP):
    """PyG's MLP of three layers with ReLU and dropout, called as a backbone is: it ignores the edges.

    :param generator: seeds the initial weights.
    """

    def __init__(self, num_features: int, num_classes: int, *, hidden: int, dropout: float, generator: torch.Generator):
        sizes = [check_count(num_features, "num_features", low=1), *2 * [check_count(hidden, "hidden", low=1)],
                 check_count(num_classes, "num_classes", low=2)]
        with torch_seeded(generator):
            super().__init__(sizes, dropout=check_fraction(dropout, "dropout"), norm=None)

    def prepare(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """The features as they are: edges are not read.

        :param x: float [N, d].
        :returns: float [N, d].
        """
        return x
