"""Weights of edges: whether a graph's own are used, how they follow their edges, and which methods use them.

A weight belongs to a pair of nodes. A file may say it once or several times, in one direction or in both; whoever says
two different ones has to decide which it is.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..checks import check_data, check_tensor
from ..discover import stating
from ..graph import Graph, edge_key
from ..late import torch

if TYPE_CHECKING:
    from torch_geometric.data import Data

LEAST, MOST = 1e-15, 1e15  # of a node's weights together: the product of two must be a float32


def keep_weights(data: Data) -> Data:
    """A copy of a graph whose weights of edges are used wherever a method can use them, and refused by all others.

    They are taken as known to all, as the edges themselves are by such a method: no guarantee speaks of them. Where a
    node hears itself as well, as in a GCN, its own voice weighs 1.

    :param data: with edge_index int64 [2, E] and ``edge_weight`` float [E], in its order: at least 0, some above, and
        the same in both directions of an edge.
    :returns: with ``edge_weight`` float32 [E], and ``own_weights``.
    :raises ValueError: for other weights, and where those of a node together are too small or too large to divide by.

    >>> from privgraph.datasets import load
    >>> graph = load("karate")
    >>> graph.edge_weight = 1 + (graph.edge_index == 0).any(0).float()
    >>> keep_weights(graph).edge_weight.unique().tolist()
    [1.0, 2.0]
    """
    graph = Graph.of(data)
    given = check_tensor(check_data(data, "edge_weight").edge_weight, "edge_weight")
    if not given.is_floating_point() or given.shape != graph.edge_index.shape[1:]:
        raise ValueError(f"edge_weight must be a float tensor of shape [{graph.edge_index.size(1)}], a weight for each "
                         f"column of edge_index, got {given.dtype} of shape {list(given.shape)}")
    edges = graph.edge_index.cpu().numpy()
    weight = along(edges, *agreed(edges, given.detach().double().cpu().numpy(), graph.num_nodes), graph.num_nodes)
    return weighed(copy.copy(data), torch.from_numpy(weight).to(given.device))


def weighed(data: Data, weight) -> Data:
    """The graph itself, with weights float32 [E] that were checked."""
    data.edge_weight, data.own_weights = weight, True
    return data


def own_weight(data: Data) -> dict[str, torch.Tensor]:
    """The weights of a graph's edges, by the name of the field, where they are used."""
    return {"edge_weight": data.edge_weight} if getattr(data, "own_weights", False) else {}


def agreed(edges: np.ndarray, values: np.ndarray, num_nodes: int,
           called: Sequence[str] | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of nodes that are edges, as sorted keys int64 [L], and the weight of each, float32 [L].

    :param edges: int64 [2, n], in any direction and as often as may be; loops are left out, with their weights.
    :param values: float [n].
    :param called: how messages call the nodes; by default by their numbers.
    """
    apart = edges[0] != edges[1]
    edges, weight = edges[:, apart], in_single_precision(values[apart])
    key = np.asarray(edge_key((edges.min(0), edges.max(0)), num_nodes))
    order = key.argsort(kind="stable")
    key, weight = key[order], weight[order]
    first = np.ones(len(key), dtype=bool)
    first[1:] = key[1:] != key[:-1]
    if (odd := np.flatnonzero(~first[1:] & (weight[1:] != weight[:-1]))).size:
        names = [end if called is None else called[end] for end in divmod(int(key[odd[0]]), num_nodes)]
        raise ValueError("an edge must have one weight, however often and in whichever direction it is written, got "
                         f"{weight[odd[0]]:.9g} and {weight[odd[0] + 1]:.9g} for the one of {names[0]} and {names[1]}")
    key, weight = key[first], weight[first]
    check_sums(key, weight, num_nodes)
    return key, weight


def in_single_precision(values: np.ndarray) -> np.ndarray:
    """Weights float32 [n], each of them a weight."""
    with np.errstate(over="ignore"):
        weight = values.astype(np.float32)
    if (wrong := ~((weight >= 0) & np.isfinite(weight))).any():
        raise ValueError("weights of edges must be at least 0, and finite in single precision, got "
                         f"{values[wrong][0]:g}")
    if not (weight > 0).any():
        raise ValueError("weights of edges must be above 0 for one edge at least, got none such")
    return weight


def check_sums(key: np.ndarray, weight: np.ndarray, num_nodes: int) -> None:
    """Each node's weights together are nothing, or a number by which can be divided."""
    both = np.concatenate(divmod(key, num_nodes))
    total = np.bincount(both, np.tile(weight.astype(np.float64), 2), minlength=num_nodes)
    if (odd := (total > 0) & ((total < LEAST) | (total > MOST))).any():
        raise ValueError(f"the weights of a node's edges must add up to 0, or to {LEAST:g} to {MOST:g}, got "
                         f"{total[odd][0]:g}; divide all weights by one number")


def along(edge_index: np.ndarray, key: np.ndarray, weight: np.ndarray, num_nodes: int) -> np.ndarray:
    """The weight of each edge, float32 [E], of those that were ``agreed``.

    :param edge_index: int64 [2, E], of the same pairs.
    """
    return weight[np.searchsorted(key, edge_key((edge_index.min(0), edge_index.max(0)), num_nodes))]


def users() -> list[str]:
    """The classes of the methods that use weights of edges, in order.

    >>> users()
    ['LPGNN', 'RGNN']
    """
    return stating("privgraph.methods", "WEIGHTS")


def used_by(names: Sequence[str]) -> str:
    """
    >>> used_by(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def offered(name: str) -> str:
    """What a reader should know of weights ``name`` in a file."""
    return (f"weights of edges ({name}): used by {used_by([each.lower() for each in users()])} with --own-weights; "
            "without it every edge counts the same")
