"""Deciding a statement for every epsilon: the prover, its certificates, and the checker that trusts nobody."""

import ast
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from privgraph.audit import certificates, for_all, intervals, statements
from privgraph.audit.certificates import Certificate, Degree, Statement, never_negative, verify
from privgraph.audit.for_all import Poly, decide, reason, where_negative
from privgraph.audit.weights import ResponseWeights
from privgraph.mechanisms import NoisyArgMax

QUICK = ("randomised-response", "multi-bit", "grr-fs-one-feature", "grr-fs-one-feature-mixed", "symmetric-response",
         "degree-preserving-response", "blink", "neighbour-replacement", "neighbour-replacement-elsewhere")
POLYNOMIALS = st.lists(st.integers(-9, 9), min_size=1, max_size=8).map(Poly.of)


def of(*factors):
    """The product of polynomials, given by their coefficients, the lowest power first."""
    return math.prod(map(Poly.of, factors), start=Poly((1,)))


@given(POLYNOMIALS, POLYNOMIALS, st.integers(0, 3))
def test_polynomials_calculate_as_sympy_does(f, g, k):
    for ours, theirs in ((f + g, for_all.as_sympy(f) + for_all.as_sympy(g)), (f * g, for_all.as_sympy(f) * for_all.as_sympy(g)),
                         (f - g, for_all.as_sympy(f) - for_all.as_sympy(g)), (f**k, for_all.as_sympy(f) ** k),
                         (3 - f, 3 - for_all.as_sympy(f))):
        assert list(ours) == [int(c) for c in sympy.Poly(theirs, for_all.S).all_coeffs()[::-1]][:len(ours)]
        assert sympy.Poly(theirs, for_all.S) == for_all.as_sympy(ours)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(POLYNOMIALS)
def test_a_polynomial_is_negative_where_it_says_and_nowhere_else(f):
    """Against the values at 100 points; and where there is no such place, the reason convinces the checker."""
    regions = where_negative(f)
    for s in [Fraction(k, 7) for k in range(1, 100)] + [Fraction(10**6)]:
        inside = any(low < s and (high is None or s < high) for low, high in regions)
        at_an_end = any(abs(s - end) < 1e-9 for region in regions for end in region if end is not None)
        assert at_an_end or inside == (for_all.sign_at(f, s) < 0)
    if not regions:
        assert never_negative(**reason(f))


@pytest.mark.parametrize("f", [of((2, -2, 1)), of((1, -1, 1), (4, -4, 1), (0, 0, 0, 1)), of((5, -4, 1), (5, -4, 1)),
                               of((1, 2, 1), (2, -2, 1), (3, 1)), of((1, -2, 1), (9, -6, 1), (2, -2, 1)), of((-1, 1), (-1, 1))])
def test_where_signs_do_not_do_a_chain_does(f):
    found = reason(f)
    assert min(f) < 0 and "chain" in found and never_negative(**found)


@pytest.mark.parametrize("f", [of((-1, 1), (-2, 1)), of((-1, 1), (-2, 1), (-2, 1), (1, 1)), of((1, -3, 1)), of((2, -2, 1), (-7, 1))])
def test_a_chain_of_a_polynomial_with_roots_convinces_nobody(f):
    assert where_negative(f) and not never_negative(**reason(f))


def test_a_forged_chain_is_refused():
    f = of((1, -3, 1))  # negative between .38 and 2.6
    honest = reason(of((3, -3, 1)))
    assert never_negative(**honest) and not never_negative(**honest | {"s": list(f)})
    short = {"s": list(f), "square": [1], "chain": [{"s": list(f)}, {"s": [-3, 2], "a": 4, "b": 1, "q": [-3, 2]}]}
    assert not never_negative(**short)
    flipped = [{**link, "s": [-c for c in link["s"]]} if i == 2 else link for i, link in enumerate(reason(f)["chain"])]
    assert not never_negative(s=list(f), square=[1], chain=flipped)
    assert not never_negative(s=[-1], square=[1], chain=[]) and not never_negative(s=[0, -1])


@pytest.mark.parametrize("family", QUICK)
def test_the_committed_certificates_are_what_the_prover_finds(family):
    assert [decide(statement) for statement in statements.FAMILIES[family]()] == statements.load(family)


@pytest.mark.parametrize("family", QUICK)
def test_a_certificate_with_one_coefficient_changed_is_refused(family):
    """Each coefficient of one of its polynomials in turn, by one up and down; the first statements of the family."""
    for statement, right in zip(list(statements.FAMILIES[family]())[:4], statements.load(family)):
        if right.verdict == "breaks":
            assert not verify(statement, replace(right, breaks=[str(statement.start)]))
            assert not verify(statement, replace(right, everywhere=[c + 1 for c in right.everywhere] or [-1]))
            continue
        place = max(range(len(right.never_negative)), key=lambda i: sum(right.never_negative[i]["s"]))
        for i in range(len(right.never_negative[place]["s"])):
            for change in (-1, 1):
                wrong = [dict(p, s=list(p["s"])) for p in right.never_negative]
                wrong[place]["s"][i] += change
                assert not verify(statement, replace(right, never_negative=wrong))


def test_what_is_false_has_no_certificate():
    """The right certificate of another bound, one without the decisive polynomial, and one that claims a break."""
    true, false = (Statement("three", ResponseWeights(3), (0, 1, 2), bound) for bound in (lambda t: (t, 1), lambda t: (t + 1, 2)))
    right, broken = decide(true), decide(false)
    assert verify(true, right) and verify(false, broken) and broken.verdict == "breaks" and broken.regions == [[1.0, None]]
    assert not verify(false, right) and not verify(true, broken)
    assert not verify(true, replace(right, never_negative=right.never_negative[:-1]))
    assert not verify(true, replace(right, name="four")) and not verify(false, replace(broken, breaks=[]))
    assert not verify(false, replace(broken, everywhere=[0])) and not verify(false, replace(broken, everywhere=[0, -2]))


def test_a_bound_that_fails_on_one_side_only():
    """t <= (t^3 + 12) / 10 fails between two roots of t^3 - 10 t + 12."""
    statement = Statement("two", ResponseWeights(2), (0, 1), lambda t: (t**3 + 12, 10))
    found = decide(statement)
    (low, high), = found.regions
    roots = sorted(r.real for r in np.roots([1, 0, -10, 12]) if abs(r.imag) < 1e-9 and r.real > 1)
    assert (low, high) == pytest.approx(roots, abs=1e-8) and low < Fraction(found.breaks[0]) < high
    assert for_all.regions(found)[0].low == pytest.approx(math.log(roots[0]))


def test_the_coins_of_equation_4_break_up_to_a_root():
    """Three values: false exactly below eps_x = 1.567, at which the floating-point loss is the bound."""
    by_name = {c.name: c for c in statements.load("grr-fs-coins")}
    region, = for_all.regions(by_name["domains 3x3x3"])
    keep = lambda t: (t + 2 * (t + 2) / 3) / (1 + 2 * (t + 2) / 3)
    assert region.low == 0 and 3 * math.log(keep(math.exp(region.high))) == pytest.approx(region.high, abs=1e-7)
    assert by_name["domains 3x3x3, from 5 on"].verdict == by_name["domains 2x2x2"].verdict == "holds"


@pytest.mark.parametrize("family", statements.FAMILIES)
def test_weights_are_the_chances_of_the_library(family):
    """At four budgets, for all inputs of small statements and some of large ones, and all outcomes."""
    for statement in statements.FAMILIES[family]():
        inputs = statement.inputs if len(statement.inputs) < 20 else statement.inputs[::len(statement.inputs) // 5]
        for t in (1.05, 2.0, math.e, 9.0):
            mechanism = statement.mechanism.at(t)
            for x in inputs:
                weights = {o: w for o, w in statement.mechanism.weights(x, t).items() if w}
                total, chances = sum(weights.values()), mechanism.distribution(x)
                assert set(weights) == {o for o, p in chances.items() if p > 0}
                assert {o: w / total for o, w in weights.items()} == pytest.approx({o: chances[o] for o in weights}, rel=1e-9)


def test_one_total_is_looked_at():
    class Uneven(ResponseWeights):
        def weights(self, answer, t):
            return super().weights(answer, t) | {0: t * t if answer == 0 else 1}

    statement = Statement("uneven", Uneven(2), (0, 1), lambda t: (t, 1))
    with pytest.raises(ValueError, match="must have one sum"):
        decide(statement)
    with pytest.raises(ValueError, match="must have one sum"):
        verify(statement, Certificate("uneven", "holds", "t"))


def test_no_neighbours_proves_nothing():
    with pytest.raises(ValueError, match="no two inputs are neighbours"):
        decide(Statement("alone", ResponseWeights(2), (0,), lambda t: (t, 1)))


@given(POLYNOMIALS, POLYNOMIALS)
def test_the_degree_is_never_understated(f, g):
    def made(t):
        at = lambda p: sum((c * t**k for k, c in enumerate(p)), start=0 * t)
        return at(f) * (at(g) - 1) + 3 - at(f) ** 2

    assert int(made(Degree(1))) >= len(made(Poly((0, 1)))) - 1


def test_the_checker_shares_nothing_with_the_prover():
    source = Path(certificates.__file__).read_text(encoding="utf-8")
    imported = {alias.name for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names}
    modules = {node.module for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)}
    assert not {"sympy", "for_all", "Poly"} & (imported | modules)


# The Laplace arg max.


@pytest.mark.parametrize("c", [2, 3, 5, 10, 47])
@pytest.mark.parametrize("lead", [0.01, 0.5, 2.0, 6.0])
def test_the_margin_is_that_of_the_mechanism(c, lead):
    """D_f = (e^(f L) lose - win) e^0, written without the integral: both from the library's win and lose."""
    mechanism = NoisyArgMax(1 / lead, c, "laplace")
    found = intervals.margin(intervals.iv.mpf(lead), c, 1.25)
    expected = math.exp(1.25 * lead) * mechanism.lose - mechanism.win
    assert float(found.a) <= expected + 1e-12 and expected - 1e-12 <= float(found.b) and float(found.b - found.a) < 1e-9


@pytest.mark.parametrize("c", [3, 5, 20])
def test_the_slope_is_that_of_the_margin(c):
    at = lambda lead: float(intervals.margin(intervals.iv.mpf(lead), c, 1.1).mid)
    for lead in (0.1, 1.0, 4.0):
        assert float(intervals.slope(intervals.iv.mpf(lead), c, 1.1).mid) == pytest.approx((at(lead + 1e-6) - at(lead - 1e-6)) / 2e-6, rel=1e-6)


def test_a_false_statement_about_laplace_noise_is_not_proved():
    """The largest ratio is 1.1728, at five classes; three classes are above 1 / beta up to L = 1.86 and not to 1.9."""
    for c, how in ((5, dict(factor=1.1727)), (3, dict(above=True, last=1.9)), (2, dict(above=True, last=0.5))):
        with pytest.raises(ArithmeticError, match="not decided"):
            intervals.prove(c, **how)


def test_a_wrong_proof_about_laplace_noise_is_refused():
    right = intervals.prove(5, factor=1.1733)
    assert intervals.verify(right)
    assert not intervals.verify(replace(right, factor=1.1725)) and not intervals.verify(replace(right, num_classes=4, last=3.0))
    assert not intervals.verify(replace(right, steps=right.steps[:-1])) and not intervals.verify(replace(right, steps=(1, *right.steps[1:])))
    above = intervals.prove(3, above=True, last=1.8)
    assert intervals.verify(above) and not intervals.verify(replace(above, num_classes=2)) and not intervals.verify(replace(above, last=1.9))
