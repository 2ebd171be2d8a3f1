"""Columns of texts as features: which of them, in which range, and what of that was read off the data."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..npz import check_graph_size
from .cells import Column, in_order, understood, words_of
from .found import Stated, Table, count, some

MOST_WORDS = 30  # different texts of a column that is taken for categories where nobody says so


@dataclass
class Features:
    """
    :param x: float32 [N, d].
    :param names: of its columns.
    :param bounds: (low, high) of each.
    :param sizes: how many values each has, where all hold numbers of categories.
    :param read_off: what of this was read off the data, in words.
    """

    x: np.ndarray
    names: list[str]
    bounds: list[tuple[float, float]]
    sizes: tuple[int, ...] = ()
    notes: list[str] = field(default_factory=list)
    read_off: list[str] = field(default_factory=list)


@dataclass
class Columns:
    """Columns of features, one after the other."""

    stated: Stated
    held: list[np.ndarray] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    bounds: list[tuple[float, float]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    read_off: list[str] = field(default_factory=list)

    def add(self, name: str, values: np.ndarray, bounds: tuple[float, float]) -> None:
        self.held.append(values.astype(np.float32)), self.names.append(name), self.bounds.append(bounds)

    def number(self, name: str, column: Column) -> None:
        """A column of numbers; a missing one becomes the middle of the range, which tells nothing."""
        values = np.array(column.values, dtype=float)
        there = values[~np.isnan(values)]
        if column.how:
            self.notes.append(f"{name}: numbers read with {column.how}")
        if column.kind == "date":
            self.notes.append(f"{name}: dates as years, 2020-07-02 as 2020.5")
        low, high = self.range_of(name, there, column.kind)
        if low is None:
            return
        if outside := int(((there < low) | (there > high)).sum()):
            self.notes.append(f"{name}: {count(outside, 'value')} outside {low:g}..{high:g}; methods move them to the "
                              "nearer bound")
        if missing := len(values) - len(there):
            self.notes.append(f"{name}: {count(missing, 'missing value')} set to {(low + high) / 2:g}, the middle of "
                              "the range")
        self.add(name, np.nan_to_num(values, nan=(low + high) / 2, posinf=math.inf, neginf=-math.inf), (low, high))

    def range_of(self, name: str, there: np.ndarray, kind: str) -> tuple[float, float] | tuple[None, None]:
        """The bounds that are stated; 0..1 where all lie there, as everywhere in this library; or what is read off."""
        if name in self.stated.ranges:
            return self.stated.ranges[name]
        if there.size == 0 or there.min() == there.max():
            self.notes.append(f"{name}: left out, as it is the same for all" if there.size
                              else f"{name}: left out, as it holds nothing")
            self.read_off.append(f"that {name} is the same for all")
            return None, None
        if kind == "yes or no" or there.min() >= 0 and there.max() <= 1:
            return 0.0, 1.0
        self.read_off.append(f"the bounds of {name}")
        return float(there.min()), float(there.max())

    def category(self, name: str, texts: Sequence[str]) -> None:
        """A column of categories: one of 0 and 1 for each value, or one of whole numbers where that is asked for."""
        words, values = [text.strip() for text in texts], self.values_of(name, texts)
        if len(values) < 2:
            self.notes.append(f"{name}: left out, as it is the same for all")
            return  # and which values it has is among what was read off
        number = {value: at for at, value in enumerate(values)}
        codes = np.array([number.get(word, -1) for word in words])
        none = [word for word in words if word not in number]
        self.check_known(name, values, words)
        if none and self.stated.numbered:
            raise ValueError(f"{name} has {count(len(none), 'value')} that --categories does not name, "
                             f"{some(dict.fromkeys(none)) or 'empty ones'}; an empty name stands for a missing value: "
                             f"--categories {':'.join([name, *values, ''])}")
        if none:
            self.notes.append(f"{name}: {count(len(none), 'value')} missing or not among {some(values, 6)}: 0 in each "
                              "of its columns")
        if self.stated.numbered:
            self.add(name, codes, (0.0, len(values) - 1.0))
        for at, value in enumerate(() if self.stated.numbered else values):
            self.add(f"{name}={value}", codes == at, (0.0, 1.0))

    def check_known(self, name: str, values: Sequence[str], words: Sequence[str]) -> None:
        """Refuse stated values of which a column holds none, as where capital letters differ."""
        there = [word for word in words if word]
        if self.stated.categories.get(name) and there and {*there}.isdisjoint(values):
            raise ValueError(f"--categories says {':'.join([name, *values])}, and {name} holds none of them but "
                             f"{some(dict.fromkeys(there))}")

    def values_of(self, name: str, texts: Sequence[str]) -> Sequence[str]:
        if said := self.stated.categories.get(name):
            return said
        self.read_off.append(f"which values {name} has")
        return in_order([text for text in words_of(texts) if text])


def features_of(table: Table, stated: Stated, taken: set[str]) -> Features | None:
    """The features that the columns of a table make, or None where there is no column.

    :param taken: the columns that hold ids and classes.
    """
    check_names(table, stated, taken)
    free = [name for name in table.columns if name not in taken]
    wanted = stated.columns or [name for name in free if name in stated.ranges or name in stated.categories] or free
    found = Columns(stated)
    if others := [name for name in free if name not in wanted]:
        found.notes.append(f"left out, as nothing public is stated of {'it' if len(others) == 1 else 'them'}: "
                           f"{some(others, 12)}; say --ranges {others[0]}:LOW:HIGH or --categories {others[0]}:A:B")
    check_graph_size(len(table), len(wanted), 0)
    for name in wanted:
        add_column(found, name, table.columns[name])
    if not found.held:
        return None
    sizes = tuple(int(high) + 1 for _, high in found.bounds) if stated.numbered else ()
    check_graph_size(len(table), len(found.held), 0)
    return Features(np.stack(found.held, 1), found.names, found.bounds, sizes, found.notes, found.read_off)


def check_names(table: Table, stated: Stated, taken: set[str]) -> None:
    for option, names in (("--ranges", stated.ranges), ("--categories", stated.categories),
                          ("--columns", stated.columns)):
        if unknown := [name for name in names if name not in table.columns]:
            name, *values = [part for word in unknown for part in re.split(r"[=|/]", word)]
            written = f"; with its values {name} is written {':'.join([name, *values])}" * (name in table.columns)
            raise ValueError(f"{option} must name columns of {table.label}, got {some(unknown)}; there are "
                             f"{some(table.columns, 12)}{written}")
        if held := [name for name in names if name in taken]:
            raise ValueError(f"{option} must name columns of features, got {some(held)}, which holds ids or classes")


def add_column(found: Columns, name: str, texts: Sequence[str]) -> None:
    stated, column = found.stated, understood(texts)
    if name in stated.categories:
        found.category(name, words_of(texts))
    elif stated.numbered:
        raise ValueError(f"--numbered is for columns of categories, got {name}; --categories {name}:A:B says "
                         "its values")
    elif column.kind != "text":
        found.number(name, column)
    elif name in stated.ranges:
        wrong = next(text for text in column.values if text and understood([text]).kind == "text")
        raise ValueError(f"--ranges must name columns of numbers or dates, got {name}, which holds {some([wrong])}")
    elif len(different := {*column.values} - {""}) <= MOST_WORDS and 2 * len(different) <= len(texts) + 2:
        found.category(name, column.values)
    else:
        found.notes.append(f"{name}: left out, as it holds {len(different)} different texts; --categories {name} makes "
                           "a column of each")
        found.read_off.append(f"that {name} has many values")
