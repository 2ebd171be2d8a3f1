"""Graphs of other libraries and of files, and the way back: SciPy, DGL, networkx, PyG."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from ..checks import check_data, check_flag
from ..late import pyg
from .convert import from_pairs, number_array
from .layouts import MASKS
from .weights import own_weight

if TYPE_CHECKING:
    import networkx
    from torch_geometric.data import Data

FEATURES, LABELS = ("feat", "x", "feature", "features"), ("label", "y", "labels")


def from_file(path, nodes=None, *, name: str | None = None, **stated) -> Data:
    """A graph from any file that ``privgraph convert`` reads; what nobody states is in ``unaccounted``.

    :param path: of the edges, or of the whole graph.
    :param nodes: the path of a table with a row for each node.
    :param name: of the graph; by default that of the file.
    :param stated: what is publicly known, and which columns hold what: ``label="club"``, ``classes=("a", "b")``,
        ``ranges={"age": (0, 120)}``, ``categories={"gender": ("f", "m")}``, and the other fields of
        ``datasets.reading.found.Stated``.
    :raises ValueError: with what is missing, or cannot be read.
    """
    from .reading.found import Stated
    from .reading.joined import convert
    return convert(path, nodes, Stated(**stated), name).data


def from_adjacency(matrix, x, y, name: str = "my-graph", weights: bool = False, **kwargs) -> Data:
    """A graph from a matrix with a row and a column for each node: an edge where an entry is not zero.

    :param matrix: of SciPy (sparse) or array-like, [N, N].
    :param weights: use its entries as weights of the edges, as ``keep_weights`` says; by default they are not read.
    :param x: array-like [N, d] of features.
    :param y: array-like [N] of classes, whole numbers, -1 = not labelled.
    :param kwargs: ``num_classes`` and ``feature_range``, as of ``make_data``.
    :raises ValueError: for a matrix that is not square, and for weights that are below 0 or differ between the two
        directions of an edge.
    """
    check_flag(weights, "weights")
    found = sp.coo_matrix(matrix if sp.issparse(matrix) else number_array(matrix, "matrix"))
    if found.shape[0] != found.shape[1]:
        raise ValueError(f"matrix must have a row and a column for each node, got shape {list(found.shape)}")
    if weights:
        found.sum_duplicates()  # as SciPy reads a matrix that names a place twice
    there = found.data != 0
    return from_pairs(np.stack([found.row[there], found.col[there]]).astype(np.int64), x, y, name,
                      edge_weight=found.data[there] if weights else None, **kwargs)


def from_dgl(graph, name: str = "my-graph", weight: str | None = None, **kwargs) -> Data:
    """A graph from DGL, with features in ``ndata["feat"]``, classes in ``ndata["label"]``, and its masks.

    :param graph: a ``dgl.DGLGraph`` of one kind of nodes and edges.
    :param weight: what of ``edata`` is the weight of each edge, to be used as ``keep_weights`` says; by default nothing
        that edges say is read.
    :param kwargs: ``num_classes`` and ``feature_range``, as of ``make_data``.
    :raises TypeError: for what is no such graph.
    :raises ValueError: for a graph without features, classes or that weight, or of several kinds.
    """
    if not all(hasattr(graph, each) for each in ("edges", "ndata", "num_nodes")):
        raise TypeError(f"graph must be a dgl.DGLGraph, got {type(graph).__name__}")
    if len(getattr(graph, "ntypes", "1")) > 1 or len(getattr(graph, "etypes", "1")) > 1:
        raise ValueError("graph must have one kind of nodes and of edges, got several: heterogeneous graphs are not "
                         "read")
    held = graph.ndata
    x, y = (next((held[key] for key in keys if key in held), None) for keys in (FEATURES, LABELS))
    if x is None or y is None:
        raise ValueError(f"graph must have ndata['feat'] and ndata['label'], got {', '.join(held) or 'neither'}")
    if weight is not None and weight not in graph.edata:
        raise ValueError(f"weight must be one of edata, got {weight!r}; there are {', '.join(graph.edata) or 'none'}")
    source, target = graph.edges()
    data = from_pairs(np.stack([number_array(source, "edges"), number_array(target, "edges")]), x, y, name,
                      edge_weight=None if weight is None else graph.edata[weight], **kwargs)
    return with_masks(data, held)


def with_masks(data: Data, held: Mapping) -> Data:
    for key in MASKS:
        if key in held:
            data[key] = held[key].bool()
    return data


def to_networkx(data: Data) -> networkx.Graph:
    """The graph for networkx, each edge once; ``x``, a list, and ``y`` are attributes of its nodes, and what is
    ``unaccounted`` one of the graph's, where ``from_networkx`` finds it again. Weights that are used (``keep_weights``)
    are the attribute ``weight`` of its edges.

    :param data: with x, edge_index and y.
    """
    import networkx as nx
    check_data(data, "x", "edge_index", "y")
    graph = nx.Graph(name=getattr(data, "name", ""), **kept(data))
    graph.add_nodes_from((node, {"x": x, "y": y}) for node, (x, y) in
                         enumerate(zip(data.x.tolist(), data.y.tolist(), strict=True)))
    once = data.edge_index[0] < data.edge_index[1]
    edges = data.edge_index[:, once].t().tolist()
    if own := own_weight(data):
        graph.add_weighted_edges_from((*edge, weight) for edge, weight in zip(
            edges, own["edge_weight"][once].tolist(), strict=True))
    else:
        graph.add_edges_from(edges)
    return graph


def to_pyg(data: Data) -> Data:
    """A copy with what PyG itself knows: x, edge_index, y, masks where there are any, and ``edge_weight`` where it is
    used (``keep_weights``). Of ours it keeps what is ``unaccounted`` alone.

    :param data: with x, edge_index and y.
    """
    check_data(data, "x", "edge_index", "y")
    parts = {key: data[key].clone() for key in ("x", "edge_index", "y", *MASKS, *own_weight(data)) if key in data}
    return pyg.data.Data(**parts, **kept(data))


def kept(data: Data) -> dict[str, tuple[str, ...]]:
    """What was computed from raw data: no way out of this library and back may lose it."""
    return {"unaccounted": tuple(data.unaccounted)} if "unaccounted" in data else {}
