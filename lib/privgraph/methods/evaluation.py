"""A method, run again and again with fresh splits, noise and weights, beside what is had without it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from tqdm.auto import tqdm

from ..checks import check_choice, check_count, check_data, check_flag, check_is
from ..datasets import split
from ..nn import Interval, accuracy, interval
from ..streams import stream
from .controls import CONTROLS, random_categories
from .curated import Curated, CuratedRelease
from .distilled import Distilled
from .local import Local
from .lpgnn import LPGNN
from .model import NetworkModel
from .query_release import QueryRelease
from .release import Release

if TYPE_CHECKING:
    from torch_geometric.data import Data

ARMS = {**CONTROLS, "random": random_categories}


@dataclass(frozen=True)
class Run:
    """One run: the graph with its masks, as the method saw it, what left, what was learned."""

    data: Data
    release: Release | CuratedRelease
    fitted: NetworkModel

    @property
    def accuracy(self) -> float:
        """On the test nodes, in percent."""
        return accuracy(self.fitted.predict_proba(self.fitted.asked(self.data)), self.data.y, self.data.test_mask)


def run(method: Local | Curated, data: Data, seed: int, features: str = "real", progress: bool = False) -> Run:
    """One split, one release and one training.

    Runs are paired by seed: with the same seed all controls and all hyperparameters share the split,
    the noise and the initial weights.
    """
    check_is(method, "method", Local | Curated), check_choice(features, "features", ARMS)
    check_flag(progress, "progress")
    seen = ARMS[features](split(data, stream("split", seed)), stream("controls", seed))
    fitted = method.fit(seen, seed=seed, progress=progress)
    return Run(seen, fitted.release, fitted)


def arms(data: Data) -> list[str]:
    """The real features and their null controls: where they are categories, coins in place of a constant middle."""
    return ["real", "permuted", "random" if "domain_sizes" in check_data(data) else "constant"]


def run_once(method: Local, data: Data, seed: int, features: str = "real", progress: bool = False) -> float:
    """Test accuracy in percent of one ``run``."""
    return run(method, data, seed, features, progress).accuracy


def repeat(method: Local, data: Data, seeds: int, features: str = "real", progress: bool = False) -> list[float]:
    """Test accuracies of seeds 0, 1, ..., in order; with ``progress`` a bar of seeds, and one of each one's epochs."""
    check_count(seeds, "seeds", low=1)
    return [run_once(method, data, seed, features, progress)
            for seed in tqdm(range(seeds), desc=features, disable=not progress, leave=False)]


def plain(backbone: str = "gcn") -> LPGNN:
    """A network without any privacy: it reads true features and labels as they are, and nothing is smoothed."""
    return LPGNN.as_published(backbone, math.inf, math.inf, x_steps=0, y_steps=0)


def majority(data: Data, seed: int) -> float:
    """Test accuracy in percent of the class that most training nodes have."""
    data = split(data, stream("split", seed))
    largest = torch.bincount(data.y[data.train_mask]).argmax()
    return 100 * float((data.y[data.test_mask] == largest).float().mean())


def references(data: Data, seeds: int, progress: bool = False) -> dict[str, Interval]:
    """What is had without learning, and by a plain GCN without privacy, on the splits of ``repeat``;
    neither is a bound."""
    check_count(seeds, "seeds", low=1)
    return {"majority class": interval([majority(data, seed) for seed in range(seeds)]),
            "plain GCN": interval(repeat(plain(), data, seeds, progress=progress))}


def compare_controls(method: Local, data: Data, seeds: int, progress: bool = False) -> dict[str, Interval]:
    """Accuracy on the real features and on each null control, with 95% intervals over paired seeds."""
    return {arm: interval(repeat(method, data, seeds, arm, progress)) for arm in arms(data)}


# Teachers and a student.

@dataclass(frozen=True)
class Taught:
    """One run: both graphs, the labels that left the private one, the student, and the accuracies on test nodes."""

    private: Data
    public: Data
    release: QueryRelease
    fitted: NetworkModel
    accuracies: dict[str, float]


def teach_once(method: Distilled, private: Data, public: Data, seed: int, progress: bool = False) -> Taught:
    """One run: the student, and beside it what is had without teachers."""
    release = method.collect(private, public, stream("teachers", seed), progress)
    fitted = method.learn(release, stream("learn", seed), progress)
    truth = method.student.fit(public.x, public.edge_index, release.queries, public.y[release.queries],
                               public.num_classes, stream("learn", seed), progress=progress)
    found = {"student": fitted.predict_proba(), "majority class": majority_of(private, public.num_nodes),
             "student of true labels": truth.predict_proba()}
    return Taught(private, public, release, fitted,
                  {name: accuracy(scores, public.y, public.test_mask) for name, scores in found.items()})


def majority_of(private: Data, nodes: int) -> Tensor:
    """Scores [nodes, C] that name the largest class of the private graph."""
    return torch.bincount(private.y[private.y >= 0], minlength=private.num_classes).float().repeat(nodes, 1)


def teach_again(method: Distilled, graphs: Callable[[int], tuple[Data, Data]], seeds: int,
                progress: bool = False) -> tuple[Taught, dict[str, Interval]]:
    """The first run, and the accuracies of all.

    :param graphs: from a seed to the private and the public graph of its run.
    """
    first, found = None, {}
    for seed in tqdm(range(check_count(seeds, "seeds", low=1)), desc="seeds", disable=not progress, leave=False):
        ran = teach_once(method, *graphs(seed), seed, progress)
        first = first or ran
        for name, value in ran.accuracies.items():
            found.setdefault(name, []).append(value)
    return first, {name: interval(values) for name, values in found.items()}
