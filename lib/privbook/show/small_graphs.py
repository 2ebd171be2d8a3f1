"""Drawings of graphs that one can count on one hand."""

import networkx as nx
import torch
from torch import Tensor

from privgraph.checks import check_is, check_pairs, check_positive
from privgraph.graph import to_undirected

from .style import COLOURS

# The five people of the hand examples: a triangle 0-1-2 with a tail 2-3-4.
TOY_EDGES = to_undirected(torch.tensor([[0, 0, 1, 2, 3], [1, 2, 2, 3, 4]]), 5)
TOY_POSITIONS = {0: (0.0, 1.0), 1: (0.0, -1.0), 2: (1.2, 0.0), 3: (2.7, 0.0), 4: (4.2, 0.0)}


def draw_graph(axes, edge_index: Tensor, positions: dict, labels: dict | None = None, colours=None,
               size: float = 900) -> None:
    """Draw a small graph on ``axes``. ``labels``: node -> text (default: its number); ``colours``: one a node.

    :param positions: node -> (x, y).
    :param size: of a node, in points squared.
    """
    check_is(positions, "positions", dict), check_pairs(edge_index, len(positions), "edge_index", "E")
    check_positive(size, "size")
    graph = nx.Graph(edge_index.t().tolist())
    graph.add_nodes_from(positions)
    nodes = list(positions)
    nx.draw_networkx_edges(graph, positions, ax=axes, edge_color=COLOURS["grey"], width=1.6)
    nx.draw_networkx_nodes(graph, positions, nodelist=nodes, ax=axes, node_size=size, edgecolors="black",
                           node_color="white" if colours is None else colours)
    nx.draw_networkx_labels(graph, positions, labels=labels or {node: str(node) for node in nodes}, ax=axes,
                            font_size=10)
    axes.set_axis_off()
    axes.margins(0.18)
