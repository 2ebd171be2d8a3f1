"""Randomised response on the pairs of people who are known to be sensitive; all other edges go out as they are."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

import torch
from torch import Tensor
from torch_geometric.data import Data

from ..checks import check_count, check_data, check_epsilon, check_fields, check_mask, check_people
from ..graph import edge_key, key_edges
from ..privacy import Guarantee
from .edge_mechanism import MOST_AUDITED, EdgeMechanism, EdgeReport, graph_of
from .edge_response import SymmetricResponse
from .edge_sampling import merge
from .mechanism import Trial

TRIED = (True, True, False, True)  # who of four people is sensitive in the trial


@dataclass(frozen=True)
class SensitiveReport(EdgeReport):
    """What the server receives: in ``edge_index`` the noisy pairs, each once, and in ``open_edges`` int64 [2, E']
    both directions of all edges that are not between two sensitive people, as they are."""

    open_edges: Tensor | None = None


@dataclass(frozen=True)
class SensitiveResponse(EdgeMechanism):
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
    >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
    >>> path.sensitive_users = torch.tensor([True, False, True])
    >>> answers = [SensitiveResponse(1e-9)(path, generator=seeded(seed)).num_edges // 2 for seed in range(6)]
    >>> answers      # 0 - 1 and 1 - 2 are open, and 0 - 2 is a coin
    [2, 3, 2, 3, 3, 2]
    """

    epsilon: float

    def __post_init__(self):
        check_fields(self, check_epsilon, "epsilon")

    @classmethod
    def examples(cls) -> "tuple[SensitiveResponse, ...]":
        return (cls(1.0),)

    @property
    def silent(self) -> bool:
        return math.isinf(self.epsilon)

    @property
    def response(self) -> SymmetricResponse:
        """What answers for all pairs of a graph of sensitive people."""
        return SymmetricResponse(self.epsilon)

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What holds for a sensitive link; and that nothing does for an undirected edge in general."""
        return (Guarantee(self.epsilon, unit="sensitive link", relation="add/remove", basis="proved"),
                Guarantee(math.inf, unit="undirected edge", relation="add/remove", basis="proved"))

    def __call__(self, data: Data, *, generator: torch.Generator) -> Data:
        """A shallow copy of ``data`` with the graph that the server makes of the reports."""
        sensitive(data)
        return super().__call__(data, generator=generator)

    def draw(self, data: Data, generator: torch.Generator) -> SensitiveReport:
        users, n = sensitive(data), data.num_nodes
        listed, = torch.where(users)
        number = users.cumsum(0) - 1  # of each sensitive person among them, in the same order
        between = users[data.edge_index].all(0)
        inner = Data(edge_index=number[data.edge_index[:, between]], num_nodes=listed.numel())
        noisy = self.response.draw(inner, generator).edge_index if listed.numel() else inner.edge_index
        return SensitiveReport(listed[noisy], n, open_edges=sorted_edges(data.edge_index[:, ~between], n))

    def infer(self, report: SensitiveReport) -> tuple[Tensor, None]:
        """Both directions of every reported pair, and the other edges."""
        told, n = report.edge_index, report.num_nodes
        keys = (edge_key(edges, n) for edges in (told.flip(0), told, report.open_edges))
        return key_edges(merge(*keys), n), None

    def shows(self, report: SensitiveReport) -> dict:
        """What of a report is no noise: the other edges too."""
        return super().shows(report) | {"open edges": report.open_edges}

    def distribution(self, lists: tuple[frozenset[int], ...],
                     users: tuple[bool, ...] | None = None) -> dict[tuple[int, ...], float]:
        """Pr[a bit for each pair 0-1, 0-2, .. | lists], for the exact audit of graphs of up to 4 people.

        :param lists: one neighbour list for each person, of an undirected graph (``audit.relations``).
        :param users: who is sensitive; by default everybody.
        """
        n = check_count(len(lists), "number of lists", low=1, high=MOST_AUDITED)
        users = (True,) * n if users is None else users
        answer = self.response.keep, self.response.lie
        ones = [answer[v not in lists[u]] if users[u] and users[v] else float(v in lists[u])
                for u, v in combinations(range(n), 2)]
        table = {bits: math.prod(p if bit else 1 - p for bit, p in zip(bits, ones, strict=True))
                 for bits in product((0, 1), repeat=len(ones))}
        return {bits: p for bits, p in table.items() if p}

    def trial(self) -> Trial:
        """Four people, three of them sensitive, with and without open edges; neighbours differ in a sensitive link."""
        pairs = [pair for pair in combinations(range(4), 2) if all(TRIED[u] for u in pair)]
        graphs = (lists_of((*open_edges, *chosen)) for open_edges in ((), ((0, 2), (2, 3)))
                  for size in range(4) for chosen in combinations(pairs, size))
        return Trial(tuple(graphs), asked, reported_pairs, lambda lists: self.distribution(lists, TRIED),
                     lambda data: data, {("sensitive link", "add/remove"): change_sensitive})


def sorted_edges(edges: Tensor, num_nodes: int) -> Tensor:
    """The same edges in the order of their ends; another order could tell which links stood between them."""
    return key_edges(edge_key(edges, num_nodes).sort().values, num_nodes)


def sensitive(data: Data) -> Tensor:
    """Who is publicly known as sensitive, bool [N]."""
    n = check_people(data)
    return check_mask(check_data(data, "sensitive_users").sensitive_users, "sensitive_users", n)


# What the trial consists of.

def lists_of(edges: tuple[tuple[int, int], ...]) -> tuple[frozenset[int], ...]:
    """The neighbour lists of the four people of the trial."""
    return tuple(frozenset(u + v - w for u, v in edges if w in (u, v)) for w in range(len(TRIED)))


def asked(lists: tuple[frozenset[int], ...]) -> Data:
    data = graph_of(lists)
    data.sensitive_users = torch.tensor(TRIED)
    return data


def reported_pairs(report: SensitiveReport) -> tuple[int, ...]:
    """A bit for each pair; a key of ``distribution``."""
    told = {tuple(sorted(pair)) for edges in (report.edge_index, report.open_edges) for pair in edges.t().tolist()}
    return tuple(int(pair in told) for pair in combinations(range(report.num_nodes), 2))


def change_sensitive(lists: tuple[frozenset[int], ...]) -> Iterator[tuple[frozenset[int], ...]]:
    """One sensitive link appears or disappears in both lists."""
    for u, v in combinations(range(len(lists)), 2):
        if TRIED[u] and TRIED[v]:
            yield tuple(near ^ {v} if w == u else near ^ {u} if w == v else near for w, near in enumerate(lists))
