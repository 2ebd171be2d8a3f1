"""What a seed and what the operating system draw: the same shapes, borders and laws.

Means of 20,000 numbers are six of their standard deviations wide.
"""

import math

import numpy as np
import pytest
import torch

from privgraph.mechanisms import exact_noise
from privgraph.mechanisms.drawing import drawing
from privgraph.randomness import secret, seeded

COUNT = 20_000


@pytest.fixture(params=[seeded, lambda seed: secret()], ids=["seeded", "secret"])
def draw(request, monkeypatch):
    monkeypatch.setattr(exact_noise, "random_bytes", np.random.default_rng(3).bytes)
    return drawing(request.param(3))


def test_what_is_certain_happens_and_what_is_impossible_does_not(draw):
    none, all_of_them = torch.zeros(COUNT), torch.ones(COUNT)
    for found in (draw.lies(0.0, 1.0, (COUNT,)), draw.happens(1.0, (COUNT,)), draw.leaning(all_of_them, 1.0, 0.0)):
        assert found.all()
    for found in (draw.lies(1.0, 0.0, (COUNT,)), draw.happens(0.0, (COUNT,)), draw.leaning(none, 1.0, 0.0)):
        assert not found.any()


def test_a_coin_on_the_line_counts_as_not_below(monkeypatch):
    """torch.rand lies in [0, 1), so that what is below p has probability p."""
    monkeypatch.setattr(torch, "rand", lambda shape, **_: torch.full(shape, 0.25))
    draw = drawing(seeded(0))
    assert draw.lies(0.25, 0.75, (1,)).all() and not draw.happens(0.25, (1,)).any()
    assert not draw.leaning(torch.tensor([0.25]), 1.0, 0.0).any()


@pytest.mark.parametrize("fraction, chance", [(0.0, 0.1), (0.25, 0.3), (1.0, 0.9)])
def test_what_leans_does_so_along_a_straight_line(draw, fraction, chance):
    share = draw.leaning(torch.full((COUNT,), fraction), 0.8, 0.1).double().mean()
    assert share == pytest.approx(chance, abs=6 * math.sqrt(chance * (1 - chance) / COUNT))


def test_a_subset_belongs_to_its_row(draw):
    found = draw.subsets(3, 3, 2)
    assert found.shape == (3, 2) and all(len(set(row)) == 2 for row in found.tolist())


def test_geometric_numbers_begin_at_0_and_end_there_where_chances_are_too_small_for_floats(draw):
    found = draw.geometric(0.5, (COUNT,))
    assert found.min() == 0 and found.double().mean() == pytest.approx(1 / math.expm1(0.5), abs=0.09)
    assert torch.equal(draw.geometric(50.0, (COUNT,)), torch.zeros(COUNT, dtype=torch.long))


@pytest.mark.parametrize("law, mean, variance", [("laplace", 0.0, 2.0), ("gaussian", 0.0, 1.0),
                                                 ("gumbel", 0.577, math.pi**2 / 6)])
def test_each_law_has_its_mean_and_variance(draw, law, mean, variance):
    found = draw.noisy(law, torch.zeros(COUNT, dtype=torch.double), 1.0)
    assert found.mean() == pytest.approx(mean, abs=0.06) and found.var() == pytest.approx(variance, abs=0.2)


def test_each_row_has_a_length_and_a_direction_of_its_own(draw):
    found = draw.noisy_rows(torch.zeros((COUNT, 3), dtype=torch.double), 2.0)
    assert found.norm(dim=1).mean() == pytest.approx(6.0, abs=0.15)  # Gamma of shape 3
    assert found.norm(dim=1).var() == pytest.approx(12.0, abs=1.0)


@pytest.mark.parametrize("scale", [0.0, 1e-3])
def test_the_winner_is_the_column_of_its_row(draw, scale):
    scores = torch.tensor([[0.0, 9.0, 0.0], [9.0, 0.0, 0.0]])
    assert draw.winners("laplace", scores, scale).tolist() == [1, 0]
