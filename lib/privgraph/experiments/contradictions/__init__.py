"""Where a paper's numbers contradict each other: every disagreement recomputed from ``results/published``.

Each check reads what one place prints and what the same paper's other numbers give there. ``gap`` measures how far
the two lie apart, ``allowed`` how far the rounding of the printed digits can take them. A slip says nothing about a
method: it says which printed numbers are not to be compared with ours.
"""

import inspect
from collections.abc import Callable
from types import ModuleType

from ...discover import modules
from ..printed import papers
from .reading import Contradiction

MODULES = modules(__name__)  # a paper, or a part of one: "rgnn", "graphprivatizer.photo"


def checks_of(module: ModuleType) -> list[Callable[[], Contradiction]]:
    """The functions of a file that say they return a contradiction, in the order in which they stand."""
    return [thing for thing in vars(module).values()
            if inspect.isfunction(thing) and inspect.get_annotations(thing).get("return") is Contradiction
            and thing.__module__ == module.__name__]


def checks() -> list[Callable[[], Contradiction]]:
    """All checks, paper by paper in the order of the index."""
    return [check for paper in papers() for name, module in MODULES.items() if name.partition(".")[0] == paper
            for check in checks_of(module)]


def contradictions() -> list[Contradiction]:
    """All of them, paper by paper."""
    return [check() for check in checks()]
