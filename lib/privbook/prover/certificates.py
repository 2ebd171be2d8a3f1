r"""Certificates of statements about every epsilon, and the checker that verifies them.

A statement says that :math:`\Pr[o \mid x] \le B \Pr[o \mid x']` for all its inputs x, neighbours x', outcomes o, and
all t between ``start`` and ``end``. With ``weights`` w and their sums W that is
:math:`F = B_1 w'(o) W - B_2 w(o) W' \ge 0`, a polynomial in t. Put :math:`t = \text{start} + u`, or
:math:`t = (\text{start} + u\, \text{end}) / (1 + u)` where there is an end: then u > 0, and F times a positive factor
is a polynomial in u. A certificate holds such polynomials and, for each, why it is never negative: it has no negative
coefficient, or Sturm's chain shows that it has no root. If the statement is false for all these t, it holds one that is
always negative; if for some only, such t.

The checker shares no calculation with the prover (``for_all``). It never multiplies polynomials: two of degree at most
n that agree at n + 1 points are the same.
"""

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction

VERDICTS = ("holds", "breaks")


@dataclass(frozen=True, eq=False)
class Statement:
    """For start < t < end, every x in ``inputs`` and each of its neighbours (both ways)
    the ratio of chances is at most the bound.

    :param mechanism: has ``weights(input, t)``, made of t and whole numbers by sums and products.
    :param bound: t -> (numerator, denominator), made likewise.
    :param variable: what t is.
    :param neighbours: input -> its neighbours, which must be inputs too; None: all inputs.
    """

    name: str
    mechanism: object
    inputs: tuple
    bound: Callable
    neighbours: Callable[[Hashable], Iterable[Hashable]] | None = None
    variable: str = "e^epsilon"
    start: Fraction = Fraction(1)
    end: Fraction | None = None

    def place(self, u: int) -> tuple[int | Fraction, int]:
        """t for a u, and the factor that makes whole numbers of a polynomial of degree 1 in t."""
        a, b = Fraction(self.start), Fraction(1 if self.end is None else self.end)
        whole, below = a.denominator * b.denominator, 1 if self.end is None else 1 + u
        t = (a + u * b) / below
        return (t.numerator if t.denominator == 1 else t), whole * below


@dataclass(frozen=True)
class Certificate:
    """``never_negative``: polynomials in u (coefficients, lowest power first),
    each with Sturm's chain where signs do not do.

    :param degree: what the factors of the polynomials are raised to.
    :param always_negative: a polynomial in u that makes the statement false for all its t, where there is one.
    :param breaks: numbers t, as text, at which the statement is false.
    """

    name: str
    verdict: str
    variable: str
    degree: int
    never_negative: list[dict] = field(default_factory=list)
    always_negative: list[int] = field(default_factory=list)
    breaks: list[str] = field(default_factory=list)

    def as_text(self) -> str:
        return json.dumps({name: part for name, part in asdict(self).items() if part}, separators=(",", ":"))


def verify(statement: Statement, certificate: Certificate) -> bool:
    """Whether the certificate proves what it says of the statement: true for all its t,
    or false for all (or for some)."""
    c = certificate
    same = (c.name, c.variable) == (statement.name, statement.variable)
    if not same or not well_formed(c) or c.degree < degree_of(statement):
        return False
    rows = [evaluate(statement, *statement.place(u), c.degree) for u in range(c.degree + 1)]
    if not any(map(all, (row[2] for row in rows))):  # a total or a bound of 0 everywhere would make anything true
        return False
    chances, gaps = (set(zip(*(row[i] for row in rows), strict=True)) for i in (0, 1))
    known = {values(p["u"], c.degree) for p in c.never_negative}
    if not chances <= known or not all(never_negative(**p) for p in c.never_negative):
        return False  # what should be chances and bounds might be negative
    if c.verdict == "holds":
        return gaps <= known
    if c.always_negative:
        return max(c.always_negative) <= 0 > min(c.always_negative) and values(c.always_negative, c.degree) in gaps
    return bool(c.breaks) and all(false_at(statement, Fraction(text)) for text in c.breaks)


def evaluate(statement: Statement, t, factor: int = 1, degree: int = 1) -> tuple[list, list, list]:
    """At t, times factor^degree: what is to be a chance or a bound; F for all pairs of neighbours and outcomes; and,
    as they are, what must not vanish: the totals and the bound's denominator.

    Where the mechanism says that all inputs have one total, W = W' is left out (and looked at).
    """
    tables = {x: statement.mechanism.weights(x, t) for x in statement.inputs}
    totals = {x: sum(table.values()) for x, table in tables.items()}
    (above, below), scale = statement.bound(t), factor**degree
    divisors = list(totals.values())
    if statement.mechanism.one_total:
        if len(set(totals.values())) > 1:
            raise ValueError(
                f"{statement.name}: the weights of all inputs must have one sum, got {set(totals.values())} at t = {t}")
        totals = dict.fromkeys(totals, 1)
    gaps = []
    for x, other in pairs(statement):
        for o in dict.fromkeys([*tables[x], *tables[other]]):
            gaps.append(above * tables[other].get(o, 0) * totals[x] - below * tables[x].get(o, 0) * totals[other])
    chances = [above, below, *(w for table in tables.values() for w in table.values())]
    return [v * scale for v in chances], [v * scale for v in gaps], [below, *divisors]


def pairs(statement: Statement) -> Iterator[tuple]:
    """(x, x') in both orders, each once.

    :raises ValueError: for a neighbour that is no input, or where there is none.
    """
    found = {}
    for x in statement.inputs:
        for other in statement.inputs if statement.neighbours is None else statement.neighbours(x):
            if other not in statement.inputs:
                raise ValueError(f"{statement.name}: the neighbour {other} of {x} must be an input")
            if other != x:
                found[x, other] = found[other, x] = None
    if not found:
        raise ValueError(f"{statement.name}: no two inputs are neighbours")
    yield from found


@dataclass(frozen=True)
class Degree:
    """Put in the place of t, it computes an upper bound of the degree of what is made of it and whole numbers."""

    value: int

    def __add__(self, other):
        return Degree(max(self.value, degree(other)))

    def __mul__(self, other):
        return Degree(self.value + degree(other))

    def __pow__(self, power: int):
        if type(power) is not int or power < 0:
            raise TypeError(f"powers must be whole numbers of at least 0, got {power!r}")
        return Degree(self.value * power)

    def __neg__(self):
        return self

    __radd__ = __sub__ = __rsub__ = __add__
    __rmul__ = __mul__


def degree(made) -> int:
    """Of what a ``Degree`` stands for, or of a whole number."""
    if isinstance(made, Degree):
        return made.value
    if not isinstance(made, int):
        raise TypeError(f"weights and bounds must be made of t and whole numbers, got {made!r}")
    return 0


def degree_of(statement: Statement) -> int:
    """At least the degree of each polynomial of the statement: a bound, an outcome's weight, and the other's total."""
    one = Degree(1)
    totals = {x: max(map(degree, statement.mechanism.weights(x, one).values())) for x in statement.inputs}
    return max(map(degree, statement.bound(one))) + max(totals[x] + totals[other] for x, other in pairs(statement))


def well_formed(c: Certificate) -> bool:
    """A known verdict, and lists of whole numbers only: floating-point ones round, and prove nothing."""
    links = [link for p in c.never_negative for link in p.get("chain", ())]
    lists = [[c.degree, *c.always_negative],
             *(p[name] for p in c.never_negative for name in ("u", "square") if name in p),
             *(link[name] for link in links for name in ("u", "q") if name in link),
             [link[name] for link in links for name in ("a", "b") if name in link]]
    whole = all(type(number) is int for numbers in lists for number in numbers)
    short = whole and max(map(len, [c.always_negative, *(p["u"] for p in c.never_negative)])) <= c.degree + 1
    return c.verdict in VERDICTS and short


def false_at(statement: Statement, t: Fraction) -> bool:
    """Whether the statement is false at one of its t."""
    inside = statement.start < t and (statement.end is None or t < statement.end)
    chances, gaps, divisors = evaluate(statement, t)
    return inside and all(divisors) and min(chances) >= 0 > min(gaps)


def values(coefficients: list[int], degree: int) -> tuple[int, ...]:
    """The values of a polynomial at 0..degree."""
    return tuple(value(coefficients, u) for u in range(degree + 1))


def never_negative(u: Sequence[int], square: Sequence[int] = (1,), chain: Sequence[dict] = ()) -> bool:
    """Whether a polynomial is at least 0 for all u > 0: no negative coefficient, or a square times a power of u times a
    polynomial that ends positive and by its chain has no root."""
    if min(u, default=0) >= 0:
        return True
    rest = chain[0]["u"] if chain else []
    if not rest or rest[0] == 0 or rest[-1] <= 0:
        return False
    power = len(u) - len(rest) - 2 * (len(square) - 1)
    same = power >= 0 and all(value(u, at) == value(square, at) ** 2 * at**power * value(rest, at)
                              for at in range(len(u) + 1))
    return same and is_sturm_chain(chain) and variations(chain, 0) == variations(chain, -1)


def is_sturm_chain(chain: list[dict]) -> bool:
    """S_1 is the derivative of S_0, a S_(i-1) = Q S_i - b S_(i+1) with a, b > 0,
    and the last S divides the one before it.

    Degrees fall, and no S ends in a zero.
    """
    parts = [link["u"] for link in chain]
    good = [*parts[1:2], []][0] == [k * c for k, c in enumerate(parts[0])][1:]
    good &= all(part and part[-1] != 0 for part in parts)
    good &= all(len(a) > len(b) for a, b in zip(parts, parts[1:], strict=False))
    for before, link, after in zip(parts, chain[1:], [*parts[2:], []], strict=False):  # parts has one more
        a, b, q, here = link["a"], link["b"], link["q"], link["u"]
        enough = max(len(before), len(q) + len(here), len(after)) + 1
        good &= a > 0 and b > 0 and all(a * value(before, at) == value(q, at) * value(here, at) - b * value(after, at)
                                        for at in range(enough))
    return good


def variations(chain: list[dict], end: int) -> int:
    """Changes of sign along the chain at u = 0 (``end`` 0) or at infinity (``end`` -1)."""
    signs = [link["u"][end] > 0 for link in chain if link["u"][end] != 0]
    return sum(a != b for a, b in zip(signs, signs[1:], strict=False))


def value(coefficients: list[int], u):
    """The polynomial at u, by Horner's rule."""
    total = 0
    for c in reversed(coefficients):
        total = total * u + c
    return total
