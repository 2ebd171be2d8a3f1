"""The ledger loses nothing: cut anywhere, edited, written by two at once."""

import hashlib
import math
import os
import random
import subprocess
import threading
from dataclasses import replace

import pytest

from privbook.papers.catalogue import experiments
from privbook.runs.ledger import Ledger
from privbook.runs.locks import held
from privbook.runs.plan import open_ledger
from privbook.runs.rows import Head, Row, with_check
from privgraph.datasets import card

TYPES = {"epsilon": float, "kind": str}


def row(seed: int = 3, epsilon: float = math.inf, kind: str = "real", seconds: float = 1.5, metrics=None,
        **said) -> Row:
    head = dict(experiment="toy", revision=1, dataset="karate", sha256="0123", privgraph="0.1.0", torch="2.13.0",
                device="cpu")
    return Row(Head(**head | said), {"epsilon": epsilon, "kind": kind}, seed, seconds, metrics or {"accuracy": 81.25})


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "toy.csv", TYPES)


def test_rows_come_back_as_they_were_written(ledger):
    assert ledger.rows() == [] and ledger.append([row()]) == 1 and ledger.append([row(4), row(5)]) == 2
    assert ledger.rows() == [row(), row(4), row(5)]
    assert Ledger(ledger.path, TYPES).rows() == ledger.rows()


def test_values_are_rounded_and_types_are_kept(ledger):
    ledger.append([row(metrics={"accuracy": 100 / 3}, seconds=2 / 3, kind="16")])
    assert ledger.rows() == [row(metrics={"accuracy": 33.33333333}, seconds=0.67, kind="16")]
    ledger.append([row(4, metrics={"accuracy": 1_234_567.0})])
    assert ledger.rows()[1].metrics == {"accuracy": 1_234_567.0}


def test_a_result_is_written_once(ledger):
    """A second writer brings the same run, perhaps with other seconds."""
    ledger.append([row()])
    assert Ledger(ledger.path, TYPES).append([row(seconds=9.0), row(4)]) == 1
    assert ledger.append([row(4)]) == 0 and len(ledger.rows()) == 2
    assert ledger.append([row(revision=2), row(sha256="4567")]) == 2


def test_a_metric_that_came_later_is_added_and_the_first_value_of_another_stays(ledger):
    ledger.append([row()])
    later = row(seconds=3.0, metrics={"accuracy": 70.0, "auc": 0.5}, torch="3.0.0")
    assert ledger.append([later]) == 1 and ledger.append([later, row()]) == 0
    assert ledger.current(1) == [row(), replace(later, metrics={"auc": 0.5})]


def test_what_never_changes_is_said_once(ledger):
    """One head for many runs, one more for a new revision, graph, version or metric; none is repeated."""
    ledger.append([row(seed) for seed in range(50)]), ledger.append([row(50)])
    Ledger(ledger.path, TYPES).append([row(51), row(52, torch="3.0.0"), row(revision=2), row(sha256="4567")])
    lines = ledger.path.read_text().splitlines()
    assert len(lines) == 1 + 4 + 55 and sum(line.startswith("#toy") for line in lines) == 4
    assert all(len(line) < 48 for line in lines if not line.startswith("#"))


def test_the_time_of_the_processor_stands_under_a_head_of_its_own(ledger):
    """Rows from before it was taken stay as they are, to the byte, and say that nobody knows."""
    ledger.append([row()])
    before = ledger.path.read_bytes()
    timed = replace(row(4), process_seconds=1.234)
    assert ledger.append([timed]) == 1 and ledger.path.read_bytes().startswith(before)
    assert Ledger(ledger.path, TYPES).rows() == [row(), replace(timed, process_seconds=1.23)]
    assert [each.process_seconds for each in ledger.current(1)] == [None, 1.23]
    assert set(timed.metrics) == {"accuracy"} and timed.results == row(4).results
    assert ledger.append([row(4), replace(row(), process_seconds=9.0)]) == 0  # a run is a run, whoever timed it
    last = ledger.path.read_text().splitlines()[-2:]
    assert "epsilon kind,process_seconds accuracy," in last[0] and ",real,4,1.50,1.23,81.25," in last[1]


@pytest.mark.parametrize("process", [math.nan, 1])
def test_a_time_of_the_processor_is_a_number(ledger, process):
    with pytest.raises(ValueError, match="process_seconds must be a number .* of type float, got"):
        ledger.append([replace(row(), process_seconds=process)])


def test_two_ledgers_that_grew_apart_merge(ledger):
    """Git puts both sides' lines one after the other; each result counts once, the first as it stands."""
    ledger.append([row(), row(4)])
    lines = ledger.path.read_text().splitlines()
    ledger.path.write_text("\n".join([*lines, lines[3], lines[2]]) + "\n")
    assert len(ledger.rows()) == 4 and ledger.current(1) == [row(), row(4)]


SIDES = [[row(seed, **head) for seed in range(3)] for head in (
    {}, dict(torch="3.0.0"), dict(sha256="4567"), dict(revision=2), dict(metrics={"auc": 0.5, "loss": 60.0}))]
SIDES[1] = [replace(each, process_seconds=0.25) for each in SIDES[1]]


def test_in_whatever_order_the_lines_stand_every_row_finds_its_head(ledger):
    """Heads may come after their rows, and twice; so may the first line."""
    rows = sum(SIDES, [])
    assert ledger.append(rows) == 15
    first, *lines = ledger.path.read_text().splitlines(keepends=True)
    heads = [line for line in lines if line.startswith("#")]
    for seed in range(20):
        random.Random(seed).shuffle(lines)
        ledger.path.write_text("".join([first, *lines, first, *heads]))
        found = ledger.rows()
        assert len(heads) == 5 and len(found) == 15 and all(run in found for run in rows)
        assert ledger.append(rows) == 0


@pytest.mark.parametrize("ours, theirs", [(1, 2), (3, 4), (0, 3), (2, 2)])
def test_git_merges_two_branches_that_appended_under_other_heads(ledger, ours, theirs):
    base = SIDES[0][:1]
    for name, rows in (("base", base), ("ours", base + SIDES[ours]), ("theirs", base + SIDES[theirs])):
        Ledger(ledger.path.with_name(name), TYPES).append(rows)
    merged = subprocess.run(["git", "merge-file", "-p", "--union", "ours", "base", "theirs"], cwd=ledger.path.parent,
                            capture_output=True, check=True)
    ledger.path.write_bytes(merged.stdout)
    found, wanted = ledger.rows(), base + SIDES[ours] + SIDES[theirs]
    assert all(run in found for run in wanted) and all(run in wanted for run in found)
    assert ledger.append(wanted) == 0


def test_a_row_whose_head_is_gone_is_refused(ledger):
    ledger.append([row(), row(4, torch="3.0.0")])
    lines = ledger.path.read_text().splitlines(keepends=True)
    ledger.path.write_text("".join(line for line in lines if "3.0.0" not in line))
    with pytest.raises(ValueError, match="toy.csv: line 4 was not written .*a row must stand under a head of its file"):
        ledger.rows()


def test_rows_that_count_are_of_this_revision_and_of_the_graph_on_the_card(ledger):
    cora = dict(dataset="cora", sha256=card("cora").sha256)
    good, unknown = row(**cora), row(sha256="any: karate's card has none")
    ledger.append([good, row(**cora | {"sha256": "0123"}), row(**cora, revision=2), unknown])
    assert ledger.current(1) == [good, unknown]


def test_cut_anywhere_nothing_is_lost(ledger):
    """Every prefix of a ledger, as a killed process could leave it, is mended by the next append."""
    rows = [row(seed, metrics={"accuracy": 1.5, "auc": 0.5}, sha256=graph) for seed in range(2) for graph in ("a", "b")]
    ledger.append(rows)
    whole = ledger.path.read_bytes()
    aside = ledger.path.with_name("toy.csv.aside")
    for cut in range(len(whole)):
        ledger.path.write_bytes(whole[:cut])
        aside.unlink(missing_ok=True)
        fresh = Ledger(ledger.path, TYPES)
        kept = fresh.rows()
        assert kept == rows[:len(kept)]
        fresh.append(rows)
        assert ledger.path.read_bytes() == whole
        tail = whole[:cut].rpartition(b"\n")[2]
        cut_off = tail + b"\n" not in whole.splitlines(keepends=True)  # not a line whose end alone is missing
        assert aside.exists() == bool(tail and cut_off)
        assert not aside.exists() or aside.read_bytes() == tail + b"\n"


def test_a_reader_leaves_out_the_line_that_is_being_written(ledger):
    ledger.append([row(), row(4)])
    ledger.path.write_bytes(ledger.path.read_bytes()[:-3])
    assert ledger.rows() == [row()]


@pytest.mark.parametrize("edit, line", [
    (lambda text: text.replace("81.25", "91.25", 1), "line 3"), (lambda text: text.replace(",cpu,", ",gpu,"), "line 2"),
    (lambda text: text + "toy,1,karate\n", "line 5"), (lambda text: text + "\n", "line 5"),
    (lambda text: text.replace("real,4", "real,5"), "line 4"), (lambda text: text.replace("\n", "\r\n"), "first line"),
    (lambda text: text.replace("#toy", "# toy"), "line 2"), (lambda text: text.replace("#toy", "toy"), "line 2"),
    (lambda text: text.replace("revision", "version", 1), "first line"), (lambda text: "\n" + text, "first line")])
def test_an_edited_file_is_named_and_left_alone(ledger, edit, line):
    ledger.append([row(), row(4)])
    edited = edit(ledger.path.read_text(encoding="utf-8")).encode()
    ledger.path.write_bytes(edited)
    fresh = Ledger(ledger.path, TYPES)
    for action in (fresh.rows, lambda: fresh.append([row(7)])):
        with pytest.raises(ValueError, match=rf"toy.csv: .*{line}"):
            action()
    assert ledger.path.read_bytes() == edited


def test_an_edit_of_what_was_appended_since_is_named_too(ledger):
    ledger.append([row()]), ledger.append([row()])
    ledger.path.write_text(ledger.path.read_text() + "toy,1,karate\n")
    with pytest.raises(ValueError, match="toy.csv: line 4 was not written by the ledger"):
        ledger.append([row(4)])


def test_a_merge_during_a_run_is_no_edit(ledger):
    """Git may put rows of another branch in the middle of what is known already."""
    ledger.append([row(), row(4)]), ledger.append([row(5)])
    merged = Ledger(ledger.path.with_name("other.csv"), TYPES)
    merged.append([row(), row(6, kind="a much longer text"), row(4), row(5)])
    ledger.path.write_bytes(merged.path.read_bytes())
    assert ledger.append([row(7), row(6, kind="a much longer text")]) == 1
    assert [r.seed for r in ledger.rows()] == [3, 6, 4, 5, 7]


def test_a_whole_row_without_its_line_end_is_kept(ledger):
    """Some editors take the last line end away."""
    ledger.append([row(), row(4)])
    ledger.path.write_bytes(ledger.path.read_bytes()[:-1])
    assert ledger.append([row(5)]) == 1 and ledger.rows() == [row(), row(4), row(5)]
    assert not ledger.path.with_name("toy.csv.aside").exists()


def test_a_row_of_an_unknown_graph_is_named(ledger):
    ledger.append([row(dataset="nowhere")])
    with pytest.raises(ValueError, match="toy.csv: no card describes the graph 'nowhere'"):
        ledger.current(1)


def test_every_single_changed_character_is_noticed(ledger):
    ledger.append([row()])
    lines = ledger.path.read_text().splitlines()
    for number, place in [(n, k) for n, line in enumerate(lines) for k in range(len(line))]:
        old, other = lines[number], list(lines)
        other[number] = old[:place] + ("1" if old[place] != "1" else "2") + old[place + 1:]
        ledger.path.write_text("\n".join(other) + "\n")
        with pytest.raises(ValueError, match=f"line {number + 1}" if number else "first line"):
            ledger.rows()


def test_a_file_made_anew_is_read_anew(ledger):
    ledger.append([row(), row(4)])
    ledger.path.unlink()
    assert ledger.append([row(5)]) == 1 and ledger.rows() == [row(5)]


@pytest.mark.parametrize("bad, message", [
    (row(epsilon=3), "epsilon must be .*float, got 3"), (row(metrics={"accuracy": math.nan}), "accuracy .* got nan"),
    (row(metrics={"accuracy": 81}), "accuracy .* got 81"), (row(seed="3"), "seed"), (row(revision="1"), "revision"),
    (row(kind="a,b"), "comma"), (row(kind="a\nb"), "line end"), (row(metrics={"a b": 1.0}), "space"),
    (replace(row(), parameters={"epsilon": 1.0}), "parameters"), (replace(row(), metrics={}), "a metric")])
def test_bad_rows_are_not_written(ledger, bad, message):
    ledger.append([row(0)])
    with pytest.raises(ValueError, match=message):
        ledger.append([row(1), bad])
    assert ledger.rows() == [row(0)]


def test_two_writers_at_once_lose_nothing(ledger):
    """Eight threads with ledgers of their own append overlapping rows; each row is there once."""
    def write(first):
        own = Ledger(ledger.path, TYPES)
        for seed in range(first, first + 20):
            own.append([row(seed), row(seed, torch=f"{first}", metrics={"auc": 0.5})])

    threads = [threading.Thread(target=write, args=(5 * k,)) for k in range(8)]
    [t.start() for t in threads], [t.join() for t in threads]
    found = ledger.rows()
    assert len(found) == len(set.union(*(r.results for r in found))) == 2 * (35 + 20)
    assert not ledger.path.with_name("toy.csv.aside").exists()


def test_the_checksum_is_crc32():
    assert with_check("123456789") == "123456789,cbf43926"  # the check value of CRC-32 in its standard


# The ledger once had one row a metric, with the columns below. For each file: how many runs it had when it became what
# it is, and the SHA-256 over its rows as they were, sorted and without their checksums.
LONG = {
    "ceiling": (231, "6c49eafbe029dd66c680680e2c8191383a38e14dd183d519d9d0e14c81c7c2cf"),
    "graph-statistics": (10, "8ce75eb0974399b2327e2e0301aec8e36ac34a67cefcef1f1f6a74c1000c05a3"),
    "graphprivatizer": (2019, "8a1d1a1358fef20c764fa173c34967b61f0f6db067799262b0d971943cef4220"),
    "lpgnn": (847, "d426f12b923b9809305b32d901ddc79f369c14e04ba3b76b7377f6c8903f425f"),
    "membership": (80, "aa7cb0459b740389d8a60f47e913ee80484fa26aa1b0e6ba06ad9ae032f6ceb4"),
    "pate-reported": (300, "9cb1da2ed070acb19293ce570fc68561e9feb8ea90ed188be370a75f6284dd11"),
    "private-edges": (462, "6f63985893e21bb7c2a0744c7d55fc99ce710ffaf16abd044449c2577c8a5eb2"),
    "privgnn": (1390, "2536c40b1cf15857368daa124cc7f1d86ee2c1fa9df92d9c911c6094b6e32dd9"),
    "privgnn-budgets": (358, "92e0cbbf9cca93a3405ba479237f25721af619a602a2fdd1d9c895c76c3bb516"),
    "privgnn-epochs": (115, "026fe661335bc1714b8635d7abca16668561138e769a6eaf50337dee2faa963e"),
    "privgnn-frontier": (872, "e25e69d82b4bbe2dcf5d0dbaf7ada9609a3efac2c1acbad162ec158f772adf53"),
    "privgnn-parts": (10, "48b9a7963f066bd5b448172f493549516ce28493120fec21fce409177a6dbd69"),
    "privgnn-released": (60, "061a431cdb6f24d1f1db7520541163d19281af6b3936e660706d3af71caa349e"),
    "rgnn": (4955, "fa3164e966eb7cb1dbdd487e2c8740da01a9b841a3f74f92ad1b3d43cfe7371e"),
    "rgnn-search": (8064, "d0bcd517e171ff55a9f737888c699a601f8f6d8a8da880fa250ff4b5f6256c00"),
}


def long(run: Row) -> list[str]:
    """A run as it was written then."""
    head = run.head
    before = [head.experiment, head.revision, head.dataset, head.sha256, *run.parameters.values(), run.seed]
    after = [f"{run.seconds:.2f}", head.privgraph, head.torch, head.device]
    return [",".join(map(str, [*before, name, f"{value:.10g}", *after])) for name, value in run.metrics.items()]


@pytest.mark.parametrize("name", LONG)
def test_no_value_changed_when_the_ledger_became_compact(name):
    """Every experiment, setting, seed, metric, value, second and version of the 54,610 old rows."""
    count, digest = LONG[name]
    rows = open_ledger(experiments()[name]).rows()[:count]
    lines = sorted(line for run in rows for line in long(run))
    assert len(rows) == count and hashlib.sha256("\n".join(lines).encode()).hexdigest() == digest


def test_a_held_lock_says_who_holds_it_and_is_not_waited_for_without_end(ledger, monkeypatch):
    monkeypatch.setattr("privbook.runs.locks.PATIENCE", 0.2)
    with held(ledger.path.with_name("toy.csv.lock")):
        with pytest.raises(TimeoutError, match=f"toy.csv.lock is held by process {os.getpid()} on .* since 20.*0.2 s;"):
            ledger.append([row()])
    assert ledger.rows() == [] and ledger.append([row()]) == 1


def test_rows_of_another_experiment_are_not_counted_as_ours(ledger):
    """With the same columns and revision nothing else tells them apart."""
    other = Ledger(ledger.path.with_name("other.csv"), TYPES)
    other.append([row(9, experiment="other")])
    ledger.append([row()])
    with open(ledger.path, "ab") as file:
        file.write(b"".join(other.path.read_bytes().splitlines(keepends=True)[1:]))
    with pytest.raises(ValueError, match="toy.csv: rows must be of this experiment, got one of 'other'"):
        ledger.current(1)
