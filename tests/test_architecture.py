"""The house stands: modules import downwards only, functions fit a screen, no machine's paths anywhere."""

import ast
import importlib
import inspect
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "lib" / "privgraph"
# In the order in which data flows (see privgraph/__init__.py): a room may use the rooms before it.
ROOMS = ["__init__", "checks", "randomness", "discover", "processes", "writing", "graph", "graphs", "datasets",
         "privacy", "mechanisms", "audit", "nn", "methods", "federate", "attacks", "experiments", "show", "teach",
         "classroom", "skeletons", "cli"]
MODULES = sorted(LIBRARY.rglob("*.py"))


def room(module: Path) -> str:
    return module.relative_to(LIBRARY).parts[0].removesuffix(".py")


def imported_rooms(module: Path):
    """The rooms of every relative import of a module."""
    package = module.relative_to(LIBRARY).parent.parts
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[:len(package) - (node.level - 1)]
            parts = [*base, *(node.module.split(".") if node.module else [])]
            yield from [parts[0]] if parts else [alias.name for alias in node.names if alias.name in ROOMS]


def test_every_room_is_listed():
    assert {room(m) for m in MODULES} <= set(ROOMS)


@pytest.mark.parametrize("module", MODULES, ids=lambda m: str(m.relative_to(LIBRARY)))
def test_imports_point_downwards(module):
    for used in imported_rooms(module):
        assert ROOMS.index(used) <= ROOMS.index(room(module)), f"{module.name} imports from {used}"


def test_no_package_exports_a_name_of_one_of_its_modules():
    """``from privgraph.audit import replay`` is a function: a module of that name could only be had by a trick."""
    for package in (module.parent for module in MODULES if module.name == "__init__.py"):
        name = ".".join(("privgraph", *package.relative_to(LIBRARY).parts))
        held = vars(importlib.import_module(name))
        inside = {path.stem for path in package.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
        hidden = {key for key in inside & held.keys() if not inspect.ismodule(held[key])}
        assert not hidden, f"{name} exports {sorted(hidden)}, and has modules of these names"


@pytest.mark.parametrize("module", MODULES, ids=lambda m: str(m.relative_to(LIBRARY)))
def test_functions_fit_a_screen(module):
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0
            assert lines <= 27, f"{node.name} has {lines} lines"


def test_no_path_of_a_machine_is_written_anywhere():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    machine = re.compile(r"(?<![\w.-])/(?:work|home|root|tmp|Users)/\w")
    guilty = []
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.suffix in {".md", ".py", ".csv", ".toml", ".yml", ".txt", ".cfg", ".css", ""} and path.is_file():
            guilty += [name] if machine.search(path.read_text(encoding="utf-8", errors="ignore")) else []
    assert not guilty


FIELD = re.compile(r":(?:param \w+|returns?|raises \w+):(?=\s|$)")
LOOKS_LIKE_A_FIELD = re.compile(r":(?:param|return|raise)s?\b[^:`]*:(?=\s)")


def misread_fields(docstring: str):
    """Lines whose fields an API reference would not see: two on a line, two names in one, or within a paragraph."""
    lines, listed = inspect.cleandoc(docstring).splitlines(), True  # whether the line before may be followed by a field
    for line in lines:
        found = LOOKS_LIKE_A_FIELD.findall(line)
        if found and (not FIELD.match(line) or len(found) > 1 or not listed):
            yield line
        listed = not line or bool(FIELD.match(line)) or listed and line.startswith("    ")


@pytest.mark.parametrize("module", MODULES, ids=lambda m: str(m.relative_to(LIBRARY)))
def test_fields_of_docstrings_can_be_read(module):
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            assert list(misread_fields(ast.get_docstring(node) or "")) == []


@pytest.mark.parametrize("docstring, seen", [
    ("One.\n\n:param a: x\n    more\n:param b: y\n:returns: z\n:raises ValueError: never", 0),
    ("One. :param a: x", 1), ("One.\n\n:param a: x :param b: y", 1), ("One.\n\n:param a, b: x", 1),
    ("One.\n:param a: x", 1), ("See :math:`x`: it is.", 0)])
def test_fields_that_cannot_be_read_would_be_seen(docstring, seen):
    assert len(list(misread_fields(docstring))) == seen
