r"""Replace neighbours by similar ones: GraphPrivatizer.

Conventions, where the paper leaves a choice. An edge (u, v) of ``edge_index`` says that v hears u: u is in v's
list N(v), and the pair is one *slot* of that list. The candidates that may take u's place are neighbours of u
other than v. The report is a multiset, so that every list keeps its length. A slot without a candidate keeps
its neighbour. Features are what people can see of each other: already noisy.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from ..checks import check_features, check_generator, check_people
from ..checks.parameters import Choice, Epsilon, Finite, Fraction
from ..graph import Edges, check_lists, edge_key, key_edges, lookup
from ..late import torch
from ..privacy import Guarantee
from .drawing import drawing
from .edge_mechanism import (
    EdgeReport,
    graph_cases,
    graph_of,
    names_distribution,
    reported_names,
    with_edges,
)
from .law import Weights, chances, numbers, together
from .mechanism import AuditCase, GraphMechanism
from .tape import noisy

if TYPE_CHECKING:
    from torch import Tensor
    from torch_geometric.data import Data

STRATEGIES = {"threshold": None, "most-similar": 1}  # the largest number of candidates
SIMILARITIES = ("cosine", "euclidean")
CACHED = 1 << 18  # numbers that a block of edges may hold: what stays in the processor's cache


@dataclass(frozen=True)
class Slots:
    """Every slot of every list with the nodes that may take its place, in memory O(E).

    Slot e is the edge ``edge_index[:, e]`` = (u, v). Whom u's similarity admits stands in
    ``accepted[start[u]:start[u] + size[u]]``, the most similar first. If v is among them, at place ``skip[e]``, v is
    passed over; ``count[e]`` is the number of candidates that are left, at most ``limit``.

    :param edge_index: int64 [2, E].
    :param accepted: int64 [A], everybody whom somebody's similarity admits, list after list.
    :param start: int64 [N], where the list of each person begins.
    :param size: int64 [N], how long it is.
    :param skip: int64 [E], the place that is passed over; N or more: none.
    :param count: int64 [E], how many candidates are left.
    """

    edge_index: Tensor
    accepted: Tensor
    start: Tensor
    size: Tensor
    skip: Tensor
    count: Tensor
    limit: int | None

    def pick(self, place: Tensor, slots: Tensor) -> Tensor:
        """The candidate at ``place`` (from 0) of each of ``slots``.

        :param place: int64 [s].
        :param slots: int64 [s].
        :returns: nodes int64 [s].
        """
        return self.accepted[self.start[self.edge_index[0, slots]] + place + (place >= self.skip[slots])]

    @property
    def every(self) -> tuple[Tensor, Tensor]:
        """(slot, candidate) for every candidate of every slot: two-hop pairs, so for small graphs only."""
        slot = torch.arange(len(self.count)).repeat_interleave(self.count)
        place = torch.arange(len(slot)) - (self.count.cumsum(0) - self.count)[slot]
        return slot, self.pick(place, slot)

    def candidates(self, slot: int) -> list[int]:
        """Who may take the place of one slot's neighbour, the most similar first.

        :param slot: the number of a slot, from 0.
        """
        places = torch.arange(int(self.count[slot]))
        return self.pick(places, torch.full_like(places, slot)).tolist()

    @property
    def certain(self) -> float:
        """The share of slots without a candidate: their neighbour is reported as it is, whatever epsilon."""
        return float((self.count == 0).double().mean()) if self.count.numel() else 0.0


@dataclass(frozen=True)
class NeighbourReplacement(GraphMechanism):
    r"""GraphPrivatizer, Algorithms 1 to 4: report a neighbour u, or one of the c candidates that resemble u.

    .. math:: \Pr[u \to u] = \frac{e^{\varepsilon}}{e^{\varepsilon} + c}, \qquad
              \Pr[u \to w] = \frac{1}{e^{\varepsilon} + c} \text{ for each candidate } w

    A candidate is a neighbour w of u, other than v, with similarity s(u, w) of at least ``threshold``: all of them
    (``"threshold"``, GP-t, eq. 6 with d = c + 1) or the most similar one (``"most-similar"``, GP-m, eq. 5). The
    similarity compares mixed features :math:`(1 - \alpha) x_u + \alpha\, \mathrm{mean}_{w \in N(u)} x_w` (eq. 3, 4).

    The paper claims :math:`\varepsilon`-edge set LDP (Theorem 4.3). No finite epsilon holds: the candidates belong to
    u, so another neighbour has other outcomes, and a slot without a candidate is released. When one list changes, the
    loss of that person's own report is exactly :math:`\varepsilon` between two neighbours whose candidates together
    with themselves are the same set, and infinite otherwise. The server sees everybody's reports, and v's report names
    members of N(u): so whoever hears a person draws from her list, fewer of these pairs stay finite, and for GP-t
    without a threshold on an undirected graph none does (``audit.lists.adjacent_pairs`` counts both).

    :param epsilon: the paper's budget of one slot, > 0; ``inf`` changes nothing.
    :param strategy: ``"threshold"`` or ``"most-similar"``; ties go to the lower node number.
    :param mix: the paper's alpha in [0, 1]: the share of the neighbours' mean in the compared features.
    :param threshold: the paper's delta; a threshold of 0 still drops pairs of negative cosine.
    :param similarity: ``"cosine"`` in [-1, 1], or ``"euclidean"``: 1 / (1 + distance) in (0, 1].

    >>> from torch_geometric.data import Data
    >>> path = Data(x=torch.ones(4, 1), edge_index=torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]]))
    >>> slots = NeighbourReplacement(1.0).slots(path)
    >>> slots.candidates(2), slots.certain          # slot 2: node 2 hears 1, who has 0 besides 2
    ([0], 0.3333333333333333)
    """

    epsilon: Annotated[float, Epsilon()]
    strategy: Annotated[str, Choice(STRATEGIES)] = "threshold"
    mix: Annotated[float, Fraction(closed=True)] = 0.5
    threshold: Annotated[float, Finite()] = 0.0
    similarity: Annotated[str, Choice(SIMILARITIES)] = "cosine"

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What holds for a swapped neighbour, an added one, and an undirected edge: no finite epsilon."""
        return (Guarantee(math.inf, unit="neighbour slot", relation="swap in a neighbour list", basis="proved",
                          claimed=self.epsilon),
                Guarantee(math.inf, unit="neighbour slot", relation="add/remove", basis="proved"),
                Guarantee(math.inf, unit="undirected edge", relation="add/remove", basis="proved"))

    def __call__(self, data: Data, *, generator: torch.Generator) -> Data:
        """A copy of ``data`` with the reported edges (replacement, v), int64 [2, E], sorted by v and replacement."""
        return as_reported(self, data, generator)

    @noisy
    def report(self, data: Data, *, generator: torch.Generator) -> EdgeReport:
        """What leaves people's hands; all that the server sees."""
        check_generator(generator), check_people(data)
        return EdgeReport.sorted(self.draw(self.slots(data), generator), data.num_nodes)

    @staticmethod
    def shows(report: EdgeReport) -> dict:
        """What of a report is no noise: how long each list is."""
        return {"people": report.num_nodes, "list lengths": report.lengths}

    def draw(self, slots: Slots, generator: torch.Generator) -> Tensor:
        """One report of every slot, int64 [2, E].

        :param slots: all slots with their candidates, of ``slots``.
        """
        odds, draw = slots.count.double() * math.exp(-self.epsilon), drawing(generator)
        changed, = torch.where(draw.lies((1 / (1 + odds)).float(), odds / (1 + odds), slots.count.shape))
        place = draw.below(slots.count[changed], changed.shape)
        reported = slots.edge_index.clone()
        reported[0, changed] = slots.pick(place, changed)
        return reported

    def mixed(self, data: Data) -> Tensor:
        """Eq. 3, float32 [N, d]."""
        mean = Edges(data.edge_index, data.num_nodes).adjacency("mean") @ data.x
        return mean.mul_(self.mix).add_((1 - self.mix) * data.x)

    def slots(self, data: Data) -> Slots:
        """All slots with their candidates (Algorithms 2 to 4). ``data``: edge_index [2, E], x [N, d];
        may be directed."""
        check_lists(data.edge_index, data.num_nodes), check_features(data.x)
        return self.slots_by(self.mixed(data), data.edge_index)

    def slots_by(self, mixed: Tensor, edge_index: Tensor) -> Slots:
        """All slots, when ``mixed`` [N, d] is what the similarity compares.

        :param mixed: float [N, d].
        """
        score, n = edge_similarity(mixed, edge_index, self.similarity), len(mixed)
        source, target = edge_index
        # The list of every node, the most similar neighbour first (ties: the lower number first).
        order = torch.from_numpy(np.lexsort((source, -score, target)))
        accepted = order[score[order] >= self.threshold]
        size = torch.bincount(target[accepted], minlength=n)
        start = size.cumsum(0) - size
        place = torch.full_like(source, n)  # of each edge in the list of its target; n: not accepted
        place[accepted] = torch.arange(len(accepted)) - start[target[accepted]]
        skip = place_of_reverse(edge_index, place, n)
        count, limit = size[source] - (skip < n).long(), STRATEGIES[self.strategy]
        count = count if limit is None else count.clamp(max=limit)
        return Slots(edge_index, source[accepted], start, size, skip, count, limit)

    @classmethod
    def examples(cls) -> "tuple[NeighbourReplacement, ...]":
        return cls(1.0), cls(1.0, "most-similar", similarity="euclidean")

    def audit_case(self) -> AuditCase:
        x = torch.tensor([[1.0, 0.2], [0.8, 1.0], [1.0, 0.9]])
        return graph_cases(reported_names, lambda lists: together(
            names_distribution(slots) for slots in self.slot_distributions(lists, x)), x)

    def slot_distributions(self, lists: tuple[frozenset[int], ...], x: Tensor) -> list[list[dict[int, float]]]:
        """For each person the distributions of her slots,
        when everybody's lists and features are these (few people).

        :param lists: whom each person lists.
        :param x: float [N, d].
        """
        data, found = graph_of(lists, x), [[] for _ in lists]
        slots = self.slots(data)
        for slot, v in enumerate(data.edge_index[1].tolist()):
            found[v].append(self.slot_distribution(slots, slot))
        return found

    def slot_distribution(self, slots: Slots, slot: int) -> dict[int, float]:
        """Pr[report] of one slot.

        :param slots: all slots and their candidates, of ``slots(data)``.
        :param slot: the number of one.
        """
        return chances(self.slot_weights(slots, slot, *numbers((self.epsilon,))))

    @staticmethod
    def slot_weights(slots: Slots, slot: int, t, one) -> Weights:
        """Of one slot: t for the neighbour, 1 for each of its candidates; t = e^epsilon.

        :param slots: all slots and their candidates, of ``slots(data)``.
        :param slot: the number of one.
        :param t: what stands for e^epsilon, a number or a polynomial.
        :param one: what stands for 1 beside it.
        """
        return {int(slots.edge_index[0, slot]): t, **dict.fromkeys(slots.candidates(slot), one)}


def as_reported(mechanism, data: Data, generator: torch.Generator) -> Data:
    """A copy of ``data`` with the edges that people report; with epsilon=inf as it is."""
    check_generator(generator)
    if math.isinf(mechanism.epsilon):
        return copy.copy(data)
    return with_edges(data, mechanism.report(data, generator=generator).edge_index)


def place_of_reverse(edge_index: Tensor, place: Tensor, n: int) -> Tensor:
    """For each edge (u, v) the ``place`` of the edge (v, u), which is v's in u's list; n where there is none."""
    if not place.numel():
        return place
    key, order = edge_key(edge_index.flip(0), n).sort()
    there, where = lookup(key, edge_key(edge_index, n))
    return torch.where(there, place[order[where]], n)


def edge_similarity(x: Tensor, edge_index: Tensor, kind: str) -> Tensor:
    """Similarity of the two ends of every edge, float32 [E], in blocks of pairs (both directions at once).

    A vector of zeros has cosine 0 with everything.
    """
    if kind == "cosine":
        x = x / x.norm(dim=1, keepdim=True).clamp_min(torch.finfo(x.dtype).tiny)
    key, place = edge_key((edge_index.amin(0), edge_index.amax(0)), len(x)).unique(return_inverse=True)
    pairs, score = key_edges(key, len(x)), torch.empty(len(key))
    block = max(1, CACHED // max(x.size(1), 1))
    for part in range(0, len(key), block):
        a, b = (x.index_select(0, end) for end in pairs[:, part:part + block])  # copies of rows, to be written over
        score[part:part + block] = a.mul_(b).sum(1) if kind == "cosine" else 1 / (1 + a.sub_(b).norm(dim=1))
    return score[place]
