"""Docstrings are what the reference pages are made of: reStructuredText in which nothing is out of place.

The build of the site finds it too, a quarter of an hour later.
"""

import ast
import io
import re
from pathlib import Path

import pytest
from docutils.core import publish_doctree

LIB = Path(__file__).resolve().parents[2] / "lib"
LISTED = re.compile(r"^( *)(\w[\w.]*(?:, \w[\w.]*)*) {2,}\S")  # a name and what it is, in columns
OF_SPHINX = "Unknown interpreted text role", "No role entry", "Unknown directive", "No directive entry", "Trying "


def faults(text: str) -> list[str]:
    """What docutils says of a docstring; roles and directives of Sphinx it does not know."""
    told = io.StringIO()
    publish_doctree(text, settings_overrides={"warning_stream": told, "report_level": 2})
    return [line for line in told.getvalue().splitlines()
            if line.startswith("<string>") and not any(each in line for each in OF_SPHINX)]


def run_together(text: str) -> list[str]:
    """Lists in columns that a page shows as one paragraph: they stand in no block of their own."""
    lines = text.splitlines()
    return [first for first, second in zip(lines, lines[1:], strict=False)
            if all(found and not found[1] for found in map(LISTED.match, (first, second)))]


def docstrings(path: Path) -> dict[str, str]:
    """The docstrings of a module by name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef))
    return {f"{path.relative_to(LIB)}:{getattr(node, 'name', '')}": ast.get_docstring(node) or "" for node in nodes}


def test_docstrings_are_restructured_text():
    found = {place: faults(text) for path in LIB.rglob("*.py") for place, text in docstrings(path).items() if text}
    assert len(found) > 2000
    assert {place: told for place, told in found.items() if told} == {}


def test_lists_are_shown_as_lists():
    texts = {place: text for path in LIB.rglob("*.py") for place, text in docstrings(path).items()}
    assert {place: told for place, text in texts.items() if (told := run_together(text))} == {}
    assert run_together("Rooms.\n\nlocal    the kinds\nmodel    what came of it")
    assert not run_together("Rooms::\n\n    local    the kinds\n    model    what came of it")


def test_the_list_of_a_package_names_its_modules():
    rows = {path: [found[2] for found in map(LISTED.match, text.splitlines()) if found]
            for path in LIB.rglob("__init__.py") for place, text in docstrings(path).items() if place.endswith(":")}
    names = [(path, name.partition(".")[0]) for path, found in rows.items()
             for name in ", ".join(found).split(", ") if name]
    assert len(names) > 90
    assert [(path.parent.name, name) for path, name in names
            if not (path.parent / f"{name}.py").is_file() and not (path.parent / name / "__init__.py").is_file()] == []


@pytest.mark.parametrize("text", ["A list:\n\nlocal, distilled\n     the kinds\nmodel   what came of it",
                                  "Rows [2, *] of it.", "Of a ``half.", "No |Q| here."])
def test_a_fault_would_be_found(text):
    assert faults(text)
    assert not faults(":math:`x`, a `role`.\n\n.. math:: x\n\n:param x: a list [2, K]")
