"""Methods on a graph, beside what can be had without them."""

import argparse
import os

from .. import datasets
from ..experiments import compare_controls, references
from ..methods import LPGNN
from ..nn import BACKBONES, REFERENCE

# What `privgraph run` prints beside every result.
REFERENCES = {"majority class": "nothing learnt: the largest class by the true labels of the training nodes",
              "plain GCN": "no privacy: true features and labels, as they are"}


def add_commands(commands) -> None:
    run = commands.add_parser("run", help="run LPGNN with its null controls and references on a graph")
    run.add_argument("method", choices=["lpgnn"])
    run.add_argument("--graph", default="cora-twin", help="name of a graph, or an .npz file (default: %(default)s)")
    run.add_argument("--feature-range", nargs=2, type=float, metavar=("LOW", "HIGH"),
                     help="public bounds of the features of an .npz file (default: 0 1)")
    run.add_argument("--classes", type=int, help="public number of classes of an .npz file, which must be stated")
    run.add_argument("--seeds", type=int, default=3, help="how many repeated runs (default: %(default)s)")
    defaults = LPGNN()
    run.add_argument("--backbone", default=defaults.backbone, choices=[*BACKBONES, REFERENCE])
    for name, kind in (("epsilon_x", float), ("epsilon_y", float), ("epochs", int)):
        run.add_argument("--" + name.replace("_", "-"), type=kind, default=getattr(defaults, name),
                         help="default: %(default)s")
    run.add_argument("--x-steps", type=int, help="hops of KProp (default: 16, and 0 where features carry no noise)")
    run.add_argument(
        "--y-steps", type=int, help="hops of label propagation (default: 2, and 0 where labels carry no noise)")
    run.add_argument("--as-published", action="store_true",
                     help="the paper's setting: 16 and 2 hops always, inputs not standardised, epochs by the log score")
    run.add_argument("--standardise", action=argparse.BooleanOptionalAction,
                     help="centre and scale what the network reads (default: yes, but not with --as-published)")
    run.set_defaults(command=run_command)


def run_command(options) -> int:
    data = graph_of(options)
    method = method_of(options)
    print(f"LPGNN on {data.name}: {data.num_nodes} nodes, {data.num_edges // 2} edges, {data.num_classes} classes")
    print(f"features and label of a node: epsilon = {method.epsilon_x + method.epsilon_y:g} (local); edges: not "
          "protected")
    for text in getattr(data, "unaccounted", ()):
        print(f"computed from raw features, which no epsilon accounts for: {text}")
    print(
        "for the owner of the data only: every accuracy is counted on true test labels, which no epsilon accounts for")
    for arm, result in compare_controls(method, data, options.seeds, progress=True).items():
        print(f"{arm + ' features':20} accuracy {result.said()}")
    for name, result in references(data, options.seeds, progress=True).items():
        print(f"{name:20} accuracy {result} %  ({REFERENCES[name]})")
    return 0


def method_of(options) -> LPGNN:
    """The LPGNN that `privgraph run` was asked for."""
    names = ("backbone", "epsilon_x", "epsilon_y", "x_steps", "y_steps", "epochs", "standardise")
    asked = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    return (LPGNN.as_published if options.as_published else LPGNN)(**asked)


def graph_of(options):
    """The graph of ``privgraph run``: a named one, or a file with the public facts that the user states."""
    if not (os.path.exists(options.graph) or options.graph.endswith(".npz")):
        return datasets.load(options.graph)
    if options.classes is None:
        raise ValueError(f"say with --classes how many classes {options.graph} can have: a public number, "
                         "which is not read off the labels")
    bounds = {"feature_range": tuple(options.feature_range)} if options.feature_range else {}
    return datasets.from_npz(options.graph, num_classes=options.classes, **bounds)
