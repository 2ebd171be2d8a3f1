import math

import pytest

from privgraph.privacy import Guarantee, compose


def test_an_edge_in_two_lists_costs_twice_a_slot():
    slot = Guarantee(1.5, unit="neighbour slot", relation="add/remove", basis="proved")
    edge = slot.lift("undirected edge")
    assert (edge.epsilon, edge.unit, edge.basis) == (3.0, "undirected edge", "proved")
    assert edge.lift("node", 4).epsilon == 12.0
    assert edge.lift("node", 0).epsilon == 0.0


def test_group_privacy_of_delta():
    one = Guarantee(0.5, 1e-6, unit="one feature", relation="replace")
    three = one.lift("feature vector", 3)
    assert three.delta == pytest.approx(1e-6 * (1 + math.exp(0.5) + math.exp(1.0)))


def test_lift_to_the_same_unit_changes_nothing():
    label = Guarantee(1.0, unit="label")
    assert label.lift("label") is label


@pytest.mark.parametrize("call, message", [
    (lambda g: g.lift("undirected edge"), "'label' cannot be lifted to 'undirected edge'"),
    (lambda g: Guarantee(1.0, unit="undirected edge", relation="add/remove").lift("node"), "say how many"),
    (lambda g: Guarantee(1.0, unit="undirected edge").lift("node", 2), "under 'add/remove' only, got 'replace'"),
    (lambda g: Guarantee(1.0, unit="neighbour slot", relation="add/remove").lift("undirected edge", 1),
     "count must be a whole number, between 2 and 2, got 1"),
    (lambda g: Guarantee(1.0, unit="label", relation="add/remove").lift("node"), "under 'replace' only"),
    (lambda g: g.lift("node").lift("features and label"), "'node' cannot be lifted to 'features and label'"),
    (lambda g: compose(g, Guarantee(1.0, unit="feature vector")), "within one unit only"),
    (lambda g: compose(g, Guarantee(1.0, unit="label", relation="add/remove")), "within one relation only"),
    (lambda g: compose(g, Guarantee(1.0, unit="label", trust="central")), "within one trust only"),
    (lambda g: compose(), "at least one"),
    (lambda g: Guarantee(-1.0), "epsilon must be at least 0"),
    (lambda g: Guarantee(math.nan), "epsilon must be at least 0"),
    (lambda g: Guarantee(1.0, delta=1.0), "delta must lie in"),
    (lambda g: Guarantee(1.0, unit="person"), "unit must be one of .* got 'person'"),
    (lambda g: Guarantee(1.0, relation="swap"), "relation must be one of"),
    (lambda g: Guarantee(1.0, basis="hoped"), "basis must be one of"),
    (lambda g: Guarantee(math.inf, 0.1, unit="one feature").lift("feature vector", 2), "infinite epsilon"),
])
def test_what_does_not_add_up_raises(call, message):
    with pytest.raises(ValueError, match=message):
        call(Guarantee(1.0, unit="label"))


def test_composition_adds_and_keeps_the_weakest_basis():
    total = compose(Guarantee(1.0, 1e-6, unit="node", basis="proved", claimed=0.5),
                    Guarantee(2.0, 2e-6, unit="node", basis="audited"))
    assert (total.epsilon, total.delta, total.basis, total.claimed) == (3.0, pytest.approx(3e-6), "audited", None)
