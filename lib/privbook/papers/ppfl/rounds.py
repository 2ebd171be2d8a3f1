"""Chapter 11: round by round, how well vectors of two clients can be aligned, and what they are good for.

The dissertation's Figures 4.3 to 4.6, which print no numbers. Beside them averaging without alignment: precision is
what the loop itself makes, as everybody gets much the same rows, whether they are good for anything or not.
"""

from collections.abc import Callable, Iterator

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .alone import deepwalk_rounds
from .measures import PRECISIONS, classes, each_round_of_folds, precisions
from .settings import SEEDS, WRONG, deepwalk, folds, gat, held

ROUNDS = 10
SHOWN = ("svc_all", *PRECISIONS)
METRICS = tuple(f"{name}_round_{number}" for number in range(ROUNDS + 1) for name in SHOWN)
ARMS = ("aligned", "mean")
FIGURES = (("deepwalk", "cora", 0.0), ("deepwalk", "citeseer", 0.0), ("gat", "cora", WRONG), ("gat", "citeseer", 0.0))


def rounds_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Micro F1 by the support vector machine, and alignment precision, in percent, before the first round and after
    each."""
    data, fold = held(cell["dataset"], seed), folds(cell["dataset"], seed)
    if cell["method"] == "gat":
        rounds = each_round_of_folds(gat(cell["arm"], cell["dataset"], cell["wrong"]), data, seed, fold)
    else:
        rounds = deepwalk_rounds(deepwalk(cell["arm"]), cell["dataset"], seed, cache)
    found = {}
    for number, vectors in enumerate(rounds):
        told = classes(vectors, data, fold, seed, ("svc",)) | precisions(vectors, data)
        found |= {f"{name}_round_{number}": told[name] for name in SHOWN}
    return found


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Three seeds of each figure, then all."""
    for seeds in (lambda method: 3, SEEDS.get):
        for method, dataset, wrong in FIGURES:
            yield seeds(method), [cell(dataset=dataset, method=method, wrong=wrong, arm=arm) for arm in ARMS]


EXPERIMENT = Experiment("ppfl-rounds", 1, {"method": str, "arm": str, "wrong": 0.0}, METRICS, grid, rounds_run,
                        title="Alignment precision and micro F1 round by round (chapter 11)")
