"""Grade a folder of submissions (``folders``), into feedback, marks and a gradebook.

One submission harms no other. Whatever goes wrong with it, in its file, in its run or when it is marked, makes it wait
for a person; its marks are written before the next one is marked.
"""

import os
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from privgraph.checks import check_count

from .assignment import Assignment, assignments
from .containing import LIMITS, Executed, Limits, available, run_contained
from .folders import Found, LeftOut, handed_in
from .gradebook import Course
from .recording import Marks, unread
from .submissions import Submission, assignment_of, reason
from .texts import one_line
from .time_limit import within

IDLE = 2.0  # times as long by the clock as by the processor, where nobody else computes
TRUST = "--trust-submissions runs them with limits only"


def grade(folder: Path, into: Path, *, students: Collection[str] = (), known: dict[str, Assignment] | None = None,
          trust: bool = False, limits: Limits = LIMITS, jobs: int = 2, say=print) -> dict[str, list[dict]]:
    """Grade all submissions of a folder; the rows of each assignment's marks.

    :param folder: holds STUDENT/ASSIGNMENT.ipynb, or what people make of that (``folders``); no link is followed.
    :param into: the course's folder (``gradebook.Course``): marks, feedback, gradebook; made if it is not there.
    :param students: theirs alone (default: everybody's).
    :param known: assignment -> its source (default: those of the book).
    :param trust: run submissions without the box where there is none.
    :param limits: of each submission.
    :param jobs: submissions at a time.
    :raises ValueError: where submissions cannot be contained and are not trusted, or there is none.
    """
    if not trust and (obstacle := available()):
        raise ValueError(f"submissions cannot be contained: {obstacle}; {TRUST}")
    known, folder = assignments() if known is None else known, Path(folder)
    listed, left = submitted(folder, known, students)
    course = Course(into)
    found = [read(folder, one, known[one.assignment], course, limits) for one in listed]
    marks = Marks(course, {one.assignment.name: one.assignment for one in found}, limits, say)
    marks.begin(listed, left)
    found, asked = zip(*map(ready, found), strict=True)  # here, not in the threads: a student's data are drawn with
    # this process's standard output turned aside, which all threads share
    run = partial(run_one, limits=limits, contained=not trust)
    received: dict[int, list[dict]] = {}
    with ThreadPoolExecutor(check_count(jobs, "jobs", low=1)) as pool:
        for number, ran in enumerate(pool.map(run, found, asked)):
            if not ran.late:
                received[number] = marks.enter(found[number], with_ours(found[number], ran, run, limits))
    run = partial(run_one, limits=alone(limits), contained=not trust)
    for number in sorted(set(range(len(found))) - received.keys()):  # once more, alone: others were perhaps in its way
        ran = run(found[number], asked[number])
        received[number] = marks.enter(found[number], with_ours(found[number], ran, run, limits))
    return marks.end(list(found), [received[number] for number in range(len(found))])


def alone(limits: Limits) -> Limits:
    """With a shorter clock, where the machine is idle: what only waits would keep the teacher waiting as well."""
    return replace(limits, patience=min(limits.patience, IDLE + os.getloadavg()[0] / (os.cpu_count() or 1)))


def submitted(folder: Path, known: dict[str, Assignment], students: Collection[str],
              ) -> tuple[list[Found], list[LeftOut]]:
    """The notebooks to grade, and the files left out: everybody's, or some students'."""
    listed, left = handed_in(folder, known, lambda path: assignment_of(path, folder, known))
    if not listed:
        why = "".join(f"; {one_line(str(one.path))} {one_line(one.why)}" for one in left[:3])
        raise ValueError(f"there is no STUDENT/ASSIGNMENT.ipynb in {str(folder)!r}{why}")
    if not students:
        return listed, left
    if missing := sorted(set(students) - {one.student for one in listed}):
        raise ValueError(f"student must be one of those with a notebook in {str(folder)!r}, got {', '.join(missing)}")
    return [one for one in listed if one.student in students], [one for one in left if one.student in students]


def read(folder: Path, one: Found, assignment: Assignment, course: Course, limits: Limits) -> Submission:
    """A submission, as far as it can be read; taking it apart may have been made to last."""
    try:
        with within(limits.marking):
            return Submission.read(folder / one.path, one.student, assignment, folder, course.unknown(assignment.name))
    except TimeoutError as error:
        return Submission.unread(one.student, assignment, f"it could not be read ({reason(error)})")


def ready(submission: Submission) -> tuple[Submission, list]:
    """A submission and its cells for the box; none of one that cannot be read."""
    try:
        return submission, [] if submission.fault else submission.questions()
    except Exception as error:
        return unread(submission, f"it could not be prepared ({reason(error)})"), []


def run_one(submission: Submission, cells: list, limits: Limits, contained: bool) -> Executed:
    """What came out of the box; a run that cannot begin is this submission's alone."""
    try:
        return run_contained(cells, submission.student, limits, contained=contained) if cells else Executed([])
    except Exception as error:
        return Executed([], failed=f"it could not be run ({reason(error)})")


def with_ours(submission: Submission, ran: Executed, run: Callable[..., Executed], limits: Limits) -> Executed:
    """What came out, and what does with our own answers in the place of wrong ones on which others may build."""
    try:
        with within(limits.marking):
            ours = [] if ran.ended or ran.failed else submission.helpers(submission.marks(ran.lines))
            cells = submission.questions(ours) if ours else []
    except Exception:  # which is said where it is marked
        return ran
    return replace(ran, ours=ours, again=run(submission, cells).lines) if ours else ran
