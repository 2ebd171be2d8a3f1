"""What several releases about the same people cost together."""

import math

import pytest

from privgraph.privacy import Budget, GaussianPair, Guarantee, Step, pld_epsilon, pure_pair
from privgraph.privacy.repeated import Cost, epsilon_of_all, packed, unpacked


def held(epsilon, delta=0.0):
    return Guarantee(epsilon, delta, unit="node", relation="add/remove", trust="central", basis="accounted")


def test_parts_that_compose_in_their_own_way():
    pure, known = Cost(held(0.1)), Cost(held(1.0, 1e-5), Budget((Step(GaussianPair(5.0)),)))
    sampled = Cost(held(0.5, 1e-5), Budget((Step(GaussianPair(2.0), 3),), 0.1))
    unknown = Cost(held(0.3, 1e-6))
    assert epsilon_of_all([]) == 0 and epsilon_of_all([pure] * 3) == pytest.approx(0.3)
    assert epsilon_of_all([pure] * 300, 1e-5) == pld_epsilon([Step(pure_pair(0.1), 300)], 1e-5).pessimistic < 10
    both = pld_epsilon([Step(GaussianPair(5.0)), Step(pure_pair(0.1))], 1e-5).pessimistic
    assert epsilon_of_all([pure, known], 1e-5) == both
    assert epsilon_of_all([known, sampled, unknown], 1e-5) == pytest.approx(
        0.3 + known.budget.epsilon(4.5e-6).pessimistic + sampled.budget.epsilon(4.5e-6).pessimistic)
    assert epsilon_of_all([unknown, unknown], 1e-6) == math.inf == epsilon_of_all([Cost(held(math.inf)), pure])
    assert epsilon_of_all([Cost(held(0.3, 0.6))] * 2) == math.inf  # delta of 1 and more says nothing
    assert epsilon_of_all([known], 0.0 + 1e-300) < math.inf == epsilon_of_all([unknown], 1e-300)
    assert epsilon_of_all([Cost(held(0.3, 0.5))] * 2) == math.inf


def test_what_costs_nothing_changes_nothing_and_what_has_no_bound_has_no_steps():
    free, pure = Cost(held(0.0)), Cost(held(0.1))
    assert free.steps == () == Cost(held(math.inf)).steps and pure.steps == (Step(pure_pair(0.1)),)
    assert Cost(held(0.1, 1e-9)).steps == () and Cost(held(0.1), Budget((Step(GaussianPair(2.0)),), 0.5)).steps == ()
    assert epsilon_of_all([free, pure] * 300, 1e-5) == epsilon_of_all([pure] * 300, 1e-5)
    assert epsilon_of_all([free, free], 1e-5) == 0


def test_where_no_room_is_left_pure_budgets_still_add_up():
    unknown, pure = Cost(held(0.3, 1e-6)), Cost(held(0.1))
    assert epsilon_of_all([unknown, pure], 1e-6) == pytest.approx(0.4)
    assert epsilon_of_all([unknown, pure], 1e-7) == math.inf


def test_a_file_gives_back_the_budget():
    budget = Budget((Step(GaussianPair(2.0, 0.1), 3), Step(pure_pair(0.5))), 0.25)
    assert unpacked(packed(budget), "file") == budget
    with pytest.raises(ValueError, match="budget in file must hold the steps"):
        unpacked({"steps": [{"pair": "Path", "count": 1, "fields": {}}], "rate": 1.0}, "file")
