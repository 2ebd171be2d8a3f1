"""From a target epsilon to a scale: it keeps the target, and hardly less noise would not, by every accountant."""

import math

import pytest

from privgraph.mechanisms import NoisyArgMax, NoisyVotes, RandomisedResponse
from privgraph.privacy import Budget, GaussianPair, LaplacePair, Step, calibrate, pld_epsilon, rdp_epsilon
from privgraph.privacy.calibration import cost

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
    assert calibrate(FAMILIES["laplace"], 0.5, accountant="basic") == pytest.approx(40, rel=1e-3)
    assert calibrate(lambda scale: [Step(LaplacePair(scale), 10**6)], 1.0, 1e-5, "rdp") > 1e3  # as quick as one use


@pytest.mark.parametrize("call, message", [
    (lambda: calibrate(FAMILIES["gaussian"], 1.0, accountant="basic"), "one that some scale reaches, got 1"),
    (lambda: calibrate(lambda scale: [Step(LaplacePair(1.0))], 0.5, accountant="basic"), "some scale reaches"),
    (lambda: calibrate(lambda scale: [Step(LaplacePair(1.0))], 2.0, accountant="basic"), "one that needs noise"),
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
    assert cost(Budget(steps, rate=0.3), 1e-5, accountant) == pytest.approx(expected, rel=1e-12)
    assert cost(Budget(steps), 1e-5, accountant) == account(steps, 1e-5)
    assert cost(Budget(steps, rate=0.3), 0.5, accountant) == 0  # delta / rate would be above 1


def test_advanced_composition_reads_the_only_step():
    with pytest.raises(ValueError, match="one"):
        cost([Step(LaplacePair(1.0), 2), Step(LaplacePair(3.0), 2)], 1e-5, "advanced")
