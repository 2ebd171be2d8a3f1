"""The house stands: modules import downwards only, functions fit a screen, no machine's paths anywhere."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LIB = ROOT / "lib"
LIBRARY, BOOK = LIB / "privgraph", LIB / "privbook"
# In the order in which data flows (see the docstrings of the two packages): a room may use the rooms before it.
ROOMS = ["__init__", "late", "checks", "randomness", "streams", "discover", "processes", "waiting", "effort", "writing",
         "graph",
         "graph_batch", "datasets", "privacy", "mechanisms", "audit", "nn", "methods", "federate", "attacks", "teach",
         "cli", "__main__"]
BOOK_ROOMS = ["__init__", "bearing", "evidence", "claims", "prover", "runs", "papers", "show", "classroom",
              "skeletons", "cli", "__main__"]
FLOORS = {LIBRARY: ROOMS, BOOK: BOOK_ROOMS}
MODULES = sorted(LIBRARY.rglob("*.py"))
ALL_MODULES = [*MODULES, *sorted(BOOK.rglob("*.py"))]


def room(module: Path) -> str:
    return module.relative_to(LIB).parts[1].removesuffix(".py")


@cache
def nodes(module: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(module.read_text(encoding="utf-8"))))


def in_all_modules(faults) -> list[str]:
    """``faults`` of each module, with where they are."""
    return [f"{module.relative_to(LIB)}: {fault}" for module in ALL_MODULES for fault in faults(module)]


def imports(module: Path, text: str | None = None, base: Path = LIB):
    """The files of ours that a module imports, at whatever depth of its code; and the names of others' packages."""
    for node in nodes(module) if text is None else ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (file_of(base.joinpath(*alias.name.split("."))) or alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            place = module.parents[node.level - 1] if node.level else base
            place = place.joinpath(*(node.module or "").split("."))
            inside = [file_of(place / alias.name) or file_of(place) for alias in node.names]
            yield from inside if node.level or any(inside) else [node.module]


def at_once(module: Path, text: str | None = None) -> list[Path]:
    """The files of ours that the face of a package imports by itself, and not when a name is asked for."""
    body = ast.parse(module.read_text(encoding="utf-8") if text is None else text).body
    said = "\n".join(ast.unparse(node) for node in body if isinstance(node, ast.Import | ast.ImportFrom))
    return [target for target in imports(module, said) if isinstance(target, Path)]


def file_of(place: Path) -> Path | None:
    """The file of a module or package."""
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()), None)


def test_every_room_is_listed():
    for package, rooms in FLOORS.items():
        assert {room(module) for module in package.rglob("*.py")} == set(rooms)


def pointing_up(module: Path, text: str | None = None) -> list[Path]:
    """What a module imports from rooms above its own, or from the book, where it is of the library."""
    package = LIB / module.relative_to(LIB).parts[0]
    rooms = FLOORS[package]
    if module == package / "__init__.py":  # its names come from everywhere, when they are asked for
        return [target for target in at_once(module, text) if target.name != "late.py"]
    return [target for target in imports(module, text) if isinstance(target, Path)
            and (rooms.index(room(target)) > rooms.index(room(module)) if package in target.parents
                 else package == LIBRARY)]


def test_imports_point_downwards():
    found = in_all_modules(pointing_up)
    assert found == [], "\n".join(found)


@pytest.mark.parametrize("line", ["from ..methods import LPGNN", "def f():\n    from ..cli.run import add_commands",
                                  "import privbook", "from privbook.runs.grid import Experiment",
                                  "def f():\n    from privbook import Results"])
def test_an_arrow_upwards_would_be_seen(line):
    assert pointing_up(LIBRARY / "privacy" / "planted.py", line)


@pytest.mark.parametrize("text, seen", [("from .methods import LPGNN", 1), ("from .late import face", 0), (
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .methods import LPGNN", 0)])
def test_a_face_that_imports_by_itself_would_be_seen(text, seen):
    assert len(pointing_up(LIBRARY / "__init__.py", text)) == seen


def circle(arrows: dict[Path, set[Path]]) -> list[Path]:
    """Modules that import each other, round and round; empty where there are none."""
    try:
        list(TopologicalSorter(arrows).static_order())
    except CycleError as error:
        return error.args[1]
    return []


def all_arrows() -> dict[Path, set[Path]]:
    """module -> what it imports of ours, lazily too. What a package hands on is its business, not its modules'."""
    return {module: {target for target in imports(module) if isinstance(target, Path) and target != module}
            for module in ALL_MODULES}


def test_nothing_goes_round_in_a_circle():
    assert [str(module.relative_to(LIB)) for module in circle(all_arrows())] == []


def test_a_circle_inside_a_room_would_be_seen():
    """The two files of contracts, as they were."""
    folder = LIBRARY / "methods" / "contract"
    first, second = folder / "all_kinds.py", folder / "two_halves.py"
    arrows = all_arrows()
    assert first in arrows[second]
    assert {first, second} <= set(circle(arrows | {first: arrows[first] | {second}}))


# What comes with a package of another name, and what is Python's own.
DISTRIBUTIONS = {"sklearn": "scikit-learn", "torch_geometric": "torch-geometric", "yaml": "pyyaml", "bs4":
                 "beautifulsoup4", "dp_accounting": "dp-accounting", "dask": "distributed", "IPython": "ipython",
                 "jupyter_client": "jupyter-client"}
PROJECTS = {LIBRARY: ROOT / "pyproject.toml", BOOK: LIB / "pyproject.toml"}


def declared(project: Path) -> set[str]:
    """The names of everything that a project says it needs, extras too."""
    said = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    needed = [*said["dependencies"], *(each for extra in said.get("optional-dependencies", {}).values()
                                       for each in extra)]
    return {re.match(r"[\w-]+", each)[0].lower() for each in needed}


@pytest.mark.parametrize("package", FLOORS, ids=lambda package: package.name)
def test_what_is_imported_is_declared_and_nothing_else(package):
    found = {name.partition(".")[0] for module in package.rglob("*.py") for name in imports(module)
             if isinstance(name, str)} - set(sys.stdlib_module_names)
    found = {DISTRIBUTIONS.get(name, name) for name in found}
    found |= {"privgraph"} if package == BOOK else set()
    assert found == declared(PROJECTS[package])


# What tests of the library need beside it; autodp's are skipped where it is missing, psutil comes with PyG.
TEST_ONLY = {"pytest", "hypothesis", "pyyaml", "autodp", "psutil"}
TESTS = ROOT / "tests"


def strange_imports(module: Path, text: str | None = None) -> set[str]:
    """What a test of the library, or a helper that it imports, needs beside the library and ``TEST_ONLY``."""
    found = set(imports(module, text))
    names = {name.partition(".")[0] for name in found if isinstance(name, str)} - set(sys.stdlib_module_names)
    helpers = {name: path for name in names for folder in (TESTS, module.parent) if (path := file_of(folder / name))}
    names = {DISTRIBUTIONS.get(name, name) for name in names - helpers.keys()}
    strange = names - declared(PROJECTS[LIBRARY]) - TEST_ONLY
    strange |= {str(path.relative_to(LIB)) for path in found if isinstance(path, Path) and LIBRARY not in path.parents}
    return strange.union(*(strange_imports(helper) for helper in helpers.values()))


def test_tests_of_the_library_need_the_library_alone():
    tests = sorted([*TESTS.glob("unit/*.py"), *TESTS.glob("statistical/*.py")])
    assert {test.stem: strange for test in tests if (strange := strange_imports(test))} == {} and len(tests) > 100


@pytest.mark.parametrize("line, seen", [("import pytest, yaml, psutil, math", set()), ("import jupytext", {"jupytext"}),
                                        ("from privbook.claims import load", {"privbook/claims.py"}),
                                        ("import pair", {"pair"}), ("from mutants import MUTANTS", set())])
def test_what_it_does_not_bring_would_be_seen(line, seen):
    assert strange_imports(TESTS / "unit" / "planted.py", line) == seen


def test_no_package_exports_a_name_of_one_of_its_modules():
    """``from privgraph.audit import replay`` is a function: a module of that name could only be had by a trick."""
    for package in (module.parent for module in ALL_MODULES if module.name == "__init__.py"):
        name = ".".join(package.relative_to(LIB).parts)
        package_itself = importlib.import_module(name)
        held = {key: getattr(package_itself, key) for key in dir(package_itself)}
        inside = {path.stem for path in package.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
        hidden = {key for key in inside & held.keys() if not inspect.ismodule(held[key])}
        assert not hidden, f"{name} exports {sorted(hidden)}, and has modules of these names"


# What a module is to its room or to its paper, and so is found in several.
ROLES = {"__init__", "__main__", "catalogue", "claims", "contract", "contradictions", "evaluation", "guarantees",
         "lookup", "metrics", "settings", "tables"}


def test_a_module_has_a_name_of_its_own():
    names = Counter(module.stem for module in ALL_MODULES)
    assert {name for name, count in names.items() if count > 1} == ROLES


def too_long(module: Path):
    for node in nodes(module):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0
            if lines > 27:
                yield f"{node.name} has {lines} lines"


def test_functions_fit_a_screen():
    found = in_all_modules(too_long)
    assert found == [], "\n".join(found)


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


UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX)\b")


def unfinished(*folders: Path) -> list[str]:
    """Lines of chapters and library that say that something is to be done; skeletons say it to those who fill them."""
    texts = [path for folder in folders for path in sorted(folder.rglob("*"))
             if path.suffix in {".py", ".md", ".txt", ".js"} and BOOK / "skeletons" not in path.parents]
    return [f"{path}:{number}: {line.strip()}" for path in texts
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if UNFINISHED.search(line)]


def test_nothing_is_left_to_do():
    assert unfinished(LIBRARY, BOOK, ROOT / "chapters") == []


@pytest.mark.parametrize("line, seen", [("x = 1  # TODO: why", 1), ("FIXME", 1), ("% XXX", 1), ("todo = missing()", 0)])
def test_what_is_left_to_do_would_be_seen(tmp_path, line, seen):
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "a.md").write_text(f"One.\n{line}\n", encoding="utf-8")
    assert unfinished(tmp_path) == [f"{tmp_path}/room/a.md:2: {line}"] * seen


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


def test_fields_of_docstrings_can_be_read():
    found = in_all_modules(lambda module: [
        line for node in nodes(module) if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module)
        for line in misread_fields(ast.get_docstring(node) or "")])
    assert found == [], "\n".join(found)


@pytest.mark.parametrize("docstring, seen", [
    ("One.\n\n:param a: x\n    more\n:param b: y\n:returns: z\n:raises ValueError: never", 0),
    ("One. :param a: x", 1), ("One.\n\n:param a: x :param b: y", 1), ("One.\n\n:param a, b: x", 1),
    ("One.\n:param a: x", 1), ("See :math:`x`: it is.", 0)])
def test_fields_that_cannot_be_read_would_be_seen(docstring, seen):
    assert len(list(misread_fields(docstring))) == seen
