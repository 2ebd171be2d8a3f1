"""Graphs: what a method or a mechanism needs of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..late import pyg
from .numbers import check_count
from .tensors import check_edge_index, check_features, check_labels, check_tensor

if TYPE_CHECKING:
    from torch_geometric.data import Data

TASK = ("x", "y", "edge_index", "num_classes")  # what node classification reads


# The line that sets what PyG's graphs do not have by themselves.
SET = {"num_classes": "data.num_classes = 7 says how many classes there can be, a public number",
       "feature_range": "data.feature_range = (0, 1) says the public bounds of features",
       **dict.fromkeys(("train_mask", "val_mask", "test_mask"), "datasets.split(data, generator) sets masks")}


def check_data(data: Data, *needed: str) -> Data:
    """A graph of PyG that has all that is ``needed`` of it: ``check_data(data, "x", "edge_index")``."""
    if not isinstance(data, pyg.data.Data):
        raise TypeError(f"data must be a torch_geometric.data.Data, got {type(data).__name__}; "
                        "datasets.from_edge_list makes one")
    if missing := [name for name in needed if getattr(data, name, None) is None]:
        lines = dict.fromkeys(SET[name] for name in missing if name in SET)
        raise ValueError("; ".join([f"data must have {', '.join(needed)}, got none for {', '.join(missing)}", *lines]))
    return data


def check_people(data: Data) -> int:
    """How many people a graph has, as it states: by a row of x for each, or by num_nodes.

    Where it does neither, PyG takes the largest number among the edges, which are private.
    """
    if check_data(data).x is None and "num_nodes" not in data:
        raise ValueError("state how many people there are, with num_nodes: a public number. "
                         "The largest number in edge_index would be a release of its own")
    return data.num_nodes


def check_task(data: Data, least: int = 1) -> None:
    """What node classification needs of a graph: edges in order, finite features, labels in the public range.

    Each rule speaks of one person's record, or of public things: it says on which data a method is defined. A
    property of the data as a whole is not asked for. That somebody is in a second class can hang on one person, and
    then whether it is refused would tell of her. Where even the number of people is private, ``least`` is 0.
    """
    check_count(check_data(data, *TASK).num_classes, "num_classes", low=2)
    check_edge_index(data.edge_index, data.num_nodes, least)
    if check_features(data.x).size(1) == 0:
        raise ValueError(f"features must have at least one column, got shape {list(data.x.shape)}")
    check_tensor(data.y, "labels")
    if data.x.size(0) != data.num_nodes or data.y.size(0) != data.num_nodes:
        raise ValueError(f"x, y and the graph must have the same number of nodes, "
                         f"got {data.x.size(0)}, {data.y.size(0)} and {data.num_nodes}")
    check_labels(data.y, data.num_classes, missing=True)
