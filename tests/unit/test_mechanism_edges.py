"""The edges of mechanisms and guarantees: the values just inside and just outside of what is allowed,
coins that fall on the line."""

import math
from dataclasses import replace

import pytest
import torch

from privgraph.mechanisms import (
    GRRFS,
    Gaussian,
    Laplace,
    MultiBit,
    NoisyArgMax,
    RandomisedResponse,
    optimal_sampling,
)
from privgraph.privacy import GaussianPair, Guarantee, LaplacePair, Step
from privgraph.randomness import seeded


@pytest.mark.parametrize("call, message", [
    (lambda: RandomisedResponse(1.0, 1), "num_classes must be a whole number, at least 2"),
    (lambda: RandomisedResponse(1.0, 3).distribution(3), "between 0 and 2, got 3"),
    (lambda: RandomisedResponse(1.0, 3).distribution(-1), "between 0 and 2, got -1"),
    (lambda: RandomisedResponse(1.0, 3).estimate(torch.tensor([3])), "labels must lie in 0..2"),
    (lambda: MultiBit(1.0, 0), "num_features must be a whole number, at least 1"),
    (lambda: MultiBit(1.0, 0, sampled=1), "num_features must be a whole number, at least 1"),
    (lambda: optimal_sampling(1.0, 0), "num_features must be a whole number, at least 1"),
    (lambda: MultiBit(1.0, 3, sampled=0), "sampled must be a whole number, at least 1, got 0"),
    (lambda: MultiBit(1.0, 3, sampled=4), "between 1 and 3, got 4"),
    (lambda: MultiBit(1.0, 3, low=1.0, high=1.0), "low must be below high"),
    (lambda: MultiBit(1.0, 3).report(torch.zeros(2, 4), generator=seeded(0)), "must have 3 features, got 4"),
    (lambda: Guarantee(1.0, unit="undirected edge", relation="add/remove").convert("node", -1),
     "count must be a whole number, at least 0"),
])
def test_just_outside(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_just_inside():
    assert RandomisedResponse(1.0, 2).num_classes == MultiBit(1.0, 2, sampled=2).sampled == 2
    assert MultiBit(1.0, 1, sampled=1).num_features == 1
    assert RandomisedResponse(1.0, 3).distribution(2)[2] == RandomisedResponse(1.0, 3).keep


def test_who_answers_is_told_by_every_answer_that_there_is():
    told = RandomisedResponse.shows(torch.tensor([-1, 0, 1, 2, -1]))
    assert {key: value.tolist() for key, value in told.items()} == {"who answers": [False, True, True, True, False]}


def test_what_is_assumed_when_nothing_is_said():
    assert Laplace(2.0).scale == 0.5 and Gaussian(1.0, 1e-5).sensitivity == 1.0
    assert (MultiBit(1.0, 2).low, MultiBit(1.0, 2).high) == (0.0, 1.0)
    assert (Guarantee(1.0).delta, Guarantee(1.0).unit) == (0.0, "nothing")
    assert LaplacePair(1.0).rate == GaussianPair(1.0).rate == 1.0 and Step(LaplacePair(1.0)).count == 1


def test_a_coin_on_the_line(monkeypatch):
    """torch.rand lies in [0, 1), so "below p" has probability p; a number equal to p counts as not below."""
    monkeypatch.setattr(torch, "rand", lambda *shape, **_: torch.full((2,), RandomisedResponse(1.0, 2).keep))
    assert RandomisedResponse(1.0, 2)(torch.tensor([0, 1]), generator=seeded(0)).tolist() == [1, 0]  # both lie
    plus = 0.5 + 0.5 * MultiBit(1.0, 1).slope
    monkeypatch.setattr(torch, "rand", lambda *shape, **_: torch.full((2, 1), plus))
    assert MultiBit(1.0, 1).report(torch.ones(2, 1), generator=seeded(0)).tolist() == [[-1], [-1]]
    keep = GRRFS(1.0, (2,), 1).response(0).keep
    monkeypatch.setattr(torch, "rand", lambda *shape, **_: torch.full((2, 1), keep))
    assert GRRFS(1.0, (2,), 1)(torch.tensor([[0], [1]]), generator=seeded(0)).tolist() == [[1], [0]]


def test_nothing_is_reported_for_whom_was_not_asked():
    """200 unlabelled nodes at a budget where most would lie."""
    y = torch.full((200,), -1)
    assert RandomisedResponse(0.01, 5)(y, generator=seeded(0)).eq(-1).all()


def test_one_sampled_feature_is_one_draw():
    places = MultiBit(1.0, 7).sample_places(50, seeded(3), "cpu")
    assert torch.equal(places, torch.randint(7, (50, 1), generator=seeded(3)))


def test_variance_is_measured_from_the_middle_of_the_range():
    """One feature, one bit, range -1..3: the estimate is 1 + s or 1 - s with the probabilities of the bit."""
    mechanism, x = MultiBit(1.2, 1, low=-1.0, high=3.0), 2.0
    (plus, minus), s = mechanism.distribution([x]).values(), mechanism.scale
    mean = plus * (1 + s) + minus * (1 - s)
    assert mean == pytest.approx(x)
    expected = plus * (1 + s - x) ** 2 + minus * (1 - s - x) ** 2
    assert float(mechanism.variance(torch.tensor(x))) == pytest.approx(expected)


def test_lifting_at_the_edges():
    unbounded = Guarantee(math.inf, unit="undirected edge", relation="add/remove")
    assert unbounded.convert("node", 0).epsilon == 0.0
    assert unbounded.convert("node", 2).epsilon == math.inf
    assert replace(unbounded, epsilon=1.0, delta=0.1).convert("node", 1).delta == pytest.approx(0.1)
    assert replace(unbounded, epsilon=0.0, delta=0.1).convert("node", 3).delta == pytest.approx(0.3)


@pytest.mark.parametrize("scores, message", [
    ((1.0, 0.5, -0.5), "features must lie in"),
    ((1.5, 0.0, 0.0), "features must lie in"),
    ((0.50012, 0.5, 0.0), "must sum to 1, got one that is off by 0.00012"),
    ((0.49988, 0.5, 0.0), "must sum to 1"),
])
def test_scores_just_outside_the_simplex(scores, message):
    with pytest.raises(ValueError, match=message):
        NoisyArgMax(1.0, 3)(torch.tensor([scores], dtype=torch.float64), generator=seeded(0))


def test_scores_that_are_rounded_pass():
    scores = torch.tensor([[0.50009, 0.5, 0.0], [0.49991, 0.5, 0.0]], dtype=torch.float64)
    assert NoisyArgMax(1.0, 3)(scores, generator=seeded(0)).shape == (2,)
    assert NoisyArgMax(1.0, 3)(scores[:0], generator=seeded(0)).shape == (0,)


def test_the_first_category_outside_is_named():
    with pytest.raises(ValueError, match="got 2 outside, the first in feature 2"):
        GRRFS(1.0, (2, 2, 2), 1)(torch.tensor([[0, 1, 2], [3, 0, 0]]), generator=seeded(0))
    with pytest.raises(ValueError, match=r"int64 tensor of shape \[N, 2\], got torch.int64 of shape \[2\]"):
        GRRFS(1.0, (2, 2), 1)(torch.tensor([0, 1]), generator=seeded(0))
    square = GRRFS(1.0, (2, 2), 1)
    assert square(torch.zeros(2, 2).long(), generator=seeded(0)).shape == (2, 2)
