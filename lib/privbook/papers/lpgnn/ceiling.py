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
SETTINGS = {"published": LPGNN.as_published, "standardised": partial(LPGNN.as_published, standardize=True),
            "ours": LPGNN}
BUDGETS = (2.0, math.inf)  # of features and of a label, each
REFERENCES = {"majority class": 0.0, "plain gcn": math.inf}  # and what they are told: nothing, or everything


def ceiling_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Test accuracy of LPGNN, or of a reference on the same split."""
    data, _ = graph(setting["dataset"])
    if setting["setting"] == "majority class":
        return {"accuracy": majority(data, seed)}
    return {"accuracy": run_once(method_of(setting), data, seed)}


def method_of(setting: dict) -> LPGNN:
    """The method that a setting describes."""
    if setting["setting"] == "plain gcn":
        return plain()
    return SETTINGS[setting["setting"]](setting["backbone"], setting["epsilon"], setting["epsilon"], setting["x_steps"],
                                        setting["y_steps"])


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """The references; the paper's setting, the same on standardised inputs, and ours, with noise and without;
    ours without hops, which is our default where there is no noise."""
    for dataset in GRAPHS:
        yield SEEDS, [*(setting(dataset=dataset, setting=name, epsilon=epsilon)
                        for name, epsilon in REFERENCES.items()),
                      *(setting(dataset=dataset, setting=name, epsilon=epsilon, x_steps=16, y_steps=2)
                        for epsilon, name in itertools.product(BUDGETS, SETTINGS)),
                      setting(dataset=dataset, setting="ours", epsilon=math.inf)]
    # Chapter 6 compares there too, and has the plain GCN already.
    yield 3, [setting(dataset=dataset, setting="majority class", epsilon=0.0)
              for dataset in ("pubmed", "facebook-pages")]


EXPERIMENT = Experiment(
    "ceiling", 1, {"setting": str, "backbone": "gcn", "epsilon": float, "x_steps": 0, "y_steps": 0}, ("accuracy",),
    grid,
    ceiling_run, title="LPGNN with and without noise, in the paper's setting and in ours (chapter 6)")
