"""Attacks on published vectors: some links are exposed, and sensitive ones are asked about."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ..attacks import ask, degree_product, expose, feature_similarity, hide_again
from ..attacks.catalogue import all_attacks
from ..attacks.embeddings import LEAST
from ..attacks.exposure import Exposure
from ..graph import degrees
from ..methods import Embedding
from ..methods.sensitive import mark_sensitive, without_links
from ..streams import stream
from .data import graph_of
from .run import add_method_options, check_said, introduce, method_of, tell_of
from .said import Report

if TYPE_CHECKING:
    from torch_geometric.data import Data

EXPOSED = {"pairs", "known", "linked"}  # what ``ask`` gives


def add_options(own: argparse.ArgumentParser, kind: type[Embedding]) -> None:
    """Those of the method, and of what is exposed."""
    add_method_options(own, kind)
    if "--sensitive-degree" not in own._option_string_actions:
        own.add_argument("--sensitive-degree", type=int, help="from how many links on a user is sensitive")
    own.add_argument("--fraction", type=float, default=0.1,
                     help="of other links that is exposed (default: %(default)s)")
    own.set_defaults(command=attack_vectors, kind=kind, save=None)


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


def attack_vectors(options) -> int:
    attack = all_attacks()[options.attack]
    wanted = needs_of(attack)
    if (degree := vars(options).get("sensitive_degree")) is None:
        raise ValueError("say with --sensitive-degree from how many links on a user is sensitive, got none")
    data = mark_sensitive(graph_of(options), degree)
    method, report = method_of(options, data), Report(options.json)
    check_said(method, options, data, ("sensitive_degree",))
    introduce(method, data, options, report)
    exposure = expose(data, stream("pairs", options.seed), options.fraction)
    report.say(method.INTRODUCED)
    found = method.embed(data, stream("collect", options.seed))
    tell_of(found, report)
    known = KnownOfVectors(method, data, found.z, options.seed)
    tell(report, options.attack, attack, exposure, {name: getattr(known, name) for name in wanted})
    tell(report, "who sees degrees only", degree_product, exposure, {"degree": known.degree})
    tell(report, "who sees features only", feature_similarity, exposure, {"x": known.x})
    report.end()
    return 0


def called(attack: Callable) -> str:
    """Its name on the command line."""
    return attack.__name__.replace("_", "-")


def needs_of(attack: Callable) -> list[str]:
    """The arguments of an attack that published vectors, or a graph, can give."""
    if missing := missing_of(attack):
        raise ValueError(f"{called(attack)} needs {', '.join(missing)}, which published vectors do not give; in Python "
                         f"it is privgraph.attacks.{attack.__name__}")
    return required(attack)


def required(attack: Callable) -> list[str]:
    return [name for name, each in inspect.signature(attack).parameters.items()
            if each.default is each.empty and name not in EXPOSED]


def missing_of(attack: Callable) -> list[str]:
    """What of it neither published vectors nor a graph can give; an attack that is not about pairs needs nodes."""
    fields = {*dir(KnownOfVectors), *KnownOfVectors.__dataclass_fields__}
    missing = [name for name in required(attack) if name not in fields]
    return missing or ([] if "pairs" in inspect.signature(attack).parameters else ["nodes"])


def tell(report: Report, name: str, attack: Callable, exposure: Exposure, given: dict) -> None:
    report.say(f"{name}:")
    for question, reached in ask(attack, exposure, **given).items():
        report.say(f"  {question:24} macro F1 {reached.f1:.3f}, {reached.result}")
        facts = report.facts.setdefault("attackers", {}).setdefault(name, {})
        facts[question] = {"f1": reached.f1, "result": reached.result}
