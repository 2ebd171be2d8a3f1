r"""Samples of a fixed size, without replacement, when one person's record is replaced by another's.

**Proof.** m of n people are drawn without replacement, so everybody is in with probability :math:`\gamma = m / n`. Data
x and x' differ in one person's record. Let A and A' be the outcomes where that person is in, and B where not, which x
and x' share: the outcomes on x and x' are :math:`(1-\gamma) B + \gamma A` and :math:`(1-\gamma) B + \gamma A'`. Draw
m - 1 of the others and one more of them. With the person's record in the place of that last one they make a sample of
A's or A''s kind, as they are one of B's: three samples, each two of which differ in one replaced record, so that (P, Q)
dominates what the mechanism does with them. For :math:`t \ge 1` and :math:`s = 1 + (t - 1)/\gamma`

.. math:: H_t((1-\gamma) B + \gamma A \| (1-\gamma) B + \gamma A')
          = \gamma H_s(A \| (1 - t/s) B + (t/s) A') \le \gamma H_s(P \| Q)

by advanced joint convexity (Balle, Barthe and Gaboardi 2018, Theorems 2 and 9). The same holds with x and x' exchanged,
and :math:`H_t = 1 - t + t H_{1/t}` of the exchanged pair says what holds for t < 1. So the curve

.. math:: h(t) = \gamma H_{1 + (t-1)/\gamma}(P \| Q), \; t \ge 1; \qquad h(t) = 1 - t + t\,h(1/t), \; t < 1

bounds all. It is the larger of the curves of :math:`((1-\gamma) Q + \gamma P, Q)` and of the exchanged pair, hence
convex, hence the curve of a pair of its own, which dominates for all t and may be composed (Zhu, Dong and Wang 2022,
Proposition 8 and Theorem 10). The first is the *add/remove* curve of Poisson sampling, so one use costs what it costs
there; many uses cost more, as both of its directions count.
"""

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ..checks import check_count, check_number, check_order, check_rate
from ..checks.parameters import Rate
from .dominating_pairs import FinitePair, sampled_losses
from .further import DominatingPair
from .noise_pairs import GaussianPair, LaplacePair, sampled_delta


def fraction(batch: int, people: int) -> float:
    """gamma: how likely everybody is to be among ``batch`` of ``people``, who are public numbers.

    >>> fraction(50, 1000)
    0.05
    """
    people = check_count(people, "people", low=1)
    return check_count(batch, "batch", low=1, high=people) / people


def fixed_size_pair(pair, batch: int, people: int):
    """What dominates a mechanism on a sample of ``batch`` of ``people`` without replacement, under "replace".

    :param pair: of the mechanism on the sample, under "replace"; it must not have been sampled yet.
    :returns: a finite pair for finite ones, else a ``FixedSizePair``.
    :raises ValueError: for a pair that is sampled already.

    >>> from privgraph.privacy import pure_pair
    >>> sampled = fixed_size_pair(pure_pair(1.0), 50, 1000)
    >>> round(sampled.epsilon, 6), round(math.log1p(0.05 * math.expm1(1.0)), 6)
    (0.082422, 0.082422)
    """
    rate = fraction(batch, people)
    if rate == 1:
        return pair
    if getattr(pair, "rate", 1.0) < 1:
        raise ValueError(f"pair must not be sampled yet, got rate {pair.rate:g}")
    if isinstance(pair, FinitePair):
        losses = np.abs(np.array(pair.losses))
        places = np.append(0.0, sampled_losses(losses[np.isfinite(losses)], rate))
        return symmetric_pair(lambda epsilon: sampled_delta(pair.delta, rate, epsilon), places, rate * pair.given_away)
    return FixedSizePair(pair, rate)


def symmetric_pair(curve, places: np.ndarray, lost: float) -> FinitePair:
    r"""The pair whose :math:`\delta(\varepsilon)` joins the values of ``curve`` at ``places`` by chords in
    :math:`e^{\varepsilon}`, both ways alike.

    :param places: epsilons of at least 0, 0 among them.
    :param lost: the value of the curve at the last place and beyond.
    """
    loss = np.unique(places)
    delta = np.append([curve(float(epsilon)) for epsilon in loss[:-1]], lost)
    slope = np.append(np.diff(delta) / np.diff(np.exp(loss)), 0.0)
    q = np.diff(slope).clip(0)  # as much as the curve bends at each ratio above 1
    p = np.exp(loss[1:]) * q  # which is q of the mirrored outcome
    middle = max(0.0, 1 - lost - float(p.sum() + q.sum()))  # of ratio 1
    forth = np.array([lost, *p[::-1], middle, *q, 0.0])
    losses = np.array([math.inf, *loss[:0:-1], 0.0, *-loss[1:], -math.inf])
    seen = (forth + forth[::-1]) > 0
    forth, back = forth[seen] / forth.sum(), forth[::-1][seen] / forth.sum()
    return FinitePair(tuple(forth), tuple(back), tuple(losses[seen]))


@dataclass(frozen=True)
class FixedSizePair(DominatingPair):
    """Continuous noise on a sample of a fixed size without replacement, under "replace".

    :param pair: of the noise on everybody, in units of the sensitivity under "replace": Laplace or Gaussian.
    :param fraction: m / n, the share of people that is drawn.

    >>> round(FixedSizePair(GaussianPair(1.0), 0.1).delta(0.5), 6) == round(GaussianPair(1.0, 0.1).delta(0.5), 6)
    True
    """

    pair: LaplacePair | GaussianPair
    fraction: Annotated[float, Rate()]

    def agree(self):
        """Refuse pairs of which no proof here speaks.

        :raises ValueError: for a pair of other noise than Laplace's or Gauss', and for one that is sampled already.
        """
        if not isinstance(self.pair, LaplacePair | GaussianPair) or self.pair.rate < 1:
            raise ValueError("pair must be of Laplace or Gaussian noise that is not sampled, or have finitely many "
                             f"outcomes, got {self.pair!r}")

    @property
    def poisson_pair(self) -> LaplacePair | GaussianPair:
        """The Poisson sample's pair, whose curve is this one's above epsilon 0."""
        return self.pair.poisson(self.fraction)

    def largest_loss(self, forth: bool = True) -> float:
        return self.poisson_pair.largest_loss(True)

    def delta(self, epsilon: float) -> float:
        """Of one use, exactly what the proof at the top of this file bounds it by."""
        return self.poisson_pair.delta(check_number(epsilon, "epsilon", low=0, allowed="be at least 0"))

    def rdp(self, order: float) -> float:
        """``fixed_size_rdp``, an upper bound; no sample costs more than everybody does."""
        return min(fixed_size_rdp(self.poisson_pair.rdp(order), order), self.pair.rdp(order))

    def poisson(self, rate: float) -> "FixedSizePair":
        """Refused, unless everybody is in the sample.

        :raises ValueError: for a rate below 1.
        """
        if check_rate(rate) == 1:
            return self
        raise ValueError("rate must be 1 for what is sampled without replacement already")

    def loss_range(self, forth: bool, log_cut: float) -> tuple[float, float]:
        """Between which values losses lie, but for a share e^log_cut on either side."""
        high = self.poisson_pair.loss_range(True, log_cut)[1]
        return -high, high

    def tails(self, loss: np.ndarray, forth: bool) -> tuple[np.ndarray, ...]:
        """Above 0 those of the Poisson pair, as the curves are the same there; below 0 their mirror."""
        above_p, below_p, above_q, below_q = self.poisson_pair.tails(np.abs(loss), True)
        up = loss >= 0
        return (np.where(up, above_p, below_q), np.where(up, below_p, above_q),
                np.where(up, above_q, below_p), np.where(up, below_q, above_p))


def fixed_size_rdp(poisson: float, order: float) -> float:
    r"""RDP of a fixed size without replacement under "replace", from that of a Poisson sample under add/remove.

    .. math:: \frac{1}{\alpha - 1} \ln\big(2 e^{(\alpha - 1)\,\varepsilon_{Poisson}(\alpha)} - 1\big)

    Proof. A pair with the curve H has :math:`E[r^\alpha] - 1 = \alpha (\alpha - 1) \int_1^\infty (t^{\alpha - 2} H_t
    + t^{-\alpha - 1} H'_t)\,dt`, where H' is the curve of the exchanged pair. Here both are h, the Poisson pair's curve
    above t = 1. The first half of the integral is part of the one for the Poisson pair, the second of the one for the
    exchanged Poisson pair, and for noise whose sampled side against the other is the worse direction both are at most
    :math:`e^{(\alpha - 1)\,\varepsilon_{Poisson}(\alpha)} - 1`.
    """
    grown = (check_order(order) - 1) * check_number(poisson, "poisson", low=0, allowed="be at least 0")
    return (grown + math.log1p(-math.expm1(-grown))) / (order - 1)
