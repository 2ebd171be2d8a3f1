"""What students do not see: inputs, right answers, and what comes out under misunderstandings."""

import math
from dataclasses import dataclass
from itertools import product

import torch
from torch_geometric.data import Data

from privbook.classroom import Part
from privgraph.audit import ListReport
from privgraph.mechanisms import NeighbourReplacement, names_distribution

LISTS = {0: [1, 2], 1: [0, 2, 3, 5], 2: [0, 1, 3], 3: [1, 2, 4, 5], 4: [3], 5: [1, 3]}
X = torch.tensor([[1.0, 0.1], [2.0, 2.1], [0.3, 1.0], [-0.5, 3.0], [1.0, -0.3], [0.5, 0.42]])


def people(lists, x):
    pairs = [(u, v) for v, known in lists.items() for u in known]
    return Data(x=x, edge_index=torch.tensor(pairs).t(), num_nodes=len(lists))


def candidates(_, u, v, lists, x, threshold, strategy):
    """With the library: slots sorted once by similarity."""
    data = people(lists, x)
    slots = NeighbourReplacement(1.0, strategy, mix=0.0, threshold=threshold).slots(data)
    return set(slots.candidates(data.edge_index.t().tolist().index([u, v])))


def cosine(a, b):
    return float(a @ b / (a.norm() * b.norm()))


def otherwise(of=lambda u, v, lists: [w for w in lists[u] if w != v], like=lambda u, v: u, similarity=cosine,
              choose=None):
    """The candidates under other rules: whom to consider, to whom they are similar, by what, and who is left."""
    def found(_, u, v, lists, x, threshold, strategy):
        def score(w):
            return similarity(x[like(u, v)], x[w])
        near = sorted(of(u, v, lists), key=score, reverse=True)
        if choose:
            return set(choose(near, score, v, threshold, strategy))
        return {w for w in (near if strategy == "threshold" else near[:1]) if score(w) >= threshold}
    return found


def closest_without_threshold(near, score, v, threshold, strategy):
    return near[:1] if strategy == "most-similar" else [w for w in near if score(w) >= threshold]


def closest_then_not_v(near, score, v, threshold, strategy):
    near = near[:1] if strategy == "most-similar" else near
    return [w for w in near if w != v and score(w) >= threshold]


def slots(given):
    """(u, v, lists, x, threshold, strategy) of some slots of the student's graph and of all slots of another."""
    own, me = given["lists"], given["me"]
    for strategy in ("threshold", "most-similar"):
        for u in own[me]:
            yield (u, me, own, given["x"], given["threshold"], strategy)
            yield (me, u, own, given["x"], given["threshold"], strategy)
        for v, known in LISTS.items():
            for u in known:
                yield (u, v, LISTS, X, 0.6, strategy)


def chances(_, u, others, epsilon):
    return {name: math.exp(epsilon * (name == u)) / (math.exp(epsilon) + len(others)) for name in {u, *others}}


def together(_, u, others, epsilon):
    """The truth against all candidates together."""
    truth = math.exp(epsilon) / (math.exp(epsilon) + 1) if others else 1.0
    return {u: truth} | {w: (1 - truth) / len(others) for w in others}


def one_less(_, u, others, epsilon):
    total = math.exp(epsilon) + len(others) - 1
    return {u: math.exp(epsilon) / total} | {w: 1 / total for w in others}


def reports(_, tables):
    return names_distribution(tables)


def drawn(shape):
    def found(_, tables):
        chances = {}
        for names in product(*tables):
            told = shape(names)
            chances[told] = chances.get(told, 0.0) + math.prod(
                table[name] for table, name in zip(tables, names, strict=True))
        return chances
    return found


def loss(_, one, other):
    names = {name for table in (one, other) for name, chance in table.items() if chance > 0}
    if any(table.get(name, 0.0) == 0 for table in (one, other) for name in names):
        return math.inf
    return max(max(math.log(one[name] / other[name]), math.log(other[name] / one[name])) for name in names)


def upwards(_, one, other):
    if any(other.get(name, 0.0) == 0 < chance for name, chance in one.items()):
        return math.inf
    return max(math.log(chance / other[name]) for name, chance in one.items() if chance > 0)


def in_common(_, one, other):
    return max(abs(math.log(one[name] / other[name])) for name in one if one[name] > 0 < other.get(name, 0.0))


def tables(given):
    """{neighbour: {name: chance}} of the slot of everybody who may be in the list, with the library."""
    mechanism = NeighbourReplacement(given["epsilon"], "threshold", mix=0.0, threshold=given["threshold"])
    return ListReport(mechanism, people(given["lists"], given["x"]), given["me"]).tables


def swaps(given):
    known = given["lists"][given["me"]]
    return [(old, new) for old in known for new in given["lists"] if new not in (given["me"], *known)]


def finite(given):
    """The criterion of the theorem: the same answers."""
    answers = {u: frozenset(table) for u, table in tables(given).items()}
    return {(old, new) for old, new in swaps(given) if answers[old] == answers[new]}


def same_candidates(given):
    others = {u: frozenset(table) - {u} for u, table in tables(given).items()}
    return {(old, new) for old, new in swaps(given) if others[old] == others[new]}


def narrow(given):
    answers = tables(given)
    return {(old, new) for old, new in swaps(given) if new in answers[old]}


def equally_many(given):
    answers = tables(given)
    return {(old, new) for old, new in swaps(given) if len(answers[old]) == len(answers[new])}


def overlapping(given):
    answers = tables(given)
    return {(old, new) for old, new in swaps(given) if set(answers[old]) & set(answers[new])}


@dataclass(frozen=True)
class Witness(Part):
    """A counterexample: any one will do. ``right`` and ``wrong`` give one of each kind; the kinds are compared."""

    def agrees_at(self, function, given, arguments, answer, count):
        return kind(given, answer) == kind(given, function(given))


def kind(given, answer):
    """What an answer is: no swap of neighbours at all (0), a report of neither list (1), of one (2) or of both (3)."""
    try:
        old, new, told = answer
        told = tuple(sorted(told))
        if (old, new) not in swaps(given):
            return 0
    except (TypeError, ValueError):
        return None
    known, found = given["lists"][given["me"]], tables(given)
    lists = (known, [new if u == old else u for u in known])
    return 1 + sum(told in names_distribution(found[u] for u in each) for each in lists)


def counterexample(given):
    """A report of the new list that the old one cannot give."""
    known, found = given["lists"][given["me"]], tables(given)
    for old, new in swaps(given):
        new_list = [new if u == old else u for u in known]
        for told in names_distribution(found[u] for u in new_list):
            if kind(given, [old, new, told]) == 2:
                return [old, new, list(told)]


def of_both(given):
    (old, new), *_ = finite(given)
    return [old, new, given["lists"][given["me"]]]


def of_neither(given):
    (old, new), *_ = swaps(given)
    return [old, new, [given["me"]] * len(given["lists"][given["me"]])]


def no_swap(given):
    known = given["lists"][given["me"]]
    return [known[0], known[1], known]


PARTS = {
    "candidates": Part(
        "candidates", candidates, lambda given: list(slots(given)),
        {"Person v is among her own neighbour's candidates: she would name herself.":
            otherwise(of=lambda u, v, lists: lists[u]),
         "Candidates are neighbours of u, not of v.":
            otherwise(of=lambda u, v, lists: [w for w in lists[v] if w != u]),
         "Similarity is compared with u, whose place is taken, not with v.": otherwise(like=lambda u, v: v),
         "This is the inner product; the cosine divides it by both lengths.":
            otherwise(similarity=lambda a, b: float(a @ b)),
         "People who are in v's list already may be candidates, too; here they are left out.":
            otherwise(of=lambda u, v, lists: [w for w in lists[u] if w != v and w not in lists[v]]),
         "GP-m has a threshold as well: the most similar one counts only if she reaches it.":
            otherwise(choose=closest_without_threshold),
         "With GP-m the most similar person is chosen before v is left out; leave v out first.":
            otherwise(of=lambda u, v, lists: lists[u], choose=closest_then_not_v)}),
    "chances": Part(
        "chances", chances,
        lambda given: [(3, frozenset({1, 2, 7}), given["epsilon"]), (0, frozenset(), 1.0), (5, frozenset({0}), 2.0)],
        {"The truth is weighed against all candidates *together*; it must be e to the epsilon times as likely as "
         "*each*.":
            together,
         "With c candidates there are c + 1 names, and the paper's d counts u as well: the total is e to the epsilon "
         "plus c.":
            one_less,
         "All names are equally likely here: epsilon plays no part.":
            lambda _, u, others, epsilon: dict.fromkeys({u, *others}, 1 / (1 + len(others)))}),
    "reports": Part(
        "reports", reports,
        lambda given: [([tables(given)[u] for u in given["lists"][given["me"]]],),
                       ([{2: 0.5, 1: 0.5}, {1: 0.25, 2: 0.75}],),
                       ([{3: 1.0}, {3: 0.5, 0: 0.5}, {0: 0.125, 3: 0.875}],)],
        {"A name that comes twice must stand twice in the report: a list keeps its length.":
            drawn(lambda names: tuple(sorted(set(names)))),
         "The reports are not sorted: whoever reads one does not learn which name stands for which neighbour.":
            drawn(tuple)}),
    "loss": Part(
        "loss", loss,
        lambda given: [({1: 0.5, 2: 0.5}, {1: 0.25, 2: 0.75}), ({1: 0.25, 2: 0.75}, {1: 0.5, 2: 0.5}),
                       ({1: 1.0}, {1: 0.5, 2: 0.5}), ({(0, 1): 0.5, (1, 2): 0.5}, {(0, 1): 1.0}),
                       ({1: 0.5, 2: 0.5, 3: 0.0}, {1: 0.6, 2: 0.4}),
                       ({(0, 1): 0.1, (0, 2): 0.3, (1, 2): 0.6}, {(0, 1): 0.3, (0, 2): 0.3, (1, 2): 0.4})],
        {"Only one direction is looked at: a report may also be likelier in the second dictionary than in the first.":
            upwards,
         "Reports that only one of the two can give are left out. They are the worst: no finite epsilon covers them.":
            in_common,
         "This is the largest ratio; the loss is its logarithm.":
            lambda *arguments: math.exp(loss(*arguments))}),
    "witness": Witness(
        "witness", counterexample, wrong={
            "`new` must not be in the list of me, and not be me: that is no neighbouring list, as a list names nobody "
            "twice.": no_swap,
            "Both lists can give this report. Its chances may differ, but only by a finite factor: look for a name "
            "that one of the two neighbours cannot become.": of_both,
            "Neither of the two lists can give this report.": of_neither}),
    "finite": Part(
        "finite", finite, wrong={
            "That the new neighbour is a candidate of the old one is not enough: both must be able to become the "
            "same names.": narrow,
            "The sets of candidates are compared without the neighbours themselves, who are named as well: compare "
            "each neighbour *together with* her candidates.": same_candidates,
            "Equally many candidates are not the same candidates.": equally_many,
            "That the two neighbours have a name in common is not enough: a name that one lacks gives her away.":
                overlapping}),
}
RUBRIC = {"holds": [
    (1, "the witness: a name that only one of the two neighbours can become; the proof's quotient has a 0 below the "
        "line, so no epsilon covers it, 0.1 or 10"),
    (1, "holds where both neighbours with their candidates are the same set; loss exactly epsilon; how few of the "
        "student's swaps that is"),
    (1, "a neighbour without candidates is named with certainty at every epsilon"),
    (1, "everybody's reports make it worse, as others draw candidates from the list of me; and a repair in which "
        "everyone can become the same names (all people, randomised response on pairs)"),
]}
