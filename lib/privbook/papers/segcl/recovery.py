"""Chapter 12: support sets of two to four graphs, found whole among candidates by meeting in the middle."""

from collections.abc import Callable, Iterator
from statistics import fmean

import torch
from torch import Tensor

from privgraph.attacks import Recovered, recover_support
from privgraph.datasets import Sampler
from privgraph.methods.few_shot import PrototypeSolver
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .settings import SMALL, WAYS, held
from .tasks import encoder_of

SEEDS = 5
SHOTS = (2, 3, 4)
POOL = 160  # candidates for one task: its support among others of its classes
SETS = 5  # tasks of a run


def recovery_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Shares of support sets, in percent: ``fits`` is among those that have the mean, ``alone`` the only one."""
    data, ways, shots = held(cell["dataset"]), WAYS[cell["dataset"]], cell["shots"]
    solver, draws = encoder_of(data, "pn", seed), stream("attack", seed)
    sampler = Sampler(data, data.test_classes, ways, shots, POOL // ways - shots)
    found = [pair for _ in range(SETS) for pair in answers(solver, sampler, shots, draws)]
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


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    yield SEEDS, [cell(dataset=name, shots=shots) for name in SMALL for shots in SHOTS]


EXPERIMENT = Experiment("segcl-recovery", 1, {"shots": int}, ("fits", "alone"), grid, recovery_run,
                        title="Whole support sets found from prototypes (chapter 12)")
