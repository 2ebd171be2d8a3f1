"""Between zCDP, GDP and (epsilon, delta): by 60 digits, by a search over all orders, and there and back."""

import math

import mpmath
import numpy as np
import pytest

from privgraph.privacy import (
    ConcentratedPair,
    GaussianPair,
    Step,
    gdp_delta,
    gdp_epsilon,
    gdp_mu,
    pld_epsilon,
    pure_pair,
    pure_rho,
    rdp_epsilon,
    zcdp_delta,
    zcdp_epsilon,
    zcdp_rho,
)
from privgraph.privacy.conversions import log_gdp_delta, log_zcdp_delta

DELTAS = [1e-300, 1e-18, 1e-9, 1e-5, 0.1]


def exactly(mu: float, epsilon: float):
    with mpmath.workdps(400):
        mu, epsilon = mpmath.mpf(mu), mpmath.mpf(epsilon)
        return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize("mu", [1e-4, 0.01, 0.3, 1.0, 4.0, 12.0, 40.0])
def test_gdp_is_the_gaussian_curve_to_the_last_digits(mu):
    for epsilon in (0.0, 1e-6, 0.01, 0.5, 3.0, 40.0, 600.0):
        true = exactly(mu, epsilon)
        if true > 1e-300:
            assert gdp_delta(mu, epsilon) == pytest.approx(float(true), rel=2e-11, abs=0)
        elif true > 0:
            assert log_gdp_delta(mu, epsilon) == pytest.approx(float(mpmath.log(true)), rel=1e-9, abs=0)


@pytest.mark.parametrize("mu", [0.99e-5, 1e-7, 1e-20])
def test_gdp_of_next_to_no_difference(mu):
    for ratio in (0.0, 0.1, 1.0, 5.0, 30.0):
        assert gdp_delta(mu, mu * ratio) == pytest.approx(float(exactly(mu, mu * ratio)), rel=1e-11, abs=0)
    assert gdp_delta(mu, 1.0) == 0 and gdp_delta(1.0, 1e3) == 0


@pytest.mark.parametrize("epsilon", [1e-20, 1e-9, 1e13])
@pytest.mark.parametrize("delta", [1e-40, 1e-13, 0.1])
def test_the_budget_is_used_up_however_small_or_large_it_is(epsilon, delta):
    curves = [(gdp_mu, log_gdp_delta), (zcdp_rho, log_zcdp_delta)]
    for most, log_curve in curves:
        allowed = most(epsilon, delta)
        assert log_curve(allowed, epsilon) <= math.log(delta) < log_curve(allowed * (1 + 1e-9), epsilon)


def test_what_is_no_epsilon_and_what_no_delta_exceeds():
    for refused in (lambda: zcdp_delta(0.1, -0.5), lambda: gdp_delta(0.1, -0.5), lambda: gdp_mu(-0.5, 0.1)):
        with pytest.raises(ValueError, match="epsilon must be at least 0"):
            refused()
    assert zcdp_delta(50.0, 0.0) == 1 and ConcentratedPair(0.5).poisson(1.0) == ConcentratedPair(0.5)


@pytest.mark.parametrize("mu", [0.01, 0.3, 1.0, 10.0, 60.0])
@pytest.mark.parametrize("delta", DELTAS)
def test_gdp_there_and_back(mu, delta):
    epsilon = gdp_epsilon(mu, delta)
    assert epsilon == 0 or float(exactly(mu, epsilon)) == pytest.approx(delta, rel=1e-9, abs=0)
    if epsilon > 0:
        assert mu * (1 - 1e-9) < gdp_mu(epsilon, delta) <= mu
    else:
        assert exactly(mu, 0) <= delta and gdp_mu(0.0, delta) >= mu * (1 - 1e-9)


def test_gdp_of_our_pair():
    assert gdp_delta(0.5, 1.0) == pytest.approx(GaussianPair(2.0).delta(1.0), rel=1e-9, abs=0)


@pytest.mark.parametrize("rho", [1e-4, 0.02, 0.5, 3.0, 50.0])
@pytest.mark.parametrize("delta", DELTAS)
def test_zcdp_takes_the_best_of_all_orders(rho, delta):
    order = 1 + np.logspace(-5, 5, 100_001)
    listed = (rho * order + np.log1p(-1 / order) - (math.log(delta) + np.log(order)) / (order - 1)).min()
    found = zcdp_epsilon(rho, delta)
    assert found <= max(0.0, listed) + 1e-12 and found >= max(0.0, listed) * (1 - 1e-5)
    assert found <= rho + 2 * math.sqrt(rho * math.log(1 / delta))  # Bun and Steinke 2016, Proposition 1.3
    if found > 0:
        assert zcdp_delta(rho, found) == pytest.approx(delta, rel=1e-6, abs=0)
        assert rho * (1 - 1e-9) < zcdp_rho(found, delta) <= rho
    else:
        assert zcdp_delta(rho, 0.0) <= delta


@pytest.mark.parametrize("sigma", [0.7, 2.0, 20.0])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 6.0])
def test_zcdp_bounds_what_has_it(sigma, epsilon):
    """Gaussian noise is 1/(2 sigma^2)-zCDP, so the conversion lies above its curve."""
    assert zcdp_delta(1 / (2 * sigma**2), epsilon) >= GaussianPair(sigma).delta(epsilon)


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 4.0, 30.0])
def test_every_pure_mechanism_has_a_rho(epsilon):
    orders = (1 + 1e-6, 1.01, 1.3, 2, 3, 10, 100)
    ratios = [pure_pair(epsilon).rdp(order) / order for order in orders]
    assert max(ratios) <= pure_rho(epsilon) * (1 + 1e-8)
    assert ratios[0] == pytest.approx(pure_rho(epsilon), rel=1e-4, abs=0)  # and no smaller one
    assert pure_rho(epsilon) <= epsilon**2 / 2


def test_concentrated_steps_add_up_by_rdp():
    steps = [Step(ConcentratedPair(0.01), 10), Step(ConcentratedPair(0.1))]
    assert zcdp_epsilon(0.2, 1e-6) <= rdp_epsilon(steps, 1e-6) < 1.02 * zcdp_epsilon(0.2, 1e-6)
    assert steps[1].pair.delta(2.0) == zcdp_delta(0.1, 2.0) and steps[1].pair.epsilon == math.inf
    for refused in (lambda: steps[0].pair.poisson(0.5), lambda: pld_epsilon(steps, 1e-5)):
        with pytest.raises(ValueError, match="gaussian:sigma"):
            refused()
