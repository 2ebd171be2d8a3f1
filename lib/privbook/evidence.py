"""What the tests that claims rest on said when they were last run, kept until anything changes that they can depend on.

The evidence takes minutes. The unit tests run it, and so do `privbook claims` and the page of the register: whoever
runs it leaves what it said in build/evidence.json, and the page reads that. The file holds a hash of all that its
tests read (``stamp``); with any other it counts for nothing. As a plugin of pytest this module writes it::

    pytest -p privbook.evidence --evidence FILE ...

Few tests look at a real graph. Each counts as long as the graphs are the same, at hand or not, that its file looked
for. A test whose cases did not all run (a part was asked for, or the run was broken off) is not in it.
"""

import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from privgraph.datasets import cache_folder
from privgraph.datasets.sources import find_file
from privgraph.writing import write

FILE = Path("build", "evidence.json")
TESTS = ("tests/claims", "tests/unit", "tests/statistical")  # others read more than the stamp is made of
READ = ("lib", "results", "book/certificates", *TESTS)
CASE = "case"  # the property of a test that says which case it is, of how many
GRAPHS = "graphs"  # and the one that says which graphs its file has looked for so far
ALL = "*"  # whoever starts a process may have looked for any
STARTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system")


class Case(NamedTuple):
    """What one test with one of its parameters said."""

    passed: bool
    seconds: float
    witnesses: list[str]
    graphs: dict[str, str]  # what its file looked for, and a hash of what was there


class Kept:
    """Collects what each test said, and writes it at the end."""

    def __init__(self, file: Path, root: Path):
        # Before the first test: who edits a file during the run gets a stamp that is no longer true.
        self.file, self.root, self.stamp, self.reports = file, root, stamp(root), {}

    def pytest_runtest_logreport(self, report):
        self.reports.setdefault(report.nodeid, []).append(report)

    def pytest_sessionfinish(self):
        write(self.file, json.dumps({"stamp": self.stamp, "cases": self.whole()}))

    def graphs(self) -> dict[str, dict[str, str]]:
        """File of tests -> the graphs that it looked for, and what was found."""
        asked, now = defaultdict(set), cache(content)
        for name, reports in self.reports.items():
            asked[file_of(name)].update(dict(reports[-1].user_properties).get(GRAPHS, [ALL]))
        return {file: {name: now(name) for name in sorted(names)} for file, names in asked.items()}

    def whole(self) -> dict[str, list[Case]]:
        """Test -> its cases in the order of the file, however many processes ran them."""
        found, graphs = {}, self.graphs()
        for name, reports in self.reports.items():
            said = dict(reports[-1].user_properties)
            place, cases = said[CASE]
            witnesses = [value for key, value in reports[-1].user_properties if key == "witness"]
            ended = [report.when for report in reports] == ["setup", "call", "teardown"]
            case = Case(ended and all(report.passed for report in reports), sum(r.duration for r in reports), witnesses,
                        graphs[file_of(name)])
            found.setdefault((name.partition("[")[0], cases), {})[place] = case
        return {test: [each[place] for place in sorted(each)] for (test, cases), each in found.items()
                if len(each) == cases}


class Heard:
    """The graphs that each file of tests looks for, in the process that runs it."""

    def __init__(self):
        self.file, self.names = "", defaultdict(set)  # "": before any test, as modules are imported
        sys.addaudithook(self.hear)

    def hear(self, event: str, arguments: tuple) -> None:
        if event == "privgraph.graph":
            self.names[self.file].add(str(arguments[0]))
        elif event in STARTS and self.file:  # what packages start when they are imported looks for no graph
            self.names[self.file].add(ALL)

    def pytest_runtest_logstart(self, nodeid):
        self.file = file_of(nodeid)

    def pytest_runtest_makereport(self, item, call):
        if call.when == "teardown":
            item.user_properties.append((GRAPHS, sorted(self.names[""] | self.names[self.file])))


def pytest_addoption(parser):
    parser.addoption("--evidence", type=Path, help="file for what each test that claims may rest on said")


def pytest_configure(config):
    """Of xdist's processes the one that all others report to writes. Who asks for single cases writes nothing."""
    file = config.getoption("--evidence")
    if file:
        config.pluginmanager.register(Heard())
    if file and not hasattr(config, "workerinput") and not any("[" in asked for asked in config.args):
        config.pluginmanager.register(Kept(file, config.rootpath))


def pytest_collection_modifyitems(items):
    """Number the cases of each test before any is left out. Properties travel with the reports of other processes."""
    names = [item.nodeid.partition("[")[0] for item in items]
    total, so_far = Counter(names), Counter()
    for item, name in zip(items, names, strict=True):
        item.user_properties.append((CASE, (so_far[name], total[name])))
        so_far[name] += 1


def file_of(test: str) -> str:
    return test.partition("::")[0]


def stamp(root: Path) -> str:
    """A hash of all that the evidence can depend on but graphs: code, tests, ledger, certificates, packages."""
    digest = hashlib.sha256(platform.python_version().encode())
    for path in sorted(inputs(root)):
        digest.update(f"{os.path.relpath(path, root)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def inputs(root: Path) -> Iterator[Path]:
    yield from (path for name in ("constraints.txt", "pyproject.toml", "book/claims.yml", "book/attempts.yml")
                if (path := root / name).is_file())
    yield from (root / "tests").glob("*.*")
    for folder in READ:
        for path in (root / folder).rglob("*"):
            made = "__pycache__" in path.parts or any(part.endswith(".egg-info") for part in path.parts)
            if path.is_file() and not made and path.suffix not in (".lock", ".aside"):
                yield path


def content(name: str) -> str:
    """A hash of the graph of this name, as far as one is at hand; or of all that are."""
    if name != ALL:
        path = find_file(name)
        return "none" if path is None else hashlib.sha256(path.read_bytes()).hexdigest()
    folders = [Path(folder) for folder in (os.environ.get("PRIVGRAPH_DATA"), cache_folder()) if folder]
    paths = (path for folder in folders for path in sorted(folder.glob("*.npz")))
    return hashlib.sha256("".join(f"{path.stem} {content(path.stem)}\n" for path in paths).encode()).hexdigest()


def read(root: Path) -> dict[str, list[Case]]:
    """Test -> what its cases said, where nothing has changed since that its file can depend on; otherwise nothing."""
    try:
        found = json.loads((root / FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    if found["stamp"] != stamp(root):
        return {}
    stamped, now = set(inputs(root)), cache(content)
    return {test: cases for test, cases in cases_of(found).items() if root / file_of(test) in stamped
            and all(now(name) == old for case in cases for name, old in case.graphs.items())}


def cases_of(found: dict) -> dict[str, list[Case]]:
    return {test: [Case(*case) for case in cases] for test, cases in found["cases"].items()}


def run(root: Path, tests: list[str], workers: int = 1) -> dict[str, list[Case]]:
    """Run tests, and keep what they said beside what others did."""
    if not tests:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "evidence.json"
        shared = ["-p", "xdist.plugin", "-n", str(workers), "--dist", "loadfile"] if workers > 1 else []
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                               "-p", "privbook.evidence", f"--evidence={report}", *shared, *tests],
                              cwd=root, capture_output=True, text=True,
                              env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})  # slower than the tests
        if not report.is_file() or done.returncode > 1:  # 1: some test failed, which is for the caller to say
            raise RuntimeError(f"pytest could not run the evidence:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        found = json.loads(report.read_text(encoding="utf-8"))
    (root / FILE).parent.mkdir(exist_ok=True)
    write(root / FILE, json.dumps(found | {"cases": read(root) | found["cases"]}))
    return cases_of(found)
