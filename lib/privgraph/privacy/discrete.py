r"""Dominating pairs of noise on the integers: discrete Laplace (geometric) noise and discrete Gaussian noise.

What a computer can draw exactly is a law on a grid, and these two are the grid's Laplace and Gaussian law. Scales and
sensitivities are in units of the grid's step; the sensitivity is a whole number of steps.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import numpy as np
from scipy.special import logsumexp

from ..checks import check_count, check_number, check_order, check_positive
from ..checks.parameters import Count, Positive, Rate
from .dominating_pairs import FinitePair, pure_pair
from .further import DominatingPair
from .noise_pairs import SampledNoise, sampled_delta, sampled_range, sampled_tails
from .renyi import gaussian_rdp, poisson_rdp

MOST_STEPS = 100_000  # of the grid that one neighbour may move an answer
TAIL = 40.0  # scales of a Gaussian beyond which less than 1e-340 of it lies
FAR = 140.0  # and less than e^-9800


def discrete_laplace_pair(scale: float, sensitivity: int = 1) -> FinitePair:
    r"""Noise with :math:`\Pr[k] \propto e^{-|k|/b}` on the integers, around 0 and around ``sensitivity``: exactly.

    Outcomes up to 0 have one loss, and so have outcomes from the sensitivity on; each is one outcome here. With
    sensitivity 1 these two are all, and the pair is that of randomised response with epsilon 1/b. (Laplace noise on
    the reals costs less when it is composed: its losses lie between those two as well.)

    :param scale: b, in steps of the grid.
    :param sensitivity: how many steps one neighbour moves the answer.

    >>> discrete_laplace_pair(2.0) == pure_pair(0.5)
    True
    """
    scale = check_positive(scale, "scale")
    sensitivity = check_count(sensitivity, "sensitivity", low=1, high=MOST_STEPS)
    if sensitivity == 1:
        return pure_pair(1 / scale)
    step = 1 / scale
    between = np.arange(1, sensitivity)
    log_outer = -math.log1p(math.exp(-step))  # ln Pr[k <= 0], the rest is geometric
    log_point = math.log(math.tanh(step / 2)) - between * step  # ln Pr[k], 0 < k < sensitivity
    p = np.array([log_outer, *log_point, log_outer - sensitivity * step])
    losses = step * np.array([sensitivity, *(sensitivity - 2 * between), -sensitivity])
    probabilities = np.exp(p - logsumexp(p))
    return FinitePair(tuple(probabilities), tuple(probabilities[::-1]), tuple(losses))


@dataclass(frozen=True)
class DiscreteGaussianPair(SampledNoise, DominatingPair):
    r"""Noise with :math:`\Pr[k] \propto e^{-k^2/2\sigma^2}` on the integers, around 0 and around ``sensitivity``,
    perhaps after Poisson sampling (Canonne, Kamath and Steinke 2020).

    :param sigma: in steps of the grid; the standard deviation of the noise is a little less.
    :param sensitivity: how many steps one neighbour moves the answer.
    :param rate: the probability of being sampled; 1: everybody.

    >>> DiscreteGaussianPair(2.0).rdp(8)  # as of Gaussian noise
    1.0
    """

    sigma: Annotated[float, Positive()]
    sensitivity: Annotated[int, Count(1, MOST_STEPS)] = 1
    rate: Annotated[float, Rate()] = 1.0

    def delta(self, epsilon: float) -> float:
        r"""Exactly, by the sum over all outcomes whose loss is above ``epsilon``:

        .. math:: \Pr[k > m] - e^{\varepsilon} \Pr[k > m + \Delta], \quad
                  m = \lfloor \varepsilon \sigma^2 / \Delta - \Delta / 2 \rfloor

        as the losses are :math:`(2 \Delta k + \Delta^2) / 2 \sigma^2` (mirrored, so that large k tell most).
        """
        epsilon = check_number(epsilon, "epsilon", low=0, allowed="be at least 0")
        return sampled_delta(self.unsampled_delta, self.rate, epsilon)

    def unsampled_delta(self, epsilon: float) -> float:
        """delta of the pair before sampling at an epsilon of at least 0, a sum over outcomes."""
        shift = self.sensitivity
        first = math.floor(epsilon * self.sigma**2 / shift - shift / 2)
        k = np.arange(first, first + math.ceil(TAIL * self.sigma) + shift + 2)
        loss = (2 * shift * k + shift**2) / (2 * self.sigma**2)
        weight = np.exp(-(k / self.sigma) ** 2 / 2 - log_mass(self.sigma, 0.0))
        return float((weight * -np.expm1(np.minimum(epsilon - loss, 0))).sum())

    def rdp(self, order: float) -> float:
        r"""Exactly, without sampling:

        .. math:: \frac{\alpha \Delta^2}{2 \sigma^2} + \frac{1}{\alpha - 1} \ln \frac{\theta(\alpha \Delta)}{\theta(0)},
                  \qquad \theta(c) = \sum_k e^{-(k - c)^2 / 2 \sigma^2}

        For whole orders that is the Gaussian's, and so are all moments that ``poisson_rdp`` needs. Between whole orders
        a sampled step takes the chord of :math:`(\alpha - 1)\,\varepsilon(\alpha)`, which is convex and 0 at 1.
        """
        order = check_order(order)
        scaled = self.sigma / self.sensitivity
        if self.rate == 1:
            ratio = log_mass(self.sigma, order * self.sensitivity % 1) - log_mass(self.sigma, 0.0)
            return max(0.0, gaussian_rdp(order, scaled) + min(0.0, ratio) / (order - 1))
        def curve(orders):
            return gaussian_rdp(orders, scaled)
        return between_orders(lambda whole: poisson_rdp(curve, self.rate, whole), order)

    def loss_range(self, forth: bool, log_cut: float) -> tuple[float, float]:
        """Between which values losses lie, but for a share e^log_cut on either side."""
        reach = self.sigma * min(FAR, math.sqrt(2 * (10 - log_cut))) + 2
        loss = (2 * self.sensitivity * reach + self.sensitivity**2) / (2 * self.sigma**2)
        return sampled_range(loss, loss, self.rate, forth)

    def tails(self, loss: np.ndarray, forth: bool) -> tuple[np.ndarray, ...]:
        """As of ``LaplacePair``: the sampled side is P, or Q where ``forth`` is False."""
        return sampled_tails(self.unsampled_tails, self.rate, loss, forth)

    def unsampled_tails(self, loss: np.ndarray) -> tuple[np.ndarray, ...]:
        """Losses above l are those of k > m (see ``delta``); under the other side the noise is ``sensitivity`` more."""
        shift, (above, below) = self.sensitivity, log_tails(self.sigma)
        last = np.floor(np.clip(loss * self.sigma**2 / shift - shift / 2, -1e15, 1e15))
        def at(table, place):
            return table[np.clip(place + len(table) // 2, 0, len(table) - 1).astype(int)]
        return at(above, last), at(below, last), at(above, last + shift), at(below, last + shift)


@lru_cache(maxsize=1000)
def log_mass(sigma: float, centre: float) -> float:
    r""":math:`\ln \sum_k e^{-(k - c)^2 / 2 \sigma^2}` over all integers k, for c in [0, 1)."""
    reach = math.ceil(TAIL * sigma) + 2
    return float(logsumexp(-((np.arange(-reach, reach + 1) - centre) / sigma) ** 2 / 2))


@lru_cache(maxsize=8)
def log_tails(sigma: float) -> tuple[np.ndarray, np.ndarray]:
    """ln Pr[noise > k] and ln Pr[noise <= k] for all k up to ``FAR`` sigmas; summed from the smallest term, in long
    doubles, which have room for e^-11000."""
    reach = math.ceil(FAR * sigma) + 2
    weight = np.exp(-(np.arange(-reach, reach + 1).astype(np.longdouble) / np.longdouble(sigma)) ** 2 / 2)
    below = np.cumsum(weight)
    with np.errstate(divide="ignore"):
        below = np.log(below / np.longdouble(weight.sum())).astype(float)
    return np.append(below[-2::-1], -np.inf), np.minimum(below, 0.0)


def between_orders(whole_rdp, order: float) -> float:
    r"""An upper bound on the RDP of any order from that of whole orders: :math:`(\alpha - 1)\,\varepsilon(\alpha)` is
    convex in :math:`\alpha` and 0 at 1, so it lies below its chords."""
    low = math.floor(order)
    if low == order:
        return whole_rdp(int(order))
    left, right = (n - 1) * whole_rdp(n) if (n := low) > 1 else 0.0, low * whole_rdp(low + 1)
    return (left + (order - low) * (right - left)) / (order - 1)
