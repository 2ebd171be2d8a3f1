"""The least share of wrong guesses, and the upper Clopper-Pearson limit, against their definitions."""

import math

import pytest
from scipy.stats import binom

from privgraph.privacy.limits import error_rate, upper_limit


@pytest.mark.parametrize("epsilon, rate", [(0.0, 0.5), (math.log(3), 0.25), (math.log(99), 0.01), (math.inf, 0.0)])
def test_the_least_share_of_wrong_guesses(epsilon, rate):
    assert error_rate(epsilon) == pytest.approx(rate)


@pytest.mark.parametrize("epsilon", [-1e-9, -math.inf, math.nan])
def test_what_is_no_epsilon_is_refused(epsilon):
    with pytest.raises(ValueError, match="eps_x must be at least 0, got"):
        error_rate(epsilon, "eps_x")


@pytest.mark.parametrize("count, trials", [(0, 1), (0, 20), (3, 20), (19, 20), (499, 1000)])
@pytest.mark.parametrize("error", [0.05, 1e-6])
def test_at_the_limit_so_few_are_as_rare_as_the_error(count, trials, error):
    assert binom.cdf(count, trials, upper_limit(count, trials, error)) == pytest.approx(error, rel=1e-6, abs=0)


def test_all_of_them_leave_no_limit_but_one():
    assert upper_limit(20, 20, 0.05) == 1.0
