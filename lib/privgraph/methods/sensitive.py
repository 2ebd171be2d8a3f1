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
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from ..checks import (
    check_count,
    check_flag,
    check_generator,
    check_mask,
    check_number,
    check_pairs,
)
from ..graph import Graph, edge_key, key_edges, with_edge_index

if TYPE_CHECKING:
    from torch_geometric.data import Data


@dataclass(frozen=True, eq=False)
class Hidden:
    """A graph and what of it is sensitive: ``users`` bool [N], ``links`` int64 [2, S], each once, lower end first."""

    graph: Graph
    users: Tensor
    links: Tensor

    @classmethod
    def of(cls, data: Data, degree: int | None = None) -> Hidden:
        """What ``data`` says itself; where it says nothing, all links between users of at least ``degree`` links.

        Where it does not say who is sensitive, the ends of its sensitive links are.
        """
        graph = Graph.of(data)
        if "sensitive" not in data:
            if degree is None:
                raise ValueError("sensitive_degree must say from how many links on a user is sensitive, as data have "
                                 "no list of their own (sensitive, int64 [2, S]); got None")
            return cls.by_degree(graph, degree, "sensitive_degree")
        links = check_pairs(data.sensitive, graph.num_nodes, "sensitive", "S")
        if (missing := int((~graph.has(links)).sum())) > 0 or links.size(1) == 0:
            raise ValueError("sensitive must hold at least one link, and links of the graph only, "
                             f"got {links.size(1)} pairs, {missing} of which are none")
        if "sensitive_users" in data:
            return cls(graph, check_mask(data.sensitive_users, "sensitive_users", graph.num_nodes), links)
        return cls(graph, torch.zeros(graph.num_nodes, dtype=torch.bool).index_fill(0, links.unique(), True), links)

    @classmethod
    def by_degree(cls, graph: Graph, degree: int, name: str = "degree") -> Hidden:
        """Who has at least ``degree`` links, and all links between them (as Table 3.1; Definition 2 says more).

        :param name: of the degree, for messages.
        """
        users = popular(graph, degree, name)
        links = graph.among(users).links
        if links.size(1) == 0:
            most = int(graph.degree[graph.edge_index].min(0).values.max())
            raise ValueError(f"{name} must be at most {most}, so that a link between sensitive users is left, got "
                             f"{degree}")
        return cls(graph, users, links)

    @cached_property
    def training(self) -> Graph:
        """The graph without sensitive links."""
        return self.graph.without(self.links)

    @property
    def sensitive(self) -> Graph:
        """The privacy graph of sensitive links alone."""
        return Graph.made(self.links, self.graph.num_nodes)

    def trimmed(self, radius: int) -> Graph:
        """The privacy graph by trimming: links whose two ends are fewer than ``radius`` steps from a sensitive link.

        Section 3.3.1 (i): with radius 1 the links between sensitive users, with 2 also those between them and their
        neighbours, and among these. Sensitive users are the ends of sensitive links.
        """
        edges, near = self.graph.edge_index, torch.zeros(self.graph.num_nodes, dtype=torch.bool)
        near[self.links.unique()] = True
        for _ in range(check_count(radius, "radius", low=1) - 1):
            near = near.index_fill(0, edges[1, near[edges[0]]], True)
        return self.graph.among(near)

    def added(self, target: int, by_degree: bool = False) -> Graph:
        r"""The privacy graph by addition (Algorithm 1): friends of one end of a sensitive link are linked to the other.

        For each sensitive link (i, j), in order, at most U friends x of i that are two steps from j, one way of which
        does not pass i, are linked to j; those of low number first, and no pair twice. Distances are those of the
        original graph. The text bounds each link by

        .. math:: U = \frac{M}{N} \cdot \frac{d(i) + d(j)}{2 D},

        with D the mean degree of sensitive users; the counts that Table 3.1 prints for Yale and Rochester are those of
        :math:`U = \lfloor M / N \rfloor`, which is what is done unless ``by_degree``. On Cora and Citeseer too few
        such friends are there: 222 and 267 links are added, where 405 and 434 are printed, which we do not find again.

        :param target: M, the number of links to be added, at least N, the number of sensitive links; fewer are, as the
            bound is rounded down.
        """
        most = self.bounds(check_count(target, "target", low=self.links.size(1)), check_flag(by_degree, "by_degree"))
        link, friend = self.candidates()
        pair = torch.stack([friend, self.links[1, link]])
        taken = chosen(link, edge_key(pair.sort(0).values, self.graph.num_nodes), most)
        return self.graph.plus(pair[:, taken])

    def bounds(self, target: int, by_degree: bool) -> Tensor:
        """U of each sensitive link, int64 [S]."""
        even = target / self.links.size(1)
        if not by_degree:
            return torch.full((self.links.size(1),), int(even))
        degree = self.graph.degree.double()
        return (even * degree[self.links].sum(0) / (2 * degree[self.links.unique()].mean())).long()

    def candidates(self) -> tuple[Tensor, Tensor]:
        """(link, friend) int64 [C] each: for each sensitive link (i, j) the friends of i that may be linked to j, in
        order.

        A friend x of i that knows j already is none. Of the ways of two steps from x to j one passes i, so there must
        be two.
        """
        (i, j), n = self.links, self.graph.num_nodes
        row, column = key_edges(self.graph.key, n).numpy()
        lists = sparse.csr_matrix((np.ones(len(row), dtype=np.int32), (row, column)), shape=(n, n))
        link, friend = lists[i.numpy()].nonzero()
        far, place = j.unique(return_inverse=True)
        ways, known = lists[far.numpy()] @ lists, lists[far.numpy()]
        ways.sort_indices()  # a product's columns come in any order, and each look-up would go through a whole row
        at = place.numpy()[link], friend
        good = (ways[at].A1 >= 2) & (known[at].A1 == 0) & (friend != j.numpy()[link])
        return torch.from_numpy(link[good]).long(), torch.from_numpy(friend[good]).long()


def sensitive_users(data: Data, degree: int) -> Tensor:
    """Who has at least ``degree`` links, bool [N] (Definition 2).

    :raises ValueError: where nobody has so many links.

    >>> from privgraph.datasets import load
    >>> sensitive_users(load("karate"), 12).nonzero().view(-1).tolist()
    [0, 32, 33]
    """
    return popular(Graph.of(data), degree)


def popular(graph: Graph, degree: int, name: str = "degree") -> Tensor:
    users = graph.degree >= check_count(degree, name, low=1)
    if not users.any():
        raise ValueError(f"{name} must leave at least one sensitive user, got {degree}, and nobody has more than "
                         f"{int(graph.degree.max())} links")
    return users


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
    hidden = Hidden.by_degree(Graph.of(data), degree)
    links = hidden.links
    if fraction < 1:
        order = torch.randperm(links.size(1), generator=check_generator(generator))
        links = links[:, order[:max(1, round(fraction * links.size(1)))].sort().values]
    data = copy.copy(data)
    data.sensitive, data.sensitive_users = links, hidden.users
    return data


def without_links(data: Data, pairs: Tensor) -> Data:
    """A copy without the links ``pairs`` int64 [2, n], in both directions. Who had no other link is isolated then."""
    graph = Graph.of(data)
    return with_edge_index(data, graph.without(check_pairs(pairs, graph.num_nodes)).edge_index)


def without_users(data: Data, users: Tensor) -> Data:
    """A copy without any link of ``users`` bool [N]; they stay, isolated."""
    graph = Graph.of(data)
    return with_edge_index(data, graph.among(~check_mask(users, "users", graph.num_nodes)).edge_index)


def trimmed(data: Data, radius: int) -> Data:
    """The privacy graph by trimming, as ``Hidden.trimmed`` says."""
    return with_edge_index(data, Hidden.of(data).trimmed(radius).edge_index)


def added(data: Data, target: int, by_degree: bool = False) -> Data:
    """The privacy graph by addition, as ``Hidden.added`` says."""
    return with_edge_index(data, Hidden.of(data).added(target, by_degree).edge_index)


def chosen(link: Tensor, key: Tensor, most: Tensor) -> Tensor:
    """Which candidates [C] are taken if links choose one after the other, ``most`` [S] each, and no ``key`` twice.

    All choose at once, again and again, each of what nobody before her has taken. The first is right after one round,
    and whoever has only right ones before her is right after one more; it ends when nothing changes.
    """
    _, name = key.unique(return_inverse=True)
    taken = torch.zeros(len(key), dtype=torch.bool)
    start = torch.searchsorted(link, torch.arange(len(most)))
    while True:
        holder = torch.full_like(key, len(most)).scatter_reduce(0, name[taken], link[taken], "amin")
        free = holder[name] >= link
        count = torch.cat([free.new_zeros(1), free]).long().cumsum(0)  # of those that are free, before each place
        now = free & (count[1:] - count[start][link] <= most[link])
        if torch.equal(now, taken):
            return taken
        taken = now
