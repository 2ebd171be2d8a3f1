"""The experiments of this book, by name: whatever is an ``Experiment`` in a module of a paper is found."""

from functools import lru_cache

from privgraph.discover import modules

from ..runs.grid import Experiment


@lru_cache(maxsize=1)
def experiments() -> dict[str, Experiment]:
    """name -> experiment; the first call imports every paper."""
    return {thing.name: thing for module in modules(__package__).values() for thing in vars(module).values()
            if isinstance(thing, Experiment)}
