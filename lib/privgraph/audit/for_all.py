r"""The exact audit for every epsilon at once: decide a statement about polynomials, and leave a certificate.

The chances of a finite mechanism are rational functions of :math:`t = e^{\varepsilon}`, so "for every epsilon the ratio is at most
B(t)" says that some polynomials are not negative for t > 1. Put t = 1 + s (or another start). If no coefficient is negative then, that is a
proof. Otherwise Sturm's theorem counts the roots with s > 0, exactly; between them the sign is that at any one point.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import sympy

from .certificates import Certificate, Statement, differences

S = sympy.Symbol("s")
CLOSE = Fraction(1, 10**12)  # how exactly a root is enclosed


class Poly(tuple):
    """A polynomial in s with whole coefficients, the lowest power first, without zeros at the end."""

    @classmethod
    def of(cls, coefficients: Iterable[int]) -> "Poly":
        found = list(coefficients)
        while found and found[-1] == 0:
            found.pop()
        return cls(found)

    def __add__(self, other):
        other = other if isinstance(other, Poly) else Poly.of([other])
        long, short = (self, other) if len(self) >= len(other) else (other, self)
        return Poly.of([*(a + b for a, b in zip(long, short)), *long[len(short):]])

    def __mul__(self, other):
        if not isinstance(other, Poly):
            return Poly.of(other * c for c in self)
        product = [0] * max(0, len(self) + len(other) - 1)
        for i, a in enumerate(self):
            if a:
                for j, b in enumerate(other):
                    product[i + j] += a * b
        return Poly.of(product)

    def __pow__(self, power: int):
        return math.prod([self] * power, start=Poly((1,)))

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    __radd__, __rmul__ = __add__, __mul__


def decide(statement: Statement) -> Certificate:
    """The certificate that the statement holds for every t > 1, or that it breaks, and where.

    >>> from privgraph.audit.weights import ResponseWeights
    >>> found = decide(Statement("three answers", ResponseWeights(3), (0, 1, 2), lambda t: (t, 1)))
    >>> found.verdict, found.never_negative
    ('holds', [{'s': []}, {'s': [0, 1]}, {'s': [0, 2, 1]}])
    """
    polynomials = sorted({Poly.of(f) if isinstance(f, Poly) else Poly.of([f]) for f in differences(statement, Poly((statement.start, 1)))})
    negative = [region for f in polynomials for region in where_negative(f)]
    if negative:
        regions = united(negative)
        always = next((list(f) for f in polynomials if f and max(f) <= 0), [])
        return Certificate(statement.name, "breaks", statement.variable, regions=[[number(statement.start, a), number(statement.start, b)] for a, b in regions],
                           breaks=[str(statement.start + between(a, b)) for a, b in negative_at(regions, negative)], everywhere=always)
    return Certificate(statement.name, "holds", statement.variable, [reason(f) for f in polynomials])


def where_negative(f: Poly) -> list[tuple]:
    """The intervals of s > 0 in which f is negative; (a, b) with b None for infinity, ends enclosed from inside."""
    if min(f, default=0) >= 0:
        return []
    if max(f) <= 0:
        return [(Fraction(0), None)]
    roots = [(Fraction(int(a.p), int(a.q)), Fraction(int(b.p), int(b.q)))
             for (a, b), _ in as_sympy(f).intervals(eps=sympy.Rational(CLOSE.numerator, CLOSE.denominator))]
    ends = [(Fraction(0), Fraction(0)), *sorted(r for r in roots if r[0] > 0)]
    gaps = [(low[1], high[0]) for low, high in zip(ends, ends[1:])] + [(ends[-1][1], None)]
    return [gap for gap in gaps if sign_at(f, between(*gap)) < 0]


def between(low: Fraction, high: Fraction | None) -> Fraction:
    """A point in an interval, as short as may be."""
    if high is None:
        return Fraction(math.floor(low) + 1)
    middle, digits = (low + high) / 2, 1
    while not low < (short := Fraction(round(middle * digits), digits)) < high:
        digits *= 10
    return short


def sign_at(f: Poly, s: Fraction) -> int:
    total = Fraction(0)
    for c in reversed(f):
        total = total * s + c
    return (total > 0) - (total < 0)


def united(intervals: list[tuple]) -> list[tuple]:
    """The union of intervals, in order; ends that the enclosures leave apart by less than twice their width are joined."""
    found = []
    for low, high in sorted(intervals, key=lambda i: i[0]):
        if found and (found[-1][1] is None or low <= found[-1][1] + 2 * CLOSE):
            last = found[-1][1]
            found[-1] = (found[-1][0], None if last is None or high is None else max(last, high))
        else:
            found.append((low, high))
    return found


def negative_at(regions: list[tuple], intervals: list[tuple]) -> list[tuple]:
    """For each region one of the intervals that it was made of."""
    def inside(region, interval):
        return region[0] <= interval[0] and (region[1] is None or (interval[1] is not None and interval[1] <= region[1]))
    return [next(i for i in intervals if inside(region, i)) for region in regions]


def number(start: int, s: Fraction | None) -> float | None:
    """An end of a region as a number of t, for readers."""
    return None if s is None else round(float(start + s), 9)


def as_sympy(f: Iterable[int]) -> sympy.Poly:
    return sympy.Poly(list(f)[::-1], S, domain="ZZ")


def reason(f: Poly) -> dict:
    """Why f, which is negative nowhere, is so: its signs, or a square and Sturm's chain of the rest."""
    if min(f, default=0) >= 0:
        return {"s": list(f)}
    low = next(i for i, c in enumerate(f) if c)
    factor, parts = as_sympy(f[low:]).sqf_list()
    square, rest = as_sympy([1]), as_sympy([int(factor)])
    for part, times in parts:
        square, rest = square * part ** (times // 2), rest * part ** (times % 2)
    return {"s": list(f), "square": listed(square), "chain": sturm_chain(rest)}


def sturm_chain(rest: sympy.Poly) -> list[dict]:
    """S_0, its derivative, and the negative remainders, in whole numbers: a S_(i-1) = q S_i - b S_(i+1)."""
    chain, before, here = [{"s": listed(rest)}], rest, rest.diff()
    while not here.is_zero:
        scale = abs(int(here.LC())) ** (before.degree() - here.degree() + 1)
        q, remainder = (before * scale).div(here)
        b = int(remainder.content()) or 1
        chain.append({"s": listed(here), "a": scale, "b": b, "q": listed(q)})
        before, here = here, -(remainder.quo_ground(b))
    return chain


def listed(f: sympy.Poly) -> list[int]:
    return [int(c) for c in f.all_coeffs()[::-1]]


@dataclass(frozen=True)
class Region:
    """Where a statement is false, in epsilon = ``power`` ln t."""

    low: float
    high: float


def regions(certificate: Certificate, power: float = 1.0) -> list[Region]:
    """The regions of a certificate as intervals of epsilon = power * ln t.

    >>> regions(Certificate("a", "breaks", "t", breaks=["2"], regions=[[1.0, None]]))
    [Region(low=0.0, high=inf)]
    """
    return [Region(power * math.log(a), math.inf if b is None else power * math.log(b)) for a, b in certificate.regions]
