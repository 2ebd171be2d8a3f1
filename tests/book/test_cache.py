"""Shared work is done once, found again by content, and done anew when the library changes."""

import os
import pickle
import re
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from privbook.papers.lpgnn import tables as lpgnn
from privbook.runs import cache as module
from privbook.runs.cache import Cache

CALLS = []


def work(x: int, y: str = "") -> torch.Tensor:
    CALLS.append((x, y))
    time.sleep(0.02)
    return torch.full((2, 3), float(x))


def fail(x: int):
    CALLS.append(x)
    raise RuntimeError("cannot")


@pytest.fixture(autouse=True)
def no_calls():
    CALLS.clear()


def test_the_same_work_is_done_once(tmp_path):
    for _ in range(2):
        assert torch.equal(Cache(tmp_path).once(work, x=3), torch.full((2, 3), 3.0))
    assert CALLS == [(3, "")]
    Cache(tmp_path).once(work, x=3, y="other"), Cache(tmp_path).once(work, x=4)
    assert CALLS == [(3, ""), (3, "other"), (4, "")]


def test_seconds_that_were_saved_are_known(tmp_path):
    first, second = Cache(tmp_path), Cache(tmp_path)
    first.once(work, x=3), second.once(work, x=3)
    assert first.saved == 0.0 and second.saved >= 0.02


def test_another_library_finds_nothing(tmp_path, monkeypatch):
    Cache(tmp_path).once(work, x=3)
    monkeypatch.setattr(module, "code", lambda: "another")
    Cache(tmp_path).once(work, x=3)
    assert len(CALLS) == 2


def test_a_revision_outlives_a_change_of_the_library(tmp_path, monkeypatch):
    Cache(tmp_path).once(work, revision=1, x=3)
    monkeypatch.setattr(module, "code", lambda: "another")
    Cache(tmp_path).once(work, revision=1, x=3)
    assert len(CALLS) == 1
    Cache(tmp_path).once(work, revision=2, x=3)
    assert len(CALLS) == 2


def test_the_code_hash_reads_the_library(tmp_path, monkeypatch):
    (tmp_path / "a.py").write_text("x = 1\n")
    monkeypatch.setattr(module, "PACKAGES", (tmp_path,))
    hashes = set()
    for text in ("x = 1\n", "x = 2\n", "x = 1\n"):
        (tmp_path / "a.py").write_text(text)
        module.code.cache_clear()
        hashes.add(module.code())
    module.code.cache_clear()
    assert len(hashes) == 2
    monkeypatch.setattr(module, "version", lambda name: "0.0.0")
    assert module.code() not in hashes
    module.code.cache_clear()


def test_a_failure_is_not_kept(tmp_path):
    for _ in range(2):
        with pytest.raises(RuntimeError, match="cannot"):
            Cache(tmp_path).once(fail, x=1)
    assert CALLS == [1, 1]


def test_a_damaged_file_is_computed_anew(tmp_path):
    Cache(tmp_path).once(work, x=3)
    for path in tmp_path.rglob("output.pkl"):
        path.write_bytes(path.read_bytes()[:20])
    assert torch.equal(Cache(tmp_path).once(work, x=3), torch.full((2, 3), 3.0))
    assert len(CALLS) == 2


def test_old_results_make_room(tmp_path, monkeypatch):
    cache = Cache(tmp_path)
    cache.once(work, x=3)
    cache.tidy()
    assert list(tmp_path.rglob("output.pkl"))
    monkeypatch.setattr(module, "LIMIT", 1)
    cache.tidy()
    assert not list(tmp_path.rglob("output.pkl"))


def test_a_function_needs_a_name(tmp_path):
    with pytest.raises(ValueError, match="must have a name of its own.*<lambda>"):
        Cache(tmp_path).once(lambda: 1)


def test_a_trained_network_is_kept(tmp_path, monkeypatch):
    """A cell of chapter 6 is trained once, whoever asks for it again."""
    trained = []
    fitted = SimpleNamespace(predict_proba=lambda: torch.ones(2708, 7))
    monkeypatch.setattr(lpgnn, "run", lambda *args: trained.append(args) or SimpleNamespace(fitted=fitted))
    setting = dict(dataset="cora-twin", backbone="gcn", epsilon_x=3.0, epsilon_y=3.0, x_steps=16, y_steps=2,
                   features="real")
    first = lpgnn.lpgnn_run(setting, 0, Cache(tmp_path))
    assert first == lpgnn.lpgnn_run(setting, 0, Cache(tmp_path)) and len(trained) == 1


class Payload:
    """Unpickled, it makes a folder."""

    def __init__(self, path: Path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


def plant(cache: Path, made: Path) -> None:
    """Put a payload in the place of everything the cache holds."""
    for path in cache.rglob("output.pkl"):
        path.write_bytes(pickle.dumps(Payload(made)))


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702, 0o1777])
def test_what_others_may_have_planted_is_not_unpickled(tmp_path, mode):
    """A cache that was good while it was written; then others could write to its folder, and did."""
    folder = tmp_path / "cache"
    good = Cache(folder)
    good.once(work, x=3)
    plant(folder, tmp_path / "planted")
    folder.chmod(mode)
    for opened in (lambda: Cache(folder), lambda: good.once(work, x=3)):
        with pytest.raises(PermissionError, match=f"nobody else may write to it.*mode {mode:o}"):
            opened()
    assert not (tmp_path / "planted").exists()
    folder.chmod(0o700)
    with pytest.raises(TypeError):  # the payload gives no result, but
        Cache(folder).once(work, x=3)
    assert (tmp_path / "planted").exists(), "the payload would not have run anyway"


def test_a_folder_of_somebody_else_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    Cache(folder)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(PermissionError, match=f"must belong to you.*owner {os.getuid()}"):
        Cache(folder)


def test_the_folder_is_made_private_whatever_the_umask(tmp_path):
    old = os.umask(0)
    try:
        Cache(tmp_path / "new")
        (tmp_path / "earlier").mkdir(mode=0o755)  # as older versions left it, under the usual umask
        Cache(tmp_path / "earlier")
    finally:
        os.umask(old)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("new", "earlier")] == [0o700, 0o700]


def test_nothing_else_that_lies_in_a_folder_is_unpickled():
    """The cache looks at its folder before each use; joblib reads there."""
    package = Path(module.__file__).parents[1]
    for path in package.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"pickle\.loads?\(|Unpickler\(|allow_pickle=True|joblib\.load\(|torch\.load\(", text), path
        assert ("joblib.Memory(" in text) == (path.name == "cache.py"), path
