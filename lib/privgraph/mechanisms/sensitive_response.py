"""Randomised response on the pairs of people who are known to be sensitive; all other edges go out as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from ..checks import check_data, check_mask, check_people
from ..late import pyg, torch
from .edge_mechanism import graph_of
from .law import Weights
from .mechanism import AuditCase
from .some_pairs import OpenReport, SomePairsResponse, changed_in, lists_of, reported_pairs, sorted_edges

if TYPE_CHECKING:
    from torch import Tensor
    from torch_geometric.data import Data

TRIED = (True, True, False, True)  # who of four people is sensitive in the trial


@dataclass(frozen=True)
class SensitiveResponse(SomePairsResponse):
    r"""Each pair of sensitive people is answered for once, truly with probability p; other edges are left alone.

    .. math:: p = \frac{e^{\varepsilon}}{e^{\varepsilon} + 1}

    **Unit.** A sensitive link: an undirected edge between two of the people in ``data.sensitive_users`` (bool [N]).

    **Condition.** That list is public, and was fixed without a look at these links: by office, by request, or by
    a count of the other links. A list made of degrees that count them changes with them, and then nothing holds. All
    other edges are public: they go out as they are, so of an undirected edge in general no finite epsilon holds.

    Proof. Let two graphs on the same list differ in one sensitive link. What goes out as it is is the same in both.
    The pairs of the list are numbered by the list alone, and one bit of theirs differs, which is sent once: its chances
    are p and 1 - p, and :math:`p / (1 - p) = e^{\varepsilon}`. The others are answered for with coins of their own.
    Attained. k links cost :math:`k \varepsilon`: all that one of n' listed people has, at most (n' - 1) times that.

    Where epsilon goes to 0 the answers become fair coins and say nothing of the links: no more than deletion, which
    sends none. (Deletion has epsilon 0 under the same condition.) What the open edges tell about a sensitive link is
    known to all in both graphs, and no epsilon speaks of it. Warner 1965.

    :param epsilon: budget of a sensitive link, > 0; ``inf`` returns the graph as it is.

    >>> from privgraph.randomness import seeded
    >>> from torch_geometric.data import Data
    >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
    >>> path.sensitive_users = torch.tensor([True, False, True])
    >>> answers = [SensitiveResponse(1e-9)(path, generator=seeded(seed)).num_edges // 2 for seed in range(6)]
    >>> answers      # 0 - 1 and 1 - 2 are open, and 0 - 2 is a coin
    [2, 3, 2, 3, 3, 2]
    """

    UNIT = "sensitive link"

    @staticmethod
    def named(data: Data) -> Tensor:
        """Who is publicly known as sensitive, bool [N]."""
        n = check_people(data)
        return check_mask(check_data(data, "sensitive_users").sensitive_users, "sensitive_users", n)

    def draw(self, data: Data, generator: torch.Generator) -> OpenReport:
        users, n = self.named(data), data.num_nodes
        listed, = torch.where(users)
        number = users.cumsum(0) - 1  # of each sensitive person among them, in the same order
        between = users[data.edge_index].all(0)
        inner = pyg.data.Data(edge_index=number[data.edge_index[:, between]], num_nodes=listed.numel())
        noisy = self.response.draw(inner, generator).edge_index if listed.numel() else inner.edge_index
        return OpenReport(listed[noisy], n, open_edges=sorted_edges(data.edge_index[:, ~between], n))

    def weights(self, lists: tuple[frozenset[int], ...], t, one=1, users: tuple[bool, ...] | None = None) -> Weights:
        """Of a bit for each pair (``pair_weights``).

        :param lists: one neighbour list for each person, of an undirected graph (``audit.relations``).
        :param users: who is sensitive; by default everybody.
        """
        users = (True,) * len(lists) if users is None else users
        return self.pair_weights(lists, lambda u, v: users[u] and users[v], t, one)

    def audit_case(self) -> AuditCase:
        """Four people, three of them sensitive, with and without open edges; neighbours differ in a sensitive link."""
        pairs = [pair for pair in combinations(range(4), 2) if all(TRIED[u] for u in pair)]
        graphs = (lists_of((*open_edges, *chosen)) for open_edges in ((), ((0, 2), (2, 3)))
                  for size in range(4) for chosen in combinations(pairs, size))
        return AuditCase(tuple(graphs), asked, reported_pairs, lambda lists: self.distribution(lists, TRIED),
                         lambda data: data, {("sensitive link", "add/remove"): change_sensitive}, (TRIED,))


# What the trial consists of.

def asked(lists: tuple[frozenset[int], ...]) -> Data:
    data = graph_of(lists)
    data.sensitive_users = torch.tensor(TRIED)
    return data


def change_sensitive(lists: tuple[frozenset[int], ...]) -> Iterator[tuple[frozenset[int], ...]]:
    """One sensitive link appears or disappears in both lists."""
    return changed_in(lists, lambda u, v: TRIED[u] and TRIED[v])
