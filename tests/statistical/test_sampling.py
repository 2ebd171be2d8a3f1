"""Samples against the stated distributions. Level 1e-6 for each test, fixed seeds, no retries.

Each test says how many samples it takes and the smallest defect it catches, and a broken twin with
epsilon 20% too large fails it.
"""

import math

import pytest
import torch
from scipy import stats

from privgraph.mechanisms import MultiBit, RandomisedResponse
from privgraph.randomness import seeded

LEVEL = 1e-6


def chi_square(observed, probabilities) -> float:
    """p-value of counts under given probabilities."""
    n = sum(observed)
    return stats.chisquare(observed, [n * p for p in probabilities]).pvalue


def response_p_value(spends: float, states: float, k: int = 4, n: int = 200_000) -> float:
    """p-value for "the reports follow randomised response at ``states``" when they spend ``spends``."""
    reports = RandomisedResponse(spends, k)(torch.zeros(n, dtype=torch.long), generator=seeded(11))
    stated = RandomisedResponse(states, k).distribution(0)
    return chi_square(torch.bincount(reports, minlength=k).tolist(), list(stated.values()))


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_randomised_response_follows_its_distribution(epsilon):
    """200,000 samples; at epsilon 1 a shift of p by about .007 (epsilon off by 4%) is caught."""
    assert response_p_value(epsilon, epsilon) > LEVEL


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_randomised_response_twin_with_more_budget_is_caught(epsilon):
    assert response_p_value(1.2 * epsilon, epsilon) < LEVEL


def multibit_p_value(spends: float, states: float, n: int = 200_000) -> float:
    """The same for multi-bit with m = 2 of d = 3, over all 12 reports."""
    x = torch.tensor([0.0, 0.3, 1.0])
    reports = MultiBit(spends, 3, sampled=2).report(x.expand(n, 3), generator=seeded(12))
    stated = MultiBit(states, 3, sampled=2).distribution(x.tolist())
    codes = ((reports.long() + 1) * torch.tensor([9, 3, 1])).sum(1)
    counts = torch.bincount(codes, minlength=27)
    observed = [int(counts[sum((bit + 1) * w for bit, w in zip(report, (9, 3, 1)))]) for report in stated]
    assert sum(observed) == n, "a report outside the support"
    return chi_square(observed, list(stated.values()))


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 4.0])
def test_multibit_follows_its_distribution(epsilon):
    """200,000 samples over 12 reports; at epsilon 2 an epsilon off by 6% is caught."""
    assert multibit_p_value(epsilon, epsilon) > LEVEL


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 4.0])
def test_multibit_twin_with_more_budget_is_caught(epsilon):
    assert multibit_p_value(1.2 * epsilon, epsilon) < LEVEL


def mean_p_value(mechanism: MultiBit, estimator: MultiBit, n: int = 400_000) -> float:
    """Smallest two-sided p-value, over 4 features, that the mean of the estimates is x (Bonferroni)."""
    x = torch.tensor([0.0, 0.25, 0.5, 1.0])
    estimates = estimator.estimate(mechanism.report(x.expand(n, 4), generator=seeded(13))).double()
    z = (estimates.mean(0) - x) / (mechanism.variance(x).double() / n).sqrt()
    return float(min(1.0, 4 * 2 * stats.norm.sf(z.abs().max())))


@pytest.mark.parametrize("m", [1, 2, 4])
def test_multibit_mean_is_unbiased(m):
    """400,000 samples; with m = 1 and epsilon 2 a bias of about .02 of the range is caught."""
    assert mean_p_value(MultiBit(2.0, 4, sampled=m), MultiBit(2.0, 4, sampled=m)) > LEVEL


def test_an_estimator_that_assumes_twenty_percent_more_budget_is_caught():
    assert mean_p_value(MultiBit(2.0, 4, sampled=1), MultiBit(2.4, 4, sampled=1)) < LEVEL


def test_sampled_places_are_uniform():
    """100,000 rows, m = 2 of d = 5: each of the 10 pairs equally often; a pair drawn 10% too often is caught."""
    places = MultiBit(1.0, 5, sampled=2).sample_places(100_000, seeded(14), "cpu").sort(1).values
    counts = torch.bincount(places[:, 0] * 5 + places[:, 1])
    assert chi_square(counts[counts > 0].tolist(), [0.1] * 10) > LEVEL
    assert int((counts > 0).sum()) == 10 == math.comb(5, 2)
