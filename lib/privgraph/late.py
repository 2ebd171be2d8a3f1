"""What takes seconds to import is imported when something of it is first asked for.

torch takes more than a second, PyG two more, and most words of the command line need neither. A module that only needs
them while it works says ``from ..late import torch`` in place of ``import torch``; for annotations alone it imports
``if TYPE_CHECKING``. The faces of packages (their ``__init__.py``) do the same with all that they hand on: ``face``.
"""

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING


class Late:
    """A module that is imported when something of it is first asked for.

    >>> maths = Late("math")
    >>> maths.sqrt(4)
    2.0
    """

    def __init__(self, name: str):
        self.__name__ = name

    def __getattr__(self, name: str):
        return getattr(sys.modules.get(self.__name__) or import_module(self.__name__), name)


if TYPE_CHECKING:
    import torch
    import torch_geometric as pyg
    from scipy import stats
else:
    torch, pyg, stats = Late("torch"), Late("torch_geometric"), Late("scipy.stats")


def returned(function: Callable) -> type:
    """The class that a function says it returns. What its arguments are may be known to type checkers alone, so that
    ``get_type_hints`` finds nothing.

    >>> from privgraph.methods import LPGNN
    >>> returned(LPGNN.collect).__name__
    'LPGNNRelease'
    """
    said = function.__annotations__["return"]
    return eval(said, function.__globals__) if isinstance(said, str) else said


def face(package: str) -> tuple[Callable, Callable]:
    """``__getattr__`` and ``__dir__`` of a package: what its file imports ``if TYPE_CHECKING`` is there when it is
    asked for, and so are its modules."""
    @cache
    def places() -> dict[str, str]:
        tree = ast.parse(Path(sys.modules[package].__file__).read_text(encoding="utf-8"))
        said = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module]
        return {alias.name: f"{package}.{node.module}" for node in said for alias in node.names}

    def get(name: str):
        if name in places():
            found = getattr(import_module(places()[name]), name)
            setattr(sys.modules[package], name, found)
            return found
        if name.startswith("__") or find_spec(f"{package}.{name}") is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return import_module(f"{package}.{name}")
    return get, lambda: sorted({*vars(sys.modules[package]), *sys.modules[package].__all__})
