"""What runs are asked for, what they take of the processor, and what is not asked of anybody: honest prices."""

import math
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from privbook import show
from privbook.papers import current
from privbook.papers.catalogue import experiments
from privbook.papers.costs import costs
from privbook.papers.coverage import (
    Comparison,
    by_worth,
    compare_entry,
    compare_paper,
    hours,
    left,
    outlooks,
    spent,
    tally,
)
from privbook.papers.graphprivatizer.tables import AVERAGED, POSITIVE
from privbook.papers.lookup import ABSENT, FOLLOWS, NO_EXPERIMENT, RUNNABLE, Measured, lookup
from privbook.papers.published import entries, papers, published
from privbook.papers.verdicts import SOON
from privbook.runs.cache import Cache
from privbook.runs.grid import Experiment, OwnSeeds
from privbook.runs.plan import PlannedRun, missing, open_ledger, wanted
from privbook.runs.prices import expected_price, expected_seconds
from privbook.runs.rows import Head, Row
from privbook.runs.runner import measure, run_missing
from privgraph.datasets import CARDS

GP = experiments()["graphprivatizer"]


@pytest.fixture
def made(monkeypatch, tmp_path):
    """Ledgers of one's own, empty at first."""
    monkeypatch.setenv("PRIVGRAPH_RESULTS", str(tmp_path))
    monkeypatch.setenv("PRIVGRAPH_CACHE", str(tmp_path / "cache"))
    return tmp_path


def write(settings: Iterable[dict], seeds: Callable[[dict], Iterable[int]], seconds: float = 100.0,
          process: float | None = None, experiment: Experiment = GP, value: float = 70.0) -> None:
    """Rows of settings, with so many seconds by the clock and of the processor."""
    open_ledger(experiment).append([row_of(experiment, setting, seed, seconds, process, value)
                                    for setting in settings for seed in seeds(setting)])


def row_of(experiment: Experiment, setting: dict, seed: int, seconds: float, process: float | None,
           value: float) -> Row:
    name = setting["dataset"]
    head = Head(experiment.name, experiment.revision, name, CARDS[name].sha256 or "any", "0.1.0", "2.13.0", "cpu")
    metrics = dict.fromkeys(experiment.metrics, value + seed % 7)
    return Row(head, {each: setting[each] for each in experiment.parameters}, seed, seconds, metrics, process)


def average(epsilon: str, table: str = "Table 8", **more):
    """A printed average over 16 settings on Cora, and where ours is found."""
    printed, = entries("graphprivatizer", table, method="GP-t", backbone="GCN", metric="accuracy", epsilon=epsilon,
                       alpha=">0", **more)
    return printed, lookup(printed)


# A row carries the time of the processor.

def busy(seconds: float) -> float:
    """Work for the processor, and sleep, which is none."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    time.sleep(2 * seconds)
    return seconds


def test_a_row_has_the_time_of_the_processor_beside_that_of_the_clock(made):
    toy = Experiment("toy", 1, {"size": float}, ("accuracy",), lambda setting: [(1, [setting(size=0.1)])],
                     lambda setting, seed, cache: {"accuracy": busy(setting["size"])}, dataset="karate")
    run_missing(toy, progress=False)
    row, = open_ledger(toy).rows()
    assert 0.1 <= row.process_seconds < 0.25 <= 0.3 <= row.seconds
    assert row.metrics == {"accuracy": 0.1}


def kept(seconds: float) -> float:
    return busy(seconds)


def test_what_was_found_in_the_cache_is_counted_as_it_once_was(made):
    def run(setting, seed, cache):
        return {"accuracy": cache.once(kept, seconds=0.1)}
    toy = Experiment("toy", 1, {"size": 1.0}, ("accuracy",), lambda setting: [(2, [setting()])], run, dataset="karate")
    first, second = (measure(toy, planned)[1] for planned in missing(toy))
    for row in (first, second):  # the second found it: from nothing it would have worked as long
        assert 0.1 <= row.process_seconds < 0.25 and row.seconds >= 0.3


def test_what_was_kept_before_the_processor_was_asked_has_no_such_time(made, monkeypatch):
    """Hours of kept work stay as they are; a row that rests on them says what it knows."""
    monkeypatch.setattr(Cache, "_remember", lambda self, found, spent, *what: None)
    Cache().once(kept, seconds=0.01)
    monkeypatch.undo(), monkeypatch.setenv("PRIVGRAPH_CACHE", str(made / "cache"))
    monkeypatch.setenv("PRIVGRAPH_RESULTS", str(made))
    cache = Cache()
    assert cache.once(kept, seconds=0.01) == 0.01 and cache.saved >= 0.03 and math.isnan(cache.saved_processor)
    toy = Experiment("toy", 1, {"size": 1.0}, ("accuracy",), lambda setting: [(1, [setting()])],
                     lambda setting, seed, cache: {"accuracy": cache.once(kept, seconds=0.01)}, dataset="karate")
    run_missing(toy, progress=False)
    row, = open_ledger(toy).rows()
    assert row.process_seconds is None and row.seconds >= 0.03


def test_no_metric_is_called_as_the_column():
    for more in (dict(metrics=("process_seconds",)), dict(parameters={"process_seconds": 1.0})):
        with pytest.raises(ValueError, match="no parameter or metric may be called process_seconds"):
            replace(Experiment("toy", 1, {}, ("a",), lambda setting: [], lambda *_: {}), **more)


# What a run takes.

TOY = Experiment("toy", 1, {"method": "a", "hops": 1, "epsilon": 1.0}, ("accuracy",), lambda setting: [],
                 lambda *_: {}, dataset="karate")


def took(clock: Iterable[float], processor: float | None = None, **setting) -> list[dict]:
    return [TOY.setting(**setting) | dict(seconds=seconds, process_seconds=processor) for seconds in clock]


@pytest.mark.parametrize("rows, price", [
    (took([30.0, 10.0, 20.0]), 10.0),  # the clock alone: the least
    (took([30.0], 9.0) + took([20.0], 5.0) + took([40.0], 6.0) + took([1.0]), 6.0),  # the processor's median
    (took([30.0], 9.0, hops=2) + took([12.0, 11.0, 15.0]), 9.0),  # of a setting that differs by one number
    (took([30.0], 9.0, hops=2, epsilon=2.0) + took([12.0, 11.0, 15.0]), 11.0),  # by two: then the clock
    (took([30.0], 9.0, method="b") + took([12.0, 11.0, 15.0], hops=2), 11.0),  # a text is more than all numbers
    (took([50.0]) + took([20.0, 25.0, 22.0], hops=2), 20.0),  # one run of its own says little of a busy machine
    (took([50.0, 51.0, 52.0]) + took([20.0], hops=2), 50.0),  # three say enough
    (took([5.0], 5.0, method="b"), 5.0), ([], None), (took([5.0], 5.0, dataset="digits"), None)])
def test_the_price_of_a_run_is_the_processors(rows, price):
    assert expected_price(TOY, rows)(TOY.setting()) == price


def test_what_nobody_waited_for_is_guessed_until_it_is_measured():
    toy = replace(TOY, guess=lambda setting: 1900.0 if setting["hops"] == 9 else None)
    rows = took([30.0, 20.0, 25.0])
    for expect, usual in ((expected_price, 20.0), (expected_seconds, 25.0)):
        assert expect(toy, rows)(TOY.setting(hops=9)) == 1900.0 and expect(toy, rows)(TOY.setting(hops=8)) == usual
        assert expect(toy, rows + took([50.0, 50.0, 50.0], hops=9))(TOY.setting(hops=9)) == 50.0
        assert expect(toy, [])(TOY.setting(hops=9)) == 1900.0 and expect(toy, [])(TOY.setting()) is None


# What the grid asks for.

def test_settings_of_an_average_have_seeds_of_their_own():
    toy = replace(TOY, grid=lambda setting: [
        (2, [setting(hops=0)]),
        (OwnSeeds(2, lambda each: each["hops"] - 1), [setting(hops=hops, method=name)
                                                      for name in "ab" for hops in (1, 2)])])
    asked = [(setting["method"], setting["hops"], seed) for setting, seed in wanted(toy)]
    assert asked == [("a", 0, 0), ("a", 0, 1),
                     ("a", 1, 1000), ("a", 2, 1100), ("b", 1, 1000), ("b", 2, 1100),  # first one of each
                     ("a", 1, 1001), ("a", 2, 1101), ("b", 1, 1001), ("b", 2, 1101)]
    assert [seed for setting, seed in wanted(toy, seeds=3) if setting["hops"] == 2 and setting["method"] == "a"] == [
        1100, 1101, 1102]
    with pytest.raises(ValueError, match="runs with seeds of their own must be a whole number, at least 2, got 1"):
        OwnSeeds(1, len)


def test_only_averages_have_seeds_of_their_own():
    """Figures are differences to the base case, setting by setting: there, and in what anything is compared with,
    seeds are shared. All settings of an average have seeds of their own, or none has."""
    asked = {}
    for setting, seed in wanted(GP):
        asked.setdefault(tuple(setting.items()), []).append(seed)
    own = {key for key, seeds in asked.items() if min(seeds) >= 1000}
    paired, averaged = set(), []
    for printed in published("graphprivatizer"):
        if printed.mean and isinstance(found := lookup(printed), Measured) and found.experiment == GP.name:
            keys = [tuple(setting.items()) for setting in found.settings]
            averaged += [keys] if found.averaged else []
            paired |= {tuple(found.minus.items())} if found.minus else set()
            paired |= set() if found.averaged else set(keys)
    assert own and not own & paired
    apart = [keys for keys in averaged if own & set(keys)]
    assert {len(keys) for keys in apart} == {16} and own == set().union(*apart)
    for keys in apart:
        seeds = [seed for key in keys for seed in asked[key]]
        assert len(seeds) == len(set(seeds)) == AVERAGED.runs * len(POSITIVE)


def test_the_grid_asks_for_what_is_printed_or_shown_and_little_else():
    """Of the lists at larger budgets only what a table prints, but for one seed of what was begun on Cora."""
    printed = {tuple(setting.items()) for each in published("graphprivatizer") if each.mean
               and isinstance(found := lookup(each), Measured) and found.experiment == GP.name
               for setting in (*found.settings, *([found.minus] if found.minus else []))}
    rest = {}
    for setting, seed in wanted(GP):
        if setting["method"] in ("gp-t", "gp-m") and setting["epsilon"] > 0.1 and tuple(setting.items()) not in printed:
            rest.setdefault((setting["dataset"], setting["mix"], setting["threshold"]), set()).add(seed)
    assert {place[0] for place in rest} == {"cora"}
    shown = rest.pop(("cora", 0.5, 0.0))  # chapter 8
    assert shown == set(range(10)) and len(rest) == 7 and all(seeds == {0} for seeds in rest.values())


def test_what_is_missing_is_what_the_grid_asks_for_and_the_ledger_has_not(made):
    """On Cora ten seeds of what figures share, two of their own elsewhere; each run once, whoever asks for it."""
    shared, own = compare_entry(average("0.1")[0]), compare_entry(average("1")[0])
    assert (len(shared.work), len(own.work)) == (160, 32) and set(shared.work.values()) == {None}
    found = average("1")[1]
    write(found.settings[:4], AVERAGED.of, process=36.0)
    again = compare_entry(average("1")[0])
    assert len(again.work) == 24 and set(again.work.values()) == {36.0}
    assert hours([again]) == hours([again, again]) == (pytest.approx(0.24), True)
    both = [again, compare_entry(average("0.1")[0])]  # priced as the most similar ones
    assert hours(both) == hours(both * 2) == (pytest.approx(0.24 + 160 * 36 / 3600), True)
    write(found.settings, AVERAGED.of, process=36.0)
    done = compare_entry(average("1")[0])
    assert (done.work, done.ours.n) == ({}, 32) and hours([done]) == (0.0, True)


def test_old_rows_with_shared_seeds_stay_in_use(made):
    """Three seeds that all have are compared as ever; two of their own are added to them."""
    found = average("1")[1]
    write(found.settings, lambda setting: range(3))
    old = compare_entry(average("1")[0])
    assert old.ours.n == 3 and len(old.work) == 32
    write(found.settings, AVERAGED.of)
    assert compare_entry(average("1")[0]).ours.n == 35


def test_the_graphs_of_other_papers_have_no_price(made):
    """What is not at hand is left out, whatever it would take; and so is what needs no run."""
    for paper in papers():
        for comparison in compare_paper(paper):
            if comparison.work and comparison.why:  # else it is compared already
                assert comparison.why == RUNNABLE
            assert comparison.why != RUNNABLE or comparison.work
    lastfm, = entries("graphprivatizer", "Table 9", method="GP-t", backbone="GCN", metric="accuracy", epsilon="1",
                      alpha=">0")
    assert compare_entry(lastfm) == Comparison(lastfm, "not run", reason=compare_entry(lastfm).reason, why=ABSENT)


def test_the_four_columns_add_up_to_what_was_not_run(made):
    """With an empty ledger every value that is measured waits; the other columns do not hang on the ledger."""
    for paper in papers():
        empty = compare_paper(paper)
        counts, verdicts = left(empty), tally(empty)
        assert sum(counts.values()) == verdicts["not run"]
        waiting = sum(printed.values for printed in published(paper) if printed.mean
                      and printed.reading != "uncertain" and isinstance(lookup(printed), Measured))
        assert counts[RUNNABLE] == waiting > 0
        time, complete = hours(empty)
        assert not complete and (time > 0) == (paper == "graphprivatizer")  # which guesses what takes an hour


def test_the_other_columns_are_what_they_are_called():
    found = {(c.printed.paper, c.reason): c.why for paper in papers() for c in compare_paper(paper) if c.why}
    assert found["graphprivatizer", "follows from other printed columns"] == FOLLOWS
    assert found["dissertation", "follows from other printed columns"] == FOLLOWS
    assert found["privgnn", "a summary of tables and figures; chapter 9 prints ours beside it"] == FOLLOWS
    assert found["privgnn", "data not at hand: Reddit"] == ABSENT
    assert found["rgnn", "Theorem 1, computed; chapter 7 computes what holds"] == NO_EXPERIMENT
    assert {why for (_, reason), why in found.items() if "not at hand" in reason} == {ABSENT}
    assert {why for (_, reason), why in found.items() if reason.endswith("has not run it yet")} == {RUNNABLE}


def test_hours_so_far_are_the_processors_where_they_are_known(made):
    found = average("1")[1]
    write(found.settings[:4], lambda setting: range(1), seconds=900.0)
    write(found.settings[:4], lambda setting: range(1, 3), seconds=900.0, process=450.0)
    comparison = compare_entry(average("1")[0])
    assert spent([comparison, comparison]) == (1.0, 1.0)
    row, total = show.left_rows({"one": [comparison], "all": [comparison] * 2})
    assert row["hours so far"] == total["hours so far"] == "1.0 + 1.0 by the clock"
    assert row["can be run (hours)"] == "2 (4.0)" and total["can be run (hours)"] == "4 (4.0)"  # 32 runs of 450 s


def test_how_prices_read():
    """No price is no zero: what is complete, what is more than that, and what nobody knows."""
    def cell(*work) -> str:
        comparison = Comparison(average("1")[0], "not run", why=RUNNABLE, work=dict(enumerate(work)))
        row, = show.left_rows({"one": [comparison]})
        return row["can be run (hours)"]
    assert [cell(3600.0), cell(3600.0, None), cell(None), cell(36_000.0, 36_000.0)] == [
        "2 (1.0)", "2 (over 1.0)", "2 (?)", "2 (20)"]


def test_costs_are_counted_anew_when_there_are_other_rows(made):
    setting = average("1")[1].settings[0]
    assert costs(GP.name).price(setting) is None
    write([setting], AVERAGED.of, process=7.0)
    assert costs(GP.name).price(setting) == statistics.median([7.0, 7.0])
    assert costs(GP.name) is costs(GP.name) and current.measured(GP.name).rows


# What another ten runs are worth.

def test_runs_are_put_in_the_order_in_which_ten_more_give_verdicts(made):
    """Those of a value that ten more runs decide come first, the nearest before the others; the rest waits."""
    printed, = entries("graphprivatizer", "Table 6", dataset="Cora", backbone="GCN", metric="accuracy", epsilon="inf")
    other, = entries("graphprivatizer", "Table 6", dataset="Cora", backbone="GAT", metric="accuracy", epsilon="inf")
    for each, apart in ((printed, 1.9), (other, 2.4)):
        setting, = lookup(each).settings
        write([setting], lambda _: range(1), value=each.value)
        open_ledger(GP).append([row_of(GP, setting, seed, 1.0, None, each.value + way * apart - seed)
                                for seed, way in ((1, -1), (2, 1), (3, 1), (4, -1))])
    found = [compare_entry(each) for each in (printed, other)]
    assert [each.outlook for each in found] == [SOON, SOON] and 1 < found[0].near < found[1].near
    order = by_worth(GP.name)
    runs = [PlannedRun(lookup(each).settings[0], 9) for each in (average("1")[0], other, printed)]
    assert sorted(runs, key=order) == runs[::-1] and order(runs[0]) == math.inf
    assert order(runs[2]) <= found[0].near  # Table 8 prints the same runs again


def test_what_waits_for_more_runs_is_counted_apart(made):
    """Of each inconclusive value it is said once; with the ledger as it is, all four kinds are there."""
    comparison = Comparison(average("1")[0], "inconclusive", outlook=SOON)
    assert outlooks([comparison, comparison])[SOON] == 4 and sum(outlooks([comparison]).values()) == 2


def test_every_inconclusive_value_has_an_outlook():
    everything = [comparison for paper in papers() for comparison in compare_paper(paper)]
    assert {c.verdict for c in everything if c.outlook} == {"inconclusive"}
    assert sum(outlooks(everything).values()) == tally(everything)["inconclusive"]
    assert all(count > 0 for count in outlooks(everything).values())
    assert all(c.near > 1 for c in everything if c.outlook and c.ours.n > 2)
