"""Methods that learn from tasks of few labelled graphs, and what comes of them: a solver of others."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from ...datasets.episodes import Task
from ...privacy import Guarantee
from ...streams import source
from ..method import Method, Sizes
from ..model import Model


@dataclass
class TaskModel(Model):
    """A solver of tasks: where other models are asked about a graph, it is asked about a ``Task``.

    :param solver: from a task to the class probabilities of its query graphs.
    """

    method: "FewShot"
    solver: Callable[[Task], Tensor]
    release: None = None

    def predict_proba(self, task: Task) -> Tensor:  # type: ignore[override]
        """Class probabilities [Q, ways] of the query of a task.

        :returns: float [Q, ways].
        """
        return self.solver(task)

    def score(self, task: Task) -> float:  # type: ignore[override]
        """Share of the query whose class is right, from 0 to 1. It reads true classes."""
        return float((self.predict(task) == task.query_y).float().mean())

    def guarantees(self, delta: float | None = None) -> tuple[Guarantee, ...]:
        return ()

    def save(self, path) -> None:
        """:raises ValueError: always: nothing of it leaves under a guarantee."""
        raise ValueError("nothing is saved of a method that learns from tasks: what it learns has no guarantee and no "
                         "release")


class FewShot(Method, ABC):
    """Learns from many tasks how to solve one of classes that it has never seen."""

    @abstractmethod
    def learn(self, sample: Callable[[torch.Generator], Task], generator: torch.Generator) -> Callable[[Task], Tensor]:
        """A solver: a task to class probabilities [Q, ways] of its query.

        :param sample: draws a task for training; ``generator`` is handed to it.
        """

    def fit(self, sample: Callable[[torch.Generator], Task], *, seed: int | None = None,  # type: ignore[override]
            progress: bool = False) -> TaskModel:
        """Learn from the tasks that ``sample`` draws, as ``datasets.Sampler`` does.

        :param seed: as for ``Method.fit``.
        """
        return TaskModel(self, self.learn(sample, source("learn", seed)))

    def guarantees(self, sizes: Sizes, delta: float | None = None) -> tuple[Guarantee, ...]:
        """Nothing holds, for graphs of training or for the support of a task."""
        return ()

    def reload(self, release: dict, learned: dict, path) -> TaskModel:
        """Nothing is saved of these methods.

        :raises ValueError: always.
        """
        raise ValueError(f"{path} names {type(self).__name__}, of which nothing is saved")
