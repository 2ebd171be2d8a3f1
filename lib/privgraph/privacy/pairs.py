r"""Dominating pairs: the two neighbours that are easiest to tell apart, as an attacker sees them.

A pair of distributions (P, Q) *dominates* a mechanism when for every two neighbouring inputs and every
:math:`\varepsilon` the mechanism's :math:`\delta(\varepsilon)` is at most that of the pair,

.. math:: \delta(\varepsilon) = \sum_o \max(0, P(o) - e^{\varepsilon} Q(o)),

taken in the worse of both directions (Zhu, Dong and Wang 2022). Whatever is computed from the pair then holds
for the mechanism, also after composition. Each pair answers the same questions: ``epsilon`` (pure), ``delta(epsilon)``,
``rdp(order)`` (Renyi divergence, the worse direction), ``poisson(rate)`` and ``pld(...)`` (through
dp-accounting). All pairs here are symmetric or carry both directions, so "replace" and "add/remove" read the
same way, but ``poisson`` is about add/remove only: each person is kept with probability ``rate``,
independently.

**Why composition.** Write :math:`H_t(A \| B) = \sum_o \max(0, A(o) - t B(o))`, so that :math:`\delta(\varepsilon) =
H_{e^\varepsilon}`, and let both uses be dominated for all t > 0. The second may depend on the outcome o of the first:

.. math:: H_t(\text{both}) = \sum_o A_1(o) H_{t B_1(o) / A_1(o)}(A_2^o \| B_2^o) \le
          \sum_o A_1(o) H_{t B_1(o) / A_1(o)}(P_2 \| Q_2) = \sum_{o'} P_2(o') H_{t Q_2(o') / P_2(o')}(A_1 \| B_1)
          \le H_t(P_1 \times P_2 \| Q_1 \times Q_2).

**Why all t, not only** :math:`\varepsilon \ge 0`. As :math:`A - tB = (A - tB)_+ - (tB - A)_+` sums to 1 - t,
:math:`H_t(A \| B) = 1 - t + t H_{1/t}(B \| A)`. So a pair that dominates for :math:`\varepsilon \ge 0` with the
neighbours in either order, and whose sides can change places, dominates for :math:`\varepsilon < 0` too.

**Why sampling.** Let (P, Q), whose sides can change places, dominate M when a person is added or removed, and keep
each person with probability :math:`\gamma`. For a sample T of the others let A and B be M's outcomes with and without
the person added to T: with her in the data the outcome is :math:`(1-\gamma) B + \gamma A`, without her B, averaged over
T. H is jointly convex, so the average is no worse than the worst T, and for one T

.. math:: H_t((1-\gamma) B + \gamma A \| B) &= \gamma H_s(A \| B), \quad s = 1 + (t - 1) / \gamma \\
          H_t(B \| (1-\gamma) B + \gamma A) &= (1 - t (1-\gamma)) H_s(B \| A), \quad s = t \gamma / (1 - t (1-\gamma))

where s > 0. (Otherwise the first is 1 - t and the second 0, whatever the pair.) P in place of A and Q in place of B
makes neither smaller: :math:`(1-\gamma) Q + \gamma P` against Q dominates the sampled mechanism in the one direction,
and Q against it in the other, for all t; so both compose (Zhu, Dong and Wang 2022, Theorems 10 and 11).
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import gammaln, log_ndtr, logsumexp, ndtri_exp
from scipy.stats import norm

from ..checks import (
    TINY,
    check_count,
    check_distribution,
    check_epsilon,
    check_fields,
    check_function,
    check_number,
    check_order,
    check_positive,
    check_rate,
    check_sequence,
)

MOST_TERMS, MOST_CELLS = 2**18, 2**20  # of a sum; of a grid
MOST_LOSS = 1e6
GRID, LEAST = 0.02, -200.0  # order times step; ln of what may lie below a grid
SMALLEST = 1e-300  # variances of a noise that is none
TAIL = 10.0  # standard deviations
SMALL, LARGE = 1e-9, 700.0  # losses l for which floats tell e^l well from 1, and have room for e^l and e^-l


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
    """
    rate, order = check_rate(rate), check_order(order, whole=True)
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

    **Orders between whole ones.** :math:`(\alpha - 1)` RDP is convex, so it lies below its chord between whole orders
    (and RDP rises, so below order 2 it is at most that of order 2). The dominating pair on a grid (``losses``) has a
    larger divergence, too, by a factor of about :math:`(\alpha h)^2 / 12` and of the square of h over the standard
    deviation of a loss. The smaller of both is returned.

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
    return min(chord, poisson_rdp(curve, pair.rate, low + 1), grid_rdp(pair, order, min(1 / order, deviation)))


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
    """
    order, scale = check_orders(order), check_positive(scale, "scale")
    up = np.log(order / (2 * order - 1)) + (order - 1) / scale
    down = np.log((order - 1) / (2 * order - 1)) - order / scale
    return np.maximum(np.logaddexp(up, down) / (order - 1), 0.0)  # never below, but for rounding


def gaussian_rdp(order, sigma: float):
    r"""RDP of the Gaussian mechanism with sensitivity 1: :math:`\alpha / (2 \sigma^2)` (Mironov 2017,
    Proposition 7)."""
    order, square = check_orders(order), check_positive(sigma, "sigma") ** 2
    return order / (2 * square) if square > SMALLEST else order * math.inf


def check_orders(order):
    """One order of a Renyi divergence, or an array of them."""
    if not isinstance(order, np.ndarray):
        return check_order(order)
    if order.dtype.kind not in "iuf" or not (order > 1).all():
        raise ValueError(f"order must hold numbers above 1, got {order!r}")
    return order


@dataclass(frozen=True)
class FinitePair:
    """Two distributions over the same finite set of outcomes, compared in both directions.

    :param p: probabilities of the outcomes under one neighbour, summing to 1.
    :param q: those under the other.
    :param losses: ln(p / q) of each outcome, where it is known better than from p and q: one of them may be too small
        for a float, or both so close that their ratio is 1.

    >>> round(FinitePair((0.75, 0.25), (0.25, 0.75)).epsilon, 6), round(math.log(3), 6)
    (1.098612, 1.098612)
    """

    p: tuple[float, ...]
    q: tuple[float, ...]
    losses: tuple[float, ...] | None = field(default=None, compare=False)

    def __post_init__(self):
        for name in ("p", "q"):
            object.__setattr__(self, name, tuple(check_distribution(getattr(self, name), name).tolist()))
        if len(self.p) != len(self.q):
            raise ValueError(f"p and q must speak of the same outcomes, got {len(self.p)} and {len(self.q)}")
        if self.losses is None:
            p, q = np.array(self.p), np.array(self.q)
            with np.errstate(divide="ignore", invalid="ignore"):
                losses = np.where(p + q > 0, np.log(p) - np.log(q), 0.0)
            object.__setattr__(self, "losses", tuple(losses.tolist()))
        check_fields(self, check_losses, "losses", size=len(self.p))

    @property
    def directions(self) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        p, q = np.array(self.p), np.array(self.q)
        return (p, q), (q, p)

    @property
    def sides(self) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        """Each side's outcomes that are possible: their probabilities, and their losses against the other side."""
        loss = np.array(self.losses)
        return tuple((p[p > 0], own[p > 0]) for (p, _), own in zip(self.directions, (loss, -loss), strict=True))

    @property
    def epsilon(self) -> float:
        """The largest loss ``|ln(p / q)|``; inf where one outcome is possible for one side only."""
        return float(max(np.abs(loss).max() for _, loss in self.sides))

    def delta(self, epsilon: float) -> float:
        """The smallest delta that goes with ``epsilon``, exactly."""
        return max(float((p * -np.expm1(np.minimum(epsilon - loss, 0))).sum()) for p, loss in self.sides)

    def rdp(self, order: float) -> float:
        r"""Renyi divergence :math:`\frac{1}{\alpha-1} \ln \sum_o P(o)^\alpha Q(o)^{1-\alpha}`, the worse direction."""
        order = check_order(order)
        return max(renyi_of_losses(p, loss, order) for p, loss in self.sides)

    @staticmethod
    def divergence(p: np.ndarray, q: np.ndarray, order: float) -> float:
        # an outcome that only p has: the logarithm of q, and so the result, is infinite
        with np.errstate(divide="ignore"):
            return renyi(np.log(p), np.log(q), order)

    @property
    def disjoint(self) -> bool:
        """Whether every outcome is possible for one side only: then no finite epsilon goes with any delta below 1."""
        return all(np.isinf(loss).all() for _, loss in self.sides)

    @property
    def symmetric(self) -> bool:
        """Whether swapping p and q only renames the outcomes."""
        forth, back = (np.array(sorted(zip(p, q, strict=True))) for p, q in self.directions)
        return bool(np.allclose(forth, back, rtol=1e-9, atol=1e-15))

    def odd_moments(self, order: int) -> np.ndarray:
        """E_q[(p/q - 1)^l] for l = 3, 5, .. <= order: where none is negative, ``poisson_rdp`` is tight and valid."""
        p, q = self.directions[0]
        with np.errstate(over="ignore"):
            excess = np.expm1(np.array(self.losses))  # p / q - 1, and p - q is q times that
            return np.array([float(((p - q) * excess ** (k - 1)).sum()) for k in range(3, order + 1, 2)])

    def poisson(self, rate: float) -> "FinitePair":
        """The pair after Poisson sampling: (1 - rate) q + rate p against q, exactly. For symmetric pairs.

        It dominates the sampled mechanism in both directions, also composed; the proof is at the top of this file.
        """
        rate = check_rate(rate)
        if not self.symmetric:
            raise ValueError("poisson needs a pair in which p and q can change places, got one with "
                             f"p = {self.p}, q = {self.q}")
        if rate == 1:
            return self
        p, q = self.directions[0]
        return FinitePair(tuple((1 - rate) * q + rate * p), self.q, tuple(sampled_losses(np.array(self.losses), rate)))

    @property
    def mirrored(self) -> bool:
        """Whether both directions have the same losses with the same probabilities, to the last digit."""
        forth, back = (sorted(zip(p.tolist(), loss.tolist(), strict=True)) for p, loss in self.sides)
        return forth == back

    @property
    def given_away(self) -> float:
        """The probability of an infinite loss, the worse direction."""
        return max(float(p[loss == math.inf].sum()) for p, loss in self.sides)

    def largest_loss(self, forth: bool = True) -> float:
        """Of the first side against the second, or the other way round."""
        return float(self.sides[0 if forth else 1][1].max())

    def loss_range(self, forth: bool, log_cut: float) -> tuple[float, float]:
        """Between which values finite losses lie, of one side against the other; none is cut."""
        loss = self.sides[0 if forth else 1][1]
        loss = loss[np.isfinite(loss)]
        return float(loss.min(initial=0)), float(loss.max(initial=0))

    def times(self, other: "FinitePair") -> "FinitePair":
        """Both outcomes seen, from independent randomness; equal losses are merged, which changes no delta."""
        p, q = (np.outer(a, b).ravel() for a, b in ((self.p, other.p), (self.q, other.q)))
        seen = p + q > 0
        with np.errstate(invalid="ignore"):  # inf - inf: neither side ever sees that
            loss = np.add.outer(self.losses, other.losses).ravel()[seen]
        size = max(1.0, np.abs(loss[np.isfinite(loss)]).max(initial=0))
        _, first, group = np.unique(np.round(loss / size, 12), return_index=True, return_inverse=True)
        return FinitePair(*(tuple(np.bincount(group, side[seen])) for side in (p, q)), tuple(loss[first]))

    def pld(self, interval: float, pessimistic: bool):
        """dp-accounting's privacy loss distribution, both directions."""
        from dp_accounting.pld import privacy_loss_distribution  # here, as its import takes seconds
        p, q = ({o: float(v) for o, v in enumerate(side) if v > -math.inf} for side in self.logarithms)
        return privacy_loss_distribution.from_two_probability_mass_functions(
            q, p, pessimistic_estimate=pessimistic, value_discretization_interval=interval, symmetric=False)

    @property
    def logarithms(self) -> tuple[np.ndarray, np.ndarray]:
        """ln p and ln q; where a float has no room for one, from the other and the loss."""
        (p, q), loss = self.directions[0], np.array(self.losses)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_p, log_q = np.log(p), np.log(q)
            return np.where(p > 0, log_p, log_q + loss), np.where(q > 0, log_q, log_p - loss)


def check_losses(losses, name: str, size: int) -> tuple[float, ...]:
    """A number for each outcome, perhaps infinite."""
    values = tuple(check_number(loss, f"each of {name}") for loss in check_sequence(losses, name, "numbers"))
    if len(values) != size:
        raise ValueError(f"{name} must have one entry for each of {size} outcomes, got {len(values)}")
    return values


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


def sampled_losses(loss: np.ndarray, rate: float) -> np.ndarray:
    r""":math:`\ln(1 + \gamma (e^{loss} - 1))` for a rate below 1, which neither overflows nor loses a small loss."""
    small = np.log1p(rate * np.expm1(np.minimum(loss, 1)))
    return np.where(loss > 1, loss + np.log(rate + (1 - rate) * np.exp(-np.maximum(loss, 1))), small)


def pure_pair(epsilon: float) -> FinitePair:
    r"""The pair that dominates every :math:`\varepsilon`-DP mechanism: the two answers of randomised response.

    Every :math:`\varepsilon`-DP mechanism is binary randomised response followed by something that does not
    look at the data (Kairouz, Oh and Viswanath 2015; chapter 02 has the proof).
    """
    return response_pair(epsilon, 2)


def response_pair(epsilon: float, num_classes: int) -> FinitePair:
    """Two answers of k-ary randomised response; the other k - 2 outcomes tell nothing and are one."""
    epsilon, num_classes = check_epsilon(epsilon), check_count(num_classes, "num_classes", low=2)
    keep = 1 / (1 + (num_classes - 1) * math.exp(-epsilon))
    flip = math.exp(-epsilon) * keep
    rest = (max(0.0, 1 - keep - flip),) if num_classes > 2 else ()
    return FinitePair((keep, flip, *rest), (flip, keep, *rest), (epsilon, -epsilon, *(0.0 for _ in rest)))


def bounded_range_pair(spread: float, points: int = 64) -> FinitePair:
    r"""What dominates every mechanism whose losses span at most ``spread``: for any two neighbours, the largest and the
    smallest loss of an outcome are that far apart. The exponential mechanism is one (Dong, Durfee and Rogers 2020).

    Proof. Say the ratios of the outcomes' probabilities lie in :math:`[e^{t - \eta}, e^t]`, with :math:`\eta` the
    spread. :math:`\delta(\varepsilon)` is the mean of :math:`(r - e^{\varepsilon})_+` over the ratios r, whose mean is
    1. That is convex in r, so it is largest where each ratio is at one end of the interval:

    .. math:: \delta_t(\varepsilon) = \frac{(1 - e^{t - \eta})(1 - e^{\varepsilon - t})}{1 - e^{-\eta}} \le
              \frac{(1 - e^{(\varepsilon - \eta) / 2})^2}{1 - e^{-\eta}}

    with equality at :math:`t = (\eta + \varepsilon) / 2`. (That is for :math:`t - \eta \le \varepsilon \le t`. Above t
    it is 0, and below :math:`t - \eta` it is :math:`1 - e^{\varepsilon}`, the least that any pair has.) When the
    neighbours change places, t becomes :math:`\eta - t`, so the curve holds both ways. The pair joins ``points`` places
    of it on either side by chords in :math:`e^{\varepsilon}`, which lie above it, as every such curve is convex. Where
    floats have no room for the curve, below ``SMALL`` and above ``LARGE``, ``pure_pair`` is returned, which lies above
    it too.
    """
    spread, points = check_positive(spread, "spread"), check_count(points, "points", low=1)
    if not SMALL <= spread <= LARGE:
        return pure_pair(spread)
    loss = np.linspace(-spread, spread, 2 * points + 1)
    ratio = np.exp(loss)
    gain = np.expm1((np.abs(loss) - spread) / 2) ** 2 / -math.expm1(-spread)
    delta = np.where(loss < 0, -np.expm1(loss) + ratio * gain, gain)
    slope = np.concatenate([[-1.0], np.diff(delta) / np.diff(ratio), [0.0]])
    q = np.diff(slope).clip(0)  # how much of q has each ratio: as much as the curve bends there
    p = ratio * q + q[::-1]  # the same number twice, but for rounding
    return FinitePair(tuple(p / p.sum()), tuple(p[::-1] / p.sum()))


@dataclass(frozen=True)
class LaplacePair:
    """Laplace noise around 0 and around 1 (sensitivity 1), perhaps after Poisson sampling.

    :param scale: b of the noise, in units of the L1 sensitivity.
    :param rate: the probability of being sampled; 1: everybody.

    >>> LaplacePair(2.0).epsilon
    0.5
    """

    scale: float
    rate: float = 1.0

    def __post_init__(self):
        check_fields(self, check_positive, "scale"), check_fields(self, check_rate, "rate")

    @property
    def epsilon(self) -> float:
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

    def poisson(self, rate: float) -> "LaplacePair":
        return replace(self, rate=self.rate * check_rate(rate))

    @property
    def mirrored(self) -> bool:
        """Whether both directions have the same losses."""
        return self.rate == 1

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
        top = 1 / self.scale
        inside = np.clip(loss, -top, top)
        log_p, log_q = (inside - top) / 2 - math.log(2), -(inside + top) / 2 - math.log(2)
        above, beyond, short = np.where(loss >= top, -math.inf, 0.0), loss >= top, loss < -top
        def told(log_tail, log_rest):
            return np.where(short, 0.0, log_tail + above), np.where(short, -math.inf, np.where(beyond, 0.0, log_rest))
        (above_p, below_p), (above_q, below_q) = (
            told(np.log1p(-np.exp(log_p)), log_p), told(log_q, np.log1p(-np.exp(log_q))))
        return above_p, below_p, above_q, below_q

    def pld(self, interval: float, pessimistic: bool):
        """dp-accounting's privacy loss distribution, both directions."""
        if 1 / self.scale > LARGE:
            raise ValueError(f"scale must be at least 1/{LARGE:g} for a privacy loss distribution, got {self.scale:g}; "
                             "rdp_epsilon and basic_composition have no limit")
        from dp_accounting.pld import privacy_loss_distribution
        return privacy_loss_distribution.from_laplace_mechanism(
            self.scale, pessimistic_estimate=pessimistic, value_discretization_interval=interval,
            sampling_prob=self.rate, use_connect_dots=pessimistic)


@dataclass(frozen=True)
class GaussianPair:
    """Gaussian noise around 0 and around 1 (sensitivity 1), perhaps after Poisson sampling.

    :param sigma: standard deviation of the noise, in units of the L2 sensitivity.
    :param rate: the probability of being sampled; 1: everybody.
    """

    sigma: float
    rate: float = 1.0

    def __post_init__(self):
        check_fields(self, check_positive, "sigma"), check_fields(self, check_rate, "rate")

    @property
    def epsilon(self) -> float:
        return math.inf

    def delta(self, epsilon: float) -> float:
        r""":math:`\Phi(s - \varepsilon\sigma) - e^\varepsilon \Phi(-s - \varepsilon\sigma)` with
        :math:`s = \frac{1}{2\sigma}`, without sampling (Balle and Wang 2018, Theorem 8)."""
        def unsampled(e):
            half, shift = 1 / (2 * self.sigma), e * self.sigma
            return max(0.0, float(norm.cdf(half - shift) - math.exp(e + log_ndtr(-half - shift))))
        return sampled_delta(unsampled, self.rate, epsilon)

    def rdp(self, order: float) -> float:
        """``gaussian_rdp``; after sampling ``sampled_rdp``."""
        order = check_order(order)
        if self.rate < 1:
            return sampled_rdp(self, lambda orders: gaussian_rdp(orders, self.sigma), order)
        return gaussian_rdp(order, self.sigma)

    def poisson(self, rate: float) -> "GaussianPair":
        return replace(self, rate=self.rate * check_rate(rate))

    @property
    def mirrored(self) -> bool:
        """Whether both directions have the same losses."""
        return self.rate == 1

    def largest_loss(self, forth: bool = True) -> float:
        """Of the sampled side against the other, or the other way round."""
        return math.inf if forth or self.rate == 1 else -math.log1p(-self.rate)

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
        half, places = 1 / (2 * self.sigma), loss * self.sigma
        return (log_ndtr(half - places), log_ndtr(places - half), log_ndtr(-half - places), log_ndtr(places + half))

    def pld(self, interval: float, pessimistic: bool):
        """dp-accounting's privacy loss distribution, both directions."""
        from dp_accounting.pld import privacy_loss_distribution
        return privacy_loss_distribution.from_gaussian_mechanism(
            self.sigma, pessimistic_estimate=pessimistic, value_discretization_interval=interval,
            sampling_prob=self.rate, use_connect_dots=pessimistic)


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
