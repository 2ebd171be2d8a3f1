"""Attackers that see public things only. What they find, no model and no report has leaked.

Every attack is shown beside them: an attack on a release has found something only where it beats them. An attacker
who knows the classes is ``posterior_similarity`` on one-hot rows.
"""

import torch
from torch import Tensor

from ..checks import check_flag, check_pairs, check_tensor
from .posterior import check_rows, cosine_similarity
from .worlds import degrees, rows, tried_on


@tried_on(rows("x"))
def feature_similarity(x: Tensor, pairs: Tensor, centred: bool = False) -> Tensor:
    r"""Cosine of the two nodes' public (noisy) features: :math:`s(u, v) = x_u \cdot x_v / (\|x_u\| \|x_v\|)`.

    It uses no model and no edge. A node whose features are all zero has similarity 0 with everybody.

    :param x: float [N, d], what the server saw anyway.
    :param pairs: int64 [2, n].
    :param centred: first subtract the mean features of all nodes, as LinkTeller's authors do with posteriors: what
        nearly everybody has makes nobody alike then.
    :returns: float64 [n] in [-1, 1].

    >>> feature_similarity(torch.tensor([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]), torch.tensor([[0, 0], [1, 2]]))
    tensor([0.7071, 0.0000], dtype=torch.float64)
    """
    check_pairs(pairs, len(check_rows(x, "x")))
    mean = x.detach().double().mean(0) if check_flag(centred, "centred") else 0.0
    return cosine_similarity(x[pairs[0]].detach().double() - mean, x[pairs[1]].detach().double() - mean)


@tried_on(degrees)
def degree_product(degree: Tensor, pairs: Tensor) -> Tensor:
    r"""What degrees alone give away: :math:`s(u, v) = d_u d_v`.

    In a graph that is random but for its degrees, an edge is present with probability about
    :math:`d_u d_v / 2E` (Chung and Lu 2002), so this is the best order of the pairs then. It uses no model.

    :param degree: float or int64 [N], public degrees, each at least 0.
    :param pairs: int64 [2, n].
    :returns: float64 [n].
    :raises ValueError: for another shape, and for degrees below 0.

    >>> degree_product(torch.tensor([3, 2, 1]), torch.tensor([[0, 1], [1, 2]])).tolist()
    [6.0, 2.0]
    """
    if check_tensor(degree, "degree").dim() != 1 or degree.isnan().any() or (degree < 0).any():
        smallest = float(degree.min()) if degree.numel() else 0
        raise ValueError("degree must be a tensor of shape [N] of numbers of at least 0, "
                         f"got shape {list(degree.shape)}, smallest {smallest:g}")
    check_pairs(pairs, len(degree))
    return degree[pairs[0]].to(torch.double) * degree[pairs[1]]
