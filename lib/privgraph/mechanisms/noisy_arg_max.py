r"""The noisy arg max: name the class with the highest score after noise was added to each.

``NoisyArgMax``: scores are class probabilities. Each row is a point of the simplex, and a neighbour may replace it by
*any* other. The L1 distance of two rows is then up to 2 (not 1), but only the winner is released, and that costs
less than the noisy vector would.

``NoisyVotes``: scores are counts of votes, and a neighbour changes one vote.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, product
from typing import TYPE_CHECKING, Annotated

import numpy as np
from scipy.integrate import quad

from ..checks import (
    check_features,
    check_generator,
    check_tensor,
)
from ..checks.parameters import Choice, Count, NotNegative, Positive
from ..late import torch
from ..privacy import BoundedRangePair, FinitePair, Guarantee, LaplacePair, Step, pure_pair, response_pair
from .drawing import drawing
from .law import Finite, Weights
from .mechanism import AuditCase, Mechanism
from .tape import noisy

if TYPE_CHECKING:
    from torch import Tensor

NOISES = ("gumbel", "laplace")
MOST_POINTS = 200  # of Gauss's rule
REACH, FAR = 40.0, 1e300  # how far noise goes; how far behind is hopeless


@dataclass(frozen=True)
class NoisyArgMax(Finite, Mechanism):
    r"""arg max of probabilities plus independent noise of scale :math:`\beta` on each class.

    With Gumbel noise this is the exponential mechanism: class o wins with probability proportional to
    :math:`e^{s_o/\beta}`, and the privacy loss over the whole simplex is exactly :math:`1/\beta`. With
    Laplace noise (PrivGNN, Algorithm 1, line 7) it is

    .. math:: \varepsilon = \ln \frac{\text{win}}{\text{lose}}, \qquad \text{win} + (c - 1)\,\text{lose} = 1,

    where ``win`` is the chance of a class with score 1 against c - 1 classes with score 0, and ``lose`` that
    of one of the others.

    Proof that one-hot rows are the worst case. The chance of o rises with its own score and falls with every
    other, so it is largest at the vertex e_o, and smallest at a point with s_o = 0. There its logarithm is
    concave in the other scores (the noise densities are log-concave, and integrating keeps that: Prekopa), so
    the least value is at a vertex too, and all of these are equal. Between vertices the mechanism is c-ary
    randomised response. (Laplace: log-concave density; Gumbel: as well.) With a ``Secret`` generator the winner is that
    of real numbers (``exact.winners``); with a seed it is idealised.

    :param scale: beta; 0 adds no noise.
    :param num_classes: c, at least 2.
    :param noise: "gumbel" or "laplace".

    >>> NoisyArgMax(1.0, 3).epsilon, round(NoisyArgMax(10.0, 3, "laplace").epsilon * 10, 2)
    (1.0, 1.12)
    """

    scale: Annotated[float, NotNegative()]
    num_classes: Annotated[int, Count(2)]
    noise: Annotated[str, Choice(NOISES)] = "gumbel"

    @property
    def lead(self) -> float:
        """By how many scales of the noise a class with score 1 is ahead of one with score 0."""
        return 1 / self.scale if self.scale else math.inf

    @property
    def lose(self) -> float:
        """The chance that a given class with score 0 wins against one with score 1 and c - 2 others with score 0."""
        if self.noise == "gumbel" or math.isinf(self.lead):
            return math.exp(-self.lead) / (1 + (self.num_classes - 1) * math.exp(-self.lead))
        return math.exp(-self.lead) * laplace_factor(self.lead, self.num_classes)

    @property
    def win(self) -> float:
        """The chance that a class with score 1 wins against c - 1 with score 0: no label is right more often."""
        return 1 - (self.num_classes - 1) * self.lose

    @property
    def epsilon(self) -> float:
        """The worst-case loss over the simplex."""
        exact = self.noise == "gumbel" or math.isinf(self.lead)
        return self.lead if exact else laplace_epsilon(self.lead, self.num_classes)

    @property
    def guarantee(self) -> Guarantee:
        """What one noisy winner costs, beside what the paper claims."""
        return Guarantee(self.epsilon, unit="node", relation="add/remove", trust="central", basis="proved",
                         claimed=self.lead)

    @classmethod
    def examples(cls) -> "tuple[NoisyArgMax, ...]":
        return cls(1.0, 3), cls(0.5, 3, "laplace")

    def audit_case(self) -> AuditCase:
        """One-hot rows, the even one, and one in between."""
        c = self.num_classes
        corners = tuple(tuple(float(i == j) for i in range(c)) for j in range(c))
        between = tuple(2 * (i + 1) / (c * (c + 1)) for i in range(c))
        return AuditCase((*corners, (1 / c,) * c, between), distribution=self.distribution,
                         truth=lambda scores: scores.argmax(1))

    def noiseless(self) -> "NoisyArgMax":
        return replace(self, scale=0.0)

    @property
    def pair(self) -> FinitePair:
        r"""What dominates the mechanism over the whole simplex, tightly: two answers of c-ary randomised response.

        Proof. Every class wins with probability at least ``lose``, so two rows' distributions differ by at most
        1 - c lose = win - lose in total variation: :math:`\delta(0) \le` win - lose. At :math:`\varepsilon` = ln(win /
        lose) delta is 0. Delta is convex in :math:`e^{\varepsilon}`, so between the two it lies below the straight line
        win - :math:`e^{\varepsilon}` lose, which is the delta of the response. All of this holds with the rows in
        either order, and the response's sides can change places, so the same follows for :math:`\varepsilon < 0`, which
        sampling and composition need (``privacy.pairs``).
        """
        return response_pair(self.epsilon, self.num_classes)

    @noisy
    def __call__(self, scores: Tensor, *, generator: torch.Generator) -> Tensor:
        """The winners int64 [N] of probabilities ``scores`` [N, c].

        :param scores: float [N, c], each row adding up to 1.
        """
        check_generator(generator), check_scores(scores, self.num_classes)
        scores = scores.double() / scores.double().sum(1, keepdim=True)  # onto the simplex, of which the proof speaks
        return drawing(generator).winners(self.noise, scores, self.scale)

    @property
    def budgets(self) -> tuple[float]:
        return (self.lead,)

    def weights(self, scores, t, one=1) -> Weights:
        """t^score with Gumbel noise, t = e^(1/beta); or, for scores k / parts as whole k, t = e^(1 / (beta parts)).

        :param scores: one row of c numbers.
        """
        return gumbel_weights(scores, t, one, self.noise)

    def distribution(self, scores) -> dict[int, float]:
        """Pr[winner | one row of scores], for the exact audit: closed for Gumbel, by quadrature for Laplace noise.

        :param scores: one row of c probabilities.
        :raises ValueError: where ``scale`` is 0, so that nothing is drawn.
        """
        check_scores(torch.as_tensor([list(scores)], dtype=torch.float64), self.num_classes)
        if self.scale == 0:
            raise ValueError("scale must be above 0 for a distribution, got 0")
        return super().distribution(scores) if self.noise == "gumbel" else laplace_chances(scores, self.scale)


@dataclass(frozen=True)
class NoisyVotes(Finite, Mechanism):
    r"""arg max of vote counts plus independent noise of scale :math:`\beta` on each; a neighbour moves, casts or
    withdraws one vote.

    With either noise a winner is :math:`2/\beta`-DP, as at most two counts change, by one each. Many winners cost less
    than that loss as often would:

    * Laplace noise (LNMax, Papernot et al. 2017): the noisy counts are two Laplace releases of sensitivity 1.
    * Gumbel noise: class o wins with probability proportional to :math:`e^{n_o/\beta}`, the exponential mechanism. The
      loss of o is :math:`(n_o - n'_o)/\beta` plus a number that is the same for all classes, so losses *span*
      :math:`2/\beta`.

    :param scale: beta.
    :param noise: "laplace" or "gumbel".

    >>> NoisyVotes(5.0).epsilon
    0.4
    """

    scale: Annotated[float, Positive()]
    noise: Annotated[str, Choice(NOISES)] = "laplace"

    @property
    def epsilon(self) -> float:
        """The loss of one winner is never above this; large gaps between counts approach it (Laplace noise)."""
        return 2 / self.scale

    @property
    def guarantee(self) -> Guarantee:
        """What one noisy winner costs."""
        return Guarantee(self.epsilon, unit="node", relation="add/remove", trust="central", basis="proved")

    @classmethod
    def examples(cls) -> "tuple[NoisyVotes, ...]":
        return cls(1.0), cls(3.0, "gumbel")

    def audit_case(self) -> AuditCase:
        """At most four votes for three classes, of which one is cast, withdrawn or moved."""
        counts = tuple(votes for votes in product(range(5), repeat=3) if sum(votes) <= 4)
        return AuditCase(counts, encode=lambda votes: torch.tensor([votes], dtype=torch.float),
                         distribution=self.distribution,
                         neighbours={("node", "add/remove"): lambda votes: (
                             other for other in counts if one_vote_changes(votes, other))})

    def noiseless(self) -> "NoisyVotes":
        raise NotImplementedError("votes are never counted without noise: scale must be above 0")

    def steps(self, count: int) -> tuple[Step, ...]:
        """What ``count`` winners cost, for an accountant."""
        if self.noise == "gumbel":
            return (Step(BoundedRangePair(self.epsilon), count),)
        return (Step(LaplacePair(self.scale), 2 * count),)

    def between(self, votes: Tensor, other: Tensor) -> tuple[Step, ...]:
        """A row costs what one vote does, or so many times its loss where more votes differ.

        :param votes: counts float [N, c].
        :param other: those of a neighbour, float [N, c].
        """
        up, down = ((first - second).clamp(min=0).sum(1) for first, second in ((votes, other), (other, votes)))
        sizes, rows = torch.maximum(up, down).ceil().long().unique(return_counts=True)
        return tuple(step for size, count in zip(sizes.tolist(), rows.tolist(), strict=True) if size
                     for step in (self.steps(count) if size == 1 else
                                  (Step(pure_pair(size * self.guarantee.epsilon), count),)))

    @noisy
    def __call__(self, votes: Tensor, *, generator: torch.Generator) -> Tensor:
        """The winners int64 [N] of counts ``votes`` [N, c].

        :param votes: float or int [N, c], of at least 0.
        """
        check_generator(generator), check_votes(votes)
        return drawing(generator).winners(self.noise, votes, self.scale)

    @property
    def budgets(self) -> tuple[float]:
        return (1 / self.scale,)

    def weights(self, votes, t, one=1) -> Weights:
        """t^count with Gumbel noise; t = e^(1/beta).

        :param votes: one row of c counts.
        """
        return gumbel_weights(votes, t, one, self.noise)

    def distribution(self, votes) -> dict[int, float]:
        """Pr[winner | one row of counts], for the exact audit.

        :param votes: one row of c counts.
        """
        check_votes(torch.as_tensor([list(votes)], dtype=torch.float64))
        return super().distribution(votes) if self.noise == "gumbel" else laplace_chances(votes, self.scale)


def one_vote_changes(votes: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether counts differ by one vote that is cast, withdrawn, or moved."""
    difference = [b - a for a, b in zip(votes, other, strict=True)]
    return 0 < sum(map(abs, difference)) <= 2 and abs(sum(difference)) <= 1  # two votes for one class add up to 2


def gumbel_weights(scores, t, one, noise: str) -> Weights:
    """The exponential mechanism: t^score, over what makes that of the best class a power of t alone."""
    if noise != "gumbel":
        raise NotImplementedError(f"the chances with {noise} noise are no polynomials of e^(1/beta)")
    scores = [int(s) if s == int(s) else s for s in scores]  # a polynomial has whole powers only
    best = max(scores)
    return {o: t**s * one ** (best - s) for o, s in enumerate(scores)}


def laplace_chances(scores, scale: float) -> dict[int, float]:
    """How often each class wins, by quadrature."""
    scores = np.asarray(scores, dtype=float)
    with np.errstate(over="ignore"):
        s = (scores - scores.max()) / scale  # of the best class 0, of hopeless ones perhaps -inf
    return {o: laplace_chance(s, o) for o in range(len(s))}


def laplace_factor(lead: float, num_classes: int) -> float:
    r""":math:`e^{\text{lead}} \int f(z) F(z - \text{lead}) F(z)^{c-2} dz` for standard Laplace noise.

    The integral, ``lose``, is smaller than any float where the lead is large; the factor is about (lead + a constant) /
    4. With u = F(z) there are three pieces: z below 0, between 0 and the lead, and above. In the last one,
    1 - u = t h with h = :math:`e^{-\text{lead}} / 2`.
    """
    c, half = num_classes, math.exp(-lead) / 2
    k = np.arange(1, c - 1)
    low = 2.0**-c / c
    middle = (lead - float((((1 - half) ** k - 2.0**-k) / k).sum())) / 4
    high = mean(lambda t: (1 - t / 2) * (1 - half * t) ** (c - 2), c) / 2
    return low + middle + high


def laplace_epsilon(lead: float, num_classes: int) -> float:
    """ln(win / lose) with Laplace noise, to the last digits for large leads and for small ones.

    In win - lose = 1 - c lose most digits cancel where the lead is small, so there it is a sum of positive parts: c
    times the integral of f(z) (F(z) - F(z - lead)) F(z)^(c-2), cut as in ``laplace_factor``. In its middle
    u = (1 + g s) / 2 with g = 1 - e^-lead.
    """
    c, factor = num_classes, laplace_factor(lead, num_classes)
    if lead > 1:
        return lead + math.log1p(-(c - 1) * math.exp(-lead) * factor) - math.log(factor)
    g, half = -math.expm1(-lead), math.exp(-lead) / 2
    low = 2.0**-c / c
    middle = g / 4 * mean(lambda s: (1 - g * s**2) / (1 - g * s) * ((1 + g * s) / 2) ** (c - 2), c)
    high = half / 2 * mean(lambda t: t * (1 - half * t) ** (c - 2), c)
    return math.log1p(c * g * (low + middle + high) / (2 * half * factor))


def mean(function: Callable[[np.ndarray], np.ndarray], num_classes: int) -> float:
    """The mean over [0, 1] by Gauss's rule: exact for polynomials up to degree 2 ``num_classes``."""
    x, weight = gauss_rule(min(num_classes, MOST_POINTS) + 20)
    return float(weight @ function((1 + x) / 2)) / 2


gauss_rule = lru_cache(np.polynomial.legendre.leggauss)


def laplace_chance(s: np.ndarray, winner: int) -> float:
    """The chance that ``winner`` has the largest of ``s`` plus Laplace noise, by quadrature between the kinks."""
    with np.errstate(invalid="ignore"):
        others = np.delete(s, winner) - s[winner]  # so that no digit of z is lost near the winner
    if np.isposinf(others).any():
        return 0.0
    others = np.maximum(others, -FAR)
    def integrand(z):
        return math.exp(-abs(z)) / 2 * float(np.prod(laplace_cdf(z - others)))
    # Beyond REACH of every score the densities are below 1e-17; the kinks there keep quadrature from missing the rest.
    kinks = np.unique([d + step for d in (0.0, *others) for step in (-REACH, 0.0, REACH)])
    return math.fsum(quad(integrand, a, b, epsabs=0, epsrel=1e-12)[0] for a, b in pairwise(kinks))


def laplace_cdf(z: np.ndarray) -> np.ndarray:
    return np.where(z < 0, np.exp(-np.abs(z)) / 2, 1 - np.exp(-np.abs(z)) / 2)


def check_scores(scores: Tensor, num_classes: int) -> Tensor:
    """Rows of probabilities [N, num_classes]: outside the simplex the guarantee is void."""
    check_features(scores, 0, 1)
    if scores.size(1) != num_classes:
        raise ValueError(f"scores must have {num_classes} columns, got {scores.size(1)}")
    if scores.numel() and (off := float((scores.sum(1) - 1).abs().max())) > 1e-4:
        raise ValueError(f"each row of scores must sum to 1, got one that is off by {off:g}")
    return scores


def check_votes(votes: Tensor) -> Tensor:
    """Rows of counts [N, c]."""
    if check_tensor(votes, "votes").dim() != 2 or not votes.is_floating_point() or not torch.isfinite(votes).all():
        raise ValueError(
            f"votes must be a tensor of finite floats [N, c], got {votes.dtype} of shape {list(votes.shape)}")
    if (votes < 0).any() or (votes != votes.round()).any():
        raise ValueError("votes must be counts: whole numbers of at least 0, got negative or fractional ones")
    return votes
