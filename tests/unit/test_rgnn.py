"""RGNN against its Algorithms 1 to 3 written out as loops; its two halves end to end; METIS clusters."""

import math
from dataclasses import replace
from functools import cache

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.distributions import Categorical, kl_divergence
from torch_geometric.data import Data

import slow_rgnn as slow
from privgraph import datasets, graph
from privgraph.audit import replay
from privgraph.datasets import Categories, GroupFeatures
from privgraph.mechanisms import GRRFS, RandomisedResponse
from privgraph.methods import RGNN, RGNNRelease, load, rgnn
from privgraph.methods import reconstruction as lib
from privgraph.methods.rgnn import Bags
from privgraph.nn import BACKBONES, Backbone, accuracy, train
from privgraph.privacy import find_guarantee
from privgraph.randomness import seeded

KARATE = datasets.load("karate")
SIZES = (2, 3, 5, 2)
SOME = dict(max_examples=20)
QUICK = RGNN(x_steps=2, y_steps=1, clusters=16, epochs=3)
PLAIN = dict(epsilon_x=math.inf, epsilon_y=math.inf, x_steps=0, y_steps=0, llp_weight=0)


def random_graph(num_nodes: int, pairs: int, seed: int, directed: bool = False) -> torch.Tensor:
    """Edges among all but the last two nodes, which stay isolated."""
    edges = torch.randint(num_nodes - 2, (2, pairs), generator=seeded(seed))
    return edges[:, edges[0] != edges[1]].unique(dim=1) if directed else graph.to_undirected(edges, num_nodes)


NO_EDGES = torch.empty(2, 0, dtype=torch.long)
GRAPHS = {"karate": (KARATE.edge_index, 34), "small": (random_graph(9, 9, 0), 9),
          "sparse": (random_graph(80, 70, 2), 80), "directed": (random_graph(9, 14, 1, True), 9),
          "without edges": (NO_EDGES, 4)}


def mean_matrix(edges: torch.Tensor, num_nodes: int):
    return graph.adjacency(edges, num_nodes, "mean", self_loops=True)


def reports_of(mechanism: GRRFS, num_nodes: int, seed: int = 0) -> torch.Tensor:
    x = torch.stack([torch.randint(size, (num_nodes,), generator=seeded(seed + i))
                     for i, size in enumerate(mechanism.domain_sizes)], 1)
    return mechanism(x, generator=seeded(seed))


def labels_of(num_nodes: int, num_classes: int, seed: int = 0) -> torch.Tensor:
    """Labels of two nodes in three."""
    y = torch.randint(num_classes, (num_nodes,), generator=seeded(seed))
    return torch.where(torch.rand(num_nodes, generator=seeded(seed + 1)) < 2 / 3, y, -1)


def is_largest(chosen: torch.Tensor, scores: torch.Tensor) -> bool:
    """Is each chosen column the row's largest? Within 1e-6 it is a tie, which rounding may break."""
    best = scores.max(1)
    second = scores.topk(2).values[:, 1] if scores.size(1) > 1 else best.values - 1
    clear = best.values - second > 1e-6
    near = scores.gather(1, chosen[:, None])[:, 0] > best.values - 1e-6
    return bool(near.all()) and torch.equal(chosen[clear], best.indices[clear])


# Algorithm 1: features.


@pytest.mark.parametrize("steps", range(4))
@pytest.mark.parametrize("name", GRAPHS)
def test_features_are_those_of_algorithm_1(name, steps):
    """Binary: the share of the second value. Others: arg max, or the nearest distribution to the estimated shares."""
    edges, n = GRAPHS[name]
    mechanism = GRRFS(1.2, SIZES, 3)
    reports = reports_of(mechanism, n)
    expected = [torch.tensor(part) for part in slow.estimate_features(reports, edges, SIZES, 1.2, 3, steps)]
    for values in lib.VALUES:
        fast = lib.reconstruct_features(reports, mechanism, mean_matrix(edges, n), steps, values)
        parts = fast.split([1, 1, 1, 1] if values == "argmax" else [1, 3, 5, 1], 1)
        for part, exact, size in zip(parts, expected, SIZES, strict=True):
            if size == 2:
                assert torch.allclose(part[:, 0], exact[:, 1], atol=1e-5)
            elif values == "argmax":
                assert is_largest(part[:, 0].long(), exact) and torch.equal(part, part.round())
            else:
                nearest = torch.tensor([slow.nearest_distribution(row) for row in exact.tolist()])
                assert torch.allclose(part, nearest, atol=1e-5)


@pytest.mark.parametrize("steps", [1, 3])
def test_binary_features_alone(steps):
    """All domains of size two, as in the paper's graphs of words: one column a feature, whatever ``values`` is."""
    edges, n = GRAPHS["sparse"]
    mechanism = GRRFS(0.7, (2,) * 6, 2)
    reports = reports_of(mechanism, n)
    exact = torch.tensor(slow.estimate_features(reports, edges, (2,) * 6, 0.7, 2, steps))[:, :, 1].t()
    for values in lib.VALUES:
        fast = lib.reconstruct_features(reports, mechanism, mean_matrix(edges, n), steps, values)
        assert fast.shape == (n, 6) and torch.allclose(fast, exact, rtol=1e-5, atol=1e-5)
    assert exact.min() < 0 and exact.max() > 1, "estimates leave [0, 1] and are not clipped"


@settings(**SOME)
@given(st.integers(0, 10**6), st.lists(st.integers(2, 5), min_size=2, max_size=4), st.integers(1, 3), st.data())
def test_the_most_frequent_value_does_not_depend_on_epsilon(seed, sizes, steps, data):
    """Arg max of equation 5 = arg max of the observed shares: the mechanism's parameters play no part."""
    n, sampled = 12, data.draw(st.integers(1, len(sizes)))
    edges, shape = random_graph(n, 14, seed), tuple(sizes)
    reports = reports_of(GRRFS(1.0, shape, sampled), n, seed)
    near, rows = slow.neighbours(edges, n), reports.tolist()
    for epsilon in (0.05, 1.0, 8.0):
        fast = lib.reconstruct_features(reports, GRRFS(epsilon, shape, sampled), mean_matrix(edges, n), steps)
        for i, size in enumerate(shape):
            if size > 2:
                shares = torch.tensor(slow.smooth([slow.one_hot(row[i], size) for row in rows], near, steps))
                assert is_largest(fast[:, i].long(), shares)


def test_small_budgets_stay_finite_and_exact():
    """In float32 two chances of reporting a value are equal at epsilon 1e-8; their difference must not be."""
    edges, n = GRAPHS["karate"]
    for epsilon in (1e-3, 1e-8, 1e-12):
        mechanism = GRRFS(epsilon, (2, 3), 1)
        reports = reports_of(mechanism, n)
        binary = torch.tensor(slow.estimate_features(reports, edges, (2, 3), epsilon, 1, 2)[0])[:, 1]
        for values in lib.VALUES:
            fast = lib.reconstruct_features(reports, mechanism, mean_matrix(edges, n), 2, values)
            assert fast.isfinite().all()
            assert torch.allclose(fast[:, 0], binary, rtol=1e-3, atol=1e-3 * float(binary.abs().max()))


@pytest.mark.parametrize("spread", [0.01, 1.0, 30.0, 1e5, 1e9])
def test_projection_against_bisection(spread):
    """40 random rows of 1 to 6 columns, as wide as the estimates of small budgets are."""
    for columns in range(1, 7):
        x = spread * torch.randn(40, columns, generator=seeded(columns))
        fast = lib.project_to_simplex(x)
        nearest = torch.tensor([slow.nearest_distribution(row) for row in x.tolist()])
        assert torch.allclose(fast, nearest, atol=1e-5 if spread < 100 else 1e-5 * spread)
        assert (fast >= 0).all() and torch.allclose(fast.sum(1), torch.ones(40), atol=1e-5)


def test_no_distribution_is_nearer_than_the_projection():
    """Against 2,000 random distributions for each of 50 rows: the definition."""
    x = 2 * torch.randn(50, 4, generator=seeded(0))
    others = torch.rand(2000, 4, generator=seeded(1)).log().neg()
    others = torch.cat([others / others.sum(1, keepdim=True), torch.eye(4)])
    assert ((x - lib.project_to_simplex(x)).norm(dim=1) <= torch.cdist(x, others).amin(1) + 1e-6).all()


def test_distributions_are_their_own_projections():
    x = torch.cat([torch.rand(50, 5, generator=seeded(0)).softmax(1), torch.eye(5)])
    assert torch.allclose(lib.project_to_simplex(x), x, atol=1e-6)


# Algorithm 2: labels.


@pytest.mark.parametrize("num_classes", [2, 4])
@pytest.mark.parametrize("steps", range(4))
@pytest.mark.parametrize("name", GRAPHS)
def test_labels_are_those_of_algorithm_2(name, steps, num_classes):
    edges, n = GRAPHS[name]
    y = labels_of(n, num_classes)
    exact = slow.estimate_labels(y, edges, num_classes, 0.8, steps)
    fast = lib.reconstruct_labels(y, RandomisedResponse(0.8, num_classes), mean_matrix(edges, n), steps)
    assert fast.dtype == torch.long and is_largest(fast[list(exact)], torch.tensor(list(exact.values())))
    assert (fast[y < 0] == -1).all() and (y < 0).any()
    if steps == 0:
        assert torch.equal(fast, y)


def test_estimated_classes_are_the_inverse_times_the_shares():
    """Also for rows that do not sum to 1: unlabelled neighbours count as zeros."""
    shares = torch.rand(20, 4, generator=seeded(0)) / 3
    exact = shares.double() @ torch.linalg.inv(slow.transition(0.8, 4)).t()
    assert torch.allclose(lib.estimate_classes(shares, RandomisedResponse(0.8, 4)).double(), exact, atol=1e-5)


@settings(**SOME)
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(0, 3))
def test_labels_are_a_majority_vote_whatever_epsilon_is(seed, num_classes, steps):
    edges = random_graph(12, 14, seed)
    y = labels_of(12, num_classes, seed)
    rows = [slow.one_hot(label, num_classes) for label in y.tolist()]
    known, votes = y >= 0, torch.tensor(slow.smooth(rows, slow.neighbours(edges, 12), steps))
    for epsilon in (1e-3, 0.5, 2.0, 9.0, math.inf):
        found = lib.reconstruct_labels(y, RandomisedResponse(epsilon, num_classes), mean_matrix(edges, 12), steps)
        assert is_largest(found[known], votes[known])


# Algorithm 3: clusters.


@pytest.mark.parametrize("epsilon", [0.3, 2.0, math.inf])
def test_cluster_shares_are_those_of_algorithm_3(epsilon):
    y, cluster = labels_of(60, 4), torch.randint(12, (60,), generator=seeded(3))
    y[cluster == 5] = -1
    shares, kept = lib.cluster_shares(y, cluster, RandomisedResponse(epsilon, 4))
    exact = slow.estimate_bags(y, cluster, 4, epsilon)
    assert kept.tolist() == list(exact) and 5 not in kept
    assert torch.allclose(shares, torch.tensor([slow.positive(row) for row in exact.values()]), atol=1e-5)
    assert torch.allclose(shares.sum(1), torch.ones(len(kept)), atol=1e-6)
    assert (min(min(row) for row in exact.values()) < 0) == (epsilon != math.inf), "estimates below zero were met"


def test_cluster_shares_by_hand():
    """p = 3/4, q = 1/4. Cluster 3: labels 0, 0, 0, 1 give (3/4 - 1/4) / (1/2) = 1 and 0. Cluster 7: a half each."""
    y = torch.tensor([0, 0, 0, 1, -1, 0, 1, -1])
    cluster = torch.tensor([3, 3, 3, 3, 3, 7, 7, 4])
    shares, kept = lib.cluster_shares(y, cluster, RandomisedResponse(math.log(3), 2))
    assert kept.tolist() == [3, 7]
    assert torch.allclose(shares, torch.tensor([[1 / 1.00001, 1e-5 / 1.00001], [0.5, 0.5]]), atol=1e-6)


def test_clusters_without_any_label():
    shares, kept = lib.cluster_shares(torch.full((6,), -1), torch.arange(6), RandomisedResponse(1.0, 3))
    assert shares.shape == (0, 3) and kept.tolist() == []


def some_bags(num_classes: int = 3) -> tuple[Bags, torch.Tensor, torch.Tensor, torch.Tensor]:
    """(bags, logits, labels, clusters) of 40 nodes in 8 clusters."""
    y, cluster = labels_of(40, num_classes, 5), torch.randint(8, (40,), generator=seeded(6))
    _, release = karate_release()
    bags = Bags.from_labels(y, cluster, replace(release, num_classes=num_classes, epsilon_y=1.5))
    return bags, torch.randn(40, num_classes, generator=seeded(7)), y, cluster


@pytest.mark.parametrize("direction", rgnn.DIRECTIONS)
def test_divergence_of_bags_against_the_loop_and_torch(direction):
    bags, logits, y, cluster = some_bags()
    targets = {r: slow.positive(row) for r, row in slow.estimate_bags(y, cluster, 3, 1.5).items()}
    found = bags.divergence(logits, direction)
    by_loop = slow.bag_loss(logits.double().softmax(1), y, cluster, targets, direction)
    assert float(found) == pytest.approx(by_loop, abs=1e-4)
    groups = slow.bags_of(y, cluster).values()
    pair = Categorical(torch.stack([logits[bag].softmax(1).mean(0) for bag in groups])), Categorical(bags.shares)
    theirs = kl_divergence(*(pair if direction == "prediction" else pair[::-1])).mean()
    assert float(found) == pytest.approx(float(theirs), abs=1e-4)


def test_divergence_by_hand():
    """One bag, prediction (1/2, 1/2), target (1/4, 3/4): ln(2) - ln(3)/2 one way, 3 ln(3)/4 - ln(2) the other."""
    bags = Bags(torch.tensor([0, 2]), torch.zeros(2, dtype=torch.long), torch.tensor([[0.25, 0.75]]))
    logits = torch.tensor([[1.0, -1.0], [9.0, 0.0], [-1.0, 1.0]])  # the middle node has no label
    assert float(bags.divergence(logits, "prediction")) == pytest.approx(math.log(2) - math.log(3) / 2, abs=1e-6)
    assert float(bags.divergence(logits, "target")) == pytest.approx(0.75 * math.log(3) - math.log(2), abs=1e-6)


def test_divergence_is_finite_where_the_network_is_certain():
    bags, logits, *_ = some_bags()
    logits = (1e4 * logits).requires_grad_()
    for direction in rgnn.DIRECTIONS:
        loss = bags.divergence(logits, direction)
        loss.backward()
        assert loss.isfinite() and logits.grad.isfinite().all()


# Both halves, on synthetic Cora with words joined in blocks of 25.


@cache
def synthetic() -> Data:
    return datasets.split(GroupFeatures(25)(datasets.load("cora-twin")), seeded(0))


@cache
def synthetic_release() -> RGNNRelease:
    return QUICK.collect(synthetic(), seeded(1))


@cache
def karate_release(seed: int = 0) -> tuple[Data, RGNNRelease]:
    data = karate_people(seed)
    return data, replace(QUICK, sampled=2).collect(data, seeded(seed + 1))


def karate_people(seed: int = 0) -> Data:
    """The karate club with features of 2, 3, 5 and 2 values."""
    data = datasets.split(KARATE, seeded(seed))
    x = torch.stack([torch.randint(size, (34,), generator=seeded(seed + size)).float() for size in SIZES], 1)
    return Categories(SIZES)(Data(**data.to_dict() | {"x": x}))


def same(one, two) -> bool:
    return torch.equal(one, two) if torch.is_tensor(one) else one == two


def test_what_is_released():
    """58 columns; labels of training and validation nodes only; whatever is not a report does not depend on x and y."""
    data, release = synthetic(), synthetic_release()
    assert release.report.shape == (2708, 58) and release.report.unique().tolist() == [0, 1]
    assert (release.y[data.test_mask] == -1).all() and (release.y[~data.test_mask] >= 0).all()
    other = data.clone()
    other.x, other.y = 1 - data.x, (data.y + 1) % 7
    changed = QUICK.collect(other, seeded(1))
    assert [name for name, value in vars(release).items() if not same(value, getattr(changed, name))] == ["report", "y"]


def test_same_seed_same_result():
    first, second = (QUICK.learn(QUICK.collect(synthetic(), seeded(1)), seeded(2)).predict_proba() for _ in range(2))
    assert torch.equal(first, second)
    assert not torch.equal(first, QUICK.learn(synthetic_release(), seeded(3)).predict_proba())


def test_learning_reads_the_release_only():
    """Replayed on data where one person has another vector and label: the same model. A peek at labels is named."""
    data = synthetic()
    person = int(data.train_mask.nonzero()[0])
    other = data.clone()
    other.x[person], other.y[person] = 1 - data.x[person], (data.y[person] + 1) % 7

    def pipeline(people, generator, peek):
        release = QUICK.collect(people, generator)
        p = QUICK.learn(release, generator).predict_proba()
        return {"release": release, "p": p, "score": accuracy(p, people.y, people.train_mask) if peek else 0.0}
    assert replay(lambda d, g: pipeline(d, g, peek=False), data, other) == []
    assert [leak.place for leak in replay(lambda d, g: pipeline(d, g, peek=True), data, other)] == ["release['score']"]


@pytest.mark.parametrize("direction, weight", [("prediction", 0.5), ("target", 2.0), ("prediction", 0)])
def test_the_first_loss_is_that_of_algorithm_3(direction, weight):
    """Reconstructed features and labels, clusters of METIS, both terms: by loops, for the first weights."""
    data, release = karate_release()
    method = replace(QUICK, sampled=2, clusters=4, divergence=direction, llp_weight=weight, x_steps=1)
    logits = method.prepare(release, seeded(4)).model.train()(method.prepare(release, seeded(4)).inputs)
    predicted, known = logits.detach().double().softmax(1), torch.where(release.train_mask, release.y, -1)
    cluster = graph.partition(data.edge_index, 34, 4)
    targets = {r: slow.positive(row) for r, row in slow.estimate_bags(known, cluster, 2, method.epsilon_y).items()}
    labels = lib.reconstruct_labels(release.y, release.label_mechanism, release.matrix(), 1)
    exact = slow.label_loss(predicted, release.train_mask, labels)
    exact += weight * slow.bag_loss(predicted, known, cluster, targets, direction)
    assert method.learn(release, seeded(4)).history.train[0] == pytest.approx(float(exact), abs=1e-4)


@pytest.mark.parametrize("backbone", [*BACKBONES, "mlp"])
def test_every_backbone_runs(backbone):
    method = replace(QUICK, backbone=backbone, epochs=2)
    p = method.learn(synthetic_release(), seeded(2)).predict_proba()
    assert p.shape == (2708, 7) and torch.allclose(p.sum(1), torch.ones(2708), atol=1e-5)


@pytest.mark.parametrize("values", lib.VALUES)
@pytest.mark.parametrize("divergence", rgnn.DIRECTIONS)
def test_mixed_domains_run(values, divergence):
    _, release = karate_release()
    method = replace(QUICK, sampled=2, clusters=4, values=values, divergence=divergence)
    fitted = method.learn(release, seeded(2))
    assert release.features(release.matrix(), 2, values).shape == (34, 4 if values == "argmax" else 1 + 3 + 5 + 1)
    assert fitted.predict_proba().isfinite().all() and all(map(math.isfinite, fitted.history.train))


def test_releases_and_models_save_and_load(tmp_path):
    release = synthetic_release()
    fitted = QUICK.learn(release, seeded(2))
    release.save(tmp_path / "release.pt")
    fitted.save(tmp_path / "model.pt")
    again = RGNNRelease.load(tmp_path / "release.pt")
    assert all(same(value, getattr(again, name)) for name, value in vars(release).items())
    assert torch.equal(load(tmp_path / "model.pt").predict_proba(), fitted.predict_proba())


def test_without_any_privacy_it_is_plain_supervised_training():
    """True features, true labels, no clusters: the same numbers as a GraphSAGE trained by cross-entropy on them."""
    data, method = synthetic(), replace(QUICK, **PLAIN, epochs=30)
    found = method.learn(method.collect(data, seeded(1)), seeded(2)).predict_proba()
    generator = seeded(2)
    model = Backbone("sage", 58, 7, hidden=16, dropout=0.0, activation="relu", generator=generator)
    inputs = model.prepare(data.x, data.edge_index)
    train(model, inputs, lambda out: F.cross_entropy(out[data.train_mask], data.y[data.train_mask]),
          lambda out: (out[data.val_mask].argmax(1) != data.y[data.val_mask]).float().mean(), epochs=30,
          learning_rate=0.01, weight_decay=0.0, generator=generator)
    assert torch.equal(found, model(inputs).detach().softmax(1))
    assert accuracy(found, data.y, data.test_mask) > 2 * 100 / 7


def test_without_a_hop_the_network_reads_the_reports():
    """And with one it reads Algorithm 1's features, of the release's own mechanism and edges."""
    data, release = karate_release()
    matrix = release.matrix()
    assert torch.equal(release.features(matrix, 0, "simplex"), release.report.float())
    estimates = slow.estimate_features(release.report, data.edge_index, SIZES, QUICK.epsilon_x, 2, 1)
    found = release.features(matrix, 1)
    assert torch.allclose(found[:, 0], torch.tensor(estimates[0])[:, 1], atol=1e-5)
    assert is_largest(found[:, 2].long(), torch.tensor(estimates[2]))


def test_true_features_are_smoothed_but_not_corrected():
    """epsilon_x = inf sends all features, so nothing is faked: three hops of means of what is true."""
    data = karate_people()
    release = RGNN(epsilon_x=math.inf, sampled=2).collect(data, seeded(1))
    assert torch.equal(release.report.float(), data.x)
    means = graph.propagate(release.matrix(), (data.x == 1).float(), 3)
    assert torch.allclose(release.features(release.matrix(), 3)[:, [0, 3]], means[:, [0, 3]], atol=1e-6)
    assert torch.equal(release.features(release.matrix(), 0), data.x)


@pytest.mark.parametrize("values", ["argmax", "simplex"])
def test_standardised_inputs(values):
    _, release = karate_release()
    x = replace(QUICK, standardize=True, values=values).prepare(release, seeded(1)).inputs.features.x
    plain = replace(QUICK, values=values).prepare(release, seeded(1)).inputs.features.x
    assert torch.allclose(x.mean(0), torch.zeros(x.size(1)), atol=1e-5) and torch.allclose(x.std(0, unbiased=False),
                                                                                           torch.ones(1))
    assert torch.allclose(x * plain.std(0, unbiased=False) + plain.mean(0), plain, atol=1e-4)


def test_a_weight_of_zero_builds_no_clusters(monkeypatch):
    def refuse(*_):
        raise AssertionError("clusters were built")
    monkeypatch.setattr(rgnn, "partition", refuse)
    data, release = karate_release()
    method = replace(QUICK, sampled=2, llp_weight=0, clusters=1000)
    assert method.bags(release) is None and method.learn(release, seeded(2)).predict_proba().isfinite().all()
    with pytest.raises(AssertionError, match="clusters were built"):
        replace(method, llp_weight=0.1, clusters=4).bags(release)


def test_defaults_are_the_papers():
    """Its section V-A3; hops, clusters and alpha come from the ranges that it searches."""
    method = RGNN()
    assert (method.backbone, method.hidden, method.heads, method.epochs, method.sampled) == ("sage", 16, 4, 100, 10)
    assert method.epsilon_x in (1, 0.1, 0.01) and method.epsilon_y in (3, 2, 1, 0.5)
    assert {method.x_steps, method.y_steps} <= {2, 4, 8, 16} and method.clusters in (4, 8, 16, 32, 64, 128, 256)
    assert method.llp_weight in (0.01, 0.1, 1, 10,
                                 20) and method.divergence == "prediction" and method.values == "argmax"
    _, release = karate_release()
    assert method.prepare(release, seeded(0)).model.activation is F.relu


def test_bags_hold_training_nodes_only():
    data, release = karate_release()
    bags = replace(QUICK, clusters=4).bags(release)
    cluster = graph.partition(data.edge_index, 34, 4)
    assert bags.nodes.tolist() == data.train_mask.nonzero().squeeze(1).tolist()
    kept = cluster[data.train_mask].unique()
    assert torch.equal(kept[bags.bag], cluster[bags.nodes]) and len(bags.shares) == len(kept)


@pytest.mark.parametrize("sampled, epsilon_x, epsilon_y", [(10, 1.0, 3.0), (1, 0.5, 1.0), (58, 0.1, 0.5)])
def test_guarantees_by_unit_and_in_total(sampled, epsilon_x, epsilon_y):
    """A label spends eps_y, a vector m eps_x; Theorem 1 claims ln(1 + m/d (e^(m eps_x) - 1)) for the vector."""
    release = replace(synthetic_release(), sampled=sampled, epsilon_x=epsilon_x, epsilon_y=epsilon_y)
    assert {g.unit: g.epsilon for g in release.guarantees} == {
        "label": epsilon_y, "feature vector": sampled * epsilon_x, "undirected edge": math.inf}
    claimed = math.log(1 + sampled / 58 * math.expm1(sampled * epsilon_x))
    assert find_guarantee(release.guarantees, "feature vector").claimed == pytest.approx(claimed)
    assert (claimed < sampled * epsilon_x) == (sampled < 58), "below what holds as soon as a feature is faked"
    assert release.total.unit == "features and label" and release.node.epsilon == math.inf
    assert release.total.epsilon == pytest.approx(epsilon_y + sampled * epsilon_x)


def test_isolated_nodes_only():
    """Nobody to hear: features and labels keep their own reports, and it runs with and without clusters."""
    data = karate_people()
    data.edge_index = NO_EDGES
    for clusters in (1, 4, 34):
        method = replace(QUICK, sampled=2, clusters=clusters)
        release = method.collect(data, seeded(1))
        assert torch.equal(lib.reconstruct_labels(release.y, release.label_mechanism, release.matrix(), 3), release.y)
        assert method.learn(release, seeded(2)).predict_proba().isfinite().all()


def without(data: Data, *names: str) -> Data:
    return Data(**{name: value for name, value in data.to_dict().items() if name not in names})


def changed(**values) -> Data:
    return Data(**karate_people().to_dict() | values)


def run(data: Data, **settings):
    method = replace(QUICK, **dict(sampled=2, clusters=4) | settings)
    return method.learn(method.collect(data, seeded(1)), seeded(2))


NOBODY = torch.zeros(34, dtype=torch.bool)


@pytest.mark.parametrize("call, message", [
    (lambda: run(karate_people(), sampled=5), "sampled must be a whole number, between 1 and 4, got 5"),
    (lambda: run(karate_people(), sampled=5, epsilon_x=math.inf), "sampled must be .* between 1 and 4, got 5"),
    (lambda: run(without(karate_people(), "domain_sizes")), "data must have domain_sizes, got none; datasets"),
    (lambda: run(karate_people(), clusters=35), "clusters must be a whole number, between 1 and 34, got 35"),
    (lambda: run(without(karate_people(), "train_mask")), "got none for train_mask; datasets.split"),
    (lambda: run(changed(train_mask=NOBODY)), "train_mask and val_mask must each select at least one node"),
    (lambda: run(changed(val_mask=NOBODY)), "train_mask and val_mask must each select at least one node"),
    (lambda: run(changed(num_classes=1)), "num_classes must be a whole number, at least 2, got 1"),
    (lambda: run(changed(domain_sizes=(2, 3, 4, 2))), r"column 2 must hold whole numbers in 0..3, got 4"),
    (lambda: run(changed(domain_sizes=(2, 3, 5))), "domain_sizes must have one entry for each of 4 columns, got 3"),
    (lambda: run(changed(x=karate_people().x + 0.5)), "column 0 must hold whole numbers in 0..1, got"),
    (lambda: RGNN(backbone="gin"), "backbone must be one of .*; got 'gin'"),
    (lambda: RGNN(divergence="both"), "divergence must be one of prediction, target; got 'both'"),
    (lambda: RGNN(values="mean"), "values must be one of argmax, simplex; got 'mean'"),
    (lambda: RGNN(llp_weight=-0.1), "llp_weight must be a finite number of at least 0, got -0.1"),
    (lambda: RGNN(llp_weight=math.inf), "llp_weight must be a finite number of at least 0, got inf"),
    (lambda: RGNN(llp_weight=math.nan), "llp_weight must be a finite number of at least 0, got nan"),
    (lambda: RGNN(epsilon_x=0.0), "epsilon_x must be a positive number or inf, got 0.0"),
    (lambda: RGNN(epsilon_y=-1.0), "epsilon_y must be a positive number or inf, got -1.0"),
    (lambda: RGNN(sampled=0), "sampled must be a whole number, at least 1, got 0"),
    (lambda: RGNN(clusters=0), "clusters must be a whole number, at least 1, got 0"),
    (lambda: RGNN(x_steps=-1), "x_steps must be a whole number, at least 0, got -1"),
    (lambda: RGNN(y_steps=1.5), "y_steps must be a whole number, at least 0, got 1.5"),
    (lambda: lib.reconstruct_features(torch.zeros(9, 1).long(), GRRFS(1.0, (2,), 1), mean_matrix(*GRAPHS["small"]), 1,
                                      "mean"), "values must be one of argmax, simplex; got 'mean'"),
])
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_no_generator_no_report():
    _, release = karate_release()
    for call in (lambda: QUICK.collect(synthetic(), 0), lambda: replace(QUICK, clusters=4).learn(release, 0)):
        with pytest.raises(TypeError, match="generator must be a torch.Generator"):
            call()


# Clusters.


def cut_share(edges: torch.Tensor, cluster: torch.Tensor) -> float:
    return float((cluster[edges[0]] != cluster[edges[1]]).float().mean())


@pytest.mark.parametrize("parts", [1, 2, 8, 9, 64, 256])
def test_clusters_of_the_twin(parts):
    """All nodes, every cluster, about equal sizes, many fewer cut edges than a random cut of the same sizes."""
    data = synthetic()
    cluster = graph.partition(data.edge_index, 2708, parts)
    assert cluster.shape == (2708,) and cluster.dtype == torch.long
    sizes = torch.bincount(cluster, minlength=parts)
    assert len(sizes) == parts and sizes.min() > 0 and sizes.max() <= math.ceil(1.2 * 2708 / parts)
    mixed = cluster[torch.randperm(2708, generator=seeded(0))]
    assert cut_share(data.edge_index, cluster) <= 0.5 * cut_share(data.edge_index, mixed)
    order = torch.randperm(data.edge_index.size(1), generator=seeded(1))
    for edges in (data.edge_index, data.edge_index[:, order]):
        assert torch.equal(graph.partition(edges, 2708, parts), cluster), "always the same"


def test_directed_and_repeated_edges_are_cut_as_undirected_ones():
    one_way = KARATE.edge_index[:, KARATE.edge_index[0] < KARATE.edge_index[1]]
    for edges in (one_way, one_way.flip(0), torch.cat([KARATE.edge_index, one_way], 1)):
        assert torch.equal(graph.partition(edges, 34, 4), graph.partition(KARATE.edge_index, 34, 4))


def test_two_cliques_are_told_apart():
    """Two complete graphs of six with one edge between them: the cut is that edge."""
    pairs = torch.combinations(torch.arange(6)).t()
    edges = graph.to_undirected(torch.cat([pairs, pairs + 6, torch.tensor([[0], [6]])], 1), 12)
    cluster = graph.partition(edges, 12, 2).tolist()
    assert len(set(cluster[:6])) == len(set(cluster[6:])) == 1 and cluster[0] != cluster[6]


def test_clusters_of_isolated_nodes_and_at_the_limits():
    edges = random_graph(30, 25, 4)
    for parts in (1, 2, 30):
        cluster = graph.partition(edges, 30, parts)
        assert cluster.shape == (30,) and 0 <= int(cluster.min()) <= int(cluster.max()) < parts
    assert graph.partition(NO_EDGES, 5, 5).sort().values.tolist() == [0, 1, 2, 3, 4]
    assert graph.partition(NO_EDGES, 1, 1).tolist() == [0]
    for parts, number in ((6, 5), (0, 5), (2.0, 5), (1, 0)):
        with pytest.raises(ValueError, match="parts must be a whole number, between 1 and"):
            graph.partition(NO_EDGES, number, parts)


def test_a_network_of_private_reports_is_asked_about_nobody_else():
    """It reads reconstructed features; a stranger's true ones mean something else."""
    with pytest.raises(ValueError, match="for the people of its release only"):
        QUICK.learn(synthetic_release(), seeded(2)).predict(synthetic())
