"""methods.federated.averaging: what the server answers, and whom it leaves out."""

import pytest
import torch

from privgraph.methods.federated import ANSWERS, Averaging, align_to_each, common_frame
from privgraph.methods.federated.averaging import MANY
from privgraph.methods.federated.row_messages import pack_rows, unpack_rows
from privgraph.methods.messages import pack
from privgraph.randomness import seeded

ROWS = torch.randn(4, 30, 5, generator=seeded(100))


def answered(answer, uploads=ROWS, seed=0):
    told = Averaging(answer, seeded(seed)).combine({number: pack_rows(rows) for number, rows in enumerate(uploads)})
    assert not told.left_out and list(told.replies) == list(range(len(uploads)))
    return torch.stack([unpack_rows(answer) for answer in told.replies.values()])


def test_answers_are_what_their_names_say():
    assert torch.equal(answered("own"), ROWS) and torch.equal(answered("halved"), ROWS / 2)
    assert torch.allclose(answered("mean"), ROWS.mean(0).expand_as(ROWS))
    assert torch.allclose(answered("aligned"), align_to_each(ROWS))
    turned, drawn, mixed = answered("rotated"), answered("noise"), answered("permuted")
    for i in range(4):  # a rotation keeps all products, and noise the lengths only
        assert torch.allclose(turned[i] @ turned[i].t(), ROWS[i] @ ROWS[i].t(), atol=1e-4)
        assert torch.allclose(drawn[i].norm(dim=1), ROWS[i].norm(dim=1), atol=1e-4)
        assert not torch.allclose(drawn[i] @ drawn[i].t(), ROWS[i] @ ROWS[i].t(), atol=0.1)
        assert torch.allclose(mixed[i].sum(0), align_to_each(ROWS)[i].sum(0), atol=1e-4)
        assert not torch.allclose(mixed[i], align_to_each(ROWS)[i], atol=0.1)


@pytest.mark.parametrize("answer", ["own", "halved", "rotated", "noise"])
def test_controls_hold_nothing_of_the_others(answer):
    changed = ROWS.clone()
    changed[1:] = changed[1:].flip(1)
    assert torch.equal(answered(answer)[0], answered(answer, changed)[0])


def test_many_clients_share_one_frame():
    uploads = torch.randn(MANY, 12, 3, generator=seeded(1))
    assert torch.equal(answered("aligned", uploads), common_frame(uploads))
    assert not torch.allclose(common_frame(uploads), align_to_each(uploads), atol=1e-3)


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_round_goes_on_without_those_whose_rows_cannot_be_used(answer):
    messages = {0: pack_rows(ROWS[0]), 3: b"garbage", 4: pack_rows(ROWS[0, :20]),
                5: pack_rows(ROWS[0, :, :4].contiguous()), 6: pack({"edges": ROWS[0]}), 7: pack_rows(ROWS[3])}
    told = Averaging(answer, seeded(0)).combine(messages | {1: pack({"rows": ROWS[1] / 0})})
    assert set(told.replies) == {0, 7} and set(told.left_out) == {1, 3, 4, 5, 6}
    alone = Averaging(answer, seeded(0)).combine({0: messages[0], 7: messages[7]})
    assert dict(told.replies) == dict(alone.replies)
    for client, reason in {1: "finite", 3: "holds no message", 4: "shape", 5: "shape", 6: "nothing else"}.items():
        assert reason in told.left_out[client]


def test_where_all_have_shapes_of_their_own_the_first_has_an_answer():
    told = Averaging("own", seeded(0)).combine({3: pack_rows(ROWS[0]), 1: pack_rows(ROWS[1, :20])})
    assert set(told.replies) == {3} and set(told.left_out) == {1}


@pytest.mark.parametrize("messages", [{}, {2: b"garbage"}])
def test_a_round_without_anybody_answers_nobody(messages):
    told = Averaging("aligned", seeded(0)).combine(messages)
    assert not told.replies and set(told.left_out) == set(messages)


def test_fewer_rows_than_dimensions_cannot_be_aligned():
    told = Averaging("aligned", seeded(0)).combine({0: pack_rows(ROWS[0, :4]), 1: pack_rows(ROWS[1, :4])})
    assert not told.replies and "at least as many public rows as dimensions" in told.left_out[1]


def test_no_other_answer():
    with pytest.raises(ValueError, match="answer must be one of"):
        Averaging("sum", seeded(0))
