"""The tests on one mutant, in a fork: those that call the function in which it is, first the tests that noticed the
mutants before it.

Which test calls which function is recorded once, on the module as it is. What a test calls through another process is
not seen there, but neither would that process see the mutant.
"""

import ast
import builtins
import doctest
import functools
import gc
import importlib
import json
import multiprocessing.connection
import os
import resource
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from importlib.machinery import SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path

import pytest

MEMORY = 4 << 30  # bytes that a mutant may use: some ask for a grid without end
SLEEPS = 10  # how many times as long a mutant may take by the clock on the wall
LATEST = 5  # how many tests, those that noticed the mutants before, are run first
CALL = "_called_"  # what a marked function calls
COLLECTED = ""  # in the place of a test, for what is called while tests are collected
Seen = dict[str, tuple[float, dict[str, list[int]]]]  # test -> its seconds; by module, first lines of what it calls


def name_of(item: pytest.Item) -> str:
    return f"{item.path}::{item.nodeid.partition('::')[2]}"


class Recorder:
    """A plugin of pytest that writes down which marked functions each test calls, and how long it takes."""

    def __init__(self, package: str, to: Path):
        self.package, self.to, self.seen, self.caches = package, to, {}, None
        self.called: set[tuple[str, int]] = set()
        setattr(builtins, CALL, lambda *place: self.called.add(place))

    def record(self, test: str):
        """Around what is recorded."""
        self.called.clear()
        begun, lines = time.process_time(), {}
        try:
            return (yield)
        finally:
            for module, line in self.called:
                lines.setdefault(module, []).append(line)
            self.seen[test] = time.process_time() - begun, lines

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self):
        return (yield from self.record(COLLECTED))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        if self.caches is None:
            gc.unfreeze()  # what tests/conftest.py has hidden
            self.caches = [each for each in gc.get_objects() if type(each) is functools._lru_cache_wrapper
                           and str(each.__module__).partition(".")[0] == self.package]
        for cache in self.caches:  # or only the first test would call what it holds
            cache.cache_clear()
        return (yield from self.record(name_of(item)))

    def pytest_sessionfinish(self):
        self.to.write_text(json.dumps(self.seen), encoding="utf-8")


class Marks(ast.NodeTransformer):
    """Each function of a module says that it was called: a tracer of all that Python calls takes ten times as long."""

    def __init__(self, module: str):
        self.module = module

    def call(self, line: int) -> ast.Call:
        return ast.Call(ast.Name(CALL, ast.Load()), [ast.Constant(self.module), ast.Constant(line)], [])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.body.insert(ast.get_docstring(node) is not None, ast.Expr(self.call(node.lineno)))
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        self.generic_visit(node)
        both = ast.Tuple([self.call(node.lineno), node.body], ast.Load())
        return ast.Lambda(node.args, ast.Subscript(both, ast.Constant(1), ast.Load()))


class Chosen:
    """A plugin of pytest that runs these tests alone, in this order, and writes down the first that fails."""

    def __init__(self, tests: list[str], note: Path):
        self.tests, self.note = tests, note

    def pytest_collection_modifyitems(self, items):
        found = {name_of(item): item for item in items}
        items[:] = [found[test] for test in self.tests if test in found]

    def pytest_runtest_makereport(self, item, call):
        if call.excinfo and call.excinfo.typename not in ("Skipped", "XFailed") and not self.note.exists():
            self.note.write_text(name_of(item), encoding="utf-8")


def span(tree: ast.Module, line: int) -> range | None:
    """The lines of the innermost function around a line; None: it is in none, but in the module or in a class."""
    found = [range(min([each.lineno, *(one.lineno for one in each.decorator_list)]), each.end_lineno + 1)
             for each in ast.walk(tree) if isinstance(each, ast.FunctionDef) and
             each.body[0].lineno <= line <= each.end_lineno]
    return min(found, key=len, default=None)


def chosen(module: str, tree: ast.Module, line: int, seen: Seen, latest: list[str]) -> tuple[list[list[str]], float]:
    """The tests that may notice a change of a line, in the order of the runs: those of ``latest``, then the others
    file by file, as to collect all of them would take longer than most mutants live. And how long they take."""
    where = span(tree, line)
    touched = {test: seconds for test, (seconds, lines) in seen.items()
               if where is None or any(each in where for each in lines.get(module, ()))}
    if COLLECTED in touched:  # what was made of it may be anywhere
        touched = {test: seconds for test, (seconds, _) in seen.items() if test != COLLECTED}
    first = [test for test in latest if test in touched][:LATEST]
    files: dict[str, list[str]] = {}
    for test in sorted(touched.keys() - set(first), key=lambda test: (touched[test], test)):
        files.setdefault(test.partition("::")[0], []).append(test)
    rest = sorted(files.values(), key=lambda tests: sum(touched[test] for test in tests))
    return [first, *rest] if first else rest, sum(touched.values())


class Mutator(SourceFileLoader):
    """Finds and loads one module, from a changed tree; every other module is left to Python."""

    def __init__(self, name: str, path: Path, tree: ast.Module):
        super().__init__(name, str(path))
        self.code = compile(ast.fix_missing_locations(tree), str(path), "exec")

    def find_spec(self, name, path=None, target=None):
        return spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_code(self, fullname):
        return self.code


def name_in(root: Path, module: str) -> str:
    return ".".join([root.name, *Path(module).with_suffix("").parts]).removesuffix(".__init__")


def put_in_place(root: Path, trees: dict[str, ast.Module]) -> None:
    """Load the library anew, when it is asked for, with these trees as some of its modules."""
    for loaded in [m for m in sys.modules if m.partition(".")[0] == root.name]:
        del sys.modules[loaded]
    sys.meta_path[:0] = [Mutator(name_in(root, module), root / module, tree) for module, tree in trees.items()]


def doctests_pass(root: Path, modules: Iterable[str]) -> bool:
    return not any(doctest.testmod(importlib.import_module(name_in(root, module))).failed for module in modules)


def pytest_fails(files: Iterable[str], *plugins) -> bool:
    # Without the plugins that happen to be installed: less to load, and nothing shuffles or retries.
    os.environ.update(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", PYTEST_ADDOPTS="")
    return bool(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *map(str, files)], plugins=[*plugins]))


def marked(root: Path, modules: list[str]) -> dict[str, ast.Module]:
    """Their trees, in which each function says that it was called."""
    return {module: Marks(module).visit(ast.parse((root / module).read_text(encoding="utf-8"))) for module in modules}


def record(root: Path, modules: list[str], file: Path, to: Path) -> bool:
    """In a child: run the tests of one file on these modules as they are, and write ``Seen``. Whether all pass."""
    recorder = Recorder(root.name, to)
    put_in_place(root, marked(root, modules))
    return not pytest_fails([file], recorder)


def together(files: list[Seen]) -> Seen:
    """What was recorded of several files."""
    lines: dict[str, list[int]] = {}
    for _, called in (seen[COLLECTED] for seen in files):
        for module, each in called.items():
            lines[module] = [*lines.get(module, []), *each]
    return {test: each for seen in files for test, each in seen.items()} | {COLLECTED: (0, lines)}


def passes(root: Path, module: str, tree: ast.Module, runs: list[list[str]], note: Path) -> bool:
    """In a child: whether a mutant passes all these tests; else ``note`` says which failed, if it was one."""
    put_in_place(root, {module: tree})
    return doctests_pass(root, [module]) and not any(
        pytest_fails(dict.fromkeys(test.partition("::")[0] for test in tests), Chosen(tests, note)) for tests in runs)


def all_pass(root: Path, module: str, tree: ast.Module, tests: list[str]) -> bool:
    """In a child: the same for all tests of these files."""
    put_in_place(root, {module: tree})
    return doctests_pass(root, [module]) and not any(pytest_fails([test]) for test in tests)


def fork(limit: int, quiet: bool, passing, *arguments) -> int:
    """Call a function in a child, which ends with status 0 if that returns True; the child's process id.

    SIGXCPU ends it after ``limit`` seconds of processor time, which are the same beside other work; one that
    sleeps is ended by SIGALRM, ``SLEEPS`` times later.
    """
    sys.stdout.flush()
    if child := os.fork():
        return child
    status = 1
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(SLEEPS * limit)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, resource.getrlimit(resource.RLIMIT_DATA)[1]))
        if quiet:
            sys.stdout = sys.stderr = null = open(os.devnull, "w")
            os.dup2(null.fileno(), 1), os.dup2(null.fileno(), 2)
        status = int(not passing(*arguments))
    except BaseException as error:  # a mutant may raise anything when imported; the child must end here
        print(f"{type(error).__name__}: {error}")
    finally:
        sys.stdout.flush()
        os._exit(status)


def wait_for(children: Iterable[int]) -> tuple[int, int, float]:
    """The first of these children that ends, its status, and its seconds of processor time; others are not touched."""
    handles = {os.pidfd_open(child): child for child in children}
    ended, *_ = multiprocessing.connection.wait(handles)
    for handle in handles:
        os.close(handle)
    child, status, used = os.wait4(handles[ended], 0)
    return child, os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime


def in_forks(calls: Iterable[tuple], jobs: int) -> Iterator[tuple]:
    """(key, status, seconds of processor time) of each (key, limit, call) as it ends, ``jobs`` at a time; the next
    call is asked for when there is room for it."""
    running = {}

    def ended():
        child, status, seconds = wait_for(running)
        return running.pop(child), status, seconds
    for key, limit, call in calls:
        running[fork(limit, True, *call)] = key
        if len(running) >= jobs:
            yield ended()
    while running:
        yield ended()
