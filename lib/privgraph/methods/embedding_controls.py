"""Controls for published vectors: embeddings that know little, and others' vectors with noise.

An attack that finds links in a defended embedding has found something only if it finds more than in these, and a
defence that hides them has earned something only if noise of the same price does not hide as much.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import torch
from torch import Tensor
from torch.nn.functional import normalize, one_hot

from ..checks import (
    check_data,
    check_features,
    check_generator,
    check_labels,
    check_people,
)
from ..checks.parameters import Count, Instance, NotNegative
from ..effort import Effort, Extent, drawing
from ..graph import Graph
from ..privacy import Guarantee
from ..randomness import kind_of, torch_seeded
from .catalogue import embedding
from .embedding import Embedding, Embeddings
from .method import Sizes, sizes_of
from .release import unaccounted

if TYPE_CHECKING:
    from torch_geometric.data import Data

NO_EDGE = Guarantee(0.0, unit="undirected edge", relation="add/remove", trust="central", basis="proved")


@dataclass(frozen=True)
class PublicFeatures(Embedding):
    """Everybody's features alone, float [N, d]: what is known where the graph is not.

    No edge is read, so an edge costs 0; what edges have in common with features is told all the same.

    :param dimension: of the vectors: the first principal components of the features; None publishes them as they are.
    """

    dimension: Annotated[int | None, Count(1, none=True, within="num_features")] = None

    def embedding_effort(self, extent: Extent) -> Effort:
        """Principal components, if at all."""
        return drawing(extent.nodes * extent.features * (1 + (self.dimension or 0) / 10))

    def guarantees(self, sizes: Sizes, delta: float | None = None) -> tuple[Guarantee, ...]:
        return (NO_EDGE, Guarantee(math.inf, unit="feature vector", trust="central", basis="proved"))

    def embed(self, data: Data, generator: torch.Generator) -> Embeddings:
        check_generator(generator)
        x = check_features(check_data(data, "x").x)
        return Embeddings(z=self.components(x, generator), guarantees=self.guarantees(sizes_of(data)), public=("x",),
                          unaccounted=unaccounted(data), randomness=kind_of(generator))

    def components(self, x: Tensor, generator: torch.Generator) -> Tensor:
        """The features, or their largest principal components.

        :param x: float [N, d].
        :returns: float [N, dimension], or x as it is.
        """
        if self.dimension is None:
            return x.clone()
        width = min(self.dimension, *x.shape)
        with torch_seeded(generator):
            u, s, _ = torch.pca_lowrank(x, min(width + 10, *x.shape), niter=4)
        return (u * s)[:, :width]


@dataclass(frozen=True)
class LabelsTimesDegree(Embedding):
    """One number a person, ln(1 + degree), in the column of her label, float32 [N, C]; zeros where she has none.

    What all labels and a glance at degrees are worth. Nothing is promised.
    """

    READS_LABELS = True
    REMARKS = Embedding.REMARKS | {"linear probe": "reads the labels of test nodes back: they are in the vectors"}

    def embedding_effort(self, extent: Extent) -> Effort:
        """One number a person, and her degree."""
        return drawing(extent.nodes * extent.classes + extent.entries)

    def embed(self, data: Data, generator: torch.Generator) -> Embeddings:
        check_generator(generator), check_data(data, "y", "num_classes")
        y = check_labels(data.y, data.num_classes, missing=True)
        column = one_hot(y.clamp(min=0), data.num_classes) * (y >= 0)[:, None]
        return Embeddings(z=column * Graph.of(data).degree.float().log1p()[:, None],
                          unaccounted=unaccounted(data), randomness=kind_of(generator))


@dataclass(frozen=True)
class RandomVectors(Embedding):
    """Gaussian noise, float32 [N, dimension], that knows nothing but how many people there are. It costs nothing.

    :param dimension: of the vectors.
    :param scale: the standard deviation of each number, at least 0.
    """

    dimension: Annotated[int, Count(1)] = 16
    scale: Annotated[float, NotNegative()] = 1.0

    def guarantees(self, sizes: Sizes, delta: float | None = None) -> tuple[Guarantee, ...]:
        return (Guarantee(0.0, unit="node", trust="central", basis="proved"), NO_EDGE)

    def embedding_effort(self, extent: Extent) -> Effort:
        """So many random numbers."""
        return drawing(extent.nodes * self.dimension)

    def embed(self, data: Data, generator: torch.Generator) -> Embeddings:
        z = torch.randn(check_people(data), self.dimension, generator=check_generator(generator))
        return Embeddings(z=self.scale * z, guarantees=self.guarantees(sizes_of(data)), public=("num_nodes",),
                          randomness=kind_of(generator))


@dataclass(frozen=True)
class OfAnother(Embedding):
    """What publishes another method's vectors after some change. All that holds for these holds for it."""

    of: Annotated[Embedding, Instance(Embedding, read=embedding)]

    def guarantees(self, sizes: Sizes, delta: float | None = None) -> tuple[Guarantee, ...]:
        return self.of.guarantees(sizes, delta)

    def embedding_effort(self, extent: Extent) -> Effort | None:
        """Of the other; the change is little beside it."""
        once = self.of.embedding_effort(extent)
        return once if once is None else once + drawing(2 * extent.nodes * extent.features)

    def embed(self, data: Data, generator: torch.Generator) -> Embeddings:
        found = self.of.embed(data, generator)
        return replace(found, z=self.change(found.z, generator))

    @abstractmethod
    def change(self, z: Tensor, generator: torch.Generator) -> Tensor:
        """The vectors that are published in place of ``z`` [N, d]."""


@dataclass(frozen=True)
class RandomDirections(OfAnother):
    """Another method's vectors, each turned into a random direction: of them only the lengths are left.

    :param of: whose vectors; by default features.
    """

    of: Embedding = PublicFeatures()

    def change(self, z: Tensor, generator: torch.Generator) -> Tensor:
        """Vectors of the same lengths in random directions.

        :param z: float [N, d].
        :returns: float [N, d].
        """
        return normalize(torch.randn(z.shape, generator=generator), dim=1) * z.norm(dim=1, keepdim=True)


@dataclass(frozen=True)
class Noised(OfAnother):
    """Another method's vectors with Gaussian noise: what its utility costs where nothing but noise defends.

    :param of: whose vectors; by default features.
    :param scale: standard deviation of the noise, in units of the vectors' own (the root of the mean over all columns
        of their variance); 0 is none.
    """

    of: Embedding = PublicFeatures()
    scale: Annotated[float, NotNegative()] = 1.0

    def change(self, z: Tensor, generator: torch.Generator) -> Tensor:
        """The vectors with noise.

        :param z: float [N, d].
        :returns: float [N, d].
        """
        own = z.var(0, unbiased=False).mean().sqrt()
        return z + self.scale * own * torch.randn(z.shape, generator=generator)
