"""LPPGE: vectors trained against a discriminator, with what is sensitive handed to the decoder beside them.

Chapter 3 of the dissertation, "Link-privacy Preserving Graph Embedding Data Publication With Adversarial Learning".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..checks import check_data, check_generator, check_labels
from ..checks.parameters import Choice, Count, Flag, LearningRate, NotNegative
from ..effort import GAME, Effort, Extent
from ..graph import Graph, SparseMatrix
from ..nn.training import flushed_denormals
from ..randomness import kind_of, torch_seeded
from ..waiting import steps
from .embedding import Embedding, Embeddings
from .gae import GAE, RAW, Encoder, Links, features
from .release import unaccounted
from .sensitive import Hidden

if TYPE_CHECKING:
    from torch_geometric.data import Data

PRIVACY = ("trimmed", "added", "sensitive", "permuted", "none")
ADDED = 0.2  # links that are added, as a share of the nodes: 540 of 2,708 on Cora
WIDE = 64  # the discriminator's hidden layer; the text gives no width
LABELS = "labels of {} nodes were read as they are"


class Networks(nn.Module):
    """The encoder with its narrow code, the layer that widens it, the decoder of labels and the discriminator."""

    def __init__(self, method: "LPPGE", columns: int, classes: int):
        super().__init__()
        self.encoder = Encoder(columns, method.hidden, method.code)
        self.widen = nn.Linear(method.code, method.dimension)
        self.classify = nn.Linear(method.dimension, classes)
        self.discriminator = nn.Sequential(nn.Linear(method.code, WIDE), nn.ReLU(), nn.Linear(WIDE, 1))

    def embed(self, code: Tensor) -> Tensor:
        """Z of the code Z' [N, code]. Without the tanh Z would have the rank of the code."""
        return self.widen(code).tanh()

    def makers(self) -> list[nn.Parameter]:
        """What is trained to rebuild: all but the discriminator."""
        return [*self.encoder.parameters(), *self.widen.parameters(), *self.classify.parameters()]

    def discriminate(self, code: Tensor, noise: Tensor) -> Tensor:
        """Eq. 3.7: the discriminator's loss, with noise as positive."""
        return F.softplus(-self.discriminator(noise)).mean() + F.softplus(self.discriminator(code)).mean()


@dataclass(frozen=True)
class LPPGE(Embedding):
    r"""Link Privacy Preserved Graph Embedding (dissertation, Algorithm 2). **No guarantee is given.**

    The encoder sees the graph without sensitive links and makes a code Z' of few numbers, which a layer widens to the
    published Z. Two decoders read Z, one of links, which also gets the privacy embedding :math:`Z_p`, and one of
    classes; a discriminator learns to tell codes from Gaussian noise, and the encoder to deceive it.

    The text leaves open, and we choose: :math:`Z_p` is GAE's vectors of the privacy graph (Algorithm 2 says "from the
    training graph", the text "from the privacy graph"; we follow the text); a tanh after the layer that widens (a
    linear one would leave Z at the rank of the code); the discriminator reads the code; the classes of training nodes
    are read where the graph has a ``train_mask``, else all; Adam at .01, the discriminator and its opponent at .001.

    :param code: numbers of Z', the bottleneck.
    :param alpha: weight of the loss of labels (eq. 3.6), at least 0; 0 reads no label.
    :param privacy: the privacy graph: ``"trimmed"`` (LPPGE(T)), ``"added"`` (LPPGE(A)), ``"sensitive"`` links only
        (NPGE); or, as controls, the ``"permuted"`` rows of the first, or ``"none"``.
    :param radius: R of trimming.
    :param target: M of addition, the number of links to be added; None: a fifth of the number of nodes, as on Cora, and
        at least one for each sensitive link.
    :param discriminator: whether there is one.
    :param sensitive_degree: as for ``GAE``, also ``hidden``, ``dimension``, ``epochs``, ``learning_rate``, ``pairs``.
    :param discriminator_rate: of the discriminator's optimiser.

    >>> from privgraph.datasets import load
    >>> from privgraph.randomness import seeded
    >>> LPPGE(epochs=1, sensitive_degree=9).embed(load("karate"), seeded(0)).z.shape
    torch.Size([34, 16])
    """

    code: Annotated[int, Count(1)] = 4
    dimension: Annotated[int, Count(1)] = 16
    hidden: Annotated[int, Count(1)] = 32
    alpha: Annotated[float, NotNegative()] = 3.0
    privacy: Annotated[str, Choice(PRIVACY)] = "trimmed"
    radius: Annotated[int, Count(1, within="num_nodes")] = 2
    target: Annotated[int | None, Count(1, none=True)] = None
    discriminator: Annotated[bool, Flag()] = True
    epochs: Annotated[int, Count(1)] = 200
    learning_rate: Annotated[float, LearningRate()] = 0.01
    discriminator_rate: Annotated[float, LearningRate()] = 0.001
    pairs: Annotated[int | None, Count(1, none=True)] = None
    sensitive_degree: Annotated[int | None, Count(1, none=True)] = 13

    def unread(self) -> dict[str, str]:
        read = {"trimmed": "radius", "permuted": "radius", "added": "target"}.get(self.privacy)
        found = {name: f"privacy is {self.privacy}" for name in ("radius", "target") if name != read}
        return found if self.discriminator else found | {"discriminator_rate": "discriminator is off"}

    @classmethod
    def examples(cls) -> "tuple[LPPGE, ...]":
        return tuple(cls(epochs=2, sensitive_degree=2, privacy=privacy) for privacy in PRIVACY)

    def embed(self, data: Data, generator: torch.Generator) -> Embeddings:
        check_generator(generator)
        hidden = Hidden.of(data, self.sensitive_degree)
        x, labels = features(data), self.labels(data)
        privacy = self.privacy_embedding(x, hidden, generator)
        classes = 1 if labels is None else data.num_classes
        z = self.play(x, hidden.training, privacy, labels, classes, generator)
        whose = "training" if "train_mask" in data else "all"
        raw = (RAW, *((LABELS.format(whose),) if labels is not None else ()))
        return Embeddings(z=z, unaccounted=(*unaccounted(data), *raw), randomness=kind_of(generator))

    def labels(self, data: Data) -> Tensor | None:
        """Classes that training reads, int64 [N], -1 elsewhere; None where alpha is 0.

        :raises ValueError: where it is not, for one class, and where no training node has a label.
        """
        if self.alpha == 0:
            return None
        check_labels(check_data(data, "y", "num_classes").y, data.num_classes, missing=True)
        if data.num_classes < 2:
            raise ValueError("num_classes must be at least 2 where alpha is above 0, got 1")
        read = data.y if "train_mask" not in data else torch.where(data.train_mask, data.y, -1)
        if not (read >= 0).any():
            raise ValueError("y must have the class of at least one training node where alpha is above 0, got none")
        return read

    def privacy_embedding(self, x: SparseMatrix, hidden: Hidden, generator: torch.Generator) -> Tensor | None:
        """Z_p float [N, dimension], in what the decoder of links reads beside Z; None: nothing.

        :param x: the features [N, d], sparse.
        :param hidden: the graph, its sensitive users and links, and what is trained on.
        """
        if self.privacy == "none":
            return None
        if self.privacy == "added":
            graph = hidden.added(self.links_added(hidden))
        else:
            graph = hidden.sensitive if self.privacy == "sensitive" else hidden.trimmed(self.radius)
        z = self.autoencoder.vectors(x, graph, generator)
        return z[torch.randperm(len(z), generator=generator)] if self.privacy == "permuted" else z

    @property
    def autoencoder(self) -> GAE:
        """Which makes vectors of the privacy graph."""
        return GAE(self.hidden, self.dimension, self.epochs, self.learning_rate, self.pairs)

    def links_added(self, hidden: Hidden) -> int:
        """M of this graph.

        :param hidden: the graph, and its sensitive links.
        """
        if self.target is not None:
            return self.target
        return max(round(ADDED * hidden.graph.num_nodes), hidden.links.size(1))

    CHEAPER = ("epochs", "pairs")

    def embedding_effort(self, extent: Extent) -> Effort:
        """Of the privacy graph's vectors, and of the game, each step of which trains three times."""
        once = self.autoencoder.embedding_effort(extent)
        return once * (GAME + (self.privacy != "none"))

    def play(self, x: SparseMatrix, graph: Graph, privacy: Tensor | None, labels: Tensor | None, classes: int,
             generator: torch.Generator) -> Tensor:
        """Algorithm 2, lines 3 to 11, on the training graph.

        :param x: the features [N, d], sparse.
        :param graph: the training graph.
        :param privacy: Z_p float [N, dimension], or None.
        :param labels: the classes that training reads, int64 [N], or None.
        :param classes: how many there are.
        :returns: float [N, dimension], what is published.
        """
        matrix = graph.adjacency(self_loops=True)
        with torch_seeded(generator), flushed_denormals():
            networks = Networks(self, x.shape[1], classes)
            links = Links(graph, self.pairs, generator)
            step = Steps(self, networks, x, matrix)
            for _ in steps(range(self.epochs), "training"):
                step.rebuild(links, privacy, labels)
                if self.discriminator:
                    step.compete()
        with torch.no_grad():
            return networks.embed(networks.encoder(x, matrix))


class Steps:
    """The three updates of an iteration of Algorithm 2."""

    def __init__(self, method: LPPGE, networks: Networks, x: SparseMatrix, matrix: SparseMatrix):
        self.networks, self.x, self.matrix, self.alpha = networks, x, matrix, method.alpha
        self.making = torch.optim.Adam(networks.makers(), lr=method.learning_rate)
        self.judging = torch.optim.Adam(networks.discriminator.parameters(), lr=method.discriminator_rate)
        self.deceiving = torch.optim.Adam(networks.encoder.parameters(), lr=method.discriminator_rate)

    def code(self) -> Tensor:
        return self.networks.encoder(self.x, self.matrix)

    def rebuild(self, links: Links, privacy: Tensor | None, labels: Tensor | None) -> None:
        """Lines 4 to 7: the encoder and both decoders, eq. 3.6."""
        z = self.networks.embed(self.code())
        loss = links.loss(z if privacy is None else torch.cat([z, privacy], 1))
        if labels is not None:
            loss = loss + self.alpha * F.cross_entropy(self.networks.classify(z), labels, ignore_index=-1)
        step(self.making, loss)

    def compete(self) -> None:
        """Lines 8 and 9: the discriminator makes eq. 3.7 small, then the encoder makes it large."""
        code = self.code()
        noise = torch.randn_like(code)
        step(self.judging, self.networks.discriminate(code.detach(), noise))
        step(self.deceiving, -self.networks.discriminate(code, noise))


def step(optimiser: torch.optim.Optimizer, loss: Tensor) -> None:
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
