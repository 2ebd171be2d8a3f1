"""What students do not see: inputs, right answers, and what comes out under misunderstandings."""

import math
from itertools import combinations, product

import torch

from privbook.classroom import Draws, Part, drawn
from privgraph.audit import worst_case
from privgraph.mechanisms import GRRFS
from privgraph.randomness import seeded

DRAWS = 6_000


def response(epsilon, gamma):
    """The chances of a sampled feature: the truth, and one given other value."""
    return math.exp(epsilon) / (math.exp(epsilon) + gamma - 1), 1 / (math.exp(epsilon) + gamma - 1)


def chances(_, epsilon, gamma, d, m):
    return list(GRRFS(epsilon, (gamma,) * d, m).chances(0))


def only_sampled(_, epsilon, gamma, d, m):
    return list(response(epsilon, gamma))


def fakes_never_true(_, epsilon, gamma, d, m):
    keep, flip = response(epsilon, gamma)
    return [m / d * keep, m / d * flip + (1 - m / d) / (gamma - 1)]


def law(x, sizes, weights, truth_in_fakes=True):
    """The law of one report: a mixture over sets of sampled features with these weights, {set: weight}."""
    epsilon, found = weights[0], {}
    for told in product(*map(range, sizes)):
        total = 0.0
        for sampled, weight in weights[1].items():
            for i, size in enumerate(sizes):
                keep, flip = response(epsilon, size)
                if i in sampled:
                    weight *= keep if told[i] == x[i] else flip
                else:
                    weight *= 1 / size if truth_in_fakes else (told[i] != x[i]) / (size - 1)
            total += weight
        found[told] = total
    return found


def exactly(d, m):
    return {sampled: 1 / math.comb(d, m) for sampled in combinations(range(d), m)}


def by_coins(d, m):
    return {sampled: (m / d)**k * (1 - m / d)**(d - k)
            for k in range(d + 1) for sampled in combinations(range(d), k)}


def of_report(which, **how):
    def found(_, x, sizes, epsilon, m, __):
        return law(x[0].tolist(), sizes, (epsilon, which(len(sizes), m)), **how)
    return found


def shares(_, column, gamma, d, epsilon, m, of=chances):
    r, w = of(None, epsilon, gamma, d, m)
    return ((torch.bincount(column, minlength=gamma) / len(column) - w) / (r - w)).tolist()


def not_divided(_, column, gamma, d, epsilon, m):
    w = chances(None, epsilon, gamma, d, m)[1]
    return (torch.bincount(column, minlength=gamma) / len(column) - w).tolist()


def column(seed, counts):
    found = torch.repeat_interleave(torch.arange(len(counts)), torch.tensor(counts))
    return found[torch.randperm(len(found), generator=seeded(seed))]


def claimed(epsilon, d, m):
    return math.log(1 + m / d * (math.exp(m * epsilon) - 1))


def loss(_, one, other, gamma, epsilon, m):
    return worst_case(GRRFS(epsilon, (gamma,) * len(one), m), [tuple(one), tuple(other)]).epsilon


def differences(one, other):
    return sum(a != b for a, b in zip(one, other, strict=True))


def independent(_, one, other, gamma, epsilon, m):
    r, w = chances(None, epsilon, gamma, len(one), m)
    return differences(one, other) * math.log(r / w)


def verdict(given, claim=None, true=None):
    d, gamma, m, epsilon = (given[name] for name in ("d", "gamma", "m", "epsilon"))
    claim = claimed(epsilon, d, m) if claim is None else claim(epsilon, d, m)
    losses = [loss(None, [0] * d, [1] * h + [0] * (d - h), gamma, epsilon, m) for h in range(1, d + 1)]
    return {"claimed": claim, "true": m * epsilon if true is None else true(epsilon, d, m),
            "from": next(h for h, found in enumerate(losses, 1) if found > claim + 1e-9)}


def plan(_, budget, gamma, d, epsilon_of=lambda budget, m, d: budget / m, counts=None):
    def difference(m):
        keep, flip = response(epsilon_of(budget, m, d), gamma)
        return m / d * (keep - flip)
    best = max(counts(d) if counts else range(1, d + 1), key=difference)
    return [best, difference(best)]


PARTS = {
    "chances": Part(
        "chances", chances, lambda given: [(given["epsilon"], given["gamma"], given["d"], given["m"]),
                                           (1.0, 2, 58, 10), (0.5, 5, 4, 1), (2.0, 3, 7, 7)],
        {"These are the chances of a *sampled* feature; most of the time, or often, a feature is not sampled.":
            only_sampled,
         "A fake is drawn from all values, so it may be the truth by chance; here it never is.": fakes_never_true,
         "Only the sampled case is counted: an unsampled feature is reported too, as a fake, and adds to both chances.":
            lambda _, epsilon, gamma, d, m: [m / d * chance for chance in response(epsilon, gamma)],
         "The budget is divided by m here. In GRR-FS each sampled feature has the whole epsilon_x for itself.":
            lambda _, epsilon, gamma, d, m: chances(None, epsilon / m, gamma, d, m)}),
    "report": Draws(
        "report", of_report(exactly),
        lambda given: [(torch.tensor([x] * DRAWS), sizes, epsilon, m, seeded(seed))
                       for seed, (x, sizes, epsilon, m) in enumerate([
                           ([0, 0], [2, 2], 4.0, 1), ([1, 0, 2], [2, 2, 3], 1.5, 2), ([2, 1], [3, 3], 1.0, 2),
                           ([drawn(given).randrange(3), 1], [3, 2], drawn(given).randrange(50, 300) / 100, 1)])],
        {"Each feature is sampled by a coin of its own here; GRR-FS samples exactly m features.":
            of_report(by_coins),
         "Always the first m features are sampled; every choice of m features must be equally likely.":
            of_report(lambda d, m: {tuple(range(m)): 1.0}),
         "A fake is never the truth here; it must be uniform over all values and know nothing of her.":
            of_report(exactly, truth_in_fakes=False),
         "All features are reported by randomised response: there are no fakes.":
            of_report(lambda d, m: {tuple(range(d)): 1.0})}),
    "estimate": Part(
        "estimate", shares,
        lambda given: [(given["reports"][:, 0], given["gamma"], given["d"], given["epsilon"], given["m"]),
                       (column(1, [60, 40]), 2, 58, 1.0, 10), (column(2, [10, 0, 90]), 3, 5, 0.4, 2),
                       (column(3, [25, 35, 20, 20]), 4, 4, 1.5, 4)],
        {"These are the shares of the *reports*: biased towards equal shares, as lies and fakes are counted as truths.":
            lambda _, column, gamma, d, epsilon, m: (torch.bincount(column, minlength=gamma) / len(column)).tolist(),
         "The fakes are forgotten: this turns round randomised response alone, and is biased towards equal shares.":
            lambda *arguments: shares(*arguments, of=only_sampled),
         "An estimate that is cut off at 0 and 1 is biased: where a share is near 0, only errors upwards are left.":
            lambda *arguments: torch.tensor(shares(*arguments)).clamp(0, 1).tolist(),
         "What lies and fakes add is subtracted, but what is left is not divided by r - w.": not_divided,
         "A fake may be the truth by chance; here it is counted as if it never were.":
            lambda *arguments: shares(*arguments, of=fakes_never_true)},
        tolerance=1e-4),
    "loss": Part(
        "loss", loss,
        lambda given: [([0] * given["d"], [1] * h + [0] * (given["d"] - h), given["gamma"], given["epsilon"],
                        given["m"]) for h in (1, given["d"])]
        + [([0, 0, 0, 0], [1, 1, 1, 0], 2, 1.0, 2), ([0, 0, 0, 0], [0, 1, 1, 0], 2, 1.0, 2),
           ([0, 2, 1], [1, 2, 0], 3, 0.7, 1), ([3, 1, 0], [2, 1, 3], 4, 1.2, 2)],
        {"This is m times epsilon_x whatever the two vectors are. That is the worst case; vectors that differ in few "
         "features lose less, as most choices may miss the difference.":
            lambda _, one, other, gamma, epsilon, m: m * epsilon,
         "This is the paper's formula, not the loss: list the reports.":
            lambda _, one, other, gamma, epsilon, m: claimed(epsilon, len(one), m),
         "The features of a report are multiplied as if each had been sampled by a coin of its own. Exactly m are "
         "sampled, so add up over the choices and multiply within each choice.": independent,
         "This is epsilon_x for each difference that can be sampled: it forgets that the choice is hidden, so that a "
         "report mixes choices which show the difference with choices which miss it.":
            lambda _, one, other, gamma, epsilon, m: min(m, differences(one, other)) * epsilon}),
    "verdict": Part(
        "verdict", verdict, wrong={
            "The claimed formula has e to the *m* epsilon_x; with epsilon_x alone it is the formula for two vectors "
            "that differ in one feature.":
                lambda given: verdict(given, lambda epsilon, d, m: math.log(1 + m / d * (math.exp(epsilon) - 1))),
            "The true loss is not that of d reports: only m of the d features are sampled.":
                lambda given: verdict(given, true=lambda epsilon, d, m: d * epsilon),
            "This is the budget of one sampled feature; m of them are reported, and their budgets add up.":
                lambda given: verdict(given, true=lambda epsilon, d, m: epsilon)}),
    "plan": Part(
        "plan", plan, lambda given: [(3.0, given["gamma"], given["d"]), (10.0, 2, 58), (10.0, 5, 58), (6.0, 20, 30),
                                     (1.0, 3, 6)],
        {"Each sampled feature gets the whole budget here: m reports of one vector add up to m times as much.":
            lambda *arguments: plan(*arguments, epsilon_of=lambda budget, m, d: budget),
         "The budget is put into the paper's formula, which is no bound for two vectors that differ everywhere; the "
         "true loss is m epsilon_x.":
            lambda *arguments: plan(*arguments, epsilon_of=lambda budget, m, d:
                                    math.log(1 + (math.exp(budget) - 1) * d / m) / m),
         "To report every feature is best for two values only; with more values a sampled feature needs a budget of "
         "some size.": lambda *arguments: plan(*arguments, counts=lambda d: [d])}),
}
RUBRIC = {"hiding": [
    (1, "names the report equal to one of two vectors that differ everywhere, and why: every choice gives the same "
        "odds e^(m epsilon_x); the true budget m epsilon_x and the claimed one with the student's numbers"),
    (1, "hiding helps where vectors differ in few features: for one, ln(1 + m/d (e^epsilon_x - 1)) with equal domains; "
        "that protects one feature, not a person"),
    (1, "fakes make r - w smaller than silence would (the server knows what is empty), so the estimate's variance is "
        "larger, at the same loss of a whole vector"),
    (1, "a fair comparison: equal true budgets for the same pairs of neighbours (a control with coins is a plus)"),
]}
