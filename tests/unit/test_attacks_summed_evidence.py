"""The sum of several attackers' evidence: by loops, and that it finds more than each of them alone."""

import math
import statistics

import pytest
import torch

from privgraph.attacks import evaluate_attack, sum_of_evidence
from privgraph.randomness import seeded


def several(shifts, n=4000, seed=0):
    """Normal scores, each shifted for edges by so many deviations; and those of random pairs."""
    g = seeded(seed)
    linked = torch.rand(n, generator=g) < 0.5
    scores = torch.randn(len(shifts), n, generator=g) + torch.tensor(shifts)[:, None] * linked
    return scores, torch.randn(len(shifts), n, generator=g), linked


def test_it_is_the_sum_of_deviations():
    scores, usual, _ = several([1.0, 2.0, 0.0], n=30)
    slow = [sum((float(s[i]) - statistics.mean(u.tolist())) / statistics.stdev(u.tolist())
                for s, u in zip(scores.double(), usual.double(), strict=True)) for i in range(30)]
    assert sum_of_evidence(scores, usual).tolist() == pytest.approx(slow)


def test_no_scale_counts():
    scores, usual, _ = several([1.0, 2.0, 0.5])
    stretch, start = torch.tensor([[1e-3], [1.0], [1e4]]), torch.tensor([[5.0], [0.0], [-1e3]])
    moved = sum_of_evidence(stretch * scores.double() + start, stretch * usual.double() + start)
    assert torch.allclose(moved, sum_of_evidence(scores, usual), atol=1e-6)


def test_two_of_equal_strength_reach_the_best_auc_there_is():
    """Shifts of 1 and 1: no score of both has an AUC above Phi(1) = .841, and each alone has Phi(1 / sqrt 2) = .760."""
    scores, usual, linked = several([1.0, 1.0])
    both = evaluate_attack(sum_of_evidence(scores, usual), linked, confidence=1 - 2e-6)
    alone = [evaluate_attack(each, linked).auc for each in scores]
    best = 0.5 * (1 + math.erf(1 / math.sqrt(2)))
    assert both.auc_low < best < both.auc_high and both.auc_low > max(alone)


def test_who_finds_nothing_adds_noise():
    scores, usual, linked = several([1.0, 0.0])
    assert evaluate_attack(sum_of_evidence(scores, usual), linked).auc_high < evaluate_attack(scores[0], linked).auc


def test_one_that_says_the_same_of_all_counts_for_nothing():
    scores, usual, _ = several([1.0, 2.0])
    scores[1], usual[1] = 3.0, 3.0
    assert torch.allclose(sum_of_evidence(scores, usual), sum_of_evidence(scores[:1], usual[:1]))


@pytest.mark.parametrize("scores, usual, message", [
    (torch.zeros(2, 3), torch.zeros(3, 9), r"two scores of each of 2 attackers, got shape \[3, 9\]"),
    (torch.zeros(2, 3), torch.zeros(2, 1), r"got shape \[2, 1\]"),
    (torch.zeros(3), torch.zeros(2, 4), r"scores must be a float tensor"),
    (torch.full((2, 3), math.inf), torch.zeros(2, 4), "scores must be finite, got 6"),
])
def test_scores_that_do_not_go_together_are_refused(scores, usual, message):
    with pytest.raises(ValueError, match=message):
        sum_of_evidence(scores, usual)
