"""GraphML and GEXF, which are XML. Documents that define entities are refused before anything is made of them."""

import io
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from ..layouts import OutOfScope
from .found import Found, Table, octets

MAX_DEPTH = 100
GEPHI_KEEPS = ("label",)  # beside what is declared


class NotAllowed(ValueError):
    """What has no place in a file of a graph."""


def checked(data: bytes, label: str) -> bytes:
    """The same document, once a parser has gone through it that stops at declarations of types and entities."""
    parser, depth = expat.ParserCreate(), [0]

    def stop(*_):
        raise NotAllowed(f"{label} declares a document type or entities, which a graph does not need")

    def start(*_):
        depth[0] += 1
        if depth[0] > MAX_DEPTH:
            raise NotAllowed(f"{label} nests more than {MAX_DEPTH} elements")

    def end(*_):
        depth[0] -= 1

    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = parser.ExternalEntityRefHandler = stop
    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, LookupError) as error:
        raise ValueError(f"{label} is no XML: {error}") from error
    return data


def read_markup(path) -> Found:
    """The graph of a GraphML or GEXF file.

    :raises ValueError: for a document of another kind, and for one with several graphs, hyperedges, or times.
    """
    label = Path(path).name
    root = ElementTree.parse(io.BytesIO(checked(octets(path), label))).getroot()
    kinds = {"graphml": graphml, "gexf": gexf}
    if name(root) not in kinds:
        raise ValueError(f"{label} must be GraphML or GEXF, got an XML document of {name(root)!r}")
    return kinds[name(root)](root, label)


def name(element: ElementTree.Element) -> str:
    """Without its namespace, which differs between versions."""
    return str(element.tag).rpartition("}")[2]


def inside(element: ElementTree.Element, *names: str) -> Iterator[ElementTree.Element]:
    return (each for each in element.iter() if name(each) in names)


def graphml(root: ElementTree.Element, label: str) -> Found:
    if len([*inside(root, "graph")]) != 1 or [*inside(root, "hyperedge")]:
        raise OutOfScope(f"{label} holds several graphs, graphs in nodes, or edges of more than two ends")
    keys = {each.get("id"): each.get("attr.name") or each.get("id") for each in inside(root, "key")}
    usual = defaults(root, keys, "node")
    rows = [(node.get("id", ""), usual | values(node, "data", "key", keys)) for node in inside(root, "node")]
    return of_elements(label, rows, inside(root, "edge"), "data", "key", keys, defaults(root, keys, "edge"))


def defaults(root: ElementTree.Element, keys: dict[str | None, str], of: str) -> dict[str, str]:
    """What a GraphML file says of each node or edge that says nothing itself; "" where it says nothing either."""
    return {keys[each.get("id")]: text(next(inside(each, "default"), None)) for each in inside(root, "key")
            if each.get("for") in (of, "all", None)}


def gexf(root: ElementTree.Element, label: str) -> Found:
    graph = next(inside(root, "graph"), root)
    if graph.get("mode") == "dynamic" or [*inside(root, "spell")]:
        raise OutOfScope(f"{label} says when nodes and edges are there: graphs that change are not read")
    keys = {each.get("id"): each.get("title") or each.get("id") for each in inside(root, "attribute")}
    rows = [(node.get("id", ""), {"label": node.get("label", "")} | values(node, "attvalue", "for", keys))
            for node in inside(root, "node")]
    return of_elements(label, rows, inside(root, "edge"), "attvalue", "for", keys)


def values(element: ElementTree.Element, tag: str, key: str, keys: dict[str, str]) -> dict[str, str]:
    """What an element says of itself, by the names that are declared."""
    return {keys.get(each.get(key), str(each.get(key) or each.get("id"))): each.get("value") or text(each)
            for each in inside(element, tag)}


def text(element: ElementTree.Element | None) -> str:
    return "" if element is None else (element.text or "").strip()


def of_elements(label: str, rows: list[tuple[str, dict[str, str]]], edges, tag: str, key: str,
                keys: dict[str, str], usual: dict[str, str] | None = None) -> Found:
    ends, of_edges = ([], []), []
    for edge in edges:
        for side, end in zip(ends, ("source", "target"), strict=True):
            side.append(edge.get(end, ""))
        own = {"weight": edge.get("weight")} if edge.get("weight") else {}
        of_edges.append((usual or {}) | own | values(edge, tag, key, keys))
    return of_rows(label, rows, ends, of_edges)


def of_rows(label: str, rows: list[tuple[str, dict[str, str]]], ends: tuple[list[str], list[str]],
            of_edges: list[dict[str, str]]) -> Found:
    """A graph of nodes and edges each of which says some things of itself; what it does not say is missing."""
    return Found(label, ends, [node for node, _ in rows], Table(label, in_columns([said for _, said in rows])),
                 of_edges=in_columns(of_edges))


def in_columns(rows: list[dict[str, str]]) -> dict[str, list[str]]:
    """
    >>> in_columns([{"a": "1"}, {"b": "2"}])
    {'a': ['1', ''], 'b': ['', '2']}
    """
    return {name: [said.get(name, "") for said in rows] for name in dict.fromkeys(key for said in rows for key in said)}
