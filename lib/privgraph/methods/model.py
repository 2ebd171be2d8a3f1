"""How networks are trained, and what comes of it: hyperparameters, and a fitted node classifier."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import torch
from torch import Tensor, nn

from ..checks.parameters import Count, Fraction, LearningRate, NotNegative, Parameters
from ..nn import GraphInput, History, train
from ..nn.training import check_trained
from .files import read, write


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


@dataclass
class Model:
    """A trained node classifier, for the nodes of the release it was trained on; of other graphs: ``InductiveModel``.

    ``nodes`` bool [N]: of whom its predictions mean something. None: of everybody in the release.
    """

    method: Any
    model: nn.Module
    inputs: GraphInput | Tensor | Sequence[Tensor] | None
    history: History = field(default_factory=History)
    nodes: Tensor | None = None

    def train(self, loss: Callable, validate: Callable | None, generator: torch.Generator, progress: bool = False,
              epochs: int | None = None) -> "Model":
        """Train with the method's hyperparameters; ``nn.train`` says what the two functions are."""
        method = self.method
        self.history = train(self.model, self.inputs, loss, validate, epochs=epochs or method.epochs,
                             learning_rate=method.learning_rate, weight_decay=method.weight_decay,
                             generator=generator, progress=progress)
        return self

    @torch.no_grad()
    def predict_proba(self) -> Tensor:
        """Class probabilities [N, C] for every node of the graph; NaN where they would mean nothing."""
        self.model.eval()
        probabilities = self.model(self.inputs).softmax(1)
        return probabilities if self.nodes is None else probabilities.where(self.nodes[:, None], math.nan)

    def check_trained(self) -> None:
        """Refuse weights that are not finite: what follows from them means nothing."""
        check_trained(self.model.state_dict().values(), self.method.learning_rate)

    def save(self, path) -> None:
        """The weights only; the method's ``restore`` reads them back.

        :raises FloatingPointError: where training ended with weights that are not finite; nothing is written then.
        """
        self.check_trained()
        write(self.model.state_dict(), path)

    def load_weights(self, path) -> "Model":
        """Take the weights of a file that ``save`` wrote, once their names, shapes and types are those of this model.

        Nothing of the file is run, and a file that does not fit leaves the model as it was.
        """
        weights, own = read(path, "weights of a model"), self.model.state_dict()
        if weights.keys() != own.keys():
            raise ValueError(f"{path} holds the weights of another network, {describe(weights)}; "
                             f"expected {describe(own)}")
        for name, value in own.items():
            check_like(weights[name], value, name, path)
        self.model.load_state_dict(weights)
        return self


class InductiveModel(Model):
    """A network that reads features as they are, so it can be asked about other graphs too.

    A network of LPGNN or RGNN cannot: it reads what the server makes of a whole release, not a person's features.
    """

    @torch.no_grad()
    def predict_on(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Class probabilities [M, C] for the nodes of another graph with the same features."""
        self.model.eval()
        return self.model(self.model.prepare(x, edge_index)).softmax(1)


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
