"""``privbook classroom roster``, ``collect``, ``essays``, ``export``: in from a learning platform, read, and back."""

import sys
from pathlib import Path

from privgraph.checks import check_choice, check_count, check_number


def add_verbs(verbs) -> None:
    add_roster(verbs), add_collect(verbs), add_essays(verbs), add_export(verbs)


def add_roster(verbs) -> None:
    roster = verbs.add_parser("roster", help="give everybody of a platform's list an identifier")
    roster.add_argument("list", help="Moodle's participants or worksheet, Canvas's gradebook: any table with names")
    roster.add_argument("--to", default="roster.csv", help="written, or added to (default: %(default)s)")
    roster.set_defaults(command=roster_command)


def add_collect(verbs) -> None:
    collect = verbs.add_parser("collect", help="sort what a platform gives out into the course's folder")
    collect.add_argument("source", help="a zip of Moodle's, Canvas's or Gradescope's, or a folder; it stays as it is")
    collect.add_argument("--roster", default="roster.csv", help="who is who (default: %(default)s)")
    collect.add_argument("--assignment", default="", metavar="NAME", help="which one all of it is")
    collect.add_argument("--table", help="Moodle's grading worksheet of this assignment: tells apart two of one name, "
                                         "and says when each handed in")
    collect.add_argument("--due", help="as in '2026-11-20 23:59': what is later is noted as late")
    collect.add_argument("--to", default="graded", help="the course's folder (default: %(default)s)")
    collect.set_defaults(command=collect_command)


def add_essays(verbs) -> None:
    essays = verbs.add_parser("essays", help="read the texts that wait, one after the other, and give points")
    essays.add_argument("name", nargs="?", default="", help="of an assignment (default: the only one that was graded)")
    essays.add_argument("--student", action="append", default=[],
                        help="this one's texts, those with points too; may be said several times")
    essays.add_argument("--to", default="graded", help="the course's folder (default: %(default)s)")
    essays.set_defaults(command=essays_command)


def add_export(verbs) -> None:
    export = verbs.add_parser("export", help="marks and feedback, as the platform takes them back")
    export.add_argument("name", nargs="?", default="", help="of an assignment (default: the only one that was graded)")
    export.add_argument("--for", dest="platform", required=True, metavar="PLATFORM", help="moodle or canvas")
    export.add_argument("--roster", default="roster.csv", help="who is who (default: %(default)s)")
    export.add_argument("--table", help="Moodle's grading worksheet of this assignment, or Canvas's gradebook")
    export.add_argument("--column", default="", metavar="HEAD", help="of the marks, where it is not found by itself")
    export.add_argument("--scale", action="store_true", help="multiply the points to the platform's maximum")
    export.add_argument("--student", action="append", default=[], help="this one alone; may be said several times")
    export.add_argument("--looked", action="append", default=[], metavar="STUDENT",
                        help="a person has looked at what the grader found odd; may be said several times")
    export.add_argument("--per-day-late", type=float, default=0.0, metavar="PERCENT",
                        help="of the maximum, taken off for each begun day (default: %(default)s)")
    export.add_argument("--late-days", type=int, default=0, metavar="DAYS",
                        help="free for each student, in the whole course (default: %(default)s)")
    export.add_argument("--to", default="graded", help="the course's folder (default: %(default)s)")
    export.set_defaults(command=export_command)


def roster_command(options) -> int:
    from ..classroom.roster import make_roster
    count, new = make_roster(Path(options.list), Path(options.to))
    print(f"{count} students are in {options.to}, {new} of them new")
    return 0


def collect_command(options) -> int:
    from ..classroom.assignment import assignments
    from ..classroom.collect import collect
    from ..classroom.lateness import moment
    from ..classroom.roster import Roster
    from ..classroom.worksheet import Worksheet
    roster, into, known = Roster.read(Path(options.roster)), Path(options.to), list(assignments())
    taken, refused, missing = collect(
        Path(options.source), roster, into, known, due=moment(options.due, "due") if options.due else None,
        said=check_choice(options.assignment, "assignment", known) if options.assignment else "",
        worksheet=Worksheet.read(Path(options.table)) if options.table else None)
    print(f"{taken} notebooks are in {into / 'submitted'}, {refused} files were not taken: {into / 'not-collected.csv'}"
          " says why")
    if missing:
        print(f"nothing from {len(missing)} of {len(roster.students)}: {', '.join(missing)}", file=sys.stderr)
    return 0


def graded_one(options):
    """The assignment that is meant, of those that were graded in the course's folder."""
    from ..classroom import assignments
    known, into = assignments(), Path(options.to)
    graded = [path.stem for path in sorted((into / "marks").glob("*.csv")) if path.stem in known]
    if not graded:
        raise ValueError(f"to must be a course's folder in which something was graded, got {options.to!r}")
    name = options.name or (graded[0] if len(graded) == 1 else "")
    return known[check_choice(name, "name", graded)]


def essays_command(options) -> int:
    from ..classroom.essays import read_all, waiting
    from ..classroom.gradebook import Course
    assignment, course = graded_one(options), Course(Path(options.to))
    if unknown := set(options.student) - set(course.students()):
        raise ValueError(f"student must be one who was graded, got {', '.join(sorted(unknown))}")
    done = read_all(course, assignment, waiting(course, assignment, options.student))
    print(f"\n{done} texts have points now, {len(waiting(course, assignment))} wait; the table of marks and the pages "
          "of feedback have them")
    return 0


def export_command(options) -> int:
    from ..classroom.export import export
    from ..classroom.gradebook import Course
    from ..classroom.roster import Roster
    from ..classroom.student_marks import Policy
    from ..classroom.tables import Table
    assignment, into = graded_one(options), Path(options.to)
    policy = Policy(check_number(options.per_day_late, "per-day-late", low=0, high=100),
                    check_count(options.late_days, "late-days"), options.looked)
    sent = export(Course(into), assignment, Roster.read(Path(options.roster)), options.platform, policy=policy,
                  table=Table.read(Path(options.table)) if options.table else None, column=options.column,
                  scale=options.scale, students=options.student)
    written = into / "export" / f"{assignment.name}-{options.platform}"
    print(f"{sent} marks are in {written}.csv, their feedback is in {written}-feedback.zip, and who has none, and why, "
          f"in {written}-not-sent.csv")
    return 0
