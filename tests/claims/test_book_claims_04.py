"""Chapter 04: what epsilon bounds on planted canaries, and that it bounds no AUC on real edges; all by enumeration."""

import math
from itertools import combinations, permutations, product

import numpy as np
import pytest
import torch
from scipy import stats

from privgraph.attacks import ceiling, evaluate_attack, feature_similarity
from privgraph.audit import Independent, relations, worst_case
from privgraph.mechanisms import RandomisedResponse
from privgraph.randomness import seeded

EPSILONS = (0.3, 1.0, 2.5)


# book-canary-ceiling

def response_table(epsilon, m, reports=1):
    """Randomised response on m coins, each reported ``reports`` times: Pr[release | coins], [2^m, releases]."""
    keep = ceiling(epsilon)
    coins = np.array(list(product((0, 1), repeat=m)))
    releases = np.array(list(product((0, 1), repeat=m * reports))).reshape(-1, m, reports)
    same = coins[:, None, :, None] == releases[None]
    return np.where(same, keep, 1 - keep).prod((2, 3))


def random_table(m, outcomes, seed):
    """A mechanism without any structure."""
    table = np.random.default_rng(seed).gamma(2.0, size=(2**m, outcomes)) + 0.05
    return table / table.sum(1, keepdims=True)


def epsilon_of(table, m):
    """The largest loss over all pairs of inputs that differ in one coin."""
    flips = [(a, a ^ 1 << i) for a in range(2**m) for i in range(m)]
    return max(np.log(table[a] / table[b]).max() for a, b in flips)


def surest(table, m, chance=0.5):
    """The largest Pr[coin i | release, all other coins], over everything; coins show heads with ``chance``."""
    odds = [chance / (1 - chance) * table[a | 1 << i] / table[a & ~(1 << i)] for a in range(2**m) for i in range(m)]
    heads = np.array(odds) / (1 + np.array(odds))
    return float(np.maximum(heads, 1 - heads).max())


def law_of_right_guesses(table, m, k):
    """Pr[number right = 0..k] when the k surest coins of each release are guessed, given the release alone."""
    coins = (np.arange(2**m)[:, None] >> np.arange(m)) & 1
    law = np.zeros(k + 1)
    for joint in (table / 2**m).T:                                   # over releases: Pr[coins, release]
        heads = joint @ coins / joint.sum()
        guessed = np.argsort(-abs(heads - 0.5), kind="stable")[:k]
        right = (coins[:, guessed] == (heads[guessed] > 0.5)).sum(1)
        np.add.at(law, right, joint)
    return law


@pytest.mark.bears("for", "book-canary-ceiling")
@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_no_guess_on_a_canary_is_surer_than_the_ceiling_and_one_report_attains_it(epsilon, m):
    """Given the release and all other coins; when both ends report, the mutant, the ceiling of 2 epsilon is reached."""
    table = response_table(epsilon, m)
    assert epsilon_of(table, m) == pytest.approx(epsilon)
    assert surest(table, m) == pytest.approx(ceiling(epsilon))
    mutant = response_table(epsilon, m, reports=2)
    assert surest(mutant, m) == pytest.approx(ceiling(2 * epsilon))
    assert surest(mutant, m) > ceiling(epsilon) + 0.02


@pytest.mark.bears("for", "book-canary-ceiling")
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("m, outcomes", [(1, 3), (2, 4), (3, 6)])
def test_mechanisms_without_structure_stay_below_the_ceiling_of_their_epsilon(m, outcomes, seed):
    """And attain it at the worst release, so no smaller ceiling holds; what the release alone tells stays below."""
    table = random_table(m, outcomes, seed)
    allowed = ceiling(epsilon_of(table, m))
    assert surest(table, m) == pytest.approx(allowed) and allowed > ceiling(0.8 * epsilon_of(table, m))
    assert law_of_right_guesses(table, m, 1)[1] <= allowed


@pytest.mark.bears("for", "book-canary-ceiling")
@pytest.mark.parametrize("k", [1, 2, 4])
def test_right_guesses_are_no_more_than_binomial(k):
    """The k surest of 4 canaries, chosen after the release was seen: attained by one report, exceeded by two."""
    for epsilon in EPSILONS:
        allowed = stats.binom.sf(np.arange(k), k, ceiling(epsilon))             # Pr[more than 0, .., k - 1 right]
        def tail(table):
            return 1 - np.cumsum(law_of_right_guesses(table, 4, k))[:k]
        assert tail(response_table(epsilon, 4)) == pytest.approx(allowed)
        if epsilon <= 2 and k < 4:
            assert (tail(response_table(epsilon, 4, 2)) > allowed + 0.005).all()
    for seed in range(20):
        table = random_table(4, 8, seed)
        bound = stats.binom.sf(np.arange(k), k, ceiling(epsilon_of(table, 4)))
        assert (1 - np.cumsum(law_of_right_guesses(table, 4, k))[:k] <= bound + 1e-12).all()


@pytest.mark.bears("for", "book-canary-ceiling")
def test_the_coins_must_be_fair():
    """A mutant of the planting: heads in nine of ten cases; then a guess is surer than the ceiling."""
    assert surest(response_table(1.0, 2), 2, chance=0.9) > ceiling(1.0) + 0.2


# book-attack-auc-is-not-epsilon

@pytest.mark.bears("for", "book-attack-auc-is-not-epsilon")
@pytest.mark.parametrize("teams", [(2, 2), (3, 4), (5, 5, 5)])
def test_nothing_released_and_every_edge_found(teams):
    """(a) Teams of friends, public team names, an empty release: epsilon 0, AUC 1 over all pairs."""
    team = torch.repeat_interleave(torch.arange(len(teams)), torch.tensor(teams))
    pairs = torch.tensor(list(combinations(range(len(team)), 2))).t()
    linked = team[pairs[0]] == team[pairs[1]]
    score = feature_similarity(torch.eye(len(teams))[team], pairs)
    assert evaluate_attack(score, linked).auc == 1

    class Nothing:
        def distribution(self, lists):
            return {"nothing": 1.0}
    graph = relations.neighbour_lists(pairs[:, linked].t().tolist(), len(team))
    assert worst_case(Nothing(), [graph], relations.change_edge).epsilon == 0


def gain(scores, N):
    """Expected wins and matches over all graphs on N pairs; ``scores(bit of the shown pair)`` ranks the pairs."""
    wins = matches = 0.0
    for coins in product((0, 1), repeat=N):
        s = scores[coins[0]]
        for i, j in permutations(range(N), 2):
            if coins[i] > coins[j]:
                matches += 1
                wins += 1.0 if s[i] > s[j] else 0.5 if s[i] == s[j] else 0.0
    return wins, matches


@pytest.mark.bears("for", "book-attack-auc-is-not-epsilon")
@pytest.mark.parametrize("N", [2, 3, 4])
def test_an_edge_in_the_clear_has_no_epsilon_and_gives_one_nth(N):
    """(b) The best of all rankings (with ties) of N pairs, after one of them was shown: AUC 1/2 + 1/N, no more."""
    best = 0.0
    rankings = list(product(range(N), repeat=N))
    for shown in (0, 1):                                     # wins add up over releases: the best ranking for each
        best += max(gain({shown: r, 1 - shown: (0,) * N}, N)[0] for r in rankings)
    wins_of_ties, matches = gain({0: (0,) * N, 1: (0,) * N}, N)
    assert wins_of_ties == matches / 2
    assert (best - wins_of_ties) / matches == pytest.approx(1 / 2 + 1 / N)
    clear = Independent((RandomisedResponse(math.inf, 2),), split=lambda bits: bits[:1])
    assert math.isinf(worst_case(clear, list(product((0, 1), repeat=N))).epsilon)


@pytest.mark.bears("for", "book-attack-auc-is-not-epsilon")
@pytest.mark.parametrize("seed", range(5))
def test_random_attacks_stay_below_one_nth(seed):
    """(b) for N = 6, the pairs of four people: random scores of each release never exceed 1/2 + 1/6."""
    generator = seeded(seed)
    scores = {bit: torch.rand(6, generator=generator).tolist() for bit in (0, 1)}
    wins, matches = gain(scores, 6)
    assert wins / matches < 1 / 2 + 1 / 6
    believer = {bit: [2 * bit - 1, 0, 0, 0, 0, 0] for bit in (0, 1)}
    wins, matches = gain(believer, 6)
    assert wins / matches == pytest.approx(1 / 2 + 1 / 6)
