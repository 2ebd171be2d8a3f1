r"""Draw from all nodes by a weight that falls with distance, without a look at most of them.

One node is proposed after the other, and taken with the chance that is missing to its weight. Who is proposed and who
is taken make up the law exactly; where nobody was taken nothing is known of the outcome, and it may be drawn otherwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..late import torch
from .drawing import Drawing

if TYPE_CHECKING:
    from torch import Tensor

TRIES = 200  # nodes that are proposed for a slot
BLOCK = 1 << 20  # numbers that the vectors of a block of proposals may hold


def rounding(x: Tensor, dtype: torch.dtype) -> float:
    """By how much a cosine of rows of x [N, d] may be wrong, generously, that was computed in ``dtype``, and an angle
    of it too."""
    return (x.size(1) + 20) * torch.finfo(dtype).eps


def angles(distance: Tensor, slack: float) -> Tensor:
    """Angles over pi [...] whose cosines are larger by ``slack``: smaller angles, and larger where it is below 0.

    >>> angles(torch.tensor([0.5, 0.001]), 1e-3)
    tensor([0.4997, 0.0000])
    """
    return distance if slack == 0 else torch.arccos((torch.cos(math.pi * distance) + slack).clamp(-1, 1)) / math.pi


@dataclass(frozen=True, eq=False)
class Candidates:
    r"""Nodes w for a slot of neighbour u, in the list of v, with weight :math:`e^{-s D(u, w)}`, and never v.

    With c at least the largest weight of another node than u: u itself is proposed with probability
    :math:`1 / (1 + (n - 2) c)`, and taken; else one of the n - 2 others, all alike, and taken with probability
    :math:`e^{-s D(u, w)} / c`. So all are named in proportion to their weights.

    :param unit: float64 [N, d], rows of length 1.
    :param scale: s.
    :param below: float64 [N], at most the distance of each node to the nearest other one, so that c is
        :math:`e^{-s\,\text{below}}`.
    """

    unit: Tensor
    scale: float
    below: Tensor

    @classmethod
    def among(cls, x: Tensor, scale: float, nearest: Tensor) -> Candidates:
        """The nodes with features x [N, d].

        :param nearest: float64 [N], the distance to the nearest other node, as it was computed.
        """
        return cls(torch.nn.functional.normalize(x.double(), eps=1e-300), scale,
                   angles(nearest, rounding(x, torch.double)))

    def names(self, near: Tensor, person: Tensor, draw: Drawing) -> Tensor:
        """For each slot a node, or -1 where none of ``TRIES`` was taken; int64 [m].

        :param near: u, int64 [m].
        :param person: v, int64 [m], never u.
        """
        named, left = torch.full_like(near, -1), torch.arange(len(near))
        for _ in range(TRIES):
            if not len(left):
                break
            found = self.proposed(near[left], person[left], draw)
            taken = draw.happens(self.chance(near[left], found), found.shape)
            named[left[taken]] = found[taken]
            left = left[~taken]
        return named

    def proposed(self, near: Tensor, person: Tensor, draw: Drawing) -> Tensor:
        """One node for each slot."""
        others = len(self.unit) - 2
        odds = others * torch.exp(-self.scale * self.below[near])
        other = draw.lies(1 / (1 + odds), odds / (1 + odds), near.shape, double=True)
        found = draw.integers(0, others, near.shape)
        for passed in (torch.minimum(near, person), torch.maximum(near, person)):
            found += found >= passed
        return torch.where(other, found, near)

    def chance(self, near: Tensor, found: Tensor) -> Tensor:
        """That a proposed node is taken, float64 [m]."""
        size = max(1, BLOCK // max(1, self.unit.size(1)))
        cosine = torch.cat([torch.empty(0, dtype=torch.double), *(
            (self.unit[u] * self.unit[w]).sum(1) for u, w in zip(near.split(size), found.split(size), strict=True))])
        distance = torch.arccos(cosine.clamp(-1, 1)) / math.pi
        return torch.where(near == found, 1.0, torch.exp(-self.scale * (distance - self.below[near])).clamp(max=1))
