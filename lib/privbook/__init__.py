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

from typing import TYPE_CHECKING

from privgraph.late import face

if TYPE_CHECKING:
    from .papers.attempts import Attempt, attempts_for, load_attempts
    from .papers.catalogue import experiments
    from .papers.coverage import VERDICTS, Comparison, compare_paper, hours, left, outlooks, spent, tally
    from .papers.published import Printed, entries, index, published
    from .papers.results import Results
    from .papers.verdicts import MARGIN, compare, difference, stratified, verdict
    from .runs.cache import Cache
    from .runs.grid import Experiment, OwnSeeds
    from .runs.ledger import Ledger, results_folder
    from .runs.plan import cheapest_first, duration, expected, missing, open_ledger, priced
    from .runs.runner import run_all, run_missing
else:
    __getattr__, __dir__ = face(__name__)

__all__ = ["Attempt", "Cache", "Comparison", "Experiment", "Ledger", "MARGIN", "OwnSeeds", "Printed", "Results",
           "VERDICTS", "attempts_for", "cheapest_first", "compare", "compare_paper", "difference", "duration",
           "entries", "expected", "experiments", "hours", "index", "left", "load_attempts", "missing", "open_ledger",
           "outlooks", "priced", "published", "results_folder", "run_all", "run_missing", "spent", "stratified",
           "tally", "verdict"]
