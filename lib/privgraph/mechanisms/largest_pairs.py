"""LapGraph: a curator tells about as many pairs as there are edges, those with the largest noisy bits (Wu et al. 2022).
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Annotated

from scipy.integrate import quad

from ..checks import check_generator, check_people
from ..checks.parameters import Between, Epsilon
from ..graph import Graph, check_edge_index
from ..late import torch
from ..privacy import Guarantee
from .drawing import drawing, is_secret
from .edge_mechanism import MOST_PAIRS, EdgeReport, check_pairs, graph_cases, reported_bits, with_edges
from .edge_sampling import Places
from .mechanism import AuditCase, GraphMechanism
from .tape import noisy

if TYPE_CHECKING:
    from torch import Tensor
    from torch_geometric.data import Data

DENSE = 1 << 20  # pairs up to which each gets a number of its own


@dataclass(frozen=True)
class LapGraph(GraphMechanism):
    r"""The number of edges m and all bits get Laplace noise, and the pairs with the largest bits are told:

    .. math:: T = m + Lap(1 / \varepsilon_1), \qquad c_{uv} = A_{uv} + Lap(1 / \varepsilon_2), \; u < v, \qquad
              \varepsilon_1 = s \varepsilon, \; \varepsilon_2 = (1 - s) \varepsilon

    T is rounded, and at least 0.

    Proof. An undirected edge moves m by 1, and one of the bits with u < v by 1: :math:`\varepsilon_1` and
    :math:`\varepsilon_2`, as each is Laplace noise for a sensitivity of 1. Which pairs are told is post-processing. One
    curator draws the noise, and sees the graph.

    Not all bits are drawn where there are many. Of n zeros with noise only the T largest can be told, and the k-th
    largest of n uniform numbers is :math:`e^{-W_k}` with :math:`W_k = \sum_{i \le k} E_i / (n - i + 1)`, E exponential
    (Renyi 1953): these are turned into Laplace noise, and fall on random pairs without an edge. (With secret randomness
    all bits are drawn, and for so many pairs it is refused.)

    :param epsilon: of an undirected edge, > 0; ``inf`` returns the graph as it is.
    :param share: s, what of it the number of edges gets.
    """

    epsilon: Annotated[float, Epsilon()]
    share: Annotated[float, Between(0.001, 0.999)] = 0.01

    @classmethod
    def examples(cls) -> "tuple[LapGraph, ...]":
        return cls(1.0), cls(2.0, 0.5)

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        return (Guarantee(self.epsilon, unit="undirected edge", relation="add/remove", trust="central",
                          basis="proved"),)

    @property
    def scales(self) -> tuple[float, float]:
        """Of the noise on the number of edges, and on a bit."""
        return 1 / (self.share * self.epsilon), 1 / ((1 - self.share) * self.epsilon)

    def __call__(self, data: Data, *, generator: torch.Generator) -> Data:
        """A shallow copy of ``data`` with the pairs that are told, in both directions."""
        check_generator(generator)
        if math.isinf(self.epsilon):
            check_edge_index(data.edge_index, check_people(data))
            return copy.copy(data)
        told = self.report(data, generator=generator)
        return with_edges(data, Graph.made(told.edge_index, told.num_nodes).edge_index)

    @noisy
    def report(self, data: Data, *, generator: torch.Generator) -> EdgeReport:
        """The pairs that are told, each once, at its lower-numbered end."""
        check_generator(generator), check_edge_index(data.edge_index, check_people(data))
        n, edges = data.num_nodes, data.edge_index[:, data.edge_index[0] > data.edge_index[1]]
        pairs = n * (n - 1) // 2
        all_drawn = pairs <= DENSE or is_secret(generator)
        if all_drawn:
            check_pairs(pairs, "with secret randomness a bit is drawn for each of")
        count = self.noisy_count(edges.size(1), pairs, generator)
        told = self.of_all if all_drawn else self.of_many
        return EdgeReport.sorted(told(edges, n, count, generator), n)

    def noisy_count(self, edges: int, pairs: int, generator: torch.Generator) -> int:
        """How many pairs are told. A clamp of noisy numbers costs nothing.

        :param edges: how many undirected edges there are.
        :param pairs: how many pairs of people there are.
        """
        noisy_number = drawing(generator).noisy("laplace", torch.tensor([float(edges)]).double(), self.scales[0])
        return int(noisy_number.round().clamp(0, min(pairs, MOST_PAIRS)))

    def of_all(self, edges: Tensor, n: int, count: int, generator: torch.Generator) -> Tensor:
        """The largest noisy bits of all pairs.

        :param edges: int64 [2, m], each undirected edge once.
        :param n: how many people there are.
        :param count: how many pairs are told.
        :returns: pairs int64 [2, count].
        """
        places = Places(n, once=True)
        bits = torch.zeros(n * (n - 1) // 2, dtype=torch.double)
        bits[places.index(*edges)] = 1.0
        noisy_bits = drawing(generator).noisy("laplace", bits, self.scales[1])
        return places.names(noisy_bits.topk(count).indices.sort().values)

    def of_many(self, edges: Tensor, n: int, count: int, generator: torch.Generator) -> Tensor:
        """The same, of which only the largest bits that are 0 are drawn.

        :param edges: int64 [2, m], each undirected edge once.
        :param n: how many people there are.
        :param count: how many pairs are told.
        :returns: pairs int64 [2, count].
        """
        zeros = n * (n - 1) // 2 - edges.size(1)
        largest = self.largest_of(zeros, min(count, zeros), generator)
        others = Graph.made(edges, n).non_edges(len(largest), generator).flip(0)
        ones = drawing(generator).noisy("laplace", torch.ones(edges.size(1), dtype=torch.double), self.scales[1])
        kept = torch.cat([ones, largest]).topk(count).indices
        return torch.cat([edges, others], 1)[:, kept]

    def largest_of(self, zeros: int, count: int, generator: torch.Generator) -> Tensor:
        """The ``count`` largest of so many bits that are 0, float64 [count], in falling order.

        :param zeros: how many bits are 0.
        :param count: how many of them are wanted.
        """
        steps = drawing(generator).exponential(torch.empty(count, dtype=torch.double))
        tail = -torch.expm1(-(steps / torch.arange(zeros, zeros - count, -1, dtype=torch.double)).cumsum(0))
        positive = torch.where(tail < 0.5, -(2 * tail).log(), (2 * (1 - tail)).log())
        return positive * self.scales[1]

    def audit_case(self) -> AuditCase:
        return graph_cases(lambda report: reported_bits(report, once=True), self.distribution)

    def distribution(self, lists: tuple[frozenset[int], ...]) -> dict[tuple, float]:
        """Pr[which pairs are told | lists], for few people.

        :param lists: whom each person lists.
        """
        n, pairs = len(lists), list(combinations(range(len(lists)), 2))
        there = [float(v in lists[u]) for u, v in pairs]
        table = {}
        for count in range(len(pairs) + 1):
            for told in combinations(range(len(pairs)), count):
                bits = tuple(tuple(int(place in told) for place, pair in enumerate(pairs) if pair[0] == u)
                             for u in range(n))
                table[bits] = self.chance_of(count, sum(there), len(pairs)) * self.chance_to_lead(told, there)
        return table

    def chance_of(self, count: int, edges: float, pairs: int) -> float:
        """That so many pairs are told.

        :param count: how many pairs are told.
        :param edges: how many undirected edges there are.
        :param pairs: how many pairs of people there are.
        """
        low = -math.inf if count == 0 else count - 0.5 - edges
        high = math.inf if count == pairs else count + 0.5 - edges
        return between(low / self.scales[0], high / self.scales[0])

    def chance_to_lead(self, told: tuple[int, ...], bits: list[float]) -> float:
        """That these noisy bits are larger than all others: over the place t of the least of them.

        :param told: places of bits.
        :param bits: all bits, without noise.
        """
        rest = [place for place in range(len(bits)) if place not in told]
        if not told or not rest:
            return 1.0
        far = 1 / self.scales[1]

        def density(t: float) -> float:
            above = {place: between(t - far * bits[place], math.inf) for place in told}
            below = math.prod(between(-math.inf, t - far * bits[place]) for place in rest)
            return below * sum(math.exp(-abs(t - far * bits[place])) / 2 * math.prod(
                chance for other, chance in above.items() if other != place) for place in told)
        ends = [-40.0, 0.0, far, far + 40.0]
        return sum(quad(density, low, high, epsabs=1e-14, epsrel=1e-12)[0]
                   for low, high in zip(ends, ends[1:], strict=False))


def between(low: float, high: float) -> float:
    """The chance of Laplace noise of scale 1 to lie there."""
    def below(t: float) -> float:
        return math.exp(min(t, 0.0)) / 2 if t <= 0 else 1 - math.exp(-t) / 2
    return below(high) - below(low) if low <= 0 else below(-low) - below(-high)
