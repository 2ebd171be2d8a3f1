"""Categorical features with public domains: group 0/1 columns, cut numbers into bins, declare what is there.

A graph with categorical features carries ``domain_sizes``, one whole number gamma_i >= 2 for each column;
column i of x holds the whole numbers 0..gamma_i - 1 as float32. Each transform leaves the original as it was.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform

from ..checks import check_count, check_data, check_features, check_sequence
from ..checks.parameters import Count, Parameters, Sizes

READ_OFF = "cut points and domain sizes of the features: computed from everybody's raw values (Quantiles with bins)"


@dataclass(frozen=True)
class GroupFeatures(Parameters, BaseTransform):
    r"""Join every ``size`` consecutive 0/1 columns into one, by OR.

    .. math:: x'_{vj} = \max(x_{v,js}, x_{v,js+1}, \dots, x_{v,js+s-1})

    RGNN, section V-A1: 70, 25, 50 and 100 columns on Citeseer, Cora, DBLP and Facebook. Each person groups her
    own row. The server only announces the size and sees nothing, so this costs no privacy. Columns of amounts
    become absent or present first, with ``(data.x > 0).float()``.

    :param size: s, columns in a block, at least 1; the last block may be shorter. 1 only declares binary features.

    >>> data = Data(x=torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    >>> grouped = GroupFeatures(2)(data)
    >>> grouped.x.tolist(), grouped.domain_sizes
    ([[1.0, 0.0], [0.0, 1.0]], (2, 2))
    """

    size: Annotated[int, Count(1)]

    def forward(self, data: Data) -> Data:
        """A copy of the graph whose features are 1 where one of a group is."""
        x = check_domains(check_data(data, "x").x, (2,) * data.num_features)
        x = torch.stack([block.amax(1) for block in x.split(self.size, dim=1)], 1)  # [N, ceil(d / size)]
        return with_categories(data, x, (2,) * x.size(1))


@dataclass(frozen=True)
class Quantiles(BaseTransform):
    r"""Cut numbers into bins: a value's category is the number of its column's cut points below it.

    .. math:: x'_{vi} = |\{c \in \mathrm{cuts}_i : c < x_{vi}\}|

    **With ``bins``, cut points and domain sizes are computed from everybody's raw values, before any noise, and no
    budget accounts for that**: ``unaccounted`` of the graph, and of every release, says so. RGNN, section V-A1, says
    that it does the same. With ``cuts`` nothing is read from
    the data: each person cuts her own row, which costs no privacy.

    The cut points are the smallest values v with :math:`\Pr[x_i \le v] \ge j / \mathrm{bins}`, without repeats and
    below the column's largest value. So no category is empty, and a column with at most ``bins`` different values
    keeps them, as 0..k-1 in order.

    :param bins: the most categories a column may get, at least 2. Give this or ``cuts``.
    :param cuts: public cut points, increasing, at least one for each column; a value on a cut is below it.

    >>> data = Data(x=torch.tensor([[1.0, 5.0], [2.0, 7.0], [3.0, 5.0], [9.0, 5.0]]))
    >>> Quantiles(bins=2)(data).x.T.tolist()
    [[0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 0.0]]
    >>> Quantiles(cuts=[(2, 8), (6,)])(data).domain_sizes
    (3, 2)
    """

    bins: int | None = None
    cuts: Sequence[Sequence[float]] | None = None

    def __post_init__(self):
        if (self.bins is None) == (self.cuts is None):
            raise ValueError(f"either bins or cuts must be given, got bins={self.bins!r} and cuts={self.cuts!r}")
        if self.cuts is None:
            object.__setattr__(self, "bins", check_count(self.bins, "bins", low=2))
        else:
            object.__setattr__(self, "cuts", check_all_cuts(self.cuts, "cuts"))

    def forward(self, data: Data) -> Data:
        """A copy of the graph whose features are the numbers of their bins."""
        columns = check_columns(check_data(data, "x").x).float().T.contiguous()  # [d, N]
        if self.cuts is None:
            cuts = [quantiles(values, self.bins, column) for column, values in enumerate(columns)]
        else:
            check_columns(data.x, self.cuts, "cuts")
            cuts = [columns.new_tensor(points) for points in self.cuts]
        x = torch.stack([torch.bucketize(values, points) for values, points in zip(columns, cuts, strict=True)], 1)
        binned = with_categories(data, x, tuple(len(points) + 1 for points in cuts))
        if self.cuts is None:
            binned.unaccounted = (*getattr(data, "unaccounted", ()), READ_OFF)
        return binned


@dataclass(frozen=True)
class Categories(Parameters, BaseTransform):
    """Declare that x already holds categories, with public domain sizes; a value outside is refused.

    :param domain_sizes: gamma_i, the number of values of each column, at least 2, known without looking at the data.

    >>> data = Categories((2, 3))(Data(x=torch.tensor([[1.0, 0.0], [0.0, 2.0]])))
    >>> data.domain_sizes, data.feature_range
    ((2, 3), (0.0, 2.0))
    """

    domain_sizes: Annotated[Sequence[int], Sizes()]

    def forward(self, data: Data) -> Data:
        """A copy of the graph whose features are these categories."""
        return with_categories(data, check_domains(check_data(data, "x").x, self.domain_sizes), self.domain_sizes)


def categories_of(data: Data) -> tuple[Tensor, tuple[int, ...]]:
    """The categorical features of a graph, int64 [N, d], feature i in 0..sizes[i] - 1, and the sizes of their domains.

    :raises ValueError: for a graph without ``domain_sizes``.

    >>> categories_of(Categories((2,))(Data(x=torch.tensor([[1.0], [0.0]]))))
    (tensor([[1],
            [0]]), (2,))
    """
    if (sizes := getattr(check_data(data, "x"), "domain_sizes", None)) is None:
        raise ValueError("data must have domain_sizes, got none; datasets.GroupFeatures (for 0/1 columns), "
                         "datasets.Quantiles (numbers) and datasets.Categories (whole numbers) set them")
    return check_domains(data.x, sizes).long(), tuple(sizes)


def with_categories(data: Data, x: Tensor, sizes: tuple[int, ...]) -> Data:
    """A shallow copy of the graph with these features."""
    data = copy.copy(data)
    data.x, data.domain_sizes, data.feature_range = x.float(), sizes, (0.0, float(max(sizes) - 1))
    return data


def quantiles(values: Tensor, bins: int, column: int) -> Tensor:
    """Increasing cut points, at most bins - 1, that leave no category empty."""
    different, count = values.unique(return_counts=True)
    if len(different) < 2:
        raise ValueError(f"column {column} has one value only: drop it, a domain needs at least 2")
    if len(different) <= bins:
        return different[:-1]
    wanted = torch.arange(1, bins, device=values.device) * len(values)
    place = torch.searchsorted(count.cumsum(0) * bins, wanted)  # in whole numbers: no rounding
    return different[place.clamp(max=len(different) - 2).unique()]  # a cut at the largest has nobody above it


def check_columns(x: Tensor, entries: Sequence | None = None, name: str = "") -> Tensor:
    """Finite features of at least one node; with ``entries``, of as many columns."""
    check_features(x)
    if 0 in x.shape:
        raise ValueError(f"features must have at least one node and one column, got shape {list(x.shape)}")
    if entries is not None and len(entries) != x.size(1):
        raise ValueError(f"{name} must have one entry for each of {x.size(1)} columns, got {len(entries)}")
    return x


def check_all_cuts(cuts: Sequence[Sequence[float]], name: str) -> tuple[tuple[float, ...], ...]:
    columns = check_sequence(cuts, name, "the cut points of each column")
    return tuple(check_cuts(points, column) for column, points in enumerate(columns))


def check_cuts(points: Sequence[float], column: int) -> tuple[float, ...]:
    try:
        values = torch.as_tensor(points, dtype=torch.float32)  # as they will be compared
    except (TypeError, ValueError, RuntimeError):
        values = torch.empty(0)
    if values.dim() != 1 or not len(values) or not values.isfinite().all() or not (values.diff() > 0).all():
        raise ValueError("cuts must be finite and increasing, at least one for each column, "
                         f"got {points!r} for column {column}")
    return tuple(map(float, points))


def check_domains(x: Tensor, sizes: Sequence[int]) -> Tensor:
    """Features that are whole numbers in 0..size-1 of their column."""
    check_columns(x, sizes, "domain_sizes")
    wrong = (x != x.floor()) | (x < 0) | (x >= x.new_tensor(sizes))
    if wrong.any():
        column = int(wrong.any(0).nonzero()[0])
        raise ValueError(f"column {column} must hold whole numbers in 0..{sizes[column] - 1}, "
                         f"got {float(x[wrong[:, column], column][0]):g}")
    return x
