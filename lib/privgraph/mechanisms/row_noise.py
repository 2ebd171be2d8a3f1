"""Noise for answers that are vectors, a row each: its length counts, and every direction is alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..checks import check_features
from ..late import torch
from ..privacy import FinitePair, pure_pair
from .additive import ScaledNoise, check_answer
from .drawing import drawing
from .mechanism import AuditCase
from .tape import noisy

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class RowNoise(ScaledNoise):
    r"""Add to each row of an answer [n, d] a vector of its own, drawn with density

    .. math:: f(\eta) \propto e^{-\lVert \eta \rVert_2 / b}, \qquad b = \Delta / \varepsilon

    A direction is drawn uniformly, and a length from the Gamma distribution of shape d and scale b: on average
    :math:`d b`. With d = 1 it is Laplace noise.

    Proof. :math:`\Delta` bounds how far all rows together move between neighbours, :math:`\sum_i \lVert a_i - a'_i
    \rVert_2`; the caller vouches for that. The log of the quotient of the densities at an outcome z is :math:`\sum_i
    (\lVert z_i - a'_i \rVert - \lVert z_i - a_i \rVert) / b`, and each term is at most :math:`\lVert a_i - a'_i \rVert
    / b`. Attained at z = a. This is the noise of objective perturbation (Chaudhuri, Monteleoni and Sarwate 2011).

    :param epsilon: privacy budget of the whole answer, > 0; ``inf`` adds nothing.
    :param sensitivity: Delta, the sum over all rows of how far one neighbour can move them, in the L2 norm.
    :param unit: who or what the sensitivity was computed for.
    :param relation: between which neighbours.
    :param trust: who adds the noise.

    >>> RowNoise(0.5, sensitivity=2.0).scale
    4.0
    """

    @staticmethod
    def distance(x: Tensor, other: Tensor) -> float:
        """How far two answers are apart, the L2 distances of rows added up.

        :param x: an answer, float [n, d].
        :param other: that of a neighbour, float [n, d].
        """
        return float((x - other).norm(dim=1).sum())

    @staticmethod
    def pair_at(moved: float) -> FinitePair:
        """The dominating pair of two answers so far apart.

        :param moved: their distance by the scale of the noise.
        """
        return pure_pair(moved)

    @property
    def pair(self) -> FinitePair:
        """What dominates whatever is epsilon-DP."""
        return pure_pair(self.epsilon)

    @classmethod
    def examples(cls) -> "tuple[RowNoise, ...]":
        return cls(1.0), cls(2.0, sensitivity=3.0, unit="undirected edge")

    def audit_case(self) -> AuditCase:
        """One row of one number, at two values that are as far apart as the sensitivity says."""
        return AuditCase((0.0, self.sensitivity), lambda value: torch.tensor([[value]]),
                         lambda report: report[0, 0].item())

    @noisy
    def __call__(self, answer: Tensor, *, generator: torch.Generator) -> Tensor:
        """The noisy answer, of the shape and type of ``answer`` [n, d].

        :param answer: float [n, d].
        :returns: float [n, d].
        """
        mean_length = self.scale * check_features(answer).size(1)
        return drawing(generator).noisy_rows(check_answer(answer, mean_length), self.scale)
