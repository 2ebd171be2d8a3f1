"""Dominating pairs of continuous noise, perhaps after Poisson sampling; ``pairs`` says what a pair is."""

import math
from dataclasses import dataclass, replace
from typing import Annotated, Self

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtr, ndtri_exp

from ..checks import check_order, check_rate
from ..checks.parameters import Parameters, Positive, Rate
from .dominating_pairs import LARGE, sampled_losses
from .renyi import gaussian_rdp, laplace_rdp, sampled_rdp

TAIL = 10.0  # standard deviations
FLAT = 1e5  # of noise so wide that the densities of neighbours are nearly equal: their difference is found otherwise


class SampledNoise(Parameters):
    """What Poisson sampling does to noise of every kind. Losses have no end, unless a kind says otherwise.

    ``rate`` is a field.
    """

    def poisson(self, rate: float) -> Self:
        return replace(self, rate=self.rate * check_rate(rate))

    @property
    def mirrored(self) -> bool:
        """Whether both directions have the same losses."""
        return self.rate == 1

    def largest_loss(self, forth: bool = True) -> float:
        """Of the sampled side against the other, or the other way round."""
        return math.inf if forth or self.rate == 1 else -math.log1p(-self.rate)


@dataclass(frozen=True)
class LaplacePair(SampledNoise):
    """Laplace noise around 0 and around 1 (sensitivity 1), perhaps after Poisson sampling.

    :param scale: b of the noise, in units of the L1 sensitivity.
    :param rate: the probability of being sampled; 1: everybody.

    >>> LaplacePair(2.0).epsilon
    0.5
    """

    scale: Annotated[float, Positive()]
    rate: Annotated[float, Rate()] = 1.0

    @property
    def epsilon(self) -> float:
        """The pure epsilon, after sampling."""
        return 1 / self.scale + math.log(self.rate + (1 - self.rate) * math.exp(-1 / self.scale))

    def delta(self, epsilon: float) -> float:
        r""":math:`1 - e^{(\varepsilon - 1/b)/2}` without sampling, else by ``sampled_delta``."""
        return sampled_delta(lambda e: max(0.0, -math.expm1((e - 1 / self.scale) / 2)), self.rate, epsilon)

    def rdp(self, order: float) -> float:
        """``laplace_rdp``; after sampling ``sampled_rdp``."""
        order = check_order(order)
        if self.rate < 1:
            return sampled_rdp(self, lambda orders: laplace_rdp(orders, self.scale), order)
        return float(laplace_rdp(order, self.scale))

    def largest_loss(self, forth: bool = True) -> float:
        """Of the sampled side against the other, or the other way round."""
        return self.loss_range(forth, -math.inf)[1]

    def loss_range(self, forth: bool, log_cut: float) -> tuple[float, float]:
        """Between which values losses lie, of one side against the other."""
        return sampled_range(1 / self.scale, 1 / self.scale, self.rate, forth)

    def tail_moment(self, order: float) -> tuple[float, float]:
        """A loss, and ln of what larger ones add to E[e^((order - 1) L)]: no loss is larger."""
        return self.epsilon, -math.inf

    def tails(self, loss: np.ndarray, forth: bool) -> tuple[np.ndarray, ...]:
        """ln of P(L > l), P(L <= l), Q(L > l), Q(L <= l) for the losses L of P against Q: the sampled side is P, or Q
        where ``forth`` is False."""
        return sampled_tails(self.unsampled_tails, self.rate, loss, forth)

    def unsampled_tails(self, loss: np.ndarray) -> tuple[np.ndarray, ...]:
        """``tails`` of the pair before sampling."""
        top = 1 / self.scale
        inside = np.clip(loss, -top, top)
        log_p, log_q = (inside - top) / 2 - math.log(2), -(inside + top) / 2 - math.log(2)
        above, beyond, short = np.where(loss >= top, -math.inf, 0.0), loss >= top, loss < -top
        def losses_of(log_tail, log_rest):
            return np.where(short, 0.0, log_tail + above), np.where(short, -math.inf, np.where(beyond, 0.0, log_rest))
        (above_p, below_p), (above_q, below_q) = (
            losses_of(np.log1p(-np.exp(log_p)), log_p), losses_of(log_q, np.log1p(-np.exp(log_q))))
        return above_p, below_p, above_q, below_q

    def pld(self, interval: float, pessimistic: bool):
        """dp-accounting's privacy loss distribution, both directions.

        :param interval: width of the grid of losses.
        :param pessimistic: True: losses are rounded up; False: down.
        :raises ValueError: for so little noise that dp-accounting's grid would not hold its losses.
        """
        if 1 / self.scale > LARGE:
            raise ValueError(f"scale must be at least 1/{LARGE:g} for a privacy loss distribution, got {self.scale:g}; "
                             "rdp_epsilon and basic_composition have no limit")
        from dp_accounting.pld import privacy_loss_distribution
        return privacy_loss_distribution.from_laplace_mechanism(
            self.scale, pessimistic_estimate=pessimistic, value_discretization_interval=interval,
            sampling_prob=self.rate, use_connect_dots=pessimistic)


@dataclass(frozen=True)
class GaussianPair(SampledNoise):
    """Gaussian noise around 0 and around 1 (sensitivity 1), perhaps after Poisson sampling.

    :param sigma: standard deviation of the noise, in units of the L2 sensitivity.
    :param rate: the probability of being sampled; 1: everybody.
    """

    sigma: Annotated[float, Positive()]
    rate: Annotated[float, Rate()] = 1.0

    @property
    def epsilon(self) -> float:
        """No finite epsilon is pure."""
        return math.inf

    def delta(self, epsilon: float) -> float:
        r""":math:`\Phi(s - \varepsilon\sigma) - e^\varepsilon \Phi(-s - \varepsilon\sigma)` with
        :math:`s = \frac{1}{2\sigma}`, without sampling (Balle and Wang 2018, Theorem 8)."""
        def unsampled(e):
            if self.sigma > FLAT and e >= 0:
                return math.exp(log_gdp_delta(1 / self.sigma, e))
            half, shift = 1 / (2 * self.sigma), e * self.sigma
            return max(0.0, float(ndtr(half - shift) - math.exp(e + log_ndtr(-half - shift))))
        return sampled_delta(unsampled, self.rate, epsilon)

    def rdp(self, order: float) -> float:
        """``gaussian_rdp``; after sampling ``sampled_rdp``."""
        order = check_order(order)
        if self.rate < 1:
            return sampled_rdp(self, lambda orders: gaussian_rdp(orders, self.sigma), order)
        return gaussian_rdp(order, self.sigma)

    def loss_range(self, forth: bool, log_cut: float) -> tuple[float, float]:
        """Between which values losses lie, but for a share e^log_cut on either side."""
        shift = 1 / self.sigma
        reach = shift * shift / 2 - shift * float(ndtri_exp(log_cut))
        return sampled_range(reach, reach, self.rate, forth)

    def tail_moment(self, order: float) -> tuple[float, float]:
        r"""A loss, and ln of at most what larger ones add to :math:`E_M[e^{(\alpha-1) L}]`.

        That is :math:`E_Q[(1 - q + q e^l)^\alpha]` over losses l without sampling. Its logarithm rises with l by at
        most :math:`\alpha` per unit, so beyond a place it is at most the value there times
        :math:`e^{\alpha (l - \text{place})}`, whose mean over the normal law is in closed form.
        """
        square = 1 / self.sigma**2
        place = (order - 0.5) * square + TAIL / self.sigma
        there = float(sampled_losses(np.array([place]), self.rate)[0])
        z = (place - (order - 0.5) * square) * self.sigma
        return there, (order * (there - place) + order * (order - 1) * square / 2 + float(log_ndtr(-z)))

    def tails(self, loss: np.ndarray, forth: bool) -> tuple[np.ndarray, ...]:
        """As of ``LaplacePair``."""
        return sampled_tails(self.unsampled_tails, self.rate, loss, forth)

    def unsampled_tails(self, loss: np.ndarray) -> tuple[np.ndarray, ...]:
        """``tails`` of the pair before sampling."""
        half, places = 1 / (2 * self.sigma), loss * self.sigma
        return (log_ndtr(half - places), log_ndtr(places - half), log_ndtr(-half - places), log_ndtr(places + half))

    def pld(self, interval: float, pessimistic: bool):
        """dp-accounting's privacy loss distribution, both directions.

        :param interval: width of the grid of losses.
        :param pessimistic: True: losses are rounded up; False: down.
        """
        from dp_accounting.pld import privacy_loss_distribution
        return privacy_loss_distribution.from_gaussian_mechanism(
            self.sigma, pessimistic_estimate=pessimistic, value_discretization_interval=interval,
            sampling_prob=self.rate, use_connect_dots=pessimistic)


def log_gdp_delta(mu: float, epsilon: float) -> float:
    r"""ln of delta, at an epsilon of at least 0, of Gaussian noise that moves by ``mu`` of its standard deviations.

    With a and b what :math:`\Phi` is asked, :math:`e^{\varepsilon} \varphi(b) = \varphi(a)`: only Mills' ratios m are
    subtracted, or, where a is large, so little that it does not matter. Where a and b are nearly equal, so are the
    ratios; but m(x) has the slope x m(x) - 1.
    """
    a, b = mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu
    if a > 5:
        return float(log_ndtr(a) + math.log1p(-math.exp(epsilon + log_ndtr(b) - log_ndtr(a))))
    if mu < 1 / FLAT:
        ratio = math.sqrt(2 / math.pi) * mu - epsilon * float(erfcx(epsilon / mu / math.sqrt(2)))
    else:
        ratio = float(erfcx(-a / math.sqrt(2)) - erfcx(-b / math.sqrt(2)))
    return math.log(ratio / 2) - a * a / 2 if ratio > 0 else -math.inf


def sampled_delta(unsampled, rate: float, epsilon: float) -> float:
    r"""delta of a symmetric pair after Poisson sampling, the worse direction (Balle, Barthe and Gaboardi 2018).

    With :math:`\varepsilon_0 = \ln(1 + (e^{\varepsilon} - 1)/\gamma)`, the sampled side against the other
    gives :math:`\gamma\,\delta(\varepsilon_0)`, and that is the worse direction for :math:`\varepsilon \ge
    0`.
    """
    if epsilon < 0:
        raise ValueError(f"epsilon must be at least 0, got {epsilon!r}")
    unsampled_epsilon = epsilon + math.log1p(-(1 - rate) * math.exp(-epsilon)) - math.log(rate)  # cannot overflow
    return rate * unsampled(unsampled_epsilon)


def sampled_range(low: float, high: float, rate: float, forth: bool) -> tuple[float, float]:
    """Losses within [-low, high], after Poisson sampling."""
    ends = np.array([-low, high]) if rate == 1 else sampled_losses(np.array([-low, high]), rate)
    return (float(ends[0]), float(ends[1])) if forth else (-float(ends[1]), -float(ends[0]))


def sampled_tails(unsampled, rate: float, loss: np.ndarray, forth: bool) -> tuple[np.ndarray, ...]:
    """The tails of losses after Poisson sampling, from the four of the pair without."""
    if rate == 1:
        return unsampled(loss)
    with np.errstate(divide="ignore"):
        above_p, below_p, above_q, below_q = unsampled(unsampled_losses(loss if forth else -loss, rate))
    mixed_above = np.logaddexp(above_p + math.log(rate), above_q + math.log1p(-rate))
    mixed_below = np.logaddexp(below_p + math.log(rate), below_q + math.log1p(-rate))
    if forth:
        return mixed_above, mixed_below, above_q, below_q
    return below_q, above_q, mixed_below, mixed_above


def unsampled_losses(loss: np.ndarray, rate: float) -> np.ndarray:
    """Which losses become these by sampling: the inverse of ``sampled_losses``; -inf for what none becomes."""
    with np.errstate(divide="ignore", invalid="ignore"):
        small = np.log1p(np.maximum(np.expm1(np.minimum(loss, 1)) / rate, -1.0))
        large = loss + np.log1p(-(1 - rate) * np.exp(-np.maximum(loss, 1))) - math.log(rate)
    return np.where(loss > 1, large, small)
