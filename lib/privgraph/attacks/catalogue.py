"""All attacks, found by looking: what in this folder says in which world it is tried is an attack."""

import inspect
from collections.abc import Callable

from ..discover import found_in


def all_attacks() -> dict[str, Callable]:
    """Every attack in a module of this folder, by its name on the command line.

    >>> {"linkteller", "posterior-similarity"} <= all_attacks().keys()
    True
    """
    def wanted(thing) -> bool:
        return inspect.isfunction(thing) and hasattr(thing, "world")
    return {name.replace("_", "-"): attack for name, attack in found_in(__name__.rpartition(".")[0], wanted)}
