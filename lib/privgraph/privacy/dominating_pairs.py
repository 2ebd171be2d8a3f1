r"""Dominating pairs: the two neighbours that are easiest to tell apart, as an attacker sees them.

A pair of distributions (P, Q) *dominates* a mechanism when for every two neighbouring inputs and every
:math:`\varepsilon` the mechanism's :math:`\delta(\varepsilon)` is at most that of the pair,

.. math:: \delta(\varepsilon) = \sum_o \max(0, P(o) - e^{\varepsilon} Q(o)),

taken in the worse of both directions (Zhu, Dong and Wang 2022). Whatever is computed from the pair then holds
for the mechanism, also after composition. Each pair answers the same questions: ``epsilon`` (pure), ``delta(epsilon)``,
``rdp(order)`` (Renyi divergence, the worse direction), ``poisson(rate)``, what ``losses`` asks for (``loss_range``,
``mirrored``, ``largest_loss``, and ``sides`` or ``tails``), and ``pld(...)`` (dp-accounting's, to compare with). All
pairs here are symmetric or carry both directions, so "replace" and "add/remove" read the same way, but ``poisson`` is
about add/remove only: each person is kept with probability ``rate``, independently.

**Why composition.** Write :math:`H_t(A \| B) = \sum_o \max(0, A(o) - t B(o))`, so that :math:`\delta(\varepsilon) =
H_{e^\varepsilon}`, and let both uses be dominated for all t > 0. The second may depend on the outcome o of the first:

.. math:: H_t(\text{both}) = \sum_o A_1(o) H_{t B_1(o) / A_1(o)}(A_2^o \| B_2^o) \le
          \sum_o A_1(o) H_{t B_1(o) / A_1(o)}(P_2 \| Q_2) = \sum_{o'} P_2(o') H_{t Q_2(o') / P_2(o')}(A_1 \| B_1)
          \le H_t(P_1 \times P_2 \| Q_1 \times Q_2).

**Why all t, not only** :math:`\varepsilon \ge 0`. As :math:`A - tB = (A - tB)_+ - (tB - A)_+` sums to 1 - t,
:math:`H_t(A \| B) = 1 - t + t H_{1/t}(B \| A)`. So a pair that dominates for :math:`\varepsilon \ge 0` with the
neighbours in either order, and whose sides can change places, dominates for :math:`\varepsilon < 0` too.

**Why sampling.** Let (P, Q), whose sides can change places, dominate M when a person is added or removed, and keep
each person with probability :math:`\gamma`. For a sample T of the others let A and B be M's outcomes with and without
the person added to T: with her in the data the outcome is :math:`(1-\gamma) B + \gamma A`, without her B, averaged over
T. H is jointly convex, so the average is no worse than the worst T, and for one T

.. math:: H_t((1-\gamma) B + \gamma A \| B) &= \gamma H_s(A \| B), \quad s = 1 + (t - 1) / \gamma \\
          H_t(B \| (1-\gamma) B + \gamma A) &= (1 - t (1-\gamma)) H_s(B \| A), \quad s = t \gamma / (1 - t (1-\gamma))

where s > 0. (Otherwise the first is 1 - t and the second 0, whatever the pair.) P in place of A and Q in place of B
makes neither smaller: :math:`(1-\gamma) Q + \gamma P` against Q dominates the sampled mechanism in the one direction,
and Q against it in the other, for all t; so both compose (Zhu, Dong and Wang 2022, Theorems 10 and 11).
"""

import math
from dataclasses import dataclass, field

import numpy as np

from ..checks import (
    check_count,
    check_distribution,
    check_epsilon,
    check_number,
    check_order,
    check_positive,
    check_rate,
    check_sequence,
)
from .renyi import renyi, renyi_of_losses

SMALL, LARGE = 1e-9, 700.0  # losses l for which floats tell e^l well from 1, and have room for e^l and e^-l


@dataclass(frozen=True)
class FinitePair:
    """Two distributions over the same finite set of outcomes, compared in both directions.

    :param p: probabilities of the outcomes under one neighbour, summing to 1.
    :param q: those under the other.
    :param losses: ln(p / q) of each outcome, where it is known better than from p and q: one of them may be too small
        for a float, or both so close that their ratio is 1.

    >>> round(FinitePair((0.75, 0.25), (0.25, 0.75)).epsilon, 6), round(math.log(3), 6)
    (1.098612, 1.098612)
    """

    p: tuple[float, ...]
    q: tuple[float, ...]
    losses: tuple[float, ...] | None = field(default=None, compare=False)

    def __post_init__(self):
        for name in ("p", "q"):
            object.__setattr__(self, name, tuple(check_distribution(getattr(self, name), name).tolist()))
        if len(self.p) != len(self.q):
            raise ValueError(f"p and q must speak of the same outcomes, got {len(self.p)} and {len(self.q)}")
        if self.losses is None:
            p, q = np.array(self.p), np.array(self.q)
            with np.errstate(divide="ignore", invalid="ignore"):
                losses = np.where(p + q > 0, np.log(p) - np.log(q), 0.0)
            object.__setattr__(self, "losses", tuple(losses.tolist()))
        object.__setattr__(self, "losses", check_losses(self.losses, "losses", len(self.p)))

    @property
    def directions(self) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        """Both sides, and both sides the other way round."""
        p, q = np.array(self.p), np.array(self.q)
        return (p, q), (q, p)

    @property
    def sides(self) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        """Each side's outcomes that are possible: their probabilities, and their losses against the other side."""
        loss = np.array(self.losses)
        return tuple((p[p > 0], own[p > 0]) for (p, _), own in zip(self.directions, (loss, -loss), strict=True))

    @property
    def epsilon(self) -> float:
        """The largest loss ``|ln(p / q)|``; inf where one outcome is possible for one side only."""
        return float(max(np.abs(loss).max() for _, loss in self.sides))

    def delta(self, epsilon: float) -> float:
        """The smallest delta that goes with ``epsilon``, exactly."""
        return max(float((p * -np.expm1(np.minimum(epsilon - loss, 0))).sum()) for p, loss in self.sides)

    def rdp(self, order: float) -> float:
        r"""Renyi divergence :math:`\frac{1}{\alpha-1} \ln \sum_o P(o)^\alpha Q(o)^{1-\alpha}`, the worse direction."""
        order = check_order(order)
        return max(renyi_of_losses(p, loss, order) for p, loss in self.sides)

    @staticmethod
    def divergence(p: np.ndarray, q: np.ndarray, order: float) -> float:
        # an outcome that only p has: the logarithm of q, and so the result, is infinite
        """Renyi divergence of p from q.

        :param p: probabilities, float64 [n].
        :param q: probabilities, float64 [n].
        """
        with np.errstate(divide="ignore"):
            return renyi(np.log(p), np.log(q), order)

    @property
    def disjoint(self) -> bool:
        """Whether every outcome is possible for one side only: then no finite epsilon goes with any delta below 1."""
        return all(np.isinf(loss).all() for _, loss in self.sides)

    @property
    def symmetric(self) -> bool:
        """Whether swapping p and q only renames the outcomes."""
        forth, back = (np.array(sorted(zip(p, q, strict=True))) for p, q in self.directions)
        return bool(np.allclose(forth, back, rtol=1e-9, atol=1e-15))

    def odd_moments(self, order: int) -> np.ndarray:
        """E_q[(p/q - 1)^l] for l = 3, 5, .. <= order: where none is negative, ``poisson_rdp`` is tight and valid."""
        p, q = self.directions[0]
        with np.errstate(over="ignore"):
            excess = np.expm1(np.array(self.losses))  # p / q - 1, and p - q is q times that
            return np.array([float(((p - q) * excess ** (k - 1)).sum()) for k in range(3, order + 1, 2)])

    def poisson(self, rate: float) -> "FinitePair":
        """The pair after Poisson sampling: (1 - rate) q + rate p against q, exactly. For symmetric pairs.

        It dominates the sampled mechanism in both directions, also composed; the proof is at the top of this file.

        :raises ValueError: where p and q cannot change places.
        """
        rate = check_rate(rate)
        if not self.symmetric:
            raise ValueError("poisson needs a pair in which p and q can change places, got one with "
                             f"p = {self.p}, q = {self.q}")
        if rate == 1:
            return self
        p, q = self.directions[0]
        return FinitePair(tuple((1 - rate) * q + rate * p), self.q, tuple(sampled_losses(np.array(self.losses), rate)))

    @property
    def mirrored(self) -> bool:
        """Whether both directions have the same losses with the same probabilities, to the last digit."""
        forth, back = (sorted(zip(p.tolist(), loss.tolist(), strict=True)) for p, loss in self.sides)
        return forth == back

    @property
    def given_away(self) -> float:
        """The probability of an infinite loss, the worse direction."""
        return max(float(p[loss == math.inf].sum()) for p, loss in self.sides)

    def largest_loss(self, forth: bool = True) -> float:
        """Of the first side against the second, or the other way round."""
        return float(self.sides[0 if forth else 1][1].max())

    def loss_range(self, forth: bool, log_cut: float) -> tuple[float, float]:
        """Between which values finite losses lie, of one side against the other; none is cut."""
        loss = self.sides[0 if forth else 1][1]
        loss = loss[np.isfinite(loss)]
        return float(loss.min(initial=0)), float(loss.max(initial=0))

    def times(self, other: "FinitePair") -> "FinitePair":
        """Both outcomes seen, from independent randomness; equal losses are merged, which changes no delta.

        :param other: the pair of what is seen beside.
        """
        p, q = (np.outer(a, b).ravel() for a, b in ((self.p, other.p), (self.q, other.q)))
        seen = p + q > 0
        with np.errstate(invalid="ignore"):  # inf - inf: neither side ever sees that
            loss = np.add.outer(self.losses, other.losses).ravel()[seen]
        size = max(1.0, np.abs(loss[np.isfinite(loss)]).max(initial=0))
        _, first, group = np.unique(np.round(loss / size, 12), return_index=True, return_inverse=True)
        return FinitePair(*(tuple(np.bincount(group, side[seen])) for side in (p, q)), tuple(loss[first]))

    def pld(self, interval: float, pessimistic: bool):
        """dp-accounting's privacy loss distribution, both directions.

        :param interval: width of the grid of losses.
        :param pessimistic: True: losses are rounded up; False: down.
        """
        from dp_accounting.pld import privacy_loss_distribution  # here, as its import takes seconds
        p, q = ({o: float(v) for o, v in enumerate(side) if v > -math.inf} for side in self.logarithms)
        return privacy_loss_distribution.from_two_probability_mass_functions(
            q, p, pessimistic_estimate=pessimistic, value_discretization_interval=interval, symmetric=False)

    @property
    def logarithms(self) -> tuple[np.ndarray, np.ndarray]:
        """ln p and ln q; where a float has no room for one, from the other and the loss."""
        (p, q), loss = self.directions[0], np.array(self.losses)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_p, log_q = np.log(p), np.log(q)
            return np.where(p > 0, log_p, log_q + loss), np.where(q > 0, log_q, log_p - loss)


def check_losses(losses, name: str, size: int) -> tuple[float, ...]:
    """A number for each outcome, perhaps infinite."""
    values = tuple(check_number(loss, f"each of {name}") for loss in check_sequence(losses, name, "numbers"))
    if len(values) != size:
        raise ValueError(f"{name} must have one entry for each of {size} outcomes, got {len(values)}")
    return values


def sampled_losses(loss: np.ndarray, rate: float) -> np.ndarray:
    r""":math:`\ln(1 + \gamma (e^{loss} - 1))` for a rate below 1, which neither overflows nor loses a small loss."""
    small = np.log1p(rate * np.expm1(np.minimum(loss, 1)))
    return np.where(loss > 1, loss + np.log(rate + (1 - rate) * np.exp(-np.maximum(loss, 1))), small)


def pure_pair(epsilon: float) -> FinitePair:
    r"""The pair that dominates every :math:`\varepsilon`-DP mechanism: the two answers of randomised response.

    Every :math:`\varepsilon`-DP mechanism is binary randomised response followed by something that does not
    look at the data (Kairouz, Oh and Viswanath 2015; chapter 02 has the proof).
    """
    return response_pair(epsilon, 2)


def response_pair(epsilon: float, num_classes: int) -> FinitePair:
    """Two answers of k-ary randomised response; the other k - 2 outcomes tell nothing and are one."""
    epsilon, num_classes = check_epsilon(epsilon), check_count(num_classes, "num_classes", low=2)
    keep = 1 / (1 + (num_classes - 1) * math.exp(-epsilon))
    flip = math.exp(-epsilon) * keep
    rest = (max(0.0, 1 - keep - flip),) if num_classes > 2 else ()
    return FinitePair((keep, flip, *rest), (flip, keep, *rest), (epsilon, -epsilon, *(0.0 for _ in rest)))


def bounded_range_pair(spread: float, points: int = 64) -> FinitePair:
    r"""What dominates every mechanism whose losses span at most ``spread``: for any two neighbours, the largest and the
    smallest loss of an outcome are that far apart. The exponential mechanism is one (Dong, Durfee and Rogers 2020).

    Proof. Say the ratios of the outcomes' probabilities lie in :math:`[e^{t - \eta}, e^t]`, with :math:`\eta` the
    spread. :math:`\delta(\varepsilon)` is the mean of :math:`(r - e^{\varepsilon})_+` over the ratios r, whose mean is
    1. That is convex in r, so it is largest where each ratio is at one end of the interval:

    .. math:: \delta_t(\varepsilon) = \frac{(1 - e^{t - \eta})(1 - e^{\varepsilon - t})}{1 - e^{-\eta}} \le
              \frac{(1 - e^{(\varepsilon - \eta) / 2})^2}{1 - e^{-\eta}}

    with equality at :math:`t = (\eta + \varepsilon) / 2`. (That is for :math:`t - \eta \le \varepsilon \le t`. Above t
    it is 0, and below :math:`t - \eta` it is :math:`1 - e^{\varepsilon}`, the least that any pair has.) When the
    neighbours change places, t becomes :math:`\eta - t`, so the curve holds both ways. The pair joins ``points`` places
    of it on either side by chords in :math:`e^{\varepsilon}`, which lie above it, as every such curve is convex. Where
    floats have no room for the curve, below ``SMALL`` and above ``LARGE``, ``pure_pair`` is returned, which lies above
    it too.
    """
    spread, points = check_positive(spread, "spread"), check_count(points, "points", low=1)
    if not SMALL <= spread <= LARGE:
        return pure_pair(spread)
    loss = np.linspace(-spread, spread, 2 * points + 1)
    ratio = np.exp(loss)
    gain = np.expm1((np.abs(loss) - spread) / 2) ** 2 / -math.expm1(-spread)
    delta = np.where(loss < 0, -np.expm1(loss) + ratio * gain, gain)
    slope = np.concatenate([[-1.0], np.diff(delta) / np.diff(ratio), [0.0]])
    q = np.diff(slope).clip(0)  # how much of q has each ratio: as much as the curve bends there
    p = ratio * q + q[::-1]  # the same number twice, but for rounding
    return FinitePair(tuple(p / p.sum()), tuple(p[::-1] / p.sum()))
