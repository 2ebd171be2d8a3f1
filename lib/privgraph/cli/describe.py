"""What a saved file is: a model, a release, vectors, labels, a client's part; what holds for it, and what is in it."""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import torch

from ..checks import check_delta
from ..federate.part_files import NUMBERS, load_part
from ..federate.part_files import describe as of_part
from ..methods import CuratedRelease, Embeddings, Local, QueryRelease, all_methods, load
from ..methods.files import Stored, read
from ..methods.model_files import PARTS
from .run import known
from .said import Report
from .spelling import renamed

KINDS = "a model, a release, vectors, labels or a client's part"


def add_commands(commands) -> None:
    parser = commands.add_parser("describe", help="say what a saved file is, what holds for it, and what is in it")
    parser.add_argument("file", type=Path, metavar="FILE", help=f"{KINDS}; or the folder of run --save")
    parser.add_argument("--delta", type=float, help="for what has no pure epsilon")
    parser.add_argument("--json", action="store_true", help="one line of JSON on stdout, all else on stderr")
    parser.set_defaults(command=describe_command)


def describe_command(options: argparse.Namespace) -> int:
    if options.delta is not None:
        check_delta(options.delta)
    path = saved_in(options.file) if options.file.is_dir() else options.file
    report = Report(options.json)
    with renamed("path", "FILE"):
        found = read(path, KINDS)
    with warnings.catch_warnings(action="ignore"):  # that a seed was public is said with each guarantee
        if found.keys() == PARTS:
            of_model(path, options.delta, report)
        elif set(NUMBERS) <= found.keys():
            if options.delta is not None:
                raise ValueError(f"--delta must be left out, as nothing is stated of a client's part, {path}, got "
                                 f"{options.delta:g}")
            report.say(f"a client's part of a graph, for its process alone: {of_part(load_part(path))}", kind="part")
        else:
            of_release(kind_of_release(found, path).of_content(found, path), options.delta, report)
    report.end()
    return 0


def saved_in(folder: Path) -> Path:
    """The file of a folder of ``run --save`` that tells most."""
    there = (folder / name for name in ("model.pt", "embeddings.pt", "release.pt"))
    if path := next(filter(Path.is_file, there), None):
        return path
    if (folder / "rounds.json").is_file():
        raise ValueError(f"{folder} holds what the clients of a federation sent, and no model: what holds for it "
                         "stands in its rounds.json")
    raise ValueError(f"{folder} must be a folder that run --save wrote, got one without model.pt, embeddings.pt and "
                     "release.pt")


def of_model(path: Path, delta: float | None, report: Report) -> None:
    """The method, and the release that the model learned from."""
    model = load(path)
    report.say(f"a model of {model.method}", kind="model", method=type(model.method).__name__,
               hyperparameters=model.method)
    if isinstance(model.release, Stored):
        of_release(model.release, delta, report)
    else:  # rounds of messages, or nothing that leaves
        hold(model.guarantees(delta), report)


def of_release(release: Stored, delta: float | None, report: Report) -> None:
    """What left a private side: what holds, what was taken as known, and the tensors."""
    report.say(f"{type(release).__name__}: {release.NAMED}; drawn from {release.randomness} randomness",
               release=type(release).__name__, randomness=release.randomness)
    hold(release.stated(delta), report)
    known(getattr(release, "public", ()), release.unaccounted, "data", report)
    for name, value in tensors(release):
        report.say(f"  {name}: {str(value.dtype).removeprefix('torch.')} {list(value.shape)}")
    report.facts["tensors"] = {name: list(value.shape) for name, value in tensors(release)}


def hold(guarantees, report: Report) -> None:
    report.say("what holds for it:" if guarantees else "what holds for it: nothing, no guarantee is given")
    report.guarantees(guarantees)
    if all(math.isinf(each.epsilon) for each in guarantees) and guarantees:
        report.say("  no finite epsilon: nothing is protected")


def tensors(release: Stored) -> Iterator[tuple[str, torch.Tensor]]:
    """By name, those of a dict as well."""
    for name, value in vars(release).items():
        for inner, each in (value.items() if isinstance(value, dict) else [("", value)]):
            if isinstance(each, torch.Tensor):
                yield ".".join(filter(None, (name, inner))), each


def called(found: dict, path: Path) -> str:
    """What a file of named fields holds, in words."""
    if found.keys() == PARTS:
        return "a model"
    if set(NUMBERS) <= found.keys():
        return "a client's part of a graph"
    try:
        return f"a {kind_of_release(found, path).NAMED}".replace("a embeddings", "embeddings")
    except ValueError:
        return f"fields {', '.join(sorted(map(str, found)))[:200] or 'none'}"


def kind_of_release(found: dict, path: Path) -> type[Stored]:
    """The kind whose fields the file has.

    :raises ValueError: where none has; a method of one's own is known once its module is imported.
    """
    local = {kind.release_type() for kind in all_methods().values() if issubclass(kind, Local)}
    for kind in (QueryRelease, CuratedRelease, Embeddings, *sorted(local, key=lambda each: each.__name__)):
        if {field.name for field in fields(kind)} - {"randomness"} == found.keys() - {"randomness"}:
            return kind
    raise ValueError(f"{path} must hold {KINDS}, got fields {', '.join(sorted(map(str, found)))[:200] or 'none'}")
