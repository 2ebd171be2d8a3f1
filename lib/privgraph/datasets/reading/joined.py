"""A graph and what is stated of it, put together: ids become numbers, columns features, texts classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from ...late import torch
from ..check import beyond, edge_problems, remarks
from ..convert import each_once, from_pairs, name_of_file, with_domains
from ..npz import MAX_TEXT
from . import instead
from .edge_weights import unread, weights_of
from .feature_columns import Features, features_of
from .found import Found, Stated, Table, count, printable, some
from .labelling import Labels, label_column, labels_of
from .opening import exchanged, open_graph, open_table
from .people import numbered_ends, people_of

if TYPE_CHECKING:
    from torch_geometric.data import Data

MAX_NOTE = 1000  # letters of a remark
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
    try:
        return joined(found, table, stated, notes, name or name_of_file(path))
    except ValueError as error:
        if table is not None and exchanged(path, table, stated):
            raise ValueError(f"{found.label} looks like a table of nodes, and {table.label} like one of edges: "
                             "exchange them") from error
        raise


def joined(found: Found, table: Table | None, stated: Stated, notes: list[str], name: str) -> Converted:
    """The graph, whose ids become numbers.

    :param table: with a row for each node.
    :param notes: a line for each thing that was done.
    """
    ids, people, taken = people_of(found, table, stated, notes)
    edges, known = numbered_ends(found, ids, notes)
    edges = from_zero(edges, len(ids), notes)
    if problems := edge_problems(edges, len(ids)):
        raise ValueError(f"{found.label}: {'; '.join(problems)}")
    labels = classes_of(found, people, stated, taken)
    features = columns_of(found, people, stated, taken, edges, len(ids))
    weight = weights_of(found, stated, known, notes)
    said = [f"{each.label}: {note}" for each in (found, table) if each for note in each.notes]
    said += [*notes, *unread(found, stated)]
    return assembled(found, edges, weight, ids, labels, features, name, said)


def from_zero(edges: np.ndarray, nodes: int, notes: list[str]) -> np.ndarray:
    """Numbers of nodes that are counted from 1, as many programs do, counted from 0."""
    if edges.size and edges.min() >= 1 and edges.max() == nodes:
        notes.append("edges count nodes from 1: 1 is taken off")
        return edges - 1
    return edges


def assembled(found: Found, edges: np.ndarray, weight: np.ndarray | None, ids: list[str], labels: Labels,
              features: Features, name: str, notes: list[str]) -> Converted:
    """The graph, with remarks on all of it."""
    x = features.x.toarray() if sp.issparse(features.x) else features.x
    if not np.isfinite(x).all():
        column = features.names[int((~np.isfinite(x)).any(0).argmax())]
        raise ValueError(f"{column} must hold finite numbers, got NaN, or one beyond single precision")
    read_off, before = (*labels.read_off, *features.read_off), found.unaccounted
    notes = [*notes, *(f"computed from raw data before, as {found.label} says: {text}" for text in before)]
    bounds = features.bounds if len({*features.bounds}) > 1 else features.bounds[0]
    data = from_pairs(edges, x, labels.y, name, edge_weight=weight, called=ids, num_classes=labels.count,
                      feature_range=bounds,
                      unaccounted=each_once(before, (READ_OFF.format(some(read_off, 12)),) if read_off else ()))
    data = with_domains(data, features.sizes or None)
    for key, mask in found.masks.items():
        if len(mask) == len(ids):
            data[key] = torch.from_numpy(mask)
            notes = [*notes, f"{key}: kept"]
    constant = [each for each, low, high in zip(features.names, x.min(0), x.max(0), strict=True) if low == high]
    if constant and features.names != ["one"]:
        notes = [*notes, f"{count(len(constant), 'column')} with the same value for all: {some(constant)}"]
    notes = [*notes, *labels.notes, *features.notes, *remarks(edges, x, labels.y)]
    return Converted(data, [printable(note, MAX_NOTE) for note in notes], ids, kept(labels.names),
                     kept(features.names), read_off)


def kept(names: Sequence[str]) -> tuple[str, ...]:
    """Names that the file can keep: printable ones, and none where there are too many."""
    found = tuple(map(printable, names))
    return found if len("\n".join(found).encode()) <= MAX_TEXT else ()


def classes_of(found: Found, people: Table | None, stated: Stated, taken: set[str]) -> Labels:
    """The classes that a file has as numbers, or those of a column, which is taken from then on."""
    if found.y is not None and stated.label is None:
        return of_numbers(found.y, found, stated)
    if found.y is not None and people is None:
        raise ValueError(f"--label must be left out, as {found.label} has a class of each node as a number, got "
                         f"{stated.label!r}")
    if people is None or not people.columns:
        raise ValueError(f"{found.label} says of no node in which class it is: add a table of nodes, with --nodes "
                         "TABLE --label COLUMN")
    name, texts = label_column(people, stated, taken)
    taken |= {name, *(part.strip() for part in name.split(","))} if name not in people.columns else {name}
    return labels_of(name, texts, stated)


def of_numbers(y: np.ndarray, found: Found, stated: Stated) -> Labels:
    classes = len(stated.classes) or stated.num_classes or found.stated.get("num_classes")
    least = int(y.max(initial=-1)) + 1
    if classes is None:
        return Labels(y, (), max(2, least), read_off=("the number of classes",))
    if least == classes + 1 and 0 not in y:
        notes = ["classes are counted from 1: 1 is taken off"]
        return Labels(np.where(y > 0, y - 1, y), stated.classes, classes, notes)
    if least > classes:
        raise ValueError(f"{classes} classes are stated, and {found.label} numbers them up to {least - 1}")
    known = found.stated.get("num_classes", classes)
    notes = [f"{found.label} says {known} classes, and what is stated counts: {classes}"] if known != classes else []
    return Labels(y, stated.classes or tuple(found.stated.get("class_names", ())), classes, notes)


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


def check_unnamed(found: Found, stated: Stated) -> None:
    """Refuse what is stated of columns by their names, where an array has none."""
    if said := [option for option, value in (("--columns", stated.columns), ("--categories", stated.categories),
                                             ("--numbered", stated.numbered),
                                             ("--ranges", stated.ranges.keys() - {"x"})) if value]:
        raise ValueError(f"{' and '.join(said)} must be left out, as {found.label} has features as numbers, and no "
                         "columns with names; --ranges x:LOW:HIGH states bounds of all of them")


def of_array(found: Found, stated: Stated) -> Features:
    """Features that are numbers already; bounds of the columns of an array go by their place, x:0:5 for all."""
    x, columns = found.x, found.x.shape[1]
    check_unnamed(found, stated)
    names = list(found.stated.get("feature_names", ())) or [f"x{at}" for at in range(columns)]
    said, sizes = found.stated.get("feature_range"), tuple(found.stated.get("domain_sizes", ()))
    if 0 in x.shape or sizes and len(sizes) != columns:
        raise ValueError(f"{found.label} must have nodes, features and, where it says domain_sizes, one a column; got "
                         f"{x.shape[0]} nodes, {columns} features and {len(sizes)} sizes")
    low, high = float(x.min()), float(x.max())
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError(f"{found.label}: features must be finite numbers, got NaN or infinite ones")
    if "x" in stated.ranges:
        return Features(x, names, [stated.ranges["x"]] * columns, notes=beyond(x, stated.ranges["x"]))
    if said is None and sizes:
        said = tuple((0.0, size - 1.0) for size in sizes)
    if said is not None:
        bounds = list(said) if isinstance(said[0], tuple) else [tuple(said)] * columns
        return Features(x, names, bounds, sizes)
    if 0 <= low and high <= 1:
        return Features(x, names, [(0.0, 1.0)] * columns)
    return Features(x, names, [(low, high)] * columns, read_off=["the bounds of all features"])
