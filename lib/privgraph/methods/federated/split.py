"""Who holds what: nodes that all clients know, and nodes that one client knows alone (section 4.3.1).

A graph carries the split: ``data.holder`` int64 [N] is ``PUBLIC`` for a node of all clients, 0, 1, ... for a node that
this client alone holds, and ``NOBODY`` for one that is left out. A client's part is the graph on its nodes. A link
between private nodes of two clients is in no part, and one between public nodes is in every part.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ...checks import check_choice, check_count, check_data, check_generator, check_number, check_tensor
from ...graph import Graph, check_edge_index
from ...late import pyg

if TYPE_CHECKING:
    from torch_geometric.data import Data

PUBLIC, NOBODY = -1, -2
CHOICES = ("random", "degree", "labels")


def hold(data: Data, generator: torch.Generator, clients: int = 4, public: float = 0.4, private: float = 0.15,
         by: str = "random") -> Data:
    """A copy of ``data`` that carries ``holder``.

    The default is the dissertation's: each client has 55% of the nodes, the same 40% and 15% of its own.

    :param clients: at least one.
    :param public: share of the nodes that all clients hold, in (0, 1).
    :param private: share of the nodes that each client holds alone, in (0, 1); at most what is left for each.
    :param by: how nodes are dealt out. ``"random"``; ``"degree"``: the nodes with most links are public (section 4.4).
        ``"labels"``: public ones at random, and the private nodes of a client are of few classes.
    :raises ValueError: if nobody would be public, or a client would hold nothing.

    >>> from privgraph.datasets import load
    >>> from privgraph.randomness import seeded
    >>> (hold(load("karate"), seeded(0), clients=2).holder + 2).bincount().tolist()  # nobody, all, one
    [11, 13, 5, 5]
    """
    graph = Graph.of(data)
    n, by = graph.num_nodes, check_choice(by, "by", CHOICES)
    shares = check_shares(clients, public, private, n)
    first, each = (whole(n * fraction) for fraction in shares)
    if not first or not each:
        raise ValueError(f"public and private must give each client a public node and one of its own, got "
                         f"{public} and {private} of {n} nodes")
    order = torch.randperm(n, generator=check_generator(generator))
    if by == "degree":
        order = order[graph.degree[order].argsort(descending=True, stable=True)]
    own = order[first:][torch.randperm(n - first, generator=generator)[:each * clients]]
    if by == "labels":
        own = own[check_data(data, "y").y[own].argsort(stable=True)]
    data = copy.copy(data)
    data.holder = torch.full((n,), NOBODY)
    data.holder[order[:first]] = PUBLIC
    data.holder[own] = torch.arange(clients).repeat_interleave(each)
    return data


def whole(number: float) -> int:
    """How many nodes or clients a share makes, whatever floats make of it."""
    return int(number + 1e-9)


def check_shares(clients: int, public: float, private: float, num_nodes: int) -> tuple[float, float]:
    check_count(clients, "clients", low=1)
    shares = tuple(check_number(fraction, name, low=0, high=1, open_low=True)
                   for fraction, name in ((public, "public"), (private, "private")))
    if shares[0] + clients * shares[1] > 1 + 1e-9:
        raise ValueError(too_many(clients, *shares, num_nodes))
    return shares


def too_many(clients: int, public: float, private: float, num_nodes: int) -> str:
    """Which of these can be less, and by how much, as nobody knows here which were said."""
    most, room = whole((1 - public) / private), whole((1 - public) * num_nodes)
    if not most:
        return f"public and private must be at most 1 together, got {public} and {private}"
    more = (f"{num_nodes} nodes are enough for {room} at most" if room < clients else
            f"or private at most {(1 - public) / clients:.4g}")
    return f"clients must be at most {most} with private = {private} and public = {public}, got {clients}; {more}"


def check_holder(data: Data) -> Tensor:
    """Who holds each node; every client from 0 up to the last has one of its own, and there are public ones."""
    n = check_data(data, "edge_index").num_nodes
    if "holder" not in data:
        raise ValueError("data must have holder, int64 [N], who holds each node: see methods.federated.hold")
    holder = check_tensor(data.holder, "holder")
    if holder.dtype != torch.long or holder.shape != (n,) or bool((holder < NOBODY).any()):
        raise ValueError(f"holder must be int64 [{n}]: {PUBLIC} (public), {NOBODY} (nobody) or the number of a client, "
                         f"got {holder.dtype} of shape {list(holder.shape)}")
    if not (holder == PUBLIC).any():
        raise ValueError(f"holder must name at least one public node ({PUBLIC}), got none")
    if int(holder.max()) < 0 or not holder[holder >= 0].bincount().all():
        raise ValueError("holder must give each client 0, 1, ... a node of its own; a number is missing")
    return holder


def parts(data: Data) -> tuple[Data, ...]:
    """What each client holds, and nothing else of ``data``.

    A part has ``edge_index``, and as far as ``data`` has them ``x``, ``y``, ``train_mask``, ``num_classes`` and
    ``feature_range``; and

    - ``n_id`` int64 [n]: each node's number in the whole graph; public ones come first, in the same order everywhere,
    - ``num_public``: P, how many these are.
    """
    check_edge_index(data.edge_index, check_holder(data).numel())
    shared = (data.holder == PUBLIC).nonzero().view(-1)
    own = ((data.holder == client).nonzero().view(-1) for client in range(int(data.holder.max()) + 1))
    return tuple(part(data, torch.cat([shared, nodes]), len(shared)) for nodes in own)


def part(data: Data, nodes: Tensor, num_public: int) -> Data:
    """The graph on ``nodes``. It is built anew: a field that came along would bring all others' records."""
    edges, _ = pyg.utils.subgraph(nodes, data.edge_index, relabel_nodes=True, num_nodes=data.num_nodes)
    fields = {name: data[name][nodes] for name in ("x", "y", "train_mask") if name in data}
    fields |= {name: data[name] for name in ("num_classes", "feature_range") if name in data}  # known to all
    return pyg.data.Data(**fields, edge_index=edges, num_nodes=len(nodes), n_id=nodes, num_public=num_public)
