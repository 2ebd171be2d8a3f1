"""Class means with noise: prototypes that may be published (chapter 5 of the dissertation, and what it leaves out)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from ..checks import (
    check_count,
    check_features,
    check_generator,
    check_labels,
    check_tensor,
)
from ..checks.parameters import Count, Delta, Epsilon, Positive
from ..late import torch
from ..privacy import GaussianPair, Guarantee, Step
from ..privacy.accounting import epsilon_at
from .additive import Gaussian, check_answer
from .mechanism import AuditCase, Mechanism
from .tape import noisy

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class NoisyMean(Mechanism):
    r"""The mean vector of each class's K support graphs, each vector clipped to length C before, plus Gaussian noise.

    .. math:: p_c = \frac1K \sum_{i \in c} z_i \min\Big(1, \frac{C}{\lVert z_i \rVert_2}\Big) + N(0, \sigma^2 I),
              \qquad \Delta_2 = \frac{2C}{K}

    sigma is the smallest for which the Gaussian mechanism with this sensitivity is :math:`(\varepsilon, \delta)`-DP
    (``Gaussian``; Balle and Wang 2018). The guarantee is for all prototypes of a task together, in any number of
    dimensions, and for whatever is computed from them: answers to queries cost nothing more.

    **Unit.** One support graph, all of it, of which one vector is read. **Relation.** It is replaced by any other
    graph *with the same label*; how many there are, and of which class each is, is public.

    **Condition.** Nothing that makes vectors or bounds has seen a support graph: the encoder was trained on other
    (base, or public) classes and looks at each graph by itself (no statistics over a batch); C, K and delta were chosen
    without them. One support set is published once; twice cost as two uses of ``pair`` do.

    Proof. Clipped vectors lie in a ball of radius C, and two points of it are at most 2C apart, which opposite ones
    are. One replaced graph changes one row, so its class's mean moves by at most 2C/K. Classes share no graph and the
    label stays, so no other mean moves: the answer [ways, d] as one vector moves by at most 2C/K in the L2 norm. (C/K
    is how far a row moves a sum that it is taken from; here another takes its place. Clipping *after* averaging bounds
    nothing but the mean: one long row moves it by 2C.)

    Labels. As K is public, no graph alone changes its class. If two graphs of different classes change places, each
    of two means moves by at most 2C/K, together by :math:`\sqrt2 \cdot 2C/K`: as much as two uses of ``pair`` cost
    (``exchanged_epsilon``). Were sums divided by a fixed K however many rows there are, a graph that is replaced and
    goes to another class would move two sums by at most C each, the answer by :math:`\sqrt2 C/K < 2C/K`, and cost
    nothing more; this mechanism does not do that, and refuses classes of another size.

    :param epsilon: privacy budget of all prototypes; ``inf`` adds no noise (rows are clipped all the same).
    :param delta: its other half, above 0 and below 1.
    :param clip: C, the longest that a vector may be; public.
    :param shots: K, how many graphs each class has; public.

    >>> mechanism = NoisyMean(1.0, 1e-5, clip=2.0, shots=20)
    >>> mechanism.sensitivity, round(mechanism.sigma, 3)
    (0.2, 0.746)
    """

    epsilon: Annotated[float, Epsilon()]
    delta: Annotated[float, Delta()]
    clip: Annotated[float, Positive()] = 1.0
    shots: Annotated[int, Count(1)] = 1

    @property
    def sensitivity(self) -> float:
        """How far one replaced graph moves all means together, in the L2 norm."""
        return 2 * self.clip / self.shots

    @cached_property
    def noise(self) -> Gaussian:
        """What is added to the means."""
        return Gaussian(self.epsilon, self.delta, self.sensitivity, "support graph", "replace", "central")

    @property
    def sigma(self) -> float:
        """The deviation of the noise in each number."""
        return self.noise.sigma

    @property
    def law(self):
        return self.noise.law

    @property
    def pair(self) -> GaussianPair:
        """What dominates the mechanism."""
        return self.noise.pair

    def between(self, x: Tensor, other: Tensor) -> tuple[Step, ...]:
        """What the distance of their means costs.

        :param x: vectors float [ways, shots, d].
        :param other: those of a neighbour, float [ways, shots, d].
        """
        return self.noise.between(self.means(x.double()), self.means(other.double()))

    @property
    def guarantee(self) -> Guarantee:
        """What the Gaussian noise is made for."""
        return self.noise.guarantee

    def exchanged_epsilon(self) -> float:
        r"""Epsilon at the same delta between support sets in which two graphs of different classes change places.

        Searched below :math:`\frac{m^2}{2} + m \sqrt{2 \ln(1/\delta)}`, which is enough for a shift of m sigma (Bun and
        Steinke 2016, Proposition 1.3).
        """
        if math.isinf(self.epsilon):
            return math.inf
        shift = math.sqrt(2) * self.sensitivity / self.sigma
        return epsilon_at(GaussianPair(1 / shift).delta, self.delta,
                          shift * (shift / 2 + math.sqrt(2 * math.log(1 / self.delta))))

    @classmethod
    def examples(cls) -> "tuple[NoisyMean, ...]":
        return cls(1.0, 1e-5), cls(3.0, 0.01, clip=2.0, shots=4)

    def audit_case(self) -> AuditCase:
        """One class of numbers, of which the first is inside the bound, at it, or far outside; the others are 0."""
        far = 2 * self.clip * self.shots
        def encode(value):
            return torch.tensor([[[value]] + [[0.0]] * (self.shots - 1)])
        return AuditCase((-far, -self.clip, 0.0, self.clip, far), encode, lambda report: report[0, 0].item(),
                         truth=self.means)

    def rows(self, z: Tensor, y: Tensor, ways: int) -> Tensor:
        """Vectors [S, d] with classes y [S] as this mechanism takes them, [ways, shots, d]; each class has K.

        :param z: float [S, d].
        :param y: int64 [S], each class K times.
        :returns: float [ways, shots, d].
        :raises ValueError: where a class has another number of rows than ``shots``.
        """
        check_features(z), check_labels(y, check_count(ways, "ways", low=1))
        counts = torch.bincount(y, minlength=ways)
        if len(y) != len(z) or (counts != self.shots).any():
            raise ValueError(f"y must name a class for each of {len(z)} rows of z and each of {ways} classes "
                             f"{self.shots} times (shots), got {len(y)} with {counts.tolist()}")
        return z[y.argsort(stable=True)].view(ways, self.shots, z.size(1))

    def means(self, z: Tensor) -> Tensor:
        """The means of clipped rows, without noise.

        :param z: float [ways, shots, d].
        :returns: float [ways, d].
        """
        length = z.double().norm(dim=2, keepdim=True)
        return (z.double() * (self.clip / length).clamp(max=1)).mean(1).to(z.dtype)

    @noisy
    def __call__(self, z: Tensor, *, generator: torch.Generator) -> Tensor:
        """Prototypes [ways, d], of the type of ``z``.

        :param z: the vectors of the support graphs, class by class, float [ways, shots, d] (``rows`` makes them so).
        :returns: float [ways, d].
        :raises ValueError: for another shape than [ways, shots, d], and for numbers that are not finite.
        """
        check_generator(generator)
        if check_tensor(z, "z").dim() != 3 or z.size(1) != self.shots or not z.is_floating_point():
            raise ValueError(f"z must be a float tensor of shape [ways, {self.shots}, d], "
                             f"got {z.dtype} of shape {list(z.shape)}")
        if (odd := int((~z.isfinite()).sum())) > 0:
            raise ValueError(f"z must be finite, got {odd} NaN or infinite values")
        check_answer(z, self.sigma)
        return self.noise(self.means(z.double()), generator=generator).to(z.dtype)
