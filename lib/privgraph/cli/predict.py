"""Predictions of a saved model: a class for each node, of everybody in its release or of another graph."""

import argparse
import math
from pathlib import Path

from torch import Tensor

from .. import writing
from ..methods import load
from .data import add_range_options, graph_of

HEAD = "node,class,probability"


def add_commands(commands) -> None:
    predict = commands.add_parser("predict", help="name the class of each node with a saved model")
    predict.add_argument("model", type=Path, metavar="MODEL", help="a file that was saved, or the folder of run --save")
    predict.add_argument("graph", nargs="?", metavar="GRAPH", help="another graph, by its name or as an .npz file, for "
                         "a model that reads features as they are (default: who is in its release)")
    predict.add_argument("--to", type=Path, metavar="FILE", help=f"a file for the lines {HEAD} (default: the screen)")
    predict.add_argument("--num-classes", dest="classes", type=int, metavar="INT",
                         help="public number of classes of an .npz file, which must be stated")
    add_range_options(predict, "0 1, or those of a named graph's card")
    predict.set_defaults(command=predict_command, group=None, domain_sizes=None, bins=None)


def predict_command(options: argparse.Namespace) -> int:
    model = load(options.model / "model.pt" if options.model.is_dir() else options.model)
    lines = table(model.predict_proba(None if options.graph is None else graph_of(options)))
    if options.to is None:
        print(lines)
    else:
        writing.write(options.to, lines + "\n", name="--to")
        print(f"{lines.count(chr(10))} nodes are in {options.to}")
    return 0


def table(p: Tensor) -> str:
    """A line for each node; those of whom predictions mean nothing have neither class nor probability."""
    rows = zip(p.max(1).values.tolist(), p.nan_to_num().argmax(1).tolist(), strict=True)
    return "\n".join([HEAD, *(f"{node},," if math.isnan(chance) else f"{node},{kind},{chance:.4f}"
                              for node, (chance, kind) in enumerate(rows))])
