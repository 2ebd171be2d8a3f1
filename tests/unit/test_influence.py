"""LinkTeller by exact derivatives, against its definition: two forward passes a pair."""

import pytest
import torch
import torch.nn.functional as F
from torch_geometric.data import Data

from privgraph import datasets
from privgraph.attacks import linkteller
from privgraph.graph import adjacency, to_undirected
from privgraph.mechanisms import NeighbourReplacement
from privgraph.methods import LPGNN, GraphPrivatizer
from privgraph.nn import BACKBONES, REFERENCE, Backbone, Factored, sparse_rows, train
from privgraph.nn.attention import attend
from privgraph.nn.backbones import ACTIVATIONS
from privgraph.randomness import seeded

KARATE = datasets.load("karate")
ALL = torch.cartesian_prod(torch.arange(34), torch.arange(34)).t()
X = torch.rand(34, 12, generator=seeded(1), dtype=torch.double)
ODD = to_undirected(torch.tensor([[0, 1, 2, 4], [1, 2, 0, 5]]), 34)  # most nodes are isolated


@pytest.fixture
def double():
    torch.set_default_dtype(torch.double)
    yield
    torch.set_default_dtype(torch.float32)


def reported(seed: int) -> torch.Tensor:
    """Directed edges, some of them parallel."""
    told = NeighbourReplacement(0.1, mix=0.0, threshold=-1.0)(
        Data(x=X, edge_index=KARATE.edge_index, num_nodes=34), generator=seeded(seed)).edge_index
    assert len(told.unique(dim=1)[0]) < len(told[0])
    return told


@torch.no_grad()
def two_forwards(net, x, edges, step, output="logits", **weights):
    """The definition for all pairs (u, v), with a central difference: [34, 34]."""
    scores = torch.zeros(34, 34)
    for v in range(34):
        more, less = x.clone(), x.clone()
        more[v], less[v] = (1 + step) * x[v], (1 - step) * x[v]
        ends = [net(net.prepare(moved, edges, **weights)) for moved in (more, less)]
        if output == "posteriors":
            ends = [end.softmax(1) for end in ends]
        scores[:, v] = ((ends[0] - ends[1]) / (2 * step)).norm(dim=1)
    return scores


@pytest.mark.parametrize("output", ["logits", "posteriors"])
@pytest.mark.parametrize("kind", [*BACKBONES, REFERENCE])
def test_scores_are_those_of_two_forwards_a_pair(kind, output, double):
    net = Backbone(kind, 12, 3, generator=seeded(0)).double().eval()
    for edges in (KARATE.edge_index, reported(0), ODD, torch.empty(2, 0, dtype=torch.long)):
        fast = linkteller(net, X, edges, ALL, output=output).view(34, 34)
        assert torch.allclose(fast, two_forwards(net, X, edges, 1e-5, output), atol=1e-8), kind


@pytest.mark.parametrize("output", ["logits", "posteriors"])
@pytest.mark.parametrize("kind", [*BACKBONES, REFERENCE])
def test_both_directions_are_a_sum_and_the_same_in_either(kind, output, double):
    net = Backbone(kind, 12, 3, generator=seeded(0)).double().eval()
    for edges in (KARATE.edge_index, reported(0)):
        one_way = linkteller(net, X, edges, ALL, output=output).view(34, 34)
        both = linkteller(net, X, edges, ALL, output=output, both=True).view(34, 34)
        assert torch.allclose(both, one_way + one_way.t()) and torch.allclose(both, both.t())
        assert torch.allclose(one_way, one_way.t()) == (kind == REFERENCE)
    assert linkteller(net, X, KARATE.edge_index, ALL[:, :0], both=True).shape == (0,)


def influences(net, x, edges):
    """|| d logits_u / dt || of the model itself, by automatic differentiation: [N, N]."""
    def logits(turned):
        return net(net.prepare(x * (1 + turned)[:, None], edges))
    jacobian = torch.autograd.functional.jacobian(logits, torch.zeros(len(x)))  # [u, class, v]
    return jacobian.norm(dim=1)


@pytest.mark.parametrize("batch_norm", [False, True])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("kind", [*BACKBONES, REFERENCE])
def test_the_step_between_the_layers_is_the_models_own(kind, activation, batch_norm, double):
    """Every activation, with and without batch normalisation (trained, so that it shifts and scales):
    to 1e-8 of the score."""
    net = Backbone(kind, 12, 3, activation=activation, batch_norm=batch_norm, generator=seeded(0))
    y = torch.arange(34) % 3
    train(net, net.prepare(X, KARATE.edge_index), lambda z: F.cross_entropy(z, y), None, epochs=20, learning_rate=0.1,
          weight_decay=0.0, generator=seeded(1))
    fast = linkteller(net, X, KARATE.edge_index, ALL).view(34, 34)
    exact = influences(net.eval(), X, KARATE.edge_index)
    assert torch.allclose(fast, exact, rtol=1e-8, atol=1e-12)
    if batch_norm:
        assert (net.norm.running_mean.abs().max() > 0.1) and not torch.equal(net.norm.weight,
                                                                             torch.ones_like(net.norm.weight))


@pytest.mark.parametrize("method", [LPGNN(backbone="gcn"), GraphPrivatizer(backbone="sage")])
def test_what_the_ledger_attacked_had_selu_and_no_batch_normalisation(method):
    """So its rows, from when the attack took SELU for every step between layers, stand."""
    model = method.learn(method.collect(datasets.split(KARATE, seeded(0)), seeded(1)), seeded(2)).model
    assert model.activation is ACTIVATIONS["selu"] and isinstance(model.norm, torch.nn.Identity)


@pytest.mark.parametrize("kind", BACKBONES)
def test_the_papers_step_gives_nearly_the_same(kind, double):
    """LinkTeller's own step of .001, one-sided: the curvature that it picks up stays below 1e-3 of the largest
    score."""
    net = Backbone(kind, 12, 3, generator=seeded(0)).double().eval()
    base = net(net.prepare(X, KARATE.edge_index)).detach()
    slow = torch.zeros(34, 34)
    for v in range(34):
        more = X.clone()
        more[v] *= 1.001
        slow[:, v] = ((net(net.prepare(more, KARATE.edge_index)).detach() - base) / 0.001).norm(dim=1)
    assert float((linkteller(net, X, KARATE.edge_index, ALL).view(34,
                                                                  34) - slow).abs().max()) < 1e-3 * float(slow.max())


@pytest.mark.parametrize("kind", ["gcn", "sage", "graphconv"])
def test_weighted_edges(kind, double):
    weight = torch.rand(KARATE.num_edges, generator=seeded(2))
    net = Backbone(kind, 12, 3, generator=seeded(0)).double().eval()
    fast = linkteller(net, X, KARATE.edge_index, ALL, edge_weight=weight).view(34, 34)
    assert torch.allclose(fast, two_forwards(net, X, KARATE.edge_index, 1e-5, edge_weight=weight), atol=1e-8)


@pytest.mark.parametrize("kind", BACKBONES)
def test_features_in_factors_and_blocks(kind, monkeypatch):
    """The server's propagated features need not be multiplied out; small blocks of stars change nothing."""
    matrix = adjacency(KARATE.edge_index, 34)
    x = Factored(sparse_rows((X > 0.7).float()), matrix, steps=2, scale=2.0, shift=0.5)
    net = Backbone(kind, 12, 3, generator=seeded(0)).eval()
    dense = linkteller(net, x.to_dense(), KARATE.edge_index, ALL)
    assert torch.allclose(linkteller(net, x, KARATE.edge_index, ALL), dense, atol=1e-5)
    monkeypatch.setattr("privgraph.attacks.influence.BLOCK", 30)
    assert torch.allclose(linkteller(net, x, KARATE.edge_index, ALL), dense, atol=1e-5)


@pytest.mark.parametrize("kind", ["gat", "gatv2", "gt"])
def test_an_attention_is_evaluated_in_blocks_of_stars(kind, monkeypatch):
    """No call sees more edges than a block and one more star, however large the graph and however many the pairs."""
    calls = []
    def seen(layer, projected, edges):
        calls.append(edges.size(1))
        return attend(layer, projected, edges)
    monkeypatch.setattr("privgraph.attacks.influence.attend", seen)
    monkeypatch.delattr("privgraph.nn.backbones.attend_fast")
    monkeypatch.setattr("privgraph.attacks.influence.BLOCK", 30)
    net = Backbone(kind, 12, 3, generator=seeded(0)).eval()
    linkteller(net, X.float(), KARATE.edge_index, ALL)
    assert max(calls) <= 30 + 18 < KARATE.num_edges and sum(calls) > 30 * KARATE.num_edges  # 18: a hub and herself


def test_an_attention_is_evaluated_around_the_pairs_only(monkeypatch):
    """On a long path a pair's score reads her neighbours' lists, not the whole graph's."""
    calls, path = [], to_undirected(torch.stack([torch.arange(999), torch.arange(1, 1000)]), 1000)
    def seen(layer, projected, edges):
        calls.append(edges.size(1))
        return attend(layer, projected, edges)
    monkeypatch.setattr("privgraph.attacks.influence.attend", seen)
    net = Backbone("gt", 12, 3, generator=seeded(0)).eval()
    x, pairs = torch.rand(1000, 12, generator=seeded(1)), torch.tensor([[500, 500], [501, 503]])
    scores = linkteller(net, x, path, pairs)
    assert sum(calls) < 30 and scores[0] > 0 and scores[1] == 0


def test_nothing_moves_beyond_two_hops():
    path = to_undirected(torch.stack([torch.arange(5), torch.arange(1, 6)]), 6)
    net = Backbone("gcn", 12, 3, generator=seeded(0))
    scores = linkteller(net, X[:6].float(), path, torch.tensor([[0, 0, 0], [1, 2, 3]]))
    assert scores[0] > 0 and scores[1] > 0 and scores[2] == 0


def test_no_pairs_and_bad_pairs():
    net = Backbone("gat", 12, 3, generator=seeded(0))
    assert linkteller(net, X.float(), KARATE.edge_index, torch.empty(2, 0, dtype=torch.long)).shape == (0,)
    with pytest.raises(ValueError, match=r"pairs must name nodes 0..33, got 0..34"):
        linkteller(net, X.float(), KARATE.edge_index, torch.tensor([[0], [34]]))
    with pytest.raises(ValueError, match="output must be one of logits, posteriors; got 'labels'"):
        linkteller(net, X.float(), KARATE.edge_index, ALL, output="labels")
    with pytest.raises(ValueError, match="edge_weight is for gcn, sage, graphconv only, got it with backbone 'gat'"):
        linkteller(net, X.float(), KARATE.edge_index, ALL, edge_weight=torch.ones(KARATE.num_edges))


def test_a_step_in_single_precision_misses_small_influences():
    """Large inputs saturate attention and posteriors. Derivatives see an influence that a difference of two float32
    posteriors rounds to zero; in double precision the difference sees it too."""
    x = 40 * torch.randn(34, 12, generator=seeded(3))
    net = Backbone("gatv2", 12, 3, heads=1, generator=seeded(0)).eval()
    exact = linkteller(net, x, KARATE.edge_index, ALL, output="posteriors").view(34, 34)
    rounded, base = torch.zeros(34, 34), net(net.prepare(x, KARATE.edge_index)).softmax(1).detach()
    for v in range(34):
        more = x.clone()
        more[v] *= 1.001
        rounded[:, v] = ((net(net.prepare(more, KARATE.edge_index)).softmax(1).detach() - base) / 0.001).norm(dim=1)
    hidden = (rounded == 0) & (exact > 0)
    assert int(hidden.sum()) > 20 and not ((rounded > 0) & (exact == 0) & (rounded > 1e-3)).any()
    assert float(exact[hidden].max()) < 0.1 * float(exact.max())
