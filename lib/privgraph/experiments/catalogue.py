"""The experiments of this book, by name: what each runs, and on which cells."""

import math
from collections.abc import Iterable

from torch import Tensor

from ..datasets import split
from ..methods import CONTROLS, LPGNN
from ..nn import BACKBONES, REFERENCE, accuracy
from ..randomness import seeded
from .cache import Cache
from .grid import Experiment, distinct, graph
from .repeats import scores

# GraphPrivatizer, Appendix A: hops of KProp and of label propagation, tuned by LPGNN's authors.
STEPS = {"cora": (16, 2), "cora-twin": (16, 2), "pubmed": (16, 0), "facebook-pages": (4, 2), "amazon-photo": (4, 2)}
SEEDS = {"cora": 10, "pubmed": 3, "facebook-pages": 3}
NO_PRIVACY = dict(features="real", epsilon_x=math.inf, epsilon_y=math.inf, x_steps=0, y_steps=0)
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
    method = LPGNN(**{name: cell[name] for name in ("backbone", "epsilon_x", "epsilon_y", "x_steps", "y_steps")})
    found = cache.once(posterior, dataset=cell["dataset"], sha256=sha256, method=method, seed=seed,
                       features=cell.get("features", "real"))
    return {"accuracy": accuracy(found, data.y, split(data, seeded(seed)).test_mask)}


def lpgnn_cells() -> Iterable[dict]:
    """The paper's settings with their controls and references, every backbone without privacy, two sweeps."""
    for dataset, seeds in SEEDS.items():
        private, plain = settings(dataset, seeds)
        for backbone in ("gcn", "sage"):
            yield from (private | dict(backbone=backbone, features=arm) for arm in CONTROLS)
            yield plain | dict(backbone=backbone)
            yield private | dict(backbone=backbone, features="real", epsilon_x=math.inf)
        yield plain | dict(backbone=REFERENCE)
    for dataset in ("cora", "cora-twin"):
        private, plain = settings(dataset, seeds=10)
        yield from (plain | dict(backbone=backbone) for backbone in (*BACKBONES, REFERENCE))
        yield from (private | dict(backbone="gcn", features=arm) for arm in CONTROLS)
    for dataset, seeds in SEEDS.items():
        private, _ = settings(dataset, seeds)
        epsilons, steps = SWEEPS[dataset]
        for arm in CONTROLS:
            yield from (private | dict(backbone="gcn", features=arm, epsilon_x=value) for value in epsilons)
            yield from (private | dict(backbone="gcn", features=arm, x_steps=value) for value in steps)


def settings(dataset: str, seeds: int) -> tuple[dict, dict]:
    """(the paper's private setting, no privacy at all) for one graph."""
    x_steps, y_steps = STEPS[dataset]
    private = dict(epsilon_x=3.0, epsilon_y=3.0, x_steps=x_steps, y_steps=y_steps)
    return dict(dataset=dataset, seeds=seeds, **private), dict(dataset=dataset, seeds=seeds, **NO_PRIVACY)


def table06_cells() -> Iterable[dict]:
    """GraphPrivatizer's Table 6: so far its last column, LPGNN with every edge known to the server."""
    for dataset, seeds in {**SEEDS, "amazon-photo": 3}.items():
        private, _ = settings(dataset, seeds)
        yield from (private | dict(method="lpgnn", backbone=backbone, epsilon=math.inf) for backbone in BACKBONES)


def statistics_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """The numbers that papers print about a graph; nothing here is random."""
    data, _ = graph(cell["dataset"])
    return {"nodes": data.num_nodes, "edges": data.num_edges // 2, "features": data.num_features,
            "classes": data.num_classes, "average_degree": data.num_edges / data.num_nodes}


GRAPHS = ("cora", "citeseer", "pubmed", "facebook-pages", "amazon-photo", "amazon-computers", "dblp")
HOPS = {"x_steps": int, "y_steps": int}

EXPERIMENTS = {experiment.name: experiment for experiment in [
    Experiment("lpgnn", 1, {"backbone": str, "features": str, "epsilon_x": float, "epsilon_y": float, **HOPS},
               ("accuracy",), distinct(lpgnn_cells()), lpgnn_run,
               title="LPGNN, its null controls and references, and sweeps over its budget and hops (chapter 6)"),
    Experiment("graphprivatizer-table06", 1,
               {"method": str, "backbone": str, "epsilon": float, "epsilon_x": float, "epsilon_y": float, **HOPS},
               ("accuracy",), distinct(table06_cells()), lpgnn_run,
               title="GraphPrivatizer, Table 6: six backbones on private features and labels"),
    Experiment("graph-statistics", 1, {}, ("nodes", "edges", "features", "classes", "average_degree"),
               tuple(dict(dataset=name, seeds=1) for name in GRAPHS), statistics_run,
               title="What the papers print about their graphs"),
]}
