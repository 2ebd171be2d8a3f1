"""The people on whom the contracts are tried: a small world, and tasks of paths against stars."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ...datasets.episodes import Task
from ...graph import to_undirected, with_edge_index
from ...late import pyg

if TYPE_CHECKING:
    from torch_geometric.data import Data


def path_graph(n: int = 8, num_classes: int = 2) -> Data:
    """People on a path, with their numbers in binary as features, of two classes; all are asked for their label.

    The last two are known as sensitive, as ``mechanisms.SensitiveResponse`` asks.
    """
    path = torch.stack([torch.arange(n - 1), torch.arange(1, n)])
    bits = (torch.arange(n)[:, None] // torch.tensor([1, 2, 4]) % 2).float()
    data = of_bits(path, bits, [0, 1] * (n // 2), num_classes)
    data.train_mask = torch.arange(n) < n // 2
    data.val_mask = ~data.train_mask
    data.sensitive_users = torch.arange(n) >= n - 2
    return data


def of_bits(edges: Tensor, bits: Tensor, y: list[int], num_classes: int) -> Data:
    """A graph whose features are three bits each."""
    from ...datasets import Categories, from_edge_list  # with a class of PyG's
    return Categories((2, 2, 2))(from_edge_list(edges, bits, y, num_classes=num_classes))


def shared_path() -> Data:
    """The path of ``path_graph``, of which all clients know one half, and each of two a quarter alone."""
    data = path_graph(16)
    data.holder = torch.tensor([-1, 0, -1, 1]).repeat(4)
    return data


LINKS = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (4, 6), (5, 6), (8, 9))


def world(silent: bool = False) -> Data:
    """Ten people: a path, a triangle at its end, somebody alone, and two who know each other only.

    They have their numbers in binary as features. Person 5 is the only one of her class, and 6 has no label; whether
    ``silent`` people are asked for one all the same. Four people are known as sensitive, and two pairs of them linked.
    """
    n = 10
    bits = (torch.arange(n)[:, None] // torch.tensor([1, 2, 4]) % 2).float()
    data = of_bits(torch.tensor(LINKS).t(), bits, [0, 1, 0, 1, 0, 2, -1, 1, 0, 1], 3)
    data.train_mask = torch.arange(n) < n // 2
    data.val_mask = ~data.train_mask & ((data.y >= 0) | silent)
    data.sensitive_users = torch.isin(torch.arange(n), torch.tensor([2, 3, 8, 9]))
    return data


def worlds(silent: bool = False) -> list[Data]:
    """The world, and the same for methods that refuse it: where everybody has a label, and of two classes."""
    whole = world(silent)
    labelled = changed(whole, y=whole.y.clamp(min=0))
    return [whole, labelled, changed(labelled, y=labelled.y.clamp(max=1), num_classes=2)]


def shared_world() -> Data:
    """Sixteen people of whom all clients know one half, and each of two a quarter alone: a path, with links between
    two private people of one client and between two whom all know. The last is alone."""
    data = path_graph(16)
    data.holder = torch.tensor([-1, 0, -1, 1]).repeat(4)
    more = torch.tensor([(1, 5), (9, 13), (3, 7), (0, 2), (4, 6)]).t()
    kept = data.edge_index[:, (data.edge_index < 15).all(0)]
    data.edge_index = to_undirected(torch.cat([kept, more], 1), 16)
    return data


def draw_task(generator: torch.Generator) -> Task:
    """Paths against stars of four to six nodes, two of each as support and two as query, in random order."""
    def graph(star: bool) -> Data:
        n = int(torch.randint(4, 7, (1,), generator=generator))
        ends = torch.arange(1, n)
        pairs = torch.stack([torch.zeros_like(ends) if star else ends - 1, ends])
        return pyg.data.Data(x=torch.ones(n, 1), edge_index=torch.cat([pairs, pairs.flip(0)], 1))
    y = torch.tensor([0, 1])
    y = [torch.cat([y, y])[torch.randperm(4, generator=generator)] for _ in range(2)]
    support, query = ([graph(bool(label)) for label in labels] for labels in y)
    return Task(support, y[0], query, y[1], ways=2)


def changed(data: Data, **fields) -> Data:
    data = with_edge_index(data, fields["edge_index"]) if "edge_index" in fields else copy.copy(data)
    for name, value in fields.items():
        data[name] = value
    return data


def elsewhere(data: Data) -> list[Data]:
    """Other people on the same graph: all with the features of the first, so that no sum or mean is the same, and other
    labels."""
    x, known = data.x[:1].expand_as(data.x).clone(), data.y >= 0
    turned = data.y.clone()
    turned[known] = data.y[known].flip(0)
    return [changed(data, x=x, y=y) for y in (turned, torch.where(known, 0, -1),
                                              torch.where(known, (data.y + 1) % data.num_classes, -1))]


def restricted(data: Data, nodes: list[int] | Tensor) -> Data:
    """The graph on some people, in this order, with all that is known of each."""
    nodes, n = torch.as_tensor(nodes), data.num_nodes
    edges, _ = pyg.utils.subgraph(nodes, data.edge_index, relabel_nodes=True, num_nodes=n)
    own = {name: value[nodes] for name, value in data
           if isinstance(value, Tensor) and value.dim() and len(value) == n and "edge" not in name}
    return changed(data, **own, edge_index=edges)
