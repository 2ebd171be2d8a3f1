"""Deciding a statement for every epsilon: the prover, its certificates, and the checker that trusts nobody."""

import ast
import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from privbook.prover import certificates, interval_proofs, readings, statements
from privbook.prover import decide as prover
from privbook.prover.certificates import Certificate, Formulas, Statement, Unknown, never_negative, verify
from privbook.prover.decide import Poly, decide, negative_in, reason
from privbook.prover.readings import Coins
from privgraph.mechanisms import NoisyArgMax, RandomisedResponse

QUICK = ("randomised-response", "multi-bit", "grr-fs-one-feature", "grr-fs-one-feature-mixed", "symmetric-response",
         "degree-preserving-response", "blink", "neighbour-replacement", "neighbour-replacement-elsewhere")
POLYNOMIALS = st.lists(st.integers(-9, 9), min_size=1, max_size=8).map(Poly.from_coefficients)


def of(*factors):
    """The product of polynomials, given by their coefficients, the lowest power first."""
    return math.prod(map(Poly.from_coefficients, factors), start=Poly((1,)))


@given(POLYNOMIALS, POLYNOMIALS, st.integers(0, 3))
def test_polynomials_calculate_as_sympy_does(f, g, k):
    for ours, theirs in ((f + g, prover.as_sympy(f) + prover.as_sympy(g)),
                         (f * g, prover.as_sympy(f) * prover.as_sympy(g)),
                         (f - g, prover.as_sympy(f) - prover.as_sympy(g)), (f**k, prover.as_sympy(f) ** k),
                         (3 - f, 3 - prover.as_sympy(f))):
        assert list(ours) == [int(c) for c in sympy.Poly(theirs, prover.U).all_coeffs()[::-1]][:len(ours)]
        assert sympy.Poly(theirs, prover.U) == prover.as_sympy(ours)


@settings(max_examples=100)
@given(POLYNOMIALS)
def test_a_polynomial_is_negative_where_it_says_and_nowhere_else(f):
    """Against the values at 100 points; and where there is no such place, the reason convinces the checker."""
    regions = negative_in(f)
    for s in [Fraction(k, 7) for k in range(1, 100)] + [Fraction(10**6)]:
        inside = any(low < s and (high is None or s < high) for low, high in regions)
        at_an_end = any(abs(s - end) < 1e-9 for region in regions for end in region if end is not None)
        assert at_an_end or inside == (prover.sign_at(f, s) < 0)
    if not regions:
        assert never_negative(**reason(f))


@pytest.mark.parametrize("f", [of((2, -2, 1)), of((1, -1, 1), (4, -4, 1), (0, 0, 0, 1)), of((5, -4, 1), (5, -4, 1)),
                               of((1, 2, 1), (2, -2, 1), (3, 1)), of((1, -2, 1), (9, -6, 1), (2, -2, 1)),
                               of((-1, 1), (-1, 1))])
def test_where_signs_do_not_do_a_chain_does(f):
    found = reason(f)
    assert min(f) < 0 and "chain" in found and never_negative(**found)


@pytest.mark.parametrize("f", [of((-1, 1), (-2, 1)), of((-1, 1), (-2, 1), (-2, 1), (1, 1)), of((1, -3, 1)),
                               of((2, -2, 1), (-7, 1))])
def test_a_chain_of_a_polynomial_with_roots_convinces_nobody(f):
    assert negative_in(f) and not never_negative(**reason(f))


def test_a_forged_chain_is_refused():
    f = of((1, -3, 1))  # negative between .38 and 2.6
    honest = reason(of((3, -3, 1)))
    assert never_negative(**honest) and not never_negative(**honest | {"u": list(f)})
    short = {"u": list(f), "square": [1], "chain": [{"u": list(f)}, {"u": [-3, 2], "a": 4, "b": 1, "q": [-3, 2]}]}
    assert not never_negative(**short)
    flipped = [{**link, "u": [-c for c in link["u"]]} if i == 2 else link for i, link in enumerate(reason(f)["chain"])]
    assert not never_negative(u=list(f), square=[1], chain=flipped)
    assert not never_negative(u=[-1], square=[1], chain=[]) and not never_negative(u=[0, -1])


def long_chain(f, points):
    """A chain whose third part is the right one plus a multiple of what vanishes at all ``points``:
    signs as one likes."""
    honest = reason(f)["chain"]
    bump = of(*((-point, 1) for point in range(points)))
    forged = [dict(link) for link in honest]
    forged[2]["u"] = list(Poly.from_coefficients(forged[2]["u"]) - bump * 10**9)
    return forged


@pytest.mark.parametrize("points", range(3, 9))
def test_a_chain_with_a_part_that_is_too_long_is_refused(points):
    """(s - 1)(s - 2), with a remainder that agrees with the right one at every point that a careless checker looks
    at."""
    f = of((-1, 1), (-2, 1))
    assert not never_negative(list(f), [1], long_chain(f, points))


def test_the_forgeries_of_a_referee_are_refused():
    """Both passed an earlier checker: a remainder of too high a degree,
    and numbers so small that all products are 0.0."""
    long = [{"u": [-81, -9, 8]}, {"u": [-9, 16], "a": 10465, "b": 1, "q": []},
            {"u": [847665, -6983703, 14661880, -10321920, 2949120, -294912], "a": 1, "b": 1, "q": []},
            {"u": [9, -16], "a": 1, "b": 1, "q": [94185, -608527, 547272, -173952, 18432]}]
    assert not never_negative([0, 0, -81, -9, 8], [1], long)
    tiny, small = 2.0**-1000, 2.0**-100
    under = {"u": [2, -3, 1], "square": [2.0**500], "chain": [
        {"u": [2 * tiny, -3 * tiny, tiny]}, {"u": [-3 * tiny, 2 * tiny], "a": small, "b": small, "q": [0]},
        {"u": [-tiny], "a": small, "b": small, "q": [0]}]}
    assert not certificates.well_formed(Certificate("a", "holds", "t", 9, [under]))
    for wrong in (2.0, True, "2", None, [1]):
        assert not certificates.well_formed(Certificate("a", "holds", "t", 9, [{"u": [1, wrong]}]))
    assert certificates.well_formed(Certificate("a", "holds", "t", 9, [reason(of((2, -2, 1)))]))
    assert not certificates.well_formed(Certificate("a", "refuted", "t", 9)) and not certificates.well_formed(
        Certificate("a", "holds", "t", 1.0))


@pytest.mark.parametrize("family", QUICK)
def test_the_committed_certificates_are_what_the_prover_finds(family):
    assert [decide(statement) for statement in statements.FAMILIES[family]()] == statements.load(family)


def changed(polynomials, place, i, change):
    wrong = [dict(p, u=list(p["u"])) for p in polynomials]
    wrong[place]["u"][i] += change
    return wrong


@pytest.mark.parametrize("family", QUICK)
def test_a_certificate_with_one_coefficient_changed_is_refused(family, monkeypatch):
    """Some eight coefficients of its largest polynomial, by one up and down;
    the first and the last statement of the family."""
    for name in ("Formulas", "evaluate"):  # of the statement, which stays the same
        monkeypatch.setattr(certificates, name, cache(getattr(certificates, name)))
    pairs = statements.with_certificates(family)
    for statement, right in pairs[::max(1, len(pairs) - 1)]:
        place = max(range(len(right.never_negative)), key=lambda i: sum(right.never_negative[i]["u"]))
        length = len(right.never_negative[place]["u"])
        for i in range(0, length, max(1, length // 8)):
            for change in (-1, 1):
                assert not verify(statement, replace(right,
                                                     never_negative=changed(right.never_negative, place, i, change)))
        for i in range(len(right.always_negative)):
            wrong = [c - (k == i) for k, c in enumerate(right.always_negative)]
            assert not verify(statement, replace(right, always_negative=wrong))


def test_what_is_false_has_no_certificate():
    """The right certificate of another bound, one without the decisive polynomial,
    and those of another name or variable."""
    true, false = (Statement("three", RandomisedResponse(1.0, 3), (0, 1, 2), bound)
                   for bound in (lambda t: (t, 1), lambda t: (t + 1, 2)))
    right, broken = decide(true), decide(false)
    assert verify(true, right) and verify(false, broken) and broken.verdict == "breaks" and broken.always_negative
    assert not verify(false, right) and not verify(true, broken)
    for i in range(len(right.never_negative)):
        assert not verify(true, replace(right, never_negative=right.never_negative[:i] + right.never_negative[i + 1:]))
    for other in (dict(name="four"), dict(variable="e^1"), dict(verdict="refuted"), dict(degree=0),
                  dict(degree=right.degree - 1)):
        assert not verify(true, replace(right, **other))
    assert not verify(false, replace(broken, always_negative=[0])) and not verify(
        false, replace(broken, always_negative=[0, -2]))
    assert not verify(false, replace(broken, always_negative=[], breaks=[]))
    assert not verify(false, replace(broken, always_negative=[],
                                     breaks=["1"])) and verify(false, replace(broken, always_negative=[], breaks=["2"]))


def test_a_bound_that_fails_on_one_side_only():
    """t <= (t^3 + 12) / 10 fails between two roots of t^3 - 10 t + 12, of which one is 2;
    and the parts have certificates."""
    def part(start, end=None):
        return Statement("two", RandomisedResponse(1.0, 2), (0, 1), lambda t: (t**3 + 12, 10), start=Fraction(start),
                         end=end and Fraction(end))
    whole = decide(part(1))
    assert whole.verdict == "breaks" and not whole.always_negative and verify(part(1), whole)
    (low, high), = prover.where_false(part(1))
    assert float(low) == pytest.approx(7**0.5 - 1) and float(high) == pytest.approx(2)
    for start, end, verdict in (("1", "1.6457", "holds"), ("1.6458", "2", "breaks"), ("2", None, "holds"),
                                ("1", "1.65", "breaks")):
        found = decide(part(start, end))
        assert found.verdict == verdict and verify(part(start, end), found)
        assert bool(found.always_negative) == (start == "1.6458")
        other = part("1.6", "1.7")
        assert not verify(other, found)


def test_the_coins_of_equation_4_break_up_to_a_root():
    """Both sides are certified to the sixth digit; the root is where the floating-point loss is the bound."""
    for size, root in ((3, statements.ROOTS[3]), (4, statements.ROOTS[4])):
        far_apart = tuple(statements.vectors((size,) * 3)[i] for i in (0, -1))
        (low, high), = prover.where_false(Statement("coins", Coins((size,) * 3, (1, 3)), far_apart,
                                                     statements.power(1)))
        assert low == 1 and root < high < root + statements.LAST_DIGIT
        t = float(high)
        loss = 3 * math.log((t + 2 * (t + size - 1) / size) / (1 + 2 * (t + size - 1) / size))
        assert loss == pytest.approx(math.log(t), abs=1e-9)


@pytest.mark.parametrize("mechanism, bound, why", [
    (dict(a={0: -1, 1: -2}, b={0: -2, 1: -1}), lambda t: (t, 1), "must not be negative"),
    (dict(a={0: 1, 1: 2}, b={0: 2, 1: 1}), lambda t: (-t, -1), "must not be negative"),
    (dict(a={0: 1, 1: 3}, b={0: 2, 1: 1}), lambda t: (t, 1), "must have one sum")])
def test_what_a_statement_must_be(mechanism, bound, why):
    """Weights and bounds that could be negative, and totals that differ, are no statement;
    and no certificate makes them one."""
    class Table:
        one_total = True

        def weights(self, x, t):
            return {o: w * t for o, w in mechanism[x].items()}

    statement = Statement("table", Table(), ("a", "b"), bound)
    with pytest.raises(ValueError, match=why):
        decide(statement)
    if why == "must not be negative":
        gaps = [{"u": list(f)} for f in prover.polynomials(statement)[1]]
        assert not verify(statement, Certificate("table", "holds", "e^epsilon", 9, gaps))


def test_a_neighbour_is_an_input():
    statement = Statement("outside", RandomisedResponse(1.0, 3), (0, 1), lambda t: (t, 1), neighbours=lambda x: [2])
    with pytest.raises(ValueError, match="must be an input"):
        verify(statement, decide(replace(statement, neighbours=None)))


@pytest.mark.parametrize("family", ["multi-bit", "grr-fs-one-feature", "symmetric-response", "blink",
                                    "neighbour-replacement"])
def test_prover_and_checker_see_the_same_cases(family):
    """They list pairs and outcomes and calculate F each in its own way; at a point the values are the same."""
    for statement in statements.FAMILIES[family]():
        chances, gaps = prover.polynomials(statement)
        theirs = certificates.evaluate(statement, Formulas(statement), 7)
        for ours, found in ((chances, theirs[0]), (gaps, theirs[1])):
            assert {certificates.value(f, 7) for f in ours} == set(found)


def test_no_neighbours_proves_nothing():
    with pytest.raises(ValueError, match="no two inputs are neighbours"):
        decide(Statement("alone", RandomisedResponse(1.0, 2), (0,), lambda t: (t, 1)))


class Made:
    """A mechanism of two equal rows, whose first outcome weighs what is made of t."""

    one_total = True

    def __init__(self, made):
        self.made = made

    def weights(self, x, t):
        return {0: self.made(t), 1: 1}


@given(POLYNOMIALS, POLYNOMIALS)
def test_the_degree_is_never_understated(f, g):
    """By the checker, by the prover in its own way, and neither more than the other."""
    def made(t):
        def at(p):
            return sum((c * t**k for k, c in enumerate(p)), start=0 * t)
        return at(f) * (at(g) - 1) + 3 - at(f) ** 2

    statement = Statement("made", Made(made), (0, 1), lambda t: (t, 1))
    assert Formulas(statement).degree == prover.degree_of(statement) >= 1 + 2 * (len(made(Poly((0, 1)))) - 1)
    assert Formulas(statement).at(7)[0][0][0] == made(7)


@pytest.mark.parametrize("power", [-1, -4, 0.5, True])
def test_powers_are_whole_numbers(power):
    """t**-4 understated a degree: a bound that differs from a true one only between the points then looked true."""
    for t in (Unknown([], "t"), Poly((0, 1))):
        with pytest.raises(TypeError, match="powers must be whole numbers"):
            t**power


def test_what_is_about_nothing_proves_nothing():
    """Weights or a bound of 0 everywhere, and intervals of no length."""
    class Nothing:
        one_total = True

        def weights(self, x, t):
            return {0: 0 * t, 1: 0 * t}

    for statement in (Statement("no weights", Nothing(), (0, 1), lambda t: (t, 1)),
                      Statement("no bound", RandomisedResponse(1.0, 2), (0, 1), lambda t: (0 * t, 0 * t))):
        assert not verify(statement, decide(statement))
    for last in ("0", "-0.0", "-1"):
        assert not interval_proofs.verify(interval_proofs.Pieces(5, "1", True, last, ()))


def imported(module):
    """What a module imports, (from where, what)."""
    nodes = [node for node in ast.walk(ast.parse(Path(module.__file__).read_text("utf-8")))
             if isinstance(node, (ast.Import, ast.ImportFrom))]
    return {(getattr(node, "module", None), alias.name) for node in nodes for alias in node.names}


def test_checker_and_prover_share_no_calculation():
    """The checker imports nothing that calculates, and the prover of the checker two forms, which calculate nothing."""
    assert {module or name for module, name in imported(certificates)} == {"json", "re", "collections.abc",
                                                                           "dataclasses", "fractions"}
    own = {(module, name) for module, name in imported(prover) if name in vars(certificates) or name == "certificates"}
    assert {name for module, name in own if module not in ("collections.abc", "fractions")} == {"Certificate",
                                                                                                 "Statement"}
    assert not {module for module, _ in imported(readings)} & {"certificates", "decide"}  # they know neither
    forms = [node for node in ast.parse(Path(certificates.__file__).read_text("utf-8")).body
             if isinstance(node, ast.ClassDef) and node.name in ("Certificate", "Statement")]
    assert [node.name for form in forms for node in form.body if isinstance(node, ast.FunctionDef)] == ["as_text"]


# The Laplace arg max.


@pytest.mark.parametrize("c", [2, 3, 5, 10, 47])
@pytest.mark.parametrize("lead", [0.01, 0.5, 2.0, 6.0])
def test_the_margin_is_that_of_the_mechanism(c, lead):
    """D_f = (e^(f L) lose - win) e^0, written without the integral: both from the library's win and lose."""
    mechanism = NoisyArgMax(1 / lead, c, "laplace")
    found = interval_proofs.margin(interval_proofs.iv.mpf(lead), c, "1.25")
    expected = math.exp(1.25 * lead) * mechanism.lose - mechanism.win
    assert float(found.a) <= expected + 1e-12 and expected - 1e-12 <= float(found.b) and float(found.b - found.a) < 1e-9


@pytest.mark.parametrize("c", [3, 5, 20])
def test_the_slope_is_that_of_the_margin(c):
    def at(lead):
        return float(interval_proofs.margin(interval_proofs.iv.mpf(lead), c, "1.1").mid)
    for lead in (0.1, 1.0, 4.0):
        assert float(interval_proofs.slope(interval_proofs.iv.mpf(lead), c,
                                     "1.1").mid) == pytest.approx((at(lead + 1e-6) - at(lead - 1e-6)) / 2e-6, rel=1e-6,
                                                                  abs=0)


def test_a_false_statement_about_laplace_noise_is_not_proved():
    """The largest ratio is 1.1728, at five classes; three classes are above 1 / beta up to L = 1.86 and not to 1.9."""
    for c, how in ((5, dict(factor="1.1727")), (3, dict(above=True, last="1.9")), (2, dict(above=True, last="0.5"))):
        with pytest.raises(ArithmeticError, match="not decided"):
            interval_proofs.prove(c, **how)


def test_a_wrong_proof_about_laplace_noise_is_refused():
    right = interval_proofs.prove(5, factor="1.1733")
    assert interval_proofs.verify(right)
    for wrong in (dict(factor="1.1725"), dict(num_classes=4, last="3"), dict(steps=right.steps[:-1]),
                  dict(steps=(1, *right.steps[1:]))):
        assert not interval_proofs.verify(replace(right, **wrong))
    above = interval_proofs.prove(3, above=True, last="1.8")
    assert interval_proofs.verify(above)
    for wrong in (dict(num_classes=2), dict(last="1.9")):
        assert not interval_proofs.verify(replace(above, **wrong))


@pytest.mark.parametrize("text", ["1.1733", "2.48", "2.88", "3.38", "0.1"])
def test_decimal_text_is_enclosed(text):
    """The factor as an interval, the end of the pieces from above: a double may lie on either side of its decimal."""
    enclosed = interval_proofs.iv.mpf(text)
    assert Fraction(float(enclosed.a)) <= Fraction(text) <= Fraction(float(enclosed.b))
    assert Fraction(interval_proofs.Pieces(3, "1", True, text, ()).end) >= Fraction(text)


def test_the_exponential_is_enclosed():
    """At points where mpmath's own is an interval that misses, against 40 digits."""
    mpmath.mp.dps = 40
    for x in (-0.30390748729546946, -3.5025195389361024, *np.random.default_rng(0).uniform(-9, 2, 2000)):
        found, true = interval_proofs.exp(interval_proofs.iv.mpf(float(x))), mpmath.exp(mpmath.mpf(float(x)))
        assert mpmath.mpf(found.a) <= true <= mpmath.mpf(found.b)


def test_the_slope_at_zero_is_at_least_one():
    """epsilon / L tends to c (1 - 2^(1-c)) / (c - 1), so no factor below 1 holds for all L: ``verify`` asks for 1."""
    for c in range(2, 51):
        limit = Fraction(c * (2 ** (c - 1) - 1), (c - 1) * 2 ** (c - 1))
        assert limit >= 1 and NoisyArgMax(1e5, c, "laplace").epsilon * 1e5 == pytest.approx(float(limit), rel=1e-4,
                                                                                            abs=0)
    assert not interval_proofs.verify(interval_proofs.Pieces(2, "0.99", False, "4", ()))
