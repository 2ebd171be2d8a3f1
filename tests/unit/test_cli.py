import numpy as np
import pytest

from privgraph.cli import main


@pytest.fixture
def mine(tmp_path):
    """A stranger's graph: two groups of 20, joined inside, with features that tell them apart."""
    rng = np.random.default_rng(0)
    edges = np.concatenate([rng.integers(0, 20, (2, 60)), rng.integers(20, 40, (2, 60))], axis=1)
    x = rng.random((40, 6)) / 2
    x[20:] += 0.5
    np.savez(tmp_path / "mine.npz", edge_index=edges, x=x, y=np.repeat([0, 1], 20))
    return tmp_path / "mine.npz"


def test_check_then_run_on_ones_own_file(mine, capsys):
    assert main(["check", str(mine)]) == 0
    assert "40 nodes" in capsys.readouterr().out
    assert main(["run", "lpgnn", "--graph", str(mine), "--epsilon-x", "2", "--seeds", "2", "--epochs", "5",
                 "--x-steps", "2"]) == 0
    out = capsys.readouterr().out
    assert "epsilon = 5 (local); edges: not protected" in out
    assert all(arm in out for arm in ("real", "permuted", "constant")) and "2 seeds" in out


def test_check_fails_on_a_broken_file(tmp_path, capsys):
    np.savez(tmp_path / "bad.npz", edge_index=[[0, 9], [9, 0]], x=np.eye(3), y=[0, 1, 1])
    assert main(["check", str(tmp_path / "bad.npz")]) == 1
    assert "problem: edges must name nodes 0..2" in capsys.readouterr().out


@pytest.mark.parametrize("arguments, message", [
    (["run", "lpgnn", "--epsilon-x", "0"], "epsilon_x must be a positive number"),
    (["run", "lpgnn", "--epsilon-y", "nan"], "epsilon_y must be a positive number"),
    (["run", "lpgnn", "--graph", "nowhere.npz"], "nowhere.npz"),
    (["run", "lpgnn", "--graph", "coar"], "unknown graph"),
    (["run", "lpgnn", "--graph", "karate", "--seeds", "0"], "seeds must be"),
    (["data", "karate"], "always at hand"),
])
def test_errors_are_one_sentence(arguments, message, capsys):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error and "Traceback" not in error


def test_data_lists_every_graph(capsys):
    assert main(["data"]) == 0
    out = capsys.readouterr().out
    assert "cora-twin            at hand" in out and "facebook-pages" in out


def test_reproduce_says_what_it_added(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("PRIVGRAPH_RESULTS", str(tmp_path))
    assert main(["reproduce", "lpgnn", "--dataset", "cora-twin", "--minutes", "0"]) == 0
    assert "0 runs added" in capsys.readouterr().out
