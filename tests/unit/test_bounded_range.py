"""The law of many uses of bounded range: above every way to choose t, below what was charged before."""

import math
from itertools import product

import numpy as np
import pytest

from privgraph.mechanisms import NoisyVotes
from privgraph.privacy import (
    BoundedRangePair,
    FinitePair,
    LaplacePair,
    Step,
    basic_composition,
    bounded_range_pair,
    pld_epsilon,
    rdp_epsilon,
)
from privgraph.privacy.bounded_range import attained, bounded_range_ends, curve, farthest, two_outcomes, where
from privgraph.privacy.certified import binomial_ends


@pytest.mark.parametrize("spread, t", [(0.3, 0.1), (2.0, 1.7)])
def test_two_outcomes_have_their_losses(spread, t):
    pair = two_outcomes(spread, t)
    assert pair.losses == (t, t - spread) and sum(pair.p) == pytest.approx(1) == sum(pair.q)
    assert [p / q for p, q in zip(pair.p, pair.q, strict=True)] == pytest.approx(np.exp(pair.losses))


@pytest.mark.parametrize("spread", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("order", [1.01, 2, 7])
def test_rdp_is_the_largest_moment_of_two_outcomes(spread, order):
    t = spread * np.linspace(1e-4, 1 - 1e-4, 20_001)
    p = np.expm1(t - spread) / np.expm1(-spread)
    largest = math.log((p * np.exp((order - 1) * t) + (1 - p) * np.exp((order - 1) * (t - spread))).max()) / (order - 1)
    found = BoundedRangePair(spread).rdp(order)
    assert largest * (1 - 1e-9) <= found <= largest * (1 + 1e-5)


@pytest.mark.parametrize("delta", [0.3, 0.1, 0.05, 0.011])
def test_where_chords_come_down_to_delta(delta):
    step, values = 0.3, np.array([0.5, 0.1, 0.01])
    epsilon = where(values, delta, step)
    assert delta == pytest.approx(np.interp(math.exp(epsilon), np.exp(step * np.arange(3)), values))
    assert where(values, 0.5, step) == 0 and where(values, 0.009, step) == math.inf


def test_how_far_the_grid_goes():
    """As far as concentrated DP with rho = k spread^2 / 8 says for a billionth of delta, or as any loss."""
    assert farthest(0.2, 1000, 1e-4) == pytest.approx(5 + 2 * math.sqrt(5 * math.log(1e13)))
    assert farthest(0.2, 3, 1e-4) == pytest.approx(0.6)


@pytest.mark.parametrize("spread", [0.5, 3.0])
def test_two_uses_are_the_worst_t_before_the_closed_form(spread):
    def once(epsilon):
        size = np.minimum(np.abs(epsilon), spread)
        above = np.expm1((size - spread) / 2) ** 2 / -math.expm1(-spread)
        return np.where(epsilon >= 0, above, -np.expm1(epsilon) + np.exp(epsilon) * above)
    t = spread * np.linspace(0, 1, 4001)
    p = np.expm1(t - spread) / math.expm1(-spread)
    h_of = curve(spread, 2, 64, 128)
    for i in (0, 5, 32, 64, 100, 125):
        epsilon = spread * i / 64
        best = (p * once(epsilon - t) + (1 - p) * once(epsilon - t + spread)).max()
        assert best * (1 - 1e-9) <= h_of[i] <= best * 1.002 + 5e-6


def test_a_thousand_uses_of_a_fifth():
    """19.57 was charged, by the pair that has every t at once; RDP of the worst t has 17.81, the law 16.1."""
    steps = [Step(BoundedRangePair(0.2), 1000)]
    found = pld_epsilon(steps, 1e-4)
    assert 16.08 < found.optimistic <= found.pessimistic < 16.2
    assert rdp_epsilon(steps, 1e-4) == pytest.approx(17.807, abs=1e-3)
    assert pld_epsilon([Step(bounded_range_pair(0.2), 1000)], 1e-4).optimistic > 19.4


def test_votes_with_gumbel_noise_take_the_law():
    steps = list(NoisyVotes(10.0, "gumbel").steps(50))
    assert steps == [Step(BoundedRangePair(0.2), 50)]
    assert pld_epsilon(steps, 1e-5).pessimistic < 0.92 * pld_epsilon([Step(bounded_range_pair(0.2), 50)],
                                                                    1e-5).optimistic


@pytest.mark.parametrize("spread, count", [(0.3, 2), (1.0, 5), (3.0, 3), (0.05, 40)])
def test_no_mechanism_is_above(spread, count):
    """Uses with any t each, the same one or others, by the product of their outcomes."""
    rng = np.random.default_rng(0)
    for delta in (1e-2, 1e-5):
        found = pld_epsilon([Step(BoundedRangePair(spread), count)], delta)
        for t in spread * np.linspace(0.05, 0.95, 19):
            assert binomial_ends(two_outcomes(spread, float(t)), count, delta)[0] <= found.pessimistic
        for _ in range(20):
            whole = FinitePair((1.0,), (1.0,))
            for t in rng.uniform(0.05, 0.95, count):
                whole = whole.times(two_outcomes(spread, float(spread * t))) if count < 8 else whole
            assert whole.delta(found.pessimistic) <= delta * (1 + 1e-9)


def test_who_chooses_by_earlier_outcomes_is_not_above_either():
    """Three uses, of which each t depends on the losses before: by brute force over a few t."""
    spread, choices = 1.0, [0.2, 0.35, 0.5, 0.65, 0.8]
    pairs = [two_outcomes(spread, t) for t in choices]
    def best(left: int, epsilon: float) -> float:
        if not left:
            return max(0.0, -math.expm1(epsilon))
        return max(sum(p * best(left - 1, epsilon - loss) for p, loss in zip(pair.p, pair.losses, strict=True))
                   for pair in pairs)
    h_of = curve(spread, 3, 64, 192)
    for i in (0, 20, 64, 100, 150):
        assert best(3, i / 64) <= h_of[i] * (1 + 1e-12)
    fixed = max(one.times(two).times(three).delta(0.5) for one, two, three in product(pairs, repeat=3))
    assert fixed <= best(3, 0.5) <= h_of[32] <= best(3, 0.5) * 1.02


def test_one_use_is_the_closed_form():
    for spread in (0.1, 1.0, 5.0):
        h_of = curve(spread, 1, 64, 64)
        closed = np.expm1((spread * np.arange(65) / 64 - spread) / 2) ** 2 / -math.expm1(-spread)
        assert h_of == pytest.approx(closed, rel=1e-3, abs=1e-12) and (h_of >= closed * (1 - 1e-12)).all()


def test_chords_lie_above_and_finer_ones_lower():
    coarse, fine = curve(0.5, 20, 4, 40), curve(0.5, 20, 32, 320)[::8]
    assert (coarse >= fine * (1 - 1e-12)).all() and coarse[10] > 1.001 * fine[10]


@pytest.mark.parametrize("spread", [1e-6, 0.1, 1.0, 10.0, 800.0])
@pytest.mark.parametrize("order", [1.01, 1.5, 2, 7, 200])
def test_rdp_is_that_of_the_worst_t(spread, order):
    found = BoundedRangePair(spread).rdp(order)
    places = spread * np.concatenate([np.linspace(1e-4, 1 - 1e-4, 300), 1 - np.geomspace(1e-9, 1e-4, 30)])
    each = [two_outcomes(spread, float(t)).rdp(order) for t in places]
    assert found >= max(each) * (1 - 1e-9) or spread < 1e-3
    assert found <= max(max(each) * 1.01, order * spread**2 / 8 * (1 + 1e-12))
    assert found <= min(spread, order * spread**2 / 8 * (1 + 1e-12))


def test_beside_other_steps_what_dominates_all_is_composed():
    steps = [Step(BoundedRangePair(0.2), 20), Step(LaplacePair(10.0), 20)]
    found = pld_epsilon(steps, 1e-5)
    same = pld_epsilon([Step(bounded_range_pair(0.2), 20), Step(LaplacePair(10.0), 20)], 1e-5)
    assert found.optimistic <= found.pessimistic <= same.pessimistic * (1 + 1e-6)
    assert found.pessimistic <= min(basic_composition(steps), rdp_epsilon(steps, 1e-5))
    sampled = BoundedRangePair(0.2).poisson(0.3)
    assert sampled.epsilon == pytest.approx(math.log1p(0.3 * math.expm1(0.2)), rel=1e-9, abs=0)


def test_where_the_law_takes_too_long_the_old_bound_is_used():
    assert bounded_range_ends(BoundedRangePair(0.01), 10**6, 1e-5) is None
    steps = [Step(BoundedRangePair(0.001), 10**6)]
    found = pld_epsilon(steps, 1e-5)
    assert found.optimistic <= found.pessimistic <= rdp_epsilon(steps, 1e-5)
    assert pld_epsilon([Step(BoundedRangePair(0.2), 3)], 0.0).pessimistic == pytest.approx(0.6)


def test_what_is_attained_is_what_two_outcomes_need_at_least(monkeypatch):
    monkeypatch.setattr("privgraph.privacy.certified.binomial_ends", lambda *_: (1.0, 2.0))
    assert attained(0.2, 100, 1e-5, 5.0) == 1.0 and attained(0.2, 100, 1e-5, 0.5) == 0.5
