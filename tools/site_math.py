"""No full stop alone on a line: what stands right beside a formula stays on its line."""

import re

from docutils import nodes
from sphinx.application import Sphinx

BEFORE, AFTER = re.compile("[(\\[“\"‘]+$"), re.compile("^[.,;:!?)\\]”\"’…]+")


def keep_marks_beside_formulas(_: Sphinx, doctree: nodes.document) -> None:
    """Browsers may break a line before and after a formula, even between it and its comma."""
    for formula in list(doctree.findall(nodes.math)):
        before, after = taken(formula, -1, BEFORE), taken(formula, 1, AFTER)
        if before or after:
            together = nodes.inline(classes=["together"])
            formula.replace_self(together)
            together.extend([nodes.Text(before), formula, nodes.Text(after)])


def taken(formula: nodes.math, step: int, marks: re.Pattern) -> str:
    """The marks at the near end of the text beside a formula, which loses them."""
    line, place = formula.parent, formula.parent.index(formula) + step
    text = line[place] if 0 <= place < len(line) else None
    found = marks.search(text) if isinstance(text, nodes.Text) else None
    if found:
        line[place] = nodes.Text(marks.sub("", text))
    return found[0] if found else ""
