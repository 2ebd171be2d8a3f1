"""Grade a folder of submissions: STUDENT/ASSIGNMENT.ipynb, into feedback, marks and a gradebook.

One submission harms no other. Whatever goes wrong with it, in its file, in its run or when it is marked, makes it wait
for a person; its marks are written before the next one is marked.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from privgraph.checks import check_count, check_name

from .assignment import Assignment, assignments
from .containing import LIMITS, Executed, Limits, available, run_contained
from .gradebook import Course
from .plain_files import entries, kind_of
from .recording import Marks, unread
from .submissions import Submission, reason
from .texts import one_line

TRUST = "--trust-submissions runs them with limits only"


def grade(folder: Path, into: Path, *, known: dict[str, Assignment] | None = None, trust: bool = False,
          limits: Limits = LIMITS, jobs: int = 2, say=print) -> dict[str, list[dict]]:
    """Grade all submissions of a folder; the rows of each assignment's marks.

    :param folder: holds STUDENT/ASSIGNMENT.ipynb, plain files in plain folders: no link is followed.
    :param into: the course's folder (``gradebook.Course``): marks, feedback, gradebook; made if it is not there.
    :param known: assignment -> its source (default: those of the book).
    :param trust: run submissions without the box where there is none.
    :param limits: of each submission.
    :param jobs: submissions at a time.
    :raises ValueError: where submissions cannot be contained and are not trusted, or there is none.
    """
    if not trust and (obstacle := available()):
        raise ValueError(f"submissions cannot be contained: {obstacle}; {TRUST}")
    known = assignments() if known is None else known
    found, refused = list(submissions(Path(folder), known)), list(no_folders(Path(folder), known))
    if not found:
        why = "".join(f"; {one_line(name)} {why}" for name, why in refused[:3])
        raise ValueError(f"there is no STUDENT/ASSIGNMENT.ipynb in {str(folder)!r}{why}")
    marks = Marks(Course(into), {one.assignment.name: one.assignment for one in found}, limits, say)
    marks.begin(refused)
    with ThreadPoolExecutor(check_count(jobs, "jobs", low=1)) as pool:
        found, asked = zip(*map(ready, found), strict=True)  # here, not in the threads: a student's data are drawn
        # with this process's standard output turned aside, which all threads share
        runs = pool.map(lambda cells, one: run_one(cells, one, limits, contained=not trust), asked, found)
        received = [marks.enter(submission, ran) for submission, ran in zip(found, runs, strict=True)]
    return marks.end(found, received)


def submissions(folder: Path, known: dict[str, Assignment]) -> Iterator[Submission]:
    """In the order of their names. A folder or file with another name is not one."""
    for student in entries(folder):
        if not why_not(folder, student):
            for name, assignment in known.items():
                path = folder / student / f"{name}.ipynb"
                if kind_of(str(path)):
                    yield Submission.read(path, student, assignment)


def no_folders(folder: Path, known: dict[str, Assignment]) -> Iterator[tuple[str, str]]:
    """What may be meant for a student's folder and is none: its name, and why.

    Plain files lie there for other ends, and so do folders that hold no assignment.
    """
    for name in entries(folder):
        held = kind_of(str(folder / name)) != "a folder" or any(kind_of(str(folder / name / f"{one}.ipynb"))
                                                                for one in known)
        if held and (why := why_not(folder, name)) not in ("", "is a file"):
            yield name, why


def why_not(folder: Path, name: str) -> str:
    """Why an entry is no student's folder; nothing if it is one."""
    if (kind := kind_of(str(folder / name))) != "a folder":
        return f"is {kind}"
    try:
        check_name(name, "student")
    except ValueError as error:
        return f"is not graded: {error}"
    return ""


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
