"""Our runs of what the papers print: reproduce."""

import argparse
import sys
from collections.abc import Mapping

from privgraph import datasets
from privgraph.checks import check_count

from ..papers.catalogue import experiments
from ..papers.coverage import by_worth
from ..runs.grid import Experiment
from ..runs.plan import PlannedRun, cheapest_first, duration, expected, missing, priced
from ..runs.runner import run_all


def add_commands(commands) -> None:
    reproduce = commands.add_parser("reproduce", help="run what is missing of an experiment; stop and go on at will",
                                    formatter_class=argparse.RawDescriptionHelpFormatter, epilog="experiments:\n" +
                                    "\n".join(f"  {e.name:24} {e.title}" for e in experiments().values()))
    reproduce.add_argument("experiment", choices=[*experiments(), "all"], metavar="NAME",
                           help="one of the list below, or all: what takes least first")
    reproduce.add_argument("--dataset", help="this graph only (default: all that are at hand)")
    reproduce.add_argument("--repeats", type=int,
                           help="runs of each cell, one seed each (default: as the experiment says)")
    reproduce.add_argument("--workers", type=int, default=1, help="processes (default: %(default)s)")
    reproduce.add_argument("--minutes", type=float, help="start no run that is expected to end later; for all together")
    reproduce.add_argument("--dask", metavar="ADDRESS", help="hand the runs to the cluster of this Dask scheduler")
    reproduce.add_argument("--dry-run", action="store_true", help="say what is missing and how long it would take")
    reproduce.add_argument("--estimate", action="store_true",
                           help="say what is missing and how long the processor would work for it, and run nothing")
    reproduce.add_argument("--undecided", action="store_true",
                           help="first the runs of settings whose inconclusive values ten more runs would decide, "
                                "should means and spreads stay; say how many with --repeats, and keep them all")
    reproduce.set_defaults(command=reproduce_command)


def reproduce_command(options) -> int:
    if options.repeats is not None:
        check_count(options.repeats, "repeats", low=1)
    what = dict(dataset=options.dataset, seeds=options.repeats)
    everything = options.experiment == "all"
    chosen = cheapest_first(experiments().values(), **what) if everything else [experiments()[options.experiment]]
    if options.dry_run:
        return (dry_run_of_all if everything else dry_run)(chosen, what, options.workers)
    foreseen = estimate({experiment.name: missing(experiment, **what) for experiment in chosen}, options.workers)
    if options.estimate:
        print("\n".join(foreseen))
        return 0
    if options.undecided and everything:
        raise ValueError("--undecided puts the runs of one experiment in order: say which")
    print(foreseen[-1], file=sys.stderr)
    order = by_worth(options.experiment) if options.undecided else None
    failed = reproduce_all(chosen, everything, **what, order=order, workers=options.workers, minutes=options.minutes,
                           dask=options.dask)
    if failed is None:
        print("stopped; what was finished is in the ledger, and the same command goes on", file=sys.stderr)
        return 130
    names = dict.fromkeys(name for experiment in chosen for name in experiment.datasets)
    if away := [name for name in names if options.dataset is None and not datasets.at_hand(name)]:
        print(f"left out, as they are not on this machine: {', '.join(away)}; `privgraph data` says more")
    return 1 if failed else 0


def reproduce_all(chosen: list[Experiment], named: bool, **how) -> int | None:
    """Run what is missing and say what was added; how many runs failed, None where somebody stopped it.

    :param named: say whose runs they are.
    :param how: as of ``run_missing``.
    """
    failed = 0
    try:
        for experiment, report in run_all(chosen, **how):
            print((f"{experiment.name:16} " if named else "")
                  + f"{report.added} runs added, {len(report.failed)} failed, {report.left} still missing"
                  + ("; the same command goes on with them" if report.left else ""))
            failed += len(report.failed)
    except KeyboardInterrupt:
        return None
    return failed


def estimate(found: Mapping[str, list[PlannedRun]], workers: int) -> list[str]:
    """What is missing of each experiment, what the processor would take for it, and when all would be done by the
    clock; the last line is about all together.

    :param found: experiment -> its missing runs.
    """
    together = [run for runs in found.values() for run in runs]
    lines = [estimated(name, runs, workers) for name, runs in found.items()]
    return lines if len(found) == 1 else [*lines, estimated("all", together, workers)]


def estimated(name: str, runs: list[PlannedRun], workers: int) -> str:
    if not runs:
        return f"{name}: no run is missing"
    unknown = sum(run.price is None for run in runs)
    known = [run for run in runs if run.price is not None]
    price = f"about {duration(priced(known))} of the processor" if known else "nobody knows how long"
    clock = f", {duration(expected(known), workers)} by the clock with {workers} at a time" if known else ""
    return (f"{name}: {len(runs):,} runs are missing, {price}{clock}"
            + (f"; {unknown:,} of them are like none that was measured, and not counted" if known and unknown else ""))


def dry_run(chosen: list[Experiment], what: dict, workers: int) -> int:
    """Print what is missing of one experiment by graph, and how long it would take."""
    experiment, = chosen
    runs = missing(experiment, **what)
    for name in [what["dataset"]] if what["dataset"] else experiment.datasets:
        those = [run for run in runs if run.setting["dataset"] == name]
        state = f"{len(those):5} runs missing, about {duration(expected(those))}"
        print(f"{name:20} {state if datasets.at_hand(name) else 'not on this machine'}")
    print(f"in all {len(runs)} runs, about {duration(expected(runs), workers)} with {workers} at a time")
    return 0


def dry_run_of_all(chosen: list[Experiment], what: dict, workers: int) -> int:
    """Print what is missing by experiment, and how long all of it would take."""
    found = {experiment.name: missing(experiment, **what) for experiment in chosen}
    for name, runs in found.items():
        print(f"{name:20} {len(runs):5} runs missing, about {duration(expected(runs))}")
    seconds = [expected(runs) for runs in found.values()]
    known = sum(each for each in seconds if each is not None)
    print(f"in all {sum(map(len, found.values()))} runs, about {duration(known, workers)} with {workers} at a time"
          + ("; what was never measured is not counted" if None in seconds else ""))
    return 0
