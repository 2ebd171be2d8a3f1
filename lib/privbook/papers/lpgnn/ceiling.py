"""Chapter 6: what is left of LPGNN's accuracy where there is no noise, in the paper's setting and in ours."""

import itertools
import math
from collections.abc import Callable, Iterator
from functools import partial

from privgraph.methods import LPGNN
from privgraph.methods.evaluation import majority, plain, run_once

from ...runs.cache import Cache
from ...runs.grid import Experiment, graph

SEEDS = 5
GRAPHS = ("cora-twin", "digits", "cora", "citeseer", "amazon-photo")
SETTINGS = {"published": LPGNN.as_published, "standardised": partial(LPGNN.as_published, standardise=True),
            "ours": LPGNN}
BUDGETS = (2.0, math.inf)  # of features and of a label, each
REFERENCES = {"majority class": 0.0, "plain gcn": math.inf}  # and what they are told: nothing, or everything


def ceiling_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Test accuracy of LPGNN, or of a reference on the same split."""
    data, _ = graph(cell["dataset"])
    if cell["setting"] == "majority class":
        return {"accuracy": majority(data, seed)}
    return {"accuracy": run_once(method_of(cell), data, seed)}


def method_of(cell: dict) -> LPGNN:
    """The method that a cell describes."""
    if cell["setting"] == "plain gcn":
        return plain()
    return SETTINGS[cell["setting"]](cell["backbone"], cell["epsilon"], cell["epsilon"], cell["x_steps"],
                                     cell["y_steps"])


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """The references; the paper's setting, the same on standardised inputs, and ours, with noise and without;
    ours without hops, which is our default where there is no noise."""
    for dataset in GRAPHS:
        yield SEEDS, [*(cell(dataset=dataset, setting=name, epsilon=epsilon) for name, epsilon in REFERENCES.items()),
                      *(cell(dataset=dataset, setting=name, epsilon=epsilon, x_steps=16, y_steps=2)
                        for epsilon, name in itertools.product(BUDGETS, SETTINGS)),
                      cell(dataset=dataset, setting="ours", epsilon=math.inf)]
    # Chapter 6 compares there too, and has the plain GCN already.
    yield 3, [cell(dataset=dataset, setting="majority class", epsilon=0.0) for dataset in ("pubmed", "facebook-pages")]


EXPERIMENT = Experiment(
    "ceiling", 1, {"setting": str, "backbone": "gcn", "epsilon": float, "x_steps": 0, "y_steps": 0}, ("accuracy",),
    grid,
    ceiling_run, title="LPGNN with and without noise, in the paper's setting and in ours (chapter 6)")
