"""A method at the budget that is asked for: what of it is turned until it states just that epsilon.

What a paper calls epsilon may be that of another unit, or claimed and not kept. Here the epsilon that ``guarantees``
states for one unit is what is asked for, so that methods can be compared at budgets that are truly equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass, replace

from ..checks import check_positive
from ..privacy import Guarantee
from .method import Method, Sizes

NEAR = 1e-3  # relative: as near the stated epsilon is to the one that was asked for
MOST, DAMPED = 40, 0.7  # steps; of what is missing in logarithms each but the first takes so much
BUDGETS = (("epsilon_x", "epsilon_y"), ("epsilon",), ("scale",))  # fields, those in one bracket in proportion
INVERSE = ("scale",)  # of these, more is more noise


@dataclass(frozen=True)
class Turned:
    """A method, the guarantee that was asked for, and what was turned to keep it, in words."""

    method: Method
    guarantee: Guarantee
    how: str


def stated(method: Method, sizes: Sizes, unit: str | None = None, delta: float | None = None) -> Guarantee:
    """The guarantee that is turned: the first with a finite epsilon above 0.

    :param sizes: of the graph, which are public.
    :param unit: only one that speaks of this unit.
    :param delta: as for ``Method.guarantees``.
    :raises ValueError: where there is none.
    """
    held = method.guarantees(sizes, delta)
    for each in held:
        if each.basis != "none" and 0 < each.epsilon < math.inf and unit in (None, each.unit):
            return each
    told = ", ".join(f"{each.epsilon:g} for {each.unit}" for each in held) or "no guarantee at all"
    whose = type(method).__name__
    what = f"unit must be one of which {whose} states" if unit else f"{whose} must state"
    raise ValueError(f"{what} an epsilon above 0 and below inf, which can be turned, got {unit or told}"
                     + (f"; it states {told}" if unit else ""))


def turn(method: Method, epsilon: float, sizes: Sizes, unit: str | None = None, delta: float | None = None) -> Turned:
    """The method with its budget changed so that ``stated`` says ``epsilon``, to one in a thousand.

    :param epsilon: that is asked for, above 0.
    :param sizes: of the graph.
    :param unit: as for ``stated``.
    :param delta: as for ``stated``.
    :raises ValueError: where nothing of the method moves that epsilon, or not so far.

    >>> from privgraph.methods import DPNE, LPGNN
    >>> found = turn(LPGNN(epsilon_x=1, epsilon_y=3), 2.0, Sizes(34, 2, 34))
    >>> found.method.epsilon_x, found.how
    (0.5, 'epsilon_x = 0.5, epsilon_y = 1.5, in the proportion 1 : 3')
    >>> turn(DPNE(), 1.0, Sizes(100)).how
    'epsilon = 0.00707107'
    """
    check_positive(epsilon, "epsilon")
    unit = stated(method, sizes, unit, delta).unit
    names, factor = knob(method, sizes, unit, delta), 1.0
    for step in range(MOST):
        found = times(method, names, factor)
        try:
            held = stated(found, sizes, unit, delta)
        except ValueError as error:
            raise ValueError(f"{type(method).__name__} cannot state epsilon = {epsilon:g} for {unit} by its "
                             f"{' and '.join(names)}: on the way there it states 0, or none") from error
        if abs(held.epsilon / epsilon - 1) <= NEAR:
            return Turned(found, held, said(found, names, method))
        factor *= (epsilon / held.epsilon) ** (DAMPED if step else 1)
    raise ValueError(f"{type(method).__name__} must reach epsilon = {epsilon:g} for {unit} by its "
                     f"{' and '.join(names)}, got {held.epsilon:g} at last")


def knob(method: Method, sizes: Sizes, unit: str, delta: float | None) -> tuple[str, ...]:
    """The fields that move the epsilon of this unit."""
    now = stated(method, sizes, unit, delta).epsilon
    for names in candidates(method):
        if stated(times(method, names, 0.5), sizes, unit, delta).epsilon != now:
            return names
    raise ValueError(f"{type(method).__name__} must have a budget that moves the epsilon of {unit}, got none: its "
                     "epsilons and scales leave it as it is")


def candidates(method: Method) -> Iterator[tuple[str, ...]]:
    """What may be turned: budgets of its own, and mechanisms in its fields."""
    yield from (names for names in BUDGETS if all(name in vars(method) for name in names))
    yield from ((name,) for name, value in vars(method).items() if is_dataclass(value) and "epsilon" in vars(value))


def times(method: Method, names: tuple[str, ...], factor: float) -> Method:
    """The method with so many times the budget, all of its parts in the same proportion."""
    changes = {}
    for name in names:
        value = getattr(method, name)
        if is_dataclass(value):
            changes[name] = replace(value, epsilon=value.epsilon * factor)
        else:
            changes[name] = value / factor if name in INVERSE else value * factor
    return replace(method, **changes)


def said(method: Method, names: tuple[str, ...], before: Method) -> str:
    """What was turned, and where it was several things, how the budget is split among them."""
    told = ", ".join(f"{name}.epsilon = {value.epsilon:.6g}" if is_dataclass(value) else f"{name} = {value:.6g}"
                     for name, value in ((name, getattr(method, name)) for name in names))
    if len(names) == 1:
        return told
    return f"{told}, in the proportion {' : '.join(f'{getattr(before, name):g}' for name in names)}"
