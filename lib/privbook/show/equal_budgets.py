"""Accuracy over a true budget: the curves of chapter 13, with what costs nothing as lines across."""

import math
from collections.abc import Callable, Mapping

from matplotlib.axes import Axes

from privgraph.privacy import gdp_epsilon, gdp_mu

from ..papers.results import Results
from ..papers.side_by_side.break_even import BreakEven, only_real
from ..papers.side_by_side.terms import BUDGETS
from .intervals import points
from .style import COLOURS, MARKERS

LINES = ("--", ":", "-.")


def curves(axes: Axes, results: Results, dataset: str, unit: str, arms: Mapping[str, str],
           references: Mapping[str, str], claimed: Mapping[str, Callable[[float], float]] | None = None) -> None:
    """A panel for one graph.

    :param axes: of matplotlib.
    :param results: of the unit's experiment.
    :param unit: what the budget is of, one of ``break_even.UNITS``.
    :param arms: name in the ledger -> what a reader sees, at most five.
    :param references: the same, of what reads nothing private or hides nothing.
    :param claimed: arm -> from a true budget to the one that is claimed for it, where a hollow mark stands.
    """
    for (arm, label), colour, marker in zip(arms.items(), COLOURS, MARKERS, strict=False):
        found = [results.mean("accuracy", dataset=dataset, method=arm, budget=budget, **only_real(unit))
                 for budget in BUDGETS]
        points(axes, range(len(BUDGETS)), found, label, colour, marker=marker, linestyle="-", markersize=4)
        if said_to_be := (claimed or {}).get(arm):
            places = [math.log2(said_to_be(budget) / BUDGETS[0]) for budget in BUDGETS]
            axes.plot(places, [each.mean for each in found], marker, color=COLOURS[colour], markersize=5,
                      fillstyle="none", alpha=0.7)
    for (name, label), line in zip(references.items(), LINES, strict=False):
        found = results.mean("accuracy", dataset=dataset, method=name, budget=0.0, **only_real(unit))
        if found is not None:
            axes.axhline(found.mean, color="black", linewidth=1, linestyle=line, label=label)
    axes.set_xticks(range(len(BUDGETS)), [f"{budget:g}" for budget in BUDGETS])
    axes.set_title(dataset, fontsize=10)


def for_an_entry(epsilon: float, delta: float) -> float:
    """The budget that Gaussian noise is said to have where one entry of the adjacency matrix is the unit, and an
    undirected edge, which is two, costs ``epsilon``.

    :param delta: of both.

    >>> round(for_an_entry(5.99, 1e-5), 2)
    4.0
    """
    return gdp_epsilon(gdp_mu(epsilon, delta) / math.sqrt(2), delta)


def from_which(found: BreakEven | None) -> str:
    """A break-even as a cell of a table.

    >>> from_which(BreakEven(2.0, 1.0, 2.0, 8.0, 3)), from_which(None)
    ('2 (1 to 2)', 'not run')
    """
    if found is None:
        return "not run"
    words = [said(value) for value in (found.epsilon, found.low, found.high)]
    return words[0] if words[1] == words[2] == words[0] else f"{words[0]} ({words[1]} to {words[2]})"


def said(epsilon: float) -> str:
    return f"{epsilon:g}" if epsilon <= BUDGETS[-1] else "none"
