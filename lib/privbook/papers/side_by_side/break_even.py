"""From which true budget on a method is worth it: better than the best that its users could have had for nothing.

A method's *break-even* on a graph is the smallest budget of the grid at which, and at every larger one, its mean
accuracy is above that of the best reference. Differences are taken seed by seed, as arms share splits; the interval
comes from seeds that are drawn again, with replacement. It is an interval over splits and noise of one graph, and says
nothing of others.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from ..results import Results
from .edges import ARMS as EDGE_ARMS
from .edges import NO_EDGES, SUMS_OF_NOISY_GRAPH
from .edges import REPORTS as EDGE_REPORTS
from .nodes import ARMS as NODE_ARMS
from .records import ARMS as RECORD_ARMS
from .terms import BUDGETS, MAJORITY

LEVEL, AGAIN = 0.95, 2000


@dataclass(frozen=True)
class Unit:
    """What is compared: the experiment, its arms, and the references that read nothing of what the unit protects."""

    experiment: str
    arms: tuple[str, ...]
    references: tuple[str, ...]


UNITS = {"undirected edge": Unit("side-edges", (*EDGE_ARMS, *EDGE_REPORTS, SUMS_OF_NOISY_GRAPH),
                                 (NO_EDGES, "perceptron", MAJORITY)),
         "features and label": Unit("side-records", tuple(RECORD_ARMS), (MAJORITY,)),
         "node": Unit("side-nodes", tuple(NODE_ARMS), (MAJORITY,))}


@dataclass(frozen=True)
class BreakEven:
    """``epsilon``: the break-even, inf where there is none up to the largest budget; ``low`` and ``high``: its interval
    over seeds; ``sure``: from which budget on the difference is above 0 with all intervals at once; ``seeds``: how many
    there are."""

    epsilon: float
    low: float
    high: float
    sure: float
    seeds: int


def from_which_on(above: Sequence[bool], budgets: Sequence[float]) -> float:
    """The smallest budget at which, and at every larger one, something holds; inf where it does not at the largest.

    >>> from_which_on([True, False, True, True], [0.5, 1.0, 2.0, 4.0])
    2.0
    """
    found = math.inf
    for budget, holds in zip(reversed(budgets), reversed(above), strict=True):
        if not holds:
            break
        found = budget
    return found


def break_even(gaps: Mapping[float, Sequence[float]]) -> BreakEven | None:
    """Of differences at each budget, a number a seed, the same seeds everywhere; None for fewer than two.

    :param gaps: budget -> differences, in ascending order of budgets.

    >>> found = break_even({1.0: [-1, -2, -1], 2.0: [0.5, -0.2, 0.4], 4.0: [5, 6, 5]})
    >>> found.epsilon, found.low, found.high, found.sure
    (2.0, 2.0, 4.0, 4.0)
    """
    budgets, table = list(gaps), np.array(list(gaps.values()), dtype=float)
    if table.size == 0 or table.shape[1] < 2:
        return None
    seeds = table.shape[1]
    drawn = np.random.default_rng(0).integers(seeds, size=(AGAIN, seeds))
    found = [from_which_on(list(means > 0), budgets) for means in table[:, drawn].mean(2).T]
    low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], method="closest_observation")
    half = stats.t.ppf(1 - (1 - LEVEL) / 2 / len(budgets), seeds - 1) * table.std(1, ddof=1) / math.sqrt(seeds)
    return BreakEven(from_which_on(list(table.mean(1) > 0), budgets), float(low), float(high),
                     from_which_on(list(table.mean(1) - half > 0), budgets), seeds)


def best_reference(results: Results, dataset: str, unit: str, metric: str = "accuracy") -> str | None:
    """The reference with the highest mean on a graph, None where none was run."""
    means = {name: found.mean for name in UNITS[unit].references
             if (found := results.mean(metric, dataset=dataset, method=name, budget=0.0)) is not None}
    return max(means, key=means.__getitem__, default=None)


def of_arm(results: Results, dataset: str, unit: str, arm: str, metric: str = "accuracy") -> BreakEven | None:
    """The break-even of one arm on one graph; None where a budget, or the reference, was not run."""
    reference, extra = best_reference(results, dataset, unit, metric), only_real(unit)
    if reference is None:
        return None
    settings = [dict(method=arm, budget=budget) | extra for budget in BUDGETS]
    gaps = [differences(results, dataset, setting, dict(method=reference, budget=0.0) | extra, metric)
            for setting in settings]
    shared = set.intersection(*map(set, gaps))
    return break_even({budget: [gap[seed] for seed in sorted(shared)]
                       for budget, gap in zip(BUDGETS, gaps, strict=True)})


def only_real(unit: str) -> dict[str, str]:
    """Records are compared with their own features."""
    return {"features": "real"} if unit == "features and label" else {}


def differences(results: Results, dataset: str, first: Mapping, second: Mapping, metric: str) -> dict[int, float]:
    """Seed -> first - second, for the seeds that both have."""
    ours, theirs = (results.values(metric, dataset=dataset, **setting) for setting in (first, second))
    return {seed: ours[seed] - theirs[seed] for seed in ours if seed in theirs}


def winner(results: Results, dataset: str, unit: str, budget: float, allowed: Callable[[str], bool]) -> str | None:
    """The arm with the highest mean accuracy at a budget, among those that are allowed and were run."""
    means = {arm: found.mean for arm in UNITS[unit].arms if allowed(arm) and (found := results.mean(
        "accuracy", dataset=dataset, method=arm, budget=budget, **only_real(unit))) is not None}
    return max(means, key=means.__getitem__, default=None)
