"""Accuracy over epsilon: from which budget on a method is worth more than what needs no budget, and what follows.

A method *breaks even* at the smallest of the epsilons that were tried from which on, at each of them, it beats every
rival: what learns nothing, its null controls, and what reads nothing that is protected. All of these comparisons, over
all budgets, hold together with the error that ``methods.conclusions`` states (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..nn import interval
from ..privacy import Guarantee
from .conclusions import AGAINST, BASELINES, CONTROLS, ERROR, FEWEST, compared, gap, method_arm, size_of

OPEN = ("linear probe of x",)  # references that read nothing of what the methods beside them protect
UNHELD = (" It does not hold on this graph: something was computed of raw features before any noise, and epsilon is "
          "what the rest costs.")
CHOOSING = ("Whoever chooses an epsilon or a method by these numbers releases that choice too: they are counted on "
            "true test labels, which no epsilon accounts for. They are for the owner of the data.")


@dataclass(frozen=True)
class Point:
    """One budget: the guarantee that was kept, and the accuracies in percent by arm, one a seed."""

    guarantee: Guarantee
    scores: Mapping[str, Sequence[float]]

    @property
    def own(self) -> Sequence[float]:
        """Of the method itself."""
        return self.scores[method_arm(self.scores)]

    def rivals(self) -> dict[str, Sequence[float]]:
        """What the method must beat to be worth a budget, by the arm's name."""
        return {name: self.scores[name] for name, role in compared(self.scores).items()
                if role in (*BASELINES, *CONTROLS, *OPEN)}


def break_even(points: Sequence[Point], answers: int | None = None) -> float | None:
    """The smallest epsilon from which on the method beats all rivals; None: there is none.

    :param points: by rising epsilon.
    :param answers: how many answers an accuracy counts, as for ``verdict``.

    >>> held = [Guarantee(epsilon, basis="proved") for epsilon in (1.0, 2.0)]
    >>> beside = {"rewired edges": [50.0, 51.0, 52.0]}
    >>> points = [Point(held[0], {"real graph": [50.5, 50.9, 51.6]} | beside),
    ...           Point(held[1], {"real graph": [70.0, 71.2, 72.1]} | beside)]
    >>> break_even(points)
    2.0
    """
    found, of = None, sum(len(point.rivals()) for point in points)
    for point in reversed(points):
        gaps = [gap(point.own, other, of, answers) for other in point.rivals().values()]
        if len(point.own) < FEWEST or not gaps or any(each.kind != "more" for each in gaps):
            break
        found = point.guarantee.epsilon
    return found


def paragraph(curves: Mapping[str, Sequence[Point]], turned: Mapping[str, str], graph: str,
              answers: int | None = None) -> str:
    """What the picture shows, in sentences.

    :param curves: points of each method by its name, by rising epsilon.
    :param turned: what of each was turned.
    :param graph: its name.
    :param answers: how many answers an accuracy counts.
    """
    first, *_ = next(iter(curves.values()))
    told = [f"Accuracy on {graph} over epsilon, {len(first.own)} seeds. {whose(first.guarantee)}"]
    for name, points in curves.items():
        ends = ", ".join(dict.fromkeys(map(at, (points[0], points[-1]))))
        told.append(f"{name}: {ends}; {worth(points, answers)} Turned: {turned[name]}.")
    comparisons = sum(len(point.rivals()) for points in curves.values() for point in points)
    told.append(f"Comparisons are of paired seeds and hold together for each method, over all of its budgets, with an "
                f"error of {100 * ERROR:g}% ({comparisons} in all)." if len(first.own) >= FEWEST else
                "Too few runs to compare: no interval; run at least three seeds.")
    return "\n".join([*told, CHOOSING])


def whose(guarantee: Guarantee) -> str:
    """Of which unit epsilon is, what it holds against, and whether it holds."""
    delta = f", delta = {guarantee.delta:g}" if guarantee.delta else ""
    told = f"Epsilon is that of {guarantee.unit} ({guarantee.relation}{delta}), {AGAINST[guarantee.trust]}."
    return told + UNHELD if guarantee.basis == "none" else told


def at(point: Point) -> str:
    """One end of a curve."""
    return (f"{interval(point.own).said()} at epsilon = {point.guarantee.epsilon:.4g}, which is "
            f"{size_of(point.guarantee)}")


def worth(points: Sequence[Point], answers: int | None) -> str:
    """Where the method breaks even."""
    last = points[-1]
    rivals, most = ", ".join(last.rivals()), last.guarantee.epsilon
    if not rivals:
        return "there is nothing beside it that it must beat."
    found = break_even(points, answers)
    if found is None:
        return f"it is not shown to beat all of {rivals} at any epsilon up to {most:.4g}."
    return f"it beats all of {rivals} from epsilon = {found:.4g} on."


def check_one_unit(held: Mapping[str, Guarantee]) -> None:
    """Refuse to put epsilons of different units, relations or trust on one axis.

    :param held: a guarantee of each method, by its name.
    :raises ValueError: where they differ.
    """
    kinds = {(each.unit, each.relation, each.trust) for each in held.values()}
    if len(kinds) > 1:
        told = "; ".join(f"{name}: {each.unit} ({each.relation}, {each.trust})" for name, each in held.items())
        raise ValueError("methods must protect the same unit, under the same relation and trust, to be compared at "
                         f"equal epsilon, got {told}: one epsilon of these says nothing of another")

