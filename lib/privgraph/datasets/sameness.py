"""Whether two graphs are one and the same, however they are written down."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..checks import check_data
from .fingerprints import fingerprint

if TYPE_CHECKING:
    from torch_geometric.data import Data

ROUNDS = 3  # in which nodes hear of their neighbours


def same_graph(one: Data, other: Data) -> bool:
    """Whether two graphs have the same features and edges, whatever file, types, order of edges or labels they have.

    Another order of the nodes is seen through as well: a node's colour is made of its features and of the colours of
    its neighbours (Weisfeiler and Leman 1968), and two graphs with the same colours, most of them of one node alone,
    are the same. Where most nodes look alike, as in a ring of people without features, only their order tells.

    :param one: a graph with x [N, d] and edge_index [2, E].
    :param other: another, of any size.

    >>> from privgraph.datasets import load
    >>> same_graph(load("karate"), load("karate").clone()), same_graph(load("karate"), load("patients"))
    (True, False)
    """
    check_data(one, "x", "edge_index"), check_data(other, "x", "edge_index")
    if one.x.shape != other.x.shape or one.num_edges != other.num_edges:
        return False
    if as_written(one) == as_written(other):
        return True
    own, others = (np.sort(colours(graph)) for graph in (one, other))
    return bool((own == others).all()) and 2 * len(np.unique(own)) > len(own)


def as_written(graph: Data) -> str:
    """The canonical hash without the labels, which are no part of what two graphs share."""
    return fingerprint(graph.edge_index.cpu(), graph.x.cpu(), np.zeros(graph.num_nodes))


def colours(graph: Data) -> np.ndarray:
    """A number for each node, uint64 [N], that does not change with the order of the nodes."""
    x, (source, target) = graph.x.detach().cpu().numpy().astype(np.float32), graph.edge_index.cpu().numpy()
    rows, columns = x.nonzero()
    entries = columns.astype(np.uint64) << np.uint64(32) | x[rows, columns].view(np.uint32)
    found = summed(mixed(entries), rows, len(x))
    for _ in range(ROUNDS):
        found = mixed(found) + summed(mixed(found)[source], target, len(x))
    return found


def summed(values: np.ndarray, where: np.ndarray, size: int) -> np.ndarray:
    total = np.zeros(size, np.uint64)
    np.add.at(total, where, values)  # modulo 2^64
    return total


def mixed(values: np.ndarray) -> np.ndarray:
    """Each number in place of another that looks random (the finaliser of SplitMix64, Steele et al. 2014)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        values = (values ^ values >> np.uint64(shift)) * np.uint64(factor)
    return values ^ values >> np.uint64(31)
