"""What is wrong with a graph file, said all at once: ``privgraph check FILE``. ``from_npz`` refuses the same."""

import math

import numpy as np
import scipy.sparse as sp

from ..checks import check_range
from ..graph import edge_key
from .npz import CSR_PARTS, GraphFile, check_classes, check_graph_size

PARTS = tuple(f"x_{part}" for part in CSR_PARTS)


def read_npz(path) -> tuple[np.ndarray, np.ndarray | sp.csr_matrix, np.ndarray]:
    """The raw arrays of a graph file: (edge_index [2, E] as int64, x [N, d] as float32, y as int64).

    :raises ValueError: for a file that is damaged, hostile, too large, or holds no graph.
    """
    with GraphFile(path, ("edge_index", "y", "x", *PARTS)) as file:
        if "x" not in file and not all(part in file for part in PARTS):
            raise ValueError(f"{file.label} holds no features: expected x, or {', '.join(PARTS)}; got {file.names}")
        if missing := [name for name in ("edge_index", "y") if name not in file]:
            raise ValueError(f"{file.label} lacks {' and '.join(missing)}; got {file.names}")
        check_graph_size(*file.shape("x"), edges=math.prod(file.headers["edge_index"].shape) // 2)
        return two_rows(file.integers("edge_index")), file.matrix("x"), file.integers("y")


def read_unaccounted(path) -> tuple[str, ...]:
    """What the file says was computed from raw data (``unaccounted`` of a graph)."""
    with GraphFile(path, ["unaccounted"]) as file:
        return file.lines("unaccounted") if "unaccounted" in file else ()


def two_rows(edges: np.ndarray) -> np.ndarray:
    """Pairs of node numbers as [2, E], also where they came as [E, 2] or as an empty list."""
    if edges.size == 0:
        return edges.reshape(2, 0)
    return edges.T if edges.ndim == 2 and edges.shape[0] != 2 and edges.shape[1] == 2 else edges


def check_file(path, feature_range=None) -> tuple[list[str], list[str]]:
    """(problems, remarks) of a graph file: problems stop a run, remarks are worth knowing.

    :param feature_range: the public bounds that are stated for the features; without any they must lie in [0, 1].
    """
    try:
        (edges, x, y), unaccounted = read_npz(path), read_unaccounted(path)
    except (ValueError, OSError) as error:
        return [str(error)], []
    if problems := graph_problems(edges, x, y, feature_range):
        return problems, []
    return [], remarks(edges, x, y) + [f"not accounted for, it says: {text}" for text in unaccounted]


def graph_problems(edges: np.ndarray, x: np.ndarray | sp.csr_matrix, y: np.ndarray,
                   feature_range=None) -> list[str]:
    """Why the arrays of a file, with the bounds stated for the features, are no graph to learn from."""
    if 0 in x.shape:
        return [f"a graph needs nodes and features, got {x.shape[0]} nodes and {x.shape[1]} features"]
    return edge_problems(edges, x.shape[0]) + label_problems(y, x.shape[0]) + feature_problems(x, feature_range)


def edge_problems(edges: np.ndarray, num_nodes: int) -> list[str]:
    if edges.ndim != 2 or edges.shape[0] != 2:
        return [f"edge_index must have shape [2, E], got {list(edges.shape)}"]
    if edges.size and (edges.min() < 0 or edges.max() >= num_nodes):
        return [f"edges must name nodes 0..{num_nodes - 1}, got {edges.min()}..{edges.max()}"]
    return []


def label_problems(y: np.ndarray, num_nodes: int) -> list[str]:
    if y.shape != (num_nodes,):
        return [f"y must have one entry a node ({num_nodes}), got shape {list(y.shape)}"]
    problems = [] if y.min() >= -1 else [f"labels must be -1 (not labelled) or 0, 1, ...; got {y.min()}"]
    try:
        check_classes(int(y.max()) + 1, num_nodes)  # the least number that anybody could state
    except ValueError as error:
        problems.append(str(error))
    return problems


def feature_problems(x: np.ndarray | sp.csr_matrix, feature_range) -> list[str]:
    values = x.data if sp.issparse(x) else x
    if not np.isfinite(values).all():
        return [f"{int((~np.isfinite(values)).sum())} feature values are NaN or infinite"]
    if feature_range is not None:
        return range_problems(feature_range, x.shape[1])
    if x.min() < 0 or x.max() > 1:
        return [f"features lie in [{x.min():g}, {x.max():g}]: state bounds that you know without looking at the data, "
                "with --feature-range LOW HIGH, in Python with from_npz(path, feature_range=(low, high)); "
                "where columns differ, with --range-file FILE, in Python with one such pair for each"]
    return []


def range_problems(feature_range, columns: int) -> list[str]:
    try:
        check_range(feature_range, columns=columns)
    except ValueError as error:
        return [str(error)]
    return []


def remarks(edges: np.ndarray, x, y: np.ndarray) -> list[str]:
    """What loading repairs, and what a reader of results should know."""
    n = x.shape[0]
    loops = int((edges[0] == edges[1]).sum())
    key = np.unique(edge_key(edges, n))
    back = np.unique(edge_key(edges[::-1], n))
    notes = [f"{n} nodes, {len(key)} directed edges, {x.shape[1]} features, "
             f"{len(np.unique(y[y >= 0]))} classes that occur"]
    if len(np.unique(y[y >= 0])) < 2:
        notes.append("labels show fewer than two classes: there is nothing to learn")
    if edges.size == 0:
        notes.append("the graph has no edges: legal, nobody hears anybody")
    if loops:
        notes.append(f"{loops} self loops: dropped on loading")
    if edges.shape[1] > len(key):
        notes.append(f"{edges.shape[1] - len(key)} duplicate edges: dropped on loading")
    if one_way := len(np.setdiff1d(key, back)):
        notes.append(f"{one_way} edges have one direction only: the other is added on loading")
    if isolated := n - len(np.unique(edges[:, edges[0] != edges[1]])):
        notes.append(f"{isolated} isolated nodes: legal, their aggregate is 0")
    if unlabelled := int((y < 0).sum()):
        notes.append(f"{unlabelled} nodes without a label: never in a split")
    if (labelled := int((y >= 0).sum())) < 4:
        notes.append(f"{labelled} labelled nodes: the graph can be loaded, but a split, and so `run`, needs 4")
    return notes
