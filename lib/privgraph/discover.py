"""What a package holds, found by looking: what lies in its folder belongs to it, and no list says so."""

from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType


def modules(package: str) -> dict[str, ModuleType]:
    """Name below the package -> module, folders included, without those that begin with an underscore.

    >>> "lpgnn" in modules("privgraph.methods")
    True
    """
    prefix = f"{package}."
    names = (found.name for found in walk_packages(import_module(package).__path__, prefix))
    return {name.removeprefix(prefix): import_module(name) for name in names
            if not name.rpartition(".")[2].startswith("_")}


def found_in(package: str, wanted: Callable[[object], bool]) -> Iterator[tuple[str, object]]:
    """(name, thing) of all classes and functions that a module of the package makes and that are ``wanted``."""
    for module in modules(package).values():
        for name, thing in sorted(vars(module).items()):
            if getattr(thing, "__module__", None) == module.__name__ and wanted(thing):
                yield name, thing
