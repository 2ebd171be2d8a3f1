"""What the experiments on few-shot tasks share: sets, tasks, and methods by name."""

import torch
from torch import Tensor

from privgraph.datasets import GraphSet, Sampler, Task
from privgraph.methods import Episodes
from privgraph.methods.few_shot import task_accuracies
from privgraph.streams import stream

from ...runs.grid import graph

WAYS = {"triangles-sample": 3, "letter-high": 4, "triangles": 3, "letters": 4, "amazon-clothing": 5,
        "neighbourhoods-twin": 5}
SMALL, LARGE = tuple(WAYS)[:4], tuple(WAYS)[4:]  # of Table 5.4 and as generated; of the kind that Table 5.3 has
SHOTS = (5, 10, 20)
QUERIES = 10  # of each class; the dissertation does not say
TASKS = 100  # for a test, as in the dissertation
METRICS = ("accuracy", "deviation")  # over tasks, in percent


def held(name: str) -> GraphSet:
    """The set of graphs at hand."""
    return graph(name)[0]


def tasks_of(data: GraphSet, classes: tuple[int, ...], ways: int, shots: int, seed: int) -> list[Task]:
    """The tasks of one seed; all methods are asked about the same."""
    sampler, generator = Sampler(data, classes, ways, shots, QUERIES), stream("tasks", seed)
    return [sampler(generator) for _ in range(TASKS)]


def solved(method: Episodes, sampler: Sampler, tasks: list[Task], seed: int) -> Tensor:
    """The share of each task's queries that is named right, percent [TASKS], after training with ``sampler``."""
    return 100 * task_accuracies(method.fit(sampler, stream("learn", seed)), tasks)


def summary(accuracies: Tensor) -> dict[str, float]:
    """``METRICS``: the mean over tasks and the standard deviation."""
    return {"accuracy": float(accuracies.mean()), "deviation": float(accuracies.std())}


def shuffled(items: tuple[int, ...], generator: torch.Generator) -> tuple[int, ...]:
    return tuple(items[i] for i in torch.randperm(len(items), generator=generator).tolist())


