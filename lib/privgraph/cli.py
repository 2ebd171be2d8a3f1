"""The command ``privgraph``: data | check | run | reproduce."""

import argparse
import os
import sys

from . import datasets
from .experiments import EXPERIMENTS, compare_controls, run_missing
from .methods import LPGNN
from .nn import BACKBONES, REFERENCE


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line and run one command; returns the exit status."""
    options = parser().parse_args(arguments)
    try:
        return options.command(options)
    except (ValueError, LookupError, OSError) as error:
        print(f"privgraph: {error}", file=sys.stderr)
        return 2


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="privgraph", description="Privacy-preserving graph neural networks.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    data = commands.add_parser("data", help="list the known graphs, or download one through PyG")
    data.add_argument("name", nargs="?", help="graph to download into the cache")
    data.set_defaults(command=data_command)

    check = commands.add_parser("check", help="say what is wrong with a graph file")
    check.add_argument("file")
    check.set_defaults(command=check_command)

    run = commands.add_parser("run", help="run LPGNN with its null controls on a graph")
    run.add_argument("method", choices=["lpgnn"])
    run.add_argument("--graph", default="cora-twin", help="name of a graph, or an .npz file (default: %(default)s)")
    run.add_argument("--feature-range", nargs=2, type=float, metavar=("LOW", "HIGH"),
                     help="public bounds of the features of an .npz file (default: 0 1)")
    run.add_argument("--seeds", type=int, default=3, help="how many repeated runs (default: %(default)s)")
    defaults = LPGNN()
    run.add_argument("--backbone", default=defaults.backbone, choices=[*BACKBONES, REFERENCE])
    for name, kind in (("epsilon_x", float), ("epsilon_y", float), ("x_steps", int), ("y_steps", int), ("epochs", int)):
        run.add_argument("--" + name.replace("_", "-"), type=kind, default=getattr(defaults, name),
                         help="default: %(default)s")
    run.set_defaults(command=run_command)

    reproduce = commands.add_parser("reproduce", help="run what is missing of an experiment")
    reproduce.add_argument("experiment", choices=sorted(EXPERIMENTS))
    reproduce.add_argument("--dataset")
    reproduce.add_argument("--workers", type=int, default=1)
    reproduce.add_argument("--minutes", type=float, help="start no run after this many minutes")
    reproduce.set_defaults(command=reproduce_command)
    return top


def data_command(options) -> int:
    if options.name:
        print(f"{options.name} is now in {datasets.download(options.name)}")
        return 0
    for card in datasets.CARDS.values():
        state = "at hand" if datasets.at_hand(card.name) else "not here"
        print(f"{card.name:20} {state:9} {card.title}")
    return 0


def check_command(options) -> int:
    problems, remarks = datasets.check_file(options.file)
    for line in [*(f"problem: {p}" for p in problems), *remarks]:
        print(line)
    print("this file cannot be used as it is" if problems else "ok")
    return 1 if problems else 0


def run_command(options) -> int:
    bounds = {"feature_range": tuple(options.feature_range)} if options.feature_range else {}
    is_file = os.path.exists(options.graph) or options.graph.endswith(".npz")
    data = datasets.from_npz(options.graph, **bounds) if is_file else datasets.load(options.graph)
    method = LPGNN(**{name: getattr(options, name) for name in
                      ("backbone", "epsilon_x", "epsilon_y", "x_steps", "y_steps", "epochs")})
    print(f"LPGNN on {data.name}: {data.num_nodes} nodes, {data.num_edges // 2} edges, {data.num_classes} classes")
    print(f"features and label of a node: epsilon = {method.epsilon_x + method.epsilon_y:g} (local); edges: not protected")
    for arm, result in compare_controls(method, data, options.seeds, progress=True).items():
        print(f"{arm:10} features: accuracy {result} %  (mean and 95% interval, {result.n} seeds)")
    return 0


def reproduce_command(options) -> int:
    added = run_missing(EXPERIMENTS[options.experiment], dataset=options.dataset, workers=options.workers,
                        minutes=options.minutes)
    print(f"{added} runs added")
    return 0


if __name__ == "__main__":
    sys.exit(main())
