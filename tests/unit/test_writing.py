"""Whatever is written is whole or not there: a fault at each call of the system, for every function that writes."""

import ast
import errno
import os
import re
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from privgraph import datasets, skeletons, writing
from privgraph.audit import statements
from privgraph.classroom import gradebook
from privgraph.datasets import sources
from privgraph.experiments import Ledger, students
from privgraph.experiments.rows import Head, Row
from privgraph.federate import files
from privgraph.methods import LPGNN, PATE, Embeddings, NodeClassifier
from privgraph.methods.federated import hold, parts
from privgraph.methods.files import write as write_fields
from privgraph.randomness import seeded
from privgraph.show import style

LIBRARY = Path(writing.__file__).parent
CALLS = ("open", "write", "fsync", "close", "replace", "mkdir")


class Faulty:
    """The system, of which one call fails: ``number`` counts them from 0, and None lets all of them through.

    A write that fails has written half of what it was given, as on a full disk.
    """

    def __init__(self, number: int | None = None, error: type[BaseException] = OSError):
        self.number, self.error, self.count, self.seen = number, error, 0, []

    def __getattr__(self, name: str):
        return self.counted(name) if name in CALLS else getattr(os, name)

    def counted(self, name: str):
        def call(*arguments, **how):
            self.seen.append(name)
            self.count += 1
            if self.count - 1 != self.number:
                return getattr(os, name)(*arguments, **how)
            if name == "write":
                os.write(arguments[0], bytes(arguments[1])[:len(arguments[1]) // 2])
            if name == "close":
                os.close(*arguments)
            raise self.error(errno.ENOSPC, "No space left on device") if self.error is OSError else self.error
        return call


def kept(folder: Path) -> dict[str, bytes]:
    """All files below a folder, by their names; locks say who holds them, which is another matter."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix != ".lock"}


def harm(write, folder: Path, monkeypatch, error: type[BaseException] = OSError) -> list[str]:
    """What is wrong under final names, or left over, when each call of ``write`` in turn fails."""
    before, found, folders = kept(folder), [], {path for path in folder.rglob("*") if path.is_dir()}
    monkeypatch.setattr(writing, "os", counting := Faulty())
    write(folder)
    whole = kept(folder)
    assert counting.count and whole != before
    for number in range(counting.count):
        restore(folder, before, folders)
        monkeypatch.setattr(writing, "os", Faulty(number, error))
        try:
            write(folder)
            wanted = [whole]  # a fault that does not matter, such as where a folder cannot be asked to settle
        except (OSError, KeyboardInterrupt):
            wanted = [before, whole]
        now = kept(folder)
        for name in now.keys() | before.keys():
            if now.get(name) not in [each.get(name) for each in wanted]:
                found.append(f"call {number} ({counting.seen[number]}): {name}")
    return found


def restore(folder: Path, content: dict[str, bytes], folders: set[Path]) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        if path not in folders:
            path.rmdir() if path.is_dir() else path.unlink()
    for path in sorted(folders):
        path.mkdir(exist_ok=True)
    for name, each in content.items():
        (folder / name).write_bytes(each)


# Every function of the library that writes.

KARATE = datasets.split(datasets.load("karate"), seeded(0))
METHOD = LPGNN(epochs=1, x_steps=1)
RELEASE = METHOD.collect(KARATE, seeded(0))
STUDENT = PATE(scale=1.0, num_queries=5, student=NodeClassifier(hidden=4, epochs=1),
               teacher=NodeClassifier(hidden=4, epochs=1), teachers=2)
ANSWERED = STUDENT.collect(*students.parts(datasets.load("karate"), 0.5, 0), seeded(0))
HELD = parts(hold(datasets.load("karate"), seeded(0), 2, 0.4, 0.15, "random"))


def many_files(folder: Path) -> None:
    with writing.new_folder(folder / "out", replaces=re.compile("[ab]")) as new:
        writing.write(new / "a", "new a"), writing.write(new / "b", "new b")


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
    "write": lambda folder: writing.write(folder / "one", "text" * 99),
    "write_all": lambda folder: writing.write_all({folder / "a": b"1" * 99, folder / "b": b"2" * 99}),
    "new_folder": many_files,
    "Release.save": lambda folder: RELEASE.save(folder / "release.pt"),
    "QueryRelease.save": lambda folder: ANSWERED.save(folder / "release.pt"),
    "Fitted.save": lambda folder: METHOD.prepare(RELEASE, seeded(0)).save(folder / "model.pt"),
    "Embeddings.save": lambda folder: Embeddings(z=torch.ones(9, 2)).save(folder / "embeddings.pt"),
    "save_parts": lambda folder: files.save_parts(HELD, folder),
    "save_vectors": lambda folder: files.save_vectors(torch.ones(9, 2), folder / "z"),
    "state of a client": lambda folder: write_fields({"any": "client"}, folder / ".client-0.pt.state", writing.PRIVATE),
    "save_npz": lambda folder: datasets.save_npz(KARATE, folder / "karate.npz"),
    "download": lambda folder: sources.keep(KARATE, "karate"),
    "write_skeletons": lambda folder: skeletons.write_skeletons("mechanism", "noisy_degrees", folder),
    "certificates": lambda folder: statements.save("blink", []),
    "proofs": lambda folder: statements.save_laplace([]),
    "figures": figure,
    "marks": lambda folder: gradebook.write_csv(folder / "marks.csv", [{"identifier": "x", "points": 3}]),
    "key": lambda folder: course(folder).alias("somebody"),
    "ledger": add_rows,
}
SEVERAL = {"write_all": ["a"], "new_folder": ["out/a", "out/b"], "save_parts": ["client-0.pt"]}  # of old ones
ONE = {"write": "one", "Release.save": "release.pt", "QueryRelease.save": "release.pt", "Fitted.save": "model.pt",
       "Embeddings.save": "embeddings.pt", "save_vectors": "z.npy", "state of a client": ".client-0.pt.state",
       "save_npz": "karate.npz", "download": "karate.npz", "marks": "marks.csv"}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder for everything, which is a checkout, a cache and a book as well."""
    folder = tmp_path / "place"
    for name in ("lib/privgraph/mechanisms", "tests/unit", "book/certificates"):
        (folder / name).mkdir(parents=True)
    monkeypatch.setenv("PRIVGRAPH_CACHE", str(folder))
    monkeypatch.setattr(statements, "book_folder", lambda: folder)
    monkeypatch.setattr(writing.secrets, "token_hex", lambda size: "k" * 64 if size > 8 else os.urandom(size).hex())
    (folder / "book/notes").write_text("of somebody")
    return folder


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
@pytest.mark.parametrize("name", WRITERS)
def test_a_fault_leaves_what_was_there_or_all_that_is_new(name, error, place, monkeypatch):
    for old in SEVERAL.get(name, [ONE[name]] if name in ONE else []):
        (place / old).parent.mkdir(exist_ok=True)
        (place / old).write_bytes(b"what was there before")
    assert harm(WRITERS[name], place, monkeypatch, error) == []


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_row_that_was_not_written_whole_leaves_the_ledger_as_it_was(error, place, monkeypatch):
    add_rows(place)
    assert harm(lambda folder: add_rows(folder, range(5)), place, monkeypatch, error) == []
    assert [row.seed for row in Ledger(place / "toy.csv", {"size": float}).rows()] in ([0, 1, 2], [0, 1, 2, 3, 4])


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
    allowed = {"writing.py": "this", "cli/ending.py": "nothing, to /dev/null", "datasets/raw.py": "a temporary file",
               "experiments/locks.py": "who holds a lock",
               "classroom/files.py": "nothing: it reads by descriptors, so that no link is followed"}
    found = {path.relative_to(LIBRARY).as_posix() for path in LIBRARY.rglob("*.py") for call in ast.walk(
        ast.parse(path.read_text("utf-8"))) if isinstance(call, ast.Call) and writes(call)}
    assert found == set(allowed)


def writes(call: ast.Call) -> bool:
    """Whether a call makes, fills or moves a file by itself."""
    name, values = ast.unparse(call.func), [*call.args, *(keyword.value for keyword in call.keywords)]
    words, last = [ast.unparse(each) for each in values], name.rpartition(".")[2]
    if name == "open" or last == "fdopen":
        return any(re.fullmatch("'[a-z+]*[wax+][a-z+]*'", word) for word in words[1:])
    if name in ("os.open", "os.write", "os.replace", "os.rename", "os.link", "os.mkfifo"):
        return True
    if last in ("save", "savez", "savez_compressed", "savetxt", "savefig") and name.split(".")[0] in (
            "np", "torch", "plt", "figure"):
        return not any("BytesIO" in word for word in words)
    return last in ("write_text", "write_bytes", "to_csv", "copyfile", "copytree", "touch") or name in (
        "json.dump", "pickle.dump", "nbformat.write", "shutil.move", "shutil.copy")


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
    ("save_parts", True), ("save_vectors", True), ("state of a client", True), ("marks", True), ("key", True),
    ("Release.save", False), ("write", False)])
def test_what_is_private_is_so_before_anything_is_in_it(name, private, place, monkeypatch):
    modes, put = [], writing.put

    def look(file, content):
        modes.append(stat.S_IMODE(os.fstat(file).st_mode))
        put(file, content)
    monkeypatch.setattr(writing, "put", look)
    before = os.umask(0)
    try:
        WRITERS[name](place)
    finally:
        os.umask(before)
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
