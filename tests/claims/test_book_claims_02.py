"""Evidence for the theorems of chapter 02, by enumeration over random mechanisms with finitely many outputs."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privgraph.audit import worst_case
from privgraph.privacy import FinitePair, improved_conversion, pure_pair

SOME = dict(max_examples=60)


class Tabled:
    def __init__(self, table):
        self.table = np.asarray(table)

    def distribution(self, x):
        return dict(enumerate(self.table[x].tolist()))


def random_table(seed, inputs, outputs):
    return np.random.default_rng(seed).dirichlet(np.ones(outputs), inputs)


def private_pair(seed, epsilon, outputs=5):
    """Two random distributions whose ratios lie within e^epsilon both ways: coins and then random answers."""
    coin = np.array([pure_pair(epsilon).p, pure_pair(epsilon).q])
    return coin @ random_table(seed, 2, outputs)


@pytest.mark.bears("for", "dp-attacker")
@settings(**SOME)
@given(st.integers(0, 10**6), st.floats(0.1, 4))
def test_no_guess_beats_the_bound(seed, epsilon):
    """Claim dp-attacker: over every deterministic rule on 5 outputs, and both inequalities for every test."""
    p, q = private_pair(seed, epsilon)
    for accused in product((0, 1), repeat=5):
        tpr, fpr = float(p @ accused), float(q @ accused)
        assert (tpr + 1 - fpr) / 2 <= math.exp(epsilon) / (1 + math.exp(epsilon)) + 1e-12
        assert tpr <= math.exp(epsilon) * fpr + 1e-12 and 1 - fpr <= math.exp(epsilon) * (1 - tpr) + 1e-12


@pytest.mark.bears("for", "dp-attacker")
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_coins_attain_the_attackers_bound(epsilon):
    """Claim dp-attacker: guessing what the coin says is right with probability e^eps / (1 + e^eps)."""
    assert pure_pair(epsilon).p[0] == pytest.approx(math.exp(epsilon) / (1 + math.exp(epsilon)))


@pytest.mark.bears("for", "dp-three-rules")
@settings(**SOME)
@given(st.integers(0, 10**6))
def test_post_processing_never_adds(seed):
    """Claim dp-three-rules, part 1: any random map of the outputs."""
    table, after = random_table(seed, 3, 4), random_table(seed + 1, 4, 5)
    released = table @ after
    assert worst_case(Tabled(released), range(3)).epsilon <= worst_case(Tabled(table), range(3)).epsilon + 1e-12


@pytest.mark.bears("for", "dp-three-rules")
@settings(**SOME)
@given(st.integers(0, 10**6))
def test_adaptive_composition_adds_at_most(seed):
    """Claim dp-three-rules, part 2: the second mechanism is another one for each output of the first."""
    first = random_table(seed, 2, 3)
    second = [random_table(seed + 1 + o, 2, 3) for o in range(3)]
    both = np.array([np.concatenate([first[x, o] * second[o][x] for o in range(3)]) for x in range(2)])
    worst_second = max(worst_case(Tabled(t), range(2)).epsilon for t in second)
    total = worst_case(Tabled(first), range(2)).epsilon + worst_second
    assert worst_case(Tabled(both), range(2)).epsilon <= total + 1e-12


@pytest.mark.bears("for", "dp-three-rules")
@settings(**SOME)
@given(st.integers(0, 10**6), st.integers(2, 5))
def test_groups_multiply_at_most(seed, k):
    """Claim dp-three-rules, part 3: inputs on a line, neighbours one step apart, ends k steps apart."""
    mechanism = Tabled(random_table(seed, k + 1, 4))
    step = worst_case(mechanism, range(k + 1), lambda x: [y for y in (x - 1, x + 1) if 0 <= y <= k]).epsilon
    assert worst_case(mechanism, [0, k]).epsilon <= k * step + 1e-12


@pytest.mark.bears("for", "dp-rdp")
@settings(**SOME)
@given(st.integers(0, 10**6), st.floats(1.1, 20), st.floats(1e-6, 0.5))
def test_rdp_adds_adaptively_and_converts(seed, order, delta):
    """Claim dp-rdp: both parts, on random pairs, with the exact delta as judge."""
    first = random_table(seed, 2, 3)
    second = [random_table(seed + 1 + o, 2, 3) for o in range(3)]
    both = [np.concatenate([first[x, o] * second[o][x] for o in range(3)]) for x in range(2)]
    def rdp(p, q):
        return FinitePair(tuple(p), tuple(q)).rdp(order)
    total = rdp(*first) + max(rdp(*t) for t in second)
    pair = FinitePair(tuple(both[0]), tuple(both[1]))
    assert pair.rdp(order) <= total + 1e-9
    assert pair.delta(improved_conversion(pair.rdp(order), order, delta)) <= delta * (1 + 1e-9)


@pytest.mark.bears("for", "dp-pure-pair")
@settings(**SOME)
@given(st.integers(0, 10**6), st.floats(0.1, 3), st.floats(1.1, 30), st.floats(0, 4))
def test_every_private_pair_is_a_coin_and_a_draw(seed, epsilon, order, level):
    """Claim dp-pure-pair: the two draws of the proof are distributions and give the pair back;
    no divergence is larger."""
    p, q = private_pair(seed, epsilon)
    exact = FinitePair(tuple(p), tuple(q))
    coin = pure_pair(exact.epsilon)  # the smallest coin that will do
    a, b = ((coin.p[0] * x - coin.q[0] * y) / (coin.p[0] - coin.q[0]) for x, y in ((p, q), (q, p)))
    assert min(a.min(), b.min()) >= -1e-12 and a.sum() == pytest.approx(1) == pytest.approx(b.sum())
    assert coin.p[0] * a + coin.q[0] * b == pytest.approx(p)
    assert exact.rdp(order) <= coin.rdp(order) + 1e-9 and exact.delta(level) <= coin.delta(level) + 1e-12


@pytest.mark.bears("for", "dp-poisson")
@settings(**SOME)
@given(st.integers(0, 10**6), st.floats(0.05, 0.95))
def test_poisson_samples_are_amplified(seed, rate):
    """Claim dp-poisson: three people, a random mechanism on every subset, each person added or removed, exactly."""
    table = random_table(seed, 8, 4)  # one row for each subset of three people
    def sampled(present):
        """The output distribution when the people in ``present`` (a bit mask) are in the data."""
        row = np.zeros(4)
        for chosen in range(8):
            if chosen & ~present == 0:
                kept, size = bin(chosen).count("1"), bin(present).count("1")
                row += rate**kept * (1 - rate) ** (size - kept) * table[chosen]
        return row
    def one_person(x):
        return [x ^ 1, x ^ 2, x ^ 4]
    base = worst_case(Tabled(table), range(8), one_person).epsilon
    amplified = worst_case(Tabled([sampled(x) for x in range(8)]), range(8), one_person).epsilon
    assert amplified <= math.log(1 + rate * (math.exp(base) - 1)) + 1e-12
