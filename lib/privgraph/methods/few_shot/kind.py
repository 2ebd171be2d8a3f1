"""Methods that learn from tasks of few labelled graphs, and what comes of them: a solver of others."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from ...checks import check_all, check_count, check_function, check_is
from ...datasets.episodes import Task
from ...effort import Effort, Extent
from ...privacy import Guarantee
from ...privacy.repeated import Cost
from ...streams import stream
from ...writing import PRIVATE
from ..files import write
from ..method import Coins, Method, Sizes
from ..model import Model
from ..written import written


@dataclass
class TaskModel(Model):
    """A solver of tasks: where other models are asked about a graph, it is asked about a ``Task``.

    :param solver: from a task to the class probabilities of its query graphs.
    """

    method: "FewShot"
    solver: Callable[[Task], Tensor]
    release: None = None

    MODE: ClassVar[int] = PRIVATE

    def predict_proba(self, task: Task) -> Tensor:  # type: ignore[override]
        """Class probabilities [Q, ways] of the query of a task.

        :returns: float [Q, ways].
        :raises TypeError: for anything but a ``Task``, such as a graph.
        """
        return self.solver(check_is(task, "task", Task))

    def score(self, task: Task) -> float:  # type: ignore[override]
        """Share of the query whose class is right, from 0 to 1. It reads true classes."""
        return float((self.predict(task) == task.query_y).float().mean())

    def guarantees(self, delta: float | None = None) -> tuple[Guarantee, ...]:
        return ()

    def save(self, path) -> None:
        """Write the method and what it learned into a file, which ``load`` reads back.

        No guarantee speaks of what it learned, so the file is for its owner alone.

        :raises ValueError: where a method of one's own does not say what is ``kept``.
        """
        write({"method": written(self.method), "release": {}, "learned": self.method.kept(self.solver)}, path,
              self.MODE)


class FewShot(Method, ABC):
    """Learns from many tasks how to solve one of classes that it has never seen."""

    INTRODUCED = ""
    OPEN = "nothing holds: no guarantee is given, for the graphs of training or for the support of a task"
    CHEAPER: ClassVar[tuple[str, ...]] = ("episodes",)
    REMARKS = {"untrained": "the same, from its first weights",
               "counting": "nothing learnt: nearest class mean of what one counts in a graph"}

    @abstractmethod
    def learn(self, sample: Callable[[torch.Generator], Task], generator: torch.Generator) -> Callable[[Task], Tensor]:
        """A solver: a task to class probabilities [Q, ways] of its query.

        :param sample: draws a task for training; ``generator`` is handed to it.
        """

    def both_halves(self, graphs: tuple, coins: Coins, progress: bool = False) -> TaskModel:
        """``fit`` is given what draws tasks to learn from, as ``datasets.Sampler`` does."""
        sample, = graphs
        return TaskModel(self, self.learn(sample, coins("learn")))

    def costs_on(self, data: Callable, delta: float | None) -> list[Cost]:  # type: ignore[override]
        """Nothing is promised, so nothing is counted.

        :param data: what draws tasks.
        """
        return []

    def dealt(self, data: Callable[[torch.Generator], Task], seed: int, *, test: Callable,  # type: ignore[override]
              tasks: int = 100, beside: Mapping[str, "FewShot"] | None = None) -> tuple:
        """What draws tasks to learn from, and the tasks of this seed's test, the same for all arms.

        :param data: draws a task of classes for training, as ``datasets.Sampler`` does.
        :param test: draws one of new classes.
        :param tasks: how many of these, at least 1.
        :param beside: other methods, by name, as ``{"counting": StructuralMean()}``.
        """
        draws = stream("tasks", seed)
        return data, [test(draws) for _ in range(check_count(tasks, "tasks", low=1))], beside or {}

    def tried(self, given: tuple, seed: int, progress: bool = False) -> tuple[None, dict[str, float]]:
        """New classes; beside it the same from its first weights, others, and chance."""
        sample, tasks, beside = given
        untrained = self.untrained()
        arms = {"new classes": self} | ({} if untrained is None else {"untrained": untrained}) | beside
        found = {name: 100 * float(task_accuracies(arm.learn(sample, stream("learn", seed)), tasks).mean())
                 for name, arm in arms.items()}
        return None, found | {"chance": 100 / tasks[0].ways}

    def effort(self, extent: Extent, tasks: int = 100, beside: Mapping[str, "FewShot"] | None = None, **how) -> Effort:
        """Tasks that are learnt from and solved, of graphs of some twenty nodes.

        :param extent: not read: how long it takes is a matter of tasks.
        :param tasks: as for ``dealt``.
        :param beside: the same.
        """
        arms = [self, *filter(None, (self.untrained(),)), *(beside or {}).values()]
        return Effort(sum(arm.learning_seconds + tasks * arm.solving_seconds for arm in arms))

    @property
    def learning_seconds(self) -> float:
        """What ``learn`` takes, about."""
        return 0.0

    @property
    def solving_seconds(self) -> float:
        """What a task takes then, about."""
        return 0.01

    def asked(self, given: tuple) -> int:
        return sum(len(task.query_y) for task in given[1])

    def untrained(self) -> "FewShot | None":
        """The same from its first weights, where it has any."""
        return None

    def guarantees(self, sizes: Sizes, delta: float | None = None) -> tuple[Guarantee, ...]:
        """Nothing holds, for graphs of training or for the support of a task."""
        return ()

    def reload(self, release: dict, learned: dict, path) -> TaskModel:
        return TaskModel(self, self.solver(learned, path))

    def kept(self, solver: Callable[[Task], Tensor]) -> dict[str, Tensor]:
        """What a file must hold: tensors by name.

        :param solver: what ``learn`` returned.
        :raises ValueError: where the method does not say it.
        """
        raise ValueError(f"{type(self).__name__} does not say what of its solver is kept, so nothing of it is saved")

    def solver(self, kept: dict[str, Tensor], path) -> Callable[[Task], Tensor]:
        """The solver of which that was kept; what a file holds may be anybody's.

        :param kept: tensors [...] by name, of any dtype: not checked yet.
        :raises ValueError: where it is of another method.
        """
        raise ValueError(f"{path} names {type(self).__name__}, which does not say what is kept of its solver")


def solve_all(solver: Callable[[Task], Tensor], tasks: Sequence[Task]) -> list[Tensor]:
    """The answers of any solver to many tasks, at once where it can.

    :param solver: task -> class probabilities float [Q, ways]; where it has ``all``, tasks -> a list of these.
    """
    check_function(solver, "solver", "task"), check_all(tasks, "tasks", Task)
    return solver.all(tasks) if hasattr(solver, "all") else [solver(task) for task in tasks]


def task_accuracies(solver: Callable[[Task], Tensor], tasks: Sequence[Task]) -> Tensor:
    """The share of each task's queries that are named right, float [T], in [0, 1].

    :param solver: task -> class probabilities float [Q, ways].
    """
    return torch.stack([(p.argmax(1) == task.query_y).float().mean()
                        for task, p in zip(tasks, solve_all(solver, tasks), strict=True)])
