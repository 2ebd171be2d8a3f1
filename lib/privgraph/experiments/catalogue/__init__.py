"""The experiments of this book, by name: one file or folder a paper, and every ``EXPERIMENT`` in it is found."""

from importlib import import_module
from pkgutil import walk_packages

MODULES = [import_module(found.name) for found in walk_packages(__path__, f"{__name__}.")]
EXPERIMENTS = {module.EXPERIMENT.name: module.EXPERIMENT for module in MODULES if hasattr(module, "EXPERIMENT")}

__all__ = ["EXPERIMENTS"]
