"""Noise added to numbers: the Laplace and the Gaussian mechanism (Dwork et al. 2006; Balle and Wang 2018)."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from scipy.optimize import brentq

from ..checks import check_tensor
from ..checks.parameters import Choice, Delta, Epsilon, Positive
from ..late import stats, torch
from ..privacy import FinitePair, GaussianPair, Guarantee, LaplacePair, Step
from ..privacy.guarantee import RELATIONS, TRUSTS, UNITS
from .drawing import drawing
from .mechanism import NOTHING_HOLDS, AuditCase, Mechanism
from .tape import noisy

if TYPE_CHECKING:
    from torch import Tensor

REACH = 100  # scales of noise that a number of the answer's type must hold


@dataclass(frozen=True)
class ScaledNoise(Mechanism):
    r"""Noise of scale :math:`\Delta / \varepsilon` that makes an answer :math:`\varepsilon`-DP.

    Each mechanism of this kind says which density the noise has and in which norm :math:`\Delta` is meant, and proves
    it. The proof speaks of real numbers; with a ``Secret`` generator the number that leaves is a function of the real
    noisy answer alone (``exact``), so that it holds for that number too. With a seed it is idealised.

    :param epsilon: privacy budget of the whole answer, > 0; ``inf`` adds nothing.
    :param sensitivity: Delta, how far one neighbour can move the answer; the caller vouches for it.
    :param unit: who or what the sensitivity was computed for.
    :param relation: between which neighbours.
    :param trust: who adds the noise.
    """

    epsilon: Annotated[float, Epsilon()]
    sensitivity: Annotated[float, Positive()] = 1.0
    unit: Annotated[str, Choice(UNITS)] = "node"
    relation: Annotated[str, Choice(RELATIONS)] = "add/remove"
    trust: Annotated[str, Choice(TRUSTS)] = "central"

    @property
    def scale(self) -> float:
        return self.sensitivity / self.epsilon

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon, unit=self.unit, relation=self.relation, trust=self.trust, basis="proved")

    def between(self, x: Tensor, other: Tensor) -> tuple[Step, ...]:
        """What that distance costs, whatever the sensitivity says."""
        moved = self.distance(x.double(), other.double())
        return (Step(self.pair_at(moved / self.scale) if self.scale else NOTHING_HOLDS),) if moved else ()

    @staticmethod
    @abstractmethod
    def distance(x: Tensor, other: Tensor) -> float:
        """How far apart two answers are, in the norm that counts."""

    @staticmethod
    @abstractmethod
    def pair_at(moved: float) -> LaplacePair | FinitePair:
        """What dominates two answers that are so many scales apart."""


@dataclass(frozen=True)
class Laplace(ScaledNoise):
    r"""Add Laplace noise of scale :math:`b = \Delta_1 / \varepsilon` to every number of an answer.

    The answer is :math:`\varepsilon`-DP if one neighbour moves it by at most ``sensitivity`` in the L1 norm,
    all its numbers taken together; the caller vouches for that. The noise has variance :math:`2 b^2` and mean
    0, so the noisy answer is unbiased.

    :param epsilon: privacy budget of the whole answer, > 0; ``inf`` adds nothing.
    :param sensitivity: Delta_1, how far one neighbour can move the answer, in the L1 norm.
    :param unit: who or what the sensitivity was computed for.
    :param relation: between which neighbours.
    :param trust: who adds the noise.

    >>> Laplace(0.5, sensitivity=2.0).scale
    4.0
    """

    @staticmethod
    def distance(x: Tensor, other: Tensor) -> float:
        """How far two answers are apart, in L1.

        :param x: an answer, float of any shape [...].
        :param other: that of a neighbour, float of the same shape [...].
        """
        return float((x - other).abs().sum())

    @staticmethod
    def pair_at(moved: float) -> LaplacePair:
        """The dominating pair of two answers so far apart.

        :param moved: their distance by the scale of the noise.
        """
        return LaplacePair(1 / moved)

    @property
    def variance(self) -> float:
        """Of the noise in one number."""
        return 2 * self.scale * self.scale

    @property
    def law(self):
        return stats.laplace(scale=self.scale) if self.scale else None

    @classmethod
    def examples(cls) -> "tuple[Laplace, ...]":
        return cls(1.0), cls(0.5, sensitivity=3.0, unit="undirected edge", trust="local")

    def audit_case(self) -> AuditCase:
        """One number, at two values that are as far apart as the sensitivity says."""
        return AuditCase((0.0, self.sensitivity))

    @property
    def pair(self) -> LaplacePair:
        r"""What dominates the mechanism, for one number and for a vector within the same L1 sensitivity.

        Proof for a vector, in units of the scale. Two numbers that move by r <= s are no worse than one that moves by
        r + s, and the rest follows number by number, as dominating pairs compose. If a number moves from 0 to s, all
        that tells is the noisy number clipped to [0, s]: X there, and Y of [0, r], have losses 2 X - s and 2 Y - r. So
        all that tells of both is W = X + Y, and of the one number Z, clipped to [0, r + s], each with the loss
        2 w - r - s. Then delta is the mean of :math:`(e^{2w - r - s} - t)_+` where nothing moved, and :math:`e^{2W}`
        and :math:`e^{2Z}` have the same mean there. Where :math:`\Pr[W > w]` crosses :math:`\Pr[Z > w] = e^{-w}/2`
        once, from above, Z is the more spread out, and every such mean of a convex function is larger. The quotient of
        the two probabilities is

        .. math:: \tfrac12 (3 + w), \; w < r; \qquad \tfrac12 (2 + r), \; r \le w < s; \qquad
                  \tfrac12 (1 + r + s - w), \; s \le w < r + s

        which is at least 1 up to s, falls from there on, and ends at 1/2.
        """
        return LaplacePair(1 / self.epsilon)

    @noisy
    def __call__(self, answer: Tensor, *, generator: torch.Generator) -> Tensor:
        """The noisy answer, of the shape and type of ``answer``.

        :param answer: float of any shape [...].
        :returns: float of the same shape [...].
        """
        return drawing(generator).noisy("laplace", check_answer(answer, self.scale), self.scale)


@dataclass(frozen=True)
class Gaussian(Mechanism):
    r"""Add Gaussian noise to every number of an answer, just enough for :math:`(\varepsilon, \delta)`-DP.

    sigma is the smallest for which

    .. math:: \Phi\Big(\frac{\Delta_2}{2\sigma} - \frac{\varepsilon\sigma}{\Delta_2}\Big)
              - e^{\varepsilon} \Phi\Big(-\frac{\Delta_2}{2\sigma} - \frac{\varepsilon\sigma}{\Delta_2}\Big) \le \delta

    (Balle and Wang 2018, Theorem 8 and Algorithm 1; the older :math:`\sqrt{2 \ln(1.25/\delta)}/\varepsilon`
    holds for :math:`\varepsilon \le 1` only). The noisy answer is unbiased with variance sigma^2. With a ``Secret``
    generator this holds for the floats that leave (``exact``); with a seed it is idealised.

    :param epsilon: privacy budget of the whole answer; ``inf`` adds nothing.
    :param delta: its other half, above 0 and below 1.
    :param sensitivity: Delta_2, how far one neighbour can move the answer, in the L2 norm.
    :param unit: who or what the sensitivity was computed for.
    :param relation: between which neighbours.
    :param trust: who adds the noise.

    >>> round(Gaussian(1.0, 1e-5).sigma, 3)
    3.731
    """

    epsilon: Annotated[float, Epsilon()]
    delta: Annotated[float, Delta()]
    sensitivity: Annotated[float, Positive()] = 1.0
    unit: Annotated[str, Choice(UNITS)] = "node"
    relation: Annotated[str, Choice(RELATIONS)] = "add/remove"
    trust: Annotated[str, Choice(TRUSTS)] = "central"

    @cached_property
    def sigma(self) -> float:
        """The deviation of the noise, the least with which epsilon and delta hold."""
        if math.isinf(self.epsilon):
            return 0.0
        low, high = math.log(1e-160), math.log(1e160)  # of sigma / sensitivity, far beyond any use
        def excess(log_sigma):
            return GaussianPair(math.exp(log_sigma)).delta(self.epsilon) - self.delta
        return self.sensitivity * math.exp(brentq(excess, low, high))

    @property
    def variance(self) -> float:
        """Of the noise in one number."""
        return self.sigma**2

    @property
    def law(self):
        return stats.norm(scale=self.sigma) if self.sigma else None

    @property
    def guarantee(self) -> Guarantee:
        """Epsilon and delta, which the deviation is made for."""
        return Guarantee(self.epsilon, self.delta, unit=self.unit, relation=self.relation, trust=self.trust,
                         basis="proved")

    @classmethod
    def examples(cls) -> "tuple[Gaussian, ...]":
        return cls(1.0, 1e-5), cls(3.0, 0.1, sensitivity=2.0)

    def audit_case(self) -> AuditCase:
        """One number, at two values that are as far apart as the sensitivity says."""
        return AuditCase((0.0, self.sensitivity))

    @property
    def pair(self) -> GaussianPair:
        """What dominates the mechanism."""
        return GaussianPair(self.sigma / self.sensitivity)

    def between(self, x: Tensor, other: Tensor) -> tuple[Step, ...]:
        """What their L2 distance costs, whatever the sensitivity says.

        :param x: an answer, float of any shape [...].
        :param other: that of a neighbour, float of the same shape [...].
        """
        moved = float((x.double() - other.double()).norm())
        return (Step(GaussianPair(self.sigma / moved) if self.sigma else NOTHING_HOLDS),) if moved else ()

    @noisy
    def __call__(self, answer: Tensor, *, generator: torch.Generator) -> Tensor:
        """The noisy answer, of the shape and type of ``answer``.

        :param answer: float of any shape [...].
        :returns: float of the same shape [...].
        """
        return drawing(generator).noisy("gaussian", check_answer(answer, self.sigma), self.sigma)


def check_answer(answer: Tensor, scale: float) -> Tensor:
    """Finite floats, of a type that can hold noise of this scale (both public)."""
    if not check_tensor(answer, "answer").is_floating_point() or not torch.isfinite(answer).all():
        raise ValueError(f"answer must be a tensor of finite floats, got {answer.dtype} with "
                         f"{int((~torch.isfinite(answer)).sum())} NaN or infinite values")
    if REACH * scale > torch.finfo(answer.dtype).max:
        raise ValueError(f"answer must be of a type with room for noise of scale {scale:.3g}, got {answer.dtype}, "
                         f"which ends at {torch.finfo(answer.dtype).max:.3g}")
    return answer
