"""The experiments of this book, by name: one file or folder a paper, and every ``EXPERIMENT`` in it is found."""

from ...discover import modules

EXPERIMENTS = {module.EXPERIMENT.name: module.EXPERIMENT for module in modules(__name__).values()
               if hasattr(module, "EXPERIMENT")}

__all__ = ["EXPERIMENTS"]
