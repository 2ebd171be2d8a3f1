"""Which of many tests that are alike `make test` runs: half of the cases of each, by a lot that every change of the
sources draws anew. The others are left to `make full`.

    @pytest.mark.lot("lib/privgraph/audit/")

A lot is drawn only where nothing changed since main of what the cases look for faults in (the mark names it) nor of the
file that they stand in: who changes a checker tries it on all.
"""

import hashlib
from collections import defaultdict
from pathlib import Path

import pytest

from changed import ROOT, changed_files


def leave_out(items: list[pytest.Item], root: Path = ROOT) -> None:
    """Mark as ``full`` those of the tests with the mark ``lot`` that were not drawn."""
    alike = defaultdict(list)
    for item in items:
        if mark := item.get_closest_marker("lot"):
            alike[item.nodeid.partition("[")[0], mark.args].append(item)
    if not alike:
        return
    touched, state = changed_files(root), state_of(root)
    for (test, watched), cases in alike.items():
        if not any(name.startswith((test.partition("::")[0], *watched)) for name in touched):
            for item in not_drawn(cases, state):
                item.add_marker(pytest.mark.full)


def not_drawn(cases: list[pytest.Item], state: str) -> list[pytest.Item]:
    """Half of them, or one less; of two tests of the same cases the same."""
    def place(item: pytest.Item) -> str:
        return hashlib.sha256(f"{state} {item.nodeid.partition('[')[2]}".encode()).hexdigest()
    return sorted(cases, key=place)[(len(cases) + 1) // 2:]


def state_of(root: Path) -> str:
    """A hash of the library and of the unit tests."""
    files = [*(root / "lib").rglob("*.py"), *(root / "tests" / "unit").glob("*.py")]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(files))).hexdigest()
