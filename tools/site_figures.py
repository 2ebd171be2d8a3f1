"""Figures with numbers: the line ``% Figure: ...`` before a cell is the caption of the image that the cell draws.

A comment and not the cell's metadata, of which the cache of executed chapters takes notice: to change a caption runs
nothing. Sphinx counts the figures, "Figure 8.1", as it counts theorems and exercises.
"""

from docutils import nodes
from sphinx.application import Sphinx

MARK = "Figure: "


def number_figures(_: Sphinx, doctree: nodes.document) -> None:
    captions = [comment for comment in doctree.findall(nodes.comment) if comment.astext().startswith(MARK)]
    for number, comment in enumerate(captions, start=1):
        cell = comment.next_node(descend=False, siblings=True)
        image = cell and cell.next_node(nodes.image)
        if image:  # none in an exercise's solution that the site leaves out, or where the cell has not run
            text = comment.astext().removeprefix(MARK)
            figure = nodes.figure("", image.deepcopy(), nodes.caption(text, text), ids=[f"figure-{number}"])
            image.replace_self(figure)
