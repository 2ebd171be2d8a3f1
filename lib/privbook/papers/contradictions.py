"""Where a paper's numbers contradict each other: every disagreement recomputed from ``results/published``.

Each check reads what one place prints and what the same paper's other numbers give there. ``gap`` measures how far
the two lie apart, ``allowed`` how far the rounding of the printed digits can take them. A slip says nothing about a
method: it says which printed numbers are not to be compared with ours.
"""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import ModuleType

from privgraph.discover import modules

from .published import Printed, papers, published

FINE = 0.05  # half of the last digit of panels and of Tables 6 and 8 to 12
SMALL = 1e-9  # for sums of decimals that are no binary fractions


@dataclass(frozen=True)
class Contradiction:
    """Two numbers of one paper that cannot both be right.

    :param place: table, figure or section.
    :param printed: what stands there.
    :param own: what the paper's other
        numbers give, and which they are.
    :param gap: how far they lie apart, in the unit of the numbers.
    :param allowed: how far rounding can take them apart; of two means of runs, rounding and two of their printed
        standard errors.
    :param touches: what of ours depends on it.
    """

    paper: str
    place: str
    printed: str
    own: str
    gap: float
    allowed: float
    touches: str


def checks_of(module: ModuleType) -> list[Callable[[], Contradiction]]:
    """The functions of a file that say they return a contradiction, in the order in which they stand."""
    return [thing for thing in vars(module).values()
            if inspect.isfunction(thing) and inspect.get_annotations(thing).get("return") is Contradiction
            and thing.__module__ == module.__name__]


def checks() -> list[Callable[[], Contradiction]]:
    """All checks, paper by paper in the order of the index."""
    found = modules(__package__)
    return [check for paper in papers() for name, module in found.items()
            if name.startswith(f"{paper}.contradictions") for check in checks_of(module)]


def contradictions() -> list[Contradiction]:
    """All of them, paper by paper."""
    return [check() for check in checks()]


def rows(paper: str, *tables: str) -> list[Printed]:
    """The entries of some tables."""
    return [entry for entry in published(paper) if entry.table in tables]


def figures(paper: str) -> list[Printed]:
    """The entries of all figures."""
    return [entry for entry in published(paper) if entry.table.startswith("Figure")]


def keep(entries: Iterable[Printed], **wanted: str) -> list[Printed]:
    """Those with the wanted values, of a column or of a parameter (``lam`` stands for ``lambda``)."""
    wanted = {"lambda" if name == "lam" else name: value for name, value in wanted.items()}
    return [entry for entry in entries if all(field(entry, name) == value for name, value in wanted.items())]


def pick(entries: Iterable[Printed], **wanted: str) -> Printed:
    """The only one with the wanted values.

    :raises ValueError: if there are none or several.
    """
    found = keep(entries, **wanted)
    if len(found) != 1:
        raise ValueError(f"one printed entry was expected, got {len(found)}: {wanted}")
    return found[0]


def field(entry: Printed, name: str) -> str:
    return vars(entry)[name] if name in vars(entry) else entry.parameters.get(name, "")


def listed(values: Iterable[float], form: str = "g") -> str:
    return ", ".join(f"{value:{form}}" for value in values)
