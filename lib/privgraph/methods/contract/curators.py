"""The promises of ``Curated``: what leaves, what it costs, and what is made of it alone (``contract.check_method``).

What is stated is what was said beforehand of public sizes. Each edge and each person in turn is another: what leaves
depends on them through noise only, and what goes into the noise moves by no more than is paid for. Of the fields of the
graph, what is neither public nor spoken of by some guarantee goes into nothing. ``learn`` reads the release only; what
leaves, and the model, are read from files as they were written.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from ...audit.spending import moved
from ...privacy import Guarantee
from ...randomness import seeded
from ..curated import HOLDS, NODE, Curated, CuratedRelease
from ..method import sizes_of
from . import changes
from .all_kinds import accepted, alike, left_alone, read_again, require, same, secretly
from .covering import (
    Found,
    Pipeline,
    fresh_coins,
    leaves_strays,
    only_noise,
    recorded,
    states,
    try_changes,
    vouched,
)
from .toys import changed, elsewhere, worlds
from .two_halves import learns, saved

if TYPE_CHECKING:
    from torch_geometric.data import Data

ROUNDED = 1e-6  # what accountants may add to an epsilon that was asked for, relative
SEEDS = 4  # runs in which others are drawn by lot
FIELDS = {"x": changes.vectors, "y": changes.labels, "edge_index": changes.edges}


def curated(method: Curated, found: Found, data: Data | None = None) -> None:
    if data is None:
        data = accepted(lambda data: method.train(data, seeded(0)), worlds())
    release = left_alone((data,), lambda data: alike(lambda generator: method.train(data, generator), "train"))
    require(isinstance(release, CuratedRelease), f"train must return a CuratedRelease, got {type(release).__name__}")

    def everything(data, generator):
        release = method.train(data, generator)
        return [release, release.guarantees]
    secretly(lambda generator: method.train(data, generator))
    said_beforehand(method, release, data)
    costs(everything, data, release.guarantees, found)
    silent_fields(everything, data, release, found), hidden_labels(everything, data)
    if any(math.isfinite(stated.epsilon) for stated in release.guarantees):
        fresh_coins(everything, data), leaves_strays(everything, data), vouched(everything, data, found)
    learnt(method, release, data)


def said_beforehand(method: Curated, release: CuratedRelease, data: Data) -> None:
    """Of a method that is asked for some epsilon, that is what all costs together, for one unit at least."""
    asked, stated = getattr(method, "epsilon", math.inf), [g.epsilon for g in release.guarantees]
    require(min(stated, default=0.0) <= asked * (1 + ROUNDED), "what leaves must cost no more than was asked for with "
            f"epsilon={asked:g}, got {stated}")
    same(method.guarantees(sizes_of(data)), replace(release, unaccounted=(), randomness="secret").guarantees,
         "what a method says that it will cost must be what its release says")
    require(bool(release.guarantees), "guarantees must speak of some unit; where no finite epsilon holds for one, its "
            "steps are None")


def costs(pipeline: Pipeline, data: Data, guarantees: Iterable[Guarantee], found: Found) -> None:
    """Each finite guarantee on all changes that it speaks of; where people come and go, with several lots, and from
    the midst of others too."""
    for stated in guarantees:
        found.untried += states(pipeline, data, [stated], found)
        if (stated.unit, stated.relation) == NODE and math.isfinite(stated.epsilon):
            for seed in range(1, SEEDS):
                try_changes(pipeline, changes.someone_less(data), [stated], found, seed)
            try_changes(pipeline, changes.someone_gone(data), [stated], found)


def silent_fields(pipeline: Pipeline, data: Data, release: CuratedRelease, found: Found) -> None:
    """What is not public, and of which nothing finite is stated, goes into nothing that leaves."""
    spoken = {name for stated in release.guarantees if math.isfinite(stated.epsilon)
              for name in HOLDS.get(stated.unit, ())}
    for name, kind in FIELDS.items():
        if name in release.public or name in spoken:
            continue
        for change in kind(data):
            comparison = recorded(pipeline, change.data, 0).against(change.neighbour)
            only_noise(change.words, comparison)
            require(not any(moved(comparison.tape)), f"{name} must be public, or have a finite guarantee that speaks "
                    f"of it, or go into nothing; a change of {change.words} moves what goes into a noisy call")
            found.same += 1


def hidden_labels(pipeline: Pipeline, data: Data) -> None:
    """Labels of people in no mask are for counting what is right, and go into nothing."""
    asked = torch.arange(data.num_nodes) % 3 < 2
    data = changed(data, train_mask=data.train_mask & asked, val_mask=data.val_mask & asked)
    hidden = ~(data.train_mask | data.val_mask) & (data.y >= 0)
    other = changed(data, y=torch.where(hidden, (data.y + 1) % data.num_classes, data.y))
    comparison = recorded(pipeline, data, 0).against(other)
    require(not comparison.leaks and not any(moved(comparison.tape)), "train must not read the labels of people who "
            "are in neither train_mask nor val_mask")


def learnt(method: Curated, release: CuratedRelease, data: Data) -> None:
    """What is made of the release, of it alone; and files."""
    fitted = method.learn(release, seeded(0))
    asked = () if fitted.inputs is not None else (data,)
    fitted = learns(method, release, data.num_nodes, [
        lambda world=world: method.train(world, seeded(1)) for world in elsewhere(data)], *asked)
    classes, p = fitted.predict(*asked), fitted.predict_proba(*asked)
    same(classes, torch.where(p.isnan().any(1), -1, p.nan_to_num(0.0).argmax(1)),
         "predict must name the likeliest class, and -1 where it means nothing")
    with tempfile.TemporaryDirectory() as folder:
        release.save(written := Path(folder) / "release.pt")
        again = read_again(CuratedRelease.load, written)
        same([release, release.guarantees], [again, again.guarantees], "a release must be read as it was written")
    saved(fitted, *asked)
