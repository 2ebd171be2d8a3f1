r"""What the mechanisms that report edges have in common: people send noisy rows, the server makes a graph of them.

A person's *row* is her neighbour list, one bit for each other node. An edge (u, v) of ``edge_index`` says that u
is in v's list.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

from ..checks import check_all, check_count, check_generator, check_people
from ..effort import Effort, Extent
from ..graph import check_edge_index, edge_key, with_edge_index
from ..late import pyg, torch
from ..privacy import Guarantee
from .law import Finite, Weights, chances, numbers, together
from .mechanism import AuditCase, GraphMechanism
from .tape import noisy

if TYPE_CHECKING:
    from torch import Tensor
    from torch_geometric.data import Data

MOST_PAIRS = 20_000_000  # a report with more pairs than this is not drawn
MOST_AUDITED = 4  # people of a graph whose whole report can be enumerated


class TooManyPairs(ValueError):
    """``what`` would hold too many pairs; ``count`` says how many:
    those of a report are expected without a single edge."""

    def __init__(self, count: float, what: str):
        super().__init__(count, what)
        self.count, self.what = count, what

    def __str__(self) -> str:
        return (f"epsilon is too small for so many people: {self.what} {self.count:,.0f} pairs, allowed are "
                f"{MOST_PAIRS:,}; take a larger epsilon or a smaller graph")


def check_pairs(count: float, what: str = "without any edge the report is expected to hold") -> None:
    """Refuse more than ``MOST_PAIRS`` pairs. ``count`` must be public, or noisy already: a refusal is an output."""
    if count > MOST_PAIRS:
        raise TooManyPairs(count, what)


def check_graph_size(num_nodes: int, num_edges: int) -> int:
    """The number of unordered pairs of ``num_nodes`` nodes, of which ``num_edges`` are edges."""
    check_count(num_nodes, "num_nodes", low=1)
    pairs = num_nodes * (num_nodes - 1) // 2
    check_count(num_edges, "num_edges", high=pairs)
    return pairs


@dataclass(frozen=True)
class EdgeReport:
    """What the server receives.

    ``edge_index`` int64 [2, R], sorted by v and then u: a column (u, v) says that v reports u. How many there are is
    noise, unless the mechanism says that it ``shows`` the lengths of the lists. ``degrees`` int64 [N]: noisy degrees,
    where people send them.
    """

    edge_index: Tensor
    num_nodes: int
    degrees: Tensor | None = None

    @classmethod
    def sorted(cls, edge_index: Tensor, num_nodes: int) -> "EdgeReport":
        """A report of pairs in any order. Their order must not leave: it would tell which of them are true."""
        return cls(edge_index[:, edge_key(edge_index.flip(0), num_nodes).argsort()], num_nodes)

    @property
    def lengths(self) -> Tensor:
        """How many names each person reports, int64 [N]."""
        return torch.bincount(self.edge_index[1], minlength=self.num_nodes)


def with_edges(data: Data, edge_index: Tensor, edge_weight: Tensor | None = None) -> Data:
    """A shallow copy of ``data`` with these edges, and with these weights or none.

    What belonged to its own edges stays behind (``with_edge_index``), and ``sensitive``, a list of links.
    """
    made = with_edge_index(data, edge_index)
    if "sensitive" in data:
        del made["sensitive"]
    if edge_weight is not None:
        made.edge_weight = edge_weight
    return made


class EdgeMechanism(GraphMechanism):
    """A mechanism whose people send reports of their rows, independently, from which the server makes a graph.

    A subclass says whether it is ``silent`` (epsilon inf: the graph goes out as it is), what people send
    (``draw``), and what the server makes of it (``infer``).

    What is refused depends on the mechanism and on the number of people, never on the edges. A report that would be too
    long is foreseen from the false pairs that a graph without edges makes (``expected_pairs(n, 0)``). On average, E
    edges add at most 4 E pairs to those (``DegreePreservingResponse`` has the proof for the worst of the mechanisms),
    and E pairs are in memory already.
    """

    def __call__(self, data: Data, *, generator: torch.Generator) -> Data:
        """A shallow copy of ``data`` with the graph that the server makes of the reports."""
        check_generator(generator)
        if self.silent:
            check_edge_index(data.edge_index, check_people(data))
            return copy.copy(data)
        return with_edges(data, *self.infer(self.report(data, generator=generator)))

    def effort(self, extent: Extent) -> tuple[Extent, Effort]:
        """The same where it is said how many pairs are reported (``expected_pairs``)."""
        if self.silent or not hasattr(self, "expected_pairs"):
            return super().effort(extent)
        check_pairs(self.expected_pairs(extent.nodes, 0))
        return super().effort(replace(extent, edges=int(self.expected_pairs(extent.nodes, extent.edges))))

    # The noise is on the tape here and not in __call__: so a replay does not freeze the other attributes of data,
    # nor a graph that epsilon=inf sends as it is.
    @noisy
    def report(self, data: Data, *, generator: torch.Generator) -> EdgeReport:
        """What leaves people's hands; all that the server sees.

        :raises ValueError: where ``epsilon`` is inf, so that nothing is reported.
        """
        check_generator(generator), check_edge_index(data.edge_index, check_people(data))
        if self.silent:
            raise ValueError("epsilon=inf makes no report; call the mechanism itself, which returns the graph")
        return self.draw(data, generator)

    def shows(self, report: EdgeReport) -> dict:
        """What of a report is no noise (``tape.certain``)."""
        return {"people": report.num_nodes, "degrees": report.degrees is not None}

    @abstractmethod
    def draw(self, data: Data, generator: torch.Generator) -> EdgeReport:
        """What people send."""

    @abstractmethod
    def infer(self, report: EdgeReport) -> tuple[Tensor, Tensor | None]:
        """The server's graph: edge_index, and weights where it has some."""


class IndependentRows(Finite):
    """A mechanism whose people's reports each have weights of their own: ``row_weights``."""

    one_total: ClassVar[bool] = True

    @abstractmethod
    def row_weights(self, v: int, friends: frozenset[int], n: int, t, one) -> Weights:
        """Of what v sends.

        :param v: the person, a number from 0.
        :param friends: whom the person lists.
        :param n: how many people there are.
        :param t: what stands for e^epsilon, as in ``weights``.
        :param one: what stands for 1 beside it.
        """

    def row_distribution(self, v: int, friends: frozenset[int], n: int) -> dict:
        """Pr[what v sends | her list]."""
        return chances(self.row_weights(v, friends, n, *numbers(self.budgets)))

    def weights(self, lists: tuple[frozenset[int], ...], t, one=1) -> Weights:
        """Of everybody's reports.

        :param lists: one neighbour list for each person (``audit.relations``); they need not agree.
        """
        return together(self.row_weights(v, friends, len(lists), t, one) for v, friends in enumerate(lists))

    def distribution(self, lists: tuple[frozenset[int], ...]) -> dict[tuple, float]:
        """Pr[everybody's reports | lists], for the exact audit of graphs of up to 4 people."""
        n = check_count(len(lists), "number of lists", low=1, high=MOST_AUDITED)
        return together(self.row_distribution(v, friends, n) for v, friends in enumerate(lists))


def graph_cases(outcome: Callable[[EdgeReport], tuple], distribution: Callable, x: Tensor | None = None) -> AuditCase:
    """All graphs of three people, with features ``x`` [3, d] where the mechanism reads some."""
    pairs = ((0, 1), (0, 2), (1, 2))
    graphs = [chosen for size in range(4) for chosen in combinations(pairs, size)]
    lists = (tuple(frozenset(u + w - v for u, w in edges if v in (u, w)) for v in range(3)) for edges in graphs)
    return AuditCase(tuple(lists), lambda lists: graph_of(lists, x), outcome, distribution, lambda data: data)


def graph_of(lists: tuple[frozenset[int], ...], x: Tensor | None = None) -> Data:
    """The graph with these neighbour lists."""
    edges = [(u, v) for v, near in enumerate(lists) for u in sorted(near)]
    edge_index = torch.tensor(edges, dtype=torch.long).reshape(-1, 2).t().contiguous()
    return pyg.data.Data(x=x, edge_index=edge_index, num_nodes=len(lists))


def reported_names(report: EdgeReport) -> tuple[tuple[int, ...], ...]:
    """Whom each person names, in order; a key of ``names_distribution`` for everybody."""
    names = report.edge_index[0].split(report.lengths.tolist())
    return tuple(tuple(named.tolist()) for named in names)


def reported_bits(report: EdgeReport, once: bool) -> tuple[tuple[int, ...], ...]:
    """The bits that each person sends, of all others or, with ``once``, of higher numbers."""
    n = report.num_nodes
    return tuple(tuple(int(u in named) for u in range(v + 1 if once else 0, n) if u != v)
                 for v, named in enumerate(reported_names(report)))


def names_distribution(slots: Iterable[dict]) -> dict:
    """Pr[the sorted names] of a list whose slots are filled independently; or their weights.

    :param slots: {name: probability} of each, or {name: weight}.
    """
    table: dict = {(): 1}
    for slot in check_all(slots, "slots", dict):
        longer: dict = {}
        for names, p in table.items():
            for name, q in slot.items():
                key = tuple(sorted((*names, name)))
                longer[key] = longer.get(key, 0) + p * q
        table = longer
    return table


def guarantees(slot: float, edge: float, swap: float) -> tuple[Guarantee, ...]:
    """The three statements of a mechanism that reports edges, as epsilons."""
    return (Guarantee(slot, unit="neighbour slot", relation="add/remove", basis="proved"),
            Guarantee(edge, unit="undirected edge", relation="add/remove", basis="proved"),
            Guarantee(swap, unit="neighbour slot", relation="swap in a neighbour list", basis="proved"))
