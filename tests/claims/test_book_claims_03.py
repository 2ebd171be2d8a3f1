"""Chapter 03: what a guarantee for one unit and relation is worth for another, enumerated on three and four nodes."""

import math
from itertools import combinations

import pytest

from privgraph.audit import Independent, delta_curve, relations, worst_case
from privgraph.mechanisms import RandomisedResponse
from privgraph.privacy import Guarantee

EPSILON = 0.7
GRAPHS = {name: relations.neighbour_lists(edges) for name, edges in relations.SMALL_GRAPHS.items()}
SIZES = (3, 4)


def all_graphs(n):
    """Every undirected graph of n nodes, as neighbour lists."""
    pairs = list(combinations(range(n), 2))
    return [relations.neighbour_lists(edges, n) for size in range(len(pairs) + 1)
            for edges in combinations(pairs, size)]


def both_ends(n, epsilon=EPSILON):
    """Randomised response on every name of every list."""
    return Independent((RandomisedResponse(epsilon, 2),) * (n * (n - 1)), split=relations.bits)


def one_end(n, epsilon=EPSILON):
    """Randomised response on every pair, once."""
    pairs = list(combinations(range(n), 2))
    return Independent((RandomisedResponse(epsilon, 2),) * len(pairs),
                       split=lambda lists: [int(u in lists[v]) for v, u in pairs])


def all_gone(lists):
    """All edges of one person disappear."""
    return (tuple(frozenset() if u == v else names - {v} for u, names in enumerate(lists))
            for v in range(len(lists)))


class Table:
    """A mechanism given by a function from an input to its distribution."""

    def __init__(self, distribution):
        self.distribution = distribution


def joined(n, rule):
    """Two coins for each pair, joined by ``rule`` afterwards."""
    mechanism, places = both_ends(n), list(relations.ordered_pairs(n))
    mirror = [(places.index((v, u)), places.index((u, v))) for v, u in places if v < u]

    def distribution(lists):
        table = {}
        for bits, p in mechanism.distribution(lists).items():
            shown = tuple(rule(bits[i], bits[j]) for i, j in mirror)
            table[shown] = table.get(shown, 0.0) + p
        return table
    return Table(distribution)


# units-group-privacy

def climbing_lamp(epsilon, delta):
    """Says 1 with probability delta (1 + e^eps + ...), one term for each neighbour: attains the bound."""
    def distribution(degree):
        lit = delta * sum(math.exp(i * epsilon) for i in range(degree))
        return {1: lit, 0: 1 - lit}
    return Table(distribution)


@pytest.mark.bears("for", "units-group-privacy")
@pytest.mark.parametrize("epsilon, delta", [(0.3, 0.02), (1.0, 0.01), (1.5, 0.001)])
@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_k_steps_cost_k_epsilon_and_the_sum_of_deltas_and_no_less(epsilon, delta, steps):
    """Chapter 03: k changes cost k eps and delta (1 + ... + e^((k-1) eps)); one mechanism attains both together."""
    lamp = climbing_lamp(epsilon, delta)
    stated = Guarantee(epsilon, delta, unit="neighbour slot", relation="add/remove").convert("node", steps)
    one_step = delta_curve(lamp, range(steps + 1), [epsilon], lambda d: [d + 1] if d < steps else [])[0]
    assert one_step == pytest.approx(delta)            # it is (epsilon, delta)-DP for one step
    assert stated.epsilon == pytest.approx(steps * epsilon)
    assert delta_curve(lamp, [0, steps], [stated.epsilon])[0] == pytest.approx(stated.delta)
    if steps > 1:                                      # the plausible mistake, steps * delta, is too little
        assert stated.delta > 1.1 * steps * delta


@pytest.mark.bears("for", "units-group-privacy")
@pytest.mark.parametrize("name", GRAPHS)
def test_group_privacy_bounds_every_change_of_a_leaky_report(name):
    """The bound of k steps, for randomised response that tells the truth openly in a share delta of cases."""
    lists, open_share, epsilon = GRAPHS[name], 0.01, 0.5
    hidden = RandomisedResponse(epsilon, 2)

    def leaky(bit):
        noisy = {o: (1 - open_share) * p for o, p in hidden.distribution(bit).items()}
        return {("open", bit): open_share} | noisy
    mechanism = Independent((Table(leaky),) * len(relations.bits(lists)), split=relations.bits)
    slot = Guarantee(epsilon, open_share, unit="neighbour slot", relation="add/remove")
    assert delta_curve(mechanism, [lists], [epsilon], relations.change_slot)[0] == pytest.approx(open_share)
    for relation, steps in ((relations.change_edge, 2), (all_gone, 2 * max(map(len, lists)))):
        bound = slot.convert("node", steps)
        found = delta_curve(mechanism, [lists], [bound.epsilon], relation)[0]
        assert open_share < found <= bound.delta


# units-edge-in-two-lists

@pytest.mark.bears("for", "units-edge-in-two-lists")
@pytest.mark.parametrize("n", SIZES)
def test_an_edge_that_both_ends_report_costs_twice(n):
    """Chapter 03: eps a slot gives 2 eps for an undirected edge, attained; one report a pair gives eps."""
    def spent(mechanism, relation):
        return worst_case(mechanism, all_graphs(n), relation).epsilon
    assert spent(both_ends(n), relations.change_slot) == pytest.approx(EPSILON)
    assert spent(both_ends(n), relations.change_edge) == pytest.approx(2 * EPSILON)
    assert spent(one_end(n), relations.change_edge) == pytest.approx(EPSILON)
    slot = Guarantee(EPSILON, unit="neighbour slot", relation="add/remove")
    assert slot.convert("undirected edge").epsilon == 2 * EPSILON


@pytest.mark.bears("for", "units-edge-in-two-lists")
@pytest.mark.parametrize("rule, factor", [(max, 2), (min, 2), (lambda a, b: a + b, 2), (lambda a, b: (a, b), 2),
                                          (lambda a, b: a, 1)], ids=["or", "and", "sum", "both", "first"])
@pytest.mark.parametrize("name", ["path-3", "triangle"])
def test_joining_the_two_coins_of_an_edge_saves_nothing(name, rule, factor):
    """The mutant of symmetric randomised response: two coins for a pair spend 2 eps, whatever rule keeps both."""
    found = worst_case(joined(3, rule), [GRAPHS[name]], relations.change_edge)
    assert found.epsilon == pytest.approx(factor * EPSILON)


# units-swap-two-flips

@pytest.mark.bears("for", "units-swap-two-flips")
@pytest.mark.parametrize("n", SIZES)
def test_a_swap_costs_two_flips(n):
    """Chapter 03: eps a slot gives 2 eps for a swap in a list, attained by randomised response."""
    found = worst_case(both_ends(n), all_graphs(n), relations.swap_in_list)
    assert found.epsilon == pytest.approx(2 * EPSILON)
    before, after = relations.bits(found.input), relations.bits(found.neighbour)
    differ = [i for i in range(len(before)) if before[i] != after[i]]
    assert len(differ) == 2 and all(found.outcome[i] == before[i] for i in differ)


# units-degree-shown

def same_length(n, epsilon=EPSILON):
    """Everyone reports a list of the length of her own; the true one has odds e^epsilon to 1 against each other."""
    def person(v):
        def distribution(names):
            others = [u for u in range(n) if u != v]
            lists = map(frozenset, combinations(others, len(names)))
            weights = {near: math.exp(epsilon * (near == names)) for near in lists}
            return {near: w / sum(weights.values()) for near, w in weights.items()}
        return Table(distribution)
    return Independent(tuple(map(person, range(n))))


@pytest.mark.bears("for", "units-degree-shown")
@pytest.mark.parametrize("n", SIZES)
def test_a_report_that_shows_its_degree_is_finite_for_swaps_only(n):
    """Chapter 03: eps for a swap, no finite eps and no delta below 1 under add/remove, over all graphs of n nodes."""
    mechanism = same_length(n)
    assert worst_case(mechanism, all_graphs(n), relations.swap_in_list).epsilon == pytest.approx(EPSILON)
    assert worst_case(mechanism, all_graphs(n), relations.change_slot).epsilon == math.inf
    one = [all_graphs(n)[0]]                           # the empty graph is enough for delta
    assert delta_curve(mechanism, one, [0.0, 5.0, 50.0], relations.change_slot) == pytest.approx([1, 1, 1])


@pytest.mark.bears("for", "units-degree-shown")
@pytest.mark.parametrize("n", SIZES)
def test_one_report_that_shows_its_degree_separates_every_add_or_remove(n):
    """Not only the worst pair: every two lists that differ by one name are told apart for sure."""
    person = same_length(n).mechanisms[0]
    lists = [frozenset(c) for size in range(n) for c in combinations(range(1, n), size)]
    for names in lists:
        for u in range(1, n):
            assert delta_curve(person, [names, names ^ {u}], [10.0])[0] == pytest.approx(1)


# units-edges-and-nodes

@pytest.mark.bears("for", "units-edges-and-nodes")
@pytest.mark.parametrize("n", SIZES)
def test_from_an_edge_to_a_node_the_factor_is_the_number_of_edges(n):
    """Chapter 03 (a): eps an edge costs d eps when d edges of a node go, (n - 1) eps for any edges; both attained."""
    edge = Guarantee(EPSILON, unit="undirected edge", relation="add/remove")
    for lists in all_graphs(n):
        if degree := max(map(len, lists)):
            found = worst_case(one_end(n), [lists], all_gone).epsilon
            assert found == pytest.approx(edge.convert("node", degree).epsilon)
        found = worst_case(one_end(n), [lists], relations.change_node).epsilon
        assert found == pytest.approx((n - 1) * EPSILON)


@pytest.mark.bears("for", "units-edges-and-nodes")
@pytest.mark.parametrize("n", SIZES)
def test_a_guarantee_for_any_edges_of_a_node_covers_an_edge_at_the_same_price(n):
    """Chapter 03 (b): one edge is one way to change a node's edges; a report about one pair attains the factor 1."""
    for lists in all_graphs(n):
        assert set(relations.change_edge(lists)) <= set(relations.change_node(lists))
    single = Table(lambda lists: RandomisedResponse(EPSILON, 2).distribution(int(1 in lists[0])))
    node = worst_case(single, all_graphs(n), relations.change_node).epsilon
    assert node == pytest.approx(EPSILON) == worst_case(single, all_graphs(n), relations.change_edge).epsilon


def worlds(n):
    """Every graph on every subset of n people: (people, edges)."""
    groups = [people for size in range(n + 1) for people in combinations(range(n), size)]
    return [(frozenset(people), frozenset(edges)) for people in groups
            for count in range(math.comb(len(people), 2) + 1)
            for edges in combinations(combinations(people, 2), count)]


def leaves(world):
    """One person leaves with all her edges."""
    people, edges = world
    return ((people - {v}, frozenset(e for e in edges if v not in e)) for v in people)


@pytest.mark.bears("for", "units-edges-and-nodes")
@pytest.mark.parametrize("name", GRAPHS)
def test_a_guarantee_for_who_joins_or_leaves_covers_an_edge_at_twice_the_price(name):
    """Chapter 03 (c): two steps (leave, come back without it), attained by a noisy "are 0 and 1 friends?"."""
    def distribution(world):
        people, edges = world
        truth, a = (2 * ((0, 1) in edges) if {0, 1} <= people else 1), math.exp(-EPSILON)
        return {o: a ** abs(o - truth) * ((1 - a) if o == 1 else 1) / (1 + a) for o in range(3)}
    everybody, edges = frozenset(range(len(GRAPHS[name]))), frozenset(relations.SMALL_GRAPHS[name])
    assert worst_case(Table(distribution), worlds(len(everybody)), leaves).epsilon == pytest.approx(EPSILON)
    found = worst_case(Table(distribution), [(everybody, edges), (everybody, edges - {(0, 1)})])
    assert found.epsilon == pytest.approx(2 * EPSILON)
    without = set(leaves((everybody, edges))) & set(leaves((everybody, edges - {(0, 1)})))
    assert without                                     # one world lies between the two: two steps are enough
