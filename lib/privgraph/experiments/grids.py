"""The experiments: a name, a revision, the cells of its grid, and a function from a cell to metrics."""

import functools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .. import datasets
from ..methods import CONTROLS, LPGNN
from ..nn import BACKBONES, REFERENCE
from .repeats import run_once


@dataclass(frozen=True)
class Experiment:
    """``run(cell, seed) -> {metric: value}`` over ``cells``; each cell also says how many seeds it wants.

    ``revision`` is raised when a change of the code changes what is measured.
    """

    name: str
    revision: int
    parameters: tuple[str, ...]
    cells: tuple[dict, ...]
    run: Callable[[dict, int], dict[str, float]]


@functools.lru_cache(maxsize=1)
def graph(name: str):
    """The graph and its hash; the last one is kept, as runs come sorted by graph.

    :raises ValueError: when the file at hand is another graph than its card describes, so that no
        result is filed under the wrong name.
    """
    data = datasets.load(name)
    if data.name != name:
        raise ValueError(f"the graph at hand for {name!r} is another one ({data.name!r}); nothing was run")
    return data, datasets.fingerprint(data.edge_index, data.x, data.y)


# GraphPrivatizer, Appendix A: hops of KProp and of label propagation, tuned by LPGNN's authors.
STEPS = {"cora": (16, 2), "cora-twin": (16, 2), "pubmed": (16, 0), "facebook-pages": (4, 2), "amazon-photo": (4, 2)}
SEEDS = {"cora": 10, "pubmed": 3, "facebook-pages": 3}
NO_PRIVACY = dict(features="real", epsilon_x=math.inf, epsilon_y=math.inf, x_steps=0, y_steps=0)
# Sweeps over epsilon_x and K_x; coarser where a run is long.
FINE = ((0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0), (0, 1, 2, 4, 8, 16))
COARSE = ((0.1, 1.0, 4.0, 16.0), (0, 1, 4, 16))
SWEEPS = {"cora": FINE, "pubmed": COARSE, "facebook-pages": FINE}


def lpgnn_run(cell: dict, seed: int) -> dict[str, float]:
    """Test accuracy of LPGNN, or of a null control, in one cell."""
    data, _ = graph(cell["dataset"])
    method = LPGNN(**{name: cell[name] for name in ("backbone", "epsilon_x", "epsilon_y", "x_steps", "y_steps")})
    return {"accuracy": run_once(method, data, seed, cell["features"])}


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


def distinct(cells: Iterable[dict]) -> tuple[dict, ...]:
    return tuple({tuple(sorted(cell.items())): cell for cell in cells}.values())


EXPERIMENTS = {
    "lpgnn": Experiment("lpgnn", 1, ("backbone", "features", "epsilon_x", "epsilon_y", "x_steps", "y_steps"),
                        distinct(lpgnn_cells()), lpgnn_run),
}
