r"""Epsilon between two ends that hold in spite of floats: which route each budget takes, and what it is held against.

* delta = 0: the largest losses add up, exactly.
* Uses of one pair with two outcomes: a binomial sum.
* Gaussian noise alone: k uses are one with noise :math:`\sigma / \sqrt k`, whose delta is known in closed form.
* All else: ``composition``, with a grid as fine as ``tolerance`` asks for.

Each number is solved for on the safe side of its own rounding, which its docstring bounds.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import erfcx, ndtri_exp

from ..late import stats
from .composition import FINE, MOST_PLACES, Composition, TooWide, crossing
from .losses import MOST_CELLS, losses_of

HALVINGS = 6  # of a grid, until its ends are close enough
QUICK = 2**22  # places of a transform for ends that are only to be closer
SHARE = 10_000  # one part in so many of the tolerance's share of delta goes to what a grid leaves out
LEAST = 1e-3  # an epsilon of which less is not told apart


def largest_losses(uses: Sequence[tuple[object, int]]) -> float:
    """What all losses can be together: the epsilon that goes with delta = 0, exactly."""
    return max(math.fsum(count * pair.largest_loss(forth) for pair, count in uses) for forth in (True, False))


def binomial_ends(pair, count: int, delta: float) -> tuple[float, float]:
    r"""Both ends for ``count`` uses of a pair with two outcomes.

    The sum's terms are positive; scipy's binomial probabilities, the pair's own floats and their powers are off by a
    factor of at most :math:`1 \pm (10^{-11} + 10^{-14} k)` together. (A test compares with 50 digits; the largest error
    that it finds is a fiftieth of that.)
    """
    hits, error = np.arange(count + 1), 1e-11 + 1e-14 * count
    sides = [(stats.binom.pmf(hits, count, p[0]), sign * (hits * pair.losses[0] + (count - hits) * pair.losses[1]))
             for (p, _), sign in zip(pair.directions, (1, -1), strict=True)]
    def excess(sign: int) -> Callable[[float], float]:
        def at(epsilon: float) -> float:
            with np.errstate(divide="ignore"):
                found = max(float((chance * -np.expm1(np.minimum(epsilon - loss, 0))).sum()) for chance, loss in sides)
            return math.log(max(found, 5e-324)) - math.log(delta) + sign * error
        return at
    return ends(excess, count * pair.epsilon)


def gaussian_ends(shift: float, delta: float) -> tuple[float, float]:
    r"""Both ends for one use of Gaussian noise whose mean moves by ``shift`` standard deviations.

    With :math:`a = \mu/2 - \varepsilon/\mu`, :math:`b = a - \mu` and Mills' ratio
    :math:`m(x) = \Phi(-x) / \varphi(x)`, delta is :math:`\varphi(a) (m(-a) - m(-b))`. scipy's erfcx, which m is, has a
    relative error below :math:`2 \cdot 10^{-15}` (a test) and :math:`\ln \varphi(a)` one of 4 units in the last
    place of :math:`a^2`. Rounding moves a and b themselves by :math:`2^{-53} \cdot \frac32 (|a| + |b|)`, and
    :math:`\ln m` by at most 1 + \|a\| times that.
    """
    def excess(sign: int) -> Callable[[float], float]:
        def at(epsilon: float) -> float:
            low, high = log_gaussian_delta(shift, epsilon)
            return (high if sign > 0 else low) - math.log(delta)
        return at
    reach = shift * shift / 2 - shift * float(ndtri_exp(math.log(delta)))
    return ends(excess, max(reach, 0.0) + FINE)


def log_gaussian_delta(shift: float, epsilon: float) -> tuple[float, float]:
    """ln delta of Gaussian noise at ``epsilon``: at least, and at most."""
    a, b = shift / 2 - epsilon / shift, -shift / 2 - epsilon / shift
    if a > 5:
        rest = math.exp(-a * a / 2) / 2 * float(erfcx(a / math.sqrt(2)) + erfcx(-b / math.sqrt(2)))
        off = 1e-12 + 4e-16 * (1 + a) * (abs(a) + abs(b))
        return math.log1p(-rest * (1 + off)), math.log1p(-rest * (1 - off))
    first, second = (math.sqrt(math.pi / 2) * float(erfcx(-x / math.sqrt(2))) for x in (a, b))
    density, moved = -a * a / 2 - math.log(2 * math.pi) / 2, 4e-16 * (a * a + 10 + epsilon / shift * abs(a))
    error = 4e-15 * first * (1 + (1 + abs(a)) * (abs(a) + abs(b)) / 4)  # of erfcx, and of a and b
    low, high = first - second - error, first - second + error
    return (density + math.log(low) - moved if low > 0 else -math.inf), density + math.log(high) + moved


def ends(excess: Callable[[int], Callable[[float], float]], start: float) -> tuple[float, float]:
    """(lower, upper), each where its own bound on delta crosses."""
    return tuple(0.0 if excess(sign)(0.0) <= 0 else crossing(excess(sign), start, start / 8)[sign > 0]
                 for sign in (-1, 1))


def composed_ends(uses: Sequence[tuple[object, int]], delta: float, tolerance: float,
                  about: float) -> tuple[float, float]:
    r"""Both ends by ``composition``, the worse direction: the grid is halved until they are close enough.

    That is ``tolerance`` times epsilon, or times :math:`\delta / (1 - \delta)`, up to 1, where that is more. For
    :math:`\delta = P(L > \varepsilon) - e^\varepsilon Q(L > \varepsilon)` falls by the last term per unit of epsilon,
    so by :math:`1 - \delta` at most, and at such ends it differs by no more than ``tolerance`` times itself. (Otherwise
    an epsilon near 0 with a large delta, than which the losses are many times longer, takes seconds.)

    They stay further apart where a finer grid would not fit into memory, or helps no more, as rounding is what is left;
    (0, inf) where none fits, or losses leave the range of floats.

    :param about: an epsilon near the answer (at least it), which the first grid is made for.
    """
    if about == 0:
        return 0.0, 0.0
    total = sum(count for _, count in uses)
    step = first_step(total, delta, tolerance, about)
    lower, upper = 0.0, math.inf
    for _ in range(HALVINGS):
        try:
            found = [direction_ends(uses, forth, step, delta, tolerance, MOST_PLACES if upper == math.inf else QUICK)
                     for forth in directions(uses)]
        except OverflowError:
            break
        except TooWide:
            if upper < math.inf:
                break
            step *= 8
            continue
        before, lower = lower, max(lower, *(low for low, _ in found))
        upper = min(upper, max(high for _, high in found))
        if upper - lower <= tolerance * max(upper, nearest(delta)) or 0 < lower == before or lower == math.inf:
            break
        step /= 2
    return lower, upper


def first_step(total: int, delta: float, tolerance: float, about: float) -> float:
    """So wide that the lower end lies about half the tolerance below."""
    spread = math.sqrt(-math.log(delta * tolerance / 10) * total / 2)
    return tolerance * max(about, nearest(delta)) / 2 / spread


def nearest(delta: float) -> float:
    """The epsilon that ends are measured by where the answer is less."""
    return max(LEAST, min(1.0, delta / (1 - delta)))


def directions(uses: Sequence[tuple[object, int]]) -> tuple[bool, ...]:
    """Both, or one where they are the same."""
    return (True,) if all(pair.mirrored for pair, _ in uses) else (True, False)


def direction_ends(uses: Sequence[tuple[object, int]], forth: bool, step: float, delta: float,
                   tolerance: float, most: int = MOST_PLACES) -> tuple[float, float]:
    """Both ends for the losses of the first sides against the second, or the other way round."""
    log_cut = math.log(delta) + math.log(tolerance) - math.log(SHARE * sum(count for _, count in uses))
    for pair, _ in uses:
        low, high = pair.loss_range(forth, log_cut)
        if (high - low) / step > MOST_CELLS:
            raise TooWide("losses of one use")
    whole = Composition([(losses_of(pair, forth, step, log_cut), count) for pair, count in uses], step, delta,
                        most)
    return whole.lower(tolerance), whole.upper()
