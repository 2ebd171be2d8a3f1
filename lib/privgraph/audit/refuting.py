"""The checks of ``check_mechanism`` that could refute a guarantee: by the exact table of chances,
and by what is drawn."""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy import stats
from torch import Tensor

from ..mechanisms import AuditCase, Mechanism
from ..privacy import Guarantee
from ..randomness import draw_seeds, seeded
from . import exact
from .relations import CHANGES

LEVEL = 1e-6  # the chance with which a check of a right mechanism fails
CLOSE = 1e-7  # what quadrature and rounding may add to an epsilon
MANY = 10  # times as many draws where there is no table


class CheckFailed(AssertionError):
    """A mechanism does not keep what it promises; the message begins with the name of the check."""


class Skipped(Exception):
    """A check that does not apply, and why."""


@dataclass(frozen=True)
class Subject:
    """A mechanism, what it is tried on, and how often its reports are drawn."""

    mechanism: Mechanism
    case: AuditCase
    runs: int

    def ask(self, value: Hashable, seed: int = 0):
        """What the mechanism makes of one input."""
        return self.mechanism(self.case.encode(value), generator=seeded(seed))

    @property
    def busiest(self) -> Hashable:
        """The last input: that of most edges, or of the largest values."""
        return self.case.inputs[-1]

    @cached_property
    def table(self) -> "Table":
        """The stated chances.

        :raises Skipped: where there are none.
        """
        if self.case.distribution is None:
            raise Skipped("it has no table of chances")
        return Table(lru_cache(None)(self.case.distribution))

    def reports(self, value: Hashable, count: int) -> Iterator:
        """``count`` reports on one input, one after the other from one generator."""
        generator, x, tell = seeded(1), self.case.encode(value), getattr(self.mechanism, "report", self.mechanism)
        return (tell(x, generator=generator) for _ in range(count))

    def apart(self, value: Hashable, count: int) -> Iterator:
        """``count`` reports on one input, each from a generator of its own."""
        x, tell = self.case.encode(value), getattr(self.mechanism, "report", self.mechanism)
        return (tell(x, generator=seeded(seed)) for seed in draw_seeds(seeded(6), count))

    def draws(self, value: Hashable, count: int) -> list[Hashable]:
        """The outcomes of ``reports``."""
        return [self.case.outcome(report) for report in self.reports(value, count)]

    def outcomes(self, replies: Tensor) -> list[Hashable]:
        """The outcome of each row of a report; that of equal rows is asked for once."""
        known = self.known.setdefault((replies.dtype, replies.shape[1:]), {})
        keys = [row.tobytes() for row in replies.detach().numpy()]
        for i, key in enumerate(keys):
            if key not in known:
                known[key] = self.case.outcome(replies[i:i + 1])
        return [known[key] for key in keys]

    @cached_property
    def known(self) -> dict[tuple, dict[bytes, Hashable]]:
        """Outcomes that were asked for."""
        return {}

    @property
    def finite(self) -> list[Guarantee]:
        """What is stated with a finite epsilon.

        :raises Skipped: where nothing is.
        """
        stated = [g for g in self.mechanism.guarantees if g.epsilon < math.inf]
        if not stated:
            raise Skipped("it states no finite epsilon")
        return stated


@dataclass(frozen=True)
class Table:
    """Chances, as the exact audit reads them."""

    distribution: Callable[[Hashable], dict]


def neighbours_of(case: AuditCase, guarantee: Guarantee) -> Callable[[Hashable], Iterable[Hashable]]:
    """The relation of a guarantee on the inputs of a trial."""
    kind = (guarantee.unit, guarantee.relation)
    of_graphs = isinstance(case.inputs[0], tuple) and all(isinstance(part, frozenset) for part in case.inputs[0])
    if kind in case.neighbours:
        return case.neighbours[kind]
    if of_graphs and kind not in CHANGES:
        raise CheckFailed(f"audit_case() must say in neighbours what a change of one {kind[0]} ({kind[1]}) is")
    return CHANGES[kind] if of_graphs else lambda value: case.inputs


def finite_pairs(subject: Subject) -> Iterator[tuple[Guarantee, Hashable, Hashable]]:
    """Neighbours among the inputs for each finite guarantee, of many every so many."""
    for guarantee in subject.mechanism.guarantees:
        if guarantee.epsilon < float("inf"):
            pairs = [(x, other) for x in subject.case.inputs for other in neighbours_of(subject.case, guarantee)(x)
                     if other in subject.case.inputs and other != x]
            yield from ((guarantee, *pair) for pair in pairs[::max(1, len(pairs) // 50)])


def chances(subject: Subject) -> str:
    """The stated chances are no less than 0 and sum to 1."""
    for value in subject.case.inputs:
        try:
            exact.check_sums_to_one(subject.table.distribution(value))
        except ValueError as error:
            raise CheckFailed(f"{error}, for {value!r}") from error
    return f"sum to 1 for {len(subject.case.inputs)} inputs"


def worst_case(subject: Subject) -> str:
    """The exact loss between any two neighbours is at most the guarantee for that unit and relation."""
    found, tried = [], False
    for guarantee in subject.finite:
        relation, kind = neighbours_of(subject.case, guarantee), f"{guarantee.unit} ({guarantee.relation})"
        if not any(other != x for x in subject.case.inputs for other in relation(x)):
            found.append(f"{kind}: no two inputs are neighbours")
            continue
        tried = True
        if guarantee.delta:
            found.append(f"{kind}: {worst_delta(subject, guarantee, relation)}")
        else:
            worst = exact.worst_case(subject.table, subject.case.inputs, relation)
            if worst.epsilon > guarantee.epsilon + CLOSE * max(1, guarantee.epsilon):
                raise CheckFailed(refutation(guarantee, worst.epsilon, worst.outcome, worst.input, worst.neighbour, *(
                    f"{subject.table.distribution(x).get(worst.outcome, 0.0):.6g}"
                    for x in (worst.input, worst.neighbour))))
            found.append(f"{kind}: found {worst.epsilon:.4g} of {guarantee.epsilon:.4g}")
    if not tried:
        raise Skipped("no two of its inputs are neighbours")
    return "; ".join(found)


def worst_delta(subject: Subject, guarantee: Guarantee, relation) -> str:
    """The largest delta at the stated epsilon."""
    largest = 0.0
    for x, others in exact.related(subject.case.inputs, relation).items():
        for other in others:
            delta = exact.finite_pair(subject.table, x, other).delta(guarantee.epsilon)
            largest = max(largest, delta)
            if delta > guarantee.delta + CLOSE:
                raise CheckFailed(f"the guarantee for one {guarantee.unit} ({guarantee.relation}) is refuted: between "
                                  f"the neighbours {x!r} and {other!r} delta is {delta:.6g} at epsilon = "
                                  f"{guarantee.epsilon:.6g}, stated is {guarantee.delta:.6g}")
    return f"found delta {largest:.4g} of {guarantee.delta:.4g}"


def refutation(guarantee: Guarantee, found: float, event, x, other, chance: str, less: str) -> str:
    """What a refuted guarantee is told with: two neighbours, the outcome, both chances, both epsilons."""
    return (f"the guarantee for one {guarantee.unit} ({guarantee.relation}) is refuted: the outcome {event!r} has "
            f"the chance {chance} on {x!r} and {less} on its neighbour {other!r}; so epsilon is at least "
            f"{found:.6g}, stated is {guarantee.epsilon:.6g}"
            + (f" with delta = {guarantee.delta:.6g}" if guarantee.delta else ""))


def dominating_pair(subject: Subject) -> str:
    """What is said to dominate the mechanism spends no more than the guarantee, and no less than the table."""
    if not any(hasattr(subject.mechanism, "pair") for _ in subject.finite):
        raise Skipped("it names no dominating pair")
    pair, guarantee = subject.mechanism.pair, subject.mechanism.guarantee
    delta = pair.delta(guarantee.epsilon)
    if delta > guarantee.delta + 1e-9:
        raise CheckFailed(
            f"the pair has delta {delta:.6g} at epsilon = {guarantee.epsilon:.6g}, stated is {guarantee.delta:.6g}")
    if subject.case.distribution is None:
        return f"delta {delta:.3g} at epsilon {guarantee.epsilon:.4g}"
    levels, relation = np.linspace(0, guarantee.epsilon, 5), neighbours_of(subject.case, guarantee)
    if not any(other != x for x in subject.case.inputs for other in relation(x)):
        raise Skipped("no two of its inputs are neighbours")
    curve = exact.delta_curve(subject.table, subject.case.inputs, levels, relation)
    for level, found in zip(levels, curve, strict=True):
        if found > pair.delta(level) + 1e-9:
            raise CheckFailed(f"the pair must dominate: at epsilon = {level:.6g} its delta is {pair.delta(level):.6g}, "
                              f"and two inputs have {found:.6g}")
    return f"lies above the deltas of all inputs at {len(levels)} epsilons"


def drawn(subject: Subject) -> str:
    """What is drawn has the stated chances: on the first and the last input, each outcome by an exact binomial test;
    one report after the other from one generator, and each from one of its own."""
    apart = max(1, subject.runs // 4)
    for value in (subject.case.inputs[0], subject.busiest):
        agree(Counter(subject.draws(value, subject.runs)), subject.table.distribution(value), value, LEVEL / 4)
        told = Counter(map(subject.case.outcome, subject.apart(value, apart)))
        try:
            agree(told, subject.table.distribution(value), value, LEVEL / 4)
        except CheckFailed as failure:
            raise CheckFailed(f"with {apart} generators, {failure}") from failure
    return (f"{subject.runs} draws agree with the stated chances "
            f"(a chance near one half that is off by {noticed(subject.runs):.2f} is noticed)")


def agree(counts: Counter, table: dict, value: Hashable, level: float) -> None:
    """Whether outcomes came as often as the ``table`` of ``value`` says; errs with the chance ``level``."""
    runs = counts.total()
    if strange := set(counts) - {outcome for outcome, p in table.items() if p > 0}:
        raise CheckFailed(f"on {value!r} it drew {strange.pop()!r}, which has the stated chance 0")
    chances = unlikely(np.array([counts[outcome] for outcome in table]), runs, np.array(list(table.values())))
    for (outcome, p), chance in zip(table.items(), chances, strict=True):
        if chance < level / len(table):
            raise CheckFailed(f"on {value!r} the outcome {outcome!r} came {counts[outcome]} times of {runs}, which its "
                              f"stated chance {p:.6g} explains with probability {chance:.1e}")


def noticed(runs: int) -> float:
    """How far a chance near one half must be off to be noticed more often than not in so many draws."""
    return stats.norm.isf(LEVEL / 4) / math.sqrt(runs)


def unlikely(count: int | np.ndarray, runs: int, p: float | np.ndarray) -> np.ndarray:
    """How likely a count as far from ``runs * p``, or farther, is: an exact binomial test on both sides, of each."""
    return 2 * np.minimum(stats.binom.cdf(count, runs, p), stats.binom.sf(count - 1, runs, p))
