"""What one person's change costs in a run: how far it moves the input of each noisy call, and what that costs together.

Adding up the epsilons of the mechanisms that were used would not do: whoever calls one vouches for a sensitivity, a
call may concern many people or none, and one change may reach many rows. So the tape keeps inputs. A run is recorded on
some data, and played on neighbouring data: every noisy output is the same, so the inputs of a call are what the two
worlds hand to it *after the same past*, which is what adaptive composition speaks of. ``Mechanism.between`` says what
dominates the reports on two such inputs, and the library's accountants compose. Calls that the change does not reach
cost nothing: parallel composition is found, and not claimed.
"""

from collections.abc import Iterable

from ..mechanisms import Call, Tape
from ..privacy import Step, basic_composition, pld_epsilon


def moved(tape: Tape) -> list[tuple[Step, ...]]:
    """For each noisy call of a tape that was recorded on some data and played on others: what dominates the two."""
    return [between(first, second) for first, second in zip(tape.entries, tape.played, strict=False)]


def between(first: Call, second: Call) -> tuple[Step, ...]:
    return first.mechanism.between(first.input, second.input)


def spent(steps: Iterable[Step], delta: float = 0.0) -> float:
    """The least epsilon that composition proves at ``delta``; of the accountants' bracket the lower end, so that what
    is stated above it is not refuted by their rounding."""
    steps = list(steps)
    if not steps:
        return 0.0
    pure = basic_composition(steps)
    return pure if delta == 0 else min(pure, pld_epsilon(steps, delta).optimistic)
