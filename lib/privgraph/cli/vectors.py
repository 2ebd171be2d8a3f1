"""Attacks on published vectors: some links are exposed, and sensitive ones are asked about."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from ..attacks import ask, degree_product, expose, feature_similarity
from ..attacks.catalogue import all_attacks
from ..attacks.exposure import Exposure
from ..methods import Embedding, extent_of
from ..methods.sensitive import mark_sensitive
from ..streams import stream
from .attacking import KnownOfVectors, absent, called, missing_of, required, suiting
from .data import graph_of
from .foreseen import foresee
from .run import add_method_options, check_said, introduce, method_of, tell_of
from .said import Report


def add_options(own: argparse.ArgumentParser, kind: type[Embedding]) -> None:
    """Those of the method, and of what is exposed."""
    add_method_options(own, kind)
    if "--sensitive-degree" not in own._option_string_actions:
        own.add_argument("--sensitive-degree", type=int, help="from how many links on a user is sensitive")
    own.add_argument("--fraction", type=float, default=0.1,
                     help="of other links that is exposed (default: %(default)s)")
    own.set_defaults(command=attack_vectors, kind=kind, save=None)


def attack_vectors(options) -> int:
    attack = all_attacks()[options.attack]
    wanted = needs_of(attack, options.kind)
    if (degree := vars(options).get("sensitive_degree")) is None:
        raise ValueError("say with --sensitive-degree from how many links on a user is sensitive, got none")
    data = mark_sensitive(graph_of(options), degree)
    method, report = method_of(options, data), Report(options.json)
    check_said(method, options, data, ("sensitive_degree",))
    introduce(method, data, options, report)
    foresee(method, extent_of(data), {}, 1, options, report)
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


def needs_of(attack: Callable, kind: type[Embedding]) -> list[str]:
    """The arguments of an attack that published vectors, or a graph, can give."""
    if missing := missing_of(attack):
        otherwise = f"in Python it is privgraph.attacks.{attack.__name__}" if absent(attack) else (
            "it is for methods that predict, such as lpgnn")
        raise ValueError(f"{called(attack)} needs {', '.join(missing)}, which published vectors do not give; "
                         f"{otherwise}; {suiting(kind)}")
    return required(attack)


def tell(report: Report, name: str, attack: Callable, exposure: Exposure, given: dict) -> None:
    report.say(f"{name}:")
    for question, reached in ask(attack, exposure, **given).items():
        report.say(f"  {question:24} macro F1 {reached.f1:.3f}, {reached.result}")
        facts = report.facts.setdefault("attackers", {}).setdefault(name, {})
        facts[question] = {"f1": reached.f1, "result": reached.result}
