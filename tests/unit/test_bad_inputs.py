"""Bad inputs: every public function refuses them by name, says what came and what is allowed, and so does every
constructor where its fields must agree. (What one field may be alone, ``test_parameters`` tries for all classes.)

One table. Each entry is something public with arguments that are good, and for some of these arguments values that are
not. With the good ones it works; with one bad value it raises a ValueError or a TypeError that names the argument.
"""

import functools
import importlib
import os
import tempfile

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from privgraph import attacks, audit, datasets, graph, mechanisms, methods, nn, privacy, randomness
from privgraph.audit import statistical
from privgraph.checks.parameters import kinds_of
from privgraph.graph_batch import GraphBatch
from privgraph.methods import evaluation, federated
from privgraph.methods.contract.toys import draw_task
from privgraph.methods.federated.row_messages import pack_rows
from privgraph.privacy import Step, pure_pair
from privgraph.randomness import seeded
from refusing import (
    INF,
    NAN,
    NO_BIAS,
    NO_COUNT,
    NO_DELTA,
    NO_DELTA_OR_0,
    NO_EDGES,
    NO_EPSILON,
    NO_FEATURES,
    NO_FILE_NAME,
    NO_FLAG,
    NO_FUNCTION,
    NO_GENERATOR,
    NO_GRAPH,
    NO_LABELS,
    NO_LIST,
    NO_NAME,
    NO_NODES,
    NO_NUMBER,
    NO_ORDER,
    NO_RANGE,
    NO_RATE,
    NO_SHARE,
    NO_SIZE,
    NO_TENSOR,
    NOT_NEGATIVE_ONLY,
    NOT_POSITIVE,
    PATH,
    Entry,
    X,
    Y,
    but,
    faults,
    karate,
    toy,
    unless,
    without,
)

ROOMS = ("attacks", "audit", "datasets", "federate", "mechanisms", "methods", "nn", "privacy")
PATHS = GraphBatch.join([GraphBatch(torch.ones(3, 2), PATH, torch.tensor([3]))] * 4)


def sensitive_karate(links=((0, 0, 32), (1, 2, 33))) -> Data:
    data = karate().clone()
    data.sensitive = torch.tensor(links)
    return data


def crawled() -> Data:
    """A graph without links between its sensitive users, as far as an attacker knows it."""
    data = karate().clone()
    data.sensitive_users = torch.arange(34) < 2
    return data


def celebrated() -> Data:
    data = sensitive_karate()
    data.sensitive_users = torch.arange(34) < 12
    return data


@functools.cache
def halved() -> tuple[Data, ...]:
    """Two clients' parts of a club."""
    return federated.parts(federated.hold(karate(), seeded(0), clients=2, private=0.3))


def held_karate() -> Data:
    return federated.hold(karate(), seeded(0), clients=2, private=0.3)


WALK, LIE = methods.FederatedDeepWalk.examples()[0], attacks.Lie("noise")
NO_LIES = (None, [LIE], {0: "noise"}, {2: LIE}, {"first": LIE}, {-1: LIE})
THREE, ROWS = torch.rand(3, 2, 3, 2, generator=seeded(0)), pack_rows(X)  # three clients, two rounds
NO_CLIENTS = (*but(NO_FEATURES), X, torch.zeros(0, 1, 3, 2), THREE * NAN)
CANARIES = torch.tensor([[0, 1], [1, 2]])  # and rows
CANARY = torch.tensor([[0], [halved()[0].num_nodes - 1]])


class Nothing(methods.Embedding):
    """Publishes vectors that depend on nothing."""

    def embed(self, data: Data, generator: torch.Generator) -> methods.Embeddings:
        return methods.Embeddings(z=torch.rand(data.num_nodes, 2, generator=generator))


COINS, PAIRS = torch.tensor([0, 1, 1, 0]), torch.tensor([[0, 0], [1, 2]])
POSTERIORS = torch.tensor([[0.8, 0.2], [0.3, 0.7], [0.5, 0.5]])
LINKED = torch.tensor([True, False, True, False])
NO_PAIRS = NO_EDGES
NO_UPLOADS = (*but(NO_FEATURES), torch.zeros(0, 2), torch.zeros(1, 1, 3, 2))
TOLD, HALF = torch.tensor([[0, 0, 1] * 4, [1, 2, 2] * 4]), torch.arange(12) % 2 == 0  # exposed pairs, and the answers
# What link stealers are given, each with what is none of it.
STOLEN = {**{f"{where}{name}": (rows, bad) for where in ("", "shadow_") for name, rows, bad in (
    ("posteriors", POSTERIORS, NO_FEATURES), ("reference", POSTERIORS, (*NO_FEATURES, POSTERIORS[:2])),
    ("x", X, (*NO_FEATURES, X[:2])))},
          "pairs": (PAIRS, NO_PAIRS), "generator": (seeded(0), NO_GENERATOR), "epochs": (1, NO_SIZE),
          **{name: (TOLD, (*NO_PAIRS, TOLD[:, 1:])) for name in ("known", "shadow_pairs")}}
CHEQUERED = (torch.arange(20)[:, None] + torch.arange(4)) % 2 == 0
NO_ANSWERS = (None, [True] * 12, torch.arange(12), HALF[:3], HALF | True, HALF & False)
STOLEN |= {name: (HALF, NO_ANSWERS) for name in ("linked", "shadow_linked")}
A_SHADOW, A_PART = "shadow_posteriors shadow_pairs shadow_linked", "known linked"
STEALERS = {number: f"posteriors pairs {more} generator epochs" for number, more in {
    1: A_SHADOW, 3: A_PART, 4: f"{A_PART} {A_SHADOW}", 5: f"reference x {A_SHADOW} shadow_reference shadow_x",
    6: f"reference x {A_PART}", 7: f"reference x {A_PART} {A_SHADOW} shadow_reference shadow_x"}.items()}
STEPS = [Step(pure_pair(0.5), 2)]
NO_STEPS = (None, [], [1], "steps", 3)
SAGE = functools.partial(nn.Backbone, "sage", 2, 2)


def trained(**said):
    """A minimal training."""
    model = SAGE(generator=seeded(0))
    return nn.train(model, model.prepare(X, PATH), lambda logits: logits.sum(), None,
                    **{"epochs": 1, "learning_rate": 0.1, "weight_decay": 0.0, "generator": seeded(0)} | said)


def stacked(**said):
    return nn.train_stacked(nn.Backbone("sage", 2, 2, batch_norm=True, generator=seeded(0)), [toy()], [seeded(0)],
                            **{"epochs": 1, "learning_rate": 0.1} | said)


def transformed(transform, **said):
    return transform(**said)(toy())


def skipped(**said):
    """A minimal training of skip-gram."""
    return nn.train_skipgram(nn.SkipGram.initial(3, 2, seeded(0)), **dict(
        walks=lambda g: torch.tensor([[0, 1, 2]]), window=1, negatives=1, epochs=1, learning_rate=0.1,
        generator=seeded(0)) | said)


METHOD = methods.LPGNN.examples()[0]
RUN = dict(method=METHOD, data=karate(), seeds=1)
GOOD_REFERENCES = dict(data=karate(), seeds=1, progress=False)
NO_RUN = dict(method=(None, "lpgnn", methods.LPGNN), data=(*NO_GRAPH, without("y")), seeds=NO_SIZE)


SOLVER = methods.PrototypicalNetwork(episodes=0).learn(draw_task, seeded(0))


TABLE = {
    # graph and randomness
    "graph.to_undirected": Entry(graph.to_undirected, dict(edge_index=PATH, num_nodes=3),
                                 dict(edge_index=NO_EDGES, num_nodes=NO_COUNT)),
    "graph.degrees": Entry(graph.degrees, dict(edge_index=PATH, num_nodes=3),
                           dict(edge_index=NO_EDGES, num_nodes=NO_COUNT)),
    "graph.adjacency": Entry(graph.adjacency, dict(edge_index=PATH, num_nodes=3, normalize="mean", self_loops=True,
                                                   weight=torch.ones(4)),
                             dict(edge_index=NO_EDGES, num_nodes=NO_COUNT, normalize=NO_NAME, self_loops=NO_FLAG,
                                  weight=(torch.ones(3), [1, 1, 1, 1], torch.full((4,), NAN), -torch.ones(4)))),
    "graph.propagate": Entry(lambda **said: graph.propagate(graph.adjacency(PATH, 3), **said), dict(x=X, steps=1),
                             dict(x=NO_TENSOR, steps=NO_COUNT)),
    "graph.homophily": Entry(graph.homophily, dict(edge_index=PATH, y=Y), dict(edge_index=NO_EDGES, y=NO_LABELS),
                             dict(y="labels")),
    "graph.rewire": Entry(graph.rewire, dict(edge_index=PATH, num_nodes=3, generator=seeded(0), rounds=1),
                          dict(edge_index=NO_EDGES, num_nodes=NO_COUNT, generator=NO_GENERATOR, rounds=NO_COUNT)),
    "graph.partition": Entry(graph.partition, dict(edge_index=PATH, num_nodes=3, parts=2),
                             dict(edge_index=NO_EDGES, num_nodes=NO_COUNT, parts=(*NO_SIZE, 4))),
    "graph.random_walks": Entry(
        graph.random_walks, dict(edge_index=PATH, num_nodes=3, starts=Y, length=3, generator=seeded(0), p=0.5, q=2.0),
        dict(edge_index=NO_EDGES, num_nodes=NO_COUNT, starts=NO_NODES, length=NO_SIZE, generator=NO_GENERATOR,
             p=NO_BIAS, q=NO_BIAS)),
    "graph.sample_edges": Entry(graph.sample_edges, dict(edge_index=PATH, count=1, generator=seeded(0)),
                                dict(count=(*NO_COUNT, 9), generator=NO_GENERATOR)),
    "graph.sample_non_edges": Entry(graph.sample_non_edges,
                                    dict(edge_index=PATH, num_nodes=3, count=1, generator=seeded(0)),
                                    dict(edge_index=NO_EDGES, num_nodes=NO_COUNT, count=(*NO_COUNT, 9),
                                         generator=NO_GENERATOR)),
    "randomness.seeded": Entry(randomness.seeded, dict(seed=3), dict(seed=(*NO_COUNT, "a", 1.5, 2**64))),
    "randomness.draw_seed": Entry(randomness.draw_seed, dict(generator=seeded(0)), dict(generator=NO_GENERATOR)),

    # datasets
    "datasets.load": Entry(datasets.load, dict(name="karate"), dict(name=(*NO_FILE_NAME, "coar", None))),
    "datasets.at_hand": Entry(datasets.at_hand, dict(name="karate"), dict(name=("coar", None, 5, ["karate"]))),
    "datasets.set_card": Entry(datasets.set_card, dict(name="letters"), dict(name=("cora", None, 5, ["letters"]))),
    "datasets.load_graphs": Entry(datasets.load_graphs, dict(name="letters"), dict(name=("cora", None, 5, "../x"))),
    "datasets.triangles": Entry(datasets.triangles, dict(generator=seeded(0), per_class=1),
                                dict(generator=NO_GENERATOR, per_class=NO_SIZE, name=(*NO_FILE_NAME, None))),
    "datasets.letters": Entry(
        datasets.letters, dict(generator=seeded(0), per_class=1),
        dict(generator=NO_GENERATOR, per_class=NO_SIZE, noise=(*NOT_NEGATIVE_ONLY, INF), bend=NO_SHARE, erase=NO_SHARE,
             stray=NO_SHARE, name=(*NO_FILE_NAME, None))),
    "datasets.shop": Entry(datasets.shop, dict(generator=seeded(0), kinds=2, goods=5),
                           dict(generator=NO_GENERATOR, kinds=(*NO_SIZE, 1), goods=(*NO_SIZE, 1))),
    "datasets.blocks": Entry(
        datasets.blocks, dict(generator=seeded(0), nodes=20, classes=2, degree=2.0, features=3),
        dict(generator=NO_GENERATOR, nodes=(*NO_SIZE, 1, 3), classes=(*NO_SIZE, 1), degree=(*NOT_NEGATIVE_ONLY, 0, 20),
             homophily=NO_SHARE, features=NO_SIZE, contrast=NO_SHARE)),
    "datasets.neighbourhoods": Entry(
        datasets.neighbourhoods, dict(data=datasets.shop(seeded(0), 3, 20), generator=seeded(0), classes=2, per_class=5,
                                      walks=3, length=4),
        dict(data=NO_GRAPH, generator=NO_GENERATOR, classes=(*NO_SIZE, 1, 4), per_class=NO_SIZE, walks=NO_SIZE,
             length=(*NO_SIZE, 1), name=(*NO_FILE_NAME, None))),
    "datasets.count_triangles": Entry(datasets.count_triangles, dict(graphs=PATHS), dict(graphs=NO_GRAPH)),
    "datasets.set_statistics": Entry(datasets.set_statistics, dict(found=datasets.load_graphs("letters")),
                                     dict(found=(*NO_GRAPH, PATHS))),
    "datasets.fingerprint_of": Entry(datasets.fingerprint_of, dict(found=datasets.load_graphs("letters")),
                                     dict(found=(*NO_GRAPH, PATHS))),
    "datasets.card": Entry(datasets.card, dict(name="karate"), dict(name=("../../etc/passwd", None, 5, ["karate"]))),
    "datasets.synthetic_cora": Entry(datasets.synthetic_cora, {}, dict(seed=NO_COUNT)),
    "datasets.make_data": Entry(
        datasets.make_data, dict(edge_index=PATH, x=X, y=Y, name="toy", num_classes=2, feature_range=(0, 1)),
        dict(edge_index=(*NO_EDGES, PATH[:, :1], torch.tensor([[0], [0]])),
             y=(*NO_LABELS, torch.tensor([0, 1, 1_000_000]), Y[:2]),
             x=(*NO_FEATURES, X[:2], X[:, :0]), name=(*NO_FILE_NAME, None),
             num_classes=(*but(NO_COUNT, None), 1, 0, 1_000_001),
             feature_range=NO_RANGE), dict(x="(features|nodes|x)", y="(labels|x, y)")),
    "datasets.from_edge_list": Entry(
        datasets.from_edge_list, dict(edges=PATH, x=X, y=Y, name="toy", undirected=True, edge_weight=[1, 1, 2, 2],
                                      num_classes=2),
        dict(edges=(None, "01", [[0, 1.5], [1, 0]], [[0, NAN], [1, 0]], [[True, False], [False, True]], [[0, 1], [1]],
                    [[0, 7], [7, 0]], [[0, -1], [1, 0]], [0, 1, 2], [[0, 1j], [1, 0]], object()),
             x=(None, "x", [[0, 1], [1]], X * NAN, X.to(torch.complex64), X[:, :0], [["a", "b"]] * 3, X * 9,
                [[1e300, 0]] * 3), y=(None, [0, 0.5, 1], [0, NAN, 1], [True, False, True], ["a", "b", "c"], [0, 1],
                                     [0, 1, 1_000_000], [0, 1, -2], [0, 1, 1e300]),
             name=NO_FILE_NAME, undirected=NO_FLAG, num_classes=(2.0, True, "2", 1, 1_000_001), feature_range=NO_RANGE,
             edge_weight=("x", 1.0, [1.0] * 3, [[1.0] * 4], [True] * 4, ["a"] * 4, [1j] * 4, [1, 2, 3, 3], [-1.0] * 4,
                          [0.0] * 4, [NAN] * 4, [1e300] * 4, [1e-30] * 4)),
        dict(edges="(edges|edge_index)", x="(x|features|feature)", y="(y|labels|x, y)",
             edge_weight="(edge_weight|weights? of|one weight|a node's edges)")),
    "datasets.from_networkx": Entry(
        datasets.from_networkx, dict(graph=nx.path_graph(3), x=X, y=Y, num_classes=2),
        dict(graph=(None, PATH, "graph"), x=("x", X * NAN), y=([0, 0.5, 1],), name=("../x",), num_classes=(2.0,),
             weight=("nothing", 3, True)),
        dict(x="(x|features)")),
    "datasets.from_adjacency": Entry(
        datasets.from_adjacency, dict(matrix=torch.ones(3, 3), x=X, y=Y, num_classes=2),
        dict(matrix=(None, "x", torch.ones(2, 3), [[0, 1], [1]], [1, 0, 1]), x=("x", X * NAN), y=([0, 0.5, 1],),
             name=("../x",), num_classes=(2.0,), weights=NO_FLAG), dict(x="(x|features)")),
    "datasets.to_networkx": Entry(datasets.to_networkx, dict(data=toy()),
                                  dict(data=(*NO_GRAPH, without("x"), without("y"), without("edge_index")))),
    "datasets.to_pyg": Entry(datasets.to_pyg, dict(data=toy()),
                             dict(data=(*NO_GRAPH, without("x"), without("y"), without("edge_index")))),
    "datasets.from_pyg": Entry(
        datasets.from_pyg, dict(data=toy(), num_classes=2),
        dict(data=(*NO_GRAPH, without("x"), without("y"), without("edge_index"), toy(edge_weight=torch.ones(4)),
                   toy(edge_attr=torch.ones(4, 2))), name=("a/b",), num_classes=(2.0, 0), weights=(*NO_FLAG, True)),
        dict(weights="(weights|edge_weight)")),
    "datasets.split": Entry(
        datasets.split, dict(data=karate(), generator=seeded(0), train=0.5, val=0.25),
        dict(data=(*NO_GRAPH, without("y")), generator=NO_GENERATOR, train=NO_SHARE, val=NO_SHARE)),
    "datasets.keep_split": Entry(
        datasets.keep_split, dict(data=datasets.split(karate(), seeded(0))),
        dict(data=(*NO_GRAPH, karate(), without("y")))),
    "datasets.keep_weights": Entry(
        datasets.keep_weights, dict(data=toy(edge_weight=torch.ones(4))),
        dict(data=(*NO_GRAPH, toy(), without("edge_index"), *(toy(edge_weight=weight) for weight in (
            *NO_TENSOR, torch.ones(4).long(), torch.ones(3), torch.ones(4, 1), -torch.ones(4), torch.zeros(4),
            torch.full((4,), NAN), torch.full((4,), INF), torch.arange(4.0))))),
        dict(data="(data|edge_weight|weights? of edges|one weight)")),
    "datasets.split_links": Entry(
        datasets.split_links, dict(data=karate(), generator=seeded(0), val=0.1, test=0.2),
        dict(data=(*NO_GRAPH, without("edge_index")), generator=NO_GENERATOR, val=(*NO_SHARE, 0, 1, 0.01, 0.85),
             test=(*NO_SHARE, 0, 1, 0.01, 0.95))),
    "datasets.private_public": Entry(
        datasets.private_public, dict(data=karate(), generator=seeded(0), private=10, public=10, per_class=False),
        dict(data=(*NO_GRAPH, without("y"), without("x")), generator=NO_GENERATOR, private=(*NO_SIZE, 1, 30),
             public=(*NO_SIZE, 1, 30), per_class=NO_FLAG)),
    "datasets.GraphSet": Entry(
        datasets.GraphSet, dict(name="toy", graphs=PATHS, y=torch.arange(4) % 2, train_classes=(0,),
                                test_classes=(1,)),
        dict(name=NO_FILE_NAME, y=(*NO_LABELS, torch.zeros(3, dtype=torch.long)), test_classes=((0,),)),
        dict(y="(y|labels)")),
    "datasets.Sampler": Entry(
        datasets.Sampler, dict(data=datasets.GraphSet("toy", PATHS, torch.arange(4) % 2, (0, 1), ()), classes=(0, 1),
                               ways=2, shots=1, queries=1),
        dict(classes=((0, 7),), ways=(3,), shots=(2,), queries=(2,)), dict(classes="(classes|shots)")),
    "datasets.GroupFeatures": Entry(functools.partial(transformed, datasets.GroupFeatures), dict(size=2),
                                    dict(size=NO_SIZE)),
    "datasets.Quantiles": Entry(
        functools.partial(transformed, datasets.Quantiles), dict(bins=2), dict(bins=(*NO_COUNT, 0, 1))),
    "datasets.Quantiles of cuts": Entry(
        functools.partial(transformed, datasets.Quantiles), dict(cuts=[(0.5,), (0.5,)]),
        dict(cuts=(None, "ab", 3, [(1, 0), (0.5,)], [(NAN,), (0.5,)], [(), (0.5,)], [(0.5,)], ["a", "b"]))),
    "datasets.Categories": Entry(
        functools.partial(transformed, datasets.Categories), dict(domain_sizes=(2, 2)),
        dict(domain_sizes=(None, 2, "22", (2, 1), (2, 2.0), (2,), (2, True)))),
    "datasets.categories_of": Entry(datasets.categories_of, dict(data=datasets.Categories((2, 2))(toy())),
                                    dict(data=(*NO_GRAPH, toy(), without("x")))),
    "datasets.fingerprint": Entry(datasets.fingerprint, dict(edge_index=PATH, x=X, y=Y),
                                  dict(edge_index=([[0, 0.5], [1, 0]], [[True], [False]], "edges"))),
    "datasets.induced": Entry(datasets.induced, dict(data=toy(), nodes=torch.tensor([0, 1])),
                              dict(data=NO_GRAPH, nodes=(None, [0, 1], torch.tensor([0.5]), torch.tensor([9]),
                                                         torch.tensor([[0]])))),

    # privacy
    "privacy.compose": Entry(lambda guarantee: privacy.compose(guarantee), dict(guarantee=privacy.Guarantee(1.0)),
                             dict(guarantee=(None, 1.0, [privacy.Guarantee(1.0)]))),
    "privacy.drawn": Entry(lambda guarantee, randomness: privacy.drawn([guarantee], randomness),
                           dict(guarantee=privacy.Guarantee(1.0), randomness="public"),
                           dict(randomness=(None, 1, "no"))),
    "privacy.pure_pair": Entry(privacy.pure_pair, dict(epsilon=1.0), dict(epsilon=NO_EPSILON)),
    "privacy.response_pair": Entry(privacy.response_pair, dict(epsilon=1.0, num_classes=3),
                                   dict(epsilon=NO_EPSILON, num_classes=(*NO_COUNT, 1))),
    "privacy.bounded_range_pair": Entry(privacy.bounded_range_pair, dict(spread=1.0, points=8),
                                        dict(spread=NOT_POSITIVE, points=NO_SIZE)),
    "privacy.FinitePair": Entry(
        privacy.FinitePair, dict(p=(0.5, 0.5), q=(0.25, 0.75)),
        dict(p=(None, "pq", (0.5, 0.6), (-0.5, 1.5), (NAN, 1.0), (), ((0.5, 0.5),), 0.5, ("a", "b"), (1.0,)),
             q=(None, (0.5, 0.6), (1.0,)), losses=((0.0,), "ab", 3, (NAN, 0.0)))),
    "privacy.pairs' poisson": Entry(lambda rate: pure_pair(1.0).poisson(rate), dict(rate=0.5), dict(rate=NO_RATE)),
    "privacy.pairs' rdp": Entry(lambda order: pure_pair(1.0).rdp(order), dict(order=2), dict(order=NO_ORDER)),
    "privacy.laplace_rdp": Entry(privacy.laplace_rdp, dict(order=2, scale=1.0),
                                 dict(scale=NOT_POSITIVE, order=(None, "2", 1, 0.5, NAN, np.array([1, 2])))),
    "privacy.gaussian_rdp": Entry(privacy.gaussian_rdp, dict(order=2, sigma=1.0),
                                  dict(sigma=NOT_POSITIVE, order=(None, "2", 1, 0.5, NAN, np.array([1, 2])))),
    "privacy.poisson_rdp": Entry(
        privacy.poisson_rdp, dict(curve=lambda order: order / 2, rate=0.5, order=3),
        dict(curve=NO_FUNCTION, rate=NO_RATE, order=(*NO_ORDER, 2.5))),
    "privacy.Budget": Entry(privacy.Budget, dict(steps=(Step(pure_pair(1.0)),), rate=0.5), dict(steps=NO_STEPS)),
    "privacy.Budget.epsilon": Entry(lambda delta: privacy.Budget(tuple(STEPS)).epsilon(delta), dict(delta=1e-5),
                                    dict(delta=NO_DELTA_OR_0)),
    "privacy.basic_composition": Entry(privacy.basic_composition, dict(steps=STEPS), dict(steps=NO_STEPS)),
    "privacy.advanced_composition": Entry(privacy.advanced_composition, dict(epsilon=1.0, count=2, delta=1e-5),
                                          dict(epsilon=NO_EPSILON, count=NO_SIZE, delta=NO_DELTA)),
    "privacy.classic_conversion": Entry(privacy.classic_conversion, dict(rdp=1.0, order=2, delta=1e-5),
                                        dict(rdp=(*NO_NUMBER, -1), order=NO_ORDER, delta=NO_DELTA)),
    "privacy.improved_conversion": Entry(privacy.improved_conversion, dict(rdp=1.0, order=2, delta=1e-5),
                                         dict(rdp=(*NO_NUMBER, -1), order=NO_ORDER, delta=NO_DELTA)),
    "privacy.rdp_epsilon": Entry(privacy.rdp_epsilon, dict(steps=STEPS, delta=1e-5, orders=(2, 3)),
                                 dict(steps=NO_STEPS, delta=NO_DELTA, orders=((), (1,), 2, "23"),
                                      conversion=NO_FUNCTION),
                                 dict(orders="orders?")),
    "privacy.pld_epsilon": Entry(privacy.pld_epsilon, dict(steps=STEPS, delta=1e-5, tolerance=0.1),
                                 dict(steps=NO_STEPS, delta=NO_DELTA_OR_0, tolerance=NO_RATE)),
    "privacy.account": Entry(privacy.account, dict(steps=STEPS, delta=1e-5),
                             dict(steps=NO_STEPS, delta=NO_DELTA_OR_0)),
    "privacy.tightest": Entry(privacy.tightest, dict(rows={"basic": 1.0}),
                              dict(rows=(None, 1.0, "basic", {}, {"PLD, optimistic": 1.0}))),
    "privacy.exact_delta": Entry(privacy.exact_delta, dict(pair=pure_pair(1.0), count=2, epsilon=0.5),
                                 dict(pair=(None, 1.0, privacy.FinitePair((0.2, 0.3, 0.5), (0.5, 0.3, 0.2))),
                                      count=NO_SIZE,
                                      epsilon=NO_NUMBER)),
    "privacy.exact_epsilon": Entry(privacy.exact_epsilon, dict(pair=pure_pair(1.0), count=2, delta=1e-5),
                                   dict(pair=(None, 1.0), count=NO_SIZE, delta=NO_DELTA_OR_0)),
    "privacy.calibrate": Entry(
        privacy.calibrate, dict(steps=lambda scale: [Step(privacy.LaplacePair(scale))], epsilon=1.0, delta=1e-5,
                                accountant="rdp", tolerance=0.1),
        dict(steps=NO_FUNCTION, epsilon=NOT_POSITIVE, delta=NO_DELTA, accountant=NO_NAME, tolerance=NOT_POSITIVE)),
    "privacy.approximate_pair": Entry(privacy.approximate_pair, dict(epsilon=1.0, delta=0.1),
                                      dict(epsilon=NO_EPSILON, delta=(*NO_SHARE, 1))),
    "privacy.product_pair": Entry(
        lambda pair, count: privacy.product_pair([(pair, count)]), dict(pair=pure_pair(1.0), count=2),
        dict(pair=(None, 1.0, privacy.GaussianPair(1.0)), count=NO_SIZE), dict(pair="(each pair|pair)")),
    "privacy.discrete_laplace_pair": Entry(
        privacy.discrete_laplace_pair, dict(scale=1.0, sensitivity=2),
        dict(scale=NOT_POSITIVE, sensitivity=(*NO_SIZE, 10**6))),
    "privacy.FixedSizePair": Entry(
        privacy.FixedSizePair, dict(pair=privacy.GaussianPair(1.0), fraction=0.5),
        dict(pair=(None, 1.0, pure_pair(1.0), privacy.GaussianPair(1.0, 0.5)))),
    "privacy.fixed_size_pair": Entry(
        privacy.fixed_size_pair, dict(pair=pure_pair(1.0), batch=2, people=5),
        dict(pair=(None, 1.0, privacy.GaussianPair(1.0, 0.5)), batch=(*NO_SIZE, 6), people=(*NO_SIZE, 1)),
        dict(people="(people|batch)")),
    "privacy.epsilon_answers": Entry(privacy.epsilon_answers, dict(steps=STEPS, delta=1e-5),
                                     dict(steps=NO_STEPS, delta=(*NO_SHARE, 1))),
    "privacy.delta_answers": Entry(privacy.delta_answers, dict(steps=STEPS, epsilon=0.5),
                                   dict(steps=NO_STEPS, epsilon=(*NOT_NEGATIVE_ONLY, INF))),
    "privacy.pure_rho": Entry(privacy.pure_rho, dict(epsilon=1.0), dict(epsilon=NOT_POSITIVE)),
    "privacy.zcdp_epsilon": Entry(privacy.zcdp_epsilon, dict(rho=1.0, delta=1e-5),
                                  dict(rho=NOT_POSITIVE, delta=NO_DELTA)),
    "privacy.zcdp_delta": Entry(privacy.zcdp_delta, dict(rho=1.0, epsilon=1.0),
                                dict(rho=NOT_POSITIVE, epsilon=NOT_NEGATIVE_ONLY)),
    "privacy.zcdp_rho": Entry(privacy.zcdp_rho, dict(epsilon=1.0, delta=1e-5),
                              dict(epsilon=NOT_POSITIVE, delta=NO_DELTA)),
    "privacy.gdp_epsilon": Entry(privacy.gdp_epsilon, dict(mu=1.0, delta=1e-5), dict(mu=NOT_POSITIVE, delta=NO_DELTA)),
    "privacy.gdp_delta": Entry(privacy.gdp_delta, dict(mu=1.0, epsilon=1.0),
                               dict(mu=NOT_POSITIVE, epsilon=NOT_NEGATIVE_ONLY)),
    "privacy.gdp_mu": Entry(privacy.gdp_mu, dict(epsilon=1.0, delta=1e-5),
                            dict(epsilon=NOT_NEGATIVE_ONLY, delta=NO_DELTA)),
    "audit.check_accountant": Entry(
        audit.check_accountant, dict(accountant=lambda question: 1.0, questions=[], slack=0.01),
        dict(accountant=NO_FUNCTION, questions=(None, 3, [1.0]), slack=NOT_POSITIVE)),

    # audit
    "audit.worst_case": Entry(
        audit.worst_case, dict(mechanism=mechanisms.RandomisedResponse(1.0, 3), inputs=range(3)),
        dict(mechanism=(None, 3, "laplace"), inputs=(None, 3, [], [0], [[0], [1]]), neighbours=(3, "all", lambda: 0))),
    "audit.delta_curve": Entry(
        audit.delta_curve, dict(mechanism=mechanisms.RandomisedResponse(1.0, 3), inputs=range(3), epsilons=[0.5]),
        dict(mechanism=(None, 3), inputs=(None, [], [0]), epsilons=(None, 1.0, "a", ["a"], [NAN]))),
    "audit.finite_pair": Entry(audit.finite_pair, dict(mechanism=mechanisms.RandomisedResponse(1.0, 3), x=0, other=1),
                               dict(mechanism=(None, "laplace"))),
    "audit.replay": Entry(
        audit.replay, dict(pipeline=lambda y, g: mechanisms.RandomisedResponse(1.0, 2)(y, generator=g), data=Y,
                           neighbour=1 - Y, seed=0),
        dict(pipeline=(None, 3, "f", lambda: 0, lambda y: y, lambda y, g, more: y), seed=NO_COUNT)),
    "audit.statistical.guessing_game": Entry(
        statistical.guessing_game, dict(run=lambda coins, g: coins, rule=lambda seen: seen, runs=10,
                                        generator=seeded(0),
                                        confidence=0.9, delta=0.0),
        dict(run=(None, 3, lambda coins: coins), rule=(None, 3, lambda: 0), runs=NO_SIZE, generator=NO_GENERATOR,
             confidence=NO_DELTA, delta=(*NO_SHARE, 1))),
    "audit.statistical.guessing_bound": Entry(
        statistical.guessing_bound, dict(correct=3, guesses=4, runs=5, confidence=0.9, delta=0.0),
        dict(correct=(*NO_COUNT, 5), guesses=(*NO_COUNT, 6), runs=NO_COUNT, confidence=NO_DELTA, delta=(*NO_SHARE, 1)),
        dict(runs="(runs|guesses)", guesses="(guesses|correct)")),
    "audit.statistical.guessing_p_value": Entry(
        statistical.guessing_p_value, dict(correct=3, guesses=4, epsilon=1.0),
        dict(correct=(*NO_COUNT, 5), guesses=NO_COUNT, epsilon=(*NO_NUMBER, -1))),
    "audit.statistical.two_sample_bound": Entry(
        statistical.two_sample_bound, dict(true_positives=3, positives=4, false_positives=1, negatives=4,
                                           confidence=0.9),
        dict(true_positives=(*NO_COUNT, 5), positives=NO_COUNT, false_positives=(*NO_COUNT, 5), negatives=NO_COUNT,
             confidence=NO_DELTA)),
    "audit.statistical.one_run_audit": Entry(
        statistical.one_run_audit, dict(scores=torch.tensor([0.1, 0.9, 0.8, 0.2]), coins=COINS, k_plus=1, k_minus=1,
                                        generator=seeded(0)),
        dict(scores=(None, [0.1] * 4, torch.full((4,), NAN), torch.zeros(3)),
             coins=(None, [0, 1, 1, 0], COINS + 1, COINS[:2]),
             k_plus=(*NO_COUNT, 5), k_minus=(*NO_COUNT, 5), generator=NO_GENERATOR)),
    "audit.statistical.samples_needed": Entry(
        statistical.samples_needed, dict(true_epsilon=2.0, claimed_epsilon=1.0, level=0.01, power=0.9),
        dict(true_epsilon=(*NOT_POSITIVE, 0.5), claimed_epsilon=(*NO_NUMBER, -1, 3.0), level=NO_DELTA, power=NO_DELTA)),
    "audit.ListReport": Entry(
        audit.ListReport, dict(mechanism=mechanisms.NeighbourReplacement(1.0), data=toy(), person=0),
        dict(data=NO_GRAPH, person=(3,))),

    # nn
    "nn.Backbone": Entry(
        nn.Backbone, dict(kind="gcn", num_features=2, num_classes=2, hidden=4, dropout=0.5, heads=2, activation="relu",
                          batch_norm=True, generator=seeded(0)),
        dict(kind=NO_NAME, num_features=NO_SIZE, num_classes=(*NO_SIZE, 1), hidden=(*NO_SIZE, -3),
             dropout=(*NO_SHARE, 1, "x"),
             heads=NO_SIZE, activation=NO_NAME, batch_norm=NO_FLAG, generator=NO_GENERATOR), dict(kind="backbone")),
    "nn.Backbone.prepare": Entry(
        lambda **said: SAGE(generator=seeded(0)).prepare(**said), dict(x=X, edge_index=PATH),
        dict(x=(*NO_FEATURES, torch.ones(3, 5)), edge_index=NO_EDGES, edge_weight=(torch.ones(3), [1] * 4)),
        dict(x="features", edge_weight="weight")),
    "nn.MLP": Entry(nn.MLP, dict(num_features=2, num_classes=2, hidden=4, dropout=0.5, generator=seeded(0)),
                    dict(num_features=NO_SIZE, num_classes=NO_SIZE, hidden=NO_SIZE, dropout=NO_SHARE,
                         generator=NO_GENERATOR)),
    "nn.train": Entry(trained, dict(epochs=1), dict(
        epochs=(*NO_SIZE, "5"), learning_rate=(*NOT_POSITIVE, "fast"), weight_decay=(*NO_NUMBER, -1, INF),
        generator=NO_GENERATOR, progress=NO_FLAG)),
    "nn.train_stacked": Entry(stacked, dict(epochs=1), dict(epochs=NO_SIZE, learning_rate=NOT_POSITIVE)),
    "nn.SkipGram": Entry(nn.SkipGram, dict(vectors=X, contexts=X),
                         dict(vectors=(*NO_FEATURES, X[:2]), contexts=(*NO_FEATURES, X[:2], X[:, :1])),
                         dict(vectors="(features|vectors)", contexts="(features|contexts)")),
    "nn.SkipGram.initial": Entry(nn.SkipGram.initial, dict(num_nodes=3, dimension=2, generator=seeded(0)),
                                 dict(num_nodes=NO_SIZE, dimension=NO_SIZE, generator=NO_GENERATOR)),
    "nn.in_window": Entry(nn.in_window, dict(length=3, window=1), dict(length=(*NO_SIZE, 1), window=NO_SIZE)),
    "nn.train_skipgram": Entry(skipped, dict(window=1), dict(
        walks=(*NO_FUNCTION, lambda g: [[0, 1]], lambda g: torch.tensor([[0, 3]])), window=NO_SIZE, negatives=NO_SIZE,
        epochs=NO_SIZE, learning_rate=NOT_POSITIVE, generator=NO_GENERATOR, progress=NO_FLAG,
        batch=but(NO_SIZE, None), held=([True] * 3, torch.ones(3), torch.ones(2) > 0))),
    "nn.accuracy": Entry(
        nn.accuracy, dict(scores=POSTERIORS, y=Y, mask=torch.tensor([True, True, False])),
        dict(scores=(None, [[0.0]], POSTERIORS[0], POSTERIORS[:2]), y=(*NO_LABELS, torch.tensor([-1, 1, 1])),
             mask=(None, [True], torch.tensor([0, 1, 1]), torch.tensor([True, False]),
                   torch.zeros(3, dtype=torch.bool))),
        dict(y="(labels|mask)")),
    "nn.interval": Entry(nn.interval, dict(values=[1.0, 2.0], level=0.9),
                         dict(values=(None, 3, "12", [], [[1.0]], ["a"], [NAN, 1.0]), level=NO_SHARE)),
    "nn.standardize": Entry(nn.standardize, dict(x=X), dict(x=NO_FEATURES), dict(x="features")),
    "nn.sparse_rows": Entry(nn.sparse_rows, dict(x=X), dict(x=NO_TENSOR)),

    # attacks
    "attacks.sample_pairs": Entry(
        attacks.sample_pairs, dict(edge_index=PATH, num_nodes=3, count=1, generator=seeded(0), non_edges="uniform"),
        dict(edge_index=NO_EDGES, num_nodes=NO_SIZE, count=(*NO_SIZE, 9), generator=NO_GENERATOR, non_edges=NO_NAME),
        dict(num_nodes="(num_nodes|node)")),
    "attacks.plant": Entry(
        attacks.plant, dict(data=karate(), count=3, generator=seeded(0)),
        dict(data=(*NO_GRAPH, Data(edge_index=PATH)), count=(*NO_SIZE, 18), generator=NO_GENERATOR),
        dict(data="(data|num_nodes)")),
    "attacks.ceiling": Entry(attacks.ceiling, dict(epsilon=1.0), dict(epsilon=(*NO_NUMBER, -1))),
    "attacks.auc_ceiling": Entry(attacks.auc_ceiling, dict(epsilon=1.0, canaries=10),
                                 dict(epsilon=(*NO_NUMBER, -1), canaries=(*but(NO_SIZE, None), 1))),
    "attacks.rate_ceiling": Entry(
        attacks.rate_ceiling, dict(epsilon=1.0, delta=0.1, false_positive_rate=0.01),
        dict(epsilon=(*NO_NUMBER, -1), delta=NO_SHARE, false_positive_rate=NO_SHARE)),
    "attacks.evaluate_attack": Entry(
        attacks.evaluate_attack, dict(scores=torch.tensor([0.9, 0.1, 0.8, 0.3]), linked=LINKED, confidence=0.9),
        dict(scores=(None, [0.1] * 4, np.ones(4), torch.zeros(3), torch.full((4,), NAN)),
             linked=(None, [True] * 4, torch.tensor([1, 0, 1, 0]), LINKED | True), confidence=NO_DELTA)),
    "attacks.linkteller": Entry(
        attacks.linkteller, dict(model=SAGE(generator=seeded(0)), x=X, edge_index=PATH, pairs=PAIRS, output="logits",
                                 both=True),
        dict(model=(None, 3, torch.nn.Linear(2, 2)), x=(*NO_FEATURES, torch.ones(3, 5)), edge_index=NO_EDGES,
             pairs=NO_PAIRS,
             output=NO_NAME, both=NO_FLAG), dict(x="features")),
    "attacks.queried_influence": Entry(
        attacks.queried_influence, dict(model=SAGE(generator=seeded(0)), x=X, edge_index=PATH, pairs=PAIRS, step=0.1,
                                        both=True),
        dict(model=(None, 3, "sage", lambda x, edges: x[0], lambda x, edges: x * NAN, lambda x, edges: [1.0]),
             x=(*NO_FEATURES, torch.ones(3, 5)), edge_index=NO_EDGES, pairs=NO_PAIRS, step=NOT_POSITIVE, both=NO_FLAG),
        dict(x="features")),
    "attacks.pairs_among": Entry(
        attacks.pairs_among, dict(edge_index=PATH, num_nodes=3, count=2, generator=seeded(0), least=1, most=2),
        dict(edge_index=NO_EDGES, num_nodes=NO_SIZE, count=(*NO_SIZE, 1, 4), generator=NO_GENERATOR,
             least=(*NO_COUNT, 3), most=(*but(NO_COUNT, None), 0)), dict(num_nodes="(num_nodes|node)",
                                                                        least="(least|most)")),
    "attacks.accuse": Entry(
        attacks.accuse, dict(scores=torch.tensor([0.9, 0.1, 0.8, 0.3]), linked=LINKED, belief=0.5),
        dict(scores=(None, [0.1] * 4, np.ones(4), torch.zeros(3), torch.full((4,), NAN)),
             linked=(None, [True] * 4, torch.tensor([1, 0, 1, 0]), LINKED | True), belief=NOT_POSITIVE)),
    "attacks.posterior_similarity": Entry(
        attacks.posterior_similarity, dict(posteriors=POSTERIORS, pairs=PAIRS, distance="cosine", centred=True),
        dict(posteriors=(*NO_FEATURES, torch.zeros(3, 0)), pairs=NO_PAIRS, distance=NO_NAME, centred=NO_FLAG)),
    "attacks.feature_similarity": Entry(attacks.feature_similarity, dict(x=X, pairs=PAIRS, centred=True),
                                        dict(x=NO_FEATURES, pairs=NO_PAIRS, centred=NO_FLAG)),
    "attacks.degree_product": Entry(
        attacks.degree_product, dict(degree=torch.tensor([1, 2, 1]), pairs=PAIRS),
        dict(degree=(None, [1, 2, 1], torch.tensor([1, -2, 1]), torch.tensor([[1]]), torch.tensor([NAN])),
             pairs=NO_PAIRS)),
    "attacks.shadow_attack": Entry(
        attacks.shadow_attack, dict(shadow=POSTERIORS, member=torch.tensor([True, False, True]), target=POSTERIORS,
                                    generator=seeded(0), epochs=1, learning_rate=0.1),
        dict(shadow=(*NO_FEATURES, torch.ones(3, 5)),
             member=(None, [True], torch.tensor([1, 0, 1]), torch.ones(3) > 0), target=NO_FEATURES,
             generator=NO_GENERATOR, epochs=NO_SIZE, learning_rate=NOT_POSITIVE)),
    "attacks.confidence": Entry(attacks.confidence, dict(posteriors=POSTERIORS, y=Y),
                                dict(posteriors=NO_FEATURES, y=(*NO_LABELS, torch.tensor([0, 2, 1]), Y[:2])),
                                dict(y="(labels|y)")),
    "attacks.likelihood_ratio": Entry(
        attacks.likelihood_ratio, dict(target=torch.zeros(2), shadows=torch.eye(2), member=torch.eye(2) > 0,
                                       variance="shared"),
        dict(target=(None, [0, 0], torch.zeros(3), torch.full((2,), NAN)),
             shadows=(None, np.eye(2), torch.eye(3), torch.eye(2) * INF),
             member=(None, [[True]], torch.eye(2), torch.ones(2, 2) > 0), variance=NO_NAME)),
    "attacks.offline_likelihood": Entry(
        attacks.offline_likelihood, dict(target=torch.zeros(2), shadows=torch.eye(2), member=torch.zeros(2, 2) > 0,
                                         variance="own"),
        dict(target=(None, [0, 0], torch.zeros(3), torch.full((2,), NAN)),
             shadows=(None, np.eye(2), torch.eye(3), torch.eye(2) * INF),
             member=(None, [[True]], torch.eye(2), torch.ones(2, 2) > 0), variance=NO_NAME)),
    **{f"attacks.link_stealing_{number}": Entry(
        getattr(attacks, f"link_stealing_{number}"), {name: STOLEN[name][0] for name in names.split()},
        {name: STOLEN[name][1] for name in names.split()},
        dict(known="(known|linked)", shadow_pairs="(shadow_pairs|shadow_linked)"))
       for number, names in STEALERS.items()},
    "attacks.link_stealing_2": Entry(
        attacks.link_stealing_2, dict(posteriors=POSTERIORS, reference=POSTERIORS, pairs=PAIRS, distance="cosine"),
        dict(posteriors=NO_FEATURES, reference=STOLEN["reference"][1], pairs=NO_PAIRS, distance=NO_NAME)),
    "attacks.play_with_liars": Entry(
        attacks.play_with_liars, dict(method=WALK, data=held_karate(), generator=seeded(0), lies={0: LIE}),
        dict(method=(None, 3, "walk"), data=NO_GRAPH, generator=NO_GENERATOR, lies=NO_LIES)),
    "attacks.cost_of_lies": Entry(
        attacks.cost_of_lies, dict(method=WALK, data=held_karate(), seed=0, lies={0: LIE}),
        dict(method=(None, 3, "walk"), data=NO_GRAPH, seed=(*NO_COUNT, 10**9), lies=(*NO_LIES, {0: LIE, 1: LIE}))),
    "attacks.sent": Entry(attacks.sent, dict(rounds=[methods.Round({0: ROWS}, {0: ROWS}, {})]),
                          dict(rounds=(None, 3, [], [None], [methods.Round({0: ROWS}, {}, {0: "late"})]))),
    **{f"attacks.{name}": Entry(getattr(attacks, name), dict(uploads=THREE, **more), dict(uploads=NO_CLIENTS, **bad))
       for name, more, bad in (("unlike_the_others", dict(aligned=True), dict(aligned=NO_FLAG)),
                               ("alike_another", dict(aligned=False), dict(aligned=NO_FLAG)),
                               ("unusual_length", {}, {}))},
    "attacks.alike_the_answer": Entry(
        attacks.alike_the_answer, dict(uploads=THREE, answers=THREE, aligned=True),
        dict(uploads=(*NO_CLIENTS, THREE[:, :1]), answers=(None, X, THREE[:2], THREE * NAN), aligned=NO_FLAG)),
    "attacks.sum_of_evidence": Entry(
        attacks.sum_of_evidence, dict(scores=X.t(), usual=X.t()),
        dict(scores=(*NO_FEATURES, torch.zeros(0, 2)), usual=(*NO_FEATURES, X, X.t()[:, :1]))),

    "attacks.expose": Entry(
        attacks.expose, dict(data=sensitive_karate(), generator=seeded(0), fraction=0.1),
        dict(data=(*NO_GRAPH, toy(), sensitive_karate([[0], [1]]), sensitive_karate([[1, 0], [0, 2]]),
                   sensitive_karate([[0, 0], [1, 1]]), sensitive_karate([[0, 0], [1, 9]]),
                   sensitive_karate([[0.0], [1.0]]), sensitive_karate([[0, 0], [1, 99]])),
             generator=NO_GENERATOR, fraction=(*NO_SHARE, 0, 1, 0.01, 0.99)),
        dict(data="(data|sensitive)")),
    "attacks.ask": Entry(
        lambda **said: attacks.ask(attacks.degree_product, attacks.expose(sensitive_karate(), seeded(0)), **said),
        dict(degree=torch.arange(34)), dict(degree=(None, torch.arange(3)[None]))),
    "attacks.macro_f1": Entry(
        attacks.macro_f1, dict(scores=torch.tensor([0.9, 0.1, 0.8, 0.3]), linked=LINKED, threshold=0.5),
        dict(scores=(None, [0.1] * 4, torch.zeros(3), torch.full((4,), NAN)),
             linked=(None, [True] * 4, torch.tensor([1, 0, 1, 0]), LINKED | True), threshold=NO_NUMBER)),
    "attacks.best_threshold": Entry(
        attacks.best_threshold, dict(scores=torch.tensor([0.9, 0.1, 0.8, 0.3]), linked=LINKED),
        dict(scores=(None, [0.1] * 4, torch.zeros(3), torch.full((4,), NAN), torch.full((4,), INF)),
             linked=(None, [True] * 4, torch.tensor([1, 0, 1, 0]), LINKED | True))),
    **{f"attacks.{name}": Entry(getattr(attacks, name), dict(z=X, pairs=PAIRS), dict(z=NO_FEATURES, pairs=NO_PAIRS))
       for name in ("inner_product", "closeness")},
    **{f"attacks.{name}": Entry(getattr(attacks, name), dict(edge_index=PATH, num_nodes=3, pairs=PAIRS),
                                dict(edge_index=NO_EDGES, num_nodes=NO_SIZE, pairs=NO_PAIRS),
                                dict(num_nodes="(num_nodes|node)"))
       for name in ("shared_neighbours", "adamic_adar")},
    "attacks.local_paths": Entry(
        attacks.local_paths, dict(edge_index=PATH, num_nodes=3, pairs=PAIRS, weight=0.1),
        dict(edge_index=NO_EDGES, num_nodes=NO_SIZE, pairs=NO_PAIRS, weight=(*NO_NUMBER, -0.1, INF)),
        dict(num_nodes="(num_nodes|node)")),
    "attacks.mlp_links": Entry(
        attacks.mlp_links, dict(z=X, pairs=PAIRS, known=TOLD, linked=HALF, generator=seeded(0), steps=50),
        dict(z=NO_FEATURES, pairs=NO_PAIRS, known=(*NO_PAIRS, TOLD[:, 1:]), linked=NO_ANSWERS, generator=NO_GENERATOR,
             steps=(*NO_SIZE, 49)), dict(known="(known|linked)")),
    "attacks.train_on_pairs": Entry(
        attacks.train_on_pairs, dict(z=X, known=TOLD, linked=HALF, generator=seeded(0), steps=50),
        dict(z=NO_FEATURES, known=(*NO_PAIRS, TOLD[:, 1:]), linked=NO_ANSWERS, generator=NO_GENERATOR,
             steps=(*NO_SIZE, 49)), dict(known="(known|linked)")),
    "attacks.boosted_links": Entry(
        attacks.boosted_links, dict(z=X, pairs=PAIRS, known=TOLD, linked=HALF, generator=seeded(0), beside=()),
        dict(z=NO_FEATURES, pairs=NO_PAIRS, known=(*NO_PAIRS, TOLD[:, 1:]), linked=NO_ANSWERS,
             generator=NO_GENERATOR, beside=(3, None, "f")), dict(known="(known|linked)")),
    "attacks.hide_again": Entry(
        attacks.hide_again, dict(data=crawled(), count=12, generator=seeded(0)),
        dict(data=(*NO_GRAPH, toy(), karate()), count=(*NO_SIZE, 9, 99), generator=NO_GENERATOR)),
    "attacks.shadow_links": Entry(
        attacks.shadow_links, dict(z=X, pairs=PAIRS, shadow_z=X, shadow_pairs=TOLD, shadow_linked=HALF,
                                   generator=seeded(0), beside=(), shadow_beside=()),
        dict(z=NO_FEATURES, pairs=NO_PAIRS, shadow_z=NO_FEATURES, shadow_pairs=(*NO_PAIRS, TOLD[:, 1:]),
             shadow_linked=NO_ANSWERS, generator=NO_GENERATOR, beside=(3, [3], [len]), shadow_beside=(3, [len])),
        dict(shadow_pairs="(shadow_pairs|shadow_linked)")),
    "attacks.plant_sensitive": Entry(
        attacks.plant_sensitive, dict(data=sensitive_karate(), pairs=torch.tensor([[0], [33]]),
                                      present=torch.tensor([True])),
        dict(data=(*NO_GRAPH, toy()), present=(None, [True], torch.tensor([1]), torch.tensor([True, False])),
             pairs=(*NO_PAIRS, torch.tensor([[0], [1]]), torch.tensor([[33], [0]]))),
        dict(data="(data|sensitive)", pairs="(pairs|present)")),
    "attacks.canary_runs": Entry(
        attacks.canary_runs, dict(method=Nothing(), data=celebrated(), count=4, runs=20, generator=seeded(0),
                                  score=attacks.inner_product, progress=False),
        dict(method=(None, 3, "gae"), data=(*NO_GRAPH, toy()), count=(*NO_SIZE, 3, 99), runs=(*NO_SIZE, 19),
             generator=NO_GENERATOR, score=NO_FUNCTION, progress=NO_FLAG), dict(data="(data|sensitive)")),
    "attacks.canary_auc": Entry(
        attacks.canary_auc, dict(scores=torch.arange(80.0).view(20, 4), present=CHEQUERED, confidence=0.9),
        dict(scores=(None, [[1.0]], torch.zeros(20), torch.zeros(19, 4), torch.full((20, 4), NAN)),
             present=(None, CHEQUERED[1:], CHEQUERED.long(), CHEQUERED | True), confidence=NO_DELTA)),

    # mechanisms and methods: their constructors; their contracts have tests of their own
    "mechanisms.MultiBit": Entry(
        mechanisms.MultiBit, dict(epsilon=1.0, num_features=3, low=0.0, high=1.0, sampled=1),
        dict(low=([1.0], torch.ones(2), 2.0, (0.0,), (0.0, 0.0, 1.0), ()),
             high=(-1.0, np.ones(2), torch.tensor([1.0, 0.0, 1.0])), sampled=(4,))),
    "mechanisms.GRRFS": Entry(mechanisms.GRRFS, dict(epsilon=1.0, domain_sizes=(2, 3), sampled=1),
                              dict(sampled=(3,))),
    "mechanisms.RowNoise": Entry(
        lambda answer, generator, **said: mechanisms.RowNoise(**said)(answer, generator=generator),
        dict(epsilon=1.0, sensitivity=1.0, answer=X, generator=seeded(0)),
        dict(epsilon=NO_EPSILON, sensitivity=NOT_POSITIVE, answer=NO_FEATURES, generator=NO_GENERATOR),
        dict(answer="features")),
    "mechanisms.NoisyMean": Entry(
        lambda z, generator, **said: mechanisms.NoisyMean(**said)(z, generator=generator),
        dict(epsilon=1.0, delta=1e-5, clip=1.0, shots=3, z=X[None], generator=seeded(0)),
        dict(epsilon=NO_EPSILON, delta=NO_DELTA, clip=NOT_POSITIVE, shots=NO_SIZE, generator=NO_GENERATOR,
             z=(*NO_FEATURES, X[None, :2], X[None].long(), X[None] * NAN))),
    "mechanisms.NoisyMean.rows": Entry(
        mechanisms.NoisyMean(1.0, 1e-5).rows, dict(z=X, y=torch.arange(3), ways=3),
        dict(z=(*NO_FEATURES, X[:2]), y=(*NO_LABELS, Y), ways=(*NO_SIZE, 2, 4)),
        dict(z="(features|z)", y="(labels|y)", ways="(ways|y|labels)")),
    "methods.FederatedGAT": Entry(
        methods.FederatedGAT, dict(heads=2, hidden=4), dict(heads=(3,), hidden=(5,))),
    "methods.FedAvgGAT": Entry(methods.FedAvgGAT, dict(heads=2, hidden=4), dict(heads=(3,), hidden=(5,))),
    "methods.sizes_of": Entry(methods.sizes_of, dict(data=karate()), dict(data=NO_GRAPH)),
    "methods.extent_of": Entry(methods.extent_of, dict(data=karate()), dict(data=NO_GRAPH)),
    "methods.PrototypicalNetwork.learn": Entry(
        methods.PrototypicalNetwork(episodes=1).learn, dict(sample=draw_task, generator=seeded(0)),
        dict(sample=(None, 3, "f"), generator=NO_GENERATOR)),
    "methods.prototypes": Entry(
        methods.prototypes, dict(z=X, y=Y, ways=2),
        dict(z=(*NO_FEATURES, X[:2]), y=(*NO_LABELS, Y[:2], torch.tensor([0, 0, 0]), torch.tensor([0, 1, 2])),
             ways=(*NO_SIZE, 3)), dict(z="(features|x|y)", y="(labels|y)", ways="(ways|y)")),
    "methods.solve_all": Entry(methods.solve_all, dict(solver=SOLVER, tasks=[draw_task(seeded(0))]),
                               dict(solver=(None, 3, "f"), tasks=(None, 3, [PATHS], ["task"]))),
    "methods.task_accuracies": Entry(methods.task_accuracies, dict(solver=SOLVER, tasks=[draw_task(seeded(0))]),
                                     dict(solver=(None, 3, "f"), tasks=(None, 3, [PATHS], ["task"]))),
    "nn.GraphEncoder": Entry(
        nn.GraphEncoder, dict(num_features=2, layer="gat", widths=(3, 4), readout="mincut", clusters=2, dropout=0.1,
                              generator=seeded(0)),
        dict(num_features=NO_SIZE, layer=NO_NAME, widths=(None, 3, "32", (), (3,), (3, 0), (3, 2.5)), readout=NO_NAME,
             clusters=NO_SIZE, dropout=(*NO_SHARE, 1), generator=NO_GENERATOR)),
    "methods.mark_sensitive": Entry(
        methods.mark_sensitive, dict(data=toy(), degree=1, fraction=0.5, generator=seeded(0)),
        dict(data=NO_GRAPH, degree=(*NO_SIZE, 5), fraction=NO_RATE, generator=NO_GENERATOR)),
    "methods.sensitive_users": Entry(methods.sensitive_users, dict(data=toy(), degree=1),
                                     dict(data=NO_GRAPH, degree=(*NO_SIZE, 5))),
    "methods.without_links": Entry(methods.without_links, dict(data=toy(), pairs=PAIRS),
                                   dict(data=NO_GRAPH, pairs=NO_PAIRS)),
    "methods.without_users": Entry(methods.without_users, dict(data=toy(), users=torch.tensor([True, False, False])),
                                   dict(data=NO_GRAPH, users=(None, [True] * 3, torch.arange(3), HALF))),
    "methods.LabelsTimesDegree": Entry(
        lambda data, generator: methods.LabelsTimesDegree().embed(data, generator),
        dict(data=toy(), generator=seeded(0)), dict(data=NO_GRAPH, generator=NO_GENERATOR)),
    # what checks others
    "attacks.upload_similarity": Entry(attacks.upload_similarity, dict(uploads=X, pairs=PAIRS),
                                       dict(uploads=NO_UPLOADS, pairs=NO_PAIRS)),
    "attacks.alike_here": Entry(attacks.alike_here, dict(uploads=X, others=X[None], pairs=PAIRS),
                                dict(uploads=NO_UPLOADS, others=(None, X, X[None, :2], X[None] * NAN), pairs=NO_PAIRS)),
    "attacks.edgeless": Entry(attacks.edgeless, dict(uploads=X.expand(2, 3, 2), answers=X[None]),
                              dict(uploads=NO_UPLOADS, answers=(None, [1.0], X, X[None, :2], X[None] * NAN))),
    "attacks.neighbours_class": Entry(
        attacks.neighbours_class, dict(uploads=torch.eye(11), y=torch.arange(11) % 2, nodes=torch.arange(3), classes=Y),
        dict(uploads=NO_UPLOADS, y=(*NO_LABELS, Y), nodes=(*NO_NODES[:5], torch.tensor([0, 11])),
             classes=(*NO_LABELS, Y[:2])), called=dict(y="y|labels", classes="classes|labels")),
    "attacks.recover_others": Entry(attacks.recover_others, dict(answer=X, own=X, clients=2),
                                    dict(answer=(None, X.long(), X * NAN, X[:2]), own=(None, X[:2], X * NAN),
                                         clients=(*NO_SIZE, 1)), called=dict(answer="answer|own")),
    "attacks.recovered_similarity": Entry(
        attacks.recovered_similarity, dict(answer=X, own=X, pairs=PAIRS, clients=2),
        dict(answer=(None, X * NAN), own=(None, X[:2], X * NAN), pairs=NO_PAIRS, clients=(*NO_SIZE, 1))),
    "attacks.prototype_closeness": Entry(
        attacks.prototype_closeness, dict(published=X[:2], z=X, y=Y),
        dict(published=(*NO_FEATURES, X[:1], X[:, :1]), z=(*NO_FEATURES, X[:2]), y=(*NO_LABELS, Y[:2])),
        called=dict(published="published|labels", y="labels|y")),
    "attacks.support_membership": Entry(
        attacks.support_membership, dict(published=X[:2], z=X, y=Y, shots=1),
        dict(published=(*NO_FEATURES, X, X[:, :1]), z=(*NO_FEATURES, X[:2]), y=(*NO_LABELS, Y[:2]), shots=NO_SIZE),
        called=dict(published="published|y", y="labels|y")),
    "attacks.support_trials": Entry(
        attacks.support_trials, dict(z=X[[0, 0, 1, 1]], y=torch.tensor([0, 0, 1, 1]), shots=1, tasks=2,
                                     generator=seeded(0), attack=None, publish=methods.prototypes),
        dict(z=(*NO_FEATURES, X), y=(*NO_LABELS, Y), shots=(*NO_SIZE, 2), tasks=NO_SIZE, generator=NO_GENERATOR,
             attack=(3, "f", lambda: 0), publish=NO_FUNCTION), called=dict(y="labels|y")),
    "attacks.recover_support": Entry(
        attacks.recover_support, dict(published=X[:1], pool=X, shots=2, tolerance=1.0),
        dict(published=(*NO_FEATURES, X[:, :1]), pool=(*NO_FEATURES, X[:, :1]), shots=(*NO_SIZE, 4),
             tolerance=NOT_POSITIVE)),
    "attacks.ask_links": Entry(attacks.ask_links, dict(part=halved()[0], count=3, generator=seeded(0)),
                               dict(part=(*NO_GRAPH, toy()), count=(*NO_SIZE, 1), generator=NO_GENERATOR),
                               called=dict(part="part|data")),
    "attacks.ask_shared": Entry(
        attacks.ask_shared, dict(parts=halved(), client=0, count=3, generator=seeded(0), beside="elsewhere"),
        dict(parts=((toy(), toy()), [None, None]), client=(*NO_COUNT, 2), count=(*NO_SIZE, 1), generator=NO_GENERATOR,
             beside=NO_NAME), called=dict(parts="part|data")),
    "attacks.private_attributes": Entry(attacks.private_attributes, dict(part=halved()[0]),
                                        dict(part=(*NO_GRAPH, toy())), called=dict(part="part|data")),
    "attacks.private_canaries": Entry(
        attacks.private_canaries, dict(part=halved()[0], count=2, generator=seeded(0), kind="private-public"),
        dict(part=(*NO_GRAPH, toy()), count=(*NO_SIZE, 18), generator=NO_GENERATOR, kind=NO_NAME),
        called=dict(part="part|data")),
    "attacks.plant_private": Entry(
        attacks.plant_private, dict(part=halved()[0], pairs=CANARY, present=torch.tensor([True])),
        dict(part=(*NO_GRAPH, toy()), pairs=(*NO_PAIRS, torch.tensor([[0], [1]])),
             present=(None, [True], torch.tensor([1]), LINKED)), called=dict(part="part|data")),
    "attacks.bridge": Entry(attacks.bridge, dict(uploads=X, left=CANARIES, right=CANARIES),
                            dict(uploads=NO_UPLOADS, left=(*NO_PAIRS, torch.tensor([[1], [0]])),
                                 right=(*NO_PAIRS, torch.tensor([[0], [0]])))),
    "attacks.upload_canary_runs": Entry(
        attacks.upload_canary_runs,
        dict(see=lambda part, generator: torch.rand(part.num_public, 2, generator=generator), part=halved()[0],
             canaries=attacks.private_canaries(halved()[0], 2, seeded(0)), runs=20, generator=seeded(0),
             score=attacks.bridge, progress=False),
        dict(see=NO_FUNCTION, part=(*NO_GRAPH, toy()), canaries=(None, "two", PAIRS), runs=(*NO_SIZE, 19),
             generator=NO_GENERATOR, score=NO_FUNCTION, progress=NO_FLAG), called=dict(part="part|data")),
    "attacks.upload_audit": Entry(
        attacks.upload_audit, dict(scores=torch.arange(80.0).view(20, 4), present=CHEQUERED, confidence=0.9, delta=0.1),
        dict(scores=(None, torch.zeros(19, 4), torch.full((20, 4), NAN)), present=(None, CHEQUERED.long()),
             confidence=NO_DELTA, delta=(*NO_NUMBER, -0.1, 1.5))),
    "attacks.moved": Entry(attacks.moved, dict(before=X, after=X, clip=1.0),
                           dict(before=NO_FEATURES, after=(None, X[:2], X * NAN), clip=NOT_POSITIVE)),
    "attacks.noise_audit": Entry(
        attacks.noise_audit, dict(noisy=lambda rows, generator: rows, before=X, after=X + 1, runs=9,
                                  generator=seeded(0), confidence=0.9, delta=0.1, dare=0.5),
        dict(noisy=NO_FUNCTION, before=NO_FEATURES, after=(None, X[:2], X * NAN), runs=NO_SIZE, generator=NO_GENERATOR,
             confidence=NO_DELTA, delta=(*NO_NUMBER, -0.1, 1.5), dare=NO_RATE)),
    "attacks.check_attack": Entry(attacks.check_attack, dict(attack=attacks.inner_product),
                                  dict(attack=(None, 3, "inner-product"))),
    "audit.check_mechanism": Entry(
        audit.check_mechanism, dict(mechanism=mechanisms.RandomisedResponse(1.0, 2), runs=50, only="frozen"),
        dict(mechanism=(None, 3, "laplace"), runs=NO_SIZE, only=NO_NAME)),
    "methods.check_method": Entry(unless(dict(method=METHOD), methods.check_method), dict(method=METHOD),
                                  dict(method=(None, 3, "lpgnn", methods.LPGNN))),

    # audits, runs, comparisons, reports and pages
    "audit.Independent": Entry(
        audit.Independent, dict(mechanisms=(mechanisms.RandomisedResponse(1.0, 2),), split=tuple),
        dict(mechanisms=(None, 3, "rr", (None,), (3,)), split=(None, 3, "tuple", lambda: 0))),
    "audit.adjacent_pairs": Entry(
        audit.adjacent_pairs, dict(mechanism=mechanisms.NeighbourReplacement(1.0), data=toy()),
        dict(mechanism=(None, 3, mechanisms.SymmetricResponse(1.0)), data=(*NO_GRAPH, without("x"),
                                                                          without("edge_index"))),
        dict(data="(data|num_nodes|edge_index)")),
    "audit.everybody": Entry(
        audit.everybody, dict(mechanism=mechanisms.NeighbourReplacement(1.0), x=X),
        dict(mechanism=(None, 3, mechanisms.SymmetricResponse(1.0)), x=NO_FEATURES), dict(x="features")),
    "datasets.save_npz": Entry(
        datasets.save_npz, dict(data=toy(), path=os.path.join(tempfile.mkdtemp(), "toy.npz")),
        dict(data=(*NO_GRAPH, without("x"), without("y")), path=(None, 3, "", ".", "no/such/folder/a.npz"))),
    "evaluation.majority": Entry(evaluation.majority, dict(data=karate(), seed=0),
                                  dict(data=(*NO_GRAPH, without("y")), seed=(*NO_COUNT, 10**9))),
    "evaluation.plain": Entry(evaluation.plain, dict(backbone="gcn"), dict(backbone=(*NO_NAME, None))),
    "evaluation.references": Entry(unless(GOOD_REFERENCES, evaluation.references), GOOD_REFERENCES,
                                    dict(data=NO_RUN["data"], seeds=NO_SIZE, progress=NO_FLAG)),
    "evaluation.repeat": Entry(evaluation.repeat, RUN | dict(features="real", progress=False),
                                NO_RUN | dict(features=NO_NAME, progress=NO_FLAG)),
    "evaluation.run_once": Entry(
        evaluation.run_once, dict(method=METHOD, data=karate(), seed=0, features="real", progress=False),
        dict(method=NO_RUN["method"], data=NO_RUN["data"], seed=(*NO_COUNT, 10**9), features=NO_NAME,
             progress=NO_FLAG)),
    "mechanisms.beta_model": Entry(mechanisms.beta_model, dict(noisy=torch.tensor([1, 2, 1, 0])),
                                   dict(noisy=(None, [1, 2, 1], torch.tensor([1, 2]), torch.ones(3),
                                               torch.ones(3, 1, dtype=torch.long), torch.tensor([1, -1, 1]))),
                                   dict(noisy="(noisy|labels)")),
    "mechanisms.break_even": Entry(mechanisms.break_even, dict(num_nodes=10, mean_degree=2.0),
                                   dict(num_nodes=(*NO_COUNT, 0, 1), mean_degree=(*NO_NUMBER, 0, -1, 9, INF))),
    "mechanisms.dealt": Entry(mechanisms.dealt, dict(places=2, n=3, generator=seeded(0)),
                              dict(places=NO_SIZE, n=(None, -1, 1.5), generator=NO_GENERATOR)),
    "mechanisms.poisson_sample": Entry(mechanisms.poisson_sample, dict(rate=0.5, n=3, generator=seeded(0)),
                                       dict(rate=(None, 0, 2, NAN), n=(None, -1, 1.5), generator=NO_GENERATOR)),
    "mechanisms.name_of": Entry(mechanisms.name_of, dict(kind=mechanisms.Laplace),
                                dict(kind=(None, "laplace", mechanisms.Laplace(1.0), int))),
    "mechanisms.names_distribution": Entry(mechanisms.names_distribution, dict(slots=[{0: 0.5, 1: 0.5}]),
                                           dict(slots=NO_LIST)),
    "mechanisms.noisy": Entry(mechanisms.noisy, dict(draw=lambda self, x, *, generator: x),
                              dict(draw=(*NO_FUNCTION, lambda self, x: x))),
    "mechanisms.optimal_sampling": Entry(mechanisms.optimal_sampling, dict(epsilon=1.0, num_features=3),
                                         dict(epsilon=NO_EPSILON, num_features=NO_SIZE)),
    "mechanisms.posterior": Entry(
        mechanisms.posterior, dict(prior=torch.tensor([0.5]), ones=torch.tensor([1]), reports=2, epsilon=1.0),
        dict(prior=(None, 0.5, [0.5], torch.tensor([1.5]), torch.tensor([NAN])),
             ones=(None, 1, [1], torch.tensor([3]), torch.tensor([-1])), reports=(*NO_SIZE, ), epsilon=NO_EPSILON)),
    "methods.GraphPrivatizer": Entry(
        methods.GraphPrivatizer, dict(structure=mechanisms.SymmetricResponse(1.0)),
        dict(structure=(mechanisms.Laplace(1.0), mechanisms.RandomisedResponse(1.0, 2)))),
    **{f"methods.{name}": Entry(getattr(methods, name), dict(data=datasets.Categories((2, 2))(toy()),
                                                             generator=seeded(0)),
                                dict(data=NO_GRAPH if name == "real_features" else (
                                    *NO_GRAPH, without("edge_index" if name == "rewired_edges" else "x")),
                                     generator=NO_GENERATOR))
       for name in ("constant_features", "permuted_features", "random_categories", "real_features", "rewired_edges")},
    "methods.data_dependent_epsilon": Entry(
        methods.data_dependent_epsilon, dict(votes=torch.tensor([[5, 1], [3, 3]]), scale=1.0, delta=1e-5,
                                             orders=range(1, 4)),
        dict(votes=(None, [[5, 1]], torch.tensor([5, 1]), torch.tensor([[NAN, 1.0]]), torch.tensor([[-1, 3]])),
             scale=NOT_POSITIVE, delta=NO_DELTA, orders=(None, 3, (), (0,), (1.5,))),
        dict(votes="(votes|features)")),
    "nn.around": Entry(nn.around, dict(inputs=SAGE(generator=seeded(0)).prepare(X, PATH), node=1),
                       dict(inputs=(None, X, toy()), node=(*NO_COUNT, 3))),
    "privacy.find_guarantee": Entry(
        privacy.find_guarantee,
        dict(guarantees=(privacy.Guarantee(1.0, unit="label"),), unit="label", relation="replace"),
        dict(guarantees=(*NO_LIST, privacy.Guarantee(1.0), ()), unit=(*NO_NAME, None), relation=(*NO_NAME, "")),
        dict(guarantees="(guarantees|guarantee)")),
}


@pytest.mark.parametrize("name", TABLE)
def test_what_is_good_is_taken_and_bad_inputs_are_refused_by_name(name):
    found = faults(TABLE[name])
    assert found == [], "\n".join(found)


def test_there_are_many():
    assert sum(len(values) for entry in TABLE.values() for values in entry.bad.values()) >= 300


# Why a public name has no entry above. 
EXCUSED = {
    "a constant or a type of a field":
        "attacks.BELIEFS attacks.DISTANCES attacks.LIES attacks.LOW_AND_HIGH "
        "audit.relations audit.statistical datasets.CARDS datasets.LETTERS "
        "datasets.PRINTED datasets.PRINTED_SETS datasets.SETS "
        "mechanisms.MOST_PAIRS methods.CONTROLS "
        "nn.BACKBONES nn.REFERENCE privacy.ORDERS privacy.RANDOMNESS "
        "",
    "what a function returns, not made by readers":
        "attacks.Accused attacks.CostOfLies "
        "attacks.AttackResult attacks.CanaryRuns attacks.Exposure attacks.NodePairs attacks.Planted attacks.Reached "
        "datasets.Task attacks.Attributes attacks.Moved attacks.Others attacks.Recovered attacks.Shadow "
        "attacks.UploadCanaries "
        "audit.AdjacentPairs audit.CheckReport audit.Leak "
        "audit.WorstCase datasets.Card datasets.SetCard "
        ""
        "mechanisms.EdgeReport mechanisms.OpenReport mechanisms.Slots mechanisms.Tape mechanisms.AuditCase "
        "methods.BudgetFile methods.BudgetSpent methods.Evaluation methods.CuratedModel methods.CuratedRelease "
        "methods.FederatedModel methods.LinearProbe methods.NetworkModel methods.Rounds methods.TaskModel "
        "methods.TeacherScores methods.Model methods.InductiveModel methods.LPGNNRelease methods.QueryRelease "
        "methods.RGNNRelease methods.Release methods.Round nn.Dense nn.Factored nn.GraphInput nn.History "
        "nn.Interval privacy.Answer privacy.Bracket",
    "an exception":
        "audit.CheckFailed datasets.DatasetUnavailable mechanisms.TapeEnded mechanisms.TooManyPairs",
    "takes whatever comes: any mechanism and any output":
        "mechanisms.certain",
    "without arguments":
        "datasets.cache_folder datasets.default "
        "mechanisms.all_mechanisms methods.all_methods "
        "",
    "a base to inherit from":
        "mechanisms.EdgeMechanism mechanisms.GraphMechanism mechanisms.Mechanism methods.Client methods.Curated "
        "methods.Distilled "
        "methods.Embedding methods.Embeddings methods.FewShot methods.Federation methods.Local methods.Method "
        "methods.Server methods.Training privacy.DominatingPair",
    "has a test of its own for what it refuses":
        "datasets.check_file datasets.from_npz datasets.from_file datasets.from_dgl "
        "datasets.read_npz datasets.download "
        "methods.load methods.budget_file "
        "federate.TLSFiles federate.alone federate.join federate.listen federate.load_part "
        "federate.save_parts federate.serve",
}


def test_every_public_name_is_tried_or_excused():
    rooms = {room: importlib.import_module(f"privgraph.{room}") for room in ROOMS}
    public = {f"{room}.{name}" for room, module in rooms.items() for name in module.__all__}
    tried = {name.split(" of ")[0] for name in TABLE}
    # test_parameters finds and tries them
    parameters = {f"{room}.{name}" for room, module in rooms.items() for name in module.__all__
                  if isinstance(thing := getattr(module, name), type) and kinds_of(thing)}
    excused = [name for names in EXCUSED.values() for name in names.split()]
    assert public - tried - parameters - set(excused) == set(), "try bad inputs, or say why not"
    assert set(excused) <= public - tried and len(set(excused)) == len(excused)
