"""The multi-bit mechanism of LPGNN: a whole feature vector in a few random bits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from ..checks import check_bound, check_count, check_epsilon, check_features, check_generator
from ..checks.parameters import Bounds, Count, Epsilon
from ..late import torch
from ..privacy import FinitePair, Guarantee, pure_pair
from .drawing import drawing
from .law import Finite, Weights, together
from .mechanism import AuditCase, Mechanism
from .tape import noisy

if TYPE_CHECKING:
    from torch import Tensor

MOST_ENUMERATED = 4  # features of a vector whose reports are all listed
EPSILON_PER_BIT = 2.18  # the budget a bit should get for the least variance (Sajadmanesh and Gatica-Perez 2021)


def optimal_sampling(epsilon: float, num_features: int) -> int:
    r"""How many features to report: :math:`m = \max(1, \min(d, \lfloor \varepsilon / 2.18 \rfloor))`.

    >>> [optimal_sampling(e, 1433) for e in (0.1, 3, 8, math.inf)]
    [1, 1, 3, 1433]
    """
    epsilon, num_features = check_epsilon(epsilon), check_count(num_features, "num_features", low=1)
    if math.isinf(epsilon):
        return num_features
    return max(1, min(num_features, math.floor(epsilon / EPSILON_PER_BIT)))


@dataclass(frozen=True)
class MultiBit(Finite, Mechanism):
    r"""Sample m of d features; report each as one random bit with budget :math:`\varepsilon / m`; 0 elsewhere.

    A sampled value x in [low, high] is reported as +1 with probability

    .. math:: \frac{1}{e^{\varepsilon/m} + 1} + \frac{x - low}{high - low}
              \cdot \frac{e^{\varepsilon/m} - 1}{e^{\varepsilon/m} + 1}

    and as -1 otherwise. The server turns reports :math:`x^*` into unbiased estimates

    .. math:: x' = \frac{d (high - low)}{2m} \cdot \frac{e^{\varepsilon/m} + 1}{e^{\varepsilon/m} - 1}
              \cdot x^* + \frac{low + high}{2}.

    Which features are sampled does not depend on the data, and m bits of :math:`\varepsilon / m` each make
    :math:`\varepsilon`: the report is :math:`\varepsilon`-LDP for a whole feature vector (any two vectors), attained by
    vectors that differ from ``low`` to ``high`` in every sampled place. LPGNN, Theorem 3.1.

    :param epsilon: privacy budget of one vector, > 0; ``inf`` reports every value as it is.
    :param num_features: d.
    :param low: public lower bound of every value, or d of them, one for each feature; a value outside raises.
    :param high: public upper bound, likewise.
    :param sampled: m; by default ``optimal_sampling``.

    >>> m = MultiBit(1.0, 3)
    >>> m.sampled, round(m.scale, 3)
    (1, 3.246)
    >>> [round(s, 2) for s in MultiBit(1.0, 3, high=(1, 1, 120)).scale.tolist()]
    [3.25, 3.25, 389.51]
    """

    ATTRIBUTE: ClassVar[str] = "x"
    one_total: ClassVar[bool] = True

    epsilon: Annotated[float, Epsilon()]
    num_features: Annotated[int, Count(1)]
    low: Annotated[float | tuple[float, ...], Bounds()] = 0.0
    high: Annotated[float | tuple[float, ...], Bounds()] = 1.0
    sampled: Annotated[int | None, Count(1, none=True)] = None

    def agree(self):
        """Fill in the best m, and refuse bounds that are no range.

        :raises ValueError: where ``low`` is not below ``high``, or estimates would not fit a 32-bit float.
        """
        check_bound(self.low, "low", self.num_features), check_bound(self.high, "high", self.num_features)
        low, high = np.asarray(self.low), np.asarray(self.high)
        if not (low < high).all():
            raise ValueError(f"low must be below high and both finite, got {self.low!r} and {self.high!r}")
        if self.sampled is None:
            object.__setattr__(self, "sampled", optimal_sampling(self.epsilon, self.num_features))
        check_count(self.sampled, "sampled", low=1, high=self.num_features)
        with np.errstate(over="ignore"):
            largest = float((self.num_features * (high - low) / (2 * self.sampled * self.slope)).max())
        if largest > float(np.finfo(np.float32).max):
            raise ValueError(f"epsilon must be so large that an estimate fits a 32-bit float, got {self.epsilon!r}, "
                             f"with estimates about {largest:.3g} for features from {low.min():g} to {high.max():g}")

    @property
    def budgets(self) -> tuple[float]:
        """b = epsilon / m, that of one bit."""
        return (self.epsilon / self.sampled,)

    @property
    def slope(self) -> float:
        """(e^b - 1) / (e^b + 1): how far a bit leans towards the truth."""
        bit, = self.budgets
        return math.tanh(bit / 2)

    @property
    def lie(self) -> float:
        """1 / (e^b + 1): how often a bit is wrong where the value is at an end of its range."""
        bit, = self.budgets
        gone = math.exp(-bit)
        return gone / (1 + gone)

    @property
    def ends(self) -> tuple[Tensor, Tensor]:
        """``low`` and ``high``, both float64 and of shape [], or [d] where features have ranges of their own."""
        return torch.broadcast_tensors(*(torch.tensor(end, dtype=torch.float64) for end in (self.low, self.high)))

    @property
    def scale(self) -> float | Tensor:
        """What a report of +1 is worth: the distance of its estimate from the middle of the range; [d] if these are."""
        low, high = self.ends
        return for_all(self.num_features * (high - low) / (2 * self.sampled * self.slope))

    @property
    def middle(self) -> float | Tensor:
        """Of the range, where the estimate of a feature lies that was not reported."""
        return for_all(sum(self.ends) / 2)

    @property
    def guarantee(self) -> Guarantee:
        """What a report of m bits costs."""
        return Guarantee(self.epsilon, unit="feature vector", relation="replace", basis="proved")

    @classmethod
    def examples(cls) -> "tuple[MultiBit, ...]":
        return (cls(1.0, 2), cls(2.0, 3, low=-1.0, high=3.0, sampled=2),
                cls(1.5, 3, low=(0.0, -1.0, 20.0), high=(1.0, 1.0, 120.0), sampled=2))

    def audit_case(self) -> AuditCase:
        """Vectors with the least, the middle and the largest value in each place."""
        check_count(self.num_features, "num_features of what is enumerated", high=MOST_ENUMERATED)
        low, high = (end.expand(self.num_features) for end in self.ends)
        values = torch.stack([low, (low + high) / 2, high], 1).tolist()
        return AuditCase(tuple(product(*values)), distribution=self.distribution)

    @property
    def pair(self) -> FinitePair:
        """What dominates the mechanism."""
        return pure_pair(self.epsilon)

    def __call__(self, x: Tensor, *, generator: torch.Generator) -> Tensor:
        """Unbiased estimates [N, d]: what the server makes of the reports.

        :param x: float [N, d], within the bounds.
        :returns: float32 [N, d].
        """
        if math.isinf(self.epsilon):
            return self.check(x, generator)
        return self.estimate(self.report(x, generator=generator))

    @noisy
    def report(self, x: Tensor, *, generator: torch.Generator) -> Tensor:
        """What leaves each person's device: int8 [N, d] with m entries of +-1 a row, 0 elsewhere.

        :param x: float [N, d], within the bounds.
        :raises ValueError: where ``epsilon`` is inf, so that there are no bits.
        """
        self.check(x, generator)
        if math.isinf(self.epsilon):
            raise ValueError("epsilon=inf makes no bits; call the mechanism itself, which returns x")
        places = self.sample_places(x.size(0), generator, x.device)
        low, high = (end.to(x.device).expand(self.num_features) for end in self.ends)
        above = x.gather(1, places) - low.to(x.dtype)[places]
        fraction = (above / (high - low).to(x.dtype)[places]).clamp(0, 1)  # far from 0 rounded ends lie further apart
        up = drawing(generator).leaning(fraction, self.slope, self.lie)
        return torch.zeros(x.shape, dtype=torch.int8, device=x.device).scatter_(1, places, up.char() * 2 - 1)

    def check(self, x: Tensor, generator: torch.Generator) -> Tensor:
        """Features [N, num_features] within the bounds.

        :param x: float [N, d].
        :returns: x as it is, float [N, d].
        :raises ValueError: for another number of columns than ``num_features``.
        """
        check_generator(generator), check_features(x, *self.ends)
        if x.size(1) != self.num_features:
            raise ValueError(f"x must have {self.num_features} features, got {x.size(1)}")
        return x

    def sample_places(self, num_rows: int, generator: torch.Generator, device) -> Tensor:
        """For each row, m different features, uniformly: int64 [num_rows, m].

        :param num_rows: how many people there are.
        :param device: where the result lies.
        """
        draw = drawing(generator)
        if self.sampled == 1:  # the same draw without sorting d numbers a row
            return draw.integers(0, self.num_features, (num_rows, 1), device)
        return draw.subsets(num_rows, self.num_features, self.sampled, device=device)

    def estimate(self, report: Tensor) -> Tensor:
        """The server's unbiased estimate of x from reports, float32 [N, d].

        :param report: int8 [N, d], as ``report`` gives it.
        """
        return report.to(torch.float32, copy=True).mul_(self.scale).add_(self.middle)

    def variance(self, x: Tensor) -> Tensor:
        r"""Variance of each estimate: :math:`\frac{m}{d} s^2 - (x - \frac{low + high}{2})^2`, s the ``scale``.

        :param x: the true features, float [N, d].
        :returns: float [N, d].
        """
        return self.sampled / self.num_features * self.scale * self.scale - (x - self.middle) ** 2

    def weights(self, vector, t, one=1) -> Weights:
        """Over all choices of m places and their bits; t = e^(epsilon / m). Of reports in {-1, 0, 1}^d (small d only).

        A bit of a value at an end of its range weighs t where it says so and 1 where it does not; between the ends its
        weight is a straight line, so that the largest and the least chances are at corners.

        :param vector: d numbers, each in its range.
        """
        low, high = (end if isinstance(end, tuple) else (end,) * self.num_features for end in (self.low, self.high))
        ranges, table = list(zip(vector, low, high, strict=True)), Weights()
        up, down = ([leaning(abs(x - end) / (b - a), t, one) for (x, a, b), end in zip(ranges, ends, strict=True)]
                    for ends in (low, high))
        for places in combinations(range(self.num_features), self.sampled):
            table |= together({1: up[i], -1: down[i]} if i in places else {0: 1} for i in range(self.num_features))
        return table


def leaning(share: float, t, one):
    """The weight of a bit for a value that lies so far towards the end of which the bit speaks."""
    return t if share == 1 else one if share == 0 else share * t + (1 - share) * one


def for_all(value: Tensor) -> float | Tensor:
    """A number where it is the same for all features; otherwise float32 [d]."""
    return value.float() if value.dim() else value.item()
