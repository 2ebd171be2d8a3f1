"""Whatever the book's package writes is whole or not there, as in ``tests/unit/test_writing.py``."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

import privbook
from faulty import harm, modes_of_what_is_put, that_write
from privbook import skeletons
from privbook.classroom import gradebook
from privbook.prover import statements
from privbook.runs.ledger import Ledger
from privbook.runs.rows import Head, Row
from privbook.show import style
from privgraph import writing


def course(folder: Path) -> gradebook.Course:
    found = object.__new__(gradebook.Course)
    found.folder = folder
    return found


def add_rows(folder: Path, seeds=range(3)) -> None:
    head = Head("toy", 1, "karate", "0" * 64, "0", "0", "cpu")
    Ledger(folder / "toy.csv", {"size": float}).append([Row(head, {"size": 1.0}, seed, 1.0, {"a": 1.0})
                                                        for seed in seeds])


def figure(folder: Path) -> None:
    os.environ[style.FOLDER] = str(folder)
    try:
        style.keep(SimpleNamespace(savefig=lambda file, **how: file.write(b"<svg>" * 99)))
    finally:
        del os.environ[style.FOLDER]


WRITERS = {
    "write_skeletons": lambda folder: skeletons.write_skeletons("mechanism", "noisy_degrees", folder),
    "certificates": lambda folder: statements.save("blink", []),
    "proofs": lambda folder: statements.save_laplace([]),
    "figures": figure,
    "marks": lambda folder: gradebook.write_csv(folder / "marks.csv", [{"identifier": "x", "points": 3}]),
    "key": lambda folder: course(folder).alias("somebody"),
    "ledger": add_rows,
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder for everything, which is a checkout and a book as well."""
    folder = tmp_path / "place"
    for name in ("lib/privgraph/mechanisms", "tests/unit", "book/certificates"):
        (folder / name).mkdir(parents=True)
    monkeypatch.setattr(statements, "book_folder", lambda: folder)
    monkeypatch.setattr(writing.secrets, "token_hex", lambda size: "k" * 64 if size > 8 else os.urandom(size).hex())
    (folder / "book/notes").write_text("of somebody")
    return folder


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
@pytest.mark.parametrize("name", WRITERS)
def test_a_fault_leaves_what_was_there_or_all_that_is_new(name, error, place, monkeypatch):
    if name == "marks":
        (place / "marks.csv").write_bytes(b"what was there before")
    assert harm(WRITERS[name], place, monkeypatch, error) == []


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_row_that_was_not_written_whole_leaves_the_ledger_as_it_was(error, place, monkeypatch):
    add_rows(place)
    assert harm(lambda folder: add_rows(folder, range(5)), place, monkeypatch, error) == []
    assert [row.seed for row in Ledger(place / "toy.csv", {"size": float}).rows()] in ([0, 1, 2], [0, 1, 2, 3, 4])


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
@pytest.mark.parametrize("name", ["marks", "key"])
def test_what_is_private_is_so_before_anything_is_in_it(name, place, monkeypatch):
    modes = modes_of_what_is_put(WRITERS[name], place, monkeypatch)
    assert modes and all(mode == 0o600 for mode in modes)


def test_no_module_writes_in_another_way():
    """But for those named here: what they write is no file that anybody keeps."""
    assert that_write(Path(privbook.__file__).parent) == {
        "runs/locks.py",  # who holds a lock
        "classroom/plain_files.py"}  # nothing: it reads by descriptors, so that no link is followed
