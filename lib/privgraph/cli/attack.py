"""Attacks on what a method gives away: pairs that are edges, nodes that were trained on."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ..attacks import AttackResult, evaluate_attack, feature_similarity, sample_pairs
from ..attacks.catalogue import all_attacks
from ..attacks.node_pairs import NON_EDGES, NodePairs
from ..checks import check_count
from ..discover import marked
from ..methods import Curated, CuratedRelease, Embedding, Local, Method
from ..methods.evaluation import Run, run
from ..streams import stream
from . import vectors
from .data import graph_of
from .options import add_methods
from .run import add_method_options, check_said, introduce, method_of, promise
from .said import Report
from .spelling import ExactParser, renamed

if TYPE_CHECKING:
    from torch_geometric.data import Data


def add_commands(commands) -> None:
    top = commands.add_parser("attack", help="run an attack on a method's release and model, on a graph")
    names = [name.replace("_", "-") for name in marked("privgraph.attacks", "tried_on")]
    top.add_argument("attack", choices=names, metavar="ATTACK", help=", ".join(names))
    add_methods(top, add_options, "Local", "Curated", "Embedding")


def add_options(own: ExactParser, kind: type[Method]) -> None:
    (vectors.add_options if issubclass(kind, Embedding) else add_run_options)(own, kind)
    own.add_argument("--seed", type=int, default=0, help="of all coins (default: %(default)s)")
    own.add_argument("--json", action="store_true", help="one line of JSON on stdout, all else on stderr")


def add_run_options(own: ExactParser, kind: type[Method]) -> None:
    """Those of the method, and of the pairs that are asked about."""
    add_method_options(own, kind)
    own.add_argument("--pairs", type=int,
                     help="edges to look for, among as many other pairs (default: 500, or all there are)")
    own.add_argument("--non-edges", choices=NON_EDGES, help="the other pairs: of all, or those with a common neighbour "
                     f"(default: {NON_EDGES[0]})")
    own.set_defaults(command=attack_command, kind=kind)


@dataclass
class Known:
    """All that some attacker may get of one run, by the names of her arguments; made when it is asked for."""

    ran: Run
    asked: NodePairs
    shadow_run: Callable[[], Run]
    of_a_model: bool
    generator: torch.Generator

    @property
    def model(self):
        return self.ran.fitted.model

    @property
    def x(self) -> Tensor:
        """What the network reads, for who may ask it; for others what was reported."""
        release = self.ran.release
        if isinstance(release, CuratedRelease):
            return self.ran.data.x
        if self.of_a_model:
            return self.ran.fitted.method.features(release, release.matrix())
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
        return KnownOfNodes(self.shadow_run(), self.asked, self.shadow_run, False, self.generator)

    @property
    def shadow(self) -> Tensor:
        return self.another.posteriors

    @property
    def member(self) -> Tensor:
        return self.another.truth


def attack_command(options) -> int:
    attack = all_attacks()[options.attack]
    wanted, kind = needs(attack)
    if kind is KnownOfNodes:
        check_unpaired(options)
    data = graph_of(options)
    method, report = method_of(options, data), Report(options.json)
    check_said(method, options, data)
    introduce(method, data, options, report)
    if isinstance(method, Curated):
        check_given(method, options.attack, wanted)
    promise(method, data, options, report)
    asked = asked_of(data, options)
    ran = run(method, data, options.seed, progress=report.bars)
    known = kind(ran, asked, lambda: run(method, data, options.seed + 1, progress=report.bars), "model" in wanted,
                 stream("attack", options.seed))
    tell(report, options.attack, attack(**{name: getattr(known, name) for name in wanted}), known.truth)
    tell(report, "who knows nothing", torch.rand(len(known.truth), generator=known.generator), known.truth)
    if kind is KnownOfPairs and (isinstance(method, Local) or "x" in method.PUBLIC):
        known.of_a_model = False
        seen = "reports" if isinstance(method, Local) else "features"
        tell(report, f"who sees {seen} only", feature_similarity(known.x, asked.pairs), known.truth)
    report.end()
    return 0


def check_unpaired(options) -> None:
    """Refuse what is said of pairs where an attack is about nodes."""
    for name in ("pairs", "non_edges"):
        if (value := vars(options)[name]) is not None:
            raise ValueError(f"{name} must be left out, as {options.attack} asks about nodes, got {value}")


def asked_of(data: Data, options) -> NodePairs:
    """Edges, and as many other pairs.

    :raises ValueError: where there are not so many of both.
    """
    edges = data.num_edges // 2
    most = min(edges, data.num_nodes * (data.num_nodes - 1) // 2 - edges)
    if most < 2:
        raise ValueError("an attack needs two edges, and two pairs that are none, got "
                         f"{edges} edges of {data.num_nodes} nodes")
    count = min(500, most) if options.pairs is None else check_count(options.pairs, "pairs", low=2, high=most)
    with renamed("count", "pairs"):
        return sample_pairs(data.edge_index, data.num_nodes, count, stream("pairs", options.seed),
                            options.non_edges or NON_EDGES[0])


def check_given(method: Curated, attack: str, wanted: list[str]) -> None:
    """A curator gives away neither edges nor, unless they are public, features."""
    kept = {"model", "edge_index", "edge_weight", "degree", "x"} - ({"x"} & {*method.PUBLIC})
    if missing := [name for name in wanted if name in kept]:
        raise ValueError(f"{attack} needs {', '.join(missing)}, which {type(method).__name__} does not give away")


def needs(attack: Callable) -> tuple[list[str], type[Known]]:
    """The arguments of an attack that a run can give, and whether it is about pairs or about nodes."""
    parameters = inspect.signature(attack).parameters
    kind = KnownOfPairs if "pairs" in parameters else KnownOfNodes
    fields = {*dir(kind), *kind.__dataclass_fields__}
    required = [name for name, each in parameters.items() if each.default is each.empty]
    if missing := [name for name in required if name not in fields]:
        otherwise = (f"in Python it is privgraph.attacks.{attack.__name__}" if vectors.missing_of(attack) else
                     "it is for methods that publish vectors, such as gae")
        raise ValueError(f"{vectors.called(attack)} needs {', '.join(missing)}, which one run of a method does not "
                         f"give; {otherwise}")
    return [name for name in parameters if name in required or name == "edge_weight"], kind


def tell(report: Report, name: str, scores: Tensor, truth: Tensor) -> None:
    found: AttackResult = evaluate_attack(scores, truth)
    report.say(f"{name:24} {found}")
    report.facts.setdefault("attackers", {})[name] = found
