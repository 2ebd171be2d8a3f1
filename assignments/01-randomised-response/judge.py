"""What students do not see: inputs, right answers, and what comes out under misunderstandings."""

import math

import torch

from privbook.classroom import Draws, Part, drawn
from privgraph.randomness import seeded

DRAWS = 20_000


def keep(_, epsilon, k):
    return math.exp(epsilon) / (math.exp(epsilon) + k - 1)


def shares(_, reports, epsilon, k, p=None, q=None):
    p = keep(None, epsilon, k) if p is None else p
    q = (1 - p) / (k - 1) if q is None else q
    return ((torch.bincount(reports, minlength=k) / len(reports) - q) / (p - q)).tolist()


def law(_, answers, epsilon, k, __, p=None, q=None):
    """Of the report of people who all have the same answer."""
    p = keep(None, epsilon, k) if p is None else p
    q = (1 - p) / (k - 1) if q is None else q
    return {told: p if told == int(answers[0]) else q for told in range(k)}


def error(given, over_people=False, with_truth=True):
    epsilon, k, people = given["epsilon"], given["k"], given["people"]
    p = keep(None, epsilon, k)
    q = (1 - p) / (k - 1)
    share = shares(None, given["reports"], epsilon, k)[0]
    if over_people:  # a report of somebody drawn at random is one coin
        told = share * p + (1 - share) * q
        return math.sqrt(told * (1 - told) / people) / (p - q)
    variance = share * p * (1 - p) + (1 - share) * q * (1 - q)
    return math.sqrt(variance / people) / (p - q if with_truth else 1)


def uniform(_, answers, epsilon, k, generator):
    """A lie that may be the truth."""
    p = keep(None, epsilon, k)
    return law(None, answers, epsilon, k, generator, p + (1 - p) / k, (1 - p) / k)


def survey(seed, counts, epsilon):
    """Reports of ``counts`` people each, and what goes with them."""
    reports = torch.repeat_interleave(torch.arange(len(counts)), torch.tensor(counts))
    return (reports[torch.randperm(len(reports), generator=seeded(seed))], epsilon, len(counts))


PARTS = {
    "keep": Part(
        "keep", keep, lambda given: [(given["epsilon"], given["k"]), (1.0, 2), (0.1, 10), (3.0, 5)],
        {"This is right for two answers only: with k answers the lies are spread over k - 1 of them.":
            lambda _, epsilon, k: math.exp(epsilon) / (math.exp(epsilon) + 1),
         "This is the chance of *not drawing at random*, if a random answer may be the truth again; here a lie is "
         "never the truth, so that `keep` is the whole chance of the truth.":
            lambda _, epsilon, k: (math.exp(epsilon) - 1) / (math.exp(epsilon) - 1 + k),
         "The ratio of truth and one lie must be e to the epsilon; here it is e to the epsilon for the truth and *all* "
         "lies together, or powers of 2 stand where powers of e should.":
            lambda _, epsilon, k: 2**epsilon / (2**epsilon + k - 1)}),
    "respond": Draws(
        "respond", law, lambda given: [
            (torch.full((DRAWS,), answer), epsilon, k, seeded(seed))
            for seed, (answer, epsilon, k) in enumerate([(0, 1.0, 2), (2, 0.7, 4), (1, 2.0, 3),
                                                         (1, drawn(given).randrange(50, 200) / 100, 3)])],
        {"A lie may be the truth here: those who do not keep their answer must take one of the k - 1 *other* ones.":
            uniform,
         "The chance of the truth is that of two answers.":
            lambda _, answers, epsilon, k, coins: law(_, answers, epsilon, k, coins, keep(_, epsilon, 2)),
         "Everybody tells the truth: there is no privacy.":
            lambda _, answers, epsilon, k, generator: law(_, answers, epsilon, k, generator, 1.0)}),
    "loss": Part(
        "loss", lambda _, p, k: abs(math.log(p * (k - 1) / (1 - p))),
        lambda given: [(0.6, given["k"]), (0.9, 2), (0.1, 5), (0.05, 3)],
        {"A loss is never negative: where the truth is told less often than a lie, it is the *lie* that gives away.":
            lambda _, p, k: math.log(p * (k - 1) / (1 - p)),
         "The truth is compared with all lies together; compare it with *one* lie, which has the chance "
         "(1 - p)/(k - 1).":
            lambda _, p, k: abs(math.log(p / (1 - p)))}),
    "estimate": Part(
        "estimate", shares, lambda given: [(given["reports"], given["epsilon"], given["k"]),
                                           survey(1, [50, 30, 20], 1.0), survey(2, [0, 0, 10, 90], 0.3)],
        {"These are the shares of the *reports*: biased towards equal shares, as lies are counted as truths.":
            lambda _, reports, epsilon, k: (torch.bincount(reports, minlength=k) / len(reports)).tolist(),
         "An estimate that is cut off at 0 and 1 is biased: where a share is near 0, only errors upwards are left.":
            lambda _, reports, epsilon, k: torch.tensor(shares(_, reports, epsilon, k)).clamp(0, 1).tolist(),
         "The lies are subtracted, but what is left is not divided by p - q.":
            lambda _, reports, epsilon, k: (torch.bincount(reports, minlength=k) / len(reports)
                                            - (1 - keep(None, epsilon, k)) / (k - 1)).tolist(),
         "A share of lies of (1 - p)/k is subtracted; a lie is one of k - 1 answers.":
            lambda _, reports, epsilon, k: shares(_, reports, epsilon, k, q=(1 - keep(None, epsilon, k)) / k)},
        tolerance=1e-4),
    "error": Part(
        "error", error, wrong={
            "This is the error for people *drawn at random*; here their answers are fixed and only the coins vary.":
                lambda given: error(given, over_people=True),
            "This is the error of the share of reports; the estimate divides by p - q, and so must its error.":
                lambda given: error(given, with_truth=False),
            "This is the variance; its square root is asked for.": lambda given: error(given)**2},
        tolerance=1e-4),
}
RUBRIC = {"repeat": [
    (1, "who reads all reports takes the most frequent answer; lies average out"),
    (1, "the year's total is about 52 epsilon (or a tighter accountant's figure with a delta), not epsilon"),
    (1, "names the mistake: a promise for one report says nothing about all together"),
    (1, "a remedy that works: one report drawn once and repeated, a divided budget, other people each week"),
]}
