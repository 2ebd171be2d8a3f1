"""What the tests cost: seconds of the processor, with all processes that a test starts and waits for.

Seconds by the clock would be other people's as well. The slowest stand on the book's page on its status. As a script
this module writes down which tests are costly, `tests/costly.txt`, of which `make test` runs half (`lots`).
"""

import csv
import os
from collections import Counter
from multiprocessing.forkserver import _forkserver
from pathlib import Path

import psutil

SECONDS = "seconds"
COSTLY = 3.0  # seconds
ROOT = Path(__file__).resolve().parents[1]


def spent() -> float:
    """Of this process, and of those that it or the process that it has forks from has waited for."""
    warm = _forkserver._forkserver_pid
    return sum(os.times()[:4]) + (sum(psutil.Process(warm).cpu_times()[:4]) if warm else 0)


class Seconds:
    """A plugin of pytest. What several tests share is counted for the first, which has it made; cases are one test."""

    def __init__(self, file: Path | None):
        self.file, self.begun, self.costs = file, 0.0, Counter()

    def pytest_runtest_logstart(self):
        self.begun = spent()

    def pytest_runtest_makereport(self, item, call):
        if call.when == "teardown":  # properties travel with the report, from other processes too
            item.user_properties.append((SECONDS, spent() - self.begun))

    def pytest_runtest_logreport(self, report):
        if report.when == "teardown":
            self.costs[report.nodeid.partition("[")[0]] += dict(report.user_properties)[SECONDS]

    def pytest_sessionfinish(self, session):
        if self.file and not hasattr(session.config, "workerinput"):
            with open(self.file, "w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows([("test", "seconds"), *(
                    (test, f"{cost:.1f}") for test, cost in self.costs.most_common()),
                    ("all tests", f"{self.costs.total():.1f}")])


def costly(measured: str, known: list[str]) -> list[str]:
    """The names of all costly tests, sorted: by what was measured, and as before where a test did not run.

    :param measured: what the plugin wrote.
    """
    costs = {row["test"]: float(row["seconds"]) for row in csv.DictReader(measured.splitlines()) if "::" in row["test"]}
    return sorted({*(test for test, cost in costs.items() if cost >= COSTLY), *({*known} - {*costs})})


if __name__ == "__main__":
    measured, known = ROOT / "build" / "seconds.csv", ROOT / "tests" / "costly.txt"
    found = costly(measured.read_text(encoding="utf-8"), known.read_text(encoding="utf-8").split())
    known.write_text("\n".join(found) + "\n", encoding="utf-8")
