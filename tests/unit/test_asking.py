"""What each accountant answers, whichever of epsilon and delta it is asked for: against closed forms, and there and
back."""

import math

import pytest

from privgraph.privacy import (
    Answer,
    DiscreteGaussianPair,
    FinitePair,
    GaussianPair,
    LaplacePair,
    Step,
    advanced_composition,
    exact_delta,
    gdp_delta,
    gdp_epsilon,
    pure_pair,
    rdp_epsilon,
)
from privgraph.privacy.approximate import approximate_pair
from privgraph.privacy.asking import (
    advanced_delta,
    basic_delta,
    best,
    certain,
    delta_answers,
    exact_answer,
    exact_scale,
    pld_delta,
    printed,
    renyi_delta,
)

APART = FinitePair((1.0, 0.0), (0.0, 1.0))
TENTHS = [Step(pure_pair(0.1), 100)]


def test_where_powers_of_ten_are_printed():
    assert [printed(value) for value in (1e-4, 1e-5, 123456789.0, 1e9)] == ["0.0001", "1e-5", "123460000", "1e+9"]
    assert printed(0.123, digits=1) == "0.2"
    with pytest.raises(ValueError, match="digits must be a whole number, at least 1, got 0"):
        printed(0.123, digits=0)


def test_only_an_upper_bound_is_the_best():
    rows = {"low": Answer(0.1, upper=False), "none": Answer(None, "so"), "two": Answer(2.0), "one": Answer(1.0)}
    assert best(rows) == ("one", Answer(1.0))
    assert best({"low": Answer(0.1, upper=False), "none": Answer(None, "so")}) is None


def test_what_is_certain_of_some_uses():
    assert certain([Step(approximate_pair(1.0, 0.1), 2), Step(LaplacePair(2.0))]) == pytest.approx((2.5, 0.19))
    assert certain([Step(APART, 2)]) == (0.0, 1.0)
    assert [basic_delta([Step(pure_pair(1.0))], epsilon) for epsilon in (0.999, 1.0)] == [1.0, 0.0]


def test_an_epsilon_may_be_0_and_not_below():
    assert delta_answers([Step(pure_pair(1.0))], 0.0)["exact"].value == pytest.approx(math.tanh(0.5))
    with pytest.raises(ValueError, match="epsilon must be at least 0 and finite, got -0.5"):
        delta_answers([Step(pure_pair(1.0))], -0.5)


def test_advanced_composition_is_solved_for_delta():
    for delta in (1e-9, 1e-3, 0.2):
        assert advanced_delta(TENTHS, advanced_composition(0.1, 100, delta)) == pytest.approx(delta, rel=1e-9, abs=0)
    assert advanced_delta(TENTHS, 0.1) == 1.0  # below the mean it says nothing
    assert advanced_delta([Step(pure_pair(0.5), 4)], 2.0) == 0.0  # the sum


@pytest.mark.parametrize("steps", [[Step(GaussianPair(2.0), 3)], [Step(LaplacePair(1.0), 5), Step(pure_pair(0.3))]])
def test_renyi_divergences_are_solved_for_delta(steps):
    for delta in (1e-6, 1e-2):
        epsilon = rdp_epsilon(steps, delta)
        assert renyi_delta(steps, epsilon) == pytest.approx(delta, rel=1e-12, abs=0)  # with the same room for rounding
    assert renyi_delta([Step(pure_pair(50.0))], 0.0) == 1.0  # they say nothing, and no probability is larger


@pytest.mark.parametrize("step, epsilon, delta", [
    (Step(GaussianPair(2.0), 4), 0.7, GaussianPair(1.0).delta(0.7)), (Step(pure_pair(0.1)), 0.0, math.tanh(0.05)),
    *((Step(pure_pair(0.1), count), 0.9, exact_delta(pure_pair(0.1), count, 0.9)) for count in (30, 40, 60, 90))])
def test_delta_by_privacy_loss_distributions_is_safe_and_near(step, epsilon, delta):
    assert delta * (1 - 1e-9) <= pld_delta([step], epsilon) <= delta * 1.011


@pytest.mark.parametrize("epsilon", [0.0, 979.0])
def test_a_delta_that_is_hardly_below_1_is_1(epsilon):
    """Of 979 it is 1 - e^-21, and epsilon at 1 - 1e-9 is 979.3."""
    assert pld_delta([Step(pure_pair(1000.0))], epsilon) == 1.0


def test_the_pure_epsilon_needs_hardly_any_delta():
    assert 0 < pld_delta([Step(pure_pair(0.5))], 0.5) < 2e-300


@pytest.mark.parametrize("pair", [LaplacePair(1.0), LaplacePair(0.1), LaplacePair(2.0, 0.3), GaussianPair(2.0, 0.2),
                                  DiscreteGaussianPair(2.0)])
def test_one_use_is_solved_for_epsilon(pair):
    for delta in (0.9 * pair.delta(0.0), 0.01 * pair.delta(0.0)):
        assert pair.delta(exact_answer([Step(pair)], delta=delta)) == pytest.approx(delta, rel=1e-6, abs=0)
    assert exact_answer([Step(pair)], delta=pair.delta(0.0)) == 0.0


def test_many_uses_are_exact_where_a_sum_has_them():
    gaussians = [Step(GaussianPair(2.0), 3), Step(GaussianPair(1.0))]
    assert exact_answer(gaussians, delta=1e-5) == pytest.approx(gdp_epsilon(math.sqrt(1.75), 1e-5))
    assert exact_answer(gaussians, epsilon=1.0) == pytest.approx(gdp_delta(math.sqrt(1.75), 1.0))
    coins = pure_pair(1e-3)
    assert exact_answer([Step(coins, 10**6)], epsilon=3.0) == exact_delta(coins, 10**6, 3.0)
    assert exact_answer([Step(LaplacePair(2.0), 3)], delta=0.0) == 1.5
    with pytest.raises(ValueError, match="only one use, .* are summed exactly"):
        exact_answer([Step(LaplacePair(2.0), 2)], delta=1e-5)


def test_a_scale_is_exact_to_its_digits():
    scale = exact_scale(lambda scale: [Step(GaussianPair(scale), 4)], 1.0, 1e-6)
    assert gdp_epsilon(2 / scale, 1e-6) <= 1.0 < gdp_epsilon(2 / (scale * 0.9998), 1e-6)
