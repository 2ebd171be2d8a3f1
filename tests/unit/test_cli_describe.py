"""`privgraph describe` says what a saved file is, whatever was saved; and files of a later format are refused."""

import json

import pytest
import torch

from privgraph.cli import main
from privgraph.methods import LPGNN
from privgraph.methods.files import FORMAT, read, write

RUNS = {
    "lpgnn": ("lpgnn --graph karate --epochs 1 --x-steps 1 --y-steps 1", "a model of LPGNN(", "LPGNNRelease: release",
              "features and label: epsilon = 6", "report: int8 [34, 34]"),
    "gap": ("gap --graph karate --epochs 1", "a model of GAP(", "CuratedRelease: release of a curator",
            "undirected edge: epsilon = 1", "tensors.tables: float32 [2, 34, 16]"),
    "pate": ("pate --graph karate --scale 1 --num-queries 3 --teachers 2 --student-epochs 1 --teacher-epochs 1",
             "a model of PATE(", "QueryRelease: release of labels", "node: epsilon = ", "labels: int64 [3]"),
    "gae": ("gae --graph karate --epochs 1", "", "Embeddings: embeddings", "nothing, no guarantee",
            "z: float32 [34,"),
}


@pytest.mark.parametrize("name", RUNS)
def test_what_was_saved_is_described(name, tmp_path, capsys):
    line, *sentences = RUNS[name]
    assert main(["run", *line.split(), "--repeats", "1", "--save", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    for file in (tmp_path / "out", *(tmp_path / "out").glob("*.pt")):
        assert main(["describe", str(file), "--delta", "1e-5"]) == 0
        told = capsys.readouterr().out
        whole = "a model of" in told
        assert all(sentence in told for sentence in sentences[not whole:]), told
        assert "drawn from secret randomness" in told and "DOES NOT HOLD" not in told
    assert main(["describe", str(tmp_path / "out"), "--delta", "1e-5", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["randomness"] == "secret" and facts["tensors"]


def test_what_came_of_a_public_seed_is_said(tmp_path, capsys):
    line = RUNS["lpgnn"][0].split()
    assert main(["run", *line, "--repeats", "1", "--seed", "1", "--save", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    assert main(["describe", str(tmp_path / "out")]) == 0
    assert "DOES NOT HOLD" in (told := capsys.readouterr().out) and "public randomness" in told


def test_a_part_of_a_client_and_other_files(tmp_path, capsys):
    assert main(["federate", "split", "--graph", "karate", "--clients", "2", "--to", str(tmp_path / "parts")]) == 0
    assert main(["describe", str(tmp_path / "parts" / "client-0.pt")]) == 0
    assert "a client's part of a graph" in capsys.readouterr().out
    write({"one": torch.ones(2)}, tmp_path / "odd.pt")
    (tmp_path / "text.pt").write_text("text")
    for name, words in (("odd.pt", "must hold a model, a release"), ("text.pt", "it holds text; a file from elsewhere"),
                        ("none.pt", "does not exist")):
        assert main(["describe", str(tmp_path / name)]) == 2
        assert words in capsys.readouterr().err


def test_a_file_says_its_format_and_a_later_one_is_refused(tmp_path):
    write({"one": 1}, path := tmp_path / "file.pt")
    assert torch.load(path, weights_only=True)["format"] == FORMAT and read(path, "number") == {"one": 1}
    torch.save({"one": 1}, path)  # as earlier versions wrote it
    assert read(path, "number") == {"one": 1}
    for number, words in ((FORMAT + 1, "later version wrote it"), ("2", "format in"), (0, "format in")):
        torch.save({"one": 1, "format": number}, path)
        with pytest.raises(ValueError, match=words):
            read(path, "number")


def test_models_are_copied(tmp_path):
    import copy

    from privgraph.datasets import load, split
    from privgraph.randomness import seeded
    model = LPGNN(epochs=1).fit(split(load("karate"), seeded(0)), seed=0)
    again = copy.deepcopy(model)
    assert torch.equal(again.predict_proba(), model.predict_proba()) and again.guarantees() == model.guarantees()
