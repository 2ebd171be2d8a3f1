"""Does our number agree with the printed one? One rule for every entry.

1. What is random. Take the 95% interval (Welch) of the difference, ours minus theirs, from our runs and
   from their mean, spread and number of runs, widened by half a unit of the last printed digit. *agrees*:
   it lies within +-2 points (of 100; .02 of 1). *differs*: it lies wholly outside. *inconclusive*: anything
   else, usually too few runs. A spread of unstated kind is taken as a standard deviation over runs; where
   none is printed, both are taken to have the same, estimated from ours alone (Student's t with our degrees
   of freedom). Fewer than three runs of ours say nothing: inconclusive.
   An average over several settings is made of runs, too. A seed that all settings have is one run, however many
   settings share its luck: its value is their mean. Seeds that one setting alone has are luck of its own; where each
   setting has two of them at least, and all together eight more than there are settings, the mean of the settings'
   means counts as so many runs as it has seeds, and its variance is the sum of the settings' own (``stratified``).
   Where there are both, each counts by its seeds, and a shared seed is taken to scatter as a single setting does, which
   is the most it can. What is printed beside an average says how far its settings lie apart, and nothing of its luck;
   theirs is taken to scatter as one setting of ours does, as if all of their settings had shared their seeds.
   A difference is taken run by run where both sides have the same seeds; else it scatters as both together.
2. What is not random. *agrees* if ours, rounded as theirs is printed, is theirs; otherwise *differs*. A budget that
   was computed from printed settings may also be cut there; one paper's are.
3. A number that cannot be read with certainty is never compared.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np
from scipy import stats

from privgraph.checks import check_all, check_count, check_finite, check_is, check_number, check_numbers
from privgraph.nn import Interval

from .published import Printed

MARGIN = 2.0  # points
FEWEST = 3  # runs of ours, below which nothing is said
TEN, INCONCLUSIVE = 10, "inconclusive"
OUTLOOKS = SOON, LATER, NEVER, UNTOLD = (
    "ten more runs", "more than ten more runs", "no number of runs", "fewer than three runs say nothing of it")
TWO, EIGHT = 2, 8  # runs of a setting with seeds of its own, and how many beyond the first of each, to say anything
SCALE = {"percent": 1.0, "fraction": 100.0}  # points in one unit


@dataclass(frozen=True)
class Estimate:
    """What runs of ours say about a mean.

    :param mean: of the runs.
    :param error: the variance of that mean; inf for a single run.
    :param spread: the variance of a run.
    :param freedom: Student's degrees of freedom of both.
    :param n: runs; of an average, seeds.
    """

    mean: float
    error: float
    spread: float
    freedom: float
    n: int

    @property
    def interval(self) -> Interval:
        """95%, by Student's t."""
        return Interval(self.mean, half_width(self.error, self.freedom), self.n)

    def in_units(self, of: float) -> Estimate:
        """The same in another unit.

        :param of: how many of ours make one of it.
        """
        return replace(self, mean=self.mean / of, error=self.error / of**2, spread=self.spread / of**2)


def after(ours: Estimate, more: float) -> Estimate:
    """The same with so many more runs, should they scatter as those before; inf: with all there could be."""
    share = 0.0 if math.isinf(more) else ours.n / (ours.n + more)
    return replace(ours, error=ours.error * share, freedom=ours.freedom + more)


def outlook(ours: Estimate, printed: Printed, runs: int | None, spread: float | None = None) -> str:
    """What an inconclusive value waits for, one of ``OUTLOOKS``, should our mean and spread stay as they are; "" where
    there is a verdict, or nothing is random.

    :param ours: of at least one run.
    """
    def verdict_after(more: float) -> str:
        return compare(after(ours, more), printed, runs, spread)[1]
    if runs is None or (ours.n >= FEWEST and verdict_after(0) != INCONCLUSIVE):
        return ""
    if ours.n < FEWEST:
        return UNTOLD
    return next((said for said, more in ((SOON, TEN), (LATER, math.inf)) if verdict_after(more) != INCONCLUSIVE), NEVER)


def distance(gap: Interval, margin: float) -> float:
    """Half the width of an interval over the distance of its middle to the nearer end of the margin.

    Above 1 there is no verdict; a little above 1 few more runs give one."""
    apart = abs(abs(gap.mean) - margin)
    return gap.half / apart if apart else math.inf


def half_width(variance: float, freedom: float) -> float:
    """Of a 95% interval by Student's t; 0 where nothing scatters."""
    if not math.isfinite(variance):
        return math.inf
    return float(stats.t.ppf(0.975, freedom)) * math.sqrt(variance) if variance else 0.0


def estimate(values: Sequence[float]) -> Estimate:
    """Of independent runs: the mean, and what it owes to their luck."""
    n, mean = len(values), float(np.mean(values))
    if n < 2:
        return Estimate(mean, math.inf, math.inf, 0.0, n)
    spread = float(np.var(values, ddof=1))
    return Estimate(mean, spread / n, spread, n - 1, n)


def stratified(runs: Sequence[Mapping[int, float]]) -> Estimate | None:
    """Of an average over settings whose seeds differ; None where a setting has fewer than two seeds of its own, or all
    together have fewer than eight beyond the first of each: an interval then covers too little.

    The mean of S means, of n_i runs each with variance s_i^2, has the variance sum s_i^2 / (S^2 n_i). Seeds that all
    settings share are added, weighted by their number. Degrees of freedom by Satterthwaite, with an unbiased estimate
    of each s_i^4, as with two runs a setting the usual one is far too small; at most sum (n_i - 1).

    :param runs: seed -> value of each setting.
    """
    shared, own = parted(check_all(runs, "runs", Mapping))
    counts, settings = np.array([len(seeds) for seeds in own]), len(runs)
    if not settings or counts.min() < TWO or counts.sum() - settings < EIGHT:
        return None
    mine = [estimate([run[seed] for seed in seeds]) for run, seeds in zip(runs, own, strict=True)]
    both, alone = len(shared), int(counts.sum())
    weights = (both / settings + alone**2 / (settings**2 * counts)) / (both + alone) ** 2
    parts = weights * [each.spread for each in mine]
    error, mean = float(parts.sum()), fmean(each.mean for each in mine)
    freedom = error**2 / float((parts**2 / (counts + 1)).sum()) - 2 if error else math.inf
    together = fmean(run[seed] for run in runs for seed in shared) if shared else 0.0
    return Estimate((both * together + alone * mean) / (both + alone), error, fmean(each.spread for each in mine),
                    min(freedom, alone - settings), both + alone)


def less(ours: Estimate, base: Estimate) -> Estimate:
    """The difference of two independent estimates, by Welch. A run of it scatters as both together."""
    error = ours.error + base.error
    parts = ours.error**2 / ours.freedom + base.error**2 / base.freedom
    freedom = error**2 / parts if parts else ours.freedom + base.freedom
    return Estimate(ours.mean - base.mean, error, ours.spread + base.spread, freedom, min(ours.n, base.n))


def parted(runs: Sequence[Mapping[int, float]]) -> tuple[list[int], list[list[int]]]:
    """The seeds that all settings have, and those that each has alone. Others do not count: they are runs of an average
    that is not complete."""
    held = Counter(seed for run in runs for seed in run)
    shared = [seed for seed in sorted(held) if held[seed] == len(runs)] if len(runs) > 1 else []
    return shared, [sorted(seed for seed in run if held[seed] == 1) for run in runs]


def difference(ours: Sequence[float] | Estimate, mean: float, spread: float | None, runs: int,
               rounding: float = 0.0) -> Interval:
    """The 95% interval of ours - theirs, from our values and their printed mean, standard deviation and runs.

    :param spread: None where it is not known; both are then taken to have the same, estimated from ours.
    :param runs: at least 2, as what follows from one has no deviation of its own; at least 1 without a ``spread``.
    :param rounding: half a unit of their last digit, added on both sides.
    :param ours: one value a run; or what follows from the runs of an average.
    :param mean: theirs.
    """
    ours, mean = known(ours), check_finite(mean, "mean")
    check_count(runs, "runs", low=1 if spread is None else 2)
    spread = None if spread is None else check_number(spread, "spread", low=0, open_high=True)
    rounding = check_number(rounding, "rounding", low=0, open_high=True)
    gap, a = ours.mean - mean, ours.error
    if math.isinf(a):
        return Interval(gap, math.inf, ours.n)
    b = (ours.spread if spread is None else spread**2) / runs
    freedom = ours.freedom
    if spread is not None and a + b:
        freedom = (a + b) ** 2 / (a**2 / ours.freedom + b**2 / (runs - 1))
    return Interval(gap, half_width(a + b, freedom) + rounding, ours.n)


def known(ours: Sequence[float] | Estimate) -> Estimate:
    return ours if isinstance(ours, Estimate) else estimate(check_numbers(ours, "ours"))


def verdict(gap: Interval, margin: float = MARGIN) -> str:
    """``agrees``, ``differs`` or ``inconclusive``.

    :param gap: ours - theirs, with its interval.
    :param margin: the largest difference that counts as none.
    """
    check_is(gap, "gap", Interval), check_number(margin, "margin", low=0)
    if -margin <= gap.low and gap.high <= margin:
        return "agrees"
    return "differs" if gap.low > margin or gap.high < -margin else INCONCLUSIVE


def compare(ours: Sequence[float] | Estimate, printed: Printed, runs: int | None,
            spread: float | None = None) -> tuple[Interval, str]:
    """The difference in the printed unit, and the verdict.

    :param runs: how many runs the printed mean is over; None where nothing is random.
    :param spread: their standard deviation over runs, for a entry that does not print it.
    :param ours: one value a run; or what follows from the runs of an average.
    :param printed: the entry.
    :raises ValueError: for a number that cannot be read with certainty, or a unit without a margin.
    """
    ours = known(ours)
    if check_is(printed, "printed", Printed).reading == "uncertain" or not printed.mean:
        raise ValueError(f"{printed.table}: {printed} is an uncertain reading and is not compared")
    if runs is None:
        gap = ours.mean - printed.value
        inside = abs(gap) <= printed.rounding * (1 + 1e-9)
        return Interval(gap, printed.rounding, ours.n), "agrees" if inside else "differs"
    if printed.unit not in SCALE:
        raise ValueError(f"{printed.table}: no margin is set for the unit {printed.unit!r}; it is for {list(SCALE)}")
    if spread is None and printed.spread and runs > 1:
        spread = float(printed.spread) * (math.sqrt(runs) if printed.spread_kind == "standard error" else 1)
    gap = difference(ours, printed.value, spread, runs, printed.rounding)
    return gap, verdict(gap, MARGIN / SCALE[printed.unit]) if ours.n >= FEWEST else INCONCLUSIVE


def compare_computed(value: float, printed: Printed) -> tuple[Interval, str]:
    """The difference and the verdict for a number computed from printed settings: rounded or cut, it must be theirs."""
    gap = value - printed.value
    inside = -printed.rounding * (1 + 1e-9) <= gap < 2 * printed.rounding
    return Interval(gap, printed.rounding, 1), "agrees" if inside else "differs"
