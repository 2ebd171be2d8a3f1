"""What several releases about the same people cost together, where each says what it costs alone."""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass

from .accounting import Budget, Step
from .bounded_range import BoundedRangePair
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


def epsilon_of_all(costs: Sequence[Cost], delta: float | None = None) -> float:
    r"""Epsilon of all costs together, each release chosen in view of those before it; of one unit and relation.

    The least of two upper bounds. *Basic composition*: epsilons add, where the deltas add up to at most ``delta``.
    *Accountants*: one privacy loss distribution of all uses; what was computed on one sample of its own
    (``Budget.rate``) is amplified by itself. Each of these parts gets the same share of ``delta``, after those of
    which only epsilon and delta are known took theirs; parts add up as in basic composition.

    :param delta: None: the sum of the deltas that go with the costs.
    :returns: inf where no finite epsilon follows.

    >>> one = Cost(Guarantee(0.1, unit="label", basis="proved"))
    >>> round(epsilon_of_all([one] * 100), 6), round(epsilon_of_all([one] * 100, 1e-6), 2)
    (10.0, 4.77)
    """
    stated = [cost.guarantee for cost in costs]
    own = math.fsum(held.delta for held in stated)
    at = own if delta is None else delta
    basic = math.fsum(held.epsilon for held in stated) if own <= at < 1 else math.inf
    if math.isinf(sum(held.epsilon for held in stated)):
        return math.inf
    sampled = [cost.budget for cost in costs if cost.budget is not None and cost.budget.rate < 1]
    known = tuple(step for cost in costs for step in cost.steps)
    rest = [held for held, cost in zip(stated, costs, strict=True) if cost.budget is None and held.delta]
    parts = [*sampled, *([Budget(known)] if known else [])]
    room = at - math.fsum(held.delta for held in rest)
    if parts:
        with suppress(ValueError):  # no room is left, or no accountant has a finite bound
            return min(basic, math.fsum([*(held.epsilon for held in rest), *(
                part.epsilon(room / len(parts)).pessimistic for part in parts)]))
    return basic


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
