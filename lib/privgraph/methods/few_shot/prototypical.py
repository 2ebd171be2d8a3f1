"""Prototypical networks: a class is the mean of its support graphs' vectors, and a query gets the nearest class.

Snell, Swersky and Zemel 2017; the dissertation's PN (section 5.3.2), to which SE-GCL adds contrast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ...checks import check_count, check_features, check_labels
from ...checks.parameters import Choice, Instance, Parameters
from ...datasets.episodes import Task
from ...graph_batch import GraphBatch
from ...nn import GraphEncoder
from .episodic import EpisodicTraining, apart, together
from .similarity import DISTANCES

if TYPE_CHECKING:
    from torch_geometric.data import Data


def prototypes(z: Tensor, y: Tensor, ways: int) -> Tensor:
    """Eq. 5.3: the mean vector of each class, [ways, d].

    :param z: float [S, d], the vectors of the support graphs.
    :param y: int64 [S], their classes; each of 0..ways-1 at least once.
    :raises ValueError: where a class has no row.
    """
    check_features(z), check_labels(y, check_count(ways, "ways", low=1))
    counts = torch.bincount(y, minlength=ways)
    if len(y) != len(z) or not counts.all():
        raise ValueError(f"y must name each of {ways} classes, one for each of {len(z)} rows of z, "
                         f"got {len(y)} with {int((counts > 0).sum())} classes")
    return z.new_zeros(ways, z.size(1)).index_add(0, y, z) / counts[:, None]


@dataclass(frozen=True, eq=False)
class PrototypeSolver(Parameters):
    """A trained encoder and a distance: ``solver(task)`` gives class probabilities [Q, ways].

    What somebody with labelled graphs publishes are the prototypes; who has the encoder too names graphs with
    ``compare``, and can ask the prototypes about the graphs they are made of (``attacks.prototypes``).
    """

    encoder: Annotated[GraphEncoder, Instance(GraphEncoder)]
    distance: Annotated[str, Choice(DISTANCES)] = "wasserstein"

    @torch.no_grad()
    def embed(self, graphs: Sequence[Data]) -> Tensor:
        """The vectors of graphs [G, d], without dropout; all in one pass."""
        self.encoder.eval()
        return self.encoder(GraphBatch.from_data_list(graphs))

    def publish(self, task: Task) -> Tensor:
        """The prototypes of a task's classes [ways, d]."""
        return prototypes(self.embed(task.support), task.support_y, task.ways)

    def compare(self, z: Tensor, published: Tensor) -> Tensor:
        """Class probabilities [n, ways] of vectors [n, d], from prototypes [ways, d]: softmax of minus the distance."""
        return (-DISTANCES[self.distance](z, published)).softmax(1)

    def __call__(self, task: Task) -> Tensor:
        return self.all([task])[0]

    def all(self, tasks: Sequence[Task]) -> list[Tensor]:
        """The answers to many tasks, with one pass of the encoder over all their graphs."""
        return [self.compare(query, prototypes(support, task.support_y, task.ways))
                for task, support, query in apart(tasks, self.embed(together(tasks)))]


@dataclass(frozen=True)
class PrototypicalNetwork(EpisodicTraining):
    r"""Trains an encoder such that queries come to lie near the prototype of their class. **No guarantee.**

    The loss is the cross-entropy of ``softmax(-distance)`` (eq. 5.4).

    :param distance: ``"wasserstein"`` (between sorted entries) or ``"euclidean"`` (squared).

    >>> from privgraph.datasets import Sampler, load_graphs
    >>> from privgraph.randomness import seeded
    >>> data = load_graphs("triangles")
    >>> train, test = (Sampler(data, classes, 3, 5, 5) for classes in (data.train_classes, data.test_classes))
    >>> solver = PrototypicalNetwork(episodes=1).learn(train, seeded(0))
    >>> solver(test(seeded(1))).shape
    torch.Size([15, 3])
    """

    distance: Annotated[str, Choice(DISTANCES)] = "wasserstein"

    def learn(self, sample: Callable[[torch.Generator], Task], generator: torch.Generator) -> PrototypeSolver:
        """Algorithm 5 without its tests."""
        initial = self.initial(sample, generator)
        trainer = self.trainer(initial.encoder, initial.rest)
        self.train(initial, initial.encoder.parameters(), trainer.loss, trainer.after_step)
        return PrototypeSolver(initial.encoder, self.distance)

    def network(self, solver: PrototypeSolver) -> nn.Module:  # type: ignore[override]
        return nn.ModuleDict({"encoder": solver.encoder})

    def solving(self, encoder: GraphEncoder, kept: dict[str, Tensor]) -> PrototypeSolver:
        return PrototypeSolver(encoder, self.distance)

    def trainer(self, encoder: GraphEncoder, generator: torch.Generator) -> "Trainer":
        """What a step of training makes small; ``generator`` is for what it draws.

        :param encoder: which makes a vector of each graph.
        """
        return Trainer(self, encoder)


class Trainer:
    """Makes the loss of some tasks."""

    def __init__(self, method: PrototypicalNetwork, encoder: GraphEncoder):
        self.method, self.encoder = method, encoder

    def loss(self, tasks: Sequence[Task]) -> Tensor:
        z, cut = self.encoder.with_cut(together(tasks))
        return cut + torch.stack([self.of_task(*each) for each in apart(tasks, z)]).mean()

    def of_task(self, task: Task, support: Tensor, query: Tensor) -> Tensor:
        """Eq. 5.4."""
        published = prototypes(support, task.support_y, task.ways)
        return F.cross_entropy(-DISTANCES[self.method.distance](query, published), task.query_y)

    def after_step(self) -> None:
        """After the optimiser's step."""
