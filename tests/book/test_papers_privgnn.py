"""PrivGNN's experiments: what the ledger measures is what the library does."""

import math
from dataclasses import dataclass, replace

import pytest
import torch
import torch.nn.functional as F
from torch_geometric.data import Data

from privbook.papers.privgnn import tables as catalogue
from privbook.papers.privgnn.noise_on_logarithms import NoiseOnLogarithms
from privbook.papers.privgnn.released import drawn_from_all
from privbook.runs.grid import graph
from privgraph import datasets
from privgraph.audit import replay
from privgraph.datasets import induced
from privgraph.graph import adjacency, to_undirected
from privgraph.methods import PATE, NodeClassifier, PrivGNN
from privgraph.nn import Backbone, Dense, GraphInput, around, train, train_stacked
from privgraph.randomness import seeded
from privgraph.streams import stream

QUICK = NodeClassifier(hidden=8, epochs=30)


@pytest.fixture
def double():
    """Training amplifies a difference in the last digit, so equality of two trainings is asked in double precision."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def random_graph(n: int, seed: int, num_classes: int = 3, d: int = 12) -> Data:
    g = seeded(seed)
    y = torch.randint(num_classes, (n,), generator=g)
    x = (torch.rand(n, d, generator=g) < 0.2 + 0.4
         * (torch.arange(d) % num_classes == y[:, None])).to(torch.get_default_dtype())
    data = Data(x=x, y=y, edge_index=to_undirected(torch.randint(n, (2, 2 * n), generator=g), n))
    data.num_classes, data.name = num_classes, "random"
    return data


def pair_of_graphs(private: int = 60, public: int = 40) -> tuple[Data, Data]:
    inner, outer = random_graph(private, 1), random_graph(public, 2)
    outer.train_mask = torch.arange(public) < public // 2
    outer.test_mask = ~outer.train_mask
    return inner, outer


def untrained(dropout=0.5):
    return Backbone("sage", 12, 3, hidden=8, dropout=dropout, activation="relu", batch_norm=True, generator=seeded(0))


def alone(graph, seed, epochs, dropout):
    generator = seeded(seed)
    net = untrained(dropout).redraw(generator)
    train(net, net.prepare(graph.x, graph.edge_index), lambda z: F.cross_entropy(z, graph.y), None, epochs=epochs,
          learning_rate=0.01, weight_decay=1e-3, generator=generator)
    return net.eval()


@pytest.mark.parametrize("dropout", [0.5, 0.0])
def test_stacked_training_equals_one_after_the_other(double, dropout):
    """Different sizes, a graph without edges, two nodes only: the same weights to 1e-5 after 100 epochs."""
    graphs = [random_graph(n, n) for n in (30, 17, 2, 25)]
    graphs[3].edge_index = graphs[3].edge_index[:, :0]
    generators, network = [seeded(9 + b) for b in range(4)], untrained(dropout)
    trained = train_stacked(network, graphs, generators, epochs=100, learning_rate=0.01, weight_decay=1e-3)
    for b, (weights, own) in enumerate(zip(trained, graphs, strict=True)):
        single = alone(own, 9 + b, 100, dropout)
        for name, other in single.state_dict().items():
            assert "num_batches" in name or torch.allclose(weights[name], other, atol=1e-5), (b, name)
        network.load_state_dict(weights, strict=False)
        inputs = network.eval().prepare(own.x, own.edge_index)
        assert torch.allclose(network(inputs), single(inputs), atol=1e-5)


def test_a_network_does_not_feel_its_neighbours_in_the_stack(double):
    """Another size of the padding, other graphs beside it: the same result."""
    graph, found = random_graph(20, 5), []
    for others in ([], [random_graph(50, 6)]):
        generators = [seeded(3), *(seeded(8) for _ in others)]
        found.append(train_stacked(untrained(), [graph, *others], generators, epochs=20, learning_rate=0.01)[0])
    assert all(torch.allclose(found[0][name], found[1][name], atol=1e-9) for name in found[0])


def test_stacked_training_refuses(double):
    graph = random_graph(5, 0)
    with pytest.raises(ValueError, match="equally many, got 2 and 1"):
        train_stacked(untrained(), [graph, graph], [seeded(0)], epochs=1, learning_rate=0.1)
    with pytest.raises(ValueError, match="at least two nodes in each graph, got 1"):
        train_stacked(untrained(), [datasets.induced(graph, torch.tensor([0]))], [seeded(0)], epochs=1,
                      learning_rate=0.1)
    with pytest.raises(ValueError, match="network must be GraphSAGE with batch_norm, got gcn with Identity"):
        train_stacked(Backbone("gcn", 12, 3, generator=seeded(0)), [graph], [seeded(0)], epochs=1, learning_rate=0.1)


def test_around_a_node_is_enough_for_two_layers(double):
    graph = random_graph(30, 4)
    net = untrained().eval()
    matrix = adjacency(graph.edge_index, 30, "mean")
    inputs = GraphInput(graph.edge_index, Dense(graph.x, matrix), matrix)
    whole = net(inputs)
    lonely = (torch.bincount(graph.edge_index[1], minlength=30) == 0).nonzero().view(-1)
    for v in [*range(8), *lonely.tolist()]:
        assert torch.allclose(net(around(inputs, v))[0], whole[v], atol=1e-12)


def test_side_by_side_is_the_same_but_for_rounding(double):
    private, public = pair_of_graphs()
    method = PrivGNN(scale=1.0, num_queries=6, rate=0.5, neighbours=20, teacher=QUICK)
    queries, seeds = method.draw(private, public, seeded(5))
    whole, alone = (method.posteriors(private, public, queries, seeds, batch=batch) for batch in (4, 1))
    assert torch.allclose(whole, alone, atol=1e-9)
    with pytest.raises(ValueError, match="batch must be a whole number"):
        method.posteriors(private, public, queries, seeds, batch=0)


@dataclass(frozen=True)
class Drawn(PrivGNN):
    """PrivGNN with given samples instead of coins, by the query's first feature, which counts them."""

    samples: tuple = ()

    def chosen(self, x, query, generator):
        return torch.tensor(self.samples[int(query[0])])
HER = 60  # the last of 61 private nodes, with the edges that the random graph gives her


def two_worlds():
    """The private graph with her and without, and a public one."""
    whole, public = random_graph(61, 1), random_graph(40, 2)
    public.x[:6, 0], public.train_mask = torch.arange(6.0), torch.arange(40) < 20
    assert (whole.edge_index == HER).any()
    return whole, induced(whole, torch.arange(HER)), public


def asked(private, public, samples, order=range(6), **batch):
    """Posteriors [6, C] of six teachers with the same seeds, asked in some order."""
    method = Drawn(scale=1.0, num_queries=6, samples=samples, teacher=QUICK)
    order = torch.tensor(list(order))
    found = method.posteriors(private, public, order, [100 + b for b in order.tolist()], **batch)
    return found[order.argsort()]


@pytest.mark.parametrize("neighbours", [None, 10])
def test_a_person_who_is_not_drawn_changes_nobody_elses_place(neighbours):
    with_her, without, public = two_worlds()
    method, absent = PrivGNN(scale=1.0, rate=0.3, neighbours=neighbours), 0
    for seed in range(50):
        if torch.rand(61, generator=seeded(seed))[HER] >= 0.3:
            absent += 1
            here, there = (method.chosen(graph.x, public.x[7], seeded(seed)) for graph in (with_her, without))
            assert torch.equal(here, there)
    assert absent > 20


def test_what_the_ledger_measures_comes_from_batches_of_eight(monkeypatch):
    """So its rows come out again as they are."""
    private, public = pair_of_graphs()
    monkeypatch.setattr(catalogue, "parts", lambda dataset, seed: (private, public))
    method = PrivGNN(scale=1.0, num_queries=12, rate=0.5, neighbours=None, teacher=QUICK)
    asked, scores = catalogue.taught("random", "", method, seed=0, start=0)
    queries, seeds = method.draw(private, public, stream("teachers", 0))
    assert torch.equal(asked, queries) and torch.equal(scores,
                                                       method.posteriors(private, public, queries, seeds, batch=8))


def test_noise_on_logarithms_keeps_labels_right_and_has_no_epsilon():
    sure = torch.tensor([[1 - 2e-20, 1e-20, 1e-20]], dtype=torch.float64).repeat(1000, 1)
    honest, twin = PrivGNN(scale=5.0), NoiseOnLogarithms(scale=5.0)
    right = [float((m.label(sure, seeded(0)) == 0).float().mean()) for m in (honest, twin)]
    assert right[0] < 0.5 and right[1] > 0.99
    assert twin.budget(3) is None and honest.budget(3) is not None


def test_what_a_release_says_of_itself():
    private, public = pair_of_graphs()
    method = PrivGNN(num_queries=5, scale=2.0, rate=0.5, teacher=QUICK, student=QUICK)
    release = method.collect(private, public, seeded(0))
    assert release.labels.shape == release.queries.shape == (5,) and public.train_mask[release.queries].all()
    guarantee = release.guarantee(1e-4)
    assert (guarantee.unit, guarantee.relation, guarantee.trust, guarantee.delta) == ("node", "add/remove", "central",
                                                                                      1e-4)
    assert guarantee.epsilon == release.budget.epsilon(1e-4).pessimistic and guarantee.basis == "accounted"
    twin = NoiseOnLogarithms(**vars(method)).collect(private, public, seeded(0)).guarantee(1e-4)
    assert math.isinf(twin.epsilon) and twin.basis == "none"
    student = method.learn(release, seeded(1))
    assert student.predict_proba().shape == (40, 3)


@pytest.mark.parametrize("method", [PrivGNN(scale=1.0, num_queries=6, rate=0.5, teacher=QUICK, student=QUICK,
                                            pretrain=3),
                                    PATE(scale=1.0, num_queries=6, teachers=3, teacher=replace(QUICK, kind="mlp"),
                                         student=QUICK)])
def test_nothing_but_noisy_labels_depends_on_the_private_graph(method):
    private, public = pair_of_graphs()
    without = datasets.induced(private, torch.arange(59))
    other = private.clone()
    other.num_classes, other.y = 3, (private.y + 1) % 3

    def pipeline(graph, generator, leak=False):
        answers = method.teach(graph, public, generator)
        release = method.answer(answers, public, generator)
        student = method.learn(release, generator)
        return release.labels, student.predict_proba(), answers.scores if leak else 0
    assert replay(pipeline, private, without) == [] == replay(pipeline, private, other)
    assert replay(lambda graph, generator: pipeline(graph, generator, leak=True), private, other)


def test_pate_without_a_node_changes_one_vote_at_most():
    """Each node has a die of its own: without the last one all other nodes keep their teachers."""
    private, public = pair_of_graphs()
    without = datasets.induced(private, torch.arange(59))
    method = PATE(scale=1.0, num_queries=9, teachers=4, teacher=replace(QUICK, kind="mlp", dropout=0.0))
    for seed in range(3):
        first, second = (method.teach(graph, public, seeded(seed)).scores for graph in (private, without))
        assert (first - second).abs().sum(1).max() <= 2


@pytest.mark.parametrize("method", [PATE(scale=1.0, num_queries=3, teachers=2, teacher=replace(QUICK, kind="mlp")),
                                    PrivGNN(scale=1.0, num_queries=3, rate=0.5, teacher=QUICK)])
def test_private_people_without_a_label_take_no_part(method):
    private, public = pair_of_graphs()
    half = private.clone()
    half.num_classes, half.y = 3, torch.where(torch.arange(60) < 30, private.y, -1)
    known = datasets.induced(private, torch.arange(30))
    found, expected = (method.teach(graph, public, seeded(0)).scores for graph in (half, known))
    assert torch.equal(found, expected)


def test_a_node_drawn_twice_is_there_twice_and_its_second_copy_has_the_edges():
    """The released code's public nodes: training and test nodes from all nodes."""
    whole = graph("cora-twin")[0]
    public = drawn_from_all("cora-twin", 1200, seeded(1))
    train, test = public.n_id[public.train_mask], public.n_id[public.test_mask]
    assert len(train) == 600 == len(train.unique()) == len(test) == len(test.unique())
    assert torch.equal(public.x, whole.x[public.n_id]) and torch.equal(public.y, whole.y[public.n_id])
    again = torch.isin(train, test)
    assert 0.12 < float(again.float().mean()) < 0.33  # 600 of 2,708
    assert int(torch.bincount(public.edge_index[0], minlength=1200)[:600][again].sum()) == 0
    once = torch.cat([~again, torch.ones(600, dtype=torch.bool)])
    assert induced(whole, public.n_id[once]).num_edges == public.num_edges
