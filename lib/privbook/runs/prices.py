"""What a run will take, from what others took: by the clock, and of the processor.

The clock says when a run on this machine will end; it also counts the time in which others had the processor. Only the
processor's time says what a run costs, and rows carry it since it has been taken. Older rows have the clock's alone.
The least of these among similar runs is the price then: a run of one thread never takes the processor longer than it
takes by the clock, and the least was disturbed least.
"""

import math
import statistics
from collections.abc import Callable, Iterable, Mapping

from .grid import PROCESS, Experiment

FEW = 3  # runs of a setting, below which the clock of similar settings is asked as well
Found = dict[tuple, list[float]]  # a setting -> what its runs took


def identity(experiment: Experiment) -> Callable[[Mapping], tuple]:
    """A function from a setting or row to what makes it the same setting: its graph and parameters."""
    names = ["dataset", *experiment.parameters]
    return lambda row: tuple(row[name] for name in names)


def expected_seconds(experiment: Experiment, rows: Iterable[Mapping]) -> Callable[[Mapping], float | None]:
    """A function from a setting to the median seconds measured there; else what the experiment guesses; else the median
    of the settings of its graph that are most similar."""
    place = identity(experiment)
    medians = {name: {key: statistics.median(values) for key, values in found.items()}
               for name, found in by_graph(experiment, rows, "seconds").items()}

    def seconds(setting: Mapping) -> float | None:
        here, known = place(setting), medians.get(setting["dataset"], {})
        if here in known:
            return known[here]
        if (guess := guessed(experiment, setting)) is not None or not known:
            return guess
        return statistics.median(known[key] for key in nearest(known, here)[1])
    return remembered(place, seconds)


def expected_price(experiment: Experiment, rows: Iterable[Mapping]) -> Callable[[Mapping], float | None]:
    """A function from a setting to the seconds of the processor that one run takes.

    The median measured in the most similar settings; the least by the clock, where the processor's time is known of
    less similar ones only, by more than one number. What was never measured itself is guessed, where the experiment
    does."""
    place, rows = identity(experiment), list(rows)
    processor, clock = by_graph(experiment, rows, PROCESS), by_graph(experiment, rows, "seconds")

    def price(setting: Mapping) -> float | None:
        here, name = place(setting), setting["dataset"]
        if here not in clock.get(name, {}) and (guess := guessed(experiment, setting)) is not None:
            return guess
        (off, like), (off_clock, like_clock) = (nearest(each.get(name, {}), here) for each in (processor, clock))
        if like and off <= off_clock + 1:
            return statistics.median(value for key in like for value in processor[name][key])
        return least(clock.get(name, {}), here, like_clock)
    return remembered(place, price)


def least(found: Found, here: tuple, like: list[tuple]) -> float | None:
    """The shortest time by the clock: of the setting itself where it has a few runs, else of those like it as well."""
    own = found.get(here, [])
    if len(own) < FEW and own:
        like = nearest({key: values for key, values in found.items() if key != here}, here)[1]
    others = [] if len(own) >= FEW else [value for key in like for value in found[key]]
    return min([*own, *others], default=None)


def by_graph(experiment: Experiment, rows: Iterable[Mapping], column: str) -> dict[str, Found]:
    """graph -> setting -> the values of a column, of the rows that have one."""
    place, found = identity(experiment), {}
    for row in rows:
        if row.get(column) is not None:
            found.setdefault(row["dataset"], {}).setdefault(place(row), []).append(row[column])
    return found


def nearest(found: Mapping[tuple, object], here: tuple) -> tuple[float, list[tuple]]:
    """How far the most similar settings lie from this one, and which they are.

    Each number that differs counts once, and a text more than all numbers: another network is another price.
    """
    if here in found:
        return 0, [here]
    apart = {key: sum(len(here) if isinstance(mine, str) else 1 for mine, other in zip(here, key, strict=True)
                      if mine != other) for key in found}
    off = min(apart.values(), default=math.inf)
    return off, [key for key, count in apart.items() if count == off]


def guessed(experiment: Experiment, setting: Mapping) -> float | None:
    return experiment.guess(setting) if experiment.guess else None


def remembered(place: Callable[[Mapping], tuple], price: Callable[[Mapping], float | None],
               ) -> Callable[[Mapping], float | None]:
    """Thousands of runs ask for few settings."""
    known: dict[tuple, float | None] = {}

    def again(setting: Mapping) -> float | None:
        here = place(setting)
        if here not in known:
            known[here] = price(setting)
        return known[here]
    return again
