r"""From a target epsilon to the noise that keeps it, by any of the accountants."""

import math
from collections.abc import Callable, Sequence

from ..checks import check_choice, check_delta, check_function, check_positive
from .accounting import Budget, Step, advanced_composition, basic_composition, pld_epsilon, rdp_epsilon

FURTHEST = 2.0**100  # a scale that nobody needs


def by_advanced(steps: Sequence[Step], delta: float) -> float:
    """Advanced composition, which speaks of uses of one mechanism."""
    if len(steps) != 1:
        raise ValueError(f"steps must be one Step for the accountant 'advanced', got {len(steps)}")
    return advanced_composition(steps[0].pair.epsilon, steps[0].count, delta)


ACCOUNTANTS = {"basic": lambda steps, delta: basic_composition(steps), "advanced": by_advanced, "rdp": rdp_epsilon,
               "pld": lambda steps, delta: pld_epsilon(steps, delta).pessimistic}


def calibrate(steps: Callable[[float], Sequence[Step] | Budget], epsilon: float, delta: float | None = None,
              accountant: str = "pld", tolerance: float = 1e-3) -> float:
    r"""The smallest noise scale whose uses together cost at most ``epsilon`` at ``delta``, as the accountant counts.

    It errs to the safe side: the accountant was asked about the scale that is returned, and says at most epsilon; at a
    scale smaller by ``tolerance`` (relative) it said more.

    :param steps: from a scale to what is used: ``lambda scale: [Step(LaplacePair(scale), 100)]``, with the pair of any
        mechanism. More scale must be more noise: where a mechanism has an epsilon of its own, that is 1 / scale.
        A ``Budget`` with one sample for all, such as ``PrivGNN(...).budget(num_classes)``, is taken too.
    :param epsilon: what all uses may cost together.
    :param delta: with which probability they may cost more; the accountant "basic" needs none.
    :param accountant: "pld" (the tightest), "rdp" (as fast for 10^6 uses as for one), "advanced" or "basic" (pure).
    :raises ValueError: where no scale reaches epsilon, as Gaussian noise has none for "basic".

    >>> from privgraph.privacy import GaussianPair, LaplacePair, pure_pair
    >>> {name: round(calibrate(lambda scale: [Step(LaplacePair(scale), 100)], 1.0, 1e-5, name), 1)
    ...  for name in ("basic", "rdp", "pld")}
    {'basic': 100.0, 'rdp': 39.7, 'pld': 36.8}
    >>> round(1 / calibrate(lambda scale: [Step(pure_pair(1 / scale), 100)], 1.0, accountant="basic"), 3)  # an epsilon
    0.01
    """
    check_function(steps, "steps", "scale"), check_choice(accountant, "accountant", ACCOUNTANTS)
    epsilon, tolerance = check_positive(epsilon, "epsilon"), check_positive(tolerance, "tolerance")
    if accountant != "basic":
        check_delta(delta)

    def enough(scale: float) -> bool:
        return cost(steps(scale), delta, accountant) <= epsilon
    low, high = bracket(enough, 1.0 if accountant != "pld" else calibrate(steps, epsilon, delta, "rdp", 0.1), epsilon)
    while high > low * (1 + tolerance):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def bracket(enough: Callable[[float], bool], start: float, epsilon: float) -> tuple[float, float]:
    """Two scales a factor of at most 2 apart: not enough, and enough."""
    scale = start
    while not enough(scale):
        scale *= 2
        if scale > FURTHEST:
            raise ValueError(f"epsilon must be one that some scale reaches, got {epsilon:g}, "
                             f"which none up to {FURTHEST:.0e} does")
    if scale > start:
        return scale / 2, scale
    while enough(scale / 2):
        scale /= 2
        if scale < 1 / FURTHEST:
            raise ValueError(f"epsilon must be one that needs noise, got {epsilon:g}, kept by a scale of {scale:.0e}")
    return scale / 2, scale


def cost(spent: Sequence[Step] | Budget, delta: float | None, accountant: str) -> float:
    """Epsilon of some steps, or of a budget, by one accountant."""
    if not isinstance(spent, Budget):
        return ACCOUNTANTS[accountant](spent, delta)
    if spent.rate == 1:
        return ACCOUNTANTS[accountant](spent.steps, delta)
    whole = None if delta is None else min(delta / spent.rate, math.nextafter(1, 0))
    return spent.amplified(ACCOUNTANTS[accountant](spent.steps, whole))
