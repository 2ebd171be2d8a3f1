r"""How many uses add up: the losses of ``losses``, composed by fast Fourier transforms, with a bound on every error.

**Tilting.** Let :math:`K(s) = \sum \ln E[e^{s L'}]` over all uses, and weigh each loss l by :math:`e^{s l}`: the tilted
law has mean K'(s). With y its composition, of losses x = nh,

.. math:: \delta(\varepsilon) = e^{K(s) - s \varepsilon} \sum_{x > \varepsilon} y(x) f(x - \varepsilon),
          \quad f(z) = e^{-s z} (1 - e^{-z})

s is the one that Chernoff's bound is best at, so that the tilted mean is near the answer. Errors are then relative to
the answer, be it :math:`10^{-5}` or :math:`10^{-300}`. Without tilting they are relative to 1: below
:math:`10^{-12}` an answer is made of them.

**Errors of the sum** (all are added at the upper end and subtracted at the lower end):

* Wrapping. A transform of N places adds what lies outside a window to what lies inside. Chernoff's bound says that the
  tilted law has at most ``OUTSIDE`` on either side; f is at most
  :math:`F = s^s / (1 + s)^{1 + s}`, so the sum moves by at most 2 F ``OUTSIDE``.
* Rounding of a transform: :math:`\|\hat X - X\|_2 \le c\,u \log_2 N\,\|X\|_2` with :math:`u = 2^{-53}`. For radix 2,
  c is below 7 (Higham 2002, Theorem 24.2). A butterfly of radix 4 is two of these with fewer operations, and one of
  radix 3, 5, 7 or 11 sums as many terms, so c is below 7 for each factor 2 of N in it. We take c = ``FFT`` = 16.
  Transforms of probabilities are at most 1, so a product of k of them moves by at most k times that; its k - 1 complex
  multiplications have relative errors of :math:`\sqrt5\,u` each (Brent, Percival and Zimmermann 2007; 4u here). The
  transform back divides the norm by :math:`\sqrt N`. By Cauchy and Schwarz the sum moves by at most
  :math:`\|f\|_2 \|\hat y - y\|_2`.
* What goes in: a probability with relative error r in each use is one of :math:`(1 + r)^k` in the composition, as all
  terms are positive; r is ``relative_error``. The sum over n places adds n u.

**The result.** Upper end: the smallest epsilon found with :math:`\delta + \text{errors} \le` delta. Lower end: by
``losses``, with :math:`\eta` a small share of delta. What was searched for is evaluated at what is returned, so
the search needs no proof. Compare Gopi, Lee and Wutschitz (2021) and Koskela, Jaelkoe and Honkela (2020), whose bounds
are absolute.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.optimize import brentq, minimize_scalar

from .losses import LOSS, RELATIVE, Losses

UNIT = 2.0**-53
FFT = 16
OUTSIDE = math.exp(-40)
FAR = 60.0  # e^-60 is left out of a sum of about 1
MOST_PLACES = 2**24  # of a transform: 16 million complex numbers are 256 MB
FINE = 1e-8  # to which an epsilon is searched for, relative
LARGEST, LOWEST = 1e300, 1e4  # epsilon; ln of a ratio of deltas


class TooWide(ValueError):
    """A grid would not fit into memory."""


@dataclass(frozen=True)
class Composition:
    """Uses of several kinds on one grid: ``parts`` are (losses of one use, how many uses); ``most`` places fit."""

    parts: Sequence[tuple[Losses, int]]
    step: float
    delta: float
    most: int = MOST_PLACES

    @property
    def uses(self) -> int:
        return sum(count for _, count in self.parts)

    def log_moment(self, s: float) -> float:
        """K(s)."""
        return sum(count * log_sum(part.mass + s * self.step * part.places) for part, count in self.parts)

    @property
    def ends(self) -> tuple[int, int]:
        """The smallest and the largest place that all uses together can reach."""
        return (sum(count * part.first for part, count in self.parts),
                sum(count * (part.first + len(part.mass) - 1) for part, count in self.parts))

    @cached_property
    def tilt(self) -> float:
        """s with the best bound on epsilon."""
        return math.exp(minimize_scalar(lambda log_s: self.chernoff(math.exp(log_s)), bounds=self.log_tilts,
                                        method="bounded", options={"xatol": 1e-3}).x)

    @property
    def log_tilts(self) -> tuple[float, float]:
        """Between which values ln s may lie."""
        farthest = max(1, *map(abs, self.ends))
        return -10 - math.log(farthest) - math.log(self.step), math.log(100) - math.log(self.step)

    def chernoff(self, s: float) -> float:
        r"""Epsilon by one moment: :math:`(K(s) + \ln F - \ln \delta) / s`."""
        return (self.log_moment(s) + log_peak(s) - math.log(self.delta)) / s

    @cached_property
    def window(self) -> tuple[int, int]:
        """The places between which all but ``OUTSIDE`` of the tilted law lies, on either side."""
        s, here = self.tilt, self.log_moment(self.tilt)
        def reach(direction: int) -> float:
            def bound(log_t: float) -> float:
                t = math.exp(log_t)
                return (self.log_moment(s + direction * t) - here - math.log(OUTSIDE)) / t
            return minimize_scalar(bound, bounds=self.log_tilts, method="bounded", options={"xatol": 0.05}).fun
        low, high = self.ends
        return (max(low, math.floor(-reach(-1) / self.step) - 1), min(high, math.ceil(reach(1) / self.step) + 1))

    @cached_property
    def size(self) -> int:
        """N."""
        low, high = self.window
        return next_fast_len(max(16, high - low + 2), real=True)

    @cached_property
    def tilted(self) -> tuple[np.ndarray, float]:
        """y at the window's places, and a bound on the norm of its error."""
        if self.size > self.most:
            raise TooWide(f"a grid of {self.size} places")
        product, error, one = np.ones(self.size // 2 + 1, complex), 0.0, FFT * UNIT * math.log2(self.size)
        for part, count in self.parts:
            weights = part.mass + self.tilt * self.step * part.places
            weights = np.exp(weights - log_sum(weights))
            folded = np.bincount(part.places % self.size, weights, self.size)
            product = product * power(rfft(folded), count)
            error += count * one * math.sqrt(self.size) * float(np.linalg.norm(folded))
        error = error * math.exp(self.uses * one * math.sqrt(self.size)) + 4 * UNIT * self.uses * norm(product)
        y = np.roll(irfft(product, self.size), -(self.window[0] % self.size))
        return y, (error + one * (norm(product) + error)) / math.sqrt(self.size)

    @cached_property
    def relative_error(self) -> float:
        """ln of the factor by which delta may be off as probabilities are rounded, here and in ``losses``."""
        digits = sum(count * (np.abs(part.mass[np.isfinite(part.mass)]).max(initial=1.0)
                              + self.tilt * self.step * np.abs(part.places).max()) for part, count in self.parts)
        return 4 * self.uses * (RELATIVE + LOSS) + (2 * RELATIVE + 8 * UNIT) * float(digits)

    def log_delta(self, epsilon: float, sign: int) -> float:
        """ln of an upper (``sign`` 1) or a lower (-1) bound on the finite part of delta' at ``epsilon``."""
        s, (y, error), low = self.tilt, self.tilted, self.window[0]
        start = min(max(0, math.floor(epsilon / self.step) - low), self.size)
        stop = min(self.size, start + 3 + math.ceil(min(FAR / s / self.step, self.size)))
        gap = self.step * (low + np.arange(start, stop)) - epsilon
        gap = np.maximum(gap, 0.0)
        f = np.exp(-s * gap) * -np.expm1(-gap)
        terms = y[start:stop] @ f
        off = (error * float(np.linalg.norm(f)) + 3 * OUTSIDE * math.exp(log_peak(s)) + math.exp(-FAR)
               + 4 * UNIT * len(f) * float(np.abs(y[start:stop]) @ f))
        total = float(terms) + sign * off
        if total <= 0:
            return -math.inf
        return self.log_moment_here - s * epsilon + math.log(total) + sign * self.relative_error

    @cached_property
    def log_moment_here(self) -> float:
        return self.log_moment(self.tilt)

    @staticmethod
    def any(chances: Sequence[tuple[float, int]]) -> float:
        """The probability that something happens at least once, from (probability, how often it may)."""
        return -math.expm1(sum(count * math.log1p(-min(chance, 1 - UNIT)) for chance, count in chances))

    @cached_property
    def slack(self) -> float:
        """By how much all losses together may be off, as they were rounded."""
        return sum(count * part.slack for part, count in self.parts)

    def upper(self) -> float:
        """An epsilon of at least 0 at which delta is small enough; inf where there is none."""
        room = self.delta - self.any([(part.lost, count) for part, count in self.parts]) * (1 + LOSS)
        if room <= 0:
            return math.inf
        def excess(epsilon: float) -> float:
            return self.log_delta(epsilon, 1) - math.log(room)
        return 0.0 if excess(0.0) <= 0 else crossing(excess, *self.search)[1] + self.slack

    @property
    def search(self) -> tuple[float, float]:
        """Where to begin, and how far to look at first: within 1 / s of it, digits are plenty."""
        start = max(min(self.chernoff(self.tilt), self.ends[1] * self.step), self.step)
        return start, min(start / 8, 1 / self.tilt)

    def lower(self, tolerance: float) -> float:
        """An epsilon of at least 0 at which delta is too large, or 0."""
        start, _ = self.search
        eta = tolerance / 10 * self.delta * min(1.0, self.tilt * start)  # delta falls by e^-s or so per unit of epsilon
        certain = self.any([(part.certain, count) for part, count in self.parts]) * (1 - LOSS)
        wanted = self.delta + eta + sum(count * part.cut for part, count in self.parts) - certain
        if wanted <= 0:
            return math.inf
        spread = math.sqrt(sum(count * part.spread**2 for part, count in self.parts))
        shift = sum(count * part.convert for part, count in self.parts) + spread * math.sqrt(-math.log(eta) / 2)
        def excess(epsilon: float) -> float:
            return self.log_delta(epsilon, -1) - math.log(wanted)
        return max(0.0, crossing(excess, *self.search)[0] - shift - self.slack)


def crossing(excess: Callable[[float], float], start: float, width: float) -> tuple[float, float]:
    """Two places close to each other: at the first ``excess`` is above 0 (or it is 0), at the second it is not.

    :param excess: falls, and need not do so to the last digit.
    """
    low, high = max(0.0, start - width), start
    while excess(high) > 0:
        low, high, width = high, high + width, 2 * width
        if high > LARGEST:
            return low, math.inf
    while low > 0 and excess(low) <= 0:
        low, high, width = max(0.0, low - 2 * width), low, 2 * width
    if low == 0 and excess(low) <= 0:
        return 0.0, 0.0
    near = brentq(lambda epsilon: max(excess(epsilon), -LOWEST), low, high, xtol=FINE * high)
    return outward(excess, near, low, -1, FINE * high), outward(excess, near, high, 1, FINE * high)


def outward(excess: Callable[[float], float], near: float, limit: float, side: int, step: float) -> float:
    """From where ``excess`` is about 0, in steps, to where it surely has the sign that it has at ``limit``."""
    while (limit - near) * side > step:
        if excess(near + side * step) * side < 0:
            return near + side * step
        step *= 4
    return limit


def power(values: np.ndarray, count: int) -> np.ndarray:
    """values^count, by squaring: count - 1 multiplications are in each result."""
    result = values
    for bit in bin(count)[3:]:
        result = result * result
        if bit == "1":
            result = result * values
    return result


def norm(half: np.ndarray) -> float:
    """The norm of a transform, of which one half is given, as the other is its mirror (at most)."""
    return math.sqrt(2) * float(np.linalg.norm(half))


def log_sum(values: np.ndarray) -> float:
    """ln sum e^values; -inf for none."""
    top = values.max()
    return float(top + math.log(np.exp(values - top).sum())) if top > -math.inf else -math.inf


def log_peak(s: float) -> float:
    """ln F: the largest value of f."""
    return -s * math.log1p(1 / s) - math.log1p(s)
