"""The one training loop."""

import copy
import math
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from ..checks import check_count, check_flag, check_generator, check_learning_rate, check_number
from ..randomness import torch_seeded
from ..waiting import steps


@dataclass
class History:
    """What happened in training: one loss an epoch, and the epoch whose weights were kept.

    :param train: loss of training in each epoch.
    :param val: what selects the epoch, in each; empty where nothing does.
    :param best_epoch: from 0.
    """

    train: list[float] = field(default_factory=list)
    val: list[float] = field(default_factory=list)
    best_epoch: int = -1


def train(model: nn.Module, inputs, loss: Callable[[Tensor], Tensor], validate: Callable[[Tensor], Tensor] | None, *,
          epochs: int, learning_rate: float, weight_decay: float, generator: torch.Generator,
          progress: bool = False) -> History:
    """Adam on ``loss(model(inputs))``; keeps the weights of the epoch with the least ``validate(model(inputs))``.

    Both functions get logits [N, C] and return a scalar. What ``validate`` reads decides whether model
    selection is private: give it noisy labels where the true ones are not to be seen. ``None`` keeps the last epoch.

    Validation and the next step of training see the same weights. What a model makes of its inputs whether it trains
    or not, it may offer as ``model.begin(inputs)``: it is then called once an epoch, and what it returns is handed to
    ``model(inputs, begun)`` in both.

    :param generator: seeds dropout.
    :param progress: show a bar.
    :param model: changed in place.
    :param inputs: what the model reads.
    :param loss: from logits to a scalar.
    """
    epochs, learning_rate = check_count(epochs, "epochs", low=1), check_learning_rate(learning_rate, "learning_rate")
    weight_decay = check_number(weight_decay, "weight_decay", low=0, open_high=True,
                                allowed="be a finite number of at least 0")
    check_generator(generator), check_flag(progress, "progress")
    optimiser = torch.optim.Adam(model.parameters(), lr=learning_rate, weight_decay=weight_decay)
    history, best, best_weights, begun = History(), math.inf, None, ()
    with torch_seeded(generator), flushed_denormals():
        for epoch in steps(range(epochs), "training", progress):
            model.train()
            optimiser.zero_grad()
            train_loss = loss(model(inputs, *begun))
            train_loss.backward()
            optimiser.step()
            history.train.append(float(train_loss.detach()))
            if validate is None:
                continue
            begun = beginning(model, inputs)  # with a gradient, for the next step
            model.eval()
            with torch.no_grad():
                history.val.append(float(validate(model(inputs, *begun))))
            if history.val[-1] < best:
                best, best_weights, history.best_epoch = history.val[-1], copy.deepcopy(model.state_dict()), epoch
    if validate is None:
        history.best_epoch = epochs - 1
        return history
    load_best(model, best_weights, history)
    return history


def beginning(model: nn.Module, inputs) -> tuple:
    """What ``model`` is handed beside its inputs: what it begins with, or nothing where it offers no ``begin``."""
    return (model.begin(inputs),) if hasattr(model, "begin") else ()


def load_best(model: nn.Module, weights: dict[str, Tensor] | None, history: History) -> None:
    if weights is None:
        raise FloatingPointError(f"the validation loss was never finite in {len(history.val)} epochs; "
                                 f"the last training loss was {history.train[-1]}")
    model.load_state_dict(weights)


def check_trained(weights: Iterable[Tensor], learning_rate: float | None) -> None:
    """What training ended with is finite, and so means something.

    :param learning_rate: which may be the cause; None: there was none.
    :raises FloatingPointError: says how many numbers are not.
    """
    if odd := sum(int((~each.isfinite()).sum()) for each in weights):
        cause = "" if learning_rate is None else f"; learning_rate may be too large, got {learning_rate:g}"
        raise FloatingPointError(f"training must end with finite weights, got {odd} NaN or infinite values{cause}")


@contextmanager
def flushed_denormals():
    """Round numbers below 1e-38 to zero: gradients of a saturated attention fill with them, and they are slow.

    Measured on Cora with TransformerConv: half the time of an epoch.
    """
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
