"""Where a paper's numbers contradict each other: every disagreement recomputed from ``results/published``.

Each check reads what one place prints and what the same paper's other numbers give there. ``gap`` measures how far
the two lie apart, ``allowed`` how far the rounding of the printed digits can take them. A slip says nothing about a
method: it says which printed numbers are not to be compared with ours.
"""

from . import dissertation, graphprivatizer, privgnn, rgnn
from .reading import Contradiction

CHECKS = (*graphprivatizer.CHECKS, *privgnn.CHECKS, *rgnn.CHECKS, *dissertation.CHECKS)


def contradictions() -> list[Contradiction]:
    """All of them, paper by paper."""
    return [check() for check in CHECKS]
