r"""The law of a mechanism with finitely many outcomes, stated once for many types of numbers.

Its chances are in proportion to *weights* that are made of t and one by sums and products. With t = 1 and one =
:math:`e^{-\varepsilon}` these are floats, of which the exact audit is made (``distribution``); with a polynomial t and
one = 1 they are polynomials, of which something can be proved for every epsilon.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Hashable, Iterable
from typing import Any, ClassVar

Weights = dict[Hashable, Any]


class Decay(float):
    r"""The number :math:`e^{-\varepsilon}`, which knows its epsilon: no digit is lost in powers, nor in what it leaves
    of 1.

    >>> Decay(1000.0) ** 0.5 == math.exp(-500), 1.0 - Decay(1e-30)
    (True, 1e-30)
    """

    epsilon: float

    def __new__(cls, epsilon: float):
        made = super().__new__(cls, math.exp(-epsilon))
        made.epsilon = epsilon
        return made

    def __pow__(self, power, modulo=None):
        if hasattr(power, "exp"):  # a tensor of powers
            return (-self.epsilon * power).exp().where(power > 0, 1.0)
        return math.exp(-self.epsilon * power) if power else 1.0

    def __rsub__(self, other):
        return -math.expm1(-self.epsilon) if other == 1 else other - float(self)


class Finite:
    """What a mechanism with finitely many outcomes has besides: ``weights``, and the chances that they make.

    ``one_total``: whether the weights of all inputs have one sum, whatever t.
    """

    one_total: ClassVar[bool] = False

    @property
    def budgets(self) -> tuple[float, ...]:
        """The epsilon for which t stands. Where there are several, t and one are tuples of as many."""
        return (self.epsilon,)  # type: ignore[attr-defined]

    @abstractmethod
    def weights(self, x, t, one) -> Weights:
        """A number for each outcome, in proportion to its chance on ``x``: made of t, one and whole numbers by sums and
        products, for all outcomes of one degree in t and one together. Where one is not said it is 1.

        :param x: one input, as ``AuditCase.inputs`` has them.
        :param t: what stands for e^epsilon, a number or a polynomial; a tuple where there are several ``budgets``.
        :param one: what stands for 1 beside it, of the same type.
        """

    def distribution(self, x, *public) -> dict:
        """Pr[outcome | x] for every outcome, for the exact audit; ``public``: what else the weights take."""
        return chances(self.weights(x, *numbers(self.budgets), *public))


def numbers(budgets: tuple[float, ...]) -> tuple:
    """t and one as floats: nothing overflows, as t is 1."""
    if len(budgets) == 1:
        return 1.0, Decay(*budgets)
    return (1.0,) * len(budgets), tuple(map(Decay, budgets))


def chances(weights: Weights) -> dict:
    """The weights over their sum."""
    total = math.fsum(weights.values())
    return {outcome: weight / total for outcome, weight in weights.items()}


def together(parts: Iterable[Weights]) -> Weights:
    """The joint weights, or chances, of independent parts.

    >>> together([{0: 1, 1: 3}, {0: 3, 1: 1}])
    {(0, 0): 3, (0, 1): 1, (1, 0): 9, (1, 1): 3}
    """
    table: Weights = {(): 1}
    for part in parts:
        table = {(*before, o): w * v for before, w in table.items() for o, v in part.items()}
    return table
