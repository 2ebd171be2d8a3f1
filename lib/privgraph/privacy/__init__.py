"""What a privacy guarantee is, how guarantees add up, and what many releases cost together."""

from .accounting import (
    ORDERS,
    Bracket,
    Budget,
    Step,
    account,
    advanced_composition,
    basic_composition,
    classic_conversion,
    exact_delta,
    exact_epsilon,
    improved_conversion,
    pld_epsilon,
    rdp_epsilon,
    tightest,
)
from .as_printed import printed_epsilon, printed_theorem_7
from .bounded_range import BoundedRangePair
from .calibration import calibrate
from .guarantee import RANDOMNESS, Guarantee, compose, drawn, holding
from .pairs import (
    FinitePair,
    GaussianPair,
    LaplacePair,
    bounded_range_pair,
    gaussian_rdp,
    laplace_rdp,
    poisson_rdp,
    pure_pair,
    response_pair,
)

__all__ = ["ORDERS", "RANDOMNESS", "BoundedRangePair", "Bracket", "Budget", "FinitePair", "GaussianPair", "Guarantee",
           "LaplacePair", "Step", "account", "advanced_composition", "basic_composition", "bounded_range_pair",
           "calibrate", "classic_conversion", "compose", "drawn", "exact_delta", "exact_epsilon", "gaussian_rdp",
           "holding", "improved_conversion", "laplace_rdp", "pld_epsilon", "poisson_rdp", "printed_epsilon",
           "printed_theorem_7", "pure_pair", "rdp_epsilon", "response_pair", "tightest"]
