"""What the server gets from people who privatise their own features and labels, and what it makes of it."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import ClassVar

import torch
from torch import Tensor
from torch_geometric.data import Data

from ..checks import check_generator, check_task
from ..datasets.splits import PER_CLASS
from ..mechanisms import RandomisedResponse
from ..nn import Backbone, GraphInput, History, train
from ..privacy import Guarantee, compose, holding

PUBLIC_EDGES = (Guarantee(math.inf, unit="undirected edge", relation="add/remove", trust="local", basis="proved"),)


@dataclass(frozen=True, kw_only=True)
class Release:
    """Everything the server gets; nothing else of the data enters ``learn``. Each method adds what reads its features.

    ``report`` [N, d]: reports of a ``feature_mechanism`` (the features where epsilon_x is inf). ``y`` int64 [N]:
    noisy labels of training and validation nodes, -1 elsewhere. The masks are known to the server as they
    are, and so are the edges ``edge_index`` [2, E], unless people reported them through a mechanism:
    then they may be directed and weighted, and ``structure`` says what holds for them.

    Everything else in it is an argument of the method or one of ``public``; what the columns of ``report`` stand for is taken
    as known to all (``Card.columns``). ``unaccounted`` names what was computed
    from raw features before any noise and went into what is public, such as cut points: no guarantee speaks of that,
    so those that speak of features have the basis "none", and so has that of labels where people were chosen by theirs.
    """

    PUBLIC: ClassVar[tuple[str, ...]] = ("train_mask", "val_mask", "num_classes")

    report: Tensor
    y: Tensor
    edge_index: Tensor
    train_mask: Tensor
    val_mask: Tensor
    num_classes: int
    epsilon_x: float
    epsilon_y: float
    edge_weight: Tensor | None = None
    structure: tuple[Guarantee, ...] = PUBLIC_EDGES
    unaccounted: tuple[str, ...] = ()

    @property
    def public(self) -> tuple[str, ...]:
        """The fields of which no finite epsilon holds: who publishes a release takes them for known beforehand.

        The masks tell who was asked for a label, so who has one.
        """
        spent = {"report": self.epsilon_x, "y": self.epsilon_y, "edge_index": min(g.epsilon for g in self.structure)}
        return (*self.PUBLIC, *(name for name, epsilon in spent.items() if math.isinf(epsilon)))

    @property
    def label_mechanism(self) -> RandomisedResponse:
        return RandomisedResponse(self.epsilon_y, self.num_classes)

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What holds for a label, a feature vector, and the edges."""
        label, features = self.label_mechanism.guarantee, self.feature_mechanism.guarantee
        if self.unaccounted:
            features = replace(features, basis="none")
        if PER_CLASS in self.unaccounted:
            label = replace(label, basis="none")
        return (label, features, *self.structure)

    @property
    def total(self) -> Guarantee:
        """Features and label of a node together, her edges being what they are: the sum of two epsilons."""
        parts = (holding(self.guarantees, unit) for unit in ("label", "feature vector"))
        return compose(*(part.lift("features and label") for part in parts))

    @property
    def node(self) -> Guarantee:
        """A node: her features, her label and all her edges may be others. Infinite where the edges are public."""
        edge = holding(self.structure, "undirected edge")
        # All her pairs may change, n - 1 at most: so many edges added or removed replace her edges by any others.
        edges = replace(edge.lift("node", self.y.numel() - 1), relation="replace")
        return compose(self.total.lift("node"), edges)

    def save(self, path) -> None:
        torch.save(self.__dict__ | {"structure": [vars(g) for g in self.structure]}, path)

    @classmethod
    def load(cls, path) -> "Release":
        """Read a release; the file holds tensors and numbers only and cannot run code."""
        fields = torch.load(path, weights_only=True)
        return cls(**fields | {"structure": tuple(Guarantee(**g) for g in fields["structure"])})


def report_labels(data: Data, epsilon_y: float, generator: torch.Generator) -> Tensor:
    r"""Noisy labels of training and validation nodes, -1 elsewhere, int64 [N]. Checks what the method was given.

    Who is asked is public, and answers. Who is asked and has no label names one at random. Proof that this costs no more
    than a label does: with k classes every report then has probability 1 / k, and the two of randomised response are at
    most :math:`e^{\varepsilon} / k` and at least :math:`e^{-\varepsilon} / k`.
    """
    check_generator(generator), check_task(data)
    if "train_mask" not in data or "val_mask" not in data:
        raise ValueError("data has no train_mask and val_mask; datasets.split(data, generator) sets them")
    asked, y = data.train_mask | data.val_mask, data.y
    if (silent := asked & (y < 0)).any():
        if math.isinf(epsilon_y):  # where nothing is promised, a refusal breaks no promise
            raise ValueError("train_mask and val_mask must select nodes with a label where epsilon_y is inf, "
                             f"got {int(silent.sum())} without one")
        y = torch.where(silent, torch.randint(data.num_classes, y.shape, generator=generator), y)
    return RandomisedResponse(epsilon_y, data.num_classes)(torch.where(asked, y, -1), generator=generator)


def unaccounted(data: Data) -> tuple[str, ...]:
    """What the transforms of a graph, or its card, say was computed from raw data (see ``Release``)."""
    return tuple(getattr(data, "unaccounted", ()))


@dataclass
class Fitted:
    """A trained node classifier, for the nodes of the release that it was trained on."""

    method: object
    model: Backbone
    inputs: GraphInput
    history: History = field(default_factory=History)

    def train(self, loss: Callable, validate: Callable | None, generator: torch.Generator, progress: bool = False,
              epochs: int | None = None) -> "Fitted":
        """Train with the method's hyperparameters; ``nn.train`` says what the two functions are."""
        method = self.method
        self.history = train(self.model, self.inputs, loss, validate, epochs=epochs or method.epochs, generator=generator,
                             learning_rate=method.learning_rate, weight_decay=method.weight_decay, progress=progress)
        return self

    @torch.no_grad()
    def predict_proba(self) -> Tensor:
        """Class probabilities [N, C] for every node of the graph."""
        self.model.eval()
        return self.model(self.inputs).softmax(1)

    def save(self, path) -> None:
        """The weights only; the method's ``restore`` reads them back."""
        torch.save(self.model.state_dict(), path)
