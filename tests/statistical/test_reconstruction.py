"""What RGNN reconstructs from GRR-FS reports: mean and variance against their exact values, and the paper's formulas.

Level 1e-6 for each test (Bonferroni over all nodes and values), fixed seeds, no retries; mutants fail.
"""

import math
from functools import cache
from itertools import product

import numpy as np
import pytest
import torch
from scipy import stats

import slow_rgnn as slow
from privgraph.graph import SparseMatrix, adjacency, propagate, to_undirected
from privgraph.mechanisms import GRRFS
from privgraph.methods import reconstruction
from privgraph.randomness import seeded

LEVEL, DRAWS = 1e-6, 20_000
SIZES = (2, 3, 5)
RIGHT = GRRFS(1.5, SIZES, 2)
# A hub with two leaves and a triangle, a path of three at its end, an isolated node.
NODES, EDGES = 9, to_undirected(torch.tensor([[0, 0, 0, 0, 3, 4, 5, 6], [1, 2, 3, 4, 4, 5, 6, 7]]), 9)
TRUE = torch.tensor([[1, 1, 0, 1, 1, 0, 1, 0, 1], [0, 1, 2, 0, 1, 2, 0, 1, 2], [4, 0, 1, 4, 2, 3, 1, 1, 0]]).t()
COLUMNS = [(0, 1), *((1, j) for j in range(3)), *((2, j) for j in range(5))]  # feature and value of each estimate


@cache
def copies() -> SparseMatrix:
    """The graph 20,000 times over: one product smooths all draws."""
    edges = (EDGES[:, None, :] + NODES * torch.arange(DRAWS)[None, :, None]).reshape(2, -1)
    return adjacency(edges, NODES * DRAWS, "mean", self_loops=True)


@cache
def reports(mechanism: GRRFS) -> torch.Tensor:
    return mechanism(TRUE.repeat(DRAWS, 1), generator=seeded(51))


def library(mechanism: GRRFS, steps: int) -> torch.Tensor:
    """What the library estimates before arg max and projection, float64 [draws, nodes, columns]."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reconstruction, "one_feature", lambda estimates, values: estimates)
        found = reconstruction.reconstruct_features(reports(mechanism), RIGHT, copies(), steps)
    return found.double().reshape(DRAWS, NODES, len(COLUMNS))


def from_shares(formula, steps: int) -> torch.Tensor:
    """Another estimator: ``formula(share, gamma, p, q)`` of the smoothed shares of reports."""
    shares = propagate(copies(), reconstruction.indicators(reports(RIGHT), SIZES), steps).double()
    columns = [formula(shares[:, c], SIZES[i], *slow.probabilities(RIGHT.epsilon, SIZES[i]))
               for c, (i, _) in enumerate(COLUMNS)]
    return torch.stack(columns, 1).reshape(DRAWS, NODES, len(COLUMNS))


def weights(steps: int) -> torch.Tensor:
    """Row v: how much each node counts for v after ``steps`` hops, by the loop; float64 [nodes, nodes]."""
    rows = slow.smooth(torch.eye(NODES).tolist(), slow.neighbours(EDGES, NODES), steps)
    return torch.tensor(rows, dtype=torch.double)


TRUTH = torch.stack([(TRUE[:, i] == j).double() for i, j in COLUMNS], 1)  # [nodes, columns]


def chances() -> tuple[torch.Tensor, torch.Tensor]:
    """(the chance c that a node's report names a value, right minus wrong), [nodes, columns] and [columns]."""
    d, m, pairs = len(SIZES), RIGHT.sampled, []
    for i, _ in COLUMNS:
        p, q = slow.probabilities(RIGHT.epsilon, SIZES[i])
        pairs.append([m / d * p + (1 - m / d) / SIZES[i], m / d * q + (1 - m / d) / SIZES[i]])
    right, wrong = torch.tensor(pairs).double().unbind(1)
    return TRUTH * right + (1 - TRUTH) * wrong, right - wrong


def exact_moments(steps: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Variance and fourth central moment of every estimate: cumulants of independent coins add, with w^2 and w^4."""
    c, gap = chances()
    spread = c * (1 - c)
    second = weights(steps)**2 @ spread / gap**2
    fourth = weights(steps)**4 @ (spread * (1 - 6 * spread)) / gap**4
    return second, fourth + 3 * second**2


def smallest_p(z: torch.Tensor) -> float:
    """Two-sided, Bonferroni over all entries."""
    return float(min(1.0, z.numel() * 2 * stats.norm.sf(float(z.abs().max()))))


def mean_p_value(estimates: torch.Tensor, steps: int) -> float:
    """For "the mean of each estimate is the smoothed truth"."""
    return smallest_p((estimates.mean(0) - weights(steps) @ TRUTH) / (exact_moments(steps)[0] / DRAWS).sqrt())


def variance_p_value(estimates: torch.Tensor, steps: int, stated: torch.Tensor) -> float:
    """For "the variance of each estimate around the smoothed truth is the stated one"."""
    second, fourth = exact_moments(steps)
    found = (estimates - weights(steps) @ TRUTH).square().mean(0)
    return smallest_p((found - stated) / ((fourth - second**2) / DRAWS).sqrt())


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_reconstruction_is_unbiased_for_the_smoothed_truth(steps):
    """20,000 draws, 9 nodes x 9 values: of the 81 estimates half cannot be .05 off unseen, none .12; 20% more budget
    fails."""
    assert mean_p_value(library(RIGHT, steps), steps) > LEVEL
    assert mean_p_value(library(GRRFS(1.8, SIZES, 2), steps), steps) < LEVEL


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_reconstruction_has_the_exact_variance(steps):
    """20,000 draws: sum_u w_u^2 c_u (1 - c_u) / (r - w)^2; 13% off is caught in all 81, 9% in half."""
    exact, _ = exact_moments(steps)
    estimates = library(RIGHT, steps)
    assert variance_p_value(estimates, steps, exact) > LEVEL
    for mutant in (0.87 * exact, 1.13 * exact, 1.2 * exact):
        assert variance_p_value(estimates, steps, mutant) < LEVEL


def test_one_hop_is_the_mechanisms_own_variance():
    """A neighbourhood of n people with fixed values: ``GRRFS.variance`` of the shares among them."""
    near, exact = slow.neighbours(EDGES, NODES), exact_moments(1)[0]
    for v in range(NODES):
        people = TRUE[[v, *near[v]]]
        for c, (i, j) in enumerate(COLUMNS):
            shares = torch.bincount(people[:, i], minlength=SIZES[i]) / len(people)
            assert float(RIGHT.variance(shares, len(people), i)[j]) == pytest.approx(float(exact[v, c]), rel=1e-5,
                                                                                     abs=0)


# Mutants of the estimator.


def equation_9(share, gamma, p, q):
    """As printed: the second denominator has (p - q) squared."""
    d, m = len(SIZES), RIGHT.sampled
    return d * share / (m * (p - q)) + (m - d - m * gamma * q) / (m * gamma * (p - q)**2)


def without_fakes(share, gamma, p, q):
    """All features taken as sampled."""
    return (share - q) / (p - q)


def equation_5(share, gamma, p, q):
    return slow.equation_5(share, len(SIZES), RIGHT.sampled, gamma, p, q)


@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("formula, right", [(equation_5, True), (equation_9, False), (without_fakes, False)])
def test_only_equation_5_is_unbiased(formula, right, steps):
    assert (mean_p_value(from_shares(formula, steps), steps) > LEVEL) == right


@pytest.mark.parametrize("gamma, epsilon, d, m", [(2, 1.0, 58, 10), (3, 0.5, 4, 2), (5, 2.0, 3, 2)])
def test_the_square_in_equation_9_is_a_misprint(gamma, epsilon, d, m):
    """Eq. 5 takes the expected share (eq. 8; the index of "q_2" in eq. 7 is stray) back to pi. Squared, it misses
    by (m - d - m gamma q) / (m gamma (p - q)) * (1 / (p - q) - 1), and a person's shares no longer sum to 1."""
    p, q = slow.probabilities(epsilon, gamma)
    for pi in (0.0, 0.3, 1.0):
        share = m / d * (pi * p + (1 - pi) * q) + (1 - m / d) / gamma
        assert slow.equation_5(share, d, m, gamma, p, q) == pytest.approx(pi, abs=1e-12)
        second = (m - d - m * gamma * q) / (m * gamma * (p - q))
        printed = d * share / (m * (p - q)) + second / (p - q)
        assert printed - pi == pytest.approx(second * (1 / (p - q) - 1)) and printed - pi < -0.1
    report = [1.0] + [0.0] * (gamma - 1)
    assert sum(slow.equation_5(x, d, m, gamma, p, q) for x in report) == pytest.approx(1)
    assert sum(d * x / (m * (p - q)) + second / (p - q) for x in report) < 0.7


@pytest.mark.parametrize("gamma, epsilon, d, m", [(2, 1.0, 58, 10), (3, 0.5, 4, 2), (5, 2.0, 3, 2)])
def test_the_observed_share_in_equation_6_lacks_a_factor(gamma, epsilon, d, m):
    """lambda-tilde as printed is gamma times the observed share: above 1 as soon as a value is more frequent than
    1 / gamma, and then the "variance" is negative. With 1 / gamma it is the observed share."""
    p, q = slow.probabilities(epsilon, gamma)
    for share in (0.0, 0.4, 0.9):
        estimate = slow.equation_5(share, d, m, gamma, p, q)
        printed = (estimate * m * gamma * (p - q) + m * (q * gamma - 1) + d) / d
        assert printed == pytest.approx(gamma * share) and printed / gamma == pytest.approx(share)
        assert (printed > 1) == (printed * (1 - printed) < 0) == (share > 1 / gamma)


# Equation 6: a binomial with one common chance.


def binomial_variance(share, people, gap):
    """Eq. 11, the true chance lambda given."""
    return share * (1 - share) / (people * gap**2)


@pytest.mark.parametrize("people, holders", [(2, 1), (5, 0), (5, 2), (30, 10), (30, 30)])
@pytest.mark.parametrize("feature", [0, 2])
def test_equation_6_adds_the_spread_of_the_true_values(people, holders, feature):
    """n people, k of whom have the value: their reports are two binomials added, not one with a common chance.

    Enumerated. Eq. 11 exceeds the variance for fixed values by pi (1 - pi) / n, and the mean of eq. 6 (with the
    observed share for lambda-tilde) by pi (1 - pi) / (n - 1): what drawing the people at random would add.
    """
    right, wrong = RIGHT.chances(feature)
    counts = np.arange(people + 1)
    table = np.convolve(stats.binom.pmf(range(holders + 1), holders, right),
                        stats.binom.pmf(range(people - holders + 1), people - holders, wrong))
    share, pi, gap = float(table @ counts) / people, holders / people, right - wrong
    exact = float(table @ (counts / people - share)**2) / gap**2
    assert exact == pytest.approx(float(RIGHT.variance(torch.tensor(pi).double(), people, feature)))
    assert binomial_variance(share, people, gap) - exact == pytest.approx(pi * (1 - pi) / people, abs=1e-12)
    equation_6 = float(table @ (counts / people * (1 - counts / people))) / ((people - 1) * gap**2)
    assert equation_6 - exact == pytest.approx(pi * (1 - pi) / (people - 1), abs=1e-12)


def test_equation_6_is_never_below_the_variance_of_one_hop():
    """Every neighbourhood and value: equal where all neighbours agree, above elsewhere; as a statement of the variance
    it fails the test of 20,000 draws that the exact one passes."""
    (c, gap), near, exact = chances(), slow.neighbours(EDGES, NODES), exact_moments(1)[0]
    sizes = torch.tensor([[1 + len(group)] for group in near])
    binomial = binomial_variance(weights(1) @ c, sizes, gap)
    share = weights(1) @ TRUTH
    assert torch.allclose(binomial - exact, share * (1 - share) / sizes)
    assert (binomial >= exact - 1e-12).all() and (binomial > 1.1 * exact).any()
    assert variance_p_value(library(RIGHT, 1), 1, binomial) < LEVEL < variance_p_value(library(RIGHT, 1), 1, exact)


def test_equation_6_is_too_small_for_more_hops():
    """With n = everybody within K hops it would be for equal weights; walks weigh near nodes more (sum w^2 > 1 / n)."""
    c, gap = chances()
    reached = (weights(3) > 0).sum(1, keepdim=True)
    binomial = binomial_variance(weights(3) @ c, reached, gap)
    exact = exact_moments(3)[0]
    assert (exact > 1.1 * binomial).any() and (weights(3).square().sum(1) >= 1 / reached[:, 0] - 1e-12).all()
    assert variance_p_value(library(RIGHT, 3), 3, binomial) < LEVEL


def test_the_dispersion_of_label_estimates_adds_the_spread_too():
    """Section IV-B, all 81 reports of 4 people: (n-1)^-1 P^-1 (diag(l) - l l') P'^-1 exceeds the covariance of P^-1 l
    for fixed labels by (diag(pi) - pi pi') / (n - 1) on average."""
    labels, inverse = [0, 0, 1, 2], torch.linalg.inv(slow.transition(1.0, 3))
    transition, true = slow.transition(1.0, 3), torch.tensor([0.5, 0.25, 0.25]).double()
    covariance, stated, mean = (torch.zeros(size).double() for size in ((3, 3), (3, 3), (3,)))
    for told in product(range(3), repeat=4):
        chance = math.prod(float(transition[a, b]) for a, b in zip(labels, told, strict=True))
        share = torch.tensor([told.count(j) / 4 for j in range(3)]).double()
        estimate = inverse @ share
        mean += chance * estimate
        covariance += chance * torch.outer(estimate - true, estimate - true)
        stated += chance / 3 * inverse @ (torch.diag(share) - torch.outer(share, share)) @ inverse.t()
    assert torch.allclose(mean, true)
    assert torch.allclose(stated - covariance, (torch.diag(true) - torch.outer(true, true)) / 3)
