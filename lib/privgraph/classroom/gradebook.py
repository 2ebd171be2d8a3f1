"""nbgrader's part: the course's folders, the gradebook, where essays are graded by hand, and feedback as pages.

Its own way of grading is not used: it takes marks from what a student's kernel says.
"""

import csv
import hashlib
import io
import logging
import os
import re
import secrets
import sys
import warnings
from collections.abc import Iterable
from contextlib import contextmanager
from pathlib import Path

import nbformat
from bs4 import BeautifulSoup
from nbformat import NotebookNode
from sqlalchemy.exc import SAWarning

from ..writing import PRIVATE, write
from .judging import Mark
from .sources import Assignment

ACTIVE = ("script", "iframe", "object", "embed", "link", "base", "form", "svg", "body style", "meta[http-equiv]")
ADDRESSES = ("src", "srcset", "background", "poster", "data")


class Course:
    """A folder in which a course is graded, in nbgrader's layout.

    :param folder: is made if it is not there.
    """

    def __init__(self, folder: Path):
        from nbgrader.apps import NbGraderAPI
        from traitlets.config import Config
        self.folder = Path(folder).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        os.environ["PATH"] = os.pathsep.join([f"{sys.prefix}/bin", os.environ["PATH"]])  # it calls alembic by its name
        config = Config(CourseDirectory={"root": str(self.folder)}, HTMLExporter={"mathjax_url": ""},
                        GenerateFeedback={"force": True}, ClearSolutions={"enforce_metadata": False})
        self.api = NbGraderAPI(config=config)
        self.api.log_level = logging.ERROR
        logging.getLogger("nbgrader").setLevel(logging.ERROR)

    def add(self, assignment: Assignment) -> None:
        """Make an assignment known, with its parts and points."""
        self.write(assignment.notebook, "source", ".", assignment.name)
        done = self.api.generate_assignment(assignment.name, force=True)
        if not done["success"]:
            raise RuntimeError(f"nbgrader refused {assignment.name}: {done['error']}")

    def write(self, notebook: NotebookNode, step: str, student: str, name: str) -> None:
        place = self.folder / step / student / name
        place.mkdir(parents=True, exist_ok=True)
        write(place / f"{name}.ipynb", nbformat.writes(notebook) + "\n")

    @contextmanager
    def gradebook(self):
        with self.api.gradebook as book, warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # nbgrader relates rows before it adds them
            yield book

    def enter(self, assignment: Assignment, student: str, marks: dict[str, Mark], notebook: NotebookNode) -> None:
        """Marks of a submission, and its notebook for the feedback and for grading by hand.

        What was graded by hand before stays; a text that was changed since is to be graded again.
        """
        untouched, written = sources(assignment.for_students()), sources(notebook)
        before = self.folder / "autograded" / student / assignment.name / f"{assignment.name}.ipynb"
        graded = sources(nbformat.read(before, 4)) if before.exists() else written
        self.write(notebook, "autograded", student, assignment.name)
        with self.gradebook() as book:
            book.update_or_create_student(student)
            book.update_or_create_submission(assignment.name, student)
            submission = book.find_submission_notebook(assignment.name, assignment.name, student)
            for grade in submission.grades:
                kind, _, name = grade.name.partition("-")
                if kind == "check":
                    grade.auto_score = assignment.points[name] * marks[name].share
                    waits = False
                elif written[grade.name] == untouched[grade.name]:
                    grade.auto_score, grade.manual_score, waits = 0.0, None, False
                else:
                    changed = written[grade.name] != graded[grade.name]
                    waits = grade.manual_score is None or changed or grade.needs_manual_grade
                    grade.auto_score = None
                grade.needs_manual_grade = waits
            book.db.commit()

    def feedback(self, assignment: Assignment, student: str) -> Path:
        """A page for the student, that loads nothing and runs nothing."""
        done = self.api.generate_feedback(assignment.name, student, force=True)
        if not done["success"]:
            raise RuntimeError(f"no feedback on {assignment.name} for {student}: {done['error']}")
        page = self.folder / "feedback" / student / assignment.name / f"{assignment.name}.html"
        write(page, inert(page.read_text(encoding="utf-8")))
        return page

    def rows(self, assignment: Assignment) -> list[dict]:
        """A row a student: points by part, their sum, and whether something is to be graded by hand.

        A part's name has no blank, so none is taken for the sum, or for whether a text waits.
        """
        found = []
        with self.gradebook() as book:
            for submission in book.notebook_submissions(assignment.name, assignment.name):
                points = {grade.name.partition("-")[2]: grade.score for grade in submission.grades}
                found.append({"identifier": self.alias(submission.student.id),
                              **{name: f"{points[name]:g}" for name in assignment.points},
                              "total points": f"{sum(points.values()):g}", "out of": f"{assignment.total():g}",
                              "to grade by hand": "yes" if submission.needs_manual_grade else "no"})
        return sorted(found, key=lambda row: row["identifier"])

    def students(self) -> list[str]:
        """All of the course, graded now or before."""
        with self.gradebook() as book:
            return sorted(student.id for student in book.students)

    def alias(self, student: str) -> str:
        """A name that only who has this course's key can lead back to the student."""
        key = self.folder / "key"
        if not key.exists():
            write(key, secrets.token_hex(32), PRIVATE)
        return hashlib.blake2b(student.encode(), key=key.read_text().encode()[:64], digest_size=6).hexdigest()


def sources(notebook: NotebookNode) -> dict[str, str]:
    """Of the cells that nbgrader knows, by their names."""
    return {cell.metadata.nbgrader.grade_id: cell.source for cell in notebook.cells if "nbgrader" in cell.metadata}


def inert(page: str) -> str:
    """A page without anything that runs, and without anything that is loaded from elsewhere."""
    soup = BeautifulSoup(page, "html.parser")
    for tag in soup.select(", ".join(ACTIVE)):
        tag.decompose()
    for tag in soup.find_all(True):
        for name in [name for name in tag.attrs if name.lower().startswith("on")]:
            del tag[name]
        for name in ADDRESSES:
            if tag.has_attr(name) and not str(tag[name]).startswith("data:image/"):
                del tag[name]
        if re.search(r"url\(|@import", str(tag.get("style", "")), re.IGNORECASE):
            del tag["style"]
        if not re.match(r"https?:|#|$", str(tag.get("href", ""))):
            del tag["href"]
    return str(soup)


def write_csv(path: Path, rows: Iterable[dict]) -> None:
    """For the teacher alone: it says who has which marks."""
    rows, text = list(rows), io.StringIO()
    writer = csv.DictWriter(text, rows[0] if rows else ["identifier"], lineterminator="\n")
    writer.writeheader(), writer.writerows(rows)
    write(path, text.getvalue(), PRIVATE)
