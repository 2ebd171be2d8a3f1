"""The auditors audited: false alarms, coverage, power. Level 1e-6 for each test, fixed seeds, no retries.

A bound depends on counts only, so its coverage is a finite sum: no randomness is needed. Other tests play the
game from end to end. Each kind of slip has a mutant here that the same test rejects.
"""

import math
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
import torch
from scipy import stats
from scipy.optimize import linprog

from privgraph.audit import delta_curve, statistical
from privgraph.audit.statistical import guessing_game, one_run_audit, power, samples_needed
from privgraph.mechanisms import RandomisedResponse
from privgraph.randomness import seeded

pytestmark = pytest.mark.slow

LEVEL = 1e-6
ERROR = 0.05


@pytest.fixture(autouse=True)
def remember(monkeypatch):
    """The bounds depend on counts only: a repeat with the same counts looks its bound up."""
    for name in ("guessing_bound", "one_run_bound", "two_sample_bound", "guessing_p_value"):
        monkeypatch.setattr(statistical, name, cache(getattr(statistical, name)))


def p_value_of_alarms(alarms, repeats: int) -> float:
    """p-value for "at most 5% of the repeats are alarms"."""
    return stats.binomtest(sum(map(bool, alarms)), repeats, ERROR, alternative="greater").pvalue


def cautious(releases):
    """A fixed rule that abstains between 0.3 and 0.7."""
    return (releases > 0.7).long() - (releases > 0.3).logical_and(releases <= 0.7).long()


# No information: the releases are independent of the coins, true epsilon 0.

def blind_run(coins, generator):
    return torch.rand(coins.shape, generator=generator)


def blind_counts(generator, runs=100):
    """Right, wrong and abstained runs of the cautious rule."""
    audit = guessing_game(blind_run, cautious, runs, generator=generator)
    return audit.correct, audit.guesses - audit.correct, runs - audit.guesses


def blind_canaries(generator, m=100):
    return torch.rand(m, generator=generator), torch.randint(2, (m,), generator=generator)


def tied_canaries(generator, m=100):
    """Equal scores for all, and the canaries that are in listed first."""
    return torch.zeros(m), torch.randint(2, (m,), generator=generator).sort(descending=True).values


def blind_positives(generator):
    return [int((torch.rand(100, generator=generator) > 0.5).sum()) for _ in range(2)]


def two_sample(generator, delta=0.0):
    found, alarms = blind_positives(generator)
    return statistical.two_sample_bound(found, 100, alarms, 100, 0.95, delta)


SOUND = {
    "guessing": lambda g: guessing_game(blind_run, cautious, 100, generator=g).epsilon,
    "guessing, delta": lambda g: guessing_game(blind_run, cautious, 100, generator=g, delta=0.01).epsilon,
    "one run": lambda g: one_run_audit(*blind_canaries(g), 20, 20, generator=g).epsilon,
    "one run, delta": lambda g: one_run_audit(*blind_canaries(g), 20, 20, generator=g, delta=0.001).epsilon,
    "one run, ties": lambda g: one_run_audit(*tied_canaries(g), 20, 20, generator=g).epsilon,
    "two-sample": two_sample,
    "two-sample, delta": lambda g: two_sample(g, delta=0.01),
}


@pytest.mark.parametrize("estimator", SOUND)
def test_no_information_gives_no_bound(estimator):
    """5,000 repeats of 100 coins; a false alarm in 7% of repeats instead of 5% is caught."""
    generator = seeded(21)
    assert p_value_of_alarms((SOUND[estimator](generator) > 0 for _ in range(5_000)), 5_000) > LEVEL


def plain_fraction(generator):
    right, wrong, _ = blind_counts(generator)
    return right > wrong


def abstained_is_right(generator):
    right, wrong, abstained = blind_counts(generator)
    return statistical.guessing_bound(right + abstained, 100, 100, 0.95)


def best_threshold(generator):
    releases, coins = blind_canaries(generator)
    rights = [int(((releases > t) == coins).sum()) for t in torch.linspace(0.05, 0.95, 19)]
    return statistical.guessing_bound(max(rights), 100, 100, 0.95)


def best_number_of_guesses(generator):
    scores, coins = blind_canaries(generator)
    order = coins[scores.argsort()]
    rights = {k: int(order[-k:].sum() + (1 - order[:k]).sum()) for k in range(2, 51, 4)}
    return max(statistical.one_run_bound(right, 2 * k, 100, 0.95) for k, right in rights.items())


def ties_by_place(generator):
    _, coins = tied_canaries(generator)
    return statistical.one_run_bound(int(coins[:20].sum() + (1 - coins[-20:]).sum()), 40, 100, 0.95)


def plain_rates(generator):
    found, alarms = blind_positives(generator)
    return found > alarms


@pytest.mark.parametrize("mutant", [plain_fraction, abstained_is_right, best_threshold, best_number_of_guesses,
                                    ties_by_place, plain_rates])
def test_a_twin_that_sees_something_in_nothing_is_caught(mutant):
    """1,000 repeats; alarms in 11% of repeats are caught."""
    generator = seeded(22)
    assert p_value_of_alarms((mutant(generator) > 0 for _ in range(1_000)), 1_000) < LEVEL


# Coverage: how often the bound exceeds the true epsilon, as a sum over all outcomes.

def right(epsilon: float, delta: float = 0.0) -> float:
    """The accuracy of "show the bit with probability delta, else respond": attains (epsilon, delta)."""
    return delta + (1 - delta) / (1 + math.exp(-epsilon))


def share_above(epsilon: float, bound, law: dict) -> float:
    """Pr[bound(counts) > epsilon] under a law of the counts. The slack is for the last digit of the bound."""
    return math.fsum(chance for counts, chance in law.items() if bound(*counts) > epsilon + 1e-9)


def binomial(n: int, p: float) -> dict:
    return {(k,): chance for k, chance in enumerate(stats.binom.pmf(np.arange(n + 1), n, p))}


def both(first: dict, second: dict) -> dict:
    return {a + b: p * q for (a, p), (b, q) in product(first.items(), second.items())}


def with_abstention(n: int, p: float) -> dict:
    """The law of (right, guesses) when each run abstains with probability a half."""
    return {(k, r): stats.binom.pmf(r, n, 0.5) * chance
            for r in range(n + 1) for (k,), chance in binomial(r, p).items()}


EPSILONS = pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.0, 2.0])


@EPSILONS
@pytest.mark.parametrize("delta", [0.0, 0.02])
def test_coverage_of_the_guessing_game(epsilon, delta):
    """Exact, 200 runs, and 80 runs with abstention; without delta the bound may not be lax either."""
    error = share_above(epsilon, lambda k: statistical.guessing_bound(k, 200, 200, 0.95, delta),
                        binomial(200, right(epsilon, delta)))
    assert error <= ERROR and (delta or error > ERROR / 2)
    assert share_above(epsilon, lambda k, r: statistical.guessing_bound(k, r, 80, 0.95, delta),
                       with_abstention(80, right(epsilon, delta))) <= ERROR


@EPSILONS
@pytest.mark.parametrize("delta", [0.0, 0.02])
def test_coverage_of_the_two_sample_bound(epsilon, delta):
    """Exact, 100 runs on each side."""
    p = right(epsilon, delta)
    assert share_above(epsilon, lambda t, f: statistical.two_sample_bound(t, 100, f, 100, 0.95, delta),
                       both(binomial(100, p), binomial(100, 1 - p))) <= ERROR


@EPSILONS
def test_coverage_of_one_run_with_independent_canaries(epsilon):
    """Exact, 200 of 400 canaries guessed; randomised response attains the bound, so it may not be lax."""
    error = share_above(epsilon, lambda k: statistical.one_run_bound(k, 200, 400, 0.95),
                        binomial(200, right(epsilon)))
    assert ERROR / 2 < error <= ERROR


def most_right(guesses: int, v: int, epsilon: float, m_delta: float) -> float:
    """The largest Pr[right >= v] that any (epsilon, delta)-DP mechanism reaches, by linear programming.

    Coins and canaries may be relabelled at random, so the law of the number of right guesses says it all. One
    flip turns a right guess into a wrong one or back; what exceeds e^epsilon adds up to at most m delta.
    """
    r, flips = guesses, []
    for k in range(1, r + 1):
        for here, there, weight, back in [(k, k - 1, k, r - k + 1), (k - 1, k, r - k + 1, k)]:
            row = np.zeros(r + 1)
            row[here], row[there] = weight, -math.exp(epsilon) * back
            flips.append(row)
    limits = np.block([[np.array(flips), -np.eye(2 * r)], [np.zeros(r + 1), np.ones(2 * r)]])
    goal = np.r_[-1.0 * (np.arange(r + 1) >= v), np.zeros(2 * r)]
    ones = [np.r_[np.ones(r + 1), np.zeros(2 * r)]]
    return -linprog(goal, limits, np.r_[np.zeros(2 * r), m_delta], ones, [1]).fun


def rejected_from(epsilon: float, delta: float) -> int:
    """The fewest right ones among 50 guesses about 100 canaries that put the bound above epsilon."""
    return next(v for v in range(51) if statistical.one_run_bound(v, 50, 100, 0.95, delta) > epsilon)


@EPSILONS
def test_no_mechanism_at_all_breaks_the_coverage_of_one_run_with_delta(epsilon):
    """Exact, over all (epsilon, 0.02)-DP mechanisms: 50 guesses about 100 canaries."""
    assert most_right(50, rejected_from(epsilon, 0.02), epsilon, 2.0) <= ERROR


@EPSILONS
def test_one_run_without_the_delta_term_is_caught(epsilon):
    assert most_right(50, rejected_from(epsilon, 0.0), epsilon, 2.0) > ERROR


@pytest.mark.bears("for", "one-run-bound")
@EPSILONS
@pytest.mark.parametrize("guesses, m_delta", [(1, 0.1), (7, 0.01), (40, 0.1), (40, 2.0)])
def test_the_p_value_of_one_run_is_the_exact_maximum(guesses, m_delta, epsilon):
    for v in range(1, guesses + 1, 3):
        stated = statistical.one_run_p_value(v, guesses, 2 * guesses, epsilon, m_delta / (2 * guesses))
        assert stated == pytest.approx(most_right(guesses, v, epsilon, m_delta), rel=1e-5, abs=1e-7)


def most_right_of_two(v: int, epsilon: float, delta: float) -> float:
    """The same for two canaries, over all mechanisms: no argument about the law of the right guesses."""
    flips = [(s, s ^ bit) for s in range(4) for bit in (1, 2)]
    limits = np.zeros((40, 16 + 32))                        # 16 probabilities Pr[t | s], then 32 excesses
    for pair, (s, other) in enumerate(flips):
        for t in range(4):                                  # Pr[t | s] - e^epsilon Pr[t | other] <= excess
            row = limits[4 * pair + t]
            row[4 * s + t], row[4 * other + t], row[16 + 4 * pair + t] = 1, -math.exp(epsilon), -1
        limits[32 + pair, 16 + 4 * pair:20 + 4 * pair] = 1  # the excesses add up to at most delta
    goal = [-((2 - (s ^ t).bit_count()) >= v) / 4 for s, t in product(range(4), repeat=2)] + [0] * 32
    ones = np.c_[np.kron(np.eye(4), np.ones(4)), np.zeros((4, 32))]
    return -linprog(goal, limits, [0] * 32 + [delta] * 8, ones, np.ones(4)).fun


@pytest.mark.bears("for", "one-run-bound")
@EPSILONS
@pytest.mark.parametrize("v", [1, 2])
def test_the_p_value_is_the_maximum_over_all_mechanisms_for_two_canaries(v, epsilon):
    stated = statistical.one_run_p_value(v, 2, 2, epsilon, 0.05)
    assert stated == pytest.approx(most_right_of_two(v, epsilon, 0.05))


class NamesSome:
    """Names r random canaries of m and says K of their coins truly, K of a given law: attains the bound of one run."""

    def __init__(self, m: int, law: list[float]):
        self.m, self.r, self.law = m, len(law) - 1, law

    def distribution(self, coins: tuple[int, ...]) -> dict:
        """{(canaries, what is said of their coins): probability}."""
        table = {}
        for named in combinations(range(self.m), self.r):
            for said in product((0, 1), repeat=self.r):
                k = sum(s == coins[i] for i, s in zip(named, said, strict=True))
                table[named, said] = self.law[k] / math.comb(self.r, k) / math.comb(self.m, self.r)
        return table

    def law_of_right_ones(self) -> np.ndarray:
        """Pr[K = 0..r] where the coins are fair and the auditor repeats what is said."""
        law = np.zeros(self.r + 1)
        for coins in product((0, 1), repeat=self.m):
            for (named, said), p in self.distribution(coins).items():
                law[sum(s == coins[i] for i, s in zip(named, said, strict=True))] += p / 2**self.m
        return law


def extremal_law(r: int, v: int, epsilon: float, m_delta: float) -> list[float]:
    """Binomial in shape below v and from v on, with the step at v that ``m_delta`` pays for."""
    b = stats.binom.pmf(np.arange(r + 1), r, right(epsilon))
    step = m_delta / (v * b[v])
    low = max(1 - b[v:].sum() * step, 0)
    high = (1 - low * b[:v].sum()) / b[v:].sum()
    return [float(x) for x in np.r_[low * b[:v], high * b[v:]]]


@pytest.mark.bears("for", "one-run-bound")
@EPSILONS
@pytest.mark.parametrize("m, r, v, delta", [(3, 2, 2, 0.05), (4, 3, 2, 0.02), (5, 2, 1, 0.01), (4, 4, 3, 0.01),
                                            (5, 3, 3, 0.0)])
def test_a_mechanism_attains_the_p_value_of_one_run(m, r, v, delta, epsilon):
    """Its delta at epsilon, over every pair of coins that differ in one and every outcome, is the one that was allowed;
    its auditor is right v times with the stated probability. With a tenth more delta the statement would be larger."""
    law = extremal_law(r, v, epsilon, m * delta)
    mechanism = NamesSome(m, law)
    def one_coin(coins):
        return [(*coins[:i], 1 - coins[i], *coins[i + 1:]) for i in range(m)]
    spent, = delta_curve(mechanism, list(product((0, 1), repeat=m)), [epsilon], one_coin)
    assert spent == pytest.approx(delta, abs=1e-12)
    assert mechanism.law_of_right_ones() == pytest.approx(law)
    stated = statistical.one_run_p_value(v, r, m, epsilon, delta)
    assert sum(law[v:]) == pytest.approx(stated) and stated < 1
    assert delta == 0 or statistical.one_run_p_value(v, r, m, epsilon, 1.1 * delta) > stated + 1e-4


def test_where_the_bound_is_one_the_auditor_is_always_right_enough():
    """A delta larger than is needed: the law starts at v, and costs no more than the delta."""
    law = extremal_law(3, 2, 0.5, 4 * 0.4)
    mechanism = NamesSome(4, law)
    pairs = [(0, 0, 0, 0), (1, 0, 0, 0)]
    assert statistical.one_run_p_value(2, 3, 4, 0.5, 0.4) == 1 == pytest.approx(sum(law[2:]))
    assert delta_curve(mechanism, pairs, [0.5])[0] <= 0.4


def published_p_value(v, r, m, epsilon, delta):
    """The p-value of Steinke, Nasr and Jagielski (2023)."""
    b = stats.binom.pmf(np.arange(r + 1), r, right(epsilon))
    return b[v:].sum() + 2 * m * delta * max(b[v - i:v].sum() / i for i in range(1, v + 1))


def test_our_p_value_is_not_above_the_published_one_where_audits_are_decided():
    for r, epsilon, share, m_delta in product([3, 10, 100, 500], [0, 0.5, 2, 4], [0.6, 0.8, 1], [1e-4, 1]):
        v = math.ceil(share * r)
        ours = statistical.one_run_p_value(v, r, 2 * r, epsilon, m_delta / (2 * r))
        assert ours > 0.5 or ours <= published_p_value(v, r, 2 * r, epsilon, m_delta / (2 * r)) + 1e-12


def test_the_example_of_the_paper():
    """75 of 100 guesses about 1,000 canaries at delta 1e-4: 0.673 by the paper's p-value, 0.695 by ours."""
    assert published_p_value(75, 100, 1000, 0.673, 1e-4) == pytest.approx(ERROR, abs=2e-4)
    assert statistical.one_run_bound(75, 100, 1000, 0.95, 1e-4) == pytest.approx(0.695, abs=5e-4)


def unsplit_two_sample(found, alarms):
    """Each of the two limits takes the whole error."""
    return statistical.two_sample_bound(found, 200, alarms, 200, 0.90)


def two_binomials(n: int, epsilon: float) -> dict:
    """The law of (true positives, false positives) of randomised response, n runs on each side."""
    return both(binomial(n, right(epsilon)), binomial(n, 1 - right(epsilon)))


@pytest.mark.parametrize("bound, epsilon, law", [
    (lambda k: math.log((k + 1) / (201 - k)), 1.0, binomial(200, right(1.0))),
    (lambda k: statistical.guessing_bound(k, 2000, 2000, 0.95), 1.0, binomial(2000, right(1.0, 0.05))),
    (unsplit_two_sample, 3.0, two_binomials(200, 3.0)),
    (lambda t, f: math.log((t + 1) / (f + 1)), 1.0, two_binomials(100, 1.0)),
], ids=["no interval", "delta forgotten", "error not split", "plain rates"])
def test_twins_without_coverage_are_caught(bound, epsilon, law):
    assert share_above(epsilon, bound, law) > ERROR


# From end to end.

def respond(epsilon: float):
    return lambda coins, generator: RandomisedResponse(epsilon, 2)(coins, generator=generator)


def audited_response(epsilon: float, generator) -> float:
    return guessing_game(respond(epsilon), lambda releases: releases, 100, generator=generator).epsilon


def audited_canaries(epsilon: float, generator) -> float:
    coins = torch.randint(2, (200,), generator=generator)
    reports = respond(epsilon)(coins, generator).double()
    return one_run_audit(reports, coins, 40, 40, generator=generator).epsilon


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("audited", [audited_response, audited_canaries])
def test_bounds_from_end_to_end_cover_the_true_epsilon(audited, epsilon):
    """2,000 repeats of 100 runs or of 200 canaries; an error of 9% instead of 5% is caught."""
    generator = seeded(23)
    assert p_value_of_alarms((audited(epsilon, generator) > epsilon for _ in range(2_000)), 2_000) > LEVEL


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("audited", [audited_response, audited_canaries])
def test_a_mechanism_that_spends_twice_as_much_is_caught_from_end_to_end(audited, epsilon):
    generator = seeded(24)
    assert p_value_of_alarms((audited(2 * epsilon, generator) > epsilon for _ in range(500)), 500) < LEVEL


# The Laplace mechanism on the answers 0 and 1 (sensitivity 1): scale 1 is 1-DP.

def laplace(scale: float):
    def run(coins, generator):
        u = torch.rand(coins.shape, generator=generator, dtype=torch.double) - 0.5
        return coins - scale * u.sign() * torch.log1p(-2 * u.abs())
    return run


def outside(releases):
    """Guess above 1 and below 0, where a release says most; abstain between."""
    return (releases >= 1).long() - ((releases > 0) & (releases < 1)).long()


def middle(releases):
    """Guess always, by the nearer answer."""
    return (releases > 0.5).long()


def audited_laplace(scale, rule, runs, seed, confidence=1 - LEVEL):
    return guessing_game(laplace(scale), rule, runs, generator=seeded(seed), confidence=confidence)


@pytest.mark.parametrize("rule, scale", [(outside, 0.5), (outside, 1 / 1.2), (middle, 0.5)])
def test_laplace_with_too_little_noise_is_refuted(rule, scale):
    """20,000 runs; with abstention an epsilon 20% too large is caught."""
    assert audited_laplace(scale, rule, 20_000, seed=25).refutes(1.0)


@pytest.mark.parametrize("rule", [outside, middle])
def test_honest_laplace_is_not_refuted(rule):
    assert not audited_laplace(1.0, rule, 100_000, seed=26).refutes(1.0)


def refutations(scale: float, repeats: int):
    return (audited_laplace(scale, outside, 200, seed, 1 - ERROR).refutes(1.0) for seed in range(repeats))


def test_false_alarms_on_honest_laplace_stay_at_their_level():
    """4,000 repeats of 200 runs at level 5%; a false-alarm rate of 8% is caught."""
    assert p_value_of_alarms(refutations(1.0, 4_000), 4_000) > LEVEL


def test_a_twin_with_twenty_percent_more_epsilon_alarms_too_often():
    assert p_value_of_alarms(refutations(1 / 1.2, 2_000), 2_000) < LEVEL


# Power.

def median(bound, law: dict) -> float:
    """The exact median of a bound under a law of its counts."""
    values, chances = zip(*sorted((bound(*counts), chance) for counts, chance in law.items()), strict=True)
    return values[np.searchsorted(np.cumsum(chances), 0.5)]


def test_the_guessing_game_certifies_more_than_two_samples():
    """Exact medians for randomised response at epsilon 1 in 400 runs: 0.82 against 0.71."""
    guessing = median(lambda k: statistical.guessing_bound(k, 400, 400, 0.95), binomial(400, right(1.0)))
    compared = median(lambda t, f: statistical.two_sample_bound(t, 200, f, 200, 0.95),
                      two_binomials(200, 1.0))
    assert (round(guessing, 2), round(compared, 2)) == (0.82, 0.71)


@pytest.mark.parametrize("true, claimed, guesses, level", [(1.0, 0.5, 200, 0.05), (2.0, 1.0, 60, 0.01)])
def test_power_is_what_simulations_find(true, claimed, guesses, level):
    """20,000 repeats; a power wrong by .017 is caught."""
    coins = torch.randint(2, (20_000, guesses), generator=seeded(28))
    correct = (respond(true)(coins.flatten(), seeded(29)).view_as(coins) == coins).sum(1).tolist()
    refuted = sum(statistical.guessing_p_value(k, guesses, claimed) <= level for k in correct)
    stated = power(true, claimed, guesses, level)
    assert stats.binomtest(refuted, 20_000, stated).pvalue > LEVEL
    assert stats.binomtest(refuted, 20_000, power(1.2 * true, claimed, guesses, level)).pvalue < LEVEL


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 8.0])
def test_samples_needed_suffice(epsilon):
    """Exact: at the stated number, the bound at 99% certifies .9 epsilon with probability at least .9."""
    n = samples_needed(epsilon, 0.9 * epsilon, level=0.01, power=0.9)
    wrong = np.arange(int(n / (1 + math.exp(0.9 * epsilon))) + 1)
    certified = [statistical.guessing_bound(n - int(w), n, n, 0.99) >= 0.9 * epsilon for w in wrong]
    assert stats.binom.pmf(wrong[certified], n, 1 - right(epsilon)).sum() >= 0.9
