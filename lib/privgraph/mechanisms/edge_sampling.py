r"""Draw noisy bits for all pairs of nodes, and noisy degrees, in O(edges + reported bits) time and memory.

Rows are long and nearly empty, and so are reports; nothing here has the size n x n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..late import torch
from .drawing import Drawing, drawing, is_secret
from .law import numbers

if TYPE_CHECKING:
    from torch import Tensor

CHUNK = 1 << 22  # random numbers at a time
TINY = 1e-300  # a chance that is none


@dataclass(frozen=True)
class Places:
    """The bits that people report, numbered row by row: person v's bit for u is at ``index(u, v)``.

    With ``once`` each pair has one bit, in the row of its lower-numbered end; otherwise two, one in each row.
    """

    num_nodes: int
    once: bool

    @cached_property
    def widths(self) -> Tensor:
        """Bits in each person's row, int64 [N]."""
        n = self.num_nodes
        return torch.arange(n - 1, -1, -1) if self.once else torch.full((n,), n - 1)

    @cached_property
    def starts(self) -> Tensor:
        return self.widths.cumsum(0) - self.widths

    def index(self, named: Tensor, person: Tensor) -> Tensor:
        """The place of each person's bit for the node she names."""
        return self.starts[person] + named - (person + 1 if self.once else (named > person).long())

    def names(self, places: Tensor) -> Tensor:
        """The columns (named, person) of sorted places, int64 [2, R]."""
        person = torch.repeat_interleave(torch.arange(self.num_nodes), self.count(places))
        named = places - self.starts[person]
        named += person + 1 if self.once else (named >= person).long()
        return torch.stack([named, person])

    def count(self, places: Tensor) -> Tensor:
        """How many of the sorted ``places`` stand in each row, int64 [N]."""
        ends = torch.searchsorted(places, self.starts + self.widths)
        return torch.diff(ends, prepend=ends.new_zeros(1))


def respond(edge_index: Tensor, places: Places, keep: Tensor, lie: Tensor, generator: torch.Generator, *,
            drop: Tensor) -> Tensor:
    """Report a true bit of person v with probability ``keep[v]`` and a false one with ``lie[v]``, independently.

    :param keep: float64 [N].
    :param lie: float64 [N], below 1.
    :param drop: 1 - ``keep``, float64 [N], which has its digits where ``keep`` is near 1.
    :returns: int64 [2, R], the columns (named, person) sorted by person. O(E + R) numbers in memory.
    """
    named, person = edge_index[:, edge_index[0] > edge_index[1]] if places.once else edge_index
    true = places.index(named, person).sort().values
    in_row, draw = places.count(true), drawing(generator)
    chances = (torch.repeat_interleave(chance, in_row) for chance in (keep, drop))
    kept = true[~draw.lies(*chances, true.shape, double=True)]
    rank = sample_ranks(places.widths - in_row, lie, generator)
    # true[i] - i non-edges stand before true[i]: so many true bits come before the non-edge of each rank.
    before = torch.searchsorted(true - torch.arange(true.numel()), rank, right=True)
    return places.names(merge(kept, rank + before))


def merge(*runs: Tensor) -> Tensor:
    """All values of several tensors, sorted. NumPy's stable sort is fast on runs that are sorted already."""
    return torch.from_numpy(np.sort(torch.cat(runs).numpy(), kind="stable"))


def sample_ranks(sizes: Tensor, rates: Tensor, generator: torch.Generator) -> Tensor:
    """Choose each of ``sizes[v]`` things with probability ``rates[v]``, independently; sorted int64 ranks.

    Time and memory go with the number chosen.
    """
    return (exact_ranks if is_secret(generator) else idealised_ranks)(sizes, rates, generator)


def idealised_ranks(sizes: Tensor, rates: Tensor, generator: torch.Generator) -> Tensor:
    r"""A Poisson process runs through all things, each an interval of length :math:`-\ln(1 - rate)`, and those it
    hits are chosen: each is hit with probability ``rate``, independently."""
    hazard = -torch.log1p(-rates)
    ends, first = (hazard * sizes).cumsum(0), sizes.cumsum(0) - sizes
    total, time, chosen = float(ends[-1]), 0.0, [torch.empty(0, dtype=torch.long)]
    while time < total:
        left = total - time
        steps = torch.empty(min(int(left + 5 * math.sqrt(left)) + 16, CHUNK), dtype=torch.double)
        hits = time + steps.exponential_(generator=generator).cumsum(0)
        time = float(hits[-1])
        hits = hits[hits < total]
        row = torch.searchsorted(ends, hits, right=True)
        place = ((hits - (ends - hazard * sizes)[row]) / hazard[row]).long().clamp(min=0)
        chosen.append(first[row] + torch.minimum(place, sizes[row] - 1))  # rounding may step over an end
    return torch.cat(chosen).unique_consecutive()


def exact_ranks(sizes: Tensor, rates: Tensor, generator: torch.Generator) -> Tensor:
    """The same from secret bits. Rows with rates between two powers of two go together: the larger power chooses
    candidates of all their things alike, with geometric gaps, and each candidate is taken with the rest of its rate.
    """
    draw, first = drawing(generator), sizes.cumsum(0) - sizes
    halvings, some = (-rates.clamp(min=TINY).log2()).floor().long(), (rates > 0) & (sizes > 0)
    chosen = [torch.empty(0, dtype=torch.long)]
    for power in halvings[some].unique().tolist():
        rows, = torch.where((halvings == power) & some)
        ends = sizes[rows].cumsum(0)
        places = hits(int(ends[-1]), 2.0**-power, draw)
        row = torch.searchsorted(ends, places, right=True)
        taken = draw.happens(rates[rows[row]] * 2.0**power, row.shape)
        place, row = places[taken], row[taken]
        chosen.append(first[rows[row]] + place - (ends - sizes[rows])[row])
    return torch.cat(chosen).sort().values


def hits(count: int, chance: float, draw: Drawing) -> Tensor:
    """Each of 0..count - 1 with the same chance, independently; sorted int64."""
    if chance == 1:
        return torch.arange(count)
    found, last, hazard = [], -1, -math.log1p(-chance)
    while last < count:
        expected = (count - last) * chance
        gaps = draw.geometric(hazard, (min(int(expected + 5 * math.sqrt(expected)) + 16, CHUNK),))
        found.append(last + (gaps.clamp(max=count) + 1).cumsum(0))
        last = int(found[-1][-1])
    places = torch.cat(found)
    return places[places < count]


def noisy_degrees(degrees: Tensor, epsilon: float, generator: torch.Generator) -> Tensor:
    r"""Degrees int64 [N] plus two-sided geometric noise, clamped to 0..N-1.

    .. math:: \Pr[k] = \frac{1 - r}{1 + r}\, r^{|k|}, \qquad r = e^{-\varepsilon}

    One neighbour more or less costs :math:`\varepsilon`, and clamping is post-processing (Ghosh, Roughgarden and
    Sundararajan 2012).
    """
    draws = drawing(generator).geometric(epsilon, (2, degrees.numel()))
    return (degrees + draws[0] - draws[1]).clamp(0, degrees.numel() - 1)


def degree_weights(degree: int, n: int, t, one) -> list:
    """Of each noisy degree 0..n-1 of one person with ``degree`` of n - 1 possible neighbours; t = e^epsilon.

    The chances times t^(n - 1) (t + 1).
    """
    first, *last = clamped(degree, n, t, one)
    return [first, *(inside(abs(k - degree), n, t, one) for k in range(1, n - 1)), *last]


def inside(away, n: int, t, one):
    """The weight of a noisy degree that is so far ``away`` from the degree."""
    return t ** (n - 1 - away) * one**away * (t - one)


def clamped(degree: int, n: int, t, one) -> list:
    """The weights of noisy degrees 0 and n - 1, in which all beyond are."""
    return [t ** (n - degree) * one**degree, t ** (degree + 1) * one ** (n - 1 - degree)] if n > 1 else [1]


def degree_distribution(degree: int, epsilon: float, num_nodes: int) -> Tensor:
    """Pr[noisy degree] of one person with ``degree`` neighbours, float64 [N]: the same for many at once."""
    t, one = numbers((epsilon,))
    weights = inside((torch.arange(num_nodes, dtype=torch.double) - degree).abs(), num_nodes, t, one)
    first, *last = clamped(degree, num_nodes, t, one)
    weights[0] = first
    weights[len(weights) - len(last):] = torch.tensor(last, dtype=torch.double)
    return weights / weights.sum()
