"""Skip-gram with negative sampling: vectors from which one can tell which nodes meet on walks (Mikolov et al. 2013)."""

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call

from ..checks import (
    check_count,
    check_features,
    check_flag,
    check_function,
    check_generator,
    check_learning_rate,
    check_mask,
    check_nodes,
    check_tensor,
)
from ..waiting import steps
from .lazy_adam import LazyAdam
from .training import History

POWER = 0.75  # negatives are drawn in proportion to count^POWER
SHARED = 64  # negatives drawn for a step, which all its pairs share
STEPS, LARGEST = 100, 64  # an epoch has at least so many steps, each of at most so many walks
FEW = 4  # from so many times the rows that a step reads on, a table is not computed with whole; at 4 both cost alike


class SkipGram(nn.Module):
    """Two tables: what a node is as the centre of a window, and what it is as the context of another.

    ``vectors`` and ``contexts`` are parameters [N, d], copies of what was handed in. Training goes on from what they
    hold, so a row may be another before: ``model.vectors.data[nodes] = rows``.

    :param vectors: float [N, d].
    :param contexts: float [N, d].
    """

    def __init__(self, vectors: Tensor, contexts: Tensor):
        super().__init__()
        if check_features(vectors).shape != check_features(contexts).shape:
            raise ValueError(f"contexts must have the shape of vectors, {list(vectors.shape)}, "
                             f"got {list(contexts.shape)}")
        self.vectors, self.contexts = (nn.Parameter(table.detach().clone()) for table in (vectors, contexts))

    @classmethod
    def initial(cls, num_nodes: int, dimension: int, generator: torch.Generator) -> "SkipGram":
        """As word2vec begins: vectors uniform in -1/(2d)..1/(2d), contexts zero.

        :param dimension: d, numbers of a vector.
        """
        num_nodes, dimension = check_count(num_nodes, "num_nodes", low=1), check_count(dimension, "dimension", low=1)
        uniform = torch.rand(num_nodes, dimension, generator=check_generator(generator), device=generator.device)
        return cls((uniform - 0.5) / dimension, torch.zeros_like(uniform))

    @torch.no_grad()
    def balance(self) -> None:
        """Share out between the tables so that vectors' vectors = contexts' contexts; each score u_c . v_o stays.

        The loss knows scores only, and (U M) (V M^-T)' = U V' for every invertible M. Plain gradient descent keeps
        U'U - V'V as it is. Adam does not: each time that it starts anew it makes one table longer and the other
        shorter, in some directions more than in others, and distances between vectors move though no score does. Up
        to a rotation there is one balanced pair of tables, and of these it takes the one nearest to the vectors.
        """
        (left, r), (right, s) = (torch.linalg.qr(table.double()) for table in (self.vectors, self.contexts))
        u, scale, v = torch.linalg.svd(r @ s.t())
        vectors, contexts = left @ (u * scale.sqrt()), right @ (v.t() * scale.sqrt())
        turned, _, back = torch.linalg.svd(vectors.t() @ self.vectors.double(), full_matrices=False)
        turn = turned @ back
        self.vectors.copy_(vectors @ turn), self.contexts.copy_(contexts @ turn)

    def forward(self, walks: Tensor, negatives: Tensor, near: Tensor, count: float) -> Tensor:
        r"""The mean over all pairs (c, o) of a centre and a context in its window of

        .. math:: -\log\sigma(u_c \cdot v_o) - \frac{k}{|S|} \sum_{s \in S} \log\sigma(-u_c \cdot v_s)

        :param walks: int64 [W, L].
        :param negatives: S, int64 [K], drawn for all pairs together: k of its own for each would be as much on average.
        :param near: which positions are in whose window, float [L, L] (``in_window``).
        :param count: k, the negatives that a pair counts for.
        """
        u, v = F.embedding(walks, self.vectors), F.embedding(walks, self.contexts)  # [W, L, d]
        met = (F.softplus(-(u @ v.transpose(1, 2))) * near).sum()
        apart = (F.softplus(u @ F.embedding(negatives, self.contexts).t()).sum(2) * near.sum(1)).sum()
        return (met + apart * count / len(negatives)) / (len(walks) * near.sum())


def in_window(length: int, window: int) -> Tensor:
    """Which positions of a walk lie at most ``window`` from which others, bool [length, length]; none from itself.

    :param length: nodes of a walk.

    >>> in_window(4, 1).nonzero().tolist()
    [[0, 1], [1, 0], [1, 2], [2, 1], [2, 3], [3, 2]]
    """
    place = torch.arange(check_count(length, "length", low=2))
    away = (place[:, None] - place).abs()
    return (away > 0) & (away <= check_count(window, "window", low=1))


def train_skipgram(model: SkipGram, walks: Callable[[torch.Generator], Tensor], *, window: int, negatives: int,
                   epochs: int, learning_rate: float, generator: torch.Generator, batch: int | None = None,
                   held: Tensor | None = None, progress: bool = False) -> History:
    """Adam on the pairs of walks, at a rate that falls linearly to zero; the tables of ``model`` change.

    The window is whole, as in the paper on DeepWalk (word2vec draws its width anew for each centre). A negative is
    drawn in proportion to its count in the walks to the power .75, and may by chance be a context of the centre.

    An epoch costs in proportion to its walks and to the nodes. Where a step reads at most a quarter of the rows, the
    others wait, and catch up when they are read. That gives the numbers of dense Adam but for rounding and for how its
    epsilon weighs, which ``lazy_adam`` states.

    :param walks: the walks of an epoch, int64 [W, L], drawn with ``generator``: new ones each time, or the same.
    :param window: how many nodes to either side are contexts, at least 1.
    :param negatives: how many negatives a pair counts for, at least 1.
    :param batch: walks a step; by default a hundredth of an epoch's, from 1 to 64: small graphs need steps too.
    :param held: bool [N], nodes whose rows stay as they are, in both tables.
    :returns: the mean loss of a pair in each epoch.
    :raises ValueError: names the argument, what came and what is allowed.
    """
    check_count(window, "window", low=1), check_count(negatives, "negatives", low=1)
    check_count(epochs, "epochs", low=1), check_flag(progress, "progress")
    check_learning_rate(learning_rate, "learning_rate"), check_generator(generator), check_function(walks, "walks", "g")
    if batch is not None:
        check_count(batch, "batch", low=1)
    if held is not None:
        check_mask(held, "held", len(model.vectors))
    stepper: WholeTables | TouchedRows | None = None
    history = History(best_epoch=epochs - 1)
    for epoch in steps(range(epochs), "training", progress):
        drawn = check_walks(walks(generator), len(model.vectors))
        near = in_window(drawn.size(1), window).to(model.vectors)
        size = batch or max(1, min(LARGEST, len(drawn) // STEPS))
        stepper = stepper or stepping(model, size * drawn.size(1) + SHARED)(model, held)
        total, order = 0.0, torch.randperm(len(drawn), generator=generator).split(size)
        stepper.begin([learning_rate * (1 - (epoch + step / len(order)) / epochs) for step in range(len(order))])
        for rows, unmet in zip(order, noise(drawn, len(order), model, generator), strict=True):
            total += stepper.step(drawn[rows], unmet, near, negatives) * len(rows)
        stepper.end()
        history.train.append(total / len(drawn))
    return history


def check_walks(walks: Tensor, num_nodes: int) -> Tensor:
    """Walks of at least two nodes, at least one of them."""
    if check_tensor(walks, "walks").dim() != 2 or walks.size(0) < 1 or walks.size(1) < 2:
        raise ValueError("walks must be an int64 tensor of shape [W, L], at least one walk of at least two nodes, "
                         f"got shape {list(walks.shape)}")
    check_nodes(walks.flatten(), num_nodes, "walks")
    return walks


def noise(walks: Tensor, steps: int, model: SkipGram, generator: torch.Generator) -> Tensor:
    """Negatives for each step of an epoch, int64 [steps, SHARED]."""
    weight = torch.bincount(walks.flatten(), minlength=len(model.vectors)).double() ** POWER
    return torch.multinomial(weight, steps * SHARED, replacement=True, generator=generator).view(steps, SHARED)


class WholeTables:
    """Steps that read and move all rows."""

    def __init__(self, model: SkipGram, held: Tensor | None):
        self.model, self.held, self.optimiser = model, held, torch.optim.Adam(model.parameters())

    def begin(self, rates: Sequence[float]) -> None:
        self.rates = iter(rates)

    def step(self, walks: Tensor, negatives: Tensor, near: Tensor, count: float) -> float:
        """The loss before the step."""
        self.optimiser.param_groups[0]["lr"] = next(self.rates)
        loss = self.model(walks, negatives, near, count)
        take(self.optimiser, loss, self.held)
        return float(loss.detach())

    def end(self) -> None:
        """Nothing is left to do."""


class TouchedRows:
    """The same steps, to rounding, where each reads few rows: only these are computed with."""

    def __init__(self, model: SkipGram, held: Tensor | None):
        self.names, tables = zip(*model.named_parameters(), strict=True)  # of one table for both there is one name
        self.model, self.held, self.optimiser = model, held, LazyAdam(tables)
        self.begin, self.end = self.optimiser.begin, self.optimiser.end

    def step(self, walks: Tensor, negatives: Tensor, near: Tensor, count: float) -> float:
        """The loss before the step."""
        rows, place = torch.cat([walks.flatten(), negatives]).unique(return_inverse=True)
        met, apart = place.split([walks.numel(), len(negatives)])
        state = self.optimiser.read(rows)
        tables = [table.contiguous().requires_grad_() for table in state[:, 0].unbind(1)]
        loss = functional_call(self.model, dict(zip(self.names, tables, strict=True)),
                               (met.view_as(walks), apart, near, count))
        gradient = torch.stack(torch.autograd.grad(loss, tables), 1)
        if self.held is not None:
            gradient[self.held[rows]] = 0
        self.optimiser.step(rows, state, gradient)
        return float(loss.detach())


def stepping(model: SkipGram, read: int) -> type[WholeTables] | type[TouchedRows]:
    """How to step, from sizes alone: ``read`` is the most rows that a step reads."""
    return TouchedRows if FEW * read <= len(model.vectors) else WholeTables


def take(optimiser: torch.optim.Optimizer, loss: Tensor, held: Tensor | None) -> None:
    """A step; a row whose gradient was always zero stays where it is."""
    optimiser.zero_grad()
    loss.backward()
    for table in optimiser.param_groups[0]["params"] if held is not None else ():
        table.grad[held] = 0
    optimiser.step()
