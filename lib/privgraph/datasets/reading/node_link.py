"""Graphs as JSON: nodes and links, as D3, networkx and Cytoscape write them."""

import json
from pathlib import Path

from ..layouts import OutOfScope
from .delimited import text_of
from .found import Found, Table, octets, printable
from .markup import of_rows

NODES, LINKS = ("nodes", "vertices"), ("links", "edges")
IDS, SOURCES, TARGETS = ("id", "key", "name"), ("source", "from"), ("target", "to")
MAX_LENGTH = 100_000  # of a list of numbers, which becomes columns


def read_any(path):
    """What a JSON file holds; lines of JSON as a list.

    :raises ValueError: for a file that is no JSON.
    """
    label = Path(path).name
    text = text_of(octets(path), label, [])
    try:
        if Path(path).name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson")):
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{label} is no JSON: {error}") from error


def read_records(path) -> Table:
    """A table of a list of objects, one a row; or of an object of columns, as pandas writes them.

    :raises ValueError: for another form.
    """
    held, label = read_any(path), Path(path).name
    if isinstance(held, dict) and held and all(isinstance(each, dict) for each in held.values()):
        rows = list(dict.fromkeys(row for column in held.values() for row in column))
        held = [{name: column.get(row) for name, column in held.items()} for row in rows]
    if not isinstance(held, list) or not held or not all(isinstance(each, dict) for each in held):
        raise ValueError(f"{label} must hold a list of objects, one for each row of a table")
    rows = [described(each, label) for each in held]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return Table(label, {name: [row.get(name, "") for row in rows] for name in names})


def read_json(path, held) -> Found:
    """The graph of a JSON file with a list of nodes and a list of links.

    :param held: what is in the file.
    :raises ValueError: for another form.
    """
    label = Path(path).name
    inner = [held.get(name) for name in ("elements", "graph")] if isinstance(held, dict) else []
    held = next((each for each in inner if items_of(each, NODES) is not None), held)
    nodes, links = (items_of(held, names) for names in (NODES, LINKS))
    if nodes is None or links is None:
        raise ValueError(f"{label} must hold an object with the lists {NODES[0]} and {LINKS[0]} (or {LINKS[1]})")
    called = [next((name for name in IDS if name in node), "") for node in nodes]
    rows = [(of(node, IDS, str(at)), described({key: value for key, value in node.items() if key != name}, label))
            for at, (node, name) in enumerate(zip(nodes, called, strict=True))]
    ends = ([of(link, SOURCES, "") for link in links], [of(link, TARGETS, "") for link in links])
    return of_rows(label, rows, ends, [{key: told(value) for key, value in link.items()
                                        if key not in SOURCES + TARGETS + ("id", "key")} for link in links])


def items_of(held, names: tuple[str, ...]) -> list[dict] | None:
    """The objects of a list, those of Cytoscape by what they hold in ``data``; a node may be its id alone."""
    listed = next((held[name] for name in names if name in held), None) if isinstance(held, dict) else None
    if not isinstance(listed, list):
        return None
    found = [item.get("data", item) if isinstance(item, dict) else {"id": item} for item in listed]
    return [item if isinstance(item, dict) else {} for item in found]


def of(item: dict, names: tuple[str, ...], usual: str) -> str:
    return next((told(item[name]) for name in names if name in item), usual)


def told(value) -> str:
    """A value as a cell of a table; what is no single value is named by its kind."""
    if isinstance(value, dict):
        return told(value.get("id", value.get("name", "")))
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def described(item: dict, label: str) -> dict[str, str]:
    """What a node says of itself, lists of numbers as so many columns."""
    found: dict[str, str] = {}
    for key, value in item.items():
        if isinstance(value, list):
            if len(value) > MAX_LENGTH or not all(isinstance(each, int | float) for each in value):
                raise OutOfScope(f"{label}: {printable(key)} of a node is a list that holds more than numbers, such as "
                                 "several classes")
            found |= {f"{key}.{at}": told(each) for at, each in enumerate(value)}
        elif not isinstance(value, dict):
            found[key] = told(value)
    return found
