"""Chapter 13: accuracy at equal true budgets of an undirected edge, where features, labels and split are public.

Every arm gets the same public inputs, and each that sums neighbours' rows is there with and without the labels of
training nodes in them. References read no private edge, or all of them without noise.
"""

import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import torch
from torch import Tensor
from torch_geometric.data import Data

from privgraph.datasets import split
from privgraph.graph import adjacency, with_edge_index
from privgraph.mechanisms import Blink, GraphMechanism, LapGraph, SymmetricResponse
from privgraph.methods import (
    GAP,
    LPGNN,
    LabelPropagation,
    Method,
    NeighbourVotes,
    ProGAP,
    constant_features,
)
from privgraph.methods.controls import permuted_features
from privgraph.methods.evaluated import largest_class
from privgraph.nn import REFERENCE, accuracy
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .once import once_before_noise
from .terms import BUDGETS, CAREFUL, GRAPHS, MAJORITY, OPEN, SEEDS, by_degree, fitted, people, perceptron

DELTA = 1e-7  # below one over the number of edges of the largest graph
WIDTH = 256
# name -> the method at a true budget of an undirected edge
ARMS: dict[str, Callable[[float], Method]] = {
    "votes": NeighbourVotes,
    "votes no labels": lambda epsilon: NeighbourVotes(epsilon, labels=False),
    "votes two rounds": lambda epsilon: NeighbourVotes(epsilon, rounds=2),
    "gap": lambda epsilon: GAP(epsilon, DELTA),
    "gap labels": lambda epsilon: GAP(epsilon, DELTA, labels=True),
    "gap regularised": lambda epsilon: GAP(epsilon, DELTA, **CAREFUL),
    "gap regularised labels": lambda epsilon: GAP(epsilon, DELTA, labels=True, **CAREFUL),
    "progap": lambda epsilon: ProGAP(epsilon, DELTA),
    "progap labels": lambda epsilon: ProGAP(epsilon, DELTA, labels=True),
    "progap two stages": lambda epsilon: ProGAP(epsilon, DELTA, 2),
    "progap two stages labels": lambda epsilon: ProGAP(epsilon, DELTA, 2, labels=True),
}
# name -> what a graph with noise in its edges is made by, on which a plain GCN learns
REPORTS: dict[str, Callable[[float], GraphMechanism]] = {
    "noisy graph": SymmetricResponse.for_edge, "lapgraph": LapGraph, "blink": Blink.for_edge}
SUMS_OF_NOISY_GRAPH = "noisy graph votes"  # the same reports, read by what may leave the graph alone
NOT_ON_LARGE = {"noisy graph": 8.0, SUMS_OF_NOISY_GRAPH: 8.0, "blink": 8.0}  # below it too many pairs are reported
NO_EDGES = "no edges"
REFERENCES = (NO_EDGES, "perceptron", "plain gcn", "plain gcn permuted features", "plain gcn constant features",
              "votes no noise", "labels alone", "structure alone", MAJORITY)


def edges_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Test accuracy in percent: of all, and of who has few, some and many neighbours."""
    data = split(people(setting["dataset"]), stream("split", seed))
    if setting["method"] == MAJORITY:
        return dict.fromkeys(EXPERIMENT.metrics, largest_class(data))
    def before_noise(method: Method) -> Method:
        return once_before_noise(method, setting["dataset"], seed, cache)
    p = answers(setting["method"], setting["budget"], data, seed, before_noise)
    found = {"accuracy": accuracy(p, data.y, data.test_mask)}
    return found | {name: accuracy(p, data.y, data.test_mask & mask) for name, mask in by_degree(data).items()}


def answers(method: str, budget: float, data: Data, seed: int, once: Callable[[Method], Method]) -> Tensor:
    """Class probabilities [N, C], or scores, of one arm; ``once`` makes of a method the same that works less."""
    if method in REPORTS or method == SUMS_OF_NOISY_GRAPH:
        mechanism = REPORTS.get(method, SymmetricResponse.for_edge)(budget)
        reported = mechanism(data, generator=stream("collect", seed))
        reader = LPGNN("gcn", **OPEN) if method in REPORTS else once(NeighbourVotes(math.inf))
        return fitted(reader, with_edge_index(data, reported.edge_index), seed)
    if method in ARMS:
        return fitted(once(ARMS[method](budget)), data, seed)
    plain, coins = LPGNN("gcn", **OPEN), stream("controls", seed)
    reference: dict[str, Callable[[], tuple[Method, Data]]] = {
        NO_EDGES: lambda: (once(NeighbourVotes(math.inf)), with_edge_index(data, data.edge_index[:, :0])),
        "perceptron": lambda: (perceptron(), data),
        "plain gcn": lambda: (plain, data),
        "plain gcn permuted features": lambda: (plain, permuted_features(data, coins)),
        "plain gcn constant features": lambda: (plain, constant_features(data, coins)),
        "votes no noise": lambda: (once(NeighbourVotes(math.inf)), data),
        "labels alone": lambda: (LabelPropagation(math.inf), only_training(data)),
        "structure alone": lambda: (replace(plain, backbone=REFERENCE), projected(data, coins))}
    return fitted(*reference[method](), seed)


def only_training(data: Data) -> Data:
    """Validation nodes are not asked."""
    data = copy.copy(data)
    data.val_mask = torch.zeros_like(data.val_mask)
    return data


def projected(data: Data, generator: torch.Generator) -> Data:
    """Everybody's row of the two-hop matrix, by 256 random sums of its columns, in place of features."""
    matrix = adjacency(data.edge_index, data.num_nodes, "mean", self_loops=True)
    data = copy.copy(data)
    data.x = matrix @ (matrix @ torch.randn(data.num_nodes, WIDTH, generator=generator))
    bound = float(data.x.abs().max())
    data.feature_range = (-bound, bound)
    return data


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """The references and the arms at each true epsilon, graph by graph; first three seeds of all, then ten."""
    for seeds in SEEDS:
        for dataset in GRAPHS:
            yield seeds, [setting(dataset=dataset, method=name) for name in REFERENCES]
            yield seeds, [setting(dataset=dataset, method=name, budget=budget)
                          for name in (*ARMS, *REPORTS, SUMS_OF_NOISY_GRAPH) for budget in BUDGETS
                          if possible(dataset, name, budget)]


def possible(dataset: str, name: str, budget: float) -> bool:
    return dataset in ("cora", "citeseer") or budget >= NOT_ON_LARGE.get(name, 0.0)


EXPERIMENT = Experiment("side-edges", 1, {"method": str, "budget": 0.0}, ("accuracy", "few", "some", "many"), grid,
                        edges_run, title="An undirected edge: methods at equal true budgets (chapter 13)")
