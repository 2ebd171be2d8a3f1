"""Chapter 11: federated DeepWalk, and what of its gain is the others'.

The dissertation's Table 4.1 (``local`` and ``aligned``), by groups of nodes, beside answers that hold nothing of the
others, and beside a longer training alone. ``full`` is DeepWalk on the whole graph, each client's rows of it.
"""

from collections.abc import Callable, Iterator

from privgraph.methods.federated.measures import restricted
from privgraph.methods.federated.split import parts

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .alone import deepwalk_rounds
from .measures import METRICS, measure
from .settings import SEEDS, SMALL, deepwalk, folds, held
from .whole import whole_deepwalk

ARMS = ("local", "aligned", "own", "mean", "noise", "permuted", "full", "rotated", "halved", "longer")
SHARED = ("local", "aligned", "mean")  # where public rows begin alike
ONE = ("local", "aligned", "mean", "halved", "noise", "own")  # one table with an N(0, 1) start


def deepwalk_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """The clients' vectors at the end. All arms with one seed share holders, folds and the clients' own coins."""
    data = held(cell["dataset"], seed)
    if cell["arm"] == "full":
        found = [restricted(whole_deepwalk(data, seed), part) for part in parts(data)]
    else:
        method = deepwalk(cell["arm"], cell["tables"], cell["start"], seed)
        *_, found = deepwalk_rounds(method, cell["dataset"], seed, cache)
    return measure(found, data, folds(cell["dataset"], seed), seed)


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Three seeds of the question on Cora, then of all else, then five."""
    def main(dataset: str) -> list[dict]:
        return [cell(dataset=dataset, arm=arm) for arm in ARMS]

    def readings(dataset: str) -> list[dict]:
        return [*(cell(dataset=dataset, arm=arm, tables="one") for arm in ONE),
                *(cell(dataset=dataset, arm=arm, start="shared") for arm in SHARED)]
    for cells in (main, readings):
        for dataset in SMALL:
            yield 3, cells(dataset)
    for dataset in SMALL:
        yield SEEDS["deepwalk"], [*main(dataset), *readings(dataset)]


EXPERIMENT = Experiment("ppfl-deepwalk", 1, {"arm": str, "tables": "two", "start": "own"}, METRICS, grid, deepwalk_run,
                        title="Federated DeepWalk by groups of nodes, and its controls (chapter 11)")
