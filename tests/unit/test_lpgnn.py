import inspect
import math
from dataclasses import fields, replace

import pytest
import torch

from privgraph import datasets, graph
from privgraph.mechanisms import MultiBit, RandomisedResponse
from privgraph.methods import (
    CONTROLS,
    LPGNN,
    RGNN,
    GraphPrivatizer,
    LPGNNRelease,
    constant_features,
    load,
    permuted_features,
)
from privgraph.methods.contract.toys import path_graph
from privgraph.methods.evaluation import plain, run_once
from privgraph.methods.lpgnn import brier_score, log_score, smooth_labels
from privgraph.nn import BACKBONES, Factored, accuracy, features
from privgraph.randomness import seeded

KARATE = datasets.load("karate")
QUICK = LPGNN(x_steps=2, y_steps=1, epochs=5)


def collected(method: LPGNN = QUICK, seed: int = 0):
    data = datasets.split(KARATE, seeded(seed))
    return data, method.collect(data, seeded(seed + 1))


def test_nothing_private_leaves_except_through_the_mechanisms():
    """Change every feature and label within their ranges: only report and y of the release may differ."""
    data, release = collected()
    other = data.clone()
    other.x, other.y = 1 - data.x, 1 - data.y
    changed = QUICK.collect(other, seeded(1))
    for name, value in vars(release).items():
        same = torch.equal(value, getattr(changed, name)) if torch.is_tensor(value) else value == getattr(changed, name)
        assert same or name in ("report", "y"), name


def test_test_labels_are_never_asked_for():
    data, release = collected()
    assert (release.y[data.test_mask] == -1).all()
    assert (release.y[data.train_mask | data.val_mask] >= 0).all()


def test_learning_reads_the_release_only():
    """True labels flipped after collection: the same model comes out."""
    data, release = collected()
    before = QUICK.learn(release, seeded(3)).predict_proba()
    data.y.copy_(1 - data.y)
    try:
        assert torch.equal(QUICK.learn(release, seeded(3)).predict_proba(), before)
    finally:
        data.y.copy_(1 - data.y)


def test_features_are_clamped_to_their_public_range():
    data = datasets.split(datasets.from_edge_list(KARATE.edge_index, KARATE.x * 3, KARATE.y, feature_range=(0, 1),
                                                   num_classes=2), seeded(0))
    assert torch.equal(QUICK.collect(data, seeded(1)).report, collected()[1].report)


@pytest.mark.bears("for", "lpgnn-total")
def test_guarantees_by_unit_and_in_total():
    _, release = collected(replace(QUICK, epsilon_x=1.0, epsilon_y=2.0))
    assert {g.unit: g.epsilon for g in release.guarantees} == {"label": 2.0, "feature vector": 1.0,
                                                               "undirected edge": math.inf}
    assert (release.total.epsilon, release.total.unit, release.total.relation) == (3.0, "features and label", "replace")
    assert (release.node.epsilon, release.node.unit, release.node.relation) == (math.inf, "node", "replace")


def test_a_mask_that_selects_a_node_without_a_label():
    """She answers at random (a refusal would tell of her). Where epsilon is inf nothing is promised,
    and it is refused."""
    data = datasets.split(KARATE, seeded(0))
    data.y = data.y.clone()
    silent = data.train_mask.nonzero()[0]
    data.y[silent] = -1
    assert LPGNN().collect(data, seeded(0)).y[silent] in (0, 1)
    with pytest.raises(ValueError, match="must select nodes with a label where epsilon_y is inf, got 1 without one"):
        LPGNN(epsilon_y=math.inf).collect(data, seeded(0))


def test_who_has_no_label_names_every_class_equally_often():
    """30,000 people, 3 classes, eps = 3: within 5.2 standard deviations, level 6e-7. Answering 0 before the noise, or
    not at all, is 147 of them away."""
    n = 30_000
    y = torch.full((n,), -1)
    y[0] = 2
    data = datasets.from_edge_list([[0], [1]], torch.zeros(n, 1), y, num_classes=3)
    data.train_mask, data.val_mask = torch.arange(n) > 0, torch.arange(n) == 0
    counts = LPGNN(epsilon_y=3.0).collect(data, seeded(7)).y[data.train_mask].bincount(minlength=3)
    assert counts.sum() == n - 1 and (counts - n / 3).abs().max() < 5.2 * math.sqrt(n * 2 / 9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("k", [2, 3, 7])
def test_an_answer_at_random_costs_no_more_than_an_answer(epsilon, k):
    response = RandomisedResponse(epsilon, k)
    tables = [*map(response.distribution, range(k)), dict.fromkeys(range(k), 1 / k)]
    losses = [math.log(p[o] / q[o]) for p in tables for q in tables for o in range(k)]
    assert max(losses) == pytest.approx(epsilon)


def test_smooth_labels_by_hand():
    """Path 0-1-2, labels 1, 0, 1 of two classes, one step: the middle hears two votes for 1."""
    edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    mask = torch.ones(4, dtype=torch.bool)
    release = LPGNNRelease(report=torch.zeros(4, 1, dtype=torch.int8), y=torch.tensor([1, 0, 1, 1]), edge_index=edges,
                           train_mask=mask, val_mask=mask, num_classes=2, epsilon_x=1.0, epsilon_y=1.0,
                           feature_range=(0.0, 1.0))
    matrix = graph.adjacency(edges, 4)
    assert smooth_labels(release, matrix, 0).tolist() == [1, 0, 1, 1]
    assert smooth_labels(release, matrix, 1).tolist() == [0, 1, 0, 1], "node 3 is isolated and keeps its label"


@pytest.mark.parametrize("backbone", [*BACKBONES, "mlp"])
@pytest.mark.parametrize("y_steps", [0, 2])
def test_every_backbone_runs(backbone, y_steps):
    method = replace(QUICK, backbone=backbone, y_steps=y_steps)
    _, release = collected(method)
    p = method.learn(release, seeded(2)).predict_proba()
    assert p.shape == (34, 2) and torch.allclose(p.sum(1), torch.ones(34), atol=1e-5)


def test_standardised_inputs():
    """Each column is an affine function of KProp's, with mean 0 and deviation 1."""
    method = replace(QUICK, standardize=True, x_steps=3)
    _, release = collected(method)
    x = method.prepare(release, seeded(1)).inputs.features.x
    plain = release.factored(release.matrix(), 3).to_dense()
    assert torch.allclose(x.mean(0), torch.zeros(x.size(1)), atol=1e-5)
    assert torch.allclose(x.square().mean(0), torch.ones(1), atol=1e-4)
    assert torch.allclose(x * plain.std(0, unbiased=False) + plain.mean(0), plain, rtol=1e-3, atol=1e-2)


def test_without_noise_it_learns_the_club():
    method = plain()
    data, release = collected(method)
    assert accuracy(method.learn(release, seeded(2)).predict_proba(), data.y, data.train_mask) == 100


def test_releases_and_models_save_and_load(tmp_path):
    _, release = collected()
    fitted = QUICK.learn(release, seeded(2))
    release.save(tmp_path / "release.pt")
    fitted.save(tmp_path / "model.pt")
    again = LPGNNRelease.load(tmp_path / "release.pt")
    assert torch.equal(again.report, release.report) and again.feature_range == release.feature_range
    assert torch.equal(load(tmp_path / "model.pt").predict_proba(), fitted.predict_proba())


def test_same_seed_same_result():
    first, second = (QUICK.learn(collected()[1], seeded(2)).predict_proba() for _ in range(2))
    assert torch.equal(first, second)


def test_controls_keep_everything_but_the_features():
    data = datasets.split(KARATE, seeded(0))
    mixed, flat = permuted_features(data, seeded(1)), constant_features(data, seeded(1))
    assert torch.equal(mixed.x.sum(0), data.x.sum(0)) and not torch.equal(mixed.x, data.x)
    assert (flat.x == 0.5).all()
    for control in (mixed, flat):
        assert control.y is data.y and control.edge_index is data.edge_index and control.train_mask is data.train_mask
    assert CONTROLS["real"](data, seeded(0)) is data


def test_constant_control_is_fair_coins():
    """Three bits about the middle of the range: each is +1 with probability one half, whatever epsilon."""
    table = {}
    for report, p in MultiBit(8.0, 3, sampled=3).distribution([0.5] * 3).items():
        table[sum(report)] = table.get(sum(report), 0) + p
    assert table == pytest.approx({3: 0.125, 1: 0.375, -1: 0.375, -3: 0.125})


# The ceiling: what the method does where there is no noise.


def test_the_published_setting_is_a_named_one():
    """It differs from the defaults in four places, for both methods, and may be changed like them."""
    for make in (LPGNN, GraphPrivatizer):
        ours, published = make(), make.as_published()
        assert type(published) is make and published == replace(ours, x_steps=16, y_steps=2, standardize=False,
                                                                selection="log")
        assert (ours.standardize, ours.selection) == (True, "brier")
        changes = dict(backbone="sage", epsilon_x=2.0, standardize=True)
        assert make.as_published("sage", 2.0, standardize=True) == replace(published, **changes)


@pytest.mark.parametrize("asked, hops", [({}, (16, 2)), (dict(epsilon_x=math.inf), (0, 2)),
                                         (dict(epsilon_y=math.inf), (16, 0)),
                                         (dict(epsilon_x=math.inf, x_steps=3), (3, 2)), (dict(y_steps=0), (16, 0))])
def test_hops_average_noise_away_where_there_is_any(asked, hops):
    assert LPGNN(**asked).hops == hops


def test_scores_by_hand():
    """Two nodes: right with .75, and certainly wrong. The Brier score stays finite, the log score takes its bound."""
    p, y = torch.tensor([[0.75, 0.25], [0.0, 1.0]]), torch.tensor([0, 0])
    assert float(brier_score(p, y)) == pytest.approx((2 * 0.25**2 + 2) / 2)
    assert float(log_score(p, y)) == pytest.approx((-math.log(0.75) + 20 * math.log(10)) / 2)


@pytest.mark.parametrize("epsilon_x", [1.0, math.inf])
@pytest.mark.parametrize("backbone", BACKBONES)
def test_standardised_inputs_in_factors(epsilon_x, backbone, monkeypatch):
    """Where the features are many they are never multiplied out, and the network says the same."""
    method = replace(QUICK, backbone=backbone, epsilon_x=epsilon_x)
    _, release = collected(method)
    dense = method.prepare(release, seeded(1))
    monkeypatch.setattr(features, "LARGE", 0), monkeypatch.setattr(features, "CHEAPER", 0.1)
    monkeypatch.setattr(features, "BLOCK", 5)
    factored = method.prepare(release, seeded(1))
    assert isinstance(factored.inputs.features, Factored) and not isinstance(dense.inputs.features, Factored)
    assert torch.allclose(factored.inputs.features.to_dense(), dense.inputs.features.x, atol=1e-4)
    assert torch.allclose(factored.predict_proba(), dense.predict_proba(), atol=1e-4)


def test_a_network_of_private_reports_is_asked_about_nobody_else():
    """It reads what the server makes of a release; a stranger's true features mean nothing to it."""
    for method in (QUICK, GraphPrivatizer(x_steps=2, y_steps=1, epochs=5)):
        data, release = collected(method)
        fitted = method.learn(release, seeded(2))
        with pytest.raises(ValueError, match="for the people of its release only"):
            fitted.predict_proba(data)


def test_on_a_graph_that_mixes_quickly_sixteen_hops_make_everybody_alike():
    """6,000 nodes, 4 classes, mean degree 8, six edges of ten inside a class: 16 hops end near the majority class,
    ``covering_hops`` far above it."""
    n, classes = 6_000, 4
    y = torch.arange(n) % classes
    first, other = torch.randint(n, (2, 4 * n), generator=seeded(0))
    inside = torch.rand(4 * n, generator=seeded(1)) < 0.6
    second = torch.where(inside, other - other % classes + first % classes, other)
    centre = 0.25 + 0.5 * torch.rand(classes, 32, generator=seeded(2))
    x = (torch.rand(n, 32, generator=seeded(3)) < centre[y]).float()
    data = datasets.from_edge_list(torch.stack([first, second]), x, y, num_classes=classes)
    hops = graph.covering_hops(n, data.num_edges // 2)
    few, many = (run_once(LPGNN(epsilon_x=2.0, epsilon_y=2.0, x_steps=steps, epochs=50), data, 0)
                 for steps in (hops, 16))
    assert hops == 4 and few > many + 15


@pytest.mark.parametrize("method", [LPGNN(), RGNN(), GraphPrivatizer()], ids=lambda method: type(method).__name__)
def test_a_method_is_shown_in_the_order_in_which_it_is_made(method):
    shown = [field.name for field in fields(method)]
    assert shown == list(inspect.signature(type(method)).parameters)
    assert repr(method).startswith(f"{type(method).__name__}(backbone=")


def test_the_brier_score_is_a_mean_over_people():
    p, y = torch.tensor([[1.0, 0.0], [0.5, 0.5], [0.2, 0.8]]), torch.tensor([0, 1, 0])
    assert float(brier_score(p, y)) == pytest.approx((0 + 0.5 + 1.28) / 3, rel=1e-6, abs=0)


def test_a_release_has_a_range_for_each_column_and_not_for_each_person(tmp_path):
    told = LPGNN().collect(path_graph(), seeded(0))
    assert told.report.shape == (8, 3)
    replace(told, feature_range=((0.0, 1.0),) * 8).save(tmp_path / "told.pt")
    with pytest.warns(UserWarning), pytest.raises(ValueError, match="feature_range in"):
        LPGNNRelease.load(tmp_path / "told.pt")
