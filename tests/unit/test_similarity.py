"""Distances between vectors and prototypes, against SciPy and by hand."""

import pytest
import torch
from scipy.stats import wasserstein_distance

from privgraph.methods.few_shot import euclidean, wasserstein
from privgraph.randomness import seeded

A, B = torch.randn(4, 6, generator=seeded(0)), torch.randn(3, 6, generator=seeded(1))


def test_wasserstein_is_scipys():
    expected = [[wasserstein_distance(a, b) for b in B.numpy()] for a in A.numpy()]
    assert torch.allclose(wasserstein(A, B), torch.tensor(expected, dtype=torch.float32), atol=1e-6)


def test_wasserstein_of_order_two_is_the_cheapest_plan():
    """On five entries all 120 plans are tried."""
    from itertools import permutations
    a, b = A[0, :5], B[0, :5]
    plans = torch.tensor(list(permutations(range(5))))
    for p in (1.0, 2.0, 3.5):
        cheapest = (a - b[plans]).abs().pow(p).mean(1).min().pow(1 / p)
        assert torch.allclose(wasserstein(a[None], b[None], p)[0, 0], cheapest)


def test_wasserstein_forgets_which_coordinate_is_which_and_euclid_does_not():
    first, second = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]])
    assert wasserstein(first, second).item() == 0 and euclidean(first, second).item() == 2


def test_euclid_is_squared_and_batches_broadcast():
    assert torch.allclose(euclidean(A, B), torch.cdist(A, B).square(), atol=1e-5)
    for distance in (wasserstein, euclidean):
        assert torch.allclose(distance(A[:, None], B[0][None])[:, 0, 0], distance(A, B)[:, 0])


@pytest.mark.parametrize("distance", [wasserstein, euclidean])
@pytest.mark.parametrize("b", [torch.ones(3, 5), torch.ones(6)])
def test_rows_must_match(distance, b):
    with pytest.raises(ValueError, match="a and b must be"):
        distance(A, b)


@pytest.mark.parametrize("p", [0.5, float("inf"), "1", None])
def test_orders(p):
    with pytest.raises((ValueError, TypeError), match="p must"):
        wasserstein(A, B, p)
