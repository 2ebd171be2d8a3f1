"""The class of each node, from a column of texts: which names there are, in which order, and what is no class."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..layouts import OutOfScope
from .cells import in_order, is_missing, understood
from .found import Stated, Table, count, some

NAMES = ("class", "label", "y", "target", "category", "classes", "labels", "klasse", "group", "node_label")
MOST = 1000  # different values that are taken for classes where nobody states them
LOST = "not among the classes that are stated"
NO_CLASS = {"-1", "unknown", "unlabelled", "unlabeled"}


@dataclass
class Labels:
    """
    :param y: int64 [N], -1 = not labelled.
    :param names: of the classes, in order; empty where they are numbers.
    :param count: how many there can be.
    :param read_off: what of this was read off the data, in words.
    """

    y: np.ndarray
    names: tuple[str, ...]
    count: int
    notes: list[str] = field(default_factory=list)
    read_off: tuple[str, ...] = ()


def label_column(table: Table, stated: Stated, taken: set[str]) -> tuple[str, list[str]]:
    """The column of classes that is asked for, or the one that is called so; columns that are one-hot as one.

    :param taken: the columns that hold something else.
    """
    columns = {name: texts for name, texts in table.columns.items() if name not in taken}
    if stated.label is not None:
        if stated.label in taken:
            raise ValueError(f"--label must name another column than that of the ids, got {stated.label!r}; there are "
                             f"{some(columns, 12)}")
        if stated.label in table.columns:
            return stated.label, table.columns[stated.label]
        several = [name.strip() for name in stated.label.split(",")]
        if len(several) > 1 and {*several} <= columns.keys():
            return stated.label, joined_columns({name: columns[name] for name in several})
        raise ValueError(f"--label must name a column of {table.label}, got {stated.label!r}; there are "
                         f"{some(table.columns, 12)}")
    for name in NAMES:
        found = next((each for each in columns if each.strip().lower() == name), None)
        if found is not None and looks_like_classes(columns[found]):
            return found, columns[found]
    raise ValueError(f"say with --label which column of {table.label} holds the class of each node; there are "
                     f"{some(columns, 12) or 'none beside the ids'}")


def looks_like_classes(texts: Sequence[str]) -> bool:
    there = [text.strip() for text in texts if not is_missing(text)]
    return bool(there) and len({*there}) <= min(MOST, max(2, len(there) / 2))


def joined_columns(columns: dict[str, list[str]]) -> list[str]:
    """One-hot columns as one of their names."""
    names, found = [*columns], []
    for cells in zip(*(understood(texts).values for texts in columns.values()), strict=True):
        ones = [name for name, cell in zip(names, cells, strict=True) if cell == 1]
        if len(ones) > 1 or any(isinstance(cell, str) for cell in cells):
            raise OutOfScope(f"the columns {some(names, 12)} give one node several classes, or none of 0 and 1")
        found.append(ones[0] if ones else "")
    return found


def labels_of(name: str, texts: Sequence[str], stated: Stated) -> Labels:
    """
    >>> labels_of("club", ["b", "a", ""], Stated(classes=("a", "b"))).y.tolist()
    [1, 0, -1]
    """
    words = [plain(text) for text in texts]
    words = ["" if is_missing(word) or word.lower() in NO_CLASS and word not in stated.classes else word
             for word in words]
    if stated.classes:
        return in_stated_order(name, words, stated)
    check_classes_of(name, [word for word in words if word])
    whole = all(re.fullmatch(r"\d{1,9}", word) for word in words if word)
    if stated.num_classes is not None and whole:
        return in_stated_numbers(name, words, stated.num_classes)
    names = in_order([word for word in words if word])
    if len(names) < 2 and stated.num_classes is None:
        raise ValueError(f"{name} has {count(len(names), 'class', 'classes')}, {some(names)}: state all that there can "
                         "be, with --classes A,B,...")
    if stated.num_classes is not None and len(names) > stated.num_classes:
        raise ValueError(f"--num-classes says {stated.num_classes}, and {name} has {len(names)} different values, "
                         f"{some(names, 12)}")
    notes = [f"classes: {', '.join(f'{at} = {word}' for at, word in enumerate(names[:12]))}"
             f"{', ...' if len(names) > 12 else ''}"]
    if (labelled := sum(map(bool, words))) < 2 * len(names) > 8:
        notes.append(f"{len(names)} classes for {labelled} nodes with one: is {name} the column of classes?")
    return Labels(numbered(words, names), tuple(names), stated.num_classes or len(names), notes,
                  (f"which classes there are in {name}",))


def plain(text: str) -> str:
    """A whole number without the zeros that it gets in a column with missing values: 1.0 is 1."""
    return re.sub(r"^(-?\d+)\.0+$", r"\1", text.strip())


def numbered(words: Sequence[str], names: Sequence[str]) -> np.ndarray:
    number = {word: at for at, word in enumerate(names)}
    return np.array([number.get(word, -1) for word in words], dtype=np.int64)


def in_stated_order(name: str, words: Sequence[str], stated: Stated) -> Labels:
    strange = [word for word in words if word and word not in stated.classes]
    if len(strange) == sum(map(bool, words)):
        raise ValueError(f"--classes says {some(stated.classes, 12)}, and {name} holds none of them but "
                         f"{some(dict.fromkeys(strange), 12)}")
    notes = [f"{count(len(strange), 'label')} of {name}, {some(dict.fromkeys(strange))}, {LOST}: -1"] if strange else []
    return Labels(numbered(words, stated.classes), stated.classes, len(stated.classes), notes)


def in_stated_numbers(name: str, words: Sequence[str], classes: int) -> Labels:
    y = np.array([int(word or -1) for word in words], dtype=np.int64)
    if y.max(initial=-1) >= classes:
        raise ValueError(f"--num-classes {classes} says that classes are numbered 0..{classes - 1}, and {name} holds "
                         f"{y.max()}; name them in order where they are numbered otherwise: --classes 1,2,...")
    return Labels(y, (), classes)


def check_classes_of(name: str, words: Sequence[str]) -> None:
    """Refuse numbers to be predicted, several classes in one cell, and texts that are different for everybody."""
    column, different = understood(words), {*words}
    if column.kind == "number" and any(value % 1 for value in column.values):
        raise OutOfScope(f"{name} must hold one of some classes for each node, got numbers such as {some(words, 1)}: "
                         "numbers to be predicted are not read")
    parts = [{part.strip() for part in re.split(r"[|;,]", word)} for word in different if re.search(r"\S[|;,]", word)]
    if len(parts) > 1 and any(one & other for at, one in enumerate(parts[:100]) for other in parts[:at]):
        raise OutOfScope(f"{name} must hold one class for each node, got several in a cell, such as "
                         f"{some(word for word in different if re.search(r'[|;,]', word))}")
    if len(different) > MOST or len(different) > max(20, len(words) / 2):
        raise OutOfScope(f"{name} must hold one of some classes for each node, got {len(different)} different values "
                         f"for {len(words)} nodes, such as {some(sorted(different))}")
