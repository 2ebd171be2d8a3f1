"""`privgraph export` writes the vectors of a saved embedding as other tools read them."""

import csv
import sys

import numpy as np
import pytest
import torch

from privgraph.cli import main
from privgraph.methods import Embeddings


@pytest.fixture
def saved(tmp_path):
    z = torch.tensor([[0.1, -2.5, 1e-30], [3.0, 4.0, 1 / 3]])
    Embeddings(z=z, randomness="secret").save(path := tmp_path / "embeddings.pt")
    return z.numpy(), path


def test_a_table_has_the_same_numbers(saved, tmp_path, capsys):
    z, path = saved
    assert main(["export", str(path), "--to", str(tmp_path / "z.csv")]) == 0
    assert "2 vectors of 3 numbers" in capsys.readouterr().out
    with open(tmp_path / "z.csv", newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["node", "z0", "z1", "z2"] and [row[0] for row in rows] == ["0", "1"]
    assert np.array_equal(np.array([row[1:] for row in rows], dtype=np.float32), z)
    assert main(["export", str(tmp_path), "--to", str(tmp_path / "z.npy")]) == 0  # of the folder
    assert np.array_equal(np.load(tmp_path / "z.npy"), z)


def test_what_has_no_vectors_is_refused(saved, tmp_path, capsys, monkeypatch):
    assert main(["run", *"lpgnn --graph karate --epochs 1 --x-steps 1 --y-steps 1 --repeats 1".split(), "--save",
                 str(tmp_path / "out")]) == 0
    for words, said in (([str(tmp_path / "out"), "--to", str(tmp_path / "z.csv")], "got a model of LPGNN"),
                        ([str(saved[1]), "--to", str(tmp_path / "z.xls")], "--to must end in .csv, .npy, .parquet"),
                        ([str(tmp_path / "none.pt"), "--to", str(tmp_path / "z.csv")], "does not exist")):
        assert main(["export", *words]) == 2
        assert said in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert main(["export", str(saved[1]), "--to", str(tmp_path / "z.parquet")]) == 2
    assert "needs pyarrow" in capsys.readouterr().err and not (tmp_path / "z.parquet").exists()


def test_a_parquet_file_has_the_same_numbers(saved, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an extra")
    z, path = saved
    assert main(["export", str(path), "--to", str(tmp_path / "z.parquet")]) == 0
    table = parquet.read_table(tmp_path / "z.parquet")
    assert table.column_names == ["node", "z0", "z1", "z2"] and table["node"].to_pylist() == [0, 1]
    assert np.array_equal(np.stack([table[f"z{at}"].to_numpy() for at in range(3)], 1), z)
