"""Grade a folder of submissions (``folders``), into feedback, marks and a gradebook.

One submission harms no other. Whatever goes wrong with it, in its file, in its run or when it is marked, makes it wait
for a person; its marks are written before the next one is marked.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from privgraph.checks import check_count

from .assignment import Assignment, assignments
from .containing import LIMITS, Executed, Limits, available, run_contained
from .folders import Found, handed_in
from .gradebook import Course
from .recording import Marks, unread
from .submissions import Submission, assignment_of, reason
from .texts import one_line
from .time_limit import within

TRUST = "--trust-submissions runs them with limits only"


def grade(folder: Path, into: Path, *, known: dict[str, Assignment] | None = None, trust: bool = False,
          limits: Limits = LIMITS, jobs: int = 2, say=print) -> dict[str, list[dict]]:
    """Grade all submissions of a folder; the rows of each assignment's marks.

    :param folder: holds STUDENT/ASSIGNMENT.ipynb, or what people make of that (``folders``); no link is followed.
    :param into: the course's folder (``gradebook.Course``): marks, feedback, gradebook; made if it is not there.
    :param known: assignment -> its source (default: those of the book).
    :param trust: run submissions without the box where there is none.
    :param limits: of each submission.
    :param jobs: submissions at a time.
    :raises ValueError: where submissions cannot be contained and are not trusted, or there is none.
    """
    if not trust and (obstacle := available()):
        raise ValueError(f"submissions cannot be contained: {obstacle}; {TRUST}")
    known, folder = assignments() if known is None else known, Path(folder)
    listed, left = handed_in(folder, known, lambda path: assignment_of(path, folder, known))
    if not listed:
        why = "".join(f"; {one_line(str(one.path))} {one_line(one.why)}" for one in left[:3])
        raise ValueError(f"there is no STUDENT/ASSIGNMENT.ipynb in {str(folder)!r}{why}")
    found = [read(folder, one, known[one.assignment], limits) for one in listed]
    marks = Marks(Course(into), {one.assignment.name: one.assignment for one in found}, limits, say)
    marks.begin(listed, left)
    with ThreadPoolExecutor(check_count(jobs, "jobs", low=1)) as pool:
        found, asked = zip(*map(ready, found), strict=True)  # here, not in the threads: a student's data are drawn
        # with this process's standard output turned aside, which all threads share
        runs = pool.map(lambda cells, one: run_one(cells, one, limits, contained=not trust), asked, found)
        received = [marks.enter(submission, ran) for submission, ran in zip(found, runs, strict=True)]
    return marks.end(found, received)


def read(folder: Path, one: Found, assignment: Assignment, limits: Limits) -> Submission:
    """A submission, as far as it can be read; taking it apart may have been made to last."""
    try:
        with within(limits.marking):
            return Submission.read(folder / one.path, one.student, assignment, folder)
    except TimeoutError as error:
        return Submission.unread(one.student, assignment, f"it could not be read ({reason(error)})")


def ready(submission: Submission) -> tuple[Submission, list]:
    """A submission and its cells for the box; none of one that cannot be read."""
    try:
        return submission, [] if submission.fault else submission.questions()
    except Exception as error:
        return unread(submission, f"it could not be prepared ({reason(error)})"), []


def run_one(cells: list, submission: Submission, limits: Limits, *, contained: bool) -> Executed:
    """What came out of the box; a run that cannot begin is this submission's alone."""
    try:
        return run_contained(cells, submission.student, limits, contained=contained) if cells else Executed([])
    except Exception as error:
        return Executed([], failed=f"it could not be run ({reason(error)})")
