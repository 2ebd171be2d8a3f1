"""Which of many tests that are alike `make test` runs: half of the cases of each, by a lot that every change of the
sources draws anew. The others are left to `make full`. Who touches the library, or the file of the tests, runs all.
"""

import hashlib
from collections import defaultdict
from pathlib import Path

import pytest

from changed import ROOT, changed_files

LIBRARY = "lib/privgraph/"


def leave_out(items: list[pytest.Item], root: Path = ROOT) -> None:
    """Mark as ``full`` those of the tests with the mark ``lot`` that were not drawn."""
    alike = defaultdict(list)
    for item in items:
        if item.get_closest_marker("lot"):
            alike[item.nodeid.partition("[")[0]].append(item)
    touched = changed_files(root) if alike else set()
    if any(name.startswith(LIBRARY) for name in touched):
        return
    state = state_of(root) if alike else ""
    for test, cases in alike.items():
        if test.partition("::")[0] not in touched:
            for item in not_drawn(cases, state):
                item.add_marker(pytest.mark.full)


def not_drawn(cases: list[pytest.Item], state: str) -> list[pytest.Item]:
    """Half of them, or one less."""
    def place(item: pytest.Item) -> str:
        return hashlib.sha256(f"{state} {item.nodeid}".encode()).hexdigest()
    return sorted(cases, key=place)[(len(cases) + 1) // 2:]


def state_of(root: Path) -> str:
    """A hash of the library and of the unit tests."""
    files = [*(root / LIBRARY).rglob("*.py"), *(root / "tests" / "unit").glob("*.py")]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(files))).hexdigest()
