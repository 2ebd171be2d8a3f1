"""LPGNN: propagation with sparse matrices, constants computed once, features in factors, growth with the graph."""

import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F

from privgraph import datasets, graph
from privgraph.methods import LPGNN
from privgraph.nn import BACKBONES, Backbone, Factored, sparse_rows, train
from privgraph.randomness import seeded


@pytest.fixture(scope="module")
def data():
    return datasets.split(datasets.default(), seeded(0))


def gather_scatter(edge_index, weight, x, steps):
    """The other way to propagate: copy each message, then add it to its receiver."""
    for _ in range(steps):
        x = torch.zeros_like(x).index_add_(0, edge_index[1], weight[:, None] * x[edge_index[0]])
    return x


def test_kprop_csr_against_gather_scatter(compare, data):
    degree = graph.degrees(data.edge_index, data.num_nodes).float()
    weight = (degree[data.edge_index[0]] * degree[data.edge_index[1]]).rsqrt()
    matrix = graph.adjacency(data.edge_index, data.num_nodes)
    assert torch.allclose(graph.propagate(matrix, data.x, 16), gather_scatter(data.edge_index, weight, data.x, 16),
                          atol=1e-4)
    compare("KProp, K = 16: gather-scatter / CSR", lambda: gather_scatter(data.edge_index, weight, data.x, 16),
            lambda: graph.propagate(matrix, data.x, 16), at_least=3)


def hop_by_hop(matrix, x, steps):
    """All columns through one hop, then through the next."""
    for _ in range(steps):
        x = matrix @ x
    return x


def test_kprop_over_many_columns(compare):
    """PubMed's size: 64 columns at a time stay in the processor's cache through all hops."""
    n, d = 19_717, 500
    matrix = graph.adjacency(graph.to_undirected(torch.randint(n, (2, 44_324), generator=seeded(0)), n), n)
    x = torch.rand(n, d, generator=seeded(1))
    assert torch.equal(hop_by_hop(matrix, x, 16), graph.propagate(matrix, x, 16))
    compare("KProp, 500 columns, K = 16: hop by hop / in blocks of columns", lambda: hop_by_hop(matrix, x, 16),
            lambda: graph.propagate(matrix, x, 16), rounds=3)


class Whole(torch.nn.Module):
    """A network that does not say what it begins with."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, inputs):
        return self.network(inputs)


@pytest.mark.parametrize("backbone", BACKBONES)
def test_training_with_the_first_layer_once_an_epoch(compare, data, backbone):
    method = LPGNN.as_published(backbone)
    release = method.collect(data, seeded(0))
    fitted = method.prepare(release, seeded(1))
    objective = method.objective(release, release.matrix())

    def training(network):
        return lambda: train(network, fitted.inputs, *objective, epochs=5, learning_rate=0.01, weight_decay=1e-3,
                             generator=seeded(2))
    compare(f"LPGNN training with {backbone}: first layer twice / once an epoch", training(Whole(fitted.model)),
            training(fitted.model), rounds=3)


def epoch(forward, data):
    """One forward and backward pass on the training nodes."""
    F.cross_entropy(forward()[data.train_mask], data.y[data.train_mask]).backward()


@pytest.mark.parametrize("features, at_least", [("words", 4), ("dense", None)])
def test_graphsage_epoch_against_pyg_called_plainly(compare, data, features, at_least):
    """Fixed inputs: Cora's words (sparse, projected before they are aggregated) and dense ones (aggregated once)."""
    x = data.x if features == "words" else torch.rand(data.x.shape, generator=seeded(2))
    net = Backbone("sage", x.size(1), data.num_classes, generator=seeded(1)).eval()
    inputs = net.prepare(x, data.edge_index)

    def plain():
        return net.second(F.selu(net.first(x, data.edge_index)), data.edge_index)

    assert torch.allclose(net(inputs), plain(), atol=1e-5)
    compare(f"GraphSAGE epoch on fixed {features}: PyG's layer / ours", lambda: epoch(plain, data),
            lambda: epoch(lambda: net(inputs), data), at_least)


@pytest.mark.parametrize("backbone", ["gcn", "sage"])
def test_lpgnn_epoch_with_features_in_factors(compare, data, backbone):
    method = LPGNN.as_published(backbone)
    release = method.collect(data, seeded(0))
    matrix = graph.adjacency(data.edge_index, data.num_nodes)
    factored = method.prepare(release, seeded(1), matrix)
    dense = factored.model.prepare(release.factored(matrix, method.x_steps).to_dense(), data.edge_index)
    compare(f"LPGNN epoch with {backbone}, K_x = 16: multiplied out / in factors",
            lambda: epoch(lambda: factored.model(dense), data),
            lambda: epoch(lambda: factored.model(factored.inputs), data))


def test_lpgnn_epoch_with_many_features(compare):
    """Facebook's size: 4,714 features and few steps, where projecting first pays."""
    n, d = 22_470, 4_714
    edges = graph.to_undirected(torch.randint(n, (2, 170_823), generator=seeded(0)), n)
    report = torch.zeros(n, d, dtype=torch.int8).scatter_(1, torch.randint(d, (n, 1), generator=seeded(1)), 1)
    features = Factored(sparse_rows(report), graph.adjacency(edges, n), steps=4, scale=d / 2, shift=0.5)
    net = Backbone("gcn", d, 4, generator=seeded(2))
    dense, factored = (net.prepare(x, edges) for x in (features.to_dense(), features))
    compare("LPGNN epoch with gcn, 4,714 features, K_x = 4: multiplied out / in factors",
            lambda: net(dense).sum().backward(), lambda: net(factored).sum().backward(), at_least=2, rounds=3)


def test_lpgnn_epoch_with_few_features(compare):
    """RGNN's 48 groups of Facebook's columns: here one product for all epochs pays."""
    n, d = 22_470, 48
    edges = graph.to_undirected(torch.randint(n, (2, 170_823), generator=seeded(0)), n)
    report = (torch.rand(n, d, generator=seeded(1)) < 0.1).float()
    features = Factored(sparse_rows(report), graph.adjacency(edges, n), steps=16, scale=d / 2, shift=0.5)
    assert not features.wide
    net = Backbone("sage", d, 4, generator=seeded(2))
    dense, factored = (net.prepare(x, edges) for x in (features.to_dense(), features))
    compare("LPGNN epoch with sage, 48 features, K_x = 16: in factors / multiplied out",
            lambda: net(factored).sum().backward(), lambda: net(dense).sum().backward(), at_least=3, rounds=3)


@pytest.mark.parametrize("nodes", [10_000, 100_000])
def test_growth_with_the_graph(compare, nodes):
    """An epoch on random graphs of mean degree 10: cost per node relative to 1,000 nodes."""
    def training(n):
        edges = graph.to_undirected(torch.randint(n, (2, 5 * n), generator=seeded(n)), n)
        x = (torch.rand(n, 64, generator=seeded(1)) < 0.1).float()
        y = torch.randint(4, (n,), generator=seeded(2))
        data = datasets.split(datasets.make_data(edges, x, y, "random", num_classes=4), seeded(3))
        method = LPGNN(x_steps=4)
        fitted = method.prepare(method.collect(data, seeded(4)), seeded(5))
        return lambda: epoch(lambda: fitted.model(fitted.inputs), data)
    ratio = compare(f"LPGNN epoch, {nodes:,} nodes / 1,000 nodes", training(nodes), training(1_000))
    assert ratio < 4 * nodes / 1_000, "cost should grow about linearly with the graph"


FACEBOOK_SIZED = """
import resource, torch
from privgraph import datasets, graph
from privgraph.methods import LPGNN
from privgraph.randomness import seeded
n, d = 22_470, 4_714
edges = graph.to_undirected(torch.randint(n, (2, 170_823), generator=seeded(0)), n)
x = torch.zeros(n, d).scatter_(1, torch.randint(d, (n, 14), generator=seeded(1)), 1)
y = torch.randint(4, (n,), generator=seeded(2))
data = datasets.split(datasets.make_data(edges, x, y, "facebook-sized", num_classes=4), seeded(3))
method = LPGNN("sage", x_steps=4, epochs=3)
method.learn(method.collect(data, seeded(4)), seeded(5))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


def test_memory_on_a_graph_of_facebooks_size(benchmark, note):
    """22,470 nodes x 4,714 features: LPGNN with GraphSAGE stays under 6 GiB."""
    def peak_gib():
        return float(subprocess.run([sys.executable, "-c", FACEBOOK_SIZED], capture_output=True, text=True,
                                    check=True).stdout)
    peak = benchmark.pedantic(peak_gib, rounds=1)
    note("LPGNN on 22,470 x 4,714: peak memory in GiB", peak)
    assert peak < 6
