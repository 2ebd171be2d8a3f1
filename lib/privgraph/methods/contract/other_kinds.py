"""The promises of the kinds that publish vectors, send messages, or learn from episodes (``contract.check_method``).

``Embedding``: a finite vector for each node, alike with the same generator; whatever it states a finite epsilon for
passes the replay audit on neighbours in that unit, and what states epsilon 0 is the same on both; files give back what
was written. Where it states nothing, nothing is checked of what the vectors tell: that is for attacks.
``Federation``: messages are bytes that anybody can read to the last byte without running them; neither they nor the
server hold anybody's records as they are; a round goes on without a client who is gone or sends garbage; what it states
a finite epsilon for passes the replay audit.
``FewShot``: probabilities for each query, and never a look at the true classes of the query.
"""

import copy
import math
import tempfile
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor
from torch_geometric.data import Data

from ...privacy import Guarantee
from ...randomness import seeded
from ..messages import pack, unpack
from ..method import Embedding, Embeddings, Federation, FewShot, exchange
from .all_kinds import alike, left_alone, nothing_but_noise, read_again, require, same, secretly
from .toys import changed, draw_task, path_graph, shared_path, without_one


def embedding(method: Embedding, data: Data | None = None) -> None:
    data = path_graph() if data is None else data
    found = left_alone((data,), lambda data: alike(lambda generator: method.embed(data, generator), "embed"))
    require(isinstance(found, Embeddings), f"embed must return Embeddings, got {type(found).__name__}")
    require(found.z.size(0) == data.num_nodes,
            f"z must have a row for each of {data.num_nodes} nodes, got {list(found.z.shape)}")
    if any(0 < stated.epsilon < math.inf for stated in found.guarantees):
        secretly(lambda generator: method.embed(data, generator))
    for stated in found.guarantees:
        if stated.epsilon == 0:
            nothing_at_all(method, in_a_unit(stated, data))
        elif math.isfinite(stated.epsilon):
            nothing_but_noise(method.embed, in_a_unit(stated, data))
    with tempfile.TemporaryDirectory() as folder:
        found.save(path := Path(folder) / "embeddings.pt")
        same(found, read_again(found, path), "embeddings must be read as they were written")


def nothing_at_all(method: Embedding, pairs: Iterator[tuple[str, Data, Data]]) -> None:
    """What costs nothing is the same for neighbours, with the same coins."""
    for words, data, neighbour in pairs:
        for seed in range(3):
            same(*(method.embed(graph, seeded(seed)) for graph in (data, neighbour)),
                 f"epsilon 0 is stated for one {words}, so what is published must not depend on it")


def in_a_unit(stated: Guarantee, data: Data) -> Iterator[tuple[str, Data, Data]]:
    """Neighbours in the unit that a guarantee speaks of."""
    x, y = data.x.clone(), data.y.clone()
    x[-1], y[-1] = 1 - x[-1], 1 - y[-1]
    kept = (data.edge_index != data.num_nodes - 1).all(0)
    apart = dict(edge_index=data.edge_index[:, kept])
    fields = {"label": dict(y=y), "feature vector": dict(x=x), "one feature": dict(x=x),
              "features and label": dict(x=x, y=y),
              "neighbour slot": apart, "undirected edge": apart, "sensitive link": without_sensitive_link(data),
              "private edge": without_private_edge(data), "private part": without_private_part(data),
              "node": dict(x=x, y=y, **apart)}
    if (stated.unit, stated.relation) == ("node", "add/remove"):
        yield from without_one(data)
    elif stated.unit in fields:
        require(bool(fields[stated.unit]), f"data must hold a {stated.unit}, as guarantees speak of one; it has "
                                           "sensitive_users, or holder, that say which it is")
        yield stated.unit, data, changed(data, **fields[stated.unit])


def without_sensitive_link(data: Data) -> dict[str, Tensor]:
    """The edges without the last one between two people who are known as sensitive."""
    if "sensitive_users" not in data:
        return {}
    links = data.edge_index[:, data.sensitive_users[data.edge_index].all(0)]
    same = (data.edge_index.sort(0).values == links[:, -1:].sort(0).values).all(0)
    return dict(edge_index=data.edge_index[:, ~same])


def without_private_edge(data: Data) -> dict[str, Tensor]:
    """The edges without the last one that a client alone holds."""
    if "holder" not in data:
        return {}
    a, b = data.holder[data.edge_index]
    links = data.edge_index[:, (a != b) & ((a == -1) | (b == -1)) | (a == b) & (a >= 0)]
    same = (data.edge_index.sort(0).values == links[:, -1:].sort(0).values).all(0)
    return dict(edge_index=data.edge_index[:, ~same]) if links.numel() else {}


def without_private_part(data: Data) -> dict[str, Tensor]:
    """The edges without all that the first client alone holds."""
    if "holder" not in data or not (own := (data.holder[data.edge_index] == 0).any(0)).any():
        return {}
    return dict(edge_index=data.edge_index[:, ~own])


def federation(method: Federation, data: Data | None = None) -> None:
    data = shared_path() if data is None else data
    told = left_alone((data,), lambda data: alike(lambda generator: sent(method, data, generator), "run"))
    require(len(told) == method.rounds, f"run must take {method.rounds} rounds, got {len(told)}")
    for messages, answers, _ in told:
        for message in (*messages.values(), *answers.values()):
            require(isinstance(message, bytes), f"a message must be bytes, got {type(message).__name__}")
            no_record(read_whole(message), data, "a message")
        require(set(answers) == set(messages), f"all clients must have an answer, got {sorted(answers)}")
    lost_ones(method, data)
    for stated in method.guarantees:
        if math.isfinite(stated.epsilon):
            nothing_but_noise(lambda data, generator: sent(method, data, generator), in_a_unit(stated, data))


def read_whole(message: bytes) -> dict:
    """What a message holds, where that is all of it."""
    try:
        content = unpack(message)
    except ValueError:
        content = None
    require(content is not None and pack(content) == message, "a message must be what pack makes of what unpack reads "
            f"in it, as other bytes can carry anything; got {len(message)} bytes")
    return content


def sent(method: Federation, data: Data, generator: torch.Generator) -> list[tuple[dict, dict, dict]]:
    """What a run sends, in words that ``same`` compares."""
    return [tuple(dict(part) for part in (told.messages, told.replies, told.left_out))
            for told in method.run(data, generator)[1]]


def lost_ones(method: Federation, data: Data) -> None:
    """A round goes on without a client who is gone, and without one who sends garbage; it names the second."""
    server = method.server(seeded(0))
    clients = {number: method.client(part, seeded(seed))
               for number, (part, seed) in enumerate(method.parts_and_seeds(data, seeded(0)))}
    first, *others = clients
    told = exchange(server, {number: clients[number] for number in others})
    require(set(told.replies) == set(others), f"a round must go on without client {first}")
    told = server.combine({number: client.send() for number, client in clients.items()} | {first: b"garbage"})
    require(set(told.replies) == set(others) and set(told.left_out) == {first},
            f"a client that sends garbage must be left out by its number, got {dict(told.left_out)}")
    no_record(server, data, "the server")


def no_record(holder, data: Data, name: str) -> None:
    """Nothing in reach of ``holder`` is somebody's row of features as it is, or all labels, or the edges."""
    rows = data.x[data.x.abs().sum(1) > 0]
    for tensor in tensors(holder, set()):
        raw = any(tensor.shape == own.shape and torch.equal(tensor.double(), own.double())
                  for own in (data.y, data.edge_index))
        if tensor.dim() == 2 and tensor.size(1) == rows.size(1):
            raw = raw or bool((tensor[:, None].double() == rows[None].double()).all(2).any())
        require(not raw, f"{name} must not hold anybody's records as they are, "
                f"got a tensor of shape {list(tensor.shape)}")


def tensors(holder, seen: set[int]) -> Iterator[Tensor]:
    """All tensors in reach of an object, through its fields and containers."""
    if isinstance(holder, Tensor):
        yield holder
    elif id(holder) not in seen:
        seen.add(id(holder))
        parts = holder.to_dict() if isinstance(holder, Data) else getattr(holder, "__dict__", holder)
        parts = parts.values() if isinstance(parts, dict) else parts
        for part in parts if isinstance(parts, Collection) and not isinstance(parts, (str, bytes)) else ():
            yield from tensors(part, seen)


def episodes(method: FewShot, sample=None) -> None:
    sample = draw_task if sample is None else sample
    task = sample(seeded(1))
    p = alike(lambda generator: method.fit(sample, generator)(task), "a solver")
    shape = [len(task.query), task.ways]
    require(list(p.shape) == shape and bool((p >= 0).all() and ((p.sum(1) - 1).abs() < 1e-5).all()),
            f"a solver must give probabilities {shape}, got {list(p.shape)}")
    solve = method.fit(sample, seeded(0))
    for y in (1 - task.query_y, torch.full_like(task.query_y, -1)):
        same(p, solve(copy.deepcopy(replace(task, query_y=y))), "a solver must not read the classes of the query")
