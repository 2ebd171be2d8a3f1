"""Bad input raises before anything is trained, and the message names what came and what is allowed."""

import math

import numpy as np
import pytest
import torch

from privgraph import datasets
from privgraph.checks import check_features, check_mask, check_tensor
from privgraph.mechanisms import MultiBit, RandomisedResponse
from privgraph.methods import LPGNN
from privgraph.nn import Backbone
from privgraph.randomness import seeded

PATH = [[0, 1, 1, 2], [1, 0, 2, 1]]
X, Y = np.eye(3), [0, 1, 1]


def no_training(monkeypatch):
    """Fail the test if anything gets as far as the training loop."""
    def forbidden(*args, **kwargs):
        raise AssertionError("training started on bad input")
    monkeypatch.setattr("privgraph.methods.model.train", forbidden)


@pytest.mark.parametrize("epsilon", [0, -1, math.nan, -math.inf, "3", None, True])
@pytest.mark.parametrize("make", [lambda e: RandomisedResponse(e, 3), lambda e: MultiBit(e, 3),
                                  lambda e: LPGNN(epsilon_x=e), lambda e: LPGNN(epsilon_y=e)])
def test_epsilon_must_be_positive(epsilon, make):
    with pytest.raises(ValueError, match="epsilon.* must be a positive number or inf, got"):
        make(epsilon)


@pytest.mark.parametrize("labels, message", [([0, 1, 3], r"labels must lie in -1\.\.2, got 0\.\.3"),
                                             ([0, -2, 1], r"labels must lie in -1\.\.2, got -2\.\.1")])
def test_labels_outside_the_range(labels, message):
    with pytest.raises(ValueError, match=message):
        RandomisedResponse(1.0, 3)(torch.tensor(labels), generator=seeded(0))


def test_labels_of_the_wrong_kind():
    with pytest.raises(ValueError, match="labels must be an int64 tensor"):
        RandomisedResponse(1.0, 3)(torch.tensor([0.0, 1.0]), generator=seeded(0))


@pytest.mark.parametrize("edges, x, y, message", [
    (PATH, X[:0], [], "at least one node"),
    ([[0, 3], [3, 0]], X, Y, r"name nodes 0\.\.2, got 0\.\.3"),
    ([[0, 1], [1, 2]], X, Y, "both directions"),
    ([[0, 1, 1], [1, 0, 1]], X, Y, "no self loops, got 1"),
    ([[0, 1, 0], [1, 0, 1]], X, Y, "no duplicate edges, got 1"),
    ([[0, 1, 2]], X, Y, r"shape \[2, E\]"),
    (PATH, X * math.nan, Y, "features must be finite, got 9 NaN"),
    (PATH, X * 7, Y, "outside .* state their public bounds with feature_range"),
    (PATH, X, [0, 1], "same number of nodes, got 3, 2 and 3"),
    (PATH, X, [0, -2, 1], "labels must lie in -1"),
])
def test_graphs_that_are_refused(edges, x, y, message):
    with pytest.raises(ValueError, match=message):
        datasets.from_edge_list(edges, x, y, undirected=False, num_classes=2)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_one_number_that_is_not_finite_is_found_wherever_it_stands(odd, dtype):
    """The least and the largest number are looked at only: one of them is NaN where any number is."""
    x = torch.rand(7, 19, generator=seeded(0)).to(dtype)
    assert check_features(x) is x and check_features(x, 0.0, 1.0) is x
    for place in range(x.numel()):
        spoilt = x.clone()
        spoilt.view(-1)[place] = odd
        with pytest.raises(ValueError, match="features must be finite, got 1 NaN or infinite values"):
            check_features(spoilt)
    for shape in ((0, 3), (3, 0)):
        assert check_features(torch.empty(shape), 0.0, 1.0).shape == shape


def test_one_class_is_no_task():
    with pytest.raises(ValueError, match="num_classes must be a whole number, at least 2, got 1"):
        datasets.from_edge_list(PATH, X, [0, 0, 0], num_classes=1)


@pytest.mark.parametrize("spoil, message", [
    (lambda d: d.x.fill_(math.nan), "features must be finite"),
    (lambda d: d.y.fill_(9), r"labels must lie in -1\.\.1"),
    (lambda d: setattr(d, "edge_index", d.edge_index[:, d.edge_index[0] < d.edge_index[1]]), "both directions"),
    (lambda d: setattr(d, "edge_index", torch.cat([d.edge_index, torch.tensor([[0], [0]])], 1)), "no self loops"),
    (lambda d: setattr(d, "edge_index", d.edge_index.int()), "must be an int64 tensor"),
])
def test_lpgnn_refuses_before_training(monkeypatch, spoil, message):
    no_training(monkeypatch)
    data = datasets.split(datasets.load("karate"), seeded(0))
    spoil(data)
    with pytest.raises(ValueError, match=message):
        LPGNN().collect(data, seeded(0))


def test_lpgnn_needs_a_split():
    with pytest.raises(ValueError, match="datasets.split"):
        LPGNN().collect(datasets.load("karate"), seeded(0))


@pytest.mark.parametrize("kwargs, message", [
    (dict(sampled=4), "sampled must be a whole number, between 1 and 3, got 4"),
    (dict(sampled=0), "at least 1, got 0"),
    (dict(low=1.0, high=1.0), "low must be below high"),
    (dict(low=0.0, high=math.inf), "high must be a finite number, got inf"),
])
def test_multibit_arguments(kwargs, message):
    with pytest.raises(ValueError, match=message):
        MultiBit(1.0, 3, **kwargs)


@pytest.mark.parametrize("x, message", [
    (torch.tensor([[0.0, 0.5, 1.5]]), r"features must lie in \[0, 1\], got \[0, 1.5\]"),
    (torch.tensor([[0.0, math.nan, 1.0]]), "features must be finite, got 1"),
    (torch.tensor([[0.0, 1.0]]), "x must have 3 features, got 2"),
    (torch.tensor([0.0, 1.0, 1.0]), r"shape \[N, d\]"),
])
def test_multibit_features(x, message):
    with pytest.raises(ValueError, match=message):
        MultiBit(1.0, 3)(x, generator=seeded(0))


@pytest.mark.parametrize("call", [
    lambda: RandomisedResponse(1.0, 2)(torch.tensor([0]), generator=3),
    lambda: MultiBit(1.0, 1).report(torch.zeros(1, 1), generator=None),
    lambda: datasets.split(datasets.load("karate"), 0),
    lambda: LPGNN().collect(datasets.load("karate"), 0),
])
def test_a_generator_is_required(call):
    with pytest.raises(TypeError, match="generator must be a torch.Generator"):
        call()


@pytest.mark.parametrize("call, message", [
    (lambda: LPGNN(backbone="gnc"), "backbone must be one of .*gcn.* got 'gnc'"),
    (lambda: LPGNN(x_steps=-1), "x_steps must be a whole number, at least 0, got -1"),
    (lambda: LPGNN(y_steps=1.5), "y_steps must be a whole number"),
    (lambda: Backbone("gcn", 3, 1, generator=seeded(0)), "num_classes must be a whole number, at least 2, got 1"),
    (lambda: Backbone("gcn", 3, 2, dropout=1.0, generator=seeded(0)), r"dropout must lie in \[0, 1\), got 1.0"),
    (lambda: datasets.split(datasets.load("karate"), seeded(0), train=0.8, val=0.2), "below 1 to leave test nodes"),
    (lambda: datasets.split(datasets.load("karate"), seeded(0), train=1.5), "train must lie in"),
    (lambda: datasets.load("coar"), "name must be that of a known graph, got 'coar'; known are cora"),
])
def test_other_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_hyperparameters_of_training_are_checked_before_anybody_is_asked():
    with pytest.raises(ValueError, match="epochs must be a whole number, at least 1, got 0"):
        LPGNN(epochs=0)


@pytest.mark.parametrize("names", [["a", "b"], np.array(["a", "b"])])
def test_names_of_classes_are_told_how_they_become_numbers(names):
    with pytest.raises(TypeError, match=r"y must be a torch.Tensor, got \w+; of names it is made with torch.tensor"):
        check_tensor(names, "y")


def test_one_of_several_masks_is_to_be_taken():
    with pytest.raises(ValueError, match=r"got torch.bool of shape \[3, 10\]; mask = mask\[:, 0\] takes the first of"):
        check_mask(torch.ones(3, 10, dtype=torch.bool), "mask", 3)
