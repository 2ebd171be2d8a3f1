"""Who is who: the ids of tables and the ends of edges become numbers, however a spreadsheet spelt them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from ..npz import check_graph_size
from .found import Found, Stated, Table, count, some

IDS = ("id", "node", "node_id", "nodeid", "name", "key", "user", "user_id", "person", "vertex", "index", "uid")


def people_of(found: Found, table: Table | None, stated: Stated,
              notes: list[str]) -> tuple[list[str], Table | None, set[str]]:
    """The ids of all nodes in order, the table with a row for each, and its columns that hold no features."""
    if table is None:
        if stated.id is not None:
            raise ValueError(f"--id must name a column of --nodes, got {stated.id!r} and no --nodes")
        return ids_in(found), found.nodes, set()
    take_other_names(found, table)
    column = id_column(found, table, stated)
    known = ids_in(found) if found.ids is not None or isinstance(found.ends, np.ndarray) else None
    if column is None and known is None:
        known = numbers_of_rows(found, len(table))
    if column is None:
        if known is None or len(known) != len(table):
            raise ValueError(f"say with --id which column of {table.label} holds the ids that edges name, "
                             f"{some(ids_in(found)) or 'none'}; there are {some(table.columns, 12)}")
        notes.append(f"{table.label}: row 1 is {known[0]}, and so on, as no column holds the ids of edges")
        return known, table, set()
    ids, rows = first_rows([clean(text) for text in table.columns[column]], table.label, notes)
    table = Table(table.label, {name: [texts[row] for row in rows] for name, texts in table.columns.items()})
    notes.append(f"{count(len(ids), 'id')} in column {column} of {table.label}, numbered 0..{len(ids) - 1} in the "
                 "order of rows")
    if known is not None and (found.x is not None or found.y is not None) and ids != known:
        notes.extend(strangers(known, ids, table.label, column, found.label))
        table = sorted_as(known, ids, table)
        ids = known
    return ids, table, {column}


def strangers(known: list[str], ids: list[str], label: str, column: str, graph: str) -> list[str]:
    """What is to be said of rows whose ids are none of the nodes that a file numbers.

    :raises ValueError: where all of them are.
    """
    nodes = {*known}
    others = [each for each in ids if each not in nodes]
    if len(others) == len(ids):
        raise ValueError(f"{column} of {label} holds no node of {graph}: ids are {some(ids)}, and nodes {some(known)}; "
                         "--id says which column holds them")
    return [f"{count(len(others), 'row')} of {label} with ids that no node has, {some(others)}: dropped"] * bool(others)


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
    if best is not None and shares[best] > 0.5:
        return best
    return None if numbers_of_rows(found, len(table)) or found.ids else next(iter(called), None)


def numbers_of_rows(found: Found, rows: int) -> list[str] | None:
    """The ids of rows where edges name them by their number, from 0 or from 1."""
    if isinstance(found.ends, np.ndarray) or found.ids is not None:
        return None
    ends = {respelt(clean(each)) for side in found.ends for each in side}
    for first in (0, 1):
        numbers = [str(at) for at in range(first, first + rows)]
        if ends and ends <= {*numbers}:
            return numbers
    return None


def take_other_names(found: Found, table: Table) -> None:
    """Nodes are called by what they say of themselves, such as their label, where a table calls them so and not by
    the ids that the file gives them."""
    if found.nodes is None or found.ids is None or isinstance(found.ends, np.ndarray):
        return
    called = {name: {*map(clean, texts)} for name, texts in table.columns.items()}

    def share(names: list[str]) -> float:
        return max((len({*names} & held) / len({*names}) for held in called.values()), default=0) if names else 0
    ways = {name: list(map(clean, texts)) for name, texts in found.nodes.columns.items()
            if len({*map(clean, texts)}) == len(texts)}
    best = max(ways, key=lambda name: share(ways[name]), default=None)
    if best is not None and share(ways[best]) > max(0.5, share(list(map(clean, found.ids)))):
        other = dict(zip(found.ids, ways[best], strict=True))
        source, target = ([other.get(each, each) for each in side] for side in found.ends)
        found.ends = source, target
        found.ids = ways[best]
        found.notes.append(f"nodes are called by their {best}, as the table does")


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


def numbered_ends(found: Found, ids: list[str], notes: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """The edges [2, E] as numbers of nodes; and which of the file's these are, bool [n]: those that name somebody
    unknown are dropped."""
    if isinstance(found.ends, np.ndarray) and (found.ids is None or found.x is not None):
        if ids == [str(at) for at in range(len(ids))]:
            return found.ends, np.ones(found.ends.shape[1], dtype=bool)
    texts = [list(map(str, side)) for side in found.ends]
    number = {each: at for at, each in enumerate(ids)}
    also = unambiguous(ids)
    found_ends = [[number.get(clean(each), also.get(respelt(clean(each)), -1)) for each in side] for side in texts]
    edges = np.array(found_ends, dtype=np.int64).reshape(2, -1)
    strange = [each for side, ends in zip(texts, found_ends, strict=True) for each, end in zip(side, ends, strict=True)
               if end < 0]
    if other := sum(clean(each) not in number for side in texts for each in side) - len(strange):
        notes.append(f"{count(other, 'end')} of edges spelt otherwise than the ids (7.0 or 007 for 7): taken for them")
    known = (edges >= 0).all(0)
    if strange:
        unknown = some(each or "(empty)" for each in dict.fromkeys(strange))
        notes.append(f"{count(int((~known).sum()), 'edge')} with ends that no node has, {unknown}: dropped")
        if not known.any():
            raise ValueError(f"no edge of {found.label} names two known nodes: there is no node {unknown}, and ids are "
                             f"{some(ids)}; --id says which column holds them")
    return edges[:, known], known


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
