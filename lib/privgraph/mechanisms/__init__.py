"""Mechanisms: frozen dataclasses that take data and a generator and return a private report (``Mechanism``)."""

from typing import TYPE_CHECKING

from ..late import face

if TYPE_CHECKING:
    from .additive import Gaussian, Laplace
    from .blink import Blink, beta_model, posterior
    from .edge_mechanism import MOST_PAIRS, EdgeMechanism, EdgeReport, TooManyPairs, names_distribution
    from .edge_response import DegreePreservingResponse, SymmetricResponse, break_even
    from .grr_fs import GRRFS
    from .largest_pairs import LapGraph
    from .mechanism import AuditCase, GraphMechanism, Mechanism, all_mechanisms, name_of
    from .multibit import MultiBit, optimal_sampling
    from .neighbours import NeighbourReplacement, Slots
    from .noisy_arg_max import NoisyArgMax, NoisyVotes
    from .noisy_mean import NoisyMean
    from .private_end_response import PrivateEndResponse
    from .randomised_response import RandomisedResponse
    from .row_noise import RowNoise
    from .sensitive_response import SensitiveResponse
    from .similar_nodes import ExponentialReplacement
    from .some_pairs import OpenReport
    from .tape import Tape, TapeEnded, certain, dealt, noisy, poisson_sample
    from .two_hop import TwoHopResponse
else:
    __getattr__, __dir__ = face(__name__)

__all__ = ["GRRFS", "MOST_PAIRS", "Blink", "DegreePreservingResponse", "EdgeMechanism", "EdgeReport",
           "ExponentialReplacement", "Gaussian", "GraphMechanism", "LapGraph", "Laplace", "Mechanism", "MultiBit",
           "NeighbourReplacement", "NoisyArgMax", "NoisyMean", "NoisyVotes", "PrivateEndResponse", "RandomisedResponse",
           "RowNoise", "OpenReport", "SensitiveResponse", "Slots", "SymmetricResponse",
           "Tape", "TapeEnded", "TooManyPairs", "AuditCase", "TwoHopResponse", "all_mechanisms", "beta_model",
           "break_even", "certain", "dealt", "name_of", "names_distribution", "noisy", "optimal_sampling",
           "poisson_sample", "posterior"]
