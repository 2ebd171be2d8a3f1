"""What several releases about the same people cost together, where each says what it costs alone."""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache

from .accounting import Budget, Step, rdp_epsilon
from .bounded_range import BoundedRangePair
from .conversions import order_of, zcdp_rho
from .dominating_pairs import FinitePair, pure_pair
from .guarantee import Guarantee
from .noise_pairs import GaussianPair, LaplacePair

PAIRS = {kind.__name__: kind for kind in (BoundedRangePair, FinitePair, GaussianPair, LaplacePair)}


@dataclass(frozen=True)
class Cost:
    """What one release costs one unit: a guarantee, and the uses of mechanisms behind it, for accountants.

    ``budget`` None: nothing is known but the guarantee.
    """

    guarantee: Guarantee
    budget: Budget | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """Uses that may be composed with others': its own, or that of any mechanism with this pure epsilon."""
        if self.budget is not None:
            return self.budget.steps if self.budget.rate == 1 else ()
        if self.guarantee.delta or not 0 < self.guarantee.epsilon < math.inf:
            return ()
        return (Step(pure_pair(self.guarantee.epsilon)),)


def epsilon_of_all(costs: Sequence[Cost], delta: float | None = None, limit: float = math.inf) -> float:
    r"""Epsilon of all costs together, of one unit and relation, whatever of earlier results each was chosen by.

    Who looks at results before deciding how much to spend next cannot add up as if all had been decided beforehand:
    two lists that keep a delta, between which a result decides, may break it (``tests/unit/test_repeated.py`` has a
    pair that does). So epsilons and deltas add up (*basic composition*), or Renyi divergences do, *of one order* that
    is fixed before anything is spent (Feldman and Zrnic 2021: while their sum is kept below a bound, that bound holds).
    Each of three sums may break its promise with a third of ``delta``: that of all epsilons; that of divergences; and
    beside it that of the epsilons of which no divergence is known. What was computed on a sample of its own
    (``Budget.rate``) is amplified by itself, the first with a half of that third, the next with a quarter, ...

    :param delta: None: the sum of the deltas that go with the costs; then epsilons add up.
    :param limit: the largest epsilon that may be spent, for which the order is chosen; both it and ``delta`` must not
        hang on results.
    :returns: inf where no finite epsilon follows.

    >>> one = Cost(Guarantee(0.1, unit="label", basis="proved"))
    >>> round(epsilon_of_all([one] * 100), 6), round(epsilon_of_all([one] * 100, 1e-6, limit=6.0), 2)
    (10.0, 5.34)
    """
    stated = [cost.guarantee for cost in costs]
    sums, deltas = (math.fsum(getattr(held, name) for held in stated) for name in ("epsilon", "delta"))
    if delta is None or math.isinf(sums):
        return sums if deltas < 1 else math.inf
    third = part_of(delta)
    basic = sums if deltas <= third else math.inf
    return min(basic, by_one_order(costs, third, limit))


def part_of(delta: float) -> float:
    """The part of a delta that each of the sums may break: at this one a cost is to be stated."""
    return delta / 3


def by_one_order(costs: Sequence[Cost], delta: float, limit: float) -> float:
    """By a sum of Renyi divergences of one order, and of epsilons where none is known; each with ``delta``."""
    sampled = [cost.budget for cost in costs if cost.budget is not None and cost.budget.rate < 1]
    shares = [delta / 2 ** place for place in range(1, len(sampled) + 1)]
    rest = [cost.guarantee for cost in costs if cost.budget is None and cost.guarantee.delta]
    if math.fsum([*shares, *(held.delta for held in rest)]) > delta:
        return math.inf
    steps = [step for cost in costs for step in cost.steps]
    with suppress(ValueError):  # an accountant has no finite bound
        return math.fsum([*(held.epsilon for held in rest),
                          *(budget.epsilon(share).pessimistic for budget, share in zip(sampled, shares, strict=True)),
                          rdp_epsilon(steps, delta, orders=[best_order(limit, delta)]) if steps else 0.0])
    return math.inf


@cache
def best_order(limit: float, delta: float) -> float:
    """The order of which the most zCDP fits below the limit; of no limit as of 1."""
    return order_of(zcdp_rho(limit if limit < math.inf else 1.0, delta), delta)


def packed(budget: Budget) -> dict:
    """A budget as numbers and text, for a file."""
    return {"rate": budget.rate, "steps": [{"pair": type(step.pair).__name__, "count": step.count,
                                            "fields": asdict(step.pair)} for step in budget.steps]}


def unpacked(found: dict, path) -> Budget:
    """What ``packed`` packed. Only the pairs of this library are made."""
    try:
        return Budget(tuple(Step(PAIRS[step["pair"]](**step["fields"]), step["count"]) for step in found["steps"]),
                      found["rate"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"budget in {path} must hold the steps of a budget, got {found!r}") from error
