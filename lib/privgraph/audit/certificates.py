r"""Certificates of statements about every epsilon, and the checker that verifies them.

A statement says that :math:`\Pr[o \mid x] \le B(t) \Pr[o \mid x']` for all its inputs x, neighbours x', outcomes o and all t > 1
(or another ``start``). With ``weights`` w and their sums W that is :math:`F = B_1 w'(o) W - B_2 w(o) W' \ge 0`, a polynomial in t, or
in s = t - start > 0.
A certificate holds all these polynomials and, for each, why it is never negative: no coefficient is negative, or
Sturm's chain shows that it has no root. Or it holds numbers t at which one of them is negative.

The checker shares no code with the prover (``for_all``). It never multiplies polynomials: two of degree at most n that agree
at n + 1 points are the same.
"""

import json
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import Path


@dataclass(frozen=True, eq=False)
class Statement:
    """For every t > ``start``, every x in ``inputs`` and each of its neighbours (both ways) the ratio of chances is at most the bound.

    :param mechanism: has ``weights(input, t)``. :param neighbours: input -> its neighbours; None: all inputs.
    :param bound: t -> (numerator, denominator), positive for t > 1. :param variable: what t is.
    """

    name: str
    mechanism: object
    inputs: tuple
    bound: Callable
    neighbours: Callable[[Hashable], Iterable[Hashable]] | None = None
    variable: str = "e^epsilon"
    start: int = 1

    def pairs(self) -> Iterator[tuple]:
        """(x, x') in both orders, each once."""
        allowed = set(self.inputs)
        near = {x: [o for o in (self.inputs if self.neighbours is None else self.neighbours(x)) if o in allowed and o != x]
                for x in self.inputs}
        both = dict.fromkeys((a, b) for x, others in near.items() for o in others for a, b in ((x, o), (o, x)))
        if not both:
            raise ValueError(f"{self.name}: no two inputs are neighbours")
        yield from both


@dataclass(frozen=True)
class Certificate:
    """``never_negative``: polynomials in s (coefficients, lowest power first), each with Sturm's chain where signs do not do.

    ``breaks``: numbers t > 1, as text, at which the statement is false; then the other field is empty. ``regions``: where it is
    false, as pairs of numbers of t (rounded, for readers; None: without end). ``everywhere``: a polynomial that is negative for all
    s > 0, where there is one: then the statement is false for every t > 1.
    """

    name: str
    verdict: str
    variable: str
    never_negative: list[dict] = field(default_factory=list)
    breaks: list[str] = field(default_factory=list)
    regions: list[list] = field(default_factory=list)
    everywhere: list[int] = field(default_factory=list)

    def save(self, path) -> None:
        Path(path).write_text(json.dumps(asdict(self), separators=(",", ":")) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path) -> "Certificate":
        return cls(**json.loads(Path(path).read_text(encoding="utf-8")))


class Degree(int):
    """Put in the place of t, it computes an upper bound of the degree of what is computed."""

    __add__ = __radd__ = __sub__ = __rsub__ = lambda a, b: Degree(max(a, b if isinstance(b, Degree) else 0))
    __mul__ = __rmul__ = lambda a, b: Degree(int(a) + (int(b) if isinstance(b, Degree) else 0))
    __pow__ = lambda a, k: Degree(int(a) * k)
    __neg__ = lambda a: a


def differences(statement: Statement, t) -> Iterator:
    """B_1 w' W - B_2 w W' at t, for every pair of neighbours and every outcome in a fixed order.

    Where the mechanism says that all inputs have one total, W = W' is left out (and looked at).
    """
    above, below = statement.bound(t)
    pairs = list(statement.pairs())
    tables = {x: statement.mechanism.weights(x, t) for x in dict.fromkeys(x for pair in pairs for x in pair)}
    totals = {x: sum(table.values()) for x, table in tables.items()}
    if statement.mechanism.one_total:
        if len(set(totals.values())) > 1:
            raise ValueError(f"{statement.name}: the weights of all inputs must have one sum, got {set(totals.values())} at t = {t}")
        totals = dict.fromkeys(totals, 1)
    for x, other in pairs:
        for o in dict.fromkeys([*tables[x], *tables[other]]):
            yield above * tables[other].get(o, 0) * totals[x] - below * tables[x].get(o, 0) * totals[other]


def verify(statement: Statement, certificate: Certificate) -> bool:
    """Whether the certificate proves what it says of the statement."""
    if certificate.name != statement.name:
        return False
    if certificate.verdict == "breaks":
        points = [Fraction(text) for text in certificate.breaks]
        false = bool(points) and all(t > statement.start and min(differences(statement, t)) < 0 for t in points)
        always = certificate.everywhere
        return false and (not always or max(always) <= 0 > min(always) and known(statement, [always], some=True))
    reasons = certificate.never_negative
    return known(statement, [reason["s"] for reason in reasons]) and all(never_negative(**reason) for reason in reasons)


def known(statement: Statement, polynomials: list[list[int]], some: bool = False) -> bool:
    """Whether all the statement's polynomials are among those (``some``: whether one of them is), by their values."""
    degree = max([int(d) for d in differences(statement, Degree(1))] + [len(p) for p in polynomials])
    points = range(1, degree + 2)  # of t
    given = {tuple(value(p, t - statement.start) for t in points) for p in polynomials}
    found = set(zip(*(differences(statement, t) for t in points)))
    return bool(found & given) if some else found <= given


def never_negative(s: list[int], square: list[int] = (1,), chain: list[dict] = ()) -> bool:
    """Whether a polynomial is at least 0 for all s > 0: no negative coefficient, or a square times a power of s times a
    polynomial that ends positive and by its chain has no root."""
    if min(s, default=0) >= 0:
        return True
    rest = chain[0]["s"] if chain else []
    if not rest or rest[0] == 0 or rest[-1] <= 0:
        return False
    power = len(s) - len(rest) - 2 * (len(square) - 1)
    same = power >= 0 and all(value(s, t) == value(square, t) ** 2 * t**power * value(rest, t) for t in range(len(s) + 1))
    return same and is_sturm_chain(chain) and variations(chain, 0) == variations(chain, -1)


def is_sturm_chain(chain: list[dict]) -> bool:
    """S_1 is the derivative of S_0, a S_(i-1) = Q S_i - b S_(i+1) with a, b > 0, and the last S divides the one before it."""
    parts = [link["s"] for link in chain]
    good = [*parts[1:2], []][0] == [k * c for k, c in enumerate(parts[0])][1:]
    for before, link, after in zip(parts, chain[1:], [*parts[2:], [0]]):
        a, b, q = link["a"], link["b"], link["q"]
        good &= a > 0 and b > 0 and all(a * value(before, t) == value(q, t) * value(link["s"], t) - b * value(after, t)
                                        for t in range(len(before) + len(q) + len(link["s"])))
    return good


def variations(chain: list[dict], end: int) -> int:
    """Changes of sign along the chain at s = 0 (``end`` 0) or at infinity (``end`` -1)."""
    signs = [link["s"][end] > 0 for link in chain if link["s"][end] != 0]
    return sum(a != b for a, b in zip(signs, signs[1:]))


def value(coefficients: list[int], s):
    """The polynomial at s, by Horner's rule."""
    total = 0
    for c in reversed(coefficients):
        total = total * s + c
    return total
