"""privbook: what the book *Graphs That Keep Secrets* needs beside its library ``privgraph``, and nobody else.

What works without the checkout is in ``privgraph``; what reads ``results/``, ``book/``, ``assignments/`` or a paper's
tables is here. The folders are listed in the order in which data flows through them, as there::

    bearing      how each test bears on its claims, and what each verdict takes
    evidence     what the tests of the claims said when they were last run
    claims       the register of claims, and running its evidence again
    prover       statements that are decided for every epsilon, and the checker of their certificates
    runs         grids of runs that resume, and the ledger they are written to; it knows no paper
    papers       the papers' tables beside ours; all that is about one paper lies in its folder
    show         figures and tables for the chapters
    classroom    assignments, a box for submissions, and marks that no student's code decides
    skeletons    files to begin with: a mechanism, a method, an experiment, a chapter
    cli          the command ``privbook``

The names that chapters use most can be had from here; each is looked up when it is first asked for.
"""

from importlib import import_module

FOUND = {"papers.attempts": ("Attempt", "attempts_for", "load_attempts"),
         "papers.catalogue": ("experiments",),
         "papers.coverage": ("VERDICTS", "Comparison", "compare_paper", "hours", "tally"),
         "papers.published": ("Printed", "entries", "index", "published"),
         "papers.results": ("Results",),
         "papers.verdicts": ("MARGIN", "compare", "difference", "verdict"),
         "runs.cache": ("Cache",),
         "runs.grid": ("Experiment",),
         "runs.ledger": ("Ledger", "results_folder"),
         "runs.plan": ("cheapest_first", "duration", "expected", "missing", "open_ledger"),
         "runs.runner": ("run_all", "run_missing")}
WHERE = {name: module for module, names in FOUND.items() for name in names}

__all__ = sorted(WHERE)


def __getattr__(name: str):
    if name not in WHERE:
        raise AttributeError(f"privbook has no {name!r}")
    return getattr(import_module(f".{WHERE[name]}", __name__), name)


def __dir__() -> list[str]:
    return [*globals(), *WHERE]
