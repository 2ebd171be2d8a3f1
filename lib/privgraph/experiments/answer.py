"""What can be said to a printed number: rows of a ledger, a computation, or why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Measured:
    """Runs that answer a printed cell.

    :param settings: each with its graph and every parameter. Where there are several, the printed number is an average
        over them, and ours is one too, for every seed that all of them were run with.
    :param runs: how many runs the printed mean is over; None where nothing is random.
    :param spread: their deviation over runs, where the cell itself has another or none.
    :param minus: the setting that a printed difference is against; ours is paired by seed.
    :param seconds: what one run of one setting takes on one core, where that is known.
    """

    experiment: str
    settings: tuple[Mapping, ...]
    metric: str
    runs: int | None
    spread: float | None = None
    minus: Mapping | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Computed:
    """What follows from the printed settings without a run. Papers round such numbers, or cut them."""

    value: float


@dataclass(frozen=True)
class NotRun:
    """Why there is no number of ours.

    :param work: what would have to be run: one key a setting, with the seconds it would take on one core
        (None where nothing like it was measured).
    """

    reason: str
    work: Mapping[tuple, float | None] = field(default_factory=dict)


Answer = Measured | Computed | NotRun
