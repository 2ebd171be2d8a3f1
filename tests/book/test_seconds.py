"""What a test costs is counted with its children, and shown on the page of the book's status."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

import seconds
import site_extension

SPENDING = """
import multiprocessing, subprocess, sys, time
import pytest

def spend(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

def test_idle():
    time.sleep(0.5)

@pytest.mark.parametrize("case", "ab|")
def test_itself(case):
    spend(0.1)

def test_by_a_child():
    code = "import time\\nwhile time.process_time() < 0.7: pass"
    subprocess.run([sys.executable, "-c", code])

def test_by_a_fork():
    code = "import time\\nwhile time.process_time() < 0.4: pass"
    process = multiprocessing.get_context("forkserver").Process(target=exec, args=(code,))
    process.start(), process.join()
"""


@pytest.mark.parametrize("workers", [[], ["-p", "xdist", "-n", "2"]])
def test_seconds_are_the_processors_and_those_of_children_count(tmp_path, workers):
    (tmp_path / "conftest.py").write_text("from pathlib import Path\nfrom seconds import Seconds\n"
                                          "def pytest_configure(config):\n"
                                          "    config.pluginmanager.register(Seconds(Path('costs.csv')))\n")
    (tmp_path / "test_spending.py").write_text(SPENDING)
    folder = str(Path(seconds.__file__).parent)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *workers, "-o",
                           f"pythonpath={folder}"], cwd=tmp_path, capture_output=True, text=True,
                          env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})  # they take longer than the tests
    assert done.returncode == 0, done.stdout
    with open(tmp_path / "costs.csv", newline="") as file:
        costs = {row["test"].rpartition("::")[2]: float(row["seconds"]) for row in csv.DictReader(file)}
    assert list(costs.items()) == sorted(costs.items(), key=lambda cost: (cost[0] == "all tests", -cost[1]))
    assert costs["test_by_a_child"] >= 0.7 and costs["test_by_a_fork"] >= 0.4
    assert costs["test_itself"] >= 0.3 > costs["test_idle"] and len(costs) == 5


def test_the_page_shows_the_slowest_or_says_that_there_is_nothing():
    told = site_extension.slowest_tests("test,seconds\ntests/a.py::test_b,12.5\nall tests,20.0\n")
    assert "| `tests/a.py::test_b` | 12.5 |\n| `all tests` | 20.0 |" in told
    assert "built without running them" in site_extension.slowest_tests("")
    many = "".join(f"tests/a.py::test_{i},{100 - i}\n" for i in range(50))
    told = site_extension.slowest_tests(f"test,seconds\n{many}all tests,3775\n")
    assert "test_19`" in told and "test_20`" not in told and "| `all tests` | 3775 |" in told


def test_costly_is_what_was_measured_and_what_did_not_run_stays():
    measured = "test,seconds\na.py::slow,12.5\na.py::now_slow,3.0\na.py::now_fast,2.9\nall tests,20.0\n"
    assert seconds.costly(measured, ["a.py::now_fast", "a.py::slow", "b.py::not_run"]) == [
        "a.py::now_slow", "a.py::slow", "b.py::not_run"]
