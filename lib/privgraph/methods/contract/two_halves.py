"""The promises of ``Local`` and ``Distilled``: what leaves, what it costs, and what is learned from it alone."""

from __future__ import annotations

import copy
import math
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from ...datasets.weights import keep_weights
from ...privacy import Guarantee, find_guarantee
from ...randomness import seeded
from ..curated import Curated
from ..distilled import Distilled
from ..local import Local
from ..method import sizes_of
from ..model import Model, NetworkModel
from ..model_files import load
from . import changes
from .all_kinds import accepted, alike, left_alone, read_again, require, same, secretly
from .covering import Found, Pipeline, fresh_coins, leaves_strays, states, try_changes, vouched
from .toys import changed, elsewhere, path_graph, worlds

if TYPE_CHECKING:
    from torch_geometric.data import Data

DELTA = 1e-5
SEEDS = 4  # runs in which teachers are of other people


def predicts(fitted: NetworkModel, n: int, num_classes: int, *asked: Data) -> None:
    """A row of probabilities for each node of whom the predictions mean something, and NaN for the others."""
    p = fitted.predict_proba(*asked)
    require(list(p.shape) == [n, num_classes], f"predict_proba must be [{n}, {num_classes}], got {list(p.shape)}")
    known = torch.ones(n, dtype=torch.bool) if fitted.nodes is None else fitted.nodes
    require(bool(p[~known].isnan().all()), "predict_proba must be NaN where it means nothing")
    p = p[known]
    require(bool((p >= 0).all() and ((p.sum(1) - 1).abs() < 1e-5).all()), "each row of predict_proba must sum to 1")


def learns(method: Local | Distilled | Curated, release, n: int, others: list[Callable[[], object]],
           *asked: Data) -> NetworkModel:
    """Learning is the same each time, leaves the release as it is, and predicts, whatever was collected meanwhile.

    :param asked: the graph that a model is asked about which is of none.
    """
    before = copy.deepcopy(release)
    answers = alike(lambda generator: lessons(method.learn(release, generator), *asked), "learn")
    same(before, release, "learn must leave the release as it is")
    for collect in others:
        collect()
        fitted = method.learn(copy.deepcopy(before), seeded(0))  # which shares nothing with what was collected
        same(answers, lessons(fitted, *asked), "learn must read the release and nothing else")
    predicts(fitted, n, release.num_classes, *asked)
    return fitted


def saved(fitted: Model, *asked: Data) -> None:
    """A model is read from its file as it was written, and says the same of what left."""
    with tempfile.TemporaryDirectory() as folder:
        fitted.save(path := Path(folder) / "model.pt")
        again = read_again(load, path)
    same(fitted.predict_proba(*asked), again.predict_proba(*asked), "a model must be read as it was written")
    same((fitted.method, fitted.guarantees(DELTA)), (again.method, again.guarantees(DELTA)),
         "a model must say the same of its method, and of what left, once it was read")


def lessons(fitted: NetworkModel, *asked: Data) -> list:
    """What a model learnt, and by which way: what selects an epoch shows there though the same one be selected."""
    return [fitted.predict_proba(*asked), vars(fitted.history) if fitted.history else None]


# People who report through mechanisms of their own.

def local(method: Local, found: Found, data: Data | None = None) -> None:
    if data is None:
        data = accepted(lambda data: method.collect(data, seeded(0)), worlds(math.isfinite(method.epsilon_y)))
    release = left_alone((data,), lambda data: alike(lambda generator: method.collect(data, generator), "collect"))

    def everything(data, generator):
        release = method.collect(data, generator)
        return [release, release.public, release.guarantees, release.total, release.node]
    secretly(lambda generator: method.collect(data, generator))
    adds_up(method, release), reports(everything, data, release, found)
    fresh_coins(everything, data), leaves_strays(everything, data), vouched(everything, data, found)
    takes_weights(method, data)
    fitted = learns(method, release, data.num_nodes,
                    [lambda world=world: method.collect(world, seeded(1)) for world in elsewhere(data)])
    with tempfile.TemporaryDirectory() as folder:
        release.save(written := Path(folder) / "release.pt")
        same(release, read_again(type(release).load, written), "a release must be read as it was written")
    saved(fitted)


def reports(pipeline: Pipeline, data: Data, release, found: Found) -> None:
    """Whatever of somebody's record is not public leaves through noise only, at no more than is stated."""
    stated = (*release.guarantees, release.total, release.node)
    found.untried += states(pipeline, data, stated, found)
    hidden = {"y": (changes.labels, changes.silence), "report": (changes.vectors,), "edge_index": (changes.edges,)}
    units = {"y": "label", "report": "feature vector", "edge_index": "undirected edge"}
    for name, kinds in hidden.items():
        if name not in release.public:
            speaking = [g for g in stated if g.unit == units[name] and math.isfinite(g.epsilon)]
            for change in kinds:
                try_changes(pipeline, change(data), speaking, found)


def takes_weights(method: Local, data: Data) -> None:
    """Who says that weights of edges are used gives the server these with their edges, or refuses them."""
    try:
        weighted = keep_weights(changed(data, edge_weight=1 + data.edge_index.sum(0).float()))
        told = method.collect(weighted, seeded(0)) if method.WEIGHTS else None
    except ValueError:
        return
    require(told is None or torch.equal(told.matrix().to_dense(), replace(
        told, edge_index=weighted.edge_index, edge_weight=weighted.edge_weight).matrix().to_dense()),
        "weights of edges that are to be used must come out with the edges, as WEIGHTS says, or be refused")


def adds_up(method: Local, release) -> None:
    """The release speaks of labels, features and edges; label and features make the total, said beforehand too."""
    parts = [find_guarantee(release.guarantees, unit).epsilon for unit in ("label", "feature vector")]
    require(release.total.epsilon == math.fsum(parts), f"total must be the sum of {parts}, got {release.total.epsilon}")
    require(method.total.epsilon == release.total.epsilon, "what a method says that it will cost must be what its "
            f"release says, got {method.total.epsilon} and {release.total.epsilon}")
    require(method.edges == release.structure, "what a method says that edges will cost must be what its release says, "
            f"got {method.edges} and {release.structure}")
    require(release.node.epsilon >= release.total.epsilon, "a node must cost at least what her features and label do, "
            f"got {release.node.epsilon} and {release.total.epsilon}")
    spent = {"y": "label", "report": "feature vector", "edge_index": "undirected edge"}
    for name, unit in spent.items():
        stated = [g.epsilon for g in release.guarantees if g.unit == unit]
        require(bool(stated), f"guarantees must speak of {unit}")
        require(name not in release.public or math.inf in stated,
                f"{name} is public, so nothing finite holds for {unit}")


# Teachers and a student.

def distilled(method: Distilled, found: Found, private: Data | None = None, public: Data | None = None) -> None:
    if private is None or public is None:
        public = path_graph(10, 3) if public is None else public
        private = accepted(lambda private: method.collect(private, public, seeded(0)), worlds())
    release = left_alone((private, public), lambda private, public: alike(
        lambda generator: method.collect(private, public, generator), "collect"))

    def pipeline(private, generator):
        return method.collect(private, public, generator)
    secretly(lambda generator: pipeline(private, generator))
    stated = replace(release, unaccounted=(), randomness="secret").guarantee(DELTA)
    same(beforehand := method.guarantees(sizes_of(public), DELTA), (stated,),
         "what a method says that it will cost must be what its release says")
    require(all(isinstance(g, Guarantee) and g.unit == "node" for g in beforehand), "guarantees must speak of a node")
    for seed in range(SEEDS):
        try_changes(pipeline, changes.someone_less(private), [stated] if math.isfinite(stated.epsilon) else [], found,
                    seed)
    try_changes(pipeline, changes.someone_gone(private), [stated] if math.isfinite(stated.epsilon) else [], found)
    fresh_coins(pipeline, private), leaves_strays(pipeline, private), vouched(pipeline, private, found)
    fitted = learns(method, release, public.num_nodes,
                    [lambda world=world: method.collect(world, public, seeded(1)) for world in elsewhere(private)])
    with tempfile.TemporaryDirectory() as folder:
        release.save(path := Path(folder) / "release.pt")
        same(release, read_again(type(release).load, path), "a release must be read as it was written")
    saved(fitted)
    wants_two_graphs(method, private)


def wants_two_graphs(method: Distilled, private: Data) -> None:
    """What is public may not be the private graph."""
    for same_people, words in ((private, "the same graph"), (private.clone(), "a copy of the private graph")):
        try:
            method.collect(private, same_people, seeded(0))
        except ValueError:
            continue
        raise AssertionError(f"collect must refuse {words} as private and as public")
