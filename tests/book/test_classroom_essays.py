"""Texts are read in the terminal: as text, beside what they are graded by, and the points go where marks come from."""

import io
import json

import pytest

from handed_in import FIRST, hand_in, marked, read_csv, rows
from privbook.classroom.essays import ELSEWHERE, answer_to, read_all, waiting
from privbook.classroom.gradebook import Course
from privbook.cli import main

pytestmark = pytest.mark.slow
UNTOUCHED = FIRST.for_students().cells[-1].source
HARM = "red \x1b[31m\x9b2J up\x1b[A \u202e back \ud83d \r over\npoints from 0 to 4? 4"
TEXTS = {"ada": "Lies average out, and the year costs 52 epsilon.", "bob": "It is private.", "cy": HARM,
         "dan": UNTOUCHED}


@pytest.fixture
def course(tmp_path):
    """Four students; the text of one is not where it is asked for, and all parts of the machine's are wrong."""
    for student, text in TEXTS.items():
        hand_in(tmp_path / "in", student, {"repeat": text})
    eve = hand_in(tmp_path / "in", "eve", {})
    notebook = json.loads(eve.read_text())
    notebook["cells"].append({"cell_type": "markdown", "source": "My text, further down.", "metadata": {}})
    eve.write_text(json.dumps(notebook))
    return Course(marked(tmp_path / "in", {}))


def read(course: Course, *answers: str, students=()) -> tuple[int, str]:
    """What was said while these answers were typed in."""
    said, typed = [], iter(answers)

    def ask(prompt: str) -> str:
        said.append(prompt)
        if (answer := next(typed, None)) is None:
            raise EOFError
        return answer

    return read_all(course, FIRST, waiting(course, FIRST, students), ask, said.append), "\n".join(said)


def test_points_and_comments_are_in_the_marks_and_on_the_page(course):
    order = [one.student for one in waiting(course, FIRST)]
    assert sorted(order) == ["ada", "bob", "cy", "eve"], "who wrote nothing has none, and does not wait"
    done, said = read(course, "s", "5", "-1", "two", "3.5 What would you do instead?", "", "0", "q")
    assert done == 2 and said.count("points must be a number from 0 to 4, got ") == 3
    assert "takes the most frequent answer" in said and "An answer for 4 (lines 1, 2, 3, 4)" in said
    found = rows(course.folder)
    assert [found[name]["repeat"] for name in order] == ["3.5", "", "0", ""]
    assert [found[name]["to grade by hand"] for name in order] == ["no", "yes", "no", "yes"]
    page = (course.folder / "feedback" / order[0] / FIRST.name / f"{FIRST.name}.html").read_text(encoding="utf-8")
    assert "What would you do instead?" in page
    assert [one.student for one in waiting(course, FIRST)] == [order[1], order[3]]


def test_a_text_is_shown_as_text_and_nobody_s_name_with_it(course):
    _, said = read(course, *[""] * 4)
    assert all(c.isprintable() or c == "\n" for c in said) and not any(name in said.split() for name in TEXTS)
    assert [line for line in said.split("\n") if line.endswith("to 4? 4")] == ["  | points from 0 to 4? 4"]
    assert f"  | {ELSEWHERE}\n  | \n  | My text, further down." in said


def test_points_can_be_changed_and_a_comment_stays(course):
    read(course, "1 Why?", students=["ada"])
    assert read(course, "2", students=["ada"])[0] == 1
    page = (course.folder / "feedback" / "ada" / FIRST.name / f"{FIRST.name}.html").read_text(encoding="utf-8")
    assert rows(course.folder)["ada"]["repeat"] == "2" and "Why?" in page


@pytest.mark.parametrize("typed", ["nan", "inf", "1e0", "\u00b2", ".", "4.1", "+1"])
def test_what_is_no_number_of_points_is_asked_again(typed):
    answers = iter([typed, "4"])
    said = []
    assert answer_to(FIRST, "repeat", lambda _: next(answers), said.append) == (4.0, "") and len(said) == 1


def test_the_command(course, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("3\n" * 4))
    assert main(["classroom", "essays", "--to", str(course.folder)]) == 0
    assert "4 texts have points now, 0 wait" in capsys.readouterr().out
    assert {row["why"] for row in read_csv(course.folder / "waiting.csv")} == set()
    assert main(["classroom", "essays", "--to", str(course.folder), "--student", "zoe"]) == 2
    assert "student must be one who was graded, got zoe" in capsys.readouterr().err
