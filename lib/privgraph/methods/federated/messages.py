"""Rows of vectors as bytes: what a client uploads, and what the server answers."""

from collections.abc import Mapping

import torch
from torch import Tensor

from ...checks import check_tensor
from ..files import pack, unpack


def pack_rows(rows: Tensor) -> bytes:
    """A message with ``rows`` float [P, d], and nothing else."""
    return pack({"rows": check_rows(rows)})


def unpack_rows(message: bytes, shape: tuple[int, int] | None = None) -> Tensor:
    """The rows of a message that may come from anybody.

    :param shape: (P, d), where they must have this one.
    :raises ValueError: if the message holds anything else than finite rows, or rows of another shape.
    """
    content = unpack(message)
    if set(content) != {"rows"}:
        raise ValueError(f"a message must hold rows and nothing else, got {sorted(map(str, content))}")
    return check_rows(content["rows"], shape)


def check_rows(rows: Tensor, shape: tuple[int, int] | None = None, name: str = "rows") -> Tensor:
    """Finite float [P, d]."""
    wanted = "[P, d]" if shape is None else list(shape)
    if check_tensor(rows, name).dim() != 2 or not rows.is_floating_point() or not rows.numel() or (
            shape is not None and rows.shape != shape):
        raise ValueError(f"{name} must be a float tensor {wanted}, got {rows.dtype} of shape {list(rows.shape)}")
    if not torch.isfinite(rows).all():
        raise ValueError(f"{name} must be finite, got NaN or infinite numbers")
    return rows


def readable(messages: Mapping[int, bytes]) -> tuple[dict[int, Tensor], dict[int, str]]:
    """The rows of each client whose message can be used, and the reason for each whose cannot.

    All must have one shape: the one that most have, and where that is a tie the one that came first.
    """
    rows, left_out = {}, {}
    for client, message in messages.items():
        try:
            rows[client] = unpack_rows(message)
        except (TypeError, ValueError) as error:
            left_out[client] = str(error)
    shapes = [each.shape for each in rows.values()]
    usual = max(shapes, key=shapes.count, default=None)
    odd = {client: f"rows must have the shape of most, {list(usual)}, got {list(each.shape)}"
           for client, each in rows.items() if each.shape != usual}
    return {client: each for client, each in rows.items() if client not in odd}, left_out | odd
