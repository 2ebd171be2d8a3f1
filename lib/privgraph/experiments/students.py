"""Teachers and a student, run again and again, beside what is had without them."""

import copy
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch_geometric.data import Data
from tqdm.auto import tqdm

from ..checks import check_count, check_number
from ..datasets import private_public
from ..methods import Distilled, Fitted, QueryRelease
from ..nn import Interval, accuracy, interval
from .streams import stream


@dataclass(frozen=True)
class Taught:
    """One run: both graphs, the labels that left the private one, the student, and the accuracies on test nodes."""

    private: Data
    public: Data
    release: QueryRelease
    fitted: Fitted
    accuracies: dict[str, float]


def parts(data: Data, share: float, seed: int) -> tuple[Data, Data]:
    """A private and a public graph: two parts of one, at random.

    :param share: of the labelled nodes that are public.
    """
    check_number(share, "share", low=0, high=1, open_low=True, open_high=True)
    labelled = int((data.y >= 0).sum())
    public = round(share * labelled)
    return private_public(data, stream("split", seed), labelled - public, public)


def halves(public: Data, seed: int) -> Data:
    """A public graph with masks: half of its labelled nodes may be asked, the others test."""
    labelled = (public.y >= 0).nonzero().view(-1)
    order = labelled[torch.randperm(len(labelled), generator=stream("split", seed))]
    public = copy.copy(public)
    for name, nodes in zip(("train_mask", "test_mask"), order.tensor_split(2), strict=True):
        public[name] = torch.zeros(public.num_nodes, dtype=torch.bool)
        public[name][nodes] = True
    return public


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
