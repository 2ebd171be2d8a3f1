"""Methods on a graph or a set of graphs, beside what can be had without them."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ..checks import check_count
from ..checks.parameters import kinds_of
from ..datasets.sameness import same_graph
from ..datasets.splits import halves, parts
from ..graph import covering_hops
from ..methods import LPGNN, Curated, Distilled, Embedding, Federation, FewShot, Local, Method, sizes_of
from ..methods.evaluation import arms, references, run, teach_again
from ..nn import interval
from ..privacy import calibrate
from .data import add_graph_options, graph_of
from .few_shot import add_task_options, introduce_set, run_episodes, set_of
from .options import add_fields, add_methods, given
from .run_curated import run_curated
from .run_embedding import run_embedding
from .run_federation import add_split_options, run_federation
from .said import FOR_THE_OWNER, Report
from .saving import add_save_options, check_place, owners, save
from .spelling import ExactParser

if TYPE_CHECKING:
    from torch_geometric.data import Data

LARGE = 10_000  # nodes; the papers chose 16 hops for smaller graphs
EPOCHS = 50  # of larger ones: on PubMed, and on planted graphs of 24,000 nodes, 100 gave .1 point more or less
# What is printed beside every result.
REFERENCES = {"majority class": "nothing learnt: the largest class by the true labels of the training nodes",
              "plain GCN": "no privacy: true features and labels, as they are",
              "student of true labels": "no privacy: the same student, told the true labels of the same nodes"}


def add_commands(commands) -> None:
    top = commands.add_parser("run", help="run a method, with its null controls and references")
    add_methods(top, add_options, "Method")


def add_options(own: ExactParser, kind: type[Method]) -> None:
    add_method_options(own, kind)
    own.add_argument("--repeats", type=int, default=3, help="how many runs, each with coins of its own "
                     "(default: %(default)s)")
    add_save_options(own)
    own.add_argument("--json", action="store_true", help="one line of JSON on stdout, all else on stderr")
    own.set_defaults(command=run_command, kind=kind)


def add_method_options(parser: argparse.ArgumentParser, kind: type[Method]) -> None:
    """The graph, what it is split into, and the hyperparameters of a method."""
    (add_task_options if issubclass(kind, FewShot) else add_graph_options)(parser)
    group = parser.add_argument_group("the method")
    if issubclass(kind, Distilled):
        add_public_options(parser, kind)
    if issubclass(kind, Federation):
        add_split_options(parser)
    add_fields(group, kind, needed=not issubclass(kind, Distilled))
    if hasattr(kind, "as_published"):
        group.add_argument("--as-published", action="store_true",
                           help="the paper's setting where the defaults differ; what is said beside it counts more")


def add_public_options(parser: argparse.ArgumentParser, kind: type[Distilled]) -> None:
    group = parser.add_argument_group("the public graph, and what labels of its nodes may cost")
    which = group.add_mutually_exclusive_group()
    which.add_argument("--public-graph", metavar="FILE|NAME", help="a graph of other people, with the same features")
    which.add_argument("--public-fraction", type=float, default=0.5,
                       help="without one: the share of the people who are public, at random (default: %(default)s)")
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


def by_size(options: argparse.Namespace, data: Data | None) -> dict[str, int]:
    """Hops and epochs of LPGNN on a large graph where none are said: a rule of public sizes."""
    said = given(options, options.kind)
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
    runner = next((run for kind, run in RUNNERS.items() if issubclass(options.kind, kind)), None)
    if runner is None:
        base = next(base.__name__ for base in options.kind.__mro__ if base.__module__.endswith(".method"))
        raise ValueError(f"{options.method} is a method of the kind {base}, which this command cannot run yet; "
                         f"in Python it is privgraph.methods.{options.kind.__name__}")
    check_count(options.repeats, "repeats", low=1), check_place(options)
    tasks = issubclass(options.kind, FewShot)
    data = (set_of if tasks else graph_of)(options)
    method, report = method_of(options, data), Report(options.json)
    (introduce_set if tasks else introduce)(method, data, options, report)
    runner(method, data, options, report)
    save(method, data, options, report)
    report.end(options.save and owners(options.save))
    return 0


def introduce(method: Method, data: Data, options, report: Report) -> None:
    report.say(f"{options.kind.__name__} on {data.name}: {data.num_nodes} nodes, {data.num_edges // 2} edges, "
               f"{data.num_features} features, {data.num_classes} classes", method=options.method,
               hyperparameters=method, graph=data.name, nodes=data.num_nodes, edges=data.num_edges // 2,
               repeats=getattr(options, "repeats", 1))
    for name, value in by_size(options, data).items():
        report.say(f"{name} = {value}, by the number of nodes and edges; --{name.replace('_', '-')} says otherwise")


def promise(method: Method, data: Data, options, report: Report) -> None:
    """All that leaves, and what holds for it, before anything runs."""
    texts = tuple(getattr(data, "unaccounted", ()))
    stated = method.guarantees(sizes_of(data), getattr(options, "delta", None))
    if isinstance(method, Distilled):
        edges, public = (), ["features and edges of the public graph", "num_classes"]
    else:
        edges, public = method.edges, public_of(method)
    report.say("what will hold where the randomness is secret, whatever comes out:")
    report.guarantees(replace(g, basis="none") if texts and g not in edges else g for g in stated)
    report.say(f"taken as known to all: {', '.join(public)}", public=public, unaccounted=texts)
    for text in texts:
        report.say(f"computed from raw features, which no epsilon accounts for: {text}")
    report.say(FOR_THE_OWNER)


def public_of(method: Local) -> list[str]:
    """What a release will take as known to all, by the class of what ``collect`` returns."""
    release = method.release_type()
    spent = {"report": method.epsilon_x, "y": method.epsilon_y, "edge_index": min(g.epsilon for g in method.edges)}
    return [*release.PUBLIC, *(name for name, epsilon in spent.items() if math.isinf(epsilon))]


def run_local(method: Local, data: Data, options, report: Report) -> None:
    check_kind_of_features(method, data, options)
    promise(method, data, options, report)
    for arm in arms(data):
        values = []
        for seed in range(options.repeats):
            values.append(run(method, data, seed, arm, progress=True).accuracy)
        report.result(f"{arm} features", interval(values))
    for name, result in references(data, options.repeats, progress=True).items():
        report.result(name, result, REFERENCES[name])


def check_kind_of_features(method: Local, data: Data, options) -> None:
    """A method of categories is told so in the words of the command line."""
    if "domain_sizes" in public_of(method) and "domain_sizes" not in data:
        raise ValueError(f"{options.method} reads features that are categories: say --group 1 where they are 0 or 1, "
                         "--domain-sizes 2x3x... where they are whole numbers, or --bins N to cut numbers")


def run_distilled(method: Distilled, data: Data, options, report: Report) -> None:
    promise(method, data, options, report)
    report.say(f"{method.num_queries} noisy labels, noise of scale {method.scale:.6g} on each")
    options.graphs = graphs_of(data, options)
    _, found = teach_again(method, options.graphs, options.repeats, progress=True)
    for name, result in found.items():
        report.result(name, result, REFERENCES.get(name, ""))


def graphs_of(data: Data, options) -> Callable[[int], tuple[Data, Data]]:
    """From a seed to the private and the public graph of its run."""
    if options.public_graph is None:
        return lambda seed: parts(data, options.public_fraction, seed)
    public = graph_of(options, options.public_graph)
    if same_graph(data, public):  # both are the caller's own, so the message tells nobody else anything
        raise ValueError("--public-graph must be a graph of other people than --graph, got the same twice, "
                         f"{options.graph} and {options.public_graph}: what is published beside the labels would be "
                         "the private graph; --public-fraction makes two of one")
    return lambda seed: (data, halves(public, seed))


RUNNERS = {Local: run_local, Distilled: run_distilled, Curated: run_curated, Embedding: run_embedding,
           Federation: run_federation, FewShot: run_episodes}
