"""Marks and feedback that go back to the platform, with what changed since they were sent last."""

import io
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path

from privgraph.checks import check_choice
from privgraph.writing import PRIVATE, write

from .assignment import Assignment
from .gradebook import Course
from .handing_back import PLATFORMS
from .roster import Roster
from .student_marks import Policy, Result, results
from .tables import Table, write_rows, write_table

CHANGES = ("student", "what", "before", "now")
REFUSED = ("student", "why")


def archive(files: Mapping[str, bytes]) -> bytes:
    """A zip of these files, the same for the same files."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in sorted(files):
            packed.writestr(zipfile.ZipInfo(name), files[name], zipfile.ZIP_DEFLATED)
    return content.getvalue()


def export(course: Course, assignment: Assignment, roster: Roster, platform: str, *, table: Table | None = None,
           column: str = "", scale: bool = False, policy: Policy | None = None, students: Collection[str] = (),
           say=print) -> int:
    """Write table, feedback, what changed since the last time, and what is not sent, into the course's ``export``.

    :param platform: "moodle" or "canvas".
    :param table: this and the next two as of ``handing_back.Platform``.
    :param students: their marks alone; all if it is empty.
    :returns: how many marks are sent.
    """
    kind = PLATFORMS[check_choice(platform, "platform", PLATFORMS)]
    if unknown := set(students) - set(roster.students):
        raise ValueError(f"student must be of the roster, got {', '.join(sorted(unknown))}")
    work, place = kind(course, assignment, roster, table, column, scale), f"{assignment.name}-{platform}"
    before = sent_before(course.folder / "export" / f"{place}-sent.csv")
    every = results(course, assignment, roster, policy or Policy())
    asked = [one for one in every if not students or one.student.identifier in students]
    work.refused += [(one.student.identifier, one.why) for one in asked if one.why]
    changed = changes([one for one in asked if not one.why], before, assignment)
    heads, lines = work.marks([one for one in asked if not one.why], before)
    sent = [one for one in asked if not one.why]  # of whom the platform knows, too
    files = archive(work.feedback(sent))
    changed = [row for row in changed if row[0] in {one.student.identifier for one in sent}]
    absent = set(students or roster.students) - {one.student.identifier for one in every}
    refused = sorted([*work.refused, *((one, "nothing of this student's was graded") for one in absent)])
    tables = {"": (heads, lines), "-changes": (CHANGES, changed), "-not-sent": (REFUSED, refused)}
    for end, (columns, rows) in tables.items():
        write_table(course.folder / "export" / f"{place}{end}.csv", columns, rows)
    write(course.folder / "export" / f"{place}-feedback.zip", files, PRIVATE)
    keep(course.folder / "export" / f"{place}-sent.csv", before, sent, assignment)
    for student, what, old, new in changed:
        say(f"changed: {student}  {what} {old} -> {new}")
    for student, why in sorted(work.refused):
        say(f"not sent: {student}  {why}")
    return len(sent)


def sent_before(path: Path) -> dict[str, dict[str, str]]:
    """Student -> what was sent last."""
    return {row["student"]: row for row in Table.read(path).dictionaries()} if path.exists() else {}


def keep(path: Path, before: Mapping[str, Mapping[str, str]], sent: list[Result], assignment: Assignment) -> None:
    """Write down what is sent now, beside what was sent to others before."""
    now = {one.student.identifier: {"student": one.student.identifier, **points(one, assignment),
                                    "comment": one.text(), "remark": one.remark} for one in sent}
    heads = ["student", *(f"points {part}" for part in assignment.points), "mark", "comment", "remark"]
    write_rows(path, heads, [row for _, row in sorted((dict(before) | now).items())])


def points(one: Result, assignment: Assignment) -> dict[str, str]:
    return {f"points {part}": one.row[part] for part in assignment.points} | {"mark": f"{one.mark:g}"}


def changes(found: list[Result], before: Mapping[str, Mapping[str, str]], assignment: Assignment) -> list[tuple]:
    """What is otherwise than it was sent last, as lines of ``CHANGES``; the student is told, until the next change."""
    rows = []
    for one in found:
        old, now = before.get(one.student.identifier, {}), points(one, assignment)
        own = [(what, old[what] or "?", value) for what, value in now.items() if old.get(what, value) != value]
        rows += [(one.student.identifier, *change) for change in own]
        told = ", ".join(f"{what.removeprefix('points ')} {was} to {value}" for what, was, value in own)
        one.remark = f"Marked again: {told}." if own else old.get("remark", "")
    return rows
