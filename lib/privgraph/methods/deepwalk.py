"""DeepWalk: vectors from random walks (Perozzi et al. 2014); with p or q not 1, node2vec (Grover, Leskovec 2016)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import torch
from torch import Tensor

from ..checks import check_people
from ..checks.parameters import Between, Count, LearningRate
from ..effort import MET, MOVED, MULTIPLIED, Effort, Extent, tables
from ..graph import MOST_BIAS, Graph
from ..nn import History, SkipGram, train_skipgram
from ..nn.skipgram import FEW, LARGEST, SHARED, STEPS
from ..randomness import kind_of
from .embedding import Embedding, Embeddings
from .release import unaccounted

if TYPE_CHECKING:
    from torch_geometric.data import Data


@dataclass(frozen=True)
class DeepWalk(Embedding):
    """Walks from every node, new ones each epoch, and skip-gram on them. It promises nothing: ``guarantees`` is empty.

    The defaults walk as the paper does, 80 times from each node (its gamma; here 8 epochs of 10). The paper learns by
    hierarchical softmax; we learn by negative sampling, as node2vec does. An isolated node is on no walk, and keeps
    the small random vector with which it began.

    :param dimension: of a vector.
    :param walks: from each node that has a neighbour, in each epoch.
    :param length: nodes of a walk, at least 2.
    :param window: how many nodes to either side of one are its contexts.
    :param negatives: how many negatives a pair of a node and its context counts for.
    :param epochs: each with walks of its own.
    :param p: above 1 a walk seldom goes back at once, below 1 often; in [0.01, 100].
    :param q: above 1 a walk stays near, below 1 it goes far; in [0.01, 100].
    :param learning_rate: of Adam, falling to zero.
    """

    dimension: Annotated[int, Count(1)] = 128
    walks: Annotated[int, Count(1)] = 10
    length: Annotated[int, Count(2)] = 40
    window: Annotated[int, Count(1, within="length")] = 10
    negatives: Annotated[int, Count(1)] = 5
    epochs: Annotated[int, Count(1)] = 8
    p: Annotated[float, Between(1 / MOST_BIAS, MOST_BIAS)] = 1.0
    q: Annotated[float, Between(1 / MOST_BIAS, MOST_BIAS)] = 1.0
    learning_rate: Annotated[float, LearningRate()] = 0.025

    @classmethod
    def examples(cls) -> tuple["DeepWalk", ...]:
        quick = dict(dimension=4, walks=2, length=5, window=2, epochs=2)
        return cls(**quick), cls(**quick, p=0.5, q=2.0)

    def embed(self, data: Data, generator: torch.Generator) -> Embeddings:
        model = SkipGram.initial(check_people(data), self.dimension, generator)
        self.train(model, data, generator)
        return Embeddings(z=model.vectors.detach().clone(), public=("num_nodes",), unaccounted=unaccounted(data),
                          randomness=kind_of(generator))

    CHEAPER = ("walks", "length", "epochs")

    def embedding_effort(self, extent: Extent) -> Effort:
        """Of walks from every node."""
        return self.walking(extent.nodes, extent.nodes * self.walks)

    def walking(self, nodes: int, walks: int, batch: int | None = None) -> Effort:
        """What all epochs take.

        :param nodes: of the graph.
        :param walks: of an epoch.
        :param batch: walks of a step; None: as of ``train_skipgram``.
        """
        met, size = self.length * (self.length + SHARED), batch or max(1, min(LARGEST, walks // STEPS))
        moved = min(nodes, FEW * (size * self.length + SHARED))  # rows of each table that cost as much as all do
        each = walks * met * (MET + self.dimension * MULTIPLIED) + walks / size * 2 * moved * self.dimension * MOVED
        return Effort(self.epochs * each, tables(2 * nodes * self.dimension + walks * self.length / 2))

    def train(self, model: SkipGram, data: Data, generator: torch.Generator, held: Tensor | None = None,
              progress: bool = False, batch: int | None = None) -> History:
        """Train the tables of ``model`` on walks in ``data``, from where they are; ``train_skipgram`` says the rest.

        :param held: bool [N], the nodes whose vectors stay; None: no node's.
        :param batch: walks of a step; None: as of ``train_skipgram``.
        :raises ValueError: for a graph without an edge.
        """
        graph = Graph.of(data)
        starts = graph.edge_index[0].unique().repeat(self.walks)
        if not len(starts):
            raise ValueError("edge_index must hold an edge to walk along, got none")
        return train_skipgram(
            model, lambda g: graph.walks(starts, self.length, g, self.p, self.q),
            window=self.window, negatives=self.negatives, epochs=self.epochs, learning_rate=self.learning_rate,
            generator=generator, held=held, progress=progress, batch=batch)
