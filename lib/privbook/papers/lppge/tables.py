"""Chapter 10: what an attacker finds in the vectors of each defence, and what they are good for.

The dissertation's Tables 3.2, 3.3 and A.3 to A.8 (the metrics ``mlp_others_f1``, ``mlp_sensitive_f1``, ``node_mlp``,
``node_svm``), and the same vectors before other attackers, asked about other pairs. Then what a defence has above its
parts, above noise, and above what needs no defence at all; what it is worth where only some sensitive links are
chosen; and GAE as its authors judge it, a check of what everything else here is built on.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from sklearn.metrics import average_precision_score
from torch import Tensor

from privgraph.attacks import Exposure, evaluate_attack, inner_product
from privgraph.datasets import split_links
from privgraph.graph import contains, to_undirected
from privgraph.methods.embedding_controls import Noised
from privgraph.methods.gae import GAE
from privgraph.methods.sensitive import without_links
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment, graph
from .defences import SEEDS, method, owned
from .metrics import METRICS, attack, exposed, measure

PRINTED = ("gae", "gae-rm", "lppge-t", "lppge-a", "npge", "dpne")
WALKS = ("deepwalk",)  # on small graphs only
SMALL, LARGE = ("cora", "citeseer"), ("fb100-yale", "fb100-rochester")
SHARES = (0.25, 0.5, 0.75)


def tables_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """Embed once, and measure everything about these vectors."""
    data = owned(setting["dataset"], seed, setting["share"])
    z = method(setting["defence"], setting["dataset"]).embed(data, stream("learn", seed)).z
    return measure(z, data, seed)


def tables_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Three seeds of the main tables, then ten of the small graphs, then parts of the sensitive links."""
    for dataset in (*SMALL, *LARGE):
        yield 3, [setting(dataset=dataset, defence=name) for name in PRINTED]
    for dataset in SMALL:
        yield SEEDS[dataset], [setting(dataset=dataset, defence=name) for name in (*PRINTED, *WALKS)]
    for dataset in (*SMALL, *LARGE):
        yield SEEDS[dataset], [setting(dataset=dataset, defence=name, share=share)
                               for share in SHARES for name in PRINTED]


EXPERIMENT = Experiment(
    "lppge", 1, {"defence": str, "share": 1.0}, METRICS, tables_grid, tables_run,
    title="LPPGE and what it is compared with, attacked and used (chapter 10)")

PARTS = ("drop-users", "bottleneck", "permuted", "no-discriminator", "alpha-0", "alpha-0-permuted", "features",
         "labels-degree")
NOISE = (0.5, 1.0, 2.0, 4.0)  # in deviations of the vectors
CODE, CODES = 4, (2, 8, 16)  # widths of Z': the printed one, which the tables have, and others


def controls_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """As the tables, with noise on the vectors, or another width of the code."""
    data, defence = owned(setting["dataset"], seed), method(setting["defence"], setting["dataset"])
    if setting["code"] != CODE:
        defence = replace(defence, code=setting["code"])
    if setting["noise"]:
        defence = Noised(defence, setting["noise"])
    # Published degrees: those without the sensitive links.
    published = without_links(data, data.sensitive) if setting["defence"] == "labels-degree" else data
    return measure(defence.embed(published, stream("learn", seed)).z, data, seed)


def controls_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Cora first; dropping the links of sensitive users and noise also where runs take long."""
    def parts(dataset: str) -> list[dict]:
        return [*(setting(dataset=dataset, defence=name) for name in PARTS),
                *(setting(dataset=dataset, defence="gae-rm", noise=noise) for noise in NOISE)]

    def codes(dataset: str) -> list[dict]:
        return [setting(dataset=dataset, defence="lppge-t", code=code) for code in CODES]
    for dataset in SMALL:
        yield 3, [*parts(dataset), *codes(dataset)]
    for dataset in LARGE:
        yield SEEDS[dataset], parts(dataset)
    for dataset in SMALL:
        yield SEEDS[dataset], [*parts(dataset), *codes(dataset)]


CONTROLS_EXPERIMENT = Experiment(
    "lppge-controls", 1, {"defence": str, "noise": 0.0, "code": CODE}, METRICS, controls_grid, controls_run,
    title="What LPPGE has above its parts, above noise and above deletion (chapter 10)")

LEVELS = (0.0, *NOISE)  # of noise


def at_equal_use(tables, controls, defence: str, dataset: str, metric: str,
                 use: str = "mlp_others_f1") -> dict[int, tuple[float, float]]:
    """What noise hides at the price of a defence: seed -> (noise, ``metric`` of the defence minus that of GAE_RM with
    this noise), where ``use`` is the same.

    Between two levels of noise that were run both metrics are taken to change evenly. Seeds are left out of which not
    all levels were run, and those where the defence is of more use than no noise leaves, or of less than the most.

    :param tables: the ``Results`` of the experiment lppge.
    :param controls: those of lppge-controls.
    """
    def of_noise(name: str) -> list[dict[int, float]]:
        noisy = [controls.values(name, dataset=dataset, defence="gae-rm", noise=level, code=CODE) for level in NOISE]
        return [tables.values(name, dataset=dataset, defence="gae-rm", share=1.0), *noisy]

    uses, found = of_noise(use), of_noise(metric)
    own, reached = (tables.values(name, dataset=dataset, defence=defence, share=1.0) for name in (use, metric))
    gaps = {}
    for seed in set(own).intersection(*uses):
        falling = np.maximum.accumulate([-level[seed] for level in uses])  # where all is lost, use goes up and down
        if falling[0] <= -own[seed] <= falling[-1]:
            noise, there = (float(np.interp(-own[seed], falling, values))
                            for values in (LEVELS, [level[seed] for level in found]))
            gaps[seed] = noise, reached[seed] - there
    return dict(sorted(gaps.items()))


# Where only some links between sensitive users are chosen, whether these are hidden better than the rest. Section
# 3.4.4 asks about the chosen ones alone. Here both are set beside the same unconnected pairs of sensitive users, and
# the attacker is told of none of them.
DEFENCES, ATTACKERS, ASKED = ("gae", "gae-rm", "lppge-t", "lppge-a"), ("mlp", "trees", "inner"), ("chosen", "rest")


def customised_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """AUC of three attackers in percent, of the chosen links and of the rest."""
    data = owned(setting["dataset"], seed, setting["share"])
    z = method(setting["defence"], setting["dataset"]).embed(data, stream("learn", seed)).z
    asked = parted(exposed(owned(setting["dataset"], seed), seed), data.sensitive, data.num_nodes)
    return {f"{name}_{part}_auc": 100 * reached.result.auc
            for name in ATTACKERS for part, reached in attack(name, z, asked, seed).items()}


def parted(exposure: Exposure, chosen: Tensor, num_nodes: int) -> Exposure:
    """Asked about ``chosen`` links [2, n] and about the rest of the sensitive ones, each with all pairs of sensitive
    users that are not linked."""
    pairs, linked = exposure.asked["between sensitive users"]
    wanted = contains(to_undirected(chosen, num_nodes), pairs, num_nodes)
    return replace(exposure, asked={part: (pairs[:, kept], linked[kept])
                                    for part, kept in zip(ASKED, (wanted | ~linked, ~wanted), strict=True)})


def customised_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Three seeds, then all."""
    for seeds in (3, SEEDS[SMALL[0]]):
        yield seeds, [setting(dataset=dataset, defence=name, share=share)
                      for dataset in SMALL for share in SHARES for name in DEFENCES]


CUSTOMISED_EXPERIMENT = Experiment(
    "lppge-customised", 1, {"defence": str, "share": float},
    tuple(f"{name}_{part}_auc" for name in ATTACKERS for part in ASKED), customised_grid, customised_run,
    title="Some sensitive links chosen, and the others beside them (chapter 10)")

# GAE as Kipf and Welling (2016) judge it: 85% of the links are trained on, 10% are asked about; nothing is selected on
# the 5% that are left. And how many sampled pairs a step are enough, beside all of them.
SAMPLES = (0, 5000, 1000, 200)  # 0: all pairs


def gae_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """AUC and average precision of the inner products of test links, in percent."""
    kept, asked = split_links(graph(setting["dataset"])[0], stream("split", seed))
    pairs, linked = asked["test"]
    scores = inner_product(GAE(pairs=setting["pairs"] or None).embed(kept, stream("learn", seed)).z, pairs)
    return {"auc": 100 * evaluate_attack(scores, linked).auc,
            "precision": 100 * float(average_precision_score(linked.numpy(), scores.numpy()))}


def gae_grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    for samples in (SAMPLES[:2], SAMPLES[2:]):
        yield 10, [setting(dataset=dataset, pairs=pairs) for pairs in samples for dataset in ("cora", "citeseer")]


GAE_EXPERIMENT = Experiment("gae", 1, {"pairs": int}, ("auc", "precision"), gae_grid, gae_run,
                            title="GAE's link prediction, as its authors judge it (chapter 10)")
