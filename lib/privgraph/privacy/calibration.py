r"""From a target epsilon to the noise that keeps it, by any of the accountants."""

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import cache

from scipy.optimize import brentq

from ..checks import check_choice, check_delta, check_function, check_positive
from .accounting import (
    Budget,
    Step,
    TooLittleNoise,
    advanced_composition,
    basic_composition,
    check_delta_or_none,
    pld_epsilon,
    rdp_epsilon,
)

FURTHEST = 2.0**100  # a scale that nobody needs
DIGITS = 5  # of what is returned, and so of what is printed
EXTREME = 50.0  # ln of a ratio of epsilons
NOTHING = -1.0  # in its place where no epsilon is spent; a search for 0 gets there soon, though ln 0 lies far away


def by_advanced(steps: Sequence[Step], delta: float) -> float:
    """Advanced composition, which speaks of uses of one mechanism."""
    if len(steps) != 1:
        raise ValueError(f"steps must be one Step for the accountant 'advanced', got {len(steps)}")
    return advanced_composition(steps[0].pair.epsilon, steps[0].count, delta)


ACCOUNTANTS = {"basic": lambda steps, delta: basic_composition(steps), "advanced": by_advanced, "rdp": rdp_epsilon,
               "pld": lambda steps, delta: pld_epsilon(steps, delta).pessimistic}


def calibrate(steps: Callable[[float], Sequence[Step] | Budget], epsilon: float, delta: float | None = None,
              accountant: str = "pld", tolerance: float = 1e-4) -> float:
    r"""The smallest noise scale whose uses together cost at most ``epsilon`` at ``delta``, as the accountant counts.

    It errs to the safe side: the result is rounded up to ``DIGITS`` significant digits, so that it is what is printed,
    and the accountant was asked about just this number, and says at most epsilon. At a scale smaller by about
    ``tolerance`` (relative), or by one in the last digit, it says more. Who prints 1 / scale rounds that down
    (``rounded_down``).

    :param steps: from a scale to what is used: ``lambda scale: [Step(LaplacePair(scale), 100)]``, with the pair of any
        mechanism. More scale must be more noise: where a mechanism has an epsilon of its own, that is 1 / scale.
        A ``Budget`` with one sample for all, such as ``PrivGNN(...).budget(num_classes)``, is taken too.
    :param epsilon: what all uses may cost together.
    :param delta: with which probability they may cost more; the accountant "basic" needs none, and "pld" takes 0.
    :param accountant: "pld" (the tightest), "rdp" (as fast for 10^6 uses as for one), "advanced" or "basic" (pure).
    :raises ValueError: where no scale reaches epsilon, as Gaussian noise has none for "basic", or where the accountant
        refuses, in its words.

    >>> from privgraph.privacy import GaussianPair, LaplacePair, pure_pair
    >>> {name: round(calibrate(lambda scale: [Step(LaplacePair(scale), 100)], 1.0, 1e-5, name), 1)
    ...  for name in ("basic", "rdp", "pld")}
    {'basic': 100.0, 'rdp': 39.7, 'pld': 36.7}
    >>> round(1 / calibrate(lambda scale: [Step(pure_pair(1 / scale), 100)], 1.0, accountant="basic"), 3)  # an epsilon
    0.01
    """
    check_function(steps, "steps", "scale"), check_choice(accountant, "accountant", ACCOUNTANTS)
    epsilon, tolerance = check_positive(epsilon, "epsilon"), check_positive(tolerance, "tolerance")
    if accountant != "basic":
        delta = check_delta_or_none(delta) if accountant == "pld" else check_delta(delta)

    @cache  # ends of the bracket are asked about again by those who search within it
    def excess(log_scale: float) -> float:
        """ln of how many times too much a scale costs."""
        try:
            spent = cost(steps(math.exp(log_scale)), delta, accountant)
        except TooLittleNoise:
            return EXTREME
        return min(max(math.log(spent / epsilon), -EXTREME), EXTREME) if spent > 0 else NOTHING
    low, high = bracket(excess, epsilon, accountant)
    near = brentq(excess, low, high, xtol=tolerance / 4, rtol=1e-12)
    return safe(lambda scale: cost(steps(scale), delta, accountant) <= epsilon, math.exp(near), tolerance)


def bracket(excess: Callable[[float], float], epsilon: float, accountant: str) -> tuple[float, float]:
    """ln of two scales: not enough, and enough. From 1 by 2, 4, 16, ..., as scales differ by many orders."""
    enough, step, limit = excess(0.0) <= 0, math.log(2), math.log(FURTHEST)
    before = here = 0.0
    while (excess(here) <= 0) == enough:
        if here == limit:
            raise ValueError(f"epsilon must be one that some scale reaches, got {epsilon:g}, "
                             f"which none up to {FURTHEST:.0e} does by the accountant {accountant!r}")
        if here == -limit:
            raise ValueError(f"epsilon must be one that needs noise, got {epsilon:g}, "
                             f"kept by a scale of {1 / FURTHEST:.0e}")
        before, here, step = here, max(-limit, here - step) if enough else min(limit, here + step), 2 * step
    return (here, before) if enough else (before, here)


def safe(enough: Callable[[float], bool], scale: float, tolerance: float) -> float:
    """The first of some rounded numbers from about ``scale`` on that is enough: accountants' grids differ a little."""
    found, step = rounded_down(scale), tolerance / 4
    while not enough(found):
        found, scale, step = rounded_up(scale), scale * (1 + step), 2 * step
    return found


def rounded_up(value: float, digits: int = DIGITS) -> float:
    """A positive number, up to so many significant digits: more noise, not less.

    >>> rounded_up(2188.30001), rounded_up(0.25)
    (2188.4, 0.25)
    """
    return float(Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(value)))


def rounded_down(value: float, digits: int = DIGITS) -> float:
    """A positive number, down to so many significant digits: an epsilon that is spent in part, not exceeded.

    >>> rounded_down(0.594267)
    0.59426
    """
    return float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(Decimal(value)))


def cost(spent: Sequence[Step] | Budget, delta: float | None, accountant: str) -> float:
    """Epsilon of some steps, or of a budget, by one accountant."""
    if not isinstance(spent, Budget):
        return ACCOUNTANTS[accountant](spent, delta)
    if spent.rate == 1:
        return ACCOUNTANTS[accountant](spent.steps, delta)
    whole = None if delta is None else min(delta / spent.rate, math.nextafter(1, 0))
    return spent.amplified(ACCOUNTANTS[accountant](spent.steps, whole))
