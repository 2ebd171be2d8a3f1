"""LPGNN with people's own features and with those of others, on drawn graphs that differ in all that could matter.

The first batch fitted the two constants of ``predicted_gain``. The second was drawn after they were fixed, until there
were as many graphs on which a gain is predicted as graphs on which none is. The others turn one number each.
"""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from privgraph.datasets import blocks, split
from privgraph.methods import LPGNN
from privgraph.methods.controls import permuted_features
from privgraph.nn import accuracy
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .predicted_gain import Case, gain

HELPS = 2.0  # points; a smaller gain is no reason to ask anybody for her features
FITTED, NEW = 180, 100  # graphs of the first batch; of the second, on either side
LOW = dict(nodes=500, degree=3.0, features=4, epsilon=0.5, labelled=0.01)  # numbers drawn with uniform logarithms
HIGH = dict(nodes=4000, degree=40.0, features=400, epsilon=8.0, labelled=0.5)
CLASSES, STEPS = (2, 3, 5), (0, 1, 2, 4)
SHARES = {"homophily": (0.02, 0.98), "contrast": (0.15, 1.0)}  # drawn uniformly
CONTROL = dict(nodes=2000, classes=4, degree=10.0, homophily=0.5, features=8, contrast=0.6, epsilon=3.0, labelled=0.05,
               steps=1)  # the graph that is called "blocks"
TURNED = {"features": (2, 8, 32, 128, 512), "epsilon": (0.5, 1.0, 2.0, 4.0, 8.0), "nodes": (250, 1000, 4000, 16000),
          "degree": (3.0, 6.0, 12.0, 25.0, 50.0), "homophily": (0.1, 0.25, 0.4, 0.6, 0.8),
          "labelled": (0.01, 0.02, 0.1, 0.3, 0.6), "steps": (0, 2, 4, 8, 16)}


def case_of(setting: dict) -> Case:
    """What the prediction may know of a drawn graph."""
    said = {name: setting[name] for name in Case.__dataclass_fields__ if name in setting}
    return Case(**said, distance=setting["contrast"] ** 2 / 2)  # half of the bits differ between two classes


def drawn(rng: np.random.Generator) -> dict:
    """Sizes of one graph."""
    logs = {name: math.exp(rng.uniform(math.log(LOW[name]), math.log(HIGH[name]))) for name in LOW}
    found = {name: type(LOW[name])(f"{value:.3g}") if isinstance(LOW[name], float) else round(value)
             for name, value in logs.items()}
    shares = {name: round(rng.uniform(*limits), 2) for name, limits in SHARES.items()}
    return found | shares | {"classes": int(rng.choice(CLASSES)), "steps": int(rng.choice(STEPS))}


@lru_cache(maxsize=1)
def batches() -> dict[str, list[dict]]:
    """name -> settings of a batch."""
    first, second = (np.random.Generator(np.random.PCG64(seed)) for seed in (1, 2))
    found = {"first": [drawn(first) for _ in range(FITTED)]}
    sides: dict[bool, list[dict]] = {True: [], False: []}
    while min(map(len, sides.values())) < NEW:
        new = drawn(second)
        sides[gain(case_of(new)) > HELPS].append(new)
    found["second"] = [graph for side in sides.values() for graph in side[:NEW]]
    return found | {"control": [CONTROL]} | {
        name: [CONTROL | {name: value} for value in values] for name, values in TURNED.items()}


def drawn_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Test accuracy in percent with own and with permuted features, of the same graph and split."""
    sizes = {name: setting[name] for name in ("nodes", "classes", "degree", "homophily", "features", "contrast")}
    data = blocks(stream("generated", seed), **sizes)
    data = split(data, stream("split", seed), train=setting["labelled"], val=setting["labelled"] / 2)
    method = LPGNN("sage", setting["epsilon"], math.inf, setting["steps"], 0)
    found = {}
    for name, given in (("real", data), ("permuted", permuted_features(data, stream("controls", seed)))):
        model = method.fit(given, seed=seed)
        found[name] = accuracy(model.predict_proba(model.asked(given)), data.y, data.test_mask)
    return found


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """The first batch, the second, and the control with one number turned."""
    for batch, graphs in batches().items():
        yield {"first": 2, "second": 5}.get(batch, 10), [setting(batch=batch, **graph) for graph in graphs]


EXPERIMENT = Experiment(
    "private-features", 1,
    {"batch": str, "nodes": int, "classes": int, "degree": float, "homophily": float, "features": int,
     "contrast": float, "epsilon": float, "labelled": float, "steps": int},
    ("real", "permuted"), grid, drawn_run, dataset="blocks",
    title="LPGNN with own and with others' features on drawn graphs (chapter 13)")
