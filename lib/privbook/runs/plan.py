"""What of an experiment is still to be run, and how long that will take."""

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from privgraph import datasets
from privgraph.checks import check_all, check_choice, check_count, check_is, check_number
from privgraph.datasets.sources import unavailable_message

from .grid import PROCESS, Experiment, OwnSeeds
from .ledger import Ledger, results_folder
from .prices import expected_price, expected_seconds, identity


@dataclass(frozen=True)
class PlannedRun:
    """One setting of an experiment with one seed, and what it will take, as measured before.

    :param seconds: by the clock; None: nobody knows.
    :param price: of the processor; None: nobody knows.
    """

    setting: dict
    seed: int
    seconds: float | None = None
    price: float | None = None


def open_ledger(experiment: Experiment) -> Ledger:
    """The ledger file of an experiment.

    :param experiment: whose ledger it is.
    """
    check_is(experiment, "experiment", Experiment)
    return Ledger(results_folder() / "measured" / f"{experiment.name}.csv", experiment.types)


def rows_of(experiment: Experiment, ledger: Ledger | None = None) -> list[dict]:
    """The results of an experiment that count (``Ledger.current``), one dictionary a metric of a run."""
    rows = (ledger or open_ledger(experiment)).current(experiment.revision)
    return [{**vars(row.head), **row.parameters, "seed": row.seed, "seconds": row.seconds, PROCESS: row.process_seconds,
             "metric": name, "value": value} for row in rows for name, value in row.metrics.items()]


def missing(experiment: Experiment, *, dataset: str | None = None, seeds: int | None = None,
            ledger: Ledger | None = None) -> list[PlannedRun]:
    """Every run that is not in the ledger and whose graph is at hand, the most wanted first.

    These are the grid's groups in order, in a group one graph after the other, and of a graph the first seeds of all
    settings.

    :param seeds: how many seeds each setting gets, instead of what the grid says.
    :param ledger: the experiment's, where it is open already.
    :param experiment: with its grid.
    :param dataset: the graph; None: all.
    :raises ValueError: for a graph that the experiment does not use.
    :raises DatasetUnavailable: for a graph that is asked for by name and not here.
    """
    check_is(experiment, "experiment", Experiment)
    if seeds is not None:
        check_count(seeds, "seeds", low=1)
    if dataset is not None:
        check_choice(dataset, "dataset", experiment.datasets)
        if not datasets.at_hand(dataset):
            raise datasets.DatasetUnavailable(unavailable_message(dataset))
    here = {name for name in experiment.datasets if dataset in (None, name) and datasets.at_hand(name)}
    rows = rows_of(experiment, ledger)
    place = identity(experiment)
    done = {(place(row), row["seed"], row["metric"]) for row in rows}
    once = {(place(row), row["seed"]): row for row in rows}.values()
    seconds, price = expected_seconds(experiment, once), expected_price(experiment, once)
    return [PlannedRun(setting, seed, seconds(setting), price(setting)) for setting, seed in wanted(experiment, seeds)
            if setting["dataset"] in here
            and any((place(setting), seed, metric) not in done for metric in experiment.metrics)]


def wanted(experiment: Experiment, seeds: int | None = None) -> list[tuple[dict, int]]:
    """(setting, seed) of every run of the grid, each once, in order."""
    place, runs = identity(experiment), {}
    for asked, settings in experiment.groups:
        graphs = {name: number for number, name in enumerate(dict.fromkeys(setting["dataset"] for setting in settings))}
        each = [seeds_of(asked, setting, seeds) for setting in settings]
        those = [(setting, own[turn]) for turn in range(max(map(len, each), default=0))
                 for setting, own in zip(settings, each, strict=True)]
        for setting, seed in sorted(those, key=lambda run: graphs[run[0]["dataset"]]):
            runs.setdefault((place(setting), seed), (setting, seed))
    return list(runs.values())


def seeds_of(asked: int | OwnSeeds, setting: Mapping, runs: int | None = None) -> range:
    """The seeds that a group of the grid wants for a setting of its own; or so many ``runs`` instead."""
    if isinstance(asked, OwnSeeds):
        return asked.of(setting, runs)
    return range(asked if runs is None else runs)


def cheapest_first(experiments: Iterable[Experiment], *, dataset: str | None = None,
                   seeds: int | None = None) -> list[Experiment]:
    """The experiments on a graph, or all: what takes least to complete comes first, what nobody knows last.

    :param experiments: to be put in order.
    :param dataset: the graph; None: all.
    :param seeds: of each setting; None: as the grid says.
    :raises ValueError: for a graph that none of them uses.
    """
    experiments = check_all(experiments, "experiments", Experiment)
    if seeds is not None:
        check_count(seeds, "seeds", low=1)
    if dataset is not None:
        check_choice(dataset, "dataset", {name for experiment in experiments for name in experiment.datasets})
        experiments = [experiment for experiment in experiments if dataset in experiment.datasets]
    def cost(experiment: Experiment) -> float:
        seconds = expected(missing(experiment, dataset=dataset, seeds=seeds))
        return math.inf if seconds is None else seconds
    return sorted(experiments, key=cost)


def expected(runs: list[PlannedRun]) -> float | None:
    """Seconds that the runs will take one after the other; None if none of them was measured.

    Runs that were never measured count as long as the others are on average.

    :param runs: which were planned.
    """
    if not check_all(runs, "runs", PlannedRun):
        return 0.0
    known = [run.seconds for run in runs if run.seconds is not None]
    return len(runs) * statistics.fmean(known) if known else None


def priced(runs: list[PlannedRun]) -> float | None:
    """Seconds of the processor that the runs will take; None if nothing like any of them was measured.

    Runs that were never measured count as the others do on average.

    :param runs: which were planned.
    """
    if not check_all(runs, "runs", PlannedRun):
        return 0.0
    known = [run.price for run in runs if run.price is not None]
    return len(runs) * statistics.fmean(known) if known else None


def duration(seconds: float | None, workers: int = 1) -> str:
    """``"40 s"``, ``"12 min"``, ``"3.5 h"`` or ``"an unknown time"``.

    :param seconds: of one process; None: nobody knows.
    :param workers: how many processes share them.
    """
    check_count(workers, "workers", low=1)
    if seconds is None:
        return "an unknown time"
    seconds = check_number(seconds, "seconds", low=0) / workers
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
