r"""How far the vector of a graph is from a prototype.

The dissertation measures "by the p-th Wasserstein distance", the cost of moving mass between two graph embeddings, and
does not say of what an embedding is a distribution. A vector of 16 numbers is read here as 16 equal masses on the real
line. On a line the cheapest plan moves the smallest to the smallest, so the distance is exact and costs two sorts:

.. math:: W_p(a, b) = \Bigl(\tfrac1d \sum_i |a_{(i)} - b_{(i)}|^p\Bigr)^{1/p}.

It does not see *which* coordinate holds a value: (1, 0) and (0, 1) are the same to it. The other distance here is the
squared Euclidean one of prototypical networks (Snell, Swersky and Zemel 2017), which does.
"""

from torch import Tensor

from ...checks import check_number, check_tensor


def wasserstein(a: Tensor, b: Tensor, p: float = 1.0) -> Tensor:
    """W_p between the entries of each row of ``a`` [..., n, d] and of ``b`` [..., m, d]: [..., n, m].

    >>> import torch
    >>> wasserstein(torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0], [2.0, 4.0]])).tolist()
    [[0.0, 2.5]]
    """
    as_rows(a, b)
    p = check_number(p, "p", low=1, open_high=True, allowed="be a finite number of at least 1")
    apart = (a.sort(-1).values[..., :, None, :] - b.sort(-1).values[..., None, :, :]).abs()
    return apart.mean(-1) if p == 1 else apart.pow(p).mean(-1).pow(1 / p)


def euclidean(a: Tensor, b: Tensor) -> Tensor:
    """The squared Euclidean distance of each row of ``a`` [..., n, d] to each of ``b`` [..., m, d]: [..., n, m]."""
    as_rows(a, b)
    return (a[..., :, None, :] - b[..., None, :, :]).square().sum(-1)


def as_rows(a: Tensor, b: Tensor) -> None:
    if check_tensor(a, "a").dim() < 2 or check_tensor(b, "b").dim() < 2 or a.size(-1) != b.size(-1):
        raise ValueError(f"a and b must be [..., n, d] and [..., m, d], got {list(a.shape)} and {list(b.shape)}")


DISTANCES = {"wasserstein": wasserstein, "euclidean": euclidean}
