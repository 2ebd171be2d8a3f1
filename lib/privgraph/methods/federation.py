"""Clients that keep their data, and a server that gets messages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import torch
from torch import Tensor

from ..checks import check_data, check_generator, check_labels
from ..effort import SEPARATED, Effort, Extent
from ..privacy import Guarantee, drawn
from ..randomness import coins, draw_seed, draw_seeds, kind_of, seeded
from ..streams import stream
from ..waiting import steps
from ..writing import PRIVATE
from .federated.metrics import fold_of, micro_f1, over_clients, without_fold
from .federated.split import check_shares, hold
from .method import Coins, Method, Sizes
from .model import Model, Training, for_any_device
from .probe import probed
from .release import check_form, load_guarantees, plain, stated_kind
from .spent import Fit

if TYPE_CHECKING:
    from torch_geometric.data import Data


FOLDS = 5  # over all nodes of the graph: a public node is in the same fold at every client
# What a server may answer in place of what others know, as controls.
ANSWERS = {"own": "every client gets its own rows back: as long a training, without the others",
           "noise": "every client gets random directions of the length of its own rows"}

PUBLIC_SIZES = ("num_public", "num_features", "num_classes")


class Client(ABC):
    """Holds a part of the data. What it tells others goes through ``send``, as bytes, and through nothing else."""

    @abstractmethod
    def send(self) -> bytes:
        """This round's message to the server."""

    @abstractmethod
    def receive(self, message: bytes) -> None:
        """Take the server's answer into account. A client whom the server left out gets none, and goes on alone.

        :param message: bytes of ``Server.combine``.
        """

    def embeddings(self) -> Tensor | None:
        """A vector for each of its nodes, float [n, d], which stay at home; None where it learns none."""
        return None

    def state(self) -> dict:
        """What another process needs to go on as this client: tensors, numbers and text, by name; see ``resumed``.

        Here all fields that are one of these, and where a generator is. Who draws noise keeps what was drawn, so that
        a client that comes back does not spend its budget again.
        """
        fields = {name: value for name, value in vars(self).items() if isinstance(value, (Tensor, int, float, str))}
        places = {name: value.get_state() for name, value in vars(self).items() if isinstance(value, torch.Generator)}
        return {"fields": fields, "places": places}


@dataclass(frozen=True)
class Round:
    """Everything that was sent in one round, by the client's number, and who was left out, with the reason.

    ``randomness``: of the clients' noise. Who was not there when it was drawn, such as a server, cannot vouch for it.

    :param messages: of the clients, by their numbers.
    :param replies: of the server, by the clients' numbers.
    :param left_out: why, by the clients' numbers.
    """

    messages: Mapping[int, bytes]
    replies: Mapping[int, bytes]
    left_out: Mapping[int, str]
    randomness: str = "public"


class Server(ABC):
    """Gets messages and answers them. It holds no client and no data: it is made before any client exists.

    Where ``combine`` raises, whoever carries the messages finds out for whose (``guard.guarded``), and so asks again
    for the same round: what it remembers must change only once the answers are made.
    """

    @abstractmethod
    def combine(self, messages: Mapping[int, bytes]) -> Round:
        """The answers to one round's messages, by client.

        Who sent nothing is not there; who sent what cannot be used is left out, with a reason. The others go on.

        :param messages: bytes by the clients' numbers.
        """


@dataclass(frozen=True)
class Rounds:
    """All that was sent in all rounds, and what holds for it.

    :param rounds: in order.
    :param randomness: the weakest of all rounds.
    """

    rounds: tuple[Round, ...]
    guarantees: tuple[Guarantee, ...] = ()
    randomness: str = "public"

    def __post_init__(self):
        object.__setattr__(self, "guarantees", drawn(self.guarantees, self.randomness))

    def stated(self, delta: float | None = None) -> tuple[Guarantee, ...]:
        """What holds, whatever the delta: what needs one is told it when it is made."""
        return self.guarantees

    def content(self) -> dict:
        """What a file holds of it."""
        return {"rounds": [vars(each) for each in self.rounds], "guarantees": plain(self.guarantees),
                "randomness": self.randomness}

    @classmethod
    def of_content(cls, found: dict, path) -> "Rounds":
        """The rounds that a file holds, once they are checked.

        :raises ValueError: where the file holds something else.
        """
        rounds = load_guarantees(cls, stated_kind(found, path), "guarantees", path)
        try:
            return replace(rounds, rounds=tuple(Round(**each) for each in rounds.rounds))
        except TypeError as error:
            raise ValueError(f"rounds in {path} must hold what was sent: {error}") from error


@dataclass(frozen=True)
class Held:
    """What a client keeps: ``nodes`` int64 [n], its nodes' numbers in the whole graph, and their vectors ``z``."""

    nodes: Tensor
    z: Tensor


@dataclass
class FederatedModel(Model):
    """What clients have after the last round. ``release``: all that they sent; ``held``: the vectors that they kept.

    No guarantee speaks of ``held``, nor of the labels that its probes read. Its file is for whoever ran all clients.
    """

    method: "Federation"
    release: Rounds
    held: tuple[Held, ...]

    MODE: ClassVar[int] = PRIVATE

    @for_any_device
    def predict_proba(self, data: Data | None = None) -> Tensor:
        """Class probabilities float [N, C]: for each node the mean over the clients that hold it; NaN where none does.

        :param data: the graph that was split; a client's probe learns from its own nodes' ``y`` at ``train_mask``.
        :raises ValueError: without a graph, and where clients have no vectors of their nodes.
        """
        if data is None:
            raise ValueError("clients' vectors name no classes: hand in the graph, of whose y at train_mask each "
                             "client's linear probe learns")
        if not self.held:
            raise ValueError(f"clients of {type(self.method).__name__} have no vectors of their nodes")
        check_data(data, "y", "train_mask", "num_classes")
        for each in self.held:
            check_labels(each.nodes, data.num_nodes)
        total, count = torch.zeros(data.num_nodes, data.num_classes), torch.zeros(data.num_nodes, 1)
        for each in self.held:
            own = each.nodes
            total[own] += probed(each.z, data.y[own], data.train_mask[own], data.num_classes)
            count[own] += 1
        return total / count

    def learned(self) -> dict[str, Tensor]:
        return {f"{name}-{number}": value for number, each in enumerate(self.held)
                for name, value in vars(each).items()}


class Federation(Method, ABC):
    """Clients that keep their data, and a server: two kinds of objects that share bytes only, so they may be processes.

    ``guarantees`` says what holds for all messages of all rounds together. That data stay at home is no guarantee.
    """

    INTRODUCED = "clients keep their graphs; what holds for all that they send:"
    OPEN = "  nothing: no guarantee is given; that data stay at home is none"
    REMARKS = ANSWERS

    rounds: int = 1

    def guarantees(self, sizes: Sizes | None = None, delta: float | None = None) -> tuple[Guarantee, ...]:
        """For all messages of all rounds together, whatever the sizes; here nothing."""
        return ()

    def both_halves(self, graphs: tuple[Data, ...], coins: Coins, progress: bool = False) -> "FederatedModel":
        """All rounds in this process."""
        data, = graphs
        generator = coins("collect")
        parts, clients, rounds = self.played(data, generator)
        kept = [(part.get("n_id"), clients[number].embeddings()) for number, part in enumerate(parts)]
        return FederatedModel(self, Rounds(tuple(rounds), self.guarantees(), kind_of(generator)),
                              tuple(Held(*each) for each in kept if each[0] is not None and each[1] is not None))

    def dealt(self, data: Data, seed: int, **how) -> Data:
        """The graph with ``holder``: its own, or dealt out anew.

        :param how: what ``methods.federated.hold`` takes.
        """
        return data if "holder" in data and not how else hold(data, stream("split", seed), **how)

    def tried(self, given: Data, seed: int, progress: bool = False) -> tuple[Sequence[Round], dict[str, float]]:
        """Micro F1 by group of nodes; beside it where the server answers what knows nothing of the others."""
        kinds = {"": self} | {answer: replace(self, answer=answer)  # type: ignore[call-arg]
                              for answer in self.controls}
        ran = {answer: kind.scored(given, seed, partial(stream, seed=seed)) for answer, kind in kinds.items()}
        return ran[""][1], {", ".join(filter(None, (group, answer))): value
                            for answer, (scores, _) in ran.items() for group, value in scores.items()}

    def effort(self, extent: Extent, clients: int = 4, public: float = 0.4, private: float = 0.15, **how
               ) -> Effort | None:
        """``client_effort`` of all clients, in each fold and with each control, and what reads their vectors.

        :param clients: as for ``evaluate``.
        :param public: the same.
        :param private: the same.
        """
        check_shares(clients, public, private, extent.nodes)
        part = extent.part(public + private)
        once = self.client_effort(part)
        if once is None:
            return None
        scored = Effort(FOLDS * SEPARATED * (part.nodes * (1 - 1 / FOLDS)) ** 2)
        arms = 1 + len(self.controls)
        return (once * (FOLDS if isinstance(self, Training) else 1) + scored) * (clients * arms)

    def client_effort(self, part: Extent) -> Effort | None:
        """What all rounds take one client, about; None: nobody has said it.

        :param part: of the graph that it holds.
        """
        return None

    @property
    def controls(self) -> list[str]:
        """What a server may answer that knows nothing of others."""
        return [answer for answer in ANSWERS if getattr(self, "answer", answer) != answer]

    def asked(self, given: Data) -> int:
        return given.num_nodes

    def scored(self, held: Data, seed: int, coins: Coins) -> tuple[dict[str, float], Sequence[Round]]:
        """Micro F1 in percent by group of nodes, the mean over clients; and the rounds.

        A support vector machine reads each client's vectors with that client's own labels. What learns from labels runs
        once for each fold, without that fold's labels anywhere.

        :param held: the graph with ``holder``.
        :param seed: of the folds and of the support vector machine.
        :param coins: a generator for each purpose, by its name.
        """
        fold = fold_of(held.num_nodes, FOLDS, stream("classifiers", seed))
        graphs = [without_fold(held, fold, number) for number in range(FOLDS)] if isinstance(self, Training) else [held]
        ran = [self.run(graph, coins("collect")) for graph in steps(graphs, "folds")]
        tables = zip(*([client.embeddings() for client in clients.values()] for clients, _ in ran), strict=True)
        members = self.split(held, stream("collect", seed))
        return over_clients([micro_f1(each if len(each) > 1 else each[0], part, fold, stream("attacker", seed))
                             for each, part in zip(tables, members, strict=True)]), ran[0][1]

    def reload(self, release: dict, learned: dict, path) -> FederatedModel:
        pairs = [(learned.get(f"nodes-{number}"), learned.get(f"z-{number}")) for number in range(len(learned) // 2)]
        for nodes, z in pairs:
            check_form(nodes, f"nodes in {path}", (...,), torch.long)
            check_form(z, f"z in {path}", (len(nodes), ...), torch.float)
        return FederatedModel(self, Rounds.of_content(release, path), tuple(Held(*pair) for pair in pairs))

    def of_others(self) -> Fit:
        """What all messages of all rounds cost, for a ``budget_file``, where nobody here holds the data."""
        return Fit(type(self).__name__, lambda delta: self.costs(Sizes(0), delta))

    @abstractmethod
    def server(self, generator: torch.Generator) -> Server:
        """The server; of hyperparameters only."""

    @abstractmethod
    def split(self, data: Data, generator: torch.Generator) -> Sequence[Data]:
        """Who holds what: one part of the data for each client."""

    @abstractmethod
    def client(self, part: Data, generator: torch.Generator) -> Client:
        """One client. It sees its own part only, so that another process can make it."""

    def check_own(self, part: Data) -> None:
        """Refuse a part with which no client could begin, before its process is started or a server waited for.

        :raises ValueError: as ``client`` would.
        """

    def resumed(self, part: Data, generator: torch.Generator, state: dict) -> Client:
        """A client as it was when it said its ``state``; of the same part."""
        client = self.client(part, generator)
        vars(client).update(state["fields"])
        for name, place in state["places"].items():
            vars(client)[name].set_state(place)
        return client

    def layout(self, sizes: Mapping[str, int]) -> dict[str, tuple[int, ...]] | None:
        """What a message holds: by name the shape of float32 numbers. Nothing larger is read, and nothing else.

        :param sizes: what is public, of ``public_sizes``; maybe not all of it.
        :returns: ``None`` where a method does not say, or cannot with these: ``federate.wire.MOST`` bytes are read.
        """

    def parts_and_seeds(self, data: Data, generator: torch.Generator) -> list[tuple[Data, int | None]]:
        """Each client's part and the seed of its own generator, for ``coins``: all that another process needs."""
        parts = self.split(data, check_generator(generator))
        return list(zip(parts, draw_seeds(generator, len(parts)), strict=True))

    def run(self, data: Data, generator: torch.Generator) -> tuple[dict[int, Client], list[Round]]:
        """All rounds in this process: the clients by number, as they are then, and what each round sent."""
        _, clients, rounds = self.played(data, generator)
        return clients, rounds

    def played(self, data: Data, generator: torch.Generator) -> tuple[list[Data], dict[int, Client], list[Round]]:
        """The same, and first each client's part."""
        server, held = self.server(seeded(draw_seed(generator))), self.parts_and_seeds(data, generator)
        clients = {number: self.client(part, coins(seed)) for number, (part, seed) in enumerate(held)}
        rounds = [exchange(server, clients) for _ in steps(range(self.rounds), "rounds")]
        return ([part for part, _ in held], clients,
                [replace(told, randomness=kind_of(generator)) for told in rounds])


def public_sizes(part: Data) -> dict[str, int]:
    """The sizes of a client's part that all clients and the server know.

    >>> from torch_geometric.data import Data
    >>> public_sizes(Data(x=torch.ones(5, 3), num_classes=2, num_public=4))
    {'num_public': 4, 'num_features': 3, 'num_classes': 2}
    """
    known = part.get("num_public"), part.x.size(1) if "x" in part else None, part.get("num_classes")
    return {name: int(size) for name, size in zip(PUBLIC_SIZES, known, strict=True) if size is not None}


def exchange(server: Server, clients: Mapping[int, Client]) -> Round:
    """One round with the clients that are there."""
    told = server.combine({number: client.send() for number, client in clients.items()})
    for number, answer in told.replies.items():
        clients[number].receive(answer)
    return told
