"""What an attacker gets to see of one run of a method, and how well an attack does."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ..attacks import (
    BELIEFS,
    Accused,
    AttackResult,
    accuse,
    confidence,
    evaluate_attack,
    feature_similarity,
    hide_again,
    pairs_among,
    sample_pairs,
)
from ..attacks.catalogue import all_attacks
from ..attacks.embeddings import LEAST
from ..attacks.node_pairs import NON_EDGES, NodePairs
from ..checks import check_count
from ..discover import marked
from ..graph import Graph, degrees
from ..methods import Curated, CuratedRelease, Embedding, Local, Method, NodeClassifier
from ..methods.evaluation import Run, run
from ..methods.sensitive import without_links
from ..streams import stream
from .spelling import renamed

if TYPE_CHECKING:
    from torch_geometric.data import Data

EXPOSED = {"pairs", "known", "linked"}  # what ``ask`` gives
PAIRS = 500  # edges that are asked about, where nobody says how many
SHADOWS = 8  # shadow models of an attack that needs many


def names() -> list[str]:
    """Of all attacks, none of which is imported for it."""
    return [name.replace("_", "-") for name in marked("privgraph.attacks", "tried_on")]


def add_pair_options(own: argparse.ArgumentParser) -> None:
    """Which pairs are asked about."""
    own.add_argument("--pairs", type=int,
                     help=f"edges to look for, among as many other pairs (default: {PAIRS}, or all there are)")
    own.add_argument("--non-edges", choices=NON_EDGES, help="the other pairs: of all, or those with a common neighbour "
                     f"(default: {NON_EDGES[0]})")
    own.add_argument("--among", type=int, help="ask about all pairs among so many nodes instead, and say what accusing "
                     "as many as are believed to be linked finds, 1/4 to 4 times as many as are")
    own.add_argument("--shadows", type=int, help="shadow models, one run each, of an attack on members that needs many "
                     f"(default: {SHADOWS})")
    own.add_argument("--least-degree", type=int, help="that these nodes have (default: 0)")
    own.add_argument("--most-degree", type=int, help="that these nodes have (default: any)")


@dataclass(frozen=True)
class Questions:
    """Which pairs an attacker is asked about; None: what is usual. ``among`` excludes the first two; others need it.

    :param pairs: edges that are asked about; None: ``PAIRS``, or all there are.
    :param non_edges: one of ``attacks.node_pairs.NON_EDGES``; None: the first of them.
    :param among: nodes, all pairs of which are asked about.
    """

    pairs: int | None = None
    non_edges: str | None = None
    among: int | None = None
    least_degree: int | None = None
    most_degree: int | None = None

    def __post_init__(self):
        beside = ("pairs", "non_edges") if self.among is not None else ("least_degree", "most_degree")
        for name in beside:
            if (value := getattr(self, name)) is not None:
                how = ("be left out, as --among asks about all pairs of some nodes" if self.among is not None else
                       "come with --among, as it says which nodes these are")
                raise ValueError(f"{name} must {how}, got {value}")

    def asked(self, data: Data, seed: int, left: int = 1) -> NodePairs:
        """The pairs; where nobody says how many, at most one in ``left`` edges."""
        if self.among is None:
            return asked_of(data, seed, self.pairs, self.non_edges or NON_EDGES[0], left)
        with renamed("count", "among"), renamed("least", "least_degree"), renamed("most", "most_degree"):
            return pairs_among(data.edge_index, data.num_nodes, self.among, stream("pairs", seed),
                               self.least_degree or 0, self.most_degree)


@dataclass
class Known:
    """All that some attacker may get of one run, by the names of her arguments; made when it is asked for."""

    ran: Run
    asked: NodePairs
    shadow_run: Callable[[int], Run]
    of_a_model: bool
    generator: torch.Generator

    @property
    def model(self):
        return self.ran.fitted.model

    @property
    def x(self) -> Tensor:
        """What the network reads, for who may ask it; for others what was reported."""
        release = self.ran.release
        if self.of_a_model and not isinstance(release, CuratedRelease):
            return self.ran.fitted.method.features(release, release.matrix())
        return self.seen

    @property
    def seen(self) -> Tensor:
        """Features as everybody sees them."""
        release = self.ran.release
        if isinstance(release, CuratedRelease):
            return self.ran.data.x
        return release.estimate() if hasattr(release, "estimate") else release.report.float()

    @property
    def edge_index(self) -> Tensor:
        return self.ran.release.edge_index

    @property
    def num_nodes(self) -> int:
        return self.ran.data.num_nodes

    @property
    def edge_weight(self) -> Tensor | None:
        return self.ran.release.edge_weight

    @property
    def degree(self) -> Tensor:
        return torch.bincount(self.ran.data.edge_index[0], minlength=self.ran.data.num_nodes)

    @property
    def pairs(self) -> Tensor:
        return self.asked.pairs

    @cached_property
    def probabilities(self) -> Tensor:
        return self.ran.fitted.predict_proba(self.ran.fitted.asked(self.ran.data))


@dataclass
class KnownOfPairs(Known):
    @property
    def posteriors(self) -> Tensor:
        return self.probabilities

    @property
    def truth(self) -> Tensor:
        return self.asked.linked

    @cached_property
    def part(self) -> NodePairs:
        """Other pairs, half of them links, whose answers she knows."""
        return other_pairs(self.ran.data, self.asked.pairs, self.generator)

    @property
    def known(self) -> Tensor:
        return self.part.pairs

    @property
    def linked(self) -> Tensor:
        return self.part.linked

    @cached_property
    def reference(self) -> Tensor:
        """Who trains a network without edges has what others see of features, and is favoured: labels as they are."""
        data = self.ran.data
        nodes = (data.train_mask & (data.y >= 0)).nonzero()[:, 0]
        return NodeClassifier("mlp").fit(self.seen, data.edge_index[:, :0], nodes, data.y[nodes], data.num_classes,
                                         self.generator).predict_proba()


@dataclass
class KnownOfNodes(Known):
    """Who was trained on, among training and test nodes. A shadow model is a run with another split of the same."""

    @property
    def nodes(self) -> Tensor:
        return self.ran.data.train_mask | self.ran.data.test_mask

    @property
    def posteriors(self) -> Tensor:
        return self.probabilities[self.nodes]

    target = posteriors

    @property
    def y(self) -> Tensor:
        return self.ran.data.y[self.nodes]

    @property
    def truth(self) -> Tensor:
        return self.ran.data.train_mask[self.nodes]

    @cached_property
    def another(self) -> "KnownOfNodes":
        return KnownOfNodes(self.shadow_run(1), self.asked, self.shadow_run, False, self.generator)

    @property
    def shadow(self) -> Tensor:
        return self.another.posteriors

    @property
    def member(self) -> Tensor:
        return self.another.truth


@dataclass
class KnownOfManyRuns(KnownOfNodes):
    """Who was trained on, among nodes that some of several shadow models had and some had not.

    :param count: shadow models.
    """

    count: int

    @cached_property
    def others(self) -> list[Run]:
        return [self.shadow_run(number) for number in range(1, self.count + 1)]

    @cached_property
    def trained(self) -> Tensor:
        """Whom each shadow model had, bool [S, N]."""
        return torch.stack([each.data.train_mask for each in self.others])

    @cached_property
    def nodes(self) -> Tensor:
        return super().nodes & self.trained.any(0) & ~self.trained.all(0)

    @property
    def target(self) -> Tensor:
        return confidence(self.posteriors, self.y)

    @property
    def shadows(self) -> Tensor:
        answers = [each.fitted.predict_proba(each.fitted.asked(each.data))[self.nodes] for each in self.others]
        return torch.stack([confidence(each, self.y) for each in answers])

    @property
    def member(self) -> Tensor:
        return self.trained[:, self.nodes]


@dataclass
class KnownOfVectors:
    """All that some attacker may get, by the names of her arguments; made when it is asked for."""

    method: Embedding
    data: Data
    z: Tensor
    seed: int

    @property
    def posteriors(self) -> Tensor:
        """Vectors are compared as answers of a model are."""
        return self.z

    @cached_property
    def graph(self) -> Data:
        """Whoever knows the graph knows it without its sensitive links."""
        return without_links(self.data, self.data.sensitive)

    @property
    def edge_index(self) -> Tensor:
        return self.graph.edge_index

    @property
    def num_nodes(self) -> int:
        return self.data.num_nodes

    @property
    def x(self) -> Tensor:
        return self.data.x

    @property
    def degree(self) -> Tensor:
        return degrees(self.data.edge_index, self.data.num_nodes)

    @cached_property
    def generator(self) -> torch.Generator:
        return stream("attack", self.seed)

    @cached_property
    def shadow(self):
        return hide_again(self.graph, max(LEAST, self.data.sensitive.size(1)), self.generator)

    @cached_property
    def shadow_z(self) -> Tensor:
        return self.method.embed(self.shadow.data, self.generator).z

    @property
    def shadow_pairs(self) -> Tensor:
        return self.shadow.pairs

    @property
    def shadow_linked(self) -> Tensor:
        return self.shadow.linked


@dataclass(frozen=True)
class Trial:
    """One attack on one method.

    :param name: of the attack, on the command line.
    :param shadows: models of an attack that needs many; None: as many as are usual, or as it needs.
    :raises ValueError: where the method does not give away what the attack needs.
    """

    name: str
    method: Local | Curated
    shadows: int | None = None

    def __post_init__(self):
        try:
            wanted, kind = needs(self.attack)
        except ValueError as error:
            raise ValueError(f"{error}; {suiting(type(self.method))}") from error
        if self.shadows is not None and kind is not KnownOfManyRuns:
            raise ValueError(f"shadows must be left out, as {self.name} does not need many, got {self.shadows}")
        check_count(self.count, "shadows", low=2)
        if missing := kept_back(type(self.method), wanted):
            raise ValueError(f"{self.name} needs {', '.join(missing)}, which {type(self.method).__name__} does not "
                             f"give away; {suiting(type(self.method))}")

    @property
    def attack(self) -> Callable:
        return all_attacks()[self.name]

    @property
    def count(self) -> int:
        return SHADOWS if self.shadows is None else self.shadows

    @property
    def runs(self) -> int:
        """How often the method is run."""
        wanted, kind = needs(self.attack)
        return 1 + self.count if kind is KnownOfManyRuns else 1 + ("shadow" in wanted)

    def results(self, data: Data, seed: int = 0, questions: Questions | None = None,
                progress: bool = False) -> Iterator[tuple[str, AttackResult | Accused]]:
        """The attacker, one who knows nothing and, about edges, one who sees reports or public features only.

        :param seed: of all coins, the run's too.
        :param questions: which pairs are asked about.
        """
        questions, (wanted, kind) = questions or Questions(), needs(self.attack)
        asked = questions.asked(data, seed, left=2 if "known" in wanted else 1)
        again = partial(run, self.method, data, progress=progress)
        known = kind(again(seed), asked, lambda number: again(seed + number), "model" in wanted, stream("attack", seed),
                     **{"count": self.count} if kind is KnownOfManyRuns else {})
        scored = {self.name: self.attack(**{name: getattr(known, name) for name in wanted}),
                  "who knows nothing": torch.rand(len(known.truth), generator=known.generator)}
        if kind is KnownOfPairs and (isinstance(self.method, Local) or "x" in self.method.PUBLIC):
            seen = "reports" if isinstance(self.method, Local) else "features"
            scored[f"who sees {seen} only"] = feature_similarity(known.seen, asked.pairs)
        for name, scores in scored.items():
            yield name, evaluate_attack(scores, known.truth)
            for belief in BELIEFS if questions.among else ():
                yield f"{name}, {belief:g} times", accuse(scores, known.truth, belief)


def other_pairs(data: Data, asked: Tensor, generator: torch.Generator) -> NodePairs:
    """Pairs that nobody is asked about, as many links as others, at most ``PAIRS`` each.

    :param asked: int64 [2, n].
    """
    edges = data.num_edges // 2
    most = min(PAIRS, edges, data.num_nodes * (data.num_nodes - 1) // 2 - edges)
    drawn, taken = sample_pairs(data.edge_index, data.num_nodes, most, generator), Graph.made(asked, data.num_nodes)
    free = (~taken.has(drawn.pairs)).nonzero()[:, 0]
    kinds = [free[drawn.linked[free] == kind] for kind in (True, False)]
    chosen = torch.cat([kind[:min(map(len, kinds))] for kind in kinds]).sort().values
    if len(chosen) < LEAST:
        raise ValueError(f"pairs must leave {LEAST} pairs from which is learnt, half of them links, got {len(chosen)}: "
                         "with fewer --pairs there are more")
    return NodePairs(drawn.pairs[:, chosen], drawn.linked[chosen])


def asked_of(data: Data, seed: int, pairs: int | None, non_edges: str, left: int = 1) -> NodePairs:
    """Edges, and as many other pairs.

    :param left: where nobody says how many, one in so many edges at most.
    :raises ValueError: where there are not so many of both.
    """
    edges = data.num_edges // 2
    most = min(edges, data.num_nodes * (data.num_nodes - 1) // 2 - edges)
    if most < 2:
        raise ValueError("an attack needs two edges, and two pairs that are none, got "
                         f"{edges} edges of {data.num_nodes} nodes")
    count = min(PAIRS, max(2, most // left)) if pairs is None else check_count(pairs, "pairs", low=2, high=most)
    with renamed("count", "pairs"):
        return sample_pairs(data.edge_index, data.num_nodes, count, stream("pairs", seed), non_edges)


def about_nodes(name: str) -> bool:
    """Whether an attack asks about nodes, and not about pairs."""
    return issubclass(kind_of(all_attacks()[name]), KnownOfNodes)


def kept_back(method: type[Method], wanted: list[str]) -> list[str]:
    """What a curator does not give away: edges and, unless they are public, features."""
    if not issubclass(method, Curated):
        return []
    kept = {"model", "edge_index", "edge_weight", "degree", "x", "reference"}
    kept -= {"x", "reference"} if "x" in method.PUBLIC else set()
    return [name for name in wanted if name in kept]


def suiting(method: type[Method]) -> str:
    """Which attacks there are on what a method gives away."""
    found = [name for name, attack in all_attacks().items() if (
        not missing_of(attack) if issubclass(method, Embedding) else
        not absent(attack) and not kept_back(method, needs(attack)[0]))]
    return f"attacks on {method.__name__} are {', '.join(found)}"


def needs(attack: Callable) -> tuple[list[str], type[Known]]:
    """The arguments of an attack that runs can give, and whether it is about pairs, or about nodes of one run or many.
    """
    parameters, kind = inspect.signature(attack).parameters, kind_of(attack)
    if missing := absent(attack):
        otherwise = (f"in Python it is privgraph.attacks.{attack.__name__}" if missing_of(attack) else
                     "it is for methods that publish vectors, such as gae")
        raise ValueError(f"{called(attack)} needs {', '.join(missing)}, which one run of a method does not "
                         f"give; {otherwise}")
    return [name for name, each in parameters.items() if each.default is each.empty or name == "edge_weight"], kind


def kind_of(attack: Callable) -> type[Known]:
    parameters = inspect.signature(attack).parameters
    return KnownOfPairs if "pairs" in parameters else KnownOfManyRuns if "shadows" in parameters else KnownOfNodes


def absent(attack: Callable) -> list[str]:
    """What of it one run of a method cannot give."""
    fields = {*dir(kind := kind_of(attack)), *kind.__dataclass_fields__}
    return [name for name, each in inspect.signature(attack).parameters.items()
            if each.default is each.empty and name not in fields]


def called(attack: Callable) -> str:
    """Its name on the command line."""
    return attack.__name__.replace("_", "-")


def required(attack: Callable) -> list[str]:
    return [name for name, each in inspect.signature(attack).parameters.items()
            if each.default is each.empty and name not in EXPOSED]


def missing_of(attack: Callable) -> list[str]:
    """What of it neither published vectors nor a graph can give; an attack that is not about pairs needs nodes."""
    fields = {*dir(KnownOfVectors), *KnownOfVectors.__dataclass_fields__}
    missing = [name for name in required(attack) if name not in fields]
    return missing or ([] if "pairs" in inspect.signature(attack).parameters else ["nodes"])
