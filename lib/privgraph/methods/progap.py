r"""ProGAP: a network that grows stage by stage, each of which sums the hidden rows of the one before, with noise
(Sajadmanesh and Gatica-Perez 2024).

.. math:: h_0 = f_0(x), \qquad x_s = A \frac{h_{s-1}}{\lVert h_{s-1} \rVert} + N(0, \sigma^2 I), \qquad h_s = f_s(x_s),
          \qquad s = 1 \dots K

A stage begins when those before are trained: its sums are drawn once, kept, and never again made of newer rows. A head
of its own reads all rows so far; it and all layers so far are trained on. What leaves are the noisy sums and what was
made of them: the weights before the last stage, which whoever gets the release trains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import torch
from torch import Tensor

from ..checks import check_generator
from ..nn.perceptron import Progressive
from .curated import CuratedModel, CuratedRelease, check_curated, check_release, told_labels
from .gap import SumsOfNeighbours, classified
from .model import NetworkModel

if TYPE_CHECKING:
    from torch_geometric.data import Data

Trained = TypeVar("Trained", bound=NetworkModel)


@dataclass(frozen=True)
class ProGAP(SumsOfNeighbours):
    """Hyperparameters of ProGAP for edges; ``hops`` is the number of stages that read sums.

    What holds is proved in ``SumsOfNeighbours``: rows are of length 1 when they are summed, whatever made them, and
    what made them read public things and noisy sums.
    """

    def train(self, data: Data, generator: torch.Generator, progress: bool = False) -> CuratedRelease:
        """All stages but the last, and the noisy sums of each: float32 ``sums`` [K, N, hidden], or with ``labels``
        [K, N, hidden + C]."""
        check_curated(data, generator)
        y, tables = told_labels(data), [data.x.float()]
        network = self.network(data.x.size(1), data.num_classes, generator)
        masks = data.train_mask, data.val_mask
        for _ in range(self.hops):
            self.trained(NetworkModel(self, network, list(tables)), y, masks, generator, progress)
            with torch.no_grad():
                rows = network.eval().hidden(tables)[-1]
            rows = self.beside_labels(rows, y, masks[0], data.num_classes)
            tables.append(self.noisy_sums(rows, data.edge_index, generator).float())
        weights = {name: part.detach().clone() for name, part in network.state_dict().items()}
        return self.release(data, generator, x=tables[0], sums=torch.stack(tables[1:]), y=y, train_mask=masks[0],
                            val_mask=masks[1], **weights)

    def network(self, num_features: int, num_classes: int, generator: torch.Generator) -> Progressive:
        """The network of all stages, with fresh weights."""
        width = self.hidden + num_classes * self.labels
        return Progressive([num_features, *[width] * self.hops], num_classes, hidden=self.hidden,
                           dropout=self.dropout, generator=generator)

    def trained(self, model: Trained, y: Tensor, masks: tuple[Tensor, Tensor], generator: torch.Generator,
                progress: bool) -> Trained:
        """A model after one more stage, which reads as many tables as it has.

        :param model: with the tables of its stages.
        :param y: int64 [N], -1 where the class is not read.
        :param masks: of training and of validation, each bool [N].
        """
        model.train(*(lambda logits, mask=mask: classified(logits, y, mask) for mask in masks), generator,
                    progress)
        return model

    def prepare(self, release: CuratedRelease, generator: torch.Generator) -> CuratedModel:
        parts = release.tensors
        network = self.network(parts["x"].size(1), release.num_classes, generator)
        network.load_state_dict({name: parts[name] for name in network.state_dict()})
        return self.model(release, network, [parts["x"], *parts["sums"]])

    def learn(self, release: CuratedRelease, generator: torch.Generator, progress: bool = False) -> CuratedModel:
        """The last stage, on the released sums and the public labels."""
        check_generator(generator), check_release(release, "x", "sums", "y", "train_mask", "val_mask")
        model, parts = self.prepare(release, generator), release.tensors
        return self.trained(model, parts["y"], (parts["train_mask"], parts["val_mask"]), generator, progress)
