r"""Epsilons as PrivGNN's paper computes them, to be set beside those that hold. Report none of these."""

import math

from privgraph.checks import check_count, check_delta, check_positive, check_rate
from privgraph.privacy.accounting import classic_conversion
from privgraph.privacy.renyi import laplace_rdp, poisson_rdp

PRINTED_ORDERS = range(2, 33)


def printed_epsilon(scale: float, rate: float, num_queries: int, delta: float) -> float:
    r"""What the paper reports for Algorithm 1 (Olatunji, Funke and Khosla 2023, remark after Theorem 7).

    The Renyi curve of *one* number of sensitivity 1 plus Laplace noise, sampled by Theorem 8 without its factor 3,
    times the number of queries, converted classically at the best of the orders 2 to 32. Algorithm 1 releases the arg
    max of c noisy numbers, two of which may move, so this curve does not bound it. Its Table 2 comes out at ten times
    the delta that the paper states:

    >>> f"{printed_epsilon(10.0, 0.3, 1000, 1e-3):.3f}"  # printed: 3.90
    '3.905'

    :param scale: beta = 1 / lambda.
    :param rate: gamma.
    """
    check_positive(scale, "scale"), check_rate(rate), check_count(num_queries, "num_queries", low=1), check_delta(delta)
    def curve(orders):
        return laplace_rdp(orders, scale)
    return min(classic_conversion(num_queries * poisson_rdp(curve, rate, order), order, delta)
               for order in PRINTED_ORDERS)


def printed_theorem_7(scale: float, rate: float, num_queries: int, delta: float) -> float:
    r"""Theorem 7 of the same paper, its "rough upper bound", which exact composition exceeds.

    .. math:: \ln(1 / \sqrt\delta) + |Q| \ln(1 + \gamma^2 (\tfrac23 e^{1/\beta} + \tfrac13 e^{-2/\beta} - 1))
    """
    check_positive(scale, "scale"), check_rate(rate), check_count(num_queries, "num_queries", low=1), check_delta(delta)
    square = 2 / 3 * math.exp(1 / scale) + 1 / 3 * math.exp(-2 / scale)
    return -math.log(delta) / 2 + num_queries * math.log1p(rate**2 * (square - 1))
