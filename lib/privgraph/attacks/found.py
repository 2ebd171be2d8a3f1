"""All attacks, found by looking: what in this folder says in which world it is tried is an attack."""

import inspect
from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules


def all_attacks() -> dict[str, Callable]:
    """Every attack in a module of this folder, by its name on the command line.

    >>> {"linkteller", "posterior-similarity"} <= all_attacks().keys()
    True
    """
    package, found = __name__.rpartition(".")[0], {}
    for module in (import_module(f"{package}.{each.name}") for each in iter_modules(import_module(package).__path__)):
        for name, attack in inspect.getmembers(module, inspect.isfunction):
            if hasattr(attack, "world") and attack.__module__ == module.__name__:
                found[name.replace("_", "-")] = attack
    return found
