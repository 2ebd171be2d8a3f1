"""Renyi divergences: curves of noise, and what sampling makes of a curve, at any order above 1."""

import math

import numpy as np
from scipy.special import gammaln, logsumexp

from ..checks import TINY, check_function, check_order, check_positive, check_rate

MOST_TERMS, MOST_CELLS = 2**18, 2**20  # of a sum; of a grid
MOST_LOSS = 1e6
GRID, LEAST = 0.02, -200.0  # order times step; ln of what may lie below a grid
SMALLEST = 1e-300  # variances of a noise that is none


def log_binomials(order: int) -> np.ndarray:
    """ln C(order, k) for k = 0..order."""
    k = np.arange(order + 1)
    return gammaln(order + 1) - gammaln(k + 1) - gammaln(order - k + 1)


def poisson_rdp(curve, rate: float, order: int, general: bool = False) -> float:
    r"""RDP of a mechanism run on a Poisson sample, from the RDP ``curve`` of the mechanism on everybody.

    .. math:: \frac{1}{\alpha - 1} \ln \Big( (1-\gamma)^{\alpha-1} (\alpha\gamma - \gamma + 1)
       + \binom{\alpha}{2} \gamma^2 (1-\gamma)^{\alpha-2} e^{\varepsilon(2)}
       + f \sum_{l=3}^{\alpha} \binom{\alpha}{l} (1-\gamma)^{\alpha-l} \gamma^l e^{(l-1) \varepsilon(l)} \Big)

    With ``general=True`` f = 3: an upper bound for *every* mechanism with that curve (Zhu and Wang 2019;
    PrivGNN, Theorem 8). The curve must bound both directions, of a person who is added and of one who is removed; a
    curve of one direction bounds the other neither with f = 3 nor with f = 1. With f = 1 the sum is exactly the
    divergence of the sampled pair from the unsampled one; it bounds the other direction too, and so the mechanism,
    where the odd Pearson-Vajda moments :math:`E_Q[(P/Q - 1)^l]` are not negative: for Laplace, Gaussian and binary
    randomised response (the same paper, Theorem 8; ``odd_moments`` computes them for a finite pair); and for every pair
    whose sides can change places (``sampled_rdp``). Elsewhere that is not proved here, though with a curve of both
    directions no pair was found where it fails. The relation is add/remove; a sample of fixed size is not covered.

    :param curve: a function of an array of orders to their RDP epsilons, such as
        ``lambda l: laplace_rdp(l, 10.0)``.
    :param rate: gamma, the probability of being sampled.
    :param order: alpha, a whole number of at least 2.
    :param general: whether the bound is to hold for every mechanism with that curve.
    """
    rate, order = check_rate(rate), int(check_order(order, whole=True))
    check_function(curve, "curve", "orders")
    if rate == 1:
        return float(curve(np.array(order)))
    sizes = np.arange(order + 1)
    exponents = np.zeros(order + 1)  # l = 0 and l = 1 contribute exactly 1 each
    exponents[2:] = (sizes[2:] - 1) * curve(sizes[2:])
    factor = np.where((sizes > 2) & general, 3.0, 1.0)
    # The binomial weights sum to 1, so each term may be less by its weight, and no digit of a small sum is lost.
    with np.errstate(divide="ignore"):
        excess = exponents + np.log(factor - np.exp(-exponents))
    terms = log_binomials(order) + (order - sizes) * math.log1p(-rate) + sizes * math.log(rate) + excess
    return max(0.0, float(np.logaddexp(0.0, logsumexp(terms)) / (order - 1)))


def sampled_rdp(pair, curve, order: float) -> float:
    r"""RDP of a sampled pair at any order above 1: an upper bound, and exact at whole orders up to ``MOST_TERMS``.

    **The direction.** Let (P, Q)'s sides change places under a map that sends an outcome with ratio r = P/Q to one with
    1/r. Of the sampled side M = (1 - q) Q + q P against Q the divergence is at least that of Q against M, at every
    order :math:`\alpha \ge 1` (Mironov, Talwar and Zhang 2019, Theorem 5). For outcomes pair up: Q gives the first
    weight 1 and the second weight r > 1, say, and with a = 1 - q + q r, b = 1 - q + q / r and
    :math:`\kappa = \alpha - 1/2` the claim is :math:`a^\alpha + r b^\alpha \ge a^{1-\alpha} + r b^{1-\alpha}`, or

    .. math:: \sqrt a \sinh(\kappa \ln a) \ge r \sqrt b \sinh(\kappa \ln(1/b)).

    For :math:`\kappa = 1/2` both sides are q (r - 1) / 2. As :math:`ab \ge 1`, ln a is at least ln(1/b), so the
    quotient of the two sinh rises with :math:`\kappa`.

    **Orders between whole ones.** :math:`(\alpha - 1)` RDP is convex and 0 at order 1, so it lies below its chord
    between whole orders (below order 2 that is RDP of order 2). The dominating pair on a grid (``losses``) has a larger
    divergence, too, by a factor of about :math:`(\alpha h)^2 / 12` and of the square of h over the standard deviation
    of a loss. The smaller of both is returned.

    :param curve: RDP without sampling, of an array of orders.
    """
    if not math.isfinite(curve(np.array(math.ceil(order)))):
        return pair.epsilon
    if order == math.floor(order) and order <= MOST_TERMS:
        return poisson_rdp(curve, pair.rate, order)
    if order > MOST_TERMS:
        return min(float(curve(np.array(order))), pair.epsilon)
    low = math.floor(order)
    upper = low * poisson_rdp(curve, pair.rate, low + 1)
    lower = (low - 1) * poisson_rdp(curve, pair.rate, low) if low > 1 else 0.0
    chord = (lower + (order - low) * (upper - lower)) / (order - 1)
    deviation = math.sqrt(poisson_rdp(curve, pair.rate, 2))
    return min(chord, grid_rdp(pair, order, min(1 / order, deviation)))


def grid_rdp(pair, order: float, width: float) -> float:
    r"""RDP of the sampled side against the other, of the dominating pair on a grid; what is above the grid is bounded
    by ``tail_moment``. A grid that would be large is made coarser, and inf is returned for losses beyond ``MOST_LOSS``.

    :param width: a loss that is small.
    """
    from .composition import log_sum
    from .losses import losses_of
    top, log_tail = pair.tail_moment(order)
    if not top < MOST_LOSS:
        return math.inf
    step = max(GRID * width, (top - pair.loss_range(True, LEAST)[0]) / MOST_CELLS, TINY)
    found = losses_of(pair, True, step, LEAST, top)
    moment = log_sum(found.mass + (order - 1) * step * found.places)
    return max(0.0, float(np.logaddexp(moment, log_tail)) / (order - 1))


def laplace_rdp(order, scale: float):
    r"""RDP of the Laplace mechanism with sensitivity 1, exactly; ``order`` may be an array.

    .. math:: \frac{1}{\alpha-1} \ln\Big(\frac{\alpha}{2\alpha-1} e^{(\alpha-1)/b}
              + \frac{\alpha-1}{2\alpha-1} e^{-\alpha/b}\Big)

    (Mironov 2017, Table II; PrivGNN, eq. 3).

    :param scale: of the noise, above 0.
    """
    order, scale = check_orders(order), check_positive(scale, "scale")
    up = np.log(order / (2 * order - 1)) + (order - 1) / scale
    down = np.log((order - 1) / (2 * order - 1)) - order / scale
    return np.maximum(np.logaddexp(up, down) / (order - 1), 0.0)  # never below, but for rounding


def gaussian_rdp(order, sigma: float):
    r"""RDP of the Gaussian mechanism with sensitivity 1: :math:`\alpha / (2 \sigma^2)` (Mironov 2017,
    Proposition 7).

    :param order: a number above 1, or an array of such.
    :param sigma: standard deviation of the noise, above 0.
    """
    order, square = check_orders(order), check_positive(sigma, "sigma") ** 2
    return order / (2 * square) if square > SMALLEST else order * math.inf


def check_orders(order):
    """One order of a Renyi divergence, or an array of them."""
    if not isinstance(order, np.ndarray):
        return check_order(order)
    if order.dtype.kind not in "iuf" or not (order > 1).all():
        raise ValueError(f"order must hold numbers above 1, got {order!r}")
    return order


def renyi(p: np.ndarray, q: np.ndarray, order: float) -> float:
    """The Renyi divergence of p from q, given their logarithms."""
    p, q = p[p > -math.inf], q[p > -math.inf]
    return max(0.0, float(logsumexp(order * p + (1 - order) * q) / (order - 1)))


def renyi_of_losses(p: np.ndarray, loss: np.ndarray, order: float) -> float:
    r"""The Renyi divergence from probabilities and losses: :math:`\frac{1}{\alpha-1} \ln \sum p e^{(\alpha-1) l}`.

    Where no exponent is large it is :math:`\ln(1 + \sum p (e^{(\alpha-1) l} - 1))`, which loses no small divergence,
    with the most that rounding takes from the sum added.
    """
    exponent = (order - 1) * loss
    if exponent.max() > 1:
        return max(0.0, float(logsumexp(exponent, b=p)) / (order - 1))
    terms = p * np.expm1(exponent)
    return max(0.0, math.log1p(math.fsum(terms) + 1e-15 * math.fsum(np.abs(terms))) / (order - 1))
