"""Attacks on what a method gives away: pairs that are edges, nodes that were trained on."""

from __future__ import annotations

from dataclasses import fields

from ..methods import Embedding, Method, extent_of
from . import vectors
from .attacking import Questions, Trial, about_nodes, add_pair_options, names
from .data import graph_of
from .foreseen import foresee
from .options import add_methods
from .run import add_method_options, check_said, introduce, method_of, promise
from .said import Report
from .spelling import ExactParser


def add_commands(commands) -> None:
    top = commands.add_parser("attack", help="run an attack on a method's release and model, on a graph")
    known = names()
    top.add_argument("attack", choices=known, metavar="ATTACK", help=", ".join(known))
    add_methods(top, add_options, "Local", "Curated", "Embedding")


def add_options(own: ExactParser, kind: type[Method]) -> None:
    (vectors.add_options if issubclass(kind, Embedding) else add_run_options)(own, kind)
    own.add_argument("--seed", type=int, default=0, help="of all coins (default: %(default)s)")
    own.add_argument("--json", action="store_true", help="one line of JSON on stdout, all else on stderr")


def add_run_options(own: ExactParser, kind: type[Method]) -> None:
    """Those of the method, and of the pairs that are asked about."""
    add_method_options(own, kind)
    add_pair_options(own)
    own.set_defaults(command=attack_command, kind=kind)


def attack_command(options) -> int:
    if about_nodes(options.attack):
        check_unpaired(options)
    questions = Questions(**{field.name: vars(options)[field.name] for field in fields(Questions)})
    data = graph_of(options)
    method, report = method_of(options, data), Report(options.json)
    check_said(method, options, data)
    method.check_weights(data)
    trial = Trial(options.attack, method, options.shadows)
    introduce(method, data, options, report)
    foresee(method, extent_of(data), {}, trial.runs, options, report)
    promise(method, data, options, report)
    with report.hearing():
        report.attackers(trial.results(data, options.seed, questions, report.bars))
    report.end()
    return 0


def check_unpaired(options) -> None:
    """Refuse what is said of pairs where an attack is about nodes."""
    for field in fields(Questions):
        if (value := vars(options)[field.name]) is not None:
            raise ValueError(f"{field.name} must be left out, as {options.attack} asks about nodes, got {value}")
