"""A curator who publishes one vector for each node, and a linear probe that reads classes off such vectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ..checks import check_data, check_features
from ..effort import Effort, Extent, probing
from ..nn import accuracy
from ..privacy import Guarantee, drawn
from .evaluated import LARGEST, largest_class
from .files import Stored
from .method import Coins, Method, Sizes
from .model import Model, for_any_device
from .probe import probed
from .release import load_guarantees, plain, stated_kind

if TYPE_CHECKING:
    from torch_geometric.data import Data


@dataclass(frozen=True, kw_only=True)
class Embeddings(Stored):
    """What is published: ``z`` float [N, d], a vector for each node, and what is known about it.

    ``guarantees``: what holds for it, by unit; **empty means that no guarantee is given**, whatever the method hopes.
    ``public`` names the fields that are taken as known to all beforehand, and ``unaccounted`` what was computed from
    raw data without any noise, and ``randomness`` is that of the noise, as in ``Release``.
    """

    NAMED = "embeddings"

    z: Tensor
    guarantees: tuple[Guarantee, ...] = ()
    public: tuple[str, ...] = ()
    unaccounted: tuple[str, ...] = ()
    randomness: str = "public"

    def __post_init__(self):
        if isinstance(self.z, Tensor) and (odd := int((~self.z.isfinite()).sum())):
            raise ValueError(f"z must be finite, got {odd} NaN or infinite values; where training ends so, its "
                             "learning_rate is too large")
        check_features(self.z)
        object.__setattr__(self, "guarantees", drawn(self.guarantees, self.randomness))

    def stated(self, delta: float | None = None) -> tuple[Guarantee, ...]:
        """What holds, whatever the delta: what needs one was published with it."""
        return self.guarantees

    def content(self) -> dict:
        return vars(self) | {"guarantees": plain(self.guarantees)}

    @classmethod
    def of_content(cls, found: dict, path) -> "Embeddings":
        return load_guarantees(cls, stated_kind(found, path), "guarantees", path)


@dataclass
class LinearProbe(Model):
    """Reads classes off published vectors by logistic regression on the labels that it is handed.

    What is promised of the vectors says nothing of those labels: they are read as they are.
    """

    method: "Embedding"
    release: Embeddings

    @for_any_device
    def predict_proba(self, data: Data | None = None) -> Tensor:
        """Class probabilities float [N, C] of all nodes; a class that no training node has gets 0.

        :param data: the graph of the vectors: its ``y`` at ``train_mask`` is what the probe learns from.
        :raises ValueError: without a graph.
        """
        if data is None:
            raise ValueError("vectors name no classes: hand in the graph, of whose y at train_mask a linear "
                             "probe learns")
        check_data(data, "y", "train_mask", "num_classes")
        return probed(self.release.z, data.y, data.train_mask, data.num_classes)


class Embedding(Method, ABC):
    """A curator who sees the whole graph publishes a vector for each node, for whatever others want to learn."""

    INTRODUCED = "one vector a node is published; what holds for it where the randomness is secret:"
    REMARKS = {"linear probe": "of the vectors; it reads true labels", "majority class": LARGEST,
               "linear probe of x": "no privacy: of the features as they are"}

    def guarantees(self, sizes: Sizes, delta: float | None = None) -> tuple[Guarantee, ...]:
        """What will hold for the vectors; here nothing."""
        return ()

    def both_halves(self, graphs: tuple[Data, ...], coins: Coins, progress: bool = False) -> LinearProbe:
        """Publish the vectors, for a linear probe to read."""
        data, = graphs
        return LinearProbe(self, self.embed(data, coins("collect")))

    def tried(self, given: Data, seed: int, progress: bool = False) -> tuple[Embeddings, dict[str, float]]:
        """A linear probe learns from true labels of training nodes; it reads the vectors, or the features."""
        model = self.fit(given, seed=seed)
        plain = probed(given.x, given.y, given.train_mask, given.num_classes)
        return model.release, {"linear probe": 100 * model.score(given), "majority class": largest_class(given),
                               "linear probe of x": accuracy(plain, given.y, given.test_mask)}

    def effort(self, extent: Extent, **how) -> Effort | None:
        """``embedding_effort``, and two probes."""
        once = self.embedding_effort(extent)
        return once if once is None else once + probing(extent, 2 * extent.features)

    def embedding_effort(self, extent: Extent) -> Effort | None:
        """What ``embed`` takes, about; None: nobody has said it.

        :param extent: of the graph.
        :raises ValueError: as ``effort``.
        """
        return None

    def reload(self, release: dict, learned: dict, path) -> LinearProbe:
        return LinearProbe(self, Embeddings.of_content(release, path))

    @abstractmethod
    def embed(self, data: Data, generator: torch.Generator) -> Embeddings:
        """All that is published. Whatever is kept (a discriminator, a decoder) stays out of it."""
