"""Graphs: what a method or a mechanism needs of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..late import pyg

if TYPE_CHECKING:
    from torch_geometric.data import Data

# The line that sets what PyG's graphs do not have by themselves.
SET = {"num_classes": "data.num_classes = 7 says how many classes there can be, a public number",
       "feature_range": "data.feature_range = (0, 1) says the public bounds of features",
       "sensitive_users": "methods.sensitive.mark_sensitive says who is sensitive; no graph of the command line does",
       "num_public": "methods.federated.parts says who is public; of the command line federations alone have it",
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
