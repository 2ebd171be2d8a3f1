"""The exact audit against hand counts and brute force, and every finite mechanism on three small graphs,
unit by unit."""

import math
import time
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privgraph.audit import Independent, delta_curve, finite_pair, relations, worst_case
from privgraph.mechanisms import GRRFS, MultiBit, NoisyArgMax, RandomisedResponse

GRAPHS = {name: relations.neighbour_lists(edges) for name, edges in relations.SMALL_GRAPHS.items()}


class Tabled:
    """A mechanism given by its table."""

    def __init__(self, table):
        self.table = table

    def distribution(self, x):
        return self.table[x]


def test_the_witness_is_a_witness():
    mechanism = Tabled({"a": {0: 0.5, 1: 0.5}, "b": {0: 0.2, 1: 0.8}, "c": {0: 0.4, 1: 0.6}})
    found = worst_case(mechanism, "abc")
    assert (found.input, found.neighbour, found.outcome) == ("a", "b", 0)
    assert found.epsilon == pytest.approx(math.log(2.5))


def test_supports_that_differ_are_infinite():
    mechanism = Tabled({"a": {0: 1.0}, "b": {0: 0.5, 1: 0.5}})
    found = worst_case(mechanism, "ab")
    assert (found.epsilon, found.input, found.neighbour, found.outcome) == (math.inf, "b", "a", 1)
    assert delta_curve(mechanism, "ab", [0.0, 50.0]).tolist() == [0.5, 0.5]


def test_only_neighbours_are_compared_and_both_ways():
    mechanism = Tabled({"a": {0: 0.5, 1: 0.5}, "b": {0: 0.25, 1: 0.75}, "c": {0: 0.01, 1: 0.99}})
    ring = {"a": "b", "b": "", "c": ""}
    assert worst_case(mechanism, "a", ring.get).epsilon == pytest.approx(math.log(2))
    swapped = worst_case(mechanism, "b", lambda x: "a")
    assert (swapped.input, swapped.neighbour) == ("a", "b")


@settings(max_examples=40)
@given(st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any), min_size=2, max_size=4),
       st.floats(0, 3))
def test_delta_is_the_largest_over_all_sets_of_outcomes(counts, epsilon):
    rows = [{o: c / sum(row) for o, c in enumerate(row)} for row in counts]
    brute = max(sum(p[o] - math.exp(epsilon) * q[o] for o in chosen)
                for p in rows for q in rows if p is not q
                for bits in product((0, 1), repeat=4) for chosen in [[o for o in range(4) if bits[o]]])
    found = delta_curve(Tabled(rows), range(len(rows)), [epsilon])[0]
    assert found == pytest.approx(max(brute, 0), abs=1e-12)


def test_a_million_cells_take_seconds():
    tables = np.random.default_rng(0).dirichlet(np.ones(1000), 32)
    mechanism = Tabled([dict(enumerate(row.tolist())) for row in tables])
    start = time.process_time()
    found = worst_case(mechanism, range(32))  # 32 x 31 pairs x 1,000 outcomes
    assert time.process_time() - start < 5
    logs = np.log(tables)
    assert found.epsilon == pytest.approx(np.max(logs[:, None] - logs[None]))


@pytest.mark.parametrize("bad, message", [
    ({0: 0.5, 1: 0.4}, "sum to 1, got sum 0.9"),
    ({0: 1.5, 1: -0.5}, "non-negative"),
])
def test_a_table_that_is_no_distribution_is_refused(bad, message):
    with pytest.raises(ValueError, match=message):
        worst_case(Tabled([bad, bad]), range(2))


def test_one_input_has_nothing_to_be_compared_with():
    with pytest.raises(ValueError, match="at least two values"):
        worst_case(RandomisedResponse(1.0, 2), [0])


# Graphs: each unit, slot by slot and once more with all outcomes enumerated together.

UNITS = [("change_slot", lambda n: 1), ("change_edge", lambda n: 2), ("swap_in_list", lambda n: 2),
         ("change_node", lambda n: 2 * (n - 1))]


@pytest.mark.bears("for", "units-edge-in-two-lists", "units-swap-two-flips")
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("relation, bits", UNITS)
def test_randomised_response_on_neighbour_lists(name, relation, bits):
    """A slot costs eps, an edge in two lists 2 eps, a swap 2 eps, a node all the bits that name it."""
    n, epsilon = len(GRAPHS[name]), 0.7
    mechanism = Independent((RandomisedResponse(epsilon, 2),) * (n * (n - 1)), split=relations.bits)
    graphs = [GRAPHS[name], relations.neighbour_lists([], n)]  # a node of the empty graph can change every bit
    if relation == "swap_in_list" and name == "triangle":
        with pytest.raises(ValueError, match="without a neighbour"):  # a full list has nothing to swap in
            worst_case(mechanism, [GRAPHS[name]], relations.swap_in_list)
        return
    found = worst_case(mechanism, graphs, getattr(relations, relation))
    assert found.epsilon == pytest.approx(bits(n) * epsilon)
    if n == 3:  # 64 outcomes together
        class Whole:
            distribution = mechanism.distribution
        assert worst_case(Whole(), graphs, getattr(relations, relation)).epsilon == pytest.approx(found.epsilon)


def one_person(values):
    """The relation "one person's value is replaced by any other"."""
    def neighbours(x):
        return ((*x[:v], value, *x[v + 1:]) for v in range(len(x)) for value in values)
    return neighbours


PER_PERSON = {
    "label": (RandomisedResponse(1.3, 3), range(3)),
    "multi-bit": (MultiBit(1.3, 2), list(product((0.0, 1.0), repeat=2))),
    "GRR-FS": (GRRFS(1.3, (2, 3), 1), list(product(range(2), range(3)))),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("kind", PER_PERSON)
def test_one_report_a_person_costs_its_own_epsilon_whatever_the_graph(name, kind):
    mechanism, values = PER_PERSON[kind]
    everybody = Independent((mechanism,) * len(GRAPHS[name]))
    start = (values[0],) * len(GRAPHS[name])
    found = worst_case(everybody, [start], one_person(values))
    assert found.epsilon == pytest.approx(mechanism.guarantee.epsilon, abs=1e-9)


@pytest.mark.bears("for", "lpgnn-total")
def test_label_and_features_of_a_node_add():
    person = Independent((RandomisedResponse(0.5, 3), MultiBit(1.0, 2)))
    people = [(y, x) for y in range(3) for x in product((0.0, 1.0), repeat=2)]
    assert worst_case(person, people).epsilon == pytest.approx(1.5)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("noise", ["gumbel", "laplace"])
def test_noisy_majority_of_a_neighbourhood(name, noise):
    """Node unit, replace: one person's label moves the vote shares of node 0's neighbourhood;
    below the simplex's worst."""
    lists, mechanism = GRAPHS[name], NoisyArgMax(0.5, 2, noise)
    class Vote:
        def distribution(self, labels):
            voters = sorted(lists[0])
            share = sum(labels[v] for v in voters) / len(voters)
            return mechanism.distribution((1 - share, share))
    found = worst_case(Vote(), product(range(2), repeat=len(lists)), one_person(range(2)))
    assert found.epsilon <= mechanism.guarantee.epsilon + 1e-12
    assert (found.epsilon == pytest.approx(mechanism.guarantee.epsilon)) == (len(lists[0]) == 1)  # a lone voter


def test_slots_give_the_same_curve_as_all_outcomes_together():
    slots = Independent((RandomisedResponse(0.5, 3), RandomisedResponse(1.0, 2)))
    inputs, epsilons = list(product(range(3), range(2))), [0.0, 0.3, 1.0, 1.4, 1.5]
    class Whole:
        distribution = slots.distribution
    assert delta_curve(slots, inputs, epsilons) == pytest.approx(delta_curve(Whole(), inputs, epsilons), abs=1e-12)
    assert delta_curve(slots, inputs, [1.4, 1.5 + 1e-9])[0] > 1e-4
    assert delta_curve(slots, inputs, [1.5 + 1e-9])[0] == 0
    assert finite_pair(RandomisedResponse(1.0, 2), 0, 1).epsilon == pytest.approx(1.0)


def test_relations_by_hand():
    path = GRAPHS["path-3"]
    assert path == (frozenset({1}), frozenset({0, 2}), frozenset({1}))
    assert len(list(relations.change_slot(path))) == 6
    assert len(list(relations.change_edge(path))) == 3
    assert list(relations.swap_in_list(path)) == [(frozenset({2}), *path[1:]), (*path[:2], frozenset({0}))]
    assert relations.bits(path) == (1, 0, 1, 1, 0, 1)
    changed = set(relations.change_node(path))
    assert relations.neighbour_lists([(0, 1), (0, 2)]) in changed  # one node's edges were replaced
    assert relations.neighbour_lists([], 3) in changed and path in changed
    assert all(u in lists[v] for lists in changed for v in range(3) for u in range(3) if v in lists[u])
