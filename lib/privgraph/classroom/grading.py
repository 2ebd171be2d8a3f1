"""Grade a folder of submissions: STUDENT/ASSIGNMENT.ipynb, into feedback, marks and a gradebook."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..checks import check_count, check_name
from ..writing import write
from .alike import suspicions
from .containing import LIMITS, Limits, Ran, available, run_contained
from .gradebook import Course, write_csv
from .sources import Assignment, assignments
from .submissions import Submission

TRUST = "--trust-submissions runs them with limits only"


def grade(folder: Path, into: Path, *, known: dict[str, Assignment] | None = None, trust: bool = False,
          limits: Limits = LIMITS, jobs: int = 2, say=print) -> dict[str, list[dict]]:
    """Grade all submissions of a folder; the rows of each assignment's marks.

    :param folder: holds STUDENT/ASSIGNMENT.ipynb.
    :param into: the course's folder (``gradebook.Course``): marks, feedback, gradebook; made if it is not there.
    :param known: assignment -> its source (default: those of the book).
    :param trust: run submissions without the box where there is none.
    :param limits: of each submission.
    :param jobs: submissions at a time.
    :raises ValueError: where submissions cannot be contained and are not trusted, or there is none.
    """
    if not trust and (reason := available()):
        raise ValueError(f"submissions cannot be contained: {reason}; {TRUST}")
    found = list(submissions(Path(folder), assignments() if known is None else known))
    if not found:
        raise ValueError(f"there is no STUDENT/ASSIGNMENT.ipynb in {str(folder)!r}")
    course, graded = Course(into), {submission.assignment.name: submission.assignment for submission in found}
    for assignment in graded.values():
        course.add(assignment)
    with ThreadPoolExecutor(check_count(jobs, "jobs", low=1)) as pool:
        told, asked = [], [[] if one.fault else one.questions() for one in found]  # here, not in the threads: a
        # student's data are drawn with this process's standard output turned aside, which all threads share
        runs = pool.map(lambda cells, one: run_one(cells, one, limits, contained=not trust), asked, found)
        for submission, ran in zip(found, runs, strict=True):
            enter(course, submission, ran)
            told.append(ran.lines)
            say(f"{submission.assignment.name}  {submission.student}  {ran.ended or submission.fault or 'graded'}")
    write_csv(course.folder / "alike.csv", suspicions(found, told))
    return write_marks(course, graded)


def submissions(folder: Path, known: dict[str, Assignment]) -> Iterator[Submission]:
    """In the order of their names. A folder or file with another name is not one."""
    for path in sorted(folder.glob("*/*.ipynb")):
        if path.stem in known:
            yield Submission.read(path, check_name(path.parent.name, "student"), known[path.stem])


def run_one(cells: list, submission: Submission, limits: Limits, *, contained: bool) -> Ran:
    return run_contained(cells, submission.student, limits, contained=contained) if cells else Ran([])


def enter(course: Course, submission: Submission, ran: Ran) -> None:
    marks = submission.marks(ran.lines, ran.ended)
    course.enter(submission.assignment, submission.student, marks, submission.with_marks(ran.lines, marks))
    course.feedback(submission.assignment, submission.student)


def write_marks(course: Course, graded: dict[str, Assignment]) -> dict[str, list[dict]]:
    """``marks/ASSIGNMENT.csv`` for the learning platform, who is behind each identifier, and how texts are graded."""
    place = course.folder / "marks"
    place.mkdir(exist_ok=True)
    write(course.folder / "rubrics.md", "\n".join(map(rubric, graded.values())))
    rows = {name: course.rows(assignment) for name, assignment in graded.items()}
    for name, marks in rows.items():
        write_csv(place / f"{name}.csv", marks)
    write_csv(course.folder / "identifiers.csv",
              [{"identifier": course.alias(student), "student": student} for student in course.students()])
    return rows


def rubric(assignment: Assignment) -> str:
    """How the texts of an assignment are graded by hand."""
    lines = [f"# {assignment.name}\n"]
    for name, items in assignment.rubric.items():
        lines += [f"## {name}, {assignment.points[name]:g} points\n"]
        lines += [f"- {points}: {said}" for points, said in items]
    return "\n".join(lines) + "\n"
