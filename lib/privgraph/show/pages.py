"""Banners and tables as Markdown, which a notebook renders and nbval compares as text."""

from IPython.display import Markdown
from torch_geometric.data import Data

from ..datasets import CARDS
from ..graph import degrees, homophily


def banner(data: Data) -> Markdown:
    """Which graph this page was run on, and whether it is real."""
    if data.name == "cora-twin":
        note = ("**This page ran on the twin**, a generated graph that behaves like Cora. Numbers differ a little from "
                "those on the real graph; the lessons do not. `privgraph data cora` gets the real one.")
    else:
        note = f"**This page ran on {data.name}**, a real graph."
    return Markdown(f"> {note}")


def table(rows: list[dict]) -> Markdown:
    """A list of rows (column -> value) as a Markdown table; columns as in the first row, None as "not run"."""
    if not rows:
        raise ValueError("a table needs at least one row, got none")
    columns = list(rows[0])
    lines = [columns, ["---"] + ["---:"] * (len(columns) - 1), *([cell(row[c]) for c in columns] for row in rows)]
    return Markdown("\n".join("| " + " | ".join(line) + " |" for line in lines))


def cell(value) -> str:
    return "not run" if value is None else str(value)


def card_table(data: Data) -> Markdown:
    """The card of a graph: what it is, how large, what in it would be private."""
    card = CARDS.get(data.name.split("-", 1)[0] if data.name not in CARDS else data.name)
    rows = [("nodes", f"{data.num_nodes:,}"), ("undirected edges", f"{data.num_edges // 2:,}"),
            ("features", f"{data.x.size(1):,}, each in [{data.feature_range[0]:g}, {data.feature_range[1]:g}]"),
            ("classes", data.num_classes),
            ("mean degree", f"{degrees(data.edge_index, data.num_nodes).float().mean():.2f}"),
            ("edge homophily", f"{homophily(data.edge_index, data.y):.2f}")]
    if card:
        rows = [("graph", card.title), *rows, ("what would be private", card.private), ("source", card.source)]
    return table([{"": name, data.name: value} for name, value in rows])
