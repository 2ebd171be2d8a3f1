"""The base of dominating pairs that live in modules of their own."""

import math
from abc import ABC, abstractmethod

import numpy as np

from ..checks.parameters import Parameters


class DominatingPair(Parameters, ABC):
    """What accountants ask of a pair; ``pairs`` and ``losses`` say what the answers mean."""

    rate: float = 1.0

    @property
    def epsilon(self) -> float:
        """The largest loss."""
        return max(self.largest_loss(True), self.largest_loss(False))

    @property
    def mirrored(self) -> bool:
        """Whether both directions have the same losses."""
        return True

    def largest_loss(self, forth: bool = True) -> float:
        """Of the first side against the second, or the other way round."""
        return math.inf

    @abstractmethod
    def delta(self, epsilon: float) -> float:
        """delta of one use at ``epsilon``, at least."""

    @abstractmethod
    def rdp(self, order: float) -> float:
        """An upper bound on the Renyi divergence of this order, the worse direction."""

    @abstractmethod
    def poisson(self, rate: float):
        """The pair after Poisson sampling; ValueError where that is not known."""

    @abstractmethod
    def loss_range(self, forth: bool, log_cut: float) -> tuple[float, float]:
        """Between which values losses lie, but for a share e^log_cut on either side."""

    @abstractmethod
    def tails(self, loss: np.ndarray, forth: bool) -> tuple[np.ndarray, ...]:
        """ln of P(L > l), P(L <= l), Q(L > l), Q(L <= l) for the losses L of P against Q, or of Q against P."""
