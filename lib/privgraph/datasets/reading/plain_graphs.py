"""Graphs as text of their own kind: GML, Pajek, and lists of neighbours."""

import re
from collections.abc import Iterator
from pathlib import Path

from ..layouts import OutOfScope
from .delimited import text_of
from .found import Found, Table, octets
from .markup import of_rows

TOKEN = re.compile(r'"[^"]*"|[\[\]]|[^\s\[\]"]+')
MAX_DEPTH = 100


def lines_of(path, notes: list[str]) -> list[str]:
    return text_of(octets(path), Path(path).name, notes).splitlines()


def read_gml(path) -> Found:
    """The graph of a GML file, with the texts and numbers that its nodes say of themselves."""
    label, notes = Path(path).name, []
    lines = (line for line in lines_of(path, notes) if not line.lstrip().startswith("#"))
    tokens = iter(TOKEN.findall("\n".join(lines)))
    graphs = [inner for key, inner in pairs(tokens, label) if key == "graph" and isinstance(inner, list)]
    if len(graphs) != 1:
        raise OutOfScope(f"{label} must hold one graph, got {len(graphs)}")
    parts = [(key, flat(inner)) for key, inner in graphs[0] if isinstance(inner, list)]
    rows = [(said.pop("id", ""), said) for key, said in parts if key == "node"]
    edges = [said for key, said in parts if key == "edge"]
    ends = tuple([said.pop(end, "") for said in edges] for end in ("source", "target"))
    found = of_rows(label, rows, ends, edges)
    found.notes += notes
    return found


def pairs(tokens: Iterator[str], label: str, depth: int = 0) -> list[tuple[str, str | list]]:
    """Keys with what belongs to them: a value, or such pairs in brackets."""
    if depth > MAX_DEPTH:
        raise ValueError(f"{label} nests more than {MAX_DEPTH} brackets")
    found: list[tuple[str, str | list]] = []
    for key in tokens:
        if key == "]" and depth:
            return found
        value = next(tokens, "]")
        if "]" in (key, value) or key == "[":
            raise ValueError(f"{label} is no GML: brackets and keys do not go together near {key!r}")
        found.append((key, pairs(tokens, label, depth + 1) if value == "[" else value.strip('"')))
    if depth:
        raise ValueError(f"{label} is no GML: a bracket is not closed")
    return found


def flat(inner: list[tuple[str, str | list]]) -> dict[str, str]:
    """What is no list of its own, such as where a node is drawn."""
    return {key: value for key, value in inner if isinstance(value, str)}


def read_pajek(path) -> Found:
    """The graph of a Pajek file; nodes are called as it labels them, and numbered as it numbers them."""
    label, notes = Path(path).name, []
    sections = sections_of(lines_of(path, notes), label)
    nodes = [cells for kind, rows in sections if kind == "vertices" for cells in rows]
    names = [cells[1] if len(cells) > 1 else cells[0] for cells in nodes]
    ids = [cells[0] for cells in nodes]
    ends: tuple[list[str], list[str]] = ([], [])
    weights: list[str] = []
    for kind, rows in sections:
        for cells in rows if kind in ("edges", "arcs", "edgeslist", "arcslist") else ():
            targets = cells[1:] if kind.endswith("list") else cells[1:2]
            said = "" if kind.endswith("list") else "".join(cells[2:3])
            ends[0].extend(cells[:1] * len(targets)), ends[1].extend(targets), weights.extend([said] * len(targets))
    columns = {"label": names} if names != ids else {}
    return Found(label, ends, ids, Table(label, columns), of_edges={"weight": weights} if any(weights) else {},
                 notes=notes)


def sections_of(lines: list[str], label: str) -> list[tuple[str, list[list[str]]]]:
    """The parts of a Pajek file, each with the cells of its lines; nodes that have no line are counted."""
    sections: list[tuple[str, list[list[str]]]] = []
    for line in lines:
        cells = [cell.strip('"') for cell in TOKEN.findall(line)]
        if line.startswith("*"):
            sections.append((cells[0].lower().lstrip("*").partition(":")[0], []))
            if sections[-1][0] == "vertices":
                size = check_size(cells, label, len(lines))
        elif cells and not line.startswith("%"):
            if not sections:
                raise ValueError(f"{label} is no Pajek file: it must begin with *Vertices")
            sections[-1][1].append(cells)
    if not sections or sections[0][0] != "vertices":
        raise ValueError(f"{label} is no Pajek file: it must begin with *Vertices")
    return sections if sections[0][1] else [("vertices", [[str(at)] for at in range(1, size + 1)]), *sections[1:]]


def check_size(cells: list[str], label: str, lines: int, most: int = 10_000_000) -> int:
    size = int(cells[1]) if len(cells) > 1 and re.fullmatch(r"\d{1,9}", cells[1]) else -1
    if len(cells) > 2:
        raise OutOfScope(f"{label} has two kinds of nodes")
    if not 0 <= size <= most:
        raise ValueError(f"{label} must say after *Vertices how many there are, at most {most}, got {cells[1:2]}")
    return size


def read_neighbours(path) -> Found:
    """A list of neighbours: in each line a node, and then those whom it knows."""
    notes: list[str] = []
    rows = [line.partition("#")[0].replace(":", " ").split() for line in lines_of(path, notes)]
    rows = [row for row in rows if row]
    ends = [row[0] for row in rows for _ in row[1:]], [other for row in rows for other in row[1:]]
    ids = list(dict.fromkeys(each for row in rows for each in row))
    return Found(Path(path).name, ends, ids, notes=notes)
