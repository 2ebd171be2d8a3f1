"""Counterfactuals of the evidence: worlds in which a claim is otherwise; the test that speaks for it must fail there.

The files in tests/claims/counterfactuals have an entry for each test that book/claims.yml names as evidence. An entry
changes some source text, in the library or in what a test computes (never in what it asserts), and says what is
otherwise then.
The test has *noticed* it if one of its assertions fails. A test that passes anyway is blind; one that breaks in
another way shows nothing. Where there can be none, the entry says why: `none`.

    tools/counterfactuals.py                       all of them; exit status 1 if one was not noticed
    tools/counterfactuals.py gp- test_theorem_1    those of some claims or tests, by any part of their names
    tools/counterfactuals.py --sample 60           those whose files changed since main, and 60 that each change draws
"""

import argparse
import ast
import gc
import hashlib
import importlib
import importlib.abc
import importlib.util
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import yaml
from tqdm import tqdm

from changed import changed_files
from privbook.bearing import kind_of
from warm import PACKAGES

ROOT = Path(__file__).resolve().parents[1]
TABLES = "tests/claims/counterfactuals"
SECONDS = 300  # that one counterfactual may take
LIBRARY = ("privgraph.methods", "privgraph.attacks", "privgraph.audit", "privbook.papers.catalogue", "privbook.prover")
# Whoever shows no traceback and ends at once need not look for its lines, nor collect ten times what nobody refers to.
QUICKLY = ("-q", "-x", "--assert=plain", "--tb=no", "-p", "no:cacheprovider", "-p", "no:unraisableexception")
WARM = (*PACKAGES, "joblib", "IPython.display", "pymetis", "pytest", "hypothesis")  # imported once, before the forks


@dataclass(frozen=True)
class Counterfactual:
    """One entry. ``edits``: file -> {source text: other text}; without any, ``none`` is the reason."""

    test: str
    otherwise: str = ""
    edits: dict[str, dict[str, str]] = field(default_factory=dict)
    none: str = ""

    def __post_init__(self):
        if bool(self.edits) == bool(self.none) or bool(self.edits) != bool(self.otherwise):
            raise ValueError(f"{self.test}: give edits and what is otherwise, or the reason why there are none")

    def sources(self, root: Path = ROOT) -> dict[str, str]:
        """The changed source of each edited file.

        :raises ValueError: for an edit that is not clear or not allowed.
        """
        changed = {}
        for name, edits in self.edits.items():
            source = (root / name).read_text(encoding="utf-8")
            for old, new in edits.items():
                if (times := source.count(old)) != 1:
                    raise ValueError(
                        f"{self.test}: the text to change must occur once in {name}, occurs {times} times: {old!r}")
                if name.startswith("tests/"):
                    check_no_assertion(self, name, source, old)
                source = source.replace(old, new)
            ast.parse(source, name)
            changed[name] = source
        return changed


def check_no_assertion(counterfactual: Counterfactual, name: str, source: str, old: str) -> None:
    """A counterfactual changes what a test looks at, never what it asserts of it."""
    first = source[:source.index(old)].count("\n") + 1
    last = first + old.count("\n")
    for begin, end in assertions(source):
        if begin <= last and first <= end:
            raise ValueError(f"{counterfactual.test}: the edit changes an assertion, {name}:{begin}")


@cache
def assertions(source: str) -> list[tuple[int, int]]:
    """The first and the last line of each."""
    return [(node.lineno, node.end_lineno) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Assert)]


def load(root: Path = ROOT) -> dict[str, list[Counterfactual]]:
    """Test -> its counterfactuals."""
    found = {}
    for path in sorted((root / TABLES).glob("*.yml")):
        for entry in yaml.safe_load(path.read_text(encoding="utf-8")) or []:
            for test in entry.pop("tests"):
                found.setdefault(test, []).append(Counterfactual(test, **entry))
    return found


def evidence(root: Path = ROOT) -> dict[str, list[str]]:
    """Test -> the claims that it speaks for."""
    found = {}
    for claim in entries(root, "claims.yml"):
        for test in claim.get("evidence", ()):
            found.setdefault(test, []).append(claim["id"])
    return found


def attempted(root: Path = ROOT) -> set[str]:
    """Tests that speak for what was tried where a printed number differs; these may have counterfactuals too."""
    return {test for attempt in entries(root, "attempts.yml") for test in attempt.get("evidence", ())}


def entries(root: Path, name: str) -> list[dict]:
    return yaml.safe_load((root / "book" / name).read_text(encoding="utf-8"))


class Edited(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the changed sources instead of the files."""

    def __init__(self, sources: dict[str, str], root: Path):
        self.files = {module_name(name): (str(root / name), source) for name, source in sources.items()}

    def find_spec(self, fullname, path=None, target=None):
        if fullname not in self.files:
            return None
        file = self.files[fullname][0]
        package = [str(Path(file).parent)] if file.endswith("__init__.py") else None
        spec = importlib.util.spec_from_file_location(fullname, file, loader=self, submodule_search_locations=package)
        return spec

    def exec_module(self, module):
        file, source = self.files[module.__name__]
        exec(compile(source, file, "exec"), module.__dict__)


def module_name(name: str) -> str:
    """lib/privgraph/a/b.py -> privgraph.a.b; a test module has no package, so only its own name."""
    path = Path(name)
    if path.parts[0] != "lib":
        return path.stem
    parts = [*path.parts[1:-1], *([] if path.stem == "__init__" else [path.stem])]
    return ".".join(parts)


class Outcomes:
    """A pytest plugin that keeps what each case raised: None where it passed."""

    def __init__(self):
        self.raised = []

    def pytest_runtest_makereport(self, item, call):
        if call.when == "call" or call.excinfo:
            self.raised.append(None if call.excinfo is None
                               else f"{call.excinfo.typename}: {str(call.excinfo.value)[:200]}")


def run_here(counterfactual: Counterfactual, root: Path) -> list[str | None]:
    """What each case of the test raises in the counterfactual's world; this process is spoilt afterwards."""
    import pytest
    sys.meta_path.insert(0, Edited(counterfactual.sources(root), root))
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.chdir(root)
    plugin = Outcomes()
    status = pytest.main([*QUICKLY, counterfactual.test], plugins=[plugin])
    return plugin.raised or [f"pytest ended with {status} and ran nothing"]


def judge(raised: Iterable[str | None]) -> str:
    """noticed, BLIND, or what went wrong instead."""
    raised = list(raised)
    wrong = [text for text in raised if text is not None]
    if not wrong:
        return "BLIND: the test passes in that world"
    if wrong[-1].startswith(("AssertionError", "Failed: DID NOT RAISE")):
        return "noticed"
    return f"BROKEN: {wrong[-1]}"


def fork(counterfactual: Counterfactual, root: Path, answer: Path) -> int:
    """Start a counterfactual in a child, whose last words go to the file ``answer``."""
    if child := os.fork():
        return child
    try:
        signal.alarm(SECONDS)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1), os.dup2(null, 2)
        answer.write_text(json.dumps(run_here(counterfactual, root)))
    except BaseException as error:  # an edited module may raise anything when imported; the child must end here
        answer.write_text(json.dumps([f"{type(error).__name__}: {error}"]))
    finally:
        os._exit(0)


def run(counterfactuals: list[Counterfactual], root: Path = ROOT, jobs: int = 2, progress: bool = True) -> list[str]:
    """The judgement of each."""
    waiting, running, done = list(enumerate(counterfactuals))[::-1], {}, {}
    shown = None if progress else True
    with tempfile.TemporaryDirectory() as folder, tqdm(total=len(counterfactuals), disable=shown) as bar:
        while waiting or running:
            while waiting and len(running) < jobs:
                place, counterfactual = waiting.pop()
                answer = Path(folder) / str(place)
                running[fork(counterfactual, root, answer)] = place, answer
            child, _ = os.wait()
            place, answer = running.pop(child)
            late = f"BROKEN: over {SECONDS} s, or killed"
            done[place] = judge(json.loads(answer.read_text())) if answer.exists() else late
            bar.update()
    return [done[place] for place in range(len(counterfactuals))]


def run_warm(counterfactuals: list[Counterfactual], jobs: int) -> list[tuple[Counterfactual, str]]:
    """First those that change the library, in forks that have not imported it; then the others, in forks that have."""
    changing = [each for each in counterfactuals if kind_of(each.edits) == "library"]
    others = [each for each in counterfactuals if each not in changing]
    import_now(WARM)
    found = run(changing, jobs=jobs)
    import_now(LIBRARY)
    return list(zip([*changing, *others], found + run(others, jobs=jobs), strict=True))


def sample(counterfactuals: list[Counterfactual], count: int, touched: set[str], state: str) -> list[Counterfactual]:
    """Those of which a file was touched, and ``count`` of the others, which another state of the sources changes."""
    def drawn(counterfactual: Counterfactual) -> str:
        return hashlib.sha256(f"{state} {counterfactual.test} {counterfactual.otherwise}".encode()).hexdigest()
    near = [each for each in counterfactuals if touched & {each.test.partition("::")[0], *each.edits}]
    return near + sorted((each for each in counterfactuals if each not in near), key=drawn)[:count]


def state_of(root: Path) -> str:
    """A hash of the library and of the claims' tests."""
    files = [*(root / "lib").rglob("*.py"), *(root / "tests" / "claims").rglob("*.*")]
    sources = (path.read_bytes() for path in sorted(files) if path.suffix in (".py", ".yml"))
    return hashlib.sha256(b"".join(sources)).hexdigest()


def import_now(names: Iterable[str], root: Path = ROOT) -> None:
    """Import once what each fork would import."""
    os.environ["OMP_NUM_THREADS"] = "1"
    sys.path[:] = [str(root / "lib"), *(folder for folder in sys.path if folder != str(root / "lib"))]
    for name in names:
        importlib.import_module(name)
    import torch
    torch.set_num_threads(1)
    gc.freeze()  # each fork would copy every page on which Python counts what refers to what


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("only", nargs="*", help="parts of names of claims or tests (default: all)")
    parser.add_argument("--jobs", type=int, default=2, help="counterfactuals at a time (default: %(default)s)")
    parser.add_argument("--sample", type=int, help="only so many, and all whose files changed since main")
    options, table, speaks_for = parser.parse_args(), load(), evidence()
    def asked(test: str) -> bool:
        names = [test, *speaks_for.get(test, [])]
        return not options.only or any(part in name for part in options.only for name in names)
    tests = [test for test in [*speaks_for, *(table.keys() - speaks_for)] if asked(test)]
    counterfactuals = [each for test in tests for each in table.get(test, ()) if each.edits]
    if options.sample is not None:
        counterfactuals = sample(counterfactuals, options.sample, changed_files(), state_of(ROOT))
    start = time.monotonic()
    done = run_warm(counterfactuals, options.jobs)
    for counterfactual, judgement in done:
        if judgement != "noticed":
            print(f"{counterfactual.test}\n    otherwise: {counterfactual.otherwise}\n    {judgement}")
    missing = [test for test in tests if test not in table]
    for test in missing:
        print(f"{test}\n    has no entry in {TABLES}")
    noticed = sum(judgement == "noticed" for _, judgement in done)
    without = sum(bool(counterfactual.none) for test in tests for counterfactual in table.get(test, ()))
    library = sum(kind_of(each.edits) == "library" for each in counterfactuals)
    print(f"{len(tests)} tests of evidence: {len(counterfactuals)} counterfactuals, {library} of them in the library, "
          f"{noticed} noticed; "
          f"{without} tests cannot have one; {len(missing)} without entry; {time.monotonic() - start:.0f} s")
    return 0 if noticed == len(counterfactuals) and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
