"""Links from posteriors: two nodes to which a model gives similar answers are likely neighbours."""

import torch
from torch import Tensor

from ..checks import check_choice, check_flag, check_pairs, check_tensor
from .worlds import rows, tried_on


@tried_on(rows("posteriors"))
def posterior_similarity(posteriors: Tensor, pairs: Tensor, distance: str = "correlation",
                         centred: bool = False) -> Tensor:
    r"""Minus the distance of the posteriors of the two nodes of each pair: the link stealing attack.

    .. math:: s(u, v) = -d(p_u, p_v), \qquad
              d_{\text{correlation}} = 1 - \frac{(p_u - \bar p_u) \cdot (p_v - \bar p_v)}
                                                {\|p_u - \bar p_u\| \, \|p_v - \bar p_v\|}

    He et al. (2021), "Stealing Links from Graph Neural Networks", with the eight distances of their Attack-0; it
    needs no knowledge beyond the model's answers. GraphPrivatizer attacks GraphSAGE with it and calls it LSA2.
    What LinkTeller's authors run under that name is ``centred=True``: first subtract the mean posterior over all
    nodes. Rows of probabilities minus that mean sum to 0, so cosine and correlation are the same then.

    The distances are those of ``scipy.spatial.distance``. Where that divides 0 by 0 we say: a row that is zero
    (cosine) or has equal entries (correlation) points nowhere, the similarity of angle is 0 and the distance 1;
    two zero rows have Bray-Curtis distance 0.

    :param posteriors: float [N, C], finite; rows need not sum to 1.
    :param pairs: int64 [2, n] of node numbers.
    :param distance: one of ``DISTANCES``.
    :param centred: for cosine and correlation; no other distance of
        probabilities makes use of a centre.
    :returns: float64 [n], higher = more likely an edge.
    :raises ValueError: for ``centred`` with a distance that has no centre.

    >>> posteriors = torch.tensor([[0.8, 0.1, 0.1], [0.7, 0.2, 0.1], [0.1, 0.1, 0.8]])
    >>> posterior_similarity(posteriors, torch.tensor([[0, 0], [1, 2]]), "cityblock")
    tensor([-0.2000, -1.4000], dtype=torch.float64)
    """
    check_choice(distance, "distance", DISTANCES), check_rows(posteriors, "posteriors")
    if check_flag(centred, "centred") and distance not in ("cosine", "correlation"):
        raise ValueError(f"centred must be False for the distance {distance!r}: it is for cosine and correlation")
    check_pairs(pairs, len(posteriors))
    rows = posteriors.detach().double()
    rows = rows - rows.mean(0) if centred else rows
    return -DISTANCES[distance](rows[pairs[0]], rows[pairs[1]])  # rows of both: [n, C]


def cosine_similarity(u: Tensor, v: Tensor) -> Tensor:
    """The cosine of the angle between each row of u [n, C] and of v [n, C]; 0 where one of them is zero."""
    lengths = u.norm(dim=1) * v.norm(dim=1)
    return torch.where(lengths > 0, (u * v).sum(1) / lengths, 0.0)


def without_mean(u: Tensor) -> Tensor:
    """Each row minus its mean; a row of equal entries becomes exactly 0, whatever the rounding of the mean."""
    return torch.where(u.amax(1, keepdim=True) > u.amin(1, keepdim=True), u - u.mean(1, keepdim=True), 0.0)


def ratio(numerator: Tensor, denominator: Tensor) -> Tensor:
    """The quotient, with 0 / 0 = 0."""
    return torch.where(denominator > 0, numerator / denominator, 0.0)


DISTANCES = {
    "cosine": lambda u, v: 1 - cosine_similarity(u, v),
    "euclidean": lambda u, v: (u - v).norm(dim=1),
    "correlation": lambda u, v: 1 - cosine_similarity(without_mean(u), without_mean(v)),
    "chebyshev": lambda u, v: (u - v).abs().amax(1),
    "braycurtis": lambda u, v: ratio((u - v).abs().sum(1), (u + v).abs().sum(1)),
    "canberra": lambda u, v: ratio((u - v).abs(), u.abs() + v.abs()).sum(1),
    "cityblock": lambda u, v: (u - v).abs().sum(1),
    "sqeuclidean": lambda u, v: ((u - v) ** 2).sum(1),
}


def check_rows(values: Tensor, name: str) -> Tensor:
    """A finite float matrix with a row for each node and at least one column."""
    if check_tensor(values, name).dim() != 2 or not values.is_floating_point() or values.size(1) == 0:
        raise ValueError(f"{name} must be a float tensor of shape [N, C] with C at least 1, "
                         f"got {values.dtype} of shape {list(values.shape)}")
    if (odd := int((~torch.isfinite(values)).sum())) > 0:
        raise ValueError(f"{name} must be finite, got {odd} NaN or infinite values")
    return values
