"""Where ours is found for a printed number, rows of a ledger or a computation, or why there is none.

A paper has a file ``lookup.py`` with a function ``lookup(printed)``. It asks the paper's grids, and knows what the
paper calls things. What several papers print is answered here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from privgraph.datasets import PRINTED
from privgraph.discover import modules

from .published import Printed

COUNTS = {"nodes": "nodes", "edges": "edges", "links": "edges", "features": "features", "classes": "classes",
          "average_degree": "average_degree", "sparsity_of_features": "sparsity",
          "grouped_features": "grouped_features", "sparsity_of_grouped_features": "grouped_sparsity"}
DERIVED = "follows from other printed columns"
# Why there is no number of ours, in four words: it waits for runs; what is printed is a function of other printed
# numbers; no experiment can be run on what we have; there is no experiment that would answer it.
WHY = RUNNABLE, FOLLOWS, ABSENT, NO_EXPERIMENT = (
    "can be run", "follows from others", "input not at hand", "no experiment")


@dataclass(frozen=True)
class Measured:
    """Runs that answer a printed entry.

    :param settings: each with its graph and every parameter. Where there are several, the printed number is an average
        over them, and ours is one too (``verdicts.stratified``).
    :param runs: how many runs the printed mean is over; None where nothing is random.
    :param spread: their deviation over runs, where the setting itself has another or none.
    :param minus: the setting that a printed difference is against; ours is paired by seed, where seeds are shared.
    """

    experiment: str
    settings: tuple[Mapping, ...]
    metric: str
    runs: int | None
    spread: float | None = None
    minus: Mapping | None = None

    @property
    def averaged(self) -> bool:
        """Whether the printed number is an average over several settings."""
        return len(self.settings) > 1


@dataclass(frozen=True)
class Computed:
    """What follows from the printed settings without a run. Papers round such numbers, or cut them."""

    value: float


@dataclass(frozen=True)
class NotRun:
    """Why there is no number of ours, for a reader; and which of ``WHY`` that is."""

    reason: str
    why: str = NO_EXPERIMENT


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
        return NotRun("this graph has no card here yet", ABSENT)
    return Measured("graph-statistics", (dict(dataset=PRINTED[printed.dataset]),), COUNTS[printed.metric], None)
