"""The replay audit: freeze the noise, change the private data, and see what else changes in what is released.

A pipeline is run on some data while every noisy output is recorded, and again on neighbouring data while each
noisy output is replaced by the recorded one. Noise can no longer explain a difference: whatever still differs
was computed from private data without noise (a feature range, a class count, a normaliser, an early stop, a
refusal, the shape of what is drawn), or the noise itself was set by them.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ..checks import check_count, check_function
from ..mechanisms import Tape, TapeEnded, certain
from ..randomness import seeded


@dataclass(frozen=True)
class Leak:
    """Something that differs although all noise was frozen: where, and its two values.

    :param place: in what was released.
    :param first: its value in the first run.
    :param second: its value in the other.
    """

    place: str
    first: Any
    second: Any


@dataclass(frozen=True)
class Refusal:
    """An exception in place of a release: what the world learns from it."""

    kind: str
    message: str


def replay(pipeline: Callable[[Any, torch.Generator], Any], data, neighbour, seed: int = 0) -> list[Leak]:
    """The differences between ``pipeline(data, generator)`` and ``pipeline(neighbour, generator)`` with frozen noise.

    An exception is an output like any other: its type and its message are compared with what the other run gave. Only
    where both runs end in the same one it is raised, as such a pair shows nothing about a release.

    :param pipeline: everything from private data to what is released; tensors, numbers, strings, dataclasses,
        dicts and lists of them. Its noise must come from the library's mechanisms, or methods marked ``@noisy``.
    :param neighbour: data that differ in one unit. The pair decides what the audit can see: a range that only
        a third person sets is not found.
    :param data: what the pipeline takes.
    :param seed: of the coins that are not frozen noise.
    :returns: the leaks; an empty list shows that on this pair nothing but noisy outputs depends on the private data.
        Of these the shape, the type and what the mechanism ``shows`` are compared; that the numbers in them are noise,
        in no telling order and with every value possible, is the mechanism's own guarantee, for the exact audit to
        check. An empty list with *no* noisy output at all would prove nothing, so that raises.
    :raises ValueError: where the pipeline calls no noisy mechanism.
    """
    check_function(pipeline, "pipeline", "data", "generator"), check_count(seed, "seed")
    first = Recording(pipeline, data, seed)
    found = first.against(neighbour)
    if first.error is not None and first.release == found.release:
        raise first.error
    if not first.tape.entries and first.error is None:
        raise ValueError("pipeline must call at least one noisy mechanism, got none: there is nothing to freeze")
    return found.leaks


class Recording:
    """A run whose noise is recorded, to be compared with runs on other data."""

    def __init__(self, pipeline: Callable[[Any, torch.Generator], Any], data, seed: int = 0, quiet: bool = False):
        self.pipeline, self.seed, self.tape = pipeline, seed, Tape(quiet=quiet)
        self.release, self.error = outcome(pipeline, data, seed, self.tape, playing=False)

    def against(self, neighbour, gone: int | None = None) -> "Comparison":
        """The same run on other data, with this one's noise; ``gone``: who has left from the midst of others."""
        tape = self.tape.rewound(gone)
        try:
            second, _ = outcome(self.pipeline, neighbour, self.seed, tape, playing=True)
        except TapeEnded as ended:
            return Comparison([Leak("number of noisy outputs", len(tape.entries), str(ended))], tape, None)
        leaks = list(in_noisy_outputs(tape))
        if len(tape.played) < len(tape.entries):
            leaks.append(Leak("number of noisy outputs", len(tape.entries), len(tape.played)))
        leaks += [*differences(self.release, second), *behind(self.release, second)]
        return Comparison(leaks, tape, second)


@dataclass(frozen=True)
class Comparison:
    """What differs between two runs with frozen noise; their tape, which holds the calls of both; the second's
    release."""

    leaks: list[Leak]
    tape: Tape
    release: Any


def in_noisy_outputs(tape: Tape) -> Iterator[Leak]:
    """Where two runs drew from different mechanisms, or differ in what is certain of the same one."""
    for i, (first, second) in enumerate(zip(tape.entries, tape.played, strict=False)):
        if first.mechanism != second.mechanism:
            yield Leak(f"noisy output {i}", first.mechanism, second.mechanism)
        else:
            yield from differences(*(certain(call.mechanism, call.output) for call in (first, second)),
                                   f"noisy output {i}")
            if second.again is not None and not (tape.quiet and first.mechanism.law is not None):
                yield from differences(plain(first.output), plain(second.again),
                                       f"noisy output {i} on the same input with the same coins")


def behind(first, second, place: str = "release") -> Iterator[Leak]:
    """Where what stands behind tensors differs: attributes that leave with them, and memory onto which they are a
    window, of which files keep all."""
    if isinstance(first, torch.Tensor) and isinstance(second, torch.Tensor):
        yield from differences(vars(first), vars(second), f"{place} (its attributes)")
        whole = [x.untyped_storage() for x in (first, second)]
        if any(memory.nbytes() > x.nbytes for memory, x in zip(whole, (first, second), strict=True)):
            if not torch.equal(*(torch.tensor([], dtype=torch.uint8).set_(memory) for memory in whole)):
                yield Leak(f"{place} (the memory behind it)", first, second)
    elif dataclasses.is_dataclass(first) and type(first) is type(second):
        for name in vars(first).keys() & vars(second).keys():
            yield from behind(vars(first)[name], vars(second)[name], f"{place}.{name}")
    elif isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        for i, both in enumerate(zip(first, second, strict=False)):
            yield from behind(*both, f"{place}[{i}]")
    elif isinstance(first, Mapping) and isinstance(second, Mapping):
        for key in first.keys() & second.keys():
            yield from behind(first[key], second[key], f"{place}[{key!r}]")


def plain(output):
    return output.to_dict() if hasattr(output, "to_dict") else output


def outcome(pipeline, data, seed: int, tape: Tape, playing: bool) -> tuple[Any, Exception | None]:
    """What one run lets out: its release, or a ``Refusal`` and the exception that it stands for."""
    with tape.running(playing=playing):
        try:
            return pipeline(data, seeded(seed)), None
        except TapeEnded:
            raise
        except Exception as error:
            return Refusal(type(error).__name__, str(error)), error


def differences(first, second, place: str = "release") -> Iterator[Leak]:
    """Where two values of any of the allowed kinds differ."""
    if type(first) is not type(second):
        yield Leak(place, first, second)
    elif isinstance(first, (torch.Tensor, np.ndarray)):
        same = first.shape == second.shape and first.dtype == second.dtype and bool((first == second).all())
        if not same:
            yield Leak(place, first, second)
    elif dataclasses.is_dataclass(first):
        for field in dataclasses.fields(first):
            yield from differences(getattr(first, field.name), getattr(second, field.name), f"{place}.{field.name}")
    elif isinstance(first, (Mapping, list, tuple)):
        a, b = (value if isinstance(value, Mapping) else dict(enumerate(value)) for value in (first, second))
        if a.keys() != b.keys():
            yield Leak(f"{place} (its keys)", list(a), list(b))
        else:
            for key in a:
                yield from differences(a[key], b[key], f"{place}[{key!r}]")
    elif first != second and not (first != first and second != second):  # NaN equals NaN here
        yield Leak(place, first, second)
