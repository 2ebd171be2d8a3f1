r"""The exact privacy loss of a finite mechanism, by enumeration, with the inputs that attain it.

A mechanism is anything with ``.distribution(input) -> {outcome: probability}``. A relation is a function from
an input to its neighbours (``audit.relations`` has those of graphs); without one, every two of the given
inputs are neighbours.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import chain, product
from typing import Any

import numpy as np

from ..checks import check_function, check_number, check_sequence
from ..privacy import FinitePair

Relation = Callable[[Hashable], Iterable[Hashable]]


@dataclass(frozen=True)
class WorstCase:
    """The largest privacy loss found, and the witness: Pr[outcome | input] / Pr[outcome | neighbour] = e^epsilon.

    :param outcome: a key of ``distribution``.
    :param input: one of the inputs that were tried.
    :param neighbour: one of its neighbours.
    """

    epsilon: float
    outcome: Any
    input: Any
    neighbour: Any


@dataclass(frozen=True)
class Independent:
    """Mechanisms side by side: each works on its own slot of the input, with randomness of its own.

    Losses of independent slots add, so the audit enumerates one slot at a time instead of all outcomes
    together.

    :param mechanisms: one for each slot.
    :param split: how an input falls into slots; by default it is a
        tuple of them.
    """

    mechanisms: tuple
    split: Callable[[Any], Sequence] = tuple

    def __post_init__(self):
        check_function(self.split, "split", "input")
        for mechanism in check_sequence(self.mechanisms, "mechanisms", "mechanisms with distribution(input)"):
            if not callable(getattr(mechanism, "distribution", None)):
                raise TypeError(f"mechanisms must have a method distribution(input), got {mechanism!r}")

    def distribution(self, x) -> dict[tuple, float]:
        """All slots together: as many outcomes as the product of the slots' (small cases only).

        :param x: an input, which ``split`` takes apart.
        """
        tables = [slot.distribution(value).items() for slot, value in zip(self.mechanisms, self.split(x), strict=True)]
        return {tuple(o for o, _ in row): math.prod(p for _, p in row) for row in product(*tables)}


def worst_case(mechanism, inputs: Iterable[Hashable], neighbours: Relation | None = None) -> WorstCase:
    r"""The largest :math:`\ln \Pr[o \mid x] / \Pr[o \mid x']` over inputs x, neighbours x' (both ways), outcomes o.

    An outcome that one input can produce and its neighbour cannot gives infinity: no finite epsilon holds
    then.

    :param inputs: the inputs to try.
    :param neighbours: the relation; by default all the inputs are mutually
        neighbouring.

    >>> from privgraph.mechanisms import RandomisedResponse
    >>> round(worst_case(RandomisedResponse(1.0, 4), range(4)).epsilon, 9)
    1.0
    """
    pairs = related(inputs, neighbours)
    if isinstance(mechanism, Independent):
        return worst_of_slots(mechanism, pairs)
    table = Table(mechanism, pairs)
    return max((table.worst(x, others) for x, others in pairs.items()), key=lambda found: found.epsilon)


def delta_curve(mechanism, inputs: Iterable[Hashable], epsilons, neighbours: Relation | None = None) -> np.ndarray:
    r"""The exact delta at each epsilon: the largest :math:`\sum_o \max(0, \Pr[o|x] - e^\varepsilon \Pr[o|x'])`.

    :param epsilons: array-like [k].
    :param inputs: small enough for all outcomes to be enumerated.
    :param neighbours: from an input to its neighbours; None: every two are neighbours.
    :returns: float64 [k], the worst pair at each epsilon.
    """
    epsilons = [check_number(epsilon, "each of epsilons")
                for epsilon in check_sequence(epsilons, "epsilons", "numbers")]
    pairs, factors = related(inputs, neighbours), np.exp(epsilons)
    if isinstance(mechanism, Independent):
        worst = [pair_of_slots(mechanism, x, other) for x, others in pairs.items() for other in others]
        return np.array([max(pair.delta(epsilon) for pair in worst) for epsilon in epsilons])
    table = Table(mechanism, pairs)
    return np.max([table.deltas(x, others, factors) for x, others in pairs.items()], axis=0)


def related(inputs: Iterable[Hashable], neighbours: Relation | None) -> dict[Hashable, list]:
    """{input: its neighbours}, both ways."""
    if neighbours is not None:
        check_function(neighbours, "neighbours", "input")
    try:
        inputs = list(dict.fromkeys(inputs))
    except TypeError as error:
        raise TypeError("inputs must be a collection of values that can be hashed, such as numbers or tuples, got "
                        f"{inputs!r}") from error
    pairs = {x: {} for x in inputs}
    for x in inputs:
        for other in inputs if neighbours is None else neighbours(x):
            if other != x:
                pairs[x][other] = pairs.setdefault(other, {})[x] = None
    if not any(pairs.values()):
        raise ValueError(f"inputs must hold at least two values to compare, got {len(inputs)} without a neighbour")
    return {x: list(others) for x, others in pairs.items() if others}


class Table:
    """The distributions of a mechanism at all inputs, as rows of one matrix."""

    def __init__(self, mechanism, inputs: Iterable[Hashable]):
        if not hasattr(mechanism, "distribution"):
            raise TypeError(f"mechanism must have a method distribution(input), got {type(mechanism).__name__}")
        tables = {x: check_sums_to_one(mechanism.distribution(x)) for x in inputs}
        self.outcomes = list(dict.fromkeys(chain.from_iterable(tables.values())))
        column = {outcome: j for j, outcome in enumerate(self.outcomes)}
        self.row = {x: i for i, x in enumerate(tables)}
        self.p = np.zeros((len(tables), len(column)))
        for i, table in enumerate(tables.values()):
            self.p[i, [column[outcome] for outcome in table]] = list(table.values())
        with np.errstate(divide="ignore"):
            self.log_p = np.log(self.p)

    def worst(self, x: Hashable, others: list) -> WorstCase:
        """The largest loss of x against any of ``others``."""
        possible = np.flatnonzero(self.p[self.row[x]])  # so that the loss is never inf - inf
        loss = self.log_p[self.row[x], possible] - self.log_p[np.ix_([self.row[o] for o in others], possible)]
        i, j = np.unravel_index(loss.argmax(), loss.shape)
        return WorstCase(float(loss[i, j]), self.outcomes[possible[j]], x, others[i])

    def deltas(self, x: Hashable, others: list, factors: np.ndarray) -> np.ndarray:
        """For each e^epsilon, the largest delta of x against any of ``others``."""
        p, q = self.p[self.row[x]], self.p[[self.row[o] for o in others]]
        return np.array([np.maximum(p - factor * q, 0).sum(1).max() for factor in factors])


def worst_of_slots(mechanism: Independent, pairs: dict[Hashable, list]) -> WorstCase:
    """The worst case of independent slots: each is enumerated by itself, and the losses add."""
    @cache
    def slot(place: int, value, other) -> WorstCase:
        return Table(mechanism.mechanisms[place], dict.fromkeys((value, other))).worst(value, [other])

    def added(x, other) -> WorstCase:
        values = zip(mechanism.split(x), mechanism.split(other), strict=True)
        found = [slot(place, *both) for place, both in enumerate(values)]
        return WorstCase(math.fsum(f.epsilon for f in found), tuple(f.outcome for f in found), x, other)
    return max((added(x, other) for x, others in pairs.items() for other in others), key=lambda found: found.epsilon)


def pair_of_slots(mechanism: Independent, x, other) -> FinitePair:
    """The two distributions of all slots together, with outcomes of equal loss merged."""
    slots = zip(mechanism.mechanisms, mechanism.split(x), mechanism.split(other), strict=True)
    return reduce(FinitePair.times, (finite_pair(*slot) for slot in slots))


def finite_pair(mechanism, x: Hashable, other: Hashable) -> FinitePair:
    """The two distributions of a mechanism at two inputs, for the accountants.

    :param x: an input.
    :param other: another.
    """
    table = Table(mechanism, dict.fromkeys((x, other)))
    return FinitePair(tuple(table.p[0]), tuple(table.p[-1]))


def check_sums_to_one(table: dict) -> dict:
    total = math.fsum(table.values())
    if not math.isclose(total, 1, abs_tol=1e-9) or min(table.values()) < 0:
        raise ValueError(f"a distribution must be non-negative and sum to 1, got sum {total!r}, "
                         f"smallest {min(table.values())!r}")
    return table
