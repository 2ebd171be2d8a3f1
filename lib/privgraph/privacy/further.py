"""The base of dominating pairs that live in modules of their own."""

from abc import ABC, abstractmethod


class DominatingPair(ABC):
    """What an accountant asks of a pair; ``pairs`` says what the answers mean."""

    @property
    @abstractmethod
    def epsilon(self) -> float:
        """The largest loss; inf where there is none."""

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
    def pld(self, interval: float, pessimistic: bool):
        """dp-accounting's privacy loss distribution; ValueError where there is none."""
