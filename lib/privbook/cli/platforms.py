"""``privbook classroom roster``, ``collect`` and ``export``: in from a learning platform, and back."""

import sys
from pathlib import Path

from privgraph.checks import check_choice


def add_verbs(verbs) -> None:
    roster = verbs.add_parser("roster", help="give everybody of a platform's list an identifier")
    roster.add_argument("list", help="Moodle's participants or worksheet, Canvas's gradebook: any table with names")
    roster.add_argument("--to", default="roster.csv", help="written, or added to (default: %(default)s)")
    roster.set_defaults(command=roster_command)

    collect = verbs.add_parser("collect", help="sort what a platform gives out into the course's folder")
    collect.add_argument("source", help="a zip of Moodle's, Canvas's or Gradescope's, or a folder; it stays as it is")
    collect.add_argument("--roster", default="roster.csv", help="who is who (default: %(default)s)")
    collect.add_argument("--assignment", default="", metavar="NAME", help="which one all of it is")
    collect.add_argument("--table", help="Moodle's grading worksheet of this assignment: tells apart two of one name, "
                                         "and says when each handed in")
    collect.add_argument("--due", help="as in '2026-11-20 23:59': what is later is noted as late")
    collect.add_argument("--to", default="graded", help="the course's folder (default: %(default)s)")
    collect.set_defaults(command=collect_command)


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
