"""Embeddings from the command line: published vectors, and what a linear probe reads of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from tqdm.auto import tqdm

from ..datasets import split
from ..methods import Embedding, Embeddings
from ..methods.evaluation import majority
from ..methods.probe import probed
from ..nn import accuracy, interval
from ..privacy import drawn
from ..streams import stream
from .said import Report

if TYPE_CHECKING:
    from torch_geometric.data import Data

PUBLISHED = "one vector a node is published; what holds for it where the randomness is secret:"


def run_embedding(method: Embedding, data: Data, options, report: Report) -> None:
    """Publish once a seed; the probe learns from true labels of training nodes, and is asked about the test nodes."""
    report.say(PUBLISHED)
    embedded, plain = [], []
    for seed in tqdm(range(options.repeats), desc="seeds", leave=False):
        found, split_data = method.embed(data, stream("collect", seed)), split(data, stream("split", seed))
        if seed == 0:
            publish(found, options, report)
        embedded.append(probe(found.z, split_data)), plain.append(probe(data.x, split_data))
    report.result("linear probe", interval(embedded), "of the vectors; it reads true labels")
    report.result("majority class", interval([majority(data, seed) for seed in range(options.repeats)]))
    report.result("linear probe of x", interval(plain), "no privacy: of the features as they are")


def publish(found: Embeddings, options, report: Report) -> None:
    report.guarantees(drawn(found.guarantees, "secret"))
    if not found.guarantees:
        report.say("  nothing: no guarantee is given", guarantees=[])
    report.say(f"taken as known to all: {', '.join(found.public) or 'nothing'}", public=list(found.public),
               unaccounted=list(found.unaccounted))
    for text in found.unaccounted:
        report.say(f"computed from raw data, which no epsilon accounts for: {text}")


def probe(z: torch.Tensor, data: Data) -> float:
    """Test accuracy in percent of logistic regression on the vectors of training nodes."""
    return accuracy(probed(z, data.y, data.train_mask, data.num_classes), data.y, data.test_mask)
