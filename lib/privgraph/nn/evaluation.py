"""Accuracy, and intervals over repeated runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import stdtrit

from ..checks import check_fraction, check_labels, check_mask, check_number, check_sequence, check_tensor

if TYPE_CHECKING:
    from torch import Tensor


def accuracy(scores: Tensor, y: Tensor, mask: Tensor) -> float:
    """Share of the nodes in ``mask`` whose largest score is at the true class, in percent.

    Where a score is NaN, nothing was said, and so nothing right.

    :param scores: float [N, C].
    :param y: int64 [N].
    :param mask: bool [N].
    :raises ValueError: where shapes do not go together, and where the mask selects nobody or somebody without a label.
    """
    if check_tensor(scores, "scores").dim() != 2 or len(scores) != len(check_labels(y, None, missing=True)):
        raise ValueError(f"scores must have shape [N, C], a row for each of {len(y)} nodes, got {list(scores.shape)}")
    if not check_mask(mask, "mask", len(y)).any():
        raise ValueError("mask must select at least one node, got none")
    if (unlabelled := int((y[mask] < 0).sum())) > 0:
        raise ValueError(f"mask must select nodes with a label, got {unlabelled} without one (-1)")
    right = (scores.argmax(1) == y) & ~scores.isnan().any(1)
    return 100 * float(right[mask].float().mean())


@dataclass(frozen=True)
class Interval:
    """A mean over ``n`` runs with its confidence interval ``mean +- half``.

    :param mean: in the unit of the values.
    :param half: likewise; inf for a single run.
    """

    mean: float
    half: float
    n: int

    @property
    def low(self) -> float:
        """The lower end."""
        return self.mean - self.half

    @property
    def high(self) -> float:
        """The upper end."""
        return self.mean + self.half

    def __str__(self) -> str:
        return f"{self.mean:.1f} ± {self.half:.1f}" if math.isfinite(self.half) else f"{self.mean:.1f}"

    def said(self, unit: str = "%") -> str:
        """The interval for a reader who chose the number of seeds. One or two of them give none: half the width of what
        two values would give is 6.4 times their distance.

        :param unit: which is printed behind the numbers.

        >>> for values in ([80.0], [70.0, 80.0], [80.0, 81.0, 82.0]):
        ...     print(interval(values).said())
        80.0 % (no interval: run at least three seeds)
        75.0 % (no interval: run at least three seeds)
        81.0 ± 2.5 % (95% interval, 3 seeds)
        """
        if self.n < 3:
            return f"{self.mean:.1f} {unit} (no interval: run at least three seeds)"
        return f"{self} {unit} (95% interval, {self.n} seeds)"


def interval(values: Sequence[float], level: float = 0.95, least: float = 0.0) -> Interval:
    """Student's t interval for the mean of independent runs (infinite for a single run).

    For two methods run with the same seeds, give it the differences: a paired comparison is narrower.

    :param values: one number a run.
    :param level: the chance that such an interval holds the mean, from 0, below 1.
    :param least: the standard deviation that is assumed where that of the values is smaller, at least 0.
    :raises ValueError: where there is no value.

    >>> print(interval([80.0, 81.0, 82.0]))
    81.0 ± 2.5
    """
    values = np.array([check_number(value, "each of values") for value in check_sequence(values, "values", "numbers")])
    level = check_fraction(level, "level")
    if len(values) == 0:
        raise ValueError("values must be a list of at least one number, got none")
    if len(values) == 1:
        return Interval(float(values[0]), math.inf, 1)
    spread = max(values.std(ddof=1), check_number(least, "least", low=0)) / math.sqrt(len(values))
    return Interval(float(values.mean()), float(stdtrit(len(values) - 1, (1 + level) / 2) * spread), len(values))
