"""Run what is missing of an experiment, and write it down as it comes."""

import math
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import joblib
import torch
from tqdm.auto import tqdm

from privgraph import __version__
from privgraph.checks import check_all, check_count, check_flag, check_number

from .cache import Cache, process_clock
from .grid import Experiment, graph
from .ledger import Ledger
from .locks import Claims
from .plan import PlannedRun, duration, expected, missing, open_ledger
from .rows import Head, Row
from .workers import one_thread, parallel


@dataclass
class Report:
    """What ``run_missing`` did: runs added, a line for each that failed, runs still missing."""

    added: int = 0
    failed: list[str] = field(default_factory=list)
    left: int = 0


def run_missing(experiment: Experiment, *, dataset: str | None = None, seeds: int | None = None, workers: int = 1,
                minutes: float | None = None, dask: str | None = None, progress: bool = True,
                order: Callable[[PlannedRun], float] | None = None) -> Report:
    """Run what is missing and append its rows as they come.

    Interrupt or kill it at any time: finished runs are in the ledger, the next call goes on, and no worker
    stays behind. Several commands may work on one experiment: each takes runs that no other has.
    A run that fails is reported and does not stop the others.

    :param workers: processes on this machine.
    :param dask: address of a Dask scheduler, which then runs
        everything; its workers need privgraph and the graphs.
    :param minutes: start no run that is expected to end later; one that was never measured may overrun.
    :param experiment: with its grid.
    :param dataset: the graph; None: all.
    :param seeds: of each setting; None: as the grid says.
    :param order: what is least comes first; None: as the grid has them.
    """
    check_count(workers, "workers", low=1), check_flag(progress, "progress")
    if minutes is not None:
        check_number(minutes, "minutes", low=0, allowed="be a number, at least 0")
    start, report, ledger = time.monotonic(), Report(), open_ledger(experiment)
    todo = missing(experiment, dataset=dataset, seeds=seeds, ledger=ledger)
    todo = sorted(todo, key=order) if order else todo
    # A wrong file under a known name stops everything before it begins.
    hashes = {name: graph(name)[1] for name in dict.fromkeys(run.setting["dataset"] for run in todo)}
    with (Claims(ledger.path) as claims, parallel(workers, dask) as (pool, hands),
          Progress(experiment.name, todo, hands, progress) as bar):
        runs = unclaimed(experiment, in_time(todo, start, minutes), hashes, claims, ledger)
        jobs = (joblib.delayed(measure)(experiment, run) for run in runs)
        for run, row, error in pool(jobs):
            if error:
                report.failed.append(f"{run.setting}, seed {run.seed}: {error}")
                bar.write(report.failed[-1])
            else:
                report.added += ledger.append([row])
            claims.drop(planned(experiment, run, hashes).key)
            bar.finished(run, row.seconds if row else 0.0)
    Cache().tidy()
    report.left = len(missing(experiment, dataset=dataset, seeds=seeds, ledger=ledger))
    return report


def run_all(experiments: Iterable[Experiment], *, minutes: float | None = None,
            **how) -> Iterator[tuple[Experiment, Report]]:
    """``run_missing`` for one after the other; ``minutes`` is for all of them together.

    :param experiments: in the order in which they run.
    :param how: as of ``run_missing``.
    """
    start = time.monotonic()
    if minutes is not None:
        check_number(minutes, "minutes", low=0, allowed="be a number, at least 0")
    for experiment in check_all(experiments, "experiments", Experiment):
        left = minutes
        if minutes is not None:
            left = max(0.0, minutes - (time.monotonic() - start) / 60)
        yield experiment, run_missing(experiment, minutes=left, **how)


def in_time(runs: Iterable[PlannedRun], start: float, minutes: float | None) -> Iterator[PlannedRun]:
    """The runs, as long as the next one is expected to end in time."""
    for run in runs:
        if minutes is not None and time.monotonic() - start + (run.seconds or 0) > 60 * minutes:
            return
        yield run


def unclaimed(experiment: Experiment, runs: Iterable[PlannedRun], hashes: dict[str, str], claims: Claims,
              ledger: Ledger) -> Iterator[PlannedRun]:
    """The runs that no other command works on or has finished meanwhile, each claimed until it is written down.

    It goes on in the thread that sends jobs.
    """
    for run in runs:
        row = planned(experiment, run, hashes)
        if claims.take(row.key):
            if row.results <= ledger.keys():
                claims.drop(row.key)
            else:
                yield run


def planned(experiment: Experiment, run: PlannedRun, hashes: dict[str, str]) -> Row:
    """The row of a run that is still to come, with a zero for each metric."""
    return row_of(experiment, run, hashes[run.setting["dataset"]], 0.0, dict.fromkeys(experiment.metrics, 0.0))


class Progress(tqdm):
    """A bar over runs, with the time left by what such runs took before (they differ by a factor of 100)."""

    def __init__(self, name: str, runs: list[PlannedRun], workers: int, shown: bool):
        self.left, self.workers = expected(runs), workers
        super().__init__(total=len(runs), desc=name, disable=not shown,
                         bar_format="{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} runs [{elapsed}{postfix}]")
        self.say()

    def finished(self, run: PlannedRun, seconds: float) -> None:
        """Count a run that took ``seconds``."""
        if self.left is not None:
            self.left = max(0.0, self.left - (run.seconds or seconds))
        self.update()
        self.say()

    def say(self) -> None:
        left = self.left
        if left is None and self.n:  # never measured before: as fast as so far
            left = self.workers * (self.total - self.n) * self.format_dict["elapsed"] / self.n
        self.set_postfix_str(f"about {duration(left, self.workers)} left")


def measure(experiment: Experiment, run: PlannedRun) -> tuple[PlannedRun, Row | None, str]:
    """One run as a row of the ledger, or the error that it ended with."""
    try:
        _, sha256 = graph(run.setting["dataset"])
        cache, start, begun = Cache(), time.perf_counter(), process_clock()
        with one_thread():
            metrics = experiment.run(run.setting, run.seed, cache)
        seconds = time.perf_counter() - start + cache.saved
        process = process_clock() - begun + cache.saved_processor
        if set(metrics) != set(experiment.metrics) or any(value != value for value in metrics.values()):
            raise ValueError(f"expected a number for each of {list(experiment.metrics)}, got {metrics}")
        metrics = {name: float(metrics[name]) for name in experiment.metrics}
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return run, None, f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"
    return run, row_of(experiment, run, sha256, seconds, metrics, None if math.isnan(process) else process), ""


def row_of(experiment: Experiment, run: PlannedRun, sha256: str, seconds: float, metrics: dict[str, float],
           process: float | None = None) -> Row:
    """A run as a row of the ledger."""
    head = Head(experiment.name, experiment.revision, run.setting["dataset"], sha256, __version__,
                torch.__version__.split("+")[0], "cpu")
    parameters = {name: run.setting[name] for name in experiment.parameters}
    return Row(head, parameters, run.seed, seconds, metrics, process)
