"""What the comparisons of chapter 13 share: true budgets, the graphs, and who is compared with whom."""

import copy
import math
from functools import lru_cache

import torch
from torch import Tensor
from torch_geometric.data import Data

from privgraph import datasets
from privgraph.graph import degrees
from privgraph.methods import LPGNN, Method
from privgraph.nn import REFERENCE

from ...runs.grid import graph

BUDGETS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
GRAPHS = ("cora", "citeseer", "pubmed", "amazon-computers", "fb100-yale")
SEEDS = (3, 10)  # first few of all, then more
MAJORITY = "largest class"
CAREFUL = {"hidden": 64, "dropout": 0.5, "weight_decay": 5e-4}  # what regularises the perceptron of NeighbourVotes
OPEN = dict(epsilon_x=math.inf, epsilon_y=math.inf, x_steps=0, y_steps=0, **CAREFUL)  # features and labels are public


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


def perceptron() -> LPGNN:
    """Of features and labels as they are; it reads no edge."""
    return LPGNN(REFERENCE, standardize=False, **OPEN)


def fitted(method: Method, data: Data, seed: int) -> Tensor:
    model = method.fit(data, seed=seed)
    return model.predict_proba(model.asked(data))
