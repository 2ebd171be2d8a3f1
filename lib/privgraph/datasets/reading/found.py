"""What a file holds of a graph, before anything is decided; and what is publicly known, whatever the file holds."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import scipy.sparse as sp

MAX_FILE = 512 * 2**20  # bytes of a file of text, unpacked: as lists of Python's texts they take some ten times more
MAX_NAME = 200  # letters of a column's name


@dataclass
class Table:
    """Columns of texts by name, all of one length; an empty text is a missing value.

    :param named: whether the file names its columns; otherwise they are called "1", "2" and so on.
    """

    label: str
    columns: dict[str, list[str]]
    notes: list[str] = field(default_factory=list)
    named: bool = True

    def __post_init__(self):
        self.columns = {printable(name, MAX_NAME): texts for name, texts in self.columns.items()}

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))


@dataclass
class Found:
    """A graph as a file has it.

    :param ends: the ids of both ends of each edge, as texts; or their numbers [2, E], where nodes are numbered.
    :param nodes: what is known of each node in columns of texts; ``ids`` are theirs. None: nodes are those of edges.
    :param x: features [N, d], where the file has them as numbers.
    :param y: classes int64 [N], -1 where there is none, likewise.
    :param masks: bool [N] by name.
    :param of_edges: what the file says of edges beside their ends, by name: a text or a number for each, in their
        order; None for arrays that were not unpacked.
    :param unaccounted: what was computed from raw data before, as the file says; it goes on holding.
    """

    label: str
    ends: tuple[list[str], list[str]] | np.ndarray
    ids: list[str] | None = None
    nodes: Table | None = None
    x: np.ndarray | sp.csr_matrix | None = None
    y: np.ndarray | None = None
    masks: Mapping[str, np.ndarray] = field(default_factory=dict)
    of_edges: Mapping[str, Sequence[str] | np.ndarray | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    stated: Mapping[str, Any] = field(default_factory=dict)
    unaccounted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stated:
    """What is known of the kind of data without looking at it, and what is to be done.

    :param label: the column of the classes.
    :param id: the column of the nodes' ids.
    :param source: the column of one end of each edge.
    :param target: the column of the other.
    :param weight: the column of the weights of edges, to be used as ``datasets.keep_weights`` says; None: every edge
        counts the same.
    :param classes: the names of all classes there can be, in the order of their numbers.
    :param num_classes: how many there can be, where they are numbers.
    :param ranges: the bounds (low, high) of columns of numbers, by name.
    :param categories: the values that columns of categories can have, by name; none where they are read off.
    :param columns: which columns are features; by default those of ``ranges`` and ``categories``, or else all.
    :param features: in place of columns: degree, identity, ones or random.
    :param numbered: whether a category is one column of whole numbers, as RGNN reads it, and not one column a value.
    :param header: whether the first line of a table names its columns; None: as it looks.
    """

    label: str | None = None
    id: str | None = None
    source: str | None = None
    target: str | None = None
    weight: str | None = None
    classes: tuple[str, ...] = ()
    num_classes: int | None = None
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    features: str | None = None
    numbered: bool = False
    header: bool | None = None


def octets(path) -> bytes:
    """All of a file of text, also of one that gzip has packed; what is too large is refused before it is read."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder: name a file in it")
    if not path.is_file():
        raise FileNotFoundError(f"cannot be read: No such file or directory: {str(path)!r}")
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    if not packed and os.path.getsize(path) > MAX_FILE:
        raise ValueError(too_large(path))
    return unpacked(path) if packed else path.read_bytes()


def unpacked(path: Path) -> bytes:
    import gzip
    import zlib
    try:
        with gzip.open(path) as file:
            data = file.read(MAX_FILE + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path.name} cannot be unpacked: {error}") from error
    if len(data) > MAX_FILE:
        raise ValueError(too_large(path))
    return data


def too_large(path: Path) -> str:
    return (f"{path.name} is larger than {MAX_FILE / 2**20:g} MiB; larger arrays that you trust can be handed to "
            "from_edge_list")


def count(number: int, one: str, many: str = "") -> str:
    """
    >>> count(1, "self loop"), count(2, "self loop"), count(3, "person", "people")
    ('1 self loop', '2 self loops', '3 people')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"


def some(values, most: int = 3) -> str:
    """The first few of them, for a message.

    >>> some(["a", "b", "c", "d"])
    'a, b, c, ...'
    """
    values = list(values)
    return ", ".join(map(printable, values[:most])) + (", ..." if len(values) > most else "")


def printable(value, most: int = 60) -> str:
    """A text of a stranger's, of which a terminal obeys nothing."""
    text = "".join(sign if sign.isprintable() else "?" for sign in str(value))
    return text if len(text) <= most else text[:most - 3] + "..."
