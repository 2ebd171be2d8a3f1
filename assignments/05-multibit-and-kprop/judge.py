"""What students do not see: inputs, right answers, and what comes out under misunderstandings."""

import math
from collections import Counter
from itertools import combinations, product

import torch

from privbook.classroom import Draws, Part
from privgraph import graph
from privgraph.mechanisms import MultiBit
from privgraph.mechanisms.multibit import EPSILON_PER_BIT, optimal_sampling
from privgraph.randomness import seeded

DRAWS = 12_000
STAR = torch.tensor([[0, 0, 0, 1, 2, 3, 3, 4], [1, 2, 3, 0, 0, 0, 4, 3]])  # and person 5, who has no friends
VALUES = torch.tensor([[1.0, -2.0], [0.5, 4.0], [3.0, 0.0], [-1.0, 2.0], [2.0, 1.0], [5.0, 5.0]])


def bit(share, budget):
    """The chance of +1, for a feature that far between the bounds."""
    return (1 + share * math.expm1(budget)) / (1 + math.exp(budget))


def law(_, x, epsilon, m, low, high, generator, sets=None, chance=bit, each=None):
    """Of the report of people who all have the same features.

    :param sets: set of places -> its chance; by default all of m places alike.
    :param chance: of a bit +1, from the share and the bit's budget.
    :param each: a bit's budget.
    """
    row = [(value - low) / (high - low) for value in x[0].tolist()]
    every = list(combinations(range(len(row)), m))
    table = Counter()
    for places, weight in (sets or dict.fromkeys(every, 1 / len(every))).items():
        for signs in product((1, -1), repeat=len(places)):
            told, probability = [0] * len(row), weight
            for place, sign in zip(places, signs, strict=True):
                up = chance(row[place], epsilon / m if each is None else each)
                told[place], probability = sign, probability * (up if sign == 1 else 1 - up)
            table[tuple(told)] += probability
    return dict(table)


def by_library(_, x, epsilon, m, low, high, generator):
    return MultiBit(epsilon, x.shape[1], low=low, high=high, sampled=m).distribution(x[0].tolist())


def replaced(d, m):
    """Places drawn one by one, the same one perhaps twice."""
    sets = Counter()
    for drawn in product(range(d), repeat=m):
        sets[tuple(sorted(set(drawn)))] += d**-m
    return sets


def by_coins(d, m):
    """A coin of m / d for each place."""
    return {places: (m / d) ** size * (1 - m / d) ** (d - size) for size in range(d + 1)
            for places in combinations(range(d), size)}


def crowd(*row):
    return torch.tensor([row]).repeat(DRAWS, 1)


def linear(reports, a, b):
    return (a * reports + b).tolist()


def parts_of(d, epsilon, m, low, high, bits=1.0):
    """a and b of the unbiased estimate; ``bits`` multiplies a bit's budget."""
    return d * (high - low) / (2 * m) / math.tanh(bits * epsilon / m / 2), (low + high) / 2


def estimate(_, reports, epsilon, m, low, high):
    return MultiBit(epsilon, reports.shape[1], low=low, high=high, sampled=m).estimate(reports)


def changed(scale=1.0, shift=0.0, bits=None, middle=None):
    """An estimate whose two numbers are others; each may be a function of (d, epsilon, m, low, high)."""
    def told(_, reports, *known):
        d = reports.shape[1]
        a, b = parts_of(d, *known, bits=bits(d, *known) if bits else 1.0)
        factor = scale(d, *known) if callable(scale) else scale
        return linear(reports, a * factor, middle(d, *known) if middle else b + shift)
    return told


def variance(_, x, d, m, epsilon, low, high):
    """From the law of a report, outcome by outcome."""
    a, b = parts_of(d, epsilon, m, low, high)
    table = MultiBit(epsilon, d, low=low, high=high, sampled=m).distribution([x] * d)
    mean = math.fsum(p * (a * told[0] + b) for told, p in table.items())
    return math.fsum(p * (a * told[0] + b - mean) ** 2 for told, p in table.items())


def second(d, m, epsilon, low, high, bits=1.0):
    """The mean of the square of a times the report."""
    return parts_of(d, epsilon, m, low, high, bits)[0] ** 2 * m / d


def from_middle(x, _, low, high):
    return (x - (low + high) / 2) ** 2


def best(_, d, epsilon):
    """By the library's variance."""
    spent = {m: float(MultiBit(epsilon, d, sampled=m).variance(torch.tensor(0.5))) for m in range(1, d + 1)}
    return min(spent, key=spent.get)


def dense(edge_index, n, power=0.5, self_loops=False):
    """The matrix of one step."""
    weights = torch.zeros(n, n, dtype=torch.float64)
    weights[edge_index[1], edge_index[0]] = 1.0
    weights = weights + torch.eye(n, dtype=torch.float64) * self_loops
    degree = weights.sum(1).clamp(min=1)
    return weights / (degree[:, None] * degree[None]) ** power


def kprop(_, edge_index, x, steps):
    return graph.propagate(graph.adjacency(edge_index, len(x)), x, steps)


def by_matrix(weights, x, steps):
    return (torch.linalg.matrix_power(weights, steps) @ x.double()).tolist()


def mean_matrix(edge_index, n):
    weights = dense(edge_index, n, power=0)
    return weights / weights.sum(1, keepdim=True).clamp(min=1)


def spread(given, weights=None, one=None, combine=lambda w: w.square().sum(1).sqrt()):
    """Standard deviations; ``weights`` of the whole averaging, ``one`` report's standard deviation."""
    if weights is None:
        weights = torch.linalg.matrix_power(dense(given["edge_index"], given["n"]), given["steps"])
    return ((one or deviation(given)) * combine(weights)).tolist()


def deviation(given):
    """Of one estimate, for a feature in the middle."""
    middle = (given["low"] + given["high"]) / 2
    return math.sqrt(variance(None, middle, *known(given, "d", "m", "epsilon", "low", "high")))


def known(given, *names):
    return [given[name] for name in names]


def own_graphs(given):
    told = estimate(None, given["reports"], *known(given, "epsilon", "m", "low", "high"))
    return [(given["edge_index"], told, given["steps"]), (STAR, VALUES, 1), (STAR, VALUES, 3)]


PARTS = {
    "encode": Draws(
        "encode", by_library, lambda given: [(crowd(-1.0, 0.2, 2.0), given["epsilon"], 2, -1.0, 2.0, seeded(1)),
                                             (crowd(0.0, 1.0), 1.5, 1, 0.0, 1.0, seeded(2)),
                                             (crowd(3.0, 7.0, 4.0), 6.0, 3, 3.0, 7.0, seeded(3))],
        {"Each bit gets the whole epsilon. A vector is reported in m bits, so each gets epsilon / m.":
            lambda _, x, epsilon, *rest: law(_, x, epsilon, *rest, each=epsilon),
         "The same place may be drawn twice, so that a person reports fewer than m features. Draw m *different* "
         "places.":
            lambda _, x, epsilon, m, *rest: law(_, x, epsilon, m, *rest, sets=replaced(x.shape[1], m)),
         "Each feature is sampled by a coin of its own, so the number of bits varies. Exactly m features are sampled.":
            lambda _, x, epsilon, m, *rest: law(_, x, epsilon, m, *rest, sets=by_coins(x.shape[1], m)),
         "The places are not random: always the first m features are reported.":
            lambda _, x, epsilon, m, *rest: law(_, x, epsilon, m, *rest, sets={tuple(range(m)): 1.0}),
         "Features are rounded to one of the bounds first. The chance of +1 grows in a straight line between them.":
            lambda _, *rest: law(_, *rest, chance=lambda share, budget: bit(float(share > 0.5), budget)),
         "The chance of +1 does not depend on the bounds as it should: the feature is taken as if it lay between 0 and "
         "1.": lambda _, x, epsilon, m, low, high, generator: law(
             _, x, epsilon, m, low, high, generator,
             chance=lambda share, budget: min(1.0, max(0.0, bit(low + share * (high - low), budget)))),
         "+1 and -1 are exchanged: the higher the feature, the *more* often +1.":
            lambda _, *rest: law(_, *rest, chance=lambda share, budget: 1 - bit(share, budget)),
         "There is no noise: a bit is +1 with a chance of 1 for *high* and 0 for *low*.":
            lambda _, *rest: law(_, *rest, chance=lambda share, budget: share)}),
    "estimate": Part(
        "estimate", estimate, lambda given: [(given["reports"], *known(given, "epsilon", "m", "low", "high")),
                                             (torch.tensor([[1, 0, -1, 0], [0, -1, 0, 1]]), 3.0, 2, -1.0, 5.0),
                                             (torch.tensor([[0, 0, 1]]), 0.5, 1, 2.0, 3.0)],
        {"What is left out counts as 0 or as low here: the estimate's middle is that of the range, and so is b.":
            changed(middle=lambda d, *known: 0.0),
         "What is left out counts as *low* here. A report of 0 says nothing, and stands for the middle of the range.":
            changed(middle=lambda d, epsilon, m, low, high: low),
         "The middle of the range is taken as 1/2. That is right for features between 0 and 1 only.":
            changed(middle=lambda *known: 0.5),
         "A feature is sampled in m of d cases only. Without the factor d/m the estimate is biased towards the middle.":
            changed(scale=lambda d, epsilon, m, low, high: m / d),
         "The factor is m/d, and should be d/m: a feature that is seldom sampled counts the more when it is.":
            changed(scale=lambda d, epsilon, m, low, high: (m / d) ** 2),
         "The coin is computed from the whole epsilon. Each bit has epsilon / m only.":
            changed(bits=lambda d, epsilon, m, low, high: m),
         "The coins are forgotten: a bit that lies now and then must be stretched.":
            lambda _, reports, epsilon, m, low, high: linear(reports, reports.shape[1] * (high - low) / (2 * m),
                                                             (low + high) / 2),
         "The range is forgotten: between low and high there is more (or less) room than between 0 and 1.":
            changed(scale=lambda d, epsilon, m, low, high: 1 / (high - low)),
         "From the middle to a bound is *half* the range. Here the estimate moves by twice as much.":
            changed(scale=2.0),
         "An estimate that is cut off at the bounds is biased: errors in one direction are kept, the others are not.":
            lambda _, reports, epsilon, m, low, high: estimate(_, reports, epsilon, m, low, high).clamp(low, high)},
        tolerance=1e-4),
    "variance": Part(
        "variance", variance, lambda given: [(given["low"], *known(given, "d", "m", "epsilon", "low", "high")),
                                             (0.3, 3, 2, 2.0, 0.0, 1.0), (1.0, 4, 3, 5.0, -1.0, 1.0),
                                             (4.0, 2, 1, 0.5, 3.0, 7.0)],
        {"This is the mean of the square of the noisy part. A variance is that minus the square of the mean.":
            lambda _, x, *known: second(*known),
         "The square of the mean that is taken off is not that of x, but of its distance from the middle of the range.":
            lambda _, x, *known: second(*known) - x**2,
         "The bit is counted as if it were there every time. The feature is sampled in m of d cases only.":
            lambda _, x, d, m, *rest: second(d, m, *rest) * d / m - from_middle(x, *rest),
         "Only the coin is counted, for a feature that was sampled. That it may be left out is the larger part of the "
         "noise.": lambda _, x, d, m, *rest: second(d, m, *rest) * m / d - from_middle(x, *rest),
         "The coin is computed from the whole epsilon. Each bit has epsilon / m only.":
            lambda _, x, d, m, *rest: second(d, m, *rest, bits=m) - from_middle(x, *rest),
         "This is the formula for features between 0 and 1. The range enters squared, and its middle is another.":
            lambda _, x, d, m, epsilon, low, high: second(d, m, epsilon, 0.0, 1.0) - (x - 0.5) ** 2,
         "This is the standard deviation; the variance is its square.":
            lambda _, *known: math.sqrt(variance(_, *known))}, tolerance=1e-5),
    "best": Part(
        "best", best,
        lambda given: [(given["d"], given["epsilon"]), (20, 8.0), (20, 3.2), (6, 3.0), (3, 20.0), (5, 0.5)],
        {"This is LPGNN's rule, which rounds down. It is near the least variance, and not always there.":
            lambda _, d, epsilon: optimal_sampling(epsilon, d),
         "The rule of thumb is rounded to the nearest number. Compare the variances themselves.":
            lambda _, d, epsilon: max(1, min(d, round(epsilon / EPSILON_PER_BIT))),
         "The rule of thumb is rounded up. Compare the variances themselves.":
            lambda _, d, epsilon: max(1, min(d, math.ceil(epsilon / EPSILON_PER_BIT))),
         "There cannot be more sampled features than features.":
            lambda _, d, epsilon: best(_, d + 40, epsilon),
         "One bit is not always best: with a large epsilon several bits can be told well.": lambda _, d, epsilon: 1,
         "All features are sampled, as if the budget of a bit did not shrink.": lambda _, d, epsilon: d}),
    "kprop": Part(
        "kprop", kprop, own_graphs,
        {"Each person's own row is added. KProp has no self loops.":
            lambda _, edge_index, x, steps: by_matrix(dense(edge_index, len(x), self_loops=True), x, steps),
         "Each person's own row is added (and not counted in the degrees). KProp has no self loops.":
            lambda _, edge_index, x, steps: by_matrix(dense(edge_index, len(x)) + torch.eye(len(x)), x, steps),
         "This is the mean of the neighbours. The weights are 1 over the root of the product of *both* degrees.":
            lambda _, edge_index, x, steps: by_matrix(mean_matrix(edge_index, len(x)), x, steps),
         "This is the sum of the neighbours, without weights.":
            lambda _, edge_index, x, steps: by_matrix(dense(edge_index, len(x), power=0), x, steps),
         "The root is forgotten: the weights are 1 over the root of the product of both degrees.":
            lambda _, edge_index, x, steps: by_matrix(dense(edge_index, len(x), power=1), x, steps),
         "Only one step is made.": lambda _, edge_index, x, steps: kprop(_, edge_index, x, 1),
         "One step too many is made.": lambda _, edge_index, x, steps: kprop(_, edge_index, x, steps + 1),
         "The steps are added up. Each step takes what the last one made, and only the last one is returned.":
            lambda _, edge_index, x, steps: sum(torch.tensor(kprop(_, edge_index, x, k).tolist())
                                                for k in range(1, steps + 1))},
        tolerance=1e-4),
    "spread": Part(
        "spread", spread, wrong={
            "These are variances; standard deviations are asked for.":
                lambda given: [value**2 for value in spread(given)],
            "The standard deviations of independent reports were added up. Variances add, with squared weights.":
                lambda given: spread(given, combine=lambda w: w.sum(1)),
            "The squares of the weights of *one* step were propagated. Square the weights of all steps together: what "
            "arrives on two ways is the same report.": lambda given: spread(given, weights=torch.linalg.matrix_power(
                dense(given["edge_index"], given["n"]) ** 2, given["steps"]).sqrt()),
            "Only one step is counted.": lambda given: spread(
                given, weights=dense(given["edge_index"], given["n"])),
            "This divides by the root of the number of neighbours, as for a mean of one step. KProp's weights are "
            "others, and there are several steps.": lambda given: [
                deviation(given) / math.sqrt(d) for d in (dense(given["edge_index"], given["n"]) > 0).sum(1).tolist()],
            "The weights are squared and added up, but not multiplied with the noise of one estimate.":
                lambda given: spread(given, one=1.0),
            "The noise of one estimate is its variance here; the standard deviation is its square root.":
                lambda given: spread(given, one=deviation(given) ** 2)}, tolerance=1e-4),
}
RUBRIC = {"credit": [
    (1, "a null control is missing: the same pipeline on permuted or constant features, through the same mechanism"),
    (1, "graph, labels, splits, seeds, steps and training stay; paired differences; no difference: nothing measurable "
        "contributed"),
    (1, "a person pays 3 for her features, not 48: KProp is post-processing of her report"),
    (1, "edges: known to the server and used exactly; no finite epsilon holds for them"),
]}
