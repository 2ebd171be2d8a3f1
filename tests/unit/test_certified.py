"""Both ends of closed forms and of the grid: on their sides, close together, and whatever the first grid is like."""

import math

import mpmath
import pytest

from privgraph.privacy import FinitePair, GaussianPair, LaplacePair, pure_pair, response_pair
from privgraph.privacy.certified import (
    binomial_ends,
    composed_ends,
    direction_ends,
    directions,
    ends,
    first_step,
    gaussian_ends,
    largest_losses,
    log_gaussian_delta,
)
from privgraph.privacy.composition import TooWide


@pytest.mark.parametrize("shift", [1e-3, 0.3, 1.0, 9.0, 14.0, 60.0, 777.7, 1e5 + 0.3])
def test_delta_of_gaussian_noise_lies_between_its_ends(shift):
    """With 400 digits, from where little is told apart to where nearly all is."""
    for a in (-30.0, -8.0, -1.0, 0.0, 1.0, 4.9, 5.1, 6.5):
        epsilon = shift * (shift / 2 - a)
        if epsilon >= 0:
            low, high = log_gaussian_delta(shift, epsilon)
            with mpmath.workdps(400):
                mu, e = mpmath.mpf(shift), mpmath.mpf(epsilon)
                true = mpmath.log(mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu))
                assert low <= true <= high
            assert high - low <= 3e-11 * (1 + abs(a) / shift + a * a) * (1 + shift / 1000)


def test_delta_of_gaussian_noise_may_be_made_of_rounding():
    low, high = log_gaussian_delta(1e-15, 1e-16)
    assert low == -math.inf < math.log(4e-16) < high < math.log(1e-13)


@pytest.mark.parametrize("shift, delta", [(0.3, 1e-5), (9.0, 1e-300), (14.0, 0.99), (1e-3, 0.5), (60.0, 0.5)])
def test_ends_of_gaussian_noise(shift, delta):
    lower, upper = gaussian_ends(shift, delta)
    assert 0 <= lower <= upper <= lower + 5e-8 * upper + 1e-12
    if upper:
        assert log_gaussian_delta(shift, upper)[1] <= math.log(delta) < log_gaussian_delta(shift, lower)[0]
    else:
        assert math.erf(shift / 2 / math.sqrt(2)) <= delta


def test_each_end_is_on_its_side_of_what_is_known():
    lower, upper = ends(lambda sign: lambda epsilon: 1 - epsilon + 0.1 * sign, 1.0)
    assert lower == pytest.approx(0.9) and upper == pytest.approx(1.1)


@pytest.mark.parametrize("pair", [pure_pair(0.5), *(FinitePair((p, 1 - p), (q, 1 - q)) for p, q in (
    (0.9, 0.99), (0.99, 0.9), (0.1, 0.01), (0.01, 0.1)))])
@pytest.mark.parametrize("count, delta", [(1, 0.01), (1, 0.3), (7, 1e-4), (7, 0.99), (40, 1e-9)])
def test_ends_of_coins(pair, count, delta):
    """Every number of heads in turn, and the direction that tells more."""
    lower, upper = binomial_ends(pair, count, delta)
    def excess(epsilon: float) -> float:
        found = []
        for p, (heads, tails) in ((pair.p, pair.losses), (pair.q, [-loss for loss in pair.losses])):
            found.append(sum(math.comb(count, k) * p[0]**k * p[1]**(count - k)
                             * max(0.0, -math.expm1(epsilon - k * heads - (count - k) * tails))
                             for k in range(count + 1)))
        return max(found) - delta
    assert 0 <= lower <= upper <= lower + 1e-7 * upper
    assert excess(lower * (1 - 1e-9)) > 0 >= excess(upper * (1 + 1e-9)) if upper else excess(0.0) <= 0


def test_the_largest_losses_are_those_of_the_worse_direction():
    one_way = FinitePair((0.9, 0.1), (0.99, 0.01))
    assert largest_losses([(one_way, 2)]) == pytest.approx(2 * math.log(10))
    assert largest_losses([(one_way, 2), (LaplacePair(2.0), 3)]) == pytest.approx(2 * math.log(10) + 1.5)
    assert directions([(pure_pair(1.0), 2)]) == (True,)
    assert directions([(pure_pair(1.0), 1), (one_way, 2)]) == (True, False)


@pytest.mark.parametrize("uses", [[(response_pair(1.0, 3), 4)], [(response_pair(0.1, 3), 2)],
                                  [(pure_pair(0.5), 3), (FinitePair((0.9, 0.1), (0.99, 0.01)), 2)],
                                  [(FinitePair((0.6, 0.399, 1e-3), (0.4, 0.6, 0.0)), 3)]])
@pytest.mark.parametrize("delta", [0.01, 1e-5])
@pytest.mark.parametrize("about", [0.3, 5.0])
def test_ends_of_the_grid_whatever_it_starts_from(uses, delta, about):
    whole = FinitePair((1.0,), (1.0,))
    for pair, count in uses:
        for _ in range(count):
            whole = whole.times(pair)
    lower, upper = composed_ends(uses, delta, 0.01, about)
    if whole.delta(1e3) > delta:
        assert lower == upper == math.inf
    else:
        assert whole.delta(upper * (1 + 1e-9)) <= delta <= whole.delta(lower * (1 - 1e-9))
        assert upper - lower <= 0.0101 * max(upper, 1e-3)


def test_nothing_is_composed_where_nothing_costs():
    assert composed_ends([(pure_pair(1.0), 3)], 0.1, 0.01, 0.0) == (0.0, 0.0)


def test_a_grid_is_too_wide_for_one_use_or_for_all():
    for step in (1e-8, 1e-4):
        with pytest.raises(TooWide):
            direction_ends([(GaussianPair(0.5), 100)], True, step, 1e-5, 0.01, 1000)
    assert composed_ends([(GaussianPair(1e-3), 1)], 1e-5, 0.01, 5.1e5)[1] < 5.2e5


@pytest.mark.parametrize("total, delta, tolerance", [(1, 1e-5, 0.01), (1000, 1e-9, 0.1)])
def test_the_first_grid_leaves_half_of_the_tolerance_to_rounding(total, delta, tolerance):
    """Hoeffding's t, of so many steps, is half of what is tolerated."""
    step = first_step(total, delta, tolerance, 3.0)
    t = step * math.sqrt(total * math.log(10 / (tolerance * delta)) / 2)
    assert t == pytest.approx(3.0 * tolerance / 2)
    assert first_step(total, delta, tolerance, 1e-9) == pytest.approx(step / 3e3)
