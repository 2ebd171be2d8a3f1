r"""How much many releases reveal together: composition theorems, and the accountants built on them.

Every function returns an upper bound on epsilon unless its name or docstring says "exact" or "optimistic". A
budget is a list of ``Step(pair, count)``: ``count`` adaptive uses of a mechanism that ``pair`` dominates, all
on the same people and within one unit and relation. Four independent routes lead to its epsilon: basic
composition, advanced composition (pure mechanisms only), Renyi divergences (RDP), and privacy loss
distributions (PLD), whose error is bounded (``certified``); where every step is the same pair of coins, the binomial
sum is a fifth, and exact.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.optimize import brentq

from ..checks import (
    check_count,
    check_delta,
    check_epsilon,
    check_function,
    check_is,
    check_number,
    check_order,
    check_rate,
    check_sequence,
)
from ..checks.parameters import Count, Instance, Parameters, Rate
from ..late import stats
from .bounded_range import BoundedRangePair, bounded_range_ends
from .certified import binomial_ends, composed_ends, gaussian_ends, largest_losses
from .dominating_pairs import LARGE, FinitePair
from .further import DominatingPair
from .noise_pairs import GaussianPair, LaplacePair

Pair = FinitePair | LaplacePair | GaussianPair | BoundedRangePair | DominatingPair
MOST_COMPOSED = 10**7  # uses that PLD composes: seconds, and below 1 GB
MOST_USES = 10**6  # of two coins, whose outcomes are listed one by one
MOST_FACTORS = 1000  # uses of a pair whose products are listed
ORDERS = (1.01, 1.02, 1.03, 1.05, 1.07, *(1 + tenth / 10 for tenth in range(1, 10)), *range(2, 65),
          *(2**k for k in range(7, 31)))
SAFE = 1e-11  # by which a divergence is raised, as floats round it


class TooLittleNoise(ValueError):
    """No accountant has a finite bound, as losses leave the range of floats."""


@dataclass(frozen=True)
class Step(Parameters):
    """``count`` uses of a mechanism that ``pair`` dominates."""

    pair: Annotated[Pair, Instance(Pair)]
    count: Annotated[int, Count(1)] = 1


@dataclass(frozen=True)
class Bracket:
    """Epsilon lies between ``optimistic`` and ``pessimistic``; report the second."""

    optimistic: float
    pessimistic: float


@dataclass(frozen=True)
class Budget(Parameters):
    """What a release has spent: ``steps``, all of them perhaps on one Poisson sample with rate ``rate``."""

    steps: tuple[Step, ...]
    rate: Annotated[float, Rate()] = 1.0

    def agree(self):
        check_steps(self.steps)

    def epsilon(self, delta: float) -> Bracket:
        r"""Epsilon at ``delta``, by privacy loss distributions.

        One sample for all amplifies what was composed: (e, delta / rate) without it is
        :math:`(\ln(1 + \gamma (e^e - 1)), \delta)` with it (Balle, Barthe and Gaboardi 2018, Theorem 8).
        """
        if self.rate == 1:
            return pld_epsilon(list(self.steps), delta)
        found = pld_epsilon(list(self.steps), min(delta / self.rate, math.nextafter(1, 0)))
        return Bracket(self.amplified(found.optimistic), self.amplified(found.pessimistic))

    def amplified(self, epsilon: float) -> float:
        """What an epsilon at delta / rate costs at delta when all was computed on one sample."""
        return epsilon + math.log(self.rate + (1 - self.rate) * math.exp(-epsilon))  # cannot overflow


def basic_composition(steps: list[Step]) -> float:
    """Pure epsilon of all steps together: the sum. inf where a step has no pure epsilon."""
    return sum(step.count * step.pair.epsilon for step in check_steps(steps))


def advanced_composition(epsilon: float, count: int, delta: float) -> float:
    r"""Epsilon of ``count`` adaptive uses of an epsilon-DP mechanism, at ``delta`` (an upper bound).

    .. math:: k \varepsilon \tanh(\varepsilon / 2) + \varepsilon \sqrt{2 k \ln(1/\delta)}

    One loss lies within :math:`\pm\varepsilon` and has mean at most :math:`\varepsilon \tanh(\varepsilon/2)`,
    that of randomised response; the rest is Azuma's inequality (Dwork, Rothblum and Vadhan 2010, where
    the mean is bounded by :math:`\varepsilon (e^{\varepsilon} - 1)`). For few uses the sum
    :math:`k \varepsilon` is smaller, and is returned.
    """
    epsilon, count, delta = check_epsilon(epsilon), check_count(count, "count", low=1), check_delta(delta)
    if math.isinf(epsilon):
        return math.inf
    spread = epsilon * math.sqrt(2 * count * math.log(1 / delta))
    return min(count * epsilon, count * epsilon * math.tanh(epsilon / 2) + spread)


def classic_conversion(rdp: float, order: float, delta: float) -> float:
    r"""(epsilon, delta) from RDP: :math:`\varepsilon(\alpha) + \frac{\ln(1/\delta)}{\alpha - 1}` (Mironov 2017,
    Prop. 3).

    :param rdp: the Renyi divergence of that order, at least 0.
    """
    rdp = check_number(rdp, "rdp", low=0, allowed="be at least 0")
    order, delta = check_order(order), check_delta(delta)
    return rdp + math.log(1 / delta) / (order - 1)


def improved_conversion(rdp: float, order: float, delta: float) -> float:
    r"""From RDP to (epsilon, delta), always below the classic conversion.

    .. math:: \varepsilon(\alpha) + \ln\frac{\alpha - 1}{\alpha} - \frac{\ln\delta + \ln\alpha}{\alpha - 1}

    (Balle, Barthe, Gaboardi, Hsu and Sato 2020, Theorem 21; Canonne, Kamath and Steinke 2020, Proposition
    12). Never below 0.

    :param rdp: the Renyi divergence of that order, at least 0.
    """
    rdp = check_number(rdp, "rdp", low=0, allowed="be at least 0")
    order, delta = check_order(order), check_delta(delta)
    return max(0.0, rdp + math.log1p(-1 / order) - (math.log(delta) + math.log(order)) / (order - 1))


def rdp_epsilon(steps: list[Step], delta: float, conversion=improved_conversion, orders=ORDERS) -> float:
    """Epsilon at ``delta`` by Renyi divergences: they add over steps; the best of ``orders`` is converted.

    Over the orders the converted epsilon falls and then rises, as (order - 1) rdp is convex; so of ``ORDERS`` the best
    from 2 to 64 is found by bisection, and those below and above, which take longer after sampling, are tried only
    while they are better. Any order's epsilon is an upper bound.

    :param conversion: from RDP, order and delta to epsilon.
    :raises ValueError: where there is no order.
    """
    check_steps(steps), check_delta(delta), check_function(conversion, "conversion", "rdp", "order", "delta")
    if not len(check_sequence(orders, "orders", "numbers above 1")):
        raise ValueError("orders must hold at least one order, got none")
    def at(order: float) -> float:
        rdp = sum(step.count * step.pair.rdp(order) for step in steps) * (1 + SAFE)
        return conversion(rdp, order, delta)
    if orders is not ORDERS:
        return min(map(at, orders))
    best = least(at, [order for order in ORDERS if 2 <= order <= 64])
    for outer in ([order for order in ORDERS if order > 64], [order for order in ORDERS[::-1] if order < 2]):
        for order in outer:
            if (found := at(order)) >= best < math.inf:
                break
            best = min(best, found)
    return best


def least(function: Callable[[float], float], places: Sequence[float]) -> float:
    """The least value of a function that falls and then rises, at some places in order."""
    low, high = 0, len(places) - 1
    while low < high:
        middle = (low + high) // 2
        if function(places[middle]) <= function(places[middle + 1]):
            high = middle
        else:
            low = middle + 1
    return function(places[low])


def pld_epsilon(steps: list[Step], delta: float, tolerance: float = 0.01) -> Bracket:
    r"""Epsilon at ``delta`` by privacy loss distributions, between two ends that floats do not break.

    The upper end is at least the truth and the lower end at most, with all rounding, truncation and the grid's width
    counted (``losses``, ``composition`` and ``certified`` have the proofs). The upper end is also the least of what
    the other accountants prove. The grid is halved until the ends differ by at most ``tolerance`` times epsilon (or
    times delta / (1 - delta), up to 1, where that is more: delta at them hardly differs); they stay further apart only
    where a finer grid would not fit into memory, and mostly the upper end lies much closer to the truth than the lower.

    :param delta: in [0, 1), as small as floats go; 0 asks for the pure epsilon.
    :raises ValueError: where no accountant has a finite bound, and none is known to be impossible.
    :raises TooLittleNoise: where losses leave the range of floats.
    """
    check_steps(steps), check_rate(tolerance, "tolerance")
    delta = check_delta_or_none(delta)
    if delta == 0:
        return Bracket(exact := largest_losses(merged(steps)), exact)
    if disjoint(steps):
        return Bracket(math.inf, math.inf)
    ceiling = min(ceilings(steps, delta))
    lower, upper = map(float, pld_ends(steps, delta, tolerance, ceiling))
    upper = min(upper, ceiling)
    if math.isinf(upper) and math.isfinite(lower) and not certain(steps, delta):
        raise TooLittleNoise(f"steps must be noisier for privacy loss distributions, got {steps!r}: losses leave the "
                             "range of floats")
    return Bracket(max(0.0, min(lower, upper)), upper)


def pld_ends(steps: Sequence[Step], delta: float, tolerance: float, ceiling: float) -> tuple[float, float]:
    """(lower, upper) by the route that fits, before they are compared with the ``ceiling`` of other accountants."""
    pairs = merged(steps)
    (first, count), *others = pairs
    if not others and isinstance(first, FinitePair) and len(first.p) == 2 and count <= MOST_USES:
        if math.isfinite(first.epsilon):
            return binomial_ends(first, count, delta)
    if not others and isinstance(first, BoundedRangePair):
        if (found := bounded_range_ends(first, count, delta)) is not None:
            return found
    if all(isinstance(pair, GaussianPair) and pair.rate == 1 for pair, _ in pairs):
        return gaussian_ends(math.sqrt(sum(count / pair.sigma**2 for pair, count in pairs)), delta)
    if all(isinstance(pair, FinitePair) for pair, _ in pairs) and uses(steps) <= MOST_FACTORS:
        if LARGE < max(pair.epsilon for pair, _ in pairs) < math.inf:
            exact = product_epsilon(list(steps), delta)
            error = 1e-12 * uses(steps)  # losses are merged to twelve digits
            return exact * (1 - error), exact * (1 + error)
    if uses(steps) > MOST_COMPOSED:
        raise ValueError(f"count must be at most {MOST_COMPOSED} in all for privacy loss distributions, got "
                         f"{uses(steps)}; rdp_epsilon has no limit")
    return composed_ends(pairs, delta, tolerance, ceiling if math.isfinite(ceiling) else 1.0)


def merged(steps: Sequence[Step]) -> list[tuple[Pair, int]]:
    """Uses by pair, each pair once. (Finite pairs compare equal whose losses differ.)"""
    counts: dict[object, tuple[Pair, int]] = {}
    for step in steps:
        key = step.pair, getattr(step.pair, "losses", None)
        counts[key] = step.pair, counts.get(key, (step.pair, 0))[1] + step.count
    return list(counts.values())


def ceilings(steps: Sequence[Step], delta: float) -> list[float]:
    """What other accountants prove."""
    found = [basic_composition(steps), rdp_epsilon(steps, delta)]
    if len(steps) == 1 and math.isfinite(steps[0].pair.epsilon):
        found.append(advanced_composition(steps[0].pair.epsilon, steps[0].count, delta))
    return found


def disjoint(steps: Sequence[Step]) -> bool:
    """Whether no outcome of some step is possible for both sides: then no finite epsilon goes with any delta."""
    return any(isinstance(step.pair, FinitePair) and step.pair.disjoint for step in steps)


def certain(steps: Sequence[Step], delta: float) -> bool:
    """Whether outcomes that give everything away may have probability delta together."""
    given = [math.log1p(-min(1 - 1e-16, step.pair.given_away)) * step.count for step in steps
             if isinstance(step.pair, FinitePair)]
    return -math.expm1(sum(given)) * (1 + 1e-9) >= delta


def uses(steps: Sequence[Step]) -> int:
    """How many uses there are in all."""
    return sum(step.count for step in steps)


def product_epsilon(steps: list[Step], delta: float) -> float:
    """Epsilon at ``delta`` of finite pairs, exactly: all outcomes, those with equal losses together.

    For losses above ``LARGE``, where dp-accounting has no floats for e^-loss. Such pairs have few outcomes.
    """
    whole = FinitePair((1.0,), (1.0,))
    if uses(steps) > MOST_FACTORS:
        raise ValueError(f"count must be at most {MOST_FACTORS} in all where losses exceed {LARGE:g}, got "
                         f"{uses(steps)}; rdp_epsilon and basic_composition have no limit")
    for step in steps:
        for _ in range(step.count):
            whole = whole.times(step.pair)
    return epsilon_at(whole.delta, delta, whole.epsilon)


def pld_bracket(steps: list[Step], delta: float, interval: float) -> Bracket:
    """Both roundings on one grid by dp-accounting, which bounds no error of its own: a cross-check, not an answer."""
    def epsilon(pessimistic: bool) -> float:
        total = None
        for step in steps:
            part = step.pair.pld(interval, pessimistic).self_compose(step.count)
            total = part if total is None else total.compose(part)
        return float(total.get_epsilon_for_delta(delta))
    try:
        return Bracket(epsilon(False), epsilon(True))
    except (OverflowError, MemoryError) as error:
        raise ValueError(f"steps must be noisier for privacy loss distributions, got {steps!r}: losses leave the range "
                         "of floats; rdp_epsilon and basic_composition have no limit") from error


def exact_delta(pair: FinitePair, count: int, epsilon: float) -> float:
    """delta of ``count`` uses of a pair with two outcomes: exact, a sum over how often the first came up.

    :param pair: with two outcomes and a finite epsilon.
    :raises ValueError: for another number of outcomes, and an infinite epsilon.
    """
    if len(check_is(pair, "pair", FinitePair).p) != 2:
        raise ValueError(f"pair must have two outcomes, got {len(pair.p)}")
    count, epsilon = check_count(count, "count", low=1, high=MOST_USES), check_number(epsilon, "epsilon")
    if math.isinf(pair.epsilon):
        raise ValueError("pair must have a finite epsilon, got inf")
    return counted(pair, count)(epsilon)


def counted(pair: FinitePair, count: int) -> Callable[[float], float]:
    """delta as a function of epsilon, by the binomial sum."""
    hits = np.arange(count + 1)
    gained, lost = pair.losses
    total = hits * gained + (count - hits) * lost
    sides = [(stats.binom.pmf(hits, count, p[0]), sign * total)
             for (p, _), sign in zip(pair.directions, (1, -1), strict=True)]
    def delta(epsilon: float) -> float:
        return max(float((chance * -np.expm1(np.minimum(epsilon - loss, 0))).sum()) for chance, loss in sides)
    return delta


def exact_epsilon(pair: FinitePair, count: int, delta: float) -> float:
    """Epsilon at ``delta`` of ``count`` uses of a pair with two outcomes: exact, and at delta = 0 the pure epsilon.

    :param pair: with two outcomes and a finite epsilon.
    """
    check_is(pair, "pair", FinitePair)
    delta, count = check_delta_or_none(delta), check_count(count, "count", low=1)
    exact_delta(pair, count, 0.0)  # what it refuses
    if delta == 0:
        return largest_losses([(pair, count)])
    return epsilon_at(counted(pair, count), delta, count * pair.epsilon)


def epsilon_at(delta_of, delta: float, high: float) -> float:
    """The smallest epsilon in [0, high] whose delta is at most ``delta``; ``delta_of`` falls with epsilon."""
    if delta_of(0.0) <= delta:
        return 0.0
    return float(brentq(lambda epsilon: delta_of(epsilon) - delta, 0.0, high))


def account(steps: list[Step], delta: float) -> dict[str, float]:
    """Epsilon of all steps at ``delta`` by every accountant that applies and has an answer; each is an upper bound but
    the two marked. ``tightest`` says which row to take. With delta = 0 only basic composition and PLD apply.

    >>> from privgraph.privacy import pure_pair
    >>> {name: round(e, 2) for name, e in account([Step(pure_pair(0.1), 100)], 1e-6).items() if "PLD" not in name}
    {'basic': 10.0, 'advanced': 5.76, 'RDP, classic': 5.58, 'RDP, improved': 5.08, 'exact': 4.77}
    """
    first, *others = check_steps(steps)
    delta = check_delta_or_none(delta)
    rows = {"basic": basic_composition(steps)}
    if delta > 0 and not others and math.isfinite(first.pair.epsilon):
        rows["advanced"] = advanced_composition(first.pair.epsilon, first.count, delta)
    if delta > 0:
        rows["RDP, classic"] = rdp_epsilon(steps, delta, classic_conversion)
        rows["RDP, improved"] = rdp_epsilon(steps, delta)
    with suppress(ValueError):  # too many uses, or too little noise
        bracket = pld_epsilon(steps, delta)
        rows["PLD, pessimistic"], rows["PLD, optimistic"] = bracket.pessimistic, bracket.optimistic
    if not others and isinstance(first.pair, FinitePair) and len(first.pair.p) == 2 and first.count <= MOST_USES:
        with suppress(ValueError):  # no finite epsilon
            rows["exact"] = exact_epsilon(first.pair, first.count, delta)
    return rows


def tightest(rows: dict[str, float]) -> str:
    """Which of the rows of ``account`` to take: the smallest upper bound, and of equal ones the first.

    :param rows: of ``account``, epsilon by the accountant's name.
    :raises TypeError: for what is no dict.
    :raises ValueError: where no row is an upper bound.

    >>> tightest({"basic": 10.0, "RDP, improved": 5.1, "PLD, pessimistic": 4.8, "PLD, optimistic": 4.7})
    'PLD, pessimistic'
    """
    if not isinstance(rows, dict):
        raise TypeError(f"rows must be a dict from an accountant's name to its epsilon, got {rows!r}")
    upper = {name: epsilon for name, epsilon in rows.items() if "optimistic" not in name}
    if not upper:
        raise ValueError("rows must hold at least one upper bound, got none")
    return min(upper, key=upper.__getitem__)


def check_delta_or_none(delta: float) -> float:
    """A delta, or 0 for none."""
    return check_number(delta, "delta", low=0, high=1, open_high=True, allowed="lie strictly between 0 and 1, or be 0")


def check_steps(steps: Sequence[Step]) -> Sequence[Step]:
    if not len(check_sequence(steps, "steps", "Step")):
        raise ValueError("steps must hold at least one Step, got none")
    if odd := [step for step in steps if not isinstance(step, Step)]:
        raise TypeError(f"steps must hold Step(pair, count) only, got {odd[0]!r}")
    return steps
