"""What ``run --save`` writes: a run of its own on secret randomness, and of it nothing but what leaves.

The runs that are printed draw from seeds that everybody knows, so that they can be repeated. Noise of such a seed can
be taken off by anybody, and they are never written. What is written is drawn anew each time. What is for the owner's
eyes, accuracies on true labels and counts of edges, goes to another file.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from .. import writing
from ..datasets import split
from ..methods import Curated, Distilled, Embedding, Federation, Local, Method
from ..methods.federated import hold
from ..nn import accuracy
from ..privacy import Guarantee, drawn
from ..randomness import coins, kind_of
from ..streams import stream
from ..writing import check_folder, new_folder
from .run_embedding import probe
from .run_federation import scores
from .said import Report, plain, said

if TYPE_CHECKING:
    from torch_geometric.data import Data

COSTS = ("--seed makes what is saved public: whoever guesses the seed (of which 32 bits count) takes the noise off, "
         "and none of its guarantees holds; leave it out for anything that you pass on")

# What --replace may take away: a folder with anything else in it is not one that was saved.
OURS = re.compile(r"(release|model|embeddings)\.pt|(said|rounds)\.json|round-\d+-client-\d+\.pt")


@dataclass(frozen=True)
class Saved:
    """What leaves, by the name of its file; what holds for it; and how good it is, in percent by name."""

    files: Mapping[str, object]
    guarantees: Sequence[Guarantee]
    accuracies: Mapping[str, float]


def add_save_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is written")
    group.add_argument("--save", type=Path, metavar="FOLDER",
                       help="write what leaves, of one more run on secret randomness, and nothing else; what was said "
                            "goes to FOLDER.owner.json")
    group.add_argument("--replace", action="store_true", help="write in the place of a folder that was saved before")
    group.add_argument("--seed", type=int, help="draw what is saved from a seed, which makes it public: no guarantee "
                                                "holds for it (default: secret)")


def check_place(options) -> None:
    """Refuse what cannot be written before anybody waits for it."""
    folder = options.save
    if folder is None:
        if options.seed is not None or options.replace:
            raise ValueError(f"--{'seed' if options.seed is not None else 'replace'} is about what --save writes, "
                             "got no --save")
        return
    if saver(options.kind) is None:
        raise ValueError(f"--save has nothing to write of {options.method}, got {folder}: what it learns has no "
                         "guarantee and no release")
    for place in (folder, owners(folder)):
        if (place.is_file() or place.is_dir() and any(place.iterdir())) and not options.replace:
            raise ValueError(f"--save must name a new folder, got {folder}, and {place} is there already; "
                             "--replace writes in its place, with new noise")
    check_folder(folder, "--save", OURS)
    if owners(folder).exists():
        writing.check_place(owners(folder), "--save")


def owners(folder: Path) -> Path:
    """Where what was said goes: beside the folder that may be passed on."""
    return folder.with_name(folder.name + ".owner.json")


def saver(kind: type[Method]):
    return next((save for base, save in SAVERS.items() if issubclass(kind, base)), None)


def save(method: Method, data: Data, options, report: Report) -> None:
    """Run once more for what leaves, write it, and say what holds for it."""
    if options.save is None:
        return
    generator = coins(options.seed)
    if kind_of(generator) == "public":
        report.say(COSTS)
    saved = saver(options.kind)(method, data, options, generator)
    write(saved.files, options.save, OURS if options.replace else None)
    source = "secret randomness" if options.seed is None else f"the public seed {options.seed}"
    report.say(f"written to {options.save}: {', '.join(sorted(saved.files))}; drawn from {source}; what holds for it:")
    for guarantee in saved.guarantees:
        report.say(f"  {said(guarantee)}")
    for name, found in saved.accuracies.items():
        report.say(f"{f'saved: {name}':24} accuracy {found:.1f} % (the run that is written, with coins of its own)")
    report.facts["saved"] = {"randomness": kind_of(generator), "guarantees": list(saved.guarantees),
                             "accuracy": dict(saved.accuracies)}


def write(files: Mapping[str, object], folder: Path, replaces: re.Pattern | None) -> None:
    """All files or none, in the place of the folder that was there."""
    with new_folder(folder, "--save", replaces=replaces) as made:
        for name, content in files.items():
            if isinstance(content, bytes):
                writing.write(made / name, content)
            else:
                content.save(made / name)


def of_local(method: Local, data: Data, options, generator: torch.Generator) -> Saved:
    seen = split(data, generator)
    release = method.collect(seen, generator)
    fitted = method.learn(release, generator, progress=True)
    return Saved({"release.pt": release, "model.pt": fitted}, (release.total, release.node, *release.guarantees),
                 {"real features": accuracy(fitted.predict_proba(), seen.y, seen.test_mask)})


def of_distilled(method: Distilled, data: Data, options, generator: torch.Generator) -> Saved:
    private, public = options.graphs(0)
    release = method.collect(private, public, generator, progress=True)
    fitted = method.learn(release, generator, progress=True)
    return Saved({"release.pt": release, "model.pt": fitted}, (release.guarantee(options.delta),),
                 {"student": accuracy(fitted.predict_proba(), public.y, public.test_mask)})


def of_curated(method: Curated, data: Data, options, generator: torch.Generator) -> Saved:
    seen = split(data, generator)
    release = method.train(seen, generator, progress=True)
    fitted = method.learn(release, generator, progress=True)
    return Saved({"release.pt": release, "model.pt": fitted}, release.guarantees,
                 {"real graph": 100 * fitted.score(seen)})


def of_embedding(method: Embedding, data: Data, options, generator: torch.Generator) -> Saved:
    found = method.embed(data, generator)
    return Saved({"embeddings.pt": found}, found.guarantees, {"linear probe": probe(found.z, split(data, generator))})


def of_federation(method: Federation, data: Data, options, generator: torch.Generator) -> Saved:
    """All messages of all rounds, what the server gets to see; and beside them what was promised of them."""
    held = hold(data, stream("split", 0), options.clients, options.public, options.private, options.by)
    found, rounds = scores(method, held, 0, generator)
    stated = drawn(method.guarantees(), kind_of(generator))
    files = {f"round-{number}-client-{client}.pt": message for number, told in enumerate(rounds, 1)
             for client, message in told.messages.items()}
    told = {"randomness": kind_of(generator), "guarantees": plain(list(stated))}  # messages have no place for it
    return Saved(files | {"rounds.json": json.dumps(told).encode()}, stated, found)


SAVERS = {Local: of_local, Distilled: of_distilled, Curated: of_curated, Embedding: of_embedding,
          Federation: of_federation}
