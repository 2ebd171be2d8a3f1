r"""The exact audit for every epsilon at once: decide a statement about polynomials, and leave a certificate.

The chances of a finite mechanism are rational functions of :math:`t = e^{\varepsilon}`, so "for every epsilon the ratio
is at most B" says that some polynomials are not negative for t > 1. Put t = 1 + u (or what ``statement_t`` says).
If no coefficient is negative then, that is a proof. Otherwise Sturm's theorem counts the roots with u > 0, exactly;
between them the sign is that at any one point.
"""

import math
from collections.abc import Hashable, Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise, permutations

import sympy

from .certificates import Certificate, Statement

U = sympy.Symbol("u")
CLOSE = Fraction(1, 10**12)  # how exactly a root is enclosed
Interval = tuple[Fraction, Fraction | None]


class Poly(tuple):
    """A polynomial with whole coefficients, the lowest power first, without zeros at the end."""

    @classmethod
    def from_coefficients(cls, coefficients: Iterable[int]) -> "Poly":
        found = list(coefficients)
        while found and found[-1] == 0:
            found.pop()
        return cls(found)

    def __add__(self, other):
        other = other if isinstance(other, Poly) else self.from_coefficients([other])
        long, short = (self, other) if len(self) >= len(other) else (other, self)
        return self.from_coefficients([*(a + b for a, b in zip(long, short, strict=False)), *long[len(short):]])

    def __mul__(self, other):
        if not isinstance(other, Poly):
            return self.from_coefficients(other * c for c in self)
        product = [0] * max(0, len(self) + len(other) - 1)
        for i, a in enumerate(self):
            if a:
                for j, b in enumerate(other):
                    product[i + j] += a * b
        return self.from_coefficients(product)

    def __pow__(self, power: int):
        if type(power) is not int or power < 0:
            raise TypeError(f"powers must be whole numbers of at least 0, got {power!r}")
        return math.prod([self] * power, start=type(self)((1,)))

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    __radd__, __rmul__ = __add__, __mul__


class Uncancelled(Poly):
    """A polynomial that keeps zeros at its end: its length tells the degree that it has where nothing cancels."""

    @classmethod
    def from_coefficients(cls, coefficients: Iterable[int]) -> "Uncancelled":
        return cls(coefficients)


def decide(statement: Statement) -> Certificate:
    """The certificate that the statement holds for all its t, or that it is false for all, or for some.

    >>> from privgraph.mechanisms import RandomisedResponse
    >>> found = decide(Statement("three answers", RandomisedResponse(1.0, 3), (0, 1, 2), lambda t: (t, 1)))
    >>> found.verdict, found.never_negative
    ('holds', [{'u': []}, {'u': [0, 1]}, {'u': [0, 2, 1]}, {'u': [1]}, {'u': [1, 1]}])
    """
    degree = degree_of(statement)
    chances, gaps = ({in_u(f, statement, degree) for f in fs} for fs in polynomials(statement))
    if any(negative_in(f) for f in chances):
        raise ValueError(f"{statement.name}: weights and bounds must not be negative for any of its t")
    found = Certificate(statement.name, "breaks", statement.variable, degree, [reason(f) for f in sorted(chances)],
                        inputs=[written(x) for x in statement.inputs], pairs=written_pairs(statement),
                        start=str(statement.start), end="" if statement.end is None else str(statement.end))
    if always := sorted(f for f in gaps if f and max(f) <= 0):
        return replace(found, always_negative=list(always[0]))
    if places := [place for f in gaps for place in negative_in(f)]:
        points = {statement_t(statement, between(*place)) for place in places}
        return replace(found, breaks=sorted(map(str, points)))
    return replace(found, verdict="holds", never_negative=[reason(f) for f in sorted(chances | gaps)])


def polynomials(statement: Statement) -> tuple[set[Poly], set[Poly]]:
    """In t: what is to be a chance or a bound; and F for all pairs of neighbours and outcomes."""
    t = Poly((0, 1))
    tables = {x: {o: polynomial(w) for o, w in statement.mechanism.weights(x, t).items()} for x in statement.inputs}
    above, below = map(polynomial, statement.bound(t))
    whole = {x: sum(table.values(), start=Poly()) for x, table in tables.items()}
    if statement.mechanism.one_total:
        if len(set(whole.values())) > 1:
            raise ValueError(
                f"{statement.name}: the weights of all inputs must have one sum, got {set(whole.values())}")
        whole = dict.fromkeys(whole, Poly((1,)))
    cases = {(tables[a].get(o, Poly()), tables[b].get(o, Poly()), whole[a], whole[b])
             for both in neighbours_in(statement) for a, b in permutations(both)
             for o in tables[a].keys() | tables[b].keys()}
    return {above, below, *(w for table in tables.values() for w in table.values())}, {
        above * q * all_a - below * p * all_b for p, q, all_a, all_b in cases}


def neighbours_in(statement: Statement) -> list[tuple[Hashable, Hashable]]:
    """All pairs of neighbours, in the order of the inputs."""
    inputs = statement.inputs
    near = {x: set(inputs if statement.neighbours is None else statement.neighbours(x)) for x in inputs}
    found = [(x, other) for x, other in combinations(inputs, 2) if other in near[x] or x in near[other]]
    if not found:
        raise ValueError(f"{statement.name}: no two inputs are neighbours")
    return found


def degree_of(statement: Statement) -> int:
    """The degree of F where nothing cancels; no total is left out."""
    def length(values) -> int:
        return max(len(value) if isinstance(value, Poly) else 1 for value in values) - 1
    t = Uncancelled((0, 1))
    own = {x: length(statement.mechanism.weights(x, t).values()) for x in statement.inputs}
    return length(statement.bound(t)) + max(own[x] + own[other] for x, other in neighbours_in(statement))


def written(x):
    """An input in the words of a certificate."""
    if isinstance(x, frozenset):
        return {"set": sorted(x)}
    return [written(part) for part in x] if isinstance(x, tuple) else x


def written_pairs(statement: Statement) -> list[list[int]] | str:
    """Neighbours by their places; "all" where all inputs are."""
    places, found = {x: i for i, x in enumerate(statement.inputs)}, neighbours_in(statement)
    return "all" if len(found) == math.comb(len(places), 2) else [[places[x], places[other]] for x, other in found]


def polynomial(value) -> Poly:
    return value if isinstance(value, Poly) else Poly.from_coefficients([value])


def in_u(f: Poly, statement: Statement, degree: int) -> Poly:
    """A polynomial of t as one of u, times ``below`` to the power ``degree``."""
    a, b = Fraction(statement.start), Fraction(1 if statement.end is None else statement.end)
    whole = a.denominator * b.denominator
    above = Poly.from_coefficients([int(a * whole), int(b * whole)])  # t = above / below
    below = Poly.from_coefficients([whole] if statement.end is None else [whole, whole])
    return sum((above**k * below ** (degree - k) * c for k, c in enumerate(f)), start=Poly())


def statement_t(statement: Statement, u: Fraction) -> Fraction:
    """t for any u > 0."""
    return statement.start + u if statement.end is None else (statement.start + u * statement.end) / (1 + u)


def negative_in(f: Poly) -> list[Interval]:
    """The intervals of u > 0 in which f is negative; None for infinity, other ends enclosed from inside."""
    if min(f, default=0) >= 0:
        return []
    if max(f) <= 0:
        return [(Fraction(0), None)]
    roots = [(Fraction(int(a.p), int(a.q)), Fraction(int(b.p), int(b.q)))
             for (a, b), _ in as_sympy(f).intervals(eps=sympy.Rational(CLOSE.numerator, CLOSE.denominator))]
    ends = [(Fraction(0), Fraction(0)), *sorted(root for root in roots if root[0] > 0)]
    gaps = [(low[1], high[0]) for low, high in pairwise(ends)] + [(ends[-1][1], None)]
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


def where_false(statement: Statement) -> list[Interval]:
    """The t > start at which the statement is false, as intervals in order; ends are enclosed to 1e-12.

    This is the prover's word: a certificate speaks of the t of a statement, all of them. To have both sides of an end
    certified, decide one statement up to it and one from it on.
    """
    _, gaps = polynomials(statement)
    found = []
    for low, high in sorted((place for f in gaps for place in negative_in(in_u(f, statement, degree_of(statement)))),
                            key=lambda i: i[0]):
        if found and (found[-1][1] is None or low <= found[-1][1] + 2 * CLOSE):
            last = found.pop()
            low, high = last[0], None if None in (last[1], high) else max(last[1], high)
        found.append((low, high))
    return [tuple(None if u is None else statement_t(statement, u) for u in place) for place in found]


def as_sympy(f: Iterable[int]) -> sympy.Poly:
    return sympy.Poly(list(f)[::-1] or [0], U, domain="ZZ")


def reason(f: Poly) -> dict:
    """Why f, which is negative nowhere, is so: its signs, or a square and Sturm's chain of the rest."""
    if min(f, default=0) >= 0:
        return {"u": list(f)}
    low = next(i for i, c in enumerate(f) if c)
    factor, parts = as_sympy(f[low:]).sqf_list()
    square, rest = as_sympy([1]), as_sympy([int(factor)])
    for part, times in parts:
        square, rest = square * part ** (times // 2), rest * part ** (times % 2)
    return {"u": list(f), "square": listed(square), "chain": sturm_chain(rest)}


def sturm_chain(rest: sympy.Poly) -> list[dict]:
    """S_0, its derivative, and the negative remainders, in whole numbers: a S_(i-1) = q S_i - b S_(i+1)."""
    chain: list[dict] = [{"u": listed(rest)}]
    before, here = rest, rest.diff()
    while not here.is_zero:
        scale = abs(int(here.LC())) ** (before.degree() - here.degree() + 1)
        q, remainder = (before * scale).div(here)
        b = int(remainder.content()) or 1
        chain.append({"u": listed(here), "a": scale, "b": b, "q": listed(q)})
        before, here = here, -(remainder.quo_ground(b))
    return chain


def listed(f: sympy.Poly) -> list[int]:
    return [int(c) for c in f.all_coeffs()[::-1]]
