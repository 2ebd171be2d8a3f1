r"""Statistical audits: a lower bound on epsilon, with a stated confidence, from what a mechanism released.

The auditor flips fair coins, sees what the mechanism makes of them, guesses the coins and counts. Many
right guesses refute a small epsilon; few right guesses prove nothing. Every bound supposes that the rule
of guessing was fixed beforehand, or chosen on other runs: the best of several bounds is not a bound.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from scipy import optimize, special, stats
from torch import Tensor

from ..checks import (
    check_count,
    check_delta,
    check_fraction,
    check_function,
    check_generator,
    check_positive,
    check_tensor,
)
from ..privacy.limits import error_rate, upper_limit


@dataclass(frozen=True)
class Audit:
    """With ``confidence``, the mechanism is not (e, delta)-DP for any e below ``epsilon``.

    ``correct`` of ``guesses`` guesses about ``runs`` coins were right. In one-run audits a coin is a canary.
    """

    epsilon: float
    confidence: float
    correct: int
    guesses: int
    runs: int
    delta: float = 0.0

    def refutes(self, claimed_epsilon: float) -> bool:
        """Whether a claim of ``claimed_epsilon`` is rejected, at level 1 - confidence."""
        return self.epsilon > claimed_epsilon


def guessing_game(run, rule, runs: int, *, generator: torch.Generator, confidence: float = 0.95,
                  delta: float = 0.0) -> Audit:
    r"""A fair coin b per run picks one of two neighbours; a fixed rule sees M(D_b) and guesses b or abstains.

    .. math:: \Pr[b = g \mid M(D_b) = o] = \frac{\Pr[M(D_g) = o]}{\Pr[M(D_0) = o] + \Pr[M(D_1) = o]}
              \le \frac{e^{\varepsilon}}{1 + e^{\varepsilon}}

    by Bayes' rule and the definition of epsilon-DP, whatever the release o. The runs are independent, so
    given all releases, and with them which runs are guessed, each guess is right with at most this
    probability, independently of the others: abstaining costs nothing. ``guessing_bound`` does the rest.

    :param run: ``run(coins, generator)`` gives the releases [runs, ...] for coins int64 [runs] in {0, 1}.
    :param rule: ``rule(releases)`` gives a guess per run, int [runs]: 0, 1, or -1 to abstain.

    >>> from privgraph.mechanisms import RandomisedResponse
    >>> from privgraph.randomness import seeded
    >>> run = lambda coins, generator: RandomisedResponse(2.0, 2)(coins, generator=generator)
    >>> audit = guessing_game(run, lambda releases: releases, 10_000, generator=seeded(0))
    >>> audit.refutes(1.8), audit.refutes(2.0)
    (True, False)
    """
    check_generator(generator), check_delta(confidence, "confidence"), check_fraction(delta, "delta")
    runs = check_count(runs, "runs", low=1)
    check_function(run, "run", "coins", "generator"), check_function(rule, "rule", "releases")
    coins = torch.randint(2, (runs,), generator=generator, device=generator.device)
    guess = check_guesses(rule(run(coins, generator)), runs)
    tally = (int((guess == coins).sum()), int((guess >= 0).sum()), runs)
    return Audit(guessing_bound(*tally, confidence, delta), confidence, *tally, delta)


def guessing_bound(correct: int, guesses: int, runs: int, confidence: float, delta: float = 0.0) -> float:
    r"""The lower bound on epsilon from ``correct`` of ``guesses`` guesses in ``runs`` runs of the game.

    .. math:: \varepsilon \ge \ln \frac{p}{1 - p} \quad (\delta = 0), \qquad
              \varepsilon \ge \ln \frac{c - \delta}{w} \quad (\delta > 0)

    p is the lower Clopper-Pearson limit of the share of guesses that are right, c that of the share of runs
    with a right guess, and w the upper limit of the share with a wrong one, at half of the error each.
    The coin is fair, so :math:`\Pr[g, b = g] \le e^{\varepsilon} \Pr[g, b \ne g] + \delta / 2` for a guess g;
    the sum over g = 0, 1 is :math:`\Pr[\text{right}] \le e^{\varepsilon} \Pr[\text{wrong}] + \delta`.

    >>> round(guessing_bound(292, 400, 400, 0.95), 2), guessing_bound(200, 400, 400, 0.95)
    (0.8, 0.0)
    """
    check_tally(correct, guesses, runs, "runs")
    error = 1 - check_delta(confidence, "confidence")
    if check_fraction(delta, "delta") == 0:
        wrong = upper_limit(guesses - correct, guesses, error)
        return odds_bound(1 - wrong, wrong)
    not_right = upper_limit(runs - correct, runs, error / 2)
    return odds_bound(1 - not_right - delta, upper_limit(guesses - correct, runs, error / 2))


def guessing_p_value(correct: int, guesses: int, epsilon: float) -> float:
    r"""How likely epsilon-DP allows so many right guesses: Pr[Bin(guesses, e^eps / (1 + e^eps)) >= correct].

    >>> guessing_p_value(8, 8, 0.0) == 1 / 2**8
    True
    """
    check_tally(correct, guesses, guesses, "guesses")
    rate = error_rate(epsilon)
    return float(special.betaincc(guesses - correct + 1, correct, rate)) if correct else 1.0


def two_sample_bound(true_positives: int, positives: int, false_positives: int, negatives: int,
                     confidence: float, delta: float = 0.0) -> float:
    r"""The usual bound, from how often a test says "1" in ``positives`` runs on D_1 and ``negatives`` on D_0.

    .. math:: \varepsilon \ge \max\Big\{ \ln \frac{t - \delta}{f},\; \ln \frac{1 - f - \delta}{1 - t} \Big\}

    t is the lower Clopper-Pearson limit of the true positive rate and f the upper one of the false positive
    rate, at half of the error each. Both directions follow from the same two limits and cost nothing more.

    >>> round(two_sample_bound(146, 200, 54, 200, 0.95), 2)
    0.68
    """
    check_count(positives, "positives"), check_count(negatives, "negatives")
    check_count(true_positives, "true_positives", high=positives)
    check_count(false_positives, "false_positives", high=negatives)
    half = (1 - check_delta(confidence, "confidence")) / 2
    check_fraction(delta, "delta")
    miss = upper_limit(positives - true_positives, positives, half)           # 1 - t
    alarm = upper_limit(false_positives, negatives, half)                     # f
    return max(odds_bound(1 - miss - delta, alarm), odds_bound(1 - alarm - delta, miss))


def one_run_audit(scores: Tensor, coins: Tensor, k_plus: int, k_minus: int, *, generator: torch.Generator,
                  confidence: float = 0.95, delta: float = 0.0) -> Audit:
    """The audit by one run: each canary was put in by its coin; now guess from the scores who is in.

    The ``k_plus`` highest scores are guessed in, the ``k_minus`` lowest out: numbers fixed before you look.
    You flip a fair coin per canary, independently of the data and of the other canaries; the run sees nothing
    else of the coins. Equal scores are ordered by lot, never by place, which the coins may have decided.
    Steinke, Nasr and Jagielski (2023), "Privacy auditing with one (1) training run".

    :param scores: float [m], higher = more likely in.
    :param coins: [m] in {0, 1}, 1 = in.

    >>> from privgraph.randomness import seeded
    >>> coins = torch.tensor([1, 0] * 50)
    >>> audit = one_run_audit(coins + 0.1, coins, 20, 20, generator=seeded(0))
    >>> audit.correct, round(audit.epsilon, 2)
    (40, 2.55)
    """
    check_generator(generator), check_scores(scores, coins)
    k_plus, k_minus = check_count(k_plus, "k_plus"), check_count(k_minus, "k_minus")
    check_count(k_plus + k_minus, "k_plus + k_minus", high=len(scores))
    lot = torch.randperm(len(scores), generator=generator, device=generator.device)
    lowest_first = coins[lot[scores[lot].argsort(stable=True)]].long()
    correct = int(lowest_first[len(scores) - k_plus:].sum() + (1 - lowest_first[:k_minus]).sum())
    tally = (correct, k_plus + k_minus, len(scores))
    return Audit(one_run_bound(*tally, confidence, delta), confidence, *tally, delta)


def one_run_bound(correct: int, guesses: int, canaries: int, confidence: float, delta: float = 0.0) -> float:
    """The largest epsilon that ``one_run_p_value`` rejects at level 1 - confidence, by bisection from below.

    >>> round(one_run_bound(75, 100, 1000, 0.95), 3), round(one_run_bound(75, 100, 1000, 0.95, delta=1e-4), 3)
    (0.702, 0.695)
    """
    check_tally(correct, guesses, canaries, "canaries")
    check_delta(confidence, "confidence"), check_fraction(delta, "delta")
    low, high = 0.0, math.log(max(guesses, 1) / confidence)      # p(high) >= 1 - guesses * e^-high
    for _ in range(50):
        middle = (low + high) / 2
        rejected = one_run_p_value(correct, guesses, canaries, middle, delta) <= 1 - confidence
        low, high = (middle, high) if rejected else (low, middle)
    return low


def one_run_p_value(correct: int, guesses: int, canaries: int, epsilon: float, delta: float = 0.0) -> float:
    r"""How likely (epsilon, delta)-DP allows so many right among a fixed number of guesses about m canaries.

    .. math:: \Pr[K \ge v] \le F + m \delta\, \frac{F (1 - F)}{v\, b(v)}, \qquad F = \sum_{k \ge v} b(k)

    K is the number of right guesses, v = ``correct``, and b the binomial law of r = ``guesses`` trials at
    :math:`e^{\varepsilon} / (1 + e^{\varepsilon})`. Proof: apply DP with respect to coin i to the event
    "guess i is right and K is in J"; average over the coins, sum over i. For the law pi of K and every set J

    .. math:: \sum_{k \in J} \big( k \pi(k) - e^{\varepsilon} (r - k + 1) \pi(k - 1) \big) \le m \delta.

    Stein's equation :math:`k \phi(k) - e^{\varepsilon} (r - k) \phi(k + 1) = 1[k \ge v] - F` has a solution
    :math:`\phi \ge 0` that is largest at v, where it is F (1 - F) / (v b(v)). Averaged over pi, the equation
    makes Pr[K >= v] - F the sum of phi(k) times the brackets, which is at most m delta phi(v).

    For delta = 0 this is the bound of Steinke, Nasr and Jagielski (2023). Their term for delta is larger
    where audits are decided; this one is attained. Let pi be a b(k) for k < v and c b(k) from v on, with
    :math:`v b(v) (c - a) = m \delta` and sum 1, so that Pr[K >= v] = c F is the bound (where the bound exceeds 1:
    a = 0). The mechanism names r random canaries, says the coins of K random ones of them truly and the others
    falsely, K drawn from pi; the auditor repeats it. Flip coin i: by symmetry the probabilities that exceed
    :math:`e^{\varepsilon}` times the others add up to 1/m of the sum of the positive parts

    .. math:: \sum_k \big[ k \pi(k) - e^{\varepsilon} (r - k + 1) \pi(k - 1) \big]_+
              + \sum_k \big[ (r - k) \pi(k) - e^{\varepsilon} (k + 1) \pi(k + 1) \big]_+ .

    The first bracket is 0 but for k = v, where it is :math:`m \delta`; the second is never positive, as
    :math:`(k + 1) \pi(k + 1) \ge e^{\varepsilon} (r - k) \pi(k)`. So delta is exact for every m and r.

    >>> one_run_p_value(8, 8, 8, 0.0) == 1 / 2**8
    True
    """
    check_tally(correct, guesses, canaries, "canaries"), check_fraction(delta, "delta")
    tail = guessing_p_value(correct, guesses, epsilon)
    if correct == 0 or delta == 0:
        return tail
    left = np.arange(guesses - correct)
    with np.errstate(over="ignore"):                        # F / b(v), as a sum of the ratios b(v + j) / b(v)
        ratios = np.cumprod(math.exp(epsilon) * (guesses - correct - left) / (correct + 1 + left))
    slope = canaries * delta * (1 + ratios.sum()) / correct
    return tail + float(slope) * (1 - tail) if slope < 1 else 1.0


def certifiable(guesses: int, confidence: float) -> float:
    """The largest lower bound that so many guesses, all of them right, can give.

    >>> round(certifiable(10_000, 0.99), 2)
    7.68
    """
    return guessing_bound(guesses, guesses, guesses, confidence)


def power(true_epsilon: float, claimed_epsilon: float, guesses: int, level: float) -> float:
    """The probability that guesses as good as true_epsilon-DP allows refute ``claimed_epsilon``.

    >>> round(power(1.0, 0.9, 10_000, level=0.01), 2)
    0.98
    """
    check_count(guesses, "guesses"), check_delta(level, "level")
    return float(chance_to_refute(error_rate(true_epsilon, "true_epsilon"),
                                  error_rate(claimed_epsilon, "claimed_epsilon"), guesses, level))


def samples_needed(true_epsilon: float, claimed_epsilon: float, level: float, power: float) -> int:
    r"""The number of guesses from which on the power stays at least ``power``: exact, by binomials.

    The power goes up and down with single guesses, so the first number that reaches it would be luck. For

    .. math:: n \ge \max\Big\{ \frac{\ln(1 / \text{level})}{\mathrm{KL}(x \,\|\, e_0)},
              \frac{\ln(1 / (1 - \text{power}))}{\mathrm{KL}(x \,\|\, e_1)} \Big\}

    with any x between the error rates e_1 (true) and e_0 (claimed), Chernoff's bound promises the power for
    good: refute at up to n x errors. Below the least such n, every number is tried.

    >>> samples_needed(2.0, 1.0, level=0.01, power=0.9)
    98
    """
    check_positive(true_epsilon, "true_epsilon"), check_delta(level, "level"), check_delta(power, "power")
    claimed = error_rate(claimed_epsilon, "claimed_epsilon")
    if not claimed_epsilon < true_epsilon:
        raise ValueError("claimed_epsilon must be below true_epsilon, "
                         f"got {claimed_epsilon!r} and {true_epsilon!r}")
    true = error_rate(true_epsilon)

    def enough(x: float) -> float:
        return max(-math.log(level) / divergence(x, claimed), -math.log1p(-power) / divergence(x, true))
    top = math.ceil(optimize.minimize_scalar(enough, bounds=(true, claimed), method="bounded").fun)
    for high in range(top, 0, -100_000):
        n = np.arange(max(1, high - 99_999), high + 1)
        if (short := n[chance_to_refute(true, claimed, n, level) < power]).size:
            return int(short[-1]) + 1
    return 1


def chance_to_refute(true_rate: float, claimed_rate: float, guesses, level: float):
    """Pr[p-value < level] for error rates 1 / (1 + e^epsilon), for one or many numbers of guesses."""
    too_many = stats.binom.ppf(level, guesses, claimed_rate)      # errors: the fewest that do not refute
    return stats.binom.cdf(too_many - 1, guesses, true_rate)


def divergence(x: float, rate: float) -> float:
    """Kullback-Leibler divergence of a coin with probability x from one with probability ``rate``."""
    return float(special.rel_entr(x, rate) + special.rel_entr(1 - x, 1 - rate))


def odds_bound(right: float, wrong: float) -> float:
    """ln(right / wrong), or 0 where that bounds nothing."""
    return math.log(right / wrong) if right > wrong else 0.0


def check_tally(correct: int, guesses: int, total: int, name: str) -> None:
    check_count(total, name), check_count(guesses, "guesses", high=total)
    check_count(correct, "correct", high=guesses)


def check_guesses(guess: Tensor, runs: int) -> Tensor:
    if check_tensor(guess, "what rule returns").shape != (runs,):
        raise ValueError(f"rule must return one guess per run, shape [{runs}], got {list(guess.shape)}")
    if (odd := guess[(guess != 0) & (guess != 1) & (guess != -1)]).numel():
        raise ValueError(f"rule must return 0, 1 or -1 (abstain), got {odd[0].item()!r}")
    return guess


def check_scores(scores: Tensor, coins: Tensor) -> None:
    if check_tensor(scores, "scores").dim() != 1 or scores.shape != check_tensor(coins, "coins").shape:
        raise ValueError("scores and coins must have the same shape [m], "
                         f"got {list(scores.shape)} and {list(coins.shape)}")
    if scores.isnan().any():
        raise ValueError(f"scores must be numbers, got {int(scores.isnan().sum())} NaN")
    if (odd := coins[(coins != 0) & (coins != 1)]).numel():
        raise ValueError(f"coins must be 0 or 1, got {odd[0].item()!r}")
