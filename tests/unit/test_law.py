"""One law, many types of numbers: what floats make of a mechanism's weights is what exact numbers make of them."""

import math
from fractions import Fraction

import pytest
import torch

from privgraph import mechanisms as M
from privgraph.mechanisms import edge_sampling
from privgraph.mechanisms.drawing import Drawing
from privgraph.mechanisms.law import Decay, Finite, chances, numbers, together
from privgraph.randomness import seeded

BUDGETS = (1e-30, 1e-9, 0.1, 1.0, 15.9, 40.0, 300.0, 720.0)
CASES = [(mechanism, mechanism.audit_case()) for kind in M.all_mechanisms().values() if issubclass(kind, Finite)
         for mechanism in kind.examples() if getattr(mechanism, "noise", "gumbel") == "gumbel"]
DRAWN = [(mechanism, mechanism.audit_case()) for kind in M.all_mechanisms().values() if hasattr(kind, "audit_case")
         for mechanism in kind.examples()]
LIARS = M.RandomisedResponse, M.MultiBit, M.SymmetricResponse, M.NeighbourReplacement  # each must be seen to lie
ROWS = [(0, frozenset(), 3), (0, frozenset({1}), 4), (1, frozenset({0, 2, 3}), 4), (0, frozenset({1}), 2)]


def exactly(weigh, budgets) -> dict:
    """The chances, from weights of fractions: e^-epsilon to 400 digits."""
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(450):
        gone = [Fraction(int(mpmath.mpf(10) ** 400 * mpmath.exp(-mpmath.mpf(b))), 10**400) for b in budgets]
    ones = tuple(Fraction(1) for _ in budgets)
    weights = weigh(ones[0], gone[0]) if len(budgets) == 1 else weigh(ones, tuple(gone))
    total = sum(weights.values())
    return {outcome: weight / total for outcome, weight in weights.items()}


def laws():
    """(name, from budgets to the mechanism's chances and the exact ones)."""
    def of(make, x, **how):
        mechanism = make(1.0)
        return lambda epsilon: (make(epsilon).distribution(x), exactly(
            lambda t, one: mechanism.weights(x, t, one), make(epsilon).budgets))

    def row(make, *who):
        return lambda epsilon: (make(epsilon).row_distribution(*who), exactly(
            lambda t, one: make(1.0).row_weights(*who, t, one), make(epsilon).budgets))
    yield "response", of(lambda e: M.RandomisedResponse(e, 7), 2)
    yield "bits", of(lambda e: M.MultiBit(e, 3, sampled=2), (0.0, 0.25, 1.0))
    yield "grr-fs", of(lambda e: M.GRRFS(e, (2, 3, 4), 2), (1, 0, 3))
    yield "votes", of(lambda e: M.NoisyVotes(1 / e, "gumbel"), (2, 0, 1))
    for number, who in enumerate(ROWS):
        yield f"bits of a row {number}", row(M.SymmetricResponse, *who)
        yield f"row and degree {number}", row(lambda e: M.Blink(e, e), *who)
        yield f"small degree budget {number}", row(lambda e: M.Blink(0.1, e), *who)
        yield f"thinned row {number}", row(lambda e: M.DegreePreservingResponse(e, e), *who)
        yield f"thinned row, degree told well {number}", row(lambda e: M.DegreePreservingResponse(2.0, e), *who)


@pytest.mark.parametrize("name, law", [pytest.param(*law, id=law[0]) for law in laws()])
def test_chances_are_right_to_the_last_digits(name, law):
    """At budgets from where nothing is told to where everything is; a chance that a float can hold is never 0."""
    for epsilon in BUDGETS:
        found, exact = law(epsilon)
        assert set(found) == set(exact) and math.fsum(found.values()) == pytest.approx(1, abs=1e-15)
        for outcome, chance in exact.items():
            if chance > 1e-290:  # subnormal numbers have fewer digits
                largest = 1e-13 if name == "votes" or epsilon >= 40 else 4e-15  # of exp, where what it takes is large
                assert abs(Fraction(found[outcome]) / chance - 1) < largest, (epsilon, outcome)


@pytest.mark.parametrize("mechanism, case", CASES, ids=[repr(mechanism) for mechanism, _ in CASES])
def test_weights_are_of_one_degree(mechanism, case):
    """With 2 t and 2 one, of any one budget, each weight is the same power of two larger, so it does not matter which
    of the two is 1; and none is in the place of another budget's."""
    def weigh(x, *factors):
        t, one = numbers(mechanism.budgets)
        if len(mechanism.budgets) == 1:
            return mechanism.weights(x, factors[0] * t, factors[0] * float(one), *case.public)
        return mechanism.weights(x, *(tuple(factor * float(each) for factor, each in zip(factors, values, strict=True))
                                      for values in (t, one)), *case.public)
    several = range(len(mechanism.budgets))
    for x in case.inputs:
        here = weigh(x, *(1 for _ in several))
        for larger in several:
            there = weigh(x, *(2 if budget == larger else 1 for budget in several))
            ratios = {round(math.log2(there[o] / weight), 9) for o, weight in here.items() if weight}
            assert len(ratios) == 1 and set(here) == set(there)


@pytest.mark.parametrize("mechanism, case", CASES, ids=[repr(mechanism) for mechanism, _ in CASES])
def test_one_is_1_where_it_is_not_said(mechanism, case):
    """As where t is a polynomial."""
    t, one = (3, 1) if len(mechanism.budgets) == 1 else ((3, 5), (1, 1))
    assert mechanism.weights(case.inputs[-1], t) == mechanism.weights(case.inputs[-1], t, one)


@pytest.mark.parametrize("sizes, sampled", [((2, 3), 1), ((2, 2, 4), 2), ((3, 3, 3), 3)])
def test_weights_of_grr_fs_are_over_the_denominator_that_is_said(sizes, sampled):
    """Of each choice of m features, each feature's answers weigh its size times t + size - 1, sampled or faked."""
    total = math.comb(len(sizes), sampled) * math.prod(size * (7 + size - 1) for size in sizes)
    assert sum(M.GRRFS(1.0, sizes, sampled).weights([0] * len(sizes), 7).values()) == total


@pytest.mark.parametrize("mechanism, case", CASES, ids=[repr(mechanism) for mechanism, _ in CASES])
def test_the_audit_reads_the_weights(mechanism, case):
    for x in case.inputs:
        weighed = chances(mechanism.weights(x, *numbers(mechanism.budgets), *case.public))
        assert case.distribution(x) == pytest.approx(weighed, rel=1e-12, abs=0)


@pytest.mark.parametrize("epsilon", [*BUDGETS, math.inf])
def test_what_is_drawn_is_the_law(epsilon):
    """The chances of the coins, which are computed apart so that a seed draws what it always drew."""
    response, (bit, *_) = M.RandomisedResponse(epsilon, 5), M.MultiBit(epsilon, 1).distribution((0.0,)).items()
    table, grr, d = response.distribution(0), M.GRRFS(epsilon, (3, 4), 1), 2
    assert (table[0], table[1]) == pytest.approx((response.keep, response.flip), rel=4e-16, abs=0)
    assert bit == ((1,), pytest.approx(M.MultiBit(epsilon, 1).lie, rel=4e-16, abs=0))
    right = sum(p for report, p in grr.distribution((1, 2)).items() if report[1] == 2)
    assert right == pytest.approx(grr.chances(1)[0], rel=1e-15, abs=0) and grr.fraction == 1 / d
    symmetric = M.SymmetricResponse(epsilon)
    told = symmetric.row_distribution(0, frozenset({1}), 3)
    assert told[0, 0] == pytest.approx(symmetric.lie * symmetric.keep, rel=1e-15, abs=0)
    for of_degree in (math.inf if epsilon > 700 else epsilon, 0.7):
        thinned = M.DegreePreservingResponse(of_degree, epsilon)
        q = thinned.thinning(torch.arange(5, dtype=torch.double), 5)
        degree = edge_sampling.degree_distribution(1, thinned.epsilon_degree, 5)
        none = sum(d * (1 - q_k * thinned.response.keep) * (1 - q_k * thinned.response.lie) ** 3
                   for d, q_k in zip(degree.tolist(), q.tolist(), strict=True))
        assert thinned.row_distribution(0, frozenset({1}), 5)[0, 0, 0, 0] == pytest.approx(none, rel=1e-9, abs=1e-15)


def test_who_is_alone_has_one_degree():
    assert edge_sampling.degree_weights(0, 1, 3, 1) == [1]


@pytest.mark.parametrize("mechanism, case", DRAWN, ids=[repr(mechanism) for mechanism, _ in DRAWN])
def test_a_lie_has_one_chance_for_a_seed_and_for_secret_bits(mechanism, case, monkeypatch):
    """A seed compares with the chance of the truth, and may do so in 32 bits; secret bits take that of the lie."""
    lies, leaning, told = Drawing.lies, Drawing.leaning, []
    monkeypatch.setattr(Drawing, "lies", lambda self, keep, lie, *rest, **how: (
        told.append((keep, lie)), lies(self, keep, lie, *rest, **how))[1])
    monkeypatch.setattr(Drawing, "leaning", lambda self, fraction, slope, lie: (
        told.append((0.5 + 0.5 * slope, lie)), leaning(self, fraction, slope, lie))[1])
    for x in case.inputs[:20]:
        getattr(mechanism, "report", mechanism)(case.encode(x), generator=seeded(0))
    assert told or not isinstance(mechanism, LIARS)
    for keep, lie in told:
        assert getattr(lie, "dtype", torch.double) == torch.double
        rounded = torch.finfo(getattr(keep, "dtype", torch.double)).eps
        assert torch.as_tensor(keep + lie, dtype=torch.double).numpy() == pytest.approx(1, abs=2 * rounded)


def test_a_decay_keeps_the_digits_that_a_float_has_lost():
    gone = Decay(1000.0)
    assert gone == 0 and gone**0.25 == math.exp(-250) and gone**0 == Decay(math.inf) ** 0 == 1
    assert 1.0 - Decay(1e-300) == 1e-300 and 3.0 - Decay(1.0) == 3 - math.exp(-1) and Decay(2.0) * 2 == 2 * math.exp(-2)


def test_independent_parts_together():
    assert together([{0: 2, 1: 3}, {"a": 5}]) == {(0, "a"): 10, (1, "a"): 15} and together([]) == {(): 1}
