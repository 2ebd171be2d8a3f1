r"""GAP for nodes: the sums of GAP where degrees are promised, and noise in the training of encoder and classifier.

Published is a bound that each sender keeps by drawing D of her neighbours. It refills: where a node goes, all who had
drawn it send to another, and the budget that is stated for D messages does not hold (a test shows it at a hub). So here
a bound is a promise about the graph, how many people there are is public, and one of them is replaced by another.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Annotated

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..checks import check_data, check_features
from ..checks.parameters import Count, Delta, Epsilon, LearningRate, Positive
from ..effort import Effort, Extent, summing
from ..mechanisms import Gaussian
from ..privacy import GaussianPair, Step
from ..waiting import steps
from .curated import Curated, CuratedModel, CuratedRelease, Spent, check_curated
from .dpsgd import Small, check_bound, clipped, gradient_effort, gradients, step
from .gap import ROUNDED, sums, unit_rows
from .method import Sizes

if TYPE_CHECKING:
    from torch_geometric.data import Data

REPLACED = ("node", "replace")
PARTS = 3  # encoder, sums, classifier: each has a third of the squared distance that the budget allows


class RowsAndTables(nn.Module):
    """An encoder of features, and a classifier of its rows beside noisy tables: logits [N, C] of the same N people."""

    def __init__(self, encoder: Small, classifier: Small, tables: Tensor):
        super().__init__()
        self.encoder, self.classifier = encoder, classifier
        self.register_buffer("tables", tables)

    def forward(self, x: Tensor) -> Tensor:
        return self.classifier(beside(encoded(self.encoder, x), self.tables))


def encoded(encoder: Small, x: Tensor) -> Tensor:
    """The hidden rows of an encoder, at length 1, float64."""
    return unit_rows(encoder[1](encoder[0](x)))


def beside(rows: Tensor, tables: Tensor) -> Tensor:
    """Rows [N, d] and tables [K, N, d] as [N, (K + 1) d]."""
    return torch.cat([rows.float(), *tables], 1)


@dataclass(frozen=True)
class NodeGAP(Curated):
    r"""Encoder weights, noisy sums for everybody, and classifier weights; all of it leaves.

    **What holds.** Epsilon at delta for a node w that is *replaced*: other features, another label, other edges, where
    *nobody has more than D neighbours before and after* (a promise), and masks and the number of people are public.
    *Proof.* All noise is Gaussian, added to sums that look at the results of those before; so what counts is how far
    each sum moves, given these, and squared distances over sigma add (Dong, Roth and Su 2022, Corollary 3.3).

    1. A step of the encoder: w is in one term of the sum, of length at most C before and after: 2 C.
    2. A table of sums. Rows that are summed have length at most 1. Others' sums: those of at most D old neighbours lose
       w's row, those of at most D new ones gain another. Where both are the same people that moves D sums by 2 each,
       the square :math:`4 D`; where nobody is both, 2 D sums by 1 each, :math:`2 D`. Her own sum is one of at most D
       rows before, and of at most D others after: it moves by at most 2 D. Together :math:`2 \sqrt{D^2 + D}` at most.
    3. A step of the classifier: tables have left, so they are the same in both; of her row of features and of her label
       only her own term is made: 2 C.

    Own sums are paid for, as everybody's leave; who pays for :math:`\sqrt D` only must hand each person her own
    prediction alone. No lots are drawn: what they save where a node is replaced is not proved here.

    :param epsilon: of a node that is replaced; ``inf`` adds no noise.
    :param delta: its other half.
    :param clip: C, the longest that a person's gradient may be.
    :param bound: D, how many neighbours anybody may have. A graph with more is refused.
    :param hops: K, how often neighbours are summed.
    :param hidden: width of all hidden layers.
    :param learning_rate: of Adam.
    :param epochs: steps of encoder and of classifier.
    """

    epsilon: Annotated[float, Epsilon()] = 8.0
    delta: Annotated[float, Delta()] = 1e-5
    clip: Annotated[float, Positive()] = 1.0
    bound: Annotated[int, Count(1, within="num_nodes")] = 5
    hops: Annotated[int, Count(1, within="num_nodes")] = 1
    _: KW_ONLY
    hidden: Annotated[int, Count(1)] = 16
    learning_rate: Annotated[float, LearningRate()] = 0.02
    epochs: Annotated[int, Count(1)] = 50

    PUBLIC = ("train_mask", "val_mask", "num_nodes", "num_features", "num_classes")

    @classmethod
    def examples(cls):
        return cls(bound=9, hidden=2, epochs=1), cls(2.0, 1e-3, 0.1, 9, 2, hidden=2, epochs=1)

    @property
    def far(self) -> float:
        """How far a node moves a table of sums."""
        return 2 * math.sqrt(self.bound**2 + self.bound)

    def noise(self, moves: float, uses: int) -> Gaussian:
        """Of each of some uses, which together have one of the ``PARTS``: all of them are one Gaussian mechanism.

        :param moves: how far one use can move, in L2.
        :param uses: how many there are.
        """
        return Gaussian(self.epsilon * (1 - ROUNDED), self.delta, moves * math.sqrt(PARTS * uses), *REPLACED, "central")

    def steps(self, sizes: Sizes) -> Spent:
        """A Gaussian for each step of encoder and classifier, and for each hop; the class has the proof."""
        if math.isinf(self.epsilon):
            return {REPLACED: None}
        parts = (2 * self.clip, self.epochs), (self.far, self.hops), (2 * self.clip, self.epochs)
        return {REPLACED: tuple(Step(GaussianPair(self.noise(moves, uses).sigma / moves), uses)
                                for moves, uses in parts)}

    def training_effort(self, extent: Extent) -> Effort:
        """Gradients of encoder and classifier, each person's by itself, and sums between."""
        width, beside = self.hidden, (self.hops + 1) * self.hidden
        return sum((gradient_effort(extent.nodes, (each, width, extent.classes), self.epochs)
                    for each in (extent.features, beside)), summing(extent, 2 * width, self.hops))

    def train(self, data: Data, generator: torch.Generator, progress: bool = False) -> CuratedRelease:
        """Weights of both, and float32 ``tables`` [K, N, hidden]."""
        check_curated(data, generator), check_bound(data, self.bound)
        known, x = data.train_mask & (data.y >= 0), self.read(data)
        encoder = Small(x.size(1), self.hidden, data.num_classes, generator)
        self.descend(encoder, x[known], data.y[known], generator, progress)
        with torch.no_grad():
            rows = encoded(encoder, x)
        z, tables, noise = rows, [], self.noise(self.far, self.hops)
        for _ in range(self.hops):
            z = unit_rows(noise(sums(z, data.edge_index), generator=generator))
            tables.append(z.float())
        classifier = Small((self.hops + 1) * self.hidden, self.hidden, data.num_classes, generator)
        self.descend(classifier, beside(rows, torch.stack(tables))[known], data.y[known], generator, progress)
        network = RowsAndTables(encoder, classifier, torch.stack(tables))
        return self.release(data, generator, **{name: part.clone() for name, part in network.state_dict().items()})

    def descend(self, network: Small, rows: Tensor, y: Tensor, generator: torch.Generator, progress: bool) -> None:
        """Steps of noisy sums of clipped gradients, of everybody each.

        :param network: which is trained in place.
        :param rows: what it reads, float [N, d].
        :param y: int64 [N].
        """
        noise = self.noise(2 * self.clip, self.epochs)
        optimiser = torch.optim.Adam(network.parameters(), lr=self.learning_rate)
        for _ in steps(range(self.epochs), "steps", progress):
            total = clipped(gradients(network, rows, y), self.clip).sum(0)
            step(network, noise(total, generator=generator) / self.clip, optimiser)

    def prepare(self, release: CuratedRelease, generator: torch.Generator) -> CuratedModel:
        tables, first = release.tensors["tables"], release.tensors["encoder.0.weight"]
        encoder = Small(first.size(1), self.hidden, release.num_classes, generator)
        classifier = Small((len(tables) + 1) * self.hidden, self.hidden, release.num_classes, generator)
        network = RowsAndTables(encoder, classifier, tables.clone())
        network.load_state_dict(release.tensors)
        return self.model(release, network, None)

    def read(self, data: Data) -> Tensor:
        """Features of the people of the release, who alone know them, each row at length 1.

        :returns: float32 [N, d].
        """
        return F.normalize(check_features(check_data(data, "x").x).float(), dim=1)
