"""What changed since the branch `main`, and the tests that look at it: what `make check` runs.

A test file looks at a module if it imports it or one of its names, or speaks of one of its classes. Of the tests that
find by themselves what they try (contracts, outputs, bad inputs), those count whose parameter speaks of such a class.
So what only uses what changed, through others, is left to `make test`, which runs everything.
"""

import ast
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ALWAYS = ("tests/test_architecture.py", "tests/test_lists.py", "tests/test_tests.py", "tests/claims/test_bound.py")
FIND = tuple(f"tests/unit/test_{name}.py" for name in (
    "mechanism_contract", "method_contract", "attack_contract", "outputs", "bad_inputs", "example_numbers"))
WORD = re.compile(r"\w+")


def changed_files(root: Path = ROOT) -> set[str]:
    """What differs from where this branch left main, committed or not; nothing where there is no main."""
    base = git(root, "merge-base", "HEAD", "main") or git(root, "merge-base", "HEAD", "origin/main")
    if not base:
        return set()
    return {*git(root, "diff", "--name-only", *base), *git(root, "ls-files", "--others", "--exclude-standard")}


def git(root: Path, *words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else []


def imported(source: str) -> set[str]:
    """Everything that a file imports, in full: privgraph.privacy.Guarantee."""
    nodes = list(ast.walk(ast.parse(source)))
    return {*(alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names),
            *(f"{node.module}.{alias.name}" for node in nodes if isinstance(node, ast.ImportFrom)
              for alias in node.names)}


def defined(path: Path, kind: type) -> set[str]:
    return {node.name for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, kind)}


def handed_on(name: str, path: Path) -> set[str]:
    """All ways to import a module and its functions: a package may hand them on."""
    parts = [*Path(name).with_suffix("").parts[1:]]
    packages = [".".join(parts[:depth]) for depth in range(1, len(parts) + 1)]
    return {packages[-1], *(f"{each}.{function}" for each in packages for function in defined(path, ast.FunctionDef))}


class Changed:
    """A plugin of pytest that leaves out what looks at nothing that changed."""

    def __init__(self, root: Path = ROOT):
        self.root, self.files = root, changed_files(root)
        self.names, self.classes = set(), set()  # what a test imports; what it speaks of
        for name in self.files:
            path = root / name
            if path.suffix == ".py" and path.is_file() and not path.name.startswith("test_"):
                self.classes |= defined(path, ast.ClassDef)
                self.names |= handed_on(name, path)

    def whole(self, path: Path) -> bool:
        """Whether all tests of a file are run."""
        name = path.relative_to(self.root).as_posix()
        if name in self.files or name in ALWAYS:
            return True
        if not (self.classes or self.names):  # then no file need be read
            return False
        source = path.read_text(encoding="utf-8")
        about = self.classes & set(WORD.findall(source)) or self.names & imported(source)
        return path.name.startswith("test_") and name not in FIND and bool(about)

    def pytest_ignore_collect(self, collection_path):
        """True for a file of which no test is asked for."""
        if collection_path.suffix == ".py":
            found = collection_path.relative_to(self.root).as_posix() in FIND and self.classes
            return None if found or self.whole(collection_path) else True

    def pytest_collection_modifyitems(self, config, items):
        whole = {path: self.whole(path) for path in {item.path for item in items}}
        asked = {item: whole[item.path] or bool(self.classes & set(WORD.findall(item.name))) for item in items}
        config.hook.pytest_deselected(items=[item for item in items if not asked[item]])
        items[:] = [item for item in items if asked[item]]
