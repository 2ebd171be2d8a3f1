"""Chapter 12: whether a graph was in the support, asked of prototypes without noise; and whole support sets found.

The encoder is PN's as chosen on base classes, trained on these; candidates are all graphs of the other classes.
"""

from collections.abc import Callable, Iterator
from statistics import fmean

import torch
from torch import Tensor

from privgraph.attacks import evaluate_attack, support_trials
from privgraph.datasets import GraphSet
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from .settings import SMALL, held
from .tasks import encoder_of

SEEDS = 5
SHOTS = (1, 2, 5, 10, 20)
SETS = 20  # support sets that are drawn in a run


def candidates(data: GraphSet, embed: Callable) -> tuple[Tensor, Tensor]:
    """Vectors of all graphs of the test classes, and their classes from 0 on."""
    members = [data.of_class(label) for label in data.test_classes]
    y = torch.cat([torch.full_like(each, n) for n, each in enumerate(members)])
    return embed(data.graphs.take(torch.cat(members))), y


def membership_run(cell: dict, seed: int, cache: Cache) -> dict[str, float]:
    """The mean over support sets, in percent."""
    data = held(cell["dataset"])
    z, y = candidates(data, encoder_of(data, cell["vectors"], seed).embed)
    told = [evaluate_attack(*one) for one in zip(
        *support_trials(z, y, cell["shots"], SETS, stream("attack", seed)), strict=True)]
    return {"auc": 100 * fmean(each.auc for each in told), "tpr": 100 * fmean(each.tpr_at_1_fpr for each in told)}


def grid(cell: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Trained and untrained."""
    yield SEEDS, [cell(dataset=name, shots=shots, vectors=vectors)
                  for name in SMALL for vectors in ("pn", "pn-untrained") for shots in SHOTS]


EXPERIMENT = Experiment("segcl-membership", 1, {"vectors": "pn", "shots": int}, ("auc", "tpr"), grid, membership_run,
                        title="Support graphs guessed from prototypes (chapter 12)")
