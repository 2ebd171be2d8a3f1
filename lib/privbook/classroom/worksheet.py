"""Moodle's offline grading worksheet: who is behind the number that a folder of its download carries.

Moodle writes the heads in the reader's language, and looks for the same heads when it takes the worksheet back. So a
worksheet is written back as it came, with marks and comments filled in. The number is one of this assignment alone: a
student has another one in the next.
"""

import re
from pathlib import Path

from .roster import CALLED, TAG, NotUnderstood, Roster, Student
from .tables import Table

COLUMNS = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum grade", "Grade can be changed",
           "Last modified (submission)", "Last modified (grade)", "Feedback comments"]
NUMBER = re.compile(r"(\D*)(\d+)")  # "Participant 1234567"
FOLDER = re.compile(r"([^_]*)_(\d+)_(assignsubmission|assignfeedback)_([a-z]+)(?:_(.*))?", re.DOTALL)


class Worksheet:
    """:param table: as it was downloaded."""

    def __init__(self, table: Table):
        self.table, self.identifier = table, table.columns.index("Identifier") if "Identifier" in table.columns else 0
        found = [NUMBER.fullmatch(row[self.identifier].strip()) for row in table.rows]
        wrong = f"table must be Moodle's grading worksheet, got one with the columns {', '.join(table.columns)}: "
        if not all(found) or len({one[1] for one in found if one}) > 1 or "identifier" in table.columns:
            raise ValueError(f"{wrong}none of them holds participants' numbers")
        self.rows = {one[2]: row for one, row in zip(found, table.rows, strict=True) if one}
        if len(self.rows) < len(table.rows):
            raise ValueError(f"{wrong}two lines have the same number")

    @classmethod
    def read(cls, path: Path) -> "Worksheet":
        return cls(Table.read(path))

    def get(self, number: str, *heads: str) -> str:
        return self.table.get(self.rows[number], *heads)

    def student(self, number: str, roster: Roster, folder: str = "") -> Student:
        """Whose number it is.

        :param folder: the name in the folder's name, if there is one: if it is another student's, somebody is wrong.
        """
        if number not in self.rows:
            raise NotUnderstood(f"the number {number} is not in the worksheet")
        name = TAG.sub("", self.get(number, *CALLED["name"]))
        found = roster.the_one(*((kind, self.get(number, *CALLED[kind])) for kind in ("email", "number", "login")),
                               ("name", name))
        if (called := roster.who("name", folder)) and found.identifier not in called:
            raise NotUnderstood(f"the number {number} is {found.identifier}'s, and the name {folder!r} is "
                                f"{', '.join(sorted(called))}'s")
        return found
