"""Mechanisms: frozen dataclasses that take data and a generator and return a private report."""

from .additive import Gaussian, Laplace
from .blink import Blink, beta_model, posterior
from .edge_mechanism import MOST_PAIRS, EdgeMechanism, EdgeReport, TooManyPairs, names_distribution
from .edge_response import DegreePreservingResponse, SymmetricResponse, break_even
from .grr_fs import GRRFS
from .multibit import MultiBit, optimal_sampling
from .neighbours import NeighbourReplacement, Slots, TwoHopResponse
from .noisy_arg_max import NoisyArgMax, NoisyVotes
from .randomised_response import RandomisedResponse
from .similar_nodes import ExponentialReplacement
from .tape import Tape, TapeEnded, certain, noisy

__all__ = ["GRRFS", "MOST_PAIRS", "Blink", "DegreePreservingResponse", "EdgeMechanism", "EdgeReport",
           "ExponentialReplacement", "Gaussian", "Laplace", "MultiBit", "NeighbourReplacement", "NoisyArgMax",
           "NoisyVotes", "RandomisedResponse", "Slots", "SymmetricResponse", "Tape", "TapeEnded", "TooManyPairs", "TwoHopResponse",
           "beta_model", "break_even", "certain", "names_distribution", "noisy", "optimal_sampling", "posterior"]
