"""One method, run again and again with fresh splits, noise and weights."""

import math
from dataclasses import dataclass

import torch
from torch_geometric.data import Data
from tqdm.auto import tqdm

from ..checks import check_choice, check_count, check_data, check_flag, check_is
from ..datasets import split
from ..methods import CONTROLS, LPGNN, Fitted, Local, Release, random_categories
from ..nn import Interval, accuracy, interval
from .streams import stream

ARMS = {**CONTROLS, "random": random_categories}


@dataclass(frozen=True)
class Ran:
    """One run: the graph with its masks, what the server got, what it learned."""

    data: Data
    release: Release
    fitted: Fitted

    @property
    def accuracy(self) -> float:
        """On the test nodes, in percent."""
        return accuracy(self.fitted.predict_proba(), self.data.y, self.data.test_mask)


def run(method: Local, data: Data, seed: int, features: str = "real", progress: bool = False) -> Ran:
    """One split, one collection and one training.

    Runs are paired by seed: with the same seed all controls and all hyperparameters share the split,
    the label noise and the initial weights.
    """
    check_is(method, "method", Local), check_choice(features, "features", ARMS), check_flag(progress, "progress")
    data = split(data, stream("split", seed))
    seen = ARMS[features](data, stream("controls", seed))
    release = method.collect(seen, stream("collect", seed))
    return Ran(data, release, method.learn(release, stream("learn", seed), progress))


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
