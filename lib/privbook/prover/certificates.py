r"""Certificates of statements about every epsilon, and the checker that verifies them.

A statement says that :math:`\Pr[o \mid x] \le B \Pr[o \mid x']` for all its inputs x, neighbours x', outcomes o, and
all t between ``start`` and ``end``. With ``weights`` w and their sums W that is
:math:`F = B_1 w'(o) W - B_2 w(o) W' \ge 0`, a polynomial in t. Put :math:`t = \text{start} + u`, or
:math:`t = (\text{start} + u\, \text{end}) / (1 + u)` where there is an end: then u > 0, and F times a positive factor
is a polynomial in u. A certificate says which statement it is about, with every input and every pair of neighbours, and
holds such polynomials and, for each, why it is never negative: it has no negative coefficient, or Sturm's chain shows
that it has no root. If the statement is false for all these t, it holds one that is
always negative; if for some only, such t. It holds nothing that the proof does not need.

The checker shares no code with the prover (``decide``) but the two forms that are filled in here, ``Statement`` and
``Certificate``. It never multiplies polynomials: two of degree at most n that agree at n + 1 points are the same. It
asks for weights and bounds once, with a t that shows neither a value nor a sign (``Unknown``), and writes down what
is done with it; so they are the same sums and products at every t. It trusts no certificate: whatever one holds, the
answer is yes or no, and what is longer than a proof needs to be is not looked at.
"""

import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from fractions import Fraction

VERDICTS = ("holds", "breaks")
LONGEST, BITS = 10**6, 2000  # signs of a file, and bits of the largest coefficient
POLYNOMIALS, POINTS = 10_000, 100  # of one certificate, and numbers at which its statement is said to be false
NUMBER = re.compile(r"[0-9]{1,100}(/[0-9]{1,100})?")
ALL = "all"  # pairs: any two inputs are neighbours


@dataclass(frozen=True, eq=False)
class Statement:
    """For start < t < end, every x in ``inputs`` and each of its neighbours (both ways)
    the ratio of chances is at most the bound.

    :param mechanism: has ``weights(input, t)``, made of t and whole numbers by sums and products.
    :param inputs: made of whole numbers, tuples and frozensets.
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


@dataclass(frozen=True)
class Certificate:
    """``never_negative``: polynomials in u (coefficients, lowest power first),
    each with Sturm's chain where signs do not do.

    :param degree: what the factors of the polynomials are raised to.
    :param always_negative: a polynomial in u that makes the statement false for all its t, where there is one.
    :param breaks: numbers t, as text, at which the statement is false.
    :param inputs: of the statement, in its order: whole numbers, lists for tuples, ``{"set": list}`` for sets.
    :param pairs: neighbours, by their places among the inputs, the lower first; or ``ALL``.
    :param start: of the statement's t, as text.
    :param end: likewise; empty where there is none.
    """

    name: str
    verdict: str
    variable: str
    degree: int
    never_negative: list[dict] = field(default_factory=list)
    always_negative: list[int] = field(default_factory=list)
    breaks: list[str] = field(default_factory=list)
    inputs: list = field(default_factory=list)
    pairs: list[list[int]] | str = field(default_factory=list)
    start: str = "1"
    end: str = ""

    def as_text(self) -> str:
        return json.dumps({name: part for name, part in asdict(self).items() if part}, separators=(",", ":"))


# What is read of a certificate.


def verify_text(statements: Iterable[Statement], text: str) -> bool:
    """Whether a text proves all these statements, one certificate for each, in their order, and says nothing else."""
    wanted = list(statements)
    try:
        found = read(text)
    except ValueError:
        return False
    return len(found) == len(wanted) > 0 and all(map(verify, wanted, found))


def read(text: str) -> list[Certificate]:
    """The certificates of a file; nothing is believed of them yet.

    :raises ValueError: where they are not a list of such entries.
    """
    known = {each.name for each in fields(Certificate)}
    entries = read_list(text)
    for entry in entries:
        if not isinstance(entry, dict) or not {"name", "verdict", "variable", "degree"} <= set(entry) <= known:
            raise ValueError(f"a certificate must have some of the keys {sorted(known)}, got {str(entry)[:60]}")
    return [Certificate(**entry) for entry in entries]


def read_list(text: str) -> list:
    """A list in JSON in which no key is given twice.

    :raises ValueError: for anything else.
    """
    def once(entries: list[tuple]) -> dict:
        if len(dict(entries)) < len(entries):
            raise ValueError(f"each key must be given once, got {[name for name, _ in entries]}")
        return dict(entries)
    if len(text) > LONGEST:
        raise ValueError(f"a file of proofs must have at most {LONGEST} signs, got {len(text)}")
    try:
        found = json.loads(text, object_pairs_hook=once)
    except RecursionError:
        raise ValueError("a proof must not be nested as deeply as this one is") from None
    if not isinstance(found, list):
        raise ValueError(f"a file of proofs must be a list, got {type(found).__name__}")
    return found


def well_formed(c: Certificate) -> bool:
    """A known verdict with what it needs and no more, and lists of whole numbers only: floating-point ones round, and
    prove nothing."""
    texts = (c.name, c.verdict, c.variable, c.start, c.end)
    lists = (c.never_negative, c.always_negative, c.breaks, c.inputs)
    if not all(type(each) is str for each in texts) or not all(type(each) is list for each in lists):
        return False
    if not whole([c.degree]) or c.degree < 0 or not whole(c.always_negative, c.degree + 1):
        return False
    needed = [c.verdict, bool(c.always_negative), bool(c.breaks)] in (
        ["holds", False, False], ["breaks", True, False], ["breaks", False, True])
    points = len(c.breaks) <= POINTS and all(type(each) is str and NUMBER.fullmatch(each) for each in c.breaks)
    few = len(c.never_negative) <= POLYNOMIALS
    return needed and points and few and all(is_reason(each, c.degree + 1) for each in c.never_negative)


def is_reason(given, most: int) -> bool:
    """A polynomial of at most so many coefficients, and perhaps a square and a chain of such."""
    if type(given) is not dict or set(given) not in ({"u"}, {"u", "square", "chain"}):
        return False
    if not all(whole(given[name], most) for name in given if name != "chain"):
        return False
    links = given.get("chain", [])
    return type(links) is list and len(links) <= most and all(
        type(link) is dict and set(link) == ({"u", "a", "b", "q"} if i else {"u"}) and whole(link["u"], most)
        and (not i or whole(link["q"], most) and whole([link["a"], link["b"]])) for i, link in enumerate(links))


def whole(numbers, most: int = 2) -> bool:
    """Whether it is a list of so many whole numbers at most, none of them too long to calculate with."""
    return type(numbers) is list and len(numbers) <= most and all(
        type(number) is int and number.bit_length() <= BITS for number in numbers)


def is_about(c: Certificate, statement: Statement) -> bool:
    """Whether all that the certificate names is what the statement says, and in that order."""
    s = statement
    if (c.name, c.variable, c.start, c.end) != (s.name, s.variable, str(s.start), "" if s.end is None else str(s.end)):
        return False
    if len(c.inputs) != len(s.inputs) or [an_input(given) for given in c.inputs] != list(s.inputs):
        return False
    places = {x: i for i, x in enumerate(s.inputs)}
    near = {(places[x], places[other]) for x, other in pairs(s)}
    if c.pairs == ALL:
        return len(near) == len(c.inputs) * (len(c.inputs) - 1)
    return type(c.pairs) is list and all(whole(pair) for pair in c.pairs) and (
        [tuple(pair) for pair in c.pairs] == sorted(pair for pair in near if pair[0] < pair[1]))


def an_input(given, depth: int = 3):
    """An input as a statement has it; None for what is none, or what lies deeper than inputs do."""
    if type(given) is dict and list(given) == ["set"] and type(given["set"]) is list:
        parts = an_input(given["set"], depth)
        return None if parts is None else frozenset(parts)
    if type(given) is list and depth:
        parts = tuple(an_input(part, depth - 1) for part in given)
        return None if None in parts else parts
    return given if type(given) is int else None


# What is put into the statement's own weights.


def verify(statement: Statement, certificate: Certificate) -> bool:
    """Whether the certificate proves what it says of the statement: true for all its t,
    or false for all (or for some)."""
    c = certificate
    if not isinstance(c, Certificate) or not well_formed(c) or not is_about(c, statement):
        return False
    formulas = Formulas(statement)
    if c.degree != formulas.degree:
        return False
    rows = [evaluate(statement, formulas, *place(statement, u), c.degree) for u in range(c.degree + 1)]
    if not any(map(all, (row[2] for row in rows))):  # a total or a bound of 0 everywhere would make anything true
        return False
    chances, gaps = (set(zip(*(row[i] for row in rows), strict=True)) for i in (0, 1))
    needed = chances | gaps if c.verdict == "holds" else chances  # might be negative, as far as we know
    if len(c.never_negative) != len(needed) or needed != {values(p["u"], c.degree) for p in c.never_negative}:
        return False
    if not all(never_negative(**p) for p in c.never_negative):
        return False
    if c.always_negative:
        return max(c.always_negative) <= 0 > min(c.always_negative) and values(c.always_negative, c.degree) in gaps
    return all(false_at(statement, formulas, text) for text in c.breaks)


class Unknown:
    """t, or what was made of it: a line of the list of ``steps``, each (what is done, with which, and which).

    It can be added, multiplied and raised to a power. It has no value, so nothing can be decided by it.
    """

    __slots__ = ("line", "steps")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, steps: list, what: str, first=None, second=None):
        self.steps, self.line = steps, len(steps)
        steps.append((what, first, second))

    def line_of(self, other) -> int:
        """The line of another one, or a new one for a whole number."""
        return line_of(self.steps, other)

    def __add__(self, other):
        return Unknown(self.steps, "+", self.line, self.line_of(other))

    def __sub__(self, other):
        return Unknown(self.steps, "-", self.line, self.line_of(other))

    def __rsub__(self, other):
        return Unknown(self.steps, "-", self.line_of(other), self.line)

    def __mul__(self, other):
        return Unknown(self.steps, "*", self.line, self.line_of(other))

    def __neg__(self):
        return self * -1

    def __pow__(self, power: int):
        if type(power) is not int or power < 0:
            raise TypeError(f"powers must be whole numbers of at least 0, got {power!r}")
        return Unknown(self.steps, "^", self.line, power)

    def __eq__(self, other):
        raise TypeError(f"t has no value that could be compared, got {other!r} beside it")

    def __bool__(self):
        raise TypeError("t has no value that could be true or false")

    __radd__, __rmul__, __lt__, __le__, __gt__, __ge__ = __add__, __mul__, __eq__, __eq__, __eq__, __eq__


def line_of(steps: list, made) -> int:
    if isinstance(made, Unknown):
        if made.steps is not steps:
            raise TypeError("weights and bounds must be made of the t that they were given, got another one")
        return made.line
    if type(made) is not int:
        raise TypeError(f"weights and bounds must be made of t and whole numbers, got {made!r}")
    return Unknown(steps, "whole", made).line


class Formulas:
    """What a statement's weights and its bound do with t, written down once: ``steps``, and the lines that count."""

    def __init__(self, statement: Statement):
        self.steps: list[tuple] = []
        t = Unknown(self.steps, "t")
        self.weights = {x: {o: line_of(self.steps, w) for o, w in statement.mechanism.weights(x, t).items()}
                        for x in statement.inputs}
        self.bound = tuple(line_of(self.steps, part) for part in statement.bound(t))
        highest = self.degrees()
        each = {x: max(highest[line] for line in table.values()) for x, table in self.weights.items()}
        # at least the degree of each polynomial: a bound, an outcome's weight, and the other's total
        self.degree = max(highest[line] for line in self.bound) + max(each[x] + each[other]
                                                                      for x, other in pairs(statement))

    def degrees(self) -> list[int]:
        """An upper bound of the degree of each line."""
        found: list[int] = []
        for what, a, b in self.steps:
            found.append(1 if what == "t" else 0 if what == "whole" else found[a] * b if what == "^" else
                         found[a] + found[b] if what == "*" else max(found[a], found[b]))
        return found

    def at(self, t) -> tuple[dict, tuple]:
        """The weights of all inputs, and the bound."""
        found: list = []
        for what, a, b in self.steps:
            found.append(t if what == "t" else a if what == "whole" else found[a]**b if what == "^" else
                         found[a] + found[b] if what == "+" else found[a] - found[b] if what == "-" else
                         found[a] * found[b])
        return ({x: {o: found[line] for o, line in table.items()} for x, table in self.weights.items()},
                tuple(found[line] for line in self.bound))


def place(statement: Statement, u: int) -> tuple[int | Fraction, int]:
    """t for a u, and the factor that makes whole numbers of a polynomial of degree 1 in t."""
    a, b = Fraction(statement.start), Fraction(1 if statement.end is None else statement.end)
    whole_ends, below = a.denominator * b.denominator, 1 if statement.end is None else 1 + u
    t = (a + u * b) / below
    return (t.numerator if t.denominator == 1 else t), whole_ends * below


def evaluate(statement: Statement, formulas: Formulas, t, factor: int = 1,
             degree: int = 1) -> tuple[list, list, list]:
    """At t, times factor^degree: what is to be a chance or a bound; F for all pairs of neighbours and outcomes; and,
    as they are, what must not vanish: the totals and the bound's denominator.

    Where the mechanism says that all inputs have one total, W = W' is left out (and looked at).
    """
    tables, (above, below) = formulas.at(t)
    totals, scale = {x: sum(table.values()) for x, table in tables.items()}, factor**degree
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


def stated(statement: Statement, t: float) -> dict[Hashable, dict[Hashable, float]]:
    """Of each outcome for each input, by the formulas that the checker reads: to be compared with the library's."""
    tables, _ = Formulas(statement).at(Fraction(t))
    return {x: {o: float(Fraction(w) / sum(table.values())) for o, w in table.items()} for x, table in tables.items()}


def pairs(statement: Statement) -> Iterator[tuple]:
    """(x, x') in both orders, each once.

    :raises ValueError: for a neighbour that is no input, or where there is none.
    """
    if len(set(statement.inputs)) < len(statement.inputs):
        raise ValueError(f"{statement.name}: each input must be given once")
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


def false_at(statement: Statement, formulas: Formulas, text: str) -> bool:
    """Whether the statement is false at one of its t."""
    above, _, below = text.partition("/")
    if int(below or 1) == 0:
        return False
    t = Fraction(int(above), int(below or 1))
    inside = statement.start < t and (statement.end is None or t < statement.end)
    weights, gaps, divisors = evaluate(statement, formulas, t)
    return inside and all(divisors) and min(weights) >= 0 > min(gaps)


# What is calculated with the certificate's polynomials.


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
