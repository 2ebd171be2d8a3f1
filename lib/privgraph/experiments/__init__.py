"""Grids of runs that resume, the ledger they are written to, and the papers' tables beside it."""

from .attempts import Attempt, attempts_for, load_attempts
from .cache import Cache
from .catalogue import EXPERIMENTS
from .coverage import VERDICTS, Comparison, compare_paper, hours, tally
from .grid import Experiment
from .ledger import Ledger, results_folder
from .plan import cheapest_first, duration, expected, missing, open_ledger
from .printed import Printed, cells, index, papers, published
from .repeats import compare_controls, majority, plain, references, repeat, run_once
from .results import Results
from .runner import run_all, run_missing
from .verdicts import MARGIN, compare, difference, verdict

__all__ = ["EXPERIMENTS", "MARGIN", "VERDICTS", "Attempt", "Cache", "Comparison", "Experiment", "Ledger", "Printed",
           "Results", "attempts_for", "cells", "cheapest_first", "compare", "compare_controls", "compare_paper",
           "difference", "duration", "expected", "hours", "index", "load_attempts", "majority", "missing",
           "open_ledger", "papers", "plain", "published", "references", "repeat", "results_folder",
           "run_all", "run_missing", "run_once", "tally", "verdict"]
