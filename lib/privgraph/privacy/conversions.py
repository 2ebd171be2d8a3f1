r"""Between the currencies of privacy: zCDP, :math:`\mu`-GDP and :math:`(\varepsilon, \delta)`, in both directions.

*rho-zCDP* bounds the Renyi divergence of every order :math:`\alpha` by :math:`\rho \alpha` (Bun and Steinke 2016).
*mu-GDP* says that telling two neighbours apart is at least as hard as telling a standard normal number from one that is
shifted by :math:`\mu` (Dong, Roth and Su 2022), so its curve is that of Gaussian noise with
:math:`\sigma = 1/\mu`, exactly, and its pair is ``GaussianPair(1 / mu)``. Under composition :math:`\rho` and
:math:`\mu^2` add.
"""

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from ..checks import check_delta, check_number, check_order, check_positive, check_rate
from ..checks.parameters import Positive
from .accounting import improved_conversion
from .further import DominatingPair
from .noise_pairs import log_gdp_delta

FURTHEST = 1e300  # of a search for rho or mu


def zcdp_epsilon(rho: float, delta: float) -> float:
    r"""The epsilon at ``delta`` of every rho-zCDP mechanism: ``improved_conversion`` at the best of all orders.

    >>> round(zcdp_epsilon(0.1, 1e-5), 4)  # the first conversion, rho + 2 sqrt(rho ln(1/delta)), gives 2.2459
    1.9142
    """
    order = order_of(rho, delta)
    return improved_conversion(rho * order, order, delta)


def order_of(rho: float, delta: float) -> float:
    """The order at which a rho is converted best at ``delta``.

    >>> round(order_of(0.1, 1e-5), 1)
    10.6
    """
    rho, delta = check_positive(rho, "rho"), check_delta(delta)
    def epsilon(log_excess: float) -> float:
        order = 1 + math.exp(log_excess)
        return improved_conversion(rho * order, order, delta)
    return 1 + math.exp(min(near_minimum(epsilon, math.log(math.sqrt(math.log(1 / delta) / rho))), key=epsilon))


def zcdp_delta(rho: float, epsilon: float) -> float:
    r"""The delta at ``epsilon`` of every rho-zCDP mechanism.

    .. math:: \min_{\alpha > 1} \frac{e^{(\alpha - 1)(\alpha\rho - \varepsilon)}}{\alpha - 1}
              \Big(1 - \frac1\alpha\Big)^{\alpha}

    (Canonne, Kamath and Steinke 2020, Proposition 12 and Corollary 13).

    >>> round(zcdp_delta(0.1, zcdp_epsilon(0.1, 1e-5)) * 1e5, 6)
    1.0
    """
    epsilon = check_number(epsilon, "epsilon", low=0, allowed="be at least 0")
    return math.exp(log_zcdp_delta(check_positive(rho, "rho"), epsilon))


def log_zcdp_delta(rho: float, epsilon: float) -> float:
    """Its logarithm, at most 0."""
    def log_delta(log_excess: float) -> float:
        excess = math.exp(log_excess)
        return excess * ((1 + excess) * rho - epsilon - math.log1p(1 / excess)) - math.log1p(excess)
    start = math.log(max((epsilon / rho - 1) / 2, 0.5 / math.sqrt(rho)))
    return min(0.0, *(log_delta(x) for x in near_minimum(log_delta, start)))


def near_minimum(function, start: float) -> tuple[float, ...]:
    """Places near the least value of a function with one dip, ``start`` among them: any of them gives a bound."""
    found = minimize_scalar(function, bounds=(start - 12, start + 12), method="bounded", options={"xatol": 1e-12})
    return start, float(found.x)


def zcdp_rho(epsilon: float, delta: float) -> float:
    """The largest rho for which every rho-zCDP mechanism is (epsilon, delta)-DP, a little less.

    >>> round(zcdp_rho(zcdp_epsilon(0.1, 1e-5), 1e-5), 6)
    0.1
    """
    epsilon, delta = check_positive(epsilon, "epsilon"), check_delta(delta)
    return largest(lambda rho: log_zcdp_delta(rho, epsilon) - math.log(delta))


def pure_rho(epsilon: float) -> float:
    r""":math:`\varepsilon \tanh(\varepsilon / 2)`: every :math:`\varepsilon`-DP mechanism is that-zCDP.

    Proof. Randomised response dominates, and its loss Z is :math:`\pm\varepsilon`, with mean :math:`\varepsilon
    \tanh(\varepsilon/2)` = m. A Bernoulli number X of probability p has :math:`\ln E[e^{t (X - p)}] \le \frac{1 -
    2p}{4 \ln((1-p)/p)} t^2` (Kearns and Saul 1998), which with :math:`t = 2\varepsilon(\alpha - 1)` is :math:`m (\alpha
    - 1)^2`. So the divergence of order :math:`\alpha` is at most m + m (alpha - 1). At :math:`\alpha \to 1` it is m: no
    smaller rho will do. (:math:`\varepsilon^2 / 2`, of Bun and Steinke 2016, is above it.)

    >>> round(pure_rho(0.1), 6)
    0.004996
    """
    epsilon = check_positive(epsilon, "epsilon")
    return epsilon * math.tanh(epsilon / 2)


def gdp_delta(mu: float, epsilon: float) -> float:
    r"""delta at ``epsilon`` of mu-GDP, exactly: :math:`\Phi(\frac{\mu}{2} - \frac{\varepsilon}{\mu}) - e^{\varepsilon}
    \Phi(-\frac{\mu}{2} - \frac{\varepsilon}{\mu})`, without the difference of nearly equal numbers.

    >>> f"{gdp_delta(1.0, 1.0):.6f}", f"{gdp_delta(0.1, 3.0):.3e}"
    ('0.126937', '7.305e-200')
    """
    log = log_gdp_delta(check_positive(mu, "mu"), check_number(epsilon, "epsilon", low=0, allowed="be at least 0"))
    return math.exp(log)


def gdp_epsilon(mu: float, delta: float) -> float:
    """epsilon at ``delta`` of mu-GDP, exactly.

    >>> round(gdp_epsilon(1.0, 1e-5), 6)
    4.377178
    """
    mu, log_delta = check_positive(mu, "mu"), math.log(check_delta(delta))
    if log_gdp_delta(mu, 0.0) <= log_delta:
        return 0.0
    high = mu * (mu / 2 + math.sqrt(-2 * log_delta))  # enough: Bun and Steinke 2016, Proposition 1.3
    return float(brentq(lambda e: max(log_gdp_delta(mu, e), -1e300) - log_delta, 0.0, high, xtol=1e-300, rtol=1e-14))


def gdp_mu(epsilon: float, delta: float) -> float:
    """The largest mu for which mu-GDP is (epsilon, delta)-DP, a little less.

    >>> round(1 / gdp_mu(1.0, 1e-5), 3)  # the sigma of Gaussian noise
    3.731
    """
    epsilon, delta = check_number(epsilon, "epsilon", low=0, allowed="be at least 0"), check_delta(delta)
    return largest(lambda mu: max(log_gdp_delta(mu, epsilon), -1e300) - math.log(delta))


def largest(excess) -> float:
    """The largest number at which a growing function is not above 0, rounded down by a hair."""
    low, high = 1.0, 1.0
    while excess(low) > 0 and low > 1 / FURTHEST:
        low /= 2
    while excess(high) <= 0 and high < FURTHEST:
        high *= 2
    return float(brentq(excess, low, high, xtol=1e-300, rtol=1e-13)) * (1 - 1e-12)


@dataclass(frozen=True)
class ConcentratedPair(DominatingPair):
    r"""A mechanism of which only :math:`\rho`-zCDP is known. RDP adds it up; there is no pair to compose by PLD.

    >>> ConcentratedPair(0.5).rdp(4)
    2.0
    """

    rho: Annotated[float, Positive()]

    def delta(self, epsilon: float) -> float:
        """``zcdp_delta``: for some mechanisms with this rho it is less."""
        return zcdp_delta(self.rho, epsilon)

    def rdp(self, order: float) -> float:
        return self.rho * check_order(order)

    def poisson(self, rate: float) -> "ConcentratedPair":
        """Refused, unless everybody is in the sample.

        :raises ValueError: for a rate below 1.
        """
        if check_rate(rate) == 1:
            return self
        raise ValueError("rate must be 1 for zCDP, which says too little about a mechanism to know what sampling does "
                         "to it; say what noise it adds, as in gaussian:sigma=2")

    def loss_range(self, forth: bool, log_cut: float) -> tuple[float, float]:
        """Refused: zCDP has no privacy loss distribution.

        :raises ValueError: always.
        """
        raise ValueError("zCDP has no privacy loss distribution: say what noise is added, as in gaussian:sigma=2")

    def tails(self, loss: np.ndarray, forth: bool) -> tuple[np.ndarray, ...]:
        return self.loss_range(forth, -math.inf)
