"""Reports of neighbour lists, one person's and everybody's, for the exact audit, and how many adjacent lists have a
finite loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Annotated, ClassVar

import torch
from torch import Tensor

from ..checks import check_count, check_features, check_is, check_people
from ..checks.parameters import Count, Parameters
from ..graph import contains
from ..late import pyg
from ..mechanisms import NeighbourReplacement, Slots, names_distribution
from ..randomness import seeded
from .exact import Independent
from .relations import Lists

if TYPE_CHECKING:
    from torch_geometric.data import Data


@dataclass(frozen=True, eq=False)
class ListReport(Parameters):
    """What ``person`` reports when her list is some set of people, everybody else's list and features being fixed.

    GraphPrivatizer's Algorithm 1 under Definition 4.1. An input is a frozenset of neighbours, an outcome the
    sorted tuple of the names in the report.

    >>> from torch_geometric.data import Data
    >>> path = Data(x=torch.ones(4, 1), edge_index=torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]]))
    >>> report = ListReport(NeighbourReplacement(1.0), path, person=0)
    >>> sorted(report.distribution(frozenset({2})))             # 2 has two candidates, 1 has one
    [(1,), (2,), (3,)]
    """

    one_total: ClassVar[bool] = False  # of the weights of all inputs

    mechanism: NeighbourReplacement
    data: Data
    person: Annotated[int, Count()]

    def agree(self):
        check_count(self.person, "person", high=check_people(self.data) - 1)

    @cached_property
    def slots(self) -> Slots:
        """The first are hers, of a list with everyone who could be her neighbour."""
        others = torch.tensor([u for u in range(self.data.num_nodes) if u != self.person])
        elsewhere = self.data.edge_index[:, self.data.edge_index[1] != self.person]
        return self.mechanism.slots(pyg.data.Data(x=self.data.x, num_nodes=self.data.num_nodes, edge_index=torch.cat(
            [torch.stack([others, torch.full_like(others, self.person)]), elsewhere], 1)))

    @cached_property
    def tables(self) -> dict[int, dict[int, float]]:
        """{neighbour: {name in the report: probability}}, for everyone who could be her neighbour."""
        return {u: self.mechanism.slot_distribution(self.slots, self.slot(u))
                for u in range(self.data.num_nodes) if u != self.person}

    def slot(self, neighbour: int) -> int:
        """Which slot of the person's is that of a neighbour.

        :param neighbour: a number of a person, not the person's own.
        """
        return neighbour - (neighbour > self.person)

    def weights(self, neighbours: frozenset[int], t, one=1) -> dict:
        """Of each report; t = e^epsilon.

        :param neighbours: whom the person lists.
        :param t: what stands for e^epsilon, a number or a polynomial.
        :param one: what stands for 1 beside it.
        """
        return names_distribution(self.mechanism.slot_weights(self.slots, self.slot(u), t, one)
                                  for u in sorted(neighbours))

    def distribution(self, neighbours: frozenset[int]) -> dict[tuple[int, ...], float]:
        """Pr[report | her list]: the slots are independent, their order is not reported.

        :param neighbours: whom the person lists.
        """
        return names_distribution(self.tables[u] for u in sorted(neighbours))


@dataclass(frozen=True)
class ReportAmong:
    """What ``person`` reports when everybody's lists are some tuple of sets (``relations.Lists``).

    ``tables``: all lists -> for each person the distribution of each of her slots.
    """

    tables: Callable[[Lists], list[list[dict[int, float]]]]
    person: int

    def distribution(self, lists: Lists) -> dict[tuple[int, ...], float]:
        """Pr[report | all lists]: it reads her own list, her neighbours' lists and, for mixed features, theirs."""
        return names_distribution(self.tables(lists)[self.person])


def everybody(mechanism: NeighbourReplacement, x: Tensor) -> Independent:
    """The whole release for the exact audit: everybody's report, which is all that the server sees of the edges.

    An input is the tuple of all lists. Given the lists and the features the reports are independent, so their losses
    add; but one changed list is read by several people.

    :param x: features float [N, d].

    >>> from privgraph.audit import relations, worst_case
    >>> apart = tuple(map(frozenset, ({1}, {2}, {1}, {}, {0})))      # 0 hears 1, who hears 2; 4 hears 0
    >>> whole = everybody(NeighbourReplacement(1.0, mix=0.0), torch.ones(5, 1))
    >>> worst_case(whole, [apart, (frozenset({2}), *apart[1:])]).epsilon, worst_case(
    ...     whole.mechanisms[0], [apart, (frozenset({2}), *apart[1:])]).epsilon          # 0's own report
    (inf, 1.0)
    """
    check_is(mechanism, "mechanism", NeighbourReplacement), check_features(x)
    tables = cache(lambda lists: mechanism.slot_distributions(lists, x))
    return Independent(tuple(ReportAmong(tables, v) for v in range(len(x))), split=lambda lists: (lists,) * len(x))


@dataclass(frozen=True)
class AdjacentPairs:
    """Pairs of lists that differ in one neighbour: all of them; those where the new neighbour is a candidate of the
    old one; those whose privacy loss is finite, and then exactly epsilon, in the person's own report; and those of
    them where it is finite in everybody's reports together.

    :param total: of all pairs.
    :param narrow: of those where the new neighbour is a candidate.
    :param finite: of those whose loss is finite in the person's own report.
    :param together: of those whose loss is finite in all reports together.
    """

    total: int
    narrow: int
    finite: int
    together: int


def adjacent_pairs(mechanism: NeighbourReplacement, data: Data) -> AdjacentPairs:
    """Count the adjacent lists of an undirected graph (Definition 4.1: one list changes)
    and those where the loss is finite.

    Call a neighbour with her candidates the *answers* of a slot. Which reports of a person are possible depends on the
    collection of her slots' answers, and determines it. So swapping u for w in v's list has a finite loss in v's own
    report if and only if u and w have the same answers there: w is a candidate of u, and only two-hop pairs need a
    look. It is finite in all reports together if and only if nobody's collection of answers changes. Sets are compared
    by sums of random 62-bit numbers modulo 2^64; two different ones agree with probability about 1e-19.
    """
    check_is(mechanism, "mechanism", NeighbourReplacement), check_people(data)
    slots, n = mechanism.slots(data), data.num_nodes
    degree = torch.bincount(data.edge_index[1], minlength=n)
    slot, new = slots.every
    old, person = data.edge_index[:, slot]
    stranger = ~contains(data.edge_index, torch.stack([new, person]), n)
    code = torch.randint(2**62, (n,), generator=seeded(0))
    finite = stranger & (answers(slots, code)[slot] == answers_to_strangers(slots, code)[new])
    mixed, together = mechanism.mixed(data), 0
    for v in person[finite].unique().tolist():
        others, hers = OthersAnswers(mechanism, data, mixed, code, v), finite & (person == v)
        pairs = zip(old[hers].tolist(), new[hers].tolist(), strict=True)
        together += sum(not others.differ_between(u, w) for u, w in pairs)
    return AdjacentPairs(int((degree * (n - 1 - degree)).sum()), int(stranger.sum()), int(finite.sum()), together)


@dataclass(frozen=True, eq=False)
class OthersAnswers:
    """What other people's slots answer depends on the list of ``person`` in two ways.

    Those who hear her have candidates from it, and her mixed features count where she is a candidate herself, in the
    slots of those who hear somebody who hears her. Only these slots are looked at.
    """

    mechanism: NeighbourReplacement
    data: Data
    mixed: Tensor
    code: Tensor
    person: int

    @cached_property
    def edges(self) -> Tensor:
        """The lists and slots of the person and of those who hear her, [2, E']."""
        source, target = self.data.edge_index
        readers = torch.cat([torch.tensor([self.person]), target[source == self.person]])
        return self.data.edge_index[:, torch.isin(source, readers) | torch.isin(target, readers)]

    @cached_property
    def before(self) -> list[tuple[int, int]]:
        return self.collections(self.edges)

    def differ_between(self, old: int, new: int) -> bool:
        """Does anybody's collection of answers change when ``new`` takes the place of ``old`` in her list?"""
        swapped = (self.edges == torch.tensor([[old], [self.person]])).all(0)
        return self.before != self.collections(torch.where(swapped, torch.tensor([[new], [self.person]]), self.edges))

    def own_mixed(self, seen: Tensor) -> Tensor:
        """Her mixed features [d] with the list ``seen``, rounded as the mechanism rounds them:
        equal similarities are common."""
        star = torch.stack([torch.arange(1, len(seen) + 1), torch.zeros_like(seen)])
        x = self.data.x[torch.cat([torch.tensor([self.person]), seen])]
        return self.mechanism.mixed(pyg.data.Data(x=x, edge_index=star))[0]

    def collections(self, edges: Tensor) -> list[tuple[int, int]]:
        """(who reports, what her slot can answer) for every slot around, sorted."""
        nodes, local = edges.unique(return_inverse=True)
        me, x = int(torch.searchsorted(nodes, self.person)), self.mixed[nodes]
        x[me] = self.own_mixed(edges[0, edges[1] == self.person])
        slots, others = self.mechanism.slots_by(x, local), local[1] != me
        return sorted(zip(edges[1, others].tolist(), answers(slots, self.code[nodes])[others].tolist(), strict=True))


def answers(slots: Slots, code: Tensor) -> Tensor:
    """The sum of the codes of each slot's neighbour and candidates, int64 [E]."""
    slot, name = slots.every
    return code[slots.edge_index[0]].index_add(0, slot, code[name])


def answers_to_strangers(slots: Slots, code: Tensor) -> Tensor:
    """The sum of the codes of each node and the candidates that someone sees who is not one of them, int64 [N]."""
    size = slots.size if slots.limit is None else slots.size.clamp(max=slots.limit)
    node = torch.arange(len(size)).repeat_interleave(size)
    place = torch.arange(len(node)) - (size.cumsum(0) - size)[node]
    return code.index_add(0, node, code[slots.accepted[slots.start[node] + place]])
