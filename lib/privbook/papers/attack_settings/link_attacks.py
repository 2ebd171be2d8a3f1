"""LinkTeller (Wu et al. 2022) and Attacks 0 to 7 of link stealing (He et al. 2021), beside who sees public things only.

The network is a GCN on true features and labels. It uses all edges as they are (``edges="open"``), or those that a
sound mechanism reports at a true budget of an undirected edge (``edges="symmetric"``), or none (``edges="none"``): what
is found there, no edge has leaked.

Everybody is asked about the same 500 edges and 500 other pairs. LinkTeller is also asked as its authors ask, about all
pairs among 500 nodes of all degrees, of low and of high ones, and so are Attack-0 and the features. Half of the shadow
data set's and of the known pairs are edges, 500 of each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor
from torch_geometric.data import Data

from privgraph import attacks
from privgraph.attacks import BELIEFS, LOW_AND_HIGH, NodePairs, evaluate_attack, pairs_among, sample_pairs
from privgraph.datasets import split
from privgraph.graph import contains, degrees
from privgraph.mechanisms import SymmetricResponse
from privgraph.methods import LPGNN, GraphPrivatizer, Model, NodeClassifier
from privgraph.nn import REFERENCE, Dense, GraphInput, accuracy
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment, graph

PAIRS, NODES, USUAL = 500, 500, 2000
SHADOW = {"cora": "citeseer"}  # the attacker's own graph
CLASSES = ("all", "low", "high")  # of degrees
SCORED = ("linkteller", "posteriors", "features")  # of all pairs among some nodes
STEALING = tuple(f"attack_{number}" for number in range(8))
NULLS = ("features", "centred", "degrees", "reference")
AUCS = ("linkteller", "both", "evidence", *STEALING, *NULLS)
METRICS = ("accuracy", *AUCS, *(f"tpr_{name}" for name in AUCS), "queried", "queried_apart", *(
    f"{what}_{name}_{kind}" for name in SCORED for kind in CLASSES for what in ("among", "precision", "recall", "f1")),
    *(f"{what}_{belief:g}" for belief in BELIEFS for what in ("precision", "recall", "f1")), "density")
FREE = dict(x_steps=0, y_steps=0)  # nothing is averaged before the network


def method_of(edges: str, budget: float) -> LPGNN:
    """The network: features and labels are public, edges as it says."""
    if edges == "symmetric":
        return GraphPrivatizer.as_published("gcn", math.inf, math.inf, **FREE,
                                            structure=SymmetricResponse.for_edge(budget))
    return LPGNN.as_published(REFERENCE if edges == "none" else "gcn", math.inf, math.inf, **FREE)


class Target:
    """A graph, the network trained on it, and one that was trained without edges."""

    def __init__(self, data: Data, method: LPGNN, seed: int, own: str = "learn"):
        self.data = split(data, stream("split", seed))
        self.release = method.collect(self.data, stream("collect", seed))
        self.fitted: Model = method.learn(self.release, stream(own, seed))
        self.posteriors = self.fitted.predict_proba()
        nodes = self.data.train_mask.nonzero()[:, 0]
        self.reference = NodeClassifier("mlp").fit(data.x, data.edge_index[:, :0], nodes, data.y[nodes],
                                                   data.num_classes, stream("shadow", seed)).predict_proba()

    def pairs(self, seed: int) -> NodePairs:
        return sample_pairs(self.data.edge_index, self.data.num_nodes, PAIRS, stream("pairs", seed))

    def linkteller(self, pairs: Tensor, both: bool = False) -> Tensor:
        return attacks.linkteller(self.fitted.model, self.data.x, self.release.edge_index, pairs, both=both)

    def queried(self, pairs: Tensor) -> Tensor:
        """By queries of an interface that keeps its graph's matrix at hand."""
        model, edge_index = self.fitted.model, self.release.edge_index
        matrix = model.prepare(self.data.x, edge_index).matrix
        def service(x: Tensor, _: Tensor) -> Tensor:
            return model.eval()(GraphInput(edge_index, Dense(x, matrix), matrix))
        return attacks.queried_influence(service, self.data.x, edge_index, pairs)

    def posterior(self, pairs: Tensor) -> Tensor:
        return attacks.posterior_similarity(self.posteriors, pairs)


def link_attacks_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """AUC and TPR at 1% false positives of everybody, precision, recall and F1 at the true density; in percent."""
    method = method_of(setting["edges"], setting["budget"])
    target = Target(graph(setting["dataset"])[0], method, seed)
    # The shadow's graph is looked for first, as only the last one that was asked for is kept.
    own = Target(graph(SHADOW[setting["dataset"]])[0], method, seed)
    sample = target.pairs(seed)
    scores = {name: score(sample.pairs) for name, score in attackers(target, own, sample, seed).items()}
    found = {name: evaluate_attack(each, sample.linked) for name, each in scores.items()}
    right = accuracy(target.posteriors, target.data.y, target.data.test_mask)
    return {"accuracy": right, **{name: 100 * each.auc for name, each in found.items()},
            **{f"tpr_{name}": 100 * each.tpr_at_1_fpr for name, each in found.items()}, **among(target, seed)}


def attackers(target: Target, own: Target, sample: NodePairs, seed: int) -> dict[str, Callable[[Tensor], Tensor]]:
    """Everybody, by name: from pairs to scores."""
    data, part, lesson = target.data, other_pairs(target, sample, seed), own.pairs(seed)
    features, posteriors = partial(attacks.feature_similarity, data.x), dict(posteriors=target.posteriors)
    known = dict(known=part.pairs, linked=part.linked)
    shadow = dict(shadow_posteriors=own.posteriors, shadow_pairs=lesson.pairs, shadow_linked=lesson.linked)
    seen, seen_of_shadow = dict(reference=target.reference, x=data.x), dict(shadow_reference=own.reference,
                                                                          shadow_x=own.data.x)
    given = {1: shadow, 3: known, 4: known | shadow, 5: seen | shadow | seen_of_shadow, 6: seen | known,
             7: seen | known | shadow | seen_of_shadow}
    stealing = {f"attack_{number}": partial(getattr(attacks, f"link_stealing_{number}"), **posteriors, **what,
                                            generator=stream("attacker", seed)) for number, what in given.items()}
    stealing["attack_2"] = partial(attacks.link_stealing_2, target.posteriors, target.reference)
    return {"linkteller": target.linkteller, "both": partial(target.linkteller, both=True),
            "evidence": partial(evidence, [target.posterior, features], data.num_nodes, seed),
            "attack_0": target.posterior, **{name: lambda pairs, steal=steal: steal(pairs=pairs)
                                             for name, steal in stealing.items()},
            "features": features, "centred": partial(features, centred=True),
            "degrees": partial(attacks.degree_product, degrees(data.edge_index, data.num_nodes)),
            "reference": partial(attacks.posterior_similarity, target.reference)}


def evidence(scores: list[Callable[[Tensor], Tensor]], num_nodes: int, seed: int, pairs: Tensor) -> Tensor:
    """The sum of two attackers' evidence."""
    usual = torch.randint(num_nodes, (2, USUAL), generator=stream("classifiers", seed))
    usual = usual[:, usual[0] != usual[1]]
    return attacks.sum_of_evidence(*(torch.stack([score(asked) for score in scores]) for asked in (pairs, usual)))


def other_pairs(target: Target, sample: NodePairs, seed: int) -> NodePairs:
    """500 edges and 500 other pairs whose answers are known: what is asked about is not among them."""
    data = target.data
    drawn = sample_pairs(data.edge_index, data.num_nodes, 2 * PAIRS, stream("queries", seed))
    both = torch.cat([sample.pairs, sample.pairs.flip(0)], 1)
    free = (~contains(both, drawn.pairs, data.num_nodes)).nonzero()[:, 0]
    kept = torch.cat([free[drawn.linked[free] == kind][:PAIRS] for kind in (True, False)]).sort().values
    return NodePairs(drawn.pairs[:, kept], drawn.linked[kept])


def among(target: Target, seed: int) -> dict[str, float]:
    """All pairs among 500 nodes of each class of degrees; LinkTeller at five assumed densities, and by queries."""
    data, found, (low, high) = target.data, {}, LOW_AND_HIGH[target.data.name]
    bounds = {"all": (0, None), "low": (0, low), "high": (high, None)}
    scored = {"linkteller": target.linkteller, "posteriors": target.posterior,
              "features": partial(attacks.feature_similarity, data.x)}
    for kind in CLASSES:
        sample = pairs_among(data.edge_index, data.num_nodes, NODES, stream("canaries", seed), *bounds[kind])
        for name, score in scored.items():
            scores = score(sample.pairs)
            found |= {f"among_{name}_{kind}": 100 * evaluate_attack(scores, sample.linked).auc}
            found |= judged(scores, sample.linked, 1.0, f"{name}_{kind}")
            if (name, kind) == ("linkteller", "all"):
                found |= at_densities(scores, sample) | by_queries(target, scores, sample)
    return found


def at_densities(scores: Tensor, sample: NodePairs) -> dict[str, float]:
    """What is found by assuming 1/4 to 4 times the true density, which is given in pairs of 10,000."""
    found = {"density": 10_000 * float(sample.linked.double().mean())}
    for belief in BELIEFS:
        found |= judged(scores, sample.linked, belief, f"{belief:g}")
    return found


def by_queries(target: Target, exact: Tensor, sample: NodePairs) -> dict[str, float]:
    """The AUC by two passes, and how far its F1 is from that of exact derivatives."""
    asked = target.queried(sample.pairs)
    f1 = [attacks.accuse(scores, sample.linked).f1 for scores in (asked, exact)]
    return {"queried": 100 * evaluate_attack(asked, sample.linked).auc, "queried_apart": 100 * abs(f1[0] - f1[1])}


def judged(scores: Tensor, linked: Tensor, belief: float, name: str) -> dict[str, float]:
    result = attacks.accuse(scores, linked, belief)
    return {f"{what}_{name}": 100 * getattr(result, what) for what in ("precision", "recall", "f1")}


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    yield 5, [setting(edges="open"), *(setting(edges="symmetric", budget=budget) for budget in (8.0, 6.0)),
              setting(edges="none")]


EXPERIMENT = Experiment("attack-links", 1, {"edges": str, "budget": 0.0}, METRICS, grid, link_attacks_run,
                        dataset="cora", title="LinkTeller and link stealing as their authors run them (chapter 4)")
