r"""LPGNN: learn node classes from locally private features and labels (Sajadmanesh and Gatica-Perez 2021).

People keep their features and labels and send noisy reports. The server knows who is connected to
whom. It averages the noise away along edges (KProp), teaches the network what the label noise does
(forward correction) and smooths the noisy labels along edges (label propagation).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, fields
from typing import TYPE_CHECKING, Annotated, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor

from ..checks import check_range
from ..checks.parameters import Choice, Count
from ..datasets.bounds import bounds, clamped
from ..graph import SparseMatrix, adjacency, propagate
from ..mechanisms import MultiBit
from ..nn import Factored, sparse_rows, standardize
from ..privacy import Guarantee
from ..randomness import kind_of
from .local import Local, features_and_label
from .release import Release, report_labels, unaccounted

if TYPE_CHECKING:
    from torch_geometric.data import Data

TINY = 1e-20  # keeps log(0) out where epsilon_y is inf and the network is certain
STEPS = (16, 2)  # K_x and K_y of GraphPrivatizer for Cora (its Appendix A)
PUBLISHED = dict(x_steps=STEPS[0], y_steps=STEPS[1], standardize=False, selection="log")  # where our defaults differ


@dataclass(frozen=True, kw_only=True)
class LPGNNRelease(Release):
    """``report`` int8 [N, d]: multi-bit reports (float32 features where epsilon_x is inf).

    :param feature_range: the public bounds of features, (low, high) or one such pair for each column.
    :param sampled: m of the multi-bit mechanism; None: the best for the budget.
    """

    PUBLIC = (*Release.PUBLIC, "feature_range")
    ARGUMENTS = (*Release.ARGUMENTS, "sampled")

    feature_range: tuple[float, float] | tuple[tuple[float, float], ...]
    sampled: int | None = None

    @property
    def feature_mechanism(self) -> MultiBit:
        """Which made ``report``."""
        return MultiBit(self.epsilon_x, self.report.size(1), *bounds(self), self.sampled)

    def checked(self, path) -> "LPGNNRelease":
        super().checked(path)
        check_range(self.feature_range, f"feature_range in {path}", self.report.size(1))
        return self

    def matrix(self) -> SparseMatrix:
        """The matrix of KProp and of label propagation."""
        return adjacency(self.edge_index, self.y.numel(), weight=self.edge_weight)

    def estimate(self) -> Tensor:
        """The server's unbiased estimate of the features, float32 [N, d]."""
        return self.report if math.isinf(self.epsilon_x) else self.feature_mechanism.estimate(self.report)

    def factored(self, matrix: SparseMatrix, steps: int) -> Factored:
        """KProp of the estimates, kept in factors: the reports are sparse, what KProp makes of them is not.

        :param steps: hops of KProp.
        """
        sparse = sparse_rows(self.report)
        if math.isinf(self.epsilon_x):
            return Factored(sparse, matrix, steps)
        mechanism = self.feature_mechanism
        return Factored(sparse, matrix, steps, mechanism.scale, mechanism.middle)


def brier_score(p: Tensor, y: Tensor) -> Tensor:
    """Mean squared distance of probabilities [n, C] from the labels [n], as unit vectors: between 0 and 2."""
    return (p - F.one_hot(y, p.size(1))).square().sum(1).mean()


def log_score(p: Tensor, y: Tensor) -> Tensor:
    """Mean of -ln p(y): 0 at best, without bound at worst."""
    return F.nll_loss(p.clamp_min(TINY).log(), y)


SCORES = {"brier": brier_score, "log": log_score}


@dataclass(frozen=True)
class LPGNN(Local):
    """Hyperparameters of LPGNN. The defaults are GraphPrivatizer's for Cora (its Appendix A), but for four that are
    ours: with the paper's (``as_published``) a larger budget, or no noise at all, may give a lower accuracy.

    :param epsilon_x: budget of a node's feature vector; ``inf`` sends the features as they are.
    :param x_steps: K_x, hops of KProp. None: 16, but 0 where the budget is inf: averaging takes noise away, and blurs
        what is true.
    :param y_steps: K_y, hops of label propagation. None: 2, or 0.
    :param sampled: m of the multi-bit mechanism; by default the best for the budget.
    :param standardize: centre and scale the columns that the network reads. They are made of reports, so it costs
        nothing. Without it the scale of the noise decides how fast the network learns, and least where there is none.
    :param selection: the score of noisy validation labels that selects the epoch, ``"brier"`` or ``"log"``. The log
        score has no bound where labels carry no noise: a network that is sure and wrong once is worse than an
        untrained one.
    """

    _: KW_ONLY
    weight_decay: float = 1e-3
    sampled: Annotated[int | None, Count(1, none=True)] = None
    selection: Annotated[str, Choice(SCORES)] = "brier"

    WEIGHTS: ClassVar[bool] = True

    @classmethod
    def examples(cls) -> tuple[Local, ...]:
        return (cls(x_steps=2, y_steps=1, epochs=3), cls(epsilon_x=math.inf, epochs=3),
                cls(epsilon_y=math.inf, epochs=3))

    @classmethod
    def as_published(cls, *arguments, **changes) -> "LPGNN":
        """The paper's setting: 16 and 2 hops whatever the noise, inputs as they are, epochs by the log score.

        :param arguments: hyperparameters in the order of the class.
        :param changes: hyperparameters by name, in place of the paper's.
        """
        given = dict(zip((field.name for field in fields(cls) if not field.kw_only), arguments, strict=False))
        return cls(**PUBLISHED | given | changes)

    def unread(self) -> dict[str, str]:
        return super().unread() | ({"sampled": "epsilon_x is inf"} if math.isinf(self.epsilon_x) else {})

    @property
    def total(self) -> Guarantee:
        return features_and_label(self.epsilon_x + self.epsilon_y)

    @property
    def hops(self) -> tuple[int, int]:
        """K_x and K_y as they are used."""
        where = zip((self.x_steps, self.y_steps), (self.epsilon_x, self.epsilon_y), STEPS, strict=True)
        return tuple((0 if math.isinf(epsilon) else usual) if asked is None else asked
                     for asked, epsilon, usual in where)

    def collect(self, data: Data, generator: torch.Generator) -> LPGNNRelease:
        """The people's half: noisy labels of training and validation nodes, noisy features of all.

        Each person clamps her features to the public ``data.feature_range`` first, on her own device. Weights of edges
        are the server's where ``data.own_weights`` says that they are used (``datasets.keep_weights``).
        """
        weight = self.weights_of(data)
        y = report_labels(data, self.epsilon_y, generator)
        x = clamped(data)
        if not math.isinf(self.epsilon_x):
            x = MultiBit(self.epsilon_x, x.size(1), *bounds(data), self.sampled).report(x, generator=generator)
        return LPGNNRelease(report=x, y=y, edge_index=data.edge_index, train_mask=data.train_mask,
                            val_mask=data.val_mask, num_classes=data.num_classes, epsilon_x=self.epsilon_x,
                            epsilon_y=self.epsilon_y, feature_range=tuple(data.feature_range), sampled=self.sampled,
                            edge_weight=weight, randomness=kind_of(generator), unaccounted=unaccounted(data))

    def objective(self, release: LPGNNRelease, matrix: SparseMatrix) -> tuple[Callable, Callable]:
        """What training makes small and what selects the epoch, both functions of logits [N, C]."""
        drift = release.label_mechanism.transition
        y_steps = self.hops[1]
        target = smooth_labels(release, matrix, y_steps)

        def loss(logits):
            noisy = propagate(matrix, logits.softmax(1) @ drift, y_steps)
            log_p = noisy.log_softmax(1) if y_steps else noisy.clamp_min(TINY).log()
            return F.nll_loss(log_p[release.train_mask], target[release.train_mask])

        def validate(logits):
            p = (logits.softmax(1) @ drift)[release.val_mask]  # of the reports, not of the truth
            return SCORES[self.selection](p, release.y[release.val_mask])

        return loss, validate

    def features(self, release: LPGNNRelease, matrix: SparseMatrix) -> Tensor | Factored:
        """What the network reads [N, d], in factors where that is faster or smaller.

        :returns: float32 [N, d], or factors of it.
        """
        x = release.factored(matrix, self.hops[0])
        if self.standardize:
            return x.standardized() if x.large else standardize(x.to_dense())
        return x if x.wide else x.to_dense()


def smooth_labels(release: LPGNNRelease, matrix: SparseMatrix, steps: int) -> Tensor:
    """The training target: arg max of the noisy labels propagated ``steps`` hops, int64 [N].

    A node that no labelled node reaches in ``steps`` hops keeps its own noisy label. With
    ``steps=0`` these are the noisy labels themselves.
    """
    known = release.y >= 0
    votes = torch.zeros(release.y.numel(), release.num_classes)
    votes[known] = F.one_hot(release.y[known], release.num_classes).float()
    votes = propagate(matrix, votes, steps)
    return torch.where(votes.sum(1) > 0, votes.argmax(1), release.y)
