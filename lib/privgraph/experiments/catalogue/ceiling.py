"""Chapter 6: what is left of LPGNN's accuracy where there is no noise, in the paper's setting and in ours."""

import itertools
import math
from collections.abc import Iterable
from functools import partial

from ...methods import LPGNN
from ..cache import Cache
from ..grid import Experiment, graph
from ..repeats import majority, plain, run_once
from .settings import HOPS

SEEDS = 5
GRAPHS = ("cora-twin", "digits", "cora", "citeseer", "amazon-photo")
SETTINGS = {"published": LPGNN.as_published, "standardised": partial(LPGNN.as_published, standardise=True), "ours": LPGNN}
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
    hops = {name: cell[name] for name in HOPS}
    return SETTINGS[cell["setting"]](cell["backbone"], cell["epsilon"], cell["epsilon"], **hops)


def ceiling_cells() -> Iterable[dict]:
    """The paper's setting, the same on standardised inputs, and ours, with noise and without; ours without hops, which is
    our default where there is no noise; the references."""
    for dataset in GRAPHS:
        base = dict(dataset=dataset, seeds=SEEDS, backbone="gcn")
        yield from (base | dict(setting=name, epsilon=epsilon, x_steps=16, y_steps=2)
                    for epsilon, name in itertools.product(BUDGETS, SETTINGS))
        yield base | dict(setting="ours", epsilon=math.inf, x_steps=0, y_steps=0)
        yield from (base | dict(setting=name, epsilon=epsilon, x_steps=0, y_steps=0)
                    for name, epsilon in REFERENCES.items())
    for dataset in ("pubmed", "facebook-pages"):  # chapter 6 compares there too, and has the plain GCN already
        yield dict(dataset=dataset, seeds=3, backbone="gcn", setting="majority class", epsilon=0.0, x_steps=0, y_steps=0)


EXPERIMENT = Experiment(
    "ceiling", 1, {"setting": str, "backbone": str, "epsilon": float, **HOPS}, ("accuracy",), tuple(ceiling_cells()),
    ceiling_run, title="LPGNN with and without noise, in the paper's setting and in ours (chapter 6)")
