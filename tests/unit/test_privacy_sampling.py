"""A sample of a fixed size: all samples of a small crowd are listed, and the curve bounds what comes out, tightly."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from privgraph.privacy import (
    FinitePair,
    GaussianPair,
    LaplacePair,
    Step,
    approximate_pair,
    fixed_size_pair,
    pld_epsilon,
    product_pair,
    pure_pair,
    rdp_epsilon,
    response_pair,
)
from privgraph.privacy.sampling import FixedSizePair, fixed_size_rdp, fraction, symmetric_pair

EPSILONS = (0.0, 0.03, 0.1, 0.4, 1.0)


def hockey_stick(p, q, t):
    return float(np.maximum(np.array(p) - t * np.array(q), 0).sum())


def outcomes(records: str, batch: int, law) -> np.ndarray:
    """The distribution of what ``law`` (of a sample) gives on a random sample of a fixed size."""
    return np.mean([law(sample) for sample in combinations(records, batch)], axis=0)


def any_of(letter: str, epsilon: float):
    """Randomised response about whether the sample holds the letter; a neighbour moves the truth by one answer."""
    keep = 1 / (1 + math.exp(-epsilon))
    return lambda sample: np.array([keep, 1 - keep] if letter in sample else [1 - keep, keep])


def count_of(letter: str, scale: float):
    """The count of a letter plus discrete Laplace noise on a wide range."""
    k = np.arange(-60, 66)
    def law(sample):
        weight = np.exp(-np.abs(k - sample.count(letter)) / scale)
        return weight / weight.sum()
    return law


@pytest.mark.parametrize("batch", [1, 2, 4])
@pytest.mark.parametrize("law, pair", [(any_of("a", 1.0), pure_pair(1.0)), (any_of("a", 4.0), pure_pair(4.0)),
                                       (count_of("a", 0.7), pure_pair(1 / 0.7))])
def test_nobody_is_told_apart_better_than_the_pair_says(batch, law, pair):
    """Every two neighbours, t above and below 1, one use and two."""
    sampled, rate = fixed_size_pair(pair, batch, 5), batch / 5
    twice = product_pair([(sampled, 2)])
    for records, other in (("abbbb", "bbbbb"), ("aabbb", "babbb"), ("aaaaa", "baaaa")):
        p, q = outcomes(records, batch, law), outcomes(other, batch, law)
        for a, b in ((p, q), (q, p)):
            for epsilon in EPSILONS:
                assert hockey_stick(a, b, math.exp(epsilon)) <= sampled.delta(epsilon) + 1e-12
                assert hockey_stick(np.outer(a, a), np.outer(b, b), math.exp(epsilon)) <= twice.delta(epsilon) + 1e-12
                assert hockey_stick(np.outer(a, b), np.outer(b, a), math.exp(epsilon)) <= twice.delta(epsilon) + 1e-12
    assert sampled.epsilon == pytest.approx(math.log1p(rate * math.expm1(pair.epsilon)))


def test_the_bound_is_attained():
    """Only the sample with an "a" answers otherwise."""
    p, q = (outcomes(records, 2, any_of("a", 1.0)) for records in ("abbbb", "bbbbb"))
    sampled = fixed_size_pair(pure_pair(1.0), 2, 5)
    for epsilon in (0.0, 0.1, 0.3):
        assert sampled.delta(epsilon) == pytest.approx(max(hockey_stick(p, q, math.exp(epsilon)),
                                                           hockey_stick(q, p, math.exp(epsilon))))


def test_two_uses_cost_more_than_the_add_remove_pair_says():
    """A person may answer in one direction once and in the other then: the Poisson pair would be too good."""
    sampled, poisson = fixed_size_pair(pure_pair(2.0), 1, 4), pure_pair(2.0).poisson(0.25)
    assert sampled.delta(0.2) == pytest.approx(poisson.delta(0.2))
    assert product_pair([(sampled, 2)]).delta(0.2) > 1.01 * product_pair([(poisson, 2)]).delta(0.2)


@pytest.mark.parametrize("pair", [response_pair(1.5, 4), approximate_pair(1.0, 0.05),
                                  FinitePair((0.6, 0.3, 0.1), (0.1, 0.3, 0.6))])
def test_finite_pairs_have_the_exact_curve(pair):
    sampled = fixed_size_pair(pair, 3, 10)
    for epsilon in (0.0, 0.05, 0.2, 0.5, 0.9):
        before = math.log1p(math.expm1(epsilon) / 0.3)
        assert sampled.delta(epsilon) == pytest.approx(0.3 * pair.delta(before), abs=1e-12)
    assert sampled.symmetric


@pytest.mark.parametrize("noise", [LaplacePair(1.0), LaplacePair(0.3), GaussianPair(1.0), GaussianPair(0.4)])
def test_tails_of_continuous_noise_have_the_curve(noise):
    """P(L > l) - e^l Q(L > l), above 0 and below."""
    pair = fixed_size_pair(noise, 1, 10)
    for forth in (True, False):
        for epsilon in (0.0, 0.03, 0.1, 0.4, 1.0):
            before = math.log1p(math.expm1(epsilon) / 0.1)
            for loss, exact in ((epsilon, 0.1 * noise.delta(before)),
                                (-epsilon, 1 - math.exp(-epsilon) * (1 - 0.1 * noise.delta(before)))):
                above_p, below_p, above_q, below_q = (np.exp(each[0]) for each in pair.tails(np.array([loss]), forth))
                assert above_p - math.exp(loss) * above_q == pytest.approx(exact, abs=1e-12)
                assert above_p + below_p == pytest.approx(1) == above_q + below_q


def test_a_pair_by_tails_and_one_of_chords_cost_the_same():
    """The same curve as a finite pair, on 2,000 places: an independent way to compose it."""
    pair = fixed_size_pair(LaplacePair(0.5), 1, 5)
    listed = symmetric_pair(pair.delta, np.linspace(0, pair.epsilon, 2001), 0.0)
    for count in (1, 10):
        found, other = (pld_epsilon([Step(each, count)], 1e-4, 0.001) for each in (pair, listed))
        assert found.optimistic <= other.pessimistic and other.optimistic <= found.pessimistic
        assert found.pessimistic == pytest.approx(other.pessimistic, rel=2e-3, abs=0)


@pytest.mark.parametrize("order", [1.5, 2, 4, 11])
@pytest.mark.parametrize("sigma, rate", [(1.0, 0.1), (3.0, 0.4), (0.8, 0.01)])
def test_rdp_of_gaussian_noise_is_above_the_integral(order, sigma, rate):
    pair = FixedSizePair(GaussianPair(sigma), rate)
    def integrand(epsilon):
        return (math.exp((order - 1) * epsilon) + math.exp(-order * epsilon)) * pair.delta(epsilon)
    points = (0.1, 0.5, 1, 2, 4, 8, 16, 32)
    integral = sum(quad(integrand, a, b, epsrel=1e-10)[0] for a, b in zip((0, *points), points, strict=False))
    exact = math.log1p(order * (order - 1) * integral) / (order - 1)
    assert exact * (1 - 1e-6) <= pair.rdp(order) <= (3.2 if order < 2 else 2.1) * exact


def test_rdp_of_a_sample_is_at_most_that_of_everybody():
    assert FixedSizePair(GaussianPair(0.5), 0.9).rdp(50) <= GaussianPair(0.5).rdp(50)
    assert fixed_size_rdp(0.0, 3) == 0.0
    assert fixed_size_rdp(0.3, 3) == pytest.approx(math.log(2 * math.exp(2 * 0.3) - 1) / 2)
    assert fixed_size_rdp(1e6, 3) == pytest.approx(1e6 + math.log(2) / 2)  # no overflow


def test_gaussian_noise_by_privacy_loss_distributions():
    pair = FixedSizePair(GaussianPair(2.0), 0.05)
    one = pld_epsilon([Step(pair)], 1e-5)
    exact = brentq(lambda epsilon: pair.delta(epsilon) - 1e-5, 0, 2, xtol=1e-12)
    assert one.optimistic <= exact <= one.pessimistic <= 1.02 * exact
    many = [Step(pair, 50)]
    assert pld_epsilon(many, 1e-5).pessimistic <= rdp_epsilon(many, 1e-5)
    poisson = pld_epsilon([Step(GaussianPair(2.0).poisson(0.05), 50)], 1e-5)
    assert poisson.optimistic <= pld_epsilon(many, 1e-5).pessimistic


def test_what_is_no_sample_or_sampled_already():
    assert fixed_size_pair(pure_pair(1.0), 5, 5) == pure_pair(1.0) and fraction(1, 4) == 0.25
    for pair, message in ((LaplacePair(1.0, 0.5), "not be sampled yet"), (3, "finitely many"),
                          (FixedSizePair(GaussianPair(1.0), 0.1), "finitely many")):
        with pytest.raises(ValueError, match=message):
            fixed_size_pair(pair, 1, 2)
    with pytest.raises(ValueError, match="without replacement already"):
        FixedSizePair(GaussianPair(1.0), 0.1).poisson(0.5)


def test_borders_of_a_sample():
    pair = FixedSizePair(GaussianPair(1.0), 0.1)
    assert fraction(1, 1) == 1 and pair.poisson(1.0) is pair
    for refused, message in ((lambda: fraction(1, 0), "^people must"), (lambda: fraction(0, 5), "^batch must"),
                             (lambda: pair.delta(-0.5), "epsilon must be at least 0"),
                             (lambda: fixed_size_rdp(-0.5, 3), "poisson must be at least 0"),
                             (lambda: FixedSizePair(GaussianPair(1.0, 0.5), 0.1), "finitely many")):
        with pytest.raises(ValueError, match=message):
            refused()
    at, next_to = (pair.tails(np.array([loss]), True) for loss in (0.0, 1e-12))  # many samples say nothing: not above 0
    assert np.array(at) == pytest.approx(np.array(next_to), abs=1e-9)


def test_chords_lie_above_a_curve_and_what_is_left_is_given_away():
    pair = symmetric_pair(GaussianPair(1.0).delta, np.array([0.0, 0.5, 1.0, 3.0]), GaussianPair(1.0).delta(3.0))
    for epsilon in (0.0, 0.25, 0.5, 0.8, 1.0, 2.0, 3.0, 5.0):
        assert pair.delta(epsilon) >= GaussianPair(1.0).delta(epsilon) - 1e-15
    assert pair.delta(1.0) == pytest.approx(GaussianPair(1.0).delta(1.0))
    assert pair.delta(50.0) == pytest.approx(GaussianPair(1.0).delta(3.0)) and pair.symmetric
