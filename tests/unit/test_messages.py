"""methods.federated.messages: rows as bytes, and messages that cannot be used."""

import pickle

import pytest
import torch

from privgraph.methods.federated.row_messages import pack_rows, readable, unpack_rows, within
from privgraph.methods.messages import pack

ROWS = torch.arange(6.0).view(3, 2)


def test_rows_come_back():
    assert torch.equal(unpack_rows(pack_rows(ROWS), (3, 2)), ROWS)


def test_a_message_takes_nothing_else_along():
    """Rows that are cut from a client's table come without the table."""
    table = torch.arange(2e4).view(-1, 2)
    assert len(pack_rows(table[:3])) == len(pack_rows(ROWS)) < 2000


@pytest.mark.parametrize("message, reason", [
    (b"", "holds no message"), (b"garbage", "holds no message"), (pickle.dumps(ROWS), "holds no message"),
    ("text", "must be bytes"), (None, "must be bytes"),
    (pack({"rows": ROWS, "edges": ROWS}), "rows and nothing else"), (pack({}), "rows and nothing else"),
    (pack({"rows": ROWS.log() / 0}), "finite"), (pack({"rows": ROWS.long()}), "float tensor"),
    (pack({"rows": ROWS[0]}), "float tensor"), (pack({"rows": ROWS[:0]}), "float tensor"), (pack({"rows": 3}), "rows"),
    (pack({"rows": ROWS.repeat(2, 1)}), r"the shape of most, \[3, 2\], got \[6, 2\]")])
def test_a_message_that_cannot_be_used_is_left_out_and_the_others_are_not(message, reason):
    rows, left_out = readable({0: pack_rows(ROWS), 1: message, 2: pack_rows(ROWS + 1)})
    assert list(rows) == [0, 2] and torch.equal(rows[2], ROWS + 1)
    assert list(left_out) == [1] and reason.split(",")[0].replace("\\", "") in left_out[1]


def test_a_shape_that_is_expected():
    with pytest.raises(ValueError, match=r"\[4, 2\], got torch.float32 of shape \[3, 2\]"):
        unpack_rows(pack_rows(ROWS), (4, 2))


def test_rows_of_the_greatest_length_are_sent_as_they_are_and_longer_ones_as_long():
    longest = torch.tensor([[6e5, 8e5]])
    assert within(longest) is longest and torch.equal(unpack_rows(pack_rows(longest)), longest)
    told = unpack_rows(pack_rows(torch.tensor([[6e5, 8e5], [3e8, 4e8], [3.0, 4.0]])))
    assert told.norm(dim=1).tolist() == pytest.approx([1e6, 1e6, 5.0], rel=2e-6, abs=0)
    with pytest.raises(ValueError, match="rows must have a length of at most 1e.06, got 1e.06"):
        unpack_rows(pack({"rows": torch.tensor([[6e5, 8.00001e5]])}))
