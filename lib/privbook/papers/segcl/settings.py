"""What the experiments on few-shot tasks share: sets, tasks, and what is chosen without a look at the classes of the
tests.

Readout, distance, rate and the weights of contrast are chosen on the base classes. These are split in two, anew with
each seed: training sees one half, tasks come from the other. What is best there on average is ``CHOSEN``, and a test
compares it with the ledger.
"""

from collections.abc import Callable, Iterator
from itertools import product

import torch
from torch import Tensor

from privgraph.datasets import GraphSet, Sampler, Task
from privgraph.methods import SEGCL, FewShot, PrototypicalNetwork
from privgraph.methods.few_shot import task_accuracies
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment, graph

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


def solved(method: FewShot, sampler: Sampler, tasks: list[Task], seed: int) -> Tensor:
    """The share of each task's queries that is named right, percent [TASKS], after training with ``sampler``."""
    return 100 * task_accuracies(method.learn(sampler, stream("learn", seed)), tasks)


def summary(accuracies: Tensor) -> dict[str, float]:
    """``METRICS``: the mean over tasks and the standard deviation."""
    return {"accuracy": float(accuracies.mean()), "deviation": float(accuracies.std())}


def shuffled(items: tuple[int, ...], generator: torch.Generator) -> tuple[int, ...]:
    return tuple(items[i] for i in torch.randperm(len(items), generator=generator).tolist())


CHOICE_SEEDS, FEWER, FEWEST, CHOICE_SHOTS = 10, 5, 3, 5  # fewer on the large sets, of SE-GCL fewest
READOUTS, DISTANCES, RATES = ("mean", "sum", "mincut"), ("wasserstein", "euclidean"), (0.001, 0.005, 0.02)
BETAS, TEMPERATURES = (0.1, 1.0), (0.1, 0.5, 2.0)
# For each set the readout, the distance and the rate of PN, and the weight and temperature of SE-GCL's contrast with
# these: the best of the grid on base classes.
CHOSEN = {"triangles-sample": ("mean", "euclidean", 0.02, 0.1, 0.1),
          "letter-high": ("sum", "euclidean", 0.005, 0.1, 2.0),
          "triangles": ("mean", "euclidean", 0.001, 0.1, 0.1),
          "letters": ("sum", "euclidean", 0.005, 0.1, 2.0),
          "amazon-clothing": ("mincut", "euclidean", 0.001, 0.1, 0.1),
          "neighbourhoods-twin": ("sum", "euclidean", 0.001, 0.1, 2.0)}


def variant(setting: dict) -> FewShot:
    """The method that a setting names."""
    same = dict(readout=setting["readout"], distance=setting["distance"], learning_rate=setting["learning_rate"])
    if setting["method"] == "pn":
        return PrototypicalNetwork(**same)
    return SEGCL(beta=setting["beta"], temperature=setting["temperature"], **same)


def choice_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Tasks of base classes that training did not see."""
    data = held(setting["dataset"])
    mixed = shuffled(data.train_classes, stream("split", seed))
    half = len(mixed) // 2
    seen, new = mixed[half:], mixed[:half]
    ways = min(WAYS[data.name], len(new))
    return summary(solved(variant(setting), Sampler(data, seen, ways, CHOICE_SHOTS, QUERIES),
                          tasks_of(data, new, ways, CHOICE_SHOTS, seed), seed))


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """All combinations for PN, and for SE-GCL with what PN takes."""
    seeds = dict.fromkeys(SMALL, CHOICE_SEEDS) | dict.fromkeys(LARGE, FEWER)
    for name in WAYS:
        yield seeds[name], [setting(dataset=name, method="pn", readout=readout, distance=distance, learning_rate=rate)
                      for readout, distance, rate in product(READOUTS, DISTANCES, RATES)]
    for name, (readout, distance, rate, *_) in CHOSEN.items():
        yield CHOICE_SEEDS if name in SMALL else FEWEST, [
            setting(dataset=name, method="segcl", readout=readout, distance=distance, learning_rate=rate, beta=beta,
                    temperature=temperature) for beta, temperature in product(BETAS, TEMPERATURES)]


EXPERIMENT = Experiment(
    "segcl-choice", 1, {"method": str, "readout": str, "distance": str, "learning_rate": float, "beta": 0.0,
                        "temperature": 0.0}, METRICS, grid, choice_run,
    title="What is chosen for few-shot tasks, on base classes (chapter 12)")
