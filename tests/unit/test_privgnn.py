"""PrivGNN, and its and PATE's students: the library beside loops that follow the papers, budgets, and bad input."""

import math
from dataclasses import dataclass, replace

import pytest
import torch
import torch.nn.functional as F

from privgraph import datasets
from privgraph.audit import replay
from privgraph.datasets import induced
from privgraph.graph import adjacency
from privgraph.methods import PATE, NodeClassifier, PrivGNN, TeacherScores
from privgraph.methods.privgnn import distances
from privgraph.nn import Backbone, Dense, GraphInput, around, train, train_stacked
from privgraph.privacy import Budget, FinitePair, Step, exact_epsilon, pure_pair
from privgraph.randomness import seeded
from random_graphs import QUICK, pair_of_graphs, random_graph

# Networks side by side.

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


# Algorithm 1.

def algorithm_1(method, private, public, queries, seeds):
    """Lines 2 to 6 of Algorithm 1, query by query, in plain steps."""
    rows = []
    for v, seed in zip(queries.tolist(), seeds, strict=True):
        generator = seeded(seed)
        sigma = torch.rand(private.num_nodes, generator=generator)
        sample = [u for u in range(private.num_nodes) if sigma[u] < method.rate]
        distance = {u: float((private.x[u] - public.x[v]).square().sum()) for u in sample}
        nearest = sorted(sorted(sample, key=lambda u: (distance[u], u))[:method.neighbours])
        edges = [(nearest.index(a), nearest.index(b)) for a, b in private.edge_index.t().tolist()
                 if a in nearest and b in nearest]
        x, y = private.x[nearest], private.y[nearest]
        teacher = NodeClassifier.fit(method.teacher, x, torch.tensor(edges).view(-1, 2).t(),
                                     torch.arange(len(nearest)), y,
                                     private.num_classes, generator)
        rows.append(teacher.predict_proba(public)[v])
    return torch.stack(rows)


def test_posteriors_equal_the_loop_of_algorithm_1(double):
    private, public = pair_of_graphs()
    method = PrivGNN(scale=1.0, num_queries=7, rate=0.5, neighbours=20, teacher=QUICK)
    queries, seeds = method.draw(private, public, seeded(5))
    fast = method.posteriors(private, public, queries, seeds)
    assert torch.allclose(fast, algorithm_1(method, private, public, queries, seeds), atol=1e-5)
    assert torch.allclose(fast.sum(1), torch.ones(7))


def test_side_by_side_is_the_same_but_for_rounding(double):
    private, public = pair_of_graphs()
    method = PrivGNN(scale=1.0, num_queries=6, rate=0.5, neighbours=20, teacher=QUICK)
    queries, seeds = method.draw(private, public, seeded(5))
    whole, alone = (method.posteriors(private, public, queries, seeds, batch=batch) for batch in (4, 1))
    assert torch.allclose(whole, alone, atol=1e-9)
    with pytest.raises(ValueError, match="batch must be a whole number"):
        method.posteriors(private, public, queries, seeds, batch=0)


# A teacher who did not draw a person is the same without her, bit by bit: what amplification by sampling stands on.

@dataclass(frozen=True)
class Drawn(PrivGNN):
    """PrivGNN with given samples instead of coins, by the query's first feature, which counts them."""

    samples: tuple = ()

    def chosen(self, x, query, generator):
        return torch.tensor(self.samples[int(query[0])])


# The largest grows from 31 nodes to 32, where a product over the padding takes its terms in another order.
SAMPLES = tuple(tuple(range(at, at + size)) for at, size in ((0, 30), (5, 31), (11, 29), (20, 2), (3, 28), (8, 26)))
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


@pytest.mark.bears("for", "privgnn-amplification-in-algorithm")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_teacher_who_did_not_draw_a_person_is_the_same_without_her(threads):
    """She is in the graph, and in the samples of teachers 1, 3 and 4: teachers 0, 2 and 5 must not notice."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with_her, without, public = two_worlds()
        drawn = tuple((*s, HER) if b in (1, 3, 4) else s for b, s in enumerate(SAMPLES))
        here, there = asked(with_her, public, drawn), asked(without, public, SAMPLES)
    finally:
        torch.set_num_threads(before)
    assert torch.equal(here[[0, 2, 5]], there[[0, 2, 5]]) and (here != there).any(1)[[1, 3, 4]].all()


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


def test_a_teacher_does_not_feel_who_is_asked_beside_it():
    """Alone, all six, in another order: the same bits."""
    _, private, public = two_worlds()
    whole = asked(private, public, SAMPLES)
    assert torch.equal(whole, asked(private, public, SAMPLES, order=(4, 2, 0, 5, 3, 1)))
    method = Drawn(scale=1.0, num_queries=1, samples=SAMPLES, teacher=QUICK)
    for b in range(6):
        assert torch.equal(whole[b:b + 1], method.posteriors(private, public, torch.tensor([b]), [100 + b]))


def test_a_release_comes_from_teachers_trained_alone():
    private, public = pair_of_graphs()
    method = PrivGNN(scale=1.0, num_queries=5, rate=0.5, neighbours=None, teacher=QUICK)
    answers = method.teach(private, public, seeded(5))
    queries, seeds = method.draw(private, public, seeded(5))
    one_by_one = [method.posteriors(private, public, queries[b:b + 1], seeds[b:b + 1]) for b in range(5)]
    assert torch.equal(answers.queries, queries) and torch.equal(answers.scores, torch.cat(one_by_one))


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
def test_the_nearest_of_the_sample_are_chosen(distance):
    private, public = pair_of_graphs()
    private.x[3] = 0
    method = PrivGNN(scale=1.0, rate=0.5, neighbours=10, distance=distance)
    for seed in range(20):
        sampled = torch.rand(60, generator=seeded(seed)) < 0.5
        chosen = method.chosen(private.x, public.x[0], seeded(seed))
        if distance == "euclidean":
            away = torch.cdist(public.x[:1].double(), private.x.double())[0]
        else:
            away = 1 - F.cosine_similarity(public.x[:1].double(), private.x.double())
        assert len(chosen) == 10 and sampled[chosen].all() and chosen.equal(chosen.sort().values)
        rest = sampled.clone()
        rest[chosen] = False
        assert away[chosen].max() <= away[rest].min() + 1e-6
        everybody = replace(method, neighbours=None).chosen(private.x, public.x[0], seeded(seed))
        assert everybody.equal(sampled.nonzero().view(-1))
        assert replace(method, neighbours=1000).chosen(private.x, public.x[0], seeded(seed)).equal(everybody)


def test_each_private_node_is_sampled_by_its_own_coin():
    """20,000 samples of 3 nodes: all 8 subsets at their product probabilities,
    within 5.5 deviations (level 1e-6 for 8)."""
    method, runs = PrivGNN(scale=1.0, rate=0.3, neighbours=None), 20_000
    counts = torch.zeros(8)
    for seed in range(runs):
        counts[sum(2**u for u in method.chosen(torch.zeros(3, 1), None, seeded(seed)).tolist())] += 1
    for subset in range(8):
        size = bin(subset).count("1")
        p = 0.3**size * 0.7**(3 - size)
        assert abs(counts[subset] - runs * p) < 5.5 * math.sqrt(runs * p * (1 - p))


def test_one_teacher_for_all_answers_every_query(double):
    private, public = pair_of_graphs()
    method = PrivGNN(scale=1.0, num_queries=5, rate=0.5, neighbours=None, one_teacher=True, teacher=QUICK)
    queries, seeds = method.draw(private, public, seeded(5))
    found = method.posteriors(private, public, queries, seeds)
    nodes = method.chosen(private.x, None, seeded(seeds[0]))
    again = algorithm_1(replace(method, one_teacher=False, neighbours=60), private, public, queries, [seeds[0]] * 5)
    assert len(nodes) > 20 and torch.allclose(found, again, atol=1e-5)


def test_samples_too_small_to_learn_from_give_uniform_posteriors():
    private, public = pair_of_graphs()
    for one in (False, True):
        method = PrivGNN(scale=1.0, num_queries=4, rate=1e-9, teacher=QUICK, one_teacher=one)
        assert method.teach(private, public, seeded(0)).scores.eq(1 / 3).all()
    method = PrivGNN(scale=1.0, num_queries=4, rate=0.5, neighbours=1, teacher=QUICK)
    assert method.teach(private, public, seeded(0)).scores.eq(1 / 3).all()


class Few(PrivGNN):
    """As many are drawn as queries are asked."""

    def chosen(self, x, query, generator):
        return torch.arange(self.num_queries)


@pytest.mark.parametrize("one_teacher", [False, True])
def test_two_people_are_enough_to_learn_from_and_one_is_not(one_teacher):
    private, public = pair_of_graphs()
    uniform = [Few(scale=1.0, num_queries=n, teacher=QUICK, one_teacher=one_teacher).teach(
        private, public, seeded(0)).scores.eq(1 / 3).all() for n in (1, 2)]
    assert uniform == [True, False]


def test_a_training_that_came_to_nothing_says_nothing(monkeypatch):
    """Of that query alone: noise would refuse what is not a number, and a refusal tells."""
    private, public = pair_of_graphs()
    known = torch.tensor([0.2, 0.3, 0.5])
    monkeypatch.setattr(PrivGNN, "one_each", lambda *_: torch.stack([known, known.index_fill(
        0, torch.tensor([1]), math.nan)]))
    found = PrivGNN(scale=1.0, num_queries=2, teacher=QUICK).teach(private, public, seeded(0)).scores
    assert torch.equal(found, torch.stack([known, torch.full((3,), 1 / 3)]))


def test_the_distance_between_directions_lies_between_0_and_2_and_nothing_has_1():
    rows = torch.tensor([[0.5, 0.0], [0.0, 3.0], [0.0, 0.0], [-1.0, 0.0]])
    assert distances(torch.tensor([0.5, 0.0]), rows, "cosine").tolist() == [0.0, 1.0, 1.0, 2.0]


def test_a_class_may_be_absent_from_a_sample():
    private, public = pair_of_graphs()
    private.y[:] = torch.arange(60) % 2  # class 2 has nobody
    scores = PrivGNN(scale=1.0, num_queries=4, rate=0.5, teacher=QUICK).teach(private, public, seeded(0)).scores
    assert scores.shape == (4, 3) and torch.isfinite(scores).all()


# Noise and budgets.

def test_labels_follow_the_noise():
    scores = torch.tensor([[0.6, 0.4, 0.0]]).repeat(40_000, 1)
    for noise in ("gumbel", "laplace"):
        method = PrivGNN(scale=0.5, noise=noise)
        share = torch.bincount(method.label(scores, seeded(0)), minlength=3) / 40_000
        expected = torch.tensor(list(method.mechanism(3).distribution([0.6, 0.4, 0.0]).values()))
        assert (share - expected).abs().max() < 5.2 * math.sqrt(0.25 / 40_000)  # level 1e-6 for three shares


@pytest.mark.parametrize("noise", ["gumbel", "laplace"])
def test_the_budget_of_two_classes_is_exact(noise):
    """With two classes the pair is two coins, whose composition is a binomial sum."""
    method = PrivGNN(num_queries=200, scale=2.0, noise=noise, rate=0.3)
    found = method.budget(2).epsilon(1e-4)
    exact = exact_epsilon(pure_pair(method.mechanism(2).epsilon).poisson(0.3), 200, 1e-4)
    assert found.optimistic <= exact <= found.pessimistic <= 1.01 * found.optimistic


def test_labels_without_noise_have_no_budget():
    assert PrivGNN(scale=0.0).budget(2) is None and PrivGNN(scale=1.0).budget(2) is not None


def composed_then_sampled(epsilon, count, rate, delta):
    """By brute force: all outcomes of ``count`` coins on one sample, enumerated."""
    pair = pure_pair(epsilon)
    whole = pair
    for _ in range(count - 1):
        whole = whole.times(pair)
    mixed = FinitePair(tuple((1 - rate) * b + rate * a for a, b in zip(whole.p, whole.q, strict=True)), whole.q)
    low, high = 0.0, count * epsilon
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if mixed.delta(middle) > delta else (low, middle)
    return high


def test_one_sample_for_all_queries_costs_more():
    """SingleGNN: the sample amplifies the sum of all labels,
    not each (PrivGNN 5.5 says that the guarantee is the same)."""
    each = PrivGNN(num_queries=30, scale=2.0, rate=0.3).budget(2).epsilon(1e-3)
    single = PrivGNN(num_queries=30, scale=2.0, rate=0.3, one_teacher=True).budget(2).epsilon(1e-3)
    exact = composed_then_sampled(0.5, 30, 0.3, 1e-3)
    assert single.optimistic <= exact <= single.pessimistic <= 1.02 * single.optimistic
    assert single.optimistic > 1.5 * each.pessimistic


def test_the_budget_of_one_sample_cannot_overflow():
    assert math.isfinite(Budget((Step(pure_pair(50.0), 40),), 0.3).epsilon(1e-5).pessimistic)
    with pytest.raises(ValueError, match="steps must hold at least one"):
        Budget(())
    with pytest.raises(ValueError, match="rate must lie in"):
        Budget((Step(pure_pair(1.0)),), 0.0)


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


# Students, splits, bad input.

def test_a_student_may_learn_from_shares():
    _, public = pair_of_graphs()
    nodes = public.train_mask.nonzero().view(-1)
    hard = QUICK.fit(public.x, public.edge_index, nodes, public.y[nodes], 3, seeded(0))
    soft = QUICK.fit(public.x, public.edge_index, nodes, F.one_hot(public.y[nodes], 3).float(), 3, seeded(0))
    assert torch.allclose(hard.predict_proba(), soft.predict_proba(), atol=1e-4)


def test_private_and_public_parts():
    data = datasets.load("karate")
    private, public = datasets.private_public(data, seeded(0), private=12, public=20)
    assert private.num_nodes == 12 and public.num_nodes == 20
    assert int(public.train_mask.sum()) == 10 and not (public.train_mask & public.test_mask).any()
    rows = torch.cat([private.x, public.x]).argmax(1)  # karate's features are one-hot: they name the node
    assert rows.unique().numel() == 32
    edges = set(map(tuple, data.edge_index.t().tolist()))
    for part in (private, public):
        names = part.x.argmax(1)
        kept = {(int(names[a]), int(names[b])) for a, b in part.edge_index.t().tolist()}
        assert kept == {(a, b) for a, b in edges if a in names.tolist() and b in names.tolist()}
        assert part.y.equal(data.y[names])
    balanced, _ = datasets.private_public(data, seeded(0), private=6, public=20, per_class=True)
    assert torch.bincount(balanced.y).tolist() == [6, 6]


@pytest.mark.parametrize("arguments, message", [
    (dict(private=20, public=20), "leave each other room among 34 labelled nodes"),
    (dict(private=30, public=2, per_class=True), "at most the size of the smallest class, got 30$"),
    (dict(private=1, public=20), "private must be a whole number"),
])
def test_private_and_public_refuse(arguments, message):
    with pytest.raises(ValueError, match=message):
        datasets.private_public(datasets.load("karate"), seeded(0), **arguments)


@pytest.mark.parametrize("make, message", [
    (lambda: PrivGNN(scale=1.0, rate=0.0), r"rate must lie in \(0, 1\], got 0.0"),
    (lambda: PrivGNN(scale=1.0, rate=1.1), r"rate must lie in \(0, 1\], got 1.1"),
    (lambda: PrivGNN(scale=1.0, num_queries=0), "num_queries must be a whole number"),
    (lambda: PrivGNN(scale=1.0, neighbours=0), "neighbours must be a whole number"),
    (lambda: PrivGNN(scale=1.0, noise="gauss"), "noise must be one of gumbel, laplace"),
    (lambda: PrivGNN(scale=1.0, distance="hamming"), "distance must be one of cosine, euclidean"),
    (lambda: PrivGNN(scale=1.0, teacher=NodeClassifier("mlp")), "teacher must be of kind sage"),
    (lambda: NodeClassifier("gcn"), "kind must be one of mlp, sage"),
    (lambda: PATE(scale=1.0, teachers=0), "teachers must be a whole number"),
    (lambda: PATE(scale=0.0), "scale must be a positive finite number"),
    (lambda: PATE(scale=1.0, noise="cauchy"), "noise must be one of"),
])
def test_hyperparameters_are_checked(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_graphs_are_checked():
    private, public = pair_of_graphs()
    with pytest.raises(ValueError, match="num_queries must be at most 20, the public nodes .*train_mask.*, got 21"):
        PrivGNN(scale=1.0, num_queries=21).collect(private, public, seeded(0))
    with pytest.raises(ValueError, match="same features and classes, got 12 and 5 features"):
        PrivGNN(scale=1.0, num_queries=2).collect(private, random_graph(10, 0, d=5), seeded(0))
    with pytest.raises(ValueError, match="public must be a graph of other people"):
        PrivGNN(scale=1.0).fit(private)


def test_all_public_nodes_may_be_asked_and_of_private_people_there_may_be_none():
    private, public = pair_of_graphs()
    nobody = datasets.induced(private, torch.arange(0))
    queries = PrivGNN(scale=1.0, num_queries=20).choose_queries(nobody, public, seeded(0))
    assert torch.equal(queries.sort().values, public.train_mask.nonzero().view(-1))


def test_what_is_tried_stands_beside_the_majority_of_the_private_people():
    """Half of one's own people are public, where no share is said; people without a label are of no class."""
    method = PATE(scale=1.0, num_queries=5, teachers=2, teacher=replace(QUICK, kind="mlp"), student=QUICK)
    private, public = method.dealt(random_graph(40, 0), seed=0)
    assert private.num_nodes == public.num_nodes == 20
    private.y = torch.tensor([0] * 6 + [1] * 4 + [2] * 3 + [-1] * 7)
    _, found = method.tried((private, public), seed=0)
    assert found["majority class"] == 100 * float((public.y == 0)[public.test_mask].float().mean()) > 0


@pytest.mark.parametrize("method", [PATE(scale=1.0, num_queries=3, teachers=2, teacher=replace(QUICK, kind="mlp")),
                                    PrivGNN(scale=1.0, num_queries=3, rate=0.5, teacher=QUICK)])
def test_private_people_without_a_label_take_no_part(method):
    private, public = pair_of_graphs()
    half = private.clone()
    half.num_classes, half.y = 3, torch.where(torch.arange(60) < 30, private.y, -1)
    known = datasets.induced(private, torch.arange(30))
    found, expected = (method.teach(graph, public, seeded(0)).scores for graph in (half, known))
    assert torch.equal(found, expected)


def test_answers_serve_several_noise_levels():
    _, public = pair_of_graphs()
    answers = TeacherScores(queries=torch.arange(10), scores=torch.eye(3)[torch.arange(10) % 3])
    exact = PrivGNN(num_queries=10, scale=0.001).answer(answers, public, seeded(0))
    assert exact.labels.equal(torch.arange(10) % 3)
    assert PrivGNN(num_queries=10, scale=100.0).answer(answers, public, seeded(0)).budget.epsilon(1e-4).pessimistic < 1


@pytest.mark.parametrize("method", [PATE(scale=1.0, num_queries=7, teachers=2, student=QUICK, teacher=QUICK),
                                    PrivGNN(scale=1.0, num_queries=7, rate=0.5, neighbours=20, student=QUICK,
                                            teacher=QUICK)])
def test_students_are_asked_about_other_graphs(method):
    """They read features as they are: on their own graph they say what they say there,
    on another one something of it."""
    private, public = pair_of_graphs()
    student = method.learn(method.collect(private, public, seeded(1)), seeded(2))
    assert torch.equal(student.predict_proba(public), student.predict_proba())
    assert student.predict_proba(private).shape == (private.num_nodes, public.num_classes)
