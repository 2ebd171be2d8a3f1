"""Kinds of methods: what a new one has to say, and what it gets for it.

``Local``       people report through mechanisms of their own, a server learns: LPGNN, RGNN, GraphPrivatizer
``Distilled``   teachers of a private graph name noisy labels for a public one, a student learns: PATE, PrivGNN
``Embedding``   a curator publishes one vector for each node
``Federation``  clients that keep their graphs, and a server that gets messages
``FewShot``    learns from tasks of few labelled graphs to solve another

All are frozen dataclasses of hyperparameters, checked at construction. Randomness comes from the generator that is
handed in, and from nowhere else. ``check_method`` says whether one keeps what its kind promises; ``examples`` gives
it, and whatever else goes over all methods, small instances to try.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

import torch
from torch import Tensor

from ..checks import check_features, check_generator
from ..checks.parameters import Choice, Count, Epsilon, Flag, Parameters
from ..datasets.episodes import Task
from ..graph import SparseMatrix
from ..nn import BACKBONES, REFERENCE, Backbone, Factored
from ..privacy import Guarantee, drawn
from ..randomness import coins, draw_seed, draw_seeds, kind_of, seeded
from .files import read, write
from .model import Model, Training
from .release import PUBLIC_EDGES, Release, load_guarantees, plain, stated_kind

if TYPE_CHECKING:
    from torch_geometric.data import Data


class Method(Parameters):
    """What all kinds have in common."""

    @classmethod
    def examples(cls) -> tuple["Method", ...]:
        """Instances that run in a moment on a graph of a few nodes; one for each way in which the method may send."""
        return (cls(),)


@dataclass(frozen=True)
class Reports(Parameters):
    """What comes first in a ``Local`` method, and may be said without its name.

    :param backbone: one of ``nn.BACKBONES``, or ``"mlp"``, which ignores the edges.
    :param epsilon_x: budget of what a method calls one report of features; ``inf`` sends them as they are.
    :param epsilon_y: budget of a label; ``inf`` sends the labels as they are.
    :param x_steps: K_x, hops over which features are averaged; 0 leaves them as they are.
    :param y_steps: K_y, the same for labels.
    """

    backbone: Annotated[str, Choice([*BACKBONES, REFERENCE])] = "gcn"
    epsilon_x: Annotated[float, Epsilon()] = 3.0
    epsilon_y: Annotated[float, Epsilon()] = 3.0
    x_steps: Annotated[int | None, Count(none=True)] = None
    y_steps: Annotated[int | None, Count(none=True)] = None


@dataclass(frozen=True)
class Local(Training, Reports, Method, ABC):
    """People privatise their own records; the server learns from what it gets.

    A method says what leaves people's hands (``collect``), what the network reads of it (``features``), and what
    training makes small (``objective``). Everything else is here.

    :param heads: attention heads of the first layer, where the backbone has any.
    :param standardize: centre and scale the columns that the network reads. They are made of reports, so it costs
        nothing.
    """

    _: KW_ONLY
    heads: Annotated[int, Count(1)] = 4
    standardize: Annotated[bool, Flag()] = True

    ACTIVATION: ClassVar[str] = "selu"

    @property
    @abstractmethod
    def total(self) -> Guarantee:
        """What ``collect`` will cost a node's features and label together, before anything runs."""

    @property
    def edges(self) -> tuple[Guarantee, ...]:
        """What will hold for edges. They are public, unless a method says otherwise."""
        return PUBLIC_EDGES

    @abstractmethod
    def collect(self, data: Data, generator: torch.Generator) -> Release:
        """The people's half: all that leaves their hands. The only place that reads ``data``."""

    @abstractmethod
    def features(self, release: Release, matrix: SparseMatrix) -> Tensor | Factored:
        """What the network reads [N, D], made of the reports."""

    @abstractmethod
    def objective(self, release: Release, matrix: SparseMatrix) -> tuple[Callable, Callable]:
        """What training makes small and what selects the epoch, both functions of logits [N, C]."""

    def learn(self, release: Release, generator: torch.Generator, progress: bool = False) -> Model:
        """The server's half: make features of the reports, train, select. Reads the release only."""
        check_generator(generator)
        matrix = release.matrix()
        fitted = self.prepare(release, generator, matrix)
        return fitted.train(*self.objective(release, matrix), generator, progress)

    def prepare(self, release: Release, generator: torch.Generator, matrix: SparseMatrix | None = None) -> Model:
        """An untrained model with its inputs."""
        x = self.features(release, release.matrix() if matrix is None else matrix)
        model = Backbone(self.backbone, x.shape[1], release.num_classes, hidden=self.hidden, dropout=self.dropout,
                         heads=self.heads, activation=self.ACTIVATION, generator=generator)
        return Model(self, model, model.prepare(x, release.edge_index, release.edge_weight))

    def restore(self, path, release: Release) -> Model:
        """A saved model, ready to predict on the release it was trained on."""
        return self.prepare(release, torch.Generator()).load_weights(path)


@dataclass(frozen=True, kw_only=True)
class Embeddings:
    """What is published: ``z`` float [N, d], a vector for each node, and what is known about it.

    ``guarantees``: what holds for it, by unit; **empty means that no guarantee is given**, whatever the method hopes.
    ``public`` names the fields that are taken as known to all beforehand, and ``unaccounted`` what was computed from
    raw data without any noise, and ``randomness`` is that of the noise, as in ``Release``.
    """

    z: Tensor
    guarantees: tuple[Guarantee, ...] = ()
    public: tuple[str, ...] = ()
    unaccounted: tuple[str, ...] = ()
    randomness: str = "public"

    def __post_init__(self):
        if isinstance(self.z, Tensor) and (odd := int((~self.z.isfinite()).sum())):
            raise ValueError(f"z must be finite, got {odd} NaN or infinite values; where training ends so, its "
                             "learning_rate is too large")
        check_features(self.z)
        object.__setattr__(self, "guarantees", drawn(self.guarantees, self.randomness))

    def save(self, path) -> None:
        write(vars(self) | {"guarantees": plain(self.guarantees)}, path)

    @classmethod
    def load(cls, path) -> "Embeddings":
        """Read embeddings; the file holds tensors, numbers and text only and cannot run code."""
        fields = stated_kind(read(path, "embeddings"), path)
        return load_guarantees(cls, fields, "guarantees", path)


class Embedding(Method, ABC):
    """A curator who sees the whole graph publishes a vector for each node, for whatever others want to learn."""

    @abstractmethod
    def embed(self, data: Data, generator: torch.Generator) -> Embeddings:
        """All that is published. Whatever is kept (a discriminator, a decoder) stays out of it."""


class Client(ABC):
    """Holds a part of the data. What it tells others goes through ``send``, as bytes, and through nothing else."""

    @abstractmethod
    def send(self) -> bytes:
        """This round's message to the server."""

    @abstractmethod
    def receive(self, message: bytes) -> None:
        """Take the server's answer into account. A client whom the server left out gets none, and goes on alone."""

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
        """


class Federation(Method, ABC):
    """Clients that keep their data, and a server: two kinds of objects that share bytes only, so they may be processes.

    ``guarantees`` says what holds for all messages of all rounds together; **empty means that no guarantee is
    given**: that data stay at home is none.
    """

    rounds: int = 1
    guarantees: tuple[Guarantee, ...] = ()

    @abstractmethod
    def server(self, generator: torch.Generator) -> Server:
        """The server; of hyperparameters only."""

    @abstractmethod
    def split(self, data: Data, generator: torch.Generator) -> Sequence[Data]:
        """Who holds what: one part of the data for each client."""

    @abstractmethod
    def client(self, part: Data, generator: torch.Generator) -> Client:
        """One client. It sees its own part only, so that another process can make it."""

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
        server = self.server(seeded(draw_seed(generator)))
        clients = {number: self.client(part, coins(seed))
                   for number, (part, seed) in enumerate(self.parts_and_seeds(data, generator))}
        rounds = [exchange(server, clients) for _ in range(self.rounds)]
        return clients, [replace(told, randomness=kind_of(generator)) for told in rounds]


def public_sizes(part: Data) -> dict[str, int]:
    """The sizes of a client's part that all clients and the server know.

    >>> from torch_geometric.data import Data
    >>> public_sizes(Data(x=torch.ones(5, 3), num_classes=2, num_public=4))
    {'num_public': 4, 'num_features': 3, 'num_classes': 2}
    """
    known = {"num_public": part.get("num_public"), "num_features": part.x.size(1) if "x" in part else None,
             "num_classes": part.get("num_classes")}
    return {name: int(size) for name, size in known.items() if size is not None}


def exchange(server: Server, clients: Mapping[int, Client]) -> Round:
    """One round with the clients that are there."""
    told = server.combine({number: client.send() for number, client in clients.items()})
    for number, answer in told.replies.items():
        clients[number].receive(answer)
    return told


class FewShot(Method, ABC):
    """Learns from many tasks how to solve one of classes that it has never seen."""

    @abstractmethod
    def fit(self, sample: Callable[[torch.Generator], Task], generator: torch.Generator) -> Callable[[Task], Tensor]:
        """A solver: a task to class probabilities [Q, ways] of its query.

        :param sample: draws a task for training; ``generator`` is handed to it.
        """


def features_and_label(epsilon: float) -> Guarantee:
    """What reports of features and of a label cost together."""
    return Guarantee(epsilon, unit="features and label", basis="proved")
