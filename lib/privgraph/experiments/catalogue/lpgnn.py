"""Chapter 6: LPGNN, its null controls and references, and sweeps over its budget and hops."""

import math
from collections.abc import Iterable

from torch import Tensor

from ...datasets import split
from ...methods import CONTROLS, LPGNN
from ...nn import BACKBONES, REFERENCE, accuracy
from ...randomness import seeded
from ..cache import Cache
from ..grid import Experiment, distinct, graph
from ..repeats import scores
from .settings import HOPS, settings

SEEDS = {"cora": 10, "pubmed": 3, "facebook-pages": 3}
# Sweeps over epsilon_x and K_x; coarser where a run is long.
FINE = ((0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0), (0, 1, 2, 4, 8, 16))
COARSE = ((0.1, 1.0, 4.0, 16.0), (0, 1, 4, 16))
SWEEPS = {"cora": FINE, "pubmed": COARSE, "facebook-pages": FINE}


def posterior(dataset: str, sha256: str, method: LPGNN, features: str, seed: int) -> Tensor:
    """Class probabilities [N, C] of one run; what several experiments share (``sha256`` is for the cache)."""
    return scores(method, graph(dataset)[0], seed, features)[1]


def lpgnn_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Test accuracy of LPGNN, or of a null control, in one cell."""
    data, sha256 = graph(cell["dataset"])
    found = cache.once(posterior, dataset=cell["dataset"], sha256=sha256, method=method_of(cell), seed=seed,
                       features=cell["features"])
    return {"accuracy": accuracy(found, data.y, split(data, seeded(seed)).test_mask)}


def method_of(cell: dict) -> LPGNN:
    """The method that a cell describes."""
    return LPGNN.as_published(**{name: cell[name] for name in ("backbone", "epsilon_x", "epsilon_y", "x_steps", "y_steps")})


def lpgnn_cells() -> Iterable[dict]:
    """The paper's settings with their controls and references, every backbone without privacy, two sweeps."""
    for dataset, seeds in SEEDS.items():
        private, plain = settings(dataset, seeds)
        for backbone in ("gcn", "sage"):
            yield from (private | dict(backbone=backbone, features=arm) for arm in CONTROLS)
            yield plain | dict(backbone=backbone, features="real")
            yield private | dict(backbone=backbone, features="real", epsilon_x=math.inf)
        yield plain | dict(backbone=REFERENCE, features="real")
    for dataset in ("cora", "cora-twin"):
        private, plain = settings(dataset, seeds=10)
        yield from (plain | dict(backbone=backbone, features="real") for backbone in (*BACKBONES, REFERENCE))
        yield from (private | dict(backbone="gcn", features=arm) for arm in CONTROLS)
    for dataset, seeds in SEEDS.items():
        private, _ = settings(dataset, seeds)
        epsilons, steps = SWEEPS[dataset]
        for arm in CONTROLS:
            yield from (private | dict(backbone="gcn", features=arm, epsilon_x=value) for value in epsilons)
            yield from (private | dict(backbone="gcn", features=arm, x_steps=value) for value in steps)


EXPERIMENT = Experiment(
    "lpgnn", 1, {"backbone": str, "features": str, "epsilon_x": float, "epsilon_y": float, **HOPS}, ("accuracy",),
    distinct(lpgnn_cells()), lpgnn_run,
    title="LPGNN, its null controls and references, and sweeps over its budget and hops (chapter 6)")
