"""Links that were taken out of a graph, guessed from the links that were left in it. No vector and no model is needed.

Whoever publishes a graph without its sensitive links publishes the friends that both ends have in common. The scores
are those of Liben-Nowell and Kleinberg (2007), Adamic and Adar (2003) and Lü, Jin and Zhou (2009).
"""

import numpy as np
import torch
from torch import Tensor

from ..checks import check_number, check_pairs
from ..graph import Graph, check_edge_index
from .node_pairs import in_blocks, neighbour_matrix
from .worlds import published_graph, tried_on

BLOCK = 256  # nodes from which walks start together: the dense blocks are [N, 256]


@tried_on(published_graph)
def shared_neighbours(edge_index: Tensor, num_nodes: int, pairs: Tensor) -> Tensor:
    r"""How many neighbours both have: :math:`s(u, v) = |N(u) \cap N(v)|`.

    :param edge_index: int64 [2, E], both directions of every published link.
    :param pairs: int64 [2, n].
    :returns: float64 [n].

    >>> shared_neighbours(torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), 3, torch.tensor([[0, 0], [2, 1]])).tolist()
    [1.0, 0.0]
    """
    return weighted_neighbours(published(edge_index, num_nodes, pairs), pairs, np.ones(num_nodes))


@tried_on(published_graph)
def adamic_adar(edge_index: Tensor, num_nodes: int, pairs: Tensor) -> Tensor:
    r"""Shared neighbours, of whom one with few others says more.

    .. math:: s(u, v) = \sum_{w \in N(u) \cap N(v)} \frac{1}{\ln d_w}

    Adamic and Adar (2003). A shared neighbour has degree 2 at least, so no logarithm is 0.

    :param edge_index: int64 [2, E], both directions of every published link.
    :param pairs: int64 [2, n].
    :returns: float64 [n].
    """
    graph = published(edge_index, num_nodes, pairs)
    return weighted_neighbours(graph, pairs, 1 / np.log(np.maximum(graph.degree.numpy(), 2)))


@tried_on(published_graph)
def local_paths(edge_index: Tensor, num_nodes: int, pairs: Tensor, weight: float = 0.01) -> Tensor:
    r"""Walks of two and of three steps from one to the other: :math:`s(u, v) = (A^2 + \epsilon A^3)_{uv}`.

    The local path index of Lü, Jin and Zhou (2009). Where u and v are linked, the
    :math:`d_u + d_v - 1` walks of three steps that use this link are not counted: then a link that the attacker knows
    scores as one that was taken out would, but for what it adds to the degrees.

    Blocks of nodes start walking together, so memory is linear in N and in E.

    :param edge_index: int64 [2, E], both directions of every published link.
    :param pairs: int64 [2, n].
    :param weight: epsilon, at least 0.
    :returns: float64 [n].

    >>> cycle = torch.tensor([[0, 1, 1, 2, 2, 3, 3, 0], [1, 0, 2, 1, 3, 2, 0, 3]])
    >>> local_paths(cycle, 4, torch.tensor([[0, 0], [2, 1]]), 0.5).tolist()
    [2.0, 0.5]
    """
    graph = published(edge_index, num_nodes, pairs)
    weight = check_number(weight, "weight", low=0, open_high=True, allowed="be a finite number of at least 0")
    two, three = walks(graph, pairs)
    through = graph.has(pairs) * (graph.degree[pairs[0]] + graph.degree[pairs[1]] - 1)
    return two + weight * (three - through)


def weighted_neighbours(graph: Graph, pairs: Tensor, weight: np.ndarray) -> Tensor:
    """The sum of the weights of all shared neighbours, float64 [n]: rows of the sparse matrix, entry by entry."""
    matrix = neighbour_matrix(graph.edge_index, graph.num_nodes)

    def score(part: Tensor) -> Tensor:
        both = matrix[part[0].numpy()].multiply(matrix[part[1].numpy()])
        return torch.from_numpy(np.asarray(both @ weight, dtype=np.float64))
    return in_blocks(score, pairs)


def walks(graph: Graph, pairs: Tensor) -> tuple[Tensor, Tensor]:
    """How many walks of two and of three steps lead from u to v, float64 [n] each."""
    matrix = neighbour_matrix(graph.edge_index, graph.num_nodes).astype(np.float64)
    starts, place = pairs[0].unique(return_inverse=True)
    two, three = np.zeros(pairs.size(1)), np.zeros(pairs.size(1))
    for first in range(0, len(starts), BLOCK):
        asked = ((place >= first) & (place < first + BLOCK)).nonzero()[:, 0].numpy()
        column, end = place.numpy()[asked] - first, pairs[1].numpy()[asked]
        reached = matrix @ matrix[starts[first:first + BLOCK].numpy()].T.toarray()  # [N, BLOCK]
        two[asked], three[asked] = reached[end, column], (matrix @ reached)[end, column]
    return torch.from_numpy(two), torch.from_numpy(three)


def published(edge_index: Tensor, num_nodes: int, pairs: Tensor) -> Graph:
    """The graph that everybody sees, once it and the pairs are checked."""
    check_edge_index(edge_index, num_nodes), check_pairs(pairs, num_nodes)
    return Graph(edge_index, num_nodes)
