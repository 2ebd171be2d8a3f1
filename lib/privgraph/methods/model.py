"""What came of a method: a ``Model``, which predicts, is scored, says what holds for what left, and is saved."""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

import torch
from torch import Tensor, nn

from ..checks import check_data
from ..checks.parameters import Count, Fraction, LearningRate, NotNegative, Parameters
from ..nn import GraphInput, History, accuracy, train
from ..nn.training import check_trained
from ..privacy import Guarantee
from ..writing import SHARED
from .files import write
from .written import written

if TYPE_CHECKING:
    from torch_geometric.data import Data


Network = TypeVar("Network", bound=nn.Module)


@dataclass(frozen=True, kw_only=True)
class Training(Parameters):
    """What every trained network is told, checked when it is said: before anybody has spent a budget on reports.

    :param hidden: width of the hidden layers.
    :param dropout: share of hidden values that is dropped in training.
    :param learning_rate: of Adam.
    :param weight_decay: of Adam.
    :param epochs: passes over the graph.
    """

    hidden: Annotated[int, Count(1)] = 16
    dropout: Annotated[float, Fraction()] = 0.5
    learning_rate: Annotated[float, LearningRate()] = 0.01
    weight_decay: Annotated[float, NotNegative()] = 0.0
    epochs: Annotated[int, Count(1)] = 100


def device_of(data: Any) -> torch.device:
    values = data.to_dict().values() if hasattr(data, "to_dict") else ()
    return next((value.device for value in values if isinstance(value, Tensor)), torch.device("cpu"))


def here(data: Any) -> Any:
    """A graph on the processor, where noise is drawn and networks are trained; a copy, if it lay on another device."""
    return data if device_of(data).type == "cpu" else copy.copy(data).cpu()


def for_any_device(predict_proba: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A ``predict_proba`` that may be asked about a graph on another device, and answers there."""
    @wraps(predict_proba)
    def answer(self, data: Data | None = None) -> Tensor:
        return predict_proba(self) if data is None else predict_proba(self, here(data)).to(device_of(data))
    return answer


class Model(ABC):
    """What a ``method`` learned from its ``release``, which is all that left the private side."""

    MODE: ClassVar[int] = SHARED  # of its file

    method: Any
    release: Any

    @abstractmethod
    def predict_proba(self, data: Data | None = None) -> Tensor:
        """Class probabilities [N, C]; NaN for nodes of whom they would mean nothing.

        :param data: the graph whose nodes are asked about. None: the one that the release speaks of.
        :returns: float [N, C].
        :raises ValueError: where the model can be asked about none, or about no other.
        """

    @property
    def inductive(self) -> bool:
        """Whether it can be asked about another graph than that of its release."""
        return True

    def predict(self, data: Data | None = None) -> Tensor:
        """Classes int64 [N]; -1 where they would mean nothing."""
        p = self.predict_proba(data)
        return p.argmax(1).where(~p.isnan().any(1), -1)

    def score(self, data: Data, mask: Tensor | None = None) -> float:
        """Share of nodes whose class is right, from 0 to 1. It reads true labels: for the owner of the data only.

        :param mask: bool [N], the nodes that count; None: those of ``data.test_mask``.
        """
        data = here(check_data(data, "y", *(["test_mask"] if mask is None else [])))
        mask = data.test_mask if mask is None else mask.cpu()
        return accuracy(self.predict_proba(self.asked(data)), data.y, mask) / 100

    def asked(self, data: Data) -> Data | None:
        """What ``predict_proba`` is asked about where ``data`` are to be scored."""
        return data

    def guarantees(self, delta: float | None = None) -> tuple[Guarantee, ...]:
        """What holds for what left, by unit; ``Guarantee.holds`` is False where its randomness was public.

        :param delta: for what has no pure epsilon.
        :raises ValueError: where a delta is needed and none is said.
        """
        return self.release.stated(delta)

    def save(self, path) -> None:
        """Write the method, what left, and what was learned of it into one file, which ``load`` reads back.

        :raises ValueError: for a model that came of no method, as a teacher, who is private.
        :raises FloatingPointError: where training ended with weights that are not finite; nothing is written then.
        """
        if getattr(self, "method", None) is None:
            raise ValueError("only what a method learned from its release is saved; this model came of none: it may "
                             "have seen private data")
        write({"method": written(self.method), "release": self.release.content(), "learned": self.learned()}, path,
              self.MODE)

    def learned(self) -> dict[str, Tensor]:
        """What a file must hold beside the release: tensors by name."""
        return {}


@dataclass
class NetworkModel(Model):
    """A trained node classifier, for the nodes of the release it was trained on; of other graphs: ``InductiveModel``.

    ``training``: the hyperparameters that it was trained with. ``nodes`` bool [N]: of whom its predictions mean
    something. None: of everybody in the release.

    :param model: the network.
    :param inputs: what the network reads, features float [N, d] with their edges.
    """

    training: Any
    model: nn.Module
    inputs: GraphInput | Tensor | Sequence[Tensor] | None
    history: History = field(default_factory=History)
    nodes: Tensor | None = None
    method: Any = None  # of whoever trains a network without one
    release: Any = None

    def train(self, loss: Callable, validate: Callable | None, generator: torch.Generator, progress: bool = False,
              epochs: int | None = None) -> "NetworkModel":
        """Train with the hyperparameters; ``nn.train`` says what the two functions are.

        :param loss: from logits to what is made small.
        :param validate: from logits to what selects the epoch; None: the last one counts.
        """
        told = self.training
        self.history = train(self.model, self.inputs, loss, validate, epochs=epochs or told.epochs,
                             learning_rate=told.learning_rate, weight_decay=told.weight_decay,
                             generator=generator, progress=progress)
        return self

    def predict_proba(self, data: Data | None = None) -> Tensor:
        """Class probabilities [N, C] for every node of the release's graph; NaN where they would mean nothing.

        :returns: float [N, C].
        :raises ValueError: where a graph is handed in.
        """
        if data is not None:
            raise ValueError("this network reads what the server makes of a whole release, not a person's features, so "
                             "it predicts for the people of its release only: ask without another graph")
        probabilities = self.forward(self.inputs)
        return probabilities if self.nodes is None else probabilities.where(self.nodes[:, None], math.nan)

    @property
    def inductive(self) -> bool:
        return False

    @torch.no_grad()
    def forward(self, inputs: GraphInput | Tensor | Sequence[Tensor] | None) -> Tensor:
        """Class probabilities of what the network reads.

        :param inputs: as ``inputs`` of the class, features float [N, d] with their edges.
        :returns: float [N, C].
        """
        self.model.eval()
        return self.model(inputs).softmax(1)

    def asked(self, data: Data) -> None:
        return None

    def check_trained(self) -> None:
        """Refuse weights that are not finite: what follows from them means nothing."""
        check_trained(self.model.state_dict().values(), getattr(self.training, "learning_rate", None))

    def learned(self) -> dict[str, Tensor]:
        self.check_trained()
        return self.model.state_dict()

    def take(self, weights: dict, path) -> "NetworkModel":
        """Take the weights that a file holds, once their names, shapes and types are those of this model.

        :param weights: tensors by name, not checked yet.
        """
        filled(self.model, weights, path)
        return self


class InductiveModel(NetworkModel):
    """A network that reads features as they are, so it can be asked about other graphs too.

    A network of LPGNN or RGNN cannot: it reads what the server makes of a whole release, not a person's features.
    """

    @for_any_device
    def predict_proba(self, data: Data | None = None) -> Tensor:
        """Class probabilities [M, C] for the nodes of a graph with the same features; by default of the public one.

        :returns: float [M, C].
        """
        if data is None:
            return super().predict_proba()
        return self.forward(self.model.prepare(check_data(data, "x", "edge_index").x, data.edge_index))

    @property
    def inductive(self) -> bool:
        return True

    def asked(self, data: Data) -> Data:  # type: ignore[override]
        return data


def filled(network: Network, weights: dict, path) -> Network:
    """A network with the weights that a file holds, once their names, shapes and types are its own.

    Nothing of the file is run, and a file that does not fit leaves the network as it was.
    """
    own = network.state_dict()
    if weights.keys() != own.keys():
        raise ValueError(f"{path} holds the weights of another network, {describe(weights)}; expected {describe(own)}")
    for name, value in own.items():
        check_like(weights[name], value, name, path)
    network.load_state_dict(weights)
    return network


def describe(weights: dict) -> str:
    return ", ".join(sorted(map(str, weights))) or "nothing"


def check_like(value, own: Tensor, name: str, path) -> None:
    """Weights are of the shape and the type that the model has, and finite."""
    if not isinstance(value, Tensor) or value.shape != own.shape or value.dtype != own.dtype:
        came = f"{value.dtype} of shape {list(value.shape)}" if isinstance(value, Tensor) else type(value).__name__
        raise ValueError(f"{name} in {path} must be {own.dtype} of shape {list(own.shape)}, got {came}")
    if not torch.isfinite(value).all():
        odd = int((~torch.isfinite(value)).sum())
        raise ValueError(f"{name} in {path} must be finite, got {odd} NaN or infinite values")
