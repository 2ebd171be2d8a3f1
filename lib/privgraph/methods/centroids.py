r"""Centroids: one noisy sum of features for each class, and the class whose sum points most where a person does.

.. math:: S_c = \sum_{i : y_i = c} \frac{x_i}{\lVert x_i \rVert} + N(0, \sigma^2 I), \qquad
          T_{cj} = \mathrm{sign}(S_{cj}) \max(0, |S_{cj}| - \sigma), \qquad
          \hat y(x) = \arg\max_c \frac{\langle x, T_c \rangle}{\lVert x \rVert \, \lVert T_c \rVert}

Nothing is trained: the whole budget pays for one look. Entries of S that noise alone would explain count as 0, which
costs nothing, as the deviation of the noise is public. Compare the Gaussian mechanism's means of Dwork et al. 2006.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..checks import check_data, check_features
from ..checks.parameters import Delta, Epsilon
from ..effort import Effort, Extent, drawing
from ..mechanisms import Gaussian
from ..privacy import Step
from .curated import NODE, Curated, CuratedModel, CuratedRelease, Spent, check_curated
from .gap import ROUNDED, unit_rows
from .method import Sizes

if TYPE_CHECKING:
    from torch_geometric.data import Data

SHARP = 10.0  # what a cosine is multiplied with before it becomes a probability


@dataclass(frozen=True)
class Centroids(Curated):
    r"""Hyperparameters of centroids; no edge is read.

    **What holds.** Epsilon at delta for a node, her features, label, masks and edges, that is added or removed.
    *Proof.* A training person with a label is one row of length 1 (or 0) in one class's sum, and others' rows read
    their own records only. So the table of sums moves by at most 1 in the L2 norm, which the noise of one Gaussian
    mechanism covers; all else is made of noisy sums.

    :param epsilon: of a node that is added or removed; ``inf`` adds no noise.
    :param delta: its other half.

    >>> from privgraph.methods import Sizes
    >>> held, = Centroids(epsilon=2.0).guarantees(Sizes(0))
    >>> held.unit, held.relation, round(held.epsilon, 3)
    ('node', 'add/remove', 2.0)
    """

    epsilon: Annotated[float, Epsilon()] = 8.0
    delta: Annotated[float, Delta()] = 1e-5

    CHEAPER = ()
    PUBLIC = ("num_features", "num_classes")

    @classmethod
    def examples(cls):
        return cls(), cls(2.0, 1e-3)

    @property
    def noise(self) -> Gaussian:
        """Of all sums at once."""
        return Gaussian(self.epsilon * (1 - ROUNDED), self.delta, 1.0, *NODE, "central")

    def steps(self, sizes: Sizes) -> Spent:
        """One Gaussian, whose mean a node moves by 1; the class has the proof."""
        return {NODE: (Step(self.noise.pair),) if math.isfinite(self.epsilon) else None}

    def train(self, data: Data, generator: torch.Generator, progress: bool = False) -> CuratedRelease:
        """The noisy sums, float32 ``sums`` [C, d]."""
        check_curated(data, generator, least=0)
        known = data.train_mask & (data.y >= 0)
        rows = unit_rows(check_features(check_data(data, "x").x)[known])
        sums = rows.new_zeros(data.num_classes, rows.size(1)).index_add_(0, data.y[known], rows)
        return self.release(data, generator, sums=self.noise(sums, generator=generator).float())

    def training_effort(self, extent: Extent) -> Effort:
        """Each number is looked at a few times."""
        return drawing(2 * extent.nodes * extent.features)

    def prepare(self, release: CuratedRelease, generator: torch.Generator) -> CuratedModel:
        sums = release.tensors["sums"]
        network = nn.utils.skip_init(nn.Linear, sums.size(1), release.num_classes, bias=False)  # no coins for nothing
        kept = sums.sign() * (sums.abs() - self.noise.sigma).clamp_min(0)
        network.load_state_dict({"weight": SHARP * F.normalize(kept, dim=1)})
        return self.model(release, network, None)

    def read(self, data: Data) -> Tensor:
        """Everybody's features, as a row of length 1.

        :returns: float32 [N, d].
        """
        return F.normalize(check_features(check_data(data, "x").x).float(), dim=1)
