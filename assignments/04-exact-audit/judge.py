"""What students do not see: inputs, right answers, and what comes out under misunderstandings."""

import math
from dataclasses import dataclass

from privbook.classroom import Part, drawn
from privgraph.audit import delta_curve, worst_case
from privgraph.mechanisms import RandomisedResponse

NO_SUCH_MISTAKE = "for this student's rule, this is no mistake"  # what no answer says
STEPS = {0: {"a": 0.5, "b": 0.5}, 1: {"a": 0.4, "b": 0.6}, 2: {"a": 0.1, "b": 0.9}}  # 0 and 2 are no neighbours
BACKWARDS = {0: {"x": 0.1, "y": 0.9}, 1: {"x": 0.3, "y": 0.7}}  # the largest loss is from the second to the first
FORWARDS = {0: BACKWARDS[1], 1: BACKWARDS[0]}
THREE = {answer: RandomisedResponse(1.2, 3).distribution(answer) for answer in range(3)}
SPREAD = {0: {1: 0.3, 2: 0.3, 3: 0.2, 4: 0.2}, 1: {1: 0.1, 2: 0.2, 3: 0.35, 4: 0.35}}
UNSEEN = {0: {"x": 0.5, "y": 0.5, "z": 0.0}, 1: {"x": 0.45, "y": 0.55}}  # an outcome that neither has
GIVEN_AWAY = {0: {"x": 1.0, "y": 0.0}, 1: {"x": 0.9, "y": 0.1}}
ALL = [[0, 1], [1, 2], [0, 2]]
CASES = [(STEPS, [[0, 1], [1, 2]]), (BACKWARDS, [[0, 1]]), (FORWARDS, [[0, 1]]), (THREE, ALL), (SPREAD, [[0, 1]]),
         (UNSEEN, [[0, 1]]), (GIVEN_AWAY, [[0, 1]])]


def own_table(given):
    """Three inputs in a row, of which each has three outcomes."""
    coins = drawn(given)
    rows = [coins.sample(range(1, 7), 2) for _ in range(3)]
    return {x: {"a": a / 14, "b": b / 14, "c": (14 - a - b) / 14} for x, (a, b) in enumerate(rows)}, [[0, 1], [1, 2]]


@dataclass(frozen=True)
class Listed:
    """A mechanism that is its table."""

    table: dict

    def distribution(self, x):
        return self.table[x]


def relation(pairs):
    return lambda x: [other for pair in pairs if x in pair for other in pair if other != x]


def worst(_, table, pairs):
    return worst_case(Listed(table), list(table), relation(pairs)).epsilon


def smallest_delta(_, table, pairs, epsilon):
    return float(delta_curve(Listed(table), list(table), [epsilon], relation(pairs))[0])


def both_ways(pairs):
    return [(a, b) for pair in pairs for a, b in (pair, pair[::-1])]


def logs(table, directed, impossible=math.inf):
    """Every loss; what is possible from the first only counts as ``impossible``."""
    return [math.log(p / table[b][o]) if table[b].get(o, 0) else impossible
            for a, b in directed for o, p in table[a].items() if p]


def deltas(table, directed, one):
    """The sums over outcomes of ``one(p, q)``."""
    return [sum(one(p, table[b].get(o, 0)) for o, p in table[a].items()) for a, b in directed]


def chance(z, epsilon):
    return math.tanh(epsilon / 2) * math.exp(-epsilon * abs(z))


def above(steps, epsilon):
    """The chance that the noise is at least ``steps``, which is not negative."""
    return math.exp(-epsilon * steps) / (1 + math.exp(-epsilon)) if steps > 0 else 1 - above(1, epsilon)


def clamped(_, count, low, high, epsilon):
    return {told: above(count - low, epsilon) if told == low else above(high - count, epsilon) if told == high
            else chance(told - count, epsilon) for told in range(low, high + 1)}


def plain(count, low, high, epsilon):
    """Of the noisy counts within the bounds; the rest is missing."""
    return {told: chance(told - count, epsilon) for told in range(low, high + 1)}


def scaled(chances):
    total = math.fsum(chances.values())
    return {told: p / total for told, p in chances.items()}


def by_rule(name, count, low, high, epsilon):
    """The law of each program, by its formula."""
    inside = plain(count, low, high, epsilon)
    if name == "draw_again":
        return scaled(inside)
    if name == "the_plain_count":
        return inside | {count: inside[count] + 1 - math.fsum(inside.values())}
    if name == "never_the_truth":
        return scaled(inside | {count: 0.0})
    return {told: float(told == low) for told in inside} if count == low else clamped(None, count, low, high, epsilon)


def numbers(given):
    return given["low"], given["high"], given["epsilon"]


def law(given, count, name=None):
    return by_rule(name or given["rule"].__name__, count, *numbers(given))


def law_of_another(name):
    """As if the program had that rule."""
    return lambda given, count: NO_SUCH_MISTAKE if given["rule"].__name__ == name else law(given, count, name)


def tables(given):
    return {count: law(given, count) for count in range(given["low"], given["high"] + 1)}


def steps(given):
    return [[count, count + 1] for count in range(given["low"], given["high"])]


def any_two(given):
    return [[a, b] for a in tables(given) for b in tables(given) if a < b]


def witnesses(given, pairs=steps, above_claim=False):
    table = tables(given)
    losses = {(a, b, o): math.log(p / table[b][o]) if table[b][o] else math.inf
              for a, b in both_ways(pairs(given)) for o, p in table[a].items() if p}
    bound = given["epsilon"] + 1e-9 if above_claim else max(losses.values()) - 1e-9
    return {triple for triple, loss in losses.items() if loss >= bound}


def unless_right(right, function):
    """A misunderstanding that for some students changes nothing."""
    def told(given):
        wrong, answer = function(given), right(given)
        same = wrong == answer if isinstance(answer, set) else all(
            math.isclose(wrong[name], answer[name], abs_tol=1e-4) for name in answer)
        return NO_SUCH_MISTAKE if same else wrong
    return told


def found(given, pairs=steps, epsilon=None, delta=None):
    table, claimed = tables(given), given["epsilon"]
    largest = worst(None, table, pairs(given))
    return {"epsilon": largest if epsilon is None else epsilon(table, largest),
            "delta": smallest_delta(None, table, pairs(given), claimed) if delta is None else delta(table, largest)}


PARTS = {
    "worst": Part(
        "worst", worst, lambda given: [*CASES, own_table(given)],
        {"Only one direction of each pair is looked at. Either of two neighbours may be the first.":
            lambda _, table, pairs: max(logs(table, pairs)),
         "An outcome that is impossible under one of two neighbours was left out. It tells them apart with certainty.":
            lambda _, table, pairs: max(loss for loss in logs(table, both_ways(pairs)) if loss < math.inf),
         "This is the largest ratio. Epsilon is its logarithm.":
            lambda _, table, pairs: math.exp(worst(_, table, pairs)),
         "Every two inputs are compared. Only those that are neighbours count.":
            lambda _, table, pairs: worst(_, table, [[a, b] for a in table for b in table if a != b]),
         "This is how far apart the chances are, a difference. Epsilon is about ratios.":
            lambda _, table, pairs: smallest_delta(_, table, pairs, 0.0),
         "This is the mean loss. Differential privacy speaks of the largest.":
            lambda _, table, pairs: max(sum(p * math.log(p / table[b][o]) if table[b].get(o, 0) else math.inf
                                            for o, p in table[a].items() if p) for a, b in both_ways(pairs))}),
    "law": Part(
        "law", law, lambda given: [(count,) for count in range(given["low"], given["high"] + 1)],
        {"The chances do not add up to 1: what happens to noisy counts outside the bounds, or to what is drawn again, "
         "is missing.": lambda given, count: plain(count, *numbers(given)),
         "The chances of what is told at once are here; what is drawn again gets told in the end, too. Divide by their "
         "sum.": lambda given, count: NO_SUCH_MISTAKE if given["rule"].__name__ != "never_the_truth"
            else plain(count, *numbers(given)) | {count: 0.0},
         "This is the program that moves noisy counts to the nearer bound, for every count. Read what your rule does "
         "instead.": lambda given, count: clamped(None, count, *numbers(given)),
         "This is the program that draws again outside the bounds. Your rule does something else.":
            law_of_another("draw_again"),
         "This is the program that tells the true count instead of what lies outside. Your rule does something else.":
            law_of_another("the_plain_count")}),
    "witnesses": Part(
        "witnesses", witnesses, wrong={
            "The two counts are exchanged: the first is the one from which the outcome is *more* probable.":
                lambda given: {(b, a, o) for a, b, o in witnesses(given)},
            "Every two counts are compared. Neighbours differ by one person.":
                lambda given: witnesses(given, any_two),
            "One witness is there, and there are more: look at both ends, and at all outcomes.":
                lambda given: {min(witnesses(given))},
            "All triples with a loss above the claim are here. Only those with the largest loss are asked for.":
                unless_right(witnesses, lambda given: witnesses(given, above_claim=True)),
            "Only pairs in which the first count is the smaller one are here. Either may be the first.":
                unless_right(witnesses, lambda given: {(a, b, o) for a, b, o in witnesses(given) if a < b}),
            "Only pairs in which the first count is the larger one are here. Either may be the first.":
                unless_right(witnesses, lambda given: {(a, b, o) for a, b, o in witnesses(given) if a > b})}),
    "smallest_delta": Part(
        "smallest_delta", smallest_delta,
        lambda given: [(*case, epsilon) for case in (*CASES, own_table(given)) for epsilon in (0.1, 0.3)]
        + [(STEPS, CASES[0][1], 0.0)],
        {"Only one direction of each pair is looked at.": lambda _, table, pairs, epsilon: max(
            deltas(table, pairs, lambda p, q: max(0.0, p - math.exp(epsilon) * q))),
         "This is the chance of a loss above epsilon. The smallest delta is less: e to the epsilon times the "
         "neighbour's chance is taken off.": lambda _, table, pairs, epsilon: max(
             deltas(table, both_ways(pairs), lambda p, q: p * (p > math.exp(epsilon) * q))),
         "Only the worst outcome is counted. A set may hold several outcomes, so their excesses add up.":
            lambda _, table, pairs, epsilon: max(0.0, *(p - math.exp(epsilon) * table[b].get(o, 0)
                                                       for a, b in both_ways(pairs) for o, p in table[a].items())),
         "The factor e to the epsilon is missing: this is the delta at epsilon 0.":
            lambda _, table, pairs, epsilon: smallest_delta(_, table, pairs, 0.0),
         "Epsilon itself stands where e to the epsilon should.": lambda _, table, pairs, epsilon: max(
             deltas(table, both_ways(pairs), lambda p, q: max(0.0, p - epsilon * q))),
         "The excesses of all pairs are added up. Each pair must be within delta by itself, so the largest counts.":
            lambda _, table, pairs, epsilon: sum(
                deltas(table, both_ways(pairs), lambda p, q: max(0.0, p - math.exp(epsilon) * q))),
         "Every two inputs are compared. Only those that are neighbours count.":
            lambda _, table, pairs, epsilon: smallest_delta(
                _, table, [[a, b] for a in table for b in table if a != b], epsilon),
         "Outcomes that are less probable than allowed are counted as negative. Each counts at least 0.":
            lambda _, table, pairs, epsilon: 1 - math.exp(epsilon)}, tolerance=1e-7),
    "found": Part(
        "found", found, wrong={
            "Every two counts are compared. Neighbours differ by one person.":
                unless_right(found, lambda given: found(given, any_two)),
            "This is the delta at the epsilon that you found. It is asked for at the *claimed* one.":
                lambda given: found(given, delta=lambda table, largest: 0.0),
            "This is the chance of a loss above the claim. The smallest delta is less.":
                lambda given: found(given, delta=lambda table, _: max(deltas(
                    table, both_ways(steps(given)), lambda p, q: p * (p > math.exp(given["epsilon"] + 1e-12) * q)))),
            "An outcome that one of two neighbours cannot give was left out, or there is another slip in epsilon: the "
            "claim itself came out.": lambda given: found(given, epsilon=lambda table, _: given["epsilon"]),
            "The largest *finite* loss is given, and an outcome that is impossible under a neighbour is left out.":
                lambda given: NO_SUCH_MISTAKE if found(given)["epsilon"] < math.inf else found(
                    given, epsilon=lambda table, _: max(x for x in logs(table, both_ways(steps(given)))
                                                        if x < math.inf)),
            "The factor e to the epsilon is missing in delta.": unless_right(found, lambda given: found(
                given, delta=lambda table, _: smallest_delta(None, table, steps(given), 0.0))),
            "This is what the author claims. Did you compare all neighbours, and all outcomes, of *your* program?":
                lambda given: {"epsilon": given["epsilon"], "delta": 0.0},
            "Under epsilon stands the largest ratio; epsilon is its logarithm.":
                lambda given: NO_SUCH_MISTAKE if found(given)["epsilon"] == math.inf else found(
                    given, epsilon=lambda table, largest: math.exp(largest))}, tolerance=1e-5),
    "clamped": Part(
        "clamped", clamped, lambda given: [(count, *numbers(given)) for count in range(given["low"], given["high"] + 1)]
        + [(3, 0, 6, 0.2), (0, 0, 3, 1.0), (5, 2, 5, 2.0)],
        {"The law is divided by its sum, as if what lies outside were drawn again. It is moved to the nearer bound.":
            lambda _, *known: scaled(plain(*known)),
         "The chances do not add up to 1. All that lies beyond a bound is told as that bound.":
            lambda _, *known: plain(*known),
         "The bounds get what lies beyond them, but their own chance is missing.":
            lambda _, count, low, high, epsilon: plain(count, low, high, epsilon) | {
                low: above(count - low + 1, epsilon), high: above(high - count + 1, epsilon)},
         "All that lies outside is told as the true count. It is moved to the nearer bound.":
            lambda _, *known: by_rule("the_plain_count", *known)}),
}
RUBRIC = {"shown": [
    (1, "shown: the exact epsilon for these bounds, this epsilon and these neighbours; others need a proof or "
        "certificate"),
    (1, "not shown: that the sampler or the code follows the law on paper (a statistical test would look at that)"),
    (1, "not shown: several people, or many publications: losses of the hours add up (24 times 0.5 by worst cases)"),
    (1, "clamping reads the noisy count only; the author's rules read the true count again, so they are no "
        "post-processing"),
]}
