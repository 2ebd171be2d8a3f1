"""Where ours is found for a printed number, rows of a ledger or a computation, or why there is none.

A paper has a file ``lookup.py`` with a function ``lookup(printed)``. It asks the paper's grids, and knows what the
paper calls things. What several papers print is answered here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from privgraph.datasets import PRINTED
from privgraph.discover import modules

from .published import Printed

COUNTS = {"nodes": "nodes", "edges": "edges", "links": "edges", "features": "features", "classes": "classes",
          "average_degree": "average_degree", "sparsity_of_features": "sparsity",
          "grouped_features": "grouped_features", "sparsity_of_grouped_features": "grouped_sparsity"}
DERIVED = "follows from other printed columns"


@dataclass(frozen=True)
class Measured:
    """Runs that answer a printed entry.

    :param settings: each with its graph and every parameter. Where there are several, the printed number is an average
        over them, and ours is one too, for every seed that all of them were run with.
    :param runs: how many runs the printed mean is over; None where nothing is random.
    :param spread: their deviation over runs, where the setting itself has another or none.
    :param minus: the setting that a printed difference is against; ours is paired by seed.
    :param seconds: what one run of one setting takes on one core, where that is known.
    """

    experiment: str
    settings: tuple[Mapping, ...]
    metric: str
    runs: int | None
    spread: float | None = None
    minus: Mapping | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Computed:
    """What follows from the printed settings without a run. Papers round such numbers, or cut them."""

    value: float


@dataclass(frozen=True)
class NotRun:
    """Why there is no number of ours.

    :param work: what would have to be run: one key a setting, with the seconds it would take on one core
        (None where nothing like it was measured).
    """

    reason: str
    work: Mapping[tuple, float | None] = field(default_factory=dict)


Answer = Measured | Computed | NotRun


def lookup(printed: Printed) -> Answer:
    """What is said to a printed number."""
    return answers()[printed.paper](printed)


@lru_cache(maxsize=1)
def answers() -> dict[str, Callable[[Printed], Answer]]:
    """paper -> its function ``lookup``."""
    return {name.partition(".")[0]: module.lookup for name, module in modules(__package__).items()
            if name.endswith(".lookup") and hasattr(module, "lookup")}


def count(printed: Printed) -> Measured | NotRun:
    """A number printed about a graph: that of the graph which is at hand under a card."""
    if printed.dataset not in PRINTED:
        return NotRun("this graph has no card here yet")
    return Measured("graph-statistics", (dict(dataset=PRINTED[printed.dataset]),), COUNTS[printed.metric], None)
