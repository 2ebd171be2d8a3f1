"""A graph's own weights of edges, where ``keep_weights`` or ``--own-weights`` says so, and nowhere else.

Five people, five edges, and weights that single precision holds exactly, so that all ways must agree to the last digit.
"""

import copy
import csv
import json
import math
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
import torch
from torch_geometric.data import Data

from own_graphs import sheet
from privgraph import attacks, datasets, mechanisms
from privgraph.cli import main
from privgraph.graph import adjacency
from privgraph.methods import (
    LPGNN,
    PATE,
    RGNN,
    GraphPrivatizer,
    LPGNNRelease,
    all_methods,
    budget_file,
    check_method,
    load,
    mark_sensitive,
    rewired_edges,
    without_links,
    without_users,
)
from privgraph.methods.controls import ARMS
from privgraph.methods.evaluation import plain, references, run
from privgraph.methods.federated import hold, parts
from privgraph.randomness import seeded

WEIGHTS = {(0, 1): 2.0, (0, 2): 0.5, (1, 2): 1.0, (2, 3): 4.0, (3, 4): 0.25}
X, Y = torch.eye(5), torch.tensor([0, 1, 0, 1, 0])
TRUE = np.zeros((5, 5))
for (u, v), told in WEIGHTS.items():
    TRUE[u, v] = TRUE[v, u] = told
NO_WEIGHTS = {name: kind for name, kind in all_methods().items() if not kind.WEIGHTS}


def five(**more) -> Data:
    """The five, with masks, and without a word on whether their weights are used."""
    u, v = TRUE.nonzero()
    return Data(x=X, y=Y, edge_index=torch.tensor(np.array([u, v])), num_classes=2, feature_range=(0.0, 1.0),
                name="five", edge_weight=torch.tensor(TRUE[u, v]).float(), train_mask=torch.arange(5) < 3,
                val_mask=torch.arange(5) == 3, test_mask=torch.arange(5) == 4, **more)


def club(all_ones: bool = False) -> Data:
    """A graph on which anything runs; the weights are sums of halves."""
    data = datasets.split(datasets.load("karate"), seeded(0))
    data.edge_weight = torch.ones(data.num_edges) if all_ones else (1 + data.edge_index.sum(0) % 5) / 2
    return data


def dense(data: Data) -> np.ndarray:
    """The weights as a matrix [N, N]."""
    assert data.own_weights is True and data.edge_weight.dtype == torch.float32
    assert data.edge_weight.shape == (data.num_edges,)
    found = np.zeros((data.num_nodes, data.num_nodes))
    found[tuple(data.edge_index.numpy())] = data.edge_weight.numpy()
    return found


def exact(data: Data, weights: np.ndarray = TRUE) -> bool:
    return np.array_equal(dense(data), weights)


# What the server makes of them.

def symmetric(weights: np.ndarray) -> torch.Tensor:
    """D^-1/2 A D^-1/2, written down."""
    degree = weights.sum(1)
    return torch.tensor(weights / np.sqrt(np.outer(degree, degree))).float()


def test_hops_and_network_of_lpgnn_are_those_of_a_dense_matrix():
    data = datasets.keep_weights(five())
    method = LPGNN(epsilon_x=math.inf, epsilon_y=math.inf, x_steps=2, y_steps=1, standardize=False, epochs=3)
    model = method.fit(data, seed=0)
    A, loops = symmetric(TRUE), symmetric(TRUE + np.eye(5))
    x = method.features(model.release, model.release.matrix()).to_dense()
    assert torch.allclose(x, A @ A @ X, atol=1e-6)
    parts = {name: value.T for name, value in model.model.state_dict().items() if name.endswith("weight")}
    bias = {name: value for name, value in model.model.state_dict().items() if name.endswith("bias")}
    hidden = torch.selu(loops @ x @ parts["first.lin.weight"] + bias["first.bias"])
    by_hand = (loops @ hidden @ parts["second.lin.weight"] + bias["second.bias"]).softmax(1)
    assert torch.allclose(model.predict_proba(), by_hand, atol=1e-5)


def test_hops_of_rgnn_are_those_of_a_dense_matrix():
    data = datasets.Categories((2,) * 5)(datasets.keep_weights(five()))
    release = RGNN(sampled=2, clusters=2).collect(data, seeded(0))
    heard = TRUE + np.eye(5)
    assert np.allclose(release.matrix().to_dense().numpy(), heard / heard.sum(1, keepdims=True), atol=1e-7)


@pytest.mark.parametrize("method, kind", [
    (LPGNN(x_steps=2, y_steps=1, epochs=3), lambda data: data), (LPGNN("sage", epochs=2), lambda data: data),
    (RGNN(sampled=2, clusters=2, x_steps=2, y_steps=1, epochs=3), datasets.GroupFeatures(8))],
    ids=["gcn", "sage", "rgnn"])
def test_weights_that_are_all_one_change_nothing_and_others_do(method, kind):
    bare = kind(club())
    del bare.edge_weight
    ones, others = (kind(datasets.keep_weights(club(all_ones))) for all_ones in (True, False))
    first, second, third = (method.fit(data, seed=0).predict_proba() for data in (bare, ones, others))
    assert torch.equal(first, second) and not torch.allclose(first, third)


@pytest.mark.parametrize("method", [LPGNN(epochs=2), GraphPrivatizer(epochs=2), RGNN(sampled=2, clusters=2, epochs=2)])
def test_weights_of_which_nothing_is_said_do_not_come_out(method):
    stray = datasets.GroupFeatures(8)(club()) if isinstance(method, RGNN) else club()
    bare = copy.copy(stray)
    del bare.edge_weight
    models = [method.fit(data, seed=0) for data in (stray, bare)]
    assert all(model.release.edge_weight is None and "edge_weight" not in model.release.public for model in models)
    assert torch.equal(models[0].predict_proba(), models[1].predict_proba())


def test_the_release_names_them_and_a_model_is_read_again_with_them(tmp_path):
    data = datasets.keep_weights(club())
    model = (method := LPGNN(epochs=2)).fit(data, seed=0)
    assert torch.equal(model.release.edge_weight, data.edge_weight)
    assert model.release.public[-2:] == ("edge_index", "edge_weight") == method.public_on(data)[-2:]
    assert method.public_on(club())[-1] == "edge_index"
    model.save(tmp_path / "model.pt")
    with pytest.warns(UserWarning, match="public seed"):
        again = load(tmp_path / "model.pt")
    assert torch.equal(again.predict_proba(), model.predict_proba())


def test_evaluate_controls_and_the_plain_network_use_them():
    data = datasets.keep_weights(datasets.keep_split(club()))
    assert torch.equal(run(plain(), data, 0).release.edge_weight, data.edge_weight)
    assert torch.equal(LPGNN(epochs=2).tried(data, 0)[0].edge_weight, data.edge_weight)
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LPGNN, "collect", lambda method, data, coins, own=LPGNN.collect: seen.append(
            own(method, data, coins)) or seen[-1])
        references(data, 2), LPGNN(epochs=1).evaluate(data, seeds=1)
    assert len(seen) == 5 and all(torch.equal(release.edge_weight, data.edge_weight) for release in seen)


def test_a_node_whose_edges_all_weigh_nothing_hears_nobody():
    edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    for how in ("symmetric", "mean", "sum"):
        heard = adjacency(edges, 3, how, weight=torch.tensor([0.0, 0.0, 2.0, 2.0])).to_dense()
        assert heard.isfinite().all() and not heard[0].any() and heard[1, 2] > 0
    data = datasets.from_edge_list(edges, torch.eye(3), [0, 1, 0], num_classes=2, edge_weight=[0, 0, 2, 2])
    masks = [torch.arange(3) == node for node in range(3)]
    data.train_mask, data.val_mask, data.test_mask = masks
    assert LPGNN(x_steps=2, y_steps=1, epochs=2).fit(data, seed=0).predict_proba().isfinite().all()


# Who refuses them.

def test_those_that_use_them_are_known_by_their_sources():
    assert {name for name in all_methods() if name not in NO_WEIGHTS} == {"lpgnn", "rgnn"}


@pytest.mark.parametrize("name", sorted(NO_WEIGHTS))
def test_every_other_method_refuses_them(name):
    data, method = datasets.keep_weights(club()), NO_WEIGHTS[name].examples()[0]
    words = (f"before keep_weights: {type(method).__name__} uses no weights of edges, as LPGNN and RGNN do; with "
             "data.own_weights = False every edge counts")
    for call in (lambda: method.fit(data, seed=0), lambda: method.fit(club(), data, seed=0),
                 lambda: method.evaluate(data, seeds=1), lambda: method.evaluate(club(), data, seeds=1)):
        with pytest.raises(ValueError, match=words):
            call()


def test_a_method_of_edges_that_people_report_refuses_them_by_itself():
    with pytest.raises(ValueError, match="GraphPrivatizer uses no weights of edges"):
        GraphPrivatizer().collect(datasets.keep_weights(club()), seeded(0))


class Drops(LPGNN):
    """Says that it uses weights, and does not."""

    def collect(self, data: Data, generator: torch.Generator) -> LPGNNRelease:
        return replace(super().collect(data, generator), edge_weight=None)


class Mixes(LPGNN):
    """Gives each edge the weight of another."""

    def collect(self, data: Data, generator: torch.Generator) -> LPGNNRelease:
        told = super().collect(data, generator)
        return told if told.edge_weight is None else replace(told, edge_weight=told.edge_weight.flip(0).clone())


@pytest.mark.parametrize("kind", [Drops, Mixes])
def test_the_contract_finds_who_says_otherwise_than_it_does(kind):
    with pytest.raises(AssertionError, match="weights of edges that are to be used must come out with the edges"):
        check_method(kind(x_steps=1, y_steps=1, epochs=1))


def test_without_the_word_it_goes_on():
    data = datasets.keep_weights(club())
    data.own_weights = False
    assert GraphPrivatizer(epochs=2).fit(data, seed=0).release.edge_weight is None
    assert "student" in PATE(5, teachers=2, scale=1.0).evaluate(data, seeds=1)


@pytest.mark.parametrize("backbone", ["gat", "gatv2", "gt"])
def test_a_network_that_learns_its_own_refuses_them_before_anything_is_drawn(backbone, tmp_path):
    data, method = datasets.keep_weights(club()), LPGNN(backbone, epochs=1)
    before = (generator := seeded(0)).get_state()
    message = f"edge_weight is for gcn, sage, graphconv only, got it with backbone '{backbone}'"
    for call in (lambda: method.collect(data, generator), lambda: method.evaluate(data, seeds=1)):
        with pytest.raises(ValueError, match=message):
            call()
    assert torch.equal(generator.get_state(), before)
    with budget_file(tmp_path / "spent.json"), pytest.raises(ValueError, match=message):
        method.fit(data)
    assert not (tmp_path / "spent.json").exists()


def test_a_network_that_ignores_edges_takes_them_for_its_hops():
    assert LPGNN("mlp", x_steps=1, epochs=1).fit(datasets.keep_weights(club()), seed=0).release.edge_weight is not None


# Which weights are none.

def odd(**change) -> Data:
    data = five()
    for name, value in change.items():
        data[name] = value(data) if callable(value) else value
    return data


@pytest.mark.parametrize("change, message", [
    (dict(edge_weight=None), "data must have edge_weight"),
    (dict(edge_weight=np.ones(10)), "edge_weight must be a torch.Tensor"),
    (dict(edge_weight=torch.ones(10, dtype=torch.long)), r"float tensor of shape \[10\].* got torch.int64"),
    (dict(edge_weight=torch.ones(9)), r"float tensor of shape \[10\].* got torch.float32 of shape \[9\]"),
    (dict(edge_weight=torch.ones(10, 1)), r"got torch.float32 of shape \[10, 1\]"),
    (dict(edge_weight=torch.full((10,), math.nan)), "must be at least 0, and finite .* got nan"),
    (dict(edge_weight=torch.full((10,), math.inf)), "must be at least 0, and finite .* got inf"),
    (dict(edge_weight=torch.full((10,), 1e39, dtype=torch.double)), r"finite in single precision, got 1e\+39"),
    (dict(edge_weight=lambda data: -data.edge_weight), "must be at least 0, and finite .* got -2"),
    (dict(edge_weight=torch.zeros(10)), "must be above 0 for one edge at least"),
    (dict(edge_weight=torch.arange(10) + 1.0), "must have one weight.* got 1 and 3 for the one of 0 and 1"),
    (dict(edge_weight=torch.full((10,), 1e-16)), "must add up to 0, or to 1e-15 to 1e[+]15"),
    (dict(edge_weight=torch.full((10,), 1e16)), "must add up to 0, or to 1e-15 to 1e[+]15"),
    (dict(edge_index=torch.tensor([[0], [1]])), "both directions"),
])
def test_wrong_weights_are_refused(change, message):
    with pytest.raises((ValueError, TypeError), match=message):
        datasets.keep_weights(odd(**change))


def test_a_graph_that_says_so_itself_is_checked_where_it_comes_in():
    data = five(own_weights=True)
    data.edge_weight = -data.edge_weight
    with pytest.raises(ValueError, match="weights of edges must be at least 0"):
        LPGNN(epochs=1).fit(data, seed=0)


def test_the_graph_that_was_handed_in_is_left_as_it_was():
    data = five()
    data.edge_weight = data.edge_weight.double()
    kept = datasets.keep_weights(data)
    assert "own_weights" not in data and data.edge_weight.dtype == torch.double and exact(kept)


# Every way in, in whichever order and direction the edges are told.

def told_in(order: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a file: pairs [2, n] and a weight for each, as somebody may have written them."""
    rng, pairs, weights = np.random.default_rng(7), np.array([*WEIGHTS]).T, np.array([*WEIGHTS.values()])
    if order == "both ways":
        pairs, weights = np.concatenate([pairs, pairs[::-1]], 1), np.tile(weights, 2)
    if order == "with repeats and loops":
        pairs, weights = np.concatenate([pairs, pairs, [[4, 4], [4, 4]]], 1), [*weights, *weights, 7.0, -1.0]
    if order != "as they are":
        shuffled = rng.permutation(pairs.shape[1])
        pairs, weights = pairs[:, shuffled], np.asarray(weights)[shuffled]
        turned = rng.random(pairs.shape[1]) < 0.5
        pairs = np.where(turned, pairs[::-1], pairs) if order != "both ways" else pairs
    return pairs, weights


def as_matrix(pairs: np.ndarray, weights: np.ndarray) -> np.ndarray:
    held = np.zeros((5, 5))
    held[tuple(pairs)] = weights
    return held


def npz(folder: Path, **arrays) -> Path:
    np.savez(folder / "a.npz", x=X.numpy(), y=Y.numpy(), num_classes=2, **arrays)
    return folder / "a.npz"


def of_npz(folder: Path, **arrays) -> Data:
    return datasets.from_npz(npz(folder, **arrays), weights=True)


def in_parts(name: str, held: np.ndarray) -> dict[str, np.ndarray]:
    found = sp.csr_matrix(held)
    return {f"{name}_{part}": np.asarray(getattr(found, part)) for part in ("data", "indices", "indptr", "shape")}


def of_triple(folder: Path, held: np.ndarray) -> Data:
    found = sp.coo_matrix(held)
    return of_npz(folder, row=found.row, col=found.col, data=found.data, shape=found.shape)


def of_networkx(pairs: np.ndarray, weights: np.ndarray) -> nx.MultiDiGraph:
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(5))
    graph.add_weighted_edges_from((*pair, weight) for pair, weight in zip(pairs.T.tolist(), weights, strict=True))
    return graph


def of_pyg(pairs: np.ndarray, weights: np.ndarray) -> Data:
    return Data(x=X, y=Y, edge_index=torch.tensor(pairs), edge_weight=torch.tensor(weights))


def of_dgl(pairs: np.ndarray, weights: np.ndarray) -> Data:
    graph = SimpleNamespace(ndata={"feat": X, "label": Y}, edata={"w": torch.tensor(weights)}, num_nodes=lambda: 5,
                            edges=lambda: torch.tensor(pairs).unbind(0))
    return datasets.from_dgl(graph, weight="w", num_classes=2)


LISTS = {
    "edge list": lambda p, w, folder: datasets.from_edge_list(p, X, Y, num_classes=2, edge_weight=w),
    "rows of an edge list": lambda p, w, folder: datasets.from_edge_list(p.T, X, Y, edge_weight=w[:, None],
                                                                         num_classes=2),
    "npz": lambda p, w, folder: of_npz(folder, edge_index=p, edge_weight=w),
    "npz of others": lambda p, w, folder: of_npz(folder, edges=p.T, edge_weights=w[:, None].astype(np.float32)),
    "pyg": lambda p, w, folder: datasets.from_pyg(of_pyg(p, w), weights=True, num_classes=2),
    "networkx": lambda p, w, folder: datasets.from_networkx(of_networkx(p, w), X, Y, weight="weight", num_classes=2),
    "dgl": lambda p, w, folder: of_dgl(p, w)}
MATRICES = {
    "matrix": lambda held, folder: datasets.from_adjacency(held, X, Y, weights=True, num_classes=2),
    "sparse matrix": lambda held, folder: datasets.from_adjacency(sp.coo_matrix(held), X, Y, weights=True,
                                                                  num_classes=2),
    "npz of a matrix": lambda held, folder: of_npz(folder, A=held),
    "npz of a matrix in parts": lambda held, folder: of_npz(folder, **in_parts("adj", held)),
    "npz of scipy's matrix": lambda held, folder: of_npz(folder, **{
        name.removeprefix("_"): part for name, part in in_parts("", held).items()}),
    "npz of a triple": lambda held, folder: of_triple(folder, held)}


@pytest.mark.parametrize("order", ["as they are", "shuffled and turned", "both ways", "with repeats and loops"])
@pytest.mark.parametrize("way", LISTS)
def test_they_follow_their_edges_out_of_lists(way, order, tmp_path):
    pairs, weights = told_in(order)
    found = LISTS[way](pairs, weights, tmp_path)
    assert exact(found) and torch.equal(found.edge_index, five().edge_index)


@pytest.mark.parametrize("order", ["as they are", "shuffled and turned", "both ways"])
@pytest.mark.parametrize("way", MATRICES)
def test_they_follow_their_edges_out_of_matrices(way, order, tmp_path):
    assert exact(MATRICES[way](as_matrix(*told_in(order)) + 3 * np.eye(5), tmp_path))


@pytest.mark.parametrize("way", LISTS)
def test_two_weights_of_one_edge_are_refused_by_name(way, tmp_path):
    pairs, weights = told_in("both ways")
    weights[np.flatnonzero((pairs == [[3], [2]]).all(0))] = 8.0
    with pytest.raises(ValueError, match="one weight, however often .* got [48] and [48] for the one of 2 and 3"):
        LISTS[way](pairs, weights, tmp_path)


@pytest.mark.parametrize("way", MATRICES)
def test_two_weights_in_a_matrix_are_refused_by_name(way, tmp_path):
    held = TRUE.copy()
    held[3, 2] = 8
    with pytest.raises(ValueError, match="one weight, however often .* got [48] and [48] for the one of 2 and 3"):
        MATRICES[way](held, tmp_path)
    with pytest.raises(ValueError, match="must be at least 0, and finite .* got -"):
        MATRICES[way](-TRUE, tmp_path)


def test_entries_that_repeat_a_place_of_a_matrix_add_up():
    held = sp.coo_matrix((np.tile([0.5, 0.5], 2), ([0, 0, 1, 1], [1, 1, 0, 0])), shape=(5, 5))
    found = datasets.from_adjacency(held, X, Y, weights=True, num_classes=2)
    assert dense(found)[0, 1] == dense(found)[1, 0] == 1 and held.nnz == 4


@pytest.mark.parametrize("how, message", [
    (dict(edge_weight=[1.0] * 4), r"edge_weight must hold a number for each of 5 edges, got shape \[4\]"),
    (dict(edge_weight=[True] * 5), "edge_weight must hold a number for each of 5 edges, .* bool"),
    (dict(edge_weight=["a"] * 5), "edge_weight must be an array of numbers"),
    (dict(edge_weight=[1, 2, math.nan, 1, 1]), "must be at least 0, and finite .* got nan"),
    (dict(edge_weight=[1.0] * 5, undirected=False), "both directions"),
])
def test_an_edge_list_refuses_other_weights(how, message):
    with pytest.raises(ValueError, match=message):
        datasets.from_edge_list(told_in("as they are")[0], X, Y, num_classes=2, **how)


def test_an_edge_list_that_is_a_graph_already_keeps_its_order():
    pairs, weights = told_in("both ways")
    found = datasets.from_edge_list(pairs, X, Y, num_classes=2, undirected=False, edge_weight=weights)
    assert exact(found) and np.array_equal(found.edge_index, pairs)


def test_pyg_networkx_and_dgl_refuse_what_they_were_not_told_of():
    pairs, weights = told_in("as they are")
    data = of_pyg(pairs, weights)
    with pytest.raises(ValueError, match="no edge_weight, as nothing .*; weights=True uses it, and `del data"):
        datasets.from_pyg(data, num_classes=2)
    data.edge_attr = torch.ones(5, 2)
    with pytest.raises(ValueError, match="must have no edge_attr, as nothing"):
        datasets.from_pyg(data, weights=True, num_classes=2)
    with pytest.raises(ValueError, match="data must have .*edge_weight"):
        datasets.from_pyg(Data(x=X, y=Y, edge_index=torch.tensor(pairs)), weights=True, num_classes=2)
    graph = of_networkx(pairs, weights)
    graph.add_edge(0, 4)
    with pytest.raises(ValueError, match="attribute of all edges, got 'weight', which 1 do not have"):
        datasets.from_networkx(graph, X, Y, weight="weight", num_classes=2)
    assert "edge_weight" not in datasets.from_networkx(graph, X, Y, num_classes=2)
    with pytest.raises(ValueError, match="weight must be one of edata, got 'b'; there are a"):
        datasets.from_dgl(SimpleNamespace(ndata={"feat": X, "label": Y}, edata={"a": 1}, num_nodes=lambda: 5,
                                          edges=lambda: ()), weight="b", num_classes=2)


# Files of strangers.

@pytest.mark.parametrize("arrays, message", [
    (dict(edge_weight=np.ones(4)), r"edge_weight must hold a number for each of 5 edges, got shape \[4\]"),
    (dict(edge_weight=np.ones((5, 2))), r"for each of 5 edges, got shape \[5, 2\]"),
    (dict(edge_weight=np.float64(1)), r"for each of 5 edges, got shape \[\]"),
    (dict(edge_weight=np.ones(5, bool)), "for each of 5 edges, .* of bool"),
    (dict(edge_weight=np.array([{}] * 5)), "edge_weight must hold plain numbers, got dtype object"),
    (dict(edge_weight=np.array(["a"] * 5)), "edge_weight must hold plain numbers, got dtype <U1"),
    (dict(edge_weight=[1, 2, np.nan, 1, 1]), "must be at least 0, and finite .* got nan"),
    (dict(edge_weight=[1, 2, np.inf, 1, 1]), "must be at least 0, and finite .* got inf"),
    (dict(edge_weight=[1, 2, -3, 1, 1]), "must be at least 0, and finite .* got -3"),
    (dict(edge_weight=np.zeros(5)), "above 0 for one edge at least"),
    (dict(), "must have weights of edges, as edge_weight or as entries of a matrix, got none"),
    (dict(edge_attr=np.ones(5)), "must have weights of edges, as edge_weight .*, got edge_attr"),
])
def test_odd_arrays_are_refused_where_they_are_used_and_nowhere_else(arrays, message, tmp_path, capsys):
    path = npz(tmp_path, edge_index=told_in("as they are")[0], **arrays)
    with pytest.raises(ValueError, match=message):
        datasets.from_npz(path, weights=True)
    problems, remarks = datasets.check_file(path)
    assert problems == [] and not any("cannot be used" in line for line in remarks)
    if "edge_weight" in arrays:
        with pytest.warns(UserWarning, match="weights of edges .edge_weight.: used by lpgnn and rgnn"):
            assert "edge_weight" not in datasets.from_npz(path)
        assert any("weights of edges (edge_weight): cannot be used: " in line
                   for line in datasets.check_file(path, weights=True)[1])
    assert main(["run", "lpgnn", "--graph", str(path), "--own-weights", "--repeats", "1"]) == 2
    assert re.search(message, capsys.readouterr().err)


def test_what_is_not_used_is_not_unpacked(tmp_path):
    """The array is there, and what is packed in it is not what its header and its checksum say."""
    path = npz(tmp_path, edge_index=told_in("as they are")[0], edge_weight=np.arange(5) + 1.0)
    whole = path.read_bytes()
    at = whole.index((np.arange(5) + 1.0).tobytes())
    path.write_bytes(whole[:at] + b"\xff" * 8 + whole[at + 8:])
    with pytest.warns(UserWarning, match="weights of edges"):
        assert datasets.from_npz(path).num_edges == 10
    assert datasets.check_file(path)[0] == []
    with pytest.raises(ValueError, match="a.npz cannot be read"):
        datasets.from_npz(path, weights=True)


def test_what_a_file_announces_is_checked_before_it_is_unpacked(tmp_path):
    path = npz(tmp_path, edge_index=told_in("as they are")[0], edge_weight=np.arange(5) + 1.0)
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    own, other = b"(5,), }" + b" " * 12, b"(5000000000000,), }"
    assert own in parts["edge_weight.npy"] and len(own) == len(other)
    parts["edge_weight.npy"] = parts["edge_weight.npy"].replace(own, other)
    with zipfile.ZipFile(path, "w") as file:
        for name, part in parts.items():
            file.writestr(name, part)
    with pytest.raises(ValueError, match="edge_weight announces 40000000000000 bytes and holds 40"):
        datasets.from_npz(path, weights=True)
    with pytest.warns(UserWarning, match="weights of edges"):
        assert datasets.from_npz(path).num_edges == 10


def test_numbers_beside_a_matrix_are_not_taken_for_its_entries(tmp_path):
    path = npz(tmp_path, edge_weight=np.arange(10) + 1.0, **in_parts("adj", TRUE))
    assert exact(datasets.from_npz(path, weights=True))
    assert "arrays that are not read: edge_weight" in datasets.check_file(path)[1]


def test_the_entries_of_a_triple_are_spoken_of_without_being_unpacked(tmp_path):
    found = sp.coo_matrix(TRUE)
    path = npz(tmp_path, row=found.row, col=found.col, shape=found.shape, data=np.array([{}] * found.nnz))
    assert any(line.startswith("weights of edges (data): used by") for line in datasets.check_file(path)[1])
    with pytest.warns(UserWarning, match="weights of edges .data."):
        assert datasets.from_npz(path).num_edges == 10


def test_entries_that_are_all_one_are_used_where_that_is_asked_for_and_not_spoken_of(tmp_path):
    path = npz(tmp_path, **in_parts("adj", TRUE > 0))
    assert exact(datasets.from_npz(path, weights=True), (TRUE > 0).astype(float))
    assert not any("weights" in line for line in datasets.check_file(path, weights=True)[1])


# Every way out and back, and every copy.

def there_and_back(way: str, data: Data, folder: Path) -> Data:
    if way == "npz":
        datasets.save_npz(data, folder / "a.npz")
        return datasets.from_npz(folder / "a.npz", weights=True)
    if way in ("npz converted", "pt converted"):
        datasets.save_npz(data, folder / "a.npz"), torch.save(data, folder / "a.pt")
        return datasets.from_file(folder / f"a.{way.partition(' ')[0]}", weight="edge_weight")
    if way == "pyg":
        return datasets.from_pyg(datasets.to_pyg(data), weights=True, num_classes=2)
    return datasets.from_networkx(datasets.to_networkx(data), data.x, data.y, weight="weight", num_classes=2)


@pytest.mark.parametrize("way", ["npz", "npz converted", "pt converted", "pyg", "networkx"])
def test_a_way_out_and_back_brings_them_along(way, tmp_path):
    assert exact(there_and_back(way, datasets.keep_weights(five()), tmp_path))
    order = torch.randperm(10, generator=seeded(1))
    mixed = five()
    mixed.edge_index, mixed.edge_weight = mixed.edge_index[:, order], mixed.edge_weight[order]
    assert exact(there_and_back(way, datasets.keep_weights(mixed), tmp_path))


def test_no_way_out_takes_along_those_that_are_not_used(tmp_path):
    datasets.save_npz(five(), tmp_path / "a.npz")
    assert "edge_weight" not in np.load(tmp_path / "a.npz").files
    assert "edge_weight" not in datasets.to_pyg(five())
    assert not any(said for *_, said in datasets.to_networkx(five()).edges(data=True))


@pytest.mark.parametrize("change", [
    lambda data: datasets.split(data, seeded(0)), datasets.keep_split, datasets.GroupFeatures(8),
    datasets.Categories((2,) * 34), datasets.Quantiles(cuts=[(0.5,)] * 34),
    lambda data: hold(data, seeded(0), clients=2, private=0.3), lambda data: mark_sensitive(data, 8),
    *(lambda data, arm=arm: arm(data, seeded(0)) for name, arm in ARMS.items() if name != "random")])
def test_a_copy_with_the_same_edges_keeps_them(change):
    kept = change(datasets.keep_weights(club()))
    assert kept.own_weights is True and torch.equal(kept.edge_weight, club().edge_weight)
    assert torch.equal(kept.edge_index, club().edge_index)


def test_random_categories_keep_them():
    kept = ARMS["random"](datasets.GroupFeatures(8)(datasets.keep_weights(club())), seeded(0))
    assert kept.own_weights is True and torch.equal(kept.edge_weight, club().edge_weight)


def test_a_part_of_a_graph_has_those_of_its_edges():
    whole = dense(datasets.keep_weights(club()))
    nodes = torch.randperm(34, generator=seeded(2))[:20]
    part = datasets.induced(datasets.keep_weights(club()), nodes)
    assert exact(part, whole[nodes][:, nodes]) and part.num_edges > 10
    private, public = datasets.private_public(datasets.keep_weights(club()), seeded(0), 15, 15)
    assert all(exact(each, whole[each.n_id][:, each.n_id]) for each in (private, public))


def sensitive() -> Data:
    return mark_sensitive(datasets.keep_weights(club()), 8)


CHANGED = {
    "induced": lambda: datasets.induced(club(), torch.arange(20)),
    "rewired edges": lambda: rewired_edges(datasets.keep_weights(club()), seeded(0)),
    "split links": lambda: datasets.split_links(datasets.keep_weights(club()), seeded(0))[0],
    "a mechanism": lambda: mechanisms.SymmetricResponse(2.0)(datasets.keep_weights(club()), generator=seeded(0)),
    "a transform": lambda: mechanisms.NeighbourReplacement(1.0).transform(generator=seeded(0))(
        datasets.keep_weights(club())),
    "without links": lambda: without_links(sensitive(), sensitive().sensitive),
    "without users": lambda: without_users(sensitive(), sensitive().sensitive_users),
    "canaries": lambda: attacks.plant(datasets.keep_weights(club()), 3, seeded(0)).data,
    "sensitive canaries": lambda: attacks.plant_sensitive(sensitive(), torch.tensor([[4], [33]]), torch.tensor([True])),
    "a client's part": lambda: parts(hold(datasets.keep_weights(club()), seeded(0), clients=2, private=0.3))[0],
    "private canaries": lambda: attacks.plant_private(datasets.keep_weights(odd(num_public=2)),
                                                      torch.tensor([[0], [4]]), torch.tensor([True]))}


@pytest.mark.parametrize("name", CHANGED)
def test_other_edges_have_none_of_them(name):
    found = CHANGED[name]()
    assert "edge_weight" not in found and "own_weights" not in found and found.num_edges > 0


# On the command line.

@pytest.fixture
def file(tmp_path):
    datasets.save_npz(datasets.keep_weights(club()), tmp_path / "mine.npz")
    return str(tmp_path / "mine.npz")


SHORT = ["--repeats", "1", "--epochs", "1"]


def test_run_uses_them_says_so_and_saves_them(file, tmp_path, capsys):
    words = ["run", "lpgnn", "--graph", file, *SHORT]
    assert main([*words, "--own-weights", "--save", str(tmp_path / "out"), "--json"]) == 0
    out, told = capsys.readouterr()
    said = json.loads(out)
    assert said["own_weights"] is True and said["public"][-1] == "edge_weight"
    assert "edges count as their weights in the file say" in told and "weights of edges (" not in told
    saved = load(tmp_path / "out" / "model.pt")
    assert torch.equal(saved.release.edge_weight, club().edge_weight)
    assert main(["describe", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr().out
    assert "edge_index, edge_weight" in shown and "edge_weight: float32 [156]" in shown
    assert main(["predict", str(tmp_path / "out")]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 35
    assert main(["run", "lpgnn", "--config", str(tmp_path / "out.run.toml")]) == 0
    assert "edges count as their weights" in capsys.readouterr().err


def test_without_the_option_it_is_said_that_they_are_there(file, capsys):
    assert main(["run", "lpgnn", "--graph", file, *SHORT]) == 0
    out, told = capsys.readouterr()
    remark = ("weights of edges (edge_weight): used by lpgnn and rgnn with --own-weights; without it every edge counts "
              "the same")
    assert f"{file}: {remark}" in told and "edge_weight" not in out
    assert main(["check", file]) == 0
    assert remark in capsys.readouterr().out.splitlines()


def test_rgnn_and_own_masks_go_with_them(file, capsys):
    pytest.importorskip("pymetis", reason="clusters need the extra partition")
    assert main(["run", "rgnn", "--graph", file, *SHORT, "--group", "8", "--sampled", "2", "--clusters", "2",
                 "--own-weights", "--own-split", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["own_weights"] is True and said["own_split"] is True and "edge_weight" in said["public"]


@pytest.mark.parametrize("words, message", [
    (["--graph", "karate"], "--own-weights: data must have edge_weight"),
    (["--graph", "FILE", "--backbone", "gat"], "edge_weight is for gcn, sage, graphconv only, got it with backbone"),
])
@pytest.mark.parametrize("command", [["run"], ["attack", "adamic-adar"]])
def test_what_cannot_be_is_refused_at_once(words, message, command, file, capsys):
    end = SHORT if command == ["run"] else ["--epochs", "1"]
    assert main([*command, "lpgnn", *(file if word == "FILE" else word for word in words), "--own-weights", *end]) == 2
    out, told = capsys.readouterr()
    assert message in told and out == ""


@pytest.mark.parametrize("name", sorted(NO_WEIGHTS))
def test_other_methods_have_no_such_option(name, file, capsys):
    with pytest.raises(SystemExit):
        main(["run", name, "--graph", file, "--own-weights"])
    assert "--own-weights" in capsys.readouterr().err


def test_attackers_know_them_too(file, capsys):
    words = ["attack", "linkteller", "lpgnn", "--graph", file, "--epochs", "2", "--pairs", "20", "--json"]
    assert main([*words, "--own-weights"]) == main(words) == 0
    with_them, without = map(json.loads, capsys.readouterr().out.splitlines())
    assert "edge_weight" in with_them["public"] and "edge_weight" not in without["public"]
    assert with_them["attackers"] != without["attackers"]


@pytest.mark.usefixtures("pictures")
def test_compare_takes_only_methods_that_use_them(file, tmp_path, capsys):
    words = ["--graph", file, "--own-weights", "--repeats", "1", "--epsilon", "4", "--to", str(tmp_path / "out")]
    assert main(["compare", "lpgnn", "gap", *words]) == 2
    assert "--own-weights is for lpgnn and rgnn, not for gap, which uses no weights" in capsys.readouterr().err
    assert main(["compare", "lpgnn:epochs=1", "lpgnn:backbone=gat,epochs=1", *words]) == 2
    assert "got it with backbone 'gat'" in capsys.readouterr().err and not (tmp_path / "out" / "runs.csv").exists()
    assert main(["compare", "lpgnn:epochs=1", "lpgnn:epochs=2", *words]) == 0


@pytest.mark.usefixtures("pictures")
def test_a_table_with_other_weights_is_not_gone_on_with(file, tmp_path, capsys):
    words = ["sweep", "lpgnn", "--graph", file, *SHORT, "--epsilon", "4", "--to", str(tmp_path / "out")]
    assert main([*words, "--own-weights"]) == 0
    assert main(words) == 2
    assert str(tmp_path / "out") in capsys.readouterr().err


# Converted from what people have.

IDS = ["p0", "p1", "p2", "p3", "p4"]


def put(path: Path, rows, separator: str = ",") -> str:
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=separator).writerows(rows)
    return str(path)


def edge_rows(number=str) -> list[list]:
    pairs, weights = told_in("shuffled and turned")
    return [["since", "from", "to", "how often"], *(
        [2019, IDS[u], IDS[v], number(weight)] for (u, v), weight in zip(pairs.T, weights, strict=True))]


def named_graph(**more) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from((each, {"club": "ab"[label]}) for each, label in zip(IDS, Y.tolist(), strict=True))
    graph.add_edges_from((IDS[u], IDS[v], {"strength": weight, **more}) for (u, v), weight in WEIGHTS.items())
    return graph


def table(folder: Path, edges: str, ids: list = IDS) -> list[str]:
    return [edges, "--nodes", put(folder / "nodes.csv", [["id", "club"], *zip(ids, "ababa", strict=True)]), "--label",
            "club", "--features", "ones"]


def columnar(folder: Path) -> list[str]:
    arrow, parquet = (pytest.importorskip(f"pyarrow{part}") for part in ("", ".parquet"))
    head, *rows = edge_rows(float)
    parquet.write_table(arrow.table({name: list(column) for name, column in zip(head, zip(*rows, strict=True),
                                                                                strict=True)}), folder / "a.parquet")
    return table(folder, str(folder / "a.parquet"))


def workbook(folder: Path) -> list[str]:
    sheet(folder / "a.xlsx", edge_rows(float))
    return table(folder, str(folder / "a.xlsx"))


def pajek(folder: Path) -> list[str]:
    lines = [f"*Vertices {len(IDS)}", *(f'{at} "{each}"' for at, each in enumerate(IDS, 1)), "*Edges",
             *(f"{u + 1} {v + 1} {weight}" for (u, v), weight in WEIGHTS.items())]
    (folder / "a.net").write_text("\n".join(lines))
    return table(folder, str(folder / "a.net"))


def records(folder: Path) -> list[str]:
    head, *rows = edge_rows(float)
    (folder / "a.jsonl").write_text("\n".join(json.dumps(dict(zip(head, row, strict=True))) for row in rows))
    return table(folder, str(folder / "a.jsonl"))


def node_link(folder: Path) -> list[str]:
    (folder / "a.json").write_text(json.dumps(nx.node_link_data(named_graph(), edges="links")))
    return [str(folder / "a.json"), "--label", "club", "--features", "ones"]


def marked_up(folder: Path, name: str, write) -> list[str]:
    write(named_graph(), folder / name)
    return [str(folder / name), "--label", "club", "--features", "ones"]


def saved(folder: Path, name: str, save) -> list[str]:
    save(folder / name)
    return table(folder, str(folder / name), list(range(5)))


def of_tensors(path: Path) -> None:
    data = five()
    torch.save(Data(x=data.x, y=data.y, edge_index=data.edge_index, edge_weight=data.edge_weight[:, None]), path)


# What is said of edges is called so; the kinds of files, and the words that convert each.
KINDS = {
    "csv": ("how often", lambda folder: table(folder, put(folder / "a.csv", edge_rows()))),
    "decimal commas": ("how often", lambda folder: table(folder, put(folder / "a.csv", edge_rows(
        lambda weight: f"{weight:.2f}".replace(".", ",")), ";"))),
    "tsv without names": ("4", lambda folder: [*table(folder, put(folder / "a.tsv", edge_rows()[1:], "\t")), "--source",
                                               "2", "--target", "3"]),
    "xlsx": ("how often", workbook), "parquet": ("how often", columnar), "jsonl": ("how often", records),
    "json": ("strength", node_link), "pajek": ("weight", pajek),
    "graphml": ("strength", lambda folder: marked_up(folder, "a.graphml", nx.write_graphml)),
    "gexf": ("strength", lambda folder: marked_up(folder, "a.gexf", nx.write_gexf)),
    "gml": ("strength", lambda folder: marked_up(folder, "a.gml", nx.write_gml)),
    "matrix as a table": ("entries", lambda folder: table(folder, put(
        folder / "a.csv", [["", *IDS], *([each, *row] for each, row in zip(IDS, TRUE.tolist(), strict=True))]))),
    "mtx": ("entries", lambda folder: saved(folder, "a.mtx", lambda path: scipy.io.mmwrite(path, sp.coo_matrix(TRUE)))),
    "npy": ("entries", lambda folder: saved(folder, "a.npy", lambda path: np.save(path, TRUE))),
    "scipy": ("entries", lambda folder: saved(folder, "a.npz", lambda path: sp.save_npz(path, sp.csr_matrix(TRUE)))),
    "scipy's triple": ("data", lambda folder: saved(folder, "a.npz", lambda path: sp.save_npz(
        path, sp.coo_matrix(TRUE)))),
    "npz": ("edge_weight", lambda folder: saved(folder, "a.npz", lambda path: np.savez(
        path, edge_index=told_in("shuffled and turned")[0], edge_weight=told_in("shuffled and turned")[1]))),
    "features of edges": ("edge_attr", lambda folder: saved(folder, "a.npz", lambda path: np.savez(
        path, edge_index=told_in("both ways")[0], edge_attr=told_in("both ways")[1][:, None]))),
    "pt": ("edge_weight", lambda folder: [*saved(folder, "a.pt", of_tensors), "--num-classes", "2"])}


def converted(words: list[str], folder: Path) -> int:
    return main(["convert", *words, "--replace", "--to", str(folder / "made.npz")])


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_file_is_converted_with_them(kind, tmp_path, capsys):
    name, write = KINDS[kind]
    words = write(tmp_path)
    assert converted([*words, "--weight", name], tmp_path) == 0, capsys.readouterr().err
    out, made = capsys.readouterr().out, tmp_path / "made.npz"
    assert f"weights of edges: column {name}" in out and f"{name} of edges" not in out
    assert f"privgraph run lpgnn --graph {made} --own-weights\n" in out
    assert exact(datasets.from_npz(made, weights=True))
    assert converted(words, tmp_path) == 0
    out = capsys.readouterr().out
    assert "of edges: not read; --weight " in out and name in out and "--own-weights" not in out
    with np.load(made) as held:
        assert "edge_weight" not in held.files


def test_a_converted_graph_runs_with_them_without_a_further_word(tmp_path, capsys):
    assert converted([*KINDS["csv"][1](tmp_path), "--weight", "how often"], tmp_path) == 0
    line = capsys.readouterr().out.splitlines()[-1].split()
    assert main([*line[1:], *SHORT, "--x-steps", "1"]) == 0
    assert "edges count as their weights" in capsys.readouterr().out


def test_what_else_is_said_of_edges_is_named(tmp_path, capsys):
    words = KINDS["csv"][1](tmp_path)
    assert converted(words, tmp_path) == 0
    assert "since, how often of edges: not read; --weight NAME uses one" in capsys.readouterr().out
    assert converted([*words, "--weight", "how often"], tmp_path) == 0
    assert "\nsince of edges: not read\n" in capsys.readouterr().out


def test_weights_of_edges_that_are_dropped_go_with_them(tmp_path, capsys):
    head, *rows = edge_rows()
    rows = [[1, "nobody", "p0", 99.0], *rows[:2], [1, "p1", "stranger", "no number"], *rows[2:], [1, "p2", "p2", 5.0]]
    assert converted([*table(tmp_path, put(tmp_path / "a.csv", [head, *rows])), "--weight", "how often"], tmp_path) == 0
    assert exact(datasets.from_npz(tmp_path / "made.npz", weights=True))
    assert "2 edges with ends that no node has" in capsys.readouterr().out


def test_numbers_of_edges_that_are_dropped_go_with_them(tmp_path):
    """An array of arrays, and a table that lists four of the five in another order."""
    pairs, weights = told_in("shuffled and turned")
    words = saved(tmp_path, "a.npz", lambda path: np.savez(path, edge_index=pairs, edge_weight=weights))
    put(tmp_path / "nodes.csv", [["id", "club"], *([each, "ab"[each % 2]] for each in (3, 2, 1, 0))])
    assert converted([*words, "--weight", "edge_weight"], tmp_path) == 0
    assert exact(datasets.from_npz(tmp_path / "made.npz", weights=True), TRUE[[3, 2, 1, 0]][:, [3, 2, 1, 0]])


@pytest.mark.parametrize("row, message", [
    ([1, "p0", "p1", "often"], "how often must be numbers, all written in one way, got 'often'"),
    ([1, "p0", "p1", "1,5"], "how often must be numbers, all written in one way, got '"),
    ([1, "p0", "p1", ""], "how often must be a number for each edge, got none for 1 edge"),
    ([1, "p0", "p1", "NaN"], "how often must be a number for each edge, got none for 1 edge"),
    ([1, "p0", "p1", "-2"], "weights of edges must be at least 0, and finite in single precision, got -2"),
    ([1, "p0", "p1", "1e99"], "weights of edges must be at least 0, and finite in single precision, got 1e+99"),
    ([1, "p1", "p0", "3"], "and 3 for the one of p0 and p1"),
])
def test_cells_that_are_no_weights_are_refused(row, message, tmp_path, capsys):
    words = table(tmp_path, put(tmp_path / "a.csv", [*edge_rows(), row]))
    assert converted([*words, "--weight", "how often"], tmp_path) == 2
    assert message in capsys.readouterr().err and not (tmp_path / "made.npz").exists()
    assert converted(words, tmp_path) == 0


@pytest.mark.parametrize("kind, there", [("csv", "since, how often"), ("graphml", "strength"), ("mtx", "entries"),
                                         ("npz", "edge_weight"), ("pt", "edge_weight"), ("scipy's triple", "data")])
def test_a_name_that_is_not_there_is_refused_with_those_that_are(kind, there, tmp_path, capsys):
    assert converted([*KINDS[kind][1](tmp_path), "--weight", "nothing"], tmp_path) == 2
    assert f"says of its edges, got 'nothing'; there are {there}" in capsys.readouterr().err


def test_an_edge_that_says_nothing_has_what_its_file_says_of_all(tmp_path, capsys):
    nx.write_graphml(named_graph(), tmp_path / "a.graphml")
    text = (tmp_path / "a.graphml").read_text().replace('attr.name="strength" attr.type="double" />',
                                                        'attr.name="strength" attr.type="double"><default>4.0</default>'
                                                        "</key>")
    bare = text.replace('<data key="d1">4.0</data>', "")
    assert "<default>" in bare and bare != text
    (tmp_path / "a.graphml").write_text(bare)
    words = [str(tmp_path / "a.graphml"), "--label", "club", "--features", "ones", "--weight", "strength"]
    assert converted(words, tmp_path) == 0, capsys.readouterr().err
    assert exact(datasets.from_npz(tmp_path / "made.npz", weights=True))


def test_from_file_takes_the_same_word(tmp_path):
    put(tmp_path / "a.csv", edge_rows())
    put(tmp_path / "nodes.csv", [["id", "club"], *zip(IDS, "ababa", strict=True)])
    assert exact(datasets.from_file(tmp_path / "a.csv", tmp_path / "nodes.csv", label="club", features="ones",
                                    weight="how often"))
