import math
from dataclasses import replace

import pytest
import torch

from privgraph import datasets, graph
from privgraph.experiments import plain
from privgraph.mechanisms import MultiBit, RandomisedResponse
from privgraph.methods import CONTROLS, LPGNN, LPGNNRelease, constant_features, permuted_features
from privgraph.methods.lpgnn import smooth_labels
from privgraph.nn import BACKBONES, accuracy
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


def test_guarantees_by_unit_and_in_total():
    _, release = collected(replace(QUICK, epsilon_x=1.0, epsilon_y=2.0))
    assert {g.unit: g.epsilon for g in release.guarantees} == {"label": 2.0, "feature vector": 1.0,
                                                               "undirected edge": math.inf}
    assert (release.total.epsilon, release.total.unit, release.total.relation) == (3.0, "features and label", "replace")
    assert (release.node.epsilon, release.node.unit, release.node.relation) == (math.inf, "node", "replace")


def test_a_mask_that_selects_a_node_without_a_label():
    """She answers at random (a refusal would tell of her). Where epsilon is inf nothing is promised, and it is refused."""
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
    method = replace(QUICK, standardise=True, x_steps=3)
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
    assert torch.equal(QUICK.restore(tmp_path / "model.pt", again).predict_proba(), fitted.predict_proba())


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
