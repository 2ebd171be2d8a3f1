"""Grids of runs that resume, the ledger they are written to, and the papers' tables beside it."""

from .attempts import Attempt, attempts_for, load_attempts
from .cache import Cache
from .catalogue import EXPERIMENTS
from .coverage import VERDICTS, Comparison, compare_paper, hours, tally
from .grid import Experiment
from .ledger import Ledger, results_folder
from .plan import cheapest_first, duration, expected, lookup, missing, open_ledger, rows_of
from .printed import Printed, cells, index, papers, published
from .repeats import compare_controls, majority, plain, references, repeat, run_once
from .results import Results
from .runner import run_all, run_missing
from .tables import by_seed, minus, paired, summarise
from .verdicts import MARGIN, compare, difference, verdict

__all__ = ["EXPERIMENTS", "MARGIN", "VERDICTS", "Attempt", "Cache", "Comparison", "Experiment", "Ledger", "Printed",
           "Results", "attempts_for", "by_seed", "cells", "cheapest_first", "compare", "compare_controls",
           "compare_paper", "difference", "duration", "expected", "hours", "index", "load_attempts", "lookup",
           "majority", "minus", "missing", "open_ledger", "paired", "papers", "plain", "published", "references",
           "repeat",
           "results_folder", "rows_of", "run_all", "run_missing", "run_once", "summarise", "tally", "verdict"]
