"""What students do not see: inputs, right answers, and what comes out under misunderstandings."""

import math
from itertools import combinations

from privbook.classroom import Part
from privgraph.audit import Independent, worst_case
from privgraph.audit.relations import neighbour_lists
from privgraph.mechanisms import RandomisedResponse
from privgraph.privacy import Guarantee, compose

SIZE = 9  # people, at most
SHOWN = [[0, 1], [1, 0], [2, 0], [2, 0], [0, 2], [1, 2], [3, 1], [0, 3], [4, 3]]  # reports of a hidden group
FRIENDS = [[0, 1], [0, 2], [1, 3], [3, 4]]
CHANGES = (
    [["A", 2, 3]], [["A", 2, 3], ["A", 3, 2]], [["A", 1, 0], ["A", 1, 4]], [["A", 0, 1], ["A", 4, 1]],
    [["X", 3, 0]], [["X", 3, 0], ["X", 3, 5]], [["X", 3, 0], ["X", 4, 0]], [["X", 2, 1], ["y", 2, 0]],
    [["A", 1, 2], ["A", 2, 1], ["A", 3, 1], ["A", 1, 3], ["X", 1, 0]], [["A", 2, 1], ["y", 1, 0]],
    [["A", 0, 1], ["A", 1, 2]], [["A", 0, 1], ["A", 2, 3]], [["A", 0, 1], ["X", 2, 1]], [["y", 0, 0], ["y", 3, 0]])


def instances(column=True, edge_is_slot=False, list_has_column=False):
    """Every unit with its places, for SIZE people and features."""
    everybody = range(SIZE)
    for v in everybody:
        row = {("A", v, u) for u in everybody if u != v}
        mirrored = {("A", u, v) for u in everybody if u != v}
        vector, label = {("X", v, i) for i in everybody}, {("y", v, 0)}
        yield "label", label
        yield "feature vector", vector
        yield "neighbour list", row | (mirrored if list_has_column else set())
        yield "node", row | (mirrored if column else set()) | vector | label
        for place in vector:
            yield "one feature", {place}
        for place in row:
            yield "neighbour slot", {place}
            yield "undirected edge", {place} | (set() if edge_is_slot else {("A", place[2], v)})


def units(_, changed, **how):
    places = set(map(tuple, changed))
    return {name for name, held in instances(**how) if places <= held}


def smallest(_, changed):
    sizes = {"label": 1, "one feature": 1, "neighbour slot": 1, "undirected edge": 2, "feature vector": 4,
             "neighbour list": 5, "node": 9}
    return set(sorted(units(_, changed), key=sizes.get)[:1])


def bits(reports, epsilon):
    """All reports as one mechanism on the lists of all people."""
    return Independent((RandomisedResponse(epsilon, 2),) * len(reports),
                       split=lambda lists: [int(u in lists[v]) for v, u in reports])


def audited(reports, epsilon, edges, others):
    """The largest loss between a graph and others, each given by its edges."""
    graphs = [neighbour_lists(list(map(tuple, found)), SIZE) for found in (edges, *others)]
    if all(graph == graphs[0] for graph in graphs):
        return 0.0
    return worst_case(bits(reports, epsilon), graphs[:1], lambda graph: graphs[1:]).epsilon


def edge(_, reports, epsilon, u, v):
    return audited(reports, epsilon, [[u, v]], [[]])


def elsewhere(edges, v):
    return [pair for pair in edges if v not in pair]


def node(_, reports, epsilon, edges, v):
    others = [u for u in range(SIZE) if u != v]
    anything = [elsewhere(edges, v) + [[u, v] for u in chosen]
                for size in range(SIZE) for chosen in combinations(others, size)]
    return [audited(reports, epsilon, edges, [elsewhere(edges, v)]), audited(reports, epsilon, edges, anything)]


def counted(reports, epsilon, edges, v, about):
    """By counting the reports that ``about`` keeps: of her edges, and of all her pairs."""
    kept, friends = [pair for pair in reports if about(pair)], [set(pair) for pair in edges]
    return [epsilon * sum(set(pair) in friends for pair in kept), epsilon * len(kept)]


def bill(given, own=None, edges=None):
    """What each person pays; ``edges``, given the two numbers of her node, says what counts."""
    found = {}
    for v in range(given["n"]):
        about = own(v) if own else lambda pair, v=v: v in pair
        slots = counted(given["reports"], given["epsilon"], given["edges"], v, about)
        parts = (Guarantee(given["epsilon_x"], unit="feature vector", basis="proved"),
                 Guarantee(given["epsilon_y"], unit="label", basis="proved"),
                 Guarantee(edges(slots) if edges else slots[1], unit="node", basis="proved"))
        found[v] = compose(*(part.convert("node") for part in parts)).epsilon
    return found


def lengths(given, **other):
    n = given["n"]
    moved = {"slot": 1, "swap": 0, "edge": 2, "edge replaced": 4, "node": 2 * (n - 1)}
    return {change: much / given["scale"] for change, much in (moved | other).items()}


PARTS = {
    "units": Part(
        "units", units, lambda given: [(changed,) for changed in CHANGES],
        {"A node is not only her own list: her name in everybody else's list belongs to her, too.":
            lambda _, changed: units(_, changed, column=False),
         "All units that hold the change are asked for, not only the smallest one.": smallest,
         "An undirected edge is one number here. It is in two lists, so it is the two mirrored numbers of a pair.":
            lambda _, changed: units(_, changed, edge_is_slot=True),
         "A neighbour list is a *row* of A: what others have on their lists is not in it.":
            lambda _, changed: units(_, changed, list_has_column=True)}),
    "edge": Part(
        "edge", edge, lambda given: [(given["reports"], given["epsilon"], *given["edges"][0]), (SHOWN, 0.5, 0, 1),
                                     (SHOWN, 0.5, 0, 2), (SHOWN, 0.5, 2, 0), (SHOWN, 0.3, 1, 3), (SHOWN, 0.3, 2, 4)],
        {"This is what one slot costs. An edge costs as much as all the reports that speak of it.":
            lambda _, reports, epsilon, u, v: epsilon,
         "Two reports are assumed for every edge, one from each end. Count the reports that are there.":
            lambda _, reports, epsilon, u, v: 2 * epsilon,
         "Only one end's reports are counted. The other end holds the edge, too.":
            lambda _, reports, epsilon, u, v: epsilon * sum(pair == [u, v] for pair in reports),
         "Only the reports of the second person about the first are counted. The other end holds the edge, too.":
            lambda _, reports, epsilon, u, v: epsilon * sum(pair == [v, u] for pair in reports),
         "A report that is repeated is counted once. It has fresh coins, so it costs again.":
            lambda _, reports, epsilon, u, v: epsilon * (([u, v] in reports) + ([v, u] in reports)),
         "Reports about one edge are counted once, whoever makes them. Each has coins of its own, so they add up.":
            lambda _, reports, epsilon, u, v: epsilon * ([u, v] in reports or [v, u] in reports)}),
    "node": Part(
        "node", node, lambda given: [(given["reports"], given["epsilon"], given["edges"], given["n"] - 1),
                                     (SHOWN, 0.5, FRIENDS, 0), (SHOWN, 0.3, FRIENDS, 3), (SHOWN, 0.3, FRIENDS, 4)],
        {"Only her own reports are counted. What others report about her belongs to the node, too.":
            lambda _, reports, epsilon, edges, v: counted(reports, epsilon, edges, v, lambda pair: pair[0] == v),
         "Only what others report about her is counted; her own reports belong to the node, too.":
            lambda _, reports, epsilon, edges, v: counted(reports, epsilon, edges, v, lambda pair: pair[1] == v),
         "This is what her dearest *edge* costs. A node has all of them.":
            lambda _, reports, epsilon, edges, v: [
                max([edge(_, reports, epsilon, *pair) for pair in edges if v in pair], default=0.0),
                max(edge(_, reports, epsilon, u, v) for u in range(SIZE) if u != v)],
         "Her edges are counted, not the reports: who reports, and how often, decides.":
            lambda _, reports, epsilon, edges, v: [
                epsilon * sum(v in pair for pair in edges),
                epsilon * (len({u for pair in reports + edges for u in pair} | {v}) - 1)],
         "Two reports for each edge are assumed. Count the reports that are there.":
            lambda _, reports, epsilon, edges, v: [
                2 * epsilon * sum(v in pair for pair in edges),
                2 * epsilon * (len({u for pair in reports + edges for u in pair} | {v}) - 1)],
         "Reports about people who are no friends are not counted for *any*. Such an edge may appear, and its bits "
         "would show it.": lambda _, reports, epsilon, edges, v: [node(_, reports, epsilon, edges, v)[0]] * 2,
         "If all edges disappear, only bits about edges that she has can tell. Those about others stay as they are.":
            lambda _, reports, epsilon, edges, v: [node(_, reports, epsilon, edges, v)[1]] * 2,
         "A report that is repeated is counted once. It has fresh coins, so it costs again.":
            lambda _, reports, epsilon, edges, v: counted(
                [list(pair) for pair in set(map(tuple, reports))], epsilon, edges, v, lambda pair: v in pair)}),
    "group": Part(
        "group", lambda _, epsilon, delta, k: [k * epsilon, delta * math.expm1(k * epsilon) / math.expm1(epsilon)],
        lambda given: [(given["epsilon"], 1e-2, 3), (1.0, 0.001, 2), (0.1, 0.02, 10), (0.7, 0.0, 5)],
        {"The deltas are just added up. Each step back also multiplies the deltas before it by e to the epsilon.":
            lambda _, epsilon, delta, k: [k * epsilon, k * delta],
         "Delta stays as it was for one step. It grows with every step.":
            lambda _, epsilon, delta, k: [k * epsilon, delta],
         "A true bound, but larger than what the theorem states: not every step's delta is multiplied as often.":
            lambda _, epsilon, delta, k: [k * epsilon, k * delta * math.exp((k - 1) * epsilon)],
         "The sum of delta's factors has one term too many or begins too late: the last step's delta has the factor 1.":
            lambda _, epsilon, delta, k: [k * epsilon, delta * sum(math.exp(i * epsilon) for i in range(1, k + 1))],
         "The sum of delta's factors has one term too many: k steps make k terms.":
            lambda _, epsilon, delta, k: [k * epsilon, delta * sum(math.exp(i * epsilon) for i in range(k + 1))],
         "Only the largest of delta's factors is here. Each step adds a term.":
            lambda _, epsilon, delta, k: [k * epsilon, delta * math.exp((k - 1) * epsilon)],
         "Epsilon stays as it was for one step; each step multiplies the ratio.":
            lambda _, epsilon, delta, k: [epsilon, k * delta]}, tolerance=1e-7),
    "bill": Part(
        "bill", bill, wrong={
            "Only each person's own reports are counted. What others report about her edges belongs to the node, too.":
                lambda given: bill(given, own=lambda v: lambda pair: pair[0] == v),
            "The edges are counted as if they disappeared. In a *replaced* node they become any others.":
                lambda given: bill(given, edges=lambda slots: slots[0]),
            "The reports of features and label are not on the bill. Reports about the same person add up.":
                lambda given: {v: spent - given["epsilon_x"] - given["epsilon_y"] for v, spent in bill(given).items()},
            "The edges are forgotten. This is what features and label cost, not a node.":
                lambda given: bill(given, edges=lambda slots: 0.0),
            "The largest of the three is taken. Reports about the same person add up.":
                lambda given: {v: max(given["epsilon_x"], given["epsilon_y"],
                                      spent - given["epsilon_x"] - given["epsilon_y"])
                               for v, spent in bill(given).items()},
            "One reported bit is counted for all her edges. That is a slot, not a node.":
                lambda given: bill(given, edges=lambda slots: given["epsilon"]),
            "The worst reports of all people are put on everybody's bill, n - 1 edges in two lists. Count those that "
            "are there.": lambda given: bill(given, edges=lambda slots: 2 * (given["n"] - 1) * given["epsilon"])}),
    "lengths": Part(
        "lengths", lengths, wrong={
            "An edge is in two lists, so it moves *two* lengths; here an edge is charged like one slot.":
                lambda given: lengths(given, **{"edge": 1, "edge replaced": 2, "node": given["n"] - 1}),
            "For the edge two lengths move, not one.": lambda given: lengths(given, edge=1),
            "A swap is charged as two steps. That holds, but it is not the smallest: does a swap change a length?":
                lambda given: lengths(given, swap=2),
            "A replaced edge is charged like one edge. It may disappear here and appear between two other people.":
                lambda given: lengths(given, **{"edge replaced": 2}),
            "A replaced edge is charged as if it changed no length in all. The sum of the lengths stays, but not each "
            "of them.": lambda given: lengths(given, **{"edge replaced": 0}),
            "For the node only her own length is counted, or only the others'. Both move.":
                lambda given: lengths(given, node=given["n"] - 1),
            "The node is charged as if all lengths could move as far as hers. The others' move by one each.":
                lambda given: lengths(given, node=given["n"] * (given["n"] - 1)),
            "More noise, less loss: the sensitivity is divided by the scale.":
                lambda given: {change: loss * given["scale"] ** 2 for change, loss in lengths(given).items()}}),
}
RUBRIC = {"promise": [
    (1, "0.5 is for one neighbour slot, add/remove; an undirected edge costs 1, as both ends report"),
    (1, "a user with 40 friends: 40 if all her edges disappear (80 bits of 0.5), so next to nothing is promised to "
        "her"),
    (1, "trust: local, as noise is added on the phone; 'federated' says where data lie and promises nothing by itself"),
    (1, "who takes no part can still be named or guessed from friends' reports; that is inference (or friends' slots), "
        "which the guarantee does not speak of, so it is not broken"),
]}
