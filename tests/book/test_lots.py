"""Of many cases, and of costly tests, `make test` runs half, by lot; `make full` the others; who touched what they try
runs all."""

import subprocess

import pytest

import lots

pytest_plugins = ["pytester"]

COUNT = 40
TESTS = f"""
import pytest

@pytest.mark.lot("lib/privgraph/audit/")
@pytest.mark.parametrize("case", range({COUNT}))
def test_alike(case): pass

@pytest.mark.parametrize("case", range(3))
def test_always(case): pass
"""


@pytest.fixture
def folder(tmp_path):
    """A repository in which nothing changed since main."""
    for name in ("lib/privgraph/audit", "lib/privgraph/privacy", "tests/unit"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "tests" / "unit" / "test_toy.py").write_text(TESTS)
    (tmp_path / "tests" / "unit" / "test_other.py").write_text("from privgraph.privacy.toy import one\n")
    (tmp_path / "lib" / "privgraph" / "audit" / "toy.py").write_text("ONE = 1\n")
    git(tmp_path, "init", "-q", "-b", "main"), git(tmp_path, "add", ".")
    git(tmp_path, "-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "all")
    return tmp_path


def git(folder, *words):
    subprocess.run(["git", *words], cwd=folder, check=True)


class Item:
    """As much of a test of pytest as is asked for."""

    def __init__(self, nodeid: str, *marks):
        self.nodeid, self.marks = nodeid, list(marks)

    def get_closest_marker(self, name):
        return next((mark for mark in self.marks if mark.name == name), None)

    def add_marker(self, mark):
        self.marks.append(mark)


def left_out(folder) -> set[str]:
    file, lot = "tests/unit/test_toy.py", pytest.mark.lot("lib/privgraph/audit/").mark
    items = [*(Item(f"{file}::test_alike[{i}]", lot) for i in range(COUNT)), Item(f"{file}::test_always[0]")]
    lots.leave_out(items, folder)
    return {item.nodeid for item in items if item.get_closest_marker("full")}


def test_half_is_left_out_and_another_half_of_other_sources(folder):
    first = left_out(folder)
    assert len(first) == COUNT // 2 and first == left_out(folder) and all("alike" in name for name in first)
    (folder / "lib" / "privgraph" / "privacy" / "other.py").write_text("TWO = 2\n")
    second = left_out(folder)
    assert len(second) == COUNT // 2 and 4 < len(second - first)


def test_of_two_tests_of_the_same_cases_the_same_are_left_out(folder):
    lot = pytest.mark.lot("lib/privgraph/audit/").mark
    items = [Item(f"tests/unit/test_toy.py::{test}[{i}]", lot) for test in ("one", "other") for i in range(COUNT)]
    lots.leave_out(items, folder)
    one, other = ([bool(item.get_closest_marker("full")) for item in part] for part in (items[:COUNT], items[COUNT:]))
    assert one == other and sum(one) == COUNT // 2


@pytest.mark.parametrize("name", ["lib/privgraph/audit/toy.py", "lib/privgraph/audit/new.py",
                                  "tests/unit/test_toy.py"])
def test_who_touches_what_is_tried_runs_all(folder, name):
    with open(folder / name, "a") as file:
        file.write("TWO = 2\n")
    assert left_out(folder) == set()


@pytest.mark.parametrize("name, cases, expected", [
    ("tests/unit/test_toy.py", COUNT, COUNT // 2), ("tests/unit/test_toy.py", 7, 0),
    ("tests/claims/test_toy.py", COUNT, 0), ("tests/site/test_toy.py", COUNT, 0),
    ("tests/test_contributing.py", COUNT, 0)])
def test_of_many_cases_without_a_mark_half_are_drawn_but_of_evidence_and_pages_all(folder, name, cases, expected):
    assert len(of_unmarked(folder, name, cases)) == expected


COSTLY = [f"tests/unit/test_toy.py::test_costly_{number}" for number in range(COUNT)]


def of_costly(folder) -> set[str]:
    (folder / "tests" / "costly.txt").write_text("\n".join([*COSTLY, "tests/unit/test_toy.py::test_gone"]) + "\n")
    items = [Item(name) for test in COSTLY for name in (f"{test}[a]", f"{test}[b]")]
    lots.leave_out([*items, cheap := Item("tests/unit/test_toy.py::test_cheap")], folder)
    assert not cheap.get_closest_marker("full")
    return {item.nodeid for item in items if item.get_closest_marker("full")}


def test_half_of_the_costly_tests_are_left_out_whole_and_others_of_other_sources(folder):
    first = of_costly(folder)
    tests = {name.partition("[")[0] for name in first}
    assert 2 * len(tests) == COUNT and first == {f"{test}[{case}]" for test in tests for case in "ab"}
    (folder / "lib" / "privgraph" / "privacy" / "other.py").write_text("TWO = 2\n")
    assert 8 < len(of_costly(folder) - first)
    (folder / "tests" / "unit" / "test_toy.py").write_text("TWO = 2\n")
    assert of_costly(folder) == set()


def test_evidence_is_never_left_out(folder):
    (folder / "book").mkdir()
    (folder / "book" / "claims.yml").write_text("".join(f"    - {test}\n" for test in (
        *COSTLY, "tests/unit/test_toy.py::test_alike")))
    assert of_costly(folder) == set() == {*of_unmarked(folder, "tests/unit/test_toy.py", COUNT)}
    assert len(of_unmarked(folder, "tests/unit/test_other.py", COUNT)) == COUNT // 2


def test_every_costly_test_is_there():
    """A renamed one would be run each time, and nobody would know why."""
    for test in lots.costly_tests(lots.ROOT):
        file, _, name = test.partition("::")
        assert f"def {name}(" in (lots.ROOT / file).read_text(encoding="utf-8"), test


def test_who_changes_what_a_file_imports_tries_all_its_cases(folder):
    assert len(of_unmarked(folder, "tests/unit/test_other.py", COUNT)) == COUNT // 2
    (folder / "lib" / "privgraph" / "privacy" / "toy.py").write_text("def one(): return 1\n")
    assert of_unmarked(folder, "tests/unit/test_other.py", COUNT) == []
    assert len(of_unmarked(folder, "tests/unit/test_toy.py", COUNT)) == COUNT // 2


def of_unmarked(folder, name, cases) -> list[Item]:
    items = [Item(f"{name}::test_alike[{i}]") for i in range(cases)]
    lots.leave_out(items, folder)
    return [item for item in items if item.get_closest_marker("full")]


@pytest.mark.parametrize("words, count", [("not full", COUNT // 2 + 3), ("full", COUNT // 2)])
def test_what_is_left_out_is_run_by_make_full(pytester, folder, words, count):
    """In a run of pytest, as `make` starts it."""
    pytester.makeconftest(f"import lots\nfrom pathlib import Path\ndef pytest_collection_modifyitems(items):\n"
                          f"    lots.leave_out(items, Path({str(folder)!r}))\n")
    pytester.makepyfile(test_toy=TESTS)
    done = pytester.inline_run("-m", words, "-p", "no:cacheprovider")
    assert done.countoutcomes() == [count, 0, 0]
