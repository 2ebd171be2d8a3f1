"""Noise that can be recorded and given again, so that an audit can ask what else depends on private data.

Every method that draws noise carries ``@noisy``. Without a tape it runs as it is written. While a tape
records, what it returns is kept; while the tape plays, the same is returned again, whatever the input, unless
the input is refused (``audit.replay`` does both).

Not everything of a noisy output is noise. The shape and the type of a tensor are not, and a mechanism that lets through
more has a method ``shows(output)``, a dict of it: the lengths of lists whose names only are noise. An output that is no
tensor, such as a report of edges, whose length is itself noise, is compared in nothing else (``certain``).

A call keeps what went in, too, so that one can ask what a change of somebody's record moved there, and what that costs
(``audit.spending``). Who was drawn by lot (``poisson_sample``) is recorded and played as well: whether one who was not
drawn changes nothing can be asked only where the lot falls alike.
"""

from __future__ import annotations

import copy
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from inspect import signature
from typing import Any, NamedTuple

from ..checks import check_count, check_generator, check_rate
from ..late import torch
from .drawing import drawing, is_secret

ACTIVE: ContextVar["Tape | None"] = ContextVar("tape", default=None)


class OrdinaryNoise(RuntimeError):
    """A mechanism was to draw secret noise, and drew some from an ordinary generator."""


class TapeEnded(LookupError):
    """A run asked for more noisy outputs than the tape holds."""


class Call(NamedTuple):
    """One noisy call: ``before`` and ``after`` it the generator's state (of a ``Secret``, as an ordinary one).

    ``secret``: whether its coins were. ``again``: of a call that is played, what it made of the *recorded* input with
    the recorded coins; what differs there came in on the side.
    """

    mechanism: Any
    input: Any
    output: Any
    before: torch.Tensor
    after: torch.Tensor
    secret: bool = False
    again: Any = None


class Sample(NamedTuple):
    """Coins of people, [n]; who was drawn by lot, each with chance ``rate``, where that is said. Before and after it
    the generator's state."""

    rate: float | None
    chosen: torch.Tensor
    before: torch.Tensor
    after: torch.Tensor
    secret: bool = False


@dataclass
class Tape:
    """The noisy calls of one run in order, and its samples. Of a run that the tape plays to, ``played`` are the calls,
    with what they drew, and ``resampled`` among how many people it sampled.

    ``quiet``: where noise is added to numbers, the record says that zeros came out. That may happen as well as anything
    else, and what is made of it hangs on no noise.
    ``gone``: who is not there in the run that the tape plays to, so that all after her have moved up. None: the last.

    :param entries: the noisy calls.
    :param samples: the samples of people.
    :param playing: whether the tape plays, or records.
    """

    entries: list[Call] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    played: list[Call] = field(default_factory=list)
    resampled: list[int] = field(default_factory=list)
    playing: bool = False
    quiet: bool = False
    gone: int | None = None

    def rewound(self, gone: int | None = None) -> "Tape":
        """The same record, to be played to another run: one in which person ``gone`` is no more, where that is said."""
        return Tape(self.entries, self.samples, quiet=self.quiet, gone=gone)

    @contextmanager
    def running(self, playing: bool):
        """Record, or play, every ``@noisy`` call inside the block.

        :param playing: True plays what is recorded, False records.
        """
        self.playing, self.played = playing, []
        token = ACTIVE.set(self)
        try:
            yield self
        finally:
            ACTIVE.reset(token)

    def step(self, mechanism, x, draw, generator: torch.Generator):
        """The output ``draw(x, generator)`` of one noisy call. While the tape plays it is drawn too, for what is no
        noise: a refusal, a shape; and once more on the recorded input. What is kept are copies, as the caller may go on
        with both.

        :param x: its input.
        :param draw: a function of ``x`` and ``generator``, which draws.
        :raises TapeEnded: where the run asks for more outputs than were recorded.
        """
        given, before = kept(x), check_generator(generator).get_state()
        recorded = self.entries[len(self.played)] if self.playing and len(self.played) < len(self.entries) else None
        token, again = ACTIVE.set(None), None  # a mechanism made of mechanisms is one entry
        try:
            output = draw(x, generator)
            coined = recorded is not None and not recorded.secret and not is_secret(generator)
            if coined and mechanism == recorded.mechanism:  # that it is another one is a leak of its own
                coins = torch.Generator(generator.device)
                coins.set_state(recorded.before)
                again = draw(kept(recorded.input), coins)
        finally:
            ACTIVE.reset(token)
        if self.quiet and not self.playing and mechanism.law is not None:
            output = torch.zeros_like(output)
        call = Call(mechanism, given, kept(output), before, generator.get_state(), is_secret(generator),
                    kept(again))
        (self.played if self.playing else self.entries).append(call)
        if not self.playing:
            return output
        if recorded is None:
            raise TapeEnded(f"the tape holds {len(self.entries)} noisy outputs; {mechanism} asked for one more")
        generator.set_state(recorded.after)
        return kept(recorded.output)

    def sample(self, rate: float | None, draw, generator: torch.Generator) -> torch.Tensor:
        """Coins of people. While the tape plays: those that were drawn, for the first of them where there are fewer
        people now, and new ones for who came later.

        :param rate: with which probability each person is drawn; None: no Poisson sample.
        :param draw: a function without arguments, which draws bool or int64 [n].
        :returns: as of ``draw``, bool or int64 [n].
        :raises TapeEnded: where the run asks for more samples than were recorded.
        """
        before, now = check_generator(generator).get_state(), draw()
        if not self.playing:
            self.samples.append(Sample(rate, now, before, generator.get_state(), is_secret(generator)))
            return kept(now)
        self.resampled.append(len(now))
        if len(self.resampled) > len(self.samples):
            raise TapeEnded(f"the tape holds {len(self.samples)} samples of people; the run asked for one more")
        was = self.samples[len(self.resampled) - 1]
        generator.set_state(was.after)
        before = self.without(was.chosen, len(now))
        now[:len(before)] = before
        return now

    def without(self, coins: torch.Tensor, count: int) -> torch.Tensor:
        """The coins of those who are still there, at most ``count``.

        :param coins: one for each person of the recorded run, bool or int64 [n].
        :returns: bool or int64 [count].
        """
        if self.gone is not None and count == len(coins) - 1:
            return torch.cat([coins[:self.gone], coins[self.gone + 1:]])
        return coins[:count]

    def held_the_last(self, sample: Sample, now: int) -> bool:
        """Whether somebody was drawn of those who are there no more.

        :param sample: a recorded sample.
        :param now: how many people there are now.
        """
        if self.gone is not None and now == len(sample.chosen) - 1:
            return bool(sample.chosen[self.gone])
        return bool(sample.chosen[now:].any())


def poisson_sample(rate: float, n: int, *, generator: torch.Generator) -> torch.Tensor:
    """Who is drawn where each of n people is with chance ``rate``, whatever becomes of others: bool [n].

    What is made of a sample and of nobody else is amplified by sampling; a contract asks the tape for that.

    :param n: how many people there are.
    """
    check_rate(rate), check_count(n, "n"), check_generator(generator)
    return sampled(rate, lambda: drawing(generator).happens(rate, (n,), double=False), generator)


def dealt(places: int, n: int, *, generator: torch.Generator) -> torch.Tensor:
    """In which of some places each of n people falls, by a die of her own: int64 [n] in 0..places-1.

    Who leaves or comes changes nobody else's: on a tape these coins stay those of the same people.

    :param places: how many there are.
    :param n: how many people there are.
    """
    check_count(places, "places", low=1), check_count(n, "n"), check_generator(generator)
    return sampled(None, lambda: torch.randint(places, (n,), generator=generator), generator)


def sampled(rate: float | None, draw, generator: torch.Generator) -> torch.Tensor:
    tape = ACTIVE.get()
    return draw() if tape is None else tape.sample(rate, draw, generator)


def kept(value):
    """A copy that shares nothing with the original."""
    return value.detach().clone() if isinstance(value, torch.Tensor) else copy.deepcopy(value)


def certain(mechanism, output) -> dict[str, Any]:
    """What of a noisy output is no noise.

    :param output: what it put out.
    """
    form = {"shape": list(output.shape), "dtype": output.dtype} if isinstance(output, torch.Tensor) else {}
    shown = mechanism.shows(output) if hasattr(mechanism, "shows") else {}
    return {"type": type(output).__name__} | form | shown


def noisy(draw):
    """Mark a method ``draw(self, x, *, generator)`` whose output is noisy and may be released.

    :param draw: the method.
    :raises TypeError: for what takes no ``generator``.
    """
    if not callable(draw) or "generator" not in signature(draw).parameters:
        raise TypeError(f"draw must be a method draw(self, x, *, generator), got {draw!r}")
    @wraps(draw)
    def call(self, x, *, generator: torch.Generator):
        tape = ACTIVE.get()
        def drawn(x, generator):
            return secretly(self, lambda: draw(self, x, generator=generator), generator)
        return drawn(x, generator) if tape is None else tape.step(self, x, drawn, generator)
    return call


def secretly(mechanism, draw, generator: torch.Generator):
    """What ``draw`` returns; of a ``Secret``, only where nothing came from it as an ordinary generator."""
    if not is_secret(generator):
        return draw()
    before = generator.get_state()
    output = draw()
    if not torch.equal(before, generator.get_state()):
        raise OrdinaryNoise(f"{type(mechanism).__name__} must draw its noise through mechanisms.drawing, got some from "
                            "an ordinary generator, whose state can be found out from its numbers")
    return output
