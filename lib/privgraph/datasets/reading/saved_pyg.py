"""Graphs that PyG saved with ``torch.save``: read as tensors and the few classes of PyG that hold them."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from ...checks import check_count, check_range
from ...late import torch
from ..layouts import FEATURES, LABELS, MASKS, OF_EDGES, PAIRS, OutOfScope, as_classes
from ..npz import MAX_BYTES, check_graph_size, check_size
from .found import Found, printable

READ = ("x", "y", "edge_index", *MASKS)
SAID = ("num_nodes", "num_classes", "name", "domain_sizes", "feature_range", "unaccounted", "own_split",
        "own_weights")  # numbers and words
CALLED = {"edge_index": PAIRS, "x": FEATURES, "y": LABELS}


def read_saved(path, weight: str | None = None) -> Found:
    """The graph of a .pt file: a ``Data``, a ``HeteroData`` of one kind of nodes and edges, or a dict of tensors.

    :param weight: what of that which it says of edges is read.
    :raises ValueError: for a file that holds other objects, which are not made, and for a set of graphs.
    """
    label = Path(path).name
    check_packing(path, label)
    try:
        with torch.serialization.safe_globals(classes()):
            held = torch.load(path, map_location="cpu", weights_only=True)
        parts = parts_of(held, label)
    except OutOfScope:
        raise
    except Exception as error:  # a stranger's bytes; nothing in them was run
        why = " ".join(str(error).split())[:200] if isinstance(error, ValueError) else (
            "it is damaged, or holds other things than tensors")  # PyTorch would say how to run them
        raise ValueError(f"{label} cannot be read as a graph of PyG: {why}. In Python, "
                         "torch.save(dict(x=data.x, edge_index=data.edge_index, y=data.y), 'plain.pt') saves one that "
                         "can") from error
    return found_in(parts, label, weight)


def classes() -> list[type]:
    """What PyG's graphs are made of; none of them runs anything."""
    from torch_geometric.data import Data, HeteroData, data, storage
    names = ("DataEdgeAttr", "DataTensorAttr")
    return [Data, HeteroData, storage.GlobalStorage, storage.NodeStorage, storage.EdgeStorage, storage.BaseStorage,
            *(getattr(data, name) for name in names if hasattr(data, name))]


def check_packing(path, label: str) -> None:
    """PyTorch keeps tensors unpacked in a zip folder; one that would grow is no such file."""
    if not Path(path).is_file():
        raise FileNotFoundError(f"cannot be read: No such file or directory: {str(path)!r}")
    if not zipfile.is_zipfile(path):
        raise ValueError(f"{label} is no file of PyTorch 1.6 or later; load it where it was made, and save it anew")
    try:
        with zipfile.ZipFile(path) as file:
            members = file.infolist()
    except Exception as error:
        raise ValueError(f"{label} cannot be read: {error}") from error
    if any(member.compress_type != zipfile.ZIP_STORED for member in members):
        raise ValueError(f"{label} is packed in a way that PyTorch does not use")
    check_size(sum(member.file_size for member in members), label)


def parts_of(held, label: str) -> dict:
    """Tensors by name."""
    from torch_geometric.data import Data, HeteroData
    if isinstance(held, tuple) and len(held) in (2, 3) and isinstance(held[1], dict | None):  # a dataset
        check_slices(held[1], label)
        held = held[0]
    if isinstance(held, list):
        raise OutOfScope(f"{label} holds a list of {len(held)} things: a set of graphs, or one that changes")
    if isinstance(held, HeteroData):
        return one_kind(held, label)
    if isinstance(held, Data):
        return dict(held._store._mapping)
    if isinstance(held, dict) and ("randomness" in held or {"method", "release", "learned"} <= held.keys()):
        raise ValueError("it holds a release or a model of privgraph, and no graph")
    if isinstance(held, dict):
        return one_kind_of_dict(held, label) if any(isinstance(each, dict) for each in held.values()) else held
    raise ValueError(f"it holds a {type(held).__name__}")


def check_slices(slices, label: str) -> None:
    most = max((len(each) for each in (slices or {}).values() if hasattr(each, "__len__")), default=0)
    if most > 2:
        raise OutOfScope(f"{label} holds {most - 1} graphs: classes of graphs are not read")


def one_kind(held, label: str) -> dict:
    """A heterogeneous graph that is none."""
    nodes, edges = held._node_store_dict, held._edge_store_dict
    if len(nodes) != 1 or len(edges) != 1:
        raise OutOfScope(f"{label} holds {len(nodes)} kinds of nodes and {len(edges)} kinds of edges: heterogeneous "
                         "graphs are not read; save one kind as a Data")
    (node,), (edge,) = nodes.values(), edges.values()
    return dict(node._mapping) | dict(edge._mapping)


def one_kind_of_dict(held: dict, label: str) -> dict:
    """The form of ``to_dict`` of an older dataset: the inner dict that has the edges."""
    inner = [each for each in held.values() if isinstance(each, dict) and "edge_index" in each]
    if len(inner) != 1:
        raise OutOfScope(f"{label} holds {len(inner)} graphs, or several kinds of nodes")
    return inner[0]


def found_in(parts: dict, label: str, weight: str | None = None) -> Found:
    for name, others in CALLED.items():
        other = next((each for each in others if parts.get(each) is not None), name)
        parts = {name if key == other else key: value for key, value in parts.items() if key != name or other == name}
    edges = array_of(parts, "edge_index", label)
    if edges is None:
        what = ", ".join(printable(name) for name in list(parts)[:12])
        hint = ": a sparse matrix adj_t is not read" if "adj_t" in parts else ""
        raise ValueError(f"{label} lacks edge_index, got {what or 'nothing'}{hint}")
    if edges.ndim != 2 or edges.shape[0] != 2 or edges.dtype.kind not in "iu":
        raise ValueError(f"{label}: edge_index must be whole numbers [2, E], got shape {list(edges.shape)}")
    x, y = array_of(parts, "x", label), array_of(parts, "y", label)
    y = None if y is None else as_classes(y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y, "y")
    masks = {name: array_of(parts, name, label) for name in MASKS if parts.get(name) is not None}
    notes = [f"{name}: several splits, of which none is read" for name, mask in masks.items() if mask.ndim != 1]
    of_edges = {name: array_of(parts, name, label) if name == weight else None
                for name in OF_EDGES if parts.get(name) is not None}
    if unread := [printable(name) for name, value in parts.items()
                  if value is not None and name not in (*READ, *SAID, *OF_EDGES)]:
        notes.append(f"not read: {', '.join(unread[:12])}")
    return Found(label, edges.astype(np.int64), x=None if x is None else x.astype(np.float32), y=y, of_edges=of_edges,
                 masks={name: mask.astype(bool) for name, mask in masks.items() if mask.ndim == 1}, notes=notes,
                 stated=stated_in(parts, x), unaccounted=unaccounted_in(parts, label))


def stated_in(parts: dict, x: np.ndarray | None) -> dict[str, Any]:
    """What a graph of this library says of the kind of its data."""
    found: dict[str, Any] = {}
    if parts.get("num_classes") is not None:
        found["num_classes"] = check_count(parts["num_classes"], "num_classes", low=2)
    if parts.get("feature_range") is not None and x is not None and x.ndim == 2:
        found["feature_range"] = check_range(parts["feature_range"], columns=x.shape[1])
    if isinstance(sizes := parts.get("domain_sizes"), tuple | list):
        found["domain_sizes"] = tuple(check_count(size, "each of domain_sizes", low=1) for size in sizes)
    return found


def unaccounted_in(parts: dict, label: str) -> tuple[str, ...]:
    """What was computed from raw data, in words: a graph that is saved goes on saying it."""
    texts = parts.get("unaccounted", ())
    if not isinstance(texts, tuple | list) or not all(isinstance(text, str) and text.isprintable() for text in texts):
        raise ValueError(f"{label}: unaccounted must hold lines of printable text, got {type(texts).__name__}")
    return tuple(texts)


def array_of(parts: dict, name: str, label: str) -> np.ndarray | None:
    """A tensor as an array, once its size is known: a view may be larger than its file."""
    tensor = parts.get(name)
    if tensor is None:
        return None
    if not isinstance(tensor, torch.Tensor) or tensor.layout != torch.strided or tensor.is_complex():
        raise ValueError(f"{label}: {name} must be a dense tensor of numbers, got {type(tensor).__name__}")
    if tensor.numel() * 8 > MAX_BYTES:
        check_graph_size(tensor.size(0), tensor.numel() // max(1, tensor.size(0)), 0)
    return (tensor.float() if tensor.dtype in (torch.bfloat16, torch.float16) else tensor).detach().numpy()
