"""Noise on the integers: every number by a sum over the integers in 60 digits."""

import math

import mpmath
import numpy as np
import pytest

from privgraph.privacy import (
    DiscreteGaussianPair,
    DominatingPair,
    GaussianPair,
    LaplacePair,
    Step,
    discrete_laplace_pair,
    pld_epsilon,
    pure_pair,
    rdp_epsilon,
)
from privgraph.privacy.discrete import between_orders


def chances(log_weight, shift: int, reach: int):
    """(P, Q) over -reach .. reach + shift: noise around 0 and around ``shift``."""
    with mpmath.workdps(60):
        def law(centre):
            return [mpmath.exp(log_weight(k - centre)) for k in range(-reach, reach + shift + 1)]
        p, q = law(0), law(shift)
        total = mpmath.fsum(p)
        return [each / total for each in p], [each / total for each in q]


def curve(p, q, epsilon):
    with mpmath.workdps(60):
        return float(mpmath.fsum(max(a - mpmath.exp(epsilon) * b, 0) for a, b in zip(p, q, strict=True)))


def renyi(p, q, order):
    with mpmath.workdps(60):
        total = mpmath.fsum(a**order * b ** (1 - mpmath.mpf(order)) for a, b in zip(p, q, strict=True))
        return float(mpmath.log(total) / (order - 1))


@pytest.mark.parametrize("sigma, shift", [(0.4, 1), (1.0, 1), (3.0, 1), (2.0, 3), (5.0, 7)])
def test_discrete_gaussian_noise_is_summed_exactly(sigma, shift):
    p, q = chances(lambda k: -mpmath.mpf(k) ** 2 / (2 * mpmath.mpf(sigma) ** 2), shift, math.ceil(25 * sigma) + 5)
    pair = DiscreteGaussianPair(sigma, shift)
    for epsilon in (0.0, 0.01, 0.3, 1.0, 4.0, 12.0):
        assert pair.delta(epsilon) == pytest.approx(curve(p, q, epsilon), rel=1e-9, abs=1e-60)
    for order in (1.1, 1.5, 2, 2.25, 3, 7.5):
        assert pair.rdp(order) == pytest.approx(renyi(p, q, order), rel=1e-9, abs=0)


def test_a_narrow_discrete_gaussian_costs_less_than_the_continuous_one_between_whole_orders():
    assert DiscreteGaussianPair(0.4).rdp(1.5) < 0.95 * GaussianPair(0.4).rdp(1.5)
    assert DiscreteGaussianPair(0.4).rdp(3) == pytest.approx(GaussianPair(0.4).rdp(3))
    assert DiscreteGaussianPair(6.0, 3).rdp(5) == pytest.approx(GaussianPair(2.0).rdp(5))


@pytest.mark.parametrize("scale, shift", [(0.5, 1), (2.0, 1), (2.0, 2), (2.0, 3), (10.0, 4)])
def test_discrete_laplace_noise_is_summed_exactly(scale, shift):
    p, q = chances(lambda k: -mpmath.mpf(abs(k)) / mpmath.mpf(scale), shift, math.ceil(60 * scale))
    pair = discrete_laplace_pair(scale, shift)
    assert pair.epsilon == pytest.approx(shift / scale)
    for epsilon in (0.0, 0.1, 0.3, 0.9, 1.4):
        assert pair.delta(epsilon) == pytest.approx(curve(p, q, epsilon), rel=1e-9, abs=1e-20)
    for order in (1.5, 2, 6):
        assert pair.rdp(order) == pytest.approx(renyi(p, q, order), rel=1e-9, abs=0)


def test_many_steps_of_a_fine_grid_are_the_laplace_noise_of_the_reals():
    for epsilon in (0.0, 0.2, 0.6):
        assert discrete_laplace_pair(2000.0, 2000).delta(epsilon) == pytest.approx(
            LaplacePair(1.0).delta(epsilon), rel=2e-3)


@pytest.mark.parametrize("rate", [0.01, 0.3])
def test_a_sampled_step_is_dominated(rate):
    """Whole orders exactly, fractional ones from above, by the sum over the integers in both directions."""
    pair = DiscreteGaussianPair(1.5).poisson(rate)
    p, q = chances(lambda k: -mpmath.mpf(k) ** 2 / mpmath.mpf(4.5), 1, 45)
    mixed = [(1 - rate) * b + rate * a for a, b in zip(p, q, strict=True)]
    for order in (2, 3, 8):
        assert pair.rdp(order) == pytest.approx(max(renyi(mixed, q, order), renyi(q, mixed, order)), rel=1e-9, abs=0)
    for order in (1.25, 2.5, 4.75):
        exact = max(renyi(mixed, q, order), renyi(q, mixed, order))
        assert exact <= pair.rdp(order) * (1 + 1e-12) and pair.rdp(order) < 1.8 * exact
    for epsilon in (0.0, 0.2, 1.0):
        assert pair.delta(epsilon) == pytest.approx(max(curve(mixed, q, epsilon), curve(q, mixed, epsilon)), rel=1e-9,
                                                    abs=0)


def test_accountants_take_the_pair():
    steps = [Step(DiscreteGaussianPair(4.0), 20)]
    assert isinstance(steps[0].pair, DominatingPair)
    bracket, smooth = pld_epsilon(steps, 1e-5), pld_epsilon([Step(GaussianPair(4.0), 20)], 1e-5)
    assert bracket.optimistic <= bracket.pessimistic <= rdp_epsilon(steps, 1e-5)
    assert bracket.pessimistic == pytest.approx(smooth.pessimistic, rel=0.03, abs=0)


def test_chords_between_orders_are_above_a_convex_function():
    assert between_orders(lambda order: 0.5 * order, 3.5) == pytest.approx((2 * 1.5 + 0.5 * (3 * 2 - 2 * 1.5)) / 2.5)
    assert between_orders(lambda order: 0.5 * order, 3.5) > 0.5 * 3.5
    assert between_orders(lambda order: 2.0 * order, 1.5) == pytest.approx(4.0)  # half of (2 - 1) * 4, by 1/2
    assert between_orders(lambda order: 7.0 + order, 4) == 11.0


def test_one_step_of_discrete_laplace_noise_is_randomised_response():
    assert discrete_laplace_pair(4.0) == pure_pair(0.25)


@pytest.mark.parametrize("sigma, shift", [(0.7, 1), (3.0, 1), (4.0, 3), (2.0, 11)])
@pytest.mark.parametrize("log_cut", [-12.0, -230.0, -1000.0])
def test_losses_lie_in_their_range_but_for_the_share_that_is_cut(sigma, shift, log_cut):
    pair = DiscreteGaussianPair(sigma, shift)
    low, high = pair.loss_range(True, log_cut)
    above, below, *_ = pair.tails(np.array([low, high]), True)
    assert above[1] <= log_cut and below[0] <= log_cut
    if log_cut < -100 and sigma > 1:  # where two steps of the grid and the ten of the logarithm are little, it is tight
        assert pair.tails(np.array([0.9 * high]), True)[0][0] > log_cut
    above, below, *_ = pair.tails(np.array([-1e9, 1e9]), True)
    assert above[0] == pytest.approx(0) and below[1] == pytest.approx(0) and above[1] == -math.inf and below[0] < -9000


@pytest.mark.parametrize("sigma, shift", [(1.5, 1), (2.0, 3)])
@pytest.mark.parametrize("place", [-20, -1, 0, 1, 7, 30])
def test_tails_are_sums_over_the_integers(sigma, shift, place):
    """P(L > l) and the like just below, at and above the loss of one integer."""
    def tails(centre: int, last: int) -> list[float]:
        weights = {k: mpmath.exp(-mpmath.mpf(k - centre) ** 2 / (2 * mpmath.mpf(sigma) ** 2)) for k in range(-150, 150)}
        above = mpmath.fsum(weight for k, weight in weights.items() if k > last) / mpmath.fsum(weights.values())
        return [float(mpmath.log(above)), float(mpmath.log(1 - above))]
    with mpmath.workdps(250):
        for off, last in ((-1e-9, place - 1), (1e-9, place)):
            loss = (2 * shift * place + shift**2) / (2 * sigma**2) + off
            found = [float(tail[0]) for tail in DiscreteGaussianPair(sigma, shift).tails(np.array([loss]), True)]
            assert found == pytest.approx(tails(0, last) + tails(-shift, last), rel=1e-9, abs=1e-15)


def test_no_steps_and_no_epsilon_are_refused():
    with pytest.raises(ValueError, match="sensitivity"):
        discrete_laplace_pair(1.0, 0)
    with pytest.raises(ValueError, match="epsilon must be at least 0"):
        DiscreteGaussianPair(1.0).delta(-0.1)
