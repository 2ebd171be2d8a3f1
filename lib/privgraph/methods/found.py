"""All methods, found by looking: what lies in this folder and is a ``Method`` that can be made belongs to it."""

import inspect
from importlib import import_module
from pkgutil import walk_packages

from .kinds import Method


def all_methods() -> dict[str, type[Method]]:
    """Every method in a module of this folder, by its name on the command line.

    >>> {"lpgnn", "graphprivatizer", "privgnn"} <= all_methods().keys()
    True
    """
    package, found = __name__.rpartition(".")[0], {}
    for module in walk_packages(import_module(package).__path__, f"{package}."):
        for name, kind in inspect.getmembers(import_module(module.name), inspect.isclass):
            abstract = inspect.isabstract(kind) or kind is Method
            if issubclass(kind, Method) and kind.__module__ == module.name and not abstract:
                found[name.lower()] = kind
    return found
