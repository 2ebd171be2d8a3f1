"""Does our number agree with the printed one? One rule for every cell.

Take the 95% interval of the difference (ours minus theirs). *agrees*: it lies within +-2 points.
*differs*: it lies wholly outside. *inconclusive*: anything else, usually too few seeds.
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

from ..nn import Interval

MARGIN = 2.0  # points


def difference(ours: Sequence[float], mean: float, spread: float, runs: int) -> Interval:
    """Welch's 95% interval of ours - theirs, from our values and their printed mean, deviation and runs."""
    a, b = np.var(ours, ddof=1) / len(ours), spread**2 / runs
    gap = float(np.mean(ours)) - mean
    if a + b == 0:
        return Interval(gap, 0.0, len(ours))
    freedom = (a + b) ** 2 / (a**2 / (len(ours) - 1) + b**2 / (runs - 1))
    return Interval(gap, float(stats.t.ppf(0.975, freedom) * math.sqrt(a + b)), len(ours))


def verdict(gap: Interval, margin: float = MARGIN) -> str:
    """``agrees``, ``differs`` or ``inconclusive``."""
    if -margin <= gap.low and gap.high <= margin:
        return "agrees"
    return "differs" if gap.low > margin or gap.high < -margin else "inconclusive"
