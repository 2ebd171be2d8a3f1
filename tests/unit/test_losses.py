"""Losses on a grid: where it has a place delta is the pair's own, elsewhere above it, and each error is covered."""

import math
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest

from privgraph.privacy import FinitePair, GaussianPair, LaplacePair, pure_pair
from privgraph.privacy.losses import (
    LOSS,
    RELATIVE,
    Losses,
    bins,
    chord,
    largest_but,
    log_difference,
    losses_of,
    relative,
)

FINITE = [pure_pair(math.log(2)), FinitePair((0.7, 0.2, 0.1), (0.3, 0.3, 0.4)),
          FinitePair((0.6, 0.399, 1e-3), (0.4, 0.6, 0.0))]
CONTINUOUS = [GaussianPair(1.0), GaussianPair(3.0, 0.2), LaplacePair(2.0), LaplacePair(0.7, 0.1)]


def delta_of(found: Losses, step: float, epsilon: float) -> float:
    gap = np.maximum(found.places * step - epsilon, 0.0)
    return found.lost + float(np.exp(found.mass) @ -np.expm1(-gap))


@pytest.mark.parametrize("step", [0.01, 0.3, 1.0])
@pytest.mark.parametrize("forth", [True, False])
@pytest.mark.parametrize("pair", FINITE + CONTINUOUS, ids=str)
def test_the_dots_are_those_of_the_curve(pair, forth, step):
    """At places of the grid delta is what it was, and between them at most what convexity allows."""
    found = losses_of(pair, forth, step, math.log(1e-20))
    assert found.lost + np.exp(found.mass).sum() == pytest.approx(1, abs=1e-12)
    for place in range(6):
        true = curve(pair, forth, place * step)
        assert true * (1 - 1e-12) <= delta_of(found, step, place * step) <= true * (1 + 1e-9) + 1e-14
        true, between = curve(pair, forth, (place + 0.4) * step), delta_of(found, step, (place + 0.4) * step)
        assert true * (1 - 1e-12) <= between <= curve(pair, forth, place * step) * (1 + 1e-9) + 1e-14
    assert found.convert == pytest.approx(chord(step), rel=1e-6, abs=0) and found.spread == step


def curve(pair, forth: bool, epsilon: float) -> float:
    """delta of one direction: from the outcomes, or by the other direction, in which the closed form is known."""
    if isinstance(pair, FinitePair):
        p, loss = pair.sides[0 if forth else 1]
        return float(p @ -np.expm1(-np.maximum(loss - epsilon, 0)))
    above_p, _, above_q, _ = (math.exp(float(tail[0])) for tail in pair.tails(np.array([epsilon]), forth))
    return above_p - math.exp(epsilon) * above_q


@pytest.mark.parametrize("step", [1e-3, 0.02])
def test_the_chord_of_a_cell_is_as_long_as_it_says(step):
    """By how much the mean of L' is above a loss l of [0, h], at the worst l."""
    loss = np.linspace(0, step, 2001)
    lift = np.expm1(-loss) / np.expm1(-step) * step - loss
    assert lift.max() <= chord(step) <= lift.max() * (1 + 2 * step)


def test_losses_on_the_grid_stay_where_they_are():
    pair = FinitePair((0.2, 0.5, 0.3), (0.2 * math.exp(-0.3), 0.5 - 0.2 * math.expm1(-0.3) - 0.3 * math.expm1(0.5),
                                        0.3 * math.exp(0.5)))
    found = losses_of(SimpleNamespace(sides=[(np.array(pair.p), np.array([0.3, 0.0, -0.5]))]), True, 0.1, -40.0)
    assert found.first == -5 and found.spread == found.convert == found.cut == found.lost == found.certain == 0
    assert np.exp(found.mass) == pytest.approx([0.3, 0, 0, 0, 0, 0.5, 0, 0, 0.2, 0], abs=1e-15)


@pytest.mark.parametrize("off", [-1.9, -1.1, -0.9, 0.0, 0.9, 1.1, 1.9, 2.1, 2.9])
@pytest.mark.parametrize("place", [-7, 0, 7])
def test_a_loss_that_is_put_on_the_grid_moves_no_further_than_the_slack(place, off):
    """Next to a place by some 1e-9 of a step: on it, within the slack, or divided among its neighbours."""
    step, loss = 0.5, (place + off * 1e-9) * 0.5
    found = losses_of(SimpleNamespace(sides=[(np.ones(1), np.array([loss]))]), True, step, -40.0)
    likeliest = found.places[np.argmax(found.mass)] * step
    assert found.slack <= 2.1e-9 * step
    assert found.spread == step or loss - found.slack <= likeliest <= loss + found.slack
    assert np.exp(found.mass).sum() == pytest.approx(1, abs=1e-12)
    assert found.convert == (pytest.approx(chord(step)) if found.spread else 0.0)


def test_no_more_than_all_is_moved_up():
    with np.errstate(divide="ignore"):
        found = losses_of(SimpleNamespace(sides=[(np.ones(1), np.array([39.9]))]), True, 40.0, -40.0)
    assert np.exp(found.mass[-2:]) == pytest.approx([0, 1])


def test_what_is_lost_for_certain_lies_between_its_ends():
    found = losses_of(FINITE[2], True, 0.1, -40.0)
    assert found.certain < 1e-3 < found.lost < found.certain * (1 + 3 * LOSS)
    assert (found := losses_of(FINITE[2], False, 0.1, -40.0)).certain == found.lost == 0


@pytest.mark.parametrize("forth", [True, False])
@pytest.mark.parametrize("pair", CONTINUOUS, ids=str)
def test_what_lies_outside_is_counted(pair, forth):
    step, log_cut = 0.01, math.log(1e-8)
    found = losses_of(pair, forth, step, log_cut)
    ends = step * found.places[[0, -1]]
    above, below, *_ = pair.tails(ends, forth)
    outside = math.exp(above[1]) + math.exp(below[0])
    assert math.exp(above[1]) <= found.lost <= math.exp(above[1]) * (1 + 1e-8) and found.certain == 0
    assert outside <= found.cut <= outside + 1.1e-8
    assert found.slack == pytest.approx(LOSS * (1 + abs(math.log(pair.rate))) * np.abs(ends).max(), abs=0)
    low, high = pair.loss_range(forth, log_cut)
    assert ends[0] <= low <= ends[0] + 3 * step and high <= ends[1] <= high + 2 * step
    cut = losses_of(pair, forth, step, log_cut, top=high / 2)  # ends earlier, and forgets nothing
    assert cut.lost + np.exp(cut.mass).sum() == pytest.approx(1, abs=1e-13 + 2e-9 * cut.lost)
    assert cut.lost >= math.exp(pair.tails(np.array([cut.places[-1] * step]), forth)[0][0])


@pytest.mark.parametrize("off", [-0.5, 0.0, 0.5])
def test_cells_add_up_to_tails_that_are_not_too_small(off):
    """A normal number's, with 400 digits; what goes in is off by half of what the file allows, either way."""
    places = [-20.0, -3.0, -1.0, -0.9999999, 0.0, 1e-6, 0.5, 4.0, 12.0, 30.0]
    with mpmath.workdps(400), np.errstate(divide="ignore"):
        below, above = [mpmath.ncdf(x) for x in places], [mpmath.ncdf(-mpmath.mpf(x)) for x in places]
        logs = [np.array([float(mpmath.log(tail)) for tail in tails]) for tails in (above, below)]
        given = [log + off * RELATIVE * (1 + np.abs(log)) for log in logs]
        cells, log_error = bins(*given, 0.0)
        for cell, error, low, high in zip(cells, log_error, below, below[1:], strict=False):
            assert abs(mpmath.exp(float(cell)) - (high - low)) <= 2 * mpmath.exp(float(error))
        cells = [mpmath.exp(float(cell)) for cell in bins(*given, 1.0)[0]]
        for i, place in enumerate(places):
            if place > 0:
                assert sum(cells[i:], mpmath.exp(logs[0][-1] + 1e-11)) >= above[i]
            else:
                assert sum(cells[:i], mpmath.exp(logs[1][0] - 1e-11)) <= below[i]


def test_relative_errors_of_tails():
    assert relative(np.array([0.0, -9.0, 9.0])) == pytest.approx(RELATIVE * np.array([1, 10, 10]), abs=0)
    assert np.isfinite(relative(np.array([-math.inf]))).all()


def test_differences_of_logarithms():
    with np.errstate(divide="ignore"):
        found = log_difference(np.array([-1e-20, -1.0, -800.0, 0.0, 1e-16, math.nan, -math.inf]))
    assert found == pytest.approx([math.log(1e-20), math.log(1 - math.exp(-1)), 0, *[-math.inf] * 3, 0], rel=1e-12,
                                  abs=0)


def test_the_largest_but_for_a_little_mass():
    values, mass = np.array([5.0, 1.0, 9.0, 3.0]), np.array([0.1, 0.5, 0.0, 0.4])
    for most, found in ((0.05, (5, 0)), (0.2, (3, 0.1)), (0.55, (1, 0.5)), (9.0, (1, 0.5))):
        assert largest_but(values, mass, most) == pytest.approx(found)
    assert largest_but(values, 0 * mass, 0.1) == (0, 0)
