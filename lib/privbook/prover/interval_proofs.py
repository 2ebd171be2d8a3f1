r"""The Laplace arg max, on whole intervals of its noise: proofs by interval arithmetic.

Laplace noise of scale :math:`\beta` on c class probabilities, then the arg max (PrivGNN, Algorithm 1). The worst case
is :math:`\varepsilon = \ln(\text{win} / \text{lose})`, see ``mechanisms.NoisyArgMax``. With the *lead*
:math:`L = 1 / \beta`, the paper's claim is :math:`\varepsilon \le L`. Here two statements are proved for all L of an
interval, not for the L that one tries:

* **above**: :math:`\varepsilon > L`, the claim is false, for all :math:`0 < L \le` ``last``.
* **within**: :math:`\varepsilon \le f L` for all L > 0.

Let :math:`x = 1 - e^{-L}/2`. Collecting the three pieces of the integral for ``lose`` gives, with
:math:`\text{lose} = e^{-L} q / 2`,

.. math:: q = \frac{2^{1-c}}{c} + \frac12 \Big( L - \sum_{k=1}^{c-2} \frac{x^k - 2^{-k}}{k} \Big)
              + \sum_{i=0}^{c-2} \frac{2c - i - 1}{2c (c - 1)}\, x^i .

As win = 1 - (c - 1) lose, :math:`\varepsilon \le f L` says
:math:`D_f = \frac q2 (e^{(f-1) L} + (c - 1) e^{-L}) - 1 \ge 0`. At L = 0 that is 0, so on the first piece its
derivative is bounded instead. Beyond :math:`L = 4 + \sum_{k \le c-2} 1/k` no look is needed: there :math:`q \ge 2`,
hence :math:`\varepsilon \le L` (so f is at least 1). In between the interval is cut until each piece is decided; the
pieces are the certificate. Here the prover calculates nothing: ``prove`` tries lengths, and asks the checker of each.

Numbers of a statement are decimal text, and an interval stands for each. mpmath's interval functions round outwards,
but its exponential misses now and then; where we looked, by less than a unit of its last place. ``exp`` widens it by
eight.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any, TypeAlias

from mpmath import iv
from scipy.optimize import brentq

from privgraph.checks import check_count
from privgraph.mechanisms import NoisyArgMax

from .certificates import read_list

FIRST, SMALLEST, LARGEST = -6, -40, 20  # steps: what is tried first, where the proof gives up, and more than enough
MOST = 50_000  # pieces of one proof, times the number of classes
DECIMAL = re.compile(r"[0-9]{1,4}(\.[0-9]{1,30})?")
WIDER = iv.mpf([1 - 2.0**-50, 1 + 2.0**-50])
Interval: TypeAlias = Any  # of mpmath, which says nothing of types


@dataclass(frozen=True)
class Pieces:
    """A proof for 0 < L <= ``last``: pieces of lengths 2^step,
    one after the other (the last one is cut off at ``last``)."""

    num_classes: int
    factor: str
    above: bool
    last: str
    steps: tuple[int, ...]

    @property
    def end(self) -> float:
        """``last``, rounded up."""
        end = float(self.last)
        return end if Fraction(end) >= Fraction(self.last) else math.nextafter(end, math.inf)

    @property
    def cuts(self) -> list[float]:
        """The ends of the pieces, from 0 on."""
        found = [0.0]
        for step in self.steps:
            found.append(min(self.end, found[-1] + 2.0**step))
        return found


def exp(x: Interval) -> Interval:
    return iv.exp(x) * WIDER


@cache
def coefficients(c: int) -> tuple[Interval, tuple[Interval, ...]]:
    """Of q as constant + L / 2 + a polynomial in x."""
    constant = iv.mpf(2) ** (1 - c) / c + sum(iv.mpf(2) ** -k / k for k in range(1, c - 1)) / 2
    return constant, tuple(iv.mpf(2 * c - i - 1) / (2 * c * (c - 1)) - (iv.mpf(1) / (2 * i) if i else 0)
                           for i in range(c - 1))


def margin(lead: Interval, c: int, factor: str) -> Interval:
    """D_f for all leads of an interval: positive where epsilon < factor * L."""
    (constant, terms), value, x = coefficients(c), iv.mpf(0), 1 - exp(-lead) / 2
    for term in reversed(terms):
        value = value * x + term
    return (constant + lead / 2 + value) / 2 * (exp((iv.mpf(factor) - 1) * lead) + (c - 1) * exp(-lead)) - 1


def slope(lead: Interval, c: int, factor: str) -> Interval:
    """The derivative of D_f by L, for all leads of an interval."""
    (constant, terms), value, derivative, fall = coefficients(c), iv.mpf(0), iv.mpf(0), exp(-lead)
    x, excess = 1 - fall / 2, iv.mpf(factor) - 1
    for term in reversed(terms):
        derivative = derivative * x + value
        value = value * x + term
    half, half_slope = (constant + lead / 2 + value) / 2, (iv.mpf(1) / 2 + derivative * fall / 2) / 2
    up, down = exp(excess * lead), (c - 1) * fall
    return half_slope * (up + down) + half * (excess * up - down)


def sure(pieces: Pieces, a: float, b: float) -> bool:
    """Whether D_f has the wanted sign on all of [a, b]: by its value in the middle and its slope around it."""
    side, lead, what = -1 if pieces.above else 1, iv.mpf([a, b]), (pieces.num_classes, pieces.factor)
    around = side * slope(lead, *what)
    if a == 0:  # D_f(0) = 0 exactly
        return around.a > 0
    middle = iv.mpf((a + b) / 2)
    return (side * margin(middle, *what) + around * (lead - middle)).a > 0


def verify(pieces: Pieces) -> bool:
    """Whether it is a proof: each piece is sure, and they reach ``last``; that is far enough,
    if nothing is said of more. Whatever it holds, the answer is yes or no."""
    if not isinstance(pieces, Pieces) or not well_formed(pieces):
        return False
    cuts = pieces.cuts
    if len(cuts) < 2 or Fraction(pieces.last) <= 0:
        return False  # a statement about no lead at all
    far = pieces.above or pieces.end >= no_look(pieces.num_classes) and Fraction(pieces.factor) >= 1
    return cuts[-1] == pieces.end and far and all(a < b and sure(pieces, a, b) for a, b in pairwise(cuts))


def well_formed(p: Pieces) -> bool:
    """Numbers of the types and sizes that a proof is made of, and no more pieces than one needs."""
    decimals = all(type(each) is str and DECIMAL.fullmatch(each) for each in (p.factor, p.last))
    return decimals and type(p.above) is bool and type(p.num_classes) is int and p.num_classes >= 2 and (
        type(p.steps) is tuple and len(p.steps) * p.num_classes <= MOST
        and all(type(step) is int and SMALLEST <= step <= LARGEST for step in p.steps))


def read(text: str) -> list[Pieces]:
    """The proofs of a file; nothing is believed of them yet.

    :raises ValueError: where they are not a list of such entries.
    """
    known, entries = {each.name for each in fields(Pieces)}, read_list(text)
    for entry in entries:
        if not isinstance(entry, dict) or set(entry) != known or not isinstance(entry["steps"], list):
            raise ValueError(f"a proof must have the keys {sorted(known)}, steps a list, got {str(entry)[:60]}")
    return [Pieces(**entry | {"steps": tuple(entry["steps"])}) for entry in entries]


def verify_text(wanted: Iterable[tuple[int, str, bool, str]], text: str) -> bool:
    """Whether a text proves just these statements (classes, factor, above, last), each once, in their order."""
    try:
        found = read(text)
    except ValueError:
        return False
    wanted = list(wanted)
    return len(found) == len(wanted) > 0 and all(
        verify(p) and (p.num_classes, p.factor, p.above, p.last) == each for p, each in zip(found, wanted, strict=True))


def no_look(c: int) -> float:
    """4 + 1 + 1/2 + ... + 1/(c - 2), rounded up."""
    return math.nextafter(4 + math.fsum(1 / k for k in range(1, c - 1)), math.inf)


def prove(num_classes: int, factor: str = "1", above: bool = False, last: str | None = None) -> Pieces:
    """Cuts that ``verify`` accepts.

    :raises ArithmeticError: where the statement is false, or too close to call.
    :param above: prove epsilon > factor * L for 0 < L <= ``last``; otherwise epsilon <= factor * L for all L > 0.

    >>> verify(prove(3, above=True, last="1.8")), verify(prove(3, factor="1.1733"))
    (True, True)
    """
    check_count(num_classes, "num_classes", low=2)
    trial = Pieces(num_classes, factor, above, last if above else repr(no_look(num_classes)), ())
    end, at, step, steps = trial.end, 0.0, FIRST, []
    while at < end:
        if sure(trial, at, min(end, at + 2.0**step)):
            steps.append(step)
            at, step = min(end, at + 2.0**step), step + 1
        else:
            step -= 1
        if step < SMALLEST or len(steps) * num_classes > MOST:
            raise ArithmeticError(f"not decided beyond L = {at}, for {num_classes} classes and factor {factor}")
    return replace(trial, steps=tuple(steps))


def crossing(num_classes: int) -> float:
    """The lead at which epsilon falls to L, in floating point;
    rounded down to two digits it is a ``last`` for ``above``."""
    def excess(lead: float) -> float:
        return NoisyArgMax(1 / lead, num_classes, "laplace").epsilon / lead - 1
    return brentq(excess, 0.5, no_look(num_classes))
