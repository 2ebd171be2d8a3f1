"""Chapter 11: fewer or more public nodes, those with most links first (the dissertation's Table 4.3)."""

from collections.abc import Callable, Iterator

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .alone import deepwalk_rounds
from .measures import METRICS, each_round_of_folds, measure
from .settings import SEEDS, SMALL, deepwalk, folds, gat, held

PERCENTS = (5.0, 10.0, 20.0, 30.0, 40.0)
ARMS = ("local", "aligned", "noise")


def public_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """As the tables, with the nodes of largest degree public; nobody holds who is left over."""
    split = dict(percent=cell["percent"], by="degree")
    data, fold = held(cell["dataset"], seed, **split), folds(cell["dataset"], seed)
    if cell["method"] == "gat":
        *_, vectors = each_round_of_folds(gat(cell["arm"], cell["dataset"]), data, seed, fold)
    else:
        *_, vectors = deepwalk_rounds(deepwalk(cell["arm"]), cell["dataset"], seed, cache, **split)
    return measure(vectors, data, fold, seed)


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """The table names no graph; both are wanted."""
    for seeds in (lambda method: 3, SEEDS.get):
        for method in SEEDS:
            for dataset in SMALL:
                yield seeds(method), [cell(dataset=dataset, method=method, percent=percent, arm=arm)
                                      for percent in PERCENTS for arm in ARMS]


EXPERIMENT = Experiment("ppfl-public", 1, {"method": str, "percent": float, "arm": str}, METRICS, grid, public_run,
                        title="More or fewer public nodes (chapter 11)")
