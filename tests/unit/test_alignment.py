"""methods.federated.alignment: the orthogonal Procrustes problem, and precision among nearest neighbours."""

import pytest
import torch
from scipy.linalg import orthogonal_procrustes

from privgraph.methods.federated import align_to_each, common_frame, precision_at, procrustes
from privgraph.methods.federated.alignment import nearest_orthogonal
from privgraph.randomness import seeded


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.double)


def test_it_is_the_map_that_scipy_finds():
    x, y = normal(50, 8), normal(50, 8, seed=1)
    expected, _ = orthogonal_procrustes(x.numpy(), y.numpy())
    assert torch.allclose(procrustes(x, y), torch.from_numpy(expected), atol=1e-10)


def test_no_other_rotation_is_nearer():
    x, y = normal(30, 4), normal(30, 4, seed=1)
    best = (x @ procrustes(x, y) - y).norm()
    others = [nearest_orthogonal(normal(4, 4, seed=seed)) for seed in range(2, 200)]
    assert all((x @ turn - y).norm() >= best for turn in others)


def test_the_dissertations_columns_are_our_rows():
    """Eq. 4.4 maps columns, W X with W = U V' from Y X'; ours is its transpose."""
    x, y = normal(30, 4), normal(30, 4, seed=1)
    u, _, v = torch.linalg.svd(y.t() @ x)
    assert torch.allclose((u @ v @ x.t()).t(), x @ procrustes(x, y), atol=1e-12)


def test_turned_copies_come_together():
    x = normal(40, 6)
    turns = torch.stack([nearest_orthogonal(normal(6, 6, seed=seed)) for seed in range(1, 6)])
    for aligned in (align_to_each(x @ turns), common_frame(x @ turns)):
        assert torch.allclose(aligned, x @ turns, atol=1e-10)


def test_each_pair_as_in_algorithm_3():
    uploads = torch.stack([normal(20, 5, seed=seed) for seed in range(4)])
    for i, found in enumerate(align_to_each(uploads)):
        total = uploads[i].clone()
        for j in range(4):
            if j != i:
                total += uploads[j] @ procrustes(uploads[j], uploads[i])
        assert torch.allclose(found, total / 4, atol=1e-12)


def test_whoever_turns_gets_the_answer_turned():
    uploads = torch.stack([normal(20, 5, seed=seed) for seed in range(3)])
    turn = nearest_orthogonal(normal(5, 5, seed=9))
    turned = uploads.clone()
    turned[1] = turned[1] @ turn
    for align in (align_to_each, common_frame):
        before, after = align(uploads), align(turned)
        assert torch.allclose(after[1], before[1] @ turn, atol=1e-8)
        assert torch.allclose(after[[0, 2]], before[[0, 2]], atol=1e-8)


def test_one_frame_is_about_as_good_as_pairs():
    """Noisy turned copies: how far answers lie from what is common, in one client's space."""
    x = normal(300, 8)
    turns = torch.stack([nearest_orthogonal(normal(8, 8, seed=seed)) for seed in range(1, 11)])
    uploads = x @ turns + 0.5 * normal(10, 300, 8, seed=20)
    away = {align: (align(uploads) - x @ turns).norm() for align in (align_to_each, common_frame)}
    assert away[common_frame] < 1.05 * away[align_to_each] < 0.5 * (uploads - x @ turns).norm()


def test_precision_is_what_a_loop_counts():
    x, y = normal(60, 3), normal(60, 3)
    y = y + 0.5 * normal(60, 3, seed=2)
    for k in (1, 5, 10):
        hits = 0
        for row in range(60):
            order = sorted(range(60), key=lambda other: float((x[row] - y[other]).norm()))
            hits += row in order[:k]
        assert precision_at(x, y, k) == hits / 60


def test_rows_that_are_alike_find_nobody():
    assert precision_at(torch.ones(20, 3), torch.ones(20, 3), 5) == 0


def test_blocks_change_nothing():
    x = torch.randn(2500, 2, generator=seeded(0))
    y = x + 0.01 * torch.randn(2500, 2, generator=seeded(1))
    own = (x - y).norm(dim=1)
    nearer = torch.stack([((x[row] - y).norm(dim=1) <= own[row]).sum() for row in range(2500)])
    assert abs(precision_at(x, y, 3) - float((nearer <= 3).float().mean())) <= 2 / 2500  # two ways to round a distance


@pytest.mark.parametrize("call, message", [
    (lambda: procrustes(normal(3, 4), normal(3, 4)), "at least as many public rows as dimensions, got 3 rows of 4"),
    (lambda: procrustes(normal(5, 4), normal(5, 3)), r"target must be a float tensor \[5, 4\]"),
    (lambda: procrustes(normal(5, 4).log(), normal(5, 4)), "source must be finite"),
    (lambda: align_to_each(normal(5, 4)), r"\[k, P, d\]"),
    (lambda: common_frame(normal(2, 3, 4)), "at least as many"),
    (lambda: common_frame(normal(2, 5, 4), steps=0), "steps"),
    (lambda: precision_at(normal(5, 4), normal(5, 4), 0), "k must be")])
def test_what_cannot_be_aligned(call, message):
    with pytest.raises(ValueError, match=message):
        call()
