"""The modules of a package, found by looking: what lies in its folder belongs to it, and no list says so."""

from collections.abc import Iterable
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType


def modules(package: str, folders: Iterable[str]) -> dict[str, ModuleType]:
    """Name below the package -> module, folders included: ``modules(__name__, __path__)``."""
    prefix = f"{package}."
    return {found.name.removeprefix(prefix): import_module(found.name) for found in walk_packages(folders, prefix)}
