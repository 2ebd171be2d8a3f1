"""Which pairs of nodes an attack is tried on: edges, and as many pairs without one."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from ..checks import check_choice, check_count, check_generator
from ..graph import check_edge_index, contains, edge_key, first_of_each, key_edges, sample_edges, sample_non_edges
from ..randomness import seeded

NON_EDGES = ("uniform", "two-hop")
ROUNDS = 100  # of drawing, before all pairs are listed instead
BLOCK = 65_536  # pairs whose features or neighbours are held at once


@dataclass(frozen=True, eq=False)
class NodePairs:
    """What the attacker is asked, ``pairs`` int64 [2, n], and the answers, ``linked`` bool [n] (True: an edge)."""

    pairs: Tensor
    linked: Tensor


def any_order(pairs: Tensor) -> Tensor:
    """An order of pairs [2, n] in which to ask about them, so that their places say nothing, int64 [n].

    Its seed is made of the pairs: no randomness is used up, and whatever else an experiment draws stays as it was.
    """
    return torch.randperm(pairs.size(1), generator=seeded(int(pairs.sum())))


def sample_pairs(edge_index: Tensor, num_nodes: int, count: int, generator: torch.Generator,
                 non_edges: str = "uniform") -> NodePairs:
    """``count`` different edges, uniformly, and ``count`` different pairs without an edge, in any order.

    GraphPrivatizer (section 5) attacks 500 and 500. Its text says "randomly sample" and its released code draws
    the non-edges from the first nodes of the file; ours are uniform over *all* non-adjacent pairs. The two ends of a
    pair come in random order, because an attack may treat them differently; and so do the pairs, as a score that counts
    places would find all edges where these come first.

    Most uniform non-edges are far apart, in other communities, so an attack that finds communities scores well on
    them. ``"two-hop"`` asks the harder question: uniformly over the non-adjacent pairs with a common neighbour.

    :param edge_index: int64 [2, E], both directions of every edge.
    :param count: pairs of each kind, at least 1.
    :param non_edges: ``"uniform"`` or ``"two-hop"``.

    >>> from privgraph.randomness import seeded
    >>> path = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
    >>> sample = sample_pairs(path, 4, 2, seeded(0), non_edges="two-hop")
    >>> sample.pairs[:, ~sample.linked].sort(0).values.sort(1).values.tolist()
    [[0, 1], [2, 3]]
    """
    check_generator(generator), check_edge_index(edge_index, num_nodes)
    check_choice(non_edges, "non_edges", NON_EDGES)
    count = check_count(count, "count", low=1)
    sample_others = sample_non_edges if non_edges == "uniform" else sample_two_hop
    linked = sample_edges(edge_index, count, generator)
    pairs = torch.cat([linked, sample_others(edge_index, num_nodes, count, generator)], 1)  # [2, 2 * count]
    turned = torch.randint(2, (pairs.size(1),), generator=generator).bool()
    order = torch.randperm(2 * count, generator=generator)  # the last that is drawn: so the pairs stay as they were
    return NodePairs(torch.where(turned, pairs.flip(0), pairs)[:, order], order < count)


def sample_two_hop(edge_index: Tensor, num_nodes: int, count: int, generator: torch.Generator) -> Tensor:
    """``count`` different non-adjacent pairs with a common neighbour, uniformly, int64 [2, count] (smaller end first).

    A wedge u - w - v is drawn uniformly, so a pair comes up in proportion to its number c of common neighbours;
    it is kept with probability 1 / c, which leaves all pairs equally likely. Where that is slow (few such
    pairs, or nearly all of them wanted) they are listed and drawn from: the same distribution.
    """
    matrix = neighbour_matrix(edge_index, num_nodes)
    taken = edge_key(edge_index, num_nodes)
    found = torch.empty(0, dtype=torch.long)
    for _ in range(ROUNDS if count_wedges(matrix)[-1] else 0):
        u, v = draw_wedges(matrix, 2 * count + 64, generator)
        kept = torch.rand(u.numel(), generator=generator, dtype=torch.double) * common_neighbours(matrix, u, v) < 1
        key = edge_key((torch.minimum(u, v), torch.maximum(u, v)), num_nodes)[kept]
        found = first_of_each(torch.cat([found, key[~torch.isin(key, taken)]]))[:count]
        if found.numel() == count:
            return key_edges(found, num_nodes)
    pairs = two_hop_pairs(edge_index, num_nodes)
    if pairs.size(1) < count:
        raise ValueError(f"count must be at most {pairs.size(1)}, the number of non-adjacent pairs with a common "
                         f"neighbour in this graph, got {count}")
    return pairs[:, torch.randperm(pairs.size(1), generator=generator)[:count]]


def two_hop_pairs(edge_index: Tensor, num_nodes: int) -> Tensor:
    """All non-adjacent pairs with a common neighbour, int64 [2, n]: where A squared is positive and A is not."""
    matrix = neighbour_matrix(edge_index, num_nodes)
    reached = sp.triu(matrix @ matrix, k=1).tocoo()
    pairs = torch.from_numpy(np.stack([reached.row, reached.col]).astype(np.int64))
    return pairs[:, ~contains(edge_index, pairs, num_nodes)]


def draw_wedges(matrix: sp.csr_array, count: int, generator: torch.Generator) -> Tensor:
    """Both ends of ``count`` wedges, each of the sum of d (d - 1) ordered wedges equally likely, int64 [2, count]."""
    wedges = count_wedges(matrix)
    at = torch.randint(int(wedges[-1]), (count,), generator=generator).numpy()
    centre = np.searchsorted(wedges, at, side="right")
    start, others = matrix.indptr[centre], np.diff(matrix.indptr)[centre] - 1
    first, second = np.divmod(wedges[centre] - 1 - at, others)
    second += second >= first  # the second end is one of the d - 1 other neighbours
    ends = matrix.indices[np.stack([start + first, start + second])]
    return torch.from_numpy(ends.astype(np.int64))


def count_wedges(matrix: sp.csr_array) -> np.ndarray:
    """How many ordered wedges have their centre at node 0..v, int64 [N]."""
    degree = np.diff(matrix.indptr).astype(np.int64)
    return np.cumsum(degree * (degree - 1))


def common_neighbours(matrix: sp.csr_array, u: Tensor, v: Tensor) -> Tensor:
    """The number of common neighbours of u[i] and v[i], int64 [n]."""
    return torch.from_numpy(np.asarray(matrix[u.numpy()].multiply(matrix[v.numpy()]).sum(axis=1), dtype=np.int64))


def in_blocks(score: Callable[[Tensor], Tensor], pairs: Tensor) -> Tensor:
    """The scores of ``BLOCK`` pairs at a time, so that what is made on the way does not grow with their number."""
    return torch.cat([score(part) for part in pairs.split(BLOCK, 1)])


def neighbour_matrix(edge_index: Tensor, num_nodes: int) -> sp.csr_array:
    """The 0/1 adjacency matrix [N, N] for scipy, whose sparse rows can be picked and multiplied entry by entry."""
    ones = np.ones(edge_index.size(1), dtype=np.int64)
    return sp.csr_array((ones, tuple(edge_index.numpy())), shape=(num_nodes, num_nodes))
