"""Chapter 12: whether a graph was in the support, asked of prototypes without noise; and whole support sets found.

The encoder is PN's as chosen on base classes, trained on these; candidates are all graphs of the other classes. Sets of
two to four graphs are found whole among them by meeting in the middle.
"""

from collections.abc import Callable, Iterator
from statistics import fmean

import torch
from torch import Tensor

from privgraph.attacks import Recovered, evaluate_attack, recover_support, support_trials
from privgraph.datasets import GraphSet, Sampler
from privgraph.methods.few_shot import PrototypeSolver
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .settings import SMALL, WAYS, held
from .tasks import encoder_of

SEEDS = 5
SHOTS = (1, 2, 5, 10, 20)
SETS = 20  # support sets that are drawn in a run


def candidates(data: GraphSet, embed: Callable) -> tuple[Tensor, Tensor]:
    """Vectors of all graphs of the test classes, and their classes from 0 on."""
    members = [data.of_class(label) for label in data.test_classes]
    y = torch.cat([torch.full_like(each, n) for n, each in enumerate(members)])
    return embed(data.graphs.take(torch.cat(members))), y


def membership_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """The mean over support sets, in percent."""
    data = held(setting["dataset"])
    z, y = candidates(data, encoder_of(data, setting["vectors"], seed).embed)
    told = [evaluate_attack(*one) for one in zip(
        *support_trials(z, y, setting["shots"], SETS, stream("attack", seed)), strict=True)]
    return {"auc": 100 * fmean(each.auc for each in told), "tpr": 100 * fmean(each.tpr_at_1_fpr for each in told)}


def membership_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Trained and untrained."""
    yield SEEDS, [setting(dataset=name, shots=shots, vectors=vectors)
                  for name in SMALL for vectors in ("pn", "pn-untrained") for shots in SHOTS]


MEMBERSHIP_EXPERIMENT = Experiment(
    "segcl-membership", 1, {"vectors": "pn", "shots": int}, ("auc", "tpr"), membership_grid, membership_run,
    title="Support graphs guessed from prototypes (chapter 12)")

FOUND = (2, 3, 4)  # shots of sets that are found whole
POOL = 160  # candidates for one task: its support among others of its classes
TASKS = 5  # of a run


def recovery_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Shares of support sets, in percent: ``fits`` is among those that have the mean, ``alone`` the only one."""
    data, ways, shots = held(setting["dataset"]), WAYS[setting["dataset"]], setting["shots"]
    solver, draws = encoder_of(data, "pn", seed), stream("attack", seed)
    sampler = Sampler(data, data.test_classes, ways, shots, POOL // ways - shots)
    found = [pair for _ in range(TASKS) for pair in answers(solver, sampler, shots, draws)]
    fits = [any(torch.equal(truth, each) for each in answer.sets) for truth, answer in found]
    return {"fits": 100 * fmean(fits),
            "alone": 100 * fmean(fit and answer.unique for fit, (_, answer) in zip(fits, found, strict=True))}


def answers(solver: PrototypeSolver, sampler: Sampler, shots: int, draws: torch.Generator) -> list[
        tuple[Tensor, Recovered]]:
    """For each class of a task the support's numbers in the pool, in order, and what was found."""
    task = sampler(draws)
    everybody = torch.cat([solver.embed(task.support), solver.embed(task.query)])
    mixed = torch.randperm(len(everybody), generator=draws)
    place = mixed.argsort()  # of each graph in the pool
    told = recover_support(solver.publish(task), everybody[mixed], shots)
    return [(place[:len(task.support_y)][task.support_y == n].sort().values, answer) for n, answer in enumerate(told)]


def recovery_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    yield SEEDS, [setting(dataset=name, shots=shots) for name in SMALL for shots in FOUND]


RECOVERY_EXPERIMENT = Experiment(
    "segcl-recovery", 1, {"shots": int}, ("fits", "alone"), recovery_grid, recovery_run,
    title="Whole support sets found from prototypes (chapter 12)")
