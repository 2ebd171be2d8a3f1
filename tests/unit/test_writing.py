"""Whatever is written is whole or not there: a fault at each call of the system, for every function that writes."""

import ast
import os
import re
import stat
from pathlib import Path

import pytest
import torch

from faulty import Faulty, harm, kept, modes_of_what_is_put, that_write, writes
from privgraph import datasets, writing
from privgraph.datasets import sources
from privgraph.datasets.splits import parts as parts_of
from privgraph.federate import part_files
from privgraph.methods import LPGNN, PATE, Embeddings, NodeClassifier
from privgraph.methods.federated import hold, parts
from privgraph.methods.files import write as write_fields
from privgraph.randomness import seeded

LIBRARY = Path(writing.__file__).parent
# Every function of the library that writes.

KARATE = datasets.split(datasets.load("karate"), seeded(0))
METHOD = LPGNN(epochs=1, x_steps=1)
RELEASE = METHOD.collect(KARATE, seeded(0))
STUDENT = PATE(scale=1.0, num_queries=5, student=NodeClassifier(hidden=4, epochs=1),
               teacher=NodeClassifier(hidden=4, epochs=1), teachers=2)
ANSWERED = STUDENT.collect(*parts_of(datasets.load("karate"), 0.5, 0), seeded(0))
HELD = parts(hold(datasets.load("karate"), seeded(0), 2, 0.4, 0.15, "random"))


def many_files(folder: Path) -> None:
    with writing.new_folder(folder / "out", replaces=re.compile("[ab]")) as new:
        writing.write(new / "a", "new a"), writing.write(new / "b", "new b")


WRITERS = {
    "write": lambda folder: writing.write(folder / "one", "text" * 99),
    "write_all": lambda folder: writing.write_all({folder / "a": b"1" * 99, folder / "b": b"2" * 99}),
    "new_folder": many_files,
    "Release.save": lambda folder: RELEASE.save(folder / "release.pt"),
    "QueryRelease.save": lambda folder: ANSWERED.save(folder / "release.pt"),
    "Fitted.save": lambda folder: METHOD.prepare(RELEASE, seeded(0)).save(folder / "model.pt"),
    "Embeddings.save": lambda folder: Embeddings(z=torch.ones(9, 2)).save(folder / "embeddings.pt"),
    "save_parts": lambda folder: part_files.save_parts(HELD, folder),
    "save_vectors": lambda folder: part_files.save_vectors(torch.ones(9, 2), folder / "z"),
    "state of a client": lambda folder: write_fields({"any": "client"}, folder / ".client-0.pt.state", writing.PRIVATE),
    "save_npz": lambda folder: datasets.save_npz(KARATE, folder / "karate.npz"),
    "download": lambda folder: sources.keep(KARATE, "karate"),
}
SEVERAL = {"write_all": ["a"], "new_folder": ["out/a", "out/b"], "save_parts": ["client-0.pt"]}  # of old ones
ONE = {"write": "one", "Release.save": "release.pt", "QueryRelease.save": "release.pt", "Fitted.save": "model.pt",
       "Embeddings.save": "embeddings.pt", "save_vectors": "z.npy", "state of a client": ".client-0.pt.state",
       "save_npz": "karate.npz", "download": "karate.npz"}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder for everything, which is a cache as well."""
    folder = tmp_path / "place"
    (folder / "notes").mkdir(parents=True)
    monkeypatch.setenv("PRIVGRAPH_CACHE", str(folder))
    (folder / "notes/one").write_text("of somebody")
    return folder


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
@pytest.mark.parametrize("name", WRITERS)
def test_a_fault_leaves_what_was_there_or_all_that_is_new(name, error, place, monkeypatch):
    for old in SEVERAL.get(name, [ONE[name]] if name in ONE else []):
        (place / old).parent.mkdir(exist_ok=True)
        (place / old).write_bytes(b"what was there before")
    assert harm(WRITERS[name], place, monkeypatch, error) == []


# What a plausible author writes instead; the test above must see it.

def in_place(path, content, mode=0o666, name="path"):
    """No other name: half of a file stands under its own."""
    file = writing.os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        writing.put(file, content.encode())
    finally:
        writing.os.close(file)


def never_tidied(path, content, mode=0o666, name="path"):
    """Another name, which stays where something fails."""
    writing.fill(new := writing.unfinished(path), content.encode(), mode)
    writing.os.replace(new, path)


def moved_first(path, content, mode=0o666, name="path"):
    """The old file is set aside before the new one is there."""
    writing.os.replace(path, path.with_suffix(".old"))
    writing.write(path, content)


@pytest.mark.parametrize("broken", [in_place, never_tidied, moved_first])
def test_a_broken_way_of_writing_is_seen(broken, place, monkeypatch):
    (place / "one").write_bytes(b"what was there before")
    assert harm(lambda folder: broken(folder / "one", "text" * 99), place, monkeypatch)


def test_no_module_writes_in_another_way():
    """But for those named here: what they write is no file that anybody keeps."""
    assert that_write(LIBRARY) == {
        "writing.py",  # this
        "cli/ending.py",  # nothing, to /dev/null
        "datasets/raw.py"}  # a temporary file


@pytest.mark.parametrize("text, seen", [
    ("open(p, 'w')", True), ("open(p)", False), ("open(p, 'rb')", False), ("open(p, mode='ab')", True),
    ("p.write_text(t)", True), ("np.save(p, z)", True), ("torch.save(z, b := io.BytesIO())", False),
    ("pickle.dump(c, f)", True), ("pickle.dumps(c)", False), ("figure.savefig(p)", True), ("release.save(p)", False),
    ("os.replace(a, b)", True), ("shutil.move(a, b)", True), ("text.replace(a, b)", False)])
def test_another_way_would_be_found(text, seen):
    assert writes(ast.parse(text, mode="eval").body) == seen


# Rights.

@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
@pytest.mark.parametrize("name, private", [
    ("save_parts", True), ("save_vectors", True), ("state of a client", True), 
    ("Release.save", False), ("write", False)])
def test_what_is_private_is_so_before_anything_is_in_it(name, private, place, monkeypatch):
    modes = modes_of_what_is_put(WRITERS[name], place, monkeypatch)
    assert modes and all(mode == (0o600 if private else 0o666) for mode in modes)


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
@pytest.mark.parametrize("old, new", [(0o600, 0o600), (0o640, 0o640), (0o777, 0o666 & ~0o022)])
def test_a_file_that_let_others_do_less_goes_on_doing_so(old, new, tmp_path):
    (tmp_path / "mine").write_text("old")
    os.chmod(tmp_path / "mine", old)
    before = os.umask(0o022)
    try:
        writing.write(tmp_path / "mine", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "mine").stat().st_mode) == new


# Places.

def test_what_a_killed_process_left_goes_with_the_next_write_and_what_a_living_one_writes_stays(tmp_path):
    ended = next(number for number in range(2**22 - 1, 0, -1) if not writing.alive(number))
    left = tmp_path / f".one.{ended}-0123abcd.unfinished"
    others = [tmp_path / f".one.{os.getpid()}-0123abcd.unfinished", tmp_path / f".two.{ended}-0123abcd.unfinished",
              tmp_path / ".one.notes.unfinished"]
    for path in (left, *others):
        path.write_text("half")
    writing.write(tmp_path / "one", "whole")
    assert not left.exists() and all(path.exists() for path in others) and (tmp_path / "one").read_text() == "whole"


def test_a_folder_with_somebody_elses_files_is_never_replaced(tmp_path):
    (tmp_path / "thesis.tex").write_text("years")
    for replaces in (None, re.compile(r"release\.pt")):
        with pytest.raises(FileExistsError, match="--save must be a new or an empty folder, got .*thesis.tex"), \
                writing.new_folder(tmp_path, "--save", replaces=replaces):
            pytest.fail("it has begun")
    assert kept(tmp_path) == {"thesis.tex": b"years"}


def test_folders_that_were_made_on_the_way_go_again(tmp_path):
    with pytest.raises(ZeroDivisionError), writing.new_folder(tmp_path / "a/b/c") as new:
        writing.write(new / "file", "x")
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []
    with writing.new_folder(tmp_path / "a/b/c") as new:
        writing.write(new / "file", "x")
    assert kept(tmp_path) == {"a/b/c/file": b"x"}


@pytest.mark.parametrize("check", [writing.check_place, writing.check_folder, writing.ready_folder])
def test_a_place_is_tried_beforehand(check, tmp_path, monkeypatch):
    assert check(tmp_path / "new", "--save") == tmp_path / "new"
    monkeypatch.setattr(writing, "os", Faulty(0, PermissionError))
    with pytest.raises(PermissionError, match=re.escape(
            f"--save must be a place where files can be written, got '{tmp_path / 'other'}'")):
        check(tmp_path / "other", "--save")
    assert not list(tmp_path.glob(".*"))


def test_a_device_and_a_read_only_file_are_no_places(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="path must be a file or a new name, got .*pipe"):
        writing.write(tmp_path / "pipe", "x")
    (tmp_path / "mine").write_text("old")
    monkeypatch.setattr(writing.os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError, match="which is read-only"):
        writing.write(tmp_path / "mine", "x")
    assert (tmp_path / "mine").read_text() == "old"


def test_what_a_link_leads_to_is_written_and_the_link_stays(tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "far/one").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "far/one")
    writing.write(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "far/one").read_text() == "new"


def test_a_system_that_takes_one_byte_at_a_time_is_written_to(tmp_path, monkeypatch):
    monkeypatch.setattr(writing.os, "write", lambda file, content, write=os.write: write(file, content[:1]))
    writing.write(tmp_path / "one", "all of it")
    assert (tmp_path / "one").read_text() == "all of it"
