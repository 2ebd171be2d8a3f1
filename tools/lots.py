"""What `make test` leaves to `make full` by a lot that every change of the sources draws anew: half of the cases of a
test with many that are alike, and half of the costly tests, those few that take most of the time (`tests/costly.txt`).

A lot is drawn where a file looks at nothing that changed since main (`changed`): who changes something tries it on all.
The contracts, which look at everything, name what they look for faults in::

    @pytest.mark.lot("lib/privgraph/audit/")

Evidence of claims is never left to a lot, as the page of the register says what all of it found; nor are pages.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

from changed import ROOT, Changed

MANY = 8
# Of the toys each builds on the one before.
WHOLE = ("tests/claims/", "tests/chapters/", "tests/site/", "tests/test_contributing.py")


def leave_out(items: list[pytest.Item], root: Path = ROOT) -> None:
    """Mark as ``full`` what was not drawn: cases of tests with many, and costly tests."""
    alike, evidence, costly = defaultdict(dict), evidence_of(root), costly_tests(root)
    for item in items:
        test, _, case = item.nodeid.partition("[")
        mark = item.get_closest_marker("lot")
        if mark or (case or test in costly) and not test.startswith(WHOLE) and test not in evidence:
            alike[test, mark and mark.args][case] = item
    if not alike:
        return
    changed, state, heavy = Changed(root), state_of(root), {}
    for (test, watched), cases in alike.items():
        many = watched is not None or len(cases) >= MANY
        if many or test in costly:
            file = test.partition("::")[0]
            touched = changed.whole(root / file) if watched is None else any(
                name.startswith((file, *watched)) for name in changed.files)
            if not touched and many:
                mark_full(cases[case] for case in not_drawn(cases, state))
            elif not touched:
                heavy[test] = cases.values()
    for test in not_drawn(heavy, state):
        mark_full(heavy[test])


def mark_full(items: Iterable[pytest.Item]) -> None:
    for item in items:
        item.add_marker(pytest.mark.full)


def not_drawn(names: Iterable[str], state: str) -> list[str]:
    """Half of them, or one less; of two tests with the same cases the same."""
    found = sorted(names, key=lambda name: hashlib.sha256(f"{state} {name}".encode()).hexdigest())
    return found[(len(found) + 1) // 2:]


def evidence_of(root: Path) -> set[str]:
    """Tests that claims rest on: the page of the register says what all of them found."""
    return {test for name in ("claims.yml", "attempts.yml") if (path := root / "book" / name).exists()
            for test in re.findall(r"tests/\S+?::\w+", path.read_text(encoding="utf-8"))}


def costly_tests(root: Path) -> set[str]:
    """What `make full` found to take seconds (`seconds`)."""
    path = root / "tests" / "costly.txt"
    return {*path.read_text(encoding="utf-8").split()} if path.exists() else set()


def state_of(root: Path) -> str:
    """A hash of the library and of the unit tests."""
    files = [*(root / "lib").rglob("*.py"), *(root / "tests" / "unit").glob("*.py")]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(files))).hexdigest()
