"""What several releases about the same people cost together."""

import math
from functools import cache

import pytest

from privgraph.privacy import Budget, GaussianPair, Guarantee, Step, pure_pair, rdp_epsilon
from privgraph.privacy.repeated import Cost, best_order, by_one_order, epsilon_of_all, packed, part_of, unpacked


def held(epsilon, delta=0.0):
    return Guarantee(epsilon, delta, unit="node", relation="add/remove", trust="central", basis="accounted")


PURE, KNOWN = Cost(held(0.1)), Cost(held(1.0, 1e-6), Budget((Step(GaussianPair(5.0)),)))
SAMPLED, UNKNOWN = Cost(held(0.5, 1e-6), Budget((Step(GaussianPair(2.0), 3),), 0.1)), Cost(held(0.3, 1e-6))


def test_parts_that_compose_in_their_own_way():
    third = part_of(1e-5)
    assert epsilon_of_all([]) == 0
    assert epsilon_of_all([PURE] * 3) == epsilon_of_all([PURE] * 3, 1e-5) == math.fsum([0.1] * 3)
    assert epsilon_of_all([PURE, KNOWN]) == 1.1 == epsilon_of_all([PURE, KNOWN], 1e-5, 4.0)  # 1e-6 is below a third
    order = best_order(4.0, third)
    both = rdp_epsilon([Step(pure_pair(0.1), 300), Step(GaussianPair(5.0), 9)], third, orders=[order])
    assert epsilon_of_all([PURE] * 300 + [KNOWN] * 9, 1e-5, 4.0) == pytest.approx(both) and both < 15
    many = [SAMPLED, UNKNOWN] + [KNOWN] * 9
    halves = [third / 2, third / 4]
    assert epsilon_of_all(many, 1e-5, 4.0) == pytest.approx(
        0.3 + SAMPLED.budget.epsilon(halves[0]).pessimistic
        + rdp_epsilon([Step(GaussianPair(5.0), 9)], third, orders=[order]))
    assert by_one_order([SAMPLED] * 2, third, 4.0) == pytest.approx(
        sum(SAMPLED.budget.epsilon(half).pessimistic for half in halves))
    assert epsilon_of_all([UNKNOWN] * 4, 1e-5, 4.0) == math.inf > epsilon_of_all([UNKNOWN] * 3, 1e-5, 4.0)
    assert epsilon_of_all([SAMPLED, *[UNKNOWN] * 3], 1e-5, 4.0) == math.inf  # the halves take more than is left
    all_of_it = Cost(held(0.3, third))
    assert epsilon_of_all([all_of_it], 1e-5, 4.0) == 0.3 == by_one_order([all_of_it], third, 4.0)
    assert epsilon_of_all([Cost(held(0.5, third), KNOWN.budget)], 1e-5, 4.0) == 0.5 < by_one_order([KNOWN], third, 4.0)
    assert epsilon_of_all([Cost(held(math.inf)), PURE]) == math.inf == epsilon_of_all([Cost(held(0.3, 0.5))] * 2)


def test_what_costs_nothing_changes_nothing_and_what_has_no_bound_has_no_steps():
    free = Cost(held(0.0))
    assert free.steps == () == Cost(held(math.inf)).steps and PURE.steps == (Step(pure_pair(0.1)),)
    assert Cost(held(0.1, 1e-9)).steps == () and Cost(held(0.1), Budget((Step(GaussianPair(2.0)),), 0.5)).steps == ()
    assert epsilon_of_all([free, PURE] * 300, 1e-5, 6.0) == epsilon_of_all([PURE] * 300, 1e-5, 6.0)
    assert epsilon_of_all([free, free], 1e-5) == 0


def test_the_order_is_one_whatever_was_spent():
    """It hangs on limit and delta alone, and is near the best where the limit is reached."""
    count, third = 200, part_of(1e-6)
    found = epsilon_of_all([PURE] * count, 1e-6, limit=8.0)
    best = rdp_epsilon([Step(pure_pair(0.1), count)], third)
    assert found == pytest.approx(best, rel=0.01, abs=0)
    assert best_order(8.0, third) != best_order(4.0, third) and best_order(math.inf, third) == best_order(1.0, third)


# Who sees the first result decides what comes next.

def answer(epsilon):
    """Chances of a bit's two answers, where it is 1 and where it is 0."""
    keep = 1 / (1 + math.exp(-epsilon))
    return (keep, 1 - keep), (1 - keep, keep)


def leak(delta):
    """Tells all with this chance, and nothing otherwise."""
    return (delta, 0.0), (1 - delta, 1 - delta), (0.0, delta)


def broken(choose, epsilon, done=(), p=1.0, q=1.0):
    """How much of delta a chooser of mechanisms needs, who sees each outcome: sum of max(0, P - e^epsilon Q)."""
    following = choose(done)
    if following is None:
        return max(0.0, p - math.exp(epsilon) * q)
    return math.fsum(broken(choose, epsilon, (*done, (following, outcome)), p * one, q * zero)
                     for outcome, (one, zero) in enumerate(following))


def listed(*mechanisms):
    return lambda done: mechanisms[len(done)] if len(done) < len(mechanisms) else None


def needed(options, limit, allowed, most=8):
    """What the worst chooser needs of delta, exactly: who sees each outcome, and whom ``allowed`` stops.

    :param options: by name, the chances of each outcome in the two worlds.
    """
    @cache
    def worst(used, loss):
        """From here on, in units of the chance of being here, after outcomes with this privacy loss."""
        found = [1.0 if loss == math.inf else max(0.0, 1 - math.exp(limit - loss))]
        for name in options if len(used) < most else ():
            if allowed(more := tuple(sorted((*used, name)))):
                found.append(math.fsum(one * worst(more, round(loss + (math.log(one / zero) if zero else math.inf), 9))
                                       for one, zero in options[name] if one))
        return max(found)
    return worst((), 0.0)


def lists_alone(options, limit, delta):
    """Allows each list that would keep delta if it had been decided beforehand: what accountants of lists say."""
    return cache(lambda used: broken(listed(*(options[name] for name in used)), limit) <= delta * (1 + 1e-9))


LEAKY = {"first": answer(0.5), "second": answer(0.6)}
LEAKY["leak"] = leak(broken(listed(LEAKY["first"], LEAKY["second"]), 1.0))
COSTS = {"first": Cost(held(0.5)), "second": Cost(held(0.6)), "leak": Cost(held(0.0, LEAKY["leak"][0][0]))}


def test_two_lists_that_keep_a_delta_may_break_it_together():
    """A leak after one answer, a second answer after the other: each list keeps delta, and who may choose does not."""
    first, second, third = LEAKY.values()
    delta = broken(listed(first, second), 1.0)
    assert broken(listed(first, third), 1.0) == pytest.approx(delta)
    def sly(done):
        return [first, second if done and done[0][1] == 0 else third, None][len(done)]
    assert broken(sly, 1.0) == pytest.approx(1.38 * delta, rel=0.01, abs=0)
    assert needed(LEAKY, 1.0, lists_alone(LEAKY, 1.0, delta), most=2) >= broken(sly, 1.0)
    assert needed(LEAKY, 1.0, lambda used: epsilon_of_all([COSTS[name] for name in used], delta, 1.0) <= 1) <= delta


@pytest.mark.parametrize("epsilons", [(0.3, 1.0), (0.2, 0.8), (0.4, 1.2)])
@pytest.mark.parametrize("limit, delta", [(1.5, 0.05), (1.0, 0.05), (1.5, 0.02)])
def test_whoever_chooses_in_view_of_results_keeps_the_limit(epsilons, limit, delta):
    options = {each: answer(each) for each in epsilons}
    def total(used):
        return epsilon_of_all([Cost(held(each)) for each in used], delta, limit)
    assert needed(options, limit, cache(lambda used: total(used) <= limit)) <= delta
    assert needed(options, limit, cache(lambda used: total(used) <= 2 * limit)) > delta  # a chooser finds what is there


def test_a_file_gives_back_the_budget():
    budget = Budget((Step(GaussianPair(2.0, 0.1), 3), Step(pure_pair(0.5))), 0.25)
    assert unpacked(packed(budget), "file") == budget
    with pytest.raises(ValueError, match="budget in file must hold the steps"):
        unpacked({"steps": [{"pair": "Path", "count": 1, "fields": {}}], "rate": 1.0}, "file")
