"""Who was trained on: the likelihood ratio of Carlini et al. (2022) on-line and offline, with deviations of all nodes
or of each node's own, beside simpler attackers and a null.

Members are drawn by coins. Target and shadow models are trained alike, each on its own members, their labels and the
edges among them, and asked about everybody on the whole graph. The null asks a *stranger*, a network of other coins,
and is judged by the target's members: whoever finds something there has not found membership.

``network`` is GraphSAGE without privacy, or the perceptron of DP-SGD at a budget of a node (0: none).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor
from torch_geometric.data import Data

from privgraph.attacks import confidence, evaluate_attack, likelihood_ratio, offline_likelihood, shadow_attack
from privgraph.datasets import induced
from privgraph.methods import DPSGD, Model, NodeClassifier
from privgraph.nn import accuracy
from privgraph.randomness import draw_seed, seeded
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment, graph

SHADOWS, EPOCHS, DELTA = (16, 64), 100, 1e-5
ATTACKS = ("bar", "one_shadow", "online", "online_own", "offline", "offline_own")
MEASURES = ("auc", "tpr")


def likelihoods_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """AUC and TPR at 1% false positives of each attack and of each on a stranger, in percent."""
    data, generator, count = graph(setting["dataset"])[0], stream("coin", seed), setting["shadows"]
    member = torch.rand(count + 2, data.num_nodes, generator=generator) < 0.5
    seeds = [draw_seed(generator) for _ in member]
    answered = [trained(setting, induced(data, own.nonzero()[:, 0]), each).predict_proba(data)
                for own, each in zip(member, seeds, strict=True)]
    of_others = accuracy(answered[0], data.y, ~member[0])
    counts = member[2:].sum(0)
    told = (counts >= 2) & (counts <= count - 2)
    found = {"accuracy": of_others, "gap": accuracy(answered[0], data.y, member[0]) - of_others}
    for asked, name in ((answered[0], ""), (answered[1], "_null")):
        for attack, scores in scored(asked, answered[2:], member[2:], data.y, told, seed):
            result = evaluate_attack(scores, member[0, told])
            found |= {f"{attack}{name}_auc": 100 * result.auc, f"{attack}{name}_tpr": 100 * result.tpr_at_1_fpr}
    return found


def trained(setting: dict, own: Data, seed: int) -> Model:
    """A network that has seen the members alone, all of them with their labels."""
    generator = seeded(seed)
    if setting["network"] == "sage":
        return NodeClassifier(epochs=EPOCHS).fit(own.x, own.edge_index, torch.arange(own.num_nodes), own.y,
                                                 own.num_classes, generator)
    own.train_mask = torch.ones(own.num_nodes, dtype=torch.bool)
    own.val_mask = ~own.train_mask
    method = DPSGD(setting["budget"] or math.inf, DELTA)
    return method.learn(method.train(own, generator), generator)


def scored(asked: Tensor, shadows: list[Tensor], member: Tensor, y: Tensor, told: Tensor,
           seed: int) -> Iterator[tuple[str, Tensor]]:
    """(attack, scores) of the nodes that enough shadow models had, and enough had not."""
    target, known = confidence(asked, y)[told], torch.stack([confidence(each, y)[told] for each in shadows])
    yield "bar", target
    yield "one_shadow", shadow_attack(shadows[0], member[0], asked, stream("attacker", seed))[told]
    for name, attack in (("online", likelihood_ratio), ("offline", offline_likelihood)):
        for variance, ending in (("shared", ""), ("own", "_own")):
            yield f"{name}{ending}", attack(target, known, member[:, told], variance)


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    yield 3, [*(setting(network="sage", shadows=shadows) for shadows in SHADOWS), setting(network="dpsgd"),
              setting(network="dpsgd", budget=8.0)]


EXPERIMENT = Experiment(
    "attack-members", 1, {"network": str, "budget": 0.0, "shadows": SHADOWS[0]},
    ("accuracy", "gap", *(f"{attack}{null}_{measure}" for attack in ATTACKS for null in ("", "_null")
                          for measure in MEASURES)), grid, likelihoods_run, dataset="cora",
    title="Membership by likelihood ratios, on-line and offline, with and without DP-SGD (chapter 4)")
