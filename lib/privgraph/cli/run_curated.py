"""A curator's methods from the command line: what holds, and accuracies on the real graph and on null controls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tqdm.auto import tqdm

from ..datasets import split
from ..methods import Curated, permuted_features, rewired_edges, sizes_of
from ..methods.curated import left_of
from ..methods.evaluation import references
from ..methods.release import unaccounted
from ..nn import interval
from ..streams import stream
from .said import FOR_THE_OWNER, Report

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
            values.append(100 * method.fit(seen, seed=seed).score(seen))
        report.result(arm, interval(values), remark)
    for name, result in references(data, options.repeats, progress=True).items():
        report.result(name, result)


def promise_of_curator(method: Curated, data: Data, report: Report) -> None:
    texts, sizes = unaccounted(data), sizes_of(data)
    report.say("what will hold where the randomness is secret, whatever comes out:")
    report.guarantees(left_of(method.guarantees(sizes), texts))
    public = method.public(sizes)
    report.say(f"taken as known to all: {', '.join(public)}", public=list(public), unaccounted=texts)
    for text in texts:
        report.say(f"computed from raw features, which no epsilon accounts for: {text}")
    report.say(FOR_THE_OWNER)
