"""What Moodle and Canvas take back: a table of marks, and a zip of feedback.

Moodle finds a student by the number in its worksheet, and in the name of a folder of feedback; Canvas by the number of
the user, and of the file that was handed in. Nothing is written for anybody of whom it is not sure, and no column that
Canvas does not know, as it would make an assignment of it.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

import nbformat
from nbformat.v4 import new_markdown_cell

from .assignment import Assignment
from .collect import CANVAS
from .folders import dashed
from .gradebook import Course
from .roster import NotUnderstood, Roster
from .student_marks import Result
from .tables import Table
from .texts import fenced
from .worksheet import COLUMNS, FOLDER, Worksheet

NUMBERED = re.compile(r"(.*)\((\d+)\)\s*", re.DOTALL)  # a column that Canvas has


@dataclass
class Platform(ABC):
    """:param table: its own: Moodle's worksheet of this assignment, or Canvas's gradebook.
    :param column: the head of the marks, where it is not found by itself.
    :param scale: it may have another maximum, and points are multiplied.
    :param refused: whom nothing is written for, and why.
    """

    course: Course
    assignment: Assignment
    roster: Roster
    table: Table | None = None
    column: str = ""
    scale: bool = False
    refused: list[tuple[str, str]] = field(default_factory=list)

    @abstractmethod
    def marks(self, found: list[Result], before: Mapping[str, Mapping[str, str]]) -> tuple[list[str], list[list[str]]]:
        """The heads of the table, and the lines of these students.

        :param before: what was sent last.
        """

    @abstractmethod
    def feedback(self, found: list[Result]) -> dict[str, bytes]:
        """The files of the zip."""

    @property
    def names(self) -> dict[str, str]:
        """Student -> how the name began under which the platform gave out what they handed in."""
        path = self.course.folder / "collected.csv"
        return {row["student"]: row["platform"] for row in Table.read(path).dictionaries()
                if row["assignment"] == self.assignment.name} if path.exists() else {}

    def refuse(self, one: Result, why: str) -> None:
        self.refused.append((one.student.identifier, why))
        one.why = why

    def factor(self, maximum: str) -> float:
        """By what points are multiplied; the platform's maximum is ours, or it was said that it need not be."""
        try:
            most = float(maximum.replace(",", "."))
        except ValueError:
            raise ValueError(f"the platform's maximum must be a number, got {maximum!r}") from None
        if most != self.assignment.total() and not self.scale:
            raise ValueError(f"the platform's maximum is {most:g}, that of {self.assignment.name} "
                             f"{self.assignment.total():g}: change it there, or say --scale")
        return most / self.assignment.total()


class Moodle(Platform):
    def marks(self, found, before):
        """The worksheet's heads, and the lines of these students, with marks and comments."""
        sheet = self.sheet(found)
        numbers, at, text_at = self.numbers(sheet), sheet.table.at(self.column or "Grade"), sheet.table.at(COLUMNS[-1])
        if at is None or at + 1 >= len(sheet.table.columns):
            raise ValueError(f"column must be one of the worksheet's: {', '.join(sheet.table.columns)}; got "
                             f"{self.column or 'Grade'!r}")
        maximum = next((row[at + 1].strip() for row in sheet.rows.values()), "")  # beside it in every language
        factor, lines = self.factor(maximum), []
        for one in found:
            if one.student.identifier not in numbers:
                self.refuse(one, "the worksheet has no line for this student")
            elif sheet.get(numbers[one.student.identifier], "Grade can be changed") == "No":
                self.refuse(one, "Moodle has locked this grade")
            else:
                line = list(sheet.rows[numbers[one.student.identifier]])
                line[at] = f"{round(one.mark * factor, 5):g}".replace(".", "," if "," in maximum else ".")
                if text_at is not None:
                    line[text_at] = beside(line[text_at], before.get(one.student.identifier, {}), one.text())
                lines.append(line)
        return sheet.table.columns, lines

    def numbers(self, sheet: Worksheet) -> dict[str, str]:
        """Student -> number; lines of others are listed, once."""
        found: dict[str, str] = {}
        for number in sheet.rows:
            try:
                found[sheet.student(number, self.roster).identifier] = number
            except NotUnderstood as error:
                self.refused += [row for row in [(f"number {number}", str(error))] if row not in self.refused]
        return found

    def sheet(self, found: list[Result]) -> Worksheet:
        """The worksheet; or its columns in English, for who handed in through Moodle, as the folder's name has the
        number."""
        if self.table:
            return Worksheet(self.table)
        rows, names = [], self.names
        for one in found:
            if folder := FOLDER.fullmatch(names.get(one.student.identifier, "")):
                said = {"Identifier": f"Participant {folder[2]}", "Full name": one.student.name,
                        "Email address": one.student.email, "Maximum grade": f"{self.assignment.total():.2f}",
                        "Grade can be changed": "Yes", "Last modified (grade)": "-"}
                rows.append([said.get(column, "") for column in COLUMNS])
        if found and not rows:
            raise ValueError("nobody's number in Moodle is known: say --table, with the grading worksheet")
        return Worksheet(Table(COLUMNS, rows))

    def feedback(self, found):
        """The page of each, in a folder that begins as the one that Moodle gave out."""
        names, numbers, files = self.names, self.numbers(Worksheet(self.table)) if self.table else {}, {}
        for one in found:
            folder = names.get(one.student.identifier, "")
            if not FOLDER.fullmatch(folder):
                name = re.sub(r"[^\w .()-]|_", "", one.student.name).strip(" .") or "student"
                folder = f"{name}_{numbers[one.student.identifier]}_assignsubmission_file_"
            page = self.course.folder / "feedback" / one.student.identifier / self.assignment.name
            content = (page / f"{self.assignment.name}.html").read_bytes()
            files[f"{folder}/{self.assignment.name}-feedback.html"] = content
        return files


class Canvas(Platform):
    def marks(self, found, before):
        """The gradebook's columns on who it is, and the one of this assignment, which Canvas knows by its number."""
        table = self.table or self.gradebook()
        section = table.at("Section")
        if table.at("ID") is None or section is None:
            raise ValueError("this is no gradebook of Canvas's: it has no column ID, or no column Section")
        at = self.at(table, section)
        possible = next((row[at] for row in table.rows if "Points Possible" in row[0]), f"{self.assignment.total():g}")
        factor, lines = self.factor(possible), [["    Points Possible", *[""] * section, possible]]
        rows = {table.get(row, "ID"): row for row in table.rows}
        for one in found:
            if one.student.canvas and one.student.canvas in rows:
                lines.append([*rows[one.student.canvas][:section + 1], f"{round(one.mark * factor, 2):g}"])
            else:
                self.refuse(one, "the gradebook has no line for this student" if one.student.canvas else
                            "the roster has no number of Canvas's for this student")
        return [*table.columns[:section + 1], table.columns[at]], lines

    def at(self, table: Table, section: int) -> int:
        """Where the marks stand; never a column that Canvas would have to make."""
        names = {dashed(self.assignment.name), dashed(self.assignment.about["title"])}
        known = {at: found for at, head in enumerate(table.columns)
                 if at > section and (found := NUMBERED.fullmatch(head))}
        fitting = [at for at, found in known.items() if self.column in (found[0].strip(), found[2])
                   or not self.column and dashed(found[1]) in names]
        if len(fitting) != 1:
            heads = ", ".join(repr(found[0]) for found in known.values())
            raise ValueError(f"column must be one that Canvas has, or it would make an assignment of it; got "
                             f"{self.column!r}: say --column with one of {heads or 'the gradebook, in --table'}")
        return fitting[0]

    def gradebook(self) -> Table:
        """Of the roster, where Canvas's own is not at hand."""
        if not NUMBERED.fullmatch(self.column):
            raise ValueError("a column that Canvas does not know would make an assignment: say --table, with Canvas's "
                             "gradebook, or --column 'Title (12345)' as it stands there")
        rows = [[one.sorts_as or one.name, one.canvas, one.number, one.login, "", ""]
                for one in self.roster.students.values() if one.canvas]
        return Table(["Student", "ID", "SIS User ID", "SIS Login ID", "Section", self.column], rows)

    def feedback(self, found):
        """The graded notebook of each, with points and comments on top: Canvas shows it under the name of the file that
        was handed in, so that a page would come back as a broken notebook."""
        names, files, name = self.names, {}, f"{self.assignment.name}.ipynb"
        for one in found:
            prefix = names.get(one.student.identifier, "")
            if not CANVAS.fullmatch(f"{prefix}{name}"):
                self.refused.append((one.student.identifier, "no feedback: this was not handed in through Canvas"))
                continue
            place = self.course.folder / "autograded" / one.student.identifier / self.assignment.name
            notebook = nbformat.read(place / name, 4)
            said = [f"{one.mark:g} of {self.assignment.total():g} points", "", *one.lines, one.remark]
            notebook.cells.insert(0, new_markdown_cell(fenced("\n".join(said).strip()), id="points"))
            files[f"{prefix}{name}"] = nbformat.writes(notebook).encode()
        return files


PLATFORMS: dict[str, type[Platform]] = {"moodle": Moodle, "canvas": Canvas}


def beside(there: str, before: Mapping[str, str], ours: str) -> str:
    """A cell of comments with ours: what we wrote before is replaced, what a person wrote stays."""
    old = before.get("comment", "")
    if old and old in there:
        return there.replace(old, ours)
    return "<br>".join(filter(None, (there.strip(), ours))) if ours not in there else there
