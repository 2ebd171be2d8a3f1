"""Which of many tests that are alike `make test` runs: half of the cases of each, by a lot that every change of the
sources draws anew. The others are left to `make full`.

A lot is drawn of tests with many cases whose file looks at nothing that changed since main (`changed`): who changes
something tries it on all. The contracts, which look at everything, name what they look for faults in::

    @pytest.mark.lot("lib/privgraph/audit/")

Evidence of claims is never left to a lot, as the page of the register says what all of it found; nor are pages.
"""

import hashlib
from collections import defaultdict
from pathlib import Path

import pytest

from changed import ROOT, Changed

MANY = 8
WHOLE = ("tests/claims/", "tests/chapters/", "tests/site/")


def leave_out(items: list[pytest.Item], root: Path = ROOT) -> None:
    """Mark as ``full`` those cases of tests with many that were not drawn."""
    alike = defaultdict(list)
    for item in items:
        test, _, case = item.nodeid.partition("[")
        mark = item.get_closest_marker("lot")
        if mark or case and not test.startswith(WHOLE):
            alike[test, mark and mark.args].append(item)
    if not alike:
        return
    changed, state = Changed(root), state_of(root)
    for (test, watched), cases in alike.items():
        file = test.partition("::")[0]
        if watched is None:
            all_of_them = len(cases) < MANY or changed.whole(root / file)
        else:
            all_of_them = any(name.startswith((file, *watched)) for name in changed.files)
        for item in [] if all_of_them else not_drawn(cases, state):
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
