"""Dominating pairs: every formula against a second route (quadrature, brute force, dp-accounting, autodp)."""

import math
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import simpson
from scipy.stats import laplace, norm

from privgraph.mechanisms import Laplace, NoisyArgMax
from privgraph.privacy import (
    FinitePair,
    GaussianPair,
    LaplacePair,
    Step,
    bounded_range_pair,
    gaussian_rdp,
    laplace_rdp,
    pld_epsilon,
    poisson_rdp,
    pure_pair,
    response_pair,
)
from privgraph.privacy.dominating_pairs import sampled_losses
from privgraph.privacy.noise_pairs import TAIL, log_gdp_delta, unsampled_losses

EPSILONS = [0.01, 0.1, 1.0, 3.0, 8.0]
FAMILIES = {"laplace": (LaplacePair, laplace), "gaussian": (GaussianPair, norm)}


def log_densities(family, scale, rate=1.0):
    """(grid, log density with the person, log density without), the first after sampling with ``rate``."""
    grid = np.arange(-40 * scale - 10, 40 * scale + 10, 1 / 2048)  # with nodes on the kinks at 0 and 1
    without, with_person = family.logpdf(grid, 0, scale), family.logpdf(grid, 1, scale)
    if rate < 1:
        with_person = np.logaddexp(math.log(1 - rate) + without, math.log(rate) + with_person)
    return grid, with_person, without


def divergence(grid, p, q, order):
    return math.log(simpson(np.exp(order * p + (1 - order) * q), x=grid)) / (order - 1)


@pytest.mark.parametrize("kind", FAMILIES)
@pytest.mark.parametrize("scale", [0.75, 2.0, 10.0])
@pytest.mark.parametrize("order", [1.5, 2, 5])
def test_rdp_is_the_integral(kind, scale, order):
    pair, family = FAMILIES[kind]
    assert pair(scale).rdp(order) == pytest.approx(divergence(*log_densities(family, scale), order), rel=1e-5, abs=0)


@pytest.mark.parametrize("kind", FAMILIES)
@pytest.mark.parametrize("scale", [0.75, 3.0])
@pytest.mark.parametrize("rate", [0.01, 0.3, 0.9])
@pytest.mark.parametrize("order", [2, 3, 7])
def test_sampled_rdp_is_the_worse_of_both_integrals(kind, scale, rate, order):
    """poisson_rdp is exact for Laplace and Gaussian noise, and the sampled side against the other is the worse."""
    pair, family = FAMILIES[kind]
    grid, p, q = log_densities(family, scale, rate)
    forth, back = divergence(grid, p, q, order), divergence(grid, q, p, order)
    assert back <= forth + 1e-9
    assert pair(scale).poisson(rate).rdp(order) == pytest.approx(forth, rel=1e-5, abs=1e-10)


@pytest.mark.bears("for", "dp-laplace")
@pytest.mark.parametrize("kind", FAMILIES)
@pytest.mark.parametrize("scale", [0.75, 3.0])
@pytest.mark.parametrize("rate", [1.0, 0.3])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.6])
def test_delta_is_the_integral_in_the_worse_direction(kind, scale, rate, epsilon):
    pair, family = FAMILIES[kind]
    grid, p, q = log_densities(family, scale, rate)
    p, q, factor = np.exp(p), np.exp(q), math.exp(epsilon)
    both = (simpson(np.maximum(a - factor * b, 0), x=grid) for a, b in ((p, q), (q, p)))
    assert pair(scale, rate).delta(epsilon) == pytest.approx(max(both), abs=1e-6)


@settings(max_examples=60)
@given(epsilon=st.floats(0.01, 6), rate=st.floats(0.01, 1), order=st.integers(2, 12))
def test_sampled_randomised_response_two_ways(epsilon, rate, order):
    """The exact pair after sampling against the binomial sum; both below the general bound,
    which is below no sampling."""
    base = pure_pair(epsilon)
    curve = np.vectorize(base.rdp)
    tight, general = poisson_rdp(curve, rate, order), poisson_rdp(curve, rate, order, general=True)
    assert base.poisson(rate).rdp(order) == pytest.approx(tight, rel=1e-8, abs=1e-12)
    assert tight <= general * (1 + 1e-12)
    assert tight <= base.rdp(order) * (1 + 1e-12)
    assert (base.odd_moments(order) >= -1e-15).all()


def test_general_bound_by_hand():
    """Order 3, printed term by term (PrivGNN, Theorem 8), with a curve chosen for easy numbers."""
    rate, curve = 0.25, np.log  # e^{(k-1) curve(k)} = k^(k-1)
    body = 0.75**2 * (3 * 0.25 - 0.25 + 1) + 3 * 0.25**2 * 0.75 * 2
    assert poisson_rdp(curve, rate, 3) == pytest.approx(math.log(body + 0.25**3 * 9) / 2)
    assert poisson_rdp(curve, rate, 3, general=True) == pytest.approx(math.log(body + 3 * 0.25**3 * 9) / 2)
    assert poisson_rdp(curve, rate, 2, general=True) == poisson_rdp(curve, rate, 2)  # the factor starts at 3
    assert poisson_rdp(curve, 1.0, 3) == pytest.approx(math.log(3))


def test_a_curve_of_one_direction_bounds_the_other_by_no_sum():
    """The sampled pair's worse direction is above both sums over the one-way curve,
    and below both over the pair's own."""
    pair = FinitePair((0.9999, 0.0001), (0.99, 0.01))
    p, q = pair.directions[0]
    assert pair.odd_moments(5).min() < 0
    rate, order = 0.9, 16
    mixed = (1 - rate) * q + rate * p
    sampled = max(FinitePair.divergence(mixed, q, order), FinitePair.divergence(q, mixed, order))
    one_way, both_ways = np.vectorize(lambda k: FinitePair.divergence(p, q, k)), np.vectorize(pair.rdp)
    for general in (False, True):
        assert poisson_rdp(one_way, rate, order, general) < sampled < poisson_rdp(both_ways, rate, order, general)


def hockey_stick(p, q, t):
    """sum of max(0, p - t q): delta in one direction, at any t > 0, so at negative epsilons too."""
    return float(np.maximum(np.asarray(p) - t * np.asarray(q), 0).sum())


RATIOS = np.exp(np.concatenate([np.linspace(-2.5, 2.5, 21), np.linspace(-0.1, 0.1, 11)]))


@pytest.mark.bears("for", "privgnn-amplification-in-algorithm")
@pytest.mark.parametrize("rate", [0.05, 0.3, 0.9])
def test_the_sampled_pair_dominates_in_both_directions_and_composes(rate):
    """Random mechanisms on all subsets of two others and one person; the second is chosen by what the first said.
    Coins that look at the person only attain it."""
    rng = np.random.default_rng(0)
    coins = np.array([(0.25, 0.75), (0.75, 0.25)])[None, :, None, None].repeat(4, 0).repeat(2, 2).repeat(2, 3)
    for tables in [coins, *(rng.dirichlet(np.full(3, 2.0), (4, 2, 2, 2)) for _ in range(15))]:
        # [mechanism, person drawn, other, other, outcome]
        base = pure_pair(float(np.abs(np.log(tables[:, 1] / tables[:, 0])).max()))
        drawn = [math.prod(rate if here else 1 - rate for here in others) for others in product((0, 1), repeat=2)]
        without, person = (np.tensordot(tables[:, who].reshape(4, 4, -1), drawn, (1, 0)) for who in (0, 1))
        with_her = (1 - rate) * without + rate * person
        pair = base.poisson(rate)
        first, second = np.array(pair.p), np.array(pair.q)
        def twice(table):
            return table[0][:, None] * table[1:len(table[0]) + 1]  # [first outcome, second outcome]
        for t in RATIOS:
            for a, b, p, q in ((with_her, without, first, second), (without, with_her, second, first)):
                assert hockey_stick(a[0], b[0], t) <= hockey_stick(p, q, t) + 1e-12
                assert hockey_stick(twice(a), twice(b), t) <= hockey_stick(np.outer(p, p), np.outer(q, q), t) + 1e-12
        # a sampled pair that is taken for symmetric is not enough: the direction matters
        assert any(hockey_stick(first, second, t) > hockey_stick(second, first, t) + 1e-4 for t in RATIOS)


@pytest.mark.bears("beside", "privgnn-tight-bounds")
@pytest.mark.parametrize("noise", ["laplace", "gumbel"])
def test_the_noisy_arg_max_is_dominated_at_negative_epsilons_too(noise):
    label = NoisyArgMax(1.25, 3, noise)
    rows = [tuple(k / 3 for k in v) for v in product(range(4), repeat=3) if sum(v) == 3]
    tables = [list(label.distribution(row).values()) for row in rows]
    for t in RATIOS:
        worst = max(hockey_stick(a, b, t) for a in tables for b in tables)
        assert worst == pytest.approx(hockey_stick(label.pair.p, label.pair.q, t), abs=1e-9)


def delta_of_moves(moves, t):
    """delta at epsilon = ln t of Laplace noise of scale 1 on numbers that move by so much,
    one number after the other."""
    move, *others = moves
    if not others:
        return np.maximum(np.maximum(1 - t, 1 - np.sqrt(t) * math.exp(-move / 2)), 0)
    nodes, weights = np.polynomial.legendre.leggauss(80)
    losses = move * nodes  # between the two atoms, at which the noise lies outside of both values
    total = delta_of_moves(others, t * math.exp(-move)) / 2 + delta_of_moves(others,
                                                                             t * math.exp(move)) * math.exp(-move) / 2
    return total + sum(w * move * math.exp(-(move - loss) / 2) / 4 * delta_of_moves(others, t * math.exp(-loss))
                       for loss, w in zip(losses, weights, strict=True))


@pytest.mark.bears("for", "privgnn-laplace-mechanism")
@pytest.mark.parametrize("moves", [(1.0,), (0.5, 0.5), (0.1, 0.9), (0.3, 0.2, 0.5), (1.2, 0.8), (2.0, 1.0, 0.5)])
def test_one_number_is_the_worst_vector(moves):
    """``Laplace.pair`` for several numbers within one L1 sensitivity, at all epsilons;
    the largest move alone is not enough."""
    total = sum(moves)
    pair, t = Laplace(total).pair, np.exp(np.linspace(-total, total, 31))
    found = delta_of_moves(moves, t)
    whole, largest = (delta_of_moves([move], t) for move in (total, max(moves)))
    assert [pair.delta(epsilon) for epsilon in np.log(t[15:])] == pytest.approx(whole[15:], abs=1e-12)
    assert (found <= whole + 1e-5).all() and (len(moves) == 1 or (found > largest + 1e-3).any())


@settings(max_examples=60)
@given(epsilon=st.floats(0.01, 12), k=st.integers(2, 50), order=st.floats(1.01, 60))
def test_k_answers_are_no_worse_than_the_pure_pair(epsilon, k, order):
    pair, pure = response_pair(epsilon, k), pure_pair(epsilon)
    assert sum(pair.p) == pytest.approx(1) and sum(pair.q) == pytest.approx(1)
    assert pair.epsilon == pytest.approx(epsilon)
    assert pair.rdp(order) <= pure.rdp(order) + 1e-9
    assert all(pair.delta(e) <= pure.delta(e) + 1e-12 for e in (0, epsilon / 3, epsilon / 2))


@settings(max_examples=40)
@given(st.lists(st.floats(0.01, 1), min_size=3, max_size=3), st.lists(st.floats(0.01, 1), min_size=3, max_size=3),
       st.lists(st.floats(0.01, 1), min_size=2, max_size=2), st.floats(1.1, 9), st.floats(0, 2))
def test_times_keeps_every_divergence(a, b, c, order, epsilon):
    first = FinitePair(np.array(a) / sum(a), np.array(b) / sum(b))
    second = FinitePair(np.array(c) / sum(c), np.array(c[::-1]) / sum(c))
    both = first.times(second)
    whole = FinitePair(np.outer(first.p, second.p).ravel(), np.outer(first.q, second.q).ravel())
    assert both.rdp(order) == pytest.approx(whole.rdp(order), rel=1e-6, abs=1e-9)
    assert both.delta(epsilon) == pytest.approx(whole.delta(epsilon), abs=1e-9)
    one_way = sum(FinitePair.divergence(np.array(s.p), np.array(s.q), order) for s in (first, second))
    assert FinitePair.divergence(np.array(both.p), np.array(both.q), order) == pytest.approx(one_way, rel=1e-6,
                                                                                             abs=1e-9)


def test_impossible_outcomes():
    pair = FinitePair((0.5, 0.5, 0.0), (0.5, 0.25, 0.25))
    assert pair.epsilon == pair.rdp(2) == math.inf
    assert FinitePair.divergence(*pair.directions[0], 2) == pytest.approx(math.log(0.5 + 1))
    assert pair.delta(10.0) == 0.25 == pair.given_away
    assert len(pair.times(pair).p) == 4  # losses 0, ln 2, 2 ln 2 and minus infinity
    assert pair.times(pair).delta(10.0) == pytest.approx(1 - 0.75**2)
    told = FinitePair((0.1, 0.9, 0.0), (0.0, 0.9, 0.1)).times(FinitePair((0.1, 0.9, 0.0), (0.0, 0.9, 0.1)))
    assert told.losses == (-math.inf, 0.0, math.inf) and told.delta(0.0) == pytest.approx(0.19)  # not inf - inf


def test_sampling_needs_a_symmetric_pair():
    with pytest.raises(ValueError, match="change places"):
        FinitePair((0.5, 0.5), (0.25, 0.75)).poisson(0.5)
    pair = FinitePair((0.5, 0.3, 0.2), (0.3, 0.5, 0.2)).poisson(0.5)
    assert pair.p == pytest.approx((0.4, 0.4, 0.2)) and pair.q == (0.3, 0.5, 0.2)


@pytest.mark.bears("for", "dp-poisson")
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("rate", [0.1, 0.7])
def test_pure_amplification(epsilon, rate):
    """The pure epsilon after sampling is ln(1 + rate (e^eps - 1)), for coins and for Laplace noise."""
    expected = math.log(1 + rate * (math.exp(epsilon) - 1))
    assert pure_pair(epsilon).poisson(rate).epsilon == pytest.approx(expected)
    assert LaplacePair(1 / epsilon).poisson(rate).epsilon == pytest.approx(expected)
    assert LaplacePair(1 / epsilon, 0.5).poisson(rate).rate == rate / 2
    assert GaussianPair(1.0, 0.5).poisson(rate).rate == rate / 2


@pytest.mark.parametrize("order", [2, 4, 16, 32])
def test_own_rdp_against_autodp(order):
    """A second implementation, by other authors, for every curve; the sampled ones through its sampling accountant."""
    pytest.importorskip("autodp", reason="autodp is not installed: `make test` installs it")
    from autodp import mechanism_zoo, rdp_acct, rdp_bank, transformer_zoo
    sample = transformer_zoo.AmplificationBySampling(PoissonSampling=True)
    for scale in (0.5, 2.0, 10.0):
        assert laplace_rdp(order, scale) == pytest.approx(rdp_bank.RDP_laplace({"b": scale}, order), abs=1e-6)
        assert gaussian_rdp(order, scale) == pytest.approx(rdp_bank.RDP_gaussian({"sigma": scale}, order), abs=1e-6)
    for epsilon in (0.1, 1.0, 3.0):
        keep = math.exp(epsilon) / (1 + math.exp(epsilon))
        assert pure_pair(epsilon).rdp(order) == pytest.approx(rdp_bank.RDP_randresponse({"p": keep}, order), abs=1e-6)
    for scale, rate in ((2.0, 0.3), (10.0, 0.3), (2.0, 0.05)):
        for base, ours, curve in (
                (mechanism_zoo.LaplaceMechanism(b=scale), LaplacePair(scale, rate), laplace_rdp),
                (mechanism_zoo.ExactGaussianMechanism(sigma=scale), GaussianPair(scale, rate), gaussian_rdp)):
            theirs = sample(base, rate, improved_bound_flag=True).RenyiDP(order)
            assert ours.rdp(order) == pytest.approx(theirs, abs=1e-6)
            def of_one(order, curve=curve, scale=scale):
                return curve(order, scale)
            general = poisson_rdp(of_one, rate, order, general=True)
            theirs = rdp_acct.general_upperbound(of_one, order, rate) / (order - 1)
            assert general == pytest.approx(theirs, abs=0.01)


def test_the_tail_of_a_large_order():
    """As the order grows, RDP tends to the pure epsilon from below."""
    assert pure_pair(1.0).rdp(1e6) == pytest.approx(1.0, abs=1e-5)
    assert float(laplace_rdp(1e6, 2.0)) == pytest.approx(0.5, abs=1e-5)
    assert LaplacePair(2.0).poisson(0.3).rdp(1024) < LaplacePair(2.0).poisson(0.3).epsilon


@pytest.mark.parametrize("call, message", [
    (lambda: FinitePair((0.5, 0.4), (0.5, 0.5)), "p must be a vector of probabilities that sum to 1"),
    (lambda: FinitePair((0.5, 0.5), (1.5, -0.5)), "q must be a vector"),
    (lambda: FinitePair((0.5, 0.5), (1.0,)), "same outcomes, got 2 and 1"),
    (lambda: FinitePair((), ()), "p must be a vector"),
    (lambda: pure_pair(0.0), "epsilon must be a positive number"),
    (lambda: pure_pair(-1.0), "epsilon must be a positive number"),
    (lambda: pure_pair(math.nan), "epsilon must be a positive number"),
    (lambda: pure_pair(1.0).rdp(1.0), "order must be a finite number above 1, got 1.0"),
    (lambda: pure_pair(1.0).rdp(math.inf), "order must be"),
    (lambda: LaplacePair(0.0), "scale must be a positive finite number, got 0.0"),
    (lambda: LaplacePair(1.0, 0.0), "rate must lie in"),
    (lambda: LaplacePair(1.0, 1.1), "rate must lie in"),
    (lambda: LaplacePair(1.0).poisson(-0.1), "rate must lie in"),
    (lambda: poisson_rdp(lambda orders: orders, 0.5, 2.5), "order must be a whole number of at least 2, got 2.5"),
    (lambda: LaplacePair(1.0).rdp(0.5), "order must be"),
    (lambda: LaplacePair(1.0).delta(-0.1), "epsilon must be at least 0"),
    (lambda: GaussianPair(math.inf), "sigma must be a positive finite number"),
    (lambda: GaussianPair(1.0).rdp(1), "order must be"),
])
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_outcomes_that_neither_side_can_give_change_nothing():
    pair, bare = FinitePair((0.6, 0.4, 0.0), (0.4, 0.6, 0.0)), FinitePair((0.6, 0.4), (0.4, 0.6))
    assert (pair.epsilon, pair.delta(0.1), pair.rdp(3)) == (bare.epsilon, bare.delta(0.1), bare.rdp(3))
    assert len(pair.times(bare).p) == 3  # losses -2l, 0 and 2l


def test_losses_are_merged_to_twelve_digits():
    sure = FinitePair((1.0,), (1.0,))
    def merged(gap):
        """Two outcomes whose losses differ by ``gap`` around a value far from where rounding turns."""
        q = np.array([0.25, 0.25, 0.5])
        p = q * np.exp([0.1 + 0.3e-12, 0.1 + 0.3e-12 + gap, 0.0])
        p[2] = 1 - p[0] - p[1]
        return len(FinitePair(tuple(p), tuple(q)).times(sure).p) == 2
    assert merged(1e-13) and not merged(4e-12)


def test_odd_moments_by_hand():
    """p/q - 1 is 2 or -2/3: third and fifth moments, and no more up to order 6."""
    expected = [0.25 * 2**k + 0.75 * (-2 / 3) ** k for k in (3, 5)]
    pair = FinitePair((0.75, 0.25), (0.25, 0.75))
    assert pair.odd_moments(6) == pytest.approx(expected) and len(pair.odd_moments(4)) == 1
    assert len(pair.odd_moments(3)) == 1 and len(pair.odd_moments(2)) == 0


def test_pld_of_outcomes_that_one_side_cannot_give():
    pair = FinitePair((0.5, 0.5, 0.0), (0.5, 0.25, 0.25))
    for pessimistic in (False, True):
        assert pair.pld(0.01, pessimistic).get_delta_for_epsilon(10.0) == pytest.approx(0.25)


@pytest.mark.bears("for", "votes-compose")
@pytest.mark.parametrize("spread", [0.01, 0.4, 2.0, 9.0])
def test_bounded_range_is_the_worst_of_two_outcomes(spread):
    """At its own places the pair is the largest delta over t, by search; between them it lies above, by little."""
    def worst(epsilon):
        t = np.linspace(epsilon, spread, 20_001)
        return float((np.expm1(t - spread) * np.expm1(epsilon - t)).max() / -math.expm1(-spread))
    pair = bounded_range_pair(spread, points=8)
    for k in range(8):
        assert pair.delta(k / 8 * spread) == pytest.approx(worst(k / 8 * spread), rel=1e-6, abs=1e-12)
        between = (k + 0.5) / 8 * spread
        assert worst(between) <= pair.delta(between) + 1e-12
        assert bounded_range_pair(spread).delta(between) <= pair.delta(between) + 1e-12
    assert pair.symmetric and pair.epsilon == pytest.approx(spread)
    assert pair.delta(0) == pytest.approx(math.tanh(spread / 4))


@pytest.mark.bears("for", "votes-compose")
@settings(max_examples=200)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=6), st.lists(st.floats(0.01, 1), min_size=6, max_size=6),
       st.floats(0.05, 6), st.floats(0, 1))
def test_bounded_range_dominates_whatever_spans_less(places, weights, spread, share):
    """Any number of outcomes whose losses lie in an interval of that length."""
    q = np.array(weights[:len(places)])
    p = q * np.exp(spread * np.array(places))
    own = FinitePair(tuple(p / p.sum()), tuple(q / q.sum()))
    assert own.delta(share * spread) <= bounded_range_pair(spread).delta(share * spread) + 1e-9


def test_half_the_spread_does_not_dominate():
    """The mutant: two outcomes whose losses span .8 against the pair for .4."""
    t = 0.4
    high = math.expm1(t - 0.8) / math.expm1(-0.8)
    own = FinitePair((high, 1 - high), (high * math.exp(-t), 1 - high * math.exp(-t)))
    assert math.isclose((1 - high) / (1 - high * math.exp(-t)), math.exp(t - 0.8))
    assert own.delta(0.1) > bounded_range_pair(0.4).delta(0.1) + 0.05
    assert own.delta(0.1) <= bounded_range_pair(0.8).delta(0.1)


@pytest.mark.parametrize("call, message", [
    (lambda: bounded_range_pair(0.0), "spread must be a positive finite number"),
    (lambda: bounded_range_pair(1.0, 0), "points must be")])
def test_bad_input_of_bounded_range(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_smallest_numbers_that_are_taken():
    for orders in (np.array([1.0, 2.0]), np.array([0.5])):
        with pytest.raises(ValueError, match="numbers above 1"):
            laplace_rdp(orders, 1.0)
    with pytest.raises(ValueError, match="num_classes must"):
        response_pair(1.0, 1)
    assert len(bounded_range_pair(1.0, points=1).p) > 1
    with pytest.raises(ValueError, match="points must"):
        bounded_range_pair(1.0, points=0)
    # A loss of 500 still has a distribution.
    assert pld_epsilon([Step(LaplacePair(0.002))], 1e-5).pessimistic == pytest.approx(500, rel=1e-2, abs=0)


@pytest.mark.parametrize("pair, density", [
    (GaussianPair(1.5, 0.05), "gaussian"), (GaussianPair(0.7, 0.4), "gaussian"),
    (LaplacePair(0.8, 0.1), "laplace"), (LaplacePair(3.0, 0.5), "laplace")])
@pytest.mark.parametrize("order", [1.01, 1.3, 1.9, 2.5, 7.25, 31.5])
def test_orders_between_whole_ones_after_sampling(pair, density, order):
    """By the integral: never below it, and hardly above; the sampled side against the other is the worse direction."""
    with mpmath.workdps(30):
        q, width = mpmath.mpf(pair.rate), mpmath.mpf(pair.sigma if density == "gaussian" else pair.scale)
        def ratio(x):
            loss = (2 * x - 1) / (2 * width**2) if density == "gaussian" else (abs(x) - abs(x - 1)) / width
            return 1 - q + q * mpmath.exp(loss)
        def noise(x):
            return mpmath.npdf(x, 0, width) if density == "gaussian" else mpmath.exp(-abs(x) / width) / (2 * width)
        reach = order + 30 * width
        places = sorted({-reach, mpmath.mpf(0), mpmath.mpf(1), *(reach * i / 12 for i in range(1, 13))})
        forth, back = (float(mpmath.log(mpmath.quad(lambda x, power=power: noise(x) * ratio(x) ** power, places))
                             / (order - 1)) for power in (order, 1 - order))
    assert back <= forth * (1 + 1e-9) and forth * (1 - 1e-9) <= pair.rdp(order) <= forth * (1 + 2e-4)


def test_rdp_after_sampling_is_small_to_the_last_digits():
    """1 + 1e-14 has three digits of its excess; the sum without the 1 has all of them."""
    pair = GaussianPair(10.0, 1e-6)
    assert pair.rdp(2) == pytest.approx(1e-12 * math.expm1(0.01), rel=1e-6, abs=0)
    assert pair.rdp(3) == pytest.approx(1.5e-12 * math.expm1(0.01), rel=1e-4, abs=0)
    assert pure_pair(1e-7).rdp(2) >= 1e-14 * (1 - 1e-9) and pure_pair(1e-7).rdp(2) < 1.0001e-14


def test_very_large_orders_after_sampling():
    pair = LaplacePair(2.0, 0.3)
    assert pair.rdp(2**17) <= pair.rdp(2**19) == min(0.5, pair.epsilon) == pair.epsilon
    assert GaussianPair(1e4, 0.3).rdp(2**19) == gaussian_rdp(2**19, 1e4)


def test_between_whole_orders_where_no_grid_fits_the_chord_is_taken():
    """Losses of 1e8: (order - 1) times the divergence lies below its chord, which is 0 at order 1."""
    pair = GaussianPair(1e-4, 0.5)
    two, three = pair.rdp(2), pair.rdp(3)
    assert pair.rdp(1.5) == pytest.approx(two) and pair.rdp(2.5) == pytest.approx((two + 2 * three) / 3)


RATE, LOSSES = 0.3, np.linspace(-3.0, 6.0, 46)


def test_losses_after_sampling_and_back():
    sampled = sampled_losses(LOSSES, RATE)
    assert sampled == pytest.approx(np.log(1 - RATE + RATE * np.exp(LOSSES)), abs=1e-12)
    assert unsampled_losses(sampled, RATE) == pytest.approx(LOSSES, abs=1e-12)
    assert unsampled_losses(np.array([-5.0]), RATE) == -math.inf  # ln .7 is the least that there is


def below(kind, width, loss):
    """P(L <= l) and Q(L <= l) of noise around 1 and around 0, from the noise: at which x the loss is l."""
    if kind == "gaussian":
        return [norm.cdf(width**2 * loss + 0.5, mean, width) for mean in (1, 0)]
    top = 1 / width
    return [np.where(loss >= top, 1.0, np.where(loss < -top, 0.0, laplace.cdf((1 + width * loss) / 2, mean, width)))
            for mean in (1, 0)]


@pytest.mark.parametrize("kind", FAMILIES)
def test_tails_of_losses_are_those_of_the_noise(kind):
    pair, family = FAMILIES[kind]
    loss = np.array([-0.6, -0.5, -0.2, 0.0, 0.3, 0.5, 0.7])  # of Laplace noise -.5 and .5 are the ends
    p, q = below(kind, 2.0, loss)
    for forth in (True, False):
        assert np.exp(pair(2.0).tails(loss, forth)) == pytest.approx(np.array([1 - p, p, 1 - q, q]), abs=1e-12)
    loss = loss[[0, 2, 3, 4, 6]]  # without the ends, which rounding might move
    (p, q), sampled = below(kind, 2.0, loss), sampled_losses(loss, RATE)
    mixed = (1 - RATE) * q + RATE * p
    forth, back = pair(2.0, RATE).tails(sampled, True), pair(2.0, RATE).tails(-sampled, False)
    assert np.exp(forth) == pytest.approx(np.array([1 - mixed, mixed, 1 - q, q]), abs=1e-12)
    assert np.exp(back) == pytest.approx(np.array([q, 1 - q, mixed, 1 - mixed]), abs=1e-12)


def test_between_which_values_losses_lie():
    ends = [math.log(0.7 + 0.3 * math.exp(loss)) for loss in (-0.5, 0.5)]
    for pair in (LaplacePair(2.0, RATE), pure_pair(0.5).poisson(RATE)):
        assert pair.loss_range(True, -math.inf) == pytest.approx(ends)
        assert pair.loss_range(False, -math.inf) == pytest.approx((-ends[1], -ends[0]))
        assert (pair.largest_loss(), pair.largest_loss(False)) == pytest.approx((ends[1], -ends[0]))
    low, high = GaussianPair(0.5).loss_range(True, math.log(1e-3))
    above_p, _, _, below_q = np.exp(GaussianPair(0.5).tails(np.array([high, low]), True))
    assert above_p[0] == pytest.approx(1e-3) and below_q[1] == pytest.approx(1e-3)
    assert GaussianPair(0.5).largest_loss() == GaussianPair(0.5).largest_loss(False) == math.inf
    assert GaussianPair(0.5, RATE).largest_loss() == math.inf
    assert GaussianPair(0.5, RATE).largest_loss(False) == pytest.approx(-math.log(0.7))


def test_only_without_sampling_both_directions_are_one():
    for pair in (LaplacePair(1.0), GaussianPair(1.0)):
        assert pair.mirrored and not pair.poisson(RATE).mirrored


def test_the_tail_beyond_a_grid_is_bounded_and_without_sampling_exact():
    top, log_tail = GaussianPair(2.0).tail_moment(2.5)
    assert top == pytest.approx(2 * 0.25 + TAIL / 2)
    assert log_tail == pytest.approx(2.5 * 1.5 * 0.25 / 2 + norm.logcdf(-TAIL))
    top, log_tail = GaussianPair(2.0, RATE).tail_moment(2.5)
    place = float(unsampled_losses(np.array([top]), RATE)[0])
    with mpmath.workdps(30):
        moment = mpmath.quad(lambda loss: mpmath.npdf(loss, -0.125, 0.5) * (1 - RATE + RATE * mpmath.exp(loss))**2.5,
                             [place, place + 1, place + 3, place + 9])
    assert float(mpmath.log(moment)) <= log_tail <= float(mpmath.log(moment)) + 0.01


@pytest.mark.parametrize("mu, epsilon", [(1e-12, 0.0), (1e-12, 2e-12), (1e-3, 0.0), (1e-3, 2e-3), (1.0, 0.0),
                                         (1.0, 3.0), (1.0, 40.0), (12.0, 0.0), (12.0, 5.0), (12.0, 90.0)])
def test_delta_of_gaussian_noise_in_many_digits(mu, epsilon):
    with mpmath.workdps(60):
        a, b = mpmath.mpf(mu) / 2 - mpmath.mpf(epsilon) / mu, -mpmath.mpf(mu) / 2 - mpmath.mpf(epsilon) / mu
        exact = float(mpmath.log(mpmath.ncdf(a) - mpmath.exp(epsilon) * mpmath.ncdf(b)))
    assert log_gdp_delta(mu, epsilon) == pytest.approx(exact, abs=1e-6)
    assert log_gdp_delta(1.0, 1e20) == -math.inf


def test_delta_of_very_wide_noise_keeps_its_digits():
    """Twelve of them, where the difference of two halves has nine."""
    assert GaussianPair(1e6).delta(0.0) == pytest.approx(math.erf(1 / (2e6 * math.sqrt(2))), rel=1e-12, abs=0)


def test_logarithms_of_probabilities_that_floats_have_no_room_for():
    assert np.array(response_pair(1000.0, 2).logarithms) == pytest.approx(np.array([[0, -1000], [-1000, 0]]))
    pair = pure_pair(1.0).poisson(RATE)
    assert np.array(pair.logarithms) == pytest.approx(np.log([pair.p, pair.q]))


def test_dp_accounting_is_not_asked_where_it_has_no_floats():
    assert LaplacePair(1 / 600).pld(1.0, True).get_epsilon_for_delta(1e-5) == pytest.approx(600, rel=1e-2, abs=0)
    with pytest.raises(ValueError, match="scale must be at least 1/700 for a privacy loss distribution, got 0.00125"):
        LaplacePair(1 / 800).pld(1.0, True)


@pytest.mark.parametrize("sigma", [2e5, 1e8, 1e12])
@pytest.mark.parametrize("far", [0, 0.3, 3])
def test_delta_of_very_wide_noise_loses_no_digits(sigma, far):
    """Densities of neighbours that are nearly equal are not subtracted."""
    epsilon = far / sigma
    with mpmath.workdps(60):
        half, shift = 1 / (2 * mpmath.mpf(sigma)), mpmath.mpf(epsilon) * mpmath.mpf(sigma)
        exact = mpmath.ncdf(half - shift) - mpmath.exp(mpmath.mpf(epsilon)) * mpmath.ncdf(-half - shift)
    assert GaussianPair(sigma).delta(epsilon) == pytest.approx(float(exact), rel=1e-9, abs=0)
