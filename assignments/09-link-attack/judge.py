"""What students do not see: inputs, right answers, and what comes out under misunderstandings."""

import math

import numpy as np
import torch

from privbook.classroom import Draws, Part, drawn
from privgraph.attacks import evaluate_attack, feature_similarity, posterior_similarity
from privgraph.nn import interval
from privgraph.randomness import seeded

DRAWS = 4_000
GRAPHS = {"a hub": ([[0, 1], [0, 2], [0, 3], [0, 4]], 6),
          "two hubs": ([[0, 1], [0, 2], [0, 3], [1, 4], [1, 5], [2, 3]], 7)}


def measured(scores, linked):
    return evaluate_attack(torch.as_tensor(scores, dtype=torch.float64), torch.tensor(linked))


def auc(_, scores, linked):
    return measured(scores, linked).auc


def matches(won):
    def found(_, scores, linked):
        edges = [score for score, is_edge in zip(scores, linked, strict=True) if is_edge]
        others = [score for score, is_edge in zip(scores, linked, strict=True) if not is_edge]
        return sum(won(e, o) for e in edges for o in others) / (len(edges) * len(others))
    return found


def tpr(_, scores, linked):
    return measured(scores, linked).tpr_at_1_fpr


def at_bar(bar_of, accused=lambda score, bar: score > bar):
    """The share of edges accused at a bar that is found from (edges, non-edges), both sorted from above."""
    def found(_, scores, linked):
        kinds = [sorted((s for s, is_edge in zip(scores, linked, strict=True) if is_edge == kind), reverse=True)
                 for kind in (True, False)]
        bar = bar_of(*kinds)
        return sum(accused(score, bar) for score in kinds[0]) / len(kinds[0])
    return found


def by_precision(_, scores, linked):
    """At most 1% of the accused are non-edges."""
    edges, best = sum(linked), 0.0
    for bar in set(scores):
        accused = [is_edge for score, is_edge in zip(scores, linked, strict=True) if score >= bar]
        if accused.count(False) <= 0.01 * len(accused):
            best = max(best, accused.count(True) / edges)
    return best


def scored(seed, edges, others, digits):
    """Scores, rounded so that there are ties."""
    generator = seeded(seed)
    values = torch.randn(edges + others, generator=generator, dtype=torch.float64)
    values[:edges] += 1.5
    order = torch.randperm(edges + others, generator=generator)
    return [round(value, digits) for value in values[order].tolist()], (order < edges).tolist()


def free(edges, n):
    return [(u, v) for u in range(n) for v in range(u + 1, n) if [u, v] not in edges]


def uniform(pairs):
    return dict.fromkeys(pairs, 1 / len(pairs))


def one_end_first(_, edges, n, count, generator):
    """A person, then one of those whom she does not know."""
    found = {}
    for u in range(n):
        strangers = [v for v in range(n) if v != u and sorted((u, v)) not in edges]
        for v in strangers:
            pair = tuple(sorted((u, v)))
            found[pair] = found.get(pair, 0.0) + 1 / n / len(strangers)
    return found


def cosines(given, rows):
    return feature_similarity(rows, torch.tensor(given["pairs"]).t())


def found(given, features=None, answers=None):
    """With the library's attacks, whose cosine distance is 1 minus the cosine."""
    pairs, linked = torch.tensor(given["pairs"]).t(), given["linked"]
    features = cosines(given, given["x"]) if features is None else features
    posteriors = given["service"](given["x"]).softmax(1)
    answers = posterior_similarity(posteriors, pairs, "cosine") if answers is None else answers
    return {"similar features": auc(None, features, linked), "similar answers": auc(None, answers, linked)}


def inner(given, rows):
    u, v = torch.tensor(given["pairs"]).t()
    return (rows[u] * rows[v]).sum(1)


def distances(given):
    posteriors = given["service"](given["x"]).softmax(1)
    return found(given, -cosines(given, given["x"]), -cosines(given, posteriors))


def products(given):
    return found(given, inner(given, given["x"]), inner(given, given["service"](given["x"]).softmax(1)))


def moved(given, change, order=2):
    """How far each person's logits move when one person's features are changed, [watched, changed]."""
    service, x, columns = given["service"], given["x"], []
    for v in range(len(x)):
        other = x.clone()
        other[v] = change(x[v])
        columns.append((service(other) - service(x)).norm(dim=1, p=order))
    return torch.stack(columns, 1)


def influence(given, of=lambda matrix: matrix, **how):
    """The service is linear: to turn features up by t moves t times as much as to take them away altogether."""
    u, v = torch.tensor(given["pairs"]).t()
    return of(moved(given, **({"change": torch.zeros_like} | how)))[u, v]


def gain(_, attack, reference):
    result = interval([a - r for a, r in zip(attack, reference, strict=True)])
    return [result.mean - result.half, result.mean + result.half]


def around(center, half):
    return [float(center - half), float(center + half)]


def spread(_, attack, reference, factor):
    difference = np.array(attack) - np.array(reference)
    right = gain(None, attack, reference)
    return around(difference.mean(), factor(len(attack)) * (right[1] - right[0]) / 2)


def unpaired(_, attack, reference):
    from scipy import stats
    result = stats.ttest_ind(attack, reference).confidence_interval(0.95)
    return [float(result.low), float(result.high)]


def unpaired_as_paired(_, attack, reference):
    """Both variances added, with k - 1 degrees of freedom."""
    from scipy import stats
    k, variance = len(attack), np.var(attack, ddof=1) + np.var(reference, ddof=1)
    return around(np.mean(attack) - np.mean(reference), stats.t.ppf(0.975, k - 1) * math.sqrt(variance / k))


def normal_for_t(k):
    from scipy import stats
    return 1.96 / stats.t.ppf(0.975, k - 1)


PARTS = {
    "auc": Part(
        "auc", auc, lambda given: [scored(drawn(given).randrange(10**6), 20, 60, 1), scored(1, 20, 60, 1),
                                   scored(2, 15, 5, 0),
                                   ([0.0, 1.0, 1.0, 1.0], [True, False, True, False])],
        {"A tie counts as a defeat here; it counts half.": matches(lambda e, o: e > o),
         "A tie counts as a win here; it counts half.": matches(lambda e, o: e >= o),
         "The edges lose where they should win: a higher score means that an edge is likelier.":
            matches(lambda e, o: (e < o) + (e == o) / 2)}),
    "tpr": Part(
        "tpr", tpr, lambda given: [scored(drawn(given).randrange(10**6), 40, 200, 1), scored(3, 40, 200, 1),
                                  scored(4, 30, 50, 1), scored(5, 50, 450, 1),
                                   scored(6, 20, 150, 2), scored(7, 400, 100, 2)],
        {"Pairs whose score ties with the bar's non-edge are accused as well, and so too many non-edges are.":
            at_bar(lambda edges, others: others[len(others) // 100], lambda score, bar: score >= bar),
         "1% of *all* pairs is allowed here; the false positive rate is a share of the non-edges alone.":
            at_bar(lambda edges, others: others[(len(edges) + len(others)) // 100]),
         "One non-edge may always be accused here. Of fewer than 100 that is more than 1%.":
            at_bar(lambda edges, others: others[max(1, len(others) // 100)]),
         "No non-edge may be accused at all here; 1% of them may.": at_bar(lambda edges, others: others[0]),
         "At most 1% of the *accused* are non-edges here. That is about precision; the false positive rate is a share "
         "of the non-edges.": by_precision}),
    "non_edges": Draws(
        "non_edges", lambda _, edges, n, count, generator: uniform(free(edges, n)),
        lambda given: [(edges, n, DRAWS, seeded(seed)) for seed, (edges, n) in enumerate(GRAPHS.values())],
        {"Edges are among the pairs: non-edges are the pairs that are left.":
            lambda _, edges, n, count, generator: uniform(free([], n)),
         "First a person is drawn, then a stranger to her: people who know many others come too often, as they have "
         "few strangers to share their turn.": one_end_first,
         "The pairs come from the first people only, as in the released code that chapter 4 looks at: every pair "
         "without an edge must be equally likely.":
            lambda _, edges, n, count, generator: uniform(free(edges, n)[:len(edges)]),
         "Each pair is given in both orders: the smaller number comes first.":
            lambda _, edges, n, count, generator: uniform(
                [pair for u, v in free(edges, n) for pair in ((u, v), (v, u))])}),
    "found": Part(
        "found", found, wrong={
            "These are *distances*: a small one is a sign of an edge, so the score must be minus that.": distances,
            "The answers are compared as logits; posteriors are their softmax.":
                lambda given: found(given, answers=cosines(given, given["service"](given["x"]))),
            "These are inner products; a cosine divides by both lengths.": products,
            "The attacker who knows nothing must not read any answer of the service: her score is made of x alone.":
                lambda given: found(given, features=cosines(given, given["service"](given["x"]).softmax(1)))},
        tolerance=1e-5),
    "influence": Part(
        "influence", influence, wrong={
            "The wrong one is turned up: the features of v, the second of each pair, are changed, and u is watched.":
                lambda given: influence(given, torch.t),
            "The features of v are moved by a constant here. LinkTeller multiplies them by 1 + t.":
                lambda given: influence(given, change=lambda row: row + 1),
            "This is the squared length.": lambda given: influence(given, torch.square),
            "The changes of the logits are added up without their signs; the length (Euclidean norm) is asked for.":
                lambda given: influence(given, order=1),
            "Both directions are added; each pair has a first and a second person.":
                lambda given: influence(given, lambda matrix: matrix + matrix.t())},
        tolerance=1e-5),
    "gain": Part(
        "gain", gain, lambda given: [(given["seeds_answers"], given["seeds_features"]),
                                     ([0.7, 0.9, 0.8], [0.65, 0.8, 0.7]),
                                     ([0.6, 0.55, 0.7, 0.75, 0.62], [0.5, 0.58, 0.61, 0.7, 0.6])],
        {"The attacks are compared as if they had run on different graphs. Take the difference on each graph first.":
            unpaired_as_paired,
         "The attacks are compared as if they had run on 2k graphs. Pair them: the same graph, one difference.":
            unpaired,
         "This is where single runs lie; the mean of k runs has a standard error of s divided by the root of k.":
            lambda *arguments: spread(*arguments, factor=math.sqrt),
         "1.96 is for very many runs; for few it is Student's quantile.":
            lambda *arguments: spread(*arguments, factor=normal_for_t),
         "The standard deviation must have k - 1 below the line: the mean is estimated as well.":
            lambda *arguments: spread(*arguments, factor=lambda k: math.sqrt((k - 1) / k)),
         "This is the interval of the attack alone. Compared with the reference it may be worth nothing.":
            lambda _, attack, reference: gain(_, attack, [0.0] * len(attack))}),
}
RUBRIC = {"claim": [
    (1, "0.62 must be compared with the attacker who sees public things only (paired, with an interval); own numbers"),
    (1, "a weak attack is no evidence: on the student's own service influence finds far more than similar answers; own "
        "numbers, and the interface matters"),
    (1, "non-edges of few people: an error that all runs share, so that the interval over runs does not contain it; "
        "draw uniformly"),
    (1, "an AUC is no epsilon, nor the number of edges found for certain (TPR); convincing: a proof with unit and "
        "relation, and canaries by fair coins as a test"),
]}
