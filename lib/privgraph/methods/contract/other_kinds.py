"""The promises of the kinds that publish vectors, send messages, or learn from episodes (``contract.check_method``).

``Embedding``: a finite vector for each node, alike with the same generator; whatever it states a finite epsilon for
passes the replay audit on neighbours in that unit, and what states epsilon 0 is the same on both; files give back what
was written. Where it states nothing, nothing is checked of what the vectors tell: that is for attacks.
``Federation``: messages are bytes that anybody can read to the last byte without running them; neither they nor the
server hold anybody's records as they are; a round goes on without a client who is gone or sends garbage; what it states
a finite epsilon for passes the replay audit.
``FewShot``: probabilities for each query, and never a look at the true classes of the query.
"""

from __future__ import annotations

import copy
import math
import tempfile
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ...checks.numbers import check_learning_rate
from ...checks.parameters import kinds_of
from ...late import pyg
from ...privacy import Guarantee, drawn
from ...randomness import seeded
from ..embedding import Embedding, Embeddings
from ..federation import Client, Federation, Server, exchange
from ..few_shot.kind import FewShot
from ..messages import pack, unpack
from ..method import sizes_of
from .all_kinds import accepted, alike, left_alone, read_again, require, same, secretly
from .changes import private_part
from .covering import Found, changes_of, fresh_coins, leaves_strays, states, try_changes, vouched
from .toys import draw_task, shared_world, worlds

if TYPE_CHECKING:
    from torch_geometric.data import Data

ROUNDS = 4  # in which noise that is enough for one shows


def embedding(method: Embedding, found: Found, data: Data | None = None) -> None:
    data = accepted(lambda data: method.embed(data, seeded(0)), worlds()) if data is None else data
    published = left_alone((data,), lambda data: alike(lambda generator: method.embed(data, generator), "embed"))
    require(isinstance(published, Embeddings), f"embed must return Embeddings, got {type(published).__name__}")
    require(published.z.size(0) == data.num_nodes,
            f"z must have a row for each of {data.num_nodes} nodes, got {list(published.z.shape)}")
    costly = [stated for stated in published.guarantees if 0 < stated.epsilon < math.inf]
    for stated in published.guarantees:
        if stated.epsilon == 0:
            nothing_at_all(method, stated, data, found)
    if costly:
        secretly(lambda generator: method.embed(data, generator))
        found.untried += states(method.embed, data, costly, found)
        fresh_coins(method.embed, data), leaves_strays(method.embed, data), vouched(method.embed, data, found)
    if beforehand := method.guarantees(sizes_of(data)):
        same(drawn(beforehand, published.randomness), published.guarantees,
             "what a method says that it will cost must be what it publishes says")
    with tempfile.TemporaryDirectory() as folder:
        published.save(path := Path(folder) / "embeddings.pt")
        same(published, read_again(Embeddings.load, path), "embeddings must be read as they were written")


def nothing_at_all(method: Embedding, stated: Guarantee, data: Data, found: Found) -> None:
    """What costs nothing is the same for neighbours, with the same coins."""
    changes = changes_of(stated, data)
    for change in changes:
        for seed in range(3):
            same(*(method.embed(graph, seeded(seed)) for graph in (change.data, change.neighbour)),
                 f"epsilon 0 is stated for one {stated.unit}, so what is published must not depend on {change.words}")
        found.same += 1
        found.note(stated, 0.0)
    found.untried += [] if changes else [stated]


def federation(method: Federation, found: Found, data: Data | None = None) -> None:
    data = shared_world() if data is None else data
    told = left_alone((data,), lambda data: alike(lambda generator: sent(method, data, generator), "run"))
    require(len(told) == method.rounds, f"run must take {method.rounds} rounds, got {len(told)}")
    for messages, answers, _ in told:
        for message in (*messages.values(), *answers.values()):
            require(isinstance(message, bytes), f"a message must be bytes, got {type(message).__name__}")
            no_record(read_whole(message), data, "a message")
        require(set(answers) == set(messages), f"all clients must have an answer, got {sorted(answers)}")
    lost_ones(method, data)
    if finite := [stated for stated in method.guarantees() if math.isfinite(stated.epsilon)]:
        def pipeline(data, generator):
            return sent(method, data, generator)
        hot = eager(method)
        for stated in hot.guarantees():
            if (stated.unit, math.isfinite(stated.epsilon)) == ("private part", True):
                try_changes(lambda data, generator: sent(hot, data, generator), private_part(data), [stated], found,
                            quiet=True)
        found.untried += states(pipeline, data, finite, found)
        fresh_coins(pipeline, data), leaves_strays(pipeline, data), vouched(pipeline, data, found)


def eager(method: Federation) -> Federation:
    """The same in a few rounds more and with learning rates of 1. No guarantee may hang on these, and what clients
    learn is then far apart where their data are."""
    kinds = kinds_of(type(method))
    rates = {name: 1.0 for name, kind in kinds.items() if kind.checked is check_learning_rate}
    return replace(method, **rates | {"rounds": max(method.rounds, ROUNDS)} if "rounds" in kinds else rates)


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
    server, clients = begun(method, data)
    first, *others = clients
    told = exchange(server, {number: clients[number] for number in others})
    require(set(told.replies) == set(others), f"a round must go on without client {first}")
    server, clients = begun(method, data)  # as clients may have noise for one round only
    told = server.combine({number: client.send() for number, client in clients.items()} | {first: b"garbage"})
    require(set(told.replies) == set(others) and set(told.left_out) == {first},
            f"a client that sends garbage must be left out by its number, got {dict(told.left_out)}")
    no_record(server, data, "the server")


def begun(method: Federation, data: Data) -> tuple[Server, dict[int, Client]]:
    """A server, and clients who have sent nothing yet."""
    return method.server(seeded(0)), {number: method.client(part, seeded(seed)) for number, (part, seed) in enumerate(
        method.parts_and_seeds(data, seeded(0)))}


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
        parts = holder.to_dict() if isinstance(holder, pyg.data.Data) else getattr(holder, "__dict__", holder)
        parts = parts.values() if isinstance(parts, dict) else parts
        for part in parts if isinstance(parts, Collection) and not isinstance(parts, (str, bytes)) else ():
            yield from tensors(part, seen)


def episodes(method: FewShot, found: Found, sample=None) -> None:
    sample = draw_task if sample is None else sample
    task = sample(seeded(1))
    p = alike(lambda generator: method.learn(sample, generator)(task), "a solver")
    shape = [len(task.query), task.ways]
    require(list(p.shape) == shape and bool((p >= 0).all() and ((p.sum(1) - 1).abs() < 1e-5).all()),
            f"a solver must give probabilities {shape}, got {list(p.shape)}")
    solve = method.learn(sample, seeded(0))
    for y in (1 - task.query_y, torch.full_like(task.query_y, -1)):
        same(p, solve(copy.deepcopy(replace(task, query_y=y))), "a solver must not read the classes of the query")
