"""Chapter 11: federated DeepWalk on noisy edges: what a guarantee for a private edge costs.

Each client draws a noisy graph of its own once, and walks on that: in ``local`` alone, in ``aligned`` together.
``private-end`` answers for pairs with a private end only, and leaves links between public nodes as they are. Beside
them stand the tables' runs without noise, above all ``local``, which sends nothing and needs no mechanism.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from ....mechanisms import DegreePreservingResponse, PrivateEndResponse, SymmetricResponse
from ...cache import Cache
from ...grid import Experiment
from .alone import deepwalk_rounds
from .measures import METRICS, measure
from .settings import SEEDS, SMALL, deepwalk, folds, held

RESPONSES = {"private-end": PrivateEndResponse, "all-pairs": SymmetricResponse.for_edge,
             "degrees": DegreePreservingResponse.for_edge}
BUDGETS = (8.0, 4.0, 1.0)
ARMS = ("aligned", "local")


def guarantees_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """As the tables. ``epsilon`` is for an edge with a private end, and all rounds."""
    data = held(cell["dataset"], seed)
    method = replace(deepwalk(cell["arm"]), edges=RESPONSES[cell["response"]](cell["epsilon"]))
    *_, vectors = deepwalk_rounds(method, cell["dataset"], seed, cache)
    return measure(vectors, data, folds(cell["dataset"], seed), seed)


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """The largest budgets list the fewest lies, and come first."""
    for seeds in (3, SEEDS["deepwalk"]):
        for dataset in SMALL:
            for response in RESPONSES:
                yield seeds, [cell(dataset=dataset, response=response, epsilon=epsilon, arm=arm)
                              for epsilon in BUDGETS for arm in ARMS]


EXPERIMENT = Experiment("ppfl-guarantees", 1, {"response": str, "epsilon": float, "arm": str}, METRICS, grid,
                        guarantees_run, title="Federated DeepWalk on noisy edges (chapter 11)")
