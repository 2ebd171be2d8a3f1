"""Sets made of one large attributed network: each graph is what walks from one node meet, named after its labels.

The dissertation (section 5.3.1) makes its two larger sets from networks of goods and of papers, and uses "the
node-label distribution as the label of the new graph"; how, it does not say, and the sets are not published. Here a
graph is a centre with what a few short walks from it meet, and all edges between these nodes. Its class is the
commonest label among them: where the distribution has its one mode.

Neighbourhoods overlap. A node can be in many graphs, and in graphs of classes for training and for tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ...checks import check_count, check_generator
from ...graph import check_task, edge_key, random_walks
from ...graph_batch import GraphBatch, stretches
from ..episodes import GraphSet

if TYPE_CHECKING:
    from torch_geometric.data import Data

LEAST = 4  # nodes of a neighbourhood that is used


def neighbourhoods(data: Data, generator: torch.Generator, classes: int = 20, per_class: int = 100, walks: int = 6,
                   length: int = 10, name: str = "neighbourhoods") -> GraphSet:
    """Graphs around nodes of a network, with the commonest label of their nodes as class.

    Every node is tried as a centre. Which labels become classes, in which order, and which centres are used, is drawn;
    the first half of the classes is for training. A graph with a tie, or with fewer than 4 nodes, is not used.

    :param data: a network with ``x``, ``y`` (-1 = not labelled, not counted) and ``num_classes``.
    :param generator: source of all randomness.
    :param classes: how many labels become classes, at least 2.
    :param per_class: graphs of each class, with different centres.
    :param walks: from each centre.
    :param length: nodes of a walk, the centre among them; a graph has at most 1 + walks (length - 1) nodes.
    :param name: of the set.
    :returns: connected graphs; ``x`` are rows of the network's features.
    :raises ValueError: where too few labels have ``per_class`` such graphs.
    """
    check_task(data), check_generator(generator), check_count(classes, "classes", low=2)
    check_count(per_class, "per_class", low=1), check_count(walks, "walks", low=1)
    key = met(data, generator, walks, check_count(length, "length", low=2))
    mode = modes(data, key)
    enough = (torch.bincount(mode[mode >= 0], minlength=data.num_classes) >= per_class).nonzero()[:, 0]
    if len(enough) < classes:
        raise ValueError(f"classes must be at most {len(enough)}, the labels that are commonest in {per_class} "
                         f"neighbourhoods or more, got {classes}")
    labels = enough[torch.randperm(len(enough), generator=generator)[:classes]]
    members = [(mode == label).nonzero()[:, 0] for label in labels]
    centres = torch.cat([nodes[torch.randperm(len(nodes), generator=generator)[:per_class]] for nodes in members])
    return GraphSet(name, around(data, key, centres), torch.arange(classes).repeat_interleave(per_class),
                    tuple(range(classes // 2)), tuple(range(classes // 2, classes)))


def met(data: Data, generator: torch.Generator, walks: int, length: int) -> Tensor:
    """Which nodes the walks from each centre meet: sorted keys centre * N + node, each once."""
    centre = torch.arange(data.num_nodes).repeat_interleave(walks)
    seen = random_walks(data.edge_index, data.num_nodes, centre, length, generator)
    return edge_key((centre[:, None], seen), data.num_nodes).unique()


def modes(data: Data, key: Tensor) -> Tensor:
    """The commonest label around each centre, int64 [N]; -1 for a tie, without labels, or with too few nodes."""
    centre, node = key // data.num_nodes, key % data.num_nodes
    known = data.y[node] >= 0
    place = centre[known] * data.num_classes + data.y[node[known]]
    count = torch.bincount(place, minlength=data.num_nodes * data.num_classes).view(data.num_nodes, -1)
    (most, second), (label, _) = (part.unbind(1) for part in count.topk(2))
    large = torch.bincount(centre, minlength=data.num_nodes) >= LEAST
    return torch.where((most > second) & large, label, -1)


def around(data: Data, key: Tensor, centres: Tensor) -> GraphBatch:
    """The graphs of these centres, in order, with all edges of the network between nodes of a graph."""
    nodes = data.num_nodes
    first = torch.searchsorted(key, torch.stack([centres, centres + 1]) * nodes)
    sizes = first[1] - first[0]
    node = key[stretches(first[0], sizes)] % nodes
    graph = torch.arange(len(centres)).repeat_interleave(sizes)
    source, target = data.edge_index[:, data.edge_index[0].argsort(stable=True)]
    degree = torch.bincount(source, minlength=nodes)
    start = torch.arange(len(node)).repeat_interleave(degree[node])
    wanted = edge_key((graph[start], target[stretches((degree.cumsum(0) - degree)[node], degree[node])]), nodes)
    here = edge_key((graph, node), nodes)  # sorted, as the keys are
    end = torch.searchsorted(here, wanted).clamp(max=len(here) - 1)
    inside = here[end] == wanted
    return GraphBatch(data.x[node], torch.stack([start[inside], end[inside]]), sizes)
