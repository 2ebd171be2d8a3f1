"""Chapter 6: LPGNN, its null controls and references, and sweeps over its budget and hops."""

import math
from collections.abc import Callable, Iterator

from torch import Tensor

from privgraph.datasets import split
from privgraph.methods import CONTROLS, LPGNN
from privgraph.methods.evaluation import run
from privgraph.nn import BACKBONES, REFERENCE, accuracy
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment, graph
from ..shared import private

SEEDS = {"cora": 10, "pubmed": 3, "facebook-pages": 3}
# Sweeps over epsilon_x and K_x; coarser where a run is long.
FINE = ((0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0), (0, 1, 2, 4, 8, 16))
COARSE = ((0.1, 1.0, 4.0, 16.0), (0, 1, 4, 16))
SWEEPS = {"cora": FINE, "pubmed": COARSE, "facebook-pages": FINE}


def posterior(dataset: str, sha256: str, method: LPGNN, features: str, seed: int) -> Tensor:
    """Class probabilities [N, C] of one run; what several experiments share (``sha256`` is for the cache)."""
    return run(method, graph(dataset)[0], seed, features).fitted.predict_proba()


def lpgnn_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Test accuracy of LPGNN, or of a null control, in one setting."""
    data, sha256 = graph(setting["dataset"])
    found = cache.once(posterior, dataset=setting["dataset"], sha256=sha256, method=method_of(setting), seed=seed,
                       features=setting["features"])
    return {"accuracy": accuracy(found, data.y, split(data, stream("split", seed)).test_mask)}


def method_of(setting: dict) -> LPGNN:
    """The method that a setting describes."""
    return LPGNN.as_published(**{name: setting[name] for name in ("backbone", "epsilon_x", "epsilon_y", "x_steps",
                                                                  "y_steps")})


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Every backbone without privacy, the paper's settings with their controls and references, two sweeps."""
    for dataset in ("cora", "cora-twin"):
        yield 10, [*(setting(dataset=dataset, backbone=backbone) for backbone in (*BACKBONES, REFERENCE)),
                   *(setting(**private(dataset), features=arm) for arm in CONTROLS)]
    for dataset, seeds in SEEDS.items():
        yield seeds, [setting(dataset=dataset, backbone=REFERENCE)]
        for backbone in ("gcn", "sage"):
            yield seeds, [setting(dataset=dataset, backbone=backbone),
                          setting(**private(dataset) | dict(epsilon_x=math.inf), backbone=backbone),
                          *(setting(**private(dataset), backbone=backbone, features=arm) for arm in CONTROLS)]
    for dataset, seeds in SEEDS.items():
        epsilons, steps = SWEEPS[dataset]
        changes = [*(dict(epsilon_x=value) for value in epsilons), *(dict(x_steps=value) for value in steps)]
        yield seeds, [setting(**private(dataset) | change, features=arm) for arm in CONTROLS for change in changes]


# Without what is said, nothing is private.
EXPERIMENT = Experiment(
    "lpgnn", 1, {"backbone": "gcn", "features": "real", "epsilon_x": math.inf, "epsilon_y": math.inf, "x_steps": 0,
                 "y_steps": 0},
    ("accuracy",), grid, lpgnn_run,
    title="LPGNN, its null controls and references, and sweeps over its budget and hops (chapter 6)")
