"""Figures with numbers: the line ``% Figure: ...`` before a cell is the caption of the image that the cell draws.

A comment and not the cell's metadata, of which the cache of executed chapters takes notice: to change a caption runs
nothing. On the site it is a box that a figure takes its caption from, as glued numbers are not read in comments. Sphinx
counts the figures, "Figure 8.1", as it counts theorems and exercises.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx

MARK, BOX = "Figure: ", "caption-of-a-figure"
LINE = re.compile(rf"^% {MARK}(.*)$", re.MULTILINE)


def write_captions(_: Sphinx, page: str, source: list[str]) -> None:
    """A caption in a page's text, as a box.

    >>> text = ["% Figure: Half of them."]
    >>> write_captions(None, "chapters/01_x", text)
    >>> print(*text)
    <BLANKLINE>
    :::{container} caption-of-a-figure
    Half of them.
    :::
    <BLANKLINE>
    """
    source[0] = LINE.sub(rf"\n:::{{container}} {BOX}\n\1\n:::\n", source[0])


def number_figures(_: Sphinx, doctree: nodes.document) -> None:
    boxes = [box for box in doctree.findall(nodes.container) if BOX in box["classes"]]
    for number, box in enumerate(boxes, start=1):
        cell = box.next_node(descend=False, siblings=True)
        image = cell and cell.next_node(nodes.image)
        box.parent.remove(box)
        if image:  # none in an exercise's solution that the site leaves out, or where the cell has not run
            words = box.next_node(nodes.paragraph)
            caption = nodes.caption(words.rawsource, "", *words.children)
            image.replace_self(nodes.figure("", image.deepcopy(), caption, ids=[f"figure-{number}"]))
