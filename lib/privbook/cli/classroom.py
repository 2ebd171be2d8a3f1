"""``privbook classroom``: submissions graded, the grading tried on answers whose marks are known, and examinations."""

import sys
from pathlib import Path

from privgraph.checks import check_count, check_positive

from .platforms import add_verbs


def add_commands(commands) -> None:
    group = commands.add_parser("classroom", help="grade submissions, in from a platform and back; make an exam")
    verbs = group.add_subparsers(required=True, metavar="WHAT")
    check = verbs.add_parser("check", help="grade the answers beside each assignment, right and wrong ones")
    check.add_argument("name", nargs="?", help="of an assignment (default: all)")
    check.add_argument("--students", type=int, default=2, help="how many draws of the data (default: %(default)s)")
    check.set_defaults(command=check_command)

    exam = verbs.add_parser("exam", help="an exam and its key, from the pool of questions; without names: list them")
    exam.add_argument("question", nargs="*", help="names of questions, in the order of the exam")
    exam.add_argument("--to", default="graded", help="the course's folder, whose key the numbers are drawn from "
                                                     "(default: %(default)s)")
    exam.add_argument("--name", default="exam", help="of the exam: another name, other numbers (default: %(default)s)")
    exam.set_defaults(command=exam_command)

    grade = verbs.add_parser("grade", help="grade STUDENT/ASSIGNMENT.ipynb of a folder")
    grade.add_argument("folder", help="holds a folder for each student, with notebooks named as the assignments")
    grade.add_argument("--to", default="graded", help="the course's folder: marks, feedback, gradebook "
                                                      "(default: %(default)s)")
    grade.add_argument("--trust-submissions", action="store_true",
                       help="where there is no bubblewrap: run them with limits only, as oneself")
    grade.add_argument("--workers", type=int, default=2, help="submissions at a time (default: %(default)s)")
    grade.add_argument("--seconds", type=float, default=300.0,
                       help="of the processor, for one submission (default: %(default)s)")
    grade.add_argument("--student", action="append", default=[],
                       help="this one alone, everybody else's marks stay; may be said several times")
    grade.set_defaults(command=grade_command)
    add_verbs(verbs)


def check_command(options) -> int:
    from ..classroom import assignments
    from ..classroom.fixtures import faults, fixtures
    known, status = assignments(), 0
    if options.name and options.name not in known:
        raise ValueError(f"name must be one of {', '.join(known)}; got {options.name!r}")
    for assignment in known.values() if options.name is None else [known[options.name]]:
        for fixture in fixtures(assignment):
            for number in range(check_count(options.students, "students", low=1)):
                wrong = faults(assignment, fixture, f"student-{number}")
                status |= bool(wrong)
                print(f"{assignment.name}  {fixture.name}  student-{number}: {'; '.join(wrong) or 'as it should be'}")
    return status


def exam_command(options) -> int:
    from ..classroom.exam import pool, write_exam
    if options.question:
        for path in write_exam(Path(options.to), options.question, options.name):
            print(path)
        return 0
    for question in pool().values():
        print(f"{question.name:28} {question.chapter:28} {'●' * question.level:4} {question.points} points"
              f"{'  own numbers' if question.drawn else ''}")
    return 0


def grade_command(options) -> int:
    from ..classroom.containing import Limits
    from ..classroom.grading import grade
    from ..classroom.regrading import changes, grade_some, marks
    limits = Limits(seconds=check_positive(options.seconds, "seconds"))
    print(f"grading what is in {options.folder}", file=sys.stderr, flush=True)
    folder, into, before = Path(options.folder), Path(options.to), marks(Path(options.to))
    how = dict(trust=options.trust_submissions, limits=limits, jobs=options.workers)
    rows = grade_some(folder, into, options.student, **how) if options.student else grade(folder, into, **how)
    for row in changes(before, into):
        print("changed: {student}  {assignment}  {what} {before} -> {now}".format(**row))
    refused = sum(row["total points"] == "" for each in rows.values() for row in each)
    print(f"{sum(map(len, rows.values()))} submissions graded: marks, feedback and alike.csv are in {options.to}, "
          "and waiting.csv, which lists what needs a look, and files.csv, which says what became of each file; "
          f"texts are read by you: privbook classroom essays ASSIGNMENT --to {options.to}")
    if refused:
        print(f"{refused} without a total, as their points cannot be right: see 'needs a look'", file=sys.stderr)
    return int(refused > 0)
