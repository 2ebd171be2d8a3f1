"""Graphs: which are at hand, what is wrong with a file, and which one another command is about."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import is_zipfile

from .. import datasets
from ..checks import check_range
from ..datasets.check import TOO_FEW, stated_in, worth_saying
from ..datasets.layouts import MASKS, read_arrays
from .spelling import option_of

if TYPE_CHECKING:
    from torch_geometric.data import Data


# Options that use something which a file has, and the functions of ``datasets`` that check it.
KEPT = {"own_split": "keep_split", "own_weights": "keep_weights"}


def add_commands(commands) -> None:
    data = commands.add_parser("data", help="list the known graphs, or download one")
    data.add_argument("name", nargs="?", metavar="NAME", help="graph to download into the cache")
    data.set_defaults(command=data_command)

    check = commands.add_parser("check", help="say what is wrong with a graph file, and how to run a method on it")
    check.add_argument("file")
    add_range_options(check, "0 1")
    check.set_defaults(command=check_command)


def add_graph_options(parser: argparse.ArgumentParser) -> None:
    """Which graph, and what is publicly known of it."""
    group = parser.add_argument_group("the graph")
    group.add_argument("--graph", default="cora-twin", help="name of a graph, or an .npz file (default: %(default)s)")
    add_range_options(group, "0 1, or those of a named graph's card")
    group.add_argument("--num-classes", "--classes", dest="classes", type=int, metavar="INT",
                       help="public number of classes of an .npz file, which must be stated where the file does not")
    kinds = group.add_mutually_exclusive_group()
    kinds.add_argument("--group", type=int, metavar="SIZE", help="join so many 0/1 columns into one category each, as "
                       "RGNN does; 1 says that features are 0/1")
    kinds.add_argument("--domain-sizes", type=sizes, metavar="AxBx...",
                       help="features are whole numbers, of so many values a column; public")
    kinds.add_argument("--bins", type=int, help="cut each column into so many categories, at points computed from "
                       "everybody's values, which no epsilon accounts for")


def add_own_split(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--own-split", action="store_true", help="train, validate and test by the masks in the file, "
                        "the same in every run (default: each run draws its own)")


def add_own_weights(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--own-weights", action="store_true", help="use the weights of edges in the file, which are "
                        "taken as known to all, as the edges are (default: every edge counts the same)")


def add_range_options(parser, usual: str) -> None:
    """The public bounds of the features, for all columns or for each."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--feature-range", nargs=2, type=float, metavar=("LOW", "HIGH"),
                       help=f"public bounds of all features, known without looking at the data (default: {usual})")
    which.add_argument("--range-file", metavar="FILE",
                       help="the same where columns differ: a text file with LOW,HIGH in each line, one line a column")


def range_of(options: argparse.Namespace) -> tuple | None:
    """The public bounds that are stated: (low, high), or one such pair for each column."""
    if options.range_file is None:
        return options.feature_range and check_range(tuple(options.feature_range), "--feature-range")
    try:
        lines = Path(options.range_file).read_text().splitlines()
        return check_range([tuple(map(float, line.split(","))) for line in lines if line.strip()], "--range-file")
    except (ValueError, OSError) as error:
        raise ValueError("--range-file must name a text file with LOW,HIGH in each line, one line a column, got "
                         f"{options.range_file}: {getattr(error, 'strerror', None) or error}") from error


def sizes(text: str) -> tuple[int, ...]:
    """Of --domain-sizes."""
    try:
        return tuple(map(int, text.split("x")))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be whole numbers with x between them, 2x3x2, got {text!r}") from None


def graph_of(options: argparse.Namespace, where: str | None = None) -> Data:
    """The graph that was asked for: a named one, or a file with the public facts that the user states.

    :param where: the public graph, in place of the one that was asked for.
    """
    said = vars(options)
    own = [name for name in KEPT if where is None and said.get(name)]
    data = loaded(where or options.graph, options, "public_graph" if where else "graph", own)
    for name, transform in (("group", datasets.GroupFeatures), ("domain_sizes", datasets.Categories),
                            ("bins", lambda bins: datasets.Quantiles(bins=bins))):
        if said[name] is not None:
            data = transformed(data, transform, said[name], option_of(name))
    for name in own:
        check_masks(data, name)
        data = transformed(data, partial(getattr, datasets), KEPT[name], option_of(name))
    return data


def check_masks(data: Data, name: str) -> None:
    if name == "own_split" and (missing := [mask for mask in MASKS if mask not in data]):
        raise ValueError(f"--own-split needs a graph with {', '.join(MASKS)}, got none for {', '.join(missing)}; "
                         "without it each run draws a split of its own")


def transformed(data: Data, transform: Callable, value, option: str) -> Data:
    most = {"--bins": (data.num_nodes, "nodes"), "--group": (data.num_features, "features")}.get(option)
    if most and value > most[0]:  # nothing would be cut, or joined to something else
        raise ValueError(f"{option} must be at most {most[0]}, the number of {most[1]}, got {value}")
    try:
        return transform(value)(data)
    except ValueError as error:
        raise ValueError(f"{option}: {error}") from error


def loaded(where: str, options: argparse.Namespace, name: str, own: Sequence[str]) -> Data:
    """
    :param name: of the option that says it, for messages.
    :param own: which of ``KEPT`` are used.
    """
    if not (os.path.exists(where) or where.endswith(".npz")):
        check_card(where, f"{name} must be an .npz file that is there, or")
        if options.classes is not None or options.feature_range is not None or range_of(options) is not None:
            raise ValueError("--num-classes, --feature-range and --range-file are for files; what they say of "
                             f"{where} its card states")
        return datasets.load(where)
    if is_other(where):
        raise ValueError(f"{name} must be an .npz file, got {where}{how_to_convert(where)}")
    stated = {} if (said := range_of(options)) is None else {"feature_range": said}
    with of_option(name):
        return of_file(where, stated | ({} if options.classes is None else {"num_classes": options.classes}), own)


def is_other(where: str) -> bool:
    """Whether a file that is there is none of arrays, by its name or by its content."""
    return os.path.isfile(where) and not where.endswith(".npz") and (
        where.endswith((".pt", ".pth", ".xlsx")) or not is_zipfile(where))


def how_to_convert(where: str) -> str:
    return (f"; if it holds a graph, `privgraph convert {shlex.quote(where)} --label COLUMN --to NEW.npz` makes one "
            "of it")


@contextmanager
def of_option(name: str) -> Iterator[None]:
    """A file that cannot be read is said to be that of an option, or of an argument, of this name."""
    try:
        yield
    except (ValueError, OSError) as error:
        if str(error).startswith("cannot be read"):
            error.args = (f"{name} {error}",)
        raise


def check_card(name: str, what: str) -> None:
    """Refuse what is no known graph.

    :param what: begins the message.
    """
    if name in datasets.SETS:
        raise ValueError(f"{name} is a set of graphs, which few-shot methods read with --set {name}, and not one graph")
    if name not in datasets.CARDS:
        raise ValueError(f"{what} one of {', '.join(datasets.CARDS)}; got {name!r}")


def of_file(path: str, stated: dict, own: Sequence[str]) -> Data:
    """The graph of a file, with what is stated in the file or beside it; remarks on the file go to stderr.

    :param own: which of ``KEPT`` are used, of which nothing needs to be said.
    """
    found = read_arrays(path)
    if "num_classes" not in stated and "num_classes" not in found.stated:
        raise ValueError(f"say with --num-classes how many classes {path} can have: a public number, "
                         "which is not read off the labels")
    if "feature_range" in stated and found.x is not None:
        check_range(stated["feature_range"], "--range-file", found.x.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of weights, which are among the remarks
        data = datasets.from_npz(path, weights="own_weights" in own, **stated)
    for name in (name for name, value in stated.items() if found.stated.get(name, value) != value):
        print(f"{path}: the file says {name} = {found.stated[name]}, and what was typed counts: {stated[name]}",
              file=sys.stderr)
    for line in worth_saying(path, stated.get("feature_range")):
        if not any(option_of(name) in line for name in own):
            print(f"{path}: {line}", file=sys.stderr)
    return data


def data_command(options) -> int:
    if options.name:
        check_card(options.name, "NAME must be")
        print(f"fetching {options.name}", file=sys.stderr, flush=True)
        print(f"{options.name} is now in {datasets.download(options.name)}")
        return 0
    for card in [*datasets.CARDS.values(), *datasets.SETS.values()]:
        state = "at hand" if datasets.at_hand(card.name) else "not here"
        print(f"{card.name:20} {state:9} {card.title}")
    return 0


def check_command(options) -> int:
    if options.file in datasets.CARDS and not os.path.exists(options.file):
        raise ValueError(f"FILE must be a graph file, got {options.file}, a named graph, which was checked by whoever "
                         f"described it: privgraph run METHOD --graph {options.file}")
    problems, remarks = ([f"{options.file} is no .npz file{how_to_convert(options.file)}"], []) if is_other(
        options.file) else datasets.check_file(options.file, range_for(options), weights=True)
    problems += [line for line in remarks if TOO_FEW in line]
    for line in [*(f"problem: {p}" for p in problems), *(line for line in remarks if line not in problems)]:
        print(line)
    if problems:
        print("this file cannot be used as it is")
        return 1
    known = "num_classes" in stated_in(options.file)
    classes = "" if known else ", with the number of classes that is publicly known in place of CLASSES"
    print(f"ok; to run a method on it{classes}:\n  {how_to_run(options, known)}")
    return 0


def range_for(options: argparse.Namespace) -> tuple | None:
    """The bounds that are stated; those of a file must be as many as there are columns."""
    said, columns = range_of(options), None
    with suppress(ValueError, OSError):  # what is wrong with the file is said otherwise
        x = read_arrays(options.file).x
        columns = x.shape[1] if x is not None and x.ndim == 2 else None
    return said and check_range(said, "--range-file", columns)


def how_to_run(options, known: bool) -> str:
    bounds = " --feature-range {:g} {:g}".format(*options.feature_range) if options.feature_range else ""
    bounds += f" --range-file {shlex.quote(options.range_file)}" if options.range_file else ""
    classes = "" if known else " --num-classes CLASSES"
    return f"privgraph run lpgnn --graph {shlex.quote(options.file)}{classes}{bounds}"
