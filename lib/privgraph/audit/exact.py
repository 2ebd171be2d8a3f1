"""The exact privacy loss of a finite mechanism, by enumeration, with the inputs that attain it."""

import math
from dataclasses import dataclass
from itertools import permutations
from typing import Any


@dataclass(frozen=True)
class WorstCase:
    """The largest privacy loss found, and the witness: Pr[outcome | input] / Pr[outcome | neighbour] = e^epsilon."""

    epsilon: float
    outcome: Any
    input: Any
    neighbour: Any


def worst_case(mechanism, inputs) -> WorstCase:
    r"""The largest :math:`\ln \Pr[o \mid x] / \Pr[o \mid x']` over all ordered pairs of inputs and all outcomes.

    ``mechanism.distribution(x)`` gives the probability of every outcome; ``inputs`` are mutually
    neighbouring (the relation "replace"). An outcome that one input can produce and its neighbour
    cannot gives infinity.

    >>> from privgraph.mechanisms import RandomisedResponse
    >>> round(worst_case(RandomisedResponse(1.0, 4), range(4)).epsilon, 9)
    1.0
    """
    tables = [(x, check_sums_to_one(mechanism.distribution(x))) for x in inputs]
    if len(tables) < 2:
        raise ValueError(f"inputs must hold at least two values to compare, got {len(tables)}")
    losses = (WorstCase(*largest_loss(p, q), x, other) for (x, p), (other, q) in permutations(tables, 2))
    return max(losses, key=lambda found: found.epsilon)


def largest_loss(p: dict, q: dict) -> tuple[float, Any]:
    """(ln of the largest ratio p / q, its outcome)."""
    def loss(outcome):
        if p[outcome] == 0:
            return -math.inf
        return math.log(p[outcome] / q[outcome]) if q.get(outcome, 0) > 0 else math.inf
    worst = max(p, key=loss)
    return loss(worst), worst


def check_sums_to_one(table: dict) -> dict:
    if not math.isclose(total := math.fsum(table.values()), 1, abs_tol=1e-9):
        raise ValueError(f"a distribution must sum to 1, got {total!r}")
    return table
