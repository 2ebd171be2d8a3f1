r"""Mechanisms of bounded range (the exponential mechanism, Gumbel noise on votes), and the tight law of their sums.

For two neighbours all losses of a mechanism of range :math:`\eta` lie in an interval :math:`[t - \eta, t]`, which t is
not said. ``bounded_range_pair`` is the worst for each :math:`\varepsilon`, each with a t of its own, so that many uses
cost less than its composition: no mechanism has all t at once (Dong, Durfee and Rogers 2020).

**The law.** Let :math:`H_k(\varepsilon)` be the largest delta of k uses, where each may depend on the outcomes of those
before. Given the first, of ratio r = P/Q, the others have delta at most
:math:`H_{k-1}(\varepsilon - \ln r)`, so

.. math:: \delta(\varepsilon) \le E_Q[r\, H_{k-1}(\varepsilon - \ln r)].

:math:`H_{k-1}` is convex in :math:`e^{\varepsilon}`, as every such curve and every largest of them is, so the bracket
is convex in r (it is a perspective). Hence it is largest where each r is at an end of its interval. With
:math:`w = e^t` and the mean of r being 1, the upper end has :math:`P = p = \frac{1 - w e^{-\eta}}{1 - e^{-\eta}}`, and

.. math:: H_k(\varepsilon) = \max_{1 \le w \le e^\eta} p\, H_{k-1}(\varepsilon - t)
          + (1 - p)\, H_{k-1}(\varepsilon - t + \eta), \quad H_0(\varepsilon) = (1 - e^\varepsilon)_+

which the uses that choose such a t attain. When the neighbours change places, t becomes :math:`\eta - t`, so that the
law holds both ways, and :math:`H(-\varepsilon) = 1 - e^{-\varepsilon} + e^{-\varepsilon} H(\varepsilon)`.

**Above it.** H is kept at multiples of a step that divides :math:`\eta`, and joined by chords in
:math:`e^\varepsilon`, which lie above it. On a chord
:math:`p H + (1 - p) H` is :math:`A + B w + C / w` with B and C at most 0, whose largest value is in closed form: no t
is left out. Beyond the grid H is what it is at its end, which is more. Each step is raised by what rounding may
take from its sum (``ROUNDING``: some ten operations, on terms that are named).
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Annotated

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.optimize import minimize_scalar

from ..checks import check_order
from ..checks.parameters import Parameters, Positive
from .dominating_pairs import LARGE, FinitePair, bounded_range_pair

WORK, LONGEST = 2e7, 2e8  # places times chords times uses
FEWEST, MOST = 4, 64  # chords of a range
MOST_STEPS = 10_000
ROUNDING = 2e-15  # of a step, relative to the terms of its sum
BEYOND = 1e-9  # the share of delta at the end of the grid


@dataclass(frozen=True)
class BoundedRangePair(Parameters):
    r"""Every mechanism whose losses span at most ``spread``, for any two neighbours: as a kind of step.

    :param spread: :math:`\eta`; of the exponential mechanism with scores that change by at most s each, in opposite
        directions, 2 s over the scale.

    >>> BoundedRangePair(0.2).epsilon
    0.2
    """

    spread: Annotated[float, Positive()]

    @property
    def epsilon(self) -> float:
        """The pure epsilon, which is the range."""
        return self.spread

    @cached_property
    def whole(self) -> FinitePair:
        """What dominates one use whatever t is, and so any composition, beside uses of other kinds."""
        return bounded_range_pair(self.spread)

    def delta(self, epsilon: float) -> float:
        """Of one use, but for the chords of ``bounded_range_pair``."""
        return self.whole.delta(epsilon)

    def rdp(self, order: float) -> float:
        r"""Renyi divergence, of the worst t: exactly (Dong, Durfee and Rogers 2020), and at most
        :math:`\alpha \eta^2 / 8`, which has all digits where :math:`\eta` is small.

        With s = :math:`\alpha - 1` the moment is :math:`w^s (A - B w) / (1 - e^{-\eta})`, A =
        :math:`1 - e^{-\alpha\eta}` and B = :math:`e^{-\eta} (1 - e^{-s\eta})`, and largest at
        w = :math:`\frac{s A}{\alpha B}`. Renyi divergences of the worst step add under adaptive composition, whatever
        t each takes.
        """
        order = check_order(order)
        s, eta = order - 1, self.spread
        log_a, log_b = math.log(-math.expm1(-order * eta)), -eta + math.log(-math.expm1(-s * eta))
        log_w = math.log(s / order) + log_a - log_b
        moment = s * log_w + log_a - math.log(order) - math.log(-math.expm1(-eta))
        rounding = 1e-15 * (1 + abs(s * log_w) + abs(log_a) + math.log(order) + abs(log_b) * s)
        return min(order * eta * eta / 8, (max(0.0, moment) + rounding) / s, eta)

    def poisson(self, rate: float) -> FinitePair:
        """After Poisson sampling: of what dominates one use, so it is not tight when composed."""
        return self.whole.poisson(rate)

    def largest_loss(self, forth: bool = True) -> float:
        """Each use may have it."""
        return self.spread

    @property
    def sides(self):
        """Of the finite pair that it stands for."""
        return self.whole.sides

    @property
    def mirrored(self) -> bool:
        """Both directions have the same law."""
        return self.whole.mirrored

    def loss_range(self, forth: bool, log_cut: float) -> tuple[float, float]:
        """Between which values losses lie."""
        return -self.spread, self.spread


def bounded_range_ends(pair: BoundedRangePair, count: int, delta: float) -> tuple[float, float] | None:
    """(lower, upper) epsilon of ``count`` uses; None where the law would take too long."""
    top = farthest(pair.spread, count, delta)
    chords = chords_of(pair.spread, count, top)
    if pair.spread > LARGE or count > MOST_STEPS or count * top / pair.spread * FEWEST**2 > LONGEST:
        return None
    upper = where(curve(pair.spread, count, chords, math.ceil(top / pair.spread * chords)), delta,
                  pair.spread / chords)
    return attained(pair.spread, count, delta, upper), upper


def farthest(spread: float, count: int, delta: float) -> float:
    r"""An epsilon at which delta is far smaller: by :math:`\rho = k \eta^2 / 8` of concentrated DP."""
    rho = count * spread**2 / 8
    return min(count * spread, rho + 2 * math.sqrt(rho * -math.log(BEYOND * delta)))


def chords_of(spread: float, count: int, top: float) -> int:
    """How many chords of a range can be afforded."""
    return int(min(MOST, max(FEWEST, math.sqrt(WORK / count / max(1.0, top / spread)))))


@lru_cache(maxsize=32)
def curve(spread: float, count: int, chords: int, places: int) -> np.ndarray:
    """At least H_count(i h) for i = 0..places, of which there are at least ``chords``, with h = spread / chords."""
    m, h = chords, spread / chords
    index = np.arange(1, m + 1)
    shift = np.exp(-h * index)
    h_of = np.zeros(places + 1)
    for used in range(1, count + 1):
        active = min(places, used * m)  # beyond, no loss is that large
        below = -np.expm1(-h * index) + shift * h_of[index]
        padded = np.concatenate([below[::-1], h_of, np.full(m, h_of[-1])])
        h_of[:active + 1] = step_up(padded[:active + 1 + 2 * m], m, spread)
        h_of = np.minimum(h_of, 1.0)
    return h_of


def step_up(values: np.ndarray, m: int, spread: float) -> np.ndarray:
    """One more use: the largest over all t, from H at places -m..n+m of the grid to 0..n."""
    h, left = spread / m, math.exp(-spread)
    slope = np.diff(values) / math.expm1(h)  # in e^epsilon, times its left end
    level = values[:-1] - slope
    n = len(values) - 2 * m
    end = np.exp(h * np.arange(m, 0, -1))  # the larger e^t of each chord
    level_1, slope_1, level_2, slope_2 = (sliding_window_view(a, m)[o:o + n] for o in (0, m) for a in (level, slope))
    slope_1, slope_2 = slope_1 * end, slope_2 * (end * left)
    a, b, c = level_1 - left * (slope_1 + level_2) + slope_2, left * (level_2 - level_1), slope_1 - slope_2
    with np.errstate(divide="ignore", invalid="ignore"):
        inner = np.sqrt(c / b)  # where a chord is flat both are about 0, and any place will do
    inner = np.fmin(np.fmax(inner, end * math.exp(-h)), end)
    found = a + b * inner + c / inner
    terms = np.abs(level_1) + np.abs(slope_1) + np.abs(level_2) + np.abs(slope_2)
    return (found + ROUNDING * terms).max(1) / -math.expm1(-spread)


def where(values: np.ndarray, delta: float, step: float) -> float:
    """The epsilon at which the chords through ``values`` come down to delta."""
    below = np.flatnonzero(values <= delta)
    if not len(below):
        return math.inf
    if (i := int(below[0])) == 0:
        return 0.0
    share = (values[i - 1] - delta) / (values[i - 1] - values[i])
    return (i - 1) * step + math.log1p(share * math.expm1(step)) * (1 + 1e-12)


def attained(spread: float, count: int, delta: float, upper: float) -> float:
    """An epsilon that one mechanism needs: of two outcomes, with the t that is worst at ``upper``."""
    from .certified import binomial_ends

    def ends(t: float) -> float:
        return binomial_ends(two_outcomes(spread, t), count, delta)[0]
    guess = min(max((upper / count + spread) / 2, 0.01 * spread), 0.99 * spread)
    found = minimize_scalar(lambda t: -ends(t), bounds=(max(0.01 * spread, guess - spread / 4),
                                                        min(0.99 * spread, guess + spread / 4)), method="bounded",
                            options={"xatol": 1e-3 * spread, "maxiter": 25})
    return min(-found.fun, upper)


def two_outcomes(spread: float, t: float) -> FinitePair:
    """Losses t and t - spread."""
    p = math.expm1(t - spread) / math.expm1(-spread)
    q = p * math.exp(-t)
    return FinitePair((p, 1 - p), (q, 1 - q), (t, t - spread))
