r"""Label propagation: noisy labels, averaged along public edges, and no network.

Everybody who is asked sends her label through randomised response. The server walks from each person along edges,
begins anew with chance :math:`\alpha` at each step, and counts what those say whom it meets:

.. math:: F^{(t + 1)} = (1 - \alpha) D^{-1} A F^{(t)} + \alpha Y, \qquad F^{(0)} = Y

with the noisy labels as rows of Y, and zeros for who was not asked. That is personalised PageRank with labels in place
of pages. The counts are then freed of what lies add to each class, as shares of answers are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..checks import check_generator
from ..checks.parameters import Count, Epsilon, Fraction
from ..effort import Effort, Extent, summing
from ..graph import SparseMatrix, adjacency
from ..mechanisms import RandomisedResponse
from ..privacy import Step
from .curated import EDGE, Curated, CuratedModel, CuratedRelease, Spent, check_release
from .method import Sizes
from .release import report_labels

if TYPE_CHECKING:
    from torch_geometric.data import Data

RECORD = ("features and label", "replace")
LEAST = 1e-9  # the share of a class that nobody names, so that it has a logarithm


@dataclass(frozen=True)
class LabelPropagation(Curated):
    r"""Hyperparameters of label propagation; nobody's features are read, and no curator is needed.

    **What holds.** Epsilon, without a delta, for the features and label of a person, which may both be others.
    *Proof.* Her features go into nothing. Her label goes into one call of randomised response, whose probabilities
    differ by a factor of at most :math:`e^\varepsilon`; the rest is post-processing. Edges are public.

    :param epsilon: of a label; ``inf`` sends them as they are.
    :param hops: how many steps are walked.
    :param restart: alpha, between 0 and 1.

    >>> from privgraph.methods import Sizes
    >>> held, edges = LabelPropagation(epsilon=2.0).guarantees(Sizes(34, 2))
    >>> held.unit, held.trust, round(held.epsilon, 3), edges.epsilon
    ('features and label', 'local', 2.0, inf)
    """

    epsilon: Annotated[float, Epsilon()] = 3.0
    hops: Annotated[int, Count(1, within="num_nodes")] = 10
    restart: Annotated[float, Fraction()] = 0.15

    trust = "local"
    CHEAPER = ("hops",)
    PUBLIC = ("edge_index", "train_mask", "val_mask", "num_nodes", "num_classes")

    @classmethod
    def examples(cls):
        return cls(), cls(1.0, 2, 0.5)

    def steps(self, sizes: Sizes) -> Spent:
        """One randomised response of a record; nothing finite holds for an edge."""
        held = math.isfinite(self.epsilon)
        return {RECORD: (Step(RandomisedResponse(self.epsilon, sizes.num_classes).pair),) if held else None, EDGE: None}

    def train(self, data: Data, generator: torch.Generator, progress: bool = False) -> CuratedRelease:
        """The people's half: noisy labels of training and validation nodes, int64 ``y`` [N], -1 for who is not asked;
        and the public edges."""
        return self.release(data, generator, y=report_labels(data, self.epsilon, generator),
                            edge_index=data.edge_index)

    def training_effort(self, extent: Extent) -> Effort:
        """Sums over neighbours."""
        return summing(extent, extent.classes, self.hops)

    def prepare(self, release: CuratedRelease, generator: torch.Generator) -> CuratedModel:
        parts = check_release(release, "y", "edge_index").tensors
        matrix = adjacency(parts["edge_index"], len(parts["y"]), "mean")
        shares = propagated(parts["y"], release.num_classes, matrix, self.hops, self.restart)
        return self.model(release, nn.Identity(), self.honest(shares).log())

    def learn(self, release: CuratedRelease, generator: torch.Generator, progress: bool = False) -> CuratedModel:
        """The server's half: no coins, and nothing is trained."""
        return self.prepare(release, check_generator(generator))

    def honest(self, shares: Tensor) -> Tensor:
        """Shares of truths [N, C], by the shares of answers: each class gets as many lies as any other.

        :param shares: of noisy answers, float [N, C], rows that add up to 1.
        :returns: the same shape, no share below ``LEAST``.
        """
        response = RandomisedResponse(self.epsilon, shares.size(1))
        truths = ((shares - response.flip) / (response.keep - response.flip)).clamp_min(LEAST)
        return truths / truths.sum(1, keepdim=True)


def propagated(y: Tensor, num_classes: int, matrix: SparseMatrix, hops: int, restart: float) -> Tensor:
    """What each person's walk meets, as shares of classes; who meets nobody has those of all answers.

    :param y: int64 [N], -1 where nothing was answered.
    :param num_classes: C.
    :param matrix: the mean over neighbours, [N, N].
    :param hops: steps.
    :param restart: the chance to begin anew at each.
    :returns: float32 [N, C], rows that add up to 1.
    """
    answers = F.one_hot(y.clamp_min(0), num_classes) * (y >= 0)[:, None]
    start = answers.float()
    met = start
    for _ in range(hops):
        met = (1 - restart) * (matrix @ met) + restart * start
    total = met.sum(1, keepdim=True)
    everybody = (start.sum(0) / start.sum().clamp_min(1)).expand_as(met)
    return torch.where(total > 0, met / total.clamp_min(torch.finfo(torch.float32).tiny), everybody)
