import math
from dataclasses import replace

import pytest

from privgraph.privacy import Guarantee, compose, drawn, find_guarantee


@pytest.mark.bears("for", "units-edge-in-two-lists")
def test_an_edge_in_two_lists_costs_twice_a_slot():
    slot = Guarantee(1.5, unit="neighbour slot", relation="add/remove", basis="proved")
    edge = slot.convert("undirected edge")
    assert (edge.epsilon, edge.unit, edge.basis) == (3.0, "undirected edge", "proved")
    assert edge.convert("node", 4).epsilon == 12.0
    assert edge.convert("node", 0).epsilon == 0.0


@pytest.mark.parametrize("larger", ["features and label", "node"])
@pytest.mark.parametrize("smaller", ["label", "feature vector", "features and label"])
def test_a_person_has_one_label_and_one_feature_vector(larger, smaller):
    assert Guarantee(1.5, unit=smaller).convert(larger).epsilon == 1.5


@pytest.mark.bears("for", "units-group-privacy")
def test_group_privacy_of_delta():
    one = Guarantee(0.5, 1e-6, unit="one feature", relation="replace")
    three = one.convert("feature vector", 3)
    assert three.delta == pytest.approx(1e-6 * (1 + math.exp(0.5) + math.exp(1.0)))


def test_lift_to_the_same_unit_changes_nothing():
    label = Guarantee(1.0, unit="label")
    assert label.convert("label") is label


@pytest.mark.parametrize("call, message", [
    (lambda g: g.convert("undirected edge"), "'label' cannot be lifted to 'undirected edge'"),
    (lambda g: Guarantee(1.0, unit="undirected edge", relation="add/remove").convert("node"),
     r"say how many of 'undirected edge' one 'node' holds: convert\('node', count\)"),
    (lambda g: Guarantee(1.0, unit="undirected edge").convert("node", 2), "under 'add/remove' only, got 'replace'"),
    (lambda g: Guarantee(1.0, unit="neighbour slot", relation="add/remove").convert("undirected edge", 1),
     "count must be a whole number, between 2 and 2, got 1"),
    (lambda g: Guarantee(1.0, unit="label", relation="add/remove").convert("node"), "under 'replace' only"),
    (lambda g: g.convert("node").convert("features and label"), "'node' cannot be lifted to 'features and label'"),
    (lambda g: compose(g, Guarantee(1.0, unit="feature vector")),
     r"within one unit only, got feature vector and label; convert\(\) brings units together"),
    (lambda g: compose(g, Guarantee(1.0, unit="label", relation="add/remove")), "within one relation only"),
    (lambda g: compose(g, Guarantee(1.0, unit="label", trust="central")), "within one trust only"),
    (lambda g: compose(), "at least one"),
    (lambda g: Guarantee(-1.0), "epsilon must be at least 0"),
    (lambda g: Guarantee(math.nan), "epsilon must be at least 0"),
    (lambda g: Guarantee(1.0, delta=1.0), "delta must lie in"),
    (lambda g: Guarantee(1.0, unit="person"), "unit must be one of .* got 'person'"),
    (lambda g: Guarantee(1.0, relation="swap"), "relation must be one of"),
    (lambda g: Guarantee(1.0, basis="hoped"), "basis must be one of"),
    (lambda g: Guarantee(1.0, trust="hope"), "trust must be one of central, local; got 'hope'"),
    (lambda g: find_guarantee((g,), "node"), r"unit='node', relation=None, got 0 of these: label \(replace\)"),
    (lambda g: find_guarantee((g,), "label", "add/remove"), "relation='add/remove', got 0"),
    (lambda g: find_guarantee((g, g), "label"), "got 2 of these"),
    (lambda g: find_guarantee((), "label"), "of these: nothing"),
    (lambda g: find_guarantee((g,), "person"), "unit must be one of"),
    (lambda g: find_guarantee((g,), "label", "swap"), "relation must be one of"),
    (lambda g: Guarantee(math.inf, 0.1, unit="one feature").convert("feature vector", 2), "infinite epsilon"),
])
def test_what_does_not_add_up_raises(call, message):
    with pytest.raises(ValueError, match=message):
        call(Guarantee(1.0, unit="label"))


def test_composition_adds_and_keeps_the_weakest_basis():
    total = compose(Guarantee(1.0, 1e-6, unit="node", basis="proved", claimed=0.5),
                    Guarantee(2.0, 2e-6, unit="node", basis="audited"))
    assert (total.epsilon, total.delta, total.basis, total.claimed) == (3.0, pytest.approx(3e-6), "audited", None)


@pytest.mark.parametrize("epsilon, delta, count", [(1.0, 0.3, 5), (0.0, 0.2, 5), (800.0, 1e-9, 2), (800.0, 1e-9, 3),
                                                   (1.0, 1e-9, 10**6)])
def test_a_delta_of_one_or_more_leaves_nothing_to_say(epsilon, delta, count):
    """0.3 (1 + e + ... + e^4) = 25.7: every output satisfies that, and no finite epsilon is stated beside it."""
    edge = Guarantee(epsilon, delta, unit="undirected edge", relation="add/remove", basis="proved")
    node = edge.convert("node", count)
    assert (node.epsilon, node.delta, node.unit, node.basis) == (math.inf, 0.0, "node", "proved")
    below = Guarantee(1.0, 0.3, unit="undirected edge", relation="add/remove").convert("node", 1)
    assert (below.epsilon, below.delta) == (1.0, 0.3)


def test_deltas_that_add_up_to_one_leave_nothing_to_say():
    half = Guarantee(1.0, 0.5, unit="node")
    assert (compose(half, half).epsilon, compose(half, half).delta) == (math.inf, 0.0)
    assert compose(half, Guarantee(1.0, 0.49, unit="node")).delta == pytest.approx(0.99)


def test_what_holds_has_a_reason_and_secret_noise():
    secret = Guarantee(1.0, unit="label", basis="proved")
    public, = drawn([secret], "public")
    assert secret.holds and not public.holds and not replace(secret, basis="none").holds
    assert (secret.numerics, public.numerics) == ("exact", "idealised")
