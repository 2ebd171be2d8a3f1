"""nbgrader's part: the course's folders, the gradebook, where essays are graded by hand, and feedback as pages.

Its own way of grading is not used: it takes marks from what a student's kernel says.
"""

import csv
import hashlib
import io
import logging
import os
import re
import sys
import warnings
from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path

import nbformat
from bs4 import BeautifulSoup
from bs4.element import Doctype, PreformattedString
from nbformat import NotebookNode
from sqlalchemy.exc import SAWarning

from privgraph.writing import PRIVATE, ready_folder, write

from .assignment import Assignment
from .exam import course_key
from .judging import Mark
from .recognising import holds_text
from .texts import neutral, spreadsheet

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
READABLE = "div.text_cell_render pre { white-space: pre-wrap; }"  # a text is one long line
NEUTRAL = "privgraph_neutral"  # in a notebook's metadata: nothing of a student's in it is a command
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
        ready_folder(self.folder, "to")
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
        self.mend(assignment)

    def mend(self, assignment: Assignment) -> None:
        """Rewrite what an earlier version left here, in which a student's markup was still markup."""
        for path in self.folder.glob(f"autograded/*/{assignment.name}/{assignment.name}.ipynb"):
            before = nbformat.read(path, 4)
            if not before.metadata.get(NEUTRAL):
                self.write_neutral(before, path.parts[-3], assignment)
        for page in self.folder.glob(f"feedback/*/{assignment.name}/{assignment.name}.html"):
            if POLICY not in (text := page.read_text(encoding="utf-8"))[:1000]:
                write(page, inert(text))

    def write(self, notebook: NotebookNode, step: str, student: str, name: str) -> None:
        place = self.folder / step / student / name
        place.mkdir(parents=True, exist_ok=True)
        write(place / f"{name}.ipynb", nbformat.writes(notebook) + "\n")

    def write_neutral(self, notebook: NotebookNode, student: str, assignment: Assignment) -> NotebookNode:
        """A submission for Formgrader and feedback, and beside it its texts as they were, as plain files."""
        ours = assignment.for_students()
        shown = neutral(notebook, ours)
        shown.metadata[NEUTRAL] = True
        self.write(shown, "autograded", student, assignment.name)
        place = self.folder / "texts" / student / assignment.name
        for number, (cell, made) in enumerate(zip(notebook.cells, shown.cells, strict=True)):
            if cell.cell_type != "code" and cell.source != made.source:
                place.mkdir(parents=True, exist_ok=True)
                name = cell.metadata.get("nbgrader", {}).get("grade_id", f"cell-{number}")
                write(place / f"{name}.txt", cell.source.encode(errors="backslashreplace"))
        return shown

    @contextmanager
    def gradebook(self):
        with self.api.gradebook as book, warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # nbgrader relates rows before it adds them
            yield book

    def enter(self, assignment: Assignment, student: str, marks: dict[str, Mark], notebook: NotebookNode) -> None:
        """Marks of a submission, and its notebook for the feedback and for grading by hand.

        What was graded by hand before stays; a text that was changed since is to be graded again, and so is one of a
        submission that could not be read.
        """
        untouched, written = sources(assignment.for_students()), sources(notebook)
        before = self.folder / "autograded" / student / assignment.name / f"{assignment.name}.ipynb"
        graded = sources(nbformat.read(before, 4)) if before.exists() else None
        shown = sources(self.write_neutral(notebook, student, assignment))
        unread = all(mark.waits for mark in marks.values())  # what is not there was perhaps not read
        empty = not unread and not holds_text(notebook, assignment)
        with self.gradebook() as book:
            book.update_or_create_student(student)
            book.update_or_create_submission(assignment.name, student)
            submission = book.find_submission_notebook(assignment.name, assignment.name, student)
            for grade in submission.grades:
                kind, _, name = grade.name.partition("-")
                if kind == "check":
                    waits = enter_check(grade, marks[name], assignment.points[name])
                elif empty and written[grade.name] == untouched[grade.name]:
                    grade.auto_score, grade.manual_score, waits = 0.0, None, False
                else:
                    changed = graded is not None and graded[grade.name] != shown[grade.name]
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
        """A row a student, in the order of their identifiers."""
        with self.gradebook() as book:
            found = [self.row_of(assignment, one)
                     for one in book.notebook_submissions(assignment.name, assignment.name)]
        return sorted(found, key=lambda row: row["identifier"])

    def row(self, assignment: Assignment, student: str) -> dict | None:
        """A student's row; None if nothing was entered."""
        from nbgrader.api import MissingEntry
        with self.gradebook() as book:
            try:
                found = book.find_submission_notebook(assignment.name, assignment.name, student)
            except MissingEntry:
                return None
            return self.row_of(assignment, found)

    def row_of(self, assignment: Assignment, submission) -> dict:
        """Points by part, their sum, and whether something is to be graded by hand.

        A part that waits for a person has no points yet, which is not zero points. Its name has no blank, so none is
        taken for the sum, or for whether a text waits. Points that cannot be right are left out, and so is their sum.
        """
        points = {grade.name.partition("-")[2]: grade.score for grade in submission.grades}
        unknown = {grade.name.partition("-")[2] for grade in submission.grades
                   if grade.needs_manual_grade and grade.manual_score is None}
        refused = refusals(assignment, submission)
        return {"identifier": self.alias(submission.student.id),
                **{name: "" if name in unknown or name in refused else f"{points[name]:g}"
                   for name in assignment.points},
                "total points": "" if refused else f"{sum(points.values()):g}", "out of": f"{assignment.total():g}",
                "to grade by hand": "yes" if submission.needs_manual_grade else "no"}

    def refused(self, assignment: Assignment, student: str) -> dict[str, str]:
        """Part -> what is wrong with the points that a person gave."""
        with self.gradebook() as book:
            return refusals(assignment, book.find_submission_notebook(assignment.name, assignment.name, student))

    def students(self) -> list[str]:
        """All of the course, graded now or before."""
        with self.gradebook() as book:
            return sorted(student.id for student in book.students)

    def alias(self, student: str) -> str:
        """A name that only who has this course's key can lead back to the student."""
        return self.hashed(student)

    def unknown(self, assignment: str) -> str:
        """A name for whom hidden inputs are drawn: another one in each course, which only its key tells."""
        return f"h{self.hashed(f'hidden inputs of {assignment}')}"

    def hashed(self, text: str) -> str:
        return hashlib.blake2b(text.encode(), key=course_key(self.folder).encode()[:64], digest_size=6).hexdigest()


def refusals(assignment: Assignment, submission) -> dict[str, str]:
    """Part -> why its points are none: too many, too few, or of a person where the machine has marked."""
    found = {}
    for grade in submission.grades:
        kind, _, name = grade.name.partition("-")
        most, given = assignment.points.get(name, 0), grade.manual_score
        if grade.extra_credit:
            found[name] = f"{grade.extra_credit:g} points of extra credit, which this assignment does not have"
        elif given is not None and not 0 <= given <= most:
            found[name] = f"{given:g} of {most:g} points"
        elif given is not None and kind == "check" and grade.auto_score is not None and not grade.needs_manual_grade:
            found[name] = f"{given:g} points by hand where the grader gave {grade.auto_score:g}"
    return found


def enter_check(grade, mark: Mark, points: float) -> bool:
    """Enter the mark of a part in nbgrader's ``grade``; whether it waits for a person.

    It does if the grader could not read it, until a person gives points; and again once the grader can.
    """
    was_unread, grade.auto_score = grade.auto_score is None, None if mark.waits else mark.points(points)
    if grade.manual_score is None:
        return mark.waits
    return grade.needs_manual_grade or (was_unread and not mark.waits)


def sources(notebook: NotebookNode) -> dict[str, str]:
    """Of the cells that nbgrader knows, by their names."""
    return {cell.metadata.nbgrader.grade_id: cell.source for cell in notebook.cells if "nbgrader" in cell.metadata}


def inert(page: str) -> str:
    """A page without anything that runs, and without anything that is loaded from elsewhere; a browser is told so too.

    Nothing of a student's is markup in it (``texts``), so this is a second wall.
    """
    soup = BeautifulSoup(page, "html.parser")
    for text in soup.find_all(string=lambda text: isinstance(text, PreformattedString) and not
                              isinstance(text, Doctype)):
        text.extract()  # comments and their like, which browsers end elsewhere than parsers do
    for tag in soup.select(", ".join(ACTIVE)):
        tag.decompose()
    for tag in soup.find_all(True):
        for name in [name for name in tag.attrs if name.lower().startswith("on")]:
            del tag[name]
        for name in ADDRESSES:
            if tag.has_attr(name) and not str(tag[name]).startswith("data:image/"):
                del tag[name]
        del tag["style"]
        if not re.match(r"https?:|#|$", str(tag.get("href", ""))):
            del tag["href"]
    if soup.head:
        soup.head.insert(0, soup.new_tag("meta", attrs={"http-equiv": "Content-Security-Policy", "content": POLICY}))
        style = soup.new_tag("style")
        style.string = READABLE
        soup.head.append(style)
    return str(soup)


def write_csv(path: Path, rows: Iterable[dict], columns: Sequence[str] = ("identifier",)) -> None:
    """A table for spreadsheets, for the teacher alone: it says who has which marks.

    :param columns: of a table without rows.
    """
    rows, text = [{key: spreadsheet(value) for key, value in row.items()} for row in rows], io.StringIO()
    writer = csv.DictWriter(text, rows[0] if rows else columns, lineterminator="\n")
    writer.writeheader(), writer.writerows(rows)
    write(path, text.getvalue(), PRIVATE)
