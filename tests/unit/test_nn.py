import copy
import math

import pytest
import torch
import torch.nn.functional as F
from scipy.stats import binom

from privgraph import datasets, graph
from privgraph.nn import BACKBONES, REFERENCE, Backbone, Factored, Interval, accuracy, interval, sparse_rows, train
from privgraph.nn.training import flushed_denormals
from privgraph.randomness import draw_seed, seeded, torch_seeded

KARATE = datasets.load("karate")


def features(d: int = 12) -> torch.Tensor:
    return torch.rand(KARATE.num_nodes, d, generator=seeded(3))


@pytest.mark.parametrize("kind", BACKBONES)
@pytest.mark.parametrize("zeros", [0.0, 0.95])
def test_logits_equal_pyg_layers_called_plainly(kind, zeros):
    x, edges = features(), KARATE.edge_index
    x[torch.rand(x.shape, generator=seeded(8)) < zeros] = 0
    net = Backbone(kind, 12, 3, generator=seeded(0)).eval()
    plain = net.second(F.selu(net.first(x, edges)), edges)
    assert torch.allclose(net(net.prepare(x, edges)), plain, atol=1e-5)


@pytest.mark.parametrize("kind", BACKBONES)
def test_isolated_nodes_and_graphs_without_edges_are_legal(kind):
    empty = torch.empty(2, 0, dtype=torch.long)
    net = Backbone(kind, 12, 3, generator=seeded(0)).eval()
    assert torch.isfinite(net(net.prepare(features(), empty))).all()


def factored(matrix) -> Factored:
    report = torch.randint(-1, 2, (34, 12), generator=seeded(1)) * (torch.rand(34, 12, generator=seeded(2)) < 0.3)
    return Factored(sparse_rows(report), matrix, steps=3, scale=5.0, shift=0.5)


@pytest.mark.parametrize("kind", [*BACKBONES, REFERENCE])
def test_features_in_factors_give_the_same_logits_and_gradients(kind):
    x = factored(graph.adjacency(KARATE.edge_index, 34))
    net = Backbone(kind, 12, 3, generator=seeded(0)).eval()
    results = []
    for version in (x, x.to_dense()):
        net.zero_grad()
        logits = net(net.prepare(version, KARATE.edge_index))
        logits.square().mean().backward()
        results.append((logits.detach(), [p.grad.clone() for p in net.parameters()]))
    assert torch.allclose(results[0][0], results[1][0], rtol=1e-4, atol=1e-5)
    for a, b in zip(results[0][1], results[1][1], strict=True):
        assert torch.allclose(a, b, rtol=1e-3, atol=1e-4)


def test_factors_multiply_out_to_kprop_of_the_estimates():
    matrix = graph.adjacency(KARATE.edge_index, 34)
    x = factored(matrix)
    dense = graph.propagate(matrix, 5.0 * x.sparse.to_dense() + 0.5, 3)
    assert torch.allclose(x.to_dense(), dense)
    weight = torch.rand(7, 12, generator=seeded(4))
    assert torch.allclose(x.project(weight), dense @ weight.t(), rtol=1e-4, atol=1e-4)


def test_few_features_are_multiplied_out_and_many_are_not():
    matrix = graph.adjacency(KARATE.edge_index, 34)  # 156 entries, 3 steps: worth 8 * 468 dense ones, 110 a node
    def wide(d, steps=3):
        return Factored(sparse_rows(torch.ones(34, d)), matrix, steps).wide
    assert not wide(110) and wide(111) and wide(12, steps=0)


def test_the_reference_ignores_edges():
    net = Backbone(REFERENCE, 12, 3, generator=seeded(0)).eval()
    empty = torch.empty(2, 0, dtype=torch.long)
    assert torch.equal(net(net.prepare(features(), KARATE.edge_index)), net(net.prepare(features(), empty)))


def losses(data):
    def loss_on(mask):
        return lambda logits: F.cross_entropy(logits[mask], data.y[mask])
    return loss_on(data.train_mask), loss_on(data.val_mask)


def quick_training(seed: int, epochs: int = 30):
    data = datasets.split(KARATE, seeded(0))
    net = Backbone("gcn", 34, 2, generator=seeded(seed))
    inputs = net.prepare(data.x, data.edge_index)
    loss, validate = losses(data)
    history = train(net, inputs, loss, validate, epochs=epochs, learning_rate=0.01, weight_decay=1e-3,
                    generator=seeded(seed))
    return net, inputs, history, validate


def test_training_keeps_the_weights_of_the_best_epoch():
    net, inputs, history, validate = quick_training(0)
    assert history.best_epoch == min(range(30), key=history.val.__getitem__)
    net.eval()
    assert float(validate(net(inputs))) == pytest.approx(min(history.val), abs=1e-6)
    assert history.train[-1] < history.train[0]


def test_same_seed_same_weights_and_no_global_seed_is_left_changed():
    torch.manual_seed(123)
    expected = torch.rand(3)
    torch.manual_seed(123)
    first, second = (copy.deepcopy(quick_training(5)[0].state_dict()) for _ in range(2))
    assert torch.equal(torch.rand(3), expected)
    assert all(torch.equal(first[name], second[name]) for name in first)
    other = quick_training(6)[0].state_dict()
    assert any(not torch.equal(first[name], other[name]) for name in first)


def trained_plainly(net, inputs, loss, validate, epochs: int):
    """The loop as one writes it: the network reads its inputs twice an epoch."""
    optimiser, found, best, kept = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=1e-3), [], math.inf, None
    with torch_seeded(seeded(7)), flushed_denormals():
        for _ in range(epochs):
            net.train()
            optimiser.zero_grad()
            loss(net(inputs)).backward()
            optimiser.step()
            net.eval()
            with torch.no_grad():
                found.append(float(validate(net(inputs))))
            if found[-1] < best:
                best, kept = found[-1], copy.deepcopy(net.state_dict())
    return found, kept


@pytest.mark.parametrize("batch_norm", [False, True])
@pytest.mark.parametrize("kind", [*BACKBONES, REFERENCE])
@pytest.mark.parametrize("form", ["dense", "sparse", "factored"])
def test_the_first_layer_is_computed_once_an_epoch_and_no_bit_of_training_changes(form, kind, batch_norm, monkeypatch):
    data, calls = datasets.split(KARATE, seeded(0)), []
    x = {"dense": features(), "sparse": features() * (features() < 0.05),
         "factored": factored(graph.adjacency(KARATE.edge_index, 34))}[form]
    net = Backbone(kind, 12, 2, batch_norm=batch_norm, generator=seeded(0))
    inputs, other = net.prepare(x, KARATE.edge_index), copy.deepcopy(net)
    plain, weights = trained_plainly(other, inputs, *losses(data), epochs=8)
    begin = net.begin
    monkeypatch.setattr(net, "begin", lambda inputs: calls.append(1) or begin(inputs))
    history = train(net, inputs, *losses(data), epochs=8, learning_rate=0.01, weight_decay=1e-3, generator=seeded(7))
    assert history.val == plain and len(calls) == 9
    assert all(torch.equal(value, weights[name]) for name, value in net.state_dict().items())


def test_denormals_are_kept_again_after_training():
    quick_training(0, epochs=1)
    assert float(torch.tensor(1e-40) * 1) > 0


def test_a_loss_that_is_never_finite_raises():
    net = Backbone("gcn", 34, 2, generator=seeded(0))
    inputs = net.prepare(KARATE.x, KARATE.edge_index)
    with pytest.raises(FloatingPointError, match="never finite in 2 epochs"):
        train(net, inputs, lambda z: z.sum(), lambda z: z.sum() * float("nan"), epochs=2, learning_rate=0.01,
              weight_decay=0, generator=seeded(0))


def test_randomness_helpers():
    with torch_seeded(seeded(1)):
        a = torch.rand(2)
    with torch_seeded(seeded(1)):
        assert torch.equal(torch.rand(2), a)
    assert draw_seed(seeded(1)) == draw_seed(seeded(1)) != draw_seed(seeded(2))


def test_accuracy_and_intervals():
    scores = torch.tensor([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])
    y = torch.tensor([0, 0, 0])
    assert accuracy(scores, y, torch.tensor([True, True, False])) == 50.0
    with pytest.raises(ValueError, match="at least one node"):
        accuracy(scores, y, torch.zeros(3, dtype=torch.bool))
    assert interval([5.0]) == Interval(5.0, float("inf"), 1)
    with pytest.raises(ValueError, match="at least one number"):
        interval([])


def test_intervals_cover_at_their_nominal_level():
    """2,000 intervals of 5 normal values; level 1e-6, two-sided. Coverage off by 2.5 points is caught."""
    values = torch.randn(2000, 5, generator=seeded(7)).tolist()
    covered = sum(i.low <= 0 <= i.high for i in map(interval, values))
    assert binom.ppf(5e-7, 2000, 0.95) <= covered <= binom.ppf(1 - 5e-7, 2000, 0.95)
