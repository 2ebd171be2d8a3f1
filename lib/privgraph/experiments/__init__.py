"""Grids of runs that resume, the ledger they are written to, and the papers' tables beside it."""

from .grids import EXPERIMENTS, Experiment
from .ledger import Ledger, results_folder
from .published import published
from .repeats import compare_controls, repeat, run_once
from .runner import open_ledger, run_missing
from .tables import paired, select, summarise
from .verdict import MARGIN, difference, verdict

__all__ = ["EXPERIMENTS", "MARGIN", "Experiment", "Ledger", "compare_controls", "difference", "open_ledger", "paired",
           "published", "repeat", "results_folder", "run_missing", "run_once", "select", "summarise", "verdict"]
