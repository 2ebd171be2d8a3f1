"""The ledger loses nothing: cut anywhere, edited, written by two at once."""

import math
import threading

import pytest

from privgraph.datasets import card
from privgraph.experiments import Ledger
from privgraph.experiments.ledger import with_check

TYPES = {"epsilon": float, "kind": str}


def row(seed: int = 3, **changes) -> dict:
    return dict(experiment="toy", revision=1, dataset="karate", sha256="0123", epsilon=math.inf, kind="real", seed=seed,
                metric="accuracy", value=81.25, seconds=1.5, privgraph="0.1.0", torch="2.13.0", device="cpu") | changes


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "toy.csv", TYPES)


def test_rows_come_back_as_they_were_written(ledger):
    assert ledger.rows() == [] and ledger.append([row()]) == 1 and ledger.append([row(4), row(5)]) == 2
    assert ledger.rows() == [row(), row(4), row(5)]
    assert Ledger(ledger.path, TYPES).rows() == ledger.rows()


def test_values_are_rounded_and_types_are_kept(ledger):
    ledger.append([row(value=100 / 3, seconds=2 / 3, kind="16")])
    (back,) = ledger.rows()
    assert (back["value"], back["seconds"], back["kind"]) == (33.33333333, 0.67, "16")
    ledger.append([row(4, value=1_234_567.0)])
    assert ledger.rows()[1]["value"] == 1_234_567.0


def test_a_result_is_written_once(ledger):
    """A second writer brings the same run, perhaps with other seconds."""
    ledger.append([row(), row(metric="auc")])
    assert Ledger(ledger.path, TYPES).append([row(seconds=9.0), row(4)]) == 1
    assert ledger.append([row(4)]) == 0 and len(ledger.rows()) == 3
    assert ledger.append([row(revision=2), row(sha256="4567")]) == 2


def test_two_ledgers_that_grew_apart_merge(ledger):
    """Git puts both sides' lines one after the other; each result counts once, the first as it stands."""
    ledger.append([row(), row(4)])
    lines = ledger.path.read_text().splitlines()
    ledger.path.write_text("\n".join([*lines, lines[2], lines[1]]) + "\n")
    assert len(ledger.rows()) == 4 and ledger.current(1) == [row(), row(4)]


def test_rows_that_count_are_of_this_revision_and_of_the_graph_on_the_card(ledger):
    good = row(dataset="cora", sha256=card("cora").sha256)
    ledger.append([good, good | {"sha256": "0123"}, good | {"revision": 2}, row(sha256="any: karate's card has none")])
    assert [r["dataset"] for r in ledger.current(1)] == ["cora", "karate"]
    assert ledger.current(1)[0] == good


def test_cut_anywhere_nothing_is_lost(ledger):
    """Every prefix of a ledger, as a killed process could leave it, is mended by the next append."""
    rows = [row(seed, metric=metric) for seed in range(2) for metric in ("accuracy", "auc")]
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
    (lambda text: text.replace("81.25", "91.25", 1), "line 2"), (lambda text: text.replace(",cpu,", ",gpu,"), "line 2"),
    (lambda text: text + "toy,1,karate\n", "line 4"), (lambda text: text + "\n", "line 4"),
    (lambda text: text.replace("real,4", "real,5"), "line 3"), (lambda text: text.replace("\n", "\r\n"), "columns"),
    (lambda text: text.replace("revision", "version", 1), "columns"), (lambda text: "\n" + text, "columns")])
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
    with pytest.raises(ValueError, match="toy.csv: line 3 was not written by the ledger"):
        ledger.append([row(4)])


def test_a_merge_during_a_run_is_no_edit(ledger):
    """Git may put rows of another branch in the middle of what is known already."""
    ledger.append([row(), row(4)]), ledger.append([row(5)])
    merged = Ledger(ledger.path.with_name("other.csv"), TYPES)
    merged.append([row(), row(6, kind="a much longer text"), row(4), row(5)])
    ledger.path.write_bytes(merged.path.read_bytes())
    assert ledger.append([row(7), row(6, kind="a much longer text")]) == 1
    assert [r["seed"] for r in ledger.rows()] == [3, 6, 4, 5, 7]


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
    header, line = ledger.path.read_text().splitlines()
    for place, old in enumerate(line):
        new = "1" if old != "1" else "2"
        ledger.path.write_text(f"{header}\n{line[:place]}{new}{line[place + 1:]}\n")
        with pytest.raises(ValueError, match="line 2"):
            ledger.rows()


def test_a_file_made_anew_is_read_anew(ledger):
    ledger.append([row(), row(4)])
    ledger.path.unlink()
    assert ledger.append([row(5)]) == 1 and ledger.rows() == [row(5)]


@pytest.mark.parametrize("bad, message", [
    (row(epsilon=3), "epsilon must be .*float, got 3"), (row(value=math.nan), "value .* got nan"), (row(seed="3"), "seed"),
    (row(kind="a,b"), "comma"), (row(kind="a\nb"), "line end"), (row(more=1), "columns"), ({"seed": 1}, "columns|seed|revision")])
def test_bad_rows_are_not_written(ledger, bad, message):
    ledger.append([row(0)])
    with pytest.raises((ValueError, KeyError), match=message):
        ledger.append([row(1), bad])
    assert ledger.rows() == [row(0)]


def test_two_writers_at_once_lose_nothing(ledger):
    """Eight threads with ledgers of their own append overlapping rows; each row is there once."""
    def write(first):
        own = Ledger(ledger.path, TYPES)
        for seed in range(first, first + 20):
            own.append([row(seed), row(seed, metric="auc")])

    threads = [threading.Thread(target=write, args=(5 * k,)) for k in range(8)]
    [t.start() for t in threads], [t.join() for t in threads]
    found = ledger.rows()
    assert len(found) == len({ledger.key(r) for r in found}) == 2 * (35 + 20)
    assert not ledger.path.with_name("toy.csv.aside").exists()


def test_the_checksum_is_crc32():
    assert with_check("123456789") == "123456789,cbf43926"  # the check value of CRC-32 in its standard
