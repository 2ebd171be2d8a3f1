"""What ``run --save`` writes: a run of its own on secret randomness, and of it nothing but what leaves.

The runs that are printed draw from seeds that everybody knows, so that they can be repeated. Noise of such a seed can
be taken off by anybody, and they are never written. What is written is drawn anew each time. What is for the owner's
eyes, accuracies on true labels and counts of edges, goes to another file.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from .. import writing
from ..datasets.splits import split_or_own
from ..methods import Distilled, Embedding, Federation, FewShot, Method, Rounds
from ..methods.few_shot import task_accuracies
from ..methods.spent import BudgetFile, budget_file
from ..privacy import Guarantee
from ..privacy.guarantee import UNITS
from ..randomness import coins, kind_of
from ..writing import check_folder, new_folder
from .replacing import add_replace, refuse_there
from .said import Report, plain, said
from .spelling import renamed

if TYPE_CHECKING:
    from torch_geometric.data import Data

COSTS = ("--seed makes what is saved public: whoever guesses the seed (of which 32 bits count) takes the noise off, "
         "and none of its guarantees holds; leave it out for anything that you pass on")

# What --replace may take away: a folder with anything else in it is not one that was saved.
OURS = re.compile(r"(release|model|embeddings)\.pt|(said|rounds)\.json|round-\d+-client-\d+\.pt")


@dataclass(frozen=True)
class Saved:
    """What leaves, by the name of its file; what holds for it; and how good it is, in percent by name."""

    files: Mapping[str, object]
    guarantees: Sequence[Guarantee]
    accuracies: Mapping[str, float]


def add_save_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is written")
    group.add_argument("--save", type=Path, metavar="FOLDER",
                       help="write what leaves, of one more run on secret randomness, and nothing else; what was said "
                            "goes to FOLDER.owner.json, and the options to FOLDER.run.toml, for --config")
    add_replace(group, "a folder that was saved before, and of a page of --report")
    add_budget_options(group, "what is saved")
    group.add_argument("--seed", type=int, help="draw what is saved from a seed, which makes it public: no guarantee "
                                                "holds for it (default: secret)")


def add_budget_options(group, what: str) -> None:
    """The file that adds up, and what of it is counted.

    :param group: of the parser's arguments.
    :param what: is counted.
    """
    group.add_argument("--budget-file", type=Path, metavar="FILE", help=f"add {what} to what was spent on the same "
                       "people, in a file that is kept for them (made where there is none)")
    group.add_argument("--limit", type=float, metavar="EPSILON", help="refuse what would pass this epsilon, all in "
                       "--budget-file together (default: none)")
    group.add_argument("--budget-unit", choices=UNITS, metavar="UNIT", help="count this unit alone, such as node "
                       "(default: those of which the first in the file states a finite epsilon)")


def check_place(options) -> None:
    """Refuse what cannot be written before anybody waits for it."""
    folder = options.save
    if folder is None:
        for name in ("seed", "budget_file"):
            if vars(options)[name] is not None:
                raise ValueError(f"--{name.replace('_', '-')} is about what --save writes, got no --save")
        if options.replace and options.report is None:
            raise ValueError("--replace is about what --save or --report writes, got neither")
    check_budget(options)
    if folder is None:
        return
    coins(options.seed)  # a wrong seed is refused here
    if options.budget_file is not None and options.seed is not None:
        raise ValueError(f"--budget-file counts secret randomness, got --seed {options.seed}: of what a seed draws no "
                         "guarantee holds; leave one of them out")
    if issubclass(options.kind, FewShot) and options.kind.kept is FewShot.kept:
        raise ValueError(f"--save cannot write {options.method}, got {folder}: it does not say what of its solver is "
                         "kept")
    check_free(folder, options)
    if options.budget_file is not None and (kept := Path(os.path.realpath(options.budget_file))) in {
            Path(os.path.realpath(place)) for place in (owners(folder), options_file(folder))}:
        raise ValueError(f"--budget-file must be another file than those that --save writes, got {kept.name} beside "
                         f"--save {folder}")


def check_free(folder: Path, options) -> None:
    """Refuse a folder, or files beside it, that cannot be made or replaced."""
    if folder.name in ("", ".."):
        raise ValueError(f"--save must name a new folder, got {folder}")
    check_folder(folder, "--save", OURS)
    beside = owners(folder), options_file(folder)
    for place in filter(Path.exists, beside):
        writing.check_place(place, "--save")
    refuse_there(options, "--save", folder, *beside, but=", with new noise")


def owners(folder: Path) -> Path:
    """Where what was said goes: beside the folder that may be passed on."""
    return beside(folder, ".owner.json")


def options_file(folder: Path) -> Path:
    """Where the options go, for ``--config``: beside it too, as they name files of the owner's."""
    return beside(folder, ".run.toml")


def beside(folder: Path, ending: str) -> Path:
    """Next to the folder itself, also where its path leads through one that is not there, as in new/../other."""
    folder = Path(os.path.normpath(folder))
    return folder.with_name(folder.name + ending)


def check_budget(options) -> None:
    for name in ("limit", "budget_unit"):
        if vars(options)[name] is not None and options.budget_file is None:
            raise ValueError(f"--{name.replace('_', '-')} is about --budget-file, got none")


def counting(options) -> AbstractContextManager:
    """The file open, where one is said."""
    check_budget(options)
    return nullcontext() if options.budget_file is None else budget_of(options)


def budget_of(options) -> BudgetFile:
    limit = math.inf if options.limit is None else options.limit
    with renamed("path", "--budget-file"):
        found = budget_file(options.budget_file, limit, vars(options).get("delta"), options.budget_unit)
        found.read()  # so that what is wrong with it is said here
    return found


def check_room(method: Method, data: Data, options, report: Report) -> None:
    """Refuse what would pass the limit before anybody waits for it, and say of what no total will hold any more."""
    if options.budget_file is None:
        return
    budget = budget_of(options)
    totals = budget.together(budget.with_one_more(method.costing(data)))
    if options.budget_unit is not None and not totals:
        units = dict.fromkeys(cost.guarantee.unit for cost in method.costs_on(data, None)
                              if cost.guarantee.epsilon < math.inf)
        raise ValueError(f"--budget-unit must be one of which {type(method).__name__} states a finite epsilon"
                         f" ({', '.join(units) or 'there is none'}), got {options.budget_unit}")
    for total in (each for each in totals if math.isinf(each.epsilon)):
        report.say(f"{budget.path.name}: no finite epsilon of {total.unit} ({total.relation}) will hold for all that "
                   f"is counted, as {type(method).__name__}, or what was counted before, states none")


def save(method: Method, data: Data, how: dict, best: str, options, report: Report) -> None:
    """Run once more for what leaves, write it, and say what holds for it.

    :param how: as for ``Method.dealt``.
    :param best: the arm of ``evaluate`` that is the method.
    """
    if options.save is None:
        return
    generator = coins(options.seed)
    if kind_of(generator) == "public":
        report.say(COSTS)
    with counting(options) as budget:
        with method.counted(data, options.seed):
            saved = saved_run(method, data, how, best, options, generator, report.bars)
    write(saved.files, options.save, OURS if options.replace else None)
    source = "secret randomness" if options.seed is None else f"the public seed {options.seed}"
    report.tell(f"written to {options.save}: {', '.join(sorted(saved.files))}; drawn from {source}; what holds for it:")
    for line in map(said, saved.guarantees) if saved.guarantees else [method.OPEN.strip()]:
        report.say(f"  {line}")
    for name, found in saved.accuracies.items():
        report.say(f"{f'saved: {name}':24} accuracy {found:.1f} % (the run that is written, with coins of its own)")
    report.facts["saved"] = {"randomness": kind_of(generator), "guarantees": list(saved.guarantees),
                             "accuracy": dict(saved.accuracies)}
    if budget is not None:
        report.say(f"counted in {budget}")


def write(files: Mapping[str, object], folder: Path, replaces: re.Pattern | None) -> None:
    """All files or none, in the place of the folder that was there."""
    with new_folder(folder, "--save", replaces=replaces) as made:
        for name, content in files.items():
            if isinstance(content, bytes):
                writing.write(made / name, content)
            else:
                content.save(made / name)


def saved_run(method: Method, data: Data, how: dict, best: str, options, generator: torch.Generator,
              progress: bool = False) -> Saved:
    """A run whose coins are all of one generator, the split's too."""
    def coins(purpose: str) -> torch.Generator:
        return generator
    if isinstance(method, Federation):
        accuracies, rounds = method.scored(method.dealt(data, 0, **how), 0, coins)
        return Saved(*messages_of(Rounds(tuple(rounds), method.guarantees(), kind_of(generator))), accuracies)
    if isinstance(method, FewShot):
        sample, tasks, _ = method.dealt(data, 0, **how)
        solver = method.both_halves((sample,), coins)
        return Saved({"model.pt": solver}, (), {best: 100 * float(task_accuracies(solver.solver, tasks).mean())})
    *private, seen = method.dealt(data, 0, **how) if isinstance(method, Distilled) else [
        split_or_own(data, generator)]
    model = method.both_halves((*private, seen), coins, progress=progress)
    files = {"embeddings.pt": model.release} if isinstance(method, Embedding) else {
        "release.pt": model.release, "model.pt": model}
    return Saved(files, model.guarantees(vars(options).get("delta")), {best: 100 * model.score(seen)})


def messages_of(release: Rounds) -> tuple[dict[str, object], Sequence[Guarantee]]:
    """All that the server gets to see, a file for each message; and beside them what was promised of them."""
    files = {f"round-{number}-client-{client}.pt": message for number, told in enumerate(release.rounds, 1)
             for client, message in told.messages.items()}
    told = {"randomness": release.randomness, "guarantees": plain(list(release.guarantees))}  # messages have no place
    return files | {"rounds.json": json.dumps(told).encode()}, release.guarantees
