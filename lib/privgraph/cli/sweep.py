"""Accuracy over the epsilon that truly holds, of one method or of several at equal budgets."""

from __future__ import annotations

import argparse
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from ..checks import check_choice, check_count, check_number
from ..checks.parameters import kinds_of
from ..datasets.layouts import MASKS
from ..datasets.weights import own_weight, used_by, users
from ..mechanisms.text import said_in
from ..methods import (
    Curated,
    Distilled,
    Federation,
    FewShot,
    Local,
    Method,
    Sizes,
    all_methods,
    extent_of,
    sizes_of,
)
from ..methods.evaluation import references
from ..methods.release import left_of, unaccounted
from ..methods.sweeping import Point, break_even, check_one_unit, paragraph, whose
from ..methods.turned import BUDGETS, Turned, stated, turn
from ..privacy import Guarantee
from ..privacy.guarantee import UNITS
from ..waiting import steps
from .config import add_config_option
from .data import add_graph_options, add_own_split, add_own_weights, graph_of
from .foreseen import add_anyway, foresee
from .meant import several
from .options import add_fields, add_methods, given
from .picture import check_matplotlib, drawn
from .run import (
    add_method_options,
    add_public_options,
    check_kind_of_features,
    check_said,
    dealt,
    method_of,
    too_likely,
)
from .said import Report, plain
from .spelling import ExactParser, option_of
from .sweep_table import Table

if TYPE_CHECKING:
    from torch_geometric.data import Data

NO_NOISE = Guarantee(float("inf"))  # of references, which know no budget
YES_NO = {"true": True, "false": False}  # of an option that has no value
SMALL, DELTA = Sizes(9, 2, 9), 1e-5  # of a graph on which a method may state something
BESIDE = "references"  # in the column of methods
LEAST, MOST = 1e-6, 1e6  # epsilons; what is less or more says nothing, and no accountant is made for it


def add_commands(commands) -> None:
    one = commands.add_parser("sweep", help="a method's accuracy over epsilon: a picture, a table, and what follows")
    add_methods(one, add_options, "Local", "Curated", "Distilled", "Embedding", "Federation")
    several = commands.add_parser("compare", help="several methods at equal budgets that truly hold, the same way")
    several.add_argument("methods", nargs="+", metavar="METHOD", help="a name, or one with hyperparameters that are "
                         "not the defaults: gap:hops=2,hidden=32; all of one graph and of one unit, so no federations "
                         "and no tasks")
    add_graph_options(several)
    add_own_split(several), add_own_weights(several), add_anyway(several)
    add_public_options(several, Distilled)  # type: ignore[type-abstract]
    add_sweep_options(several)
    several.set_defaults(command=compare_command)
    several.otherwise = "hyperparameters stand in METHOD, NAME:key=value,..."


def add_options(own: ExactParser, kind: type[Method]) -> None:
    add_method_options(own, kind)
    add_sweep_options(own)
    own.set_defaults(command=sweep_command, kind=kind)


def add_sweep_options(own: ExactParser) -> None:
    """Which budgets, how often, and where it goes; a field of the method that is called epsilon is what is turned."""
    own.conflict_handler = "resolve"
    group = own.add_argument_group("what is swept")
    group.add_argument("--epsilon", dest="budgets", type=budgets, default=(0.5, 1.0, 2.0, 4.0, 8.0), metavar="E,E,...",
                       help="the epsilons that shall hold, each above 0 (default: .5,1,2,4,8)")
    group.add_argument("--unit", choices=UNITS, help="whose epsilon (default: the first that the method states a "
                       "finite one for)")
    group.add_argument("--repeats", type=int, default=5,
                       help="how many runs at each, with coins of their own (default: %(default)s)")
    group.add_argument("--to", type=Path, required=True, metavar="FOLDER", help="where table, picture and text go, for "
                       "the owner of the data; the same command goes on with what is there")
    own.add_argument("--json", action="store_true", help="one line of JSON on stdout, all else on stderr")
    own.add_argument("--quiet", action="store_true", help="tell what follows, and nothing else")
    add_config_option(own)


def budgets(text: str) -> tuple[float, ...]:
    """
    >>> budgets("4,.5,1")
    (0.5, 1.0, 4.0)
    """
    try:
        found = [check_number(float(each), "epsilon", low=LEAST, high=MOST) for each in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be numbers from {LEAST:g} to {MOST:g} with commas between them, got "
                                         f"{text!r}") from None
    if len({*found}) < len(found):
        raise argparse.ArgumentTypeError(f"must name each epsilon once, got {text!r}")
    return tuple(sorted(found))


def sweep_command(options) -> int:
    data = start(options)
    if (lost := turned_alone(options.kind)) in (said := given(options, options.kind)):
        raise ValueError(f"{lost} must be left out, as --epsilon says what shall hold, got {said[lost]}")
    if issubclass(options.kind, Distilled) and "scale" in options.kind.__dataclass_fields__:
        vars(options).setdefault("scale", 1.0)  # from where it is turned
    method = method_of(options, data)
    check_said(method, options, data)
    return swept([Plan(options.method, method, options)], data, options)


def compare_command(options) -> int:
    data = start(options)
    plans = [plan_of(text, options, data) for text in options.methods]
    check_public(plans, options)
    for one, other in combinations(plans, 2):
        if one.method == other.method:
            raise ValueError(f"METHOD must say each method once, got {one.name} and {other.name}, which are the same")
    try:
        return swept(plans, data, options)
    except ValueError as error:
        name = str(error).partition(" ")[0]
        if any(name in kinds_of(type(plan.method)) for plan in plans):
            raise ValueError(f"{error}; another is said as METHOD:{name.replace('_', '-')}=...") from error
        raise


def check_public(plans: Sequence[Plan], options: argparse.Namespace) -> None:
    """Refuse what is said of a public graph where no method has one."""
    said = [option_of(name) for name in ("public_graph", "public_fraction") if vars(options)[name] is not None]
    if said and not any(isinstance(plan.method, Distilled) for plan in plans):
        fit = ", ".join(name for name, kind in all_methods().items() if issubclass(kind, Distilled))
        raise ValueError(f"{said[0]} is for {fit}, which label a public graph; got "
                         f"{', '.join(plan.name for plan in plans)}")


def plan_of(text: str, options: argparse.Namespace, data: Data) -> Plan:
    """One METHOD of ``compare``: NAME, or NAME:key=value,... with hyperparameters as ``run`` has them."""
    name, _, items = text.partition(":")
    if "=" in name:
        raise ValueError(f"METHOD must be written NAME:key=value,... without blanks, got {text!r}")
    kind = kind_of(name)
    if options.own_split and kind.dealt is not Method.dealt:
        raise ValueError(f"--own-split is for methods of one graph, not for {name}, which makes two of it")
    if options.own_weights and not kind.WEIGHTS:
        raise ValueError(f"--own-weights is for {used_by([each.lower() for each in users()])}, not for {name}, which "
                         "uses no weights of edges")
    said = hyperparameters(name, kind, said_in(items, text, "METHOD"))
    if (lost := turned_alone(kind)) in said:
        raise ValueError(f"METHOD must leave {lost} out, as --epsilon says what shall hold, got {text}")
    own = argparse.Namespace(**vars(options) | {"kind": kind, "method": name, "as_published": False, "scale": 1.0}
                             | said)
    named = {"delta", "scale", *(key.partition(".")[0] for key in said)}
    method = kind(**{key: value for key, value in given(own, kind).items() if key in named})
    check_said(method, argparse.Namespace(kind=kind, **said), data)
    return Plan(text, method, own)


def kind_of(name: str) -> type[Method]:
    """The method of a name, if it is one that can be compared."""
    if names := several(name.lower(), known := all_methods()):
        raise ValueError(f"METHOD must be said with blanks alone between several, {' '.join(names)}, got {name!r}")
    if name not in known:
        check_choice(name, "METHOD", [each for each in known if comparable(known[each])])
    if not of_one_graph(known[name]):
        raise ValueError(f"METHOD must be of one whole graph, got {name}")
    return known[name]


def of_one_graph(kind: type[Method]) -> bool:
    return not issubclass(kind, FewShot | Federation) and kind.tried is not Method.tried


def comparable(kind: type[Method]) -> bool:
    """Whether it is of one graph and can state an epsilon that is turned."""
    return of_one_graph(kind) and any(0 < held.epsilon < math.inf for method in kind.examples()
                                      for held in method.guarantees(SMALL, DELTA))


def turned_alone(kind: type[Method]) -> str | None:
    """The one budget of a method, of which nothing is left where it is turned; of several their proportion is."""
    names = next((names for names in BUDGETS if {*names} <= kinds_of(kind).keys()), ())
    return names[0] if len(names) == 1 else None


def hyperparameters(name: str, kind: type[Method], said: Mapping[str, str]) -> dict[str, object]:
    """What was said of a method, read as the options of ``run`` are."""
    parser = ExactParser(add_help=False)
    add_fields(parser, kind, needed=False)
    known = {action.option_strings[0][2:]: action for action in parser._actions}
    actions = {key: known[check_choice(key.replace("_", "-"), f"key of {name}", known)] for key in said}
    return {action.dest: value_of(action, said[key], f"{key} of {name}") for key, action in actions.items()}


def value_of(action: argparse.Action, text: str, name: str) -> object:
    """What a text says of an option.

    :param name: of what is said, for messages.
    """
    if action.nargs == 0:
        return YES_NO[check_choice(text.lower(), name, YES_NO)]
    try:
        return action.type(text)  # type: ignore[operator,misc]
    except argparse.ArgumentTypeError as error:
        raise ValueError(f"{name}{':' * (not str(error).startswith('must'))} {error}") from None


def start(options) -> Data:
    """The graph, once it is known that the rest can be done."""
    check_count(options.repeats, "repeats", low=1), check_matplotlib()
    return graph_of(options)


@dataclass(frozen=True)
class Plan:
    """A method as it was asked for, before its budget is turned."""

    name: str
    method: Method
    options: argparse.Namespace

    @property
    def delta(self) -> float | None:
        return vars(self.options).get("delta")

    def at(self, data: Data, epsilon: float, unit: str) -> Turned:
        """With its budget turned; where something was computed of raw features first, its guarantee says so."""
        found = turn(self.method, epsilon, sizes_of(data), unit, self.delta)
        return replace(found, guarantee=left_of([found.guarantee], unaccounted(data))[0])


def swept(plans: Sequence[Plan], data: Data, options) -> int:
    """All runs that are missing, and what follows from all."""
    report = Report(options.json, options.quiet)
    for plan in plans:
        plan.method.check_weights(data)
        if isinstance(plan.method, Local):
            check_kind_of_features(plan.method, data, plan.options)
    held = {plan.name: stated(plan.method, sizes_of(data), options.unit, plan.delta) for plan in plans}
    check_one_unit(held)
    unit = next(iter(held.values())).unit
    turned = {(plan.name, epsilon): plan.at(data, epsilon, unit) for plan in plans for epsilon in options.budgets}
    report.say(whose(next(iter(turned.values())).guarantee))
    for line in too_likely([each.guarantee for each in turned.values()], data):
        report.say(line)
    for (name, epsilon), each in turned.items():
        report.say(f"{name} at epsilon = {epsilon:g}: {each.how}")
    for plan in plans:
        foresee(plan.method, extent_of(data), dealt(plan.method, data, plan.options)[1],
                len(options.budgets) * options.repeats, options, report)
    table = Table(options.to, settings(plans, data, unit))
    answers = [fill(table, plan, data, turned, options, report) for plan in plans]
    if any(isinstance(plan.method, Local | Curated) for plan in plans):
        beside(table, data, options, report)
    finish(table, plans, turned, options, report, min(answers))
    return 0


def settings(plans: Sequence[Plan], data: Data, unit: str) -> dict:
    """What all runs of a table have in common."""
    read = ("edge_index", "x", "y", *(MASKS if data.get("own_split") else ()), *own_weight(data))
    content = hashlib.sha256(b"".join(data[name].contiguous().numpy().tobytes() for name in read))
    return {"graph": data.name, "nodes": data.num_nodes, "content": content.hexdigest()[:16], "unit": unit,
            "methods": {plan.name: plain(plan.method) for plan in plans},
            "delta": {plan.name: plan.delta for plan in plans}}


def fill(table: Table, plan: Plan, data: Data, turned: dict, options, report: Report) -> int:
    """The runs of one method that the table lacks; how many answers an accuracy counts."""
    seen, how = dealt(plan.method, data, plan.options)
    missing = [(plan.name, epsilon, seed) for epsilon in options.budgets for seed in range(options.repeats)
               if (plan.name, epsilon, seed) not in table.runs]
    with report.hearing():
        for _, epsilon, seed in steps(missing, "runs"):
            at = turned[plan.name, epsilon]
            table.add((plan.name, epsilon, seed), at.guarantee,
                      at.method.tried(at.method.dealt(seen, seed, **how), seed)[1])
            report.say(f"{plan.name} at epsilon = {epsilon:g}, run {seed + 1} of {options.repeats}")
    return plan.method.asked(plan.method.dealt(seen, 0, **how)) or data.num_nodes


def beside(table: Table, data: Data, options, report: Report) -> None:
    """A plain network without privacy, on the same splits."""
    if all((BESIDE, NO_NOISE.epsilon, seed) in table.runs for seed in range(options.repeats)):
        return
    found = references(data, options.repeats, progress=report.bars).scores
    for seed in range(options.repeats):
        if (BESIDE, NO_NOISE.epsilon, seed) not in table.runs:
            table.add((BESIDE, NO_NOISE.epsilon, seed), NO_NOISE, {name: each[seed] for name, each in found.items()})


def finish(table: Table, plans: Sequence[Plan], turned: dict, options, report: Report, answers: int) -> None:
    """Table, picture and paragraph."""
    curves = {plan.name: [point(table, plan, turned[plan.name, epsilon].guarantee, epsilon, options.repeats)
                          for epsilon in options.budgets] for plan in plans}
    even = {name: break_even(points, answers) for name, points in curves.items()}
    how = {plan.name: "; ".join(f"{turned[plan.name, epsilon].how} for {epsilon:g}" for epsilon in options.budgets)
           for plan in plans}
    first = curves[plans[0].name][0].guarantee
    text = paragraph(curves, how, plans[0].options.graph, answers)
    for name, content in drawn(curves, even, f"epsilon of {first.unit} ({first.relation}, {first.trust})").items():
        table.keep(name, content)
    table.keep("said.txt", text + "\n")
    report.tell(text)
    report.say(f"written to {options.to}: runs.csv, picture.svg, picture.png, said.txt; for the owner of the data only",
               break_even=even, verdict=text.splitlines(), turned={f"{name} {epsilon:g}": each.how for (name, epsilon),
                                                                   each in turned.items()},
               accuracy={name: {f"{p.guarantee.epsilon:g}": dict(p.scores) for p in points}
                         for name, points in curves.items()})
    report.end()


def point(table: Table, plan: Plan, guarantee: Guarantee, epsilon: float, repeats: int) -> Point:
    """One budget of a method, with what stands beside it whatever the budget."""
    runs = [{**table.runs[plan.name, epsilon, seed], **(
        table.runs[BESIDE, NO_NOISE.epsilon, seed] if isinstance(plan.method, Local | Curated) else {})}
        for seed in range(repeats)]
    return Point(guarantee, {name: [run[name] for run in runs] for name in runs[0]})
