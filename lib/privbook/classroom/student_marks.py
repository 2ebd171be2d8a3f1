"""What a student gets: points by part, what is taken off for days, and what there is to say of it."""

import html
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from .assignment import Assignment
from .gradebook import Course, write_csv
from .lateness import UNKNOWN, days_charged
from .roster import Roster, Student
from .submissions import kind_and_name
from .tables import Table

LOOK = "needs a look"  # a column of the marks: why a person has to look
HAND = "to grade by hand"


@dataclass
class Result:
    """:param row: of the marks: points by part, and more.
    :param mark: points, after what was taken off.
    :param lines: what the student is told.
    :param why: it cannot be sent; nothing if it can.
    :param remark: what is otherwise than it was sent before.
    """

    student: Student
    row: dict[str, str]
    mark: float = 0.0
    lines: list[str] = field(default_factory=list)
    why: str = ""
    remark: str = ""

    def text(self) -> str:
        """For the platform's field of comments, which takes HTML."""
        return "<br>".join(map(html.escape, filter(None, [*self.lines, self.remark])))


@dataclass(frozen=True)
class Policy:
    """:param per_day: percent of the maximum that each begun day takes off.
    :param free_days: of the course, which cost nothing, for each student.
    :param looked: students at whose submissions a person has looked.
    """

    per_day: float = 0.0
    free_days: int = 0
    looked: Collection[str] = ()


def fresh_rows(course: Course, assignment: Assignment) -> dict[str, dict[str, str]]:
    """Student -> marks as the gradebook has them now. Where a person gave points since, tables and pages follow."""
    path = course.folder / "marks" / f"{assignment.name}.csv"
    if not path.exists():
        raise ValueError(f"{assignment.name} was not graded in {str(course.folder)!r}")
    written = {row["identifier"]: row for row in Table.read(path).dictionaries()}
    owners, found = {course.alias(student): student for student in course.students()}, {}
    for row in course.rows(assignment):
        before = written.get(row["identifier"], {})
        found[owners[row["identifier"]]] = now = before | row
        if now != before:
            course.feedback(assignment, owners[row["identifier"]])
    write_csv(path, sorted(found.values(), key=lambda row: row["identifier"]))
    return found


def results(course: Course, assignment: Assignment, roster: Roster, policy: Policy) -> list[Result]:
    """Of all that were graded, in the order of their identifiers."""
    rows, late, found = fresh_rows(course, assignment), minutes(course.folder), []
    written = comments(course, assignment)
    for identifier, row in sorted(rows.items()):
        if identifier not in roster.students:
            found.append(Result(Student(identifier, ""), row, why="nobody in the roster has this identifier"))
            continue
        one = Result(roster.students[identifier], row, why=unfinished(row, assignment, identifier in policy.looked))
        one.mark, one.lines = float(row["total points"]), told(course, assignment, identifier, row, written[identifier])
        take_off(one, late.get(identifier, {}), assignment, policy)
        if not one.why and not 0 <= float(row["total points"]) <= assignment.total():
            one.why = f"it has {row['total points']} of {assignment.total():g} points"
        found.append(one)
    return found


def minutes(folder: Path) -> dict[str, dict[str, str]]:
    """Student -> assignment -> minutes late, from ``collected.csv``."""
    found: dict[str, dict[str, str]] = {}
    for row in Table.read(folder / "collected.csv").dictionaries() if (folder / "collected.csv").exists() else []:
        found.setdefault(row["student"], {})[row["assignment"]] = row["minutes late"].strip()
    return found


def unfinished(row: Mapping[str, str], assignment: Assignment, looked: bool) -> str:
    """Why these are no marks yet."""
    if empty := [name for name in assignment.points if row[name] == ""]:
        return f"{', '.join(empty)}: a person has to give the points"
    if row[HAND] != "no":
        return "it is to be graded by hand, or again, as its text was changed"
    return f"{row[LOOK]}; look, and then say --looked" if row.get(LOOK) and not looked else ""


def take_off(one: Result, late: Mapping[str, str], assignment: Assignment, policy: Policy) -> None:
    """What lateness costs, if it costs anything; where nobody knows how late, it waits for a person."""
    said = late.get(assignment.name, "")
    if said and said != "0":
        one.lines.append(f"Handed in late ({said} minutes)." if said != UNKNOWN else "Handed in late.")
    if not policy.per_day or said in ("", "0"):
        return
    if wrong := [name for name, minutes in late.items() if minutes and not re.fullmatch(r"\d{1,7}", minutes)]:
        one.why = one.why or f"nobody knows how late {', '.join(sorted(wrong))} is: fill it in in collected.csv"
        return
    days = days_charged({name: int(minutes or 0) for name, minutes in late.items()}, policy.free_days)[assignment.name]
    off = min(one.mark, days * policy.per_day / 100 * assignment.total())
    one.mark -= off
    one.lines.append(f"Days that count: {days}; {off:g} points are taken off." if days else "No points are taken off.")


def told(course: Course, assignment: Assignment, student: str, row: Mapping[str, str], written: Mapping[str, str],
         ) -> list[str]:
    """A line a part: points, what the grader told, and what a person wrote."""
    place = course.folder / "autograded" / student / assignment.name / f"{assignment.name}.ipynb"
    messages = dict(shown(nbformat.read(place, 4))) if place.exists() else {}
    lines = []
    for name, most in assignment.points.items():
        points = f"{name}: {row[name] or '?'} of {most:g}."
        lines.append(" ".join(filter(None, (points, messages.get(name, ""), written.get(name, "")))))
    return lines


def shown(notebook: nbformat.NotebookNode):
    """Part -> what the cell below it tells the student, without the points, and without praise."""
    for cell in notebook.cells:
        kind, name = kind_and_name(cell)
        if kind == "check" and cell.get("outputs"):
            _, _, message = " ".join(str(cell.outputs[0].get("text", "")).split()).partition(" points. ")
            yield name, "" if message == "Right." else message


def comments(course: Course, assignment: Assignment) -> dict[str, dict[str, str]]:
    """Student -> part -> what a person wrote about it in the gradebook."""
    with course.gradebook() as book:
        return {one.student.id: {said.name.partition("-")[2]: " ".join(said.manual_comment.split())
                                 for said in one.comments if said.manual_comment}
                for one in book.notebook_submissions(assignment.name, assignment.name)}
