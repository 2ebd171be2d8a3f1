"""One person's report of her neighbour list, for the exact audit, and how many adjacent lists have a finite loss."""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor
from torch_geometric.data import Data

from ..checks import check_count
from ..mechanisms import NeighbourReplacement, Slots, names_distribution
from ..randomness import seeded


@dataclass(frozen=True, eq=False)
class ListReport:
    """What ``person`` reports when her list is some set of people, everybody else's list and features being fixed.

    GraphPrivatizer's Algorithm 1 under Definition 4.1. An input is a frozenset of neighbours, an outcome the
    sorted tuple of the names in the report.

    >>> path = Data(x=torch.ones(4, 1), edge_index=torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]]))
    >>> report = ListReport(NeighbourReplacement(1.0), path, person=0)
    >>> sorted(report.distribution(frozenset({2})))             # 2 has two candidates, 1 has one
    [(1,), (2,), (3,)]
    """

    mechanism: NeighbourReplacement
    data: Data
    person: int

    def __post_init__(self):
        check_count(self.person, "person", high=self.data.num_nodes - 1)

    @cached_property
    def tables(self) -> dict[int, dict[int, float]]:
        """{neighbour: {name in the report: probability}}, for everyone who could be her neighbour."""
        others = torch.tensor([u for u in range(self.data.num_nodes) if u != self.person])
        elsewhere = self.data.edge_index[:, self.data.edge_index[1] != self.person]
        slots = self.mechanism.slots(Data(x=self.data.x, num_nodes=self.data.num_nodes, edge_index=torch.cat(
            [torch.stack([others, torch.full_like(others, self.person)]), elsewhere], 1)))
        return {u: self.mechanism.slot_distribution(slots, slot) for slot, u in enumerate(others.tolist())}

    def distribution(self, neighbours: frozenset[int]) -> dict[tuple[int, ...], float]:
        """Pr[report | her list]: the slots are independent, their order is not reported."""
        return names_distribution(self.tables[u] for u in sorted(neighbours))


@dataclass(frozen=True)
class AdjacentPairs:
    """Pairs of lists that differ in one neighbour: all of them, those where the new neighbour is a candidate of the
    old one, and those whose privacy loss is finite (and then exactly epsilon)."""

    total: int
    narrow: int
    finite: int


def adjacent_pairs(mechanism: NeighbourReplacement, data: Data) -> AdjacentPairs:
    """Count the adjacent lists of an undirected graph (Definition 4.1) and those where Theorem 4.3 is right.

    Swapping u for w in v's list has a finite loss if and only if u and its candidates are the same set as w and
    its candidates. So w is a candidate of u, and only two-hop pairs need a look. Sets are compared by sums of
    random 63-bit numbers; two different sets agree with probability about 1e-19.
    """
    slots, n = mechanism.slots(data), data.num_nodes
    degree = torch.bincount(data.edge_index[1], minlength=n)
    slot, new = slots.every
    old, person = data.edge_index[:, slot]
    stranger = ~torch.isin(new * n + person, data.edge_index[0] * n + data.edge_index[1])
    code = torch.randint(2**62, (n,), generator=seeded(0))
    closed = code[data.edge_index[0]].index_add(0, slot, code[new])  # of each slot, modulo 2^64
    finite = stranger & (closed[slot] == closed_at(slots, code)[new])
    return AdjacentPairs(int((degree * (n - 1 - degree)).sum()), int(stranger.sum()), int(finite.sum()))


def closed_at(slots: Slots, code: Tensor) -> Tensor:
    """The code of each node with its candidates, as someone sees it who is not one of them."""
    size = slots.size if slots.limit is None else slots.size.clamp(max=slots.limit)
    node = torch.arange(len(size)).repeat_interleave(size)
    place = torch.arange(len(node)) - (size.cumsum(0) - size)[node]
    return code.index_add(0, node, code[slots.accepted[slots.start[node] + place]])
