"""What of an experiment is still to be run, and how long that will take."""

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .. import datasets
from ..checks import check_choice, check_count
from ..datasets.sources import unavailable_message
from .grid import Experiment
from .ledger import Ledger, results_folder


@dataclass(frozen=True)
class Run:
    """One cell of an experiment with one seed; ``seconds`` it will take, as measured before, or None."""

    cell: dict
    seed: int
    seconds: float | None = None


def open_ledger(experiment: Experiment) -> Ledger:
    """The ledger file of an experiment."""
    return Ledger(results_folder() / "measured" / f"{experiment.name}.csv", experiment.types)


def rows_of(experiment: Experiment) -> list[dict]:
    """The results of an experiment that count (``Ledger.current``), one dictionary a metric of a run."""
    return [{**vars(row.head), **row.setting, "seed": row.seed, "seconds": row.seconds, "metric": name, "value": value}
            for row in open_ledger(experiment).current(experiment.revision) for name, value in row.metrics.items()]


def lookup(experiment: Experiment) -> Callable[[Mapping, str], dict[int, float]]:
    """A function ``(cell, metric) -> {seed: value}`` over the ledger; empty where nothing was run."""
    place, values = identity(experiment), {}
    for row in rows_of(experiment):
        values.setdefault((place(row), row["metric"]), {})[row["seed"]] = row["value"]
    return lambda cell, metric: values.get((place(cell), metric), {})


def missing(experiment: Experiment, *, dataset: str | None = None, seeds: int | None = None) -> list[Run]:
    """Every run that is not in the ledger and whose graph is at hand, the most wanted first.

    These are the grid's groups in order, in a group one graph after the other, and of a graph the first seeds of all cells.

    :param seeds: how many seeds each cell gets, instead of what the grid says.
    :raises ValueError: for a graph that the experiment does not use.
    :raises DatasetUnavailable: for a graph that is asked for by name and not here.
    """
    if seeds is not None:
        check_count(seeds, "seeds", low=1)
    if dataset is not None:
        check_choice(dataset, "dataset", experiment.datasets)
        if not datasets.at_hand(dataset):
            raise datasets.DatasetUnavailable(unavailable_message(dataset))
    here = {name for name in experiment.datasets if dataset in (None, name) and datasets.at_hand(name)}
    rows = rows_of(experiment)
    place = identity(experiment)
    done = {(place(row), row["seed"], row["metric"]) for row in rows}
    seconds = expected_seconds(experiment, rows)
    return [Run(cell, seed, seconds(cell)) for cell, seed in wanted(experiment, seeds) if cell["dataset"] in here
            and any((place(cell), seed, metric) not in done for metric in experiment.metrics)]


def wanted(experiment: Experiment, seeds: int | None = None) -> list[tuple[dict, int]]:
    """(cell, seed) of every run of the grid, each once, in order."""
    place, runs = identity(experiment), {}
    for count, cells in experiment.groups:
        graphs = {name: number for number, name in enumerate(dict.fromkeys(cell["dataset"] for cell in cells))}
        those = [(cell, seed) for seed in range(count if seeds is None else seeds) for cell in cells]
        for cell, seed in sorted(those, key=lambda run: graphs[run[0]["dataset"]]):
            runs.setdefault((place(cell), seed), (cell, seed))
    return list(runs.values())


def identity(experiment: Experiment) -> Callable[[Mapping], tuple]:
    """A function from a cell or row to what makes it the same setting: its graph and parameters."""
    names = ["dataset", *experiment.parameters]
    return lambda row: tuple(row[name] for name in names)


def expected_seconds(experiment: Experiment, rows: list[dict]) -> Callable[[dict], float | None]:
    """A function from a cell to the median seconds measured there, else on its graph, else None."""
    place, measured = identity(experiment), {}
    for row in rows:
        for key in (place(row), row["dataset"]):
            measured.setdefault(key, []).append(row["seconds"])
    medians = {key: statistics.median(values) for key, values in measured.items()}
    return lambda cell: medians.get(place(cell), medians.get(cell["dataset"]))


def expected(runs: list[Run]) -> float | None:
    """Seconds that the runs will take one after the other; None if none of them was measured.

    Runs that were never measured count as long as the others are on average.
    """
    if not runs:
        return 0.0
    known = [run.seconds for run in runs if run.seconds is not None]
    return len(runs) * statistics.fmean(known) if known else None


def duration(seconds: float | None, workers: int = 1) -> str:
    """``"40 s"``, ``"12 min"``, ``"3.5 h"`` or ``"an unknown time"``."""
    if seconds is None:
        return "an unknown time"
    seconds /= workers
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
