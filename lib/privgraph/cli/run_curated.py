"""A curator's methods from the command line: what holds, and accuracies on the real graph and on null controls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor
from tqdm.auto import tqdm

from ..datasets import split
from ..methods import Curated, CuratedModel, CuratedRelease, permuted_features, rewired_edges, sizes_of
from ..methods.evaluation import references
from ..methods.release import unaccounted
from ..nn import accuracy, interval
from ..streams import stream
from .said import Report

if TYPE_CHECKING:
    from torch_geometric.data import Data

CONTROLS = {"rewired edges": (rewired_edges, "everybody keeps her number of neighbours, and gets random ones"),
            "permuted features": (permuted_features, "everybody gets the features of somebody else")}


def run_curated(method: Curated, data: Data, options, report: Report) -> None:
    """Paired by seed: all arms share splits, initial weights and noise."""
    promise_of_curator(method, data, report)
    arms = {"real graph": (lambda data, generator: data, ""), **CONTROLS}
    for arm, (control, remark) in arms.items():
        if arm == "permuted features" and "x" in method.PUBLIC:
            continue  # nothing of them is protected
        values = []
        for seed in tqdm(range(options.repeats), desc=arm, leave=False):
            seen = control(split(data, stream("split", seed)), stream("controls", seed))
            fitted = method.learn(method.train(seen, stream("collect", seed)), stream("learn", seed))
            values.append(accuracy(asked(fitted, seen), seen.y, seen.test_mask))
        report.result(arm, interval(values), remark)
    for name, result in references(data, options.repeats, progress=True).items():
        report.result(name, result)


def promise_of_curator(method: Curated, data: Data, report: Report) -> None:
    report.say("what will hold where the randomness is secret, whatever comes out:")
    report.guarantees(method.guarantees(sizes_of(data)))
    texts = unaccounted(data)
    report.say(f"taken as known to all: {', '.join(method.PUBLIC)}", public=list(method.PUBLIC), unaccounted=texts)
    for text in texts:
        report.say(f"computed from raw features, which no epsilon accounts for: {text}")
    report.say("for the owner of the data only: every accuracy is counted on true test labels, which no epsilon "
               "accounts for")


def asked(fitted: CuratedModel, data: Data) -> Tensor:
    """Class probabilities of the graph's own people."""
    return fitted.predict_proba(fitted.asked(data))


def once(method: Curated, data: Data, generator: torch.Generator) -> tuple[CuratedRelease, CuratedModel, float]:
    """What leaves, what is learned of it, and how good that is on test nodes, in percent."""
    seen = split(data, generator)
    release = method.train(seen, generator, progress=True)
    fitted = method.learn(release, generator, progress=True)
    return release, fitted, accuracy(asked(fitted, seen), seen.y, seen.test_mask)
