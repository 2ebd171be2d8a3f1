"""Banners and tables as Markdown, which a notebook renders and nbval compares as text."""

from collections.abc import Mapping

from IPython.display import Markdown
from torch_geometric.data import Data

from privgraph.checks import check_all, check_choice, check_data
from privgraph.datasets import CARDS
from privgraph.datasets.bounds import bounds
from privgraph.graph import degrees, homophily

from .escape import inline, plain


def banner(data: Data) -> Markdown:
    """Which graph this page was run on, and whether it is real."""
    if check_data(data, "name").name == "cora-twin":
        note = ("**This page ran on synthetic Cora**, a generated graph that behaves like Cora. Numbers differ a "
                "little from those on the real graph; the lessons do not. `privgraph data cora` gets the real one.")
    else:
        note = f"**This page ran on {plain(data.name)}**, a real graph."
    return Markdown(f"> {note}")


def table(rows: list[dict], align: str = "right") -> Markdown:
    """A list of rows (column -> value) as a Markdown table; columns as in the first row, None as "not run".

    :param rows: column -> value, one each; at least one.
    :param align: "left" or "right".
    :raises ValueError: where there is no row.
    """
    if not (rows := check_all(rows, "rows", Mapping)):
        raise ValueError("rows of a table must be at least one, got none")
    check_choice(align, "align", ("left", "right"))
    columns = list(rows[0])
    rule = {"right": "---:", "left": "---"}[align]
    lines = [[cell(c) for c in columns], ["---"] + [rule] * (len(columns) - 1),
             *([cell(row[c]) for c in columns] for row in rows)]
    return Markdown("\n".join("| " + " | ".join(line) + " |" for line in lines))


def cell(value) -> str:
    """The text of one cell; a bar in it (``|Q|``) would start the next one."""
    return "not run" if value is None else inline(value).replace("|", r"\|")


def card_table(data: Data) -> Markdown:
    """The card of a graph: what it is, how large, what in it would be private."""
    check_data(data, "x", "y", "edge_index", "num_classes", "feature_range", "name")
    card = CARDS.get(data.name.split("-", 1)[0] if data.name not in CARDS else data.name)
    rows = [("nodes", f"{data.num_nodes:,}"), ("undirected edges", f"{data.num_edges // 2:,}"),
            ("features", f"{data.x.size(1):,}, each in {range_text(data)}"),
            ("classes", data.num_classes),
            ("mean degree", f"{degrees(data.edge_index, data.num_nodes).float().mean():.2f}"),
            ("edge homophily", f"{homophily(data.edge_index, data.y):.2f}")]
    if card:
        rows = [("graph", card.title), *rows, ("columns, taken as public", card.columns),
                ("what would be private", card.private), ("source", card.source)]
    if unaccounted := getattr(data, "unaccounted", ()):
        rows.append(("not accounted for", "; ".join(unaccounted)))
    return table([{"": name, plain(data.name): value} for name, value in rows], align="left")


def range_text(data: Data) -> str:
    """The public range of the features, or of how many ranges they are.

    >>> range_text(Data(feature_range=(0, 1))), range_text(Data(feature_range=((0, 1), (0, 120))))
    ('[0, 1]', 'a public range of its own, within [0, 120]')
    """
    low, high = bounds(data)
    return "a public range of its own, within " * low.dim() + f"[{low.min():g}, {high.max():g}]"
