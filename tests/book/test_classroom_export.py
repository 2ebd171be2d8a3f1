"""Marks and feedback go back to the platform: to nobody else, in no column that it does not know, and nothing is lost.

What would come out of the box is written here.
"""

import csv
import io
import json
import shutil
import zipfile
from pathlib import Path

import nbformat
import pytest

import handed_in
import sample_exports as sample
from handed_in import FIRST, lines_of
from privbook.classroom.collect import collect
from privbook.classroom.export import export
from privbook.classroom.gradebook import Course
from privbook.classroom.regrading import changes, grade_some, marks
from privbook.classroom.roster import Roster, make_roster
from privbook.classroom.student_marks import HAND, LOOK, Policy, unfinished
from privbook.classroom.tables import Table, unquoted
from privbook.classroom.worksheet import Worksheet
from privbook.cli import main
from sample_exports import NAME, people

MEMBERS = people(12)  # all with hard names
DONE, HALF, LATE = MEMBERS[:3]  # of whom a text is graded; the others' wait
COLUMN = f"{FIRST.about['title']} (4567)"


class Graded:
    """A class that was graded; essays of three are graded by hand, of which the pages know nothing yet."""

    def __init__(self, top: Path):
        self.top, self.course, self.flat = top, top / "graded", top / "flat"
        self.sheet = sample.worksheet(top / "worksheet.csv", MEMBERS)
        self.gradebook = sample.gradebook(top / "gradebook.csv", MEMBERS, {"Other (1)": "5", COLUMN: "20"})
        make_roster(self.sheet, top / "roster.csv"), make_roster(self.gradebook, top / "roster.csv")
        self.roster = Roster.read(top / "roster.csv")
        self.lines = {one.login: lines_of(self.answers(one), one.login) for one in MEMBERS[:4]}

    def grade(self) -> None:
        for one in MEMBERS[:5]:
            handed_in.hand_in(self.flat, one.login, self.answers(one))
        handed_in.marked(self.flat, self.lines)
        self.flat.with_name("out").rename(self.course)
        for one, said in ((DONE, "Good: <b>3</b> & more."), (HALF, ""), (LATE, "")):
            self.by_hand(one.login, 3.0, said)

    def through(self, platform: str) -> "Graded":
        """As it came from this platform."""
        content = {one: (self.flat / one.login / f"{NAME}.ipynb").read_bytes() for one in MEMBERS[:5]}
        source = sample.moodle_zip(self.top / "m.zip", content) if platform == "moodle" else sample.canvas_zip(
            self.top / "c.zip", {sample.canvas_file(one, f"{NAME}-1.ipynb", one == LATE): content[one]
                                 for one in content})
        collect(source, self.roster, self.course, [NAME], say=lambda _: None)
        return self

    def answers(self, one) -> dict[str, str]:
        return FIRST.answers() | ({"error": "error = -1.0"} if one == HALF else {})

    def by_hand(self, student: str, points: float, said: str = "") -> None:
        with Course(self.course).gradebook() as book:
            found = book.find_submission_notebook(NAME, NAME, student)
            essay = next(one for one in found.grades if one.name == "essay-repeat")
            essay.manual_score, essay.needs_manual_grade = points, False
            if said:
                next(one for one in found.comments if one.name == "essay-repeat").manual_comment = said
            book.db.commit()

    def export(self, platform, **how):
        said = []
        how["table"] = Table.read(how["table"]) if how.get("table") else None
        count = export(Course(self.course), FIRST, self.roster, platform, say=said.append, **how)
        with open(self.course / f"export/{NAME}-{platform}.csv", encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
        with zipfile.ZipFile(self.course / f"export/{NAME}-{platform}-feedback.zip") as packed:
            return count, lines, {name: packed.read(name).decode() for name in packed.namelist()}, "\n".join(said)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    found = Graded(tmp_path_factory.mktemp("class"))
    found.grade()
    return found


def copied(graded: Graded, to: Path, platform: str) -> Graded:
    shutil.copytree(graded.top, to)
    return Graded(to).through(platform)


@pytest.fixture(scope="module")
def moodle_class(graded, tmp_path_factory):
    return copied(graded, tmp_path_factory.mktemp("moodle") / "class", "moodle")


@pytest.fixture(scope="module")
def canvas_class(graded, tmp_path_factory):
    return copied(graded, tmp_path_factory.mktemp("canvas") / "class", "canvas")


def import_grades(lines: list[list[str]]) -> dict[int, tuple[str, str]]:
    """As Moodle reads a worksheet: the number behind "Participant ", the mark, the comment."""
    heads = lines[0]
    at = {head: heads.index(head) for head in ("Identifier", "Grade", "Last modified (grade)", "Feedback comments")}
    return {int(line[at["Identifier"]][len("Participant "):]): (line[at["Grade"]], line[at["Feedback comments"]])
            for line in lines[1:]}


def import_feedback(names) -> dict[int, str]:
    """As Moodle reads a zip of feedback: fullname_number_plugintype_plugin, split at the first four underscores."""
    found = {}
    for name in names:
        folder, _, file = name.partition("/")
        _, number, kind, plugin, *_ = folder.split("_", 4)
        assert (kind, plugin) == ("assignsubmission", "file") and file[0] not in ".~"
        found[int(number)] = file
    return found


@pytest.mark.parametrize("table", [True, False])
def test_moodle_takes_marks_and_feedback_back(moodle_class, table):
    sent, lines, files, said = moodle_class.export("moodle", table=moodle_class.sheet if table else None)
    assert lines[0] == Table.read(moodle_class.sheet).columns and sent == 3
    taken = import_grades(lines)
    assert {number: mark for number, (mark, _) in taken.items()} == {1_241_000: "19", 1_241_001: "16", 1_241_002: "19"}
    assert import_feedback(files).keys() == taken.keys()
    comment = taken[1_241_000][1]
    assert "keep: 3 of 3." in comment and "repeat: 3 of 4. Good: &lt;b&gt;3&lt;/b&gt; &amp; more." in comment
    assert "error: 0 of 3." in taken[1_241_001][1]
    page = next(text for name, text in files.items() if "_1241000_" in name)
    assert "Good:" in page and "19.0 / 20" in " ".join(page.split())  # points given by hand after the page was made
    assert "user003  repeat" in said or "user003  it is to be graded by hand" in said
    assert "user004" in said
    listed = Table.read(moodle_class.course / f"export/{NAME}-moodle-not-sent.csv").dictionaries()
    assert {row["student"] for row in listed} == {one.login for one in MEMBERS[3:]}  # everybody is sent or listed


def test_a_message_and_points_that_are_not_all_are_both_told(moodle_class):
    """Of what is not right, what the grader says of it stands beside the points."""
    *_, lines, _, _ = moodle_class.export("moodle")
    told = import_grades(lines)[1_241_001][1].split("<br>")
    line, = (one for one in told if one.startswith("error: "))
    assert len(line) > len("error: 0 of 3. ")


def test_no_cell_that_goes_back_is_a_formula(moodle_class):
    *_, lines, files, _ = moodle_class.export("moodle", table=moodle_class.sheet)
    for row in csv.reader(io.StringIO((moodle_class.top / "roster.csv").read_text(encoding="utf-8"))):
        assert not [cell for cell in row if cell.lstrip().startswith(("=", "+", "-", "@"))]
    assert not [cell for line in lines for cell in line if cell.startswith(("=", "+", "@")) or cell[:1] == "-" != cell]
    assert all(unquoted(name) == name for name in files)


def test_another_maximum_is_refused_or_scaled(moodle_class):
    hundred = sample.worksheet(moodle_class.top / "hundred.csv", MEMBERS, maximum="100,00")
    with pytest.raises(ValueError, match="maximum is 100, that of 01-randomised-response 20"):
        moodle_class.export("moodle", table=hundred)
    *_, lines, _, _ = moodle_class.export("moodle", table=hundred, scale=True)
    assert import_grades(lines)[1_241_000][0] == "95"


def test_a_worksheet_in_another_language_keeps_its_heads(moodle_class):
    text = moodle_class.sheet.read_text(encoding="utf-8").replace("Identifier,", "ID,").replace("Participant ", "TN/in")
    text = text.replace(",Grade,Maximum grade,", ",Bewertung,Bestwertung,")
    (moodle_class.top / "de.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="column must be one of the worksheet's"):
        moodle_class.export("moodle", table=moodle_class.top / "de.csv")
    _, (heads, *lines), _, _ = moodle_class.export("moodle", table=moodle_class.top / "de.csv", column="Bewertung")
    assert heads[0] == "ID" and {line[0]: line[4] for line in lines}["TN/in1241000"] == "19"


def test_a_comment_that_stands_in_moodle_stays(moodle_class):
    text = moodle_class.sheet.read_text(encoding="utf-8").splitlines()
    text[1] += "Come to my office."
    (moodle_class.top / "own.csv").write_text("\n".join(text), encoding="utf-8")
    for _ in range(2):  # the second time, with what the first wrote
        *_, lines, _, _ = moodle_class.export("moodle", table=moodle_class.top / "own.csv")
        comment = import_grades(lines)[1_241_000][1]
        assert comment.startswith("Come to my office.<br>keep: ") and comment.count("keep: ") == 1
        with open(moodle_class.top / "own.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(lines)


def test_days_cost_what_is_said_after_those_that_are_free(moodle_class):
    path = moodle_class.course / "collected.csv"
    table, before = Table.read(path), path.read_bytes()
    at = table.columns.index("minutes late")
    late = {"user000": "1441", "user001": "unknown"}
    rows = [[*row[:at], late.get(row[0], "0"), *row[at + 1:]] for row in table.rows]
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([table.columns, *rows])
    try:
        _, lines, _, said = moodle_class.export("moodle", policy=Policy(per_day=10, free_days=1))
        found = import_grades(lines)
        assert found[1_241_000][0] == "17" and "2 points are taken off" in found[1_241_000][1]
        assert found[1_241_002][0] == "19" and 1_241_001 not in found
        assert "user001  nobody knows how late 01-randomised-response is" in said
        assert import_grades(moodle_class.export("moodle")[1])[1_241_000][0] == "19"
    finally:
        path.write_bytes(before)


def test_what_the_grader_found_odd_waits_until_somebody_has_looked():
    row = {part: "1" for part in FIRST.points} | {HAND: "no", LOOK: "a cell is missing"}
    assert unfinished(row, FIRST, looked=False).startswith("a cell is missing; look")
    assert unfinished(row, FIRST, looked=True) == unfinished(row | {LOOK: ""}, FIRST, looked=False) == ""
    assert "by hand" in unfinished(row | {HAND: "yes"}, FIRST, looked=True)
    assert unfinished(row | {"keep": ""}, FIRST, looked=True) == "keep: a person has to give the points"


def canvas_import(lines: list[list[str]], known: dict[str, str]) -> dict[int, str]:
    """As Canvas reads a gradebook: what stands after Section are assignments, known by the number at the end."""
    heads = lines[0]
    assert heads[0] == "Student" and heads[1] == "ID" and "Section" in heads
    columns = heads[heads.index("Section") + 1:]
    assert all(column in known for column in columns)  # others would be made
    assert lines[1][0].strip() == "Points Possible" and lines[1][-1] == known[columns[0]]
    return {int(line[1]): line[-1] for line in lines[2:]}


def test_canvas_takes_marks_and_feedback_back(canvas_class):
    sent, lines, files, said = canvas_class.export("canvas", table=canvas_class.gradebook)
    assert canvas_import(lines, {COLUMN: "20"}) == {7_000: "19", 7_001: "16", 7_002: "19"} and sent == 3
    for one in (DONE, HALF, LATE):
        name, = (name for name in files if name.startswith(sample.canvas_slug(one)))
        assert [part for part in name.split("_") if part.isdigit()][:2] == [str(one.number), str(900_000 + one.number)]
        notebook = nbformat.reads(files[name], 4)
        nbformat.validate(notebook)
        assert "of 20 points" in notebook.cells[0].source and name.endswith(".ipynb")
    assert "Good: <b>3</b> & more." in nbformat.reads(next(iter(sorted(
        text for name, text in files.items() if "_7000_" in name))), 4).cells[0].source


def test_a_column_that_canvas_does_not_know_is_refused(canvas_class):
    for how in (dict(), dict(column="Randomised response"), dict(table=canvas_class.gradebook, column="New (99)")):
        with pytest.raises(ValueError, match="would make an assignment"):
            canvas_class.export("canvas", **how)
    other = sample.gradebook(canvas_class.top / "other.csv", MEMBERS, {"Something [else] (2) (1)": "20"})
    with pytest.raises(ValueError, match="Something .else. .2. .1."):
        canvas_class.export("canvas", table=other)
    for column in ("1", "Something [else] (2) (1)"):
        _, lines, *_ = canvas_class.export("canvas", table=other, column=column)
        assert canvas_import(lines, {"Something [else] (2) (1)": "20"})
    assert canvas_import(canvas_class.export("canvas", column=COLUMN)[1], {COLUMN: "20"}) == {
        7_000: "19", 7_001: "16", 7_002: "19"}


def test_a_re_mark_says_what_changed_and_nothing_of_a_person_s_is_lost(graded, tmp_path, monkeypatch):
    """A teacher repairs one notebook, which is graded again alone; its text keeps points and comment."""
    graded = copied(graded, tmp_path / "class", "moodle")
    graded.export("moodle")
    before = marks(graded.course)
    others = {key: row for key, row in before.items() if key[0] != HALF.login}
    waiting = (graded.course / "waiting.csv").read_text()
    graded.by_hand(HALF.login, 4.0, "Well argued.")
    repaired = graded.flat / HALF.login / f"{NAME}.ipynb"
    repaired.write_text(json.dumps(FIRST.with_answers(FIRST.answers())))
    graded.lines[HALF.login] = lines_of(FIRST.answers(), HALF.login)

    def grade_here(folder: Path, into: Path, students: list[str]) -> None:
        """As ``grade``, where the box tells what is written here."""
        into.rename(folder.with_name("out"))
        try:
            handed_in.marked(folder, graded.lines, students=students)
        finally:
            folder.with_name("out").rename(into)

    monkeypatch.setattr("privbook.classroom.regrading.grade", grade_here)
    grade_some(graded.flat, graded.course, [HALF.login])
    found = {(row["what"], row["before"], row["now"]) for row in changes(before, graded.course)}
    assert {("error", "0", "3"), ("total points", "16", "20")} <= found
    assert {key: row for key, row in marks(graded.course).items() if key[0] != HALF.login} == others
    assert set(waiting.splitlines()) <= set((graded.course / "waiting.csv").read_text().splitlines())
    sent, lines, files, said = graded.export("moodle", students=[HALF.login])
    assert f"changed: {HALF.login}  points error 0 -> 3" in said and sent == 1
    (_, (mark, comment)), = import_grades(lines).items()
    assert mark == "20" and "Marked again: error 0 to 3" in comment and "Well argued." in comment
    assert "Well argued." in next(iter(files.values()))
    again = graded.export("moodle")
    assert again[0] == 3 and "changed" not in again[3] and "Marked again" in import_grades(again[1])[1_241_001][1]
    with pytest.raises(ValueError, match="student must be one of"):
        grade_some(graded.flat, graded.course, ["nobody"])


def test_the_commands_say_what_they_need(moodle_class, capsys, monkeypatch):
    monkeypatch.chdir(moodle_class.top)
    assert main(["classroom", "export", "--for", "moodle"]) == 0
    assert "3 marks are in" in capsys.readouterr().out
    for words, said in ((["--for", "blackboard"], "--for must be one of"), (["--for", "canvas"], "--table"),
                        (["--for", "moodle", "--student", "eve"], "--student must be of the roster"),
                        (["--for", "moodle", "--per-day-late", "200"], "per-day-late"),
                        (["--for", "moodle", "--to", "nowhere"], "in which something was graded"),
                        (["--for", "moodle", "--table", "roster.csv"], "must be Moodle's grading worksheet")):
        assert main(["classroom", "export", *words]) == 2, words
        assert said in capsys.readouterr().err


def test_a_worksheet_without_numbers_is_none(moodle_class):
    with pytest.raises(ValueError, match="must be Moodle's grading worksheet"):
        Worksheet.read(moodle_class.gradebook.with_name("roster.csv"))
