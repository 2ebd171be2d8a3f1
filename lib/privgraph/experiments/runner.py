"""Run what is missing of an experiment, and write it down as it comes."""

import time

import joblib
import torch
from tqdm.auto import tqdm

from .. import __version__
from ..checks import check_count
from ..datasets import at_hand
from .grids import Experiment, graph
from .ledger import Ledger, results_folder


def open_ledger(experiment: Experiment) -> Ledger:
    """The ledger file of an experiment."""
    return Ledger(results_folder() / "measured" / f"{experiment.name}.csv", list(experiment.parameters))


def missing(experiment: Experiment, ledger: Ledger, dataset: str | None = None) -> list[tuple[dict, int]]:
    """(cell, seed) of every run that is not in the ledger and whose graph is at hand."""
    done = {ledger.key(row) for row in ledger.rows(experiment.revision)}
    cells = [cell for cell in experiment.cells if dataset in (None, cell["dataset"]) and at_hand(cell["dataset"])]
    runs = [(cell, seed) for cell in cells for seed in range(cell["seeds"])]
    return [(cell, seed) for cell, seed in runs if ledger.key({**cell, "seed": seed}) not in done]


def run_missing(experiment: Experiment, *, dataset: str | None = None, workers: int = 1,
                minutes: float | None = None, progress: bool = True) -> int:
    """Run what is missing, append one row a run, and return how many were added.

    Interrupt it at any time: finished runs are in the ledger, the next call goes on.
    """
    check_count(workers, "workers", low=1)
    ledger, start = open_ledger(experiment), time.monotonic()
    todo = missing(experiment, ledger, dataset)
    run = joblib.Parallel(n_jobs=workers, return_as="generator_unordered", batch_size=1, pre_dispatch=workers)
    jobs = (joblib.delayed(measure)(experiment, cell, seed) for cell, seed in until(todo, start, minutes))
    added = 0
    for rows in tqdm(run(jobs), total=len(todo), desc=experiment.name, disable=not progress):
        ledger.append(rows)
        added += 1
    return added


def until(runs, start: float, minutes: float | None):
    """The runs, as long as there is time to start another."""
    for run in runs:
        if minutes is not None and time.monotonic() - start > 60 * minutes:
            return
        yield run


def measure(experiment: Experiment, cell: dict, seed: int) -> list[dict]:
    """One run as rows of the ledger, one a metric."""
    _, sha256 = graph(cell["dataset"])
    start = time.perf_counter()
    metrics = experiment.run(cell, seed)
    provenance = dict(experiment=experiment.name, revision=experiment.revision, sha256=sha256, seed=seed,
                      seconds=time.perf_counter() - start, privgraph=__version__,
                      torch=torch.__version__.split("+")[0], device="cpu")
    cell = {name: value for name, value in cell.items() if name != "seeds"}
    return [{**provenance, **cell, "metric": metric, "value": value} for metric, value in metrics.items()]
