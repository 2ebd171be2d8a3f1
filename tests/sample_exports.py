"""What learning platforms give out, made as their documentation lays it out, and without the code that reads it.

Moodle: folders ``Full name_1234567_assignsubmission_file`` (with an underscore at the end before 4.1; the number is one
of the assignment, signs that no file's name may have are gone), and the offline grading worksheet. Canvas: files
``lastnamefirst_[LATE_]user_file_name``, and the gradebook. Gradescope: folders named in ``submission_metadata.yml``.
nbgrader: ``submitted/STUDENT/NAME/NAME.ipynb`` with ``timestamp.txt``.
"""

import csv
import json
import re
import unicodedata
import zipfile
from dataclasses import dataclass
from pathlib import Path

NAME = "01-randomised-response"
DATE = (2026, 11, 20, 21, 15, 0)
HARD = [("Änne", "Müller-Lüdenscheidt"), ("Siobhán", "O'Brien"), ("María José", "García, Jr."), ("小明", "王"),
        ("Kim (Alex)", "Lee [B]"), ("Zoë 🦊", "Straße"), ("=1+1", "HYPERLINK"), ("-Ann", "@Home"),
        ("Jo", "Van_der Berg"), ("ALLCAPS", "MCDONALD"), ("İpek", "Şahin"),
        ("{mlang en}Anna{mlang}{mlang de}Ännchen{mlang}", "Ivanova")]


@dataclass(frozen=True)
class Person:
    first: str
    last: str
    login: str
    number: int

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def sorts_as(self) -> str:
        return f"{self.last}, {self.first}"

    @property
    def email(self) -> str:
        return f"{self.login}@example.org"


def people(count: int) -> list[Person]:
    """The hard names first, then plain ones."""
    pairs = HARD + [(f"First{number}", f"Last{number}") for number in range(count)]
    return [Person(first, last, f"user{number:03}", 7_000 + number) for number, (first, last) in
            enumerate(pairs[:count])]


def notebook(identifier: str, text: str = "x = 1") -> bytes:
    cells = [{"cell_type": "code", "metadata": {"nbgrader": {"grade_id": "identifier"}}, "outputs": [],
              "execution_count": None, "source": [f'IDENTIFIER = "{identifier}"']},
             {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": text}]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def put(archive: zipfile.ZipFile, name: str, content: bytes, date=DATE, **said) -> None:
    info = zipfile.ZipInfo(name, date)
    info.compress_type = zipfile.ZIP_DEFLATED
    for key, value in said.items():
        setattr(info, key, value)
    archive.writestr(info, content)


def moodle_name(person: Person) -> str:
    """As Moodle cleans it: no underscore, and none of the signs that it removes from names of files."""
    return re.sub(r"[&<>\"`|':\\/]", "", person.name.replace("_", " "))


def moodle_folder(person: Person, end: str = "") -> str:
    return f"{moodle_name(person)}_{1_234_000 + person.number}_assignsubmission_file{end}"


def moodle_zip(path: Path, handed_in: dict[Person, bytes], end: str = "", name: str = f"{NAME}.ipynb",
               flat: bool = False) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for person, content in handed_in.items():
            put(archive, f"{moodle_folder(person, '_')}{name}" if flat else f"{moodle_folder(person, end)}/{name}",
                content)
    return path


def worksheet(path: Path, members: list[Person], maximum: str = "20.00", status="Submitted for grading",
              handed_in="Friday, 20 November 2026, 9:15 PM") -> Path:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum grade",
                         "Grade can be changed", "Last modified (submission)", "Last modified (grade)",
                         "Feedback comments"])
        for one in members:
            writer.writerow([f"Participant {1_234_000 + one.number}", one.name, one.email, status, "", maximum, "Yes",
                             handed_in, "-", ""])
    return path


def canvas_slug(person: Person) -> str:
    """Lower case, and only what a word may hold."""
    return "".join(letter for letter in person.sorts_as.lower() if letter == "_" or
                   unicodedata.category(letter)[0] in "LMN")


def canvas_file(person: Person, name: str = f"{NAME}.ipynb", late: bool = False, number: int = 0) -> str:
    return f"{canvas_slug(person)}_{'LATE_' if late else ''}{person.number}_{number or 900_000 + person.number}_{name}"


def canvas_zip(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            put(archive, name, content, (2026, 12, 1, 8, 0, 0))  # the time of the download
    return path


def gradebook(path: Path, members: list[Person], columns: dict[str, str]) -> Path:
    """Canvas's, with assignments and their points, and what it adds that nobody may change."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *columns, "Final Score"])
        writer.writerow(["    Points Possible", "", "", "", "", *columns.values(), "(read only)"])
        for one in members:
            empty = [""] * len(columns)
            writer.writerow([one.sorts_as, one.number, f"S{one.number}", one.login, "Group A", *empty, "0"])
    return path


def gradescope_zip(path: Path, groups: list[tuple[list[Person], str, bytes]]) -> Path:
    """Each group with the time at which it handed in."""
    top, lines = "assignment_4711_export", []
    with zipfile.ZipFile(path, "w") as archive:
        for number, (members, time, content) in enumerate(groups, 1):
            lines.append(f"submission_{number}:\n  :submitters:")
            lines += [f"  - :name: {json.dumps(one.name, ensure_ascii=False)}\n    :sid: 'S{one.number}'\n"
                      f"    :email: {one.email}" for one in members]
            lines.append(f"  :created_at: {time}\n  :score: 0.0")
            put(archive, f"{top}/submission_{number}/{NAME}.ipynb", content)
        put(archive, f"{top}/submission_metadata.yml", "\n".join(lines).encode())
    return path


def nbgrader_folder(top: Path, handed_in: dict[str, bytes], stamp: str = "") -> Path:
    for student, content in handed_in.items():
        place = top / "submitted" / student / NAME
        place.mkdir(parents=True)
        (place / f"{NAME}.ipynb").write_bytes(content)
        if stamp:
            (place / "timestamp.txt").write_text(stamp)
    return top
