"""Parts of a composition: each against sums that are carried out one by one, and each error on its side."""

import math

import numpy as np
import pytest

from privgraph.privacy import GaussianPair, LaplacePair
from privgraph.privacy.composition import FINE, OUTSIDE, UNIT, Composition, crossing, log_peak, log_sum, norm
from privgraph.privacy.losses import LOSS, RELATIVE, Losses, losses_of


def made_of(mass, first=-1, **more) -> Losses:
    about = {"lost": 0.0, "certain": 0.0, "cut": 0.0, "convert": 0.0, "spread": 0.0, "slack": 0.0, **more}
    with np.errstate(divide="ignore"):
        return Losses(first, np.log(np.array(mass)), **about)


def seven(delta: float = 1e-3, **more) -> Composition:
    return Composition([(made_of([0.1, 0.3, 0.6], **more), 4), (made_of([0.5, 0.25, 0.25], -2), 3)], 0.25, delta)


def listed(whole: Composition, s: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """(places, their probabilities, weighed by e^(s l)) of all uses, convolved one by one."""
    law = np.ones(1)
    for part, count in whole.parts:
        for _ in range(count):
            law = np.convolve(law, np.exp(part.mass + s * whole.step * part.places))
    return whole.ends[0] + np.arange(len(law)), law


def delta_of(whole: Composition, epsilon: float) -> float:
    places, law = listed(whole)
    return float(law @ -np.expm1(-np.maximum(whole.step * places - epsilon, 0)))


def test_the_law_of_all_uses_is_the_convolution():
    whole = seven()
    places, law = listed(whole)
    assert (places[0], places[-1]) == whole.ends == (-10, 4) and whole.uses == 7
    assert whole.log_moment(0.7) == pytest.approx(math.log(law @ np.exp(0.7 * 0.25 * places)))
    for epsilon in (0.0, 0.1, 0.25, 0.6):
        true = math.log(delta_of(whole, epsilon))
        assert true - 1e-9 < whole.log_delta(epsilon, -1) < true < whole.log_delta(epsilon, 1) < true + 1e-9
    assert whole.log_delta(2.0, -1) == -math.inf
    tilted = listed(whole, whole.tilt)[1] / math.exp(whole.log_moment(whole.tilt))
    y, error = whole.tilted
    assert np.linalg.norm(y[:15] - tilted) <= error < 1e-12
    above = Composition([(made_of([0.9, 0.1], first=1), 1)], 0.25, 0.23)  # all losses above the epsilon
    assert above.log_delta(0.0, 1) == pytest.approx(math.log(delta_of(above, 0.0)))


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.6])
def test_the_upper_end_is_where_delta_is_small_enough(epsilon):
    delta = delta_of(seven(), epsilon)
    assert epsilon <= seven(delta).upper() <= epsilon + 1e-6
    assert seven(0.6 * delta).upper() > epsilon + 0.05
    assert seven(delta, slack=0.01).upper() == pytest.approx(epsilon + 0.04, abs=1e-6)
    assert seven(1.01 * delta_of(seven(), 0.0)).upper() == 0
    if epsilon:
        assert seven(delta).log_delta(seven(delta).lower(1e-12), -1) > math.log(delta) + 1e-10  # still too large


def test_what_is_known_of_rounding_moves_both_ends():
    off = seven()
    off.__dict__["tilted"] = off.tilted[0], 1e-4
    assert off.upper() > seven().upper() + 1e-6 and off.lower(0.01) < seven().lower(0.01) - 1e-6


@pytest.mark.parametrize("pair, count, step", [(GaussianPair(1.0), 20, 0.05), (GaussianPair(2.0), 7, 0.01)])
def test_the_window_leaves_out_as_little_as_it_says(pair, count, step):
    whole = Composition([(losses_of(pair, True, step, -40.0), count)], step, 1e-6)
    places, tilted = listed(whole, whole.tilt)
    low, high = whole.window
    for outside in (places < low, places > high):
        assert 0 < tilted[outside].sum() <= OUTSIDE * tilted.sum()
    assert high - low < 0.8 * (places[-1] - places[0]) and whole.size >= high - low + 1


def test_the_tilt_is_about_the_best():
    whole = Composition([(losses_of(LaplacePair(1.0), True, 0.02, -40.0), 30)], 0.02, 1e-6)
    others = [whole.chernoff(whole.tilt * factor) for factor in (0.5, 0.9, 1.1, 2.0)]
    assert whole.chernoff(whole.tilt) < min(others)


def test_the_unit_of_rounding():
    assert 1 + UNIT == 1 < 1 + 1.5 * UNIT


def test_what_goes_in_may_be_off_by_its_digits():
    whole = Composition([(made_of([math.exp(-500), 0.5]), 1000)], 0.25, 1e-3)
    assert whole.relative_error >= 1000 * 2 * RELATIVE * 500


def test_some_chances_together():
    assert Composition.any([(0.1, 2), (0.5, 1)]) == pytest.approx(1 - 0.9**2 / 2)
    assert Composition.any([(1.0, 1)]) == pytest.approx(1) and Composition.any([(1e-20, 3)]) == pytest.approx(3e-20)


def test_all_of_delta_is_lost():
    lost = Composition.any([(0.1, 2)]) * (1 + LOSS)
    for delta, finite in ((0.5 * lost, False), (lost, False), (1.5 * lost, True)):
        found = Composition([(made_of([0.3, 0.3, 0.3], lost=0.1, certain=0.1), 2)], 0.25, delta)
        assert math.isfinite(found.upper()) == finite
        assert math.isfinite(found.lower(1e-9)) == (delta >= lost)


@pytest.mark.parametrize("step", [0.1, 2.0])
def test_the_lower_end_gives_way_by_hoeffding_and_by_what_was_lifted(step):
    """t = sqrt(ln(1/eta) k h^2 / 2), eta at most a tenth of the tolerated share of delta, and not far below."""
    law, delta = [0.1, 0.3, 0.6], 1e-6
    def lower(**more) -> float:
        return Composition([(made_of(law, **more), 50)], step, delta).lower(0.01)
    plain = lower()
    least, most = (step * math.sqrt(50 * math.log(1e9 * more) / 2) for more in (1, 1e3))
    assert 0.999 * least <= plain - lower(spread=step) <= most
    assert plain - lower(convert=0.01 * step) == pytest.approx(0.5 * step)
    assert plain - lower(slack=0.01 * step) == pytest.approx(0.5 * step)
    assert lower(cut=1e-7) < plain < lower(certain=1e-9)
    assert lower(certain=1e-3) == math.inf and lower(spread=100 * step) == 0


@pytest.mark.parametrize("root", [1e-12, 1e-4, 0.3, 1.0, 77.0, 1e6])
@pytest.mark.parametrize("start, width", [(1.0, 1 / 8), (50.0, 10.0), (1e-3, 1e-3), (1e6, 1e-3)])
@pytest.mark.parametrize("noise", [0.0, 1e-7])
def test_crossing(root, start, width, noise):
    """Two places that have their signs for sure, and lie as close as the noise of the function allows."""
    def excess(epsilon: float) -> float:
        return root - epsilon + noise * root * math.sin(1e9 * epsilon / root)
    low, high = crossing(excess, start, width)
    assert low < high and excess(low) > 0 >= excess(high)
    assert high - low <= (10 * FINE + 10 * noise) * max(root, start)


def test_crossing_at_once_or_never():
    assert crossing(lambda epsilon: -1.0, 1.0, 0.125) == (0.0, 0.0)
    assert crossing(lambda epsilon: 0.0, 1.0, 0.125) == (0.0, 0.0)
    assert crossing(lambda epsilon: 1.0, 1.0, 0.125)[1] == math.inf
    low, high = crossing(lambda epsilon: 1.0 if epsilon < 5 else -math.inf, 1.0, 0.125)
    assert 5 - 1e-6 < low < 5 <= high < 5 + 1e-6


def test_the_norm_from_one_half():
    values = np.sin(2 * np.pi * 3 * np.arange(64) / 64)
    assert norm(np.fft.rfft(values)) == pytest.approx(np.linalg.norm(np.fft.fft(values)))


def test_sums_and_the_peak():
    assert log_sum(np.array([-1e4, -1e4 + 1])) == pytest.approx(-1e4 + math.log(1 + math.e))
    assert log_sum(np.array([-math.inf])) == -math.inf
    z = np.linspace(0, 5, 50_001)
    for s in (0.5, 3.0, 200.0):
        assert log_peak(s) == pytest.approx(math.log((np.exp(-s * z) * -np.expm1(-z)).max()), abs=1e-4)
