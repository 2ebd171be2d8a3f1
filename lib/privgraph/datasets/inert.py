"""Arrays out of a pickle that is never unpickled.

A pickle is a program for a small machine with a stack, and some of its steps call what the file names, which may be
anything. Planetoid's files are pickles that Python 2 wrote. Here the same steps are gone through, but a call is
only written down, as a ``Call``; the arrays are then put together from what was written down. No step imports,
calls or compares anything that the file names, so the worst that a file can do is not to be an array.
"""

import pickletools
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from .npz import csr_matrix

MAX_STEPS = 2_000_000  # PubMed's graph takes some 200,000
VALUES = {"INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT", "STRING", "BINSTRING",
          "SHORT_BINSTRING", "UNICODE", "BINUNICODE", "NONE"}


@dataclass(eq=False)
class Call:
    """What a pickle would look up or call: a name such as ``numpy dtype``, the arguments, what is then put into it."""

    name: str
    arguments: Any = ()
    state: Any = None
    items: dict = field(default_factory=dict)


class Machine:
    """The steps of pickle protocols 0 to 2, each as the method ``on_<name>``."""

    def __init__(self):
        self.stack, self.marks, self.memo = [], [], {}

    def run(self, data: bytes) -> Any:
        for number, (step, argument, _) in enumerate(pickletools.genops(data)):
            if step.name == "STOP":
                return self.stack.pop()
            on = self.stack.append if step.name in VALUES else getattr(self, f"on_{step.name.lower()}", None)
            if on is None or number > MAX_STEPS:
                raise ValueError(f"step {number}, {step.name}, has no place in a file of arrays")
            on(argument)
        raise ValueError("the file does not end")

    def since_mark(self) -> list:
        at = self.marks.pop()
        taken = self.stack[at:]
        del self.stack[at:]
        return taken

    def call(self) -> None:
        arguments, function = self.stack.pop(), self.stack.pop()
        self.stack.append(Call(function.name, arguments))

    def extend(self, values: list) -> None:
        if type(self.stack[-1]) is not list:
            raise ValueError("appends to what is no list")
        self.stack[-1].extend(values)

    def update(self, values: list) -> None:
        target = self.stack[-1].items if isinstance(self.stack[-1], Call) else self.stack[-1]
        for key, value in zip(values[::2], values[1::2], strict=True):
            if type(key) not in (int, str):  # the hash of a deep tuple could crash
                raise ValueError("only numbers and words can be keys")
            target[key] = value

    def gather(self, count: int) -> None:
        self.stack[-count:] = [tuple(self.stack[-count:])]

    def on_proto(self, version): pass
    def on_mark(self, _): self.marks.append(len(self.stack))
    def on_newtrue(self, _): self.stack.append(True)
    def on_newfalse(self, _): self.stack.append(False)
    def on_empty_tuple(self, _): self.stack.append(())
    def on_empty_list(self, _): self.stack.append([])
    def on_empty_dict(self, _): self.stack.append({})
    def on_tuple1(self, _): self.gather(1)
    def on_tuple2(self, _): self.gather(2)
    def on_tuple3(self, _): self.gather(3)
    def on_tuple(self, _): self.stack.append(tuple(self.since_mark()))
    def on_list(self, _): self.stack.append(self.since_mark())
    def on_append(self, _): self.extend([self.stack.pop()])
    def on_appends(self, _): self.extend(self.since_mark())
    def on_setitems(self, _): self.update(self.since_mark())
    def on_global(self, name): self.stack.append(Call(name))
    def on_reduce(self, _): self.call()
    def on_newobj(self, _): self.call()
    def on_put(self, key): self.memo[key] = self.stack[-1]
    def on_get(self, key): self.stack.append(self.memo[key])

    on_binput = on_long_binput = on_put
    on_binget = on_long_binget = on_get

    def on_dict(self, _):
        values = self.since_mark()
        self.stack.append({})
        self.update(values)

    def on_setitem(self, _):
        value, key = self.stack.pop(), self.stack.pop()
        self.update([key, value])

    def on_build(self, _):
        state = self.stack.pop()
        self.stack[-1].state = state


def read(data: bytes) -> Any:
    """What the pickle holds, with a ``Call`` where it would call something."""
    return Machine().run(data)


def array(call: Call) -> np.ndarray:
    """The NumPy array that a pickle describes."""
    shape, kind, by_columns, raw = call.state[-4:]
    return np.frombuffer(octets(raw), dtype(kind)).reshape(tuple(map(whole, shape)), order="F" if by_columns else "C")


def dtype(call: Call) -> np.dtype:
    """A plain type of numbers: integers and floats of up to eight bytes."""
    code, order = call.arguments[0], call.state[1]
    if call.name != "numpy dtype" or not re.fullmatch(r"[iuf][1248]", code) or order not in ("<", ">", "|", "="):
        raise ValueError("an array must hold plain numbers")
    return np.dtype(order + code)


def octets(raw: str | Call) -> bytes:
    """Python 2's strings of bytes; Python 3 writes them as a call that encodes them."""
    return (raw.arguments[0] if isinstance(raw, Call) else raw).encode("latin-1")


def whole(number: int | Call) -> int:
    """A number, or NumPy's kind of one: a type and its bytes."""
    if type(number) is int:
        return number
    kind, raw = number.arguments
    return int(np.frombuffer(octets(raw), dtype(kind))[0])


def matrix(call: Call, name: str) -> sp.csr_matrix:
    """SciPy's CSR matrix, whose parts are checked like those of a stranger's .npz file."""
    parts = call.state
    data, indices, indptr = (array(parts[part]) for part in ("data", "indices", "indptr"))
    if indices.dtype.kind != "i" or indptr.dtype.kind != "i":
        raise ValueError(f"the indices of {name} must be whole numbers")
    return csr_matrix(data, indices.astype(np.int64), indptr.astype(np.int64), tuple(map(whole, parts["_shape"])), name)


def lists(call: Call | dict) -> dict[int, list[int]]:
    """A dictionary of lists of whole numbers, such as each node's neighbours."""
    return {whole(key): [whole(value) for value in values]
            for key, values in (call.items if isinstance(call, Call) else call).items()}
