r"""GAP: noisy sums over neighbours, hop by hop, from a trusted curator (Sajadmanesh, Shamsabadi, Bellet and
Gatica-Perez 2023).

A perceptron learns to tell labels from features alone; its hidden rows h become rows of length 1, and then

.. math:: z_0 = \frac{h}{\lVert h \rVert}, \qquad s_k = A z_{k-1} + N(0, \sigma^2 I), \qquad
          z_k = \frac{s_k}{\lVert s_k \rVert}, \qquad k = 1 \dots K

with A the 0/1 matrix of the graph. All :math:`z_k` leave. A classifier learns from them; it looks at no edge again, so
that training and answering cost nothing more, however often.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Annotated

import torch
import torch.nn.functional as F
from torch import Tensor

from ..checks import check_generator
from ..checks.parameters import Count, Delta, Epsilon, Flag
from ..effort import Effort, Extent, summing, training
from ..mechanisms import Gaussian
from ..nn.perceptron import Encoder, SeveralTables
from ..privacy import Step
from .curated import EDGE, Curated, CuratedModel, CuratedRelease, Spent, check_curated, check_release, told_labels
from .method import Sizes
from .model import NetworkModel, Training

if TYPE_CHECKING:
    from torch_geometric.data import Data

ROUNDED = 1e-7  # what epsilon is lessened by before noise is chosen, so that the accountants' rounding stays below it


@dataclass(frozen=True)
class SumsOfNeighbours(Training, Curated):
    r"""What GAP and ProGAP have in common: K noisy sums over neighbours, and who may know what.

    **What holds.** Epsilon at delta for an undirected edge that is added or removed. *Proof.* Rows that are summed have
    length at most 1. The edge u-v adds row v to sum u and row u to sum v, and no other sum reads it: in each hop the
    table of sums moves by at most :math:`\sqrt{1 + 1}` in the L2 norm, given the noisy sums before, and so by
    :math:`\sqrt 2 / \sigma` standard deviations. K such Gaussians in a row, each of which may look at the results of
    those before, are one whose mean moves by :math:`\sqrt{2K} / \sigma` (Dong, Roth and Su 2022, Corollary 3.3). All
    that is made of the noisy sums is post-processing.

    (The papers count an edge as one entry of A, which moves one row; an undirected edge is two. At a claimed epsilon of
    1, 2, 4 or 8 and delta 1e-5, noise for 1 in place of :math:`\sqrt 2` costs 1.47, 2.95, 5.99 or 12.26.)

    **Public**: features, labels of training and validation nodes, who they are, and how many people there are. Nothing
    is stated of a node.

    :param epsilon: of an undirected edge; ``inf`` adds no noise.
    :param delta: its other half; below one over the number of edges, or it says little.
    :param hops: K, how often neighbours are summed.
    :param labels: whether rows carry the labels of training nodes when they are summed for the first time, beside what
        the papers sum. These labels are public, and a row of both has length 1 as well.
    """

    epsilon: Annotated[float, Epsilon()] = 1.0
    delta: Annotated[float, Delta()] = 1e-5
    hops: Annotated[int, Count(1, within="num_nodes")] = 1
    _: KW_ONLY
    dropout: float = 0.0
    labels: Annotated[bool, Flag()] = False

    PUBLIC = ("x", "y", "train_mask", "val_mask", "num_nodes", "num_classes")

    @classmethod
    def examples(cls):
        return (cls(hidden=4, epochs=2), cls(4.0, 1e-3, 2, hidden=4, epochs=2),
                cls(hops=2, labels=True, hidden=4, epochs=2))

    def beside_labels(self, z: Tensor, y: Tensor, mask: Tensor, num_classes: int) -> Tensor:
        """Rows as they are, or with the public labels of the nodes in ``mask`` beside them, and zeros for others.

        :param z: float [N, d].
        :param y: int64 [N].
        :param mask: bool [N].
        :returns: float [N, d] or [N, d + C].
        """
        if not self.labels:
            return z
        known = F.one_hot(y.clamp_min(0), num_classes) * (mask & (y >= 0))[:, None]
        return torch.cat([unit_rows(z), known.double()], 1)

    @property
    def noise(self) -> Gaussian:
        """Of one hop. All hops together are one Gaussian mechanism of ``hops`` times the squared sensitivity."""
        return Gaussian(self.epsilon * (1 - ROUNDED), self.delta, math.sqrt(2 * self.hops), *EDGE, "central")

    def steps(self, sizes: Sizes) -> Spent:
        """One Gaussian for each hop, whose mean an edge moves by the square root of 2; the class has the proof."""
        sigma = self.noise.sigma
        return {EDGE: (Step(replace(self.noise.pair, sigma=sigma / math.sqrt(2)), self.hops),) if sigma else None}

    def training_effort(self, extent: Extent) -> Effort:
        """K noisy sums, and K + 1 trainings that read no edge."""
        rows = replace(extent, features=(self.hops + 1) * self.hidden)
        return (training(extent, self.hidden, self.epochs, False, True) + summing(extent, 2 * self.hidden, self.hops)
                + training(rows, self.hidden, self.hops * self.epochs, False, True))

    def noisy_sums(self, z: Tensor, edge_index: Tensor, generator: torch.Generator) -> Tensor:
        """A sum of neighbours' rows for each node, with noise, float64 [N, d]. Only here edges are read."""
        return self.noise(sums(unit_rows(z), edge_index), generator=generator)


def unit_rows(z: Tensor) -> Tensor:
    """Rows of length 1 (or 0), float64: in single precision they might be longer by a hair, which costs."""
    return F.normalize(z.double(), dim=1)


def sums(z: Tensor, edge_index: Tensor) -> Tensor:
    """A z, where A has a 1 for each edge."""
    return torch.zeros_like(z).index_add_(0, edge_index[1], z[edge_index[0]])


def classified(logits: Tensor, y: Tensor, mask: Tensor) -> Tensor:
    """Cross-entropy of the nodes in ``mask`` that have a label."""
    known = mask & (y >= 0)
    return F.cross_entropy(logits[known], y[known])


@dataclass(frozen=True)
class GAP(SumsOfNeighbours):
    """Hyperparameters of GAP for edges; the defaults are those of the released code, in which nothing regularises.

    >>> from privgraph.methods import Sizes
    >>> held, = GAP(epsilon=4.0, hops=2).guarantees(Sizes(34))
    >>> held.unit, held.relation, round(held.epsilon, 3)
    ('undirected edge', 'add/remove', 4.0)
    """

    def train(self, data: Data, generator: torch.Generator, progress: bool = False) -> CuratedRelease:
        """Encoder, and noisy sums of its rows: float32 ``tables`` [K + 1, N, hidden], beside what is public; with
        ``labels`` each has C columns more, those of the first table 0, as nobody is told her own label."""
        check_curated(data, generator)
        y = told_labels(data)
        own = self.encode(data, y, generator, progress)
        z = self.beside_labels(own, y, data.train_mask, data.num_classes)
        tables = [F.pad(own, (0, z.size(1) - own.size(1)))]
        for _ in range(self.hops):
            z = unit_rows(self.noisy_sums(z, data.edge_index, generator))
            tables.append(z)
        return self.release(data, generator, tables=torch.stack(tables).float(), y=y,
                            train_mask=data.train_mask, val_mask=data.val_mask)

    def encode(self, data: Data, y: Tensor, generator: torch.Generator, progress: bool = False) -> Tensor:
        """z_0, of public things alone.

        :param y: int64 [N], -1 where the class is not read.
        :returns: float32 [N, hidden], rows of length 1.
        """
        encoder = Encoder(data.x.size(1), data.num_classes, hidden=self.hidden, dropout=self.dropout,
                          generator=generator)
        NetworkModel(self, encoder, data.x.float()).train(
            lambda logits: classified(logits, y, data.train_mask),
            lambda logits: classified(logits, y, data.val_mask), generator, progress)
        with torch.no_grad():
            return unit_rows(encoder.eval().encode(data.x.float()))

    def prepare(self, release: CuratedRelease, generator: torch.Generator) -> CuratedModel:
        tables = release.tensors["tables"]
        network = SeveralTables(len(tables), tables.size(2), release.num_classes, hidden=self.hidden,
                                dropout=self.dropout, generator=generator)
        return self.model(release, network, tables)

    def learn(self, release: CuratedRelease, generator: torch.Generator, progress: bool = False) -> CuratedModel:
        """The classifier, trained on the released tables and the public labels."""
        check_generator(generator), check_release(release, "tables", "y", "train_mask", "val_mask")
        model, y = self.prepare(release, generator), release.tensors["y"]
        return model.train(*(lambda logits, mask=release.tensors[name]: classified(logits, y, mask)
                             for name in ("train_mask", "val_mask")), generator, progress)
