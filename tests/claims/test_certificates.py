"""Claims decided for every epsilon: the committed certificates, verified by the checker.

Each test writes down once more which statements it needs, with mechanisms, sizes, inputs, neighbours and bounds: a file
of certificates proves what ``statements`` says, and nothing would be left to prove if that said less. The mechanisms
are the library's (but for RGNN's equation 4 read as coins, which it has not), and the checker asks them for the weights
of which the library's chances are made.
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations, product

import pytest

from privbook.prover import certificates, interval_proofs, statements
from privbook.prover.certificates import Certificate, Statement
from privbook.prover.decide import decide
from privbook.prover.readings import Coins, OneLine, OneRow
from privgraph.audit.neighbour_lists import ListReport
from privgraph.mechanisms import (
    GRRFS,
    Blink,
    DegreePreservingResponse,
    MultiBit,
    NeighbourReplacement,
    NoisyArgMax,
    RandomisedResponse,
    SymmetricResponse,
)

EQUAL = ((2, 2), (3, 3), (2, 2, 2), (3, 3, 3), (2, 2, 2, 2))
MIXED = ((2, 3), (2, 2, 3), (2, 3, 4), (2, 2, 2, 6))


@dataclass(frozen=True)
class Expected:
    """What a statement must say: ``near`` says which two inputs are neighbours, ``bound`` what t allows them."""

    name: str
    mechanism: object
    inputs: tuple
    bound: Callable
    near: Callable = lambda x, other: True
    start: Fraction = Fraction(1)
    end: Fraction | None = None

    def is_said_by(self, statement: Statement) -> bool:
        bounds = {t: statement.bound(t) for t in (2, 3, 10)}
        near = {pair for pair in permutations(self.inputs, 2) if self.near(*pair)}
        return (statement.name == self.name and mechanism_of(statement) == self.mechanism
                and set(statement.inputs) == set(self.inputs) and set(certificates.pairs(statement)) == near
                and all(Fraction(*found) == self.bound(t) for t, found in bounds.items())
                and (statement.start, statement.end) == (self.start, self.end))


def mechanism_of(statement: Statement) -> object:
    """What can be compared: a report of a list is one of a person in a graph."""
    report = statement.mechanism
    if not isinstance(report, ListReport):
        return report
    return report.mechanism, report.person, {frozenset(pair) for pair in report.data.edge_index.t().tolist()}


def verified(family: str, record_property, expected: list[Expected], verdict: str = "holds") -> list[Certificate]:
    """The family's certificates, all of one verdict, after the checker."""
    found = proved(family, expected)
    assert all(certificate.verdict == verdict for certificate in found)
    record_property("witness", f"{family}: {len(found)} statements, each {'true' if verdict == 'holds' else 'false'} "
                               "by a certificate: "
                               + "; ".join(certificate.name for certificate in found[:8]) + ("; ..." if len(found) > 8
                                                                                             else ""))
    return found


def proved(family: str, expected: list[Expected]) -> list[Certificate]:
    """The certificates of just these statements, each verified."""
    said, text = list(statements.FAMILIES[family]()), statements.text_of(family)
    assert [each.name for each in said] == [each.name for each in expected] != []
    assert all(each.is_said_by(statement) for each, statement in zip(expected, said, strict=True))
    assert certificates.verify_text(said, text)
    return certificates.read(text)


def vectors(sizes: tuple[int, ...]) -> tuple:
    return tuple(product(*map(range, sizes)))


def in_one_place(x: tuple, other: tuple) -> bool:
    return sum(a != b for a, b in zip(x, other, strict=True)) == 1


@pytest.mark.bears("proof", "dp-randomised-response")
def test_randomised_response_for_every_epsilon(record_property):
    verified("randomised-response", record_property, [
        Expected(f"{k} answers", RandomisedResponse(1.0, k), tuple(range(k)), lambda t: t)
        for k in (2, 3, 4, 6, 7, 10, 47)])


@pytest.mark.bears("proof", "lpgnn-features")
def test_multi_bit_for_every_epsilon(record_property):
    verified("multi-bit", record_property, [
        Expected(f"d = {d}, m = {m}", MultiBit(1.0, d, sampled=m), vectors((2,) * d), lambda t, m=m: t**m)
        for d in (1, 2, 3, 4) for m in range(1, d + 1)])


def grr_fs(domains: tuple, bound: Callable, near: Callable, most: int) -> list[Expected]:
    """For m = 1 to d, or to d - 1 (``most`` -1)."""
    return [Expected(f"domains {'x'.join(map(str, sizes))}, m = {m}", GRRFS(1.0, sizes, m), vectors(sizes),
                     partial(bound, m=m, d=len(sizes)), near)
            for sizes in domains for m in range(1, len(sizes) + most + 1)]


def any_two(x, other) -> bool:
    return True


@pytest.mark.bears("beside", "rgnn-theorem-1")
def test_grr_fs_costs_m_eps_for_every_epsilon(record_property):
    verified("grr-fs-any-two", record_property, grr_fs(EQUAL + MIXED, lambda t, m, d: t**m, any_two, 0))


@pytest.mark.bears("against", "rgnn-theorem-1")
def test_theorem_1_fails_for_every_epsilon(record_property):
    """From one sampled feature to all but one: false at every epsilon, not only at those that were tried."""
    expected = grr_fs(EQUAL + MIXED, lambda t, m, d: 1 + Fraction(m, d) * (t**m - 1), any_two, -1)
    assert all(c.always_negative for c in verified("grr-fs-theorem-1", record_property, expected, "breaks"))


@pytest.mark.bears("proof", "grr-fs-one-feature")
def test_one_feature_of_grr_fs_for_every_epsilon(record_property):
    verified("grr-fs-one-feature", record_property,
             grr_fs(EQUAL, lambda t, m, d: 1 + Fraction(m, d) * (t - 1), in_one_place, 0))


@pytest.mark.bears("proof", "grr-fs-one-feature")
def test_mixed_domains_exceed_the_formula_for_every_epsilon(record_property):
    expected = grr_fs(MIXED, lambda t, m, d: 1 + Fraction(m, d) * (t - 1), in_one_place, -1)
    assert all(c.always_negative for c in verified("grr-fs-one-feature-mixed", record_property, expected, "breaks"))


@pytest.mark.bears("repair", "rgnn-equation-4")
def test_where_the_coins_of_equation_4_exceed_m_eps(record_property):
    """Two values: nowhere. Three and four: at every eps_x up to 1.567 and 2.502, and nowhere beyond;
    certified on both sides."""
    roots = {3: ("4.793816", "4.793817", "1.567"), 4: ("12.211102", "12.211103", "2.502")}
    def coins(size: int, side: str = "", **interval) -> Expected:
        return Expected(f"domains {size}x{size}x{size}{side}", Coins((size,) * 3, (1, 3)), vectors((2,) * 3),
                        lambda t: t, **interval)
    expected = [coins(2)]
    for size, (below, beyond, _) in roots.items():
        expected += [coins(size, f", t up to {below}", end=Fraction(below)),
                     coins(size, f", t from {beyond} on", start=Fraction(beyond))]
    found = proved("grr-fs-coins", expected)
    assert [(c.verdict, bool(c.always_negative)) for c in found] == [("holds", False),
                                                                     *[("breaks", True), ("holds", False)] * 2]
    for size, (below, beyond, said) in roots.items():
        assert f"{math.log(float(below)):.3f}" == f"{math.log(float(beyond)):.3f}" == said
        record_property("witness", f"{size} values, d = 3, m = 1 on average: above m eps_x for all eps_x up to "
                                   f"{math.log(float(below)):.6f}")


def one_persons(row: object, slot: int, swapped: int, people: tuple[int, ...] = (0,)) -> list[Expected]:
    """All lists of a person among 3 and 4: t^slot for a name more or less, t^swapped for another name."""
    found = []
    for n, v in [(n, v) for n in (3, 4) for v in people if v < n - 1]:
        others = [u for u in range(n) if u != v]
        lists = tuple(frozenset(chosen) for size in range(n) for chosen in combinations(others, size))
        for name, power, near in (("slot", slot, lambda x, other: len(x ^ other) == 1),
                                  ("swap", swapped, lambda x, other: len(x ^ other) == 2 and len(x) == len(other))):
            found.append(Expected(f"{name}, {n} people, person {v}", OneRow(row, v, n), lists,
                                  lambda t, power=power: t**power, near))
    return found


def everybodys(name: str, law: object, n: int, power: int) -> Expected:
    """All graphs of n people, and an undirected edge more or less."""
    pairs = list(combinations(range(n), 2))
    graphs = [chosen for size in range(len(pairs) + 1) for chosen in combinations(pairs, size)]
    lists = tuple(tuple(frozenset(u for pair in graph if v in pair for u in pair if u != v) for v in range(n))
                  for graph in graphs)
    return Expected(name, law, lists, lambda t: t**power,
                    lambda x, other: sum(len(a ^ b) for a, b in zip(x, other, strict=True)) == 2)


@pytest.mark.bears("proof", "sound-edge-mechanisms")
def test_symmetric_response_for_every_epsilon(record_property):
    verified("symmetric-response", record_property, [
        *one_persons(SymmetricResponse(1.0), 1, 2, people=(0, 1, 2)),
        *(everybodys(f"undirected edge, {n} people", SymmetricResponse(1.0), n, 1) for n in (3, 4))])


@pytest.mark.bears("proof", "sound-edge-mechanisms")
def test_degree_preserving_response_for_every_epsilon(record_property):
    verified("degree-preserving-response", record_property, one_persons(DegreePreservingResponse(1.0, 1.0), 2, 2))


@pytest.mark.bears("proof", "sound-edge-mechanisms")
def test_blink_for_every_epsilon(record_property):
    verified("blink", record_property, [*one_persons(Blink(1.0, 2.0), 3, 4), everybodys(
        "undirected edge, 3 people, one report", OneLine(Blink(1.0, 2.0, reports=1)), 3, 4)])


@pytest.mark.bears("beside", "privgnn-per-query")
def test_gumbel_arg_max_for_every_epsilon(record_property):
    """Corners alone for up to 47 classes, all rows of parts for few."""
    verified("gumbel-arg-max", record_property, [
        Expected(f"{c} classes, scores in parts of {parts}", NoisyArgMax(1.0, c), tuple(
            row for row in product(range(parts + 1), repeat=c) if sum(row) == parts) if parts > 1 else tuple(
                tuple(int(i == k) for i in range(c)) for k in range(c)), lambda t, parts=parts: t**parts)
        for c, parts in ((2, 1), (3, 1), (7, 1), (10, 1), (47, 1), (2, 6), (3, 4), (4, 4))])


def replaced(name: str, edges: list[tuple[int, int]], person: int, lists: tuple[set, set]) -> Expected:
    mechanism = NeighbourReplacement(1.0, "threshold", mix=0.0, threshold=-1.0), person, set(map(frozenset, edges))
    return Expected(name, mechanism, tuple(map(frozenset, lists)), lambda t: t)


@pytest.mark.bears("proof", "replacement-loss")
def test_neighbour_replacement_for_every_epsilon(record_property):
    """A person's own report: epsilon where both neighbours have one closed set,
    and elsewhere an outcome that one cannot give."""
    verified("neighbour-replacement", record_property, [
        replaced("path 0-1-2: lists {0} and {2} of a fourth person", [(0, 1), (1, 2), (2, 0)], 3, ({0}, {2})),
        replaced("diamond 0-1-2-3 with 1-3: lists {1} and {3} of person 0", [(0, 1), (1, 2), (2, 3), (3, 0), (1, 3)], 0,
                 ({1}, {3}))])
    found = verified("neighbour-replacement-elsewhere", record_property, [
        replaced("three people, 0-1: lists {1} and {2} of person 0", [(0, 1)], 0, ({1}, {2})),
        replaced("path 0-1-2-3: lists {1} and {2} of person 0", [(0, 1), (1, 2), (2, 3)], 0, ({1}, {2}))], "breaks")
    assert all(c.always_negative for c in found)


@pytest.mark.bears("against", "privgnn-per-query")
def test_laplace_arg_max_on_whole_intervals(record_property):
    """Three to fifty classes are above 1 / beta on whole intervals of the noise;
    two to fifty are nowhere above 1.1733 / beta."""
    last = {c: f"{math.floor(100 * interval_proofs.crossing(c)) / 100:.2f}" for c in range(3, 50 + 1)}
    expected = [*((c, "1.1733", False, repr(interval_proofs.no_look(c))) for c in range(2, 50 + 1)),
                *((c, "1", True, last[c]) for c in range(3, 50 + 1))]  # to where the claim becomes true, to a hundredth
    assert interval_proofs.verify_text(expected, statements.text_of("laplace-arg-max"))
    assert [last[c] for c in (3, 4, 5, 6, 7, 10, 47)] == ["1.85", "2.48", "2.88", "3.16", "3.38", "3.85", "5.58"]
    record_property("witness", "the loss of one noisy label is above 1/beta for all 0 < 1/beta <= " +
                    ", ".join(f"{last[c]} ({c} classes)" for c in (3, 7, 10, 47))
                    + "; at most 1.1733/beta for all beta, 2 to 50 classes")


# Statements that say less, each with the certificates that the prover finds for them: the tests above want the whole.

LESS = {
    "nothing at all": lambda found: [],
    "all but the first": lambda found: found[1:],
    "all but the last": lambda found: found[:-1],
    "one of them twice": lambda found: [*found, found[-1]],
    "another order": lambda found: found[::-1],
    "another name": lambda found: [replace(found[0], name="5 answers"), *found[1:]],
    "names of two sizes exchanged": lambda found: [replace(found[0], name=found[1].name),
                                                   replace(found[1], name=found[0].name), *found[2:]],
    "fewer inputs": lambda found: [found[0], replace(found[1], inputs=found[1].inputs[:2]), *found[2:]],
    "a mechanism of more answers": lambda found: [replace(found[0], mechanism=RandomisedResponse(1.0, 3)), *found[1:]],
    "a weaker bound": lambda found: [replace(found[0], bound=lambda t: (t**2, 1)), *found[1:]],
    "a shorter interval": lambda found: [replace(found[0], end=Fraction(9)), *found[1:]],
    "a later start": lambda found: [replace(found[0], start=Fraction(2)), *found[1:]],
    "fewer neighbours": lambda found: [found[0], replace(found[1], neighbours=lambda x: [(x + 1) % 2]
                                                         if x < 2 else []), *found[2:]]}


@pytest.mark.parametrize("name", LESS)
def test_a_family_that_says_less_is_noticed(name, monkeypatch):
    """Though each of its statements has a right certificate."""
    said = LESS[name](list(statements.FAMILIES["randomised-response"]()))
    text = "[" + ",".join(decide(statement).as_text() for statement in said) + "]"
    assert not said or certificates.verify_text(said, text)
    monkeypatch.setitem(statements.FAMILIES, "randomised-response", lambda: iter(said))
    monkeypatch.setattr(statements, "text_of", lambda family: text)
    with pytest.raises(AssertionError):
        test_randomised_response_for_every_epsilon(lambda *witness: None)


@pytest.mark.parametrize("kept", [slice(0), slice(1, None), slice(None, -1)])
def test_fewer_proofs_about_laplace_noise_are_noticed(kept, monkeypatch):
    text = json.dumps(json.loads(statements.text_of(statements.LAPLACE))[kept])
    monkeypatch.setattr(statements, "text_of", lambda family: text)
    with pytest.raises(AssertionError):
        test_laplace_arg_max_on_whole_intervals(lambda *witness: None)
