r"""The chances of finite mechanisms as polynomials of :math:`t = e^{\varepsilon}`,
so that a statement can be decided for every epsilon.

A mechanism's ``weights(input, t)`` are numbers in proportion to the chances of its outcomes. They are made of t and
whole numbers by sums and products only. So t may be a number (and ``Pr[o | x]`` is a weight over the sum of all), or a
polynomial. Each class here has ``at(t)``, the library's mechanism with that budget; the tests compare the two.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product

from privgraph.audit.neighbour_lists import ListReport
from privgraph.mechanisms import (
    GRRFS,
    Blink,
    DegreePreservingResponse,
    MultiBit,
    NoisyArgMax,
    RandomisedResponse,
    SymmetricResponse,
)

Weights = dict[Hashable, object]


@dataclass(frozen=True)
class ResponseWeights:
    """Randomised response: t for the truth, 1 for each other answer; t = e^epsilon."""

    one_total = True
    num_classes: int

    def at(self, t: float) -> RandomisedResponse:
        return RandomisedResponse(math.log(t), self.num_classes)

    def weights(self, answer: int, t) -> Weights:
        return {o: t if o == answer else 1 for o in range(self.num_classes)}


@dataclass(frozen=True)
class MultiBitWeights:
    """Multi-bit on vectors of 0 and 1; t = e^(epsilon / m).

    Vectors between need no look: a chance is linear in each value, so the largest of Pr[o | x] and the least of
    Pr[o | x'] are both at corners.
    """

    one_total = True
    num_features: int
    sampled: int

    def at(self, t: float) -> MultiBit:
        return MultiBit(self.sampled * math.log(t), self.num_features, sampled=self.sampled)

    def weights(self, vector: tuple[int, ...], t) -> Weights:
        table = {}
        for places in combinations(range(self.num_features), self.sampled):
            for bits in product((1, -1), repeat=self.sampled):
                chosen = dict(zip(places, bits, strict=True))
                report = tuple(chosen.get(i, 0) for i in range(self.num_features))
                table[report] = t ** sum((bit > 0) == (vector[i] == 1) for i, bit in chosen.items())
        return table


@dataclass(frozen=True)
class GRRFSWeights:
    """GRR-FS, over the common denominator of all features; t = e^eps_x."""

    one_total = True
    domain_sizes: tuple[int, ...]
    sampled: int

    def at(self, t: float) -> GRRFS:
        return GRRFS(math.log(t), self.domain_sizes, self.sampled)

    def weights(self, vector: tuple[int, ...], t) -> Weights:
        """Sums over the choices of m features: a sampled one weighs size * (t or 1), a faked one t + size - 1."""
        table = {}
        for report in product(*map(range, self.domain_sizes)):
            sums = [1] + [0] * self.sampled
            for size, truth, said in zip(self.domain_sizes, vector, report, strict=True):
                real = size * (t if said == truth else 1)
                sums = [sums[k] * (t + size - 1) + (sums[k - 1] * real if k else 0) for k in range(len(sums))]
            table[report] = sums[self.sampled]
        return table


@dataclass(frozen=True)
class CoinWeights:
    """RGNN's equation 4 with a coin for each feature: randomised response with probability a / b, else uniform;
    t = e^eps_x."""

    one_total = True
    domain_sizes: tuple[int, ...]
    fraction: tuple[int, int]

    def at(self, t: float) -> "Coins":
        return Coins(math.log(t), self.domain_sizes, self.fraction[0] / self.fraction[1])

    def weights(self, vector: tuple[int, ...], t) -> Weights:
        a, b = self.fraction
        parts = [[a * size * (t if o == truth else 1) + (b - a) * (t + size - 1) for o in range(size)]
                 for size, truth in zip(self.domain_sizes, vector, strict=True)]
        return {report: math.prod((part[o] for part, o in zip(parts, report, strict=True)), start=1)
                for report in product(*map(range, self.domain_sizes))}


@dataclass(frozen=True)
class Coins:
    """The same mechanism in floating point. It is not in the library:
    a reading of the paper that has another budget."""

    epsilon: float
    domain_sizes: tuple[int, ...]
    fraction: float

    def distribution(self, vector: tuple[int, ...]) -> dict[tuple[int, ...], float]:
        rows = [[self.fraction * p + (1 - self.fraction) / size
                 for p in RandomisedResponse(self.epsilon, size).distribution(x).values()]
                for size, x in zip(self.domain_sizes, vector, strict=True)]
        return {o: math.prod(row[v] for row, v in zip(rows, o, strict=True))
                for o in product(*map(range, self.domain_sizes))}


@dataclass(frozen=True)
class GumbelWeights:
    """The arg max with Gumbel noise, on rows of scores k / parts; t = e^(1 / (beta parts)).
    A row is a tuple of the k."""

    one_total = False
    num_classes: int
    parts: int = 1

    def at(self, t: float) -> "Scored":
        return Scored(NoisyArgMax(1 / (self.parts * math.log(t)), self.num_classes), self.parts)

    def weights(self, row: tuple[int, ...], t) -> Weights:
        return {o: t**k for o, k in enumerate(row)}

    def rows(self) -> list[tuple[int, ...]]:
        """All rows of whole numbers that sum to ``parts``."""
        cuts = combinations(range(self.parts + self.num_classes - 1), self.num_classes - 1)
        return [tuple(b - a - 1 for a, b in pairwise((-1, *cut, self.parts + self.num_classes - 1))) for cut in cuts]


@dataclass(frozen=True)
class Scored:
    """A mechanism on probabilities, called with whole numbers over ``parts``."""

    mechanism: NoisyArgMax
    parts: int

    def distribution(self, row: tuple[int, ...]) -> dict[int, float]:
        return self.mechanism.distribution([k / self.parts for k in row])


# Edges. An input is what a person's list holds (``OneRow``) or everybody's lists (``AllRows``).


@dataclass(frozen=True)
class SymmetricRow:
    """What v sends in symmetric response; t = e^epsilon."""

    def at(self, t: float) -> SymmetricResponse:
        return SymmetricResponse(math.log(t))

    def row(self, v: int, friends: frozenset[int], n: int, t) -> Weights:
        return bit_weights(friends, range(v + 1, n), (t, 1), (1, t))


@dataclass(frozen=True)
class DegreePreservingRow:
    """What v sends in degree-preserving response; t^a = e^eps_1 and t^b = e^eps_2.

    A 1 of a friend is sent with q p, one of a stranger with q (1 - p). For a noisy degree k with 2 k < n - 1 these are
    k t^b and k over k (t^b - 1) + n - 1; for a larger one q = 1.
    """

    degree_power: int = 1
    edge_power: int = 9

    def at(self, t: float) -> DegreePreservingResponse:
        return DegreePreservingResponse(self.degree_power * math.log(t), self.edge_power * math.log(t))

    def row(self, v: int, friends: frozenset[int], n: int, t) -> Weights:
        others, e = [u for u in range(n) if u != v], t**self.edge_power
        noisy, table = degree_weights(len(friends), n, t**self.degree_power), {}
        below = {k: k * (e - 1) + n - 1 if 2 * k < n - 1 else e + 1 for k in range(n)}  # denominators
        for k in range(n):
            ones = (k * e, k) if 2 * k < n - 1 else (e, 1)
            pairs = [(one, below[k] - one) for one in ones]
            rest = math.prod((below[j] for j in range(n) if j != k), start=1) ** (n - 1)
            for bits, weight in bit_weights(friends, others, *pairs).items():
                table[bits] = table.get(bits, 0) + noisy[k] * weight * rest
        return table


@dataclass(frozen=True)
class BlinkRow:
    """What v sends in Blink: bits and a noisy degree; t^a = e^eps_d and t^b = e^eps_a."""

    reports: int = 2
    degree_power: int = 1
    edge_power: int = 9

    def at(self, t: float) -> Blink:
        return Blink(self.degree_power * math.log(t), self.edge_power * math.log(t), self.reports)

    def row(self, v: int, friends: frozenset[int], n: int, t) -> Weights:
        others, e = [u for u in range(v + 1 if self.reports == 1 else 0, n) if u != v], t**self.edge_power
        bits = bit_weights(friends, others, (e, 1), (1, e))
        noisy = degree_weights(len(friends), n, t**self.degree_power)
        return {(row, k): w * noisy[k] for row, w in bits.items() for k in range(n)}


@dataclass(frozen=True)
class OneRow:
    """One person's report; an input is her list. Everybody else's is independent of it."""

    one_total = True
    rows: object
    person: int
    num_nodes: int

    def at(self, t: float) -> "OneRowOf":
        return OneRowOf(self.rows.at(t), self.person, self.num_nodes)

    def weights(self, friends: frozenset[int], t) -> Weights:
        return self.rows.row(self.person, friends, self.num_nodes, t)


@dataclass(frozen=True)
class OneRowOf:
    """The library's mechanism, one person's report of it."""

    mechanism: object
    person: int
    num_nodes: int

    def distribution(self, friends: frozenset[int]) -> dict:
        return self.mechanism.row_distribution(self.person, friends, self.num_nodes)


@dataclass(frozen=True)
class AllRows:
    """Everybody's reports; an input is a tuple of lists."""

    one_total = True
    rows: object

    def at(self, t: float):
        return self.rows.at(t)

    def weights(self, lists: tuple[frozenset[int], ...], t) -> Weights:
        parts = [self.rows.row(v, friends, len(lists), t).items() for v, friends in enumerate(lists)]
        return {tuple(o for o, _ in row): math.prod((w for _, w in row), start=1) for row in product(*parts)}


@dataclass(frozen=True, eq=False)
class ReplacementWeights:
    """A person's own report in neighbour replacement, everybody else's list fixed; an input is her list;
    t = e^epsilon."""

    one_total = False
    report: ListReport

    def at(self, t: float) -> ListReport:
        mechanism = type(self.report.mechanism)(**vars(self.report.mechanism) | {"epsilon": math.log(t)})
        return ListReport(mechanism, self.report.data, self.report.person)

    def weights(self, friends: frozenset[int], t) -> Weights:
        table = {(): 1}
        for u in sorted(friends):
            longer = {}
            for names, weight in table.items():
                for name in self.report.tables[u]:
                    key = tuple(sorted((*names, name)))
                    longer[key] = longer.get(key, 0) + weight * (t if name == u else 1)
            table = longer
        return table


def bit_weights(friends: frozenset[int], others: Sequence[int], friend: tuple, stranger: tuple) -> Weights:
    """Weights of a row of bits; ``friend`` and ``stranger``: the weights of (1, 0)."""
    pairs = [friend if u in friends else stranger for u in others]
    return {bits: math.prod((pair[1 - bit] for bit, pair in zip(bits, pairs, strict=True)), start=1)
            for bits in product((0, 1), repeat=len(pairs))}


def degree_weights(degree: int, n: int, t) -> list:
    """Two-sided geometric noise on a degree, clamped to 0..n-1, times t^(n - 1) (t + 1)."""
    inner = [t ** (n - 1 - abs(k - degree)) * (t - 1) for k in range(n)]
    return [t ** (n - degree), *inner[1:-1], t ** (degree + 1)]
