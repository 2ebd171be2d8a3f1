"""Randomised response over k answers (Warner 1965; Kairouz, Bonawitz and Ramage 2016)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from ..checks import check_count, check_labels
from ..checks.parameters import Count, Epsilon
from ..late import torch
from ..privacy import FinitePair, Guarantee, response_pair
from .drawing import drawing
from .frequencies import estimate_frequencies, frequency_variance
from .law import Finite, Weights
from .mechanism import AuditCase, Mechanism
from .tape import noisy

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class RandomisedResponse(Finite, Mechanism):
    r"""Say the truth with probability p, otherwise one of the other k - 1 answers, uniformly.

    .. math:: p = \frac{e^{\varepsilon}}{e^{\varepsilon} + k - 1}, \qquad q = \frac{1}{e^{\varepsilon} + k - 1}

    The ratio p / q is :math:`e^{\varepsilon}`: the report is :math:`\varepsilon`-LDP for one answer, and the bound
    is attained. The server sees the noisy answer only. GraphPrivatizer, eq. 6, with d = k.

    Who answers is public. The guarantee speaks of another *answer* from her: an answer of -1 ("not labelled") stays -1,
    and that shows (``methods`` ask people whom public masks name, and each of them answers).

    :param epsilon: privacy budget, > 0; ``inf`` reports the truth.
    :param num_classes: k, at least 2.

    >>> RandomisedResponse(math.log(3), 2).transition
    tensor([[0.7500, 0.2500],
            [0.2500, 0.7500]])
    """

    ATTRIBUTE: ClassVar[str] = "y"
    one_total: ClassVar[bool] = True

    epsilon: Annotated[float, Epsilon()]
    num_classes: Annotated[int, Count(2)]

    @property
    def keep(self) -> float:
        """p, the probability of the truth."""
        return 1 / (1 + (self.num_classes - 1) * math.exp(-self.epsilon))

    @property
    def flip(self) -> float:
        """q, the probability of each other answer."""
        return self.keep * math.exp(-self.epsilon)

    @property
    def transition(self) -> Tensor:
        """The matrix [k, k] with entry (i, j) = Pr[report j | truth i].

        :returns: float32 [k, k].
        """
        k = self.num_classes
        return torch.full((k, k), self.flip).fill_diagonal_(self.keep)

    @property
    def guarantee(self) -> Guarantee:
        """What one report costs its sender."""
        return Guarantee(self.epsilon, unit="label", relation="replace", basis="proved")

    @classmethod
    def examples(cls) -> "tuple[RandomisedResponse, ...]":
        return cls(1.0, 2), cls(0.3, 4)

    def audit_case(self) -> AuditCase:
        """Every answer."""
        return AuditCase(tuple(range(self.num_classes)), distribution=self.distribution)

    @property
    def pair(self) -> FinitePair:
        """What dominates the mechanism: two answers; which two does not matter."""
        return response_pair(self.epsilon, self.num_classes)

    @noisy
    def __call__(self, y: Tensor, *, generator: torch.Generator) -> Tensor:
        """Noisy answers int64 [N]. Answers of -1 ("not labelled") stay -1: nothing is reported for them.

        :param y: int64 [N].
        """
        draw = drawing(generator)
        check_labels(y, self.num_classes, missing=True)
        lie = draw.lies(self.keep, (self.num_classes - 1) * self.flip, y.shape, device=y.device)
        other = draw.integers(1, self.num_classes, y.shape, y.device)
        return torch.where(lie & (y >= 0), (y + other) % self.num_classes, y)

    @staticmethod
    def shows(reports: Tensor) -> dict[str, Tensor]:
        """What is no noise: who answers.

        :param reports: int64 [N].
        """
        return {"who answers": reports >= 0}

    def estimate(self, reports: Tensor) -> Tensor:
        """Unbiased shares [k] of each answer among the people who sent ``reports`` [N]; may leave [0, 1].

        :param reports: int64 [N].
        :returns: float [k].
        """
        check_labels(reports, self.num_classes)
        observed = torch.bincount(reports, minlength=self.num_classes) / len(reports)
        return estimate_frequencies(observed, self.keep, self.flip)

    def variance(self, shares: Tensor, people: int) -> Tensor:
        """Variance of ``estimate`` where the true shares are ``shares``, for ``people`` whose answers are fixed.

        :param shares: float [k], which add up to 1.
        :returns: float [k].
        """
        return frequency_variance(shares, people, self.keep, self.flip)

    def weights(self, answer: int, t, one=1) -> Weights:
        """t for the truth, 1 for each other answer; t = e^epsilon.

        :param answer: the true one, a number below ``num_classes``.
        """
        check_count(answer, "answer", high=self.num_classes - 1)
        return {report: t if report == answer else one for report in range(self.num_classes)}
