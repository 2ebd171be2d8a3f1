"""What was found so far, in files: after each submission they hold all marks until then.

Marking is guarded as a whole. Where it fails, the submission is entered without anything that its student wrote, and
waits for a person; the next one is marked as if nothing had been.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from privgraph.writing import write

from .alike import suspicions
from .assignment import Assignment
from .containing import Executed, Limits
from .gradebook import Course, write_csv
from .submissions import Submission, reason
from .texts import one_line
from .time_limit import within

COMPARED = 50_000  # characters of an answer that is compared with those of others
WAITING = ("student", "assignment", "why")


@dataclass
class Marks:
    """:param rows: assignment -> identifier -> row of its marks.
    :param waiting: a row of ``WAITING`` for each that the grader could not read."""

    course: Course
    graded: dict[str, Assignment]
    limits: Limits
    say: Callable[[str], None]
    rows: dict[str, dict[str, dict]] = field(default_factory=dict)
    waiting: list[dict] = field(default_factory=list)

    def begin(self, refused: Iterable[tuple[str, str]]) -> None:
        """Make the assignments known, and say which entries of the folder are no student's folder, and why."""
        (self.course.folder / "marks").mkdir(exist_ok=True)
        text = "\n".join(map(rubric, self.graded.values()))
        write(self.course.folder / "rubrics.md", text)
        for name, assignment in self.graded.items():
            self.course.add(assignment)
            self.rows[name] = {row["identifier"]: row for row in self.course.rows(assignment)}
        for name, why in refused:
            self.waiting.append(dict(zip(WAITING, (name, "", why), strict=True)))
            self.say(f"{one_line(name)}  {one_line(why)}")
        write_csv(self.course.folder / "waiting.csv", self.waiting, WAITING)

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
        said = ran.ended or (f"waits for a person: {why}" if why else "graded")
        self.say(f"{submission.assignment.name}  {submission.student}  {one_line(said)}")
        return received

    def mark(self, submission: Submission, ran: Executed) -> tuple[list[dict], str]:
        """Enter all marks; what was told by parts that could be read, and which of them could not."""
        with within(self.limits.marking):
            marks = submission.marks(ran.lines, ran.ended)
            self.course.enter(submission.assignment, submission.student, marks, submission.with_marks(ran.lines, marks))
            self.course.feedback(submission.assignment, submission.student)
        wait = [name for name, mark in marks.items() if mark.waits]
        received = [line for line in ran.lines if isinstance(line.get("answer"), str)
                    and len(line["answer"]) <= COMPARED and line.get("part") not in wait]
        return received, f"{', '.join(wait)} could not be read" if wait else ""

    def enter_unread(self, submission: Submission, why: str) -> None:
        """Without anything of the student's; where even that fails, ``waiting.csv`` alone has it."""
        try:
            self.mark(unread(submission, why), Executed([]))
        except Exception as error:
            self.say(f"{submission.assignment.name}  {submission.student}  {one_line(reason(error))}")

    def write(self, submission: Submission, why: str) -> None:
        """The assignment's marks with this submission's, who is behind each identifier, and who waits."""
        name, student, folder = submission.assignment.name, submission.student, self.course.folder
        if why:
            self.waiting.append(dict(zip(WAITING, (student, name, why), strict=True)))
            write_csv(folder / "waiting.csv", self.waiting, WAITING)
        if row := self.course.row(submission.assignment, student):
            self.rows[name][row["identifier"]] = row
        write_csv(folder / "marks" / f"{name}.csv", self.sorted_rows(name))
        write_csv(folder / "identifiers.csv",
                  [{"identifier": self.course.alias(one), "student": one} for one in self.course.students()])

    def sorted_rows(self, name: str) -> list[dict]:
        return [self.rows[name][key] for key in sorted(self.rows[name])]

    def end(self, found: list[Submission], received: list[list[dict]]) -> dict[str, list[dict]]:
        """``alike.csv``, which needs all of them, and the rows of all marks."""
        try:
            write_csv(self.course.folder / "alike.csv", suspicions(found, received))
        except Exception as error:
            self.say(f"alike.csv could not be made: {one_line(reason(error))}")
        return {name: self.sorted_rows(name) for name in self.graded}


def unread(submission: Submission, why: str) -> Submission:
    return Submission.unread(submission.student, submission.assignment, why)


def rubric(assignment: Assignment) -> str:
    """How the texts of an assignment are graded by hand."""
    lines = [f"# {assignment.name}\n"]
    for name, items in assignment.rubric.items():
        lines += [f"## {name}, {assignment.points[name]:g} points\n"]
        lines += [f"- {points}: {said}" for points, said in items]
        for points, sample in sorted(assignment.samples[name].items()):
            met = ", ".join(map(str, sample.lines))
            lines += [f"\n### An answer for {points} (lines {met})\n", sample.text, f"\n{sample.lacks}".rstrip()]
    return "\n".join(lines) + "\n"
