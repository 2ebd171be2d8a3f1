"""The public bounds of features, as tensors: one pair for all columns, or one for each, broadcast alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from torch_geometric.data import Data

from ..checks import check_data


def bounds(data: Data) -> tuple[Tensor, Tensor]:
    """(low, high) of ``feature_range``, of a graph or a release, float64: [] each, or [d] where columns differ."""
    return torch.tensor(data.feature_range, dtype=torch.float64).unbind(-1)


def clamped(data: Data) -> Tensor:
    """The features [N, d], what lies outside its public bounds moved to the nearer one.

    >>> from torch_geometric.data import Data
    >>> clamped(Data(x=torch.tensor([[2.0, 50.0]]), feature_range=((0, 1), (0, 120)))).tolist()
    [[1.0, 50.0]]
    """
    return check_data(data, "x", "feature_range").x.clamp(*bounds(data)).to(data.x.dtype)


def middle(data: Data) -> Tensor:
    """The middle of the range of each feature, [] or [d]."""
    low, high = bounds(data)
    return ((low + high) / 2).to(data.x)
