"""Messages of a federation as bytes, in a form that can hold nothing but what it announces.

A word, the length of a header, the header, and the numbers of all tensors one after the other. The header is JSON: the
content, with the type and the shape of each tensor in the place of its numbers. So a tensor has as many bytes as its
shape says, all of them are in the message, and nothing is built before that is checked. There are no strides, no sparse
or quantised layouts, no devices, and nothing that is run. ``torch.load``, which has all of these, is for files of one's
own: a kilobyte of it can announce 10^12 numbers.
"""

import json
import math
import struct
from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

WORD = b"privgraph message 1\n"
LENGTH = struct.Struct("<Q")
HEADER_MOST = 2**20  # bytes: what JSON makes of them is some twenty times as large
TYPES = {"float32": "<f4", "float64": "<f8", "float16": "<f2", "int64": "<i8", "int32": "<i4", "int16": "<i2",
         "int8": "<i1", "uint8": "<u1", "bool": "|b1"}  # of tensors, and how they are written


def pack(content: dict) -> bytes:
    """A message of tensors, numbers and text, and of tuples, lists and dicts of these.

    >>> unpack(pack({"rows": torch.ones(1, 2), "round": 3}))
    {'rows': tensor([[1., 1.]]), 'round': 3}
    """
    numbers: list[bytes] = []
    header = compact(written(content, numbers))
    return b"".join([WORD, LENGTH.pack(len(header)), header, *numbers])


def written(content, numbers: list[bytes]):
    """What the header says of it; the numbers of tensors are put aside."""
    if isinstance(content, Tensor):
        name = str(content.dtype).removeprefix("torch.")
        if name not in TYPES or content.layout != torch.strided or content.device.type != "cpu":
            raise TypeError(f"a message must hold dense tensors of {', '.join(TYPES)} on the CPU, "
                            f"got {name}, {content.layout}, on {content.device}")
        numbers.append(content.detach().numpy().astype(TYPES[name]).tobytes())
        return {"tensor": [name, list(content.shape)]}
    if isinstance(content, dict):
        return {"dict": [[written(name, numbers), written(part, numbers)] for name, part in content.items()]}
    if isinstance(content, (list, tuple)):
        return {type(content).__name__: [written(part, numbers) for part in content]}
    if content is None or type(content) in (bool, int, float, str):
        return content
    raise TypeError(f"a message must hold tensors, numbers and text, got {type(content).__name__}")


def unpack(message: bytes) -> dict:
    """What ``pack`` packed; the message may come from anybody.

    :raises ValueError: for all other bytes.
    """
    if not isinstance(message, bytes):
        raise TypeError(f"message must be bytes, got {type(message).__name__}")
    try:
        said, start = opened(message)
        content, end = found(said, memoryview(message), start)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, struct.error) as error:
        raise ValueError(f"the message holds no message: it was not written by this library, or is damaged "
                         f"({type(error).__name__})") from None
    if end != len(message):
        raise ValueError(f"the message holds no message: it announces {end} bytes, got {len(message)}")
    if not isinstance(content, dict):
        raise ValueError(f"the message holds no message: expected named fields, got {type(content).__name__}")
    return content


def opened(message: bytes) -> tuple[object, int]:
    """What the header says, written as ``pack`` writes it and in no other way; and where the numbers begin."""
    start = len(WORD) + LENGTH.size
    length, = LENGTH.unpack(message[len(WORD):start])
    if not message.startswith(WORD) or length > min(HEADER_MOST, len(message) - start):
        raise ValueError("no header")
    header = message[start:start + length]
    if compact(said := json.loads(header)) != header:
        raise ValueError("blanks, or something said twice, that nobody reads")
    return said, start + length


def compact(said) -> bytes:
    return json.dumps(said, separators=(",", ":")).encode()


def found(said, message: memoryview, start: int):
    """What a header says, with the numbers that begin at ``start``; and where they end."""
    if not isinstance(said, dict):
        return check_plain(said), start
    (kind, parts), = said.items()
    if kind == "tensor":
        return tensor(*parts, message, start)
    if kind not in ("dict", "list", "tuple"):
        raise ValueError("no such kind")
    made = []
    for part in parts:
        for each in part if kind == "dict" else (part,):
            one, start = found(each, message, start)
            made.append(one)
    if kind == "dict":
        return dict(zip(made[::2], made[1::2], strict=True)), start
    return {"list": list, "tuple": tuple}[kind](made), start


def check_plain(said):
    if isinstance(said, list):
        raise ValueError("a list must say whether it is one")
    return said


def tensor(name: str, shape: list[int], message: memoryview, start: int) -> tuple[Tensor, int]:
    """A tensor of its own memory, of numbers that are all in the message."""
    if not all(type(size) is int and 0 <= size < 2**40 for size in shape) or len(shape) > 8:
        raise ValueError("no shape")
    kind = np.dtype(TYPES[name])
    end = start + math.prod(shape) * kind.itemsize
    if end > len(message):
        raise ValueError("fewer numbers than announced")
    numbers = np.frombuffer(message[start:end], kind)
    if name == "bool" and (numbers.view(np.uint8) > 1).any():
        raise ValueError("no truth value")
    return torch.from_numpy(numbers.astype(kind.newbyteorder("="))).reshape(shape), end


def weight(layout: Mapping[str, tuple[int, ...]]) -> int:
    """Bytes of a message with tensors of float32 of these shapes, by name, and nothing else.

    >>> weight({"rows": (13, 16)}) == len(pack({"rows": torch.zeros(13, 16)}))
    True
    """
    said = {"dict": [[name, {"tensor": ["float32", list(shape)]}] for name, shape in layout.items()]}
    return len(WORD) + LENGTH.size + len(compact(said)) + sum(4 * math.prod(shape) for shape in layout.values())
