"""Graphs as vectors: against PyG's layers and pooling, one graph at a time, and against graphs with another order."""

import pytest
import torch
from torch_geometric.nn import dense_mincut_pool
from torch_geometric.utils import to_dense_adj, to_dense_batch

from privgraph.datasets import load_graphs
from privgraph.graph_batch import GraphBatch
from privgraph.nn import GraphEncoder
from privgraph.nn.graph_encoder import LAYERS, READOUTS, mincut
from privgraph.randomness import seeded

LETTERS = load_graphs("letters").graphs
SOME = LETTERS.take(torch.arange(0, len(LETTERS), len(LETTERS) // 20))
EVERY = [(layer, readout) for layer in LAYERS for readout in READOUTS]


def encoder(layer="gcn", readout="mean", **more):
    return GraphEncoder(LETTERS.num_features, layer=layer, readout=readout, generator=seeded(0), **more)


@pytest.mark.parametrize("layer, readout", EVERY)
def test_all_at_once_is_one_at_a_time(layer, readout):
    network = encoder(layer, readout)
    each = torch.cat([network(SOME.take(torch.tensor([i]))) for i in range(len(SOME))])
    assert each.shape == (len(SOME), 16) and each.std(0).max() > 0
    assert torch.allclose(network(SOME), each, atol=1e-5)


@pytest.mark.parametrize("layer, readout", EVERY)
def test_the_order_of_nodes_makes_no_difference(layer, readout):
    graph, network = SOME[3], encoder(layer, readout)
    n = graph.num_nodes
    order = torch.arange(n).flip(0)
    turned = GraphBatch(graph.x[order], order[graph.edge_index], torch.tensor([n]))
    assert n > 2 and torch.allclose(network(turned), network(GraphBatch.from_data_list([graph])), atol=1e-5)


@pytest.mark.parametrize("layer", LAYERS)
def test_layers_are_pygs(layer):
    network, x = encoder(layer, "sum"), SOME.x
    for convolution in network.convolutions:
        x = convolution(x, SOME.edge_index).relu()
    expected = torch.stack([part.sum(0) for part in x.split(SOME.sizes.tolist())])
    assert torch.allclose(network(SOME), expected, atol=1e-5)


def with_edges() -> GraphBatch:
    return SOME.take((SOME.num_edges > 0).nonzero().squeeze(1))


def test_pooling_is_pygs_on_padded_matrices():
    graphs, k = with_edges(), 3
    x = torch.randn(len(graphs.x), 5, generator=seeded(1))
    s = torch.randn(len(graphs.x), k, generator=seeded(2))
    padded, mask = to_dense_batch(x, graphs.batch)
    theirs, adjacency, cut, apart = dense_mincut_pool(
        padded, to_dense_adj(graphs.edge_index, graphs.batch), to_dense_batch(s, graphs.batch)[0], mask)
    pooled, weights, loss = mincut(x, s.softmax(1), graphs)
    assert torch.allclose(pooled, theirs, atol=1e-5) and torch.allclose(weights, adjacency, atol=1e-5)
    assert torch.allclose(loss, cut + apart, atol=1e-5)


def test_pooling_before_a_sum_is_the_sum():
    """So a MinCUT layer after the last convolution, read out by a sum, changes nothing (section 5.3.2)."""
    x = torch.randn(len(SOME.x), 5, generator=seeded(1))
    total = torch.stack([part.sum(0) for part in x.split(SOME.sizes.tolist())])
    for seed in range(3):
        shares = torch.randn(len(SOME.x), 4, generator=seeded(seed)).softmax(1)
        assert torch.allclose(mincut(x, shares, SOME)[0].sum(1), total, atol=1e-5)


def test_with_pooling_before_the_last_layer_clusters_count():
    network = encoder(readout="mincut")
    before = network(SOME)
    torch.nn.init.normal_(network.coarse.weight, std=5, generator=seeded(3))
    assert not torch.allclose(network(SOME), before, atol=1e-2)


@pytest.mark.parametrize("layer, readout", EVERY)
def test_nodes_without_edges(layer, readout):
    graphs = GraphBatch(torch.ones(4, LETTERS.num_features), torch.empty(2, 0, dtype=torch.long), torch.tensor([1, 3]))
    network = encoder(layer, readout)
    z, loss = network.with_cut(graphs)
    (z.sum() + loss).backward()
    assert z.isfinite().all() and loss.isfinite()
    assert all(p.grad.isfinite().all() for p in network.parameters() if p.grad is not None)


def test_dropout_is_for_training():
    network = encoder(dropout=0.5)
    assert not torch.equal(network(SOME), network(SOME))
    network.eval()
    assert torch.equal(network(SOME), network(SOME))


def test_what_is_refused():
    with pytest.raises(ValueError, match="graphs must have 2 features, as the encoder was made for, got 1"):
        encoder()(SOME.with_features(SOME.x[:, :1]))
    with pytest.raises(TypeError, match="graphs must be a GraphBatch"):
        encoder()(SOME[0])
