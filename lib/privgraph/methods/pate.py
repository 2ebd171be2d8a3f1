r"""PATE: teachers on disjoint parts of the private data vote on labels (Papernot et al. 2017).

As adapted to graphs by PrivGNN's authors: *PateM* has MLP teachers, *PateG* GraphSAGE teachers, each on the edges
inside its own part. The class with the most votes, after noise on the counts, is released (LNMax).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated

import torch
import torch.nn.functional as F
from torch import Tensor

from ..checks import (
    check_count,
    check_delta,
    check_features,
    check_positive,
    check_sequence,
    check_tensor,
)
from ..checks.parameters import Choice, Count, Instance, Positive
from ..datasets import induced
from ..effort import Effort, Extent
from ..mechanisms import NoisyVotes
from ..mechanisms.noisy_arg_max import NOISES
from ..mechanisms.tape import dealt
from ..privacy import Budget
from ..randomness import coins, draw_seeds
from ..waiting import steps
from .distilled import FEWEST, QUICK, Distilled, NodeClassifier, with_labels
from .query_release import TeacherScores
from .release import unaccounted

if TYPE_CHECKING:
    from torch_geometric.data import Data


@dataclass(frozen=True)
class PATE(Distilled):
    """Hyperparameters of PATE.

    :param scale: of the noise on each vote count, 1 / lambda; it has no default, as it decides what the labels cost
        (``guarantees``): 1,000 labels at scale 1 cost a node epsilon 888 at delta 1e-5.
    :param noise: "laplace" as published, or "gumbel", with
        which many labels cost less.
    :param teachers: n, disjoint parts of the private nodes. Each node falls into one by a die of its own, so that one
        who is added, removed or replaced changes one teacher. With parts of equal size somebody must move over when a
        node is added: 12 people in 12 such parts and a thirteenth may lose 3.53 a label at scale 1, not 2 (at most 4;
        with a shuffle that is known, more). A part of fewer than 2 abstains.
    :param teacher: ``NodeClassifier("mlp")`` for PateM, ``NodeClassifier("sage")`` for PateG.

    From what the labels of 100 queries may cost to the noise that they need (``privacy.calibrate``):

    >>> from privgraph.methods import Sizes
    >>> from privgraph.privacy import calibrate
    >>> scale = calibrate(lambda scale: PATE(100, scale=scale).budget(7), epsilon=8.0, delta=1e-4, accountant="rdp")
    >>> PATE(100, scale=scale).guarantees(Sizes(1000, 7), delta=1e-4)[0].epsilon <= 8
    True
    """

    scale: Annotated[float, Positive()] = field(kw_only=True)
    teachers: Annotated[int, Count(1, within="num_nodes")] = 20
    teacher: Annotated[NodeClassifier, Instance(NodeClassifier)] = field(default_factory=lambda: NodeClassifier("mlp"))
    noise: Annotated[str, Choice(NOISES)] = "laplace"

    @classmethod
    def examples(cls) -> tuple["PATE", ...]:
        shared = dict(num_queries=3, scale=1.0, teachers=2, student=QUICK)
        return cls(**shared, teacher=replace(QUICK, kind="mlp")), cls(**shared, teacher=QUICK, noise="gumbel")

    def mechanism(self, num_classes: int) -> NoisyVotes:
        """The label of one query, of vote counts: a node changes one teacher, so one vote."""
        return NoisyVotes(self.scale, self.noise)

    def budget(self, num_classes: int) -> Budget:
        """What the labels of all queries cost, whatever the votes."""
        return Budget(self.mechanism(num_classes).steps(self.num_queries))

    CHEAPER = ("teachers", "teacher.epochs", "student.epochs")

    def teaching_effort(self, private: Extent, public: Extent) -> Effort:
        """Each teacher learns of its part, and looks at the public graph once."""
        return (self.teacher.effort(private.part(1 / self.teachers)) + self.teacher.effort(public, 1)) * self.teachers

    def teach(self, private: Data, public: Data, generator: torch.Generator, progress: bool = False) -> TeacherScores:
        """Train the teachers and count their votes [Q, C]. Not private: never release it."""
        queries, private = self.choose_queries(private, public, generator), with_labels(private)
        generators = [coins(seed) for seed in draw_seeds(generator, self.teachers)]
        votes = torch.zeros(len(queries), private.num_classes)
        part = dealt(self.teachers, private.num_nodes, generator=generator)
        for number, own_generator in enumerate(steps(generators, "teachers", progress)):
            own = induced(private, (part == number).nonzero().view(-1))
            if own.num_nodes < FEWEST:
                continue
            nodes = torch.arange(own.num_nodes)
            fitted = self.teacher.fit(own.x, own.edge_index, nodes, own.y, own.num_classes, own_generator)
            winner = fitted.predict_proba(public)[queries].argmax(1)
            votes += F.one_hot(winner, private.num_classes)
        return TeacherScores(queries=queries, scores=votes, unaccounted=unaccounted(private))


def data_dependent_epsilon(votes: Tensor, scale: float, delta: float, orders: range = range(1, 9)) -> float:
    r"""Epsilon of LNMax by the moments accountant, where teachers agree (Papernot et al. 2017, Theorems 2 and 3).

    With :math:`\lambda` = 1 / scale, a query whose noisy winner is another than the true one with probability at most
    q has the moment

    .. math:: \alpha(l) \le \ln\Big((1 - q) \Big(\frac{1 - q}{1 - e^{2\lambda} q}\Big)^l + q e^{2 \lambda l}\Big)

    if :math:`q < \frac{e^{2\lambda} - 1}{e^{4\lambda} - 1}`, and always :math:`2 \lambda^2 l (l + 1)` and
    :math:`2 \lambda l`; the least counts. Moments add over queries, and :math:`\varepsilon = \min_l (\sum \alpha(l)
    + \ln(1 / \delta)) / l`.

    This epsilon is computed from the votes, so it is *itself private*: to print it is another release, which nobody
    accounts for here. ``PATE.budget`` does not look at the votes.

    :param votes: float or int64 counts [Q, C].
    :param scale: of the Laplace noise, above 0.
    :param orders: whole numbers of at least 1, over which the least counts.
    :raises ValueError: where there is no order.
    """
    scale, delta = check_positive(scale, "scale"), check_delta(delta)
    check_features(check_tensor(votes, "votes").double(), 0, math.inf)
    if not (orders := [check_count(order, "each of orders", low=1)
                       for order in check_sequence(orders, "orders", "whole numbers")]):
        raise ValueError("orders must hold at least one order, got none")
    lam, order = 1 / scale, torch.tensor(orders, dtype=torch.float64)
    q = chance_of_another(votes, lam)[:, None]
    free = torch.minimum(2 * lam**2 * order * (order + 1), 2 * lam * order)  # of the data
    applies = q < math.expm1(2 * lam) / math.expm1(4 * lam)
    agreed = q.where(applies, 0.0)
    bound = torch.logaddexp((order + 1) * torch.log1p(-agreed) - order * torch.log1p(-math.exp(2 * lam) * agreed),
                            agreed.log() + 2 * lam * order)
    moments = torch.where(applies, torch.minimum(bound, free), free).sum(0)
    return float(((moments + math.log(1 / delta)) / order).min())


def chance_of_another(votes: Tensor, lam: float) -> Tensor:
    r"""At most how often the noisy winner is not the true one, float64 [Q] (the same paper, Lemma 4).

    .. math:: q = \sum_{j \ne j^*} \frac{2 + \lambda g_j}{4 e^{\lambda g_j}}, \qquad g_j = n_{j^*} - n_j
    """
    gaps = lam * (votes.amax(1, keepdim=True) - votes).double()
    chance = (2 + gaps) / (4 * gaps.exp())
    return (chance.sum(1) - 0.5).clamp_max(1.0)  # the winner itself has a gap of 0, and a term of 1/2
