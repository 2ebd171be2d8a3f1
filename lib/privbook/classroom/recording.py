"""What was found so far, in files: after each submission they hold all marks until then.

Marking is guarded as a whole. Where it fails, the submission is entered without anything that its student wrote, and
waits for a person; the next one is marked as if nothing had been.
"""

import csv
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from privgraph.writing import write

from .alike import suspicions
from .assignment import Assignment
from .containing import Executed, Limits
from .folders import Found, LeftOut, accounted
from .gradebook import Course, write_csv
from .submissions import Submission, reason
from .texts import one_line
from .time_limit import within

COMPARED = 50_000  # characters of an answer that is compared with those of others
WAITING = ("student", "assignment", "why")
FILES = ("file", "student", "assignment", "what")
LOOK = "needs a look"  # a column of the marks: why a person has to look, as the last grading found it


@dataclass
class Marks:
    """:param rows: assignment -> identifier -> row of its marks.
    :param looks: (student, assignment) -> why a person has to look; an assignment "" of what is no submission."""

    course: Course
    graded: dict[str, Assignment]
    limits: Limits
    say: Callable[[str], None]
    rows: dict[str, dict[str, dict]] = field(default_factory=lambda: defaultdict(dict))
    looks: dict[tuple[str, str], str] = field(default_factory=dict)

    def begin(self, listed: list[Found], left: list[LeftOut]) -> None:
        """Make the assignments known, and say of each file of the folder what becomes of it."""
        (self.course.folder / "marks").mkdir(exist_ok=True)
        text = "\n".join(map(rubric, self.graded.values()))
        write(self.course.folder / "rubrics.md", text)
        self.looks = looks_before(self.course.folder / "waiting.csv")
        for name, assignment in self.graded.items():
            self.course.add(assignment)
            owners = {self.course.alias(student): student for student in self.course.students()}
            for row in self.course.rows(assignment):
                look = self.looks.get((owners.get(row["identifier"], ""), name), "")
                self.rows[name][row["identifier"]] = row | {LOOK: look}
        for one in left:
            if one.meant:
                name = one.student or str(one.path)
                self.looks[name, ""] = "; ".join(filter(None, (self.looks.get((name, "")), said_of(one))))
            self.say(f"{one_line(str(one.path))}  {one_line(one.why)}")
        write_csv(self.course.folder / "files.csv", accounted(listed, left), FILES)
        self.write_looks()

    def write_looks(self) -> None:
        rows = [dict(zip(WAITING, (*key, why), strict=True)) for key, why in sorted(self.looks.items())]
        write_csv(self.course.folder / "waiting.csv", rows, WAITING)

    def enter(self, submission: Submission, ran: Executed) -> list[dict]:
        """Mark a submission and write its marks; what it told, as far as that is compared with others."""
        received, why = [], ran.failed or submission.fault
        try:
            received, unclear = self.mark(unread(submission, why) if why else submission, ran)
            why = why or unclear
        except Exception as error:
            why = f"it could not be marked ({reason(error)})"
            self.enter_unread(submission, why)
        self.write(submission, why)
        look = f"needs a look, waits for a person: {why}" if why else "graded"
        said = "; ".join(filter(None, (ran.ended, look if why or not ran.ended else "")))
        self.say(f"{submission.assignment.name}  {submission.student}  {one_line(said)}")
        return received

    def mark(self, submission: Submission, ran: Executed) -> tuple[list[dict], str]:
        """Enter all marks; what was told by parts that could be read, and which of them could not."""
        with within(self.limits.marking):
            marks = submission.marks(ran.lines, ran.ended, ran.ours, ran.again)
            self.course.enter(submission.assignment, submission.student, marks, submission.with_marks(ran.lines, marks))
            self.course.feedback(submission.assignment, submission.student)
        wait = {name for name, mark in marks.items() if mark.waits}
        received = [line for line in ran.lines if isinstance(line.get("answer"), str)
                    and len(line["answer"]) <= COMPARED and line.get("part") not in wait]
        return received, submission.odd(ran.lines, marks, ran.ended)

    def enter_unread(self, submission: Submission, why: str) -> None:
        """Without anything of the student's; where even that fails, ``waiting.csv`` alone has it."""
        try:
            self.mark(unread(submission, why), Executed([]))
        except Exception as error:
            self.say(f"{submission.assignment.name}  {submission.student}  {one_line(reason(error))}")

    def write(self, submission: Submission, why: str) -> None:
        """The assignment's marks with this submission's, who is behind each identifier, and who waits."""
        name, student, folder = submission.assignment.name, submission.student, self.course.folder
        self.look(student, name, why)
        if row := self.course.row(submission.assignment, student):
            refused = self.course.refused(submission.assignment, student)
            why = "; ".join(filter(None, (why, refusal(refused))))
            self.look(student, name, why)
            self.rows[name][row["identifier"]] = row | {LOOK: why}
            if refused:
                self.say(f"{name}  {student}  REFUSED, no total: {one_line(refusal(refused))}")
        write_csv(folder / "marks" / f"{name}.csv", self.sorted_rows(name))
        write_csv(folder / "identifiers.csv",
                  [{"identifier": self.course.alias(one), "student": one} for one in self.course.students()])

    def look(self, student: str, assignment: str, why: str) -> None:
        self.looks.pop((student, assignment), None)
        if why:
            self.looks[student, assignment] = why
        self.write_looks()

    def sorted_rows(self, name: str) -> list[dict]:
        return [self.rows[name][key] for key in sorted(self.rows[name])]

    def end(self, found: list[Submission], received: list[list[dict]]) -> dict[str, list[dict]]:
        """``alike.csv``, which needs all of them, and the rows of all marks."""
        try:
            write_csv(self.course.folder / "alike.csv", suspicions(found, received))
        except Exception as error:
            self.say(f"alike.csv could not be made: {one_line(reason(error))}")
        return {name: self.sorted_rows(name) for name in self.graded}


def refusal(refused: dict[str, str]) -> str:
    return "; ".join(f"{name} has {what}" for name, what in refused.items())


def looks_before(path: Path) -> dict[tuple[str, str], str]:
    """What an earlier grading said of submissions; what was no submission is said anew each time."""
    if not path.exists():
        return {}
    with open(path, newline="", encoding="utf-8") as file:
        return {(row["student"], row["assignment"]): row["why"] for row in csv.DictReader(file) if row["assignment"]}


def said_of(one: LeftOut) -> str:
    return f"{one.path.name} {one.why}" if one.student and one.path.name != one.student else one.why


def unread(submission: Submission, why: str) -> Submission:
    return Submission.unread(submission.student, submission.assignment, why)


def rubric(assignment: Assignment) -> str:
    """How the texts of an assignment are graded by hand."""
    lines = [f"# {assignment.name}\n"]
    for name in assignment.rubric:
        lines += [f"## {name}, {assignment.points[name]:g} points\n", *criteria(assignment, name)]
        lines += [f"\n### {line}" for line in samples(assignment, name)]
    return "\n".join(lines) + "\n"


def criteria(assignment: Assignment, name: str) -> list[str]:
    """What a text must say for its points, a line each."""
    return [f"- {points}: {said}" for points, said in assignment.rubric[name]]


def samples(assignment: Assignment, name: str) -> Iterator[str]:
    """Answers for each number of points, with what they lack."""
    for points, sample in sorted(assignment.samples[name].items()):
        met = ", ".join(map(str, sample.lines))
        yield f"An answer for {points} (lines {met})\n\n{sample.text}\n\n{sample.lacks}".rstrip()
