"""Runs resume, survive being killed, and are never filed under a wrong name."""

import math
import os
import signal
import statistics
import sys
import time
from dataclasses import replace

import cloudpickle
import numpy as np
import psutil
import pytest
import torch

import warm_python
from privbook.papers.catalogue import experiments
from privbook.papers.results import Results
from privbook.runs.grid import Experiment, graph, loaded
from privbook.runs.ledger import Ledger
from privbook.runs.plan import (
    PlannedRun,
    duration,
    expected,
    expected_seconds,
    identity,
    missing,
    open_ledger,
    rows_of,
    wanted,
)
from privbook.runs.runner import in_time, measure, run_missing
from privgraph import datasets
from privgraph.datasets import CARDS, SETS, DatasetUnavailable
from privgraph.randomness import seeded


def fake_run(setting, seed, cache):
    if setting["size"] < 0:
        raise RuntimeError("a run that fails")
    return {"accuracy": 80 + seed + setting["size"], "auc": 0.5}


def experiment(sizes=(0.5, math.inf), revision=1, seeds=3, dataset="karate", run=fake_run) -> Experiment:
    return Experiment("fake", revision, {"size": float}, ("accuracy", "auc"),
                      lambda setting: [(seeds, [setting(dataset=dataset, size=size) for size in sizes])], run)


def both(first: Experiment, second: Experiment) -> Experiment:
    """An experiment with the settings of two."""
    return replace(first, grid=lambda setting: first.groups + second.groups)


def on(name: str, *graphs: str, seeds: int = 1) -> Experiment:
    """An experiment without parameters, on other graphs."""
    return replace(experiments()[name], grid=lambda setting: [(seeds, [setting(dataset=graph) for graph in graphs])])


@pytest.fixture
def results(monkeypatch, tmp_path):
    monkeypatch.setenv("PRIVGRAPH_RESULTS", str(tmp_path))
    monkeypatch.setenv("PRIVGRAPH_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_runs_resume_and_nothing_is_run_twice(results):
    assert run_missing(experiment(seeds=1), progress=False).added == 2
    report = run_missing(experiment(), progress=False)
    assert (report.added, report.failed, report.left) == (4, [], 0)
    assert run_missing(experiment(), progress=False).added == 0
    rows = rows_of(experiment())
    assert sorted((r["size"], r["seed"], r["value"]) for r in rows if r["metric"] == "accuracy") == [
        (s, k, 80 + k + s) for s in (0.5, math.inf) for k in range(3)]
    assert len(rows) == 12 and all(len(r["sha256"]) == 64 for r in rows)


def test_the_user_may_ask_for_more_or_fewer_seeds(results):
    assert run_missing(experiment(), seeds=1, progress=False).added == 2
    assert len(missing(experiment())) == 4 and len(missing(experiment(), seeds=5)) == 8
    with pytest.raises(ValueError, match="seeds must be a whole number, at least 1, got 0"):
        missing(experiment(), seeds=0)


def test_a_failed_run_is_reported_and_stops_nothing(results):
    report = run_missing(experiment(sizes=(-1.0, 0.5)), progress=False)
    assert report.added == 3 and report.left == 3
    assert report.failed[0] == ("{'dataset': 'karate', 'size': -1.0}, seed 0: "
                                "RuntimeError: a run that fails (fake_run, line "
                                f"{fake_run.__code__.co_firstlineno + 2})")


def test_a_run_must_give_the_metrics_it_promises(results):
    report = run_missing(experiment(run=lambda setting, seed, cache: {"accuracy": 1.0}, seeds=1), progress=False)
    assert report.added == 0 and "a number for each of ['accuracy', 'auc'], got {'accuracy': 1.0}" in report.failed[0]


@pytest.mark.parametrize("undefined", [math.nan, None])
def test_an_undefined_metric_fails_one_run_only(results, undefined):
    def run(setting, seed, cache):
        return {"accuracy": 80.0, "auc": undefined if seed == 1 else 0.5}
    report = run_missing(experiment(run=run), progress=False)
    assert report.added == 4 and report.left == 2 and len(report.failed) == 2


def test_a_run_with_a_metric_missing_is_run_again(results):
    """An experiment may have learnt to measure more since; what it measured before stays."""
    run_missing(replace(experiment(run=lambda setting, seed, cache: {"auc": 0.25}), metrics=("auc",)), seeds=1,
                progress=False)
    assert len(missing(experiment())) == 6
    assert run_missing(experiment(), progress=False).added == 6
    rows = rows_of(experiment())
    assert len(rows) == 12 and [row["value"] for row in rows if row["metric"] == "auc"].count(0.25) == 2


def test_a_new_revision_makes_old_rows_stale(results):
    run_missing(experiment(), progress=False)
    newer = experiment(revision=2)
    assert len(missing(newer)) == 6 and rows_of(newer) == []
    run_missing(newer, progress=False)
    assert len(rows_of(newer)) == 12 and len(open_ledger(newer).rows()) == 12


def test_first_seeds_come_first_and_graphs_stay_together(results):
    two = both(experiment(), experiment(dataset="digits"))
    order = [(run.setting["dataset"], run.seed) for run in missing(two)]
    assert order == [(d, s) for d in ("karate", "digits") for s in (0, 0, 1, 1, 2, 2)]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_ledger_is_opened_once_and_read_whole_before_and_after_only(workers, results, monkeypatch):
    """In between what others append is read, by the thread that sends runs and the one that writes rows down."""
    run_missing(experiment(seeds=1), progress=False)
    ledgers, read, whole = set(), Ledger._read, []

    def watched(ledger, start=0):
        ledgers.add(ledger)
        whole.extend([start] if start == 0 else [])
        return read(ledger, start)
    monkeypatch.setattr(Ledger, "_read", watched)
    assert run_missing(experiment(seeds=9), workers=workers, progress=False).added == 16
    assert len(ledgers) == 1 and len(whole) == 2


def test_seconds_are_expected_from_what_was_measured(results):
    run_missing(experiment(sizes=(0.5,)), progress=False)
    ledger = open_ledger(experiment())
    rows = [replace(row, seconds=10.0 * (1 + row.seed)) for row in ledger.rows()]
    ledger.path.unlink()
    ledger.append(rows)
    runs = missing(experiment(), seeds=4)
    assert {(run.setting["size"], run.seconds) for run in runs} == {(0.5, 20.0), (math.inf, 20.0)}
    assert expected(runs) == 20.0 * 5 and expected([PlannedRun({}, 0),
                                                    PlannedRun({}, 0, 3.0)]) == 6.0
    assert expected([PlannedRun({}, 0)]) is None
    assert expected([]) == 0.0


@pytest.mark.parametrize("seconds, workers, text", [
    (None, 1, "an unknown time"), (99.4, 1, "99 s"), (100, 1, "2 min"), (7200, 2, "60 min"), (6000, 1, "1.7 h")])
def test_durations_read_well(seconds, workers, text):
    assert duration(seconds, workers) == text


def test_no_run_starts_that_would_end_too_late(results):
    assert run_missing(experiment(), minutes=0, progress=False).added == 0
    runs = [PlannedRun({}, k, 40.0) for k in range(5)]
    assert len(list(in_time(runs, time.monotonic(), 1.0))) == 5  # each is expected to end within the minute
    assert list(in_time(runs, time.monotonic() - 30, 1.0)) == []  # 30 s gone, 40 s to go
    assert list(in_time([PlannedRun({}, 0)], time.monotonic() - 61, 1.0)) == []
    for minutes in (-1, math.nan):
        with pytest.raises(ValueError, match="minutes must be a number, at least 0"):
            run_missing(experiment(), minutes=minutes, progress=False)


def test_a_run_has_one_thread_and_gives_the_others_back(results):
    torch.set_num_threads(2)
    seen = []
    run_missing(experiment(run=lambda *_: seen.append(torch.get_num_threads())), seeds=1, progress=False)
    assert set(seen) == {1} and torch.get_num_threads() == 2
    torch.set_num_threads(1)


def test_graphs_that_are_not_here_are_left_out_unless_asked_for(results, monkeypatch):
    monkeypatch.delenv("PRIVGRAPH_DATA", raising=False)
    away = experiment(dataset="cora")
    assert missing(away) == []
    with pytest.raises(DatasetUnavailable, match="privgraph data cora"):
        missing(away, dataset="cora")
    with pytest.raises(ValueError, match="dataset must be one of cora; got 'corra'"):
        missing(away, dataset="corra")


def test_another_graph_under_a_known_name_stops_everything(results, monkeypatch):
    np.savez(results / "cora.npz", edge_index=[[0, 1], [1, 0]], x=np.eye(2), y=[0, 1])
    monkeypatch.setenv("PRIVGRAPH_DATA", str(results))
    mixed = both(experiment(), experiment(dataset="cora"))
    with pytest.warns(UserWarning, match="another graph"), pytest.raises(ValueError, match="nothing was run"):
        run_missing(mixed, progress=False)
    assert open_ledger(mixed).rows() == []


def test_two_processes_give_the_same_as_one(results):
    statistic = on("graph-statistics", "karate", "patients", "digits")
    assert run_missing(statistic, workers=2, progress=False).added == 3
    two = {(r["dataset"], r["metric"]): r["value"] for r in rows_of(statistic)}
    open_ledger(statistic).path.unlink()
    run_missing(statistic, progress=False)
    assert two == {(r["dataset"], r["metric"]): r["value"] for r in rows_of(statistic)}
    assert len(two) == 3 * len(statistic.metrics)


@pytest.fixture
def cluster():
    """A Dask scheduler on this machine, and two worker processes."""
    from dask.distributed import LocalCluster
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1",
                      dashboard_address=None) as found:
        yield found


def where(setting, seed, cache):
    """Which process it is, once the other one is there, too."""
    time.sleep(0.5)
    return {"accuracy": float(os.getpid()), "auc": float(torch.get_num_threads())}


@pytest.mark.slow
def test_a_dask_cluster_of_two_workers_gives_the_same(results, cluster):
    """Its processes do the runs, one at a time with one thread, and this one writes them down."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    assert run_missing(experiment(run=where), dask=cluster.scheduler_address, progress=False).added == 6
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    found = [row.metrics for row in open_ledger(experiment()).rows()]
    assert {each["accuracy"] for each in found} == {worker.pid for worker in cluster.workers.values()}
    assert {each["auc"] for each in found} == {1.0} and len(cluster.workers) == 2
    statistic = on("graph-statistics", "karate", "patients", "digits", seeds=2)
    assert run_missing(statistic, dask=cluster.scheduler_address, progress=False).added == 6
    many = {(r["dataset"], r["metric"], r["seed"]): r["value"] for r in rows_of(statistic)}
    open_ledger(statistic).path.unlink()
    run_missing(statistic, progress=False)
    assert many == {(r["dataset"], r["metric"], r["seed"]): r["value"] for r in rows_of(statistic)}
    assert len(many) == 6 * len(statistic.metrics)


def test_overhead_is_under_20_ms_a_run_beside_5_000_runs(results):
    big = experiment(seeds=2_500)
    open_ledger(big).append([measure(big, run)[1] for run in missing(big)])
    assert len(open_ledger(big).rows()) == 5_000
    start = time.process_time()
    assert run_missing(big, seeds=2_600, progress=False).added == 200
    assert (time.process_time() - start) / 200 < 0.020


# In a process of its own, which has no threads and so may fork. Imports take seconds and happen once.
KILLING = """
import os, random, signal, sys, time
from privbook.runs.grid import Experiment
from privbook.runs.plan import missing
from privbook.runs.runner import run_missing

def run(setting, seed, cache):
    time.sleep(0.002)
    return {name: seed + 0.1 for name in ("accuracy", "auc", "loss")}

toy = Experiment("toy", 1, {"size": float}, ("accuracy", "auc", "loss"),
                 lambda setting: [(100, [setting(dataset="karate", size=float(size)) for size in range(3)])], run)

def start():
    child = os.fork()
    if child == 0:
        run_missing(toy, progress=False)
        os._exit(0)
    return child

def live(folder, kills, writers):
    os.environ["PRIVGRAPH_RESULTS"], killed = folder, 0
    for _ in range(kills):
        child = start()
        time.sleep(chance.uniform(0.0, 0.08))
        os.kill(child, signal.SIGKILL)
        killed += os.WIFSIGNALED(os.waitpid(child, 0)[1])
    for child in [start() for _ in range(writers)]:
        os.waitpid(child, 0)
    print(killed, len(missing(toy)))

chance = random.Random(20)
live(sys.argv[1] + "/calm", kills=0, writers=1)
live(sys.argv[1] + "/killed", kills=20, writers=1)
live(sys.argv[1] + "/two", kills=0, writers=2)
"""


def test_killed_twenty_times_or_run_twice_at_once_it_ends_with_the_same_rows(results):
    done = warm_python.run("-c", KILLING, str(results))
    assert done.returncode == 0, done.stderr
    rows = {}
    for name in ("calm", "killed", "two"):
        ledger = Ledger(results / name / "measured" / "toy.csv", {"size": float})
        rows[name] = sorted((*row.key, *row.metrics.items()) for row in ledger.rows())
    assert len(set(rows["calm"])) == 300 and rows["killed"] == rows["calm"] and rows["two"] == rows["calm"]
    (_, *left), (killed, *_), _ = ([int(word) for word in line.split()] for line in done.stdout.splitlines())
    assert left == [0] and killed >= 10  # ten at least died in the middle of it


# Workers that never end by themselves; the first run is done at once.
ENDLESS = """
import os, sys, time
from pathlib import Path
from privbook.runs.grid import Experiment
from privbook.runs.runner import run_missing

def run(setting, seed, cache):
    if seed:
        Path(sys_argv[1], f"worker-{os.getpid()}").touch()
        time.sleep(600)
    return {"accuracy": 80.0}

sys_argv = sys.argv
toy = Experiment("toy", 1, {"size": float}, ("accuracy",),
                 lambda setting: [(9, [setting(dataset="karate", size=1.0)])], run)
try:
    run_missing(toy, workers=2, progress=False)
except KeyboardInterrupt:
    sys.exit(130)
"""


def wait_for(condition, seconds: float = 60.0) -> bool:
    """Whether it comes true within so many seconds; a slow machine only waits longer."""
    end = time.monotonic() + seconds
    while not (true := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return true


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.skipif(os.name == "nt", reason="Windows has other signals")
@pytest.mark.parametrize("end, status", [(signal.SIGTERM, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_no_worker_outlives_a_killed_command_and_what_was_finished_is_kept(results, end, status):
    command = warm_python.start("-c", ENDLESS, str(results))
    ledger = Ledger(results / "measured" / "toy.csv", {"size": float})
    try:
        assert wait_for(lambda: len(list(results.glob("worker-*"))) == 2 and len(ledger.rows()) == 1)
        workers = [int(path.name.removeprefix("worker-")) for path in results.glob("worker-*")]
        assert all(map(alive, workers)) and command.pid not in workers
        os.kill(command.pid, end)
        command.join(60)
        assert command.exitcode == status
        assert wait_for(lambda: not any(map(alive, workers)), seconds=15)
    finally:
        for pid in (command.pid, *(int(path.name.removeprefix("worker-")) for path in results.glob("worker-*"))):
            if alive(pid):
                os.kill(pid, signal.SIGKILL)
    assert len(ledger.rows()) == 1


# A run that says when it began and ends when it is told to.
SLOW = """
import sys, time
from pathlib import Path
from privbook.runs.grid import Experiment
from privbook.runs.runner import run_missing

me, folder = sys.argv[1], Path(sys.argv[2])

def run(setting, seed, cache):
    (folder / f"began-{me}-{seed}").touch()
    while not (folder / f"go-{me}").exists():
        time.sleep(0.01)
    return {"accuracy": 80.0}

run_missing(Experiment("toy", 1, {"size": float}, ("accuracy",),
                       lambda setting: [(3, [setting(dataset="karate", size=1.0)])], run), progress=False)
"""


def test_two_commands_share_the_runs_and_what_a_killed_one_had_is_free_again(results):
    """The first holds seed 0, the second does all others; the first is killed, and the next one does seed 0."""
    started = []
    def command(name):
        started.append(warm_python.start("-c", SLOW, name, str(results)))
        return started[-1]
    def ended(name):
        one = command(name)
        one.join(60)
        return one.exitcode
    def began():
        return sorted(path.name for path in results.glob("began-*"))
    try:
        first = command("a")
        assert wait_for(lambda: began() == ["began-a-0"])
        (results / "go-b").touch()
        assert ended("b") == 0
        assert began() == ["began-a-0", "began-b-1", "began-b-2"]
        first.kill(), first.join()
        assert ended("b") == 0
        assert began() == ["began-a-0", "began-b-0", "began-b-1", "began-b-2"]
    finally:
        for one in started:
            one.kill()
    assert sorted(row.seed for row in Ledger(results / "measured" / "toy.csv", {"size": float}).rows()) == [0, 1, 2]
    assert not list((results / "measured").glob("toy-*.lock"))


def test_what_another_command_finished_meanwhile_is_not_run_again(results):
    """Two commands planned the same runs; one of them does all that the other has not begun."""
    toy, seen = experiment(seeds=2), []
    def run(setting, seed, cache):
        seen.append((setting["size"], seed))
        if len(seen) == 1:
            assert run_missing(toy, progress=False).added == 3
        return fake_run(setting, seed, cache)
    assert run_missing(replace(toy, run=run), progress=False).added == 1
    assert len(seen) == 1 and missing(toy) == []


def test_sigterm_is_ctrl_c_while_it_runs_and_what_it_was_afterwards(results):
    before, seen = signal.getsignal(signal.SIGTERM), []
    def run(setting, seed, cache):
        seen.append(signal.getsignal(signal.SIGTERM))
        return {"accuracy": 80.0, "auc": 0.5}
    run_missing(experiment(run=run, seeds=1), progress=False)
    assert set(seen) == {signal.default_int_handler} and signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize("said, message", [
    (dict(dataset="karate"), "fake: size must be float.* got nothing"),
    (dict(size=3.0), "dataset must be str.* got nothing"),
    (dict(dataset="karate", size=3), "size must be float.* got 3 .int."),
    (dict(dataset="karate", size=True), "size must be float.* got True .bool."),
    (dict(dataset="karate", size=3.0, more=1, seeds=2),
     "fake: a setting has dataset, size, backbone, hops; got more, seeds"),
    (dict(dataset="karate", size=math.nan), "got nan"),
    (dict(dataset="karate", size=3.0, hops=2.0), "hops must be int.* got 2.0 .float."),
    (dict(dataset="a,b", size=3.0), "without comma")])
def test_a_wrong_cell_is_refused_by_the_name_of_what_is_wrong(said, message):
    fake = Experiment("fake", 1, {"size": float, "backbone": "gcn", "hops": 2}, ("accuracy",),
                      lambda setting: [(1, [said])], fake_run)
    with pytest.raises(ValueError, match=message):
        fake.setting(**said)
    with pytest.raises(ValueError, match=message):  # in a grid too, however it was made there
        missing(fake)


def test_a_parameter_has_one_type_and_perhaps_a_default():
    for wrong in (bool, True, None, (1, 2)):
        with pytest.raises(ValueError, match="fake: a parameter must be str, int or float, got {'size': <class '"):
            Experiment("fake", 1, {"size": wrong}, ("accuracy",), lambda setting: [], fake_run)
    fake = Experiment("fake", 1, {"method": str, "noise": "none", "lam": 0.0}, ("accuracy",), lambda setting: [],
                      fake_run, dataset="karate", usual={"pate": dict(noise="laplace")})
    assert fake.types == {"method": str, "noise": str, "lam": float}
    assert fake.setting(method="b1") == dict(dataset="karate", method="b1", noise="none", lam=0.0)
    assert fake.setting(method="pate", lam=0.4) == dict(dataset="karate", method="pate", noise="laplace", lam=0.4)
    assert fake.setting(method="pate", noise="gumbel", dataset="digits")["noise"] == "gumbel"
    again = fake.setting(**fake.setting(method="pate"))
    assert again == fake.setting(method="pate") and list(again) == ["dataset", "method", "noise", "lam"]


def test_a_run_that_was_never_measured_takes_what_the_most_similar_ones_took():
    fake = Experiment("fake", 1, {"method": str, "backbone": str, "epsilon": 1.0}, ("accuracy",), lambda setting: [],
                      fake_run, dataset="karate")
    rows = [fake.setting(method=method, backbone=backbone) | dict(seconds=seconds) for method, backbone, seconds in
            (("a", "gcn", 1.0), ("a", "gcn", 3.0), ("a", "gat", 50.0), ("b", "gcn", 4.0))]
    seconds = expected_seconds(fake, rows)
    assert seconds(fake.setting(method="a", backbone="gcn")) == 2.0  # measured
    assert seconds(fake.setting(method="a", backbone="gat", epsilon=2.0)) == 50.0  # its neighbour
    as_near = statistics.median([50.0, 4.0])  # two as near as each other
    assert seconds(fake.setting(method="b", backbone="gat")) == as_near
    assert seconds(fake.setting(method="a", backbone="gcn", dataset="digits")) is None


def test_a_worker_is_sent_no_cells():
    fake = experiment(sizes=tuple(map(float, range(1000))), run=fake_run)
    small, settings = len(cloudpickle.dumps(fake)), fake.settings
    assert len(cloudpickle.dumps(fake)) == small and cloudpickle.loads(cloudpickle.dumps(fake)).settings == settings


def test_a_cell_in_two_groups_gets_the_larger_number_of_seeds_and_keeps_the_first_place():
    def grid(setting):
        yield 2, [setting(dataset="karate", size=size) for size in (1.0, 2.0)]
        yield 3, [setting(dataset="digits", size=1.0), setting(dataset="karate", size=3.0),
                  setting(dataset="karate", size=1.0)]
    fake = replace(experiment(), grid=grid)
    assert [(setting["dataset"], setting["size"], seed) for setting, seed in wanted(fake)] == [
        ("karate", 1.0, 0), ("karate", 2.0, 0), ("karate", 1.0, 1), ("karate", 2.0, 1),  # the first group
        ("digits", 1.0, 0), ("digits", 1.0, 1), ("digits", 1.0, 2),  # then one graph after the other
        ("karate", 3.0, 0), ("karate", 3.0, 1), ("karate", 3.0, 2), ("karate", 1.0, 2)]
    assert len(wanted(fake, seeds=1)) == len(fake.settings) == 4
    with pytest.raises(ValueError, match="seeds must be a whole number, at least 1, got 0"):
        missing(experiment(seeds=0))


MADE_HERE = {"facebook-pages-128", "blocks", "karate", "patients", "digits", "triangles", "letters",
             "neighbourhoods-twin", "neighbourhoods-small"}  # their cards state no digest


@pytest.mark.parametrize("experiment", experiments().values(), ids=experiments())
def test_a_committed_ledger_fits_its_experiment(experiment):
    """Every row belongs to a setting of the grid, on the graph its card describes, once."""
    rows, place = open_ledger(experiment).rows(), identity(experiment)
    current = {place({"dataset": row.head.dataset, **row.parameters}) for row in rows
               if row.head.revision == experiment.revision}
    assert rows and current <= {place(setting) for setting in experiment.settings}
    assert len({row.key for row in rows}) == len(rows)
    assert all(row.head.experiment == experiment.name and set(row.metrics) == set(experiment.metrics) for row in rows)
    cards = CARDS | SETS
    stated = {name: cards[name].sha256 for name in {row.head.dataset for row in rows}}
    assert {name for name, digest in stated.items() if digest is None} <= MADE_HERE
    assert all(row.head.sha256 == stated[row.head.dataset] for row in rows if stated[row.head.dataset])


def test_two_experiments_that_share_cells_agree():
    """Table 6's GCN and GraphSAGE columns were run again under their own name: same seeds, same values."""
    first, second = Results("lpgnn"), Results("graphprivatizer")
    common = dict(dataset="cora", epsilon_x=3.0, epsilon_y=3.0, x_steps=16, y_steps=2)
    shared = 0
    for backbone in ("gcn", "sage"):
        again = second.values("accuracy", method="lpgnn", training="paper", backbone=backbone, **common)
        once = first.values(features="real", backbone=backbone, **common)
        assert all(abs(once[seed] - again[seed]) < 0.5 for seed in once.keys() & again.keys())
        shared += len(once.keys() & again.keys())
    assert shared >= 10


def test_a_graph_of_the_ledger_has_no_masks(monkeypatch):
    """Its hash tells of edges, features and labels: what else a file holds must not change a row."""
    masked = datasets.split(datasets.load("karate"), seeded(0))
    monkeypatch.setattr(datasets, "load", lambda name: masked)
    loaded.cache_clear()
    try:
        data, name = graph("karate")
    finally:
        loaded.cache_clear()
    assert not any("mask" in each for each in data.keys()) and "train_mask" in masked
    assert name == datasets.fingerprint(masked.edge_index, masked.x, masked.y)
