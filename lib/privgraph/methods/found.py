"""All methods, found by looking: what lies in this folder and is a ``Method`` that can be made belongs to it."""

import inspect

from ..discover import members
from .kinds import Method


def all_methods() -> dict[str, type[Method]]:
    """Every method in a module of this folder, by its name on the command line.

    >>> {"lpgnn", "graphprivatizer", "privgnn"} <= all_methods().keys()
    True
    """
    def wanted(thing) -> bool:
        made = inspect.isclass(thing) and issubclass(thing, Method) and thing is not Method
        return made and not inspect.isabstract(thing)
    return {name.lower(): kind for name, kind in members(__name__.rpartition(".")[0], wanted)}
