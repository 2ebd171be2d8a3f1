"""Texts that wait for a person, one after the other in the terminal, with what they are graded by.

A student's text is shown as ``texts.neutral`` has written it, without control characters and as nobody's markup, and a
bar stands before each of its lines, so that it cannot be taken for what this program says. Whose a text is is not said.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import nbformat

from .assignment import Assignment
from .gradebook import Course
from .recording import criteria, samples
from .student_marks import fresh_rows
from .submissions import kind_and_name

PROMPT = "points from 0 to {most:g}, and a comment if you like (s: samples, Enter: later, q: stop)? "
ELSEWHERE = "(Nothing stands where the text is asked for. This is all else that is the student's own.)"
LATER, STOP, SAMPLES = "", "q", "s"


@dataclass(frozen=True)
class Essay:
    """A text, as it may be shown.

    :param student: whose it is.
    :param part: of the assignment.
    :param text: without anything that a terminal obeys."""

    student: str
    part: str
    text: str


def waiting(course: Course, assignment: Assignment, students: Collection[str] = ()) -> list[Essay]:
    """The texts that are to be graded by hand, those on one question together, in an order that tells nobody's name.

    :param students: all texts of theirs, those with points too (default: those of everybody that wait).
    """
    found, order = [], list(assignment.points)
    with course.gradebook() as book:
        for one in book.notebook_submissions(assignment.name, assignment.name):
            for grade in one.grades:
                kind, _, part = grade.name.partition("-")
                asked = one.student.id in students if students else grade.needs_manual_grade
                if kind == "essay" and asked:
                    found.append((order.index(part), course.alias(one.student.id), one.student.id, part))
    return [Essay(student, part, text_of(course, assignment, student, part)) for *_, student, part in sorted(found)]


def text_of(course: Course, assignment: Assignment, student: str, part: str) -> str:
    """What a student wrote there; if that is nothing, what else in the notebook is the student's own."""
    place = course.folder / "autograded" / student / assignment.name / f"{assignment.name}.ipynb"
    ours = {cell.source for cell in assignment.handed_out.cells}
    own = [(kind_and_name(cell), unfenced(cell)) for cell in nbformat.read(place, 4).cells if cell.source not in ours]
    there = [source for key, source in own if key == ("essay", part)]
    others = [source for (kind, _), source in own if kind not in ("essay", "identifier", "setup", "check")]
    return there[0] if there else "\n\n".join([ELSEWHERE, *others])


def unfenced(cell: nbformat.NotebookNode) -> str:
    """What stands between the fences with which ``texts`` has made a text harmless for who reads Markdown."""
    return cell.source if cell.cell_type == "code" else "\n".join(cell.source.split("\n")[1:-1])


def give(course: Course, assignment: Assignment, essay: Essay, points: float, comment: str) -> None:
    """Enter points and a comment in the gradebook; without a comment an earlier one stays."""
    with course.gradebook() as book:
        submission = book.find_submission_notebook(assignment.name, assignment.name, essay.student)
        named = {one.name: one for one in submission.grades}
        grade = named[f"essay-{essay.part}"]
        grade.manual_score, grade.needs_manual_grade = points, False
        for said in submission.comments if comment else ():
            if said.name == grade.name:
                said.manual_comment = comment
        book.db.commit()


def read_all(course: Course, assignment: Assignment, essays: Collection[Essay], ask: Callable[[str], str] = input,
             say: Callable[[str], None] = print) -> int:
    """Show each text, ask for its points and enter them; tables and pages follow at the end. How many have points now.

    :param ask: as ``input``.
    """
    done, part = 0, ""
    for number, essay in enumerate(essays, 1):
        if essay.part != part:
            part = essay.part
            say("\n".join(["", f"{assignment.name}, {part}", *criteria(assignment, part)]))
        say("\n".join(["", f"{part}: text {number} of {len(essays)}", *map("  | {}".format, essay.text.split("\n"))]))
        answer = answer_to(assignment, part, ask, say)
        if answer == STOP:
            break
        if answer != LATER:
            give(course, assignment, essay, *answer)
            done += 1
    if done:
        fresh_rows(course, assignment)
    return done


def answer_to(assignment: Assignment, part: str, ask: Callable[[str], str], say: Callable[[str], None]):
    """Points and a comment, or ``LATER``, or ``STOP``."""
    most = assignment.points[part]
    while True:
        try:
            said = ask(PROMPT.format(most=most)).strip()
        except (EOFError, KeyboardInterrupt):
            return STOP
        if said in (LATER, STOP):
            return said
        if said == SAMPLES:
            say("\n\n".join(samples(assignment, part)))
            continue
        points, _, comment = said.partition(" ")
        if points.replace(".", "", 1).isascii() and points.replace(".", "", 1).isdigit() and float(points) <= most:
            return float(points), comment.strip()
        say(f"points must be a number from 0 to {most:g}, got {points!r}")
