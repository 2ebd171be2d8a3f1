"""GRR-FS of RGNN: randomised response on m sampled features, uniform fakes for the rest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from ..checks import check_count, check_generator
from ..checks.parameters import Count, Epsilon, Sizes
from ..late import torch
from ..privacy import FinitePair, Guarantee, Step, pure_pair
from .drawing import drawing
from .frequencies import estimate_frequencies, frequency_variance
from .law import Finite, Weights
from .mechanism import AuditCase, Mechanism
from .randomised_response import RandomisedResponse
from .tape import noisy

if TYPE_CHECKING:
    from torch import Tensor

MOST_ENUMERATED = 64  # vectors all of whose reports are listed
MOST_STEPS = 10**9  # of the sums over all choices of m among d features: seconds


@dataclass(frozen=True)
class GRRFS(Finite, Mechanism):
    r"""Sample m of d categorical features; report each by randomised response of budget :math:`\varepsilon_x`;
    fake the rest.

    A fake is uniform over the feature's domain and the server cannot tell it from a report. RGNN, eq. 4, with
    exactly m sampled features. What holds (RGNN, Theorem 1 claims :math:`\ln(1 +
    \frac{m}{d}(e^{m\varepsilon_x} - 1))` for the first):

    - any two vectors: :math:`m\,\varepsilon_x`. Upwards: for every choice of m features the ratio is at most
      :math:`e^{m \varepsilon_x}`, and so is that of the averages. Attained by vectors that differ everywhere,
      at the report equal to one of them: there *every* choice gives the same ratio, and hiding the choice
      hides nothing.
    - vectors that differ in one feature: ``one_feature_guarantee``, which hiding the choice does lower.

    :param epsilon: eps_x, the budget of each sampled feature, > 0; ``inf`` reports sampled features as they
        are.
    :param domain_sizes: gamma_i, the number of values of each feature, public, each at least 2.
    :param sampled: m, between 1 and d.

    >>> mechanism = GRRFS(1.0, (2, 2, 2, 2), sampled=2)
    >>> mechanism.guarantee.epsilon, round(mechanism.guarantee.claimed, 3)
    (2.0, 1.434)
    >>> round(mechanism.one_feature_guarantee.epsilon, 3)
    0.62
    """

    NAME: ClassVar[str] = "grr-fs"
    ATTRIBUTE: ClassVar[str] = "x"
    one_total: ClassVar[bool] = True

    epsilon: Annotated[float, Epsilon()]
    domain_sizes: Annotated[tuple[int, ...], Sizes()]
    sampled: Annotated[int, Count(1)]

    def agree(self):
        check_count(self.sampled, "sampled", low=1, high=len(self.domain_sizes))

    @property
    def fraction(self) -> float:
        """m / d, the chance that a feature is sampled."""
        return self.sampled / len(self.domain_sizes)

    def response(self, feature: int) -> RandomisedResponse:
        """The randomised response of one feature.

        :param feature: the number of a column, from 0.
        """
        return RandomisedResponse(self.epsilon, self.domain_sizes[feature])

    @property
    def guarantee(self) -> Guarantee:
        """What m reports at epsilon each cost, beside the smaller number that the paper claims."""
        spent = self.sampled * self.epsilon
        claimed = spent + math.log(self.fraction + (1 - self.fraction) * math.exp(-spent))  # cannot overflow
        return Guarantee(spent, unit="feature vector", relation="replace", basis="proved", claimed=claimed)

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What holds for a vector, and for one of its features."""
        return self.guarantee, self.one_feature_guarantee

    def between(self, x: Tensor, other: Tensor) -> tuple[Step, ...]:
        """A row in which one feature differs costs what one feature does.

        :param x: categories int64 [N, d].
        :param other: the same of a neighbour, int64 [N, d].
        """
        columns = (x != other).sum(1)
        one, more = int((columns == 1).sum()), int((columns > 1).sum())
        return tuple(Step(pure_pair(stated.epsilon), rows) for stated, rows in (
            (self.one_feature_guarantee, one), (self.guarantee, more)) if rows)

    @classmethod
    def examples(cls) -> "tuple[GRRFS, ...]":
        return cls(1.0, (2, 2, 2), 2), cls(0.5, (2, 3), 1)

    def audit_case(self) -> AuditCase:
        """Every vector."""
        check_count(math.prod(self.domain_sizes), "number of vectors that are enumerated", high=MOST_ENUMERATED)
        return AuditCase(tuple(product(*map(range, self.domain_sizes))), distribution=self.distribution, neighbours={
            ("one feature", "replace"): lambda vector: ((*vector[:i], value, *vector[i + 1:]) for i, size in
                                                        enumerate(self.domain_sizes) for value in range(size))})

    def noiseless(self) -> "GRRFS":
        """All features sampled, none faked."""
        return replace(self, epsilon=math.inf, sampled=len(self.domain_sizes))

    @property
    def one_feature_guarantee(self) -> Guarantee:
        r"""Vectors that differ in one feature i: the largest over i of

        .. math:: \ln \frac{\gamma_i p_i A_i + B_i}{\gamma_i q_i A_i + B_i},

        :math:`A_i, B_i` the elementary symmetric sums of degree m-1 and m of :math:`\gamma_j q_j` over the
        other features. For equal domains this is :math:`\ln(1 + \frac{m}{d}(e^{\varepsilon_x} - 1))`.

        The feature with the largest domain loses most. Given a report that is wrong everywhere, i was sampled with the
        chance :math:`s_i = w_i A_i / (w_i A_i + B_i)`, :math:`w_i = \gamma_i q_i`, and the loss is
        :math:`\ln(1 + s_i (e^{\varepsilon_x} - 1))`. The chance grows with w_i, as for any two features
        :math:`w_i A_i - w_j A_j = (w_i - w_j) S`, S the sum of degree m-1 without both; and w_i grows with gamma_i.

        :raises ValueError: for more than ``MOST_STEPS`` products m d, which take seconds.
        """
        if math.isinf(self.epsilon):
            return Guarantee(math.inf, unit="one feature", relation="replace", basis="proved")
        check_count(self.sampled * len(self.domain_sizes), "sampled times the number of domain_sizes", high=MOST_STEPS)
        # q = p e^-eps, and e^(-m eps) is common to both: what is left can neither vanish nor overflow.
        *others, largest = sorted(size * RandomisedResponse(self.epsilon, size).keep for size in self.domain_sizes)
        ratio = symmetric_ratio(others, self.sampled)  # B / A
        loss = self.epsilon + math.log1p(ratio / (largest + ratio) * math.expm1(-self.epsilon))
        return Guarantee(loss, unit="one feature", relation="replace", basis="proved")

    @property
    def pair(self) -> FinitePair:
        """What dominates the mechanism for any two vectors."""
        return pure_pair(self.guarantee.epsilon)

    @noisy
    def __call__(self, x: Tensor, *, generator: torch.Generator) -> Tensor:
        """Reports int64 [N, d] of categorical features ``x`` int64 [N, d], feature i in 0..gamma_i - 1."""
        check_generator(generator), check_categories(x, self.domain_sizes)
        sizes = torch.tensor(self.domain_sizes, device=x.device)
        keep = torch.tensor([self.response(i).keep for i in range(len(sizes))], device=x.device)
        lie = (sizes - 1) * torch.tensor([self.response(i).flip for i in range(len(sizes))], dtype=torch.double,
                                         device=x.device)
        draw = drawing(generator)
        places = draw.subsets(*x.shape, self.sampled, double=True, device=x.device)
        sampled = torch.zeros(x.shape, dtype=torch.bool, device=x.device).scatter_(1, places, True)
        lies = draw.lies(keep, lie, x.shape, double=True, device=x.device)
        other = (x + 1 + draw.below(sizes - 1, x.shape)) % sizes
        fake = draw.below(sizes, x.shape)
        return torch.where(sampled, torch.where(lies, other, x), fake)

    def estimate(self, reports: Tensor, feature: int) -> Tensor:
        """Unbiased shares [gamma] of each value of one feature among those who sent ``reports`` [N, d]. RGNN, eq. 5.

        :param reports: int64 [N, d], as ``__call__`` gives them.
        :param feature: the number of a column, from 0.
        :returns: float [gamma].
        """
        observed = torch.bincount(reports[:, feature], minlength=self.domain_sizes[feature]) / len(reports)
        return estimate_frequencies(observed, *self.chances(feature))

    def variance(self, shares: Tensor, people: int, feature: int) -> Tensor:
        """Variance of ``estimate`` where the true shares are ``shares``, for ``people`` whose values are fixed.

        :param shares: float [gamma], which add up to 1.
        :param feature: the number of a column, from 0.
        :returns: float [gamma].
        """
        return frequency_variance(shares, people, *self.chances(feature))

    def chances(self, feature: int) -> tuple[float, float]:
        """The probabilities that a value is reported where it is true, and where another is.

        :param feature: the number of a column, from 0.
        """
        response, fake = self.response(feature), (1 - self.fraction) / self.domain_sizes[feature]
        return self.fraction * response.keep + fake, self.fraction * response.flip + fake

    def weights(self, vector: Sequence[int], t, one=1) -> Weights:
        """Over the common denominator of all features, for every report (small d only); t = e^eps_x.

        Sums over the choices of m features: a sampled one weighs its size times t or 1, a faked one t + size - 1.

        :param vector: d categories, each a number below the size of its domain.
        """
        check_categories(torch.tensor([list(vector)]), self.domain_sizes)
        fakes, table = [t + (size - 1) * one for size in self.domain_sizes], {}
        real = [[size * (t if value == truth else one) for value in range(size)]
                for size, truth in zip(self.domain_sizes, vector, strict=True)]
        for report in product(*map(range, self.domain_sizes)):
            sums = [1] + [0] * self.sampled
            for fake, values, said in zip(fakes, real, report, strict=True):
                for k in range(self.sampled, 0, -1):
                    sums[k] = sums[k] * fake + sums[k - 1] * values[said]
                sums[0] = sums[0] * fake
            table[report] = sums[self.sampled]
        return table


def symmetric_ratio(values: Sequence[float], degree: int) -> float:
    """The elementary symmetric sum of ``degree`` over that of one degree less; both may be beyond what a float holds.

    With r_k that of degree k over that of k-1, one more value v makes r_k to (r_k + v) / (1 + v / r_(k-1)): sums of
    positive numbers of the size of the values.

    >>> symmetric_ratio([1.0, 2.0, 3.0], 2)  # 11 / 6
    1.8333333333333333
    """
    below = np.array([math.inf] + [0.0] * degree)  # r_0, which takes the place of nothing below it, to r_degree
    with np.errstate(divide="ignore"):  # v / 0: no product of so many values yet
        for value in values:
            below[1:] = (below[1:] + value) / (1 + value / below[:-1])
    return float(below[degree])


def check_categories(x: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """Categorical features int64 [N, d], feature i in 0..sizes[i] - 1."""
    if x.dtype != torch.long or x.dim() != 2 or x.size(1) != len(sizes):
        raise ValueError(f"x must be an int64 tensor of shape [N, {len(sizes)}], "
                         f"got {x.dtype} of shape {list(x.shape)}")
    outside = (x < 0) | (x >= torch.tensor(sizes, device=x.device))
    if outside.any():
        raise ValueError(f"every value must lie in 0..size-1 of its feature, got {int(outside.sum())} outside, "
                         f"the first in feature {int(outside.nonzero()[0, 1])}")
    return x
