"""The promises of ``Local`` and ``Distilled``: what leaves, what it costs, and what is learned from it alone."""

import copy
import math
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import torch
from torch_geometric.data import Data

from ...datasets.bounds import bounds
from ...graph import to_undirected
from ...mechanisms.tape import Tape
from ...privacy import Guarantee, find_guarantee
from ...randomness import seeded
from ..distilled import Distilled
from ..method import Local
from ..model import Model
from .all_kinds import alike, left_alone, nothing_but_noise, read_again, require, same, secretly
from .toys import changed, elsewhere, path_graph, without_one

DELTA = 1e-5


def predicts(fitted: Model, n: int, num_classes: int) -> None:
    """A row of probabilities for each node of whom the predictions mean something, and NaN for the others."""
    p = fitted.predict_proba()
    require(list(p.shape) == [n, num_classes], f"predict_proba must be [{n}, {num_classes}], got {list(p.shape)}")
    known = torch.ones(n, dtype=torch.bool) if fitted.nodes is None else fitted.nodes
    require(bool(p[~known].isnan().all()), "predict_proba must be NaN where it means nothing")
    p = p[known]
    require(bool((p >= 0).all() and ((p.sum(1) - 1).abs() < 1e-5).all()), "each row of predict_proba must sum to 1")


def learns(method: Local | Distilled, release, n: int, collect_elsewhere: Callable[[], object]) -> Model:
    """Learning is the same each time, leaves the release as it is, and predicts, whatever was collected meanwhile."""
    before = copy.deepcopy(release)
    answers = alike(lambda generator: method.learn(release, generator).predict_proba(), "learn")
    same(before, release, "learn must leave the release as it is")
    collect_elsewhere()
    fitted = method.learn(before, seeded(0))  # of a copy, which shares nothing with what was collected
    same(answers, fitted.predict_proba(), "learn must read the release and nothing else")
    predicts(fitted, n, release.num_classes)
    return fitted


# People who report through mechanisms of their own.

def local(method: Local, data: Data | None = None) -> None:
    data = path_graph() if data is None else data
    release = left_alone((data,), lambda data: alike(lambda generator: method.collect(data, generator), "collect"))

    def everything(data, generator):
        release = method.collect(data, generator)
        return [release, release.public, release.guarantees, release.total, release.node]
    secretly(lambda generator: method.collect(data, generator))
    nothing_but_noise(everything, neighbours(data, release))
    adds_up(method, release)
    states_what_it_draws(method, data, release)
    fitted = learns(method, release, data.num_nodes, lambda: method.collect(elsewhere(data), seeded(1)))
    with tempfile.TemporaryDirectory() as folder:
        written, weights = Path(folder) / "release.pt", Path(folder) / "model.pt"
        release.save(written), fitted.save(weights)
        again = read_again(release, written)
        same(release, again, "a release must be read as it was written")
        restored = method.restore(weights, again)
        same(fitted.predict_proba(), restored.predict_proba(), "a model must be read as it was written")


def neighbours(data: Data, release) -> Iterator[tuple[str, Data, Data]]:
    """Data in which one person's record is another, in what is not public."""
    n, everybody = data.num_nodes, {*release.public}
    if "y" not in everybody:
        mixed = [0, 1] * (n // 2) + [0] * (n % 2)
        for words, first, second in (("label of the only member of a class", [1] + [0] * (n - 1), [0] * n),
                                     ("label of the last person", [*mixed[:-1], 0], [*mixed[:-1], 1]),
                                     ("last label", [-1] * (n - 1) + [1], [-1] * n)):
            yield words, *(changed(data, y=torch.tensor(y)) for y in (first, second))
    if "report" not in everybody:
        low, high = (end.to(data.x).expand_as(data.x) for end in bounds(data))
        for rest in (data.x, low):
            ends = (torch.cat([rest[:-1], end[-1:]]) for end in (low, high))
            yield "vector of features", *(changed(data, x=x) for x in ends)
    if "edge_index" not in everybody:
        more = torch.cat([data.edge_index, torch.tensor([[0], [n - 1]])], 1)
        yield "edge", data, changed(data, edge_index=to_undirected(more, n))


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


def states_what_it_draws(method: Local, data: Data, release) -> None:
    """Of each unit and relation, the epsilons of all mechanisms that were used add up to no more than is stated.

    Calls for different people count as if they were for the same; ask all in one call.
    """
    with (tape := Tape()).running(playing=False):
        method.collect(data, seeded(0))
    for stated in release.guarantees:
        drawn = [g.epsilon for call in tape.entries for g in call.mechanism.guarantees
                 if (g.unit, g.relation) == (stated.unit, stated.relation)]
        require(math.isinf(stated.epsilon) or bool(drawn),
                f"{stated.unit} ({stated.relation}): epsilon {stated.epsilon} is stated, and no mechanism was used")
        require(math.fsum(drawn) <= stated.epsilon * (1 + 1e-9), f"{stated.unit} ({stated.relation}): mechanisms with "
                f"epsilon {drawn} were used, stated is {stated.epsilon}")


# Teachers and a student.

def distilled(method: Distilled, private: Data | None = None, public: Data | None = None) -> None:
    private, public = path_graph() if private is None else private, path_graph(10) if public is None else public
    release = left_alone((private, public), lambda private, public: alike(
        lambda generator: method.collect(private, public, generator), "collect"))
    secretly(lambda generator: method.collect(private, public, generator))
    nothing_but_noise(lambda private, generator: method.collect(private, public, generator), without_one(private))
    stated = replace(release, unaccounted=(), randomness="secret").guarantee(DELTA)
    same(beforehand := method.total(public.num_classes, DELTA), stated,
         "what a method says that it will cost must be what its release says")
    require(isinstance(beforehand, Guarantee) and beforehand.unit == "node", "total must speak of a node")
    labels_once(method, private, public)
    learns(method, release, public.num_nodes, lambda: method.collect(elsewhere(private), public, seeded(1)))
    with tempfile.TemporaryDirectory() as folder:
        release.save(path := Path(folder) / "release.pt")
        same(release, read_again(release, path), "a release must be read as it was written")
    for same_people, words in ((private, "the same graph"), (private.clone(), "a copy of the private graph")):
        try:
            method.collect(private, same_people, seeded(0))
        except ValueError:
            continue
        raise AssertionError(f"collect must refuse {words} as private and as public")


def labels_once(method: Distilled, private: Data, public: Data) -> None:
    """All noisy labels come from one call of the mechanism that the method names."""
    with (tape := Tape()).running(playing=False):
        method.collect(private, public, seeded(0))
    used, stated = [call.mechanism for call in tape.entries], method.mechanism(public.num_classes)
    require(used == [stated], f"labels must come from one call of {stated}, got {used}")
