r"""Canaries: made-up edges, each put in by a fair coin. Only on them does epsilon bound what an attack scores.

On real edges no theorem bounds an attack: friends have similar features, and that is public. A canary's coin is
independent of everything else. So if the release is :math:`\varepsilon`-DP for one undirected edge, then given
the release, the graph and all other coins, its odds are at most :math:`e^{\varepsilon}`, whatever the attack.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ..checks import check_count, check_generator
from ..graph import Graph, with_edge_index
from ..privacy.limits import error_rate

if TYPE_CHECKING:
    from torch_geometric.data import Data

ROUNDS = 100  # of looking for partners


@dataclass(frozen=True, eq=False)
class Planted:
    """A graph with canaries: ``data``, their ``pairs`` int64 [2, count], and whether each is ``present``, bool [count].

    The attacker may know all of ``data`` but which canaries are present.
    """

    data: Data
    pairs: Tensor
    present: Tensor


def plant(data: Data, count: int, generator: torch.Generator) -> Planted:
    """Choose ``count`` pairs of nodes that are not adjacent; add each as an undirected edge if a fair coin says so.

    No node is in two pairs. The pairs are chosen before the coins fall, by joining the nodes at random and
    joining again those whose partner was a neighbour. Nothing but ``edge_index`` changes, in a copy without weights of
    edges. The original edges are as they were, so only the canaries have a ceiling, not the other pairs.

    :param data: a graph with ``edge_index`` and ``num_nodes``.
    :param count: 1 to N / 2 canaries.

    >>> from privgraph.randomness import seeded
    >>> from torch_geometric.data import Data
    >>> planted = plant(Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=6), 2, seeded(0))
    >>> planted.data.num_edges == 2 + 2 * int(planted.present.sum())
    True
    """
    check_generator(generator)
    graph = Graph.of(data)
    count = check_count(count, "count", low=1, high=graph.num_nodes // 2)
    pairs = disjoint_non_edges(graph, count, generator)
    present = torch.randint(2, (count,), generator=generator).bool()
    return Planted(with_edge_index(data, graph.plus(pairs[:, present]).edge_index), pairs, present)


def disjoint_non_edges(graph: Graph, count: int, generator: torch.Generator) -> Tensor:
    """``count`` non-adjacent pairs without a common node, int64 [2, count].

    The nodes that are left are joined at random; when all turn out to be neighbours, the oldest pair is parted.
    """
    free, found = torch.arange(graph.num_nodes), torch.empty(2, 0, dtype=torch.long)
    for _ in range(ROUNDS):
        free = free[torch.randperm(len(free), generator=generator)]
        even = len(free) - len(free) % 2
        pairs = free[:even].view(2, -1)
        adjacent = graph.has(pairs)
        found = torch.cat([found, pairs[:, ~adjacent]], 1)
        if found.size(1) >= count:
            return found[:, :count]
        parted = int(adjacent.all())
        free = torch.cat([pairs[:, adjacent].flatten(), free[even:], found[:, :parted].flatten()])
        found = found[:, parted:]
    raise ValueError(f"count must be a number of disjoint non-adjacent pairs that this graph has, got {count}; "
                     f"{ROUNDS} rounds of joining nodes at random did not find so many")


def ceiling(epsilon: float) -> float:
    r"""The largest share of right guesses on canaries: :math:`c = e^{\varepsilon} / (1 + e^{\varepsilon})`.

    It holds for guesses on all canaries or on those where the attacker dares to (in expectation; for the
    binomial test see ``audit.statistical.one_run_audit``).

    :param epsilon: of the whole release, for one undirected edge, at least 0.

    >>> round(ceiling(1.0), 3), ceiling(0.0)
    (0.731, 0.5)
    """
    return 1 - error_rate(epsilon)


def auc_ceiling(epsilon: float, canaries: int | None = None) -> float:
    r"""The largest expected AUC on canaries: the ceiling c of guesses; in one run :math:`c + (c - \frac12) / (m - 1)`.

    *One canary a run.* DP allows :math:`t \le e^{\varepsilon} f` and :math:`1 - f \le e^{\varepsilon} (1 - t)`; the two
    lines meet at f = 1 - c, t = c, and the area below is :math:`\frac12 + \frac12 (c - (1 - c)) = c`. Randomised
    response attains it: its two answers give just this corner, and half of the ties is the straight line.

    *m canaries in one run.* Scores come from one release, and comparing two of them looks at two coins. The
    :math:`m_1` present ones win W of the :math:`m_1 (m - m_1)` comparisons with absent ones (half of a tie). The AUC is
    the quotient, in runs that have both kinds. Two things are proved, for every :math:`m \ge 2`:

    .. math:: E\,\text{AUC} \le B \quad\text{and}\quad \frac{E\,W}{E\,m_1 (m - m_1)} \le B,
              \qquad B = \frac{m c - 1/2}{m - 1} .

    *Coins of odds x.* Let each coin say "present" with odds x first, so with probability
    :math:`\pi = x / (1 + x)`. Given the release the odds of each are within :math:`x e^{\pm\varepsilon}`, so its
    probability lies between :math:`d = x / (x + e^\varepsilon)` and
    :math:`u = x e^\varepsilon / (1 + x e^\varepsilon)`. Let T_k be the number of present ones among the k highest
    scores: :math:`E\,T_k \le \varphi(k) = \min(u k,\; m \pi - d (m - k))`. As :math:`\varphi` is concave, 0 at 0 and
    :math:`m \pi` at m, its sum over k = 1..m is at most its integral plus :math:`m \pi / 2`, which is
    :math:`\frac{m \pi}{2} + \frac{m^2}{2} (\pi + \frac{(\pi - d)(u - \pi)}{u - d})`, and the fraction is
    :math:`(2c - 1)\, \pi (1 - \pi)`. With :math:`W = \sum_k T_k - m_1 (m_1 + 1) / 2` (ties broken at random)

    .. math:: E_x W \le \pi (1 - \pi) \left(\frac{m (m - 1)}{2} + \frac{m^2 (2 c - 1)}{2}\right)
              = B\, E_x\, m_1 (m - m_1) .

    *Fair coins* are x = 1, which is the second statement. *The first.* Given :math:`m_1 = j` all sets of j are equally
    likely, whatever x is, so :math:`w_j = E(W \mid m_1 = j)` does not depend on it: :math:`\sum_j \binom{m}{j} x^j
    (w_j - B j (m - j)) \le 0` for each x > 0. Integrate against :math:`\frac{1}{m x} \min(1, x^{-m})`; as
    :math:`\int_0^\infty \frac{x^{j-1}}{m} \min(1, x^{-m})\, dx = \frac{1}{m} (\frac1j + \frac{1}{m - j}) =
    \frac{1}{j (m - j)}`, what is left is :math:`\sum_{0 < j < m} \binom{m}{j} (\frac{w_j}{j (m - j)} - B) \le 0`. ∎

    The bare c is not enough: for m = 2 a mechanism that tells which of two is present exceeds it. Nor is B attained by
    any mechanism for 2 to 8 canaries: linear programmes find the largest values (see the tests).

    :param canaries: m, at least 2; ``None``: scores of different runs are compared, or m is large.

    >>> round(auc_ceiling(1.0), 4), round(auc_ceiling(1.0, canaries=500), 4)
    (0.7311, 0.7315)
    """
    c = ceiling(epsilon)
    return c if canaries is None else min(1.0, c + (c - 0.5) / (check_count(canaries, "canaries", low=2) - 1))
