r"""The smallest repair of GraphPrivatizer: replace a neighbour by a similar node, drawn from *all* nodes.

GraphPrivatizer draws from the neighbour's own neighbours, so what can come out depends on who went in. Here
every node but v can stand in v's list, whoever was there before. That is the exponential mechanism (McSherry
and Talwar 2007).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from scipy.optimize import brentq

from ..checks import check_count, check_features
from ..checks.parameters import Epsilon
from ..effort import Effort, Extent, comparing
from ..late import torch
from ..privacy import Guarantee
from ..waiting import steps
from .candidates import Candidates, angles, rounding
from .drawing import Drawing, drawing, is_secret
from .edge_mechanism import (
    MOST_AUDITED,
    EdgeMechanism,
    EdgeReport,
    graph_cases,
    guarantees,
    names_distribution,
    reported_names,
)
from .law import together
from .mechanism import AuditCase

if TYPE_CHECKING:
    from torch import Tensor
    from torch_geometric.data import Data

MOST_SECONDS = 600  # that the similarities of one call may take, by an estimate
SMALL = 20_000  # nodes below which all is computed with 64 bits, and a seed draws from whole rows
ENUMERATED = 40  # nodes up to which the loss is enumerated; above, it is bounded
BINS = 1_024  # of the histogram of distances that bounds it
SHARPEST = 500.0  # the largest scale, where exp(-scale) is still a number
BLOCK = 1 << 20  # numbers of 64 bits that a block may hold
NEVER = -1e9  # the score of a node that no noise brings to the front


@dataclass(frozen=True)
class ExponentialReplacement(EdgeMechanism):
    r"""Each neighbour u of v becomes a node w other than v, the more likely the closer its features are to u's.

    .. math:: \Pr[u \to w] \propto e^{-s D(u, w)}, \qquad D(u, w) = \text{angle}(x_u, x_w) / \pi, \quad D(u, u) = 0

    Proof. Another neighbour u' of v has the same candidates. For the outcome w the loss is
    :math:`s (D(u', w) - D(u, w)) + \ln Z_{u'} - \ln Z_u`, Z being the sum over all but v. Each of the two parts is at
    most s, so s = :math:`\varepsilon / 2` is enough for every x. The features are public, so their actual distances may
    be used: ``scale`` takes a larger s whose loss on them is :math:`\varepsilon`. The relation is a swapped neighbour;
    the length of a list shows, so under add/remove no finite epsilon holds.

    The server sees, for each person, as many names as she has neighbours; the graph is directed (the replacement
    speaks to v), a pair may come twice, and all degrees are kept.

    All pairs of nodes are compared once, in blocks of rows, for the scale. From ``SMALL`` nodes on that is done with 32
    bits, and the bound on the loss allows for what these round. Names are then drawn from single candidates
    (``Candidates``), and only for whom none is taken from all nodes at once. What would take more than ten minutes is
    refused, by the number of nodes and features.

    :param epsilon: budget of one swapped neighbour, > 0; ``inf`` returns the graph as it is.

    >>> x = torch.eye(5)                                  # all angles are right: D = 1/2
    >>> m = ExponentialReplacement(1.0)
    >>> from privgraph.privacy import find_guarantee
    >>> swap = find_guarantee(m.guarantees, "neighbour slot", "swap in a neighbour list")
    >>> round(m.scale(x), 6), swap.epsilon                # randomised response over 4 candidates: e^(s/2) = e
    (2.0, 1.0)
    """

    epsilon: Annotated[float, Epsilon()]

    @classmethod
    def for_edge(cls, epsilon: float) -> "ExponentialReplacement":
        """The mechanism that spends ``epsilon`` on a swapped neighbour."""
        return cls(epsilon)

    @classmethod
    def examples(cls) -> "tuple[ExponentialReplacement, ...]":
        return (cls(1.0),)

    def audit_case(self) -> AuditCase:
        x = torch.tensor([[1.0, 0.2], [0.3, 1.0], [-1.0, 0.4]])
        return graph_cases(reported_names, self.with_features(x).distribution, x)

    @property
    def silent(self) -> bool:
        """Whether epsilon is inf, so that the edges stay as they are."""
        return math.isinf(self.epsilon)

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        return guarantees(math.inf, math.inf, self.epsilon)

    def scale(self, x: Tensor) -> float:
        """s for public features x [N, d]: at least epsilon / 2, and as large as the loss on x allows (at most 500).

        :param x: float [N, d].
        """
        return self.largest(loss_function(x))

    def largest(self, loss: Callable[[float], float]) -> float:
        """The largest scale that a loss allows.

        :param loss: of a scale, as ``loss_function`` gives it.
        """
        low = high = min(self.epsilon / 2, SHARPEST)
        if loss(low) > self.epsilon:  # where only a bound is known it can be worse than the proof
            return low
        while high < SHARPEST and loss(high) <= self.epsilon:
            low, high = high, min(2 * high, SHARPEST)
        if loss(high) <= self.epsilon:
            return high
        found = brentq(lambda s: loss(s) - self.epsilon, low, high, rtol=1e-12)
        return found if loss(found) <= self.epsilon else max(low, found * (1 - 1e-9))

    def effort(self, extent: Extent) -> tuple[Extent, Effort]:
        """With the comparison of all pairs of nodes."""
        if self.silent:
            return super().effort(extent)
        check_pairs_of(extent.nodes, extent.features)
        compared = comparing(extent.nodes, extent.features, extent.nodes >= SMALL)
        return extent, super().effort(extent)[1] + compared

    def draw(self, data: Data, generator: torch.Generator) -> EdgeReport:
        """One report of every slot, by the distance of features.

        :raises ValueError: for a graph without features.
        """
        if data.x is None:
            raise ValueError("data has no features x, which say who is similar to whom")
        loss = loss_function(check_features(data.x))
        scale, (near, person) = self.largest(loss), data.edge_index
        if len(data.x) <= ENUMERATED or len(data.x) < SMALL and not is_secret(generator):
            named = from_rows(data.x, scale, near, person, generator)
        else:
            named = Candidates.among(data.x, scale, loss.nearest).names(near, person, drawing(generator))
            left, = torch.where(named < 0)
            named[left] = from_rows(data.x, scale, near[left], person[left], generator)
        return EdgeReport.sorted(torch.stack([named, person]), data.num_nodes)

    def shows(self, report: EdgeReport) -> dict:
        """What of a report is no noise: how long each list is."""
        return super().shows(report) | {"list lengths": report.lengths}

    def infer(self, report: EdgeReport) -> tuple[Tensor, None]:
        return report.edge_index, None

    def with_features(self, x: Tensor) -> "ReplacementAudit":
        """The mechanism on public features x [N <= 4, d], with its ``distribution``.

        :param x: float [N, d].
        """
        check_count(len(x), "number of nodes", high=MOST_AUDITED)
        weight = torch.exp(-self.scale(x) * all_distances(x))
        return ReplacementAudit(tuple(map(tuple, weight.tolist())))


def check_pairs_of(nodes: int, features: int) -> None:
    """Refuse what would take too long, by public sizes."""
    if (found := comparing(nodes, features, nodes >= SMALL).seconds) > MOST_SECONDS:
        raise ValueError(f"x is too large: to compare all pairs of {nodes:,} nodes by {features:,} features takes "
                         f"about {found / 60:,.0f} minutes, allowed are {MOST_SECONDS // 60}; take fewer nodes or "
                         "features, or symmetric-response, which compares nothing")


@dataclass(frozen=True)
class ReplacementAudit:
    """Replacement by given weights [n][n], for the exact audit."""

    weight: tuple[tuple[float, ...], ...]

    def row_distribution(self, v: int, friends: frozenset[int], n: int) -> dict[tuple, float]:
        """Pr[the sorted names that v sends]."""
        others = [w for w in range(n) if w != v]
        total = {u: math.fsum(self.weight[u][w] for w in others) for u in friends}
        return names_distribution({w: self.weight[u][w] / total[u] for w in others} for u in sorted(friends))

    def distribution(self, lists: tuple[frozenset[int], ...]) -> dict[tuple, float]:
        """Pr[everybody's names | lists]."""
        check_count(len(lists), "number of lists", low=len(self.weight), high=len(self.weight))
        return together(self.row_distribution(v, friends, len(lists)) for v, friends in enumerate(lists))


def distances(x: Tensor, of: Tensor | None = None) -> Iterator[tuple[Tensor, Tensor]]:
    """Blocks (rows [b], D [b, N]): angles over pi, 0 to oneself. A zero vector is at 1/2 from all others.

    :param of: the nodes whose rows are wanted, int64 [n], and then all in float64; None: all, with 32 bits where there
        are ``SMALL`` nodes or more.
    """
    unit, nodes = torch.nn.functional.normalize(x.double(), eps=1e-300), torch.arange(len(x)) if of is None else of
    size = max(1, BLOCK // max(len(x), 1))
    if of is None and len(x) >= SMALL:  # so many rows that their products, and not the reading of all, take the time
        unit, size = unit.float(), max(2 * size, x.size(1) // 8)
    for rows in steps(nodes.split(size), "blocks of nodes"):
        distance = torch.arccos((unit[rows] @ unit.t()).clamp(-1, 1)) / math.pi
        distance[torch.arange(len(rows)), rows] = 0.0
        yield rows, distance


def all_distances(x: Tensor) -> Tensor:
    """D float64 [N, N], for few nodes."""
    return torch.cat([block for _, block in distances(x)])


def loss_function(x: Tensor):
    """scale -> the privacy loss of a swap on features x: exact up to 40 nodes, an upper bound above.

    :raises ValueError: where that would take too long.
    """
    check_pairs_of(*x.shape)
    if len(x) <= ENUMERATED:
        distance = all_distances(x)
        return lambda scale: exact_loss(distance, scale)
    return LossBound.from_features(x)


def exact_loss(distance: Tensor, scale: float) -> float:
    """The largest loss over persons v, neighbours u and u', outcomes w. ``distance``: [n, n], few nodes."""
    n = len(distance)
    if n < 3:
        return 0.0  # nobody to swap with
    worst = 0.0
    for v in range(n):
        rest = distance[torch.arange(n) != v][:, torch.arange(n) != v]
        log_p = torch.log_softmax(-scale * rest, 1)
        worst = max(worst, float((log_p[:, None] - log_p).amax()))
    return worst


@dataclass(frozen=True)
class LossBound:
    r"""An upper bound on the loss from one pass over all distances, in O(N) memory.

    .. math:: s \max D + \ln \max_{u'} Z_{u'} - \ln \min_u (Z_u - e^{-s D_1(u)})

    Z here sums over all nodes, and D_1(u) is the distance from u to the nearest other one: leaving v out takes
    away at most its weight. The sums come from histograms, each distance rounded to the end of its bin that makes
    the bound larger. ``slack``: by how much 32 bits may be wrong about a cosine, and so about who is in which bin; 0
    for 64 bits.
    """

    counts: Tensor  # float32 [N, BINS]: how many nodes stand at each distance
    nearest: Tensor  # float64 [N]
    farthest: float
    slack: float = 0.0

    @classmethod
    def from_features(cls, x: Tensor) -> "LossBound":
        counts, nearest, farthest = torch.empty(len(x), BINS), torch.empty(len(x), dtype=torch.double), 0.0
        for rows, distance in distances(x):
            own = torch.arange(len(rows))
            bins = (distance * BINS).int().clamp(max=BINS - 1) + BINS * own[:, None].int()
            counts[rows] = torch.bincount(bins.flatten(), minlength=BINS * len(rows)).view(-1, BINS).float()
            farthest = max(farthest, float(distance.max()))
            distance[own, rows] = 2.0  # oneself is not another node
            nearest[rows] = distance.amin(1).double()
        slack = rounding(x, torch.float) if len(x) >= SMALL else 0.0
        ends = angles(torch.tensor([farthest], dtype=torch.double), -slack)
        return cls(counts, angles(nearest, slack), float(ends), slack)

    def __call__(self, scale: float) -> float:
        edge = torch.arange(BINS + 1, dtype=torch.double) / BINS
        near, far = torch.exp(-scale * angles(edge[:-1], self.slack)), torch.exp(-scale * angles(edge[1:], -self.slack))
        parts = [(rows.double() @ near, rows.double() @ far) for rows in self.counts.split(max(1, BLOCK // BINS))]
        most, least = (torch.cat(part) for part in zip(*parts, strict=True))
        # One's own weight is 1, not that of the far end of the first bin.
        least = least + (1 - far[0]) - torch.exp(-scale * self.nearest)
        return scale * self.farthest + math.log(float(most.max())) - math.log(float(least.min()))


def from_rows(x: Tensor, scale: float, near: Tensor, person: Tensor, generator: torch.Generator) -> Tensor:
    """For each slot a node w drawn with weight e^(-s D(u, w)) from all but the person; int64 [m].

    :param near: u, int64 [m].
    :param person: who may not be named, int64 [m].
    """
    if not len(near):
        return near
    named, order, size = near.clone(), near.argsort(stable=True), torch.bincount(near, minlength=len(x))
    ends, own = size.cumsum(0), torch.empty_like(size)
    for rows, distance in distances(x, torch.where(size)[0]):
        own[rows] = torch.arange(len(rows))
        slots = order[int(ends[rows[0]] - size[rows[0]]):int(ends[rows[-1]])]
        place = torch.arange(len(slots)) - (ends - size)[near[slots]] + (ends - size)[rows[0]]
        named[slots] = choose(-scale * distance, own[near[slots]], person[slots], place, generator)
    return named


def choose(score: Tensor, row: Tensor, barred: Tensor, place: Tensor, generator: torch.Generator) -> Tensor:
    """For each slot a node w drawn with weight e^score[row, w], but never the barred one; int64 [m].

    :param score: float64 [b, N].
    :param row: int64 [m], each slot's row.
    :param barred: int64 [m], the node it may not name.
    :param place: int64 [m], its number within the row.
    """
    if is_secret(generator):
        return pick_exactly(score, row, barred, drawing(generator))
    return pick(score.exp(), row, barred, place, generator)


def pick_exactly(score: Tensor, row: Tensor, barred: Tensor, draw: Drawing) -> Tensor:
    """The exponential mechanism as the arg max of scores with Gumbel noise: N numbers a slot, and no weight is lost."""
    picked = [torch.empty(0, dtype=torch.long)]
    for slots in torch.arange(len(row)).split(max(1, BLOCK // score.size(1))):
        own = score[row[slots]].scatter(1, barred[slots, None], NEVER)
        picked.append(draw.winners("gumbel", own, 1.0))
    return torch.cat(picked)


def pick(weight: Tensor, row: Tensor, barred: Tensor, place: Tensor, generator: torch.Generator) -> Tensor:
    """By one uniform number a slot and the sums of weights before each node, in which small weights may be lost."""
    total = weight.cumsum(1)
    below, upto = torch.where(barred > 0, total[row, (barred - 1).clamp(min=0)], 0.0), total[row, barred]
    point = torch.rand(row.shape, generator=generator, dtype=torch.double) * (below + (total[row, -1] - upto))
    point = torch.where(point < below, point, upto + (point - below))  # step over the barred node
    wanted = torch.zeros(len(weight), int(place.max()) + 1 if len(place) else 0, dtype=torch.double)
    wanted[row, place] = point
    return torch.searchsorted(total, wanted, right=True)[row, place].clamp(max=weight.size(1) - 1)
