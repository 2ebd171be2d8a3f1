"""Chapter 12: what prototypes with noise are worth, beside counted numbers with the same noise.

Centre, directions and bound come from base classes, which are public. Vectors are moved by the centre, turned to few
directions, clipped and averaged; the noise is for all prototypes of a task together. Queries are clipped alike.
"""

import math
from collections.abc import Callable, Iterator
from statistics import fmean

import torch
from torch import Tensor

from privgraph.attacks import evaluate_attack, support_membership, support_trials
from privgraph.datasets import GraphSet, Task
from privgraph.mechanisms import NoisyMean
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .settings import SMALL, WAYS, held, tasks_of
from .support import candidates
from .tasks import encoder_of

SEEDS, SHOTS, DELTA = 5, 20, 1e-5
EPSILONS = (math.inf, 8.0, 4.0, 2.0, 1.0)
DIRECTIONS = (1, 2, 4, 16)
WITHIN = 0.9  # the bound is the length that so many base graphs keep
SETS = 20  # support sets that the attack is asked about


class Turned:
    """Vectors from the centre of the base classes, in their main directions.

    :param embed: graphs to vectors, which has seen base classes at most.
    :param directions: how many; at most as many as vectors have.
    """

    def __init__(self, data: GraphSet, embed: Callable, directions: int):
        z = embed(data.graphs.take(torch.cat([data.of_class(label) for label in data.train_classes])))
        self.embed, self.centre = embed, z.mean(0)
        self.turn = torch.linalg.svd(z - self.centre, full_matrices=False).Vh[:directions].t()
        self.bound = float(((z - self.centre) @ self.turn).norm(dim=1).quantile(WITHIN))

    def __call__(self, graphs) -> Tensor:
        return (self.embed(graphs) - self.centre) @ self.turn


def noise_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """The share of queries named right, and the AUC of the membership attack on the same prototypes, in percent."""
    data, ways = held(setting["dataset"]), WAYS[setting["dataset"]]
    turned = Turned(data, encoder_of(data, setting["vectors"], seed).embed, setting["directions"])
    mechanism, coins = NoisyMean(setting["epsilon"], DELTA, turned.bound, SHOTS), stream("collect", seed)
    right = [named(mechanism, turned, task, coins) for task in tasks_of(data, data.test_classes, ways, SHOTS, seed)]

    def publish(z: Tensor, y: Tensor, ways: int) -> Tensor:
        return mechanism(mechanism.rows(z, y, ways), generator=coins)

    def attack(published: Tensor, z: Tensor, y: Tensor) -> Tensor:
        return support_membership(published, z, y, SHOTS, mechanism.sigma)
    z, y = candidates(data, turned)
    asked = support_trials(clipped(z, turned.bound), y, SHOTS, SETS, stream("attack", seed), attack=attack,
                           publish=publish)
    return {"accuracy": 100 * fmean(right),
            "auc": 100 * fmean(evaluate_attack(*one).auc for one in zip(*asked, strict=True))}


def named(mechanism: NoisyMean, turned: Turned, task: Task, coins: torch.Generator) -> float:
    """The share of a task's queries whose nearest noisy prototype is that of their class."""
    published = mechanism(mechanism.rows(turned(task.support), task.support_y, task.ways), generator=coins)
    nearest = torch.cdist(clipped(turned(task.query), turned.bound), published).argmin(1)
    return float((nearest == task.query_y).float().mean())


def clipped(z: Tensor, bound: float) -> Tensor:
    """Rows no longer than ``bound``."""
    return z * (bound / z.norm(dim=1, keepdim=True)).clamp(max=1)


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """The published sets, with more and more noise."""
    for vectors, directions in (("pn", DIRECTIONS), ("features", (1, 2)), ("counts", (1, 2))):
        yield SEEDS, [setting(dataset=name, vectors=vectors, directions=count, epsilon=epsilon)
                      for name in SMALL[:2] for count in directions for epsilon in EPSILONS]


EXPERIMENT = Experiment("segcl-noise", 1, {"vectors": "pn", "directions": int, "epsilon": float}, ("accuracy", "auc"),
                        grid, noise_run, title="Prototypes with noise: use and membership (chapter 12)")
