"""Shared work is done once, found again by content, and done anew when the library changes."""

import time

import pytest
import torch

from privgraph.experiments import Cache, cache as module
from privgraph.experiments.catalogue import lpgnn

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
    monkeypatch.setattr(module, "LIBRARY", tmp_path)
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
    monkeypatch.setattr(lpgnn, "scores", lambda *args: trained.append(args) or (None, torch.ones(2708, 7)))
    cell = dict(dataset="cora-twin", backbone="gcn", epsilon_x=3.0, epsilon_y=3.0, x_steps=16, y_steps=2, features="real")
    first = lpgnn.lpgnn_run(cell, 0, Cache(tmp_path))
    assert first == lpgnn.lpgnn_run(cell, 0, Cache(tmp_path)) and len(trained) == 1
