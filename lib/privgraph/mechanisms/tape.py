"""Noise that can be recorded and given again, so that an audit can ask what else depends on private data.

Every method that draws noise carries ``@noisy``. Without a tape it runs as it is written. While a tape
records, what it returns is kept; while the tape plays, the same is returned again, whatever the input, unless
the input is refused (``audit.replay`` does both).

Not everything of a noisy output is noise. The shape and the type of a tensor are not, and a mechanism that lets through
more has a method ``shows(output)``, a dict of it: the lengths of lists whose names only are noise. An output that is no
tensor, such as a report of edges, whose length is itself noise, is compared in nothing else (``certain``).

A call keeps what went in, too, so that one can ask what a change of somebody's record moved there, and what that costs
(``audit.spending``).
"""

import copy
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from inspect import signature
from typing import Any, NamedTuple

import torch

from ..checks import check_generator
from ..randomness import Secret

ACTIVE: ContextVar["Tape | None"] = ContextVar("tape", default=None)


class TapeEnded(LookupError):
    """A run asked for more noisy outputs than the tape holds."""


class Call(NamedTuple):
    """One noisy call: ``before`` and ``after`` it the generator's state (of a ``Secret``, as an ordinary one)."""

    mechanism: Any
    input: Any
    output: Any
    before: torch.Tensor
    after: torch.Tensor


@dataclass
class Tape:
    """The noisy calls of one run in order; ``played``: those of the run that the tape plays to, with what they drew."""

    entries: list[Call] = field(default_factory=list)
    played: list[Call] = field(default_factory=list)
    playing: bool = False

    @contextmanager
    def running(self, playing: bool):
        """Record, or play, every ``@noisy`` call inside the block."""
        self.playing, self.played = playing, []
        token = ACTIVE.set(self)
        try:
            yield self
        finally:
            ACTIVE.reset(token)

    def step(self, mechanism, x, draw, generator: torch.Generator):
        """The output of one noisy call on ``x``. While the tape plays it is drawn too, for what is no noise: a refusal,
        a shape. What is kept are copies, as the caller may go on with both."""
        given, before = kept(x), check_generator(generator).get_state()
        token = ACTIVE.set(None)  # a mechanism made of mechanisms is one entry
        try:
            output = draw()
        finally:
            ACTIVE.reset(token)
        call = Call(mechanism, given, kept(output), before, generator.get_state())
        (self.played if self.playing else self.entries).append(call)
        if not self.playing:
            return output
        if len(self.played) > len(self.entries):
            raise TapeEnded(f"the tape holds {len(self.entries)} noisy outputs; {mechanism} asked for one more")
        recorded = self.entries[len(self.played) - 1]
        generator.set_state(recorded.after)
        return kept(recorded.output)


def kept(value):
    """A copy that shares nothing with the original."""
    return value.detach().clone() if isinstance(value, torch.Tensor) else copy.deepcopy(value)


def certain(mechanism, output) -> dict[str, Any]:
    """What of a noisy output is no noise."""
    form = {"shape": list(output.shape), "dtype": output.dtype} if isinstance(output, torch.Tensor) else {}
    shown = mechanism.shows(output) if hasattr(mechanism, "shows") else {}
    return {"type": type(output).__name__} | form | shown


def noisy(draw):
    """Mark a method ``draw(self, x, *, generator)`` whose output is noisy and may be released."""
    if not callable(draw) or "generator" not in signature(draw).parameters:
        raise TypeError(f"draw must be a method draw(self, x, *, generator), got {draw!r}")
    @wraps(draw)
    def call(self, x, *, generator: torch.Generator):
        tape = ACTIVE.get()
        def drawn():
            return secretly(self, lambda: draw(self, x, generator=generator), generator)
        return drawn() if tape is None else tape.step(self, x, drawn, generator)
    return call


def secretly(mechanism, draw, generator: torch.Generator):
    """What ``draw`` returns; of a ``Secret``, only where nothing came from it as an ordinary generator."""
    if not isinstance(generator, Secret):
        return draw()
    before = generator.get_state()
    output = draw()
    if not torch.equal(before, generator.get_state()):
        raise RuntimeError(f"{type(mechanism).__name__} must draw its noise through mechanisms.drawing, got some from "
                           "an ordinary generator, whose state can be found out from its numbers")
    return output
