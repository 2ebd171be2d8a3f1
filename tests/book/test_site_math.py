"""Marks beside a formula stay on its line."""

import pytest
from docutils import nodes
from docutils.utils import new_document

import site_math


@pytest.mark.parametrize("before, after, kept, left", [
    ("at most ", ". Then", "x.", "at most | Then"), ("(", "), or", "(x),", "| or"), ("so ", " and", "", "so | and"),
    ("is ", "-DP", "", "is |-DP"), ("“", "”", "“x”", "|")])
def test_marks_beside_a_formula_stay_on_its_line(before, after, kept, left):
    page, line = new_document("page"), nodes.paragraph()
    line.extend([nodes.Text(before), nodes.math("", "x"), nodes.Text(after)])
    page += line
    site_math.keep_marks_beside_formulas(None, page)
    assert "".join(span.astext() for span in line.findall(nodes.inline)) == kept
    assert line[0].astext() + "|" + line[2].astext() == left and line.astext() == before + "x" + after


def test_formulas_without_text_beside_them():
    page, line = new_document("page"), nodes.paragraph()
    line.extend([nodes.math("", "x"), nodes.emphasis("", "y"), nodes.math("", "z")])
    page += line
    site_math.keep_marks_beside_formulas(None, page)
    assert not list(line.findall(nodes.inline)) and len(line) == 3
