"""Predictions of a saved model: a class for each node, of everybody in its release or of another graph.

One that learned from tasks gives a class for each graph of a file that has none."""

import argparse
import csv
import math
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

from torch import Tensor
from torch_geometric.data import Data

from .. import writing
from ..datasets.graph_sets.loading import read_task
from ..datasets.layouts import read_arrays
from ..methods import FewShot, load
from ..methods.files import read
from ..methods.model import Model
from ..methods.model_files import PARTS
from .data import add_range_options, graph_of, of_option, range_of
from .describe import called
from .replacing import add_replace, check_new
from .spelling import renamed

HEAD = "node,class,probability"
ENDINGS = (".csv", ".txt", "")
TASK = ("an .npz file of many graphs, with x, edge_index, node_graph_id (the graph of each node) and y: the class of "
        "each graph that serves as an example, and -1 for those that are to be named")


def add_commands(commands) -> None:
    predict = commands.add_parser("predict", help="name the class of each node with a saved model")
    predict.add_argument("model", type=Path, metavar="MODEL", help="a file that was saved, or the folder of run --save")
    predict.add_argument("graph", nargs="?", metavar="GRAPH", help="another graph, by its name or as an .npz file, for "
                         "a model that reads features as they are (default: who is in its release); for a few-shot "
                         f"model {TASK}")
    predict.add_argument("--to", type=Path, metavar="FILE", help=f"a file for the lines {HEAD} (default: the screen)")
    predict.add_argument("--names", type=Path, metavar="FILE.npz", help="call classes as this file of privgraph "
                         "convert does, and nodes as FILE.nodes.csv beside it (default: by their numbers)")
    predict.add_argument("--num-classes", dest="classes", type=int, metavar="INT",
                         help="public number of classes of an .npz file, which must be stated")
    add_range_options(predict, "0 1, or those of a named graph's card")
    add_replace(predict, "the file of --to")
    predict.set_defaults(command=predict_command, group=None, domain_sizes=None, bins=None)


def predict_command(options: argparse.Namespace) -> int:
    if options.to is not None and options.to.suffix.lower() not in ENDINGS:
        raise ValueError(f"--to must end in {', '.join(ENDINGS[:-1])} or nothing, as lines of text are written, got "
                         f"{str(options.to)!r}")
    check_new(options, "--to", options.to)
    model = model_of(model_in(options.model) if options.model.is_dir() else options.model)
    if options.graph is None:
        check_unasked(options)
    if isinstance(model.method, FewShot):
        lines = of_task(model, options)
    else:
        check_inductive(model, options.graph)
        p = model.predict_proba() if options.graph is None else asked_about(model, graph_of(options))
        lines = table(p) if options.names is None else named(p, options.names)
    if options.to is None:
        print(lines)
    else:
        writing.write(options.to, lines + "\n", name="--to")
        print(f"{len(list(csv.reader(StringIO(lines)))) - 1} {lines.partition(',')[0]}s are in {options.to}")
    return 0


def model_of(path: Path) -> Model:
    with renamed("path", "MODEL"):
        found = read(path, "a model")
    if found.keys() != PARTS:
        known = path.with_name("model.pt")
        raise ValueError(f"MODEL must be a file with a model, got {path} with {called(found, path)}"
                         + f"; the model is {known}" * known.is_file())
    return load(path)


def check_inductive(model: Model, graph: str | None) -> None:
    """Refuse another graph before anything is asked about it."""
    if graph is not None and not model.inductive:
        raise ValueError(f"{type(model.method).__name__} answers for the people of its release only, so that GRAPH "
                         f"must be left out, got {graph}")


def asked_about(model: Model, data: Data) -> Tensor:
    try:
        return model.predict_proba(data)
    except ValueError as error:
        raise ValueError(f"GRAPH is none that the model can be asked about: {error}") from error


def model_in(folder: Path) -> Path:
    """The file of a folder of ``run --save`` that predicts."""
    if (path := folder / "model.pt").is_file():
        return path
    there = ", ".join(sorted(each.name for each in folder.iterdir()))
    raise ValueError(f"{folder} must be a folder with model.pt, as run --save writes it for methods that predict, got "
                     f"one with {there[:200] or 'nothing'}")


def check_unasked(options: argparse.Namespace) -> None:
    """Refuse what is said of another graph where none is named."""
    for name, value in (("num_classes", options.classes), ("feature_range", options.feature_range),
                        ("range_file", options.range_file)):
        if value is not None:
            raise ValueError(f"{name} must be left out where no GRAPH is named, got {value}")


def of_task(model: Model, options: argparse.Namespace) -> str:
    """A line for each graph without a class."""
    if options.graph is None:
        raise ValueError(f"{type(model.method).__name__} learned from tasks: say with GRAPH what is asked, {TASK}")
    if options.classes is not None or range_of(options) is not None or options.names is not None:
        raise ValueError("--names, --num-classes, --feature-range and --range-file are about the nodes of one graph; "
                         f"a task's classes are those of its examples, in {options.graph}")
    wrong = f"{type(model.method).__name__} learned from tasks: GRAPH must be {TASK}"
    if not options.graph.endswith(".npz"):
        raise ValueError(f"{wrong}; got {options.graph!r}")
    try:
        with of_option("GRAPH"):
            task, classes, asked = read_task(options.graph)
    except ValueError as error:
        raise ValueError(f"{wrong}; {error}" if " lacks " in str(error) else str(error)) from error
    chances = model.predict_proba(task).max(1)
    return "\n".join([HEAD.replace("node", "graph"), *(
        f"{graph},{kind},{chance:.4f}" for graph, kind, chance in zip(
            asked.tolist(), classes[chances.indices].tolist(), chances.values.tolist(), strict=True))])


def table(p: Tensor) -> str:
    """A line for each node; those of whom predictions mean nothing have neither class nor probability."""
    return "\n".join([HEAD, *(f"{node},{'' if kind is None else kind},{chance}" for node, kind, chance in answers(p))])


def answers(p: Tensor) -> list[tuple[int, int | None, str]]:
    """Node, class and probability."""
    rows = zip(p.max(1).values.tolist(), p.nan_to_num().argmax(1).tolist(), strict=True)
    return [(node, None, "") if math.isnan(chance) else (node, kind, f"{chance:.4f}")
            for node, (chance, kind) in enumerate(rows)]


def named(p: Tensor, path: Path) -> str:
    """The same with names of classes, and of nodes where they are at hand."""
    with of_option("--names"):
        try:
            classes: Sequence = read_arrays(path).stated.get("class_names", ())
        except ValueError as error:
            raise ValueError(f"{path} must be a graph file with the names of {p.size(1)} classes: {error}") from error
    if len(classes) != p.size(1):
        raise ValueError(f"--names must be a file with the names of {p.size(1)} classes, got {path} with "
                         f"{len(classes) or 'none'}")
    ids = ids_beside(path, len(p))
    head = ["node", *(["id"] if ids else []), "class", "probability"]
    rows = [[node, *ids[node:node + 1], "" if kind is None else classes[kind], chance]
            for node, kind, chance in answers(p)]
    csv.writer(text := StringIO(), lineterminator="\n").writerows([head, *rows])
    return text.getvalue().rstrip("\n")


def ids_beside(path: Path, nodes: int) -> list[str]:
    """How ``convert`` found each node called; empty where its table is not there."""
    beside = path.with_suffix(".nodes.csv")
    if not beside.exists():
        return []
    with beside.open(encoding="utf-8", newline="") as file:
        found = [row.get("id") or "" for row in csv.DictReader(file)]
    if len(found) != nodes:
        raise ValueError(f"--names must be of the graph that is asked about, of {nodes} nodes, got {beside} with "
                         f"{len(found)}")
    return found
