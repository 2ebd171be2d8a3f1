"""Mechanisms: frozen dataclasses that take data and a generator and return a private report."""

from .multibit import MultiBit, optimal_sampling
from .randomised_response import RandomisedResponse

__all__ = ["MultiBit", "RandomisedResponse", "optimal_sampling"]
