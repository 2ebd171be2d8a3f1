"""What is asked of a client's uploads, and beside which pairs: the truth lies with the clients, never with the server.

All questions are about public nodes, by their place among the rows. What is asked about *this* client is set beside
pairs of whom the same holds at *another*: friends are alike anywhere, and that is no secret of one client's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from ..checks import check_choice, check_count, check_data, check_generator, check_labels
from ..graph import Graph, contains, edge_key, key_edges
from .exposure import mixed
from .node_pairs import NodePairs, any_order

if TYPE_CHECKING:
    from torch_geometric.data import Data

BESIDE = ("anywhere", "elsewhere")


def ask_links(part: Data, count: int, generator: torch.Generator) -> NodePairs:
    """``count`` links between public nodes, and as many pairs of them without one.

    These links are in *every* part, so that whatever any client uploads tells of them.

    :param part: of ``methods.federated.parts``; fewer links, all of them.
    """
    check_generator(generator), check_count(count, "count", low=2)
    graph = Graph(public_links(part), part.num_public)
    links = graph.links[:, torch.randperm(graph.links.size(1), generator=generator)[:count]]
    return questions(links, graph.non_edges(links.size(1), generator), generator)


def ask_shared(parts: Sequence[Data], client: int, count: int, generator: torch.Generator,
               beside: str = "anywhere") -> NodePairs:
    """``count`` pairs of public nodes that share a private neighbour of this client, and as many that do not.

    No pair is linked itself. Pairs at random (``"anywhere"``) are mostly far apart, in other communities. The harder
    question is beside pairs that share a private neighbour of another client, and none of this one (``"elsewhere"``).

    :param parts: of all clients.
    :param client: whose neighbours are asked about.
    :param count: of each kind; where there are fewer of one kind, as many as there are of it.
    :param beside: which other pairs are asked about, "anywhere" or "elsewhere".
    """
    check_generator(generator), check_choice(beside, "beside", BESIDE)
    check_count(count, "count", low=2), check_count(client, "client", high=len(parts) - 1)
    here, n = shared_private(parts[client]), parts[client].num_public
    linked = public_links(parts[client])
    if beside == "anywhere":
        others = Graph.made(torch.cat([linked, here], 1), n).non_edges(min(count, here.size(1)), generator)
    else:
        others = torch.cat([shared_private(part) for i, part in enumerate(parts) if i != client], 1)
        others = key_edges(edge_key(others, n).unique(), n)
        others = others[:, ~contains(torch.cat([linked, here], 1), others, n)]
    here = here[:, ~contains(linked, here, n)]
    count = min(count, here.size(1), others.size(1))
    chosen = [kind[:, torch.randperm(kind.size(1), generator=generator)[:count]] for kind in (here, others)]
    return questions(*chosen, generator)


def questions(here: Tensor, others: Tensor, generator: torch.Generator) -> NodePairs:
    """Both kinds in any order, and which is which."""
    pairs, linked = mixed(here, others, generator)
    order = any_order(pairs)
    return NodePairs(pairs[:, order], linked[order])


def shared_private(part: Data) -> Tensor:
    """All pairs of public nodes with a private neighbour in common, each once, lower first: int64 [2, n].

    >>> from torch_geometric.data import Data
    >>> star = Data(edge_index=torch.tensor([[3, 3, 0, 1], [0, 1, 3, 3]]), num_nodes=4, num_public=3)
    >>> shared_private(star).tolist()
    [[0], [1]]
    """
    common = to_private(part)
    pairs = sp.triu(common @ common.T, k=1).tocoo()
    return torch.from_numpy(np.stack([pairs.row, pairs.col]).astype(np.int64))


def to_private(part: Data) -> sp.csr_array:
    """Which public nodes are linked to which private ones: 0/1 [P, n - P]."""
    graph, p = check_part(part), part.num_public
    u, v = graph.edge_index[:, (graph.edge_index[0] < p) & (graph.edge_index[1] >= p)].numpy()
    return sp.csr_array((np.ones(len(u), dtype=np.int64), (u, v - p)), shape=(p, graph.num_nodes - p))


def public_links(part: Data) -> Tensor:
    """The links between public nodes, both directions."""
    edges = check_part(part).edge_index
    return edges[:, (edges < part.num_public).all(0)]


def without_edges(part: Data) -> Tensor:
    """Which public nodes have no edge in this part, bool [P]."""
    return check_part(part).degree[:part.num_public] == 0


@dataclass(frozen=True, eq=False)
class Attributes:
    """Public ``nodes`` int64 [n] with private neighbours, the class of most of these, and whether it is ``other``.

    ``other`` bool [n]: not the node's own class. Only there can one tell what an upload says from what a label does.

    :param classes: int64 [n], the class of most of a node's private neighbours.
    :param other: bool [n], whether that is another class than the node's own.
    """

    nodes: Tensor
    classes: Tensor
    other: Tensor

    def right(self, named: Tensor) -> tuple[float, float]:
        """The share of right answers over all nodes, and over those whose own class is another.

        :param named: int64 [n], answers.
        """
        right = (named == self.classes).double()
        return float(right.mean()), float(right[self.other].mean())


def private_attributes(part: Data) -> Attributes:
    """The class of most private neighbours of each public node that has one; of two as frequent the lower number."""
    own = to_private(part)
    y = check_labels(check_data(part, "y").y, None)
    counts = own @ torch.nn.functional.one_hot(y[part.num_public:], int(y.max()) + 1).numpy()
    nodes = torch.from_numpy(own.sum(axis=1)).nonzero()[:, 0]
    classes = torch.from_numpy(counts).argmax(1)[nodes]
    return Attributes(nodes, classes, classes != y[nodes])


def check_part(part: Data) -> Graph:
    """The graph of a client's part."""
    graph = Graph.of(part)
    if "num_public" not in part:
        raise ValueError("part must have num_public (methods.federated.parts makes such), got a graph without it")
    check_count(part.num_public, "num_public", low=2, high=graph.num_nodes)
    return graph
