r"""RGNN: reconstruct features and labels from randomised ones, and learn from both (Bhaila et al. 2024).

People send a categorical report of every feature (GRR-FS) and a noisy label. The server estimates what a
neighbourhood looks like, takes it for the node's own features and label, and trains on that; the label shares of
whole clusters, which are easier to estimate, keep the network in check.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor

from ..checks import check_count
from ..checks.parameters import Choice, Count, NotNegative
from ..effort import CUT, Effort, Extent
from ..graph import SparseMatrix, adjacency, partition
from ..mechanisms import GRRFS
from ..nn import standardize
from ..privacy import Guarantee
from ..randomness import kind_of
from .controls import CONTROLS
from .local import Local, features_and_label
from .reconstruction import LEAST, VALUES, cluster_shares, mean_rows, reconstruct_features, reconstruct_labels
from .release import Release, report_labels, unaccounted

if TYPE_CHECKING:
    from torch_geometric.data import Data

DIRECTIONS = ("prediction", "target")


@dataclass(frozen=True, kw_only=True)
class RGNNRelease(Release):
    """``report`` int64 [N, d]: GRR-FS reports of categorical features (the features where epsilon_x is inf).

    ``epsilon_x`` is the budget of each sampled feature; a feature vector spends ``sampled`` times as much.

    :param domain_sizes: how many values each feature has.
    """

    PUBLIC = (*Release.PUBLIC, "domain_sizes")
    ARGUMENTS = (*Release.ARGUMENTS, "sampled")

    domain_sizes: tuple[int, ...]
    sampled: int

    @property
    def feature_mechanism(self) -> GRRFS:
        """Which made ``report``."""
        return GRRFS(self.epsilon_x, self.domain_sizes, self.sampled)

    def matrix(self) -> SparseMatrix:
        """Mean aggregation with self loops."""
        return adjacency(self.edge_index, self.y.numel(), "mean", self_loops=True, weight=self.edge_weight)

    def features(self, matrix: SparseMatrix, steps: int, values: str = "argmax") -> Tensor:
        """What the network reads, float32 [N, D]: reconstructed features, or with ``steps=0`` the reports.

        :param steps: hops of reconstruction.
        :param values: what stands for a reconstructed feature, as of ``RGNN``.
        """
        if steps == 0:
            return self.report.float()
        mechanism = self.feature_mechanism
        if math.isinf(self.epsilon_x):  # then all features are true, not the sampled ones only
            mechanism = GRRFS(math.inf, self.domain_sizes, len(self.domain_sizes))
        return reconstruct_features(self.report, mechanism, matrix, steps, values)


@dataclass(frozen=True)
class RGNN(Local):
    """Hyperparameters of RGNN (its section V-A3).

    :param epsilon_x: eps_x, the budget of each *sampled* feature; ``inf`` sends all features as they are.
    :param sampled: m, features sampled by each person. A feature vector spends ``sampled * epsilon_x``.
    :param x_steps: K_x, hops of feature reconstruction; 0 leaves the reports as they are.
    :param y_steps: K_y, hops of label reconstruction; 0 trains on the noisy labels.
    :param clusters: C, how many METIS clusters the graph is cut into.
    :param llp_weight: the paper's alpha, how much label shares of clusters count; 0 leaves them out.
    :param divergence: ``"prediction"`` for KL(prediction || target), as the paper writes; ``"target"`` for
        KL(target || prediction), as the authors' code computes.
    :param values: what becomes of features with more than two values, see ``reconstruct_features``.
    """

    backbone: str = "sage"
    epsilon_x: float = 1.0
    x_steps: Annotated[int, Count(within="num_nodes")] = 16
    y_steps: Annotated[int, Count(within="num_nodes")] = 4
    _: KW_ONLY
    dropout: float = 0.0
    standardize: bool = False
    sampled: Annotated[int, Count(1)] = 10
    clusters: Annotated[int, Count(1)] = 64
    llp_weight: Annotated[float, NotNegative()] = 0.1
    divergence: Annotated[str, Choice(DIRECTIONS)] = "prediction"
    values: Annotated[str, Choice(VALUES)] = "argmax"

    ACTIVATION: ClassVar[str] = "relu"
    WEIGHTS: ClassVar[bool] = True

    @classmethod
    def examples(cls) -> tuple["RGNN", ...]:
        return (cls(sampled=2, clusters=2, x_steps=2, y_steps=1, epochs=3),
                cls(epsilon_x=math.inf, sampled=3, clusters=2, epochs=3))

    def effort(self, extent: Extent, **how) -> Effort:
        """With the cut into clusters; labels are smoothed once, and not in each epoch."""
        once = replace(self, y_steps=0)
        return super(RGNN, once).effort(extent) + Effort(CUT * extent.entries) * len(CONTROLS) * bool(self.llp_weight)

    def unread(self) -> dict[str, str]:
        without = dict.fromkeys(("clusters", "divergence"), "llp_weight is 0")
        return super().unread() | ({} if self.llp_weight else without)

    @property
    def total(self) -> Guarantee:
        return features_and_label(self.sampled * self.epsilon_x + self.epsilon_y)

    def collect(self, data: Data, generator: torch.Generator) -> RGNNRelease:
        """The people's half: noisy labels of training and validation nodes, categorical reports of all.

        Weights of edges are the server's where ``data.own_weights`` says that they are used
        (``datasets.keep_weights``); clusters are cut without them.
        """
        weight = self.weights_of(data)
        y = report_labels(data, self.epsilon_y, generator)
        from ..datasets import categories_of  # beside classes of PyG's
        x, sizes = categories_of(data)
        mechanism = GRRFS(self.epsilon_x, sizes, self.sampled)
        report = x if math.isinf(self.epsilon_x) else mechanism(x, generator=generator)
        return RGNNRelease(report=report, y=y, edge_index=data.edge_index, train_mask=data.train_mask,
                           val_mask=data.val_mask, num_classes=data.num_classes, epsilon_x=self.epsilon_x,
                           epsilon_y=self.epsilon_y, domain_sizes=sizes, sampled=self.sampled,
                           edge_weight=weight, randomness=kind_of(generator), unaccounted=unaccounted(data))

    def objective(self, release: RGNNRelease, matrix: SparseMatrix) -> tuple[Callable, Callable]:
        """Algorithm 3. Keeps the epoch that is most often right on reconstructed validation labels.

        :raises ValueError: for masks that select nobody.
        """
        if not release.train_mask.any() or not release.val_mask.any():
            raise ValueError("train_mask and val_mask must each select at least one node, got none")
        target = reconstruct_labels(release.y, release.label_mechanism, matrix, self.y_steps)
        bags = self.bags(release)

        def loss(logits):
            known = F.cross_entropy(logits[release.train_mask], target[release.train_mask])
            return known if bags is None else known + self.llp_weight * bags.divergence(logits, self.divergence)

        def validate(logits):
            return (logits[release.val_mask].argmax(1) != target[release.val_mask]).float().mean()

        return loss, validate

    def features(self, release: RGNNRelease, matrix: SparseMatrix) -> Tensor:
        """The reconstructed features [N, D].

        :returns: float32 [N, D].
        """
        x = release.features(matrix, self.x_steps, self.values)
        return standardize(x) if self.standardize else x

    def bags(self, release: RGNNRelease) -> "Bags | None":
        """The clusters with their estimated label shares, or None where they do not count."""
        if self.llp_weight == 0:
            return None
        check_count(self.clusters, "clusters", low=1, high=release.y.numel())
        cluster = partition(release.edge_index, release.y.numel(), self.clusters)
        return Bags.from_labels(torch.where(release.train_mask, release.y, -1), cluster, release)


@dataclass(frozen=True)
class Bags:
    """Clusters of labelled nodes: the nodes int64 [L], the bag of each int64 [L], estimated label shares [B, C]."""

    nodes: Tensor
    bag: Tensor
    shares: Tensor

    @classmethod
    def from_labels(cls, y: Tensor, cluster: Tensor, release: RGNNRelease) -> "Bags":
        shares, kept = cluster_shares(y, cluster, release.label_mechanism)
        nodes = (y >= 0).nonzero().squeeze(1)
        return cls(nodes, torch.searchsorted(kept, cluster[nodes]), shares)

    def divergence(self, logits: Tensor, direction: str) -> Tensor:
        """Mean over the bags of the KL divergence between predicted and estimated label shares."""
        predicted = mean_rows(logits[self.nodes].softmax(1), self.bag, len(self.shares)).clamp(min=LEAST)
        first, second = (predicted, self.shares) if direction == "prediction" else (self.shares, predicted)
        return (first * (first.log() - second.log())).sum(1).mean()
