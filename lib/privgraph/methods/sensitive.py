r"""Sensitive links: who chooses them, and graphs without them or with more of what surrounds them.

The dissertation's Definitions 2 and 3 and section 3.3.1. A user is sensitive if she has at least :math:`\lambda` links
(Table 3.1 counts so; Definition 2 says more than), and a link between two of them is a candidate. The owner chooses
some of these or all. A graph carries the choice: ``data.sensitive`` int64 [2, S], each link once, lower end first, and
``data.sensitive_users`` bool [N].

Who is sensitive then depends on the very links that are to be hidden: one more makes a user sensitive, and that all her
links to others of her kind are gone tells of it. A list that was made otherwise can be set by hand.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from ..checks import check_count, check_data, check_edge_index, check_flag, check_generator, check_mask, check_number
from ..checks.tensors import check_pairs, edge_key
from ..graph import contains, degrees, to_undirected

if TYPE_CHECKING:
    from torch_geometric.data import Data


def sensitive_users(data: Data, degree: int) -> Tensor:
    """Who has at least ``degree`` links, bool [N] (Definition 2).

    :raises ValueError: where nobody has so many links.

    >>> from privgraph.datasets import load
    >>> sensitive_users(load("karate"), 12).nonzero().view(-1).tolist()
    [0, 32, 33]
    """
    check_edge_index(check_data(data, "edge_index").edge_index, data.num_nodes)
    links = degrees(data.edge_index, data.num_nodes)
    users = links >= check_count(degree, "degree", low=1)
    if not users.any():
        raise ValueError(f"degree must leave at least one sensitive user, got {degree}, and nobody has more than "
                         f"{int(links.max())} links")
    return users


def links_between(data: Data, users: Tensor) -> Tensor:
    """The links whose two ends are in ``users`` bool [N], each once, lower end first, int64 [2, S]."""
    edges = data.edge_index[:, data.edge_index[0] < data.edge_index[1]]
    return edges[:, check_mask(users, "users", data.num_nodes)[edges].all(0)]


def mark_sensitive(data: Data, degree: int, fraction: float = 1.0, generator: torch.Generator | None = None) -> Data:
    """A copy that carries ``sensitive`` and ``sensitive_users`` (Definition 3; customisation: section 3.4.4).

    :param degree: lambda, the number of links from which on a user is sensitive.
    :param fraction: of the links between sensitive users that are sensitive, in (0, 1], drawn at random; at least one.
    :param generator: for a share below 1.
    :raises ValueError: where there is no link between sensitive users.

    >>> from privgraph.datasets import load
    >>> mark_sensitive(load("karate"), 10).sensitive.tolist()
    [[0, 2, 32], [2, 32, 33]]
    """
    check_number(fraction, "fraction", low=0, high=1, open_low=True)
    users = sensitive_users(data, degree)
    links = links_between(data, users)
    if links.size(1) == 0:
        most = int(degrees(data.edge_index, data.num_nodes)[data.edge_index].min(0).values.max())
        raise ValueError(f"degree must leave at least one link between sensitive users, got {degree}; at most {most} "
                         "does here (of a method it is sensitive_degree, on the command line --sensitive-degree)")
    if fraction < 1:
        order = torch.randperm(links.size(1), generator=check_generator(generator))
        links = links[:, order[:max(1, round(fraction * links.size(1)))].sort().values]
    data = copy.copy(data)
    data.sensitive, data.sensitive_users = links, users
    return data


def marked(data: Data, degree: int | None) -> Data:
    """``data`` where it says itself what is sensitive, else a copy in which ``mark_sensitive`` does."""
    if "sensitive" not in data:
        if degree is None:
            raise ValueError("data must have sensitive, int64 [2, S]; or say from which sensitive_degree on users are")
        return mark_sensitive(data, degree)
    links = check_pairs(data.sensitive, data.num_nodes, "sensitive", "S")
    if links.size(1) == 0 or not contains(data.edge_index, links, data.num_nodes).all():
        raise ValueError("sensitive must hold at least one link, and links of the graph only")
    return data


def listed(data: Data) -> Tensor:
    """Who is sensitive, bool [N]: as the graph says, or else the ends of its sensitive links."""
    if "sensitive_users" in data:
        return check_mask(data.sensitive_users, "sensitive_users", data.num_nodes)
    return torch.zeros(data.num_nodes, dtype=torch.bool).index_fill(0, data.sensitive.unique(), True)


def with_edges(data: Data, edge_index: Tensor) -> Data:
    data = copy.copy(data)
    data.edge_index = edge_index
    return data


def without_links(data: Data, pairs: Tensor) -> Data:
    """A copy without the links ``pairs`` [2, n], in both directions. Who had no other link is isolated then.

    :param pairs: int64 [2, n], each in either direction.
    """
    check_pairs(pairs, check_data(data, "edge_index").num_nodes)
    both = torch.cat([pairs, pairs.flip(0)], 1)
    return with_edges(data, data.edge_index[:, ~contains(both, data.edge_index, data.num_nodes)])


def without_users(data: Data, users: Tensor) -> Data:
    """A copy without any link of ``users`` bool [N]; they stay, isolated."""
    gone = check_mask(users, "users", check_data(data, "edge_index").num_nodes)
    return with_edges(data, data.edge_index[:, ~gone[data.edge_index].any(0)])


def only_links(data: Data, pairs: Tensor) -> Data:
    """A copy with the links ``pairs`` [2, n] and no others."""
    return with_edges(data, to_undirected(pairs, data.num_nodes))


def trimmed(data: Data, radius: int) -> Data:
    """The privacy graph by trimming: links whose two ends are fewer than ``radius`` steps from a sensitive user.

    Section 3.3.1 (i): with radius 1 the links between sensitive users, with 2 also those between them and their
    neighbours, and among these. Sensitive users are the ends of ``data.sensitive``.
    """
    near = torch.zeros(data.num_nodes, dtype=torch.bool)
    near[check_data(data, "edge_index", "sensitive").sensitive.unique()] = True
    for _ in range(check_count(radius, "radius", low=1) - 1):
        near = near.index_fill(0, data.edge_index[1, near[data.edge_index[0]]], True)
    return with_edges(data, data.edge_index[:, near[data.edge_index].all(0)])


def added(data: Data, target: int, by_degree: bool = False) -> Data:
    r"""The privacy graph by addition (Algorithm 1): friends of one end of a sensitive link are linked to the other.

    For each sensitive link (i, j), in order, at most U friends x of i that are two steps from j, one way of which does
    not pass i, are linked to j; those of low number first, and no pair twice. Distances are those of the original
    graph. The text bounds each link by

    .. math:: U = \frac{M}{N} \cdot \frac{d(i) + d(j)}{2 D},

    with D the mean degree of sensitive users; the counts that Table 3.1 prints for Yale and Rochester are those of
    :math:`U = \lfloor M / N \rfloor`, which is what is done unless ``by_degree``. On Cora and Citeseer too few such
    friends are there: 222 and 267 links are added, where 405 and 434 are printed, which we do not find again.

    :param data: with ``sensitive``, N links.
    :param target: M, the number of links to be added, at least N; fewer are, as the bound is rounded down.
    """
    links, n = check_data(data, "edge_index", "sensitive").sensitive, data.num_nodes
    most = bounds(data, check_count(target, "target", low=links.size(1)), check_flag(by_degree, "by_degree"))
    link, friend = candidates(data)
    pair = torch.stack([friend, links[1, link]])
    taken = chosen(link, edge_key(pair.sort(0).values, n), most)
    return with_edges(data, to_undirected(torch.cat([data.edge_index, pair[:, taken]], 1), n))


def bounds(data: Data, target: int, by_degree: bool) -> Tensor:
    """U of each sensitive link, int64 [S]."""
    links = data.sensitive
    even = target / links.size(1)
    if not by_degree:
        return torch.full((links.size(1),), int(even))
    degree = degrees(data.edge_index, data.num_nodes).double()
    return (even * degree[links].sum(0) / (2 * degree[links.unique()].mean())).long()


def candidates(data: Data) -> tuple[Tensor, Tensor]:
    """(link, friend) int64 [C] each: for each sensitive link (i, j) the friends of i that may be linked to j, in order.

    A friend x of i that knows j already is none. Of the ways of two steps from x to j one passes i, so there must be
    two.
    """
    (i, j), n = data.sensitive, data.num_nodes
    row, column = to_undirected(data.edge_index, n).numpy()
    lists = sparse.csr_matrix((np.ones(len(row), dtype=np.int32), (row, column)), shape=(n, n))
    link, friend = lists[i.numpy()].nonzero()
    far, place = j.unique(return_inverse=True)
    ways, known = lists[far.numpy()] @ lists, lists[far.numpy()]
    ways.sort_indices()  # a product's columns come in any order, and each look-up would go through a whole row
    at = place.numpy()[link], friend
    good = (ways[at].A1 >= 2) & (known[at].A1 == 0) & (friend != j.numpy()[link])
    return torch.from_numpy(link[good]).long(), torch.from_numpy(friend[good]).long()


def chosen(link: Tensor, key: Tensor, most: Tensor) -> Tensor:
    """Which candidates [C] are taken if links choose one after the other, ``most`` [S] each, and no ``key`` twice.

    All choose at once, again and again, each of what nobody before her has taken. The first is right after one round,
    and whoever has only right ones before her is right after one more; it ends when nothing changes.
    """
    first = torch.zeros(len(key), dtype=torch.long)
    _, name = key.unique(return_inverse=True)
    taken = torch.zeros(len(key), dtype=torch.bool)
    start = torch.searchsorted(link, torch.arange(len(most)))
    while True:
        holder = torch.full((int(name.max()) + 1 if len(name) else 1,), len(most))
        holder = holder.scatter_reduce(0, name[taken], link[taken], "amin")
        free = holder[name] >= link
        count = free.long().cumsum(0)
        before = (count - free.long())[start.clamp(max=max(len(link) - 1, 0))] if len(link) else first
        now = free & (count - before[link] <= most[link])
        if torch.equal(now, taken):
            return taken
        taken = now
