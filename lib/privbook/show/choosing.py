"""A figure that answers which method at which budget: what ``privgraph advise`` knows, to look through by hand."""

import html
from collections.abc import Iterator, Sequence

from IPython.display import HTML

from privgraph.cli.advise import CLEARLY, UNITS, Measured, measured

from ..papers.side_by_side.advice import TYPED
from ..papers.side_by_side.terms import BUDGETS
from .interactive import figure, table_of

FIRST = "edge", "cora", BUDGETS[2]  # what stands there before anybody has chosen
SECRET = {"edge": "an edge", "record": "features and label", "node": "a node"}
PLAIN = "neighbourvotes"  # which sums labels where nothing is said; of the others nothing does


def advice_figure() -> HTML:
    """Three choices and a slider: all methods at a true epsilon, the best first, beside what costs nothing; without
    scripts a table for each unit and graph."""
    units = {unit: {"name": SECRET[unit], "what": UNITS[unit][0], "public": UNITS[unit][1],
                    "graphs": {graph: of_graph(unit, graph) for graph in graphs_of(unit)}} for unit in UNITS}
    unit, graph, budget = FIRST
    others = "".join(still(*place) for place in all_places() if place != (unit, graph))
    said = (f'<p class="said" aria-live="polite">Protected is {units[unit]["what"]}. The tables have the accuracy in '
            'percent at each true ε; above them stands what costs nothing.</p>')
    return figure("advice", f'{said}{still(unit, graph)}<noscript>{others}</noscript>'
                  '<p class="command">On the command line: <code>privgraph advise --help</code></p>',
                  units=units, budgets=BUDGETS, first=[unit, graph, BUDGETS.index(budget)], clearly=CLEARLY)


def graphs_of(unit: str) -> list[str]:
    """Which were measured, in the order of the table."""
    return list(dict.fromkeys(row.graph for row in measured() if row.unit == unit))


def all_places() -> Iterator[tuple[str, str]]:
    return ((unit, graph) for unit in UNITS for graph in graphs_of(unit))


def rows_of(unit: str, graph: str) -> list[Measured]:
    return [row for row in measured() if (row.unit, row.graph) == (unit, graph)]


def of_graph(unit: str, graph: str) -> dict:
    """What the script knows of one graph: its sizes, what costs nothing, and each method's accuracies in the order of
    ``BUDGETS``, with whether it sums neighbours' labels.
    """
    rows = rows_of(unit, graph)
    free = best_free(rows)
    methods = dict.fromkeys(row.method for row in rows if row.epsilon)
    return {"sizes": sizes(rows[0]), "free": [free.method, free.accuracy],
            "methods": [{"name": arm_of(unit, typed), "typed": typed, "labels": sums_labels(typed),
                         "accuracies": accuracies(rows, typed)} for typed in methods]}


def sizes(row: Measured) -> str:
    return f"{row.nodes:,} nodes with {row.degree:.3g} neighbours each, {row.classes} classes"


def best_free(rows: Sequence[Measured]) -> Measured:
    return max((row for row in rows if not row.epsilon), key=lambda row: row.accuracy)


def accuracies(rows: Sequence[Measured], method: str) -> list[float]:
    found = {row.epsilon: row.accuracy for row in rows if row.method == method}
    return [found[budget] for budget in BUDGETS]


def arm_of(unit: str, typed: str) -> str:
    """As the ledger calls a method.

    >>> arm_of("edge", "neighbourvotes --no-labels")
    'votes no labels'
    """
    return next(name for name, words in TYPED[unit].items() if words == typed)


def sums_labels(method: str) -> bool:
    """Whether a method for edges sums neighbours' public labels.

    >>> [sums_labels(method) for method in ("neighbourvotes", "neighbourvotes --no-labels", "gap", "gap --labels")]
    [True, False, False, True]
    """
    words = method.split()
    return "--labels" in words or (words[0] == PLAIN and "--no-labels" not in words)


def still(unit: str, graph: str) -> str:
    """The accuracies of one graph."""
    rows = rows_of(unit, graph)
    found = of_graph(unit, graph)
    free = f"{found['free'][1]:.1f} % for nothing ({found['free'][0]})"
    head = ("method", *(f"ε = {budget:g}" for budget in BUDGETS))
    body = [[each["name"], *(f"{accuracy:.1f}" for accuracy in each["accuracies"])] for each in found["methods"]]
    about = html.escape(f"{UNITS[unit][0]} is secret; {graph}, {sizes(rows[0])}: {free}")
    return f'<p class="place">{about}</p><div class="scroll">{table_of(head, body)}</div>'
