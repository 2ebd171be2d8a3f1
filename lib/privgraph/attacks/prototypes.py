"""What published prototypes tell about the graphs they are the means of, to somebody who has the encoder.

The dissertation's chapter 5 names graphs by a vector for each class, the mean of its K support graphs (eq. 5.3). It
publishes accuracies only; whoever lets others name graphs hands these vectors out. Few graphs are what gives them
away: of one graph the prototype *is* the vector. The attacker has candidates, of which she makes vectors with the same
encoder, and asks which of them are in the mean; of few shots she finds the whole set. She reads prototypes [ways, d]
and no support graph.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from ..checks import check_count, check_function, check_generator, check_labels, check_number, check_positive
from ..methods import prototypes
from .uploads import finite
from .worlds import support_sets, tried_on

RIDGE = 1e-6  # of the mean variance, for directions in which no vector moves
MOST_SETS = 500_000  # half sets of candidates that are summed, and MOST_PAIRS of them that are looked at
MOST_PAIRS = 20_000_000


@tried_on(support_sets)
def prototype_closeness(published: Tensor, z: Tensor, y: Tensor) -> Tensor:
    """Minus the distance of each candidate from the prototype of its class: a mean lies near what it is made of.

    It also lies near whatever is typical of the class, which ``support_membership`` makes allowance for.

    :param published: prototypes, float [ways, d].
    :param z: the candidates' vectors, float [n, d].
    :param y: int64 [n], their classes.
    :returns: float64 [n], higher = more likely in the support set of its class.
    """
    published, z = checked(published, z, y)
    return -(z - published[y]).norm(dim=1)


@tried_on(support_sets)
def support_membership(published: Tensor, z: Tensor, y: Tensor, shots: int = 2, sigma: float = 0.0) -> Tensor:
    r"""How much better each candidate explains the prototype of its class than a stranger would.

    With residuals from the class means :math:`\mu_c` of the candidates, r of the candidate and e of the prototype, the
    common covariance S and noise of standard deviation :math:`\sigma`, e has the law :math:`N(0, A)` where the
    candidate is not in the mean, and :math:`N(r/K, B)` where it is, were vectors normal:

    .. math:: A = \frac{S}{K} + \sigma^2 I, \qquad B = \frac{K-1}{K^2} S + \sigma^2 I

    The log of the quotient of these densities is, up to a constant and a factor 2,

    .. math:: e^\top A^{-1} e - (e - r/K)^\top B^{-1} (e - r/K)

    No score finds more members at equal false alarms, were they normal (Neyman and Pearson). Without noise it is, times
    :math:`K - 1` and with :math:`S = I`, :math:`2 K \langle e, r \rangle - K \lVert e \rVert^2 - \lVert r \rVert^2`:
    with one shot minus the squared distance, and 0 for the member alone.

    :param published: prototypes, float [ways, d].
    :param z: the candidates' vectors, float [n, d]; some of each class.
    :param y: int64 [n], their classes.
    :param shots: K, how many graphs each prototype is the mean of (public).
    :param sigma: standard deviation of noise on each coordinate of a prototype (public); what clips a vector before it
        is averaged must have clipped ``z`` too.
    :returns: float64 [n], higher = more likely in the support set of its class.
    """
    check_count(shots, "shots", low=1), check_number(sigma, "sigma", low=0, open_high=True)
    published, z = checked(published, z, y)
    means = prototypes(z, y, len(published))
    r, e = z - means[y], published - means
    spread = r.T @ r / len(r)
    ridge = RIDGE * spread.diagonal().mean().clamp(min=torch.finfo(z.dtype).eps)
    widths, axes = torch.linalg.eigh(spread + ridge * torch.eye(len(spread), dtype=z.dtype))
    r, e = r @ axes, (e @ axes)[y]
    if sigma == 0:
        return ((2 * shots * e * r - shots * e.square() - r.square()) / widths).sum(1)
    stranger, member = (part + sigma**2 for part in (widths / shots, (shots - 1) / shots**2 * widths))
    return (e.square() / stranger - (e - r / shots).square() / member).sum(1)


def support_trials(z: Tensor, y: Tensor, shots: int, tasks: int, generator: torch.Generator, *,
                   attack: Callable[[Tensor, Tensor, Tensor], Tensor] | None = None,
                   publish: Callable[[Tensor, Tensor, int], Tensor] = prototypes) -> tuple[Tensor, Tensor]:
    """Support sets are drawn from each class, their prototypes published, and the attacker is asked about all graphs.

    One graph is asked about in every task, so answers are not independent: an interval over all of them
    (``evaluate_attack``) speaks of these graphs. For one over tasks evaluate each row by itself.

    :param z: vectors of graphs, float [n, d].
    :param y: int64 [n], classes 0, 1, ...; more than ``shots`` graphs of each.
    :param shots: graphs in each support set.
    :param tasks: how often sets are drawn.
    :param attack: from (prototypes, z, y) to scores [n]; by default ``support_membership`` with these shots.
    :param publish: from vectors, classes and ways to prototypes: the place for noise.
    :returns: scores float [tasks, n] and members bool [tasks, n].
    :raises ValueError: where a class has no more than ``shots`` graphs.
    """
    check_count(shots, "shots", low=1), check_count(tasks, "tasks", low=1), check_generator(generator)
    z, counts = finite(z, "z", None, 2), torch.bincount(check_labels(y, None))
    if len(y) != len(z) or (counts <= shots).any():
        raise ValueError(f"y must name a class for each of {len(z)} rows of z, and more than shots = {shots} of each, "
                         f"got {len(y)} with {counts.tolist()} of each")
    attack = attack or (lambda published, z, y: support_membership(published, z, y, shots))
    check_function(attack, "attack", "published", "z", "y"), check_function(publish, "publish", "z", "y", "ways")
    scores, members = [], []
    for _ in range(tasks):
        order = (y + torch.rand(len(y), generator=generator, dtype=torch.float64)).argsort()  # class by class
        place = torch.arange(len(y)) - (counts.cumsum(0) - counts)[y[order]]
        members.append(torch.zeros_like(y, dtype=torch.bool).index_put((order,), place < shots))
        scores.append(attack(publish(z[members[-1]], y[members[-1]], len(counts)), z, y))
    return torch.stack(scores), torch.stack(members)


@dataclass(frozen=True, eq=False)
class Recovered:
    """All sets of candidates whose mean is a published one: ``sets`` int64 [m, K], each in order.

    One is an answer. None: the support set is not among the candidates. Of several, one at most is the support set,
    and no more can be said than what is ``certain``.
    """

    sets: Tensor

    @property
    def unique(self) -> bool:
        """Whether one set alone fits."""
        return len(self.sets) == 1

    @property
    def certain(self) -> Tensor:
        """The candidates that are in each set that fits, int64 [k]."""
        found, times = self.sets.unique(return_counts=True)
        return found[times == len(self.sets)]


def recover_support(published: Tensor, pool: Tensor, shots: int = 4, tolerance: float = 1.0) -> list[Recovered]:
    r"""For each prototype all sets of ``shots`` candidates with this mean, by meeting in the middle.

    K p is a sum of two halves. Sums of all half sets, :math:`\binom{n}{\lceil K/2 \rceil}` for
    :math:`\binom{n}{K}` whole ones, are put in order along the direction in which candidates differ most; for each
    sum the other halves that complete it are looked up there, and compared in every coordinate.

    A mean of K floats is off by at most :math:`K u \max |z|` in each coordinate (u is half the spacing of floats at
    1). So no set that was published is missed within :math:`K^2 2 u \max |z|` of K p, which leaves as much again for
    an encoder that adds in another order.

    :param published: prototypes, float [ways, d].
    :param pool: the candidates' vectors, float [n, d]; with few directions, or twice the same vector, many sets fit.
    :param shots: K, how many graphs each prototype is the mean of (public).
    :param tolerance: in multiples of that bound.
    :returns: of each prototype ``Recovered``.
    :raises ValueError: for vectors of another length than the prototypes', and for too many sets.

    >>> pool = torch.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [5.0, 1.0], [7.0, 3.0]])
    >>> recover_support(pool[[0, 2, 3, 4]].mean(0, keepdim=True), pool)[0].sets.tolist()
    [[0, 2, 3, 4]]
    """
    check_positive(tolerance, "tolerance")
    pool, published = finite(pool, "pool", None, 2), finite(published, "published", None, 2)
    if pool.size(1) != published.size(1):
        raise ValueError(f"published must have {pool.size(1)} columns as the pool has, got {published.size(1)}")
    check_count(shots, "shots", low=1, high=len(pool))
    sizes = shots // 2, shots - shots // 2
    if (count := math.comb(len(pool), sizes[1])) > MOST_SETS:
        raise ValueError(f"pool must have at most {MOST_SETS} sets of {sizes[1]}, half of shots, "
                         f"got {count} of {len(pool)} candidates")
    spacing = max(torch.finfo(each.dtype).eps for each in (published, pool))
    published, pool = published.double(), pool.double()
    off = tolerance * shots**2 * spacing * float(pool.abs().max())
    halves = [subsets(len(pool), size) for size in sizes]
    sums = [pool[half].sum(1) for half in halves]
    widest = torch.linalg.svd(pool - pool.mean(0), full_matrices=False).Vh[0]
    return [Recovered(joined(halves, *completing(sums, shots * each, off, widest))) for each in published]


def subsets(n: int, size: int) -> Tensor:
    """All sets of so many of 0..n-1, int64 [m, size]; of none there is one."""
    return torch.combinations(torch.arange(n), size) if size else torch.zeros(1, 0, dtype=torch.long)


def completing(sums: list[Tensor], target: Tensor, off: float, direction: Tensor) -> tuple[Tensor, Tensor]:
    """Numbers of the two halves' sums that add up to ``target`` [d], within ``off`` in each coordinate."""
    first, (ordered, order) = (target - sums[0]) @ direction, (sums[1] @ direction).sort()
    reach = off * float(direction.abs().sum())
    low, high = torch.searchsorted(ordered, first - reach), torch.searchsorted(ordered, first + reach, right=True)
    counts = high - low
    if (total := int(counts.sum())) > MOST_PAIRS:
        raise ValueError(f"pool must have vectors that differ: at most {MOST_PAIRS} pairs of sums can be compared, "
                         f"got {total} that agree in the direction of most difference")
    left = torch.arange(len(first)).repeat_interleave(counts)
    right = order[torch.arange(total) - (counts.cumsum(0) - counts - low)[left]]
    for column in range(len(target)):
        near = (sums[0][left, column] + sums[1][right, column] - target[column]).abs() <= off
        left, right = left[near], right[near]
    return left, right


def joined(halves: list[Tensor], left: Tensor, right: Tensor) -> Tensor:
    """The sets that two halves make which share nobody, each once and in order, int64 [m, shots]."""
    sets = torch.cat([halves[0][left], halves[1][right]], 1).sort(1).values
    return sets[(sets[:, 1:] > sets[:, :-1]).all(1)].unique(dim=0)


def checked(published: Tensor, z: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Prototypes and candidates in float64."""
    z = finite(z, "z", None, 2)
    published = finite(published, "published", None, 2)
    if published.size(1) != z.size(1) or len(check_labels(y, len(published))) != len(z):
        raise ValueError(f"published, z and y must agree in columns and rows, got {list(published.shape)}, "
                         f"{list(z.shape)} and {len(y)} labels")
    return published.double(), z.double()
