"""From a target epsilon to a scale: it keeps the target, and hardly less noise would not, by every accountant."""

import math

import numpy as np
import pytest

from privgraph.mechanisms import NoisyArgMax, NoisyVotes, RandomisedResponse
from privgraph.privacy import (
    Budget,
    GaussianPair,
    LaplacePair,
    Step,
    calibrate,
    certified,
    pld_epsilon,
    pure_pair,
    rdp_epsilon,
)
from privgraph.privacy.calibration import cost, rounded_down, rounded_up

FAMILIES = {"laplace": lambda scale: [Step(LaplacePair(scale), 20)],
            "gaussian": lambda scale: [Step(GaussianPair(scale), 20)],
            "arg max": lambda scale: [Step(NoisyArgMax(scale, 3, "laplace").pair, 20)],
            "votes": lambda scale: NoisyVotes(scale, "gumbel").steps(20),
            "answers": lambda scale: [Step(RandomisedResponse(1 / scale, 4).pair, 20)],
            "sampled": lambda scale: [Step(LaplacePair(scale).poisson(0.1), 20)],
            "one sample": lambda scale: Budget((Step(LaplacePair(scale), 20),), rate=0.3)}
PURE = ("laplace", "arg max", "answers", "sampled", "one sample")


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("family, accountant", [(f, a) for f in FAMILIES for a in ("rdp", "pld")]
                         + [(f, "basic") for f in PURE] + [(f, "advanced") for f in PURE])
def test_the_scale_keeps_the_target_and_a_little_less_does_not(family, accountant, epsilon):
    steps = FAMILIES[family]
    scale = calibrate(steps, epsilon, 1e-5, accountant, tolerance=0.01)
    assert cost(steps(scale), 1e-5, accountant) <= epsilon < cost(steps(scale * 0.97), 1e-5, accountant)


def test_what_is_known_in_closed_form():
    assert calibrate(FAMILIES["laplace"], 0.5, accountant="basic") == pytest.approx(40, rel=1e-3, abs=0)
    assert calibrate(lambda scale: [Step(LaplacePair(scale), 10**6)], 1.0, 1e-5, "rdp") > 1e3  # as quick as one use


@pytest.mark.parametrize("call, message", [
    (lambda: calibrate(FAMILIES["gaussian"], 1.0, accountant="basic"), "one that some scale reaches, got 1"),
    (lambda: calibrate(lambda scale: [Step(LaplacePair(1.0))], 0.5, accountant="basic"), "some scale reaches"),
    (lambda: calibrate(lambda scale: [Step(LaplacePair(1.0))], 2.0, accountant="basic"),
     "one that needs noise, got 2, kept by a scale of 8e-31"),
    (lambda: calibrate(FAMILIES["laplace"], 1.0), "delta must lie strictly between 0 and 1, or be 0, got None"),
    (lambda: calibrate(FAMILIES["laplace"], 1.0, accountant="rdp"), "strictly between 0 and 1, got None"),
    (lambda: calibrate(lambda scale: [Step(LaplacePair(scale))] * 2, 1.0, 1e-5, "advanced"), "steps must be one Step"),
])
def test_what_cannot_be_reached(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("accountant, account", [("rdp", rdp_epsilon),
                                                 ("pld", lambda steps, delta: pld_epsilon(steps, delta).pessimistic)])
def test_a_budget_on_one_sample_costs_what_is_amplified(accountant, account):
    steps = (Step(LaplacePair(2.0), 5),)
    expected = math.log1p(0.3 * math.expm1(account(steps, 1e-5 / 0.3)))
    assert cost(Budget(steps, rate=0.3), 1e-5, accountant) == pytest.approx(expected, rel=1e-12, abs=0)
    assert cost(Budget(steps), 1e-5, accountant) == account(steps, 1e-5)
    assert cost(Budget(steps, rate=0.3), 0.5, accountant) == 0  # delta / rate would be above 1


def test_advanced_composition_reads_the_only_step():
    with pytest.raises(ValueError, match="one"):
        cost([Step(LaplacePair(1.0), 2), Step(LaplacePair(3.0), 2)], 1e-5, "advanced")


@pytest.mark.parametrize("family, epsilon, delta, accountant, expected", [
    ("gaussian", 0.003, 1e-5, "pld", 2188.4), ("laplace", 0.003, 1e-5, "pld", 2082.1),
    ("laplace", 0.01, 1e-9, "pld", 999.9),
    ("gaussian", 0.003, 1e-5, "rdp", 2538.7), ("laplace", 0.003, 1e-5, "rdp", 2406.2)])
def test_small_budgets_have_a_scale(family, epsilon, delta, accountant, expected):
    """"None up to 1e+30 does", it said, as orders ended at 1,024 and PLD began at RDP's answer. Ten uses."""
    pair = {"gaussian": GaussianPair, "laplace": LaplacePair}[family]
    found = calibrate(lambda scale: [Step(pair(scale), 10)], epsilon, delta, accountant)
    assert found == pytest.approx(expected, rel=1e-3, abs=0)


@pytest.mark.parametrize("epsilon, delta, count, tolerance", [
    (7.42, 1e-13, 10_000, 0.01), (7.6, 1e-13, 10_000, 0.001),  # 1.22 and 1.14 times delta were spent
    (8.0, 1e-12, 1000, 0.01), (8.0, 1e-15, 1000, 0.01)])
def test_what_calibrates_very_small_deltas_spends_no_more(epsilon, delta, count, tolerance):
    """Up to a fifth more delta was spent: here the closed form says what."""
    sigma = calibrate(lambda scale: [Step(GaussianPair(scale), count)], epsilon, delta, tolerance=tolerance)
    one = GaussianPair(sigma / math.sqrt(count))
    assert one.delta(epsilon) <= delta * (1 + 1e-6) and GaussianPair(one.sigma * 0.999).delta(epsilon) > delta


def test_what_is_printed_is_safe():
    """Five digits, as they are printed, of targets at random: 3 of 800 were over by 1e-5."""
    rng = np.random.default_rng(5)
    for _ in range(40):
        count, epsilon, delta = int(rng.integers(1, 400)), 10 ** rng.uniform(-2, 1), 10 ** rng.uniform(-12, -3)
        pair = [LaplacePair, GaussianPair, lambda scale: pure_pair(1 / scale)][rng.integers(3)]
        accountant = ["pld", "rdp"][rng.integers(2)]
        scale = calibrate(lambda scale, pair=pair, count=count: [Step(pair(scale), count)], epsilon, delta, accountant)
        printed = float(f"{scale:.5g}")
        assert printed == scale and cost([Step(pair(printed), count)], delta, accountant) <= epsilon
        assert cost([Step(pair(1 / rounded_down(1 / scale)), count)], delta, accountant) <= epsilon
        assert cost([Step(pair(0.9995 * scale), count)], delta, accountant) > epsilon


def test_rounding_is_to_the_safe_side():
    assert (rounded_up(1.000001), rounded_down(1.000009), rounded_up(2.5), rounded_down(2.5)) == (1.0001, 1.0, 2.5, 2.5)
    assert rounded_up(123456.7, 3) == 124000 and rounded_down(0.00012345678) == 0.00012345


def test_no_delta_is_calibrated_as_pure():
    basic = calibrate(FAMILIES["laplace"], 0.5, accountant="basic")
    assert calibrate(FAMILIES["laplace"], 0.5, 0, "pld") == basic == 40


def test_the_accountants_own_limit_is_named():
    with pytest.raises(ValueError, match="count must be at most 10000000 in all for privacy loss distributions"):
        calibrate(lambda scale: [Step(LaplacePair(scale), 10**8)], 1.0, 1e-5)
    with pytest.raises(ValueError, match="which none up to 1e.30 does by the accountant 'basic'"):
        calibrate(FAMILIES["gaussian"], 1.0, accountant="basic")


def test_a_large_delta_with_a_small_epsilon_takes_few_grids(monkeypatch):
    """Each was halved six times, for an epsilon far below what losses are: minutes."""
    seen, honest = [], certified.direction_ends
    monkeypatch.setattr(certified, "direction_ends", lambda *args: seen.append(args) or honest(*args))
    assert calibrate(lambda scale: [Step(GaussianPair(scale, 0.1), 100)], 1e-3, 0.5) == pytest.approx(0.8881, rel=1e-4,
                                                                                                      abs=0)
    assert len(seen) < 60


def test_delta_hardly_differs_at_ends_that_are_near_enough():
    """In closed form, of one use on a grid; at this delta the ends may differ by 0.01, and epsilon is 0.06."""
    pair, delta = GaussianPair(0.6, 0.9), 0.5
    found = pld_epsilon([Step(pair)], delta)
    assert 0 < found.optimistic < found.pessimistic < 0.3
    assert pair.delta(found.pessimistic) <= delta <= pair.delta(found.optimistic)
    assert pair.delta(found.optimistic) - pair.delta(found.pessimistic) <= 0.01 * delta
