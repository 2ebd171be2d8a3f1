r"""Features as a linear layer sees them: something that can be projected, and whose aggregate can be projected.

``Dense`` holds x [N, d] and its aggregate A x. ``Factored`` holds :math:`x = S^{K} (s R + c)` in its
factors: R sparse (the multi-bit reports: m entries a row), S the matrix of KProp. Since
:math:`(S^{K} R) W = S^{K} (R W)`, projecting first turns a product with a dense N x d matrix into K sparse
products with N x hidden ones. That pays where features are many and steps few (``wide``). Standardised columns are
another W and a shift: :math:`((x - \mu) / \sigma) W = x (W / \sigma) - \mu (W / \sigma)`.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from ..checks import check_features, check_tensor
from ..graph import SparseMatrix, propagate

CHEAPER = 8  # entries of a dense matrix that are multiplied in the time of one of a sparse matrix
LARGE = 2**24  # entries of a dense matrix that is rather not made, 64 MiB
BLOCK = 256  # columns multiplied out at a time, to find their moments


class Dense:
    """Features [N, d] and, where a matrix is given, their aggregate, computed once.

    :param x: float [N, d].
    """

    def __init__(self, x: Tensor, matrix: SparseMatrix | None = None):
        self.x, self.aggregate = x, None if matrix is None else matrix @ x

    @property
    def shape(self) -> tuple[int, ...]:
        """(N, d)."""
        return tuple(self.x.shape)

    def rows(self, nodes: Tensor) -> "Dense":
        """The same for some nodes: their features, and their aggregates over the whole graph.

        :param nodes: int64 [n].
        """
        part = Dense(self.x[nodes])
        part.aggregate = None if self.aggregate is None else self.aggregate[nodes]
        return part

    def project(self, weight: Tensor) -> Tensor:
        """x W^T for weight [h, d]: [N, h].

        :param weight: float [h, d].
        :returns: float [N, h].
        """
        return self.x @ weight.t()

    def project_aggregate(self, weight: Tensor) -> Tensor:
        """A x W^T: [N, h].

        :param weight: float [h, d].
        :returns: float [N, h].
        """
        return self.aggregate @ weight.t()


@dataclass(frozen=True)
class Factored:
    r"""The features :math:`S^{K} (s R + c)` [N, d], never multiplied out;
    ``scale`` s and ``shift`` c are numbers, or both [d]; ``mean`` and ``deviation`` [d] of their columns where those
    are standardised.

    :param sparse: R, of shape [N, d].
    :param smoother: S, of shape [N, N]; None: no smoothing.
    :param steps: K.
    :param scale: s, a number or float [d].
    :param shift: c, a number or float [d].
    :param mean: float [d], of the columns; None: they stay as they are.
    :param deviation: float [d], likewise.
    """

    sparse: SparseMatrix
    smoother: SparseMatrix | None = None
    steps: int = 0
    scale: float | Tensor = 1.0
    shift: float | Tensor = 0.0
    matrix: SparseMatrix | None = None
    mean: Tensor | None = None
    deviation: Tensor | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """(N, d)."""
        return self.sparse.shape

    @property
    def wide(self) -> bool:
        """Whether ``steps`` sparse products cost less than one with the N x d matrix that they would make."""
        return self.steps == 0 or self.shape[0] * self.shape[1] > CHEAPER * self.steps * self.smoother.entries

    @property
    def large(self) -> bool:
        """Whether the N x d matrix is better not made even once."""
        return self.wide and self.shape[0] * self.shape[1] > LARGE

    def standardized(self) -> "Factored":
        """The same features, their columns with mean 0 and standard deviation 1, still in factors."""
        units = torch.eye(self.shape[1]).split(BLOCK)  # e_j projects to column j
        mean, deviation = zip(*(moments(self.project(block)) for block in units), strict=True)
        return replace(self, mean=torch.cat(mean), deviation=torch.cat(deviation))

    def aggregated_by(self, matrix: SparseMatrix) -> "Factored":
        """The same features, to be aggregated by ``matrix``."""
        return replace(self, matrix=matrix)

    def project(self, weight: Tensor) -> Tensor:
        """x W^T for weight [h, d]: [N, h].

        :param weight: float [h, d].
        :returns: float [N, h].
        """
        weight = weight if self.mean is None else weight / self.deviation
        if isinstance(self.scale, Tensor):
            projected = self.sparse @ (self.scale * weight).t() + weight @ self.shift
        else:
            projected = self.scale * (self.sparse @ weight.t()) + self.shift * weight.sum(1)
        projected = propagate(self.smoother, projected, self.steps)
        return projected if self.mean is None else projected - weight @ self.mean

    def project_aggregate(self, weight: Tensor) -> Tensor:
        """A x W^T: [N, h].

        :param weight: float [h, d].
        :returns: float [N, h].
        """
        return self.matrix @ self.project(weight)

    def to_dense(self) -> Tensor:
        """x itself, [N, d].

        :returns: float [N, d].
        """
        x = propagate(self.smoother, self.scale * self.sparse.to_dense() + self.shift, self.steps)
        return x if self.mean is None else (x - self.mean) / self.deviation


def standardize(x: Tensor, by: Tensor | None = None) -> Tensor:
    """Columns of x [N, d] with mean 0 and standard deviation 1; a constant column becomes 0.

    :param x: float [N, d].
    :param by: float [n, d], the rows whose mean and deviation are used; public ones, where those of x are not to be
        released.
    :returns: float [N, d].

    >>> import torch
    >>> standardize(torch.tensor([[1.0, 7.0], [3.0, 7.0]])).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    mean, deviation = moments(check_features(x if by is None else by))
    return (x - mean) / deviation


def moments(x: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and standard deviation of the columns of x [N, d]; a deviation of 0 counts as 1, to divide by."""
    mean = x.mean(0)
    deviation = (x - mean).square().mean(0).sqrt()
    return mean, deviation.where(deviation > 0, 1.0)


def sparse_rows(x: Tensor) -> SparseMatrix:
    """The non-zero entries of x [N, d] as a sparse float32 matrix.

    :param x: float or int [N, d].
    """
    row, column = check_tensor(x, "x").nonzero(as_tuple=True)
    return SparseMatrix(row, column, x[row, column].float(), tuple(x.shape))
