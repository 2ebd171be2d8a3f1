"""Null controls: the same people and labels, with features or edges that say nothing about their owner.

A method that scores the same on a control as on the real features owes its accuracy to something else.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import torch

from ..checks import check_data, check_generator
from ..datasets.bounds import middle
from ..graph import rewire, with_edge_index

if TYPE_CHECKING:
    from torch_geometric.data import Data


def permuted_features(data: Data, generator: torch.Generator) -> Data:
    """Every node gets the features of a random other node: the same values in the wrong rows."""
    check_data(data, "x"), check_generator(generator)
    data = copy.copy(data)
    data.x = data.x[torch.randperm(data.num_nodes, generator=generator)]
    return data


def constant_features(data: Data, generator: torch.Generator) -> Data:
    """Every feature is the middle of its public range: multi-bit's bits become fair coins."""
    check_data(data, "x", "feature_range"), check_generator(generator)
    data = copy.copy(data)
    data.x = middle(data).expand_as(data.x).clone()
    return data


def real_features(data: Data, generator: torch.Generator) -> Data:
    """No control: the graph as it is."""
    check_generator(generator)
    return check_data(data)


def random_categories(data: Data, generator: torch.Generator) -> Data:
    """Every categorical feature is drawn anew, uniformly: fair coins where features are binary."""
    from ..datasets import categories_of  # beside classes of PyG's
    x, sizes = categories_of(data)
    check_generator(generator)
    data = copy.copy(data)
    data.x = (torch.rand(x.shape, generator=generator) * torch.tensor(sizes)).floor()
    return data


def rewired_edges(data: Data, generator: torch.Generator) -> Data:
    """Everybody keeps her number of neighbours, and gets random ones."""
    check_data(data, "edge_index"), check_generator(generator)
    return with_edge_index(data, rewire(data.edge_index, data.num_nodes, generator))


def arms(data: Data) -> list[str]:
    """The real features and their null controls: where they are categories, coins in place of a constant middle."""
    return ["real", "permuted", "random" if "domain_sizes" in check_data(data) else "constant"]


CONTROLS = {"real": real_features, "permuted": permuted_features, "constant": constant_features}
ARMS = {**CONTROLS, "random": random_categories}
