"""Random splits: into training, validation and test nodes or links, and into a private and a public graph."""

from __future__ import annotations

import copy
from itertools import combinations
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ..checks import (
    check_count,
    check_data,
    check_flag,
    check_fraction,
    check_generator,
    check_labels,
    check_mask,
    check_number,
    check_tensor,
)
from ..graph import Graph, with_edge_index
from ..late import pyg
from ..streams import stream
from .layouts import MASKS
from .weights import weighed

if TYPE_CHECKING:
    from torch_geometric.data import Data

PER_CLASS = "who is in the private and who in the public graph: chosen by everybody's labels (as many of each class)"


def split(data: Data, generator: torch.Generator, train: float = 0.5, val: float = 0.25) -> Data:
    """A copy of ``data`` with masks: 50/25/25 of the labelled nodes by default, the rest for testing.

    Only nodes with a label (y >= 0) are in any mask. Masks are bool [N]. x, y and edges are shared
    with the original, not copied.

    :param train: share of the labelled nodes, from 0, below 1.
    :param val: likewise; both together below 1.
    :raises ValueError: where a part would be empty.
    """
    check_generator(generator), check_labels(check_data(data, "y").y, None, missing=True)
    train, val = check_fraction(train, "train"), check_fraction(val, "val")
    if train + val >= 1:
        raise ValueError(f"train + val must be below 1 to leave test nodes, got {train} + {val}")
    labelled = (data.y >= 0).nonzero().view(-1)
    order = labelled[torch.randperm(labelled.numel(), generator=generator)]
    cuts = [round(train * order.numel()), round((train + val) * order.numel())]
    if not 0 < cuts[0] < cuts[1] < order.numel():
        raise ValueError(f"{order.numel()} labelled nodes are too few for a {train:g}/{val:g} split: "
                         "each part needs at least one")
    data = copy.copy(data)
    for name, nodes in zip(("train_mask", "val_mask", "test_mask"), order.tensor_split(cuts), strict=True):
        mask = torch.zeros(data.num_nodes, dtype=torch.bool, device=data.y.device)
        mask[nodes] = True
        data[name] = mask
    return data


def keep_split(data: Data) -> Data:
    """A copy of a graph whose masks are used as they are wherever others would be drawn: by ``Method.evaluate``, its
    references, and the command line.

    Intervals over seeds then leave out what another split would have changed. Methods that deal people out, into a
    private and a public graph or to clients, refuse it.

    :param data: with ``train_mask``, ``val_mask`` and ``test_mask``, bool [N], of labelled nodes.
    :raises ValueError: where one is missing or empty, two share a node, or a node in one has no label.

    >>> from privgraph.datasets import load, split
    >>> from privgraph.methods import GAP
    >>> from privgraph.randomness import seeded
    >>> graph = keep_split(split(load("karate"), seeded(0), train=0.3))
    >>> GAP(epsilon=1.0, epochs=1).evaluate(graph, seeds=1).answers
    15
    """
    masks = {name: check_mask(check_data(data, name)[name], name, data.num_nodes) for name in MASKS}
    for name, mask in masks.items():
        if not mask.any():
            raise ValueError(f"{name} must hold at least one node, got none")
        if lost := int((mask & (check_data(data, "y").y < 0)).sum()):
            raise ValueError(f"{name} must hold nodes with a label (y >= 0), got {lost} without one")
    for one, other in combinations(MASKS, 2):
        if both := int((masks[one] & masks[other]).sum()):
            raise ValueError(f"{one} and {other} must share no node, got {both} in both")
    data = copy.copy(data)
    data.own_split = True
    return data


def without_split(data: Data) -> Data:
    """A copy without masks: where a graph is known by its name, what a file holds beside it changes no number.

    >>> from privgraph.datasets import load, split
    >>> from privgraph.randomness import seeded
    >>> "train_mask" in without_split(split(load("karate"), seeded(0)))
    False
    """
    data = copy.copy(data)
    for name in MASKS:
        if name in data:
            del data[name]
    return data


def split_or_own(data: Data, generator: torch.Generator) -> Data:
    """``split``, where ``keep_split`` did not say that the graph's own masks stay."""
    return data if getattr(data, "own_split", False) else split(data, generator)


def split_links(data: Data, generator: torch.Generator, val: float = 0.05,
                test: float = 0.1) -> tuple[Data, dict[str, tuple[Tensor, Tensor]]]:
    """A copy of ``data`` without some links, and what a prediction of links is asked about: 85/5/10 by default.

    The split of Kipf and Welling (2016), "Variational Graph Auto-Encoders". ``"val"`` and ``"test"`` each have pairs
    int64 [2, 2 k], first the k links that were taken out, rounded down, then as many pairs without a link, and whether
    they are links, bool [2 k]. No pair comes twice. A node can lose all its links.

    :param val: share of the links, from 0, below 1.
    :param test: likewise; both together leave some.
    :raises ValueError: where a part would be empty.

    >>> from privgraph.datasets import load
    >>> from privgraph.randomness import seeded
    >>> kept, asked = split_links(load("karate"), seeded(0))
    >>> kept.num_edges // 2, {name: linked.tolist() for name, (_, linked) in asked.items()}["val"]
    (68, [True, True, True, False, False, False])
    """
    check_generator(generator)
    graph = Graph.of(data)
    val, test = check_fraction(val, "val"), check_fraction(test, "test")
    links = graph.links
    sizes = [int(fraction * links.size(1)) for fraction in (val, test)]
    if min(sizes) < 1 or sum(sizes) >= links.size(1):
        raise ValueError(f"val and test must take at least one of {links.size(1)} links each, and leave at least one; "
                         f"got {val:g} and {test:g}")
    links = links[:, torch.randperm(links.size(1), generator=generator)]
    *taken, kept = links.split([*sizes, links.size(1) - sum(sizes)], 1)
    others = graph.non_edges(sum(sizes), generator).split(sizes, 1)
    data = with_edge_index(data, Graph.made(kept, graph.num_nodes).edge_index)
    return data, {name: (torch.cat(pairs, 1), torch.arange(2 * size) < size)
                  for name, size, *pairs in zip(("val", "test"), sizes, taken, others, strict=True)}


def private_public(data: Data, generator: torch.Generator, private: int, public: int,
                   per_class: bool = False) -> tuple[Data, Data]:
    """Two graphs without a node in common, each induced on random labelled nodes; edges between them are lost.

    The public graph has ``train_mask``, half of its nodes, and ``test_mask``, the rest. Which nodes are private is
    drawn without looking at anything; with ``per_class`` their labels are looked at, and then the private graph's
    class counts are known to all, while the public graph gets what is left. That is ``unaccounted``, and both graphs
    say so.

    :param private: nodes of the private graph; with ``per_class`` as many of each class.
    :param public: nodes of the public graph.
    :raises ValueError: where there are too few labelled nodes, or too few of a class.
    """
    check_generator(generator), check_data(data, "x", "y", "edge_index"), check_flag(per_class, "per_class")
    check_labels(data.y, None, missing=True)
    private, public = check_count(private, "private", low=2), check_count(public, "public", low=2)
    labelled = (data.y >= 0).nonzero().view(-1)
    order = labelled[torch.randperm(labelled.numel(), generator=generator)]
    hidden = order[:private]
    if per_class:
        classes = [order[data.y[order] == c] for c in range(data.num_classes)]
        if min(map(len, classes)) < private:  # a size of a class would tell of everybody in it
            raise ValueError(f"private must be at most the size of the smallest class, got {private}")
        hidden = torch.cat([nodes[:private] for nodes in classes])
    rest = order[~torch.isin(order, hidden)]
    rest = rest[torch.randperm(rest.numel(), generator=generator)]  # what the classes left has lost its random order
    if hidden.numel() < private or rest.numel() < public:
        raise ValueError(f"private and public must leave each other room among {labelled.numel()} labelled nodes, "
                         f"got {hidden.numel()} and {public}")
    inner, outer = induced(data, hidden), induced(data, rest[:public])
    outer.train_mask = torch.arange(public) < public // 2
    outer.test_mask = ~outer.train_mask
    if per_class:
        inner.unaccounted = outer.unaccounted = (*getattr(data, "unaccounted", ()), PER_CLASS)
    return inner, outer


def induced(data: Data, nodes: Tensor) -> Data:
    """The graph on ``nodes`` [n] and the edges between them, renumbered in the order of ``nodes``,
    which ``n_id`` keeps. Weights of edges that are used (``keep_weights``) stay with them.

    :param nodes: int64 [n].
    :raises ValueError: for what is no node of the graph.
    """
    check_data(data, "x", "y", "edge_index")
    if check_tensor(nodes, "nodes").dtype != torch.long or nodes.dim() != 1 or (
            len(nodes) and not 0 <= int(nodes.min()) <= int(nodes.max()) < data.num_nodes):
        raise ValueError(f"nodes must be an int64 tensor [n] of nodes 0..{data.num_nodes - 1}, "
                         f"got {nodes.dtype} of shape {list(nodes.shape)}")
    weight = data.edge_weight if getattr(data, "own_weights", False) else None
    edges, weight = pyg.utils.subgraph(nodes, data.edge_index, weight, relabel_nodes=True, num_nodes=data.num_nodes)
    part = with_edge_index(data, edges)
    part.x, part.y, part.n_id = data.x[nodes], data.y[nodes], nodes
    return part if weight is None else weighed(part, weight)


def parts(data: Data, fraction: float, seed: int) -> tuple[Data, Data]:
    """A private and a public graph: two parts of one, at random.

    :param fraction: of the labelled nodes that are public.
    """
    check_number(fraction, "fraction", low=0, high=1, open_low=True, open_high=True)
    labelled = int((data.y >= 0).sum())
    public = round(fraction * labelled)
    if min(public, labelled - public) < 2:
        raise ValueError(f"fraction must leave at least two labelled people on either side, got {fraction}, which "
                         f"makes {public} of {labelled} public")
    return private_public(data, stream("split", seed), labelled - public, public)


def halves(public: Data, seed: int) -> Data:
    """A public graph with masks: half of its labelled nodes may be asked, the others test."""
    labelled = (public.y >= 0).nonzero().view(-1)
    order = labelled[torch.randperm(len(labelled), generator=stream("split", seed))]
    public = copy.copy(public)
    for name, nodes in zip(("train_mask", "test_mask"), order.tensor_split(2), strict=True):
        public[name] = torch.zeros(public.num_nodes, dtype=torch.bool)
        public[name][nodes] = True
    return public
