"""What is wrong with a graph file, said all at once: ``privgraph check FILE``."""

import numpy as np
import scipy.sparse as sp

from .convert import read_npz


def check_file(path) -> tuple[list[str], list[str]]:
    """(problems, remarks) of a graph file: problems stop a run, remarks are worth knowing."""
    try:
        edges, x, y = read_npz(path)
    except Exception as error:  # a broken file may raise almost anything; the user needs the sentence
        return [f"cannot be read: {error}"], []
    values = x.data if sp.issparse(x) else x
    problems = edge_problems(edges, x.shape[0]) + label_problems(y, x.shape[0])
    if not np.isfinite(values).all():
        problems.append(f"{int((~np.isfinite(values)).sum())} feature values are NaN or infinite")
    elif values.size and (values.min() < 0 or values.max() > 1):
        problems.append(f"features lie in [{values.min():g}, {values.max():g}]: load the file with "
                        "from_npz(path, feature_range=(low, high)), bounds you know without looking at the data")
    return problems, [] if problems else remarks(edges, x, y)


def edge_problems(edges: np.ndarray, num_nodes: int) -> list[str]:
    if edges.ndim != 2 or edges.shape[0] != 2:
        return [f"edge_index must have shape [2, E], got {list(edges.shape)}"]
    if edges.size == 0:
        return ["the graph has no edges"]
    if edges.min() < 0 or edges.max() >= num_nodes:
        return [f"edges must name nodes 0..{num_nodes - 1}, got {edges.min()}..{edges.max()}"]
    return []


def label_problems(y: np.ndarray, num_nodes: int) -> list[str]:
    if y.shape != (num_nodes,):
        return [f"y must have one entry a node ({num_nodes}), got shape {list(y.shape)}"]
    return [] if y.min() >= -1 else [f"labels must be -1 (not labelled) or 0, 1, ...; got {y.min()}"]


def remarks(edges: np.ndarray, x, y: np.ndarray) -> list[str]:
    """What loading repairs, and what a reader of results should know."""
    n = x.shape[0]
    loops = int((edges[0] == edges[1]).sum())
    key = np.unique(edges[0] * n + edges[1])
    back = np.unique(edges[1] * n + edges[0])
    notes = [f"{n} nodes, {len(key)} directed edges, {x.shape[1]} features, {len(np.unique(y[y >= 0]))} classes that occur"]
    if len(np.unique(y[y >= 0])) < 2:
        notes.append("labels show fewer than two classes: there is nothing to learn")
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
    return notes
