"""What students do not see: inputs, right answers, and what comes out under misunderstandings."""

import math

from scipy.optimize import minimize_scalar

from privbook.classroom import Part, drawn
from privgraph.privacy import FinitePair, classic_conversion, exact_delta, improved_conversion, pure_pair

UNEVEN = [[0.3, "all"], [0.7, "a"], [0.4, "b"], [0.4, "b"], [0.1, "all"], [0.2, "c"]]  # the largest release is not in
NO_SHARED = [[0.2, "a"], [0.5, "b"], [0.4, "a"]]  # the ward that pays most
SKEWED = ([0.9, 0.05, 0.05], [0.5, 0.1, 0.4])
LOUD = [[2.0, 1.0], [3.0, 1.5], [1.0, 0.25]]  # the best order is not whole


def total(_, releases):
    patients = {who for _, who in releases} | {"elsewhere"}
    return max(math.fsum(epsilon for epsilon, who in releases if who in ("all", ward)) for ward in patients)


def wards(releases):
    return {who for _, who in releases} - {"all"}


def within(releases, who):
    return [epsilon for epsilon, read in releases if read == who]


def one_way(_, p, q, order):
    if any(a > 0 and b == 0 for a, b in zip(p, q, strict=True)):
        return math.inf
    return math.log(sum(a**order * b ** (1 - order) for a, b in zip(p, q, strict=True) if a > 0)) / (order - 1)


def best(c, delta, conversion=classic_conversion):
    """Of all orders, by search; ``c`` is the divergence divided by the order."""
    spent = minimize_scalar(lambda log: conversion((1 + math.exp(log)) * c, 1 + math.exp(log), delta),
                            bounds=(-10, 12), method="bounded", options={"xatol": 1e-9})
    return float(spent.fun)


def half_squares(sums):
    return sum((change / sigma) ** 2 / 2 for change, sigma in sums)


def amplified(epsilon, rate):
    return math.log1p(rate * math.expm1(epsilon))


def year(given, fresh=None, one=None):
    epsilon, rate, count = given["epsilon_0"], given["rate"], given["questions"]
    return {"fresh": fresh(epsilon, rate, count) if fresh else count * amplified(epsilon, rate),
            "one": one(epsilon, rate, count) if one else amplified(count * epsilon, rate)}


def tail(_, epsilon_0, count, epsilon):
    """The chance of a loss above epsilon."""
    keep = 1 / (1 + math.exp(-epsilon_0))
    return sum(math.comb(count, true) * keep**true * (1 - keep) ** (count - true)
               for true in range(count + 1) if (2 * true - count) * epsilon_0 > epsilon)


def own_pair(coins):
    (a, b), (c, d) = (coins.sample(range(1, 7), 2) for _ in range(2))
    return [a / 14, b / 14, (14 - a - b) / 14], [c / 14, d / 14, (14 - c - d) / 14], 2.5


PARTS = {
    "total": Part(
        "total", total, lambda given: [(given["releases"],), (UNEVEN,), (NO_SHARED,), ([[0.3, "all"], [0.3, "all"]],)],
        {"All releases are added up, as if every patient lay in every ward. No patient's data are read by the releases "
         "of two wards.": lambda _, releases: math.fsum(epsilon for epsilon, _ in releases),
         "Only the largest release counts here. Releases that read the same patient's data add up.":
            lambda _, releases: max(epsilon for epsilon, _ in releases),
         "Within a ward only its largest release counts here. All releases of one ward read the same patients, and add "
         "up.": lambda _, releases: sum(within(releases, "all")) + max(
             [max(within(releases, ward)) for ward in wards(releases)], default=0),
         "Releases of all patients and those of a ward are treated as if they read different people. A patient of the "
         "ward is in both.": lambda _, releases: max(
             [sum(within(releases, "all"))] + [sum(within(releases, ward)) for ward in wards(releases)]),
         "Here each patient pays the mean of the wards. It must hold for *every* patient, so the worst ward counts.":
            lambda _, releases: sum(within(releases, "all")) + sum(
                sum(within(releases, ward)) for ward in wards(releases)) / max(1, len(wards(releases)))}),
    "renyi": Part(
        "renyi", lambda _, p, q, order: FinitePair(tuple(p), tuple(q)).rdp(order),
        lambda given: [(*SKEWED, 2), (*SKEWED[::-1], 2), (*SKEWED, 8), ([0.7, 0.2, 0.1], [0.6, 0.1, 0.3], 1.5),
                       ([0.5, 0.5, 0.0], [0.4, 0.6, 0.0], 3), ([0.0, 0.5, 0.5], [0.2, 0.4, 0.4], 3),
                       own_pair(drawn(given))],
        {"Only one of the two directions is computed. Either of the neighbours may be the first, and the larger value "
         "counts.": one_way,
         "Only one of the two directions is computed, the second neighbour against the first. The larger value of both "
         "counts.": lambda _, p, q, order: one_way(_, q, p, order),
         "An outcome that one neighbour cannot give was left out of the sum. It tells the two apart with certainty.":
            lambda _, p, q, order: max(one_way(_, *zip(*[(a, b) for a, b in zip(x, y, strict=True) if a * b > 0],
                                                       strict=True), order) for x, y in ((p, q), (q, p))),
         "The logarithm is not divided by the order minus 1.":
            lambda _, p, q, order: (order - 1) * FinitePair(tuple(p), tuple(q)).rdp(order),
         "This is the worst loss, the limit of very large orders; it does not depend on the order that was asked for.":
            lambda _, p, q, order: FinitePair(tuple(p), tuple(q)).epsilon,
         "This is the sum; the divergence is its logarithm divided by the order minus 1.":
            lambda _, p, q, order: math.exp((order - 1) * FinitePair(tuple(p), tuple(q)).rdp(order))}),
    "gauss": Part(
        "gauss", lambda _, sums, delta: best(half_squares(sums), delta),
        lambda given: [(given["sums"], given["delta"]), (LOUD, 1e-5), ([[1.0, 2.0], [2.0, 1.0]], 1e-2)],
        {"Each sum was converted by itself, and the results were added. That is basic composition with an order for "
         "each sum, and spends delta once for each of them. Add up at each order first.":
            lambda _, sums, delta: sum(best(half_squares([one]), delta) for one in sums),
         "Only whole orders were tried. Every real order above 1 is allowed.":
            lambda _, sums, delta: min(classic_conversion(order * half_squares(sums), order, delta)
                                       for order in range(2, 2000)),
         "The sensitivity and sigma enter squared: twice the noise makes a quarter of the divergence.":
            lambda _, sums, delta: best(sum(change / sigma / 2 for change, sigma in sums), delta),
         "Only the costliest sum counts here. All sums are about the same patients, so their divergences add up.":
            lambda _, sums, delta: best(max(half_squares([one]) for one in sums), delta),
         "The sensitivity is forgotten: it is not 1.":
            lambda _, sums, delta: best(half_squares([[1.0, sigma] for _, sigma in sums]), delta),
         "The 2 of the formula's denominator is forgotten.":
            lambda _, sums, delta: best(2 * half_squares(sums), delta),
         "The classic conversion adds ln(1/delta)/(order - 1); here delta itself, or nothing, is added.":
            lambda _, sums, delta: half_squares(sums),
         "This is the improved conversion: a true bound, and a smaller one. The classic one is asked for.":
            lambda _, sums, delta: best(half_squares(sums), delta, improved_conversion)},
        tolerance=1e-3),
    "sampled": Part(
        "sampled", lambda _, scale, rate: [amplified(1 / scale, rate), amplified(2 / scale, rate)],
        lambda given: [(3.0, given["rate"]), (1.0, 2 / 3), (0.5, 0.1), (4.0, 1.0)],
        {"The sample of fixed size is accounted as if it were a Poisson sample. Where a value is *replaced*, the sum "
         "moves from one end of the range to the other.":
            lambda _, scale, rate: [amplified(1 / scale, rate)] * 2,
         "Both have a sensitivity of 2 here. A patient who is added or removed moves the sum by her own value only.":
            lambda _, scale, rate: [amplified(2 / scale, rate)] * 2,
         "The two relations are exchanged: a *replaced* value moves the sum further than one that is added or removed.":
            lambda _, scale, rate: [amplified(2 / scale, rate), amplified(1 / scale, rate)],
         "These are the epsilons without any sample.": lambda _, scale, rate: [1 / scale, 2 / scale],
         "Epsilon is multiplied by the rate. That is about right for small epsilon, but it is less than what holds: "
         "the rate belongs before the e to the epsilon minus 1.":
            lambda _, scale, rate: [rate / scale, 2 * rate / scale],
         "Replacing is counted as two patients *after* sampling: twice the Poisson figure. The theorem for a fixed "
         "size starts from what the noisy sum without sampling costs when a value is replaced.":
            lambda _, scale, rate: [amplified(1 / scale, rate), 2 * amplified(1 / scale, rate)],
         "The noise has scale 1/epsilon, not epsilon: more noise, less loss.":
            lambda _, scale, rate: [amplified(scale, rate), amplified(2 * scale, rate)]}),
    "year": Part(
        "year", year, wrong={
            "The two are exchanged, or one sample is taken for as good as fresh ones: who is drawn once is drawn for "
            "all questions.": lambda given: dict(zip(("one", "fresh"), year(given).values(), strict=True)),
            "One sample for all questions is accounted like fresh ones. It is amplified once, for all questions "
            "together.":
                lambda given: year(given, one=lambda epsilon, rate, count: count * amplified(epsilon, rate)),
            "With fresh samples each question is amplified by itself, and then they are added up; here the sum is "
            "amplified.":
               lambda given: year(given, fresh=lambda epsilon, rate, count: amplified(count * epsilon, rate)),
            "Epsilon is multiplied by the rate. For fresh samples this is a little less than what holds, for one "
            "sample far less.": lambda given: year(given, *[lambda epsilon, rate, count: count * rate * epsilon] * 2),
            "Epsilon is multiplied by the rate for the fresh samples; that is a little less than what holds.":
                lambda given: year(given, lambda epsilon, rate, count: count * rate * epsilon),
            "The questions are not added up: this is what one of them costs.":
                lambda given: year(given, *[lambda epsilon, rate, count: amplified(epsilon, rate)] * 2),
            "With one sample nothing is saved here. Sampling still saves a constant, about the logarithm of 1/rate.":
                lambda given: year(given, one=lambda epsilon, rate, count: count * epsilon)}),
    "exact": Part(
        "exact", lambda _, epsilon_0, count, epsilon: exact_delta(pure_pair(epsilon_0), count, epsilon),
        lambda given: [(given["epsilon_0"], 10, 0.5), (0.1, 100, 1.0), (1.0, 3, 1.5), (0.4, 7, 0.0)],
        {"This is the chance of a loss above epsilon. It is a delta that holds, but not the smallest: what e to the "
         "epsilon times the neighbour's chance covers must be taken off.": tail,
         "This is the delta of one question, not of all together.":
            lambda _, epsilon_0, count, epsilon: exact_delta(pure_pair(epsilon_0), 1, epsilon),
         "Epsilon was divided among the questions, and their deltas were added. That holds, but it is not the "
         "smallest: add up the losses, not the deltas.":
            lambda _, epsilon_0, count, epsilon: count * exact_delta(pure_pair(epsilon_0), 1, epsilon / count),
         "Epsilon stands where e to the epsilon should: the neighbour's chance is not multiplied by the right factor.":
            lambda _, epsilon_0, count, epsilon: shifted(epsilon_0, count, epsilon),
         "The neighbour's chance is subtracted without the factor e to the epsilon: this is the delta at epsilon 0.":
            lambda _, epsilon_0, count, epsilon: exact_delta(pure_pair(epsilon_0), count, 0.0),
         "Outcomes that are more likely from the neighbour are counted as negative. Each outcome counts at least 0.":
            lambda _, epsilon_0, count, epsilon: 1 - math.exp(epsilon),
         "The worst loss, of a survey in which every coin falls against her, is taken as if it were certain. Each "
         "number of true answers has its chance.":
            lambda _, epsilon_0, count, epsilon: max(0.0, 1 - math.exp(epsilon - count * epsilon_0))},
        tolerance=1e-7),
}


def shifted(epsilon_0, count, epsilon):
    """With epsilon as the factor."""
    keep = 1 / (1 + math.exp(-epsilon_0))
    return sum(math.comb(count, true) * max(0.0, keep**true * (1 - keep) ** (count - true)
                                            - epsilon * (1 - keep) ** true * keep ** (count - true))
               for true in range(count + 1))


RUBRIC = {"study": [
    (1, "the sample is published: the list shows who is a patient, and who is on it has no amplification (25, not "
        "3.2)"),
    (1, "one sample serves all questions: it would be amplified once, for their sum (saves about ln 10), not per "
        "question"),
    (1, "a fixed size is no Poisson sample: the formula holds for coins of one's own under add/remove; another "
        "theorem, for replaced values, is needed"),
    (1, "a plan for which 3.2 is right: a coin of 0.1 for each patient, anew for each question, kept secret"),
]}
