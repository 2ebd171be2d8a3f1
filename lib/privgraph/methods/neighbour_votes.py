r"""Neighbour votes: one noisy sum of class probabilities a node, and a read-out that may leave the graph alone.

Each node v votes for a class, with a row of C numbers that add up to 1: a training node for its label, any other with
the class probabilities that a perceptron of features gives it. Then

.. math:: s = A v + \mathrm{Lap}(2 R / \varepsilon), \qquad
          \hat y = f(\log p \,\Vert\, s_1 \,\Vert \dots \Vert\, s_R)

with A the 0/1 matrix of the graph, p the perceptron's probabilities and f a read-out that is trained on both. Rounds
after the first vote with what the read-out of the one before says.

What a perceptron says of its own training nodes is too sure of itself, so for these p comes from perceptrons that did
not see them (out of fold). The idea is near to one stage of LPGNet (Kolluri et al. 2022), with labels for votes where
they are public, and one budget in place of one for each stage.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Annotated

import torch
import torch.nn.functional as F
from torch import Tensor

from ..checks import check_generator
from ..checks.parameters import Choice, Count, Epsilon, Flag
from ..effort import Effort, Extent, summing, training
from ..mechanisms import Laplace
from ..nn import REFERENCE, Backbone
from ..privacy import Step
from ..privacy.guarantee import TRUSTS
from .curated import EDGE, Curated, CuratedModel, CuratedRelease, Spent, check_curated, check_release, told_labels
from .gap import ROUNDED, classified, sums
from .method import Sizes
from .model import NetworkModel, Training

if TYPE_CHECKING:
    from torch_geometric.data import Data

FOLDS = 5
LEAST = 1e-6  # a probability below it counts as this one, where its logarithm is read


@dataclass(frozen=True)
class NeighbourVotes(Training, Curated):
    r"""Hyperparameters of neighbour votes.

    **What holds.** Epsilon, without a delta, for an undirected edge that is added or removed. *Proof.* Votes are made
    of public things and, after the first round, of noisy sums. The edge u-v adds the vote of v to the sum of u, and
    that of u to the sum of v; no other sum reads it. A vote has non-negative numbers that add up to 1, so that in each
    round the table of sums moves by at most 2 in the L1 norm, given those before, which Laplace noise of scale
    :math:`2 R / \varepsilon` covers with :math:`\varepsilon / R`. Rounds add up, and the rest is post-processing.

    **Without a curator** (``trust="local"``) the same holds: u's sum is made of u's own list of neighbours and of
    public votes, so that every person can add the noise of her own row before it leaves her hands.

    **Public**: features, labels of training and validation nodes, who they are, and how many people there are. Nothing
    is stated of a node: whoever has k friends is in k sums.

    :param epsilon: of an undirected edge; ``inf`` adds no noise.
    :param labels: whether training nodes vote for their label; without, with what others' perceptrons say of them.
    :param rounds: R, how often neighbours are summed.
    :param trust: who adds the noise, a curator (``"central"``) or everybody to her own row (``"local"``).

    >>> from privgraph.methods import Sizes
    >>> held, = NeighbourVotes(epsilon=2.0).guarantees(Sizes(34, 2))
    >>> held.unit, held.relation, round(held.epsilon, 3), held.delta
    ('undirected edge', 'add/remove', 2.0, 0.0)
    """

    epsilon: Annotated[float, Epsilon()] = 1.0
    labels: Annotated[bool, Flag()] = True
    rounds: Annotated[int, Count(1)] = 1
    _: KW_ONLY
    hidden: Annotated[int, Count(1)] = 64
    weight_decay: float = 5e-4
    trust: Annotated[str, Choice(TRUSTS)] = "central"

    PUBLIC = ("x", "y", "train_mask", "val_mask", "num_nodes", "num_classes")

    @classmethod
    def examples(cls):
        return cls(hidden=4, epochs=2), cls(4.0, False, 2, hidden=4, epochs=2, trust="local")

    @property
    def noise(self) -> Laplace:
        """Of one round."""
        return Laplace(self.epsilon * (1 - ROUNDED) / self.rounds, 2.0, *EDGE, self.trust)

    def steps(self, sizes: Sizes) -> Spent:
        """A Laplace for each round, whose mean an edge moves by 2; the class has the proof."""
        return {EDGE: (Step(self.noise.pair, self.rounds),) if math.isfinite(self.epsilon) else None}

    def train(self, data: Data, generator: torch.Generator, progress: bool = False) -> CuratedRelease:
        """The perceptron's log probabilities and noisy sums, float32 ``tables`` [R + 1, N, C], beside what is
        public."""
        check_curated(data, generator)
        y, tables = told_labels(data), []
        masks, inputs = (data.train_mask, data.val_mask), F.normalize(data.x.float(), dim=1)
        for _ in range(self.rounds):
            p = self.out_of_fold(inputs, y, masks, data.num_classes, generator, progress)
            tables += [] if tables else [p.clamp_min(LEAST).log()]
            tables.append(self.noise(sums(self.votes(p, y, data.train_mask), data.edge_index),
                                     generator=generator).float())
            inputs = read(tables)
        return self.release(data, generator, tables=torch.stack(tables), y=y, train_mask=data.train_mask,
                            val_mask=data.val_mask)

    def training_effort(self, extent: Extent) -> Effort:
        """In each round a network for each fold, and a sum; and the read-out. No network reads an edge."""
        epochs = (self.rounds * FOLDS + 1) * self.epochs
        return training(extent, self.hidden, epochs, False) + summing(extent, 2 * extent.classes, self.rounds)

    def votes(self, p: Tensor, y: Tensor, train_mask: Tensor) -> Tensor:
        """A row for each node that adds up to 1: its label where that is public and counts, else p.

        :param p: class probabilities, float [N, C].
        :param y: int64 [N].
        :param train_mask: bool [N].
        :returns: float64 [N, C].
        """
        votes = p.double() / p.double().sum(1, keepdim=True)
        if self.labels:
            known = train_mask & (y >= 0)
            votes[known] = F.one_hot(y[known], p.size(1)).double()
        return votes

    def out_of_fold(self, inputs: Tensor, y: Tensor, masks: tuple[Tensor, Tensor], num_classes: int,
                    generator: torch.Generator, progress: bool) -> Tensor:
        """Class probabilities [N, C], for a training node by the network that did not see it, for others by the mean.

        :param inputs: float [N, d].
        :param y: int64 [N], -1 where the class is not read.
        :param masks: of training and of validation, each bool [N].
        """
        train_mask, val_mask = masks
        nodes = train_mask.nonzero().view(-1)
        fold = torch.full((len(y),), -1)
        fold[nodes[torch.randperm(len(nodes), generator=generator)]] = torch.arange(len(nodes)) % FOLDS
        each = []
        for number in range(FOLDS):
            network = self.network(inputs, num_classes, generator)
            model = NetworkModel(self, network, network.prepare(inputs, NO_EDGES))
            model.train(*losses(y, train_mask & (fold != number), val_mask), generator, progress)
            each.append(model.predict_proba())
        p = torch.stack(each)
        return torch.where(fold.view(-1, 1) >= 0, p[fold.clamp_min(0), torch.arange(len(y))], p.mean(0))

    def network(self, inputs: Tensor, num_classes: int, generator: torch.Generator) -> Backbone:
        """A perceptron with one hidden layer.

        :param inputs: what it reads, float [N, d].
        """
        return Backbone(REFERENCE, inputs.size(1), num_classes, hidden=self.hidden, dropout=self.dropout,
                        activation="relu", generator=generator)

    def prepare(self, release: CuratedRelease, generator: torch.Generator) -> CuratedModel:
        inputs = read(check_release(release, "tables").tensors["tables"])
        network = self.network(inputs, release.num_classes, generator)
        return self.model(release, network, network.prepare(inputs, NO_EDGES))

    def learn(self, release: CuratedRelease, generator: torch.Generator, progress: bool = False) -> CuratedModel:
        """The read-out, trained on the released tables and the public labels."""
        check_generator(generator), check_release(release, "tables", "y", "train_mask", "val_mask")
        parts, model = release.tensors, self.prepare(release, generator)
        return model.train(*losses(parts["y"], parts["train_mask"], parts["val_mask"]), generator, progress)


NO_EDGES = torch.empty(2, 0, dtype=torch.long)


def losses(y: Tensor, *masks: Tensor):
    """What training makes small, and what selects the epoch."""
    return tuple(lambda logits, mask=mask: classified(logits, y, mask) for mask in masks)


def read(tables: Sequence[Tensor] | Tensor) -> Tensor:
    """Tables [N, C] side by side, each column with mean 0 and deviation 1: all of it is public by then.

    :returns: float [N, K C].
    """
    x = torch.cat(list(tables), 1)
    return (x - x.mean(0)) / x.std(0).clamp_min(1e-6)
