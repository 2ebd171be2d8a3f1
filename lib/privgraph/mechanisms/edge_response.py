"""Randomised response on edges: each pair reported once, and with the degree of every person preserved."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from ..checks import check_count, check_number
from ..checks.parameters import Choice, Epsilon
from ..graph import Edges, Graph, edge_key, key_edges
from ..late import torch
from ..privacy import Guarantee
from .edge_mechanism import (
    EdgeMechanism,
    EdgeReport,
    IndependentRows,
    check_graph_size,
    check_pairs,
    graph_cases,
    guarantees,
    reported_bits,
)
from .edge_sampling import Places, degree_distribution, degree_weights, merge, noisy_degrees, respond
from .law import Weights, together
from .mechanism import AuditCase

if TYPE_CHECKING:
    from torch import Tensor
    from torch_geometric.data import Data

DEGREE_SHARE = 0.1  # of a person's budget that goes into her degree (so Blink's authors ran this baseline [code])
LINKS = ("either", "directed")


def break_even(num_nodes: int, mean_degree: float) -> float:
    r"""The epsilon below which most edges that symmetric randomised response reports are false.

    .. math:: \varepsilon^* = \ln \frac{n - 1 - d}{d}

    There the :math:`n d / 2` true edges kept with :math:`e^{\varepsilon}` meet the :math:`n (n - 1 - d) / 2` others.

    :param mean_degree: d, above 0 and below n - 1.

    >>> round(break_even(2708, 3.9), 2)
    6.54
    """
    num_nodes = check_count(num_nodes, "num_nodes", low=2)
    mean_degree = check_number(mean_degree, "mean_degree", low=0, high=num_nodes - 1, open_low=True, open_high=True,
                               allowed=f"lie between 0 and num_nodes - 1 = {num_nodes - 1}")
    return math.log((num_nodes - 1 - mean_degree) / mean_degree)


@dataclass(frozen=True)
class SymmetricResponse(IndependentRows, EdgeMechanism):
    r"""Each pair's bit is sent once, by its lower-numbered end, and is true with probability p.

    .. math:: p = \frac{e^{\varepsilon}}{e^{\varepsilon} + 1}

    Proof. An edge is one bit, and p / (1 - p) = :math:`e^{\varepsilon}`: so much for an undirected edge and for a slot
    (nothing for a slot of the higher end, who does not speak of it). A swap in one list changes two bits that she
    may both send: :math:`2\varepsilon`. All three are attained. The server sees the bits. Warner 1965; if both ends
    report, the edge spends :math:`2\varepsilon`.

    A curator who draws the coins for all pairs releases the same graph, for the same price: EdgeRand (Wu et al. 2022).

    :param epsilon: budget of an undirected edge, > 0; ``inf`` returns the graph as it is.

    >>> from privgraph.randomness import seeded
    >>> from torch_geometric.data import Data
    >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
    >>> SymmetricResponse(9.0)(path, generator=seeded(0)).edge_index.tolist()
    [[0, 1, 1, 2], [1, 0, 2, 1]]
    >>> SymmetricResponse(math.log(3)).precision_recall(3, 2)      # expected: 1.5 true, 0.25 false
    (0.8571428571428571, 0.75)
    """

    epsilon: Annotated[float, Epsilon()]

    @classmethod
    def for_edge(cls, epsilon: float) -> "SymmetricResponse":
        """The mechanism that spends ``epsilon`` on an undirected edge."""
        return cls(epsilon)

    @classmethod
    def examples(cls) -> "tuple[SymmetricResponse, ...]":
        return (cls(1.0),)

    def audit_case(self) -> AuditCase:
        return graph_cases(lambda report: reported_bits(report, once=True), self.distribution)

    @property
    def silent(self) -> bool:
        """Whether epsilon is inf, so that the edges stay as they are."""
        return math.isinf(self.epsilon)

    @property
    def keep(self) -> float:
        """p, the probability of the truth."""
        return 1 / (1 + math.exp(-self.epsilon))

    @property
    def lie(self) -> float:
        """1 - p."""
        return 1 / (1 + math.exp(self.epsilon)) if self.epsilon < 700 else math.exp(-self.epsilon)

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        return guarantees(self.epsilon, self.epsilon, 2 * self.epsilon)

    def expected_pairs(self, num_nodes: int, num_edges: int) -> float:
        """How many pairs are reported on average; ``num_edges`` counts each undirected edge once."""
        pairs = check_graph_size(num_nodes, num_edges)
        return num_edges * self.keep + (pairs - num_edges) * self.lie

    def precision_recall(self, num_nodes: int, num_edges: int) -> tuple[float, float]:
        """Expected true reports over expected reports, and over true edges; a report of nothing is precise.

        :param num_edges: how many undirected edges there are.
        """
        reported = self.expected_pairs(num_nodes, num_edges)
        return (num_edges * self.keep / reported if reported else 1.0), self.keep

    def draw(self, data: Data, generator: torch.Generator) -> EdgeReport:
        n = data.num_nodes
        check_pairs(self.expected_pairs(n, 0))  # the number of edges is private, and a refusal would tell of it
        keep, lie = (torch.full((n,), p, dtype=torch.double) for p in (self.keep, self.lie))
        return EdgeReport(respond(data.edge_index, Places(n, once=True), keep, lie, generator, drop=lie), n)

    def infer(self, report: EdgeReport) -> tuple[Tensor, None]:
        """Both directions of every reported pair; each was reported once, so there is nothing to merge."""
        told, n = report.edge_index, report.num_nodes
        return key_edges(merge(edge_key(told.flip(0), n), edge_key(told, n)), n), None

    def row_weights(self, v: int, friends: frozenset[int], n: int, t, one) -> Weights:
        """Of the bits that v sends, one for each higher number: t for a true one, 1 for a false one; t = e^epsilon."""
        return together({0: one, 1: t} if u in friends else {0: t, 1: one} for u in range(v + 1, n))


@dataclass(frozen=True)
class DegreeAndBits(IndependentRows, EdgeMechanism):
    """A mechanism with one budget for people's degrees and one for the bits of their rows, both > 0."""

    epsilon_degree: Annotated[float, Epsilon()]
    epsilon_edges: Annotated[float, Epsilon()]

    @classmethod
    def examples(cls) -> "tuple[DegreeAndBits, ...]":
        return (cls(0.3, 0.7),)

    def noiseless(self) -> "DegreeAndBits":
        """Without bits nobody sends a degree either."""
        return replace(self, epsilon_edges=math.inf)

    @property
    def budgets(self) -> tuple[float, float]:
        return self.epsilon_degree, self.epsilon_edges

    def weights(self, lists: tuple[frozenset[int], ...], t, one=(1, 1)) -> Weights:
        return super().weights(lists, t, one)

    @property
    def silent(self) -> bool:
        return math.isinf(self.epsilon_edges)

    @property
    def response(self) -> SymmetricResponse:
        """p and 1 - p of the bits."""
        return SymmetricResponse(self.epsilon_edges)


@dataclass(frozen=True)
class DegreePreservingResponse(DegreeAndBits):
    r"""Randomised response on a whole row, thinned so that the row keeps about its length (Hidano and Murakami 2022).

    Person v adds noise to her degree, :math:`d^* = d + noise(\varepsilon_1)`, answers for every other node with
    :math:`p = e^{\varepsilon_2} / (e^{\varepsilon_2} + 1)`, and sends each 1 with probability

    .. math:: q = \frac{d^*}{d^* (2p - 1) + (n - 1)(1 - p)} \text{, at most } 1.

    If d* = d, she sends d ones on average. The paper adds Laplace noise; ours is its whole-number form, clamped to
    0..n-1, so that every probability can be enumerated.

    Proof. One slot moves d by 1 (:math:`\varepsilon_1`) and one bit (:math:`\varepsilon_2`); q depends on d* only, so
    thinning is post-processing: :math:`\varepsilon_1 + \varepsilon_2` for a slot. An undirected edge is in two rows:
    twice that. Both are attained where a list gets its first name. A swap leaves d alone and changes two bits: at
    most :math:`2\varepsilon_2`. The server sees the thinned rows (what it may also see without more loss: d*).

    How long a report can be: with z, the noise clamped to 0..n-1, a row has :math:`d^* \le d + z`. As a function of d*,
    q is concave and 0 at 0, so :math:`q(d^*) \le q(d) + q(z)`. The n - 1 - d bits that are 0 give at most
    :math:`(n - 1)(1 - p)\, q(d) \le d` false ones and those of a row without edges, and the d others at most d true
    ones. Summed over all rows: 4 for each edge, and ``expected_pairs(n, 0)``.

    :param epsilon_degree: budget of the noisy degrees, > 0.
    :param epsilon_edges: budget of the reported edges, > 0; ``inf`` returns the graph as it is.
    :param link: ``"either"`` links u and v where one of them reports the other (up to twice the degree);
        ``"directed"`` lets v hear whom v reports (the degree that v reports).

    >>> DegreePreservingResponse.for_edge(2.0)
    DegreePreservingResponse(epsilon_degree=0.1, epsilon_edges=0.9, link='either')
    """

    link: Annotated[str, Choice(LINKS)] = "either"

    @classmethod
    def for_edge(cls, epsilon: float, link: str = "either") -> "DegreePreservingResponse":
        """The mechanism that spends ``epsilon`` on an undirected edge: half a person, a tenth of it on her degree.

        :param epsilon: budget of an undirected edge.
        :param link: which reports make an edge, as of the class.
        """
        return cls(DEGREE_SHARE * epsilon / 2, (1 - DEGREE_SHARE) * epsilon / 2, link)

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        slot = self.epsilon_degree + self.epsilon_edges
        return guarantees(slot, 2 * slot, 2 * self.epsilon_edges)

    def audit_case(self) -> AuditCase:
        return graph_cases(lambda report: reported_bits(report, once=False), self.distribution)

    def thinning(self, noisy: Tensor, num_nodes: int) -> Tensor:
        """q of noisy degrees; 0 for a degree of 0.

        :param noisy: degrees with noise, float64 [n].
        :returns: float64 [n].
        """
        p, lie = self.response.keep, self.response.lie
        return (noisy / (noisy * (p - lie) + (num_nodes - 1) * lie).clamp_min(1e-300)).clamp(max=1.0)

    def expected_pairs(self, num_nodes: int, num_edges: int) -> float:
        """How many slots are reported on average if all have the mean degree (or the whole numbers around it).

        :param num_edges: how many undirected edges there are.
        """
        check_graph_size(num_nodes, num_edges)
        n, mean = num_nodes, 2 * num_edges / num_nodes
        thinning = self.thinning(torch.arange(n, dtype=torch.double), n)
        total = 0.0
        for degree, share in ((int(mean), 1 - mean % 1), (int(mean) + 1, mean % 1)):
            if share:
                ones = degree * self.response.keep + (n - 1 - degree) * self.response.lie
                total += n * share * ones * float(degree_distribution(degree, self.epsilon_degree, n) @ thinning)
        return total

    def draw(self, data: Data, generator: torch.Generator) -> EdgeReport:
        n = data.num_nodes
        check_pairs(self.expected_pairs(n, 0))
        noisy = noisy_degrees(Edges(data.edge_index, n).degree, self.epsilon_degree, generator)
        q = self.thinning(noisy.double(), n)
        keep, lie = q * self.response.keep, q * self.response.lie
        ones = respond(data.edge_index, Places(n, once=False), keep, lie, generator, drop=(1 - q) + lie)
        return EdgeReport(ones, n)

    def infer(self, report: EdgeReport) -> tuple[Tensor, None]:
        """The graph that the reports make."""
        graph = report if self.link == "directed" else Graph.made(report.edge_index, report.num_nodes)
        return graph.edge_index, None

    def row_weights(self, v: int, friends: frozenset[int], n: int, t, one) -> Weights:
        """Of the ones that v sends, a bit for each other node; t = (e^eps_1, e^eps_2).

        A 1 of a friend is sent with q p, one of a stranger with q (1 - p). For a noisy degree k with 2 k < n - 1 these
        are k e and k over k e + n - 1 - k, e = e^eps_2; for a larger one q = 1.
        """
        noisy, (e, one_2), table = degree_weights(len(friends), n, t[0], one[0]), (t[1], one[1]), Weights()
        ones = [one_2 if k else 1 for k in range(n)]  # of k = 0 it would be in all weights, and might vanish
        below = [k * e + (n - 1 - k) * o if 2 * k < n - 1 else e + o for k, o in enumerate(ones)]  # denominators
        for k, o in enumerate(ones):
            friend, stranger = ({0: (n - 1 - k) * o, 1: k * e}, {0: k * e + (n - 1 - 2 * k) * o, 1: k * o}) if (
                2 * k < n - 1) else ({0: o, 1: e}, {0: e, 1: o})
            rest = noisy[k] * math.prod(below[j] for j in range(n) if j != k) ** (n - 1)
            for bits, weight in together(friend if u in friends else stranger for u in range(n) if u != v).items():
                table[bits] = table.get(bits, 0) + weight * rest
        return table
