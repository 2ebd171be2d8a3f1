"""What the methods that learn from tasks have in common: the loop over episodes, and many graphs in one pass."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import torch
from torch import Tensor, nn

from ...checks import (
    check_all,
    check_function,
    check_generator,
)
from ...checks.parameters import Choice, Count, Fraction, LearningRate, NotNegative
from ...datasets.episodes import Task
from ...graph_batch import GraphBatch
from ...nn import GraphEncoder
from ...nn.graph_encoder import LAYERS, READOUTS
from ...nn.training import check_trained, flushed_denormals
from ...randomness import draw_seed, seeded, torch_seeded
from ...waiting import steps
from ..model import describe, filled
from .kind import FewShot


def together(tasks: Sequence[Task]) -> GraphBatch:
    """All graphs of some tasks: support and query of the first, of the second, ..."""
    return GraphBatch.join([part for task in check_all(tasks, "tasks", Task)
                        for part in (GraphBatch.from_data_list(task.support), GraphBatch.from_data_list(task.query))])


def apart(tasks: Sequence[Task], z: Tensor) -> list[tuple[Task, Tensor, Tensor]]:
    """Each task with the rows of its support and of its query, from the rows of ``together``."""
    rows = z.split([len(part) for task in tasks for part in (task.support, task.query)])
    return list(zip(tasks, rows[::2], rows[1::2], strict=True))


@dataclass(frozen=True, eq=False)
class Start:
    """What training starts from: a new encoder, what draws tasks, the number of their classes, and the coins left."""

    encoder: GraphEncoder
    sample: Callable[[], Task]
    ways: int
    rest: torch.Generator


@dataclass(frozen=True)
class EpisodicTraining(FewShot):
    """An encoder that is trained on tasks. The defaults are the dissertation's (section 5.3.2).

    Of early stopping it says neither on which classes nor by how much, and there are no classes for validation:
    training runs to its end.

    :param layer: convolutions of the encoder, ``"gcn"`` or ``"gat"``.
    :param readout: from nodes to the graph, ``"mean"``, ``"sum"`` or ``"mincut"``.
    :param dropout: of the encoder; "adjusted for each dataset", no value is given.
    :param learning_rate: Adam's.
    :param weight_decay: Adam's.
    :param episodes: steps of training; 0 leaves the encoder as it starts.
    :param tasks: tasks in each step, which go through the encoder in one pass; Algorithm 5 takes one.
    """

    layer: Annotated[str, Choice(LAYERS)] = "gcn"
    readout: Annotated[str, Choice(READOUTS)] = "mean"
    dropout: Annotated[float, Fraction()] = 0.0
    learning_rate: Annotated[float, LearningRate()] = 0.001
    weight_decay: Annotated[float, NotNegative()] = 0.0001
    episodes: Annotated[int, Count()] = 300
    tasks: Annotated[int, Count(1)] = 1

    FIRST: ClassVar[str] = "encoder.convolutions.0.lin.weight"  # of what is kept

    @classmethod
    def examples(cls) -> tuple["EpisodicTraining", ...]:
        return cls(episodes=2), cls(episodes=2, layer="gat", readout="mincut", dropout=0.1)

    @property
    def learning_seconds(self) -> float:
        """Of all tasks of training."""
        return 0.01 * self.episodes * self.tasks

    def untrained(self) -> "EpisodicTraining":
        return replace(self, episodes=0)

    def initial(self, sample: Callable[[torch.Generator], Task], generator: torch.Generator) -> Start:
        """Tasks, initial weights and all else have generators of their own, so that methods with the same seed see the
        same tasks and start from the same weights."""
        check_function(sample, "sample", "generator"), check_generator(generator)
        draws, weights, rest = (seeded(draw_seed(generator)) for _ in range(3))
        first = sample(draws)
        width = GraphBatch.from_data_list(first.support).num_features
        encoder = GraphEncoder(width, layer=self.layer, readout=self.readout,
                               dropout=self.dropout, generator=weights)
        return Start(encoder, lambda: sample(draws), first.ways, rest)

    def kept(self, solver: Callable) -> dict[str, Tensor]:
        return self.network(solver).state_dict()

    def solver(self, kept: dict[str, Tensor], path) -> Callable[[Task], Tensor]:
        """The encoder's width and what else depends on tasks is that of the weights."""
        if not isinstance(first := kept.get(self.FIRST), Tensor) or first.dim() != 2:
            raise ValueError(f"{path} must hold the weights of an encoder, got {describe(kept)}")
        encoder = GraphEncoder(first.size(1), layer=self.layer, readout=self.readout, dropout=self.dropout,
                               generator=seeded(0))
        solver = self.solving(encoder, kept)
        filled(self.network(solver), kept, path).eval()
        return solver

    @abstractmethod
    def network(self, solver: Callable) -> nn.Module:
        """All that training changed of a solver.

        :param solver: what ``learn`` returned.
        """

    @abstractmethod
    def solving(self, encoder: GraphEncoder, kept: dict[str, Tensor]) -> Callable[[Task], Tensor]:
        """A solver with this encoder.

        :param encoder: which makes a vector of each graph.
        :param kept: weights by name, float [...] each, for the sizes that depend on the tasks.
        """

    def train(self, initial: Start, parameters: Iterable[Tensor], loss: Callable[[list[Task]], Tensor],
              after_step: Callable[[], None] = lambda: None) -> None:
        """Adam on the loss of the next tasks, step by step."""
        parameters = list(parameters)
        optimiser = torch.optim.Adam(parameters, lr=self.learning_rate, weight_decay=self.weight_decay)
        with flushed_denormals(), torch_seeded(initial.rest):
            initial.encoder.train()
            for _ in steps(range(self.episodes), "episodes"):
                optimiser.zero_grad()
                loss([initial.sample() for _ in range(self.tasks)]).backward()
                optimiser.step()
                after_step()
        initial.encoder.eval()
        check_trained(parameters, self.learning_rate)
