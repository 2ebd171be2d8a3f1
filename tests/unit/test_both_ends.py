"""The ends of privacy loss distributions: on their sides of closed forms and exact sums, down to delta 1e-300.

The truths here share nothing with the library: closed forms with 60 digits, and sums over all counts of outcomes.
"""

import math
from dataclasses import replace
from itertools import product

import mpmath
import numpy as np
import pytest
from scipy.special import erfcx, gammaln, logsumexp
from scipy.stats import binom

from privgraph.privacy import (
    FinitePair,
    GaussianPair,
    LaplacePair,
    Step,
    account,
    basic_composition,
    certified,
    composition,
    pld_epsilon,
    pure_pair,
    rdp_epsilon,
    response_pair,
)
from privgraph.privacy.accounting import ceilings, merged
from privgraph.privacy.composition import Composition, TooWide, power
from privgraph.privacy.dominating_pairs import sampled_losses
from privgraph.privacy.losses import RELATIVE, losses_of
from privgraph.privacy.noise_pairs import unsampled_losses

DELTAS = (0.3, 1e-2, 1e-5, 1e-8, 1e-10, 1e-12, 1e-13, 1e-15, 1e-18, 1e-100, 1e-300)
# What the issue saw: dp-accounting's "pessimistic" end below the truth, or its "optimistic" above the other.
SEEN = [(20.0, 1000, 1e-12, 11.9921), (20.0, 1000, 1e-10, 10.907902), (10.0, 1000, 1e-13, 27.723),
        (100.0, 10_000, 1e-13, 7.56), (50.0, 5000, 1e-9, 9.0925583)]


def search(excess, high: float) -> float:
    """The smallest place where ``excess``, which falls, is not above 0."""
    low = 0.0
    if excess(low) <= 0:
        return 0.0
    while high - low > 1e-15 * high:
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (low, middle) if excess(middle) <= 0 else (middle, high)
    return high


def gaussian_truth(shift: float, delta: float) -> float:
    """Of Gaussian noise that moves by ``shift`` standard deviations, with 60 digits."""
    with mpmath.workdps(60):
        mu, log_delta = mpmath.mpf(shift), mpmath.log(mpmath.mpf(delta))
        def excess(epsilon):
            e = mpmath.mpf(epsilon)
            found = mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)
            return float(mpmath.log(found) - log_delta) if found > 0 else -1.0
        return search(excess, float(mu * mu / 2 + mu * mpmath.sqrt(-2 * log_delta) + 1))


def counted_truth(pair: FinitePair, count: int, delta: float) -> float:
    """Of a pair with two or three outcomes: a sum over how often each came up."""
    first, second = np.meshgrid(np.arange(count + 1), np.arange(count + 1))
    often = [first.ravel(), second.ravel(), count - first.ravel() - second.ravel()]
    kept = often[2] == 0 if len(pair.p) == 2 else often[2] >= 0
    often = [n[kept] for n in often[:len(pair.p)]]
    ways = gammaln(count + 1) - sum(gammaln(n + 1) for n in often)
    def one_way(p, losses):
        chance = ways + sum(n * math.log(each) for n, each in zip(often, p, strict=True))
        total = sum(n * loss for n, loss in zip(often, losses, strict=True))
        def excess(epsilon):
            beyond = total > epsilon
            return (logsumexp(chance[beyond] + np.log(-np.expm1(epsilon - total[beyond]))) - math.log(delta)
                    if beyond.any() else -1.0)
        return search(excess, float(total.max()))
    return max(one_way(pair.p, pair.losses), one_way(pair.q, [-loss for loss in pair.losses]))


def by_grid(steps: list[Step], delta: float, tolerance: float = 0.01) -> tuple[float, float]:
    """Both ends by the Fourier transform alone, also where there is a closed form."""
    return certified.composed_ends(merged(steps), delta, tolerance, min(ceilings(steps, delta)))


@pytest.mark.parametrize("sigma, count, delta, seen", SEEN)
def test_what_was_below_the_truth(sigma, count, delta, seen):
    steps, truth = [Step(GaussianPair(sigma), count)], gaussian_truth(math.sqrt(count) / sigma, delta)
    assert truth == pytest.approx(seen, rel=1e-4, abs=0)
    found, (lower, upper) = pld_epsilon(steps, delta), by_grid(steps, delta)
    assert found.optimistic <= truth <= found.pessimistic <= truth * (1 + 1e-6)
    assert lower <= truth <= upper <= truth * 1.001 and upper - lower <= 0.01 * upper


def test_coins_that_were_below_the_truth():
    """27.48 at delta 1e-13, where the exact sum has 27.51."""
    steps = [Step(pure_pair(0.1), 1000)]
    truth, found, (lower, upper) = counted_truth(pure_pair(0.1), 1000, 1e-13), pld_epsilon(steps, 1e-13), by_grid(
        steps, 1e-13)
    assert truth == pytest.approx(27.51, abs=0.005)
    assert found.optimistic <= truth * (1 + 1e-10) and truth <= found.pessimistic <= truth * (1 + 1e-6)
    assert lower <= truth <= upper <= truth * 1.001


def test_the_lower_end_is_never_above_a_proved_upper_bound():
    """Ten uses of Laplace noise of scale 10 cost 1 at most; at delta 1e-18 the optimistic end was inf."""
    found = pld_epsilon([Step(LaplacePair(10.0), 10)], 1e-18)
    assert 0.99 < found.optimistic <= found.pessimistic <= basic_composition([Step(LaplacePair(10.0), 10)])


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("shift, count", [(0.02, 1), (0.3, 7), (1.0, 300), (3.0, 10_000), (8.0, 50)])
def test_gaussian_noise_by_both_ways(shift, count, delta):
    """k uses are one: the closed form, and the grid that does not know it."""
    steps = [Step(GaussianPair(math.sqrt(count) / shift), count)]
    truth, found, (lower, upper) = gaussian_truth(shift, delta), pld_epsilon(steps, delta), by_grid(steps, delta)
    assert found.optimistic <= truth * (1 + 1e-12) and truth * (1 - 1e-12) <= found.pessimistic
    assert found.pessimistic <= truth * (1 + 1e-6) + 1e-12
    assert lower <= truth * (1 + 1e-12) and truth * (1 - 1e-12) <= upper <= truth * 1.005 + 1e-3
    assert upper - lower <= 0.0101 * max(upper, 1e-3, min(1.0, delta / (1 - delta)))  # as it is stated


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("pair, count", [
    (pure_pair(0.1), 1000), (pure_pair(2.0), 3), (pure_pair(0.5).poisson(0.1), 400), (response_pair(1.0, 3), 60),
    (response_pair(0.3, 10).poisson(0.2), 120), (FinitePair((0.7, 0.2, 0.1), (0.3, 0.3, 0.4)), 40)])
def test_finite_pairs_by_counting(pair, count, delta):
    steps, truth = [Step(pair, count)], counted_truth(pair, count, delta)
    found, (lower, upper) = pld_epsilon(steps, delta), by_grid(steps, delta)
    for low, high in ((found.optimistic, found.pessimistic), (lower, upper)):
        assert low <= truth * (1 + 1e-10) + 1e-12 and truth * (1 - 1e-10) <= high
    assert found.pessimistic <= min(basic_composition(steps), rdp_epsilon(steps, delta))
    assert found.pessimistic - found.optimistic <= 0.0101 * max(found.pessimistic, 1e-3)


def test_different_steps_together():
    """Gaussians among each other are one; finite pairs among each other are listed."""
    steps = [Step(GaussianPair(5.0), 10), Step(GaussianPair(20.0), 30), Step(GaussianPair(3.0))]
    shift = math.sqrt(10 / 25 + 30 / 400 + 1 / 9)
    for delta in (1e-5, 1e-15):
        truth, (lower, upper), found = gaussian_truth(shift, delta), by_grid(steps, delta), pld_epsilon(steps, delta)
        assert lower <= truth <= upper and found.optimistic <= truth <= found.pessimistic
    pairs = [pure_pair(0.3), response_pair(0.7, 4).poisson(0.5), FinitePair((0.7, 0.2, 0.1), (0.3, 0.3, 0.4))]
    whole = FinitePair((1.0,), (1.0,))
    for pair in pairs * 2:
        whole = whole.times(pair)
    for delta in (1e-3, 1e-9):
        found = pld_epsilon([Step(pair, 2) for pair in pairs], delta)
        assert whole.delta(found.pessimistic) <= delta * (1 + 1e-9)
        assert whole.delta(found.optimistic) >= delta * (1 - 1e-9)


@pytest.mark.parametrize("pair", [LaplacePair(2.0), LaplacePair(0.7, 0.2), GaussianPair(1.5, 0.1)])
@pytest.mark.parametrize("delta", [1e-3, 1e-9, 1e-15])
def test_continuous_losses_against_rounding_without_a_transform(pair, delta):
    """Three uses, each loss rounded up and down, and probabilities added one by one."""
    def ends(forth):
        low, high = pair.loss_range(forth, math.log(1e-25))
        edges = np.linspace(low, high, 701)
        above, below, *_ = pair.tails(edges, forth)
        mass = np.where(above[:-1] < -1, np.exp(above[:-1]) - np.exp(above[1:]), np.exp(below[1:]) - np.exp(below[:-1]))
        mass[0] += math.exp(below[0])
        found = []
        for places, top in ((edges[:-1], 0.0), (edges[1:], math.exp(above[-1]))):
            together = np.convolve(np.convolve(mass, mass), mass)
            total = 3 * places[0] + (edges[1] - edges[0]) * np.arange(len(together))
            found.append(search(lambda e, total=total, together=together, top=top: float(
                (together * -np.expm1(np.minimum(e - total, 0))).sum()) + 3 * top - delta, total[-1]))
        return found
    found, both = pld_epsilon([Step(pair, 3)], delta), [ends(forth) for forth in (True, False)]
    low, high = max(low for low, _ in both), max(high for _, high in both)
    assert low <= found.pessimistic * (1 + 1e-9) and found.pessimistic <= high * (1 + 1e-6)
    assert found.optimistic <= high and found.pessimistic - low < 0.05 * high


def test_no_delta_and_hardly_any():
    """Pure epsilon: what the largest losses add up to, which 1e-300 hardly changes."""
    for steps in ([Step(LaplacePair(2.0), 3), Step(pure_pair(0.25), 4)], [Step(LaplacePair(2.0, 0.1), 5)]):
        whole = pld_epsilon(steps, 0.0)
        assert whole.optimistic == whole.pessimistic == pytest.approx(basic_composition(steps), rel=1e-12, abs=0)
        assert 0.99 * whole.pessimistic <= pld_epsilon(steps, 1e-300).optimistic
        assert set(account(steps, 0.0)) == {"basic", "PLD, pessimistic", "PLD, optimistic"}
    assert pld_epsilon([Step(GaussianPair(1.0))], 0.0).optimistic == math.inf
    one_way = FinitePair((0.9, 0.1), (0.99, 0.01))
    assert pld_epsilon([Step(one_way, 2)], 0.0).pessimistic == pytest.approx(2 * math.log(10))


def test_epsilon_rises_where_delta_falls_and_nothing_jumps():
    """One peer jumps from .16 to 3.9 between delta 1.10e-18 and 1.13e-18."""
    for pair in (GaussianPair(50.0, 0.3), LaplacePair(20.0), response_pair(0.2, 4)):
        steps, deltas = [Step(pair, 35)], np.geomspace(1e-20, 1e-6, 35)
        found = [pld_epsilon(steps, float(delta)) for delta in deltas]
        upper = np.array([each.pessimistic for each in found])
        assert (np.diff(upper) <= 1e-4 * upper[1:]).all() and np.abs(np.diff(np.log(upper))).max() < 0.2
        assert all(0 <= each.optimistic <= each.pessimistic for each in found)


@pytest.mark.parametrize("pair", [GaussianPair(0.4), GaussianPair(30.0, 0.01), LaplacePair(0.2), LaplacePair(4.0, 0.3)])
@pytest.mark.parametrize("forth", [True, False])
def test_tails_with_fifty_digits(pair, forth):
    """Each tail is as accurate as ``losses`` says, at losses that floats shift by a few units of the last place."""
    low, high = pair.loss_range(forth, math.log(1e-200))
    places = np.linspace(low, high, 42)[1:-1]
    found = pair.tails(places, forth)
    with mpmath.workdps(50):
        for i, place in enumerate(places.tolist()):
            wanted = exact_tails(pair, place, forth)
            shifted = exact_tails(pair, place * (1 - 4e-15), forth), exact_tails(pair, place * (1 + 4e-15), forth)
            for kind in range(4):
                value, moved = found[kind][i], max(abs(each[kind] - wanted[kind]) for each in shifted)
                assert abs(value - wanted[kind]) <= RELATIVE * (1 + abs(wanted[kind])) + moved


def exact_tails(pair, place: float, forth: bool) -> list:
    """ln of P(L > l), P(L <= l), Q(L > l), Q(L <= l), from the noise's distribution function."""
    exp, log, rate = mpmath.exp, mpmath.log, mpmath.mpf(pair.rate)
    loss = mpmath.mpf(place if forth else -place)
    loss = log((exp(loss) - 1) / rate + 1)
    if isinstance(pair, GaussianPair):
        x = mpmath.mpf(1) / 2 - loss * mpmath.mpf(pair.sigma) ** 2  # the sampled side lies at 0, below this place
        above_p, above_q = (mpmath.ncdf((x - centre) / pair.sigma) for centre in (0, 1))
    else:
        x = (1 - loss * mpmath.mpf(pair.scale)) / 2
        def cdf(z):
            return exp(z) / 2 if z < 0 else 1 - exp(-z) / 2
        above_p, above_q = cdf(x / pair.scale), cdf((x - 1) / pair.scale)
    mixed = rate * above_p + (1 - rate) * above_q
    if isinstance(pair, GaussianPair):
        below_p, below_q = (mpmath.ncdf((centre - x) / pair.sigma) for centre in (0, 1))
    else:
        below_p, below_q = 1 - above_p, 1 - above_q
    other = rate * below_p + (1 - rate) * below_q
    return [log(v) for v in ((mixed, other, above_q, below_q) if forth else (below_q, above_q, other, mixed))]


def test_sampled_losses_and_back():
    losses = np.array([-3.0, -1e-3, 1e-12, 0.5, 3.0, 800.0])
    for rate in (1e-6, 0.3, 0.999):
        again = unsampled_losses(sampled_losses(losses, rate), rate)
        assert again[1:] == pytest.approx(losses[1:], rel=1e-9, abs=0)
    assert unsampled_losses(np.array([-5.0]), 0.5)[0] == -math.inf  # no loss is below ln(1 - rate)


def test_without_tilt_and_error_bounds_the_answer_is_made_of_rounding(monkeypatch):
    """The mutant: the same transforms, but plain, and believed."""
    steps, truth = [Step(GaussianPair(20.0), 1000)], gaussian_truth(math.sqrt(1000) / 20, 1e-15)
    monkeypatch.setattr(Composition, "tilt", 1e-9)
    lower, upper = by_grid(steps, 1e-15)
    assert lower <= truth <= upper  # what is known of the error is added, and there is no finite answer
    monkeypatch.setattr(composition, "FFT", 0.0)
    monkeypatch.setattr(composition, "UNIT", 0.0)
    monkeypatch.setattr(composition, "OUTSIDE", 1e-300)
    monkeypatch.setattr(composition, "FAR", 1e3)
    lower, upper = by_grid(steps, 1e-15)
    assert not lower <= truth <= upper


@pytest.mark.parametrize("name", ["up", "shift"])
def test_each_part_of_the_bound_is_needed(name):
    """Mutants: losses rounded down at the upper end; a lower end that takes no account of the coarse grid."""
    def mutant(pair, forth, step, log_cut):
        found = losses_of(pair, forth, step, log_cut)
        return replace(found, first=found.first - 1) if name == "up" else replace(found, convert=0.0, spread=0.0)
    pair, step, count, delta = LaplacePair(1.0), 0.5, 30, 1e-6
    ends = []
    for make in (losses_of, mutant):
        whole = Composition([(make(pair, True, step, -60.0), count)], step, delta)
        ends.append((whole.lower(0.01), whole.upper()))
    fine = pld_epsilon([Step(pair, count)], delta, 0.001)
    assert ends[0][0] <= fine.optimistic <= fine.pessimistic <= ends[0][1]
    assert ends[1][1] < fine.optimistic if name == "up" else ends[1][0] > fine.pessimistic


def test_a_grid_that_memory_has_no_room_for(monkeypatch):
    """A coarser one answers; where none fits, the other accountants do."""
    steps = [Step(LaplacePair(2.0, 0.3), 100)]
    fine = pld_epsilon(steps, 1e-6)
    monkeypatch.setattr(certified, "MOST_PLACES", 20_000)
    coarse = pld_epsilon(steps, 1e-6, 1e-4)
    assert coarse.optimistic <= fine.pessimistic and fine.optimistic <= coarse.pessimistic
    assert coarse.pessimistic - coarse.optimistic > 1e-4 * coarse.pessimistic
    monkeypatch.setattr(certified, "MOST_PLACES", 1)
    assert pld_epsilon(steps, 1e-6).pessimistic == min(ceilings(steps, 1e-6))
    with pytest.raises(TooWide):
        certified.direction_ends(merged(steps), True, 1e-3, 1e-6, 0.01, 100)


def test_binomial_probabilities_and_mills_ratio_with_fifty_digits():
    """What ``certified`` takes for granted of scipy: a fiftieth of the error that it allows for."""
    rng = np.random.default_rng(0)
    with mpmath.workdps(50):
        for n, p in product((1, 100, 10_000, 10**6), (0.5, 0.524979, 0.731, 0.01, 1e-6)):
            chance = mpmath.mpf(p)
            for k in {0, n, int(n * p), *rng.integers(0, n + 1, 8).tolist()}:
                true = mpmath.binomial(n, k) * chance**k * (1 - chance) ** (n - k)
                if true > mpmath.mpf("1e-290"):
                    assert abs(mpmath.mpf(float(binom.pmf(k, n, p))) / true - 1) < (1e-11 + 1e-14 * n) / 50
        for x in np.concatenate([np.linspace(-3.6, 30, 200), 10 ** rng.uniform(-8, 4, 100)]).tolist():
            true = mpmath.exp(mpmath.mpf(x) ** 2) * mpmath.erfc(mpmath.mpf(x))
            assert abs(mpmath.mpf(float(erfcx(x))) / true - 1) < 2e-15


def test_powers_by_squaring():
    values = np.exp(1j * np.linspace(0, 1, 5)) * 0.999
    for count in (1, 2, 3, 10, 1023):
        assert np.allclose(power(values, count), values**count, rtol=1e-11)


def test_an_outcome_that_gives_everything_away():
    """Its probability over all uses is spent first; at just that delta no finite epsilon is promised."""
    pair = FinitePair((0.6, 0.399999, 1e-6), (0.4, 0.6, 0.0))
    spent = 1 - (1 - 1e-6) ** 10
    assert pld_epsilon([Step(pair, 10)], 0.9 * spent).optimistic == math.inf
    assert pld_epsilon([Step(pair, 10)], 0.9 * spent).pessimistic == math.inf
    assert 0 < pld_epsilon([Step(pair, 10)], 1.1 * spent).optimistic <= pld_epsilon(
        [Step(pair, 10)], 1.1 * spent).pessimistic < 10
