"""What a server could see of liars: similarities by loops, and each sign on federations in which somebody lies."""

import math
import statistics

import numpy as np
import pytest
import torch

from privgraph import datasets
from privgraph.attacks import (
    Lie,
    alike_another,
    alike_the_answer,
    play_with_liars,
    sent,
    unlike_the_others,
    unusual_length,
)
from privgraph.methods import FedAvgGAT, FederatedDeepWalk
from privgraph.methods.federated import hold
from privgraph.randomness import seeded

UPLOADS = torch.randn(5, 3, 7, 2, generator=seeded(0))  # five clients, three rounds
ANSWERS = torch.randn(5, 3, 7, 2, generator=seeded(1))


def by_hand(x, y, aligned):
    """The similarity of two uploads, from their tables of inner products of all rows; or the cosine of all numbers."""
    x, y = (each.double().numpy() for each in (x, y))
    if aligned:
        x, y = x @ x.T, y @ y.T
    return float((x * y).sum() / math.sqrt((x * x).sum() * (y * y).sum()))


@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize("rounds", [1, 3])
def test_the_signs_are_those_of_loops(rounds, aligned):
    uploads = UPLOADS[:, :rounds]
    table = [[sum(by_hand(uploads[i, r], uploads[j, r], aligned) for r in range(rounds)) / rounds for j in range(5)]
             for i in range(5)]
    others = [[table[i][j] for j in range(5) if j != i] for i in range(5)]
    given = uploads[:, 0] if rounds == 1 else uploads
    assert alike_another(given, aligned).tolist() == pytest.approx([max(each) for each in others])
    assert unlike_the_others(given, aligned).tolist() == pytest.approx(  # torch takes the lower of two middle ones
        [-statistics.median_low(each) for each in others])
    lengths = [[math.log(float(uploads[i, r].double().norm())) for r in range(rounds)] for i in range(5)]
    middle = [statistics.median_low([lengths[i][r] for i in range(5)]) for r in range(rounds)]
    assert unusual_length(given).tolist() == pytest.approx(
        [sum(abs(lengths[i][r] - middle[r]) for r in range(rounds)) / rounds for i in range(5)])


@pytest.mark.parametrize("aligned", [True, False])
def test_answers_are_compared_with_the_upload_that_follows(aligned):
    slow = [sum(by_hand(UPLOADS[i, r + 1], ANSWERS[i, r], aligned) for r in range(2)) / 2 for i in range(5)]
    assert alike_the_answer(UPLOADS, ANSWERS, aligned).tolist() == pytest.approx(slow)
    late = ANSWERS.clone()
    late[:, -1] = 0
    assert torch.equal(alike_the_answer(UPLOADS, late, aligned), alike_the_answer(UPLOADS, ANSWERS, aligned))


def test_a_rotation_says_nothing_where_rows_are_aligned_and_something_elsewhere():
    turn = torch.from_numpy(np.linalg.qr(np.random.default_rng(0).normal(size=(2, 2)))[0]).float()
    turned = UPLOADS.clone()
    turned[1] = UPLOADS[1] @ turn
    for sign in (alike_another, unlike_the_others):
        assert torch.allclose(sign(turned), sign(UPLOADS))
        assert not torch.allclose(sign(turned, aligned=False), sign(UPLOADS, aligned=False))


def test_uploads_of_zeros_are_like_nobodys():
    empty = UPLOADS.clone()
    empty[2] = 0
    for aligned in (True, False):
        assert float(unlike_the_others(empty, aligned)[2]) == 0 and float(alike_another(empty, aligned)[2]) == 0
    assert unusual_length(empty).isfinite().all() and int(unusual_length(empty).argmax()) == 2


DATA = hold(datasets.load("karate"), seeded(0), clients=4, public=0.5, private=0.1)
DATA.train_mask = torch.ones(34, dtype=torch.bool)
WALK = FederatedDeepWalk(dimension=4, rounds=3, walks=5, length=8, window=2, first_epochs=10)


def seen(lie, method=WALK):
    return sent(play_with_liars(method, DATA, seeded(1), {2: lie})[1])


@pytest.mark.parametrize("lie, sign", [
    (Lie("shuffled"), unlike_the_others), (Lie("noise"), unlike_the_others), (Lie("noise", 20.0), unusual_length),
    (Lie("honest", 0.1), unusual_length)])
def test_a_lie_is_seen_by_the_sign_for_it(lie, sign):
    uploads, _ = seen(lie)
    assert int(sign(uploads).argmax()) == 2


def test_sybils_are_seen_by_whom_they_are_like():
    uploads, _ = seen(Lie("noise", sybils=2))
    scores = alike_another(uploads)
    assert scores[[2, 4, 5]].tolist() == pytest.approx([1.0] * 3) and float(scores[[0, 1, 3]].max()) < 0.999


def test_a_follower_is_seen_by_the_answer_that_it_repeats():
    uploads, answers = seen(Lie("followed"))
    scores = alike_the_answer(uploads, answers)
    assert float(scores[2]) == pytest.approx(1.0) and int(scores.argmax()) == 2 and float(scores.sort().values[-2]) < 1


def test_a_mirror_is_not_seen_where_rows_are_aligned_and_is_where_weights_are_averaged():
    honest, _ = seen(Lie("honest"))
    mirrored, _ = seen(Lie("mirrored"))
    assert torch.allclose(unlike_the_others(mirrored[:, 0]), unlike_the_others(honest[:, 0]))
    assert torch.allclose(unlike_the_others(mirrored), unlike_the_others(honest), atol=0.01)
    uploads, _ = seen(Lie("mirrored"), FedAvgGAT(rounds=2, heads=2, hidden=4, epochs=2))
    assert int(unlike_the_others(uploads, aligned=False).argmax()) == 2


@pytest.mark.parametrize("call, message", [
    (lambda: unlike_the_others(UPLOADS[:1]), "uploads must be of two clients at least, got 1"),
    (lambda: alike_another(UPLOADS[0, 0]), "uploads must be a float tensor"),
    (lambda: unusual_length(UPLOADS.long()), "uploads must be a float tensor"),
    (lambda: alike_the_answer(UPLOADS[:, :1], ANSWERS[:, :1]), "uploads must be of two rounds at least, got 1"),
    (lambda: alike_the_answer(UPLOADS, ANSWERS[:4]), r"answers must be a float tensor of shape \[5, 3, 7, 2\]"),
    (lambda: alike_another(UPLOADS, aligned=1), "aligned must be True or False"),
])
def test_what_cannot_be_compared_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
