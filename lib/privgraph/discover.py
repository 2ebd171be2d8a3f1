"""What a package holds, found by looking: what lies in its folder belongs to it, and no list says so.

``index`` looks at the texts, and imports nothing: a command learns there which module it needs.
"""

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import NamedTuple

CLASS = re.compile(r"^class (\w+)(?:\((.*?)\))?:[^\n]*\n(.*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
ABSTRACT = re.compile(r"^    @abstractmethod\n    def (\w+)", re.MULTILINE)
MADE = re.compile(r"(?<!@abstractmethod\n)^    (?:def (\w+)|(\w+)(?:: [^\n]*?)? = )", re.MULTILINE)
SUMMARY = re.compile(r'r?"""(.*?)(?:\n\s*\n|""")', re.DOTALL)


def modules(package: str) -> dict[str, ModuleType]:
    """Name below the package -> module, folders included, without those that begin with an underscore.

    >>> "lpgnn" in modules("privgraph.methods")
    True
    """
    prefix = f"{package}."
    names = (found.name for found in walk_packages(import_module(package).__path__, prefix))
    return {name.removeprefix(prefix): import_module(name) for name in names
            if not name.rpartition(".")[2].startswith("_")}


def found_in(package: str, wanted: Callable[[object], bool]) -> Iterator[tuple[str, object]]:
    """(name, thing) of all classes and functions that a module of the package makes and that are ``wanted``."""
    for module in modules(package).values():
        for name, thing in sorted(vars(module).items()):
            if getattr(thing, "__module__", None) == module.__name__ and wanted(thing):
                yield name, thing


def texts(package: str) -> dict[str, str]:
    """Module -> what is written in it, of a package that need not be imported."""
    root = Path(find_spec(package).origin).parent
    paths = sorted(path for path in root.rglob("*.py") if not path.stem.startswith("_"))
    return {".".join([package, *path.relative_to(root).with_suffix("").parts]): path.read_text(encoding="utf-8")
            for path in paths}


class Written(NamedTuple):
    """A class as its source has it."""

    name: str
    module: str
    summary: str
    bases: tuple[str, ...]
    abstract: frozenset[str]
    made: frozenset[str]

    def load(self) -> type:
        return getattr(import_module(self.module), self.name)


def index(package: str, *bases: str) -> dict[str, Written]:
    """The classes of a package that extend one of ``bases`` and leave nothing abstract, by their names.

    >>> index("privgraph.methods", "Method")["LPGNN"].module
    'privgraph.methods.lpgnn'
    """
    found = {}
    for module, text in texts(package).items():
        summary = SUMMARY.match(text)
        for name, above, body in sorted(CLASS.findall(text)):
            made = frozenset(filter(None, (each for pair in MADE.findall(body) for each in pair)))
            found[name] = Written(name, module, " ".join(summary[1].split()) if summary else "",
                                  tuple(re.findall(r"[\w.]+", above)), frozenset(ABSTRACT.findall(body)), made)
    lines = {name: ancestors(name, found) for name in found}
    return {name: written for name, written in found.items() if not set(bases).isdisjoint(lines[name][1:])
            and not left_abstract(lines[name], found)}


def marked(package: str, decorator: str) -> dict[str, str]:
    """Function -> module of all that stand under this decorator.

    >>> marked("privgraph.attacks", "tried_on")["linkteller"]
    'privgraph.attacks.influence'
    """
    below = re.compile(rf"^@{decorator}\b[^\n]*\ndef (\w+)", re.MULTILINE)
    return {name: module for module, text in texts(package).items() for name in sorted(below.findall(text))}


def stating(package: str, name: str) -> list[str]:
    """The classes of a package in whose bodies a flag stands as True, in order; not those that inherit it.

    :param name: of the flag.

    >>> stating("privgraph.methods", "READS_LABELS")
    ['LabelsTimesDegree']
    """
    line = re.compile(rf"^    {name}(?:: [^\n]*?)? = True$", re.MULTILINE)
    return sorted(kind for text in texts(package).values() for kind, _, body in CLASS.findall(text)
                  if line.search(body))


def ancestors(name: str, found: dict[str, Written]) -> list[str]:
    """A class and all that it extends, in the order in which Python asks them, near enough."""
    return [name, *(each for base in found[name].bases if base in found for each in ancestors(base, found))]


def left_abstract(line: list[str], found: dict[str, Written]) -> set[str]:
    """What is abstract in a class or above it, and made nowhere."""
    abstract = frozenset().union(*(found[name].abstract for name in line))
    return abstract - frozenset().union(*(found[name].made for name in line))
