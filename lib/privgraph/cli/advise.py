"""Which method at which budget: what was measured at equal true budgets on graphs like the one that is described.

No graph is read, unless one is named: sizes are stated by whoever asks, and must be public. What was measured stands in
``advice.csv`` beside this module, a row for each graph, unit, method and epsilon, as the book's ledger has it.
"""

import argparse
import csv
import math
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files

import numpy as np

from .. import datasets
from ..checks import check_choice, check_count, check_number, check_positive
from ..datasets.layouts import read_arrays
from .data import of_option
from .options import elsewhere

# unit -> the words for it, what is public, and what a method needs to be told
UNITS = {"edge": ("an undirected edge", "features, labels of training and validation nodes, and who they are"),
         "record": ("somebody's features and label", "all edges, and who is asked"),
         "node": ("a node with all that belongs to it", "the numbers of features and classes")}
WIDEST = 4.0  # the noise in a comparison of two sums of neighbours' votes has deviation WIDEST / epsilon
PERCEPTRON = ("--backbone", "mlp", "--epsilon-x", "inf", "--epsilon-y", "inf")  # a perceptron of features
SHARE = "*epsilon"  # of the one that was asked for, in a method of the table
ENOUGH = 0.2  # of what reports must reveal for each feature: below it they gained three points on none of 32 graphs
DIFFERENCE = 0.1  # of the means of two classes in a feature, where nobody guesses one
CLEARLY = 1.0  # points of accuracy: less is not worth a budget


@dataclass(frozen=True)
class Measured:
    """Mean accuracy in percent of a method on a graph at a true epsilon; 0: a reference that costs nothing."""

    unit: str
    graph: str
    nodes: int
    degree: float
    classes: int
    method: str
    epsilon: float
    accuracy: float


@cache
def measured() -> tuple[Measured, ...]:
    """All rows of the table."""
    lines = files(__package__).joinpath("advice.csv").read_text(encoding="utf-8").splitlines()
    kinds = {name: kind for name, kind in Measured.__annotations__.items()}
    return tuple(Measured(**{name: kinds[name](text) for name, text in row.items()}) for row in csv.DictReader(lines))


def add_commands(commands) -> None:
    advise = commands.add_parser("advise", help="say which method was best at which true budget on graphs like yours",
                                 allow_abbrev=False)
    advise.add_argument("--unit", choices=list(UNITS), required=True, help="what is secret: an edge; a record, that "
                        "is features and label, without a curator; or a node with her edges")
    advise.add_argument("--epsilon", type=float, required=True, help="what it may cost")
    advise.add_argument("--nodes", type=int, help="how many people there are")
    advise.add_argument("--degree", type=float, help="how many neighbours they have on average, if that is public")
    advise.add_argument("--classes", type=int, help="how many classes there are")
    advise.add_argument("--features", type=int, help="of a record: how many features each person would send")
    advise.add_argument("--difference", type=float, help="how far the means of two classes are apart in a feature, as "
                        f"a share of its range: a guess that uses nobody's data (default: {DIFFERENCE})")
    advise.add_argument("--graph", help="read these sizes of a graph instead: name of a graph, or an .npz file")
    advise.set_defaults(command=advise_command)
    advise.elsewhere = partial(elsewhere, advise, "it names a METHOD, and is told none")


def advise_command(options: argparse.Namespace) -> int:
    check_positive(options.epsilon, "epsilon")
    nodes, degree, classes = sizes(options)
    said = advice(options.unit, options.epsilon, nodes, degree, classes, options.graph)
    if options.features is not None:
        if options.unit != "record":
            raise ValueError(f"--features are what a record has; with --unit {options.unit} leave them out")
        apart = DIFFERENCE if options.difference is None else options.difference
        said[1] = of_features(options.epsilon / 2, nodes, classes, options.features, apart)
    elif options.difference is not None:
        raise ValueError(f"--difference is about --features, of which none are said, got {options.difference}")
    print("\n".join(said))
    return 0


def sizes(options: argparse.Namespace) -> tuple[int, float, int]:
    """Nodes, mean number of neighbours and classes, as they were stated, or of the graph that was named."""
    if options.graph is not None:
        if said := [f"--{name}" for name in ("nodes", "degree") if getattr(options, name) is not None]:
            raise ValueError(f"say either {' and '.join(said)} or --graph, got both")
        with of_option("--graph"):
            return sizes_of(options.graph, options.classes)
    stated = {name: getattr(options, name) for name in ("nodes", "degree", "classes")}
    if missing := [f"--{name}" for name, value in stated.items() if value is None]:
        raise ValueError(f"say {', '.join(missing)}, or --graph to have them read")
    nodes = check_count(options.nodes, "nodes", low=2)
    return (nodes, check_number(options.degree, "degree", low=0, high=nodes - 1),
            check_count(options.classes, "classes", low=2, high=nodes))


def sizes_of(graph: str, classes: int | None) -> tuple[int, float, int]:
    """The same of a known graph, by its card, or of a file."""
    if graph in datasets.CARDS:
        card = datasets.card(graph)
        check_known(graph, card.classes, classes)
        return card.nodes, 2 * card.edges / card.nodes, card.classes
    if not graph.endswith(".npz"):
        raise ValueError(f"--graph must be an .npz file, or one of {', '.join(datasets.CARDS)}; got {graph!r}")
    found = read_arrays(graph)
    check_known(graph, found.stated.get("num_classes"), classes)
    if (classes := found.stated.get("num_classes", classes)) is None:
        raise ValueError(f"say with --classes how many classes {graph} can have: a public number, which is not read "
                         "off the labels")
    held = found.y if found.y is not None else found.x
    pairs = np.sort(found.edge_index[:, found.edge_index[0] != found.edge_index[1]], axis=0)
    nodes = int(found.edge_index.max(initial=0)) + 1 if held is None else held.shape[0]
    both = np.unique(pairs, axis=1).shape[1]
    print(f"{graph} was read, and how many edges it has; no epsilon accounts for that", file=sys.stderr)
    return nodes, 2 * both / nodes, check_count(int(classes), "classes", low=2)


def check_known(graph: str, known: int | None, classes: int | None) -> None:
    """Refuse a number of classes beside another one that is known already."""
    if known is not None and classes not in (None, known):
        raise ValueError(f"--classes must be left out, as {graph} has {known} classes, got {classes}")


def advice(unit: str, epsilon: float, nodes: int, degree: float, classes: int, graph: str | None = None) -> list[str]:
    """Five sentences.

    :param unit: one of ``UNITS``.
    :param nodes: how many.
    :param degree: their mean number of neighbours.
    :param classes: how many.
    :param graph: its name, for the command.
    """
    what, public = UNITS[check_choice(unit, "unit", UNITS)]
    near = nearest(unit, nodes, degree)
    best, first = best_at(near, epsilon), near[0]
    free = max((row for row in near if not row.epsilon), key=lambda row: row.accuracy)
    return [f"Protected is {what}, at a true epsilon of {epsilon:g}; public are {public}.",
            noise(unit, epsilon, degree),
            f"Of the graphs that were measured, {first.graph} is nearest: {first.nodes:,} nodes with "
            f"{first.degree:.3g} neighbours each, {first.classes} classes.",
            *verdict(best, free, epsilon, graph or "FILE.npz")]


def verdict(best: Measured | None, free: Measured, epsilon: float, graph: str) -> tuple[str, str]:
    """What was best there, against what costs nothing, and what to type.

    :param best: at this epsilon, or at the next smaller one that was measured.
    :param free: the best reference.
    :param graph: of which the command is.
    """
    costless = f"{free.accuracy:.1f}% for nothing ({free.method})"
    nothing = "Try no method: whoever names the largest class needs nobody's data."
    if free.unit == "edge":  # features and labels are public there
        nothing = "Try: " + shlex.join(["privgraph", "run", "lpgnn", "--graph", graph, *PERCEPTRON])
    if best is None:
        return f"Nothing was tried there at so small an epsilon; {costless}.", nothing
    found = (f"Of what privgraph can run, {best.method.split()[0]} was best there at epsilon {best.epsilon:g}, with "
             f"{best.accuracy:.1f}% of test nodes right, against {costless}")
    if best.accuracy - free.accuracy < CLEARLY:
        return f"{found}: do not spend the budget.", nothing
    typed = f"privgraph run {spent(best.method, epsilon)} --graph {shlex.quote(graph)}"
    return f"{found}; one graph says little of another, so try it.", f"Try: {typed}"


def spent(method: str, epsilon: float) -> str:
    """What is typed of a method and its options, which may have shares of the epsilon.

    >>> spent("gap --labels", 2.0), spent("lpgnn --epsilon-x 0.25*epsilon --epsilon-y 0.75*epsilon", 2.0)
    ('gap --labels --epsilon 2', 'lpgnn --epsilon-x 0.5 --epsilon-y 1.5')
    """
    if SHARE not in method:
        return f"{method} --epsilon {epsilon:g}"
    return " ".join(f"{float(word.removesuffix(SHARE)) * epsilon:g}" if word.endswith(SHARE) else word
                    for word in method.split())


def noise(unit: str, epsilon: float, degree: float) -> str:
    """What the budget means where neighbours are summed; where they are not, that."""
    if unit != "edge":
        return {"record": "Neighbours average the noise of labels away; what features were sent beside the label "
                          "helped clearly on no real graph that was measured (--features says what to expect).",
                "node": "A method that reads edges needs a bound on everybody's number of neighbours that is known "
                        "beforehand; those named here read none."}[unit]
    even = WIDEST / degree if degree else math.inf
    return (f"A sum of neighbours' votes differs between two classes by at most {degree:.3g} on average, its noise by "
            f"{WIDEST / epsilon:.2g}: both are equal at epsilon {even:.2g}.")


def of_features(epsilon: float, nodes: int, classes: int, features: int, difference: float) -> str:
    """Whether reports of features can help: all of them must reveal about as much as there are features (chapter 13).

    :param epsilon: of one person's features.
    :param difference: of the means of two classes, as a share of a feature's range.
    """
    from ..mechanisms import MultiBit  # loads NumPy, which other advice does not need
    mechanism = MultiBit(epsilon, check_count(features, "features", low=1))
    check_number(difference, "difference", low=0.0, high=1.0)
    revealed = 2 * nodes * mechanism.sampled * (difference * mechanism.slope) ** 2 / classes
    said = (f"Where class means differ by {difference:g} of a feature's range, all reports at half of the epsilon "
            f"reveal {revealed:.3g} about the classes, against {features} features")
    if revealed < ENOUGH * features:
        return f"{said}: features will hardly help, so send labels only."
    return f"{said}: features can help, so compare them with permuted ones."


def nearest(unit: str, nodes: int, degree: float) -> Sequence[Measured]:
    """The rows of the graph that is most alike: in neighbours where edges are secret, else in people as well."""
    rows = [row for row in measured() if row.unit == unit]
    def far(row: Measured) -> float:
        people = abs(math.log(row.nodes / nodes))
        friends = abs(math.log(row.degree / max(degree, 0.1)))
        return friends if unit == "edge" else people + friends
    chosen = min(rows, key=far).graph
    return [row for row in rows if row.graph == chosen]


def best_at(rows: Sequence[Measured], epsilon: float) -> Measured | None:
    """The most accurate method at the largest epsilon that was measured and is no larger; None where there is none."""
    tried = max((row.epsilon for row in rows if 0 < row.epsilon <= epsilon), default=None)
    return max((row for row in rows if row.epsilon == tried), key=lambda row: row.accuracy, default=None)
