"""The experiments of this book, by name: what each runs, and on which cells."""

from . import graphprivatizer, lpgnn, private_edges, privgnn, rgnn, rgnn_search, statistics
from .settings import STEPS

MODULES = (lpgnn, graphprivatizer, private_edges, rgnn_search, rgnn, privgnn, statistics)
EXPERIMENTS = {module.EXPERIMENT.name: module.EXPERIMENT for module in MODULES}

__all__ = ["EXPERIMENTS", "STEPS"]
