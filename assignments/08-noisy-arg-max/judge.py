"""What students do not see: inputs, right answers, and what comes out under misunderstandings."""

import math

import torch
from scipy.optimize import brentq

from privbook.classroom import Draws, Part, drawn
from privgraph.mechanisms import NoisyArgMax
from privgraph.privacy import advanced_composition
from privgraph.randomness import seeded

DRAWS = 8_000
SURE = [1.0] + [0.0] * 19  # where the two kinds of noise differ most


def vector_loss(_, one, other, lam):
    return lam * float((torch.as_tensor(one) - torch.as_tensor(other)).abs().sum())


def other_distance(order):
    def found(_, one, other, lam):
        return lam * float((torch.as_tensor(one) - torch.as_tensor(other)).norm(p=order))
    return found


def law(_, scores, lam, noise, __):
    return NoisyArgMax(1 / lam, scores.size(1), noise).distribution([round(p, 6) for p in scores[0].tolist()])


def other_noise(noise):
    return {"laplace": "gumbel", "gumbel": "laplace"}[noise]


def win(_, c, lam, noise):
    return NoisyArgMax(1 / lam, c, noise).win


def duels(_, c, lam, noise):
    return win(None, 2, lam, noise) ** (c - 1)


def label_loss(_, c, lam, noise):
    return NoisyArgMax(1 / lam, c, noise).epsilon


def against_all(_, c, lam, noise):
    right = win(None, c, lam, noise)
    return math.log(right / (1 - right))


def sampled(epsilon, rate):
    return math.log1p(rate * math.expm1(epsilon))


def budget(_, queries, lam, rate, delta):
    return advanced_composition(sampled(lam, rate), queries, delta)


def basic(_, queries, lam, rate, delta):
    return queries * sampled(lam, rate)


def not_sampled(_, queries, lam, rate, delta):
    return advanced_composition(lam, queries, delta)


def one_label(_, queries, lam, rate, delta):
    return sampled(lam, rate)


def one_sample(_, queries, lam, rate, delta):
    return sampled(advanced_composition(lam, queries, delta), rate)


def scaled(_, queries, lam, rate, delta):
    return advanced_composition(rate * lam, queries, delta)


def twice(_, queries, lam, rate, delta):
    return budget(None, queries, 2 * lam, rate, delta)


def afford(given, budget=budget, right=None):
    queries, rate, delta, c = (given[name] for name in ("queries", "rate", "delta", "c"))
    lam = brentq(lambda lam: budget(None, queries, lam, rate, delta) - given["target"], 1e-9, 60, xtol=1e-13)
    return {"lambda": lam, "right": win(None, c, lam, "gumbel") if right is None else right(c, lam)}


PARTS = {
    "vector_loss": Part(
        "vector_loss", vector_loss,
        lambda given: [(given["one"].tolist(), given["other"].tolist(), given["lam"]),
                       ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0], 0.4), ([0.2, 0.3, 0.5], [0.6, 0.1, 0.3], 1.5)],
        {"That a posterior sums to 1 does not bound the distance of two: one may be (1, 0) and the other (0, 1).":
            lambda _, one, other, lam: lam,
         "Two posteriors are up to 2 apart, but these may be nearer: the loss of a pair is asked for, not the worst.":
            lambda _, one, other, lam: 2 * lam,
         "Only the entry that changes most is counted. Every entry is published, and their losses add up.":
            other_distance(math.inf),
         "This is the Euclidean distance, which is for Gaussian noise; independent Laplace noises add up |p - q|.":
            other_distance(2),
         "The noise has scale 1/lambda, so a distance is *multiplied* by lambda.":
            lambda _, one, other, lam: vector_loss(_, one, other, 1 / lam)},
        tolerance=1e-5),
    "label": Draws(
        "label", law,
        lambda given: [(torch.tensor([scores] * DRAWS), lam, noise, seeded(seed)) for seed, (scores, lam, noise) in
                       enumerate([(SURE, 3.0, "laplace"), (SURE, 3.0, "gumbel"), ([0.1, 0.2, 0.7, 0.0], 4.0, "gumbel"),
                                  ([0.8, 0.2], 3.0, "laplace"),
                                  ([0.6, 0.4], drawn(given).randrange(100, 500) / 100, "gumbel")])],
        {"The noise has scale 1/lambda: a large lambda is little noise. Here it has scale lambda.":
            lambda _, scores, lam, noise, generator: law(_, scores, 1 / lam, noise, generator),
         "All classes get the same noise here, so that it changes nothing: each needs noise of its own.":
            lambda _, scores, lam, noise, generator: {int(scores[0].argmax()): 1.0},
         "The two kinds of noise are exchanged.":
            lambda _, scores, lam, noise, generator: law(_, scores, lam, other_noise(noise), generator),
         "Both kinds of noise are Laplace noise here.":
            lambda _, scores, lam, noise, generator: law(_, scores, lam, "laplace", generator),
         "The label is drawn by the posterior itself; the noise is what makes it private.":
            lambda _, scores, lam, noise, generator: dict(enumerate(scores[0].tolist()))}),
    "win": Part(
        "win", win,
        lambda given: [(given["c"], given["lam"], noise) for noise in ("laplace", "gumbel")]
        + [(2, 0.5, "laplace"), (10, 1.0, "laplace"), (5, 3.0, "gumbel"), (3, 2.0, "laplace")],
        {"This is the formula for Gumbel noise; with Laplace noise the chance is another.":
            lambda _, c, lam, noise: win(None, c, lam, "gumbel"),
         "The c - 1 duels are multiplied as if they were independent. They are not: the winner has the same noise in "
         "all of them.": duels,
         "This is right for two classes only.": lambda _, c, lam, noise: win(None, 2, lam, noise),
         "The noise has scale 1/lambda: in units of it the right class is ahead by lambda, not by 1/lambda.":
            lambda _, c, lam, noise: win(None, c, 1 / lam, noise)},
        tolerance=1e-4),
    "label_loss": Part(
        "label_loss", label_loss,
        lambda given: [(given["c"], given["lam"], noise) for noise in ("laplace", "gumbel")]
        + [(10, 0.2, "laplace"), (3, 0.2, "laplace"), (5, 1.0, "gumbel"), (4, 4.0, "laplace")],
        {"This takes the sensitivity of a posterior for 1. With Laplace noise a label does not cost lambda, and from "
         "three classes on it can cost more.": lambda _, c, lam, noise: lam,
         "That is what all noisy numbers together cost. A label alone tells less.": lambda _, c, lam, noise: 2 * lam,
         "The chance of one class is compared with that of all others together; compare the *same* label under two "
         "teachers, one sure of it and one sure of another class.": against_all,
         "A sure teacher is compared with one who knows nothing. Two sure teachers who disagree are further apart.":
            lambda _, c, lam, noise: math.log(c * win(None, c, lam, noise))},
        tolerance=1e-3),
    "budget": Part(
        "budget", budget,
        lambda given: [(given["queries"], given["lam"], given["rate"], given["delta"]),
                       (1000, 0.1, 0.3, 1e-4), (2, 1.0, 0.2, 1e-6), (50, 2.0, 0.01, 1e-5)],
        {"This is one label's budget: that of all labels together grows with their number.": one_label,
         "The samples are forgotten: a person is not in most of them, and that makes each label cheaper.": not_sampled,
         "This is basic composition alone; for many labels advanced composition is smaller.": basic,
         "All labels are composed first and sampled once. That is one sample for all of them; here each has its own.":
            one_sample,
         "Sampling multiplies e^epsilon - 1 by the rate, and not epsilon itself: that would be too little.": scaled,
         "This takes 2 lambda for a label. That is what all noisy numbers cost; a label with Gumbel noise costs less.":
            twice}),
    "afford": Part(
        "afford", afford, wrong={
            "The labels are planned as if there were no samples: with them a larger lambda can be afforded.":
                lambda given: afford(given, not_sampled),
            "With advanced composition a larger lambda can be afforded.": lambda given: afford(given, basic),
            "The whole budget is spent on each single label: composition is forgotten.":
                lambda given: afford(given, one_label),
            "Lambda is right. But a guess among c classes is right with chance 1/c, and two classes are not c.":
                lambda given: afford(given, right=lambda c, lam: win(None, 2, lam, "gumbel")),
            "Lambda is right, but the chance is that of Laplace noise.":
                lambda given: afford(given, right=lambda c, lam: win(None, c, lam, "laplace"))},
        tolerance=2e-5),
}
RUBRIC = {"plan": [
    (1, "two posteriors are up to 2 apart: all noisy numbers cost 2 lambda, the label ln(win/lose) with Laplace noise "
        "(may be above lambda), exactly lambda with Gumbel noise; with the student's numbers"),
    (1, "one sample for all: she is drawn for all labels or none, so compose first, then sample once; saves about "
        "ln(1/rate) in all instead of a factor for each label"),
    (1, "conditions: a secret coin of her own for each person and query (Poisson; fixed size is another theorem), "
        "fresh noise, queries that do not depend on private data, add/remove of a node"),
    (1, "more queries at the same budget mean a smaller lambda and labels nearer to a guess: the ceiling, in numbers"),
]}
