"""Rows of vectors as bytes: what a client uploads, and what the server answers.

A message may come from anybody. It is read, and checked for type, shape, finiteness and length before anything is
computed; then all that is computed stands in one guarded place, so that nobody's rows can end a round for the others.
What is *right* cannot be checked: rows that are false, and no longer than ``LONGEST``, go into the mean.
"""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from ...checks import check_tensor
from ..federation import Round
from ..guard import guarded
from ..messages import pack, unpack

LONGEST = 1e6  # of a row; 10^26 products of such rows add up to a finite float32. Trained rows have lengths of 1 to 100
FLOATS = (torch.float32, torch.float64)


def pack_rows(rows: Tensor) -> bytes:
    """A message with ``rows`` float [P, d], and nothing else; what is longer than ``LONGEST`` is shortened to it."""
    return pack({"rows": within(check_rows(rows))})


def within(rows: Tensor) -> Tensor:
    """The same rows, none longer than a reader takes.

    >>> within(torch.tensor([[3.0, 4.0], [3e30, 4e30]]))
    tensor([[3.0000e+00, 4.0000e+00],
            [6.0000e+05, 8.0000e+05]])
    """
    length = rows.double().norm(dim=1, keepdim=True)
    if float(length.max()) <= LONGEST:
        return rows
    return (rows.double() * ((1 - 1e-6) * LONGEST / length).clamp(max=1.0)).to(rows.dtype)


def unpack_rows(message: bytes, shape: tuple[int, int] | None = None) -> Tensor:
    """The rows of a message that may come from anybody.

    :param shape: (P, d), where they must have this one.
    :raises ValueError: if the message holds anything else than finite rows that are no longer than ``LONGEST``, or
        rows of another shape.
    """
    content = unpack(message)
    if set(content) != {"rows"}:
        raise ValueError(f"a message must hold rows and nothing else, got {sorted(map(str, content))}")
    rows = check_rows(content["rows"], shape)
    if rows.dtype not in FLOATS:
        raise ValueError(f"rows must be float32 or float64, got {rows.dtype}")
    if (longest := float(rows.double().norm(dim=1).max())) > LONGEST:
        raise ValueError(f"rows must have a length of at most {LONGEST:g}, got {longest:.3g}")
    return rows


def check_rows(rows: Tensor, shape: tuple[int, int] | None = None, name: str = "rows") -> Tensor:
    """Finite float [P, d]."""
    wanted = "[P, d]" if shape is None else list(shape)
    if check_tensor(rows, name).dim() != 2 or not rows.is_floating_point() or not rows.numel() or (
            shape is not None and rows.shape != shape):
        raise ValueError(f"{name} must be a float tensor {wanted}, got {rows.dtype} of shape {list(rows.shape)}")
    if not torch.isfinite(rows).all():
        raise ValueError(f"{name} must be finite, got NaN or infinite numbers")
    return rows


def combined(messages: Mapping[int, bytes], answer: Callable[[Tensor], Tensor]) -> Round:
    """A round of a server that answers rows with rows: [k, P, d] of those who are of one shape, with as many.

    Several shapes are answered apart, so that clients who agree on a false one cost the others nothing. Who is alone
    with a shape is left out, unless all are: then the first has an answer.
    """
    rows, left_out = read_all(messages)
    replies: dict[int, bytes] = {}
    for group in groups(rows):
        found, failed = guarded(lambda shares: answered(shares, answer), group)
        replies, left_out = replies | (found or {}), left_out | failed
    rest = {client: own for client, own in rows.items() if client not in replies | left_out}
    out = odd(rest, next(iter(groups(rows)), {}))
    return Round(messages, {client: replies[client] for client in rows if client in replies}, left_out | out)


def answered(rows: Mapping[int, Tensor], answer: Callable[[Tensor], Tensor]) -> dict[int, bytes]:
    found = answer(torch.stack(list(rows.values())))
    return {client: pack_rows(own) for client, own in zip(rows, found, strict=True)}


def readable(messages: Mapping[int, bytes]) -> tuple[dict[int, Tensor], dict[int, str]]:
    """The rows of each client whose message can be used, and the reason for each whose cannot.

    All must have one shape: the one that most have, and where that is a tie the one that came first.
    """
    rows, left_out = read_all(messages)
    usual = next(iter(groups(rows)), {})
    return usual, left_out | odd(rows, usual)


def read_all(messages: Mapping[int, bytes]) -> tuple[dict[int, Tensor], dict[int, str]]:
    """The same, where rows may have any shape."""
    rows, left_out = {}, {}
    for client, message in messages.items():
        found, failed = guarded(lambda share: {number: unpack_rows(sent) for number, sent in share.items()},
                                {client: message})
        rows, left_out = rows | (found or {}), left_out | failed
    return rows, left_out


def groups(rows: Mapping[int, Tensor]) -> list[dict[int, Tensor]]:
    """Who has rows of one kind, the most first; a single one only where there are no others."""
    found: dict[tuple, dict[int, Tensor]] = {}
    for client, own in rows.items():
        found.setdefault((own.shape, own.dtype), {})[client] = own
    ordered = sorted(found.values(), key=len, reverse=True)
    return [group for group in ordered if len(group) > 1] or ordered[:1]


def odd(rows: Mapping[int, Tensor], usual: Mapping[int, Tensor]) -> dict[int, str]:
    """What is said to whose rows are of another kind than the usual ones."""
    shape = next((list(own.shape) for own in usual.values()), [])
    return {client: f"rows must have the shape of most, {shape}, got {list(own.shape)}"
            for client, own in rows.items() if client not in usual}
