"""(epsilon, delta) steps and exact products: against the optimal composition theorem, and against listing outcomes."""

import math
from itertools import product

import numpy as np
import pytest

from privgraph.privacy import FinitePair, Step, approximate_pair, product_pair, pure_pair, response_pair
from privgraph.privacy.approximate import certain_loss, finite_epsilon


def optimal_delta(steps: list[tuple[float, float]], epsilon: float) -> float:
    """Murtagh and Vadhan (2016), Theorem 1.5: the sum over all subsets of steps."""
    lost = 0.0
    for signs in product((1, -1), repeat=len(steps)):
        mine = sum(e for (e, _), sign in zip(steps, signs, strict=True) if sign == 1)
        others = sum(e for (e, _), sign in zip(steps, signs, strict=True) if sign == -1)
        lost += max(math.exp(mine) - math.exp(epsilon + others), 0.0)
    kept = math.prod(1 - delta for _, delta in steps)
    return 1 - kept * (1 - lost / math.prod(1 + math.exp(e) for e, _ in steps))


STEPS = [[(1.0, 0.1), (2.0, 0.2)], [(0.3, 0.01)] * 4, [(0.5, 0.0), (1.0, 1e-3), (0.2, 0.4)], [(3.0, 1e-9)]]


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 1.0, 2.5, 3.0])
def test_products_are_the_optimal_composition(steps, epsilon):
    whole = product_pair([(approximate_pair(*step), 1) for step in steps])
    assert whole.delta(epsilon) == pytest.approx(optimal_delta(steps, epsilon), abs=1e-12)


def test_two_steps_cost_less_than_the_sum_of_their_deltas():
    whole = product_pair([(approximate_pair(1.0, 0.1), 1), (approximate_pair(2.0, 0.2), 1)])
    assert whole.delta(3.0) == pytest.approx(0.28, abs=1e-15)  # 1 - .9 * .8, and not .3
    assert whole.delta(2.999) > 0.28


@pytest.mark.parametrize("pair, count", [(pure_pair(0.4), 7), (response_pair(1.0, 4), 5),
                                         (approximate_pair(0.2, 0.01), 6),
                                         (FinitePair((0.2, 0.3, 0.5, 0.0), (0.5, 0.3, 0.1, 0.1)), 3)])
def test_powers_are_repeated_products(pair, count):
    slow = pair
    for _ in range(count - 1):
        slow = slow.times(pair)
    fast = product_pair([(pair, count)])
    for epsilon in (0.0, 0.1, 1.0, 2.7):
        assert fast.delta(epsilon) == pytest.approx(slow.delta(epsilon), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("seed", range(20))
def test_epsilon_is_the_inverse_of_delta(seed):
    random = np.random.default_rng(seed)
    p, q = random.dirichlet(np.full(6, 0.5), 2)
    pair = FinitePair(tuple(p), tuple(q))
    for delta in (0.3, 0.01, 1e-6, 0.0):
        epsilon = finite_epsilon(pair, delta)
        assert pair.delta(epsilon) <= delta + 1e-15
        assert epsilon == 0 or pair.delta(epsilon - 1e-9 * max(1, epsilon)) > delta - 1e-15
    assert finite_epsilon(pair, 0.0) == pytest.approx(pair.epsilon, rel=1e-12, abs=0)


def test_what_is_given_away_with_more_than_delta_has_no_epsilon():
    pair = approximate_pair(1.0, 0.1)
    assert finite_epsilon(pair, 0.0999) == math.inf and finite_epsilon(pair, 0.1) == pytest.approx(1.0)
    assert finite_epsilon(approximate_pair(math.inf, 0.1), 0.5) == math.inf
    assert finite_epsilon(approximate_pair(1.0, 0.2), 0.0) == math.inf
    assert certain_loss(approximate_pair(0.7, 0.2)) == (pytest.approx(0.7), pytest.approx(0.2))
    assert certain_loss(pure_pair(0.7)) == (pytest.approx(0.7), 0.0)
    one_sided = FinitePair((0.25, 0.75), (0.0, 1.0))  # an outcome that only one side has
    assert certain_loss(one_sided)[1] == 0.25


def test_borders_of_what_is_listed():
    assert approximate_pair(1.0, 0.0) == pure_pair(1.0) and certain_loss(approximate_pair(math.inf, 0.3)) == (0, 1)
    assert len(product_pair([(pure_pair(0.1), 9)], most=10).p) == 10
    with pytest.raises(ValueError, match="count must be"):
        product_pair([(pure_pair(1.0), 0)])


@pytest.mark.parametrize("p, q, delta, epsilon", [
    ((1.0,), (1.0,), 0.0, 0.0), ((0.0, 1.0), (0.0, 1.0), 0.1, 0.0), ((0.0, 1.0), (0.0, 1.0), 0.0, 0.0),
    ((0.1, 0.1, 0.8), (0.0, 0.0, 1.0), 0.1, math.inf), ((0.1, 0.1, 0.8), (0.0, 0.0, 1.0), 0.2, 0.0),
    ((0.5, 0.5), (0.25, 0.75), math.nextafter(1, 0), 0.0), ((0.5, 0.5), (0.25, 0.75), 0.25, 0.0),
    ((0.5, 0.5), (0.25, 0.75), 0.125, math.log(1.5)), ((0.5, 0.5), (0.25, 0.75), 0.0, math.log(2))])
def test_epsilons_by_hand(p, q, delta, epsilon):
    assert finite_epsilon(FinitePair(p, q), delta) == pytest.approx(epsilon, abs=1e-15)


def test_too_many_outcomes_are_refused():
    random = np.random.default_rng(0)
    odd = FinitePair(tuple(random.dirichlet(np.ones(9))), tuple(random.dirichlet(np.ones(9))))
    with pytest.raises(ValueError, match="at most 50 different losses"):
        product_pair([(odd, 4)], most=50)
    with pytest.raises(ValueError, match="at most 100 different losses"):
        product_pair([(pure_pair(0.1), 1000)], most=100)


def test_approximate_steps_can_be_sampled():
    """Poisson sampling of an (epsilon, delta) step, one use: Balle, Barthe and Gaboardi 2018, Theorem 8."""
    sampled = Step(approximate_pair(1.0, 0.1).poisson(0.2)).pair
    assert sampled.delta(math.log1p(0.2 * math.expm1(1.0))) == pytest.approx(0.02)
