"""Who holds what of a graph, as options: the arguments of ``hold``."""

import argparse

from ..methods.federated.split import CHOICES


def add_split_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Who holds what: the arguments of ``hold``."""
    group = parser.add_argument_group("who holds what")
    group.add_argument("--clients", type=int, default=4, help="how many (default: %(default)s)")
    group.add_argument("--public", type=float, default=0.4,
                       help="share of the nodes that all clients hold (default: %(default)s)")
    group.add_argument("--private", type=float, default=0.15,
                       help="share of the nodes that each client holds alone (default: %(default)s)")
    group.add_argument("--by", choices=CHOICES, default=CHOICES[0],
                       help="how nodes are dealt out: at random, those with most links to all, or to each client "
                            "nodes of few classes (default: %(default)s)")
    return group
