"""Randomised response on everyone within two hops: what GraphPrivatizer is compared with."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

import numpy as np
from scipy import sparse

from ..checks import check_generator, check_people
from ..checks.parameters import Epsilon
from ..effort import WALKED, Effort, Extent
from ..graph import Edges, check_lists, edge_key, lookup
from ..late import torch
from ..privacy import Guarantee
from .drawing import drawing
from .edge_mechanism import EdgeReport, check_pairs, graph_cases, reported_bits
from .edge_sampling import sample_ranks
from .law import Finite, Weights, together
from .mechanism import AuditCase, GraphMechanism
from .neighbours import as_reported
from .tape import noisy

if TYPE_CHECKING:
    from torch import Tensor
    from torch_geometric.data import Data

BLOCK = 1 << 22  # two-hop walks that a block of people may hold
LISTED = 1 << 27  # two-hop walks up to which all pairs are listed, and a bit is drawn for each


@dataclass(frozen=True)
class TwoHopResponse(Finite, GraphMechanism):
    r"""The baseline of GraphPrivatizer's section 5.1: randomised response on everyone within two hops.

    Person v keeps each neighbour with probability :math:`e^{\varepsilon} / (e^{\varepsilon} + 1)` and adds each node at
    distance two with probability :math:`1 / (e^{\varepsilon} + 1)`. Which nodes are within two hops depends on the
    edges, so no finite epsilon holds: without the edge (u, v), neighbours of u can leave v's view, and then
    they are never reported. It is :math:`\varepsilon` for a friend of a friend only. The server sees the reported
    lists. Lists that would be too long are refused before they are drawn. That tells how many two-hop walks there are,
    and costs nothing beyond an epsilon of inf.

    :param epsilon: the paper's budget, > 0; ``inf`` changes nothing.
    """

    epsilon: Annotated[float, Epsilon()]

    @property
    def keep(self) -> float:
        """The probability of the truth."""
        return 1 / (1 + math.exp(-self.epsilon))

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        return (Guarantee(math.inf, unit="neighbour slot", relation="add/remove", basis="proved", claimed=self.epsilon),
                Guarantee(math.inf, unit="undirected edge", relation="add/remove", basis="proved"))

    def __call__(self, data: Data, *, generator: torch.Generator) -> Data:
        """A copy of ``data`` with the reported edges (w, v), int64 [2, E'], sorted by v and w."""
        return as_reported(self, data, generator)

    @noisy
    def report(self, data: Data, *, generator: torch.Generator) -> EdgeReport:
        """What leaves people's hands; all that the server sees."""
        check_generator(generator), check_lists(data.edge_index, check_people(data))
        check_pairs(self.most_pairs(data), "lists of everyone within two hops are expected to hold up to")
        draw, lie = drawing(generator), math.exp(-self.epsilon) * self.keep
        def lies(pairs):
            return draw.lies(self.keep, lie, pairs.size(1))
        parts = [data.edge_index[:, ~lies(data.edge_index)]]
        if self.walks(data) > LISTED:
            parts.append(Walks.of(data.edge_index, data.num_nodes).drawn(lie, generator))
        else:
            parts += [strangers[:, lies(strangers)] for strangers in self.strangers(data)]
        return EdgeReport.sorted(torch.cat(parts, 1), data.num_nodes)

    @staticmethod
    def shows(report: EdgeReport) -> dict:
        """What of a report is no noise: of how many people it speaks."""
        return {"people": report.num_nodes}

    def effort(self, extent: Extent) -> tuple[Extent, Effort]:
        """As of a graph where all have the mean degree; of others with as many edges there are more walks."""
        walks = extent.entries**2 / max(extent.nodes, 1)
        told = self.keep * extent.entries + (1 - self.keep) * walks
        check_pairs(told, "lists of everyone within two hops are expected to hold at least")
        reported, each = super().effort(replace(extent, edges=int(told / 2)))
        return reported, each + Effort(WALKED * walks)

    @classmethod
    def examples(cls) -> "tuple[TwoHopResponse, ...]":
        return (cls(1.0),)

    def audit_case(self) -> AuditCase:
        return graph_cases(lambda report: reported_bits(report, once=False), self.distribution)

    def weights(self, lists: tuple[frozenset[int], ...], t, one=1) -> Weights:
        """Of everybody's bits, one for each other person (few people): t for a true one, 1 for a false one, and nobody
        names who is further away; t = e^epsilon.

        :param lists: one neighbour list for each person (``audit.relations``).
        """
        def row(v: int, friends: frozenset[int]) -> Weights:
            view = friends.union(*(lists[u] for u in friends))
            return together(({0: one, 1: t} if u in friends else {0: t, 1: one}) if u in view else {0: 1}
                            for u in range(len(lists)) if u != v)
        return together(row(v, friends) for v, friends in enumerate(lists))

    def most_pairs(self, data: Data) -> float:
        """At most so long are all reports together on average: a two-hop walk leads to at most one more stranger.

        Where walks are drawn and not listed, several to one stranger count each.
        """
        n, walks = data.num_nodes, self.walks(data)
        strangers = walks if walks > LISTED else min(walks, n * (n - 1))
        return self.keep * data.edge_index.size(1) + (1 - self.keep) * strangers

    @staticmethod
    def walks(data: Data) -> int:
        """How many walks of two steps do not end where they began; of an undirected graph."""
        degree = Edges(data.edge_index, data.num_nodes).degree
        return int((degree * (degree - 1)).sum())

    @staticmethod
    def strangers(data: Data):
        """The pairs (w, v) with w at distance two from v, in blocks of persons v."""
        n, (source, target) = data.num_nodes, data.edge_index.numpy()
        lists = sparse.csr_matrix((np.ones(len(source), dtype=np.int32), (target, source)), shape=(n, n))
        work = np.append(0, np.cumsum(lists @ np.diff(lists.indptr)))  # two-hop walks up to each person
        first = 0
        while first < n:
            last = max(first + 1, int(np.searchsorted(work, work[first] + BLOCK, side="right")) - 1)
            here = lists[first:last]
            reach = (here @ lists).tocoo()
            v, w = reach.row.astype(np.int64) + first, reach.col.astype(np.int64)
            key, known = edge_key((v, w), n), here.tocoo()
            near = edge_key((known.row.astype(np.int64) + first, known.col), n)
            fresh = (v != w) & ~np.isin(key, near)
            yield torch.from_numpy(np.stack([w[fresh], v[fresh]]))
            first = last


@dataclass(frozen=True, eq=False)
class Walks:
    """The walks w-u-v of two steps, w in u's list and u in v's, many of which may lead from w to v.

    Nodes have other numbers here, the more neighbours the lower: so the first walk of a pair is soon found.

    :param name: int64 [N], which node has each number.
    :param lists: int64 [E], v N + u where u is in v's list; sorted.
    :param hearers: int64 [E], w N + u where w is in u's list; sorted.
    """

    name: Tensor
    lists: Tensor
    hearers: Tensor

    @classmethod
    def of(cls, edge_index: Tensor, n: int) -> Walks:
        """Of these lists, int64 [2, E]."""
        name = torch.bincount(edge_index.flatten(), minlength=n).argsort(descending=True, stable=True)
        number = torch.empty_like(name)
        number[name] = torch.arange(n)
        near, person = number[edge_index]
        return cls(name, *(edge_key(ends, n).sort().values for ends in ((person, near), (near, person))))

    @cached_property
    def starts(self) -> tuple[Tensor, Tensor]:
        """Where each node's list, and where her hearers begin, int64 [N + 1] each."""
        ends = torch.arange(len(self.name) + 1) * len(self.name)
        return torch.searchsorted(self.lists, ends), torch.searchsorted(self.hearers, ends)

    def drawn(self, rate: float, generator: torch.Generator) -> Tensor:
        """Each pair (w, v) with w at distance two from v with probability ``rate``, independently; int64 [2, s].

        Each walk is drawn with that probability, and speaks for its pair only if no other comes before it.
        """
        (lists, hearers), n = (start[:-1] for start in self.starts), len(self.name)
        told, heard = (start.diff() for start in self.starts)
        ends = (told * heard).cumsum(0)
        parts = [torch.empty(2, 0, dtype=torch.long)]
        for walk in sample_ranks(told * heard, torch.full((n,), rate, dtype=torch.double), generator).split(BLOCK):
            u = torch.searchsorted(ends, walk, right=True)
            place = walk - (ends - told * heard)[u]
            w = self.lists[lists[u] + place // heard[u]] % n
            v = self.hearers[hearers[u] + place % heard[u]] % n
            fresh, = torch.where((w != v) & ~lookup(self.lists, edge_key((v, w), n))[0])
            w, u, v = w[fresh], u[fresh], v[fresh]
            first = self.first(w, u, v)
            parts.append(self.name[torch.stack([w[first], v[first]])])
        return torch.cat(parts, 1)

    def first(self, w: Tensor, u: Tensor, v: Tensor) -> Tensor:
        """Whether no node of a lower number than u is in v's list and has w in hers, bool [s]: by a look at all before
        u, of v's list or of w's hearers, whichever are fewer."""
        n, (lists, hearers) = len(self.name), self.starts
        mine = torch.searchsorted(self.lists, edge_key((v, u), n)) - lists[v]
        hers = torch.searchsorted(self.hearers, edge_key((w, u), n)) - hearers[w]
        few, first = torch.minimum(mine, hers), torch.ones(len(u), dtype=torch.bool)
        ends = few.cumsum(0)
        for part in torch.arange(len(u)).split((ends // BLOCK).unique_consecutive(return_counts=True)[1].tolist()):
            at = part.repeat_interleave(few[part])
            place = torch.arange(len(at)) - (ends - few)[at] + (ends - few)[part[0]]
            short = mine[at] <= hers[at]
            other = torch.where(short, self.lists[lists[v[at]] + place], self.hearers[hearers[w[at]] + place]) % n
            both = torch.where(short, lookup(self.hearers, edge_key((w[at], other), n))[0],
                               lookup(self.lists, edge_key((v[at], other), n))[0])
            first[at[both]] = False
        return first
