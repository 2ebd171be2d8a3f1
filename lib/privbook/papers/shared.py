"""What experiments on several papers share: hops, and grouped features."""

import copy
from functools import lru_cache

from torch_geometric.data import Data

from privgraph import datasets
from privgraph.datasets import GroupFeatures

from ..runs.grid import graph

# GraphPrivatizer, Appendix A: hops of KProp and of label propagation, tuned by LPGNN's authors.
STEPS = {"cora": (16, 2), "cora-twin": (16, 2), "pubmed": (16, 0), "facebook-pages": (4, 2), "amazon-photo": (4, 2)}
# RGNN, section V-A1: columns joined into one; German and Student have categories already.
GROUPS = {"citeseer": 70, "cora": 25, "dblp": 50, "facebook-pages": 100, "german-rgnn": 1, "student-rgnn": 1}


def categorical(name: str, grouped: bool = True) -> Data:
    """The graph with RGNN's grouped features, or all of them; a word is absent or present."""
    datasets.at_hand(name)  # as in ``graph``
    return grouped_features(name, grouped)


@lru_cache(maxsize=1)
def grouped_features(name: str, grouped: bool) -> Data:
    return in_groups(graph(name)[0], GROUPS[name] if grouped else 1)


def in_groups(data: Data, size: int) -> Data:
    """Words that are absent or present, so many joined into one feature."""
    data = copy.copy(data)
    data.x = (data.x > 0).float()
    return GroupFeatures(size)(data)


def private(dataset: str) -> dict:
    """The paper's private features and labels on a graph: part of a setting."""
    x_steps, y_steps = STEPS[dataset]
    return dict(dataset=dataset, epsilon_x=3.0, epsilon_y=3.0, x_steps=x_steps, y_steps=y_steps)
