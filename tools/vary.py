"""Halve and double every parameter of every page, as a reader will: the page must run on, or say what it takes.

A parameter is a number with a fraction (a budget, a rate, a scale) that a visible cell gives to a name or to a keyword,
and in a cell with the tag `parameters` every number. Other sizes and counts are whole, and belong to the toy that they
stand beside; tolerances are of the page's checks. The cells are those of the notebooks that readers take away, without
the author's checks (tools/notebooks.py), and run up to the first that fails. The page *answers* if none fails, or if
that one raises a ValueError that names the parameter, or an assertion that says something, as those of an exercise's
checker do. Anything else is a fault.

    tools/vary.py                all pages; exit status 1 if there is a fault
    tools/vary.py 09_privgnn     some
    tools/vary.py --lot          one change of each page that changed since main, and of a few others
"""

import argparse
import ast
import hashlib
import os
import re
import resource
import signal
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import jupytext
from tqdm import tqdm

from changed import changed_files
from lots import state_of
from notebooks import without_checks
from trials import wait_for
from warm import PACKAGES, PAGE, SLOWER

ROOT = Path(__file__).resolve().parents[1]
FACTORS = (0.5, 2.0)
TOLERANCE = re.compile(r".*tol(erance)?").fullmatch
HIDDEN = "hide", "remove"
ANSWERED = "it runs", "it refuses", "it asserts"
OTHERS = 3  # pages that did not change
PARAMETERS = "parameters"  # the tag of a cell whose numbers are all meant to be changed


class Variant(NamedTuple):
    """One parameter of a page, times a factor; ``place`` counts the page's parameters."""

    page: str
    place: int
    name: str
    value: float
    factor: float

    @property
    def changed(self) -> float:
        return type(self.value)(self.value * self.factor)

    def __str__(self) -> str:
        return f"{self.page}: {self.name} = {self.value:g} -> {self.changed:g}"


class Cell(NamedTuple):
    tree: ast.Module
    seen: bool  # by who reads the page
    whole: bool  # whole numbers are parameters too


def cells(path: Path) -> list[Cell]:
    """The code cells of a page, as readers take them away."""
    found = []
    for cell in jupytext.read(path).cells:
        if cell.cell_type == "code":
            tags = cell.metadata.get("tags", ())
            found.append(Cell(ast.parse(without_checks(cell.source)), not any(tag.startswith(HIDDEN) for tag in tags),
                              PARAMETERS in tags))
    return found


def parameters(cell: Cell) -> Iterator[tuple[str, ast.Constant]]:
    """Name and number, in the order of the source."""
    for node in ast.walk(cell.tree) if cell.seen else ():
        if isinstance(node, ast.keyword):
            yield from named(node.arg, node.value, cell.whole)
        elif isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            several = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            for each in zip(target.elts, value.elts, strict=False) if several else [(target, value)]:
                yield from named(getattr(each[0], "id", None), each[1], cell.whole)


def named(name: str | None, value: ast.expr, whole: bool) -> Iterator[tuple[str, ast.Constant]]:
    number = value.value if isinstance(value, ast.Constant) else None
    if name and (type(number) is float or whole and type(number) is int) and number and not TOLERANCE(name):
        yield name, value


def variants(path: Path) -> list[Variant]:
    found = [(name, number.value) for cell in cells(path) for name, number in parameters(cell)]
    return [Variant(path.stem, place, *each, factor) for place, each in enumerate(found) for factor in FACTORS]


def varied(path: Path, variant: Variant | None) -> list[ast.Module]:
    """The page's code with that parameter changed."""
    found = cells(path)
    numbers = [number for cell in found for _, number in parameters(cell)]
    if variant:
        numbers[variant.place].value = variant.changed
    return [cell.tree for cell in found]


def run(path: Path, variant: Variant | None) -> str:
    """One of ``ANSWERED``, or where it failed; this process is spoilt afterwards."""
    names = {"__name__": "__main__"}
    try:
        for tree in varied(path, variant):
            exec(compile(tree, path.name, "exec"), names)
    except AssertionError as error:
        return "it asserts" if str(error) else "an assertion fails and says nothing"
    except Exception as error:
        if variant and isinstance(error, ValueError) and variant.name in str(error):
            return "it refuses"
        return "".join(traceback.format_exception_only(error)).strip()
    return "it runs"


def in_a_fork(path: Path, variant: Variant | None) -> tuple[int, int]:
    """A process that runs it, and the end of a pipe on which it says what came of that."""
    heard, said = os.pipe()
    if child := os.fork():
        os.close(said)
        return child, heard
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (SLOWER * PAGE, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        os.chdir(path.parent)
        with open(os.devnull, "w") as null:
            os.dup2(null.fileno(), 1), os.dup2(null.fileno(), 2)
        os.write(said, run(path, variant).encode()[:4000])
    finally:
        os._exit(0)


def try_all(todo: list[tuple[Path, Variant | None]], jobs: int) -> dict:
    """(page, variant) -> what came of it."""
    waiting, running, done = list(reversed(todo)), {}, {}
    with tqdm(total=len(todo), disable=None) as progress:
        while waiting or running:
            while waiting and len(running) < jobs:
                each = waiting.pop()
                child, heard = in_a_fork(*each)
                running[child] = each, heard
            child, status, _ = wait_for(running)
            each, heard = running.pop(child)
            with open(heard, encoding="utf-8", errors="replace") as pipe:
                done[each] = pipe.read() or f"it was ended: {signal.Signals(-status).name}"
            progress.update()
    return done


def drawn(found: dict[Path, list[Variant]], touched: set[str], state: str) -> list[tuple[Path, Variant]]:
    """One change of each of the pages ``touched``, and of ``OTHERS``; with another state of the sources other ones."""
    def place(each: object) -> bytes:
        return hashlib.sha256(f"{state} {each}".encode()).digest()
    pages = [path for path in found if found[path]]
    of_these = [path for path in pages if f"chapters/{path.name}" in touched]
    others = sorted((path for path in pages if path not in of_these), key=lambda path: place(path.name))[:OTHERS]
    return [(path, min(found[path], key=place)) for path in of_these + others]


def warm_up() -> None:
    os.environ.update(MPLBACKEND="agg", OMP_NUM_THREADS="1")
    for name in (*PACKAGES, "myst_nb", "privbook"):
        __import__(name)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("pages", nargs="*", help="some, by the beginnings of their names; default: all")
    parser.add_argument("--lot", action="store_true", help="one change each of what changed, and of a few others")
    parser.add_argument("--jobs", type=int, default=2, help="at a time (default: %(default)s)")
    options = parser.parse_args()
    paths = [path for path in sorted((ROOT / "chapters").glob("*.md"))
             if not options.pages or path.stem.startswith(tuple(options.pages))]
    found = {path: variants(path) for path in paths}
    warm_up()
    done = try_all(drawn(found, changed_files(), state_of(ROOT)) if options.lot else
                   [(path, variant) for path in paths for variant in found[path]], options.jobs)
    for (_, variant), answer in done.items():
        if answer != ANSWERED[0]:
            print(f"{variant}: {answer}")
    counted = {answer: list(done.values()).count(answer) for answer in ANSWERED}
    print(f"{len(done)} changes of parameters: " + ", ".join(f"{n} times {answer}" for answer, n in counted.items()))
    return 0 if sum(counted.values()) == len(done) else 1


if __name__ == "__main__":
    sys.exit(main())
