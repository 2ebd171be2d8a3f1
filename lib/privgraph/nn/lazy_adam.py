r"""Adam for tables of which a step reads few rows: a step costs what these rows cost, and the numbers stay Adam's.

``torch.optim.Adam`` moves *every* row in every step, also one whose gradient is zero: its moments fade, m by
:math:`\beta_1` and v by :math:`\beta_2`, and it goes on along :math:`m / \sqrt v`. What k such steps come to is known
without taking them. From a moment t on, at the rates :math:`\eta`, a row moves by

.. math:: -\frac{m}{\sqrt v + \epsilon_{t,k}} \sum_{i=1}^k c_{t+i} \Big(\frac{\beta_1}{\sqrt{\beta_2}}\Big)^i, \qquad
          c_j = \eta_j \frac{\sqrt{1 - \beta_2^j}}{1 - \beta_1^j}

So a row waits until a step reads it, and then makes up for the steps that it missed. ``torch.optim.SparseAdam`` does
not: a row that no step reads keeps its moments and stays where it is, and so ends elsewhere.

The rates of an epoch are known at its beginning. With :math:`A_t`, the sum of all steps from t to its end, which comes
from :math:`A_{t+1}`, the sum of k steps is :math:`A_t - (\beta_1 / \sqrt{\beta_2})^k A_{t+k}`.

One thing is not exact: Adam's :math:`\epsilon = 10^{-8}` weighs a little otherwise in each missed step, and
:math:`\epsilon_{t,k}` is its mean over them, each step weighted by how far the row moves in it. What is left is of
second order in :math:`\epsilon / \sqrt v`.
"""

import math
from collections.abc import Sequence
from itertools import accumulate

import torch
from torch import Tensor

FIRST, SECOND, EPSILON = 0.9, 0.999, 1e-8  # beta_1, beta_2 and epsilon, as torch.optim.Adam has them
FADE = (FIRST / math.sqrt(SECOND), FIRST / SECOND)  # of m / sqrt(v), and of m / v, in a step without a gradient
CHUNK = 1 << 16  # rows that catch up together at the end of an epoch


class LazyAdam:
    """Adam on tables that share their rows: for an epoch ``begin``, for each step ``read`` and ``step``, then ``end``.

    What it keeps of a row lies in one place, as memory is most of its time: ``kept`` [N, 3, T, d], the rows of all T
    tables, their m and their v, right after as many steps as ``when`` int64 [N] says.

    :param tables: one or more, float [N, d] each. They change in ``end`` only.
    """

    def __init__(self, tables: Sequence[Tensor]):
        self.tables, self.before = tables, 0  # and how many steps the epochs before had
        values = torch.stack([table.detach() for table in tables], 1)
        self.kept = torch.stack([values, torch.zeros_like(values), torch.zeros_like(values)], 1)

    def begin(self, rates: Sequence[float]) -> None:
        """An epoch begins.

        :param rates: of all its steps, above 0.
        """
        times = range(self.before + 1, self.before + len(rates) + 1)
        roots = [math.sqrt(1 - SECOND ** time) for time in times]
        self.floors = [EPSILON * root for root in roots]
        self.rates = [rate * root / (1 - FIRST ** time) for rate, root, time in zip(rates, roots, times, strict=True)]
        floored = [rate * floor for rate, floor in zip(self.rates, self.floors, strict=True)]
        self.left = torch.tensor([remaining(self.rates, FADE[0]), remaining(floored, FADE[1])], dtype=torch.double,
                                 device=self.kept.device)
        self.now, self.when = 0, torch.zeros(len(self.kept), dtype=torch.long, device=self.kept.device)

    @torch.no_grad()
    def read(self, rows: Tensor) -> Tensor:
        """Rows as they are after all steps until now, and their m and v, a copy [R, 3, T, d].

        :param rows: int64 [R], each once.
        """
        when, state = self.when[rows], self.kept.index_select(0, rows)
        ago = (self.now - when).double()
        way, floored = (left[when] - fade ** ago * left[self.now] for left, fade in zip(self.left, FADE, strict=True))
        floor = (floored / way).nan_to_num(EPSILON)  # who missed no step does not move, whatever stands here
        way, floor, first, second = (each.to(state.dtype)[:, None, None]
                                     for each in (way, floor, FIRST ** ago, SECOND ** ago))
        values, m, v = state.unbind(1)
        values -= m * way / (v.sqrt() + floor)
        m *= first
        v *= second
        return state

    @torch.no_grad()
    def step(self, rows: Tensor, state: Tensor, gradient: Tensor) -> None:
        """One step.

        :param rows: int64 [R], each once; of all others the gradient is zero.
        :param state: what ``read`` gave of them, which changes.
        :param gradient: [R, T, d].
        """
        values, m, v = state.unbind(1)
        m.lerp_(gradient, 1 - FIRST)
        v.mul_(SECOND).addcmul_(gradient, gradient, value=1 - SECOND)
        values.addcdiv_(m, v.sqrt().add_(self.floors[self.now]), value=-self.rates[self.now])
        self.now += 1
        self.keep(rows, state)

    def keep(self, rows: Tensor, state: Tensor) -> None:
        self.kept.index_copy_(0, rows, state)
        self.when[rows] = self.now

    @torch.no_grad()
    def end(self) -> None:
        """All rows catch up, and the tables hold them."""
        for rows in torch.arange(len(self.when), device=self.when.device).split(CHUNK):
            self.keep(rows, self.read(rows))
        for table, values in zip(self.tables, self.kept[:, 0].unbind(1), strict=True):
            table.copy_(values)
        self.before += self.now


def remaining(terms: Sequence[float], fade: float) -> list[float]:
    """For each moment the sum over all terms after it, each faded once for every step until then; 0 at the end.

    >>> remaining([1.0, 2.0], 0.5)
    [1.0, 1.0, 0.0]
    """
    return [*accumulate(reversed(terms), lambda later, term: fade * (term + later), initial=0.0)][::-1]
