"""Chapter 7: RGNN beside LPGNN and GraphSAGE, on the paper's budgets and on equal true ones."""

import csv
import itertools
import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from privgraph.datasets import split
from privgraph.methods import random_categories, real_features
from privgraph.nn import accuracy
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from ..shared import GROUPS, categorical
from .search import BUDGETS, CLUSTERS, LABEL_BUDGETS, SAMPLED, WEIGHTS, method_of

SEEDS = 5
OWN = {"rgnn": SAMPLED, "lpgnn": 0}  # m where a setting says 0; LPGNN's own is the best for its budget
FEATURES = {"real": real_features, "original": real_features, "coins": random_categories}  # original: not grouped
PLAIN = dict(x_steps=0, y_steps=0, clusters=1, llp_weight=0.0, standardise=0)  # no reconstruction at all
PARTS = {"without f_X": dict(x_steps=0), "without f_Y": dict(y_steps=0), "without LLP": dict(llp_weight=0.0)}
TYPICAL = (10.0, 1.0)  # budgets of features and label whose hyperparameters serve for the others
MORE_BUDGETS = (1.0, 10.0, 30.0, 100.0, 300.0, math.inf)
STUDIED = ("citeseer", "dblp")  # the graphs of the paper's ablations and figures
STEPS = (0, 2, 4, 8, 16)
CHOSEN = Path(__file__).with_name("chosen.csv")  # written by tools/choose_rgnn.py from the search's ledger


@lru_cache(maxsize=1)
def chosen() -> dict[tuple, dict]:
    """(graph, method, budget, epsilon_y) -> the hyperparameters that did best on noisy labels."""
    kinds = dict(x_steps=int, y_steps=int, clusters=int, llp_weight=float, standardise=int)
    with open(CHOSEN, newline="", encoding="utf-8") as file:
        return {(row["dataset"], row["method"], float(row["budget"]), float(row["epsilon_y"])):
                {name: kind(row[name]) for name, kind in kinds.items()} for row in csv.DictReader(file)}


def rgnn_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Test accuracy in one setting. The method "a+b" has the features and the network of a,
    the labels and the loss of b."""
    data = split(categorical(setting["dataset"], setting["features"] != "original"), stream("split", seed))
    seen = FEATURES[setting["features"]](data, stream("controls", seed))
    names = setting["method"].split("+")
    first, last = (method_of(setting | dict(method=name, sampled=setting["sampled"] or OWN[name]))
                   for name in (names[0], names[-1]))
    inputs = first.collect(seen, stream("collect", seed))
    # The same noisy labels in both, as they are drawn first.
    labels = inputs if last == first else last.collect(seen, stream("collect", seed))
    generator = stream("learn", seed)
    fitted = first.prepare(inputs, generator).train(*last.objective(labels, labels.matrix()), generator)
    return {"accuracy": accuracy(fitted.predict_proba(), data.y, data.test_mask)}


def searched(dataset: str, budget: float, epsilon_y: float) -> bool:
    """Whether the search has chosen the hyperparameters of both methods there."""
    return all((dataset, method, budget, epsilon_y) in chosen() for method in ("rgnn", "lpgnn"))


def tuned(dataset: str, method: str, budget: float, epsilon_y: float, **other) -> dict:
    """A method at a true budget with the hyperparameters that the search chose, but for what is said otherwise."""
    best = chosen()[dataset, method, budget, epsilon_y]
    return EXPERIMENT.setting(**dict(dataset=dataset, method=method, budget=budget, epsilon_y=epsilon_y) | best | other)


def crossed(dataset: str, first: str, last: str, budget: float, epsilon_y: float) -> dict:
    """The features and the network of one method with the labels and the loss of another."""
    labels = tuned(dataset, last, budget, epsilon_y)
    kept = {name: labels[name] for name in ("y_steps", "clusters", "llp_weight")}
    return tuned(dataset, first, budget, epsilon_y, sampled=0, **kept) | dict(method=f"{first}+{last}")


def as_printed(dataset: str, method: str, epsilon_x: float, epsilon_y: float, whole: bool = False) -> dict:
    """A setting of Table II: all with m = 10, LPGNN with RGNN's hops. RGNN spends m eps_x on a feature vector.

    What LPGNN spends is not printed. That sampling amplifies it to the same eps_X, as the text reasons, fits m eps_x
    only.

    :param whole: the other reading: LPGNN spends eps_x on the whole vector.
    """
    budget = SAMPLED * epsilon_x
    ours = tuned(dataset, "rgnn", budget, epsilon_y)
    if method == "LPGNN":
        hops = {name: ours[name] for name in ("x_steps", "y_steps")}
        spent = epsilon_x if whole else budget
        return tuned(dataset, "lpgnn", budget, epsilon_y, **hops, standardise=0) | dict(budget=spent)
    return ours | PLAIN if method == "GraphSAGE" else ours


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """What is not private; Table II and the same at equal true budgets on every graph; ablations and Figures 2 to 4."""
    yield SEEDS, [*(setting(dataset=dataset, features="original") for dataset in GROUPS),
                  *(setting(dataset="citeseer", backbone=backbone) for backbone in ("sage", "gcn", "gat"))]
    for dataset, *where in itertools.product(GROUPS, BUDGETS, LABEL_BUDGETS):
        if searched(dataset, *where):
            yield SEEDS, table_2(dataset, *where)
            yield SEEDS, at_equal_budgets(dataset, *where)
    for dataset, *where in itertools.product(STUDIED, BUDGETS, LABEL_BUDGETS):
        if searched(dataset, *where):
            yield SEEDS, figures(dataset, *where)
    for dataset in ("citeseer", "cora", "student-rgnn"):
        if searched(dataset, *TYPICAL):
            yield SEEDS, worth(dataset)


def table_2(dataset: str, budget: float, epsilon_y: float) -> list[dict]:
    """What is printed there, and the other reading of LPGNN's budget."""
    settings = [as_printed(dataset, name, budget / SAMPLED, epsilon_y) for name in ("GraphSAGE", "LPGNN", "RGNN")]
    return [*settings, as_printed(dataset, "LPGNN", budget / SAMPLED, epsilon_y, whole=True)]


def at_equal_budgets(dataset: str, *where: float) -> Iterator[dict]:
    """Both methods with all the paper has, with features that say nothing, and each with a half of the other."""
    yield tuned(dataset, "rgnn", *where, sampled=categories(dataset))
    yield from (tuned(dataset, method, *where, sampled=OWN[method], features=features)
                for method, features in itertools.product(OWN, ("real", "coins")))
    if where[0] == BUDGETS[0]:
        yield from (tuned(dataset, "rgnn", *where, features=features, standardise=1) for features in ("real", "coins"))
        yield from (crossed(dataset, *pair, *where) for pair in (("rgnn", "lpgnn"), ("lpgnn", "rgnn")))


def worth(dataset: str) -> Iterator[dict]:
    """From which budget on, and at how many hops, features do better than coins; and what the scale of the inputs does.
    RGNN reports all features."""
    for method, all_of_them in (("rgnn", categories(dataset)), ("lpgnn", 0)):
        yield from (tuned(dataset, method, *TYPICAL, sampled=all_of_them, features=features, x_steps=hops,
                          standardise=scaled) | dict(budget=budget) for budget, hops, features, scaled
                    in itertools.product(MORE_BUDGETS, (0, 2, 16), ("real", "coins"), (0, 1)))


def figures(dataset: str, budget: float, epsilon_y: float) -> Iterator[dict]:
    """Section V-B2 to V-B5 on one graph: backbones, parts left out, alpha and C, hops."""
    best = tuned(dataset, "rgnn", budget, epsilon_y)
    if budget == BUDGETS[0]:
        yield from (best | dict(backbone=backbone) for backbone in ("gcn", "gat") if dataset == "citeseer")
        yield from (best | dict(y_steps=steps) for steps in STEPS)
    if epsilon_y == 3.0:
        yield from (best | dict(x_steps=steps) for steps in STEPS)
    if (budget, epsilon_y) == (BUDGETS[0], 0.5):
        yield from (best | part for part in PARTS.values())
        if dataset == "dblp":
            yield from (best | dict(llp_weight=weight, clusters=count)
                        for weight, count in itertools.product(WEIGHTS, CLUSTERS[2:]))


def categories(dataset: str) -> int:
    """How many categorical features a graph has after grouping; known without the graph."""
    return {"citeseer": 53, "cora": 58, "dblp": 33, "facebook-pages": 48, "german-rgnn": 46,
            "student-rgnn": 60}[dataset]


# Without what is said: GraphSAGE on true features and labels, and nothing reconstructed.
EXPERIMENT = Experiment(
    "rgnn", 1, {"method": "rgnn", "backbone": "sage", "features": "real", "budget": math.inf, "sampled": SAMPLED,
                "epsilon_y": math.inf, **PLAIN},
    ("accuracy",), grid, rgnn_run, title="RGNN beside LPGNN at equal true budgets (chapter 7)")
