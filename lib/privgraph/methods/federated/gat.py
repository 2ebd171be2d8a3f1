r"""Federated GAT: clients upload what the middle layer of their network makes of the nodes that all hold.

Section 4.2.3 of the dissertation. Each client has a graph attention network of two layers (eq. 4.5-4.7) and trains it
on labels of its own. Its weights stay at home, as do features, edges and labels; what leaves are the rows of the public
nodes after the first layer, ``hidden`` numbers each, in every round. The server answers each client with rows in the
client's own space, and the client trains on with

.. math:: L = L_{label} + \beta \left(1 - \cos(X, X')\right),

the cross-entropy of its training labels and the mean over public nodes of one minus the cosine between its row and the
row of the answer (eq. 4.8-4.10).

What the text leaves open, and what is done here. *Which labels train*: the text evaluates by five folds and does not
say whether the network saw the labels of the fold that is tested. Here it reads ``train_mask`` only
(``measures.without_fold`` sets it); ``labels="all"`` reads all, and then the classes of a test fold are in the vectors.
*What is classified*: vectors of 16 numbers, which only the middle layer has. *Rates*: those of the GAT paper
(Velickovic et al. 2018: 8 heads, dropout .6, Adam at .005, weight decay .0005, each person's features divided by their
sum), with SELU for its ELU and without dropout of inputs and attention. *Epochs*: 20 a round, after which weights go on
from where they are. With features as they are (``normalize=False``) the network overfits after 20 to 40 epochs: what is
gained over a baseline that trained on from there is, for a part, that the answers hold it back.

That data stay at home is no guarantee: the rows are functions of private neighbours' features and of labels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import torch
import torch.nn.functional as F
from torch import Tensor

from ...checks import check_count, check_data, check_generator, check_is, check_mask
from ...checks.parameters import Choice, Count, Flag, Fraction, NotNegative
from ...effort import ATTENTION, Effort, Extent, training
from ...graph import check_task
from ...nn import Backbone, Dense, GraphInput, train
from ...randomness import place, put_back
from ..federation import Client, Federation
from ..model import Training
from .averaging import ANSWERS, Averaging
from .labels import mislabel
from .row_messages import pack_rows, unpack_rows
from .split import parts

if TYPE_CHECKING:
    from torch_geometric.data import Data

LABELS = ("train", "all")


class Attention(Backbone):
    """Two layers of GAT: ``forward`` gives the middle layer [N, hidden], and logits [N, C]."""

    def forward(self, inputs: GraphInput, begun: Tensor | None = None) -> tuple[Tensor, Tensor]:
        middle = self.activation(self.begin(inputs) if begun is None else begun)
        dropped = F.dropout(middle, self.dropout, self.training)
        return middle, self.convolve(self.second, Dense(dropped), inputs)


def embedding_loss(middle: Tensor, answer: Tensor) -> Tensor:
    """Eq. 4.8, the mean over rows [P, d] of one minus the cosine."""
    return (1 - F.cosine_similarity(middle, answer)).mean()


class GATClient(Client):
    """Has a part of the graph and a network of its own. Rows of public nodes leave, as bytes, and nothing else.

    :param method: the hyperparameters.
    :param part: its graph, with ``x``, ``y``, ``num_classes``, ``num_public`` (these nodes come first) and
        ``train_mask``, unless all labels are read.
    :param generator: for what this client draws: initial weights, dropout, wrong labels.
    :param state: of a client that goes on.
    """

    def __init__(self, method: "GATFederation", part: Data, generator: torch.Generator, state: dict | None = None):
        check_task(check_data(part, "x", "num_public"))
        self.num_public = check_count(part.num_public, "num_public", low=1, high=part.num_nodes)
        self.method, self.generator = check_is(method, "method", GATFederation), check_generator(generator)
        self.labels = method.training_labels(part, generator) if state is None else state["labels"]
        self.network = Attention("gat", part.x.size(1), part.num_classes, hidden=method.hidden // method.heads,
                                 heads=method.heads, dropout=method.dropout, generator=method.starting(generator))
        x = F.normalize(part.x, p=1.0) if method.normalize else part.x
        self.inputs = self.network.prepare(x, part.edge_index)
        self.unanswered = False
        if state is None:
            self.train()
        else:
            self.network.load_state_dict(state["weights"])
            self.unanswered = state["unanswered"]
            put_back(generator, state)

    def state(self) -> dict:
        """The labels that are taught, wrong ones among them; the weights; whether an answer is missing."""
        return {"labels": self.labels, "weights": dict(self.network.state_dict()),
                "unanswered": self.unanswered} | place(self.generator)

    def train(self, answer: Tensor | None = None) -> None:
        """A round's epochs from where the weights are, with the answer's rows [P, hidden], or without any."""
        def loss(out: tuple[Tensor, Tensor]) -> Tensor:
            middle, logits = out
            own = F.cross_entropy(logits, self.labels, ignore_index=-1)
            return own if answer is None else own + self.method.beta * embedding_loss(middle[:self.num_public], answer)
        train(self.network, self.inputs, loss, None, epochs=self.method.epochs,
              learning_rate=self.method.learning_rate, weight_decay=self.method.weight_decay, generator=self.generator)

    @torch.no_grad()
    def embeddings(self) -> Tensor:
        """The middle layer [n, hidden], for all nodes of the part. It stays here: ``send`` tells of public nodes."""
        self.network.eval()
        return self.network(self.inputs)[0]

    def send(self) -> bytes:
        """Algorithm 4, line 4. A client whose last message was not answered has trained on alone for a round."""
        if self.unanswered:
            self.train()
        self.unanswered = True
        return pack_rows(self.rows())

    def receive(self, message: bytes) -> None:
        """Algorithm 4, lines 21 and 22."""
        self.take(unpack_rows(message, tuple(self.rows().shape)))
        self.unanswered = False

    def rows(self) -> Tensor:
        """What is told: the middle layer of the public nodes [P, hidden]."""
        return self.embeddings()[:self.num_public]

    def take(self, answer: Tensor) -> None:
        """A round with the answer's rows [P, hidden]."""
        self.train(answer)


@dataclass(frozen=True)
class GATFederation(Training, Federation, ABC):
    """What both federations of GATs are told; ``Training`` has the rest.

    :param rounds: of messages and answers. Training comes before the first and after each; 0 leaves it at that.
    :param heads: of the first layer, ``hidden / heads`` numbers each; of the second as many, whose mean is taken.
    :param hidden: width of the middle layer, a multiple of ``heads``.
    :param epochs: of training before the first round and after each.
    :param normalize: divide each node's features by the sum of their absolute values; each client does its own.
    :param labels: ``"train"``: of ``train_mask``; ``"all"``: all that there are.
    :param wrong_labels: the share of its training labels that a client takes for another class, drawn by each client
        for itself (section 4.3.3 has 15%), in [0, 1].
    """

    rounds: Annotated[int, Count()] = 10
    heads: Annotated[int, Count(1)] = 8
    dropout: float = 0.6
    learning_rate: float = 0.005
    weight_decay: float = 5e-4
    epochs: int = 20
    normalize: Annotated[bool, Flag()] = True
    labels: Annotated[str, Choice(LABELS)] = "train"
    wrong_labels: Annotated[float, Fraction(closed=True)] = 0.0

    def agree(self):
        if self.hidden % self.heads:
            raise ValueError(f"hidden must be a multiple of heads, got {self.hidden} and {self.heads} heads")

    CHEAPER = ("rounds", "epochs")

    def client_effort(self, part: Extent) -> Effort:
        """Training before the first round and after each; attention is dear."""
        return training(part, self.hidden, (self.rounds + 1) * self.epochs) * ATTENTION

    def split(self, data: Data, generator: torch.Generator) -> tuple[Data, ...]:
        """As ``data.holder`` says; see ``hold``."""
        return parts(data)

    def check_own(self, part: Data) -> None:
        """Refuse a part that does not say which labels are to be learned from.

        :raises ValueError: for such a part.
        """
        if self.labels == "train" and "train_mask" not in part:
            raise ValueError("labels must be all where a part has no train_mask, which is that of its graph, got train")
        if not (self.read_labels(part) >= 0).any():
            raise ValueError("each part must have a node with a label to learn from (train_mask), got none")

    def read_labels(self, part: Data) -> Tensor:
        """True labels that training may read, int64 [n], -1 elsewhere."""
        y = check_data(part, "y").y
        if self.labels == "all":
            return y
        return y.where(check_mask(part.train_mask, "train_mask", part.num_nodes), -1)

    def training_labels(self, part: Data, generator: torch.Generator) -> Tensor:
        """What a client's training reads, int64 [n], -1 elsewhere."""
        self.check_own(part)
        y = self.read_labels(part)
        return mislabel(y, self.wrong_labels, part.num_classes, generator) if self.wrong_labels else y

    def starting(self, generator: torch.Generator) -> torch.Generator:
        """Where a client's initial weights come from."""
        return generator

    def client(self, part: Data, generator: torch.Generator) -> GATClient:
        return self.made(part, generator, None)

    def resumed(self, part: Data, generator: torch.Generator, state: dict) -> GATClient:
        return self.made(part, generator, state)

    @abstractmethod
    def made(self, part: Data, generator: torch.Generator, state: dict | None) -> GATClient:
        """A client that begins, or one that goes on."""


@dataclass(frozen=True)
class FederatedGAT(GATFederation):
    """Algorithm 4. It promises nothing: ``guarantees`` is empty.

    With ``beta`` 0 clients still send, but train alone, bit for bit: local training of as many epochs.

    :param beta: weight of the cosine loss, at least 0; the text has 1 for Cora and .75 for Citeseer.
    :param answer: what the server answers, of ``averaging.ANSWERS``. ``"own"`` is not local training here: a client's
        own rows hold it back where it was a round ago.
    """

    beta: Annotated[float, NotNegative()] = 1.0
    answer: Annotated[str, Choice(ANSWERS)] = "aligned"

    @classmethod
    def examples(cls) -> "tuple[FederatedGAT, ...]":
        quick = dict(rounds=2, heads=2, hidden=4, epochs=1)
        return cls(**quick), cls(**quick, answer="own", labels="all", wrong_labels=0.2)

    def server(self, generator: torch.Generator) -> Averaging:
        return Averaging(self.answer, generator)

    def layout(self, sizes: Mapping[str, int]) -> dict[str, tuple[int, ...]] | None:
        return {"rows": (sizes["num_public"], self.hidden)} if "num_public" in sizes else None

    def made(self, part: Data, generator: torch.Generator, state: dict | None) -> GATClient:
        """A client of this method on its part.

        :param state: what an interrupted client kept; None: it begins.
        :raises ValueError: where too few public nodes are there to be aligned.
        """
        self.check_own(part)
        return GATClient(self, part, generator, state)

    def check_own(self, part: Data) -> None:
        """Refuse a part with too few public nodes to be aligned, too.

        :raises ValueError: for such a part.
        """
        super().check_own(part)
        if check_data(part, "num_public").num_public < self.hidden:
            raise ValueError(f"hidden must be at most {part.num_public}, the number of public nodes, to be aligned, "
                             f"got {self.hidden}")
