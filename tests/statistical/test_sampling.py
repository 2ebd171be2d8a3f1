"""Samples against the stated distributions. Level 1e-6 for each test, fixed seeds, no retries.

Each test says how many samples it takes and the smallest defect it catches, and a mutant with
epsilon 20% too large fails it.
"""

import math

import pytest
import torch
from scipy import stats

from privgraph.mechanisms import GRRFS, Gaussian, Laplace, MultiBit, NoisyArgMax, NoisyVotes, RandomisedResponse
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


@pytest.mark.bears("for", "lpgnn-labels")
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
    observed = [int(counts[sum((bit + 1) * w for bit, w in zip(report, (9, 3, 1), strict=True))]) for report in stated]
    assert sum(observed) == n, "a report outside the support"
    return chi_square(observed, list(stated.values()))


@pytest.mark.bears("for", "lpgnn-features")
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


def additive_p_value(mechanism, stated, n: int = 200_000) -> float:
    """Kolmogorov-Smirnov p-value that the noise on 0.5 follows ``stated``, a frozen scipy distribution around it."""
    noisy = mechanism(torch.full((n,), 0.5, dtype=torch.float64), generator=seeded(15))
    return stats.kstest(noisy.numpy(), stated.cdf).pvalue


@pytest.mark.bears("for", "dp-laplace")
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_laplace_noise_follows_its_distribution(epsilon):
    """200,000 samples; a distribution function off by .006 anywhere (a scale off by about 3%) is caught."""
    mechanism = Laplace(epsilon, sensitivity=2.0)
    assert additive_p_value(mechanism, stats.laplace(0.5, 2 / epsilon)) > LEVEL
    assert additive_p_value(Laplace(1.2 * epsilon, sensitivity=2.0), stats.laplace(0.5, 2 / epsilon)) < LEVEL


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_gaussian_noise_follows_its_distribution(epsilon):
    """200,000 samples; a sigma off by about 3% is caught."""
    mechanism = Gaussian(epsilon, 1e-5, sensitivity=2.0)
    assert additive_p_value(mechanism, stats.norm(0.5, mechanism.sigma)) > LEVEL
    assert additive_p_value(Gaussian(1.2 * epsilon, 1e-5, sensitivity=2.0), stats.norm(0.5, mechanism.sigma)) < LEVEL


def arg_max_p_value(draws, states, scores=(0.7, 0.1, 0.2, 0.0), n: int = 200_000) -> float:
    scores = torch.tensor(scores)
    winners = draws(scores.expand(n, 4), generator=seeded(16))
    return chi_square(torch.bincount(winners, minlength=4).tolist(),
                      list(states.distribution(scores.double().tolist()).values()))


@pytest.mark.parametrize("noise", ["gumbel", "laplace"])
@pytest.mark.parametrize("scale", [0.3, 1.0])
def test_the_noisy_arg_max_follows_its_distribution(noise, scale):
    """200,000 samples over four classes; at scale 1 a scale off by 4% is caught (power one half)."""
    right = NoisyArgMax(scale, 4, noise)
    assert arg_max_p_value(right, right) > LEVEL
    assert arg_max_p_value(NoisyArgMax(scale / 1.2, 4, noise), right) < LEVEL
    other = {"gumbel": "laplace", "laplace": "gumbel"}[noise]
    assert arg_max_p_value(NoisyArgMax(scale, 4, other), right) < LEVEL


@pytest.mark.parametrize("noise", ["gumbel", "laplace"])
def test_noisy_votes_follow_their_distribution(noise):
    """200,000 samples over four classes; a scale off by 5% is caught (power one half)."""
    votes, right = (9.0, 7.0, 7.0, 0.0), NoisyVotes(4.0, noise)
    assert arg_max_p_value(right, right, votes) > LEVEL
    assert arg_max_p_value(NoisyVotes(4.0 / 1.2, noise), right, votes) < LEVEL


def grr_fs_p_value(draws: GRRFS, states: GRRFS, n: int = 200_000) -> float:
    truth = (1, 2, 0)
    reports = draws(torch.tensor(truth).expand(n, 3), generator=seeded(17))
    counts = torch.bincount((reports * torch.tensor([6, 2, 1])).sum(1), minlength=12)
    return chi_square(counts.tolist(), list(states.distribution(truth).values()))


@pytest.mark.parametrize("epsilon", [0.7, 2.0])
@pytest.mark.parametrize("m", [1, 2, 3])
def test_grr_fs_follows_its_distribution(epsilon, m):
    """200,000 samples over the 12 reports of sizes 2, 3, 2; at epsilon 2 and m = 1 an epsilon off by 3.5% is caught."""
    right = GRRFS(epsilon, (2, 3, 2), m)
    assert grr_fs_p_value(right, right) > LEVEL
    assert grr_fs_p_value(GRRFS(1.2 * epsilon, (2, 3, 2), m), right) < LEVEL


@pytest.mark.parametrize("m", [1, 2])
def test_frequency_estimates_have_the_stated_mean_and_variance(m):
    """4,000 repeats of 50 people: tests of the mean (a bias of .03 is caught) and of the variance (11% too much)."""
    mechanism, people = GRRFS(1.0, (2, 3), m), torch.tensor([[0, 2]] * 30 + [[1, 0]] * 20)
    reports = mechanism(people.repeat(4000, 1), generator=seeded(18)).reshape(4000, 50, 2)
    estimates = torch.stack([mechanism.estimate(run, 1) for run in reports])[:, 2].double()
    variance = float(mechanism.variance(torch.tensor(0.6), 50, 1))
    z = (float(estimates.mean()) - 0.6) / math.sqrt(variance / 4000)
    assert 2 * stats.norm.sf(abs(z)) > LEVEL
    spread = float(((estimates - 0.6) ** 2).sum()) / variance  # nearly chi-square with 4,000 degrees of freedom
    assert 2 * min(stats.chi2.cdf(spread, 4000), stats.chi2.sf(spread, 4000)) > LEVEL
    wrong = GRRFS(1.2, (2, 3), m)
    biased = torch.stack([wrong.estimate(run, 1) for run in reports])[:, 2].double()
    z = (float(biased.mean()) - 0.6) / math.sqrt(variance / 4000)
    assert 2 * stats.norm.sf(abs(z)) < LEVEL
