"""Federated DeepWalk: clients walk at home, upload the vectors of public nodes, and go on from answers (chapter 11).

The dissertation's section 4.2.2 and Algorithm 3.

It gives no settings of walks and training. Ours bring local training near its end before the first round, as a gain
over less would be one of training. Measured on Cora, one split into four parts, micro F1 of a support vector machine in
five folds, the mean over clients: 73.2 after 4 epochs at a rate of .1, 73.3 and 73.6 (other coins) after 8 (default),
74.0 after 16; and where the server answers each client with its own rows, 73.7, 73.8 and 73.9 after 1, 5 and 10 rounds
at .03, but 71.6 after 10 at .1. With tables out of balance, six rounds at .03 bring two clients from 73.4 to 61.7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import torch
from torch import Tensor

from ...checks import (
    check_count,
    check_data,
    check_generator,
)
from ...checks.parameters import Choice, Count, Flag, Instance, LearningRate
from ...effort import Effort, Extent
from ...late import pyg
from ...mechanisms import EdgeMechanism, Mechanism, PrivateEndResponse, SymmetricResponse
from ...mechanisms.text import mechanism_of
from ...nn import SkipGram
from ...privacy import Guarantee
from ...randomness import place, put_back, seeded
from ..deepwalk import DeepWalk
from ..federation import Client, Federation
from ..method import Sizes
from .averaging import ANSWERS, Averaging
from .row_messages import pack_rows, unpack_rows
from .split import parts
from .upload_noise import UploadNoise, upload_noise

if TYPE_CHECKING:
    from torch_geometric.data import Data


class DeepWalkClient(Client):
    """Holds its part of the graph and both tables of its skip-gram; only rows of public nodes are sent.

    It trains when it is made, and again from each answer.

    :param state: of a client that goes on; where it holds the graph that was walked on and no tables, training begins
        anew on that graph, so that no edge is reported twice.
    """

    def __init__(self, method: "FederatedDeepWalk", part: Data, generator: torch.Generator, state: dict | None = None):
        method.check_own(part)
        self.method, self.part, self.generator = method, part, check_generator(generator)
        kept = {} if state is None else state
        self.graph = (pyg.data.Data(edge_index=kept["edge_index"], num_nodes=part.num_nodes) if "edge_index" in kept
                      else method.walked(part, generator))
        self.model, self.uploads = method.initial(part, generator), kept.get("uploads", 0)
        if "vectors" in kept:
            self.model.vectors.data[:], self.model.contexts.data[:] = kept["vectors"], kept["contexts"]
            put_back(generator, kept)
        else:
            self.train(method.first_epochs, method.first_rate)

    def state(self) -> dict:
        """The graph that is walked on, which may hold noise; both tables; how often noise was added to an upload."""
        tables = {"vectors": self.model.vectors.detach(), "contexts": self.model.contexts.detach()}
        return {"edge_index": self.graph.edge_index, "uploads": self.uploads} | tables | place(self.generator)

    def train(self, epochs: int, learning_rate: float) -> None:
        if not self.graph.edge_index.numel():
            return  # only where noise hides that there is no edge: ``walked`` refuses it otherwise
        self.method.walker(epochs, learning_rate).train(self.model, self.graph, self.generator, batch=self.method.batch)
        if self.method.balanced and self.method.tables == "two":  # one table is balanced with itself
            self.model.balance()

    def send(self) -> bytes:
        rows, noise = self.model.vectors.detach()[:self.part.num_public], self.method.noise
        if noise is None:
            return pack_rows(rows)
        if self.uploads == self.method.rounds:
            raise ValueError(f"rounds must be at most {self.method.rounds}, as noise is made for so many, got one more")
        self.uploads += 1
        return pack_rows(noise(rows, self.method.rounds, self.generator))

    def receive(self, message: bytes) -> None:
        """Lines 22 to 25: put the answer in the place of the public rows, and train from there."""
        rows = self.model.vectors.data[:self.part.num_public]
        rows[:] = unpack_rows(message, tuple(rows.shape))
        self.train(self.method.epochs, self.method.learning_rate)

    def embeddings(self) -> Tensor:
        """A vector for each of the client's nodes, float [n, d]; they stay at home."""
        return self.model.vectors.detach().clone()


@dataclass(frozen=True)
class FederatedDeepWalk(Federation):
    """DeepWalk at each client, and the vectors of public nodes averaged in each client's space (Algorithm 3).

    Without ``edges`` and ``noise``, ``guarantees`` is empty: uploads are computed from private edges without any noise.

    With ``edges``, what the mechanism guarantees for a private edge, or for any undirected edge, holds for a *private
    edge*, one with a private end, and for all rounds together. Proof. One client alone holds it. That client draws its
    noisy graph once, before anything else, and reads its edges no more; all messages of all clients and all answers are
    made of the noisy graphs, the other clients' among them, of public sizes and of coins: post-processing. A link
    between two public nodes is in every part, and each client reports it anew: with k clients it costs k times as much.
    ``PrivateEndResponse`` leaves it as it is, for all to see. Condition: who is public was decided without a look at
    private edges (``hold`` with "degree" does look).

    With ``noise`` instead, all that a client holds alone is hidden, over all rounds: ``UploadNoise`` has the proof. A
    client refuses an upload more.

    :param dimension: of a vector; 16 in section 4.3.2.
    :param rounds: of uploads and answers; 0 leaves each client alone with its own training.
    :param walks: from each node that has a neighbour at this client, in each epoch.
    :param length: nodes of a walk, at least 2.
    :param window: how many nodes to either side of one are its contexts.
    :param negatives: how many negatives a pair of a node and its context counts for.
    :param first_epochs: of the training before the first round; enough to come to its end alone.
    :param first_rate: learning rate of Adam in it, falling to zero.
    :param epochs: of the training that follows each answer.
    :param learning_rate: the same there; small, as it shall not tear down what was learnt.
    :param batch: walks a step.
    :param answer: what the server answers: "aligned", or a control of ``averaging.ANSWERS``.
    :param tables: "two", vectors and contexts as in word2vec; or "one" for both, begun with normal random numbers.
    :param balanced: whether two tables are brought into balance after each training (``SkipGram.balance``). Otherwise
        they drift apart by more than the rotation that alignment can undo, and vectors get worse with each round.
    :param edges: a mechanism that each client applies to its own edges before any walk, or None.
    :param noise: what each client adds to its uploads, or None; not together with ``edges``.
    :param start_seed: a seed that all clients know, so that public rows begin alike; None: each client has its own.
    """

    dimension: Annotated[int, Count(1)] = 16
    rounds: Annotated[int, Count()] = 10
    walks: Annotated[int, Count(1)] = 10
    length: Annotated[int, Count(2)] = 20
    window: Annotated[int, Count(1, within="length")] = 5
    negatives: Annotated[int, Count(1)] = 5
    first_epochs: Annotated[int, Count(1)] = 8
    first_rate: Annotated[float, LearningRate()] = 0.1
    epochs: Annotated[int, Count(1)] = 1
    learning_rate: Annotated[float, LearningRate()] = 0.03
    batch: Annotated[int, Count(1)] = 64
    answer: Annotated[str, Choice(ANSWERS)] = "aligned"
    tables: Annotated[str, Choice(("one", "two"))] = "two"
    balanced: Annotated[bool, Flag()] = True
    edges: Annotated[Mechanism | None, Instance(EdgeMechanism, none=True, read=mechanism_of(EdgeMechanism))] = None
    noise: Annotated[UploadNoise | None, Instance(UploadNoise, none=True, read=upload_noise)] = None
    start_seed: Annotated[int | None, Count(none=True)] = None

    def agree(self):
        """Refuse two kinds of noise at once.

        :raises ValueError: where both ``noise`` and ``edges`` are given.
        """
        if self.noise is not None:
            check_count(self.rounds, "rounds", low=1)
        if self.noise is not None and self.edges is not None:
            raise ValueError("noise must be left out where edges are noisy already: one of the two is enough, got both")

    def unread(self) -> dict[str, str]:
        found = {"balanced": "tables is one"} if self.tables == "one" else {}
        return found if self.rounds else found | dict.fromkeys(("answer", "epochs", "learning_rate"), "rounds is 0")

    def guarantees(self, sizes: Sizes | None = None, delta: float | None = None) -> tuple[Guarantee, ...]:
        """For all messages of all rounds; empty where edges are walked along as they are."""
        if self.noise is not None:
            return self.noise.guarantees(self.rounds)
        held = {} if self.edges is None else {g.unit: g for g in self.edges.guarantees if g.relation == "add/remove"}
        stated = held.get("private edge", held.get("undirected edge"))
        return () if stated is None else (replace(stated, unit="private edge", trust="central"),)

    @classmethod
    def examples(cls) -> tuple["FederatedDeepWalk", ...]:
        quick = dict(dimension=4, rounds=2, walks=2, length=5, window=2, first_epochs=2, epochs=1)
        return (cls(**quick), cls(**quick, answer="permuted", tables="one", start_seed=7),
                cls(**quick, edges=SymmetricResponse(1.0)), cls(**quick, edges=PrivateEndResponse(1.0)),
                cls(**quick, noise=UploadNoise(1.0)))

    def walker(self, epochs: int, learning_rate: float) -> DeepWalk:
        """How a client trains, so many epochs."""
        return DeepWalk(dimension=self.dimension, walks=self.walks, length=self.length, window=self.window,
                        negatives=self.negatives, epochs=epochs, learning_rate=learning_rate)

    CHEAPER = ("walks", "length", "rounds", "first_epochs")

    def client_effort(self, part: Extent) -> Effort:
        """Walks before the first round and after each."""
        epochs = self.first_epochs + self.rounds * self.epochs
        return self.walker(epochs, self.learning_rate).walking(part.nodes, part.nodes * self.walks, self.batch)

    def server(self, generator: torch.Generator) -> Averaging:
        return Averaging(self.answer, generator)

    def split(self, data: Data, generator: torch.Generator) -> Sequence[Data]:
        """As ``data.holder`` says: see ``split.hold``."""
        return parts(data)

    def check_own(self, part: Data) -> None:
        """Refuse a part with too few public nodes, or nothing to walk along; parts are as ``split.parts`` makes them.

        :raises ValueError: for such a part.
        """
        public = check_count(check_data(part, "edge_index", "num_public").num_public, "num_public", high=part.num_nodes)
        if public < self.dimension:
            raise ValueError(f"dimension must be at most {public}, the number of public nodes, to be aligned, got "
                             f"{self.dimension}")
        if self.edges is None:
            self.check_walked(part)

    def client(self, part: Data, generator: torch.Generator) -> DeepWalkClient:
        return DeepWalkClient(self, part, generator)

    def resumed(self, part: Data, generator: torch.Generator, state: dict) -> DeepWalkClient:
        return DeepWalkClient(self, part, generator, state)

    def layout(self, sizes: Mapping[str, int]) -> dict[str, tuple[int, ...]] | None:
        return {"rows": (sizes["num_public"], self.dimension)} if "num_public" in sizes else None

    def walked(self, part: Data, generator: torch.Generator) -> Data:
        """The graph that a client walks on: its own, or a noisy one. A mechanism sees edges and counts only.

        :raises ValueError: where there is no edge to walk along.
        """
        graph = pyg.data.Data(edge_index=part.edge_index, num_nodes=part.num_nodes, num_public=part.num_public)
        graph = graph if self.edges is None else self.edges(graph, generator=generator)
        self.check_walked(graph)
        return graph

    def check_walked(self, graph: Data) -> None:
        """A client without noise needs a link to walk along; one with noise takes part whatever it has.

        :param graph: of the client, with edge_index int64 [2, E].
        :raises ValueError: for one without a link.
        """
        if not graph.edge_index.numel() and self.noise is None:  # which must hide that there is none
            raise ValueError("edge_index must hold an edge to walk along, got none: this client cannot take part")

    def initial(self, part: Data, generator: torch.Generator) -> SkipGram:
        """The tables with which a client begins."""
        begin = {"two": SkipGram.initial, "one": one_table}[self.tables]
        model = begin(part.num_nodes, self.dimension, generator)
        if self.start_seed is not None:
            shared = begin(part.num_public, self.dimension, seeded(self.start_seed))
            model.vectors.data[:part.num_public] = shared.vectors.data
        return model


def one_table(num_nodes: int, dimension: int, generator: torch.Generator) -> SkipGram:
    """A node as the context of another has the vector that it has as the centre."""
    table = torch.randn(num_nodes, dimension, generator=generator)
    model = SkipGram(table, table)
    model.contexts = model.vectors
    return model
