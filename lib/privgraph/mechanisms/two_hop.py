"""Randomised response on everyone within two hops: what GraphPrivatizer is compared with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np
from scipy import sparse

from ..checks import check_generator, check_people
from ..checks.parameters import Epsilon
from ..graph import Edges, check_lists, edge_key
from ..late import torch
from ..privacy import Guarantee
from .drawing import drawing
from .edge_mechanism import EdgeReport, check_pairs, graph_cases, reported_bits
from .law import Finite, Weights, together
from .mechanism import AuditCase, GraphMechanism
from .neighbours import as_reported
from .tape import noisy

if TYPE_CHECKING:
    from torch_geometric.data import Data

BLOCK = 1 << 22  # two-hop walks that a block of people may hold


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
        kept = data.edge_index[:, ~lies(data.edge_index)]
        parts = [kept]
        for strangers in self.strangers(data):
            parts.append(strangers[:, lies(strangers)])
        return EdgeReport.sorted(torch.cat(parts, 1), data.num_nodes)

    @staticmethod
    def shows(report: EdgeReport) -> dict:
        """What of a report is no noise: of how many people it speaks."""
        return {"people": report.num_nodes}

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
        """At most so long are all reports together on average: a two-hop walk leads to at most one more stranger."""
        n, degree = data.num_nodes, Edges(data.edge_index, data.num_nodes).degree
        strangers = min(int((degree * (degree - 1)).sum()), n * (n - 1))
        return self.keep * data.edge_index.size(1) + (1 - self.keep) * strangers

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
