"""Clients that lie: false rows, sybils, and one that has nothing and follows the others.

A server can check of a message its type, shape, length and finiteness; whether it is *right* it cannot. So here one
client of a federation, of whatever method, sends something else than what it has. All clients draw the same coins as
without the lie, so that what it costs the honest ones is a paired difference: ``cost_of_lies``. What a server could see
of it is in ``suspicion``.

No method here promises anything against this. A guarantee of clients that add noise still holds beside liars, as it is
about what *they* send, whatever the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import torch
from torch import Tensor

from ..checks import check_all, check_count, check_data, check_generator, check_is, check_sequence
from ..checks.parameters import Choice, Count, Parameters, Positive
from ..methods.federated.metrics import fold_of, micro_f1, over_clients, without_fold
from ..methods.federated.row_messages import pack_rows, unpack_rows
from ..methods.federation import FOLDS, Client, Federation, Round, exchange
from ..methods.model import Training
from ..randomness import coins, draw_seed, draw_seeds, seeded
from ..streams import stream

if TYPE_CHECKING:
    from torch_geometric.data import Data


def shuffled(rows: Tensor, answer: Tensor | None, generator: torch.Generator) -> Tensor:
    """Each row under another node's name; of a single row (all weights of a network) its numbers."""
    dimension = 0 if len(rows) > 1 else 1
    return rows.index_select(dimension, torch.randperm(rows.size(dimension), generator=generator))


def mirrored(rows: Tensor, answer: Tensor | None, generator: torch.Generator) -> Tensor:
    """Minus what it has: the worst for who averages, and a reflection for who aligns, which undoes it."""
    return -rows


def noise(rows: Tensor, answer: Tensor | None, generator: torch.Generator) -> Tensor:
    """Directions drawn at random, of its own rows' lengths."""
    drawn = torch.randn(rows.shape, generator=generator, dtype=rows.dtype)
    return drawn * rows.norm(dim=1, keepdim=True) / drawn.norm(dim=1, keepdim=True)


def followed(rows: Tensor, answer: Tensor | None, generator: torch.Generator) -> Tensor:
    """What the server answered last: who has nothing sends back what the others have. In the first round, noise."""
    return noise(rows, answer, generator) if answer is None else answer


def honest(rows: Tensor, answer: Tensor | None, generator: torch.Generator) -> Tensor:
    """What it has: with a strength it is louder than the others, with sybils it counts more often."""
    return rows


LIES: dict[str, Callable[[Tensor, Tensor | None, torch.Generator], Tensor]] = {
    made.__name__: made for made in (shuffled, mirrored, noise, followed, honest)}


@dataclass(frozen=True)
class Lie(Parameters):
    """What a client sends instead of its rows.

    :param kind: one of ``LIES``.
    :param strength: by which all that it sends is multiplied; no row becomes longer than a server takes.
    :param sybils: clients more that it makes up, which hold nothing and send what it sends.
    """

    kind: Annotated[str, Choice(LIES)]
    strength: Annotated[float, Positive()] = 1.0
    sybils: Annotated[int, Count()] = 0


class Liar(Client):
    """An honest client, and what comes out of it instead of its rows."""

    def __init__(self, within: Client, lie: Lie, generator: torch.Generator):
        self.within, self.lie, self.generator = within, lie, check_generator(generator)
        self.answer: Tensor | None = None
        self.told = b""

    def send(self) -> bytes:
        rows = unpack_rows(self.within.send())
        limit = torch.finfo(rows.dtype).max  # a strength may be larger than any number
        false = LIES[self.lie.kind](rows, self.answer, self.generator).double() * self.lie.strength
        self.told = pack_rows(false.clamp(-limit, limit).to(rows.dtype))
        return self.told

    def receive(self, message: bytes) -> None:
        self.answer = unpack_rows(message)
        self.within.receive(message)

    def embeddings(self) -> Tensor | None:
        return self.within.embeddings()


class Sybil(Client):
    """Another name of a liar, whose turn comes before its own."""

    def __init__(self, master: Liar):
        self.master = master

    def send(self) -> bytes:
        return self.master.told

    def receive(self, message: bytes) -> None:
        """It has nothing that could learn."""


def play_with_liars(method: Federation, data: Data, generator: torch.Generator,
                    lies: Mapping[int, Lie]) -> tuple[dict[int, Client], list[Round]]:
    """All rounds in this process, as ``Federation.run``; with no lies they are the same, bit for bit.

    :param data: the graph with ``holder``, int64 [N].
    :param lies: by the numbers of the clients that tell them; sybils get numbers behind those of all clients.
    :returns: the clients by number, as they are then, and what each round sent.
    :raises ValueError: for a client that there is not.

    >>> from privgraph.datasets import load
    >>> from privgraph.methods import FederatedDeepWalk
    >>> from privgraph.methods.federated import hold
    >>> data = hold(load("karate"), seeded(0), clients=2, private=0.3)
    >>> clients, rounds = play_with_liars(FederatedDeepWalk.examples()[0], data, seeded(0), {1: Lie("noise", sybils=2)})
    >>> len(clients), rounds[0].messages[1] == rounds[0].messages[2] == rounds[0].messages[3]
    (4, True)
    """
    check_is(method, "method", Federation), check_generator(generator), check_data(data)
    check_all(check_is(lies, "lies", Mapping).values(), "lies", Lie)
    server, held = method.server(seeded(draw_seed(generator))), method.parts_and_seeds(data, generator)
    clients: dict[int, Client] = {n: method.client(part, coins(seed)) for n, (part, seed) in enumerate(held)}
    numbers = sorted(check_count(number, "lies' clients", high=len(held) - 1) for number in lies)
    # The liars' own coins come last: the others' are what they were.
    for number, seed in zip(numbers, draw_seeds(generator, len(numbers)), strict=True):
        clients[number] = master = Liar(clients[number], lies[number], coins(seed))
        clients |= {len(clients) + i: Sybil(master) for i in range(lies[number].sybils)}
    return clients, [exchange(server, clients) for _ in range(method.rounds)]


@dataclass(frozen=True, eq=False)
class CostOfLies:
    """What lies cost the honest clients, and what was sent.

    :param alone: micro F1 in percent of the honest clients, by group of nodes, where all are honest.
    :param beside: the same where some lie.
    :param rounds: what was sent where some lie; of a method that learns from labels, in the first fold.
    """

    alone: dict[str, float]
    beside: dict[str, float]
    rounds: Sequence[Round]

    @property
    def points(self) -> dict[str, float]:
        """How much lower the honest clients' micro F1 is beside liars, by group of nodes."""
        return {group: value - self.beside[group] for group, value in self.alone.items()}


def cost_of_lies(method: Federation, data: Data, seed: int, lies: Mapping[int, Lie]) -> CostOfLies:
    """Run a federation twice with the same coins, once as it should be and once with liars, and score the honest.

    :param data: the graph with ``holder``, int64 [N]; see ``methods.federated.hold``.
    :param seed: of all coins.
    :param lies: by the numbers of the clients that tell them.
    :raises ValueError: where nobody is honest.
    """
    check_is(method, "method", Federation), check_is(lies, "lies", Mapping), check_data(data)
    parts = method.split(data, stream("collect", seed))
    honest = [number for number in range(len(parts)) if number not in lies]
    if not honest:
        raise ValueError(f"lies must leave an honest client, got {len(lies)} of {len(parts)} clients that lie")
    (alone, _), (beside, rounds) = (scores_of(method, data, seed, told, honest) for told in ({}, lies))
    return CostOfLies(alone, beside, rounds)


def scores_of(method: Federation, data: Data, seed: int, lies: Mapping[int, Lie],
              whose: Sequence[int]) -> tuple[dict[str, float], list[Round]]:
    """Micro F1 in percent of some clients, their mean, by group of nodes, as ``Federation.scored``; and the rounds."""
    fold = fold_of(data.num_nodes, FOLDS, stream("classifiers", seed))
    graphs = [without_fold(data, fold, each) for each in range(FOLDS)] if isinstance(method, Training) else [data]
    ran = [play_with_liars(method, graph, stream("collect", seed), lies) for graph in graphs]
    parts = method.split(data, stream("collect", seed))
    tables = {number: [clients[number].embeddings() for clients, _ in ran] for number in whose}
    return over_clients([micro_f1(each if len(each) > 1 else each[0], parts[number], fold, stream("attacker", seed))
                         for number, each in tables.items()]), ran[0][1]


def sent(rounds: Sequence[Round]) -> tuple[Tensor, Tensor]:
    """All that clients sent, and what they were answered, float [k, r, P, d] each; clients in order of their numbers.

    :param rounds: at least one, in none of which a client was left out or sent rows of another shape.
    :raises ValueError: for other rounds.
    """
    rounds = check_all(check_sequence(rounds, "rounds", "rounds"), "rounds", Round)
    numbers = sorted(rounds[0].messages) if rounds else []
    if not numbers or any(each.left_out or sorted(each.replies) != numbers for each in rounds):
        raise ValueError("rounds must be at least one, and nobody left out of any, got "
                         f"{len(rounds)} with {sum(len(each.left_out) for each in rounds)} left out")
    return tuple(torch.stack([torch.stack([unpack_rows(getattr(each, what)[number]) for each in rounds])
                              for number in numbers]) for what in ("messages", "replies"))
