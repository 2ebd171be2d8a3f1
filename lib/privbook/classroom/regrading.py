"""Grading again: one student alone, and what a re-mark changed."""

from collections.abc import Sequence
from pathlib import Path

from .gradebook import write_csv
from .grading import grade
from .tables import Table

ABOUT_ALL = ("waiting.csv", "alike.csv", "files.csv")  # what one student's grading says less of than was there
CHANGES = ("student", "assignment", "what", "before", "now")


def marks(course: Path) -> dict[tuple[str, str], dict[str, str]]:
    """(student, assignment) -> the row of marks, as it was written last."""
    if not (course / "identifiers.csv").exists():
        return {}
    owners = {row["identifier"]: row["student"] for row in Table.read(course / "identifiers.csv").dictionaries()}
    return {(owners[row["identifier"]], path.stem): row for path in sorted((course / "marks").glob("*.csv"))
            for row in Table.read(path).dictionaries() if row["identifier"] in owners}


def changes(before: dict[tuple[str, str], dict[str, str]], course: Path) -> list[dict[str, str]]:
    """What is otherwise than it was, for those who had marks; also written to ``changes.csv``."""
    rows = [dict(zip(CHANGES, (*key, what, before[key].get(what, ""), value), strict=True))
            for key, row in sorted(marks(course).items()) if key in before
            for what, value in row.items() if value != before[key].get(what, value)]
    write_csv(course / "changes.csv", rows, CHANGES)
    return rows


def grade_some(folder: Path, into: Path, students: Sequence[str], **how) -> dict[str, list[dict]]:
    """Grade these students of a folder of submissions; everybody else's marks stay, and what was said of them too.

    :param how: as of ``grade``.
    """
    before = {name: Table.read(into / name) for name in ABOUT_ALL if (into / name).exists()}
    rows = grade(folder, into, students=students, **how)
    for name, table in before.items():
        now = Table.read(into / name)
        others = [row for row in table.dictionaries() if row.get("student") not in students]
        kept = [row for row in others if row not in now.dictionaries()]
        write_csv(into / name, [*kept, *now.dictionaries()], now.columns)
    return rows
