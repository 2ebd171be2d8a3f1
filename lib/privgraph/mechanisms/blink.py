r"""Blink: people send noisy bits and noisy degrees, and the server asks Bayes (Zhu, Tan and Xiao 2023).

The prior of a pair is the beta model: :math:`\mathrm{logit} \Pr[i \sim j] = \beta_i + \beta_j`, with the
:math:`\beta` for which everybody's expected degree is her noisy degree. Each reported bit then moves the logit
by its budget, up for a 1 and down for a 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from ..checks import check_count, check_epsilon, check_labels, check_tensor
from ..checks.parameters import Choice, Count
from ..graph import Edges, Graph, contains, edge_key, key_edges
from ..late import torch
from ..privacy import Guarantee
from .edge_mechanism import (
    EdgeReport,
    check_graph_size,
    check_pairs,
    graph_cases,
    guarantees,
    reported_bits,
)
from .edge_response import DEGREE_SHARE, DegreeAndBits
from .edge_sampling import Places, degree_weights, noisy_degrees, respond
from .law import Weights, together
from .mechanism import AuditCase

if TYPE_CHECKING:
    from torch import Tensor
    from torch_geometric.data import Data

OUTPUTS = ("hard", "soft")
MOST_SOFT = 5_000  # nodes of a graph whose pairs can all carry a weight
ROUNDS, CLOSE = 1_000, 1e-9  # of the fixed point iteration, and when it stops
BLOCK = 1 << 22  # numbers that a block may hold


def posterior(prior: Tensor, ones: Tensor, reports: int, epsilon: float) -> Tensor:
    r"""Pr[edge | ``ones`` of ``reports`` bits say so], where each bit is true with odds :math:`e^{\varepsilon}`.

    .. math:: \mathrm{logit}^{-1}\big(\mathrm{logit}(prior) + (2\, ones - reports)\, \varepsilon\big)

    :param prior: probabilities float [n] of edges before any report.
    :param ones: int64 [n], from 0 to ``reports``.
    :returns: float [n].
    :raises ValueError: for what is no probability, and for more ones than reports.

    >>> import math, torch
    >>> posterior(torch.tensor([0.5, 0.1]), torch.tensor([1, 1]), 1, math.log(9))
    tensor([0.9000, 0.5000])
    """
    check_count(reports, "reports", low=1), check_epsilon(epsilon)
    if not bool(((check_tensor(prior, "prior") >= 0) & (prior <= 1)).all()):
        raise ValueError("prior must hold probabilities, got some outside [0, 1] or NaN")
    if not bool(((check_tensor(ones, "ones") >= 0) & (ones <= reports)).all()):
        raise ValueError(f"ones must lie in 0..{reports}, got some outside")
    return torch.sigmoid(torch.logit(prior) + (2 * ones - reports) * epsilon)


def beta_model(noisy: Tensor) -> Tensor:
    r"""The :math:`\beta` float64 [N] whose expected degrees are ``noisy`` int64 [N], clipped to 1..N-2 (N >= 3).

    A fixed point of :math:`\beta_i \leftarrow \beta_i + \ln d_i - \ln \sum_{j \neq i} \sigma(\beta_i + \beta_j)`
    (Chatterjee, Diaconis and Sly 2011). People with equal degrees have equal :math:`\beta`, so the sum runs over
    different degrees. Without the clipping a degree of 0 or N-1 would give a prior of 0 or 1; where no finite
    :math:`\beta` fits, the last round stands.

    :raises ValueError: for fewer than 3 degrees.
    """
    if check_labels(noisy, None).numel() < 3:
        raise ValueError(f"noisy must hold at least 3 degrees, got {noisy.numel()}")
    n = noisy.numel()
    d, group, size = noisy.clamp(1, n - 2).unique(return_inverse=True, return_counts=True)
    d, size, beta = d.double(), size.double(), torch.zeros(len(d), dtype=torch.double)
    step = max(1, BLOCK // len(d))
    for _ in range(ROUNDS):
        expected = torch.cat([torch.sigmoid(part[:, None] + beta) @ size for part in beta.split(step)])
        change = torch.log(d / (expected - torch.sigmoid(2 * beta)))
        beta = beta + change
        if change.abs().max() < CLOSE:
            break
    return beta[group]


@dataclass(frozen=True)
class Blink(DegreeAndBits):
    r"""Noisy rows (:math:`\varepsilon_a`) and noisy degrees (:math:`\varepsilon_d`), then the server's posterior.

    ``"hard"`` keeps the pairs with a posterior above one half; ``"soft"`` gives every pair its posterior as weight.
    With ``reports=1`` each pair's bit is sent once, by its lower-numbered end. The paper adds Laplace noise to
    degrees; ours is its whole-number form, clamped to 0..n-1.

    Proof. A slot is one bit and 1 in one degree: :math:`\varepsilon_a + \varepsilon_d`. An undirected edge is
    ``reports`` bits and two degrees: :math:`2 (\varepsilon_a + \varepsilon_d)`, or
    :math:`\varepsilon_a + 2 \varepsilon_d` with one report. A swap leaves the degree alone and changes two bits:
    :math:`2 \varepsilon_a`. All are attained. ``report`` is what the server sees; ``infer`` is post-processing.

    :param epsilon_degree: budget of the noisy degrees, > 0.
    :param epsilon_edges: budget of the reported edges, > 0; ``inf`` returns the graph as it is.
    :param reports: 2, or 1.
    :param output: "hard", or "soft" (at most 5,000 nodes: n (n - 1) weights).

    >>> from privgraph.privacy import find_guarantee
    >>> find_guarantee(Blink.for_edge(2.0, reports=1).guarantees, "undirected edge").epsilon
    2.0
    """

    reports: Annotated[int, Count(1, 2)] = 2
    output: Annotated[str, Choice(OUTPUTS)] = "hard"

    @classmethod
    def for_edge(cls, epsilon: float, reports: int = 2, output: str = "hard") -> "Blink":
        """The mechanism that spends ``epsilon`` on an undirected edge, a tenth of it on the two degrees.

        :param epsilon: budget of an undirected edge.
        :param reports: 2 where both ends report an edge, 1 where one does.
        :param output: "hard" or "soft", as of the class.
        """
        return cls(DEGREE_SHARE * epsilon / 2, (1 - DEGREE_SHARE) * epsilon / reports, reports, output)

    @classmethod
    def examples(cls) -> "tuple[Blink, ...]":
        return cls(0.3, 0.7), cls(0.3, 0.7, reports=1), cls(0.3, 0.7, output="soft")

    def audit_case(self) -> AuditCase:
        return graph_cases(lambda report: tuple(zip(reported_bits(report, self.reports == 1),
                                                    report.degrees.tolist(),
                                                    strict=True)), self.distribution)

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        a, d = self.epsilon_edges, self.epsilon_degree
        return guarantees(a + d, self.reports * a + 2 * d, 2 * a)

    def expected_pairs(self, num_nodes: int, num_edges: int) -> float:
        """How many ones are reported on average; ``num_edges`` counts each undirected edge once."""
        check_graph_size(num_nodes, num_edges)
        return self.reports * self.response.expected_pairs(num_nodes, num_edges)

    def draw(self, data: Data, generator: torch.Generator) -> EdgeReport:
        """Noisy degrees and noisy bits of everybody.

        :raises ValueError: for fewer than 3 nodes, and for soft output of too many.
        """
        n = data.num_nodes
        if n < 3:
            raise ValueError(f"Blink needs at least 3 nodes, got {n}")
        if self.output == "soft" and n > MOST_SOFT:
            raise ValueError(f"output must be 'hard' above {MOST_SOFT:,} nodes, got {self.output!r} for {n:,}")
        check_pairs(self.expected_pairs(n, 0))  # the number of edges is private, and a refusal would tell of it
        noisy = noisy_degrees(Edges(data.edge_index, n).degree, self.epsilon_degree, generator)
        keep, lie = (torch.full((n,), p, dtype=torch.double) for p in (self.response.keep, self.response.lie))
        ones = respond(data.edge_index, Places(n, once=self.reports == 1), keep, lie, generator, drop=lie)
        return EdgeReport(ones, n, noisy)

    def infer(self, report: EdgeReport) -> tuple[Tensor, Tensor | None]:
        """The server's graph: edge_index [2, E'] in both directions, and float32 weights [E'] where it is soft."""
        return (self.soft if self.output == "soft" else self.hard)(report)

    def hard(self, report: EdgeReport) -> tuple[Tensor, None]:
        """Pairs with a posterior above 1/2, from the reported pairs and those whose prior alone is enough."""
        n, beta = report.num_nodes, beta_model(report.degrees)
        (low, high), ones = count_ones(report)
        kept = beta[low] + beta[high] + (2 * ones - self.reports) * self.epsilon_edges > 0
        likely = pairs_above(beta, self.reports * self.epsilon_edges)
        unseen = likely[:, ~contains(torch.stack([low, high]), likely, n)]
        return Graph.made(torch.cat([torch.stack([low, high])[:, kept], unseen], 1), n).edge_index, None

    def soft(self, report: EdgeReport) -> tuple[Tensor, Tensor]:
        """Every pair with its posterior (dense; ``draw`` has checked n)."""
        n, beta = report.num_nodes, beta_model(report.degrees).float()
        (low, high), ones = count_ones(report)
        count = torch.zeros(n, n, dtype=torch.int8)
        count[low, high] = count[high, low] = ones.to(torch.int8)
        edge_index = (~torch.eye(n, dtype=torch.bool)).nonzero().t()
        logit = (beta[:, None] + beta) + (2 * count - self.reports) * self.epsilon_edges
        return edge_index, torch.sigmoid(logit)[edge_index[0], edge_index[1]]

    def row_weights(self, v: int, friends: frozenset[int], n: int, t, one) -> Weights:
        """Of the bits and the noisy degree that v sends; t = (e^eps_d, e^eps_a)."""
        others = [u for u in range(v if self.reports == 1 else 0, n) if u != v]
        bits = together({0: one[1], 1: t[1]} if u in friends else {0: t[1], 1: one[1]} for u in others)
        noisy = degree_weights(len(friends), n, t[0], one[0])
        return {(row, degree): w * noisy[degree] for row, w in bits.items() for degree in range(n)}


def count_ones(report: EdgeReport) -> tuple[Tensor, Tensor]:
    """The reported pairs int64 [2, P] (smaller end first) and by how many of their ends, int64 [P]."""
    n = report.num_nodes
    key, ones = edge_key((report.edge_index.amin(0), report.edge_index.amax(0)), n).unique(return_counts=True)
    return key_edges(key, n), ones


def pairs_above(beta: Tensor, threshold: float) -> Tensor:
    """All pairs with beta_i + beta_j > threshold, int64 [2, P] (smaller end first), in O(n log n + P)."""
    n = beta.numel()
    rising, node = beta.sort()
    position = torch.arange(n)
    first = torch.searchsorted(rising, threshold - rising, right=True)  # in rising order, partners from here on
    first = torch.maximum(first, position + 1)  # each pair once
    check_pairs(int((n - first).sum()), "the graph made of the report would hold")  # refusing is post-processing
    left = torch.repeat_interleave(position, n - first)
    offset = torch.arange(left.numel()) - ((n - first).cumsum(0) - (n - first))[left]
    pairs = torch.stack([node[left], node[first[left] + offset]])
    return torch.stack([pairs.amin(0), pairs.amax(0)])
