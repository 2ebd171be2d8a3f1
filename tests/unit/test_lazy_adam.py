"""Lazy Adam: row by row the numbers of torch's Adam, of which every step moves every row."""

import math

import pytest
import torch

from privgraph.nn import lazy_adam
from privgraph.nn.lazy_adam import FADE, LazyAdam, remaining
from privgraph.randomness import seeded

N, D = 12, 3
EPOCHS = (40, 1, 300)  # steps in each: gaps of none to hundreds of steps, and of more than an epoch
RATES = [[0.05 * (1 - step / sum(EPOCHS)) for step in range(first, first + count)]
         for first, count in ((0, 40), (40, 1), (41, 300))]


def drawn(generator: torch.Generator, scale: float) -> list[list[tuple[torch.Tensor, torch.Tensor]]]:
    """For each step rows and gradients [R, 2, D]. Row 0 is in each step, row 11 in none, and 10 in the first alone."""
    def one(step: int) -> tuple[torch.Tensor, torch.Tensor]:
        rows = torch.cat([torch.zeros(1, dtype=torch.long), 1 + torch.randperm(9, generator=generator)[:2]])
        rows = torch.cat([rows, torch.tensor([10])]) if step == 0 else rows
        return rows, scale * torch.randn(len(rows), 2, D, generator=generator, dtype=torch.double)
    return [[one(step) for step in range(first, first + count)] for first, count in ((0, 40), (40, 1), (41, 300))]


def begun() -> list[torch.Tensor]:
    return [torch.randn(N, D, generator=seeded(seed), dtype=torch.double) for seed in (1, 2)]


def lazily(scale: float) -> list[torch.Tensor]:
    tables = begun()
    optimiser = LazyAdam(tables)
    for rates, epoch in zip(RATES, drawn(seeded(3), scale), strict=True):
        optimiser.begin(rates)
        for rows, gradient in epoch:
            optimiser.step(rows, optimiser.read(rows), gradient)
        optimiser.end()
    return tables


def by_torch(scale: float, optimiser: type = torch.optim.Adam, **said) -> list[torch.Tensor]:
    tables = begun()
    adam = optimiser(tables, **said)
    for rate, (rows, gradient) in zip(sum(RATES, []), sum(drawn(seeded(3), scale), []), strict=True):
        adam.param_groups[0]["lr"] = rate
        for table, part in zip(tables, gradient.unbind(1), strict=True):
            whole = torch.sparse_coo_tensor(rows[None], part, (N, D), check_invariants=True)
            table.grad = whole if optimiser is torch.optim.SparseAdam else whole.to_dense()
        adam.step()
    return tables


def apart(first: list[torch.Tensor], second: list[torch.Tensor]) -> float:
    return max(float((a - b).abs().max()) for a, b in zip(first, second, strict=True))


def test_without_an_epsilon_it_is_torchs_adam(monkeypatch):
    """And not SparseAdam, which leaves rows where they are that no step reads."""
    monkeypatch.setattr(lazy_adam, "EPSILON", 1e-40)
    assert apart(lazily(1.0), by_torch(1.0, eps=1e-40)) < 1e-12
    assert apart(lazily(1.0), by_torch(1.0, torch.optim.SparseAdam, eps=1e-40)) > 0.1


def test_its_epsilon_is_torchs_but_for_what_is_of_second_order(monkeypatch):
    """Gradients a tenth as large, and epsilon weighs ten times as much: what is left is a hundred times as far.

    Without an epsilon ten times, and much farther.
    """
    def far() -> list[float]:
        return [apart(lazily(scale), by_torch(scale)) for scale in (1e-3, 1e-4)]
    first, second = far()
    assert 80 < second / first < 120 and first < 1e-7
    monkeypatch.setattr(lazy_adam, "EPSILON", 1e-40)
    first, second = far()
    assert 8 < second / first < 12 and first > 1e-4


def test_rows_that_no_step_reads_keep_every_bit():
    assert all(torch.equal(now[11], before[11]) for now, before in zip(lazily(1.0), begun(), strict=True))


def test_what_remains_is_a_sum_of_faded_terms():
    terms = [0.3, 2.0, 0.0, 5.0]
    slow = [math.fsum(term * 0.7 ** (j - t + 1) for j, term in enumerate(terms) if j >= t) for t in range(5)]
    assert remaining(terms, 0.7) == pytest.approx(slow, rel=1e-14, abs=0)
    assert 0 < FADE[0] < FADE[1] < 1
