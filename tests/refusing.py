"""Tables of bad inputs: what is public, with arguments that are good, and for some of these values that are not.

With the good ones it works; with one bad value it raises a ValueError or a TypeError that names the argument.
"""

import functools
import math
import re
from dataclasses import dataclass, field

import networkx as nx
import numpy as np
import torch
from torch_geometric.data import Data

from privgraph import datasets

NAN, INF = math.nan, math.inf

# What is wrong with an argument of some kind.
NO_NUMBER = (None, "1", NAN, True, [1.0], 1j, torch.ones(2))
NOT_POSITIVE = (*NO_NUMBER, 0, -1.0, INF, 1e-320)
NO_EPSILON = (*NO_NUMBER, 0, -1.0, -INF, 1e-320)
NOT_NEGATIVE_ONLY = (*NO_NUMBER, -0.1)
NO_SHARE = (*NO_NUMBER, -0.1, 1.5)
NO_DELTA = (*NO_NUMBER, 0, 1, -0.1)
NO_DELTA_OR_0 = (*NO_NUMBER, 1, -0.1)  # where 0 asks for a pure epsilon
NO_RATE = (*NO_NUMBER, 0, -0.1, 1.5)
NO_ORDER = (*NO_NUMBER, 1, 0.5, INF)
NO_COUNT = (None, "3", 2.5, 2.0, True, -1, NAN, [1])
NO_SIZE = (*NO_COUNT, 0)
NO_NAME = ("nonsense", 3, ["gcn"], b"gcn")
NO_FILE_NAME = ("../../etc/passwd", "a/b", "", ".hidden", "a b", 5, ["a"], "a\n")
NO_FLAG = (None, 1, "no")
NO_GENERATOR = (None, 0, "seed", np.random.default_rng(0))
NO_TENSOR = (None, [[0.0]], np.zeros((3, 2)), "x")
NO_FEATURES = (*NO_TENSOR, torch.zeros(3, 2, dtype=torch.long), torch.zeros(3, 2, dtype=torch.complex64),
               torch.zeros(3),
               torch.full((3, 2), NAN), torch.full((3, 2), INF))
NO_EDGES = (None, [[0, 1], [1, 0]], np.array([[0, 1], [1, 0]]), torch.zeros(2, 2), torch.zeros(2, 2, dtype=torch.bool),
            torch.tensor([0, 1]), torch.tensor([[0, 1]]), torch.tensor([[0, 9], [9, 0]]),
            torch.tensor([[0, -1], [-1, 0]]))
NO_LABELS = (None, [0, 1, 1], np.array([0, 1, 1]), torch.tensor([0.0, 1.0, 1.0]), torch.tensor([[0], [1], [1]]),
             torch.tensor([0, -2, 1]))
NO_NODES = (None, [0, 1], np.array([0, 1]), torch.tensor([0.0, 1.0]), torch.tensor([[0], [1]]), torch.tensor([0, 3]),
            torch.tensor([0, -1]))
NO_BIAS = (*NO_NUMBER, 0, -1.0, 0.009, 101, INF)
NO_GRAPH = (None, "karate", {"x": 1}, nx.path_graph(3))
NO_CLASSES = (None, "01", 3, (0, 0), (-1,), (0.5,), (True,))
NO_FUNCTION = (None, 3, "f", lambda: 0)
NO_RANGE = ((1, 0), (0, 0), (0, NAN), (0, INF), (0, 1, 2), "01", 5, (True, False), ("0", "1"), ([0, 0], [1, -1]),
            (0, 1j), ((0, 1),) * 3, ((0, 1), (0, NAN)), ((0, 1), (1, 0)), ((0, 1), 5), [(0, 1), (0, 1, 2)], (),
            ((), ()), np.ones((2, 2)), torch.tensor([[0.0, 1.0]]))


@dataclass(frozen=True)
class Entry:
    """``call(**good)`` works. ``bad``: argument -> values it must refuse. ``called``:
    how its message calls an argument."""

    call: object
    good: dict = field(default_factory=dict)
    bad: dict = field(default_factory=dict)
    called: dict = field(default_factory=dict)


def but(values, *without):
    """The bad values without those that this argument takes."""
    return tuple(value for value in values if not any(value is other or type(value) is type(other) and not isinstance(
        value, torch.Tensor) and value == other for other in without))


PATH = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
X, Y = torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), torch.tensor([0, 1, 1])
NO_LIST = (None, 3, "text", [None], ["text"])
NO_VALUES = (None, 3, "12", [], ["a"], [NAN, 1.0], [[1.0]])


def toy(**more) -> Data:
    """Three people on a path."""
    return Data(x=X, edge_index=PATH, y=Y, num_classes=2, feature_range=(0.0, 1.0), name="toy", **more)


def without(name: str) -> Data:
    data = toy()
    del data[name]
    return data


@functools.cache
def karate() -> Data:
    return datasets.load("karate")


def unless(good: dict, function):
    """A function whose good arguments take long, and are those of other tests."""
    return lambda **said: None if all(said[name] is good[name] for name in good) else function(**said)


def refusal(entry: Entry, **said) -> str:
    """What a call is refused with; empty where it is not."""
    try:
        entry.call(**entry.good | said)
    except (ValueError, TypeError) as error:
        return str(error)
    return ""


def names_what_is_wrong(entry: Entry, argument: str, message: str) -> bool:
    """Whether a refusal names the argument, says what is allowed, and what came."""
    called = entry.called.get(argument, argument)
    return bool(re.search(rf"(?<!\w){called}(?!\w)", message)
                and re.search(r"\b(must|needs?|state|allowed|at most)\b", message)
                and ("got" in message or "state" in message))


def faults(entry: Entry) -> list[str]:
    """What is wrong with how an entry takes its good arguments and refuses the bad ones: all of it, not the first."""
    refused = refusal(entry)
    return [f"what is good is refused: {refused}"] * bool(refused) + [
        f"{argument}={value!r}: {told}" for argument, values in entry.bad.items() for value in values
        if (told := badly_refused(entry, argument, value))]


def badly_refused(entry: Entry, argument: str, value) -> str:
    """What becomes of a bad value that is not refused as it should be; empty where it is."""
    try:
        message = refusal(entry, **{argument: value})
    except Exception as error:  # of another kind: the other values are tried all the same
        return repr(error)
    return "" if names_what_is_wrong(entry, argument, message) else message or "it is taken"
