r"""DPNE: the DeepWalk matrix of a graph, factored with noise in the objective (Xu, Yuan, Wu and Phan 2018).

Rebuilt from what is published about it: DeepWalk as the factorisation of a matrix M of the logs of short walks,

.. math:: \min_W \lVert M - W H^\top \rVert_F^2 + \lambda \lVert W \rVert_F^2 + \sum_i \langle \eta_i, w_i \rangle,
          \qquad f(\eta_i) \propto e^{-\varepsilon \lVert \eta_i \rVert / (2 \Delta)}

and the vectors W are what is published. The rest is chosen here so that the noise is as small as the claim allows:

- :math:`M_{ij} = \ln \max(1, \frac{n}{b\,T} \sum_{r=1}^{T} (P^r)_{ij})`, P the transition matrix of a walk, b the
  negative samples. In the exact form (Qiu et al. 2018) vol(G) / d_j stands for its mean n; each link is in vol(G), and
  so would change every row.
- A row longer than 1 is shortened to 1: so one row moves by at most :math:`\Delta = \sqrt 2`.
- The contexts H [n, d] have orthonormal columns, so that :math:`\lVert H^\top x \rVert \le \lVert x \rVert`. Where they
  are learnt, they are those of the objective without noise: the first right singular vectors of M.

The minimum is then known: :math:`W = (M H - \eta / 2) / (1 + \lambda)`. Noise in the objective is noise on M H, and the
penalty changes the scale only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import torch
from torch import Tensor

from ..checks import check_count, check_generator, check_people
from ..checks.parameters import Choice, Count, Epsilon, NotNegative
from ..effort import FACTORED, FOUND, LIBRARIES, Effort, Extent
from ..graph import Graph
from ..mechanisms import RowNoise
from ..privacy import Guarantee
from ..randomness import kind_of, torch_seeded
from .embedding import Embedding, Embeddings
from .method import Sizes, sizes_of
from .release import unaccounted

if TYPE_CHECKING:
    from torch_geometric.data import Data

MOST_NODES = 12_000  # of a matrix [n, n]
MATRICES = 3  # of these in memory at once, of 32 bits
ROW = math.sqrt(2)  # how far a row of length at most 1 and without negative numbers can move
CONTEXTS = ("learnt", "drawn")


@dataclass(frozen=True)
class DPNE(Embedding):
    r"""Vectors W of DPNE, float32 [N, min(dimension, N)], and what holds for them: much less than the paper claims.

    The claim is epsilon-DP, for neighbours that differ in an edge. Its noise pays for *one row* of M that changes,
    while the contexts stay. One edge changes more: the rows of its two ends where T = 1, of everybody within T - 1
    steps of them otherwise, and learnt contexts, so that all rows of M H may move.

    **What holds**, for an undirected edge added or removed, as the losses of the rows add up (``RowNoise``):
    :math:`2 \varepsilon` for drawn contexts and T = 1; :math:`n \varepsilon` for drawn contexts, as each of n rows of M
    moves by at most :math:`\sqrt 2`; :math:`\sqrt 2\, n\, \varepsilon` for learnt ones, as each row of M H is no longer
    than 1 and moves by at most 2. Neither is of any use at the printed epsilon, and ``loss`` says exactly what two
    graphs cost.

    :param epsilon: the paper's budget, > 0; ``inf`` adds no noise.
    :param dimension: of the vectors; the dissertation takes 64.
    :param window: T, the steps of the longest walk.
    :param negatives: b, negative samples for each pair.
    :param ridge: lambda, the penalty on W.
    :param contexts: ``"learnt"`` of the same graph, or ``"drawn"`` at random, without a look at it.

    >>> from privgraph.methods.contract.toys import path_graph
    >>> from privgraph.privacy import find_guarantee
    >>> from privgraph.randomness import seeded
    >>> held = find_guarantee(DPNE().embed(path_graph(8), seeded(0)).guarantees, "undirected edge")
    >>> held.claimed, round(held.epsilon, 2)
    (1.0, 11.31)
    """

    epsilon: Annotated[float, Epsilon()] = 1.0
    dimension: Annotated[int, Count(1, within="num_nodes")] = 64
    window: Annotated[int, Count(1, within="num_nodes")] = 2
    negatives: Annotated[int, Count(1)] = 1
    ridge: Annotated[float, NotNegative()] = 0.1
    contexts: Annotated[str, Choice(CONTEXTS)] = "learnt"

    @classmethod
    def examples(cls) -> "tuple[DPNE, ...]":
        return cls(), cls(contexts="drawn"), cls(window=1, contexts="drawn", dimension=2)

    def guarantees(self, sizes: Sizes, delta: float | None = None) -> tuple[Guarantee, ...]:
        """What holds for an undirected edge, beside what the paper claims."""
        return (replace(self.mechanism(sizes.num_nodes).guarantee, claimed=self.epsilon),)

    def embedding_effort(self, extent: Extent) -> Effort:
        """All of M, and its first singular vectors.

        :raises ValueError: for more than ``MOST_NODES`` nodes.
        """
        numbers = check_size(extent.nodes) ** 2
        return Effort(numbers * (self.window * FOUND + self.dimension * FACTORED), gigabytes(extent.nodes))

    def embed(self, data: Data, generator: torch.Generator) -> Embeddings:
        """The noisy minimum of the objective; everybody's row gets noise of her own.

        :raises ValueError: for an epsilon so small that its noise fits no 32-bit float.
        """
        mechanism = self.mechanism(check_people(data))
        if mechanism.scale > torch.finfo(torch.float32).max:
            raise ValueError(f"epsilon must be so large that its noise fits a 32-bit float, got {self.epsilon!r}, with "
                             f"noise of scale {mechanism.scale:.2g}")
        z = mechanism(self.answers(data, generator), generator=generator) / (1 + self.ridge)
        return Embeddings(z=z, guarantees=self.guarantees(sizes_of(data)), public=("num_nodes",),
                          unaccounted=unaccounted(data), randomness=kind_of(generator))

    def mechanism(self, num_nodes: int) -> RowNoise:
        """The paper's noise, with what an undirected edge may move and so costs."""
        alone = self.contexts == "drawn" and self.window == 1
        rows = min(2, num_nodes) if alone else num_nodes
        each = 2.0 if self.contexts == "learnt" else ROW
        return RowNoise(rows * each / ROW * self.epsilon, sensitivity=rows * each, unit="undirected edge")

    def answers(self, data: Data, generator: torch.Generator) -> Tensor:
        """M H, what the noise is added to, float32 [N, min(dimension, N)]. No row is longer than 1."""
        check_generator(generator)
        m = walk_matrix(Graph.of(data), self.window, self.negatives)
        return m @ self.basis(m, generator)

    def basis(self, m: Tensor, generator: torch.Generator) -> Tensor:
        """The contexts H of a matrix M, float32 [N, min(dimension, N)]: orthonormal columns.

        :param m: float [N, N].
        """
        n, width = len(m), min(self.dimension, len(m))
        with torch_seeded(generator):
            if self.contexts == "drawn":
                return torch.linalg.qr(torch.randn(n, width)).Q
            h = torch.svd_lowrank(m, min(width + 10, n), niter=4)[2][:, :width]
        return torch.where(h.sum(0) < 0, -h, h)  # no solver says which sign, and one that changes moves every row

    def loss(self, data: Data, other: Data, generator: torch.Generator) -> float:
        r"""The exact epsilon between two graphs of the same people, their contexts made with the same coins.

        .. math:: \frac{\varepsilon}{\sqrt 2} \sum_i \lVert (M H)_i - (M' H')_i \rVert_2

        :param other: a graph of as many people.
        """
        check_count(other.num_nodes, "number of people in other", low=data.num_nodes, high=data.num_nodes)
        state = check_generator(generator).get_state()
        first = self.answers(data, generator)
        generator.set_state(state)
        moved = (first - self.answers(other, generator)).norm(dim=1).double().sum()
        return self.epsilon * float(moved) / ROW


def gigabytes(num_nodes: int) -> float:
    """Of memory at most."""
    return LIBRARIES + MATRICES * 4 * num_nodes**2 / 1e9


def check_size(num_nodes: int) -> int:
    """Refuse more nodes than M may have. Its zeros are not left out: how many there are hangs on the edges, and so
    would what is refused."""
    if check_count(num_nodes, "num_nodes", low=1) > MOST_NODES:
        raise ValueError(f"num_nodes must be at most {MOST_NODES:,}, as M has a number for every two nodes, got "
                         f"{num_nodes:,}, which take about {gigabytes(num_nodes):,.0f} GB of memory; on larger graphs "
                         "gae and deepwalk make vectors without such a matrix, and promise nothing")
    return num_nodes


def walk_matrix(graph: Graph, window: int, negatives: int) -> Tensor:
    r"""M of the module's first lines, float32 [N, N], no row longer than 1. A node without neighbours has zeros.

    :raises ValueError: for more than ``MOST_NODES`` nodes, as M is dense.
    """
    check_size(graph.num_nodes)
    step = graph.adjacency("mean")
    power = step.to_dense()
    total = power.clone()
    for _ in range(check_count(window, "window", low=1) - 1):
        power = step @ power
        total += power
    m = total.mul_(graph.num_nodes / (check_count(negatives, "negatives", low=1) * window)).clamp_(min=1).log_()
    return m.div_(m.norm(dim=1, keepdim=True).clamp_(min=1))
