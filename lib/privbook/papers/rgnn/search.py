"""Chapter 7: the search for RGNN's and LPGNN's hyperparameters, judged on noisy validation labels."""

import itertools
import random
from collections.abc import Callable, Iterable, Iterator
from statistics import fmean

import torch

from privgraph.datasets import split
from privgraph.graph import adjacency
from privgraph.methods import LPGNN, RGNN, Release
from privgraph.methods.reconstruction import reconstruct_labels
from privgraph.nn import accuracy
from privgraph.streams import stream

from ...runs.cache import Cache
from ...runs.grid import Experiment
from ...runs.rows import Row
from ..shared import GROUPS, categorical

SAMPLED = 10  # m, in all of the paper's tables
LABEL_BUDGETS = (3.0, 2.0, 1.0, 0.5)
BUDGETS = (10.0, 1.0)  # of a feature vector: what eps_x = 1 and .1 really are with m = 10
HOPS, CLUSTERS, WEIGHTS = (2, 4, 8, 16), (4, 8, 16, 32, 64, 128, 256), (0.01, 0.1, 1.0, 10.0, 20.0)
SETTINGS = 40  # tried for each budget
SEEDS = dict.fromkeys(GROUPS, 3) | {"dblp": 1, "facebook-pages": 1}  # small graphs have few noisy labels to judge by
VOTES = 2  # hops of the vote that "voted" is about
# How often a network agrees with noisy labels that nothing else used is an affine function of how often it is right, on
# average. Ours are used for votes and epochs too, so the judge may lean. A vote is less noisy, and leans more: it
# prefers networks that smooth as it does.
CRITERION = "noisy"
TRIED = {"rgnn": SETTINGS, "lpgnn": 2 * len(HOPS) ** 2}
WHERE = ("dataset", "method", "budget", "epsilon_y")
TUNED = ("x_steps", "y_steps", "clusters", "llp_weight", "standardise")


def method_of(setting: dict) -> RGNN | LPGNN:
    """The method of a setting; ``budget`` is what a feature vector really spends (``sampled`` 0: the best for it)."""
    shared = {name: setting[name] for name in ("epsilon_y", "x_steps", "y_steps")}
    shared["standardize"] = bool(setting["standardise"])
    backbone = setting.get("backbone", "sage")
    if setting["method"] == "lpgnn":
        return LPGNN.as_published(backbone, setting["budget"], **shared, sampled=setting["sampled"] or None)
    return RGNN(backbone, setting["budget"] / setting["sampled"], **shared, sampled=setting["sampled"],
                clusters=setting["clusters"] or 1, llp_weight=setting["llp_weight"])


def search_run(setting: dict, seed: int, cache: Cache) -> dict[str, float]:
    """How often a method is right on noisy validation labels;
    on a vote of them and on true test labels (both not used)."""
    data = split(categorical(setting["dataset"]), stream("split", seed))
    method = method_of(setting)
    release = method.collect(data, stream("collect", seed))
    scores = method.learn(release, stream("learn", seed)).predict_proba()
    return {"noisy": accuracy(scores, release.y, release.val_mask),
            "voted": accuracy(scores, vote(release), release.val_mask),
            "accuracy": accuracy(scores, data.y, data.test_mask)}


def vote(release: Release) -> torch.Tensor:
    """What the noisy labels around a node say, int64 [N]."""
    matrix = adjacency(release.edge_index, release.y.numel(), "mean", self_loops=True)
    return reconstruct_labels(release.y, release.label_mechanism, matrix, VOTES)


def means(rows: Iterable[Row], metric: str) -> dict[tuple, dict[tuple, float]]:
    """(graph, method, budget, epsilon_y) -> {tuned: mean over seeds}, where the search is complete in the ledger."""
    found = {}
    for row in (row for row in rows if metric in row.metrics):
        place, tuned = (tuple(row.setting[name] for name in names) for names in (WHERE, TUNED))
        found.setdefault(place, {}).setdefault(tuned, []).append(row.metrics[metric])
    return {place: {tuned: fmean(values) for tuned, values in settings.items()}
            for place, settings in sorted(found.items())
            if len(settings) == TRIED[place[1]] and all(len(v) == SEEDS[place[0]] for v in settings.values())}


def choose(rows: Iterable[Row]) -> list[dict]:
    """The best tuned by ``CRITERION`` for each graph, method and budget whose search is complete."""
    return [dict(zip(WHERE + TUNED, place + max(scores, key=scores.get), strict=True))
            for place, scores in means(rows, CRITERION).items()]


def settings_tried() -> list[dict]:
    """40 settings of RGNN drawn at random from the paper's ranges, the same for every graph and budget."""
    every = list(itertools.product(HOPS, HOPS, CLUSTERS, WEIGHTS))
    return [dict(x_steps=k, y_steps=j, clusters=c, llp_weight=a, standardise=0)
            for k, j, c, a in random.Random(0).sample(every, SETTINGS)]


def grid(setting: Callable[..., dict]) -> Iterator[tuple[int, list[dict]]]:
    """Graphs, budgets of a feature vector and of a label; of RGNN what was drawn, of LPGNN all hops,
    inputs as they are or scaled."""
    for dataset, budget, epsilon_y in itertools.product(GROUPS, BUDGETS, LABEL_BUDGETS):
        where = dict(dataset=dataset, budget=budget, epsilon_y=epsilon_y)
        yield SEEDS[dataset], [*(setting(**where, method="rgnn", **tuned) for tuned in settings_tried()),
                               *(setting(**where, method="lpgnn", x_steps=k, y_steps=j, standardise=s)
                                 for s, k, j in itertools.product((0, 1), HOPS, HOPS))]


EXPERIMENT = Experiment(
    "rgnn-search", 1, {"method": str, "budget": float, "sampled": 0, "epsilon_y": float, "x_steps": int, "y_steps": int,
                       "clusters": 0, "llp_weight": 0.0, "standardise": 0},
    ("noisy", "voted", "accuracy"), grid, search_run, usual={"rgnn": dict(sampled=SAMPLED)},
    title="Hyperparameters of RGNN and LPGNN, judged on noisy labels (chapter 7)")
