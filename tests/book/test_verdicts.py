"""The rule for averages over settings: whose luck is shared, whose is not, and how certain an average is."""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from statistics import fmean, variance

import numpy as np
import pytest
from scipy import stats

from privbook.papers.published import Printed
from privbook.papers.verdicts import (
    LATER,
    NEVER,
    SOON,
    UNTOLD,
    after,
    compare,
    difference,
    distance,
    estimate,
    less,
    outlook,
    parted,
    stratified,
    verdict,
)
from privgraph.nn import Interval

REPEATS = 2000
OWN = dict(own=2, shared=0)


def settings_and_theirs(generator: np.random.Generator, own: int, shared: int, settings: int = 16, uneven: float = 1.0,
                        between: float = 4.0) -> tuple[list[dict[int, float]], float, float]:
    """Runs of ours by setting and seed, the true average, and a printed one of ten seeds that all settings share.

    A run is its setting's mean (deviation ``between``), the luck of its seed (1.5) and luck of its own (1.0); of the
    settings the most restless scatters ``uneven`` times as much as the calmest.
    """
    means, scale = generator.normal(80, between, settings), np.geomspace(1, uneven, settings)
    scale /= np.sqrt(np.mean(scale**2))
    common = generator.normal(0, 1.5, shared + 10)
    def values(number: int, luck) -> list[float]:
        return list(means[number] + scale[number] * (luck + generator.normal(0, 1.0, len(luck))))
    ours = [dict(zip([*range(shared), *range(1000 + 100 * i, 1000 + 100 * i + own)],
                     values(i, np.concatenate([common[:shared], generator.normal(0, 1.5, own)])), strict=True))
            for i in range(settings)]
    theirs = fmean(fmean(values(i, common[shared:])) for i in range(settings))
    return ours, float(means.mean()), theirs


def covered(interval: Callable, repeats: int = REPEATS, **how) -> tuple[int, float]:
    """How often an interval of ours covers the true average, and how wide it is on average (half)."""
    generator, hits, width = np.random.default_rng(6), 0, 0.0
    for _ in range(repeats):
        ours, true, _ = settings_and_theirs(generator, **how)
        found = interval(ours)
        hits, width = hits + (found.low <= true <= found.high), width + found.half
    return hits, width / repeats


def too_few(hits: int, repeats: int = REPEATS) -> bool:
    """Whether 95% is refuted at 1e-6; of 2,000 an interval that covers in 90% is refuted nearly always."""
    return stats.binomtest(hits, repeats, 0.95, alternative="less").pvalue < 1e-6


def pooled(ours: list[Mapping[int, float]]):
    """The old rule: the seeds that all settings have, each with the mean of all."""
    shared, _ = parted(ours)
    return estimate([fmean(run[seed] for run in ours) for seed in shared]).interval


@pytest.mark.slow
@pytest.mark.parametrize("how", [OWN, dict(own=2, shared=3), OWN | dict(uneven=5.0), OWN | dict(settings=8)], ids=str)
def test_an_interval_of_an_average_covers_it(how):
    """In 95% of 2,000 cases, at level 1e-6, whatever lies between the settings and however uneven their luck is."""
    hits, _ = covered(lambda ours: stratified(ours).interval, **how)
    assert not too_few(hits)
    assert hits < 0.985 * REPEATS  # and it is not simply wide


def independent(ours: list[Mapping[int, float]]):
    """A broken twin: seeds that all settings share are taken for luck of their own."""
    return stratified([{1000 * number + seed: value for seed, value in run.items()}
                       for number, run in enumerate(ours)]).interval


def one_heap(ours: Iterable[Mapping[int, float]]):
    """A broken twin: all runs in one heap, as if the settings had one mean."""
    return estimate([value for run in ours for value in run.values()]).interval


@pytest.mark.slow
def test_shared_luck_taken_for_own_is_seen():
    """With ten seeds that all share, the twin covers far less than the old rule does."""
    how = dict(own=0, shared=10)
    assert too_few(covered(independent, **how)[0]) and not too_few(covered(pooled, **how)[0])


@pytest.mark.slow
def test_settings_in_one_heap_are_seen_to_cost_width():
    """What lies between settings is no luck: an interval that counts it is twice as wide, and hardly ever wrong."""
    hits, width = covered(one_heap, **OWN)
    _, right = covered(lambda ours: stratified(ours).interval, **OWN)
    assert hits > 0.995 * REPEATS and width > 1.8 * right


@pytest.mark.slow
def test_two_own_seeds_a_setting_are_worth_more_than_ten_shared():
    """32 runs beside 160: the average of own seeds is at least as certain, as most of a run's luck is its seed's."""
    _, own = covered(lambda ours: stratified(ours).interval, repeats=400, **OWN)
    _, shared = covered(pooled, repeats=400, own=0, shared=10)
    assert own < shared


@pytest.mark.slow
@pytest.mark.parametrize("how", [OWN, OWN | dict(uneven=5.0)], ids=str)
def test_the_verdict_of_an_average_keeps_its_level(how):
    """Theirs exactly two points off, from seeds that their settings share, is called agreement in at most 1 of 40 of
    2,000 cases, at level 1e-6; and the interval of the difference covers it."""
    generator, agree, hits = np.random.default_rng(7), 0, 0
    for _ in range(REPEATS):
        ours, _, theirs = settings_and_theirs(generator, **how)
        gap = difference(stratified(ours), theirs - 2.0, None, 10)
        agree, hits = agree + (verdict(gap) == "agrees"), hits + (gap.low <= 2.0 <= gap.high)
    assert stats.binomtest(agree, REPEATS, 0.025, alternative="greater").pvalue > 1e-6 and not too_few(hits)


@pytest.mark.slow
def test_theirs_counted_as_160_runs_is_seen():
    """A broken twin: who shares seeds between settings gains little by an average, and must not be taken to."""
    generator, hits = np.random.default_rng(8), 0
    for _ in range(REPEATS):
        ours, _, theirs = settings_and_theirs(generator, own=2, shared=0)
        gap = difference(stratified(ours), theirs, None, 160)
        hits += gap.low <= 0 <= gap.high
    assert too_few(hits)


def test_the_stratified_formula_by_hand():
    """Two settings of five runs each: Var = sum s_i^2 / (S^2 n_i), freedom by Satterthwaite with unbiased s_i^4."""
    runs = [dict(enumerate([1.0, 2.0, 3.0, 4.0, 5.0])), dict(enumerate([10.0, 10.2, 10.4, 10.4, 10.0], start=9))]
    found, spreads = stratified(runs), [variance(run.values()) for run in runs]
    parts = [spread / (4 * 5) for spread in spreads]
    assert found.mean == pytest.approx(6.6) and found.n == 10 and found.spread == fmean(spreads)
    assert found.error == pytest.approx(sum(parts))
    assert found.freedom == pytest.approx(sum(parts) ** 2 / sum(part**2 / 6 for part in parts) - 2)
    assert 4 < found.freedom < 8
    half = stats.t.ppf(0.975, found.freedom) * math.sqrt(found.error)
    assert found.interval.half == pytest.approx(half)


def test_shared_seeds_count_by_their_number_and_scatter_as_one_setting_does():
    """Old rows stay in use: one shared seed beside ten own is one of eleven."""
    own = [dict(enumerate([1.0, 2.0, 3.0, 4.0, 5.0], start=10)), dict(enumerate([3.0, 4.0, 5.0, 6.0, 7.0], start=20))]
    both = stratified([run | {0: 20.0} for run in own])
    alone = stratified(own)
    assert both.n == 11 and both.mean == pytest.approx((20.0 + 10 * alone.mean) / 11)
    assert both.error == pytest.approx((2.5 + 10**2 * alone.error) / 11**2)  # 2.5: a run of a setting
    assert both.freedom == pytest.approx(8) == alone.freedom


def test_seeds_of_an_average_that_is_not_complete_do_not_count():
    runs = [{0: 1.0, 1: 2.0, 7: 3.0}, {0: 1.0, 1: 2.0}, {0: 1.0, 9: 2.0, 8: 1.0}]
    assert parted(runs) == ([0], [[7], [], [8, 9]])
    assert stratified(runs) is None


@pytest.mark.parametrize("counts, answered", [([2] * 8, True), ([2] * 7, False), ([2] * 7 + [1], False),
                                              ([3] * 15 + [1], False),
                                              ([5, 5], True), ([4, 5], False), ([2] * 15 + [0], False), ([], False)])
def test_two_runs_a_setting_and_eight_beyond_the_first_of_each_are_the_fewest(counts, answered):
    seeds = itertools.count()
    runs = [{next(seeds): float(turn) for turn in range(count)} for count in counts]
    assert (stratified(runs) is not None) == answered


def test_where_nothing_scatters_the_average_is_exact():
    found = stratified([{2 * i: 5.0, 2 * i + 1: 5.0} for i in range(8)])
    assert (found.mean, found.error, found.interval.half) == (5.0, 0.0, 0.0)
    assert difference(found, 5.0, None, 10, 0.05).half == 0.05


PRINTED = Printed("rgnn", "Table II", "Cora", "RGNN", "GraphSAGE", {"eps_x": "1"}, "accuracy", "81.7", "1.0", "std",
                  "percent", "clean", "")


def runs(mean: float, deviation: float, n: int) -> list[float]:
    """n values with exactly this mean and standard deviation."""
    z = np.arange(n) - (n - 1) / 2
    return list(mean + deviation * z / z.std(ddof=1))


@pytest.mark.parametrize("ours, found", [
    (runs(81.0, 1.0, 10), ""),  # agrees
    (runs(81.0, 1.8, 5), SOON), (runs(81.0, 3.0, 5), LATER), (runs(78.5, 3.0, 10), LATER),
    (runs(79.5, 1.0, 10), NEVER), (runs(79.7, 0.1, 10), NEVER),  # near the end of the band
    ([81.7], UNTOLD), ([81.7, 81.8], UNTOLD)])
def test_what_an_inconclusive_value_waits_for(ours, found):
    """Theirs is 81.7 with a standard error of .32; the end of the band is at 79.7."""
    assert outlook(estimate(ours), PRINTED, 10) == found


def test_no_number_of_runs_narrows_what_the_paper_left_wide():
    """With all runs there could be, theirs is left: 2.26 standard errors of its ten runs, and the rounding."""
    ours = estimate(runs(81.7, 1.0, 10))
    gap, _ = compare(after(ours, math.inf), PRINTED, 10)
    assert gap.half == pytest.approx(stats.t.ppf(0.975, 9) * 1.0 / math.sqrt(10) + 0.05)
    assert outlook(ours, replace(PRINTED, spread="2.6"), 10) != NEVER  # the exercise of chapter 15: up to 2.7
    assert outlook(ours, replace(PRINTED, spread="2.8"), 10) == NEVER


def test_ten_more_runs_are_those_of_the_formula():
    """As if ten more had the same mean and the same deviation."""
    five = estimate(runs(80.5, 2.0, 5))
    fifteen = after(five, 10)
    assert (fifteen.error, fifteen.freedom, fifteen.spread) == (pytest.approx(4.0 / 15), 14, five.spread)
    assert compare(fifteen, PRINTED, 10)[0].half == pytest.approx(compare(runs(80.5, 2.0, 15), PRINTED, 10)[0].half)


@pytest.mark.parametrize("middle, half, near", [(0.5, 3.0, 2.0), (-0.5, 3.0, 2.0), (4.0, 2.5, 1.25), (0.0, 1.0, 0.5),
                                                (2.0, 1.0, math.inf)])
def test_how_near_a_verdict_is(middle, half, near):
    """Conclusive from 1 on downwards, on either side of the end of the band."""
    gap = Interval(middle, half, 10)
    assert distance(gap, 2.0) == pytest.approx(near)
    assert (verdict(gap) == "inconclusive") == (near > 1)


def test_a_difference_of_two_estimates_is_welchs():
    ours, base = runs(80.0, 1.0, 6), runs(75.0, 3.0, 4)
    expected = stats.ttest_ind(ours, base, equal_var=False).confidence_interval(0.95)
    found = less(estimate(ours), estimate(base))
    assert found.interval.low == pytest.approx(expected.low) and found.interval.high == pytest.approx(expected.high)
    assert found.n == 4 and less(estimate([1.0, 1.0]), estimate([0.5, 0.5])).interval == Interval(0.5, 0.0, 2)
