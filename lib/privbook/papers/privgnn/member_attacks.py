"""Chapters 4 and 9: who was in the training set of a network, and of a PrivGNN student?

``private``: private nodes against public ones, by one shadow model (the paper's Attack-1). The two groups also differ
in their classes and their graphs, so the same attack is run on a *stranger*, a network that saw neither group.
``queries``: labelled public nodes against the others (Attack-2).
``coin``: one pool of nodes, a coin for each says whether it is a member; by the likelihood ratio of many shadow models.
Here members and others differ in nothing else.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import torch
from torch import Tensor
from torch_geometric.data import Data

from privgraph.attacks import confidence, evaluate_attack, likelihood_ratio, shadow_attack
from privgraph.datasets import induced
from privgraph.methods import NodeClassifier, PrivGNN
from privgraph.nn import accuracy
from privgraph.randomness import draw_seed, seeded
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment, graph
from .tables import EXPERIMENT as TABLES
from .tables import SEEDS, answers, method_of, parts

DATASET = "amazon-computers"
POOL, PUBLIC = 5000, 6000  # nodes of the coin attack; and of its students' public graph
SHADOWS = {"sage": 32, "mlp": 32, "student": 8}
STUDENT = dict(rate=0.03, num_queries=200, neighbours=None)
STUDENT_LAMBDAS = (0.8, 3.0)  # about .6 and 7 by the tight accountant, at delta 1e-4


def membership_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """AUC and true positive rate at 1% false positives, in percent, and the target's accuracy."""
    return {"private": on_private, "queries": on_queries, "coin": on_coin}[setting["attack"]](setting, seed, cache)


def result(scores: Tensor, member: Tensor, right: float) -> dict[str, float]:
    found = evaluate_attack(scores, member)
    return {"auc": 100 * found.auc, "tpr": 100 * found.tpr_at_1_fpr, "accuracy": right}


def on_private(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Attack-1. The attacker's own graph is what the private and the public one leave."""
    private, public = parts(DATASET, seed)
    ours, others = (induced(graph(DATASET)[0], nodes) for nodes in outsiders(private, public, seed))
    generator = stream("attack", seed)
    shadow = whole(ours, generator)
    asked = [shadow.predict_proba(), shadow.predict_proba(others)]
    target = {"b1": lambda: whole(private, generator), "stranger": lambda: shadow,
              "student": lambda: student(setting, seed, cache, generator)[0]}[setting["target"]]()
    answered = [target.predict_proba(part) for part in (private, public)]
    scores = shadow_attack(torch.cat(asked), sides(asked), torch.cat(answered), generator)
    return result(scores, sides(answered), accuracy(answered[1], public.y, public.test_mask))


def on_queries(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Attack-2. The shadow is a student of the attacker's own, on her graph, with true labels."""
    private, public = parts(DATASET, seed)
    own, generator = induced(graph(DATASET)[0], torch.cat(outsiders(private, public, seed))), stream("queries", seed)
    labelled = torch.randperm(own.num_nodes, generator=generator)[:own.num_nodes * 1000 // public.num_nodes]
    shadow = NodeClassifier().fit(own.x, own.edge_index, labelled, own.y[labelled], own.num_classes, generator)
    fitted, release = student(setting, seed, cache, generator)
    member = torch.zeros(public.num_nodes, dtype=torch.bool).index_fill(0, release.queries, True)
    known = torch.zeros(own.num_nodes, dtype=torch.bool).index_fill(0, labelled, True)
    answered = fitted.predict_proba()
    return result(shadow_attack(shadow.predict_proba(), known, answered, generator), member,
                  accuracy(answered, public.y, public.test_mask))


def on_coin(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """The likelihood ratio; target and shadow models are made alike, each from its own coins over the pool."""
    data, generator = graph(DATASET)[0], stream("coin", seed)
    order = torch.randperm(data.num_nodes, generator=generator)
    pool, public = induced(data, order[:POOL]), induced(data, order[POOL:POOL + PUBLIC])
    public.train_mask = torch.arange(PUBLIC) < PUBLIC // 2
    count = SHADOWS[setting["target"]] + 1
    member = torch.rand(count, POOL, generator=generator) < 0.5
    seeds = [draw_seed(generator) for _ in range(count)]
    if setting["target"] == "student":
        models = [pipeline(setting, induced(pool, own.nonzero().view(-1)), public, seeded(s))
                  for own, s in zip(member, seeds, strict=True)]
    else:
        models = [whole(induced(pool, own.nonzero().view(-1)), seeded(s), setting["target"])
                  for own, s in zip(member, seeds, strict=True)]
    answered = [model.predict_proba(pool) for model in models]
    known = torch.stack([confidence(each, pool.y) for each in answered])
    others = accuracy(answered[0], pool.y, ~member[0])
    told = member[1:].any(0) & ~member[1:].all(0)  # with few shadow models some nodes are in all of them, or in none
    return result(likelihood_ratio(known[0, told], known[1:, told], member[1:, told]), member[0, told], others)


def outsiders(private: Data, public: Data, seed: int) -> tuple[Tensor, Tensor]:
    """Nodes that neither graph holds, in two random halves."""
    free = torch.ones(graph(DATASET)[0].num_nodes, dtype=torch.bool)
    free[torch.cat([private.n_id, public.n_id])] = False
    rest = free.nonzero().view(-1)
    return rest[torch.randperm(len(rest), generator=stream("outsiders", seed))].tensor_split(2)


def whole(data: Data, generator: torch.Generator, kind: str = "sage"):
    """A network trained on all nodes of a graph."""
    return NodeClassifier(kind).fit(data.x, data.edge_index, torch.arange(data.num_nodes), data.y, data.num_classes,
                                    generator)


def student(setting: dict, seed: int, cache: Cache, generator: torch.Generator):
    """A PrivGNN student with 1,000 queries as in Table 5, and its release. Without noise the labels are the teachers'
    (``teachers``), those of B1, which saw all of the private graph (``b1``), or the true ones (``none``).
    """
    private, public = parts(DATASET, seed)
    noise = setting["noise"]
    whole = TABLES.setting(dataset=DATASET, method="privgnn", noise=noise if noise in NOISES else "gumbel",
                           lam=setting["lam"],
                           queries=1000, neighbours=750, rate=0.3)
    method, found = method_of(whole), answers(whole, seed, cache)
    release = method.answer(found, public, stream("collect", seed))
    if noise not in NOISES:
        labels = {"teachers": lambda: found.scores.argmax(1), "none": lambda: public.y[found.queries],
                  "b1": lambda: named_by_b1(private, public, generator)[found.queries]}[noise]()
        release = replace(release, labels=labels, budget=None)
    return method.learn(release, generator), release


def named_by_b1(private: Data, public: Data, generator: torch.Generator) -> Tensor:
    """Labels without noise by one network that saw all private nodes."""
    return whole(private, generator).predict_proba(public).argmax(1)


def pipeline(setting: dict, private: Data, public: Data, generator: torch.Generator):
    """A small PrivGNN from private nodes to a student, or one with B1 for a teacher and no noise."""
    method = PrivGNN(scale=1 / setting["lam"], **STUDENT)
    if setting["noise"] == "b1":
        queries = method.choose_queries(private, public, generator)
        labels = named_by_b1(private, public, generator)[queries]
        return NodeClassifier().fit(public.x, public.edge_index, queries, labels, public.num_classes, generator)
    return method.learn(method.collect(private, public, generator), generator)


def sides(pair: list[Tensor]) -> Tensor:
    """True for the rows of the first, False for those of the second."""
    return torch.arange(sum(map(len, pair))) < len(pair[0])


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    yield SEEDS, [setting(attack="private", target=name) for name in ("b1", "stranger")]
    yield SEEDS, [setting(attack="private", target="student", noise=noise) for noise in ("b1", "teachers", *NOISES)]
    yield SEEDS, [setting(attack="private", target="student", noise="laplace", lam=0.1)]
    yield SEEDS, [setting(attack="queries", target="student", noise=noise) for noise in ("none", "teachers", *NOISES)]
    yield 3, [*(setting(attack="coin", target=kind) for kind in ("sage", "mlp")),
              setting(attack="coin", target="student", noise="b1"),
              *(setting(attack="coin", target="student", noise="gumbel", lam=lam) for lam in STUDENT_LAMBDAS)]


NOISES = ("laplace", "gumbel", "log-laplace")
EXPERIMENT = Experiment(
    "membership", 1, {"attack": str, "target": str, "noise": "none", "lam": 1.0}, ("auc", "tpr", "accuracy"), grid,
    membership_run, dataset=DATASET, title="Membership attacks on networks and PrivGNN students (chapters 4 and 9)")
