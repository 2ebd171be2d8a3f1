"""The experiments of this book, by name: what each runs, and on which cells."""

from . import (ceiling, graphprivatizer, lpgnn, membership, pate_reported, private_edges, privgnn, privgnn_budgets,
               privgnn_epochs, privgnn_frontier, privgnn_parts, privgnn_released, rgnn, rgnn_search, statistics)
from .settings import STEPS

MODULES = (lpgnn, graphprivatizer, private_edges, ceiling, rgnn_search, rgnn, privgnn, privgnn_frontier, privgnn_budgets,
           privgnn_epochs, privgnn_parts, privgnn_released, pate_reported, membership, statistics)
EXPERIMENTS = {module.EXPERIMENT.name: module.EXPERIMENT for module in MODULES}

__all__ = ["EXPERIMENTS", "STEPS"]
