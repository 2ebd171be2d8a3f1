"""What methods of all kinds keep."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from dataclasses import is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from ...audit.refusals import refusals
from ...audit.replaying import differences
from ...mechanisms.tape import OrdinaryNoise
from ...randomness import kind_of, secret, seeded
from ..method import Method
from ..model import Training

if TYPE_CHECKING:
    from torch_geometric.data import Data


def require(held: bool, broken: str) -> None:
    if not held:
        raise AssertionError(broken)


def refuses(method: Method) -> None:
    """Hyperparameters that make no sense are refused when they are said, by their names."""
    for part in (method, *(value for value in vars(method).values() if isinstance(value, Training))):
        if is_dataclass(part):
            refusals(part)


def alike(run: Callable[[torch.Generator], object], what: str) -> object:
    """What ``run`` gives with a seed, once it gave the same under another global seed, and left that one alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        before, first = torch.get_rng_state(), run(seeded(0))
        require(torch.equal(before, torch.get_rng_state()), f"{what} must leave the global random numbers as they are")
        torch.manual_seed(2)
        same(first, run(seeded(0)), f"{what} must be the same with the same generator")
    try:
        run(0)
    except TypeError:
        return first
    except Exception as error:
        raise AssertionError(f"{what} must refuse a generator that is none by a TypeError, got {error!r}") from error
    raise AssertionError(f"{what} must refuse a generator that is none")


def same(first, second, broken: str) -> None:
    found = next(differences(first, second), None)
    require(found is None, f"{broken}; differs: {found and found.place}")


def left_alone(graphs: tuple[Data, ...], run: Callable[..., object]) -> object:
    """What ``run`` makes of copies of graphs, once these are as they were."""
    handed = [copy.deepcopy(graph) for graph in graphs]
    made = run(*handed)
    for own, now in zip(graphs, handed, strict=True):
        same(own.to_dict(), now.to_dict(), "the data that are handed in must be left as they are")
    return made


def accepted(run: Callable[[Data], object], worlds: list[Data]) -> Data:
    """The first of some worlds that is not refused; what is said of the last, where all are."""
    for data in worlds[:-1]:
        try:
            run(copy.deepcopy(data))
        except ValueError:
            continue
        return data
    return worlds[-1]


def secretly(collect: Callable[[torch.Generator], object]) -> None:
    """What leaves says of which kind its randomness was. A mechanism that draws from ordinary generators only is
    refused when it runs with a secret one (``tape``), so nothing leaves that would say otherwise."""
    for generator in (secret(), seeded(0)):
        try:
            said = collect(generator).randomness
        except OrdinaryNoise:
            continue
        require(said == kind_of(generator), f"randomness of what leaves must be {kind_of(generator)!r}, as that of the "
                f"generator is, got {said!r}")


def read_again(load: Callable[[Path], object], path: Path):
    """What ``load`` makes of a file; that its seed is public is no news here."""
    with warnings.catch_warnings(action="ignore"):
        return load(path)
