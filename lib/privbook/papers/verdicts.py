"""Does our number agree with the printed one? One rule for every entry.

1. What is random. Take the 95% interval (Welch) of the difference, ours minus theirs, from our runs and
   from their mean, spread and number of runs, widened by half a unit of the last printed digit. *agrees*:
   it lies within +-2 points (of 100; .02 of 1). *differs*: it lies wholly outside. *inconclusive*: anything
   else, usually too few runs. A spread of unstated kind is taken as a standard deviation over runs; where
   none is printed, both are taken to have the same, estimated from ours alone (Student's t with our degrees
   of freedom). Fewer than three runs of ours say nothing: inconclusive.
2. What is not random. *agrees* if ours, rounded as theirs is printed, is theirs; otherwise *differs*. A budget that
   was computed from printed settings may also be cut there; one paper's are.
3. A number that cannot be read with certainty is never compared.
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

from privgraph.checks import check_count, check_finite, check_is, check_number, check_numbers
from privgraph.nn import Interval

from .published import Printed

MARGIN = 2.0  # points
FEWEST = 3  # runs of ours, below which nothing is said
SCALE = {"percent": 1.0, "fraction": 100.0}  # points in one unit


def difference(ours: Sequence[float], mean: float, spread: float | None, runs: int, rounding: float = 0.0) -> Interval:
    """The 95% interval of ours - theirs, from our values and their printed mean, standard deviation and runs.

    :param spread: None where it is not known; both are then taken to have the same, estimated from ours.
    :param runs: at least 2, as what follows from one has no deviation of its own; at least 1 without a ``spread``.
    :param rounding: half a unit of their last digit, added on both sides.
    :param ours: one value a run.
    :param mean: theirs.
    """
    ours, mean = check_numbers(ours, "ours"), check_finite(mean, "mean")
    check_count(runs, "runs", low=1 if spread is None else 2)
    spread = None if spread is None else check_number(spread, "spread", low=0, open_high=True)
    rounding = check_number(rounding, "rounding", low=0, open_high=True)
    gap = float(np.mean(ours)) - mean
    if len(ours) < 2:
        return Interval(gap, math.inf, len(ours))
    deviation = float(np.std(ours, ddof=1))
    a, b = deviation**2 / len(ours), (deviation if spread is None else spread) ** 2 / runs
    if a + b == 0:
        return Interval(gap, rounding, len(ours))
    freedom = len(ours) - 1 if spread is None else (a + b) ** 2 / (a**2 / (len(ours) - 1) + b**2 / (runs - 1))
    return Interval(gap, float(stats.t.ppf(0.975, freedom) * math.sqrt(a + b)) + rounding, len(ours))


def verdict(gap: Interval, margin: float = MARGIN) -> str:
    """``agrees``, ``differs`` or ``inconclusive``.

    :param gap: ours - theirs, with its interval.
    :param margin: the largest difference that counts as none.
    """
    check_is(gap, "gap", Interval), check_number(margin, "margin", low=0)
    if -margin <= gap.low and gap.high <= margin:
        return "agrees"
    return "differs" if gap.low > margin or gap.high < -margin else "inconclusive"


def compare(ours: Sequence[float], printed: Printed, runs: int | None,
            spread: float | None = None) -> tuple[Interval, str]:
    """The difference in the printed unit, and the verdict.

    :param runs: how many runs the printed mean is over; None where nothing is random.
    :param spread: their standard deviation over runs, for a entry that does not print it.
    :param ours: one value a run.
    :param printed: the entry.
    :raises ValueError: for a number that cannot be read with certainty, or a unit without a margin.
    """
    ours = check_numbers(ours, "ours")
    if check_is(printed, "printed", Printed).reading == "uncertain" or not printed.mean:
        raise ValueError(f"{printed.table}: {printed} is an uncertain reading and is not compared")
    if runs is None:
        gap = float(np.mean(ours)) - printed.value
        inside = abs(gap) <= printed.rounding * (1 + 1e-9)
        return Interval(gap, printed.rounding, len(ours)), "agrees" if inside else "differs"
    if printed.unit not in SCALE:
        raise ValueError(f"{printed.table}: no margin is set for the unit {printed.unit!r}; it is for {list(SCALE)}")
    if spread is None and printed.spread and runs > 1:
        spread = float(printed.spread) * (math.sqrt(runs) if printed.spread_kind == "standard error" else 1)
    gap = difference(ours, printed.value, spread, runs, printed.rounding)
    return gap, verdict(gap, MARGIN / SCALE[printed.unit]) if len(ours) >= FEWEST else "inconclusive"


def compare_computed(value: float, printed: Printed) -> tuple[Interval, str]:
    """The difference and the verdict for a number computed from printed settings: rounded or cut, it must be theirs."""
    gap = value - printed.value
    inside = -printed.rounding * (1 + 1e-9) <= gap < 2 * printed.rounding
    return Interval(gap, printed.rounding, 1), "agrees" if inside else "differs"
