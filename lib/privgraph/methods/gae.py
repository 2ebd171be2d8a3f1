"""The graph autoencoder: a vector for each node, from whose inner products the graph can be read again.

Kipf and Welling (2016), "Variational Graph Auto-Encoders", the variant without sampling.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..checks import check_data, check_features, check_generator
from ..checks.parameters import Choice, Count, Instance, LearningRate
from ..effort import COMPARED, PLAIN, SCORED, Effort, Extent, tables, training
from ..graph import Edges, Graph, SparseMatrix
from ..mechanisms import GraphMechanism, Mechanism, SensitiveResponse, SymmetricResponse
from ..mechanisms.text import mechanism_of
from ..nn.training import flushed_denormals
from ..privacy import Guarantee
from ..randomness import kind_of, torch_seeded
from ..waiting import steps
from .embedding import Embedding, Embeddings
from .method import Sizes, sizes_of
from .release import unaccounted
from .sensitive import Hidden

if TYPE_CHECKING:
    from torch_geometric.data import Data

MOST_NODES = 5_000  # of whom all pairs are scored in each step: 100 MB a matrix
EACH = 2  # pairs a node that are drawn in each step where there are more; on Cora as good as all (chapter 10)
LOG = logging.getLogger(__name__)
WITHOUT = ("nothing", "links", "users")
RAW = "the vectors were trained on links and features as they are"
OPEN_FEATURES = Guarantee(math.inf, unit="feature vector", trust="central", basis="proved")


class Encoder(nn.Module):
    r"""Two graph convolutions, :math:`\hat A\,\mathrm{ReLU}(\hat A X W_0)\,W_1` (dissertation, eq. 3.1 and 3.2)."""

    def __init__(self, columns: int, hidden: int, dimension: int):
        super().__init__()
        self.first = nn.Parameter(nn.init.xavier_uniform_(torch.empty(columns, hidden)))
        self.second = nn.Parameter(nn.init.xavier_uniform_(torch.empty(hidden, dimension)))

    def forward(self, x: SparseMatrix, matrix: SparseMatrix) -> Tensor:
        return matrix @ ((matrix @ (x @ self.first)).relu() @ self.second)


class Links:
    r"""What the decoder of links makes small: linked pairs and others count the same, one half each.

    .. math:: L = \tfrac12 \operatorname{mean}_{\text{linked}} -\ln \sigma(z_u \cdot z_v)
                + \tfrac12 \operatorname{mean}_{\text{others}} -\ln (1 - \sigma(z_u \cdot z_v))

    That is GAE's cross-entropy with the weight of the rarer class; a node counts as linked to itself. The
    dissertation's eq. 3.4 prints the first half alone, which is smallest where all vectors are alike and long.

    :param pairs: of either kind that are drawn in each step; ``None``: all, for up to ``MOST_NODES`` nodes, and
        ``EACH`` a node for more, which is logged.
    """

    def __init__(self, graph: Graph | Data, pairs: int | None, generator: torch.Generator):
        self.n, self.pairs, self.generator = graph.num_nodes, drawn_pairs(pairs, graph.num_nodes), generator
        if pairs is None and self.pairs is not None:
            LOG.info("%s nodes have %s pairs, of which %s are drawn in each step", *map("{:,}".format, (
                self.n, self.n**2, self.pairs)))
        loops = torch.arange(self.n).expand(2, -1)
        self.known = Edges(torch.cat([graph.edge_index, loops], 1), self.n)
        self.linked = self.known.edge_index

    def loss(self, z: Tensor) -> Tensor:
        return self.all_pairs(z) if self.pairs is None else self.some_pairs(z)

    def all_pairs(self, z: Tensor) -> Tensor:
        near = scores(z, self.linked)
        far = F.softplus(z @ z.t()).sum() - F.softplus(near).sum()
        return (F.softplus(-near).mean() + far / max(1, self.n**2 - near.numel())) / 2

    def some_pairs(self, z: Tensor) -> Tensor:
        """Other pairs are drawn among all, and those that are linked are left out."""
        near = self.linked[:, torch.randint(self.linked.size(1), (self.pairs,), generator=self.generator)]
        far = torch.randint(self.n, (2, self.pairs), generator=self.generator)
        far = far[:, ~self.known.has(far)]
        return (F.softplus(-scores(z, near)).mean() + F.softplus(scores(z, far)).sum() / max(1, far.size(1))) / 2


def drawn_pairs(pairs: int | None, num_nodes: int) -> int | None:
    """How many pairs of either kind are drawn in each step; None: all are looked at.

    >>> drawn_pairs(None, 34), drawn_pairs(7, 34), drawn_pairs(None, 20_000)
    (None, 7, 40000)
    """
    return EACH * num_nodes if pairs is None and num_nodes > MOST_NODES else pairs


def scores(z: Tensor, pairs: Tensor) -> Tensor:
    """The inner product of the two vectors of each pair [n]."""
    return (z[pairs[0]] * z[pairs[1]]).sum(1)


def features(data: Data) -> SparseMatrix:
    return sparse_features(check_features(check_data(data, "x", "edge_index").x))


def sparse_features(x: Tensor) -> SparseMatrix:
    """Features for products; those of words and of memberships are mostly zeros."""
    row, column = x.nonzero(as_tuple=True)
    return SparseMatrix(row, column, x[row, column], tuple(x.shape))


@dataclass(frozen=True)
class GAE(Embedding):
    """Vectors whose inner products tell links from other pairs. **No guarantee**, unless ``edges`` has one.

    :param hidden: width of the first convolution.
    :param dimension: of the published vectors.
    :param epochs: steps of Adam, each on the whole graph.
    :param learning_rate: Adam's.
    :param pairs: linked and other pairs that are drawn in each step; ``None``: all of them, and above 5,000 nodes two
        a node.
    :param without: links that are taken out before anything else: ``"nothing"``, the sensitive ``"links"`` (the
        dissertation's GAE_RM), or all links of sensitive ``"users"``.
    :param sensitive_degree: from how many links on a user is sensitive, where the graph does not say.
    :param edges: a mechanism through which the links go before anything reads them; what holds for it holds for the
        vectors, which are made of its answers, and features are public. Nothing may be taken out beforehand, as what
        is sensitive would be chosen by a look at the links. Each pair of its answers counts as a link.

    >>> from privgraph.datasets import load
    >>> from privgraph.randomness import seeded
    >>> GAE(epochs=1).embed(load("karate"), seeded(0)).z.shape
    torch.Size([34, 16])
    """

    hidden: Annotated[int, Count(1)] = 32
    dimension: Annotated[int, Count(1)] = 16
    epochs: Annotated[int, Count(1)] = 200
    learning_rate: Annotated[float, LearningRate()] = 0.01
    pairs: Annotated[int | None, Count(1, none=True)] = None
    without: Annotated[str, Choice(WITHOUT)] = "nothing"
    sensitive_degree: Annotated[int | None, Count(1, none=True)] = None
    edges: Annotated[Mechanism | None, Instance(GraphMechanism, none=True, read=mechanism_of(GraphMechanism))] = None

    def agree(self):
        """Refuse two ways of hiding links at once.

        :raises ValueError: where ``edges`` is given and ``without`` takes links out before.
        """
        if self.edges is not None and self.without != "nothing":
            raise ValueError(f"edges must be left out where links are taken out before, got {self.edges} and "
                             f"without={self.without!r}: its guarantee would not cover what was chosen by the links")

    def unread(self) -> dict[str, str]:
        return {"sensitive_degree": "without is nothing"} if self.without == "nothing" else {}

    @classmethod
    def examples(cls) -> "tuple[GAE, ...]":
        return (cls(epochs=3), cls(epochs=3, pairs=20), cls(epochs=3, without="links", sensitive_degree=2),
                cls(epochs=3, edges=SymmetricResponse(1.0)), cls(epochs=3, edges=SensitiveResponse(1.0)))

    def guarantees(self, sizes: Sizes, delta: float | None = None) -> tuple[Guarantee, ...]:
        """What holds for the answers of ``edges``, if there are any."""
        return () if self.edges is None else (*self.edges.guarantees, OPEN_FEATURES)

    def embed(self, data: Data, generator: torch.Generator) -> Embeddings:
        check_generator(generator)
        if self.edges is not None:
            return self.of_answers(data, generator)
        x = features(data)
        return Embeddings(z=self.vectors(x, self.kept(data), generator), unaccounted=(*unaccounted(data), RAW),
                          randomness=kind_of(generator))

    CHEAPER = ("epochs", "pairs")

    def embedding_effort(self, extent: Extent) -> Effort:
        """Training on the links, or on what ``edges`` makes of them."""
        told, answers = (extent, Effort(0)) if self.edges is None else self.edges.effort(extent)
        drawn = drawn_pairs(self.pairs, told.nodes)
        scored = 2 * drawn * SCORED if drawn else told.nodes**2 * COMPARED
        step = Effort(self.epochs * self.dimension * scored, tables(told.nodes**2 / 2 if drawn is None else 0))
        return answers + step + training(replace(told, classes=self.dimension), self.hidden, self.epochs) * PLAIN

    def of_answers(self, data: Data, generator: torch.Generator) -> Embeddings:
        """Vectors of what the mechanism says of the links. Nothing is refused for what links there are.

        :raises ValueError: where its answers have weights.
        """
        x, told = features(data), self.edges(data, generator=generator)
        if told.edge_weight is not None:
            raise ValueError(f"edges must be a mechanism whose answers have no weights, got {self.edges}")
        seen = Graph.made(told.edge_index, data.num_nodes)
        public = ("x", *(("sensitive_users", "open_edges") if isinstance(self.edges, SensitiveResponse) else ()))
        return Embeddings(z=self.vectors(x, seen, generator), guarantees=self.guarantees(sizes_of(data)), public=public,
                          unaccounted=unaccounted(data), randomness=kind_of(generator))

    def kept(self, data: Data) -> Graph:
        """The graph without what is taken out.

        :raises ValueError: for a graph without an edge.
        """
        if self.without == "nothing":
            graph = Graph.of(data)
            if graph.edge_index.size(1) == 0:
                raise ValueError("edge_index must have at least one edge, got none")
            return graph
        hidden = Hidden.of(data, self.sensitive_degree)
        return hidden.training if self.without == "links" else hidden.graph.among(~hidden.users)

    def vectors(self, x: SparseMatrix, graph: Graph, generator: torch.Generator) -> Tensor:
        """Train on a graph as it is; the vectors of the last step, float [N, dimension].

        :param x: the features [N, d], sparse.
        :param graph: whose links are learned.
        """
        matrix = graph.adjacency(self_loops=True)
        links = Links(graph, self.pairs, generator)
        with torch_seeded(generator), flushed_denormals():
            encoder = Encoder(x.shape[1], self.hidden, self.dimension)
            optimiser = torch.optim.Adam(encoder.parameters(), lr=self.learning_rate)
            for _ in steps(range(self.epochs), "training"):
                optimiser.zero_grad()
                links.loss(encoder(x, matrix)).backward()
                optimiser.step()
        with torch.no_grad():
            return encoder(x, matrix)
