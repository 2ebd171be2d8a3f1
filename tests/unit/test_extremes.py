"""Budgets far beyond use, large and small: what comes is finite and right, or infinite for a reason, and never NaN."""

import math
from decimal import Decimal, localcontext
from itertools import combinations

import pytest
import torch
from scipy.stats import binom

from privgraph.mechanisms import GRRFS, Laplace, MultiBit, NoisyArgMax, NoisyVotes, RandomisedResponse
from privgraph.privacy import (
    Budget,
    FinitePair,
    LaplacePair,
    Step,
    bounded_range_pair,
    exact_epsilon,
    pld_epsilon,
    pure_pair,
)
from privgraph.privacy.accounting import product_epsilon
from privgraph.randomness import seeded

CLASSES = (2, 3, 5, 10, 47, 50)


def epsilon_in_many_digits(scale: float, c: int) -> float:
    """ln(win / lose) of Laplace noise, from the integral's three pieces in decimals."""
    with localcontext() as context:
        context.prec = 60 + int(2 / scale)
        lead = 1 / Decimal(scale)
        half = (-lead).exp() / 2
        low = 2 * half / (2**c * c)
        middle = half / 2 * (lead - sum(((1 - half)**k - Decimal(2)**-k) / k for k in range(1, c - 1)))
        # (1 - v)^(c - 2) and (1 - v)^(c - 1) over 0 < v < half
        flat, tilted = ((1 - (1 - half)**k) / k for k in (c - 1, c))
        lose = low + middle + flat - (flat - tilted) / (2 * half)
        return float(((1 - (c - 1) * lose) / lose).ln())


@pytest.mark.parametrize("num_classes", CLASSES)
@pytest.mark.parametrize("scale", [1 / 800, 1 / 745, 1 / 400, 1 / 350, 0.01, 0.1, 0.5, 0.99, 1.0, 1.01, 3.0, 1e3, 1e6,
                                   1e12])
def test_the_loss_of_laplace_noise_to_twelve_digits(scale, num_classes):
    found = NoisyArgMax(scale, num_classes, "laplace")
    assert found.epsilon == pytest.approx(epsilon_in_many_digits(scale, num_classes), rel=1e-12, abs=0)
    if scale > 1 / 700:
        assert found.win / found.lose == pytest.approx(math.exp(found.epsilon), rel=1e-11, abs=0)


@pytest.mark.parametrize("num_classes", CLASSES)
@pytest.mark.parametrize("scale", [1 / 746, 1e-3, 1e-4, 1e-6, 1e-12, 1e-300])
def test_the_loss_of_hardly_any_laplace_noise(scale, num_classes):
    """The expansion for large leads; what it leaves out is of order e^-lead."""
    mechanism, lead = NoisyArgMax(scale, num_classes, "laplace"), 1 / scale
    constant = 3 / 8 + 2.0**-num_classes / num_classes - sum((1 - 2.0**-k) / k for k in range(1, num_classes - 1)) / 4
    assert mechanism.epsilon == pytest.approx(lead - math.log(lead / 4 + constant), rel=1e-14, abs=0)
    assert mechanism.win == 1 and 0 <= mechanism.lose < 1e-300
    assert mechanism.pair.epsilon == mechanism.epsilon and mechanism.pair.delta(mechanism.epsilon / 2) == 1


@pytest.mark.parametrize("noise", ["gumbel", "laplace"])
@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1e-6, 1e-4, 1 / 800, 1e-2, 1e6, 1e300])
def test_the_distribution_of_winners(scale, noise):
    """A sum of 1, the better class ahead, and a tie shared."""
    for scores, tied in (((1.0, 0.0, 0.0), (1, 2)), ((0.5, 0.5, 0.0), (0, 1))):
        chances = NoisyArgMax(scale, 3, noise).distribution(scores)
        assert math.fsum(chances.values()) == pytest.approx(1) and chances[tied[0]] == pytest.approx(chances[tied[1]])
        assert chances[0] >= 1 / 3 - 1e-12 and (scale > 1 or chances[2] < 1e-20)


@pytest.mark.parametrize("noise", ["gumbel", "laplace"])
def test_noise_too_small_for_its_inverse_is_none(noise):
    mechanism = NoisyArgMax(5e-324, 4, noise)
    assert mechanism.epsilon == math.inf == mechanism.pair.epsilon and (mechanism.win, mechanism.lose) == (1.0, 0.0)
    assert Budget((Step(mechanism.pair, 3),)).epsilon(1e-4).optimistic == math.inf
    assert mechanism.distribution([1.0, 0.0, 0.0, 0.0])[0] == 1


@pytest.mark.parametrize("scale", [1e-300, 1e-6, 1 / 800])
@pytest.mark.parametrize("noise", ["gumbel", "laplace"])
def test_what_many_winners_cost(scale, noise):
    """100 labels of a sample each: how often she is drawn decides, and the binomial sum has the given delta."""
    pair = NoisyArgMax(scale, 10, noise).pair
    spent = Budget((Step(pair.poisson(0.3), 100),)).epsilon(1e-4)
    drawn, not_drawn = pair.epsilon + math.log(0.3), math.log(0.7)
    losses = [k * drawn + (100 - k) * not_drawn for k in range(101)]
    def delta(epsilon: float) -> float:
        return sum(binom.pmf(k, 100, 0.3) * -math.expm1(min(epsilon - loss, 0)) for k, loss in enumerate(losses))
    assert 0.999999999 * spent.pessimistic < spent.optimistic < spent.pessimistic < 100 * pair.epsilon
    if scale >= 1e-3:  # below, a digit of epsilon is worth more than one loss
        assert delta(spent.pessimistic) <= 1e-4 <= delta(spent.optimistic)


def test_both_ways_of_composing_agree_where_both_work():
    for epsilon, rate in ((650.0, 1.0), (650.0, 0.3), (690.0, 0.1)):
        steps = [Step(pure_pair(epsilon).poisson(rate), 20)]
        found = pld_epsilon(steps, 1e-4)
        assert found.optimistic <= product_epsilon(steps, 1e-4) <= found.pessimistic


@pytest.mark.parametrize("epsilon", [1e3, 1e6, 1e12])
def test_large_pure_losses_add_up(epsilon):
    assert pure_pair(epsilon).epsilon == epsilon and pure_pair(epsilon).rdp(2) == pytest.approx(epsilon)
    assert exact_epsilon(pure_pair(epsilon), 10, 1e-4) == pytest.approx(10 * epsilon, rel=1e-6, abs=0)
    assert pld_epsilon([Step(pure_pair(epsilon), 10)], 1e-4).pessimistic == pytest.approx(10 * epsilon, rel=1e-6, abs=0)
    assert bounded_range_pair(epsilon).epsilon == epsilon and bounded_range_pair(epsilon).delta(epsilon
                                                                                                / 2) == pytest.approx(1)


@pytest.mark.parametrize("epsilon", [1e-6, 1e-12, 1e-300])
def test_small_pure_losses_are_not_rounded_away(epsilon):
    pair = pure_pair(epsilon)
    assert pair.epsilon == epsilon and pair.delta(0.0) == pytest.approx(epsilon / 2, rel=1e-5, abs=0)
    assert pair.poisson(0.3).epsilon == pytest.approx(0.3 * epsilon, rel=1e-5, abs=0)
    assert bounded_range_pair(epsilon).epsilon == pytest.approx(epsilon, rel=1e-6, abs=0)
    assert bounded_range_pair(epsilon).delta(0.0) >= 0.999 * epsilon / 4


def test_disjoint_answers_have_no_epsilon():
    apart = FinitePair((1.0, 0.0), (0.0, 1.0))
    assert pld_epsilon([Step(apart, 3), Step(pure_pair(1.0))], 0.5).optimistic == math.inf
    with pytest.raises(ValueError, match="a finite epsilon, got inf"):
        exact_epsilon(apart, 2, 1e-4)
    partly = pld_epsilon([Step(FinitePair((0.9, 0.1, 0.0), (0.9, 0.0, 0.1)))], 0.2)
    assert partly.optimistic <= partly.pessimistic < 1e-9


def test_a_composed_large_loss_keeps_its_outcomes_together():
    """Sums of the same losses in another order differ in the last digit of a large number,
    and are one outcome still."""
    whole = pair = pure_pair(1e9).poisson(0.3)
    for _ in range(30):
        whole = whole.times(pair)
    assert len(whole.p) == 32


@pytest.mark.parametrize("epsilon", [1e-12, 1e-6, 1.0, 100.0, 1e3, 1e6])
@pytest.mark.parametrize("sampled", [1, 3, 8])
def test_one_feature_of_many(epsilon, sampled):
    """Equal domains: ln(1 + m/d (e^eps - 1)), for every epsilon and m = d too."""
    share, found = sampled / 8, GRRFS(epsilon, (3,) * 8, sampled).one_feature_guarantee.epsilon
    assert found == pytest.approx(epsilon + math.log1p((1 - share) * math.expm1(-epsilon)), rel=1e-6, abs=0)


def test_what_tells_nothing_is_infinitely_uncertain_and_not_an_error():
    assert Laplace(1e-300).variance == math.inf == float(MultiBit(1e-30, 4).variance(torch.zeros(1, 4))[0, 0])
    assert all(float(LaplacePair(1e12).poisson(rate).rdp(3)) >= 0 for rate in (0.3, 1.0))
    response = RandomisedResponse(1e-300, 2)
    with pytest.raises(ValueError, match="right and wrong must differ, got 0.5 for both: such reports tell nothing"):
        response.estimate(response(torch.tensor([0, 1]), generator=seeded(0)))


@pytest.mark.parametrize("epsilon", [1e-12, 1e3, 1e6])
def test_mechanisms_at_the_ends(epsilon):
    """Nothing is NaN, and what is a probability is one."""
    response, bits = RandomisedResponse(epsilon, 5), MultiBit(epsilon, 4)
    for table in (response.distribution(1), bits.distribution((0.0, 1.0, 0.5, 0.2))):
        assert math.fsum(table.values()) == pytest.approx(1) and min(table.values()) >= 0
    for found in (response.estimate(response(torch.tensor([0, 1, 2, 4]), generator=seeded(0))),
                  bits(torch.rand(3, 4, generator=seeded(1)), generator=seeded(0)),
                  response.variance(torch.ones(5) / 5, 10)):
        assert torch.isfinite(found).all()


def test_votes_with_hardly_any_noise():
    gumbel = Budget(NoisyVotes(1e-6, "gumbel").steps(10)).epsilon(1e-4)
    assert gumbel.pessimistic == pytest.approx(2e7, rel=1e-6, abs=0)
    laplace_noise = Budget(NoisyVotes(1e-6).steps(10)).epsilon(1e-4)  # dp-accounting refuses scales below 1/700
    assert laplace_noise.optimistic <= 2e7 and laplace_noise.pessimistic == pytest.approx(2e7, rel=1e-2, abs=0)


@pytest.mark.parametrize("features, sampled", [(1433, 700), (10_000, 5_000), (10_000, 9_999), (10_000, 1)])
def test_one_feature_of_thousands(features, sampled):
    """Sums over all choices of 5,000 among 10,000 features are beyond any float; their ratio is not."""
    share = sampled / features
    for sizes, equal in (((2,) * features, True), ((2,) * (features - 10) + (10**6,) * 10, False)):
        found = GRRFS(1.0, sizes, sampled).one_feature_guarantee.epsilon
        average = math.log(1 + share * math.expm1(1.0))
        assert found == pytest.approx(average, rel=1e-9, abs=0) if equal else average < found < 1.0


def test_one_feature_of_too_many():
    mechanism = GRRFS(1.0, (2,) * 100_000, 50_000)
    with pytest.raises(ValueError, match="sampled times the number of domain_sizes must be a whole number, between 0"):
        _ = mechanism.one_feature_guarantee


@pytest.mark.parametrize("sizes", [(2, 5, 3), (6, 2, 2, 2), (2, 2, 7, 3)])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 5.0])
def test_the_largest_domain_loses_most(sizes, epsilon):
    """Every feature by brute force over all choices."""
    for sampled in range(1, len(sizes) + 1):
        weights = [size * RandomisedResponse(epsilon, size).keep for size in sizes]
        chosen = [(set(c), math.prod(weights[i] for i in c)) for c in combinations(range(len(sizes)), sampled)]
        shares = [sum(w for c, w in chosen if i in c) / sum(w for _, w in chosen) for i in range(len(sizes))]
        worst = max(math.log1p(share * math.expm1(epsilon)) for share in shares)
        assert GRRFS(epsilon, sizes, sampled).one_feature_guarantee.epsilon == pytest.approx(worst, rel=1e-9, abs=0)
