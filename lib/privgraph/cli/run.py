"""Methods on a graph or a set of graphs, beside what can be had without them."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..checks import check_count, check_number
from ..checks.parameters import kinds_of
from ..datasets import SETS, GraphSet, Sampler, load_graphs
from ..datasets.sameness import same_graph
from ..effort import Extent, training
from ..graph import covering_hops
from ..methods import (
    GAE,
    LPGNN,
    LPPGE,
    Curated,
    Distilled,
    Embeddings,
    Federation,
    FewShot,
    Local,
    Method,
    Round,
    StructuralMean,
    extent_of,
    sizes_of,
)
from ..methods.evaluated import FOR_THE_OWNER
from ..methods.evaluation import plain, references
from ..methods.federated.split import check_shares
from ..methods.gae import drawn_pairs
from ..methods.release import unaccounted
from ..methods.sensitive import Hidden
from ..privacy import Guarantee, calibrate
from .attacking import Trial, names
from .config import add_config_option, as_toml
from .data import add_graph_options, add_own_split, add_own_weights, graph_of
from .foreseen import add_anyway, foresee
from .options import add_fields, add_methods, given
from .report_page import add_report_options, by_accountant, check_report, write_report
from .said import Report
from .saving import add_save_options, check_place, check_room, options_file, owners, save
from .spelling import ExactParser
from .splitting import add_split_options

if TYPE_CHECKING:
    from torch_geometric.data import Data

PUBLIC = 0.5  # share of the people, where no public graph is named
LARGE = 10_000  # nodes; the papers chose 16 hops for smaller graphs
GCN = plain().hidden, plain().epochs  # of the network without privacy
ROUNDED = 1e-6  # the part of an epsilon by which nobody asks why another is stated
EPOCHS = 50  # of larger ones: on PubMed, and on planted graphs of 24,000 nodes, 100 gave .1 point more or less


def add_commands(commands) -> None:
    top = commands.add_parser("run", help="run a method, with its null controls and references")
    add_methods(top, add_options, "Method")


def add_options(own: ExactParser, kind: type[Method]) -> None:
    add_method_options(own, kind)
    own.add_argument("--repeats", type=int, default=3, help="how many runs, each with coins of its own "
                     "(default: %(default)s)")
    add_save_options(own)
    add_said_options(own)
    if issubclass(kind, Local | Curated):
        own.add_argument("--attack", choices=names(), metavar="ATTACK", help="try an attack as well, on one more run: "
                         f"{', '.join(names())}")
    own.set_defaults(command=run_command, kind=kind)


def add_said_options(own: ExactParser) -> None:
    """What is told, and a file of options."""
    own.add_argument("--json", action="store_true", help="one line of JSON on stdout, all else on stderr")
    own.add_argument("--quiet", action="store_true", help="tell accuracies and what follows from them, without bars")
    add_report_options(own)
    add_config_option(own)


def add_method_options(parser: argparse.ArgumentParser, kind: type[Method]) -> None:
    """The graph, what it is split into, and the hyperparameters of a method."""
    (add_task_options if issubclass(kind, FewShot) else add_graph_options)(parser)
    if kind.dealt is Method.dealt:
        add_own_split(parser)
    if kind.WEIGHTS:
        add_own_weights(parser)
    group = parser.add_argument_group("the method")
    if issubclass(kind, Distilled):
        add_public_options(parser, kind)
    if issubclass(kind, Federation):
        add_split_options(parser)
    add_fields(group, kind, needed=not issubclass(kind, Distilled))
    add_anyway(parser)
    if hasattr(kind, "as_published"):
        group.add_argument("--as-published", action="store_true",
                           help="the paper's setting where the defaults differ; what is said beside it counts more")


def add_task_options(parser: argparse.ArgumentParser) -> None:
    """Which graphs, and which tasks."""
    group = parser.add_argument_group("the set of graphs, and tasks of classes that training never saw")
    group.add_argument("--set", choices=list(SETS), default="triangles", help="its name (default: %(default)s)")
    for name, usual, what in (("ways", 3, "classes of a task"), ("shots", 5, "labelled graphs of each class"),
                              ("queries", 10, "graphs of each class that are to be named"),
                              ("test-tasks", 100, "tasks of each test")):
        group.add_argument(f"--{name}", type=int, default=usual, help=f"{what} (default: %(default)s)")


def add_public_options(parser: argparse.ArgumentParser, kind: type[Distilled]) -> None:
    group = parser.add_argument_group("the public graph, and what labels of its nodes may cost")
    which = group.add_mutually_exclusive_group()
    which.add_argument("--public-graph", metavar="FILE|NAME", help="a graph of other people, with the same features")
    which.add_argument("--public-fraction", type=float,
                       help=f"without one: the share of the people who are public, at random (default: {PUBLIC})")
    group.add_argument("--delta", type=float, default=1e-5, help="of the guarantee (default: %(default)s)")
    if "scale" in kinds_of(kind):
        group.add_argument("--epsilon", type=float, help="in place of --scale: what all labels may cost a person")


def method_of(options: argparse.Namespace, data: Data | None = None) -> Method:
    """The method that was asked for.

    :param data: the graph, of which public sizes and the number of classes are read.
    """
    kind, said = options.kind, given(options, options.kind)
    if getattr(options, "epsilon", None) is not None and "epsilon" not in said:
        return calibrated(kind, said, options, data.num_classes)
    if issubclass(kind, Distilled):
        need_all(kind, said)
    if getattr(options, "as_published", False):
        return kind.as_published(**said)
    return kind(**said, **by_size(options, data))


WITHIN = {"num_nodes": "the number of nodes", "num_features": "the number of features"}


def check_said(method: Method, options: argparse.Namespace, data: Data | None = None, but: Sequence[str] = ()) -> None:
    """Refuse, of what was said, what nothing reads, and more than this graph can have; defaults are for any graph.

    :param data: the graph, of which sizes are read; None where there is not one.
    :param but: what somebody else reads.
    """
    sizes, unread = None if data is None else sizes_of(data), method.unread()
    for name, value in given(options, options.kind).items():
        if name in unread and name not in but:
            field, state = unread[name].split(" ", 1)
            raise ValueError(f"{name} must be left out, as --{field.replace('_', '-')} {state}, got {value}")
        within = getattr(kinds_of(options.kind).get(name), "within", "")
        most = getattr(method, within, getattr(sizes, within, None)) if within else None
        if None not in (value, most) and value > most:
            raise ValueError(f"{name} must be at most {most}, {WITHIN.get(within, f'its {within}')}, got {value}")


def by_size(options: argparse.Namespace, data: Data | None) -> dict[str, int]:
    """Hops and epochs of LPGNN on a large graph where none are said, and pairs of GAE and LPPGE: rules of public sizes.
    """
    said = given(options, options.kind)
    if issubclass(options.kind, GAE | LPPGE) and data is not None:
        found = {"pairs": drawn_pairs(said.get("pairs"), data.num_nodes)}
        return found if found != {"pairs": said.get("pairs")} else {}
    if options.kind is not LPGNN or options.as_published or data is None or data.num_nodes <= LARGE:
        return {}
    usual = LPGNN(**said)
    found = {"epochs": min(EPOCHS, usual.epochs)}
    if usual.hops[0]:
        found["x_steps"] = covering_hops(data.num_nodes, data.num_edges // 2, most=usual.hops[0])
    return {name: value for name, value in found.items() if name not in said}


def need_all(kind: type, said: dict) -> None:
    if "scale" not in said and "scale" in kinds_of(kind):
        raise ValueError("say with --scale how much noise a label gets, or with --epsilon what all may cost a person")


def calibrated(kind: type[Distilled], said: dict, options: argparse.Namespace, num_classes: int) -> Distilled:
    """The method with the smallest scale that keeps the target epsilon."""
    if "scale" in said:
        raise ValueError("--scale and --epsilon say the same twice: give one")
    scale = calibrate(lambda scale: kind(**said, scale=scale).budget(num_classes), options.epsilon, options.delta)
    return kind(**said, scale=scale)


def run_command(options) -> int:
    check_count(options.repeats, "repeats", low=1), check_place(options), check_report(options)
    if options.kind.tried is Method.tried:
        raise options.kind.of_no_kind()
    tasks = issubclass(options.kind, FewShot)
    data = load_graphs(options.set) if tasks else graph_of(options)
    method, report = method_of(options, data), Report(options.json, options.quiet)
    check_said(method, options, None if tasks else data)
    method.check_weights(data)
    attack = trial_of(method, options)
    (introduce_set if tasks else introduce)(method, data, options, report)
    seen, how = dealt(method, data, options)
    check_room(method, data, options, report), tell_ahead(method, data, how, options, report)
    promise(method, data, options, report)
    with report.hearing():
        found = method.evaluate(seen, seeds=options.repeats, progress=report.bars, delta=vars(options).get("delta"),
                                **how)
    tell_of(found.first, report)
    report.results(found)
    with report.hearing():
        if isinstance(method, Local | Curated):
            found |= references(data, options.repeats, progress=report.bars)
            report.results(found)
        report.verdict(found)
        report.attackers(() if attack is None else attack.results(data, progress=report.bars))
    save(method, seen, how, next(iter(found)), options, report)
    end(options, report)
    return 0


def tell_ahead(method: Method, data: Data, how: dict, options, report: Report) -> None:
    """What all runs take, those of what stands beside and of what is saved too."""
    extent = Extent(0, 0) if isinstance(method, FewShot) else extent_of(data)
    beside = training(extent, *GCN) * options.repeats if isinstance(method, Local | Curated) else None
    foresee(method, extent, how, options.repeats + bool(options.save), options, report, beside)


def trial_of(method: Method, options) -> Trial | None:
    """The attack that was asked for."""
    name = vars(options).get("attack")
    return None if name is None else Trial(name, method)  # type: ignore[arg-type]


def end(options, report: Report) -> None:
    """What is left to write: the page that was asked for; what was said, and the options, beside what was saved."""
    if options.report:
        write_report(options, report.facts)
    if options.save:
        report.end(owners(options.save), {options_file(options.save): as_toml(options.words)})
    else:
        report.end()


def introduce(method: Method, data: Data, options, report: Report) -> None:
    report.say(f"{options.kind.__name__} on {data.name}: {data.num_nodes} nodes, {data.num_edges // 2} edges, "
               f"{data.num_features} features, {data.num_classes} classes", method=options.method,
               hyperparameters=method, graph=data.name, nodes=data.num_nodes, edges=data.num_edges // 2,
               repeats=getattr(options, "repeats", 1))
    if data.get("own_split"):
        report.say("train, validation and test nodes of the file in every run: intervals leave out what another split "
                   "would change", own_split=True)
    if data.get("own_weights"):
        report.say("edges count as their weights in the file say, here and in a plain GCN", own_weights=True)
    for line in who_is_sensitive(method, data):
        report.say(line)
    for name, value in by_size(options, data).items():
        report.say(f"{name} = {value}, by the number of nodes and edges; --{name.replace('_', '-')} says otherwise")


def who_is_sensitive(method: Method, data: Data) -> list[str]:
    """How much a method hides that finds sensitive users by their links, which may be all."""
    degree = vars(method).get("sensitive_degree")
    if degree is None or "sensitive_degree" in method.unread():
        return []
    try:
        hidden = Hidden.of(data, degree)
    except ValueError:  # which the method says itself
        return []
    others = hidden.graph.among(~hidden.users) if vars(method).get("without") == "users" else hidden.training
    left = others.links.size(1)
    return [f"{int(hidden.users.sum())} of {data.num_nodes} users are sensitive, and {hidden.links.size(1)} of "
            f"{hidden.graph.links.size(1)} links join two of them; {left or 'none'} {'are' if left > 1 else 'is'} left "
            "beside what is hidden"]


def introduce_set(method: Method, data: GraphSet, options, report: Report) -> None:
    report.say(f"{options.kind.__name__} on {data.name}: {len(data.graphs)} graphs, {len(data.train_classes)} classes "
               f"to learn from, {len(data.test_classes)} new ones", method=options.method, hyperparameters=method,
               graph=data.name, graphs=len(data.graphs), repeats=options.repeats)


def promise(method: Method, data: Data, options, report: Report) -> None:
    """All that leaves, and what holds for it, before anything runs."""
    if isinstance(method, Local):
        check_kind_of_features(method, data, options)
    if method.INTRODUCED:
        report.say(method.INTRODUCED)
    costs = method.costs_on(data, getattr(options, "delta", None))
    hold(method, stated := [cost.guarantee for cost in costs], report)
    for line in (*too_likely(stated, data), *more_than_asked(method, stated)):
        report.say(line)
    if vars(options).get("report"):
        report.facts["accountants"] = by_accountant(costs)
    if isinstance(method, Local | Distilled | Curated):
        known(method.public_on(data), unaccounted(data), "features", report)
        report.say(FOR_THE_OWNER)
    if isinstance(method, Distilled):
        report.say(f"{method.num_queries} noisy labels, noise of scale {method.scale:.6g} on each")


def hold(method: Method, stated: Sequence[Guarantee], report: Report) -> None:
    report.guarantees(stated)
    if not stated:
        report.say(method.OPEN, guarantees=[])


def too_likely(stated: Sequence[Guarantee], data: Data) -> list[str]:
    """What is to be said of a delta that lets a method publish one of the people as they are."""
    return [f"delta = {delta:g} is much: with this chance nothing need hold for a person, so that it should lie far "
            f"below 1 / {data.num_nodes:,}, one in the number of people"
            for delta in sorted({each.delta for each in stated if each.delta}) if delta * data.num_nodes >= 1]


def more_than_asked(method: Method, stated: Sequence[Guarantee]) -> list[str]:
    """What is to be said of an epsilon that is smaller than what accountants round by, and is stated as more."""
    asked = vars(method).get("epsilon", math.inf) if isinstance(method, Curated) else math.inf
    return [f"epsilon = {each.epsilon:g} is stated, where {asked:g} was asked for: so little is less than what the "
            "accountant rounds by" for each in stated if asked * (1 + ROUNDED) < each.epsilon < math.inf]


def known(public: Sequence[str], texts: Sequence[str], what: str, report: Report) -> None:
    report.say(f"taken as known to all: {', '.join(public) or 'nothing'}", public=list(public), unaccounted=list(texts))
    for text in texts:
        report.say(f"computed from raw {what}, which no epsilon accounts for: {text}")


def tell_of(first, report: Report) -> None:
    """What left in the first run, where there is more to say of it than was promised."""
    if isinstance(first, Embeddings):
        known(first.public, first.unaccounted, "data", report)
    elif isinstance(first, Sequence):
        sent(first, report)


def sent(rounds: Sequence[Round], report: Report) -> None:
    """What left the clients' hands, and who was left out."""
    messages = [message for told in rounds for message in told.messages.values()]
    size = sum(map(len, messages))
    report.say(f"{len(messages)} messages of {size:,} bytes together left the clients in {len(rounds)} rounds",
               rounds=len(rounds), messages=len(messages), bytes=size)
    for number, told in enumerate(rounds):
        for client, reason in told.left_out.items():
            report.say(f"round {number}: client {client} was left out: {reason}")


def check_kind_of_features(method: Local, data: Data, options) -> None:
    """A method of categories is told so in the words of the command line."""
    if "domain_sizes" in method.public(sizes_of(data)) and "domain_sizes" not in data:
        raise ValueError(f"{options.method} reads features that are categories: say --group 1 where they are 0 or 1, "
                         "--domain-sizes 2x3x... where they are whole numbers, or --bins N to cut numbers")


def dealt(method: Method, data, options) -> tuple:
    """What ``evaluate`` is given: what was asked for, and how each seed deals it out."""
    if isinstance(method, FewShot):
        train, test = (Sampler(data, classes, options.ways, options.shots, options.queries)
                       for classes in (data.train_classes, data.test_classes))
        beside = {} if isinstance(method, StructuralMean) else {"counting": StructuralMean()}
        return train, {"test": test, "tasks": check_count(options.test_tasks, "test_tasks", low=1), "beside": beside}
    if isinstance(method, Federation):
        check_shares(options.clients, options.public, options.private, data.num_nodes)
        return data, {name: vars(options)[name] for name in ("clients", "public", "private", "by")}
    if isinstance(method, Distilled):
        return data, {"public": public_of(data, options)}
    return data, {}


def public_of(data: Data, options) -> Data | float:
    """The public graph, or the share of people who are public."""
    if options.public_graph is None:
        share = PUBLIC if options.public_fraction is None else options.public_fraction
        return check_number(share, "public_fraction", low=0, high=1, open_low=True, open_high=True)
    public = graph_of(options, options.public_graph)
    if same_graph(data, public):  # both are the caller's own, so the message tells nobody else anything
        raise ValueError("--public-graph must be a graph of other people than --graph, got the same twice, "
                         f"{options.graph} and {options.public_graph}: what is published beside the labels would be "
                         "the private graph; --public-fraction makes two of one")
    for name in ("num_features", "num_classes"):
        if getattr(public, name) != getattr(data, name):
            raise ValueError(f"--public-graph must have the features and classes of --graph, {data.num_features} and "
                             f"{data.num_classes}, got {public.num_features} and {public.num_classes}")
    return public
