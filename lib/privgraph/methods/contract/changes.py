"""Whose record may be another, and how: for each unit and relation of a guarantee, each person of a small world."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import torch

from ...datasets.bounds import bounds
from ...graph import to_undirected
from ...randomness import seeded
from .toys import changed, restricted

if TYPE_CHECKING:
    from torch_geometric.data import Data

ORDERS = 10  # in which people stand


@dataclass(frozen=True)
class Change:
    """Two worlds that differ in one unit. ``person``: whose record it is, where it is one person's. ``gone``: who is no
    more in the second, and has left a place that the next one took."""

    words: str
    data: Data
    neighbour: Data
    person: int | None = None
    gone: int | None = None


def label(data: Data) -> Iterator[Change]:
    """Each person's label: any other class, or none where somebody has none."""
    for v in range(data.num_nodes):
        for c in range(-1 if (data.y < 0).any() else 0, data.num_classes):
            if c != data.y[v]:
                yield Change(f"the label of person {v}", data, with_row(data, v, y=c), v)


def silence(data: Data) -> Iterator[Change]:
    """Worlds in which only one person has a label, where one may have none, or in which all others agree."""
    for v in range(data.num_nodes):
        if (data.y < 0).any():
            alone = changed(data, y=torch.full_like(data.y, -1))
            yield Change(f"the label of person {v}, the only one that there is", with_row(alone, v, y=1), alone, v)
        agreed = changed(data, y=torch.zeros_like(data.y))
        yield Change(f"the label of person {v}, the only member of a class", with_row(agreed, v, y=1), agreed, v)


def features(data: Data) -> Iterator[Change]:
    """Each person's features, at either end and turned round, the others as they are or all at the low end."""
    low, high = ends(data)
    for everybody in (data, changed(data, x=low.clone())):
        for v in range(data.num_nodes):
            for row in (low[v], high[v], low[v] + high[v] - everybody.x[v]):
                if not torch.equal(row, everybody.x[v]):
                    yield Change(f"the vector of features of person {v}", everybody, with_row(everybody, v, x=row), v)


def one_feature(data: Data) -> Iterator[Change]:
    low, high = ends(data)
    for v in range(data.num_nodes):
        for j in range(data.x.size(1)):
            row = data.x[v].clone()
            row[j] = low[v, j] if row[j] == high[v, j] else high[v, j]
            yield Change(f"the feature {j} of person {v}", data, with_row(data, v, x=row), v)


def one_more(data: Data) -> Iterator[Change]:
    """From nobody who has any features to everybody who has all, one person after the other: whatever hangs on how
    many there are shows at one of these steps."""
    low, high = ends(data)
    for v in range(data.num_nodes):
        fewer, more = (torch.where(torch.arange(data.num_nodes)[:, None] < n, high, low) for n in (v, v + 1))
        yield Change(f"the vector of features of person {v}, the {ordinal(v)} who has any", changed(data, x=fewer),
                     changed(data, x=more), v)


def one_more_label(data: Data) -> Iterator[Change]:
    """The same with labels: from nobody who is of class 1 to everybody."""
    for v in range(data.num_nodes):
        fewer, more = ((torch.arange(data.num_nodes) < n).long() for n in (v, v + 1))
        yield Change(f"the label of person {v}, the {ordinal(v)} of her class", changed(data, y=fewer),
                     changed(data, y=more), v)


def ordinal(v: int) -> str:
    return f"{v + 1}{ {0: 'st', 1: 'nd', 2: 'rd'}.get(v, 'th')}"


def one_more_edge(data: Data) -> Iterator[Change]:
    """From no edges to all, one after the other, first around a ring: whether the graph is empty, connected or full,
    and whatever else hangs on how many edges or friends there are, shows at one of these steps."""
    n = data.num_nodes
    ring = sorted({(min(u, v), max(u, v)) for u, v in ((u, (u + 1) % n) for u in range(n)) if u != v})
    pairs = ring + [pair for pair in combinations(range(n), 2) if pair not in ring]
    graphs = [torch.tensor(pairs[:m], dtype=torch.long).reshape(-1, 2).t() for m in range(len(pairs) + 1)]
    worlds = [changed(data, edge_index=to_undirected(graph, n)) for graph in graphs]
    for (u, v), fewer, more in zip(pairs, worlds, worlds[1:], strict=False):
        yield Change(f"the edge {u}-{v} of a graph with {fewer.edge_index.size(1) // 2} others", fewer, more)


def ends(data: Data) -> tuple[torch.Tensor, torch.Tensor]:
    return tuple(end.to(data.x).expand_as(data.x) for end in bounds(data))


def record(data: Data) -> Iterator[Change]:
    """Each person's features and label."""
    low, high = ends(data)
    for v in range(data.num_nodes):
        c = (max(int(data.y[v]), 0) + 1) % data.num_classes
        other = with_row(data, v, y=c, x=low[v] + high[v] - data.x[v])
        yield Change(f"the features and label of person {v}", data, other, v)


def with_row(data: Data, v: int, **row) -> Data:
    """The same with another row of person v in each of the named fields."""
    fields = {name: data[name].clone() for name in row}
    for name, value in row.items():
        fields[name][v] = value
    return changed(data, **fields)


def edge(data: Data, pairs=None, words: str = "the edge") -> Iterator[Change]:
    """Each pair of people: linked where they were not, and the other way round."""
    for u, v in combinations(range(data.num_nodes), 2) if pairs is None else pairs:
        yield Change(f"{words} {u}-{v}", data, toggled(data, u, v))


def toggled(data: Data, u: int, v: int) -> Data:
    both = torch.tensor([[u, v], [v, u]])
    there = linked(data, u, v)
    if there.any():
        return changed(data, edge_index=data.edge_index[:, ~there])
    return changed(data, edge_index=to_undirected(torch.cat([data.edge_index, both], 1), data.num_nodes))


def linked(data: Data, u: int, v: int) -> torch.Tensor:
    """Where in ``edge_index`` the edge between two people stands, bool [E]."""
    low, high = data.edge_index.sort(0).values
    return (low == min(u, v)) & (high == max(u, v))


def sensitive_link(data: Data) -> Iterator[Change]:
    """Each pair of two people who are known as sensitive."""
    if "sensitive_users" in data:
        yield from edge(data, combinations(data.sensitive_users.nonzero().flatten().tolist(), 2), "the sensitive link")


def private_edge(data: Data) -> Iterator[Change]:
    """Pairs that one client alone holds: of each of its private people with the others in her part, one of each kind
    that is linked and one that is not."""
    for client, v in held(data):
        kinds = set()
        for u in range(data.num_nodes):
            kind = int(data.holder[u]), bool(linked(data, u, v).any())
            if u != v and data.holder[u] in (-1, client) and kind not in kinds:
                kinds.add(kind)
                yield Change(f"the private edge {u}-{v}", data, toggled(data, u, v))


def one_more_private_edge(data: Data) -> Iterator[Change]:
    """Of one client, from no private edge to all that it may have, one after the other."""
    for client in sorted({client for client, _ in held(data)})[:1]:
        own = data.holder == client
        mates = ((data.holder == -1) | own).nonzero().flatten().tolist()
        pairs = [pair for pair in combinations(mates, 2) if own[list(pair)].any()]
        fewer = changed(data, edge_index=data.edge_index[:, ~own[data.edge_index].any(0)])
        for u, v in pairs:
            more = toggled(fewer, u, v)
            yield Change(f"the private edge {u}-{v}, one more of client {client}", fewer, more)
            fewer = more


def private_edges(data: Data) -> Iterator[Change]:
    yield from private_edge(data)
    yield from one_more_private_edge(data)


def private_part(data: Data) -> Iterator[Change]:
    """All that a client alone holds: no edges, all of them, and others' features and labels."""
    for client in sorted({client for client, _ in held(data)}):
        own = data.holder == client
        apart = changed(data, edge_index=data.edge_index[:, ~own[data.edge_index].any(0)])
        mates = ((data.holder == -1) | own).nonzero().flatten().tolist()
        more = torch.tensor([pair for pair in combinations(mates, 2) if own[list(pair)].any()]).t()
        full = changed(data, edge_index=to_undirected(torch.cat([data.edge_index, more], 1), data.num_nodes))
        low, high = ends(data)
        for x, graph in ((low, apart), (high, full)):
            y = (data.y.clamp(min=0) + 1) % data.num_classes
            yield Change(f"the private part of client {client}", data, changed(
                graph, x=torch.where(own[:, None], x, data.x), y=torch.where(own, y, data.y)))
        yield Change(f"the private part of client {client}", apart, full)


def held(data: Data) -> list[tuple[int, int]]:
    """(client, person) for each person whom a client alone holds."""
    return [(int(c), v) for v, c in enumerate(data.get("holder", torch.empty(0))) if c >= 0]


def someone_less(data: Data) -> Iterator[Change]:
    """Each person with all her edges, who leaves; of all of them, and of the first two or three, with whom any model
    stands or falls. She comes last, so that the coins of others are theirs in both worlds."""
    for n in (data.num_nodes, 3, 2):
        for v in range(n):
            whole = restricted(data, [u for u in range(n) if u != v] + [v])
            yield Change(f"the presence of person {v} of {n}", whole, restricted(whole, range(n - 1)), n - 1)


def someone_gone(data: Data) -> Iterator[Change]:
    """Each person, who leaves from her own place, so that all after her move up: who they are must not hang on their
    numbers. In several orders, and with labels of two classes at random: where these are about as many, a majority
    hangs on one person, and where all have one, a number names the same person wherever only those with one count."""
    n = data.num_nodes
    for order in range(ORDERS):
        coins = seeded(order)
        whole = changed(restricted(data, torch.randperm(n, generator=coins)), y=torch.randint(2, (n,), generator=coins))
        for v in range(n - 1):
            yield Change(f"the presence of person {v}, in the midst of others", whole,
                         restricted(whole, [u for u in range(n) if u != v]), v, v)


def someone_else(data: Data) -> Iterator[Change]:
    """Each person, with all that she is: other features, another label, linked to all whom she was not linked to."""
    for change in record(data):
        v, other = change.person, change.neighbour
        for u in range(data.num_nodes):
            other = toggled(other, u, v) if u != v else other
        yield Change(f"the record of person {v}", data, other, v)


def labels(data: Data) -> Iterator[Change]:
    yield from label(data)
    yield from one_more_label(data)


def vectors(data: Data) -> Iterator[Change]:
    yield from features(data)
    yield from one_more(data)


def edges(data: Data) -> Iterator[Change]:
    yield from edge(data)
    yield from one_more_edge(data)


CHANGES: dict[tuple[str, str], Callable[[Data], Iterator[Change]]] = {
    ("label", "replace"): labels, ("feature vector", "replace"): vectors, ("one feature", "replace"): one_feature,
    ("features and label", "replace"): record, ("undirected edge", "add/remove"): edges,
    ("sensitive link", "add/remove"): sensitive_link, ("private edge", "add/remove"): private_edges,
    ("private part", "replace"): private_part, ("node", "add/remove"): someone_less, ("node", "replace"): someone_else}
