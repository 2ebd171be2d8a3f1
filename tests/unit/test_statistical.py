"""The statistical audits on counts that can be checked by hand, and what they refuse."""

import math

import numpy as np
import pytest
import torch
from scipy import stats

from privgraph.audit.statistical import (
    Audit,
    certifiable,
    guessing_bound,
    guessing_game,
    guessing_p_value,
    one_run_audit,
    one_run_bound,
    one_run_p_value,
    power,
    samples_needed,
    two_sample_bound,
)
from privgraph.randomness import seeded


def logit(p):
    return math.log(p / (1 - p))


def test_all_guesses_right_by_hand():
    """The lower limit p of 8 of 8 solves p^8 = 0.05."""
    assert guessing_bound(8, 8, 20, 0.95) == pytest.approx(logit(0.05 ** (1 / 8)))
    assert certifiable(8, 0.95) == guessing_bound(8, 8, 8, 0.95)
    assert certifiable(10_000, 0.99) == pytest.approx(7.68, abs=0.005)


@pytest.mark.parametrize("correct, guesses", [(0, 0), (0, 10), (5, 10), (7, 10)])
def test_too_few_right_guesses_certify_nothing(correct, guesses):
    assert guessing_bound(correct, guesses, 10, 0.95) == 0 == one_run_bound(correct, guesses, 10, 0.95)
    assert guessing_bound(correct, guesses, 10, 0.95, delta=0.1) == 0


def test_the_bound_with_delta_by_hand():
    """All 10 right: c solves c^10 = 0.025, and w is 1 - c."""
    c = 0.025 ** (1 / 10)
    assert guessing_bound(10, 10, 10, 0.95, delta=0.1) == pytest.approx(math.log((c - 0.1) / (1 - c)))
    assert guessing_bound(10, 10, 10, 0.95, delta=0.9) == 0


def test_two_samples_by_hand_and_mirrored():
    t = 0.025 ** (1 / 10)
    assert two_sample_bound(10, 10, 0, 10, 0.95) == pytest.approx(logit(t))
    assert two_sample_bound(10, 10, 0, 10, 0.95, delta=0.1) == pytest.approx(math.log((t - 0.1) / (1 - t)))
    assert two_sample_bound(70, 100, 3, 80, 0.9, 0.01) == two_sample_bound(77, 80, 30, 100, 0.9, 0.01) > 0
    assert two_sample_bound(0, 0, 0, 0, 0.95) == two_sample_bound(3, 10, 9, 10, 0.95) == 0


def test_the_p_value_is_the_binomial_tail():
    for correct, epsilon in [(0, 1.0), (75, 1.0), (100, 3.0), (51, 0.0)]:
        tail = stats.binom.sf(correct - 1, 100, 1 / (1 + math.exp(-epsilon)))
        assert guessing_p_value(correct, 100, epsilon) == pytest.approx(tail, rel=1e-9, abs=0)


@pytest.mark.parametrize("guesses", [1, 10, 333])
def test_the_bound_is_the_largest_epsilon_that_the_p_value_rejects(guesses):
    for correct in range(0, guesses + 1, max(1, guesses // 9)):
        bound = guessing_bound(correct, guesses, guesses, 0.99)
        assert one_run_bound(correct, guesses, 2 * guesses, 0.99) == pytest.approx(bound, abs=1e-9)
        assert guessing_p_value(correct, guesses, bound + 1e-6) > 0.01
        assert bound == 0 or guessing_p_value(correct, guesses, bound - 1e-6) < 0.01


@pytest.mark.parametrize("delta", [0.0, 1e-5, 1e-2])
def test_the_p_value_of_one_run_rises_with_epsilon(delta):
    """So the bisection finds the only place where the rejection ends."""
    for correct in [1, 30, 45, 60]:
        p_values = [one_run_p_value(correct, 60, 100, epsilon, delta) for epsilon in np.linspace(0, 12, 200)]
        assert (np.diff(p_values) >= -1e-12).all() and 0 <= p_values[0] and p_values[-1] <= 1


def test_a_larger_delta_never_raises_the_bound():
    bounds = [one_run_bound(90, 100, 1000, 0.95, delta) for delta in [0, 1e-6, 1e-5, 1e-4, 1e-3, 0.5]]
    assert bounds == sorted(bounds, reverse=True) and bounds[0] > bounds[-1] == 0


def test_extreme_counts_stay_finite():
    assert one_run_p_value(1, 5_000, 5_000, 10.0, 1e-5) == 1
    assert one_run_p_value(100_000, 100_000, 100_000, 0.0, 1e-9) == pytest.approx(1e-9)
    assert one_run_bound(1_000_000, 1_000_000, 1_000_000, 0.95) == pytest.approx(certifiable(1_000_000, 0.95))


def test_the_game_counts_what_the_rule_says():
    def abstain_on_every_fourth(releases):
        return torch.where(torch.arange(8) % 4 == 0, -1, releases)
    audit = guessing_game(lambda coins, generator: coins, abstain_on_every_fourth, 8, generator=seeded(0))
    assert audit == Audit(guessing_bound(6, 6, 8, 0.95), 0.95, 6, 6, 8)
    liar = guessing_game(lambda coins, generator: 1 - coins, lambda releases: releases, 8,
                         generator=seeded(0), confidence=0.9, delta=0.1)
    assert liar == Audit(0.0, 0.9, 0, 8, 8, 0.1)


def test_the_coins_of_the_game_are_the_generators():
    def coins_of(seed):
        seen = []
        guessing_game(lambda coins, _: seen.append(coins) or coins, lambda r: r, 64, generator=seeded(seed))
        return seen[0].tolist()
    assert coins_of(1) == coins_of(1) != coins_of(2) and set(coins_of(1)) == {0, 1}


def test_one_run_guesses_the_highest_in_and_the_lowest_out():
    scores = torch.tensor([5.0, -1.0, 3.0, 0.0, 4.0, 2.0])
    coins = torch.tensor([1, 1, 0, 0, 1, 1])        # in by score: 0 and 4, both right; out: 1 wrong, 3 and 5
    audit = one_run_audit(scores, coins, 2, 3, generator=seeded(0))
    assert audit == Audit(one_run_bound(3, 5, 6, 0.95), 0.95, 3, 5, 6)
    assert one_run_audit(scores, coins.bool(), 2, 3, generator=seeded(0)) == audit
    assert one_run_audit(scores, coins, 0, 0, generator=seeded(0)).epsilon == 0
    assert one_run_audit(scores, coins, 6, 0, generator=seeded(0)).correct == 4


def test_equal_scores_are_ordered_by_lot():
    scores, coins = torch.zeros(100), torch.arange(100) < 50
    counts = {one_run_audit(scores, coins, 50, 50, generator=seeded(seed)).correct for seed in range(20)}
    assert len(counts) > 5 and all(20 < count < 80 for count in counts)


def test_an_audit_refutes_what_lies_below_its_bound():
    audit = Audit(1.5, 0.95, 90, 100, 100)
    assert audit.refutes(1.4) and not audit.refutes(1.5) and not audit.refutes(2.0)


def slow_power(true, claimed, guesses, level):
    """Sum over every number of right guesses whose p-value refutes the claim."""
    return math.fsum(stats.binom.pmf(k, guesses, 1 / (1 + math.exp(-true))) for k in range(guesses + 1)
                     if guessing_p_value(k, guesses, claimed) <= level)


@pytest.mark.parametrize("true, claimed, level", [(1.0, 0.5, 0.05), (3.0, 2.0, 0.01), (0.2, 0.0, 0.4),
                                                  (1.0, 1.0, 0.05)])
def test_power_adds_up_the_outcomes_that_refute(true, claimed, level):
    for guesses in [0, 1, 2, 5, 17, 60, 61, 62]:
        slow = slow_power(true, claimed, guesses, level)
        assert power(true, claimed, guesses, level) == pytest.approx(slow)


@pytest.mark.parametrize("true, claimed", [(0.5, 0.0), (1.0, 0.5), (2.0, 1.0), (6.0, 4.0)])
def test_from_the_samples_needed_on_the_power_stays(true, claimed):
    n = samples_needed(true, claimed, level=0.01, power=0.9)
    assert power(true, claimed, n - 1, 0.01) < 0.9
    assert all(power(true, claimed, more, 0.01) >= 0.9 for more in range(n, 2 * n + 50))


def test_the_first_number_that_reaches_the_power_is_not_enough():
    """The power is a saw: it falls below .9 again after the first number of guesses that reaches it."""
    n = samples_needed(2.0, 1.0, level=0.01, power=0.9)
    assert min(k for k in range(n + 1) if power(2.0, 1.0, k, 0.01) >= 0.9) < n


def test_a_greater_gap_needs_fewer_samples():
    needed = [samples_needed(true, 0.5, level=0.01, power=0.9) for true in [0.6, 0.7, 0.8, 1.0, 1.5, 2.0]]
    assert needed == sorted(needed, reverse=True) and len(set(needed)) == 6
    assert samples_needed(5.0, 0.0, level=0.51, power=0.5) == 1


# What is refused: the message names the argument, what came and what is allowed.

@pytest.mark.parametrize("confidence", [0, 1, 1.5, -0.1, math.nan, "0.9", None])
@pytest.mark.parametrize("bound", [lambda c: guessing_bound(1, 2, 3, c), lambda c: one_run_bound(1, 2, 3, c),
                                   lambda c: two_sample_bound(1, 2, 0, 3, c), lambda c: certifiable(3, c)])
def test_confidence_must_be_a_probability(bound, confidence):
    with pytest.raises(ValueError, match="confidence must lie strictly between 0 and 1, got"):
        bound(confidence)


@pytest.mark.parametrize("delta", [-0.1, 1, 2.0, math.nan])
@pytest.mark.parametrize("bound", [lambda d: guessing_bound(1, 2, 3, 0.9, d),
                                   lambda d: one_run_bound(1, 2, 3, 0.9, d),
                                   lambda d: two_sample_bound(1, 2, 0, 3, 0.9, d),
                                   lambda d: one_run_p_value(1, 2, 3, 1.0, d)])
def test_delta_must_be_a_share(bound, delta):
    with pytest.raises(ValueError, match=r"delta must lie in \[0, 1\), got"):
        bound(delta)


@pytest.mark.parametrize("call, message", [
    (lambda: guessing_bound(3, 2, 4, 0.9), "correct must be a whole number, between 0 and 2, got 3"),
    (lambda: guessing_bound(3, 5, 4, 0.9), "guesses must be a whole number, between 0 and 4, got 5"),
    (lambda: guessing_bound(-1, 2, 4, 0.9), "correct must be a whole number, between 0 and 2, got -1"),
    (lambda: guessing_bound(0, 0, -1, 0.9), "runs must be a whole number, at least 0, got -1"),
    (lambda: guessing_bound(1.0, 2, 4, 0.9), "correct must be a whole number, between 0 and 2, got 1.0"),
    (lambda: guessing_p_value(3, 2, 1.0), "correct must be a whole number, between 0 and 2, got 3"),
    (lambda: guessing_p_value(1, 2, -1.0), "epsilon must be at least 0, got -1.0"),
    (lambda: guessing_p_value(1, 2, math.nan), "epsilon must be at least 0, got nan"),
    (lambda: one_run_bound(1, 5, 4, 0.9), "guesses must be a whole number, between 0 and 4, got 5"),
    (lambda: one_run_bound(1, 5, -4, 0.9), "canaries must be a whole number, at least 0, got -4"),
    (lambda: two_sample_bound(3, 2, 0, 3, 0.9), "true_positives must be a whole number, .* 0 and 2, got 3"),
    (lambda: two_sample_bound(1, 2, 4, 3, 0.9), "false_positives must be a whole number, .* 0 and 3, got 4"),
    (lambda: two_sample_bound(1, -2, 4, 3, 0.9), "positives must be a whole number, at least 0, got -2"),
    (lambda: certifiable(-1, 0.9), "at least 0, got -1"),
    (lambda: power(1.0, 0.5, -1, 0.05), "guesses must be a whole number, at least 0, got -1"),
    (lambda: power(-1.0, 0.5, 10, 0.05), "true_epsilon must be at least 0, got -1.0"),
    (lambda: power(1.0, -0.5, 10, 0.05), "claimed_epsilon must be at least 0, got -0.5"),
    (lambda: power(1.0, 0.5, 10, 1.0), "level must lie strictly between 0 and 1, got 1.0"),
    (lambda: samples_needed(1.0, 0.5, 0.0, 0.9), "level must lie strictly between 0 and 1, got 0.0"),
    (lambda: samples_needed(1.0, 0.5, 0.05, 1.0), "power must lie strictly between 0 and 1, got 1.0"),
    (lambda: samples_needed(1.0, 1.0, 0.05, 0.9), "claimed_epsilon must be below true_epsilon, got 1.0 and"),
    (lambda: samples_needed(1.0, 2.0, 0.05, 0.9), "claimed_epsilon must be below true_epsilon, got 2.0 and"),
    (lambda: samples_needed(math.inf, 2.0, 0.05, 0.9), "true_epsilon must be a positive finite number, got"),
])
def test_counts_and_claims_that_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("rule, message", [
    (lambda releases: releases + 1, r"rule must return 0, 1 or -1 \(abstain\), got 2"),
    (lambda releases: releases * 0.5, r"rule must return 0, 1 or -1 \(abstain\), got 0.5"),
    (lambda releases: releases * math.nan, r"rule must return 0, 1 or -1 \(abstain\), got nan"),
    (lambda releases: releases[:3], r"rule must return one guess per run, shape \[64\], got \[3\]"),
    (lambda releases: releases.sum(), r"rule must return one guess per run, shape \[64\], got \[\]"),
])
def test_rules_that_are_refused(rule, message):
    with pytest.raises(ValueError, match=message):
        guessing_game(lambda coins, generator: coins, rule, 64, generator=seeded(0))


def test_a_game_needs_a_run_and_a_generator():
    with pytest.raises(ValueError, match="runs must be a whole number, at least 1, got 0"):
        guessing_game(None, None, 0, generator=seeded(0))
    with pytest.raises(TypeError, match="generator must be a torch.Generator, got int"):
        guessing_game(None, None, 8, generator=0)
    with pytest.raises(TypeError, match="generator must be a torch.Generator, got NoneType"):
        one_run_audit(torch.zeros(2), torch.zeros(2), 1, 1, generator=None)


@pytest.mark.parametrize("scores, coins, k_plus, k_minus, message", [
    ([1.0, 2.0], [0, 1, 1], 1, 1, r"scores and coins must have the same shape \[m\], got \[2\] and \[3\]"),
    ([[1.0, 2.0]], [[0, 1]], 1, 1, r"must have the same shape \[m\], got \[1, 2\] and \[1, 2\]"),
    ([1.0, math.nan], [0, 1], 1, 1, "scores must be numbers, got 1 NaN"),
    ([1.0, 2.0], [0, 2], 1, 1, "coins must be 0 or 1, got 2"),
    ([1.0, 2.0], [0, 1], -1, 1, "k_plus must be a whole number, at least 0, got -1"),
    ([1.0, 2.0], [0, 1], 1, -1, "k_minus must be a whole number, at least 0, got -1"),
    ([1.0, 2.0], [0, 1], 2, 1, r"k_plus \+ k_minus must be a whole number, between 0 and 2, got 3"),
])
def test_canaries_that_are_refused(scores, coins, k_plus, k_minus, message):
    with pytest.raises(ValueError, match=message):
        one_run_audit(torch.tensor(scores), torch.tensor(coins), k_plus, k_minus, generator=seeded(0))
