"""Mechanisms: frozen dataclasses that take data and a generator and return a private report."""

from .additive import Gaussian, Laplace
from .grr_fs import GRRFS
from .multibit import MultiBit, optimal_sampling
from .noisy_arg_max import NoisyArgMax
from .randomised_response import RandomisedResponse
from .tape import Tape, noisy

__all__ = ["GRRFS", "Gaussian", "Laplace", "MultiBit", "NoisyArgMax", "RandomisedResponse", "Tape", "noisy",
           "optimal_sampling"]
