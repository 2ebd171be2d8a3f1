"""Estimates of how often each answer is true, from reports that name the truth more often than anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def estimate_frequencies(observed: Tensor, right: float, wrong: float) -> Tensor:
    r"""Unbiased shares of true answers from shares of reports: :math:`(\lambda - w) / (r - w)`; may leave [0, 1].

    :param observed: lambda, the share of reports that name each answer, any shape.
    :param right: r, the probability that an answer is reported where it is true.
    :param wrong: w, the probability that it is reported where another is.

    >>> import torch
    >>> estimate_frequencies(torch.tensor([0.5, 0.5]), 0.75, 0.25)
    tensor([0.5000, 0.5000])
    """
    if right == wrong:
        raise ValueError(f"right and wrong must differ, got {right!r} for both: such reports tell nothing")
    return (observed - wrong) / (right - wrong)


def frequency_variance(true: Tensor, people: int, right: float, wrong: float) -> Tensor:
    r"""Variance of ``estimate_frequencies`` for ``people`` with fixed answers, the share ``true`` holding each.

    .. math:: \frac{\pi r (1-r) + (1-\pi) w (1-w)}{n (r - w)^2}
    """
    return (true * right * (1 - right) + (1 - true) * wrong * (1 - wrong)) / (people * (right - wrong) ** 2)
