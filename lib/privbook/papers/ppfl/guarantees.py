"""Chapter 11: federated DeepWalk on noisy edges: what a guarantee for a private edge costs.

Each client draws a noisy graph of its own once, and walks on that: in ``local`` alone, in ``aligned`` together.
``private-end`` answers for pairs with a private end only, and leaves links between public nodes as they are. Beside
them stand the tables' runs without noise, above all ``local``, which sends nothing and needs no mechanism.

``uploads`` leaves edges as they are and adds noise to what is sent instead: ``UploadNoise``, for all that a client
holds alone. Who stays alone sends nothing, so it has ``aligned`` only.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from privgraph.mechanisms import DegreePreservingResponse, PrivateEndResponse, SymmetricResponse
from privgraph.methods.federated.federated_deepwalk import FederatedDeepWalk
from privgraph.methods.federated.upload_noise import UploadNoise

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .metrics import METRICS, deepwalk_rounds, measure
from .settings import SEEDS, SMALL, deepwalk, folds, held

RESPONSES = {"private-end": PrivateEndResponse, "all-pairs": SymmetricResponse.for_edge,
             "degrees": DegreePreservingResponse.for_edge}
BUDGETS = (8.0, 4.0, 1.0)
ARMS = ("aligned", "local")
UPLOADS = "uploads"
# What an upload is shortened to; without noise it is 150 long. It is all noise at any of these lengths, and short noise
# does least harm. Micro F1 (SVC) on Cora, one split: at epsilon 8 with 1, .1 and .01 35.1, 60.7 and 60.3; at 1 with .1
# and .01 43.4 and 60.4.
CLIP = 0.01


def guarantees_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """As the tables. ``epsilon`` is for an edge with a private end, or a client's private part, and all rounds."""
    data, method = held(setting["dataset"], seed), protected(setting["response"], setting["epsilon"], setting["arm"])
    *_, vectors = deepwalk_rounds(method, setting["dataset"], seed, cache)
    return measure(vectors, data, folds(setting["dataset"], seed), seed)


def protected(response: str, epsilon: float, arm: str) -> FederatedDeepWalk:
    if response == UPLOADS:
        return replace(deepwalk(arm), noise=UploadNoise(epsilon, clip=CLIP))
    return replace(deepwalk(arm), edges=RESPONSES[response](epsilon))


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Noise on uploads first, on Cora; then edges, where the largest budgets list the fewest lies and come first."""
    yield 3, [setting(dataset="cora", response=UPLOADS, epsilon=epsilon, arm="aligned") for epsilon in BUDGETS]
    for seeds in (3, SEEDS["deepwalk"]):
        for dataset in SMALL:
            for response in RESPONSES:
                yield seeds, [setting(dataset=dataset, response=response, epsilon=epsilon, arm=arm)
                              for epsilon in BUDGETS for arm in ARMS]


EXPERIMENT = Experiment("ppfl-guarantees", 1, {"response": str, "epsilon": float, "arm": str}, METRICS, grid,
                        guarantees_run, title="Federated DeepWalk with noise on edges or uploads (chapter 11)")
