"""What a privacy guarantee is, how guarantees add up, and what many releases cost together."""

from typing import TYPE_CHECKING

from ..late import face

if TYPE_CHECKING:
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
    from .approximate import approximate_pair, product_pair
    from .asking import Answer, delta_answers, epsilon_answers
    from .bounded_range import BoundedRangePair
    from .calibration import calibrate
    from .conversions import (
        ConcentratedPair,
        gdp_delta,
        gdp_epsilon,
        gdp_mu,
        pure_rho,
        zcdp_delta,
        zcdp_epsilon,
        zcdp_rho,
    )
    from .discrete import DiscreteGaussianPair, discrete_laplace_pair
    from .dominating_pairs import FinitePair, bounded_range_pair, pure_pair, response_pair
    from .further import DominatingPair
    from .guarantee import RANDOMNESS, Guarantee, compose, drawn, find_guarantee
    from .noise_pairs import GaussianPair, LaplacePair
    from .renyi import gaussian_rdp, laplace_rdp, poisson_rdp
    from .sampling import FixedSizePair, fixed_size_pair
else:
    __getattr__, __dir__ = face(__name__)

__all__ = ["ORDERS", "RANDOMNESS", "Answer", "BoundedRangePair", "Bracket", "Budget", "ConcentratedPair",
           "DiscreteGaussianPair", "DominatingPair", "FinitePair", "FixedSizePair", "GaussianPair", "Guarantee",
           "LaplacePair", "Step", "account", "advanced_composition", "approximate_pair", "basic_composition",
           "bounded_range_pair", "calibrate", "classic_conversion", "compose", "delta_answers", "discrete_laplace_pair",
           "drawn", "epsilon_answers", "exact_delta", "exact_epsilon", "fixed_size_pair", "gaussian_rdp", "gdp_delta",
           "gdp_epsilon", "gdp_mu", "find_guarantee", "improved_conversion", "laplace_rdp", "pld_epsilon",
           "poisson_rdp",
           "product_pair", "pure_pair", "pure_rho", "rdp_epsilon", "response_pair", "tightest", "zcdp_delta",
           "zcdp_epsilon", "zcdp_rho"]
