"""What the experiments share: hops, seeds, and the setting without any privacy."""

import copy
import math
from functools import lru_cache

from torch_geometric.data import Data

from ...datasets import GroupFeatures
from ..grid import graph

# GraphPrivatizer, Appendix A: hops of KProp and of label propagation, tuned by LPGNN's authors.
STEPS = {"cora": (16, 2), "cora-twin": (16, 2), "pubmed": (16, 0), "facebook-pages": (4, 2), "amazon-photo": (4, 2)}
HOPS = {"x_steps": int, "y_steps": int}
# RGNN, section V-A1: columns joined into one; German and Student have categories already.
GROUPS = {"citeseer": 70, "cora": 25, "dblp": 50, "facebook-pages": 100, "german-rgnn": 1, "student-rgnn": 1}
NO_PRIVACY = dict(epsilon_x=math.inf, epsilon_y=math.inf, x_steps=0, y_steps=0)


@lru_cache(maxsize=1)
def categorical(name: str, grouped: bool = True) -> Data:
    """The graph with RGNN's grouped features, or all of them; a word is absent or present."""
    data = copy.copy(graph(name)[0])
    data.x = (data.x > 0).float()
    return GroupFeatures(GROUPS[name] if grouped else 1)(data)


def settings(dataset: str, seeds: int) -> tuple[dict, dict]:
    """(the paper's private features and labels, no privacy at all) for one graph."""
    x_steps, y_steps = STEPS[dataset]
    private = dict(epsilon_x=3.0, epsilon_y=3.0, x_steps=x_steps, y_steps=y_steps)
    return dict(dataset=dataset, seeds=seeds, **private), dict(dataset=dataset, seeds=seeds, **NO_PRIVACY)
