"""How each test of evidence bears on the claims that name it: the test says so itself, by a mark::

    @pytest.mark.bears("against", "gp-theorem-4-3")

Chapter 5's table says what each verdict takes. ``fault`` compares the two, so no verdict can be changed in
book/claims.yml alone. The marks are read from the source: no evidence has to run for that. ``twins`` says where a test
has been seen to fail.
"""

import ast
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

MARK = "pytest.mark.bears"
ROLES = {
    "for": "lists all cases, or goes a second way: fails if the sentence is false",
    "proof": "checks a proof for every epsilon",
    "against": "a witness against the sentence",
    "repair": "shows where the sentence falls short, and checks what holds",
    "measured": "counts runs or what was printed",
    "beside": "checks what else our words say",
}


class Needs(NamedTuple):
    """Some test must bear in one way of ``any_of``; the others in one way of these or of ``besides``."""

    any_of: frozenset[str]
    besides: frozenset[str]


BESIDE = frozenset({"measured", "beside"})
NEEDS = {
    "holds": Needs(frozenset({"for", "proof"}), BESIDE),
    "corrected": Needs(frozenset({"repair"}), BESIDE | {"against"}),
    "refuted": Needs(frozenset({"against"}), BESIDE),
    "empirical only": Needs(frozenset({"measured"}), frozenset({"beside"})),
    "not a privacy claim": Needs(frozenset({"beside"}), frozenset()),
}


def fault(verdict: str, roles: Collection[str]) -> str:
    """Why the evidence does not carry this verdict; empty where it does.

    >>> fault("holds", ["for", "against"])
    "'holds' cannot rest on evidence that is 'against'"
    """
    if verdict not in NEEDS:
        return f"{verdict!r} has no evidence"
    needs = NEEDS[verdict]
    if wrong := sorted(set(roles) - needs.any_of - needs.besides):
        return f"{verdict!r} cannot rest on evidence that is {' or '.join(map(repr, wrong))}"
    if not needs.any_of & set(roles):
        return f"{verdict!r} needs evidence that is {' or '.join(map(repr, sorted(needs.any_of)))}"
    return ""


def roles_of(root: Path, claim: str, tests: Collection[str]) -> dict[str, str]:
    """Test -> how it says that it bears on ``claim``; tests that do not speak of it are left out."""
    found = {test: marks(root / test.partition("::")[0]).get(test.partition("::")[2], {}) for test in tests}
    return {test: said[claim] for test, said in found.items() if claim in said}


@cache
def marks(path: Path) -> dict[str, dict[str, str]]:
    """Name of each test in a file -> claim -> its role.

    :raises ValueError: for a mark with another word, or a claim that a test names twice.
    """
    found = {}
    for function in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(function, ast.FunctionDef):
            for role, claim in said(function):
                bears = found.setdefault(function.name, {})
                if role not in ROLES or claim in bears:
                    raise ValueError(f"{path.name}::{function.name} must say once how it bears on {claim}, by one of "
                                     f"{list(ROLES)}, got {role!r}")
                bears[claim] = role
    return found


def said(function: ast.FunctionDef) -> list[tuple[str, str]]:
    """(role, claim) of all marks of a test."""
    calls = [mark for mark in function.decorator_list if isinstance(mark, ast.Call) and ast.unparse(mark.func) == MARK]
    words = [[ast.literal_eval(argument) for argument in call.args] for call in calls]
    return [(role, claim) for role, *claims in words for claim in claims]


# What a test uses of its own file.


@cache
def definitions(path: Path) -> dict[str, ast.AST]:
    """What a file defines or imports, by name; statements of several names once for each."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {alias.asname or alias.name: node for alias in node.names}
        elif isinstance(node, ast.Assign):
            found |= {name.id: node for target in node.targets for name in ast.walk(target)
                      if isinstance(name, ast.Name)}
    return found


@cache
def reached(root: Path, test: str) -> tuple[tuple[str, ast.AST], ...]:
    """(name, what it is) of whatever a test uses of its own file, itself first."""
    path, _, name = test.partition("::")
    known, found, todo = definitions(root / path), {}, [name]
    while todo:
        if (name := todo.pop()) not in found and name in known:
            found[name] = known[name]
            todo += [node.id for node in computing(known[name]) if isinstance(node, ast.Name)]
    return tuple(found.items())


def speaks_of(root: Path, test: str, rooms: Collection[str]) -> list[str]:
    """The names that a test uses out of these rooms of the library, imported by name or through the room."""
    used, whole = set(), set()
    for name, node in reached(root, test):
        if isinstance(node, ast.ImportFrom):
            module = (node.module or "").split(".")
            if module[0] == "privgraph" and module[1:2] and module[1] in rooms:
                used.add(name)
            elif module == ["privgraph"] and {alias.name for alias in node.names} & set(rooms):
                whole.add(name)
    for _, node in reached(root, test):
        used |= {each.attr for each in computing(node) if isinstance(each, ast.Attribute)
                 and isinstance(each.value, ast.Name) and each.value.id in whole}
    return sorted(used)


def computing(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those of docstrings, of witnesses that are printed, and of marks that say what a test bears on."""
    printed = isinstance(node, ast.Call) and ast.unparse(node.func) in ("record_property", "pytest.mark.bears")
    if printed or isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.Assert) and child is node.msg):
            yield from computing(child)


TWINS = Path("tests", "claims", "counterfactuals")


class Twin(NamedTuple):
    """A world in which a claim is otherwise: what changes there ("library", "test"), or why there is none ("none")."""

    kind: str
    file: str
    said: str


def kind_of(edits: Collection[str]) -> str:
    """What a counterfactual changes: the library, or only what a test computes."""
    if not edits:
        return "none"
    return "library" if any(name.startswith("lib/") for name in edits) else "test"


@cache
def twins(root: Path) -> dict[str, list[Twin]]:
    """Test -> its counterfactuals, which ``make counterfactuals`` runs."""
    found = {}
    for path in sorted((root / TWINS).glob("*.yml")):
        for entry in yaml.load(path.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or []:
            twin = Twin(kind_of(entry.get("edits", {})), path.name, entry.get("otherwise") or entry["none"])
            for test in entry["tests"]:
                found.setdefault(test, []).append(twin)
    return found


def reads_the_ledger(test: str) -> bool:
    """Whether a test reads what was measured or printed once: an interval over seeds, no proof and no exact number."""
    return test.partition("::")[0].endswith(("_runs.py", "_quotes.py"))
