"""Randomised response of a client on the pairs with an end that it alone holds; other edges go out as they are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from ..checks import check_count, check_data, check_people
from ..late import torch
from .edge_mechanism import check_pairs, graph_of
from .edge_sampling import Places, respond
from .law import Weights
from .mechanism import AuditCase
from .some_pairs import OpenReport, SomePairsResponse, changed_in, lists_of, reported_pairs, sorted_edges

if TYPE_CHECKING:
    from torch_geometric.data import Data

KNOWN = 2  # of the four people of the trial, so many are public


@dataclass(frozen=True)
class PrivateEndResponse(SomePairsResponse):
    r"""Each pair with a private end is answered for once, truly with probability p; other edges are left alone.

    .. math:: p = \frac{e^{\varepsilon}}{e^{\varepsilon} + 1}

    **Unit.** A private edge: an undirected edge with at least one end that this client alone holds. In its part the
    nodes 0 to ``data.num_public`` - 1 are public, and all others are private.

    **Condition.** Who is public, and how many nodes the part has, is known and was fixed without a look at private
    edges; "the nodes with most links" is no such rule. An edge between two public nodes is in every client's part. It
    goes out as it is, and for it no finite epsilon holds. A client that would answer for it too hides it no better than
    with :math:`k \varepsilon`, as all k clients answer (``SymmetricResponse``).

    Proof. Two parts on the same nodes differ in one private edge. Open edges are the same in both. The pairs with a
    private end are known from the two counts alone, and one bit of theirs differs. It is sent once, with chances p and
    1 - p, and :math:`p / (1 - p) = e^{\varepsilon}`; all others have coins of their own. Attained. m edges of a private
    node cost :math:`m \varepsilon`. Warner 1965.

    A report without any edge has :math:`(1 - p)` times the number of those pairs on average. More than
    ``MOST_PAIRS`` are refused before anything is drawn, whatever the edges.

    :param epsilon: budget of a private edge, > 0; ``inf`` returns the graph as it is.

    >>> from privgraph.randomness import seeded
    >>> from torch_geometric.data import Data
    >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3, num_public=2)
    >>> told = [PrivateEndResponse(1e-9)(path, generator=seeded(seed)).edge_index for seed in range(4)]
    >>> [sorted((a, b) for a, b in edges.t().tolist() if a < b) for edges in told]  # 0 - 1 is open
    [[(0, 1)], [(0, 1), (0, 2), (1, 2)], [(0, 1), (0, 2)], [(0, 1), (0, 2), (1, 2)]]
    """

    UNIT = "private edge"

    @staticmethod
    def named(data: Data) -> int:
        """How many nodes of a part are public: the first ones."""
        n = check_people(data)
        return check_count(check_data(data, "num_public").num_public, "num_public", high=n)

    def draw(self, data: Data, generator: torch.Generator) -> OpenReport:
        """Numbers are turned round, so that private nodes come first and a pair is in the row of a private end."""
        public, n = self.named(data), data.num_nodes
        check_pairs(answered(n, public) * self.response.lie)
        between = (data.edge_index < public).all(0)
        keep = torch.full((n,), self.response.keep, dtype=torch.double)
        lie = self.response.lie * (torch.arange(n) < n - public).double()
        told = respond(n - 1 - data.edge_index[:, ~between], Places(n, once=True), keep, lie, generator, drop=lie)
        return OpenReport(n - 1 - told.flip(1), n, open_edges=sorted_edges(data.edge_index[:, between], n))

    def weights(self, lists: tuple[frozenset[int], ...], t, one=1, public: int = 0) -> Weights:
        """Of a bit for each pair (``pair_weights``).

        :param lists: one neighbour list for each person, of an undirected graph (``audit.relations``).
        :param public: how many people are, the first ones.
        """
        return self.pair_weights(lists, lambda u, v: v >= public, t, one)

    def audit_case(self) -> AuditCase:
        """All graphs of four people, of whom two are public; neighbours differ in a private edge."""
        graphs = (lists_of(chosen) for size in range(7) for chosen in combinations(combinations(range(4), 2), size))
        return AuditCase(tuple(graphs), asked, reported_pairs, lambda lists: self.distribution(lists, KNOWN),
                         lambda data: data, {("private edge", "add/remove"): change_private}, (KNOWN,))


def answered(num_nodes: int, num_public: int) -> int:
    """How many pairs have a private end."""
    return math.comb(num_nodes, 2) - math.comb(num_public, 2)


# What the trial consists of.

def asked(lists: tuple[frozenset[int], ...]) -> Data:
    data = graph_of(lists)
    data.num_public = KNOWN
    return data


def change_private(lists: tuple[frozenset[int], ...]) -> Iterator[tuple[frozenset[int], ...]]:
    """One private edge appears or disappears in both lists."""
    return changed_in(lists, lambda u, v: v >= KNOWN)
