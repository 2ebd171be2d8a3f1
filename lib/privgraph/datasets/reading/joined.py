"""A graph and what is stated of it, put together: ids become numbers, columns features, texts classes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from ..check import edge_problems, remarks
from ..convert import from_pairs, name_of_file, with_domains
from ..npz import check_graph_size
from . import instead
from .feature_columns import Features, features_of
from .found import Found, Stated, Table, count, some
from .labelling import Labels, label_column, labels_of
from .opening import open_graph, open_table

if TYPE_CHECKING:
    from torch_geometric.data import Data

IDS = ("id", "node", "node_id", "nodeid", "name", "key", "user", "user_id", "person", "vertex", "index", "uid")
READ_OFF = "read off the data when it was converted: {}"


@dataclass
class Converted:
    """A graph, and all that was done to make it.

    :param remarks: a line for each thing that was mended, dropped, left out or read off; for the owner of the data.
    :param ids: of the nodes, in the order of their numbers.
    :param class_names: in the order of their numbers; none where classes were numbers.
    :param feature_names: of the columns of x.
    :param read_off: what nobody stated, and so was computed from the data.
    """

    data: Data
    remarks: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    class_names: tuple[str, ...] = ()
    feature_names: tuple[str, ...] = ()
    read_off: tuple[str, ...] = ()


def convert(path, nodes=None, stated: Stated | None = None, name: str | None = None) -> Converted:
    """The graph of a file, with what a table says of its nodes.

    :param path: of the edges, or of the whole graph.
    :param nodes: the path of a table with a row for each node.
    :raises ValueError: with what is missing, and the option that says it.
    """
    stated = stated or Stated()
    found, notes = open_graph(path, stated), []
    table = None if nodes is None else open_table(nodes, stated.header)
    ids, people, taken = people_of(found, table, stated, notes)
    edges = numbered_ends(found, ids, notes)
    if problems := edge_problems(edges, len(ids)):
        raise ValueError(f"{found.label}: {'; '.join(problems)}")
    labels = classes_of(found, people, stated, taken)
    features = columns_of(found, people, stated, taken, edges, len(ids))
    unread = f"{', '.join(found.unread[:12])} of edges: dropped, as nothing here reads weights or kinds of edges"
    said = [f"{each.label}: {note}" for each in (found, table) if each for note in each.notes]
    said += [*notes, *([unread] if found.unread else ())]
    return assembled(found, edges, ids, labels, features, name or name_of_file(path), said)


def assembled(found: Found, edges: np.ndarray, ids: list[str], labels: Labels, features: Features, name: str,
              notes: list[str]) -> Converted:
    """The graph, with remarks on all of it."""
    x = features.x.toarray() if sp.issparse(features.x) else features.x
    if not np.isfinite(x).all():
        column = features.names[int((~np.isfinite(x)).any(0).argmax())]
        raise ValueError(f"{column} must hold finite numbers, got NaN, or one beyond single precision")
    read_off = (*labels.read_off, *features.read_off)
    bounds = features.bounds if len({*features.bounds}) > 1 else features.bounds[0]
    data = from_pairs(edges, x, labels.y, name, num_classes=labels.count, feature_range=bounds,
                      unaccounted=(READ_OFF.format(", ".join(read_off)),) if read_off else ())
    data = with_domains(data, features.sizes or None)
    import torch
    for key, mask in found.masks.items():
        if len(mask) == len(ids):
            data[key] = torch.from_numpy(mask)
            notes = [*notes, f"{key}: kept"]
    constant = [each for each, low, high in zip(features.names, x.min(0), x.max(0), strict=True) if low == high]
    if constant and features.names != ["one"]:
        notes = [*notes, f"{count(len(constant), 'column')} with the same value for all: {some(constant)}"]
    return Converted(data, [*notes, *labels.notes, *features.notes, *remarks(edges, x, labels.y)], ids, labels.names,
                     tuple(features.names), read_off)


def people_of(found: Found, table: Table | None, stated: Stated,
              notes: list[str]) -> tuple[list[str], Table | None, set[str]]:
    """The ids of all nodes in order, the table with a row for each, and its columns that hold no features."""
    if table is None:
        return ids_in(found), found.nodes, set()
    column = id_column(found, table, stated)
    known = ids_in(found) if found.ids is not None or isinstance(found.ends, np.ndarray) else None
    if column is None:
        if known is None or len(known) != len(table):
            raise ValueError(f"say with --id which column of {table.label} holds the ids that edges name; there are "
                             f"{some(table.columns, 12)}")
        notes.append(f"{table.label}: row 1 is {known[0]}, and so on, as no column holds the ids of edges")
        return known, table, set()
    ids, rows = first_rows([clean(text) for text in table.columns[column]], table.label, notes)
    table = Table(table.label, {name: [texts[row] for row in rows] for name, texts in table.columns.items()})
    notes.append(f"{count(len(ids), 'id')} in column {column} of {table.label}, numbered 0..{len(ids) - 1} in the order "
                 "of rows")
    if known is not None and (found.x is not None or found.y is not None) and ids != known:
        table = sorted_as(known, ids, table)
        ids = known
    return ids, table, {column}


def sorted_as(known: list[str], ids: list[str], table: Table) -> Table:
    """The rows of a table in the order of nodes that are numbered already; who has no row has empty cells."""
    row = {each: at for at, each in enumerate(ids)}
    return Table(table.label, {name: [texts[row[each]] if each in row else "" for each in known]
                               for name, texts in table.columns.items()})


def ids_in(found: Found) -> list[str]:
    """The nodes that a file has by itself: those it lists, or those that its edges name, in their order."""
    if found.ids is not None:
        return [clean(each) for each in found.ids]
    if isinstance(found.ends, np.ndarray):
        return [str(at) for at in range(number_of_nodes(found))]
    return [each for each in dict.fromkeys(map(clean, (*found.ends[0], *found.ends[1]))) if each]


def number_of_nodes(found: Found) -> int:
    """Rows of features or labels; without either, as many as the largest number among the edges says."""
    if found.x is not None:
        return found.x.shape[0]
    if found.y is not None:
        return len(found.y)
    nodes = int(found.ends.max(initial=-1)) + 1
    check_graph_size(nodes, 1, found.ends.shape[1])
    return nodes


def clean(text: str) -> str:
    """An id without blanks around it, its letters composed in one way."""
    return unicodedata.normalize("NFC", text.strip())


def id_column(found: Found, table: Table, stated: Stated) -> str | None:
    """The column of ids: the one that is said, or one in which the ends of most edges stand."""
    if stated.id is not None:
        if stated.id not in table.columns:
            raise ValueError(f"--id must name a column of {table.label}, got {stated.id!r}; there are "
                             f"{some(table.columns, 12)}")
        return stated.id
    wanted = {*map(respelt, ids_in(found))} if found.ids or not isinstance(found.ends, np.ndarray) else {
        str(at) for at in np.unique(found.ends)}
    shares = {name: len(wanted & {*map(respelt, map(clean, texts))}) / max(1, len(wanted))
              for name, texts in table.columns.items()}
    called = [name for name in table.columns if name.strip().lower() in IDS]
    best = max([*called, *table.columns], key=lambda name: shares[name], default=None)
    return best if best is not None and shares[best] > 0.5 else next(iter(called), None)


def first_rows(ids: list[str], label: str, notes: list[str]) -> tuple[list[str], list[int]]:
    """Each id once, with its first row; rows without an id are left out."""
    row: dict[str, int] = {}
    for at, each in enumerate(ids):
        if each:
            row.setdefault(each, at)
    if empty := sum(not each for each in ids):
        notes.append(f"{count(empty, 'row')} of {label} without an id: dropped")
    if again := len(ids) - empty - len(row):
        notes.append(f"{count(again, 'row')} of {label} with an id that an earlier row has: dropped")
    if not row:
        raise ValueError(f"{label} has no row with an id")
    return [*row], [*row.values()]


def numbered_ends(found: Found, ids: list[str], notes: list[str]) -> np.ndarray:
    """The edges [2, E] as numbers of nodes; those that name somebody unknown are dropped."""
    if isinstance(found.ends, np.ndarray) and (found.ids is None or found.x is not None):
        if ids == [str(at) for at in range(len(ids))]:
            return found.ends
    texts = [list(map(str, side)) for side in found.ends]
    number = {each: at for at, each in enumerate(ids)}
    also = unambiguous(ids)
    found_ends = [[number.get(clean(each), also.get(respelt(clean(each)), -1)) for each in side] for side in texts]
    edges = np.array(found_ends, dtype=np.int64).reshape(2, -1)
    strange = [each for side, ends in zip(texts, found_ends, strict=True) for each, end in zip(side, ends, strict=True)
               if end < 0]
    if other := sum(clean(each) not in number for side in texts for each in side) - len(strange):
        notes.append(f"{count(other, 'end')} of edges spelt otherwise than the ids (7.0 or 007 for 7): taken for them")
    if strange:
        known = (edges >= 0).all(0)
        notes.append(f"{count(int((~known).sum()), 'edge')} with ends that no node has, {some(dict.fromkeys(strange))}: "
                     "dropped")
        edges = edges[:, known]
        if not edges.size:
            raise ValueError(f"no edge of {found.label} names two known nodes: its ends are {some(texts[0])}, and ids "
                             f"are {some(ids)}; --id says which column holds them")
    return edges


def unambiguous(ids: Sequence[str]) -> dict[str, int]:
    """Other spellings of ids, where they can mean one only."""
    found: dict[str, int] = {}
    for at, each in enumerate(ids):
        other = respelt(each)
        found[other] = at if other not in found else -1
    return found


def respelt(text: str) -> str:
    """A whole number as Python writes it, whatever a spreadsheet made of it.

    >>> respelt("7.0"), respelt("007"), respelt("1.2E+03"), respelt("a-7")
    ('7', '7', '1200', 'a-7')
    """
    if re.fullmatch(r"\d{1,15}(?:\.0*)?", text) or re.fullmatch(r"\d(?:[.,]\d{1,14})?[eE]\+?\d{1,2}", text):
        value = float(text.replace(",", "."))
        return str(int(value)) if value == int(value) else text
    return text


def classes_of(found: Found, people: Table | None, stated: Stated, taken: set[str]) -> Labels:
    """The classes that a file has as numbers, or those of a column, which is taken from then on."""
    if found.y is not None and stated.label is None:
        return of_numbers(found.y, found, stated)
    if people is None or not people.columns:
        raise ValueError(f"{found.label} says of no node in which class it is: add a table of nodes, with --nodes TABLE "
                         "--label COLUMN")
    name, texts = label_column(people, stated, taken)
    taken |= {name, *(part.strip() for part in name.split(","))} if name not in people.columns else {name}
    return labels_of(name, texts, stated)


def of_numbers(y: np.ndarray, found: Found, stated: Stated) -> Labels:
    classes = len(stated.classes) or stated.num_classes or found.stated.get("num_classes")
    least = int(y.max(initial=-1)) + 1
    if classes is None:
        return Labels(y, (), max(2, least), read_off=("the number of classes",))
    if least > classes:
        raise ValueError(f"{classes} classes are stated, and {found.label} numbers them up to {least - 1}")
    return Labels(y, stated.classes or tuple(found.stated.get("class_names", ())), classes)


def columns_of(found: Found, people: Table | None, stated: Stated, taken: set[str], edges: np.ndarray,
               nodes: int) -> Features:
    """The features: what stands in place of columns, numbers that the file has, or columns of texts."""
    if stated.features is not None:
        return instead.made(stated.features, edges, nodes, stated)
    if found.x is not None:
        return of_array(found, stated)
    features = None if people is None else features_of(people, stated, taken)
    if features is None:
        raise ValueError(f"{found.label} has no features; --features makes some: "
                         + "; ".join(f"{kind} ({says})" for kind, says in instead.KINDS.items()))
    return features


def of_array(found: Found, stated: Stated) -> Features:
    """Features that are numbers already; bounds of the columns of an array go by their place, x:0:5 for all."""
    x, columns = found.x, found.x.shape[1]
    names = list(found.stated.get("feature_names", ())) or [f"x{at}" for at in range(columns)]
    said = found.stated.get("feature_range")
    low, high = float(x.min()), float(x.max())
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError(f"{found.label}: features must be finite numbers, got NaN or infinite ones")
    if "x" in stated.ranges:
        return Features(x, names, [stated.ranges["x"]] * columns)
    if said is not None:
        bounds = list(said) if isinstance(said[0], tuple) else [tuple(said)] * columns
        return Features(x, names, bounds, tuple(found.stated.get("domain_sizes", ())))
    if 0 <= low and high <= 1:
        return Features(x, names, [(0.0, 1.0)] * columns)
    return Features(x, names, [(low, high)] * columns, read_off=["the bounds of all features"])
