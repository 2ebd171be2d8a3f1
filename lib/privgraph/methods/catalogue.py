"""All methods, found by looking: what lies in this folder and is a ``Method`` that can be made belongs to it."""

import inspect

from ..checks import check_choice
from ..discover import found_in
from .embedding import Embedding
from .method import Method


def all_methods() -> dict[str, type[Method]]:
    """Every method in a module of this folder, by its name on the command line.

    >>> {"lpgnn", "graphprivatizer", "privgnn"} <= all_methods().keys()
    True
    """
    def wanted(thing) -> bool:
        made = inspect.isclass(thing) and issubclass(thing, Method) and thing is not Method
        return made and not inspect.isabstract(thing)
    return {name.lower(): kind for name, kind in found_in(__name__.rpartition(".")[0], wanted)}


def embedding(name: str) -> Embedding:
    """A method that publishes vectors, by its name, as it is by default."""
    kinds = {known: kind for known, kind in all_methods().items() if issubclass(kind, Embedding)}
    return kinds[check_choice(name, "embedding", kinds)]()
