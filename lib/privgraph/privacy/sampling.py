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

import numpy as np

from ..checks import check_count, check_fields, check_number, check_order, check_positive, check_rate
from .discrete import between_orders
from .further import DominatingPair
from .pairs import FinitePair, GaussianPair, LaplacePair, sampled_delta, sampled_losses

POINTS = 400  # places of a curve, on either side, that chords join
TAIL = 1e-15  # of delta at which a curve without end is cut; what is beyond counts as given away


def share(batch: int, people: int) -> float:
    """gamma: how likely everybody is to be among ``batch`` of ``people``, who are public numbers.

    >>> share(50, 1000)
    0.05
    """
    people = check_count(people, "people", low=1)
    return check_count(batch, "batch", low=1, high=people) / people


def fixed_size_pair(pair, batch: int, people: int):
    """What dominates a mechanism on a sample of ``batch`` of ``people`` without replacement, under "replace".

    :param pair: of the mechanism on the sample, under "replace"; it must not have been sampled yet.
    :returns: for finite pairs a finite one, exactly; for Laplace noise one whose curve joins places of the exact curve
        by chords, which lie above it; for Gaussian noise a ``FixedSizeGaussianPair``.

    >>> from privgraph.privacy import pure_pair
    >>> sampled = fixed_size_pair(pure_pair(1.0), 50, 1000)
    >>> round(sampled.epsilon, 6), round(math.log1p(0.05 * math.expm1(1.0)), 6)
    (0.082422, 0.082422)
    """
    rate = share(batch, people)
    if rate == 1:
        return pair
    if getattr(pair, "rate", 1.0) < 1:
        raise ValueError(f"pair must not be sampled yet, got rate {pair.rate:g}")
    if isinstance(pair, GaussianPair):
        return FixedSizeGaussianPair(pair.sigma, rate)
    if isinstance(pair, LaplacePair):
        places = np.linspace(0, LaplacePair(pair.scale, rate).epsilon, POINTS + 1)
    elif isinstance(pair, FinitePair):
        losses = np.abs(np.array(pair.losses))
        places = np.concatenate([[0.0], sampled_losses(losses[np.isfinite(losses)], rate)])
    else:
        raise ValueError(f"pair must be of Laplace or Gaussian noise or have finitely many outcomes, got {pair!r}")
    return symmetric_pair(lambda epsilon: sampled_delta(pair.delta, rate, epsilon), places)


def symmetric_pair(curve, places: np.ndarray) -> FinitePair:
    r"""The pair whose :math:`\delta(\varepsilon)` joins the values of ``curve`` at ``places`` by chords in
    :math:`e^{\varepsilon}`, both ways alike; what is left at the last place is given away.

    :param places: epsilons of at least 0, 0 among them.
    """
    loss = np.unique(places)
    delta = np.array([curve(float(epsilon)) for epsilon in loss])
    ratio = np.exp(loss)
    slope = np.append(np.diff(delta) / np.diff(ratio), 0.0)
    q = np.diff(slope, prepend=slope[0]).clip(0)  # as much as the curve bends at each ratio above 1
    q[-1] = max(q[-1], 0.0)
    p = ratio * q  # which is q of the mirrored outcome
    lost = float(delta[-1])
    middle = max(0.0, 1 - lost - float(p[1:].sum() + q[1:].sum()))  # of ratio 1
    forth = [lost, *p[:0:-1], middle, *q[1:], 0.0]
    losses = [math.inf, *loss[:0:-1], 0.0, *-loss[1:], -math.inf]
    forth, back = np.array(forth) / sum(forth), np.array(forth[::-1]) / sum(forth)
    seen = (forth + back) > 0
    return FinitePair(tuple(forth[seen]), tuple(back[seen]), tuple(np.array(losses)[seen]))


@dataclass(frozen=True)
class FixedSizeGaussianPair(DominatingPair):
    """Gaussian noise on a sample of a fixed size without replacement, under "replace".

    :param sigma: standard deviation of the noise, in units of the L2 sensitivity under "replace".
    :param rate: m / n, the share of people that is drawn.
    """

    sigma: float
    rate: float

    def __post_init__(self):
        check_fields(self, check_positive, "sigma"), check_fields(self, check_rate, "rate")

    @property
    def epsilon(self) -> float:
        return math.inf

    def delta(self, epsilon: float) -> float:
        """Of one use, exactly what the proof at the top of this file bounds it by."""
        epsilon = check_number(epsilon, "epsilon", low=0, allowed="be at least 0")
        return sampled_delta(GaussianPair(self.sigma).delta, self.rate, epsilon)

    def rdp(self, order: float) -> float:
        """``fixed_size_rdp``, an upper bound; no sample costs more than everybody does."""
        order, pair = check_order(order), GaussianPair(self.sigma)
        sampled = fixed_size_rdp(between_orders(pair.poisson(self.rate).rdp, order), order)
        return min(sampled, pair.rdp(order))

    def poisson(self, rate: float):
        raise ValueError("rate must be 1 for what is sampled without replacement already")

    def pld(self, interval: float, pessimistic: bool):
        """dp-accounting's privacy loss distribution of a finite pair that lies above (or, merged, below) this one."""
        if not pessimistic:
            return GaussianPair(self.sigma).poisson(self.rate).pld(interval, pessimistic)  # costs less, see above
        return self.discretised(interval).pld(interval, pessimistic)

    def discretised(self, interval: float) -> FinitePair:
        """A finite pair whose curve lies above this one's, with places ``interval`` apart."""
        far = interval
        while self.delta(far) > TAIL:
            far *= 2
        return symmetric_pair(self.delta, np.linspace(0, far, min(20_000, math.ceil(far / interval)) + 1))


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
