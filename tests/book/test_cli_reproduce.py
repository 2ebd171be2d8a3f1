"""The command privbook: what is missing, in which order; how it is stopped; a broken register."""

import re
import time
from dataclasses import replace

import pytest

from privbook import claims
from privbook.cli import main, reproduce
from privbook.cli.reproduce import estimate
from privbook.papers.catalogue import experiments
from privbook.runs import runner
from privbook.runs.plan import PlannedRun, missing, open_ledger
from privbook.runs.runner import Report, row_of
from privgraph.datasets import CARDS


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """A ledger of its own, and no graphs but those that are always at hand."""
    monkeypatch.setenv("PRIVGRAPH_RESULTS", str(tmp_path))
    monkeypatch.setenv("PRIVGRAPH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("PRIVGRAPH_DATA", raising=False)
    return tmp_path


def test_reproduce_all_shares_its_minutes_and_begins_with_what_takes_least(fresh, monkeypatch, capsys):
    asked, run = [], runner.run_missing
    def measured(experiment, *, minutes, **how):
        asked.append((experiment.name, minutes))
        time.sleep(0.01)
        return run(experiment, minutes=0, **how)
    monkeypatch.setattr(runner, "run_missing", measured)
    assert main(["reproduce", "all", "--minutes", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sorted(name for name, _ in asked) == sorted(experiments()) == sorted(line.split()[0] for line in lines[:-1])
    given = [minutes for _, minutes in asked]
    assert given[0] <= 3 and all(later < earlier for earlier, later in zip(given, given[1:], strict=False))
    assert "lpgnn            0 runs added, 0 failed, 100 still missing; the same command goes on with them" in lines
    assert lines[-1].startswith("left out, as they are not on this machine: ") and lines[-1].count("pubmed") == 1
    assert main(["reproduce", "all", "--dataset", "digits", "--minutes", "0"]) == 0
    about = [name for name, experiment in experiments().items() if "digits" in experiment.datasets]
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == sorted(about) != []


def test_a_dry_run_of_all_sums_up(fresh, capsys):
    assert main(["reproduce", "all", "--dry-run"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    missing = {line.split()[0]: int(line.split()[1]) for line in lines}
    assert missing.keys() == experiments().keys() and missing["lpgnn"] == 100
    assert last.startswith(f"in all {sum(missing.values())} runs, about ") and "never measured is not counted" in last
    assert not (fresh / "measured").exists()


def test_an_interrupt_is_no_traceback(fresh, monkeypatch, capsys):
    def interrupt(*args, **options):
        raise KeyboardInterrupt
    monkeypatch.setattr(runner, "run_missing", interrupt)
    assert main(["reproduce", "lpgnn"]) == 130
    assert "the same command goes on" in capsys.readouterr().err


@pytest.mark.parametrize("text, message", [
    ("- id: [", "must be YAML"), ("", "must be a list of entries"), ("id: one", "must be a list of entries"),
    ("- one", "claims.yml, entry 1: must have names"), ("- id: one", "one is not whole"),
    ("- {id: one, colour: red}", "one has unknown keys")])
def test_a_broken_register_is_one_line(text, message, tmp_path, monkeypatch, capsys):
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "claims.yml").write_text(text)
    monkeypatch.setattr(claims, "book_folder", lambda: tmp_path)
    assert main(["claims"]) == 2
    err = capsys.readouterr().err
    assert message in err and err.count("\n") == 1


def test_reproduce_says_what_it_added_and_what_is_left(fresh, capsys):
    assert main(["reproduce", "lpgnn", "--dataset", "cora-twin", "--repeats", "2", "--minutes", "0"]) == 0
    assert capsys.readouterr().out == "0 runs added, 0 failed, 20 still missing; the same command goes on with them\n"
    assert main(["reproduce", "graphprivatizer"]) == 0
    out = capsys.readouterr().out
    assert "0 still missing\nleft out, as they are not on this machine: " in out
    assert "cora, pubmed, amazon-photo, facebook-pages" in out


def test_an_estimate_is_told_before_anything_begins(fresh, monkeypatch, capsys):
    """Of the processor, and by the clock, from what a run took; on stderr, as what was added is the answer."""
    assert main(["reproduce", "lpgnn", "--dataset", "cora-twin", "--minutes", "0"]) == 0
    assert capsys.readouterr().err.startswith("lpgnn: 100 runs are missing, nobody knows how long\n")
    ledger, lpgnn = open_ledger(experiments()["lpgnn"]), experiments()["lpgnn"]
    planned = missing(lpgnn, dataset="cora-twin")
    row = replace(row_of(lpgnn, planned[0], CARDS["cora-twin"].sha256, 240.0, dict.fromkeys(lpgnn.metrics, 80.0)),
                  process_seconds=60.0)
    ledger.append([row])
    began = []
    monkeypatch.setattr(runner, "run_missing", lambda *args, **how: began.append(capsys.readouterr().err) or Report())
    assert main(["reproduce", "lpgnn", "--dataset", "cora-twin", "--workers", "2"]) == 0
    assert began == ["lpgnn: 99 runs are missing, about 99 min of the processor, 3.3 h by the clock with 2 at a time\n"]


def test_an_estimate_alone_runs_nothing(fresh, monkeypatch, capsys):
    monkeypatch.setattr(runner, "run_missing", lambda *args, **how: pytest.fail("it began"))
    assert main(["reproduce", "lpgnn", "--estimate"]) == 0
    assert capsys.readouterr().out == "lpgnn: 100 runs are missing, nobody knows how long\n"
    assert main(["reproduce", "graphprivatizer", "--estimate"]) == 0
    assert capsys.readouterr().out == "graphprivatizer: no run is missing\n"  # of graphs that are here
    assert main(["reproduce", "all", "--estimate"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert {line.partition(":")[0] for line in lines} == set(experiments())
    counted = [int(count.replace(",", "")) for count in re.findall(r": ([\d,]+) runs", "\n".join([*lines, last]))]
    assert last.startswith("all: ") and sum(counted[:-1]) == counted[-1]
    assert not (fresh / "measured").exists()


def test_undecided_begins_with_what_is_nearest_to_a_verdict(fresh, monkeypatch, capsys):
    near = {1: 1.5, 2: 1.1}
    monkeypatch.setattr(reproduce, "by_worth", lambda name: lambda run: near.get(run.seed, 9.0))
    seen = []
    monkeypatch.setattr(runner, "measure", lambda experiment, run: seen.append(run.seed) or (run, None, "not run"))
    main(["reproduce", "lpgnn", "--dataset", "cora-twin", "--undecided", "--repeats", "3"])
    assert sorted(set(seen)) == [0, 1, 2] and seen == sorted(seen, key=lambda seed: near.get(seed, 9.0))
    assert main(["reproduce", "all", "--undecided"]) == 2
    assert "--undecided puts the runs of one experiment in order: say which" in capsys.readouterr().err


def test_runs_that_are_like_none_are_not_counted_as_nothing():
    known, unknown = PlannedRun({}, 0, 30.0, 10.0), PlannedRun({}, 1)
    assert estimate({"toy": [known, known, unknown]}, 1) == [
        "toy: 3 runs are missing, about 20 s of the processor, 60 s by the clock with 1 at a time; 1 of them are like "
        "none that was measured, and not counted"]
    last = estimate({"one": [known], "two": [unknown], "none": []}, 1)[-1]
    assert last.startswith("all: 2 runs are missing, about 10 s of the processor")


def test_a_dry_run_runs_nothing(fresh, capsys):
    assert main(["reproduce", "lpgnn", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "cora-twin              100 runs missing, about an unknown time" in out
    assert "pubmed               not on this machine" in out and "in all 100 runs" in out
    assert main(["reproduce", "lpgnn", "--dry-run", "--dataset", "cora-twin"]) == 0
    assert "pubmed" not in capsys.readouterr().out
    assert not (fresh / "measured").exists()


@pytest.mark.parametrize("arguments, message", [
    (["reproduce", "lpgnn", "--dataset", "corra"], "dataset must be one of"),
    (["reproduce", "lpgnn", "--dataset", "cora"], "privgraph data cora"),
    (["reproduce", "graphprivatizer", "--repeats", "0"], "repeats must be a whole number"),
    (["reproduce", "lpgnn", "--minutes", "nan"], "minutes must be a number"),
    (["reproduce", "all", "--minutes", "-1"], "minutes must be a number"),
    (["reproduce", "all", "--dataset", "corra"], "dataset must be one of"),
    (["reproduce", "lpgnn", "--dataset", "cora-twin", "--workers", "0"], "workers must be a whole number"),
])
def test_wrong_options_of_reproduce_are_named(arguments, message, fresh, capsys):
    assert main(arguments) == 2
    assert message in capsys.readouterr().err and not (fresh / "measured").exists()


def test_an_unknown_experiment_is_answered_with_the_known_ones(capsys):
    with pytest.raises(SystemExit):
        main(["reproduce", "graphprivatizer-table6"])
    assert "'graphprivatizer', " in capsys.readouterr().err


def test_an_edited_ledger_stops_reproduce(fresh, capsys):
    (fresh / "measured").mkdir()
    ledger = fresh / "measured" / "graph-statistics.csv"
    ledger.write_text("experiment,value\ntoy,91.2\n")
    assert main(["reproduce", "graph-statistics"]) == 2
    assert "graph-statistics.csv: expected the first line" in capsys.readouterr().err
    assert ledger.read_text() == "experiment,value\ntoy,91.2\n"


def test_ledger_prints_the_coverage(capsys):
    assert main(["ledger"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (first, *papers, last), (head, *those, total) = lines[:6], lines[8:]
    assert first.split()[:4] == ["paper", "printed", "values", "agrees"] and len(papers) == len(those) == 4
    assert last.split()[:2] == ["all", "9063"] and lines[6:8] == ["", "What was not run:"]
    assert "can be run (hours)  follows from others  input not at hand  no experiment" in head
    assert total.split()[0] == "all" and sum(map(int, re.findall(r" (\d+)(?= )", total)[:4])) == int(last.split()[5])
    assert main(["ledger", "rgnn"]) == 0
    assert "Table II" in capsys.readouterr().out


@pytest.mark.parametrize("line, message", {
    "claims no-such-claim": "no claim begins with", "reproduce": "required: NAME", "ledger nobody": "nobody",
    "reproduce lpgnn --seeds 2": "unrecognized arguments", "reproduce lpgnn --datas cora": "unrecognized arguments",
    "classroom grade here --trust": "unrecognized arguments"}.items())
def test_what_makes_no_sense_is_answered_on_stderr(line, message, capsys):
    try:
        assert main(line.split()) == 2
    except SystemExit as ended:
        assert ended.code == 2
    assert message in capsys.readouterr().err
