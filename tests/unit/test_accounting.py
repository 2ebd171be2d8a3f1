"""Accountants: every number by two routes, and the direction of every bound."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privgraph.privacy import (
    ORDERS,
    Bracket,
    Budget,
    FinitePair,
    GaussianPair,
    LaplacePair,
    Step,
    account,
    advanced_composition,
    basic_composition,
    classic_conversion,
    exact_delta,
    exact_epsilon,
    improved_conversion,
    pld_epsilon,
    pure_pair,
    rdp_epsilon,
    response_pair,
)
from privgraph.privacy.accounting import MOST_COMPOSED, certain, least, pld_bracket, tightest

BUDGETS = [(0.1, 0.3, 100, 1e-4), (1.0, 0.3, 30, 1e-3), (0.5, 1.0, 50, 1e-6), (2.0, 0.05, 20, 1e-5)]


def optimal_composition(epsilon: float, count: int, delta: float) -> float:
    """The optimal composition of Kairouz, Oh and Viswanath (2015): the smallest (count - 2i)
    epsilon whose delta_i is small enough."""
    norm = (1 + math.exp(epsilon)) ** count
    best = count * epsilon
    for i in range(count // 2 + 1):
        lost = sum(math.comb(count, k) * (math.exp((count - k) * epsilon) - math.exp((count - 2 * i + k) * epsilon))
                   for k in range(i)) / norm
        if lost <= delta:
            best = (count - 2 * i) * epsilon
    return best


@pytest.mark.parametrize("epsilon, count, delta", [(0.1, 20, 1e-3), (0.5, 30, 1e-2), (1.0, 9, 1e-4)])
def test_exact_epsilon_against_the_closed_form(epsilon, count, delta):
    """The closed form lists epsilons in steps of 2 eps; the exact one lies at most one step below it."""
    listed, found = optimal_composition(epsilon, count, delta), exact_epsilon(pure_pair(epsilon), count, delta)
    assert listed - 2 * epsilon < found <= listed + 1e-9
    assert exact_delta(pure_pair(epsilon), count, listed) <= delta


@settings(max_examples=40)
@given(st.floats(0.05, 2), st.floats(0.05, 1), st.integers(1, 6), st.floats(0, 3))
def test_exact_delta_is_the_product_of_the_pairs(base, rate, count, epsilon):
    pair = pure_pair(base).poisson(rate)
    product = pair
    for _ in range(count - 1):
        product = product.times(pair)
    assert exact_delta(pair, count, epsilon) == pytest.approx(product.delta(epsilon), abs=1e-9)


@pytest.mark.parametrize("base, rate, count, delta", BUDGETS)
def test_every_bound_is_on_its_side_of_the_exact_epsilon(base, rate, count, delta):
    steps = [Step(pure_pair(base).poisson(rate), count)]
    rows = account(steps, delta)
    exact = rows["exact"]
    assert exact_delta(steps[0].pair, count, exact) == pytest.approx(delta, rel=1e-6, abs=0)
    assert rows["PLD, optimistic"] <= exact <= rows["PLD, pessimistic"]
    assert rows["PLD, pessimistic"] - rows["PLD, optimistic"] <= 0.01 * rows["PLD, pessimistic"]
    assert exact < rows["RDP, improved"] < rows["RDP, classic"]
    assert exact <= rows["advanced"] <= rows["basic"] + 1e-12
    assert rows["PLD, pessimistic"] < rows["RDP, improved"]


def test_a_coarse_grid_exceeds_rdp_and_still_brackets():
    steps = [Step(pure_pair(0.1).poisson(0.3), 1000)]
    coarse, exact = pld_bracket(steps, 1e-3, interval=1e-3), exact_epsilon(steps[0].pair, 1000, 1e-3)
    assert coarse.optimistic < exact < rdp_epsilon(steps, 1e-3) < coarse.pessimistic
    assert exact == pytest.approx(2.943, abs=5e-4)


@pytest.mark.parametrize("pair", [LaplacePair(2.0, 0.3), GaussianPair(3.0), GaussianPair(2.0, 0.2),
                                  response_pair(1.0, 3)])
def test_pld_of_one_use_brackets_the_closed_form(pair):
    """The other route to the PLD: the pair's own delta curve."""
    delta = 0.5 * pair.delta(0.0)
    found = pld_epsilon([Step(pair)], delta)
    assert pair.delta(found.pessimistic) <= delta <= pair.delta(found.optimistic) + 1e-12


def test_different_steps_add():
    """RDP and PLD of two kinds of steps: between each alone and their sum; Gaussians compose in closed form."""
    laplace, gauss = Step(LaplacePair(5.0), 10), Step(GaussianPair(4.0), 5)
    both = rdp_epsilon([laplace, gauss], 1e-5)
    assert max(rdp_epsilon([s], 1e-5) for s in (laplace, gauss)) < both
    assert both < sum(rdp_epsilon([s], 5e-6) for s in (laplace, gauss))
    one = GaussianPair(4.0 / math.sqrt(5))  # five Gaussian releases are one with sigma / sqrt 5
    assert rdp_epsilon([gauss], 1e-5) == pytest.approx(rdp_epsilon([Step(one)], 1e-5))
    bracket = pld_epsilon([gauss], 1e-5)
    assert one.delta(bracket.pessimistic) <= 1e-5 <= one.delta(bracket.optimistic)
    bracket = pld_epsilon([laplace, Step(LaplacePair(5.0), 5)], 1e-5)
    assert bracket.pessimistic == pytest.approx(pld_epsilon([Step(LaplacePair(5.0), 15)], 1e-5).pessimistic, rel=0.02,
                                                abs=0)


@pytest.mark.bears("for", "dp-rdp")
@settings(max_examples=80)
@given(st.floats(0, 5), st.floats(1.01, 500), st.floats(1e-9, 0.5))
def test_improved_conversion_is_below_classic_and_right(rdp, order, delta):
    assert improved_conversion(rdp, order, delta) < classic_conversion(rdp, order, delta)


def test_conversions_by_hand():
    assert classic_conversion(1.0, 3.0, math.exp(-4)) == pytest.approx(1 + 4 / 2)
    assert improved_conversion(1.0, 3.0, math.exp(-4)) == pytest.approx(1 + math.log(2 / 3) + (4 - math.log(3)) / 2)
    assert improved_conversion(0.01, 2.0, 0.9) == 0.0


@pytest.mark.bears("for", "dp-rdp")
@settings(max_examples=60)
@given(st.floats(0.1, 5), st.floats(1.05, 30), st.floats(1e-6, 0.3))
def test_no_conversion_falls_below_the_truth_for_the_gaussian(sigma, order, delta):
    """delta at the converted epsilon, computed exactly, is at most delta."""
    pair = GaussianPair(sigma)
    for convert in (classic_conversion, improved_conversion):
        assert pair.delta(convert(pair.rdp(order), order, delta)) <= delta * (1 + 1e-9)


def test_the_best_order_is_taken():
    steps = [Step(GaussianPair(4.0), 10)]
    each = [improved_conversion(10 * order / 32, order, 1e-5) for order in ORDERS]
    assert rdp_epsilon(steps, 1e-5) == pytest.approx(min(each))
    assert rdp_epsilon(steps, 1e-5, orders=[2]) == pytest.approx(improved_conversion(10 * 2 / 32, 2, 1e-5))
    assert {1.01, 1.1, 1.9, *range(2, 65), 128, 1024, 2**20, 2**30} < set(ORDERS)


@pytest.mark.parametrize("sigma, best", [(0.226, 2), (17.0, 64)])
def test_the_orders_at_which_one_search_ends_and_the_next_begins_are_tried(sigma, best):
    steps = [Step(GaussianPair(sigma))]
    found, others = rdp_epsilon(steps, 1e-5), [order for order in ORDERS if order != best]
    assert found == rdp_epsilon(steps, 1e-5, orders=(best,)) < rdp_epsilon(steps, 1e-5, orders=others)


def test_infinite_divergences_of_large_orders_do_not_hide_finite_ones():
    inf = math.inf
    assert least({2: 3.0, 3: 2.0, 4: inf, 5: inf, 6: inf}.get, range(2, 7)) == 2.0
    assert least({2: inf, 3: inf, 4: inf}.get, range(2, 5)) == inf
    assert 1e308 < rdp_epsilon([Step(GaussianPair(10**-149.5), 2 * 10**9)], 1e-5) < inf  # of order 1.01 and few others


@pytest.mark.parametrize("steps, delta, least", [
    ([Step(LaplacePair(10.0), 10**6)], 1e-5, 1.05), ([Step(GaussianPair(2200.0), 10)], 1e-5, 2048),
    ([Step(pure_pair(1e-6), 10**6)], 1e-5, 10**6), ([Step(LaplacePair(3.0, 0.3), 10**5)], 1e-6, 1.1)])
def test_no_order_is_left_out_where_budgets_are_very_large_or_small(steps, delta, least):
    """Orders from 2 to 1,024 gave 9,654 for a million uses of .1, where advanced composition has 5,476."""
    found, old = rdp_epsilon(steps, delta), rdp_epsilon(steps, delta, orders=(*range(2, 65), 128, 256, 512, 1024))
    assert found < 0.95 * old and found <= rdp_epsilon(steps, delta, orders=(least,)) * (1 + 1e-9)
    assert found <= advanced_composition(steps[0].pair.epsilon, steps[0].count, delta)
    assert found <= rdp_epsilon(steps, delta, orders=ORDERS[::-1]) * (1 + 1e-9)  # no better one after a worse one


def test_advanced_composition_by_hand():
    expected = 100 * 0.1 * math.tanh(0.05) + 0.1 * math.sqrt(2 * 100 * math.log(1e5))
    assert advanced_composition(0.1, 100, 1e-5) == pytest.approx(expected)
    assert advanced_composition(0.1, 1, 1e-5) == pytest.approx(0.1)  # never above the sum
    assert advanced_composition(math.inf, 3, 1e-5) == math.inf
    mean = FinitePair.divergence(*pure_pair(1.0).directions[0], 1 + 1e-6)
    assert mean == pytest.approx(math.tanh(0.5), abs=1e-5)  # the mean loss of randomised response


def test_one_sample_for_all_that_was_composed_amplifies_it():
    """A budget with rate gamma: (e, delta / gamma) becomes (ln(1 + gamma (e^e - 1)), delta)."""
    steps = (Step(pure_pair(1.0), 3),)
    told, whole = Budget(steps, rate=0.2).epsilon(1e-6), pld_epsilon(list(steps), 5e-6)
    for mine, before in ((told.optimistic, whole.optimistic), (told.pessimistic, whole.pessimistic)):
        assert mine == pytest.approx(math.log1p(0.2 * math.expm1(before)), rel=1e-12, abs=0)
    assert Budget(steps).epsilon(1e-6) == pld_epsilon(list(steps), 1e-6)
    assert Budget(steps, rate=0.2).epsilon(0.5) == Bracket(0.0, 0.0)  # more than the whole sample may be spent


def test_a_rare_outcome_that_gives_everything_away_is_left_to_delta():
    """Its loss is infinite, and its probability below delta: epsilon is that of the other outcomes."""
    pair = FinitePair((0.6, 0.399999, 1e-6), (0.4, 0.6, 0.0))
    assert pair.epsilon == math.inf
    assert pld_epsilon([Step(pair)], 1e-4).pessimistic == pytest.approx(math.log(1.5), rel=1e-2, abs=0)


def test_what_is_given_away_more_often_than_delta_has_no_epsilon():
    """Once in ten uses; in two uses with probability .19."""
    pair = FinitePair((0.9, 0.1, 0.0), (0.9, 0.0, 0.1))
    for count, delta in ((1, 0.09), (2, 0.15), (2, 0.18)):
        assert pld_epsilon([Step(pair, count)], delta).pessimistic == math.inf
    assert pld_epsilon([Step(pair)], 0.11).pessimistic < 1e-6 and pld_epsilon([Step(pair, 2)], 0.2).pessimistic < 1e-6


def test_three_outcomes_with_large_losses_are_those_two_that_happen():
    """Of a third answer e^-1000 is all that is left: a list of products against a binomial sum."""
    listed, summed = (pld_epsilon([Step(pair.poisson(0.3), 20)], 1e-4)
                      for pair in (response_pair(1000.0, 3), pure_pair(1000.0)))
    assert summed.optimistic <= listed.optimistic < listed.pessimistic <= summed.pessimistic < 13_981


def test_no_budget_costs_nothing_and_the_smallest_numbers_are_taken():
    assert classic_conversion(0.0, 2.0, 0.5) == pytest.approx(math.log(2)) and improved_conversion(0.0, 2.0, 0.5) == 0
    for conversion in (classic_conversion, improved_conversion):
        with pytest.raises(ValueError, match="rdp must be at least 0"):
            conversion(-0.5, 2.0, 0.5)
    assert exact_epsilon(pure_pair(1.0), 1, 1e-9) == pytest.approx(1.0, abs=1e-6)
    with pytest.raises(ValueError, match="count must"):
        exact_epsilon(pure_pair(1.0), 0, 1e-9)
    with pytest.raises(TypeError, match="got 'odd'"):
        basic_composition([Step(pure_pair(1.0)), "odd"])


def test_basic_composition_and_what_account_leaves_out():
    assert basic_composition([Step(pure_pair(0.5), 4), Step(LaplacePair(2.0), 2)]) == pytest.approx(3.0)
    assert basic_composition([Step(GaussianPair(1.0))]) == math.inf
    rows = account([Step(GaussianPair(20.0), 2)], 1e-5)
    assert "advanced" not in rows and "exact" not in rows
    rows = account([Step(pure_pair(0.5)), Step(pure_pair(0.1))], 1e-5)
    assert "advanced" not in rows and "exact" not in rows
    assert "advanced" in account([Step(response_pair(0.5, 3), 2)], 1e-5)
    assert "exact" not in account([Step(response_pair(0.5, 3), 2)], 1e-5)


def test_a_delta_that_is_spent_anyway_needs_no_epsilon():
    assert exact_epsilon(pure_pair(0.01), 1, 0.1) == 0.0
    small = exact_epsilon(pure_pair(0.1), 5, 1e-3)  # and one that is not needs its own, however small
    assert 0 < small < 0.5 and exact_delta(pure_pair(0.1), 5, small) == pytest.approx(1e-3)


@settings(max_examples=30)
@given(st.floats(0.05, 2), st.floats(0.05, 0.95), st.integers(1, 200), st.floats(1e-8, 0.1))
def test_monotone(base, rate, count, delta):
    """Epsilon grows with the noise budget, the sampling rate and the number of uses, and falls with delta."""
    here = exact_epsilon(pure_pair(base).poisson(rate), count, delta)
    tiny = 1e-9
    assert here <= exact_epsilon(pure_pair(1.1 * base).poisson(rate), count, delta) + tiny
    assert here <= exact_epsilon(pure_pair(base).poisson(min(1, 1.1 * rate)), count, delta) + tiny
    assert here <= exact_epsilon(pure_pair(base).poisson(rate), count + 1, delta) + tiny
    assert here >= exact_epsilon(pure_pair(base).poisson(rate), count, 2 * delta) - tiny
    assert here <= count * pure_pair(base).poisson(rate).epsilon + tiny


@pytest.mark.parametrize("call, message", [
    (lambda: Step(pure_pair(1.0), 0), "count must be a whole number, at least 1"),
    (lambda: account([], 1e-5), "at least one Step"),
    (lambda: basic_composition([]), "at least one Step"),
    (lambda: rdp_epsilon([Step(pure_pair(1.0))], 0.0), "delta must lie strictly between 0 and 1, got 0.0"),
    (lambda: pld_epsilon([Step(pure_pair(1.0))], 1.0), "delta must lie strictly between"),
    (lambda: pld_epsilon([Step(pure_pair(1.0))], -0.5), "delta must lie strictly between"),
    (lambda: pld_epsilon([Step(pure_pair(1.0))], 1e-5, tolerance=0), "tolerance must lie in"),
    (lambda: advanced_composition(1.0, 10, math.nan), "delta must lie strictly between"),
    (lambda: advanced_composition(0.0, 10, 1e-5), "epsilon must be a positive number"),
    (lambda: advanced_composition(1.0, 0, 1e-5), "count must be"),
    (lambda: classic_conversion(1.0, 1.0, 1e-5), "order must be a finite number above 1"),
    (lambda: improved_conversion(1.0, 0.5, 1e-5), "order must be"),
    (lambda: improved_conversion(1.0, 2.0, -1e-5), "delta must lie"),
    (lambda: exact_delta(response_pair(1.0, 3), 2, 0.5), "two outcomes, got 3"),
    (lambda: exact_delta(pure_pair(1.0), 0, 0.5), "count must be"),
    (lambda: exact_epsilon(pure_pair(1.0), 2, 2.0), "delta must lie"),
])
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_orders_rise():
    assert ORDERS[0] > 1 and np.all(np.diff(ORDERS) > 0)


def test_the_grid_is_halved_until_the_bracket_is_narrow_enough(monkeypatch):
    """The first grid follows what others prove; a width of exactly the tolerance is narrow enough."""
    from privgraph.privacy import certified
    seen = []
    def search(widths, epsilon, tolerance):
        seen.clear()
        def both_ends(uses, forth, step, *_):
            seen.append(step)
            return epsilon - widths[len(seen) - 1], epsilon
        monkeypatch.setattr(certified, "direction_ends", both_ends)
        return certified.composed_ends([(pure_pair(1.0), 4), (pure_pair(0.5), 6)], 1e-5, tolerance, 2.0)
    assert search([3.0, 1.0 + 1e-9, 1.0], 2.0, 0.5) == (1.0, 2.0)
    assert seen == pytest.approx([seen[0], seen[0] / 2, seen[0] / 4])
    assert search([0.012, 0.009], 1.0, 0.01)[0] == 1 - 0.009
    search([0.6e-3, 0.5e-3], 0.9e-3, 0.5)  # below 1e-3 the tolerance is absolute
    assert len(seen) == 2


def test_as_many_uses_as_there_may_be_are_taken_and_one_more_is_refused(monkeypatch):
    """Of all steps together; without a grid."""
    monkeypatch.setattr("privgraph.privacy.accounting.composed_ends", lambda *_: (0.25, 0.5))
    pair = pure_pair(0.1)
    steps = [Step(pair, MOST_COMPOSED - 1), Step(LaplacePair(10.0))]
    assert pld_epsilon(steps, 1e-5) == Bracket(0.25, 0.5) and "PLD, pessimistic" in account(steps, 1e-5)
    steps.append(Step(pair))
    rows = account(steps, 1e-5)
    assert "PLD, pessimistic" not in rows and tightest(rows) == "RDP, improved"
    with pytest.raises(ValueError, match=f"count must be at most {MOST_COMPOSED} in all for privacy loss "
                                         f"distributions, got {MOST_COMPOSED + 1}; rdp_epsilon has no limit"):
        pld_epsilon(steps, 1e-5)


def test_a_million_uses_are_composed():
    """dp-accounting took 38 GiB for so many; coins are a binomial sum, Laplace noise a grid of about a million."""
    rows = account([Step(pure_pair(0.001), 10**6)], 1e-5)
    assert rows["PLD, optimistic"] <= rows["exact"] <= rows["PLD, pessimistic"] <= rows["exact"] * (1 + 1e-6)
    found = pld_epsilon([Step(LaplacePair(1000.0), 10**6)], 1e-5)  # hardly other than Gaussian noise
    assert 0.99 * found.pessimistic <= found.optimistic
    assert found.optimistic <= pld_epsilon([Step(GaussianPair(1000.0), 10**6)], 1e-5).pessimistic * 1.01
    with pytest.raises(ValueError, match="count must be a whole number, between 1 and 1000000, got 1000000000"):
        exact_delta(pure_pair(0.001), 10**9, 1.0)


@pytest.mark.parametrize("sigma", [1e-160, 1e-200])
def test_noise_that_is_none_is_refused_with_a_sentence(sigma):
    """And no row of a table is lost to it."""
    steps = [Step(LaplacePair(1.0, 0.5)), Step(GaussianPair(sigma, 0.5))]
    with pytest.raises(ValueError, match="steps must be noisier for privacy loss distributions") as refused:
        pld_epsilon(steps, 1e-5)
    assert repr(sigma) in str(refused.value)
    assert account(steps, 1e-5)["basic"] == math.inf


def test_hardly_any_noise_has_an_epsilon():
    """dp-accounting ended in an OverflowError."""
    found = pld_epsilon([Step(GaussianPair(1.0)), Step(GaussianPair(1e-3))], 1e-5)
    assert 5e5 < found.optimistic <= found.pessimistic < 5.05e5


def test_which_row_to_take():
    rows = account([Step(LaplacePair(10.0), 100)], 1e-6)
    assert tightest(rows) == "PLD, pessimistic" and tightest(account([Step(LaplacePair(1.0))], 0.0)) == "basic"
    assert tightest({"basic": 1.0, "PLD, optimistic": 0.5}) == "basic"
    with pytest.raises(ValueError, match="rows must hold at least one upper bound, got none"):
        tightest({"PLD, optimistic": 0.5})


@pytest.mark.parametrize("delta", [1.0, 1.5, -0.5, math.nan])
@pytest.mark.parametrize("ask", [lambda delta: pld_epsilon([Step(LaplacePair(1.0))], delta),
                                 lambda delta: exact_epsilon(pure_pair(1.0), 2, delta)])
def test_a_delta_that_is_none_is_refused(ask, delta):
    with pytest.raises(ValueError, match="delta must lie strictly between 0 and 1, or be 0"):
        ask(delta)


def test_without_a_delta_both_ends_are_the_pure_epsilon():
    assert pld_epsilon([Step(LaplacePair(2.0), 4), Step(pure_pair(1.0))], 0) == Bracket(3.0, 3.0)
    assert pld_epsilon([Step(GaussianPair(1.0))], 0) == Bracket(math.inf, math.inf)
    assert exact_epsilon(pure_pair(0.3), 7, 0) == 7 * pure_pair(0.3).epsilon


def test_many_gaussians_are_one_whose_epsilon_has_six_digits():
    found = pld_epsilon([Step(GaussianPair(2.0), 5), Step(GaussianPair(3.0), 4)], 1e-6)
    assert found.pessimistic - found.optimistic <= 1e-6 * found.pessimistic


def test_outcomes_that_give_all_away_add_up_over_uses():
    pair = FinitePair((0.9, 0.1, 0.0), (0.9, 0.0, 0.1))  # with .1 the outcome says which side it was
    assert certain([Step(pair)], 0.1) and not certain([Step(pair)], 0.11)
    assert certain([Step(pair, 2)], 0.19) and not certain([Step(pair), Step(pair)], 0.2)
    assert not certain([Step(LaplacePair(1.0))], 1e-12)
