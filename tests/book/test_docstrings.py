"""Docstrings are what the reference pages are made of: reStructuredText in which nothing is out of place.

The build of the site finds it too, a quarter of an hour later.
"""

import ast
import io
from pathlib import Path

import pytest
from docutils.core import publish_doctree

LIB = Path(__file__).resolve().parents[2] / "lib"
OF_SPHINX = "Unknown interpreted text role", "No role entry", "Unknown directive", "No directive entry", "Trying "


def faults(text: str) -> list[str]:
    """What docutils says of a docstring; roles and directives of Sphinx it does not know."""
    told = io.StringIO()
    publish_doctree(text, settings_overrides={"warning_stream": told, "report_level": 2})
    return [line for line in told.getvalue().splitlines()
            if line.startswith("<string>") and not any(each in line for each in OF_SPHINX)]


def docstrings(path: Path) -> dict[str, str]:
    """The docstrings of a module by name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef))
    return {f"{path.relative_to(LIB)}:{getattr(node, 'name', '')}": ast.get_docstring(node) or "" for node in nodes}


def test_docstrings_are_restructured_text():
    found = {place: faults(text) for path in LIB.rglob("*.py") for place, text in docstrings(path).items() if text}
    assert len(found) > 2000
    assert {place: told for place, told in found.items() if told} == {}


@pytest.mark.parametrize("text", ["A list:\n\nlocal, distilled\n     the kinds\nmodel   what came of it",
                                  "Rows [2, *] of it.", "Of a ``half.", "No |Q| here."])
def test_a_fault_would_be_found(text):
    assert faults(text)
    assert not faults(":math:`x`, a `role`.\n\n.. math:: x\n\n:param x: a list [2, K]")
