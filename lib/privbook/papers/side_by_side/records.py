"""Chapter 13: accuracy at equal true budgets of features and label, which people privatise; edges are public.

All of a budget on the label is an arm too: the reports of features then carry next to nothing, and averaged over
neighbours they are random numbers that tell who is near whom.
"""

import math
from collections.abc import Callable, Iterator

from privgraph.datasets import split
from privgraph.methods import LPGNN, RGNN, LabelPropagation, Method
from privgraph.methods.controls import ARMS as CONTROLS
from privgraph.methods.evaluated import largest_class
from privgraph.nn import accuracy
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from ..shared import GROUPS, in_groups
from .terms import BUDGETS, GRAPHS, MAJORITY, SEEDS, fitted, people

LABEL_ONLY = 1e-3  # the share of a budget that features get where all goes to the label: LPGNN always sends some
SAMPLED = 10  # features that RGNN sends, as published
# name -> the method at a true budget of features and label together
ARMS: dict[str, Callable[[float], Method]] = {
    "lpgnn": lambda epsilon: LPGNN("gcn", epsilon / 2, epsilon / 2),
    "lpgnn label only": lambda epsilon: LPGNN("gcn", LABEL_ONLY * epsilon, (1 - LABEL_ONLY) * epsilon),
    "rgnn": lambda epsilon: RGNN(epsilon_x=epsilon / 2 / SAMPLED, epsilon_y=epsilon / 2, sampled=SAMPLED),
    "label propagation": LabelPropagation,
}
REFERENCES = ("label propagation", MAJORITY)  # with labels as they are; who knows nothing


def records_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Test accuracy in percent, with one kind of features: real, of somebody else (permuted), or none."""
    data = split(people(setting["dataset"]), stream("split", seed))
    if setting["method"] == MAJORITY:
        return {"accuracy": largest_class(data)}
    if setting["method"] == "rgnn":
        data = in_groups(data, GROUPS[setting["dataset"]])
    data = CONTROLS[setting["features"]](data, stream("controls", seed))
    method = ARMS[setting["method"]](setting["budget"] or math.inf)
    return {"accuracy": accuracy(fitted(method, data, seed), data.y, data.test_mask)}


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """The references and the arms at each true epsilon; what reads features, with those of others too."""
    for seeds in SEEDS:
        for dataset in GRAPHS:
            yield seeds, [setting(dataset=dataset, method=name) for name in REFERENCES]
            yield seeds, [setting(dataset=dataset, method=name, budget=budget, features=features)
                          for name in ARMS if name != "rgnn" or dataset in GROUPS for budget in BUDGETS
                          for features in (("real", "permuted") if name in ("lpgnn", "rgnn") else ("real",))]


EXPERIMENT = Experiment("side-records", 1, {"method": str, "budget": 0.0, "features": "real"}, ("accuracy",), grid,
                        records_run, title="Features and label: methods at equal true budgets (chapter 13)")
