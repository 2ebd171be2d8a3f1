"""What a folded cell holds, on its lid: "Show the code of the figure", "Show the imports", "Show the code of hop()"."""

import ast

from docutils import nodes
from sphinx.application import Sphinx

MOST = 3  # names on a lid


def label_folded_cells(_: Sphinx, doctree: nodes.document) -> None:
    """In place of "Show code cell source", which says it of every cell."""
    for cell in doctree.findall(nodes.container):
        if cell.get("nb_element") == "cell_code" and cell.get("hide_mode"):
            held = holds(cell.next_node(nodes.literal_block).astext(), shown(cell))
            cell["prompt_show"], cell["prompt_hide"] = f"Show {held}", f"Hide {held}"


def shown(cell: nodes.container) -> str:
    """``"figure"``, ``"table"``, or ``""``: what a reader sees of a folded cell."""
    if cell.next_node(nodes.image):
        return "figure"
    written = any("<table" in raw.astext() for raw in cell.findall(nodes.raw))
    return "table" if written or cell.next_node(nodes.table) else ""


def holds(source: str, shows: str = "") -> str:
    """What a cell holds, by what it shows, else by the names that it gives.

    >>> holds("import math\\n\\nfrom privgraph import show"), holds("plt.show()", "figure"), holds("show.banner(data)")
    ('the imports', 'the code of the figure', 'the code')
    >>> holds("import math\\ndef hop(x): pass\\ndef turn(x): pass"), holds("a = 1\\nb, c = 2, 3\\nd[0] = e = 4")
    ('the imports, hop() and turn()', 'the code of a, b, c and others')
    """
    if shows:
        return f"the code of the {shows}"
    lines = ast.parse(source).body
    names = [f"{line.name}()" for line in lines if isinstance(line, ast.FunctionDef | ast.ClassDef)]
    if any(isinstance(line, ast.Import | ast.ImportFrom) for line in lines):
        return listed(["the imports", *names])
    given = [name.id for line in lines if isinstance(line, ast.Assign)
             for target in line.targets for name in ast.walk(target)
             if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)]
    names = names or list(dict.fromkeys(given))
    return f"the code of {listed(names)}" if names else "the code"


def listed(names: list[str]) -> str:
    kept = names[:MOST] + ["others"] * (len(names) > MOST)
    return " and ".join(filter(None, [", ".join(kept[:-1]), kept[-1]]))
