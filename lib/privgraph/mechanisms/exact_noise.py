r"""Exact noise from secret bits: choices with exactly the stated probability, and real noise rounded to a public grid.

**Floats give noise away.** To draw a float with about the right distribution and add it in floating point is not the
mechanism of the theorem: from 0 and from 1 the sum reaches different floats, so that a single report can tell which of
the two it was (Mironov 2012).

**What is done here.** A mechanism's noise Z is a function of real numbers U, uniform between 0 and 1. Released is

.. math:: o = g \cdot \operatorname{round}\big((a + s Z) / g\big),

the multiple of a public number g, the *grid*, that lies nearest to the true answer a plus noise of scale s. This is
computed without error (``rounded``): a float computation with a bound on its own error decides which multiple it is,
unless a boundary between two lies within the bound. Then more bits of U are drawn, and interval arithmetic goes on
until it is decided. So o is a function of the real number a + s Z and of nothing else. That real mechanism has the
stated epsilon and delta, and what is computed from its output has them too: **the grid costs nothing**, and accountants
need know nothing of it. The method is known as interval refining (Haney et al. 2022, "Precision-based attacks and
interval refining").

The grid is the largest power of two that is at most s / 2^20. An answer beyond 2^42 scales from 0 is moved there first,
which brings no two answers further apart. The type of the answer, and its range, are put on o afterwards, which reads
o only.

**What it rests on.** The operating system's generator is uniform. The functions of float64 that are used (logarithm,
inverse of the normal distribution, products) are right to a relative error of 2^-44, some 500 roundings; a test
compares them with 50 digits. One draw in several hundred thousand needs the second step, so the *time* it takes depends
on a + s Z: time is not promised (page on sharp edges).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from os import urandom as random_bytes
from typing import TYPE_CHECKING

import numpy as np

from ..late import torch

if TYPE_CHECKING:
    from torch import Tensor

BITS = 64  # of a uniform number that are drawn at first
MORE = 128  # of them where these do not decide, then twice as many, and so on
MARGIN = 2.0**-44  # relative error of float64 functions, bounded generously
FINE = 20  # binary digits between the scale of noise and its grid
FARTHEST = 62  # binary digits of the largest multiple of the grid
SAFER = 1 + 2.0**-30  # by so much noise is larger than asked for: beyond any rounding of its scale
Refine = Callable[[int, int], tuple]  # (place, bits) -> two numbers of mpmath between which the real one lies
LEAST, MOST = 2.0**-900, 2.0**900  # scales of noise for which floats have all their digits


class Words:
    """Uniform numbers of 64 bits from the operating system, and more bits of each where they are asked for."""

    def __init__(self, count: int):
        self.first = np.frombuffer(random_bytes(8 * count), dtype=np.uint64)
        self.known: dict[int, tuple[int, int]] = {}  # of a few of them: all bits so far, and how many

    def ends(self, place: int, bits: int) -> tuple[int, int]:
        """(k, bits) where number ``place`` lies between k / 2^bits and (k + 1) / 2^bits."""
        value, had = self.known.get(place, (int(self.first[place]), BITS))
        if bits > had:
            value = value << (bits - had) | int.from_bytes(random_bytes((bits - had) // 8))
            self.known[place] = value, bits
        return self.known.get(place, (value, had))


def happens(chance: np.ndarray) -> np.ndarray:
    """For each float64 in [0, 1] True with exactly that probability."""
    threshold = np.ldexp(chance, BITS)
    whole = np.floor(threshold)
    word = np.frombuffer(random_bytes(8 * chance.size), dtype=np.uint64).reshape(chance.shape)
    sure = whole >= 2.0**BITS  # a chance of 1
    limit = np.where(sure, 0.0, whole).astype(np.uint64)
    found = sure | (word < limit)
    tie = ~sure & (word == limit) & (threshold > whole)
    if tie.any():  # the next bits decide
        found[tie] = happens(threshold[tie] - whole[tie])
    return found


def below(sizes: np.ndarray) -> np.ndarray:
    """For each int64 n >= 1 one of 0..n-1, all with the same probability."""
    sizes = sizes.astype(np.uint64)
    word = np.frombuffer(random_bytes(8 * sizes.size), dtype=np.uint64).reshape(sizes.shape)
    usable = np.uint64(2**64 - 1) - (np.uint64(2**64 - 1) % sizes + np.uint64(1)) % sizes  # the last of whole rounds
    found = word % sizes
    again = word > usable
    if again.any():
        found[again] = below(sizes[again])
    return found.astype(np.int64)


def signs(count: int) -> np.ndarray:
    """1.0 or -1.0, each with probability one half."""
    drawn = np.frombuffer(random_bytes((count + 7) // 8), dtype=np.uint8)
    return 1.0 - 2.0 * np.unpackbits(drawn)[:count]


@dataclass(frozen=True)
class Law:
    """A distribution as a monotone function of a uniform number between 0 and 1.

    ``fast(u, du)``: the values float64 and bounds on their errors, where each u is off by at most du. ``slow(mp, u)``:
    the same in mpmath, also at 0 and 1. ``signed``: a fair coin gives the sign.
    """

    fast: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
    slow: Callable
    signed: bool = True


def rounding(value: np.ndarray) -> np.ndarray:
    """What float64 functions lose of a value at most."""
    return MARGIN * (1 + np.abs(value))


def exponential(u: np.ndarray, du: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r"""-ln u. Its error: :math:`-\ln(1 - du / u) \le 2 du / u` while du / u is at most one half."""
    with np.errstate(divide="ignore"):
        value, share = -np.log(u), du / u
    return value, np.where(share <= 0.5, 2 * share, np.inf) + rounding(value)


def half_normal(u: np.ndarray, du: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r"""The size z of a normal number: ``Pr[|Z| > z] = u``. Where u moves by du, z moves by at most
    :math:`\frac{du}{2 \varphi(z')}` for a z' on the way, and :math:`1 / \varphi(z') \le 2.6\, e^{z'^2 / 2}`.
    While du / u is at most one half, z' is less than z + 1, so :math:`e^{z'^2/2} \le e^{z^2/2} e^{z + 1/2}`."""
    from scipy.special import ndtri
    value = -ndtri(u / 2)
    with np.errstate(over="ignore", divide="ignore"):
        moved = 1.3 * du * np.exp(value * value / 2 + value + 0.5)
        return value, np.where(du / u <= 0.5, moved, np.inf) + rounding(value)


def gumbel(u: np.ndarray, du: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """-ln(-ln u)."""
    size, off = exponential(u, du)
    return exponential(np.abs(size), off)  # the logarithm of a u that was rounded to 1 is -0.0


EXPONENTIAL = Law(exponential, lambda mp, u: -mp.log(u), signed=False)
LAPLACE = Law(exponential, lambda mp, u: -mp.log(u))
NORMAL = Law(half_normal, lambda mp, u: -mp.sqrt(2) * mp.erfinv(u - 1))
GUMBEL = Law(gumbel, lambda mp, u: -mp.log(-mp.log(u)), signed=False)


class Noise:
    """So many independent real numbers of one law: each known as exactly as it is asked for."""

    def __init__(self, law: Law, count: int):
        self.law, self.words = law, Words(count)
        self.sign = signs(count) if law.signed else np.ones(count)

    def near(self) -> tuple[np.ndarray, np.ndarray]:
        """float64 values, and how far each is from the real number at most."""
        u = np.ldexp(self.words.first.astype(float) + 0.5, -BITS)
        value, error = self.law.fast(u, np.full(u.shape, 2.0**-BITS))
        return self.sign * value, error

    def between(self, place: int, bits: int):
        """Two numbers of mpmath between which number ``place`` lies, from its first ``bits`` bits."""
        low, bits = self.words.ends(place, bits)
        mp = precision(bits)
        ends = [self.law.slow(mp, mp.ldexp(k, -bits)) for k in (low, low + 1)]
        low, high = sorted(self.sign[place] * end for end in ends)
        slack = mp.ldexp(1 + max(abs(low), abs(high)), -bits)  # without end where one of them is
        return low - slack, high + slack


@lru_cache
def precision(bits: int):
    """mpmath with twice so many bits, and nobody else's: what it rounds is far below what is not known of u."""
    from mpmath import MPContext
    mp = MPContext()
    mp.prec = 2 * bits
    return mp


def grid_of(scale: float) -> float:
    """The public grid for noise of a scale: a power of two."""
    if not LEAST <= scale <= MOST:
        raise ValueError(f"noise must have a scale between {LEAST:.0e} and {MOST:.0e}, got {scale!r}")
    return 2.0 ** (math.frexp(scale)[1] - 1 - FINE)


def decided(centre: np.ndarray, value: np.ndarray, error: np.ndarray, refine: Refine) -> np.ndarray:
    """round(centre + value) int64, without error, for ``value`` known to ``error``.

    :param centre: float64 in [0, 1), exact.
    """
    total = centre + value
    found = np.rint(np.where(np.isfinite(error), total, 0.0))
    unsure = ~(np.abs(total - found) + error + rounding(total) < 0.5)
    found = found.astype(np.int64)
    for place in np.flatnonzero(unsure):
        found[place] = refined(float(centre[place]), lambda bits, place=place: refine(int(place), bits))
    return found


def refined(centre: float, ends: Callable[[int], tuple]) -> int:
    """round(centre + value) with as many bits as that takes."""
    bits = MORE
    while True:
        low, high = ends(bits)
        mp = precision(bits)
        if mp.isfinite(low) and mp.isfinite(high):
            first, last = (int(mp.floor(centre + mp.mpf(end) + mp.mpf(0.5))) for end in (low, high))
            if first == last:
                return first
        bits *= 2


def rounded(answer: Tensor, scale: float, near: tuple[np.ndarray, np.ndarray], refine: Refine) -> Tensor:
    """The multiple of the grid nearest to answer + scale Z, of the answer's shape and type.

    :param answer: finite floats [n] or of any shape; exactly what they are.
    :param near: Z of the standard scale as float64, and the bound on its error, one for each number of ``answer``.
    """
    scale *= SAFER
    grid = grid_of(scale)
    fine = scale / grid  # between 2^20 and 2^21, exactly
    most = 2.0**FARTHEST
    target = np.clip(answer.detach().double().cpu().numpy().ravel() / grid, -most, most)
    whole = np.floor(target)
    steps = decided(target - whole, fine * near[0], fine * near[1],
                    lambda place, bits: [fine * end for end in refine(place, bits)])
    noisy = torch.from_numpy((whole.astype(np.int64) + steps).astype(float) * grid)
    limits = torch.finfo(answer.dtype)
    return noisy.clamp(limits.min, limits.max).to(answer.dtype).reshape(answer.shape).to(answer.device)


def add_noise(law: Law, answer: Tensor, scale: float) -> Tensor:
    """``answer`` with noise of this law and scale on each number, on the grid of ``grid_of``."""
    noise = Noise(law, answer.numel())
    return rounded(answer, scale, noise.near(), noise.between)


def add_row_noise(answer: Tensor, scale: float) -> Tensor:
    """``answer`` [n, d] with a vector on each row: a direction drawn uniformly times a Gamma(d) length."""
    width = answer.size(1)
    lengths, normals = Noise(EXPONENTIAL, answer.numel()), Noise(NORMAL, answer.numel())

    def refine(place: int, bits: int):
        row = range(place // width * width, (place // width + 1) * width)
        return row_between(lengths, normals, row, place, bits)
    return rounded(answer, scale, rows_near(lengths, normals, answer.shape), refine)


def rows_near(lengths: Noise, normals: Noise, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    r"""float64 values of rows' noise, row by row, and how far each is from the real number at most.

    :math:`Z_j = R N_j / \lVert N \rVert`, R a sum of d exponential numbers, N of normal ones. With errors e of R, of
    each N_j, and t of the norm (at most the norm of the e_j), the quotient is off by at most (e_j + t) / (norm - t),
    and the product by that times R + e, plus e.
    """
    (length, off), (normal, loose) = (tuple(part.reshape(shape) for part in noise.near())
                                      for noise in (lengths, normals))
    radius, off = (part.sum(1, keepdims=True) for part in (length, off))  # ``rounding`` below has room for the sum's
    norm, slack = (np.linalg.norm(part, axis=1, keepdims=True) for part in (normal, loose))
    with np.errstate(divide="ignore", invalid="ignore"):
        value = radius * (normal / norm)
        error = off + (radius + off) * np.where(slack < norm / 2, 2 * (loose + slack) / norm, np.inf)
    return value.ravel(), (error + rounding(radius)).ravel()


def row_between(lengths: Noise, normals: Noise, row: range, place: int, bits: int) -> tuple:
    """An interval for one number of a row of ``add_row_noise``."""
    radius = [sum(ends) for ends in zip(*(lengths.between(j, bits) for j in row), strict=True)]
    sizes = [normals.between(j, bits) for j in row]
    mp = precision(bits)
    norm = [mp.norm([max(low, -high, 0) for low, high in sizes]), mp.norm([max(-low, high) for low, high in sizes])]
    if not (norm[0] > 0 and mp.isfinite(norm[1]) and mp.isfinite(radius[1])):
        return -mp.inf, mp.inf
    own = sizes[place - row.start]
    corners = [r * n / m for r in radius for n in own for m in norm]
    slack = mp.ldexp(1 + radius[1], -bits)
    return min(corners) - slack, max(corners) + slack


def winners(law: Law, scores: Tensor, scale: float) -> Tensor:
    """For each row of ``scores`` [n, c] the column with the largest score + scale Z: as if all were real numbers."""
    own, scale = scores.detach().double().cpu().numpy(), scale * SAFER
    noise, (rows, width) = Noise(law, own.size), own.shape
    value, error = (part.reshape(rows, width) for part in noise.near())
    with np.errstate(invalid="ignore"):
        total = own / scale + value  # scores over the scale: rounding is part of the error
        error = error + rounding(own / scale) + rounding(value)
    known = np.isfinite(error)
    low, high = np.where(known, total - error, -np.inf), np.where(known, total + error, np.inf)
    rivals = high >= low.max(1, keepdims=True)
    found = rivals.argmax(1)
    for row in np.flatnonzero(rivals.sum(1) > 1):
        columns = np.flatnonzero(rivals[row]).tolist()
        found[row] = winner(columns, own[row], scale, lambda column, bits, row=row: noise.between(
            int(row) * width + column, bits))
    return torch.from_numpy(found).to(scores.device)


def winner(columns: list[int], scores: np.ndarray, scale: float, ends: Refine) -> int:
    """The column with the largest of scores + scale Z among some, with as many bits as that takes."""
    bits = MORE
    while True:
        mp = precision(bits)
        totals = {j: [mp.mpf(float(scores[j])) + mp.mpf(scale) * end for end in ends(j, bits)] for j in columns}
        best = max(low for low, _ in totals.values())
        columns = [j for j in columns if totals[j][1] >= best]
        if len(columns) == 1:
            return columns[0]
        bits *= 2


def quotients(hazard: np.ndarray) -> np.ndarray:
    r"""For each hazard h > 0, float64 [n], the whole part of E / h, E exponential: a geometric number, int64 [n].

    :math:`\Pr[k] = e^{-h k} (1 - e^{-h})`, exactly. Values beyond 2^62 are 2^62.
    """
    noise = Noise(EXPONENTIAL, hazard.size)
    value, error = (part / hazard for part in noise.near())
    far = value > 2.0**FARTHEST
    value, error = np.where(far, 0.5, value), np.where(far, 0.0, error)
    # The whole part of v is round(v - 1/2), where no v is whole: almost never, and then either will do.
    steps = decided(np.full(hazard.shape, 0.5), value - 1, error,
                    lambda place, bits: [end / float(hazard[place]) - 1 for end in noise.between(place, bits)])
    return np.where(far, 2**FARTHEST, steps)
