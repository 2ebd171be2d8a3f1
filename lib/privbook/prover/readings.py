r"""What statements are about where it is not a mechanism of the library as it stands.

The prover and the checker ask a mechanism for ``weights(input, t)``, polynomials of :math:`t = e^{\varepsilon}`
(``mechanisms.law``). Here a mechanism of several budgets is read on one line through them, one person's report is read
without everybody else's, and so is an equation that the library reads otherwise.
"""

import math
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from typing import ClassVar

from privgraph.mechanisms import RandomisedResponse
from privgraph.mechanisms.law import Finite, Weights


def powers(mechanism: Finite) -> tuple[int, ...]:
    """Of t, which stands for the smallest of the mechanism's budgets: what the others are.

    >>> from privgraph.mechanisms import Blink
    >>> powers(Blink(1.0, 2.0))
    (1, 2)
    """
    return tuple(whole(budget / min(mechanism.budgets), "budgets") for budget in mechanism.budgets)


def whole(value: float, name: str) -> int:
    if not math.isfinite(value) or abs(value - round(value)) > 1e-9 * value:
        raise ValueError(f"{name} must be whole multiples of the smallest budget, got {value!r} times that")
    return round(value)


def along(mechanism: Finite, t) -> tuple:
    """t and one, as the mechanism takes them, on the line on which its budgets keep their proportions."""
    found = powers(mechanism)
    return (t, 1) if len(found) == 1 else (tuple(t**power for power in found), (1,) * len(found))


@dataclass(frozen=True)
class OneLine:
    """A mechanism whose budgets keep their proportions; t to the power ``parts`` is e^(the smallest of them).

    :param public: what else its weights take.
    """

    mechanism: Finite
    parts: int = 1
    public: tuple = ()

    @property
    def one_total(self) -> bool:
        return self.mechanism.one_total

    def weights(self, x, t) -> Weights:
        return self.mechanism.weights(x, *along(self.mechanism, t**self.parts), *self.public)


@dataclass(frozen=True)
class OneRow:
    """One person's report; an input is her list. Everybody else's is independent of it."""

    one_total: ClassVar[bool] = True

    mechanism: Finite
    person: int
    num_nodes: int

    def weights(self, friends: frozenset[int], t) -> Weights:
        return self.mechanism.row_weights(self.person, friends, self.num_nodes, *along(self.mechanism, t))


@dataclass(frozen=True)
class Coins:
    """RGNN's equation 4 with a coin for each feature: randomised response with probability a / b, else uniform;
    t = e^eps_x. It has another budget than the mechanism of the library."""

    one_total: ClassVar[bool] = True

    domain_sizes: tuple[int, ...]
    fraction: tuple[int, int]

    def weights(self, vector: tuple[int, ...], t) -> Weights:
        a, b = self.fraction
        rows = [(size, RandomisedResponse(1.0, size).weights(truth, t))
                for size, truth in zip(self.domain_sizes, vector, strict=True)]
        parts = [[a * size * row[o] + (b - a) * sum(row.values()) for o in range(size)] for size, row in rows]
        return {report: math.prod(part[o] for part, o in zip(parts, report, strict=True))
                for report in product(*map(range, self.domain_sizes))}


def whole_rows(num_classes: int, parts: int) -> list[tuple[int, ...]]:
    """All rows of whole numbers that sum to ``parts``: scores times so much, for the arg max.

    >>> whole_rows(2, 2)
    [(0, 2), (1, 1), (2, 0)]
    """
    last = parts + num_classes - 1
    return [tuple(b - a - 1 for a, b in pairwise((-1, *cut, last))) for cut in combinations(range(last),
                                                                                           num_classes - 1)]
