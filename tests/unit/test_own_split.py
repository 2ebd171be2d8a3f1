"""A graph's own masks, in every run where ``keep_split`` or ``--own-split`` says so, and nowhere else."""

import numpy as np
import pytest
import torch

from privgraph import datasets
from privgraph.cli import main
from privgraph.methods import GAP, LPGNN, PATE, FederatedGAT, load
from privgraph.methods.evaluation import references, run
from privgraph.randomness import seeded


@pytest.fixture
def graph():
    return datasets.split(datasets.load("karate"), seeded(5), train=0.3)


@pytest.fixture
def file(graph, tmp_path):
    datasets.save_npz(graph, tmp_path / "mine.npz")
    return str(tmp_path / "mine.npz")


def test_every_run_is_trained_and_tested_by_them(graph):
    kept = datasets.keep_split(graph)
    for seed in range(3):
        ran = run(GAP(1.0, epochs=1), kept, seed)
        assert all(torch.equal(ran.data[name], graph[name]) for name in ("train_mask", "val_mask", "test_mask"))
    assert len(set(references(kept, 3).scores["majority class"])) == 1
    found = LPGNN(epochs=1).evaluate(kept, seeds=3)
    assert len(set(found.scores["majority class"])) == 1 and found.answers == int(graph.test_mask.sum())


@pytest.mark.parametrize("method", [PATE(3, scale=1.0), FederatedGAT(rounds=1)], ids=["PATE", "FederatedGAT"])
def test_methods_that_deal_people_out_refuse_it(graph, method):
    with pytest.raises(ValueError, match="data must be as it was before keep_split: .* deals its people out anew"):
        method.evaluate(datasets.keep_split(graph), seeds=1)


def test_without_it_each_run_draws_its_own(graph):
    first, second = (run(GAP(1.0, epochs=1), graph, seed).data.test_mask for seed in (0, 1))
    assert not torch.equal(first, second) and not torch.equal(first, graph.test_mask)
    assert "own_split" not in graph  # keep_split made a copy of it


@pytest.mark.parametrize("change, message", [
    (lambda graph: graph.__delattr__("val_mask"), "val_mask"),
    (lambda graph: graph.val_mask.zero_(), "val_mask must hold at least one node, got none"),
    (lambda graph: graph.val_mask.copy_(graph.train_mask), "train_mask and val_mask must share no node, got 10"),
    (lambda graph: graph.y.masked_fill_(graph.train_mask, -1), "train_mask must hold nodes with a label .* got 10"),
    (lambda graph: setattr(graph, "test_mask", graph.test_mask.long()), "test_mask must be a bool tensor"),
])
def test_masks_that_are_no_split_are_refused(graph, change, message):
    graph.y = graph.y.clone()
    change(graph)
    with pytest.raises((ValueError, TypeError), match=message):
        datasets.keep_split(graph)


def test_on_the_command_line(graph, file, tmp_path, capsys):
    words = ["run", "gap", "--graph", file, "--repeats", "3", "--epochs", "1", "--own-split"]
    assert main([*words, "--save", str(tmp_path / "out")]) == 0
    said = capsys.readouterr()
    assert "train, validation and test nodes of the file in every run" in said.out + said.err
    assert torch.equal(load(tmp_path / "out" / "model.pt").release.tensors["train_mask"], graph.train_mask)


def test_a_file_without_masks_is_told_so(tmp_path, capsys):
    datasets.save_npz(datasets.load("karate"), tmp_path / "bare.npz")
    assert main(["run", "gap", "--graph", str(tmp_path / "bare.npz"), "--own-split"]) == 2
    assert "--own-split needs a graph with" in (said := capsys.readouterr().err) and "train_mask" in said


@pytest.mark.parametrize("words", [["run", "pate", "--scale", "1"], ["run", "federatedgat"]])
def test_what_deals_out_people_has_no_such_option(words, file, capsys):
    with pytest.raises(SystemExit):
        main([*words, "--graph", file, "--own-split"])
    assert "--own-split" in capsys.readouterr().err


@pytest.mark.usefixtures("pictures")
def test_methods_are_compared_on_it(file, tmp_path, capsys):
    words = ["--graph", file, "--own-split", "--repeats", "1", "--epsilon", "4", "--to", str(tmp_path / "out")]
    assert main(["compare", "pate", *words]) == 2
    assert "--own-split is for methods of one graph, not for pate" in capsys.readouterr().err


@pytest.mark.usefixtures("pictures")
def test_a_table_of_another_split_is_not_gone_on_with(graph, file, tmp_path, capsys):
    words = ["sweep", "gap", "--graph", file, "--repeats", "1", "--epochs", "1", "--epsilon", "4",
             "--to", str(tmp_path / "out")]
    assert main([*words, "--own-split"]) == 0
    assert main(words) == 2
    assert str(tmp_path / "out") in capsys.readouterr().err


@pytest.mark.parametrize("written", ["{}_idx", "idx_{}", "{}_index"])
def test_nodes_listed_by_number_are_masks(graph, file, tmp_path, written):
    content = dict(np.load(file))
    numbers = {written.format(part): np.flatnonzero(content.pop(f"{part}_mask")) for part in ("train", "val", "test")}
    np.savez(tmp_path / "listed.npz", **content, **numbers)
    listed = datasets.from_npz(tmp_path / "listed.npz")
    assert all(torch.equal(listed[name], graph[name]) for name in ("train_mask", "val_mask", "test_mask"))
    assert not any("not read" in line for line in datasets.check_file(tmp_path / "listed.npz")[1])


@pytest.mark.parametrize("numbers", [[[0, 1]], [34], [-1], [0.5], ["a"]])
def test_numbers_of_no_node_are_refused(file, tmp_path, numbers):
    content = {name: array for name, array in np.load(file).items() if name != "val_mask"}
    np.savez(tmp_path / "listed.npz", **content, val_idx=np.array(numbers))
    with pytest.raises(ValueError, match="val_idx must"):
        datasets.from_npz(tmp_path / "listed.npz")
    assert any("val_idx must" in line for line in datasets.check_file(tmp_path / "listed.npz")[0])


@pytest.mark.parametrize("listed", [False, True], ids=["masks", "numbers"])
def test_a_graph_known_by_its_name_is_the_same_whatever_its_file_holds_beside_it(graph, tmp_path, monkeypatch, listed):
    """LPPGE reads the labels of the training nodes where there are any, and once read 140 of Cora's, not all."""
    held = {name: graph[name].numpy() for name in ("train_mask", "val_mask", "test_mask")}
    held = {f"{name[:-5]}_idx": mask.nonzero()[0] for name, mask in held.items()} if listed else held
    np.savez(tmp_path / "cora.npz", edge_index=graph.edge_index.numpy(), x=graph.x.numpy(), y=graph.y.numpy(), **held)
    monkeypatch.setenv("PRIVGRAPH_DATA", str(tmp_path))
    assert {*held} and "train_mask" in datasets.load("cora")  # for keep_split
    found = datasets.default()
    assert not any("mask" in name for name in found.keys()) and torch.equal(found.y, graph.y)
