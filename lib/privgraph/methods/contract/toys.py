"""The people on whom the contracts are tried: paths, and tasks of paths against stars."""

import copy
from collections.abc import Iterator

import torch
from torch_geometric.data import Data

from ...datasets import Categories, from_edge_list, induced
from ..method import Task


def path_graph(n: int = 8) -> Data:
    """People on a path, with their numbers in binary as features and two classes; all are asked for their label.

    The last two are known as sensitive, as ``mechanisms.SensitiveResponse`` asks.
    """
    path = torch.stack([torch.arange(n - 1), torch.arange(1, n)])
    bits = (torch.arange(n)[:, None] // torch.tensor([1, 2, 4]) % 2).float()
    data = Categories((2, 2, 2))(from_edge_list(path, bits, [0, 1] * (n // 2), num_classes=2))
    data.train_mask = torch.arange(n) < n // 2
    data.val_mask = ~data.train_mask
    data.sensitive_users = torch.arange(n) >= n - 2
    return data


def shared_path() -> Data:
    """The path of ``path_graph``, of which all clients know one half, and each of two a quarter alone."""
    data = path_graph(16)
    data.holder = torch.tensor([-1, 0, -1, 1]).repeat(4)
    return data


def draw_task(generator: torch.Generator) -> Task:
    """Paths against stars of four to six nodes, two of each as support and two as query, in random order."""
    def graph(star: bool) -> Data:
        n = int(torch.randint(4, 7, (1,), generator=generator))
        ends = torch.arange(1, n)
        pairs = torch.stack([torch.zeros_like(ends) if star else ends - 1, ends])
        return Data(x=torch.ones(n, 1), edge_index=torch.cat([pairs, pairs.flip(0)], 1))
    y = torch.tensor([0, 1])
    y = [torch.cat([y, y])[torch.randperm(4, generator=generator)] for _ in range(2)]
    support, query = ([graph(bool(label)) for label in labels] for labels in y)
    return Task(support, y[0], query, y[1], ways=2)


def changed(data: Data, **fields) -> Data:
    data = copy.copy(data)
    for name, value in fields.items():
        data[name] = value
    return data


def elsewhere(data: Data) -> Data:
    """Other people on the same graph: all with the features of the first, so that no sum or mean is the same."""
    return changed(data, x=data.x[:1].expand_as(data.x).clone(), y=data.y.flip(0))


def without_one(private: Data) -> Iterator[tuple[str, Data, Data]]:
    """The private graph, and the same without one person and her edges."""
    n = private.num_nodes
    others = torch.arange(1, n)
    for words, y in (("person", private.y), ("only member of a class", torch.arange(n).eq(0).long()),
                     ("last person with a label", torch.arange(n).eq(0).long() - 1)):
        data = changed(private, y=y)
        yield words, data, induced(data, others)
