r"""DP-SGD: training whose gradients are clipped person by person, summed and covered by noise (Abadi et al. 2016).

.. math:: g_i = \nabla_\theta \ell_i, \qquad \bar g_i = g_i \min\Big(1, \frac{C}{\lVert g_i \rVert_2}\Big), \qquad
          \tilde g = \sum_{i \in B} \bar g_i + N(0, \sigma^2 I)

B is a lot to which everybody belongs with the same chance, drawn anew and by a coin of her own in each step. Adam makes
a step of the noisy sum; only the last weights leave, though all that is said holds for all sums. The perceptron reads a
person's own features, so she is in one term of the sum; the network of one hop reads her neighbours' too, and she is in
theirs.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap

from ..checks import check_data, check_features
from ..checks.parameters import Count, Delta, Epsilon, LearningRate, Positive, Rate
from ..effort import GRADIENT, Effort, Extent, tables
from ..graph import degrees
from ..mechanisms import Gaussian, poisson_sample
from ..privacy import GaussianPair, Step, calibrate, gdp_delta, gdp_epsilon
from ..privacy.accounting import MOST_COMPOSED
from ..randomness import torch_seeded
from ..waiting import steps
from .curated import NODE, Curated, CuratedModel, CuratedRelease, Spent, check_curated
from .gap import ROUNDED, sums
from .method import Sizes

if TYPE_CHECKING:
    from torch_geometric.data import Data


@lru_cache(64)
def noise_multiplier(epsilon: float, delta: float, rate: float, lots: int) -> float:
    """Standard deviations of noise, in units of what a person moves, so that all lots cost at most epsilon."""
    return calibrate(lambda scale: [Step(GaussianPair(scale, rate), lots)], epsilon, delta)


class Small(nn.Sequential):
    """A perceptron of one hidden layer that looks at each row by itself: nothing is normalised over a lot."""

    def __init__(self, num_features: int, hidden: int, num_classes: int, generator: torch.Generator):
        with torch_seeded(generator):
            super().__init__(nn.Linear(num_features, hidden), nn.Tanh(), nn.Linear(hidden, num_classes))


@dataclass(frozen=True)
class NoisyGradients(Curated):
    """What the two have in common. A kind says what the network reads of each person (``read``), and by how many clip
    lengths a person moves the sum (``moves``).

    :param epsilon: of a node that is added or removed; ``inf`` adds no noise.
    :param delta: its other half.
    :param clip: C, the longest that a person's gradient may be.
    :param hidden: width of the hidden layer.
    :param learning_rate: of Adam.
    """

    epsilon: Annotated[float, Epsilon()] = 8.0
    delta: Annotated[float, Delta()] = 1e-5
    clip: Annotated[float, Positive()] = 1.0
    _: KW_ONLY
    hidden: Annotated[int, Count(1)] = 16
    learning_rate: Annotated[float, LearningRate()] = 0.02

    PUBLIC = ("num_features", "num_classes")

    @property
    @abstractmethod
    def lots(self) -> int:
        """How many steps there are."""

    @property
    @abstractmethod
    def moves(self) -> int:
        """By how many clip lengths one node moves the sum, at most."""

    @property
    def lot_rate(self) -> float:
        """With which chance somebody is in a lot."""
        return 1.0

    def training_effort(self, extent: Extent) -> Effort:
        """A gradient for each person in each lot that she is in."""
        return gradient_effort(extent.nodes, (extent.features, self.hidden, extent.classes), self.lots * self.lot_rate,
                               self.lot_rate)

    @property
    def noise(self) -> Gaussian:
        """Of one step."""
        if math.isinf(self.epsilon):
            return Gaussian(math.inf, self.delta, self.moves * self.clip, *NODE, "central")
        if self.lot_rate < 1 and self.lots > MOST_COMPOSED:
            raise ValueError(f"rate must be so large that there are at most {MOST_COMPOSED} steps, epochs / rate, and "
                             f"not {self.lots}, got {self.lot_rate:g}")
        multiplier = noise_multiplier(self.epsilon, self.delta, self.lot_rate, self.lots)
        alone, delta = gdp_epsilon(1 / multiplier, self.delta), self.delta
        if not alone:  # delta pays for the whole step; the same noise has an epsilon at a smaller one
            delta = gdp_delta(1 / multiplier, 0.0) / 2
            alone = gdp_epsilon(1 / multiplier, delta)
        return Gaussian(alone * (1 - ROUNDED), delta, self.moves * self.clip, *NODE, "central")

    def steps(self, sizes: Sizes) -> Spent:
        """A Gaussian for each lot; the class has the proof."""
        if math.isinf(self.epsilon):
            return {NODE: None}
        pair = self.noise.pair
        return {NODE: (Step(GaussianPair(pair.sigma, self.lot_rate), self.lots),)}

    def train(self, data: Data, generator: torch.Generator, progress: bool = False) -> CuratedRelease:
        """Weights after the last step; no epoch is selected, as that would ask labels again."""
        check_curated(data, generator, least=0)
        network = Small(data.x.size(1), self.hidden, data.num_classes, generator)
        rows, known, noise = self.read(data), data.train_mask & (data.y >= 0), self.noise
        optimiser = torch.optim.Adam(network.parameters(), lr=self.learning_rate)
        for _ in steps(range(self.lots), "steps", progress):
            lot = known if self.lot_rate == 1 else known & poisson_sample(self.lot_rate, len(known),
                                                                           generator=generator)
            noisy = noise(self.sum_of(network, rows[lot], data.y[lot]), generator=generator)
            step(network, noisy / self.clip, optimiser)
        return self.release(data, generator, **{name: part.detach().clone() for name, part in
                                                network.named_parameters()})

    def sum_of(self, network: Small, rows: Tensor, y: Tensor) -> Tensor:
        """The clipped gradients of a lot, added up: float64 [P]."""
        return clipped(gradients(network, rows, y), self.clip).sum(0)

    def prepare(self, release: CuratedRelease, generator: torch.Generator) -> CuratedModel:
        hidden, num_features = release.tensors["0.weight"].shape
        network = Small(num_features, hidden, release.num_classes, generator)
        network.load_state_dict(release.tensors)
        return self.model(release, network, None)


def gradient_effort(nodes: int, widths: tuple[int, int, int], uses: float, rate: float = 1.0) -> Effort:
    """Of the gradients of half of the nodes, who are in training, each by itself and with 64 bits.

    :param widths: of what the network reads, of its hidden layer, and of what it says.
    :param uses: in how many lots each node is.
    :param rate: which share of them is in a lot at once.
    """
    first, hidden, last = widths
    numbers = nodes / 2 * ((first + 1) * hidden + (hidden + 1) * last)
    return Effort(uses * numbers * GRADIENT, tables(rate * numbers))


def gradients(network: nn.Module, rows: Tensor, y: Tensor) -> Tensor:
    """The gradient of each example's cross-entropy by itself, float64 [n, P]; all examples at once.

    In single precision, how a product is rounded, and so everybody's gradient, may hang on how many are in the lot.

    >>> network = Small(2, 3, 2, torch.Generator())
    >>> gradients(network, torch.ones(4, 2), torch.tensor([0, 1, 0, 1])).shape
    torch.Size([4, 17])
    """
    weights = {name: part.detach().double() for name, part in network.named_parameters()}
    if not len(rows):
        return torch.zeros(0, sum(part.numel() for part in weights.values()), dtype=torch.double)
    def loss(weights, row, label):
        return F.cross_entropy(functional_call(network, weights, (row[None],)), label[None])
    each = vmap(grad(loss), in_dims=(None, 0, 0))(weights, rows.double(), y)
    return torch.cat([part.flatten(1) for part in each.values()], 1)


def clipped(rows: Tensor, most: float) -> Tensor:
    """Each row at most so long; one that is not finite is 0, so that nobody's record shows in others' steps."""
    length = rows.norm(dim=1, keepdim=True)
    return torch.where(length.isfinite(), rows * (most / length.clamp(min=most)), 0.0)


def step(network: nn.Module, gradient: Tensor, optimiser: torch.optim.Optimizer) -> None:
    """One step of Adam, to which the scale of a gradient is all one: so nothing is divided by the size of a lot, which
    is private."""
    parameters = list(network.parameters())
    for part, own in zip(parameters, gradient.split([part.numel() for part in parameters]), strict=True):
        part.grad = own.view_as(part).to(part.dtype)
    optimiser.step()


@dataclass(frozen=True)
class DPSGD(NoisyGradients):
    r"""A perceptron of each person's own features: no edge is read.

    **What holds.** Epsilon at delta for a node, her features, label, masks and edges, that is added or removed.
    *Proof.* Initial weights and Adam's state come from public coins and from noisy sums. Given the noisy sums before,
    the weights are the same in both graphs, and so is everybody else's gradient, as it reads her record alone. With
    her coin, which nobody sees, she is in a lot with chance q and then moves the sum by at most C; else the sum is
    the same. So one step is dominated by Gaussian noise after Poisson sampling,
    :math:`(1 - q) N(0, \sigma^2) + q N(C, \sigma^2)` against :math:`N(0, \sigma^2)` (Zhu, Dong and Wang 2022, Theorem
    11), and all steps by their composition. Who is in no training mask, or has no label, is in a lot all the same and
    moves nothing. Masks come with people: nobody's hangs on another's.

    :param rate: q, with which chance somebody is in a lot.
    :param epochs: how often somebody is in a lot on average: there are epochs / rate steps.

    >>> from privgraph.methods import Sizes
    >>> held, = DPSGD(epsilon=2.0).guarantees(Sizes(0))
    >>> held.unit, held.relation, 1.9 < held.epsilon <= 2
    ('node', 'add/remove', True)
    """

    rate: Annotated[float, Rate()] = 0.1
    _: KW_ONLY
    epochs: Annotated[int, Count(1)] = 10

    moves = 1

    @classmethod
    def examples(cls):
        return cls(rate=0.5, hidden=3, epochs=1), cls(2.0, 1e-3, 0.1, rate=1.0, hidden=2, epochs=2)

    @property
    def lot_rate(self) -> float:
        return self.rate

    @property
    def lots(self) -> int:
        return round(self.epochs / self.rate)

    def read(self, data: Data) -> Tensor:
        """Everybody's features, as a row of length 1.

        :returns: float32 [N, d].
        """
        return F.normalize(check_features(check_data(data, "x").x).float(), dim=1)


@dataclass(frozen=True)
class OneHopGCN(NoisyGradients):
    r"""A network of one hop: it reads the mean of a person's features and her neighbours',

    .. math:: a_v = \frac{1}{1 + d_v} \Big(x_v + \sum_{u \in N(v)} x_u\Big), \qquad d_v = |N(v)| \le D

    **What holds.** Epsilon at delta for a node that is added or removed, where *nobody has more than D neighbours
    before and after*: D is promised, and known beforehand. *Proof.* Given the noisy sums before, the weights are the
    same in both graphs. A node w is in her own term of the sum, of length at most C, and in :math:`a_v` of her
    neighbours only, at most D: their number of neighbours and their sum are others, and their terms may turn from any
    gradient of length C to any other, which is 2 C. All other terms are the same: :math:`d_v` of theirs does not know
    of her. Together the sum moves by at most :math:`(2D + 1) C`, and T steps cost what one Gaussian whose mean moves
    by :math:`\sqrt T (2D + 1) C / \sigma` costs.

    Each condition is needed. With the symmetric weights :math:`1 / \sqrt{d_u d_v}` the terms of neighbours' neighbours
    move too. A bound that people keep by leaving names out *refills*: where w goes, each of her neighbours may hear, or
    be heard by, another instead, and a hub has many. And plain DP-SGD, which pays for C, is too cheap by 2 D + 1.

    Everybody is in each step. The amplification by lots of ``DPSGD`` would not hold: neighbours' terms move whether or
    not w is drawn herself.

    :param bound: D, how many neighbours anybody may have. A graph with more is refused.
    :param epochs: how many steps there are.
    """

    bound: Annotated[int, Count(within="num_nodes")] = 5
    _: KW_ONLY
    epochs: Annotated[int, Count(1)] = 100

    @classmethod
    def examples(cls):
        return (cls(bound=3, hidden=3, epochs=2),)

    @property
    def lots(self) -> int:
        return self.epochs

    @property
    def moves(self) -> int:
        return 2 * self.bound + 1

    def read(self, data: Data) -> Tensor:
        """a_v, a row for each person.

        :returns: float32 [N, d].
        """
        x, degree = F.normalize(check_features(check_data(data, "x").x).float(), dim=1), degrees(
            data.edge_index, data.num_nodes)
        check_bound(data, self.bound)
        return (x + sums(x, data.edge_index)) / (1 + degree)[:, None]


def check_bound(data: Data, bound: int) -> None:
    """Refuse a graph that does not keep a promise about it, in the same words whatever it is."""
    if (degrees(data.edge_index, data.num_nodes) > bound).any():
        raise ValueError("bound must be at least everybody's number of neighbours, as what is stated holds for graphs "
                         f"of which that is known beforehand, got {bound}")
