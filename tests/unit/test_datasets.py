import hashlib
import re

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch_geometric.data import Data

from privgraph import datasets, graph
from privgraph.datasets import sources
from privgraph.datasets.small import nearest
from privgraph.graph import check_task
from privgraph.randomness import seeded

EDGES, X, Y = [[0, 1, 1, 2], [1, 0, 2, 1]], np.eye(3, dtype=np.float32), np.array([0, 1, 1])


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """No data folder and an empty cache."""
    monkeypatch.delenv("PRIVGRAPH_DATA", raising=False)
    monkeypatch.setenv("PRIVGRAPH_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.parametrize("name", sources.ALWAYS_AT_HAND)
def test_graphs_that_are_always_at_hand(name, nowhere):
    data = datasets.load(name)
    card = datasets.card(name)
    check_task(data)
    assert (data.num_nodes, data.x.size(1), data.num_classes) == (card.nodes, card.features, card.classes)
    assert card.edges == (0 if name in ("patients", "digits") else data.num_edges // 2)  # theirs are made of features
    assert data.x.min() >= 0 and data.x.max() <= 1 and data.name == name


def test_a_graph_that_is_not_here_names_the_command(nowhere):
    with pytest.raises(datasets.DatasetUnavailable, match="privgraph data cora"):
        datasets.load("cora")
    with pytest.raises(datasets.DatasetUnavailable, match="set PRIVGRAPH_DATA") as error:
        datasets.load("facebook-pages")
    assert "privgraph data" not in str(error.value), "PyG has another graph under this name"
    assert not datasets.at_hand("cora") and datasets.default().name == "cora-twin"


def test_data_folder_comes_before_cache(nowhere, monkeypatch):
    for folder, largest in (("folder", 1), ("cache", 2)):
        (nowhere / folder).mkdir()
        np.savez(nowhere / folder / "cora.npz", edge_index=EDGES, x=X, y=[0, 1, largest])
    monkeypatch.setenv("PRIVGRAPH_DATA", str(nowhere / "folder"))
    with pytest.warns(UserWarning, match="holds another graph"):
        assert datasets.load("cora").y.max() == 1
    monkeypatch.delenv("PRIVGRAPH_DATA")
    with pytest.warns(UserWarning, match="another graph") as caught:
        data = datasets.load("cora")
    assert data.y.max() == 2 and data.num_classes == datasets.card("cora").classes == 7
    assert data.name.startswith("cora-") and data.name in str(caught[0].message)


def test_the_same_graph_in_other_clothes_has_the_same_fingerprint(tmp_path):
    plain = datasets.from_edge_list(EDGES, X, Y, num_classes=2)
    shuffled = np.array(EDGES)[:, [3, 0, 2, 1]]
    x = sp.csr_matrix(X.astype(np.uint8))
    np.savez(tmp_path / "sparse.npz", edge_index=shuffled.astype(np.int32), y=Y, x_data=x.data, x_indices=x.indices,
             x_indptr=x.indptr, x_shape=x.shape)
    sparse = datasets.from_npz(tmp_path / "sparse.npz", num_classes=2)
    assert datasets.fingerprint(plain.edge_index, plain.x, plain.y) == datasets.fingerprint(sparse.edge_index,
                                                                                            sparse.x, sparse.y)
    for edges, features, y in ((EDGES, X * 0.5, Y), (EDGES, X, Y[::-1]), ([[0, 1], [1, 0]], X, Y)):
        assert datasets.fingerprint(edges, features, y) != datasets.fingerprint(EDGES, X, Y)


def test_every_way_in_gives_the_same_graph(tmp_path):
    g = nx.Graph([("b", "a"), ("b", "c")])  # node order b, a, c
    number = [1, 0, 2]
    ways = [datasets.from_edge_list(EDGES, X, Y, num_classes=2),
            datasets.from_edge_list(np.array(EDGES).T, X, Y, num_classes=2),
            datasets.from_edge_list([[0, 1], [1, 2]], X, Y, num_classes=2),
            datasets.from_networkx(g, X[number], Y[number], num_classes=2),
            datasets.from_pyg(Data(x=torch.tensor(X), edge_index=torch.tensor(EDGES), y=torch.tensor(Y)[:, None]),
                              num_classes=2)]
    datasets.save_npz(ways[0], tmp_path / "saved.npz")
    ways.append(datasets.from_npz(tmp_path / "saved.npz", num_classes=2))
    for data in (ways[0], ways[1], ways[2], ways[4], ways[5]):
        assert datasets.fingerprint(data.edge_index, data.x, data.y) == datasets.fingerprint(EDGES, X, Y)
    assert graph.degrees(ways[3].edge_index, 3).tolist() == [2, 1, 1]


def test_loading_repairs_only_when_asked():
    messy = [[0, 0, 1, 1, 2], [1, 1, 2, 1, 2]]
    assert datasets.from_edge_list(messy, X, Y, num_classes=2).edge_index.tolist() == EDGES
    with pytest.raises(ValueError, match="no self loops"):
        datasets.from_edge_list(messy, X, Y, undirected=False, num_classes=2)


@pytest.mark.parametrize("val, test, sizes", [(0.05, 0.1, (3, 7)), (0.3, 0.69, (23, 53))])
def test_links_are_split_and_no_pair_is_asked_about_twice(val, test, sizes):
    data = datasets.load("karate")
    kept, asked = datasets.split_links(data, seeded(0), val, test)
    key = graph.edge_key(data.edge_index, 34)
    left, pairs = graph.edge_key(kept.edge_index, 34), torch.cat([pairs for pairs, _ in asked.values()], 1)
    linked = torch.cat([linked for _, linked in asked.values()])
    assert tuple(len(linked) // 2 for _, linked in asked.values()) == sizes
    assert torch.equal(torch.isin(graph.edge_key(pairs, 34), key), linked)
    assert not torch.isin(graph.edge_key(pairs, 34), left).any() and torch.isin(left, key).all()
    assert len(graph.edge_key(pairs, 34).unique()) == len(linked) and (pairs[0] < pairs[1]).all()
    assert kept.num_edges // 2 + sum(sizes) == data.num_edges // 2 and graph.Edges(kept.edge_index, 34).mutual()
    assert kept.x is data.x and data.num_edges == 156
    again, other = (datasets.split_links(data, seeded(seed), val, test)[0].edge_index for seed in (0, 1))
    assert torch.equal(kept.edge_index, again) and not torch.equal(kept.edge_index, other)


def test_splits_share_out_the_labelled_nodes():
    data = datasets.load("digits")
    data.y[:97] = -1
    split = datasets.split(data, seeded(0))
    masks = torch.stack([split.train_mask, split.val_mask, split.test_mask])
    assert masks.sum(0).max() == 1 and not masks[:, :97].any()
    assert masks.sum(1).tolist() == [850, 425, 425]
    assert "train_mask" not in data and split.x is data.x
    again = datasets.split(data, seeded(0))
    assert torch.equal(again.train_mask, split.train_mask)
    assert not torch.equal(datasets.split(data, seeded(1)).train_mask, split.train_mask)


def write(path, **arrays):
    np.savez(path, **({"edge_index": EDGES, "x": X, "y": Y} | arrays))
    return path


@pytest.mark.parametrize("arrays, message", [
    (dict(edge_index=[[0, 5], [5, 0]]), r"edges must name nodes 0\.\.2, got 0\.\.5"),
    (dict(edge_index=[[0, 1, 2]]), r"must have shape \[2, E\]"),
    (dict(y=[0, 1]), "one entry a node"),
    (dict(y=[0, -3, 1]), "got -3"),
    (dict(x=X * np.nan), "NaN or infinite"),
    (dict(x=X * 9), r"feature_range=\(low, high\)"),
])
def test_check_says_what_is_wrong(tmp_path, arrays, message):
    problems, remarks = datasets.check_file(write(tmp_path / "bad.npz", **arrays))
    assert not remarks
    assert any(re.search(message, problem) for problem in problems), problems


def test_check_accepts_what_loading_accepts(tmp_path):
    """Pairs as rows, [E, 2], are read by both."""
    path = write(tmp_path / "rows.npz", edge_index=np.array([[0, 1], [1, 2], [0, 2]]))
    assert datasets.check_file(path)[0] == []
    assert datasets.from_npz(path, num_classes=2).num_edges == 6


def test_check_names_several_problems_at_once(tmp_path):
    problems, _ = datasets.check_file(write(tmp_path / "bad.npz", y=[0, -3, 0], x=X * np.nan))
    assert len(problems) == 2


def test_check_of_files_that_cannot_be_read(tmp_path):
    (tmp_path / "text.npz").write_text("not a zip")
    np.savez(tmp_path / "bare.npz", edge_index=EDGES)
    for name, message in (("text.npz", "cannot be read"), ("bare.npz", "holds no features"),
                          ("none.npz", "cannot be read")):
        assert message in datasets.check_file(tmp_path / name)[0][0]


def test_check_remarks_on_what_loading_repairs(tmp_path):
    path = write(tmp_path / "odd.npz", edge_index=[[0, 0, 0, 1], [1, 1, 0, 0]], y=[0, 1, -1])
    problems, remarks = datasets.check_file(path)
    text = "\n".join(remarks)
    assert not problems
    for word in ("1 self loops", "1 duplicate", "1 isolated", "1 nodes without a label"):
        assert word in text


def test_features_outside_their_range_need_public_bounds():
    assert datasets.from_edge_list(EDGES, X * 9, Y, feature_range=(0, 9), num_classes=2).feature_range == (0.0, 9.0)


def test_a_file_is_not_refused_for_what_hangs_on_one_edge_or_one_person(tmp_path):
    """Without the first edge, and without the second class: loaded like any other, and remarked on by the check."""
    for name, change, remark in (("edges", dict(edge_index=np.zeros((2, 0), int)), "no edges"),
                                 ("classes", dict(y=[0, 0, -1]), "fewer than two classes")):
        path = write(tmp_path / f"{name}.npz", **change)
        problems, remarks = datasets.check_file(path)
        assert problems == [] and any(remark in text for text in remarks)
        assert datasets.from_npz(path, num_classes=2).num_nodes == 3


@pytest.mark.parametrize("y", [[0, 1, 0], [0, 2, 0], [0, 0, 0], [-1, -1, -1]])
def test_the_number_of_classes_is_stated_and_never_counted(y):
    """Whatever the labels are: the same number where it is stated, and the same refusal where it is not."""
    assert datasets.from_edge_list(EDGES, X, y, num_classes=3).num_classes == 3
    with pytest.raises(ValueError) as refusal:
        datasets.from_edge_list(EDGES, X, y)
    assert str(refusal.value) == ("state how many classes there can be, with num_classes=7 for seven: a public number. "
                                  "The largest label of the data would be a release of its own")


def test_the_cards_state_the_classes_that_were_counted_before():
    """For every graph on this machine: so no run of the ledger would come out otherwise."""
    for name in filter(datasets.at_hand, datasets.CARDS):
        data = datasets.load(name)
        assert int(data.y.max()) + 1 == data.num_classes == datasets.card(name).classes, name


def test_similarity_graphs_are_exact_about_ties():
    """Integer features tie often; the smaller number wins, on every machine."""
    x = np.array([[0.0], [1.0], [2.0], [1.0]])
    assert nearest(x, 1).tolist() == [[0, 1, 2, 3], [1, 3, 1, 1]]


# Committed when the generator was written: synthetic Cora is the same graph on every machine.
TWIN_SHA256 = "865f5f3556be1494a236b4e3060a243dcda6d42c2c3aae99ed058c2351a3cea8"


def test_the_twin_is_the_same_on_every_machine():
    edge_index, x, y = datasets.synthetic_cora()
    digest = hashlib.sha256(edge_index.tobytes() + x.tobytes() + y.tobytes()).hexdigest()
    assert digest == TWIN_SHA256
