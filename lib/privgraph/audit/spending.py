"""What one person's change costs in a run: how far it moves the input of each noisy call, and what that costs together.

Adding up the epsilons of the mechanisms that were used would not do: whoever calls one vouches for a sensitivity, a
call may concern many people or none, and one change may reach many rows. So the tape keeps inputs. A run is recorded on
some data, and played on neighbouring data: every noisy output is the same, so the inputs of a call are what the two
worlds hand to it *after the same past*, which is what adaptive composition speaks of. ``Mechanism.between`` says what
dominates the reports on two such inputs, and the library's accountants compose. Calls that the change does not reach
cost nothing: parallel composition is found, and not claimed.

Where people are drawn by lot (``poisson_sample``) and a row of what goes into a call is made of one sample alone, each
row costs what amplification by sampling leaves. That it is made of it alone is looked at: the row of a sample in which
somebody is not stays as it is when she leaves.
"""

from __future__ import annotations

import copy
import math
import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import torch

from ..late import pyg
from ..mechanisms import Mechanism, Tape
from ..mechanisms.mechanism import NOTHING_HOLDS
from ..mechanisms.tape import Call, Sample
from ..privacy import Budget, Step, basic_composition, pld_epsilon, pure_pair
from ..randomness import seeded
from .replaying import differences

if TYPE_CHECKING:
    from torch_geometric.data import Data

COINS = 4  # with which a mechanism is asked whether it reads more than edges


def moved(tape: Tape) -> list[tuple[Step, ...]]:
    """For each noisy call of a tape that was recorded on some data and played on others: what dominates the two."""
    return [between(first, second) for first, second in zip(tape.entries, tape.played, strict=False)]


def between(first: Call, second: Call) -> tuple[Step, ...]:
    """What dominates two calls of one mechanism. Inputs of two forms tell themselves apart.

    :raises AssertionError: where what was called is no ``Mechanism``, so that nobody says what it costs.
    """
    if not isinstance(first.mechanism, Mechanism):
        raise AssertionError(f"what is @noisy must be a Mechanism, which says what it costs; got one of "
                             f"{type(first.mechanism).__name__}, which is no Mechanism")
    forms = [(type(x), getattr(x, "shape", None)) for x in (first.input, second.input)]
    if forms[0] != forms[1] or isinstance(first.input, pyg.data.Data) and reads_more(
            first.mechanism, first.input, second.input):
        return (Step(NOTHING_HOLDS),)
    return first.mechanism.between(first.input, second.input)


def reads_more(mechanism, data: Data, other: Data) -> bool:
    """Whether what a mechanism says of the edges hangs on something else in which two graphs differ."""
    mixed = copy.copy(other)
    mixed.edge_index = data.edge_index
    if not any(differences(data.to_dict(), mixed.to_dict())):
        return False
    return any(any(differences(*(told_of(mechanism, graph, seed) for graph in (data, mixed)))) for seed in range(COINS))


def told_of(mechanism, data: Data, seed: int):
    report = mechanism.report(data, generator=seeded(seed))
    return report.edge_index if isinstance(report, pyg.data.Data) else report


def epsilon_of(tape: Tape, delta: float = 0.0) -> float:
    """The least epsilon at ``delta`` that is proved for what a tape recorded on some data and played on others."""
    calls = moved(tape)
    if not any(calls):
        return 0.0
    return spent(sum(calls, ()), delta) if (budget := by_samples(tape, calls)) is None else budgeted(budget, delta)


def by_samples(tape: Tape, calls: Sequence[tuple[Step, ...]]) -> Budget | None:
    """What all calls cost where each, or each row of one, is made of one sample alone, or all of the only one; None:
    they are not. Whoever is in a sample costs what she moved there, whatever the mechanism takes a row to cost."""
    samples = [both for both in zip(tape.samples, tape.resampled, strict=False) if both[0].rate is not None]
    if not samples or len({sample.rate for sample, _ in samples}) > 1:
        return None
    rate, held = samples[0][0].rate, [tape.held_the_last(*both) for both in samples]
    if len(samples) == 1:
        return Budget(sum(calls, ()), rate) if held[0] else None
    inputs = [[call.input for call in entries] for entries in (tape.entries, tape.played)]
    if len(samples) != len(tape.entries):
        inputs = [[row for x in each for row in rows_of(x)] for each in inputs]
    mechanisms = {call.mechanism for call in tape.entries}
    if len(mechanisms) > 1 or {len(each) for each in inputs} != {len(samples)}:
        return None
    apart = [not torch.equal(*both) for both in zip(*inputs, strict=True)]
    if any(odd and not there for odd, there in zip(apart, held, strict=True)):
        return None
    pair = dearest(mechanisms.pop(), [both for both, odd in zip(zip(*inputs, strict=True), apart, strict=True) if odd])
    return Budget((Step(pair.poisson(rate), len(samples)),)) if hasattr(pair, "poisson") else None


def dearest(mechanism, moved: Sequence[tuple[torch.Tensor, torch.Tensor]]):
    """What dominates the dearest of some inputs or rows that moved, as one pair; None: there is none."""
    steps = [mechanism.between(*both) for both in moved]
    if not steps:
        return None
    most = max(steps, key=lambda found: sum(step.count * step.pair.delta(0.0) for step in found))
    pairs = [pair for step in most for pair in [step.pair] * step.count]
    whole = sum(pair.epsilon for pair in pairs)
    if len(pairs) == 1:
        return pairs.pop()
    return None if math.isinf(whole) else pure_pair(whole)


def rows_of(x) -> tuple[torch.Tensor, ...]:
    return x.split(1) if isinstance(x, torch.Tensor) and x.dim() else ()


def spent(steps: Sequence[Step], delta: float = 0.0) -> float:
    """The least epsilon that composition proves at ``delta``; of the accountants' bracket the lower end, so that what
    is stated above it is not refuted by their rounding."""
    return composed(tuple(steps), delta) if steps else 0.0


@lru_cache(1024)
def composed(steps: tuple[Step, ...], delta: float) -> float:
    return min(basic_composition(list(steps)), pld_epsilon(list(steps), delta).optimistic)


@lru_cache(64)
def budgeted(budget: Budget, delta: float) -> float:
    return budget.epsilon(delta).optimistic


def drew(call: Call) -> bool:
    """Whether a call took anything from the generator that it was given."""
    return not torch.equal(call.before, call.after)


def used_twice(tape: Tape) -> tuple[str, str] | None:
    """Two noisy calls or samples of people that drew some of the same numbers of a generator, or None."""
    taken: dict[tuple[int, ...], list[tuple[str, int, int]]] = {}
    for name, use in uses(tape):
        for block, low, high in stretches(use):
            for other, start, end in taken.setdefault(block, []):
                if low < end and start < high:
                    return other, name
            taken[block].append((name, low, high))
    return None


def uses(tape: Tape) -> list[tuple[str, Call | Sample]]:
    """What took coins that matter, with a name: noisy calls, but those at an epsilon of inf; and samples of people."""
    return [*((f"noisy call {number}, of {call.mechanism}", call) for number, call in enumerate(tape.entries)
              if getattr(call.mechanism, "epsilon", None) != math.inf),
            *((f"sample {number} of people", sample) for number, sample in enumerate(tape.samples))]


WORDS = 624  # of a block of the Mersenne twister: so many numbers, then all are made anew
STATE = struct.Struct(f"<QiiQ{WORDS}Q")  # the seed, how many are left, whether it was seeded, which is next, the block


def stretches(call: Call | Sample) -> list[tuple[tuple[int, ...], int, int]]:
    """Which numbers of which blocks were drawn: of that in which it began, and of that in which it ended."""
    (first, low), (last, high) = map(place_in_block, (call.before, call.after))
    if first == last:
        return [(first, low, high)]
    return [(first, low, WORDS), (last, 0, high)]


def place_in_block(state: torch.Tensor) -> tuple[tuple[int, ...], int]:
    """The block of a state of torch's generator, and how many of its numbers are gone; a fresh seed's block is none."""
    _, left, _, gone, *block = STATE.unpack_from(state.numpy())
    return tuple(block), WORDS if left == 1 else gone
