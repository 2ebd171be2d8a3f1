"""Anybody's files as a graph file that every command reads, with what is publicly known of the kind of data."""

from __future__ import annotations

import argparse
import csv
import os
import shlex
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from .replacing import add_replace, check_new

if TYPE_CHECKING:
    from ..datasets.reading.found import Stated
    from ..datasets.reading.joined import Converted

FOR_THE_OWNER = "what is said here is about private data: for its owner, on this machine"
DESCRIPTION = ("Make a graph file of tables of edges and nodes (CSV, TSV, Parquet), GraphML, GEXF, GML, Pajek, JSON of "
               "nodes and links, Matrix Market, .npz of other projects, .pt of PyG, or a folder of the Open Graph "
               "Benchmark. What is stated here must be known without looking at the data; what is not stated is read "
               "off the data, and said.")


def add_commands(commands) -> None:
    own = commands.add_parser("convert", help="make a graph file of one's own tables, or of files of other programs")
    own.description = DESCRIPTION
    own.set_defaults(command=convert_command)
    files = own.add_argument_group("the files")
    files.add_argument("file", nargs="?", help="the graph; or, as --edges, a table with a row for each edge")
    files.add_argument("--edges", metavar="FILE", help="a table with a row for each edge")
    files.add_argument("--nodes", metavar="FILE", help="a table with a row for each node")
    files.add_argument("--to", metavar="FILE.npz", required=True, help="what is written; beside it FILE.nodes.csv, "
                       "which says whose number is which, and FILE.ranges.csv, the public bounds")
    add_replace(files, "the files of --to")
    files.add_argument("--header", action=argparse.BooleanOptionalAction, help="whether the first line of a table "
                       "names its columns (default: as it looks); without names columns are called 1, 2, ...")
    add_column_options(own.add_argument_group("the columns"))
    add_public_options(own.add_argument_group("what is publicly known, and not read off the data"))


def add_column_options(group) -> None:
    for name, what in (("id", "holds the ids of nodes (default: the one in which the ends of edges stand)"),
                       ("label", "holds the class of each node; several, A,B,C, where they are one-hot"),
                       ("source", "holds one end of each edge"), ("target", "holds the other end"),
                       ("weight", "holds the weight of each edge, or which attribute is it; entries, for those of a "
                        "matrix (default: every edge counts the same)")):
        group.add_argument(f"--{name}", metavar="COLUMN", help=f"which column {what}")
    group.add_argument("--columns", type=words, default=(), metavar="A,B,...", help="which columns are features "
                       "(default: those of --ranges and --categories, or else all that are left)")
    group.add_argument("--features", choices=("degree", "identity", "ones", "random"), help="in place of columns: "
                       "degree, which is private; identity, ones, random, which give nothing away")
    group.add_argument("--numbered", action="store_true", help="each category as whole numbers in one column, as RGNN "
                       "reads them (default: a column of 0 and 1 for each value)")


def add_public_options(group) -> None:
    group.add_argument("--classes", type=words, default=(), metavar="A,B,...", help="the names of all classes that "
                       "there can be, in the order of their numbers")
    group.add_argument("--num-classes", type=int, metavar="INT", help="how many classes there can be, where they are "
                       "numbered 0, 1, ...")
    group.add_argument("--ranges", type=ranges, default={}, metavar="COLUMN:LOW:HIGH,...", help="bounds of columns of "
                       "numbers, such as age:0:120")
    group.add_argument("--categories", type=categories, default={}, metavar="COLUMN:A:B,...", help="columns of "
                       "categories with their values, such as gender:f:m; a column alone has its values read off")


def words(text: str) -> tuple[str, ...]:
    """
    >>> words('a,"b, c",')
    ('a', 'b, c')
    """
    return tuple(word.strip() for word in next(csv.reader([text], skipinitialspace=True), []) if word.strip())


def ranges(text: str) -> dict[str, tuple[float, float]]:
    """
    >>> ranges("age:0:120,t:-20:40")
    {'age': (0.0, 120.0), 't': (-20.0, 40.0)}
    """
    found = {}
    for word in words(text):
        try:
            name, low, high = word.rsplit(":", 2)
            found[once(name, found)] = float(low), float(high)
        except ValueError:
            raise argparse.ArgumentTypeError(f"must be COLUMN:LOW:HIGH,..., such as age:0:120, got {word!r}") from None
        if not float("-inf") < found[name][0] < found[name][1] < float("inf"):
            raise argparse.ArgumentTypeError(f"must say finite bounds, the lower one first, got {word!r}")
    return found


def categories(text: str) -> dict[str, tuple[str, ...]]:
    """
    >>> categories("gender:f:m,city")
    {'gender': ('f', 'm'), 'city': ()}
    """
    found = {}
    for word in words(text):
        name, *values = word.split(":")
        if len(values) == 1 or len({*values}) < len(values):
            raise argparse.ArgumentTypeError(f"must be COLUMN, or COLUMN:A:B with different values, such "
                                             f"as gender:f:m, got {word!r}")
        found[once(name, found)] = tuple(values)
    return found


def once(name: str, said: Collection[str]) -> str:
    """The name of a column of which nothing was said before."""
    if name in said:
        raise argparse.ArgumentTypeError(f"must name each column once, got {name} again")
    return name


def stated_by(options: argparse.Namespace) -> Stated:
    from ..datasets.reading.found import Stated
    classes, count = options.classes, options.num_classes
    if len(classes) == 1 and classes[0].isdigit() and count is None:  # as other commands call their number
        classes, count = (), int(classes[0])
    if len(classes) == 1 or len({*classes}) < len(classes):
        raise ValueError(f"--classes must name two classes or more, each once, got {', '.join(classes)}")
    if classes and count is not None and count != len(classes):
        raise ValueError(f"--classes names {len(classes)} classes, and --num-classes says {count}: leave one out")
    if count is not None and count < 2:
        raise ValueError(f"--num-classes must be at least 2, got {count}")
    check_columns(options)
    said = vars(options)
    return Stated(classes=classes, num_classes=count, **{name: said[name] for name in (
        "label", "id", "source", "target", "weight", "ranges", "categories", "columns", "features", "numbered",
        "header")})


def check_columns(options) -> None:
    """Refuse what is said twice of a column, or of columns where there are none."""
    if again := sorted({name for name in options.columns if options.columns.count(name) > 1}):
        raise ValueError(f"--columns must name each column once, got {', '.join(again)} several times")
    unread = sorted({*options.ranges, *options.categories} - {*options.columns})
    if options.columns and not options.features and unread:
        raise ValueError(f"--ranges and --categories must be about --columns, where these are said, got "
                         f"{', '.join(unread)}, which is none of {', '.join(options.columns)}")
    if both := sorted({*options.ranges} & {*options.categories}):
        raise ValueError(f"--ranges is for columns of numbers, --categories for others, got {', '.join(both)} in both")
    for name in ("columns", "categories", "numbered", "ranges"):
        if options.features and vars(options)[name] and (name, options.features) != ("ranges", "degree"):
            raise ValueError(f"--features {options.features} stands in place of columns, so that --{name} must be left "
                             "out")
    if options.features == "degree" and (others := sorted({*options.ranges} - {"degree"})):
        raise ValueError(f"--ranges must name degree alone beside --features degree, got {', '.join(others)}")


def convert_command(options) -> int:
    files = [each for each in (options.file, options.edges) if each is not None]
    if len(files) != 1:
        raise ValueError("name one file with the graph, or its edges with --edges, got "
                         + (" and ".join(files) or "none"))
    check_target(options, *files, options.nodes)
    from ..datasets.reading.found import some
    from ..datasets.reading.joined import convert
    from ..datasets.reading.labelling import LOST
    found = convert(files[0], options.nodes, stated_by(options))
    print(FOR_THE_OWNER)
    for line in found.remarks:
        print(line)
    written = write_all(found, Path(options.to))
    if found.read_off:
        print(f"read off the data, so that no guarantee of a run will hold: {some(found.read_off, 12)}; what is known "
              "without the data can be stated with --classes, --ranges and --categories")
    print(f"written: {', '.join(map(str, written))}")
    for line in found.remarks:
        if LOST in line:  # the largest loss there can be is not said in the middle alone
            print(f"mind: {line}; whoever has one of these has no label now")
    method = "rgnn" if "domain_sizes" in found.data else "lpgnn"
    print(f"next:\n  privgraph check {shlex.quote(options.to)}\n  privgraph run {method} --graph "
          f"{shlex.quote(options.to)}{' --own-weights' if 'own_weights' in found.data else ''}")
    return 0


def check_target(options: argparse.Namespace, *sources: str | None) -> None:
    """Refuse before anybody waits what cannot be written, or would be written over what is there."""
    if not (target := options.to).endswith(".npz"):
        raise ValueError(f"--to must name a file that ends on .npz, got {target}")
    for path in beside(Path(target)):
        if any(source and os.path.realpath(source) == os.path.realpath(path) for source in sources):
            raise ValueError(f"--to must name another file than those that are read, got {target}, with which {path} "
                             "would be written")
    check_new(options, "--to", *beside(Path(target)))


def beside(target: Path) -> tuple[Path, Path, Path]:
    """The files that are written: the graph, who is who, and the public bounds."""
    return target, target.with_suffix(".nodes.csv"), target.with_suffix(".ranges.csv")


def write_all(found: Converted, target: Path) -> list[Path]:
    """All files; bounds only where all of them were stated."""
    from ..datasets import save_npz
    from ..writing import PRIVATE, write
    graph, nodes, bounds = beside(target)
    save_npz(found.data, graph, found.class_names, found.feature_names)
    write(nodes, as_csv([("node", "id"), *enumerate(found.ids)]), PRIVATE, "--to")
    if any("bounds" in each or "values" in each for each in found.read_off):
        return [graph, nodes]
    said = found.data.feature_range
    pairs = said if isinstance(said[0], tuple) else [said] * found.data.num_features
    write(bounds, "".join(f"{low:.10g},{high:.10g}\n" for low, high in pairs), name="--to")
    return [graph, nodes, bounds]


def as_csv(rows) -> str:
    import io
    csv.writer(text := io.StringIO(), lineterminator="\n").writerows(rows)
    return text.getvalue()
