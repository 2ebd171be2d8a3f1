"""A method, run again and again with fresh splits, noise and weights, beside what is had without it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..checks import check_choice, check_count, check_flag, check_is
from ..datasets.splits import split_or_own
from ..nn import accuracy
from ..streams import stream
from ..waiting import steps
from .controls import ARMS
from .curated import Curated, CuratedRelease
from .evaluated import LARGEST, Evaluation, largest_class
from .local import Local
from .lpgnn import LPGNN
from .model import NetworkModel
from .release import Release

if TYPE_CHECKING:
    from torch_geometric.data import Data


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
    seen = ARMS[features](split_or_own(data, stream("split", seed)), stream("controls", seed))
    fitted = method.fit(seen, seed=seed, progress=progress)
    return Run(seen, fitted.release, fitted)


def run_once(method: Local, data: Data, seed: int, features: str = "real", progress: bool = False) -> float:
    """Test accuracy in percent of one ``run``."""
    return run(method, data, seed, features, progress).accuracy


def repeat(method: Local, data: Data, seeds: int, features: str = "real", progress: bool = False) -> list[float]:
    """Test accuracies of seeds 0, 1, ..., in order; with ``progress`` a bar of seeds, and one of each one's epochs."""
    check_count(seeds, "seeds", low=1)
    return [run_once(method, data, seed, features, progress)
            for seed in steps(range(seeds), features, progress)]


def plain(backbone: str = "gcn") -> LPGNN:
    """A network without any privacy: it reads true features and labels as they are, and nothing is smoothed."""
    return LPGNN.as_published(backbone, math.inf, math.inf, x_steps=0, y_steps=0)


def majority(data: Data, seed: int) -> float:
    """Test accuracy in percent of the class that most training nodes have."""
    return largest_class(split_or_own(data, stream("split", seed)))


def references(data: Data, seeds: int, progress: bool = False) -> Evaluation:
    """What is had without learning, and by a plain GCN without privacy, on the splits of ``repeat``;
    neither is a bound."""
    check_count(seeds, "seeds", low=1)
    return Evaluation({"majority class": [majority(data, seed) for seed in range(seeds)],
                       "plain GCN": repeat(plain(), data, seeds, progress=progress)},
                      {"majority class": LARGEST, "plain GCN": "no privacy: true features and labels, as they are"})

