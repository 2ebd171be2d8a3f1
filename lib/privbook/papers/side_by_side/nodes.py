"""Chapter 13: accuracy at equal true budgets of a node, for a curator who has no public data.

Methods that read edges hold for graphs in which nobody has more than D neighbours, which must be known beforehand. Here
they are given the largest degree of the graph itself, as if somebody had promised it: more than they may know.
"""

import math
from collections.abc import Callable, Iterator

from privgraph.datasets import split
from privgraph.graph import degrees
from privgraph.methods import DPSGD, Centroids, Method, NodeGAP, OneHopGCN
from privgraph.methods.evaluated import largest_class
from privgraph.nn import accuracy
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .terms import BUDGETS, GRAPHS, MAJORITY, SEEDS, fitted, people, perceptron

DELTA = 1e-5  # below one over the number of people of the largest graph
# name -> the method at a true budget of a node, where nobody has more than D neighbours
ARMS: dict[str, Callable[[float, int], Method]] = {
    "centroids": lambda epsilon, bound: Centroids(epsilon, DELTA),
    "dpsgd": lambda epsilon, bound: DPSGD(epsilon, DELTA),
    "one hop": lambda epsilon, bound: OneHopGCN(epsilon, DELTA, bound=bound),
    "nodegap": lambda epsilon, bound: NodeGAP(epsilon, DELTA, bound=bound),
}
PERCEPTRON = "perceptron"
REFERENCES = (PERCEPTRON, "centroids", MAJORITY)  # the first two without noise


def nodes_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Test accuracy in percent."""
    data, name = split(people(setting["dataset"]), stream("split", seed)), setting["method"]
    if name == MAJORITY:
        return {"accuracy": largest_class(data)}
    if name == PERCEPTRON:
        method: Method = perceptron()
    else:
        method = ARMS[name](setting["budget"] or math.inf, int(degrees(data.edge_index, data.num_nodes).max()))
    return {"accuracy": accuracy(fitted(method, data, seed), data.y, data.test_mask)}


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """The references, and the arms at each true epsilon."""
    for seeds in SEEDS:
        for dataset in GRAPHS:
            yield seeds, [setting(dataset=dataset, method=name) for name in REFERENCES]
            yield seeds, [setting(dataset=dataset, method=name, budget=budget) for name in ARMS for budget in BUDGETS]


EXPERIMENT = Experiment("side-nodes", 1, {"method": str, "budget": 0.0}, ("accuracy",), grid, nodes_run,
                        title="A node: methods at equal true budgets, without public data (chapter 13)")
