"""Chapter 8: edges reported with a guarantee, at equal true budgets, beside controls that use no private edge."""

import math
from collections.abc import Callable, Iterator

import torch

from privgraph.attacks import evaluate_attack, sample_pairs
from privgraph.datasets import split
from privgraph.graph import contains
from privgraph.mechanisms import Blink, DegreePreservingResponse, ExponentialReplacement, SymmetricResponse
from privgraph.methods import CONTROLS, LPGNN, GraphPrivatizer, Release, rewired_edges
from privgraph.nn import REFERENCE, accuracy
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment, graph
from ..shared import private
from .tables import PAIRS, attacks

# name -> the mechanism that spends a budget on one undirected edge added or removed; of the last one, on one
# neighbour swapped in a list.
MECHANISMS = {
    "symmetric": SymmetricResponse.for_edge,
    "degree-preserving": DegreePreservingResponse.for_edge,
    "blink": Blink.for_edge,
    "blink-once": lambda epsilon: Blink.for_edge(epsilon, reports=1),
    "blink-soft": lambda epsilon: Blink.for_edge(epsilon, output="soft"),
    "exponential": ExponentialReplacement.for_edge,
}
BUDGETS = (1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 16.0)
NO_EDGES = "no edges"  # an MLP on the features alone
EDGE_CONTROLS = ("public edges", "rewired edges", "permuted features", NO_EDGES)
FEWER_HOPS = {"cora": ((16, 2), (4, 2), (2, 0)), "pubmed": ((16, 0), (2, 0))}


def private_edges_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Test accuracy, four attackers, and what the reported graph has in common with the true one."""
    data, _ = graph(setting["dataset"])
    data, method = split(data, stream("split", seed)), method_of(setting)
    seen = data
    if setting["mechanism"] == "rewired edges":
        seen = rewired_edges(data, stream("controls", seed))
    elif setting["mechanism"] == "permuted features":
        seen = CONTROLS["permuted"](data, stream("controls", seed))
    release = method.collect(seen, stream("collect", seed))
    fitted = method.learn(release, stream("learn", seed))
    sample = sample_pairs(data.edge_index, data.num_nodes, PAIRS, stream("pairs", seed))
    scored = {name: 100 * evaluate_attack(score, sample.linked).auc for name, score in attacks(fitted, release, sample)}
    return {"accuracy": accuracy(fitted.predict_proba(), data.y, data.test_mask), **scored,
            **overlap(release, data.edge_index, data.num_nodes)}


def method_of(setting: dict) -> LPGNN:
    """The method that a setting describes."""
    shared = {name: setting[name] for name in ("backbone", "epsilon_x", "epsilon_y", "x_steps", "y_steps")}
    if setting["mechanism"] in EDGE_CONTROLS:
        return LPGNN.as_published(**shared)
    return GraphPrivatizer.as_published(**shared, structure=MECHANISMS[setting["mechanism"]](setting["budget"]))


def overlap(release: Release, edge_index: torch.Tensor, n: int) -> dict[str, float]:
    """Edges heard in the reported graph (the sum of their weights), and in percent the true ones among them and those
    of the true ones that are heard."""
    told = release.edge_index
    weight = torch.ones(told.size(1)) if release.edge_weight is None else release.edge_weight
    true = contains(edge_index, told, n)
    found, total = float(weight[true].double().sum()), float(weight.double().sum())
    return {"reported": total, "precision": 100 * found / max(total, 1.0), "recall": 100 * found / edge_index.size(1)}


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Every mechanism and control at three numbers of hops: the paper's smear wrong edges over the whole graph."""
    for dataset, seeds in (("cora", 5), ("pubmed", 3)):
        base = private(dataset)
        yield seeds, [setting(**base | dict(x_steps=0, y_steps=0), mechanism=NO_EDGES)]
        for x_steps, y_steps in FEWER_HOPS[dataset]:
            here = base | dict(x_steps=x_steps, y_steps=y_steps)
            yield seeds, [setting(**here, mechanism="public edges", budget=math.inf),
                          *(setting(**here, mechanism=name) for name in ("rewired edges", "permuted features")),
                          *(setting(**here, mechanism=name, budget=budget)
                            for budget in BUDGETS for name in MECHANISMS if possible(dataset, name, budget))]


def possible(dataset: str, name: str, budget: float) -> bool:
    """Weights for all pairs on Cora only; on PubMed smaller budgets make more than 20 million pairs."""
    least = {"symmetric": 4.0, "degree-preserving": 1.0, "blink": 8.0, "blink-once": 4.0, "exponential": 1.0}
    return dataset == "cora" or budget >= least.get(name, math.inf)


EXPERIMENT = Experiment(
    "private-edges", 1,
    {"mechanism": str, "budget": 0.0, "backbone": "gcn", "epsilon_x": float, "epsilon_y": float, "x_steps": int,
     "y_steps": int},
    ("accuracy", "attack_auc", "linkteller_auc", "posterior_auc", "features_auc", "report_auc", "reported", "precision",
     "recall"), grid, private_edges_run, usual={NO_EDGES: dict(backbone=REFERENCE)},
    title="Sound mechanisms for edges at equal true budgets (chapter 8)")
