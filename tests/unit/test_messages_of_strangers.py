"""Property tests: whatever one client sends, the others have the answers that they have without it.

Over all federations that there are, found by looking, and the servers alone: what carries messages is tried in
``test_federation_faults``.
"""

import io
import json
import math
import struct

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from privgraph.methods import Federation, all_methods
from privgraph.methods.contract.toys import shared_path
from privgraph.methods.federated import ANSWERS, Averaging
from privgraph.methods.federated import row_messages as federated_messages
from privgraph.methods.federated.row_messages import LONGEST, pack_rows, unpack_rows, within
from privgraph.methods.federation import public_sizes
from privgraph.methods.guard import guarded
from privgraph.methods.messages import LENGTH, TYPES, WORD, pack, unpack, weight
from privgraph.randomness import seeded

METHODS = [method for kind in all_methods().values() if issubclass(kind, Federation) for method in kind.examples()]
WALK = METHODS[0]


def honest(method, count=2):
    parts = method.split(shared_path(), seeded(0))
    return [method.client(part, seeded(number)).send() for number, part in enumerate(parts)][:count]


SENT = [honest(method) for method in METHODS]


def saved(content):
    """As torch writes it, with all that a message must not be."""
    torch.save(content, file := io.BytesIO())
    return file.getvalue()


def with_header(said, numbers=b""):
    header = json.dumps(said, separators=(",", ":")).encode()
    return WORD + LENGTH.pack(len(header)) + header + numbers


FLOATS = st.sampled_from([torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.float8_e4m3fn,
                          torch.float8_e5m2])
SHAPES = st.lists(st.integers(0, 5), max_size=3)
MAGNITUDES = st.sampled_from([0.0, 1e-45, 1e-20, 1.0, 1e6, 1e8, 1e19, 1e30, 3e38, math.inf, -math.inf, math.nan])


@st.composite
def odd_tensors(draw):
    rows = torch.full(draw(SHAPES), 1.0).mul(draw(MAGNITUDES)).to(draw(FLOATS))
    made = draw(st.sampled_from(["plain", "sparse", "meta", "stride 0", "transposed", "nested", "int"]))
    if made == "sparse" and rows.dim() == 2 and rows.dtype in (torch.float32, torch.float64):
        return rows.to_sparse()
    if made == "stride 0":
        return torch.ones(1).as_strided((10**6, 10**6), (0, 0))
    return {"meta": lambda: rows.to("meta"), "transposed": lambda: rows.mT if rows.dim() > 1 else rows,
            "nested": lambda: [rows, {"rows": rows}], "int": lambda: torch.ones(rows.shape, dtype=torch.int64)}.get(
                made, lambda: rows)()


def packed(content):
    try:
        return pack(content)
    except (TypeError, MemoryError):  # what ``pack`` does not write
        return saved(content)


@st.composite
def strange(draw, true):
    """A message of a stranger; often nearly a true one."""
    kind = draw(st.sampled_from(["bytes", "tensor", "saved", "cut", "changed", "scaled", "header", "more", "shape"]))
    rows = unpack(true)["rows"]
    if kind == "bytes":
        return draw(st.binary(max_size=200))
    if kind in ("tensor", "saved"):
        name = draw(st.sampled_from(["rows", "edges", "place"]))
        return (packed if kind == "tensor" else saved)({name: draw(odd_tensors())})
    if kind == "cut":
        return true[:draw(st.integers(0, len(true) - 1))]
    if kind == "changed":
        at, byte = draw(st.integers(0, len(true) - 1)), draw(st.integers(0, 255))
        return true[:at] + bytes([byte]) + true[at + 1:]
    if kind == "scaled":
        return pack({"rows": (rows * draw(MAGNITUDES)).to(draw(st.sampled_from([torch.float32, torch.float64])))})
    if kind == "header":
        shape = draw(st.lists(st.sampled_from([0, 1, 3, 10**6, 2**40, 2**63, -1, 1.5, True, "4", None]), max_size=9))
        name = draw(st.sampled_from([*TYPES, "complex64", "Evil", None, 3]))
        return with_header({"dict": [["rows", {"tensor": [name, shape]}]]}, draw(st.binary(max_size=64)))
    if kind == "more":
        return true + draw(st.binary(min_size=1, max_size=20))
    return pack_rows(torch.rand(*draw(st.tuples(st.integers(1, 9), st.integers(1, 9))), generator=seeded(0)))


@pytest.mark.parametrize("number", range(len(METHODS)), ids=lambda number: f"{type(METHODS[number]).__name__}-{number}")
@given(data=st.data())
@settings(max_examples=120)
def test_whatever_one_client_sends_the_others_have_their_answers(number, data):
    method, (one, two) = METHODS[number], SENT[number]
    message = data.draw(strange(one))
    at = data.draw(st.sampled_from([0, 1, 2]))
    clients = [client for client in range(3) if client != at]
    told = method.server(seeded(0)).combine(dict(sorted({at: message, clients[0]: one, clients[1]: two}.items())))
    assert set(clients) <= set(told.replies) and (at in told.replies) != (at in told.left_out)
    if at in told.left_out:
        alone = method.server(seeded(0)).combine({clients[0]: one, clients[1]: two})
        assert dict(told.replies) == dict(alone.replies)
    for client in clients:
        assert torch.isfinite(unpack_rows(told.replies[client], tuple(unpack_rows(one).shape))).all()


# What is odd has the shape of what the others send: its layout, type, device or size alone must put it out.
ROWS = torch.rand(3, 8, 4, generator=seeded(1))
ODD_TENSORS = {
    "float8": lambda: ROWS[2].to(torch.float8_e4m3fn), "float8 of another kind": lambda: ROWS[2].to(torch.float8_e5m2),
    "bfloat16": lambda: ROWS[2].bfloat16(), "sparse": lambda: ROWS[2].to_sparse(), "meta": lambda: ROWS[2].to("meta")}
SAVED = {f"saved {name}": (lambda made=made: saved({"rows": made()}), "holds no message")
         for name, made in ODD_TENSORS.items()}
LONG, TYPE = "rows must have a length of at most", "rows must be float32 or float64, got torch.float16"
ODD_MESSAGES = SAVED | {
    "saved stride": (lambda: saved({"rows": torch.ones(1).as_strided((10**6, 10**6), (0, 0))}), "holds no message"),
    "1e30": (lambda: pack({"rows": torch.full((8, 4), 1e30)}), LONG),
    "3e38": (lambda: pack({"rows": torch.full((8, 4), 3e38)}), LONG),
    "1e300": (lambda: pack({"rows": torch.full((8, 4), 1e300, dtype=torch.float64)}), LONG),
    "float16": (lambda: pack({"rows": ROWS[2].half()}), TYPE),
    "float8": (lambda: with_header({"dict": [["rows", {"tensor": ["float8_e4m3fn", [8, 4]]}]]},
                                   ROWS[2].to(torch.float8_e4m3fn).view(torch.uint8).numpy().tobytes()),
               "holds no message")}


def told_beside(answer, message):
    """What a server tells of a message of client 0 and good ones of clients 1 and 2."""
    return Averaging(answer, seeded(0)).combine({0: message, 1: pack_rows(ROWS[0]), 2: pack_rows(ROWS[1])})


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("name", ODD_MESSAGES)
def test_the_odd_messages_that_ended_a_server(name, answer):
    made, why = ODD_MESSAGES[name]
    told = told_beside(answer, made())
    assert set(told.replies) == {1, 2} and set(told.left_out) == {0} and why in told.left_out[0]
    assert set(told_beside(answer, pack({"rows": ROWS[2]})).replies) == {0, 1, 2}


def read_as_before(message):
    """As messages were read until they had a format of their own: with torch, which makes whatever is announced."""
    return unpack(message) if message.startswith(WORD) else torch.load(io.BytesIO(message), weights_only=True)


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("name", ODD_TENSORS)
def test_odd_tensors_are_left_out_even_by_a_server_that_reads_them(name, answer, monkeypatch):
    """The format refuses them first. This is what stands behind it: here dense rows that torch wrote are taken."""
    monkeypatch.setattr(federated_messages, "unpack", read_as_before)
    assert set(told_beside(answer, saved({"rows": ROWS[2]})).replies) == {0, 1, 2}
    told = told_beside(answer, saved({"rows": ODD_TENSORS[name]()}))
    assert set(told.replies) == {1, 2} and set(told.left_out) == {0} and "shape of most" not in told.left_out[0]


def test_a_dishonest_majority_with_a_shape_of_its_own_puts_nobody_out():
    rows = torch.rand(5, 8, 4, generator=seeded(1))
    sent = {number: pack_rows(rows[number][:, :3 if number < 3 else 4]) for number in range(5)}
    told = Averaging("aligned", seeded(0)).combine(sent)
    assert set(told.replies) == set(range(5))
    pair = Averaging("aligned", seeded(0)).combine({number: sent[number] for number in (3, 4)})
    assert {number: told.replies[number] for number in (3, 4)} == dict(pair.replies)


@pytest.mark.parametrize("number", range(len(METHODS)), ids=lambda number: f"{type(METHODS[number]).__name__}-{number}")
def test_the_longest_rows_that_are_taken_leave_honest_clients_in(number):
    """They are false and spoil the mean; but what honest clients send afterwards is still taken."""
    method = METHODS[number]
    clients = dict(enumerate(method.client(part, seeded(i)) for i, part in enumerate(
        method.split(shared_path(), seeded(0)))))
    server = method.server(seeded(0))
    for _ in range(method.rounds):
        sent = {client: it.send() for client, it in clients.items()}
        rows = unpack_rows(sent[0])
        told = server.combine(sent | {2: pack_rows(torch.full_like(rows, 1e30))})
        assert set(told.replies) == {0, 1, 2} and not told.left_out
        for client, it in clients.items():
            it.receive(told.replies[client])
    if getattr(method, "noise", None) is None:  # else there is no message more
        assert all(torch.isfinite(unpack_rows(it.send())).all() for it in clients.values())


@pytest.mark.parametrize("number", range(len(METHODS)), ids=lambda number: f"{type(METHODS[number]).__name__}-{number}")
def test_a_method_says_what_its_messages_weigh(number):
    method = METHODS[number]
    sizes = public_sizes(method.split(shared_path(), seeded(0))[0])
    layout = method.layout(sizes)
    assert {name: tuple(rows.shape) for name, rows in unpack(SENT[number][0]).items()} == layout
    assert weight(layout) == len(SENT[number][0]) and method.layout({}) is None


@pytest.mark.parametrize("number", range(len(METHODS)), ids=lambda number: f"{type(METHODS[number]).__name__}-{number}")
def test_a_client_goes_on_from_its_state_as_if_nothing_had_been(number):
    method = METHODS[number]
    part = method.split(shared_path(), seeded(0))[0]
    first = method.client(part, seeded(1))
    message = first.send()
    again = method.resumed(part, seeded(2), unpack(pack(first.state())))
    for client in (first, again):
        client.receive(message)
    assert first.send() == again.send()


def test_noise_on_edges_is_not_drawn_again_in_another_federation():
    method = next(method for method in METHODS if getattr(method, "edges", None))
    part = method.split(shared_path(), seeded(0))[0]
    first = method.client(part, seeded(1))
    again = method.resumed(part, seeded(2), {"edge_index": first.graph.edge_index})
    assert torch.equal(first.graph.edge_index, again.graph.edge_index)
    assert not torch.equal(first.graph.edge_index, method.client(part, seeded(2)).graph.edge_index)


@pytest.mark.parametrize("content", [
    {}, {"a": [1, 2.5, math.inf, "x", None, True], "t": (torch.arange(4).view(2, 2).t(),)}, {"e": torch.empty(0, 3)},
    {"s": torch.tensor(3.0), "b": torch.tensor([True, False])}, {3: torch.ones(2, 0, dtype=torch.int16), "": {"": []}},
    {"d": torch.ones([1] * 8)}])
def test_what_is_packed_comes_back(content):
    message = pack(content)
    again = unpack(message)
    assert pack(again) == message and str(again) == str(content)


@pytest.mark.parametrize("message", [
    WORD, WORD + LENGTH.pack(2**63), WORD + LENGTH.pack(5), with_header([]), with_header({"list": []}), with_header(3),
    with_header({"dict": [["a", [1]]]}), with_header({"dict": [["a"]]}), with_header({"dict": 3}), with_header({}),
    with_header({"set": []}), with_header({"dict": [], "list": []}), with_header({"dict": [[{"list": []}, 1]]}),
    with_header({"dict": [["a", {"tensor": ["bool", [1]]}]]}, b"\2"), WORD + LENGTH.pack(12) + b'{"dict": [] }',
    with_header({"dict": [["a", {"tensor": ["float32", [2**39, 2**39]]}]]}), with_header({"dict": []}, b"0"),
    with_header({"dict": [["a", {"tensor": ["float32", [-1, 0]]}]]}),
    with_header({"dict": [["a", {"tensor": ["bool", [1] * 9]}]]}, b"\1"),
    WORD + LENGTH.pack(20000) + b"[" * 20000, saved({"rows": torch.ones(2)}), struct.pack("<Q", 3) + b"{}"])
def test_no_other_bytes_are_a_message(message):
    with pytest.raises(ValueError, match="the message holds no message"):
        unpack(message)


@pytest.mark.parametrize("content", [
    {"a": torch.ones(2, 2).to_sparse()}, {"a": torch.ones(2, device="meta")}, {"a": torch.ones(2).to(torch.bfloat16)},
    {"a": object()}, {"a": b"bytes"}, {"a": 1j}])
def test_what_is_no_message_is_not_packed(content):
    with pytest.raises(TypeError, match="a message must hold"):
        pack(content)


def test_a_row_is_as_long_as_a_reader_takes():
    assert torch.equal(within(rows := torch.rand(3, 2)), rows)
    assert unpack_rows(pack_rows(torch.tensor([[3e38, -3e38]]))).norm() == pytest.approx(LONGEST, rel=1e-5, abs=0)
    with pytest.raises(ValueError, match=r"rows must have a length of at most 1e\+06, got 2e\+06"):
        unpack_rows(pack({"rows": torch.tensor([[2e6, 0.0]])}))


def test_an_error_that_nobody_foresaw_costs_one_client():
    def work(shares):
        if "bad" in shares.values() or {"odd", "even"} <= set(shares.values()):
            raise RuntimeError("of a library")
        return sorted(shares)
    assert guarded(work, {0: "bad", 1: "good"}) == ([1], {0: "it cannot be worked with: RuntimeError: of a library"})
    found, out = guarded(work, {0: "odd", 1: "good", 2: "even", 3: "good"})  # two who cannot be together
    assert found == [0, 1, 3] and list(out) == [2]
    assert guarded(work, {0: "bad"}) == (None, {0: "it cannot be worked with: RuntimeError: of a library"})
    assert guarded(work, {}) == ([], {})
