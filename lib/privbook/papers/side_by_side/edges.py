"""Chapter 13: accuracy at equal true budgets of an undirected edge, where features, labels and split are public.

Every arm gets the same public inputs, and each that sums neighbours' rows is there with and without the labels of
training nodes in them. References read no private edge, or all of them without noise.
"""

import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

import torch
from torch import Tensor
from torch_geometric.data import Data

from privgraph import datasets
from privgraph.datasets import split
from privgraph.graph import adjacency, degrees, with_edge_index
from privgraph.mechanisms import Blink, GraphMechanism, LapGraph, SymmetricResponse
from privgraph.methods import GAP, LPGNN, Method, NeighbourVotes, ProGAP, constant_features
from privgraph.methods.controls import permuted_features
from privgraph.methods.evaluated import largest_class
from privgraph.nn import REFERENCE, accuracy
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment, graph

BUDGETS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
DELTA = 1e-7  # below one over the number of edges of the largest graph
CAREFUL = {"hidden": 64, "dropout": 0.5, "weight_decay": 5e-4}  # what regularises the perceptron of NeighbourVotes
OPEN = dict(epsilon_x=math.inf, epsilon_y=math.inf, x_steps=0, y_steps=0, **CAREFUL)  # features and labels are public
RESTART, HOPS, WIDTH = 0.15, 10, 256
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
}
# name -> what a graph with noise in its edges is made by, on which a plain GCN learns
REPORTS: dict[str, Callable[[float], GraphMechanism]] = {
    "noisy graph": SymmetricResponse.for_edge, "lapgraph": LapGraph, "blink": Blink.for_edge}
SUMS_OF_NOISY_GRAPH = "noisy graph votes"  # the same reports, read by what may leave the graph alone
NOT_ON_LARGE = {"noisy graph": 8.0, SUMS_OF_NOISY_GRAPH: 8.0, "blink": 8.0}  # below it too many pairs are reported
NO_EDGES, MAJORITY = "no edges", "largest class"
REFERENCES = (NO_EDGES, "perceptron", "plain gcn", "plain gcn permuted features", "plain gcn constant features",
              "votes no noise", "labels alone", "structure alone", MAJORITY)
GRAPHS = ("cora", "citeseer", "pubmed", "amazon-computers", "fb100-yale")


def edges_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Test accuracy in percent: of all, and of who has few, some and many neighbours."""
    data = split(people(setting["dataset"]), stream("split", seed))
    if setting["method"] == MAJORITY:
        return dict.fromkeys(EXPERIMENT.metrics, largest_class(data))
    p = answers(setting["method"], setting["budget"], data, seed)
    found = {"accuracy": accuracy(p, data.y, data.test_mask)}
    return found | {name: accuracy(p, data.y, data.test_mask & mask) for name, mask in by_degree(data).items()}


def people(name: str) -> Data:
    """The graph; of Yale without the columns that are the label."""
    datasets.at_hand(name)  # as in ``graph``
    return without_label(name)


@lru_cache(maxsize=1)
def without_label(name: str) -> Data:
    data = graph(name)[0]
    if not name.startswith("fb100"):
        return data
    known = data.y >= 0
    classes = torch.nn.functional.one_hot(data.y[known], data.num_classes).float()
    both = data.x[known].t() @ classes  # how many people a column and a class have in common
    same = (both == data.x[known].sum(0)[:, None]) & (both == classes.sum(0)) & (both > 0)
    data = copy.copy(data)
    data.x = data.x[:, ~same.any(1)]
    return data


def by_degree(data: Data) -> dict[str, Tensor]:
    """Thirds of the people by their number of neighbours; where many have as many, they are together."""
    degree = degrees(data.edge_index, data.num_nodes).double()
    low, high = torch.quantile(degree, torch.tensor([1 / 3, 2 / 3], dtype=torch.double))
    return {"few": degree <= low, "some": (degree > low) & (degree <= high), "many": degree > high}


def answers(method: str, budget: float, data: Data, seed: int) -> Tensor:
    """Class probabilities [N, C], or scores, of one arm."""
    if method in REPORTS or method == SUMS_OF_NOISY_GRAPH:
        mechanism = REPORTS.get(method, SymmetricResponse.for_edge)(budget)
        reported = mechanism(data, generator=stream("collect", seed))
        reader = LPGNN("gcn", **OPEN) if method in REPORTS else NeighbourVotes(math.inf)
        return fitted(reader, with_edge_index(data, reported.edge_index), seed)
    if method in ARMS:
        return fitted(ARMS[method](budget), data, seed)
    return reference(method, data, seed)


def fitted(method: Method, data: Data, seed: int) -> Tensor:
    model = method.fit(data, seed=seed)
    return model.predict_proba(model.asked(data))


def reference(name: str, data: Data, seed: int) -> Tensor:
    """What reads no private edge, or all of them as they are."""
    plain, coins = LPGNN("gcn", **OPEN), stream("controls", seed)
    told = {
        NO_EDGES: lambda: fitted(NeighbourVotes(math.inf), with_edge_index(data, data.edge_index[:, :0]), seed),
        "perceptron": lambda: fitted(replace(plain, backbone=REFERENCE, standardize=False), data, seed),
        "plain gcn": lambda: fitted(plain, data, seed),
        "plain gcn permuted features": lambda: fitted(plain, permuted_features(data, coins), seed),
        "plain gcn constant features": lambda: fitted(plain, constant_features(data, coins), seed),
        "votes no noise": lambda: fitted(NeighbourVotes(math.inf), data, seed),
        "labels alone": lambda: propagated(data),
        "structure alone": lambda: fitted(replace(plain, backbone=REFERENCE), projected(data, coins), seed)}
    return told[name]()


def propagated(data: Data) -> Tensor:
    """The training labels after ten steps of a walk that begins anew with chance .15; who is reached by none, by the
    largest class."""
    matrix = adjacency(data.edge_index, data.num_nodes, "mean")
    known = data.train_mask & (data.y >= 0)
    start = torch.zeros(data.num_nodes, data.num_classes)
    start[known] = torch.nn.functional.one_hot(data.y[known], data.num_classes).float()
    votes = start
    for _ in range(HOPS):
        votes = (1 - RESTART) * (matrix @ votes) + RESTART * start
    return votes + 1e-9 * start.sum(0)


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
    for seeds in (3, 10):
        for dataset in GRAPHS:
            yield seeds, [setting(dataset=dataset, method=name) for name in REFERENCES]
            yield seeds, [setting(dataset=dataset, method=name, budget=budget)
                          for name in (*ARMS, *REPORTS, SUMS_OF_NOISY_GRAPH) for budget in BUDGETS
                          if possible(dataset, name, budget)]


def possible(dataset: str, name: str, budget: float) -> bool:
    return dataset in ("cora", "citeseer") or budget >= NOT_ON_LARGE.get(name, 0.0)


EXPERIMENT = Experiment("side-edges", 1, {"method": str, "budget": 0.0}, ("accuracy", "few", "some", "many"), grid,
                        edges_run, title="An undirected edge: methods at equal true budgets (chapter 13)")
