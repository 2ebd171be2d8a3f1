"""Chapter 11: federated GAT, with and without wrong labels, and what of its gain is the others'.

The dissertation's Table 4.2 (``local`` and ``aligned``). ``local`` trains as long as the others (beta is 0), and so
does ``full``, on the whole graph, each client's rows of it. ``fedavg`` averages all weights.
"""

from collections.abc import Callable, Iterator

from privgraph.methods.federated.measures import restricted
from privgraph.methods.federated.split import parts

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .measures import METRICS, each_round_of_folds, measure
from .settings import SEEDS, WRONG, folds, gat, held
from .whole import whole_gat

ARMS = ("local", "aligned", "noise", "full", "own", "mean", "permuted", "fedavg")


def gat_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """The clients' vectors at the end. All arms with one seed share holders, folds and the clients' own coins."""
    data, fold = held(cell["dataset"], seed), folds(cell["dataset"], seed)
    if cell["arm"] == "full":
        tables = whole_gat(data, fold, seed, cell["wrong"])
        found = [[restricted(z, part) for z in tables] for part in parts(data)]
    else:
        *_, found = each_round_of_folds(gat(cell["arm"], cell["dataset"], cell["wrong"], seed), data, seed, fold)
    return measure(found, data, fold, seed)


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Three seeds with and without wrong labels, then ten."""
    def arms(dataset: str, wrong: float) -> list[dict]:
        return [cell(dataset=dataset, arm=arm, wrong=wrong) for arm in ARMS]
    tables = (("cora", 0.0), ("cora", WRONG), ("citeseer", 0.0))
    for seeds in (3, SEEDS["gat"]):
        for place in tables:
            yield seeds, arms(*place)


EXPERIMENT = Experiment("ppfl-gat", 1, {"arm": str, "wrong": 0.0}, METRICS, grid, gat_run,
                        title="Federated GAT, its controls, and wrong labels (chapter 11)")
