"""RGNN's server half, up to the network: features, labels and label shares of clusters from noisy reports.

All three rest on one fact. In a group of people, the share of reports that name a value is an affine function
of the share of people who have it, so it can be turned round. The group is a neighbourhood, or a cluster.
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from ..checks import check_choice
from ..graph import SparseMatrix, propagate
from ..mechanisms import GRRFS, RandomisedResponse

VALUES = ("argmax", "simplex")
LEAST = 1e-5  # the smallest share of a class in a cluster: its logarithm must be finite


def reconstruct_features(reports: Tensor, mechanism: GRRFS, matrix: SparseMatrix, steps: int,
                         values: str = "argmax") -> Tensor:
    r"""Estimated features of every node, float32 [N, D]. RGNN, Algorithm 1, all features at once.

    Shares of each value in the neighbourhood, by ``steps`` products with ``matrix`` (mean aggregation with self
    loops), then equation 5. The neighbours' values stand for the node's own, so this leans on homophily.

    :param reports: int64 [N, d].
    :param values: what becomes of a feature with more than two values:
        ``"argmax"`` its most frequent value as a number (one column, as in the paper), or ``"simplex"`` the
        estimated shares of its values, projected to a distribution (one column a value). A binary feature is one
        column in either case: the estimated share of value 1, which may leave [0, 1].
    """
    check_choice(values, "values", VALUES)
    shares = propagate(matrix, indicators(reports, mechanism.domain_sizes), steps)
    right, wrong = column_chances(mechanism)
    if not (right - wrong).float().all():
        raise ValueError("epsilon must be so large that a true value is reported more often than others, to a 32-bit "
                         f"float, got {mechanism.epsilon!r}")
    estimates = (shares - wrong.float()) / (right - wrong).float()
    if all(size == 2 for size in mechanism.domain_sizes):
        return estimates
    parts = estimates.split(column_counts(mechanism.domain_sizes), 1)
    return torch.cat([one_feature(part, values) for part in parts], 1)


def one_feature(estimates: Tensor, values: str) -> Tensor:
    """What the network sees of one feature, whose estimates are [N, 1] (binary) or [N, gamma]."""
    if estimates.size(1) == 1:
        return estimates
    if values == "simplex":
        return project_to_simplex(estimates)
    return estimates.argmax(1, keepdim=True).to(estimates.dtype)


def column_counts(sizes: Sequence[int]) -> list[int]:
    """How many columns ``indicators`` makes of each feature: 1 for a binary one, else one a value."""
    return [1 if size == 2 else size for size in sizes]


def indicators(reports: Tensor, sizes: Sequence[int]) -> Tensor:
    """One column for each value of each feature (of a binary one only for value 1), float32 [N, D].

    >>> indicators(torch.tensor([[1, 2], [0, 0]]), (2, 3)).tolist()
    [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0]]
    """
    if all(size == 2 for size in sizes):
        return reports.float()
    counts = torch.tensor(column_counts(sizes))
    owner = torch.repeat_interleave(torch.arange(len(counts)), counts)
    value = torch.arange(len(owner)) - (counts.cumsum(0) - counts)[owner]
    value = torch.where(counts[owner] == 1, 1, value)
    return (reports[:, owner] == value).float()


def column_chances(mechanism: GRRFS) -> tuple[Tensor, Tensor]:
    """For each column of ``indicators``: how probable its value is reported where it is true, and where it is not.

    float64: with a small budget the two are so close that float32 cannot tell them apart.
    """
    counts = torch.tensor(column_counts(mechanism.domain_sizes))
    chances = torch.tensor([mechanism.chances(i) for i in range(len(counts))], dtype=torch.double)
    return chances.repeat_interleave(counts, 0).unbind(1)


def project_to_simplex(x: Tensor) -> Tensor:
    """The nearest distribution to each row of x [N, C], in Euclidean distance (Duchi et al. 2008).

    >>> project_to_simplex(torch.tensor([[0.5, 0.5, -1.0], [2.0, 0.0, 0.0]])).tolist()
    [[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]
    """
    x = x - x.amax(1, keepdim=True)  # changes nothing, and keeps the 1 visible beside large estimates
    falling = x.sort(1, descending=True).values
    excess = falling.cumsum(1) - 1
    rank = torch.arange(1, x.size(1) + 1, device=x.device)
    kept = (falling * rank > excess).sum(1, keepdim=True)
    return (x - excess.gather(1, kept - 1) / kept).clamp(min=0)


def one_hot_labels(y: Tensor, num_classes: int) -> Tensor:
    """float32 [N, C]: a row of zeros for a node without a label (y = -1)."""
    return F.one_hot(y.clamp(min=0), num_classes).float() * (y >= 0)[:, None]


def reconstruct_labels(y: Tensor, mechanism: RandomisedResponse, matrix: SparseMatrix, steps: int) -> Tensor:
    r"""A new label for every node that has one, int64 [N] (-1 elsewhere). RGNN, Algorithm 2.

    Label shares of the neighbourhood, unlabelled nodes counting as zeros, then :math:`P^{-1}` and arg max. Every
    column of :math:`P^{-1} \lambda` is :math:`(\lambda_j - q \sum_i \lambda_i) / (p - q)`, so the arg max is that
    of :math:`\lambda`: a majority vote, whatever epsilon is.
    """
    if steps == 0:
        return y
    shares = propagate(matrix, one_hot_labels(y, mechanism.num_classes), steps)
    estimates = estimate_classes(shares, mechanism)
    return torch.where(y >= 0, estimates.argmax(1), y)


def estimate_classes(shares: Tensor, mechanism: RandomisedResponse) -> Tensor:
    r""":math:`P^{-1} \lambda` for every row of shares [N, C]. RGNN, eq. 14."""
    p, q = mechanism.keep, mechanism.flip
    return (shares - q * shares.sum(1, keepdim=True)) / (p - q)


def cluster_shares(y: Tensor, cluster: Tensor, mechanism: RandomisedResponse) -> tuple[Tensor, Tensor]:
    """Estimated label shares of each cluster: (float32 [B, C], the clusters' numbers int64 [B]). RGNN, Algorithm 3.

    Only labelled nodes count; a cluster without any is left out. Shares below 1e-5 are raised to it.
    """
    known = y >= 0
    kept, place = cluster[known].unique(return_inverse=True)
    observed = mean_rows(one_hot_labels(y[known], mechanism.num_classes), place, len(kept))
    shares = estimate_classes(observed, mechanism).clamp(min=LEAST)
    return shares / shares.sum(1, keepdim=True), kept


def mean_rows(rows: Tensor, place: Tensor, count: int) -> Tensor:
    """The mean of the rows at each of ``count`` places, [count, C]; no place may be empty."""
    return rows.new_zeros(count, rows.size(1)).index_add(0, place, rows) / torch.bincount(place)[:, None]
