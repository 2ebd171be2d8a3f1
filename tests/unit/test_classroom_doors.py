"""Three doors of the classroom: a text that runs, an answer that stops the class, a file that is not what it seems.

Submissions are marked for real; what would come out of the box is written here, as a student could write it by hand.
"""

import csv
import json
import os
import signal
import socket
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_markdown_cell, new_output

from hostile_essays import RUN, essays
from privgraph.classroom import Mark, Part, assignments, files, gradebook
from privgraph.classroom.alike import program
from privgraph.classroom.containing import Ran
from privgraph.classroom.files import LARGEST
from privgraph.classroom.fixtures import run_here
from privgraph.classroom.gradebook import Course, inert, write_csv
from privgraph.classroom.grading import grade
from privgraph.classroom.guard import within
from privgraph.classroom.judging import UNREAD, close, follows
from privgraph.classroom.submissions import LONGEST, MOST_CELLS, MOST_TEXT, Submission, answers, outputs
from privgraph.classroom.texts import fenced, neutral, one_line, picture, spreadsheet
from privgraph.teach import pack, tell
from privgraph.teach.telling import MIME

FIRST = assignments()["01-randomised-response"]
RIGHT = {part: Mark(1.0, "Right.") for part in FIRST.parts}
PIXEL = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


def told(part: str, answer: str) -> list[dict]:
    return [{"part": part, "answer": answer}]


def lines_of(cells: dict[str, str], student: str) -> list[dict]:
    return list(run_here(Submission(student, FIRST, FIRST.with_answers(cells))))


# Student -> what was handed in, what came out of the box, whether it waits for a person.
ODD = {
    "power": ({}, told("error", '[{"value": 1' + "0" * 400 + "}]"), False),
    "power-drawn": ({}, told("respond", json.dumps([{"value": [10**400]}] * 3)), False),
    "dictionaries": ({}, told("respond", json.dumps([{"value": [{"dict": []}] * 9}] * 3)), False),
    "dictionaries-for-a-number": ({}, told("error", '[{"value": [{"dict": [["a", 1]]}, {"dict": []}]}]'), False),
    "terms": ({"keep": "x = " + "+".join(["1"] * 900)}, [], False),
    "digits-in-the-program": ({"keep": "x = 0x" + "f" * 5000}, [], False),
    "nested-program": ({"keep": "x = " + "[" * 500 + "]" * 500}, [], False),
    "half-an-emoji": ({"repeat": "half \ud83d", "keep": "# half \udc00"}, [], True),
    "half-an-emoji-in-an-error": ({}, told("error", '[{"error": "ValueError: \\ud83d"}]'), False),
    "half-an-emoji-shown": ({}, [{"outputs": [["stdout", "\ud83d"]]}], False),
    "attachment": ({"repeat": "![x](attachment:missing.png)"}, [], True),
    "nan": ({}, told("error", '[{"value": NaN}]'), False),
    "infinite": ({}, told("error", '[{"value": [Infinity, -Infinity]}]'), False),
    "no-answer": ({}, [{"outputs": 5}, {"part": 3}, {"part": "keep", "answer": {}}, {"outputs": [[1], "x", None]}],
                  False),
    "digits": ({}, told("error", '[{"value": 1' + "0" * 5000 + "}]"), True),
    "nested": ({}, told("error", "[" * 50_000), True),
    "long": ({}, told("error", "[" + "1," * (LONGEST // 2) + "1]"), True),
    "no-json": ({}, told("error", "\ud83d"), True),
    "by-hand": ({}, told("error", '[{"value": {"tensor": [[1], "save"]}}]'), True),
    "seed": ({}, told("error", '[{"value": {"seed": ' + "9" * 40 + "}}]"), True),
}
LISTED = [pytest.param(name, id=name) for name in ODD]


def hand_in(folder: Path, student: str, cells: dict[str, str]) -> Path:
    path = folder / student / f"{FIRST.name}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(FIRST.with_answers(cells)), encoding="utf-8")  # half a character is spelt out
    return path


def read_csv(path: Path) -> list[dict]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def rows(course: Path) -> dict[str, dict]:
    names = {row["identifier"]: row["student"] for row in read_csv(course / "identifiers.csv")}
    return {names[row["identifier"]]: row for row in read_csv(course / "marks" / f"{FIRST.name}.csv")}


def marked(folder: Path, lines: dict[str, list[dict]], say=lambda _: None) -> Path:
    """Grade a folder, where the box tells what is written here; the course's folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("privgraph.classroom.grading.run_contained", lambda _, student, *__, **___:
                      Ran(lines.get(student, [])))
        grade(folder, folder.with_name("out"), trust=True, jobs=1, say=say)
    return folder.with_name("out")


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """All of these between two honest ones; rows of marks, and what was written when each was said to be done."""
    top, written = tmp_path_factory.mktemp("odd"), []
    lines = {name: lines for name, (_, lines, _) in ODD.items()}
    for student in ("a-honest", "z-honest"):
        hand_in(top / "in", student, FIRST.answers())
        lines[student] = lines_of(FIRST.answers(), student)
    for name, (cells, _, _) in ODD.items():
        hand_in(top / "in", name, cells)
    course = marked(top / "in", lines, lambda line: written.append((line.split()[1], rows(top / "out"))))
    return course, rows(course), written


def test_one_answer_does_not_stop_the_class(odd):
    _, found, _ = odd
    assert found.keys() == {"a-honest", "z-honest", *ODD}
    assert [found[name]["total points"] for name in ("a-honest", "z-honest")] == ["16", "16"]


@pytest.mark.parametrize("name", LISTED)
def test_what_could_not_be_read_waits_for_a_person_and_the_rest_has_its_mark(odd, name):
    course, found, _ = odd
    _, _, waits = ODD[name]
    row = found[name]
    assert row["to grade by hand"] == ("yes" if waits else "no") and row["total points"] == "0"
    part = "repeat" if "emoji" in name or name == "attachment" else "error"
    assert row[part] == ("" if waits else "0"), "what is not known is not zero points"
    listed = {line["student"]: line["why"] for line in read_csv(course / "waiting.csv")}
    assert (name in listed) == (waits and part == "error") and listed.get(name, "error could").startswith("error could")
    page = (course / "feedback" / name / FIRST.name / f"{FIRST.name}.html").read_text(encoding="utf-8")
    assert ("? of 3 points" in page) == (name in listed)


def test_marks_are_written_after_each(odd):
    """When the grader says that one is done, a file holds its marks and all earlier ones."""
    done = [student for student, _ in odd[2]]
    assert done == sorted(["a-honest", "z-honest", *ODD])
    for number, (_, found) in enumerate(odd[2], 1):
        assert list(sorted(found)) == done[:number]


def test_marking_is_guarded_as_a_whole(tmp_path, monkeypatch):
    """Whatever happens with one of them, and wherever; of "late" ones the time is over."""
    kinds = {"memory": MemoryError, "system": OSError, "recursion": RecursionError, "late": None}
    for step in ("marks", "with_marks"):
        monkeypatch.setattr(Submission, step, failing(step, kinds))
        for kind in kinds:
            hand_in(tmp_path / "in", f"{kind}-{step}", {})
    hand_in(tmp_path / "in", "ada", {}), hand_in(tmp_path / "in", "zoe", {})
    said = []
    found = rows(marked(tmp_path / "in", {}, said.append))
    assert [name for name, row in found.items() if row["to grade by hand"] == "no"] == sorted(("ada", "zoe"),
                                                                                               key=list(found).index)
    assert len(found) == 10 and all(found[f"{kind}-marks"][part] == "" for kind in kinds for part in FIRST.parts)
    assert sum("waits for a person: it could not be marked" in line for line in said) == 8


def failing(step: str, kinds: dict):
    """A step of the marking that fails for students whose names say so."""
    before = getattr(Submission, step)

    def fails(self, *arguments):
        kind, _, where = self.student.partition("-")
        if where == step and not self.fault:
            if kinds[kind]:
                raise kinds[kind]("no")
            signal.raise_signal(signal.SIGALRM)
            raise AssertionError("no limit was set")
        return before(self, *arguments)
    return fails


def test_where_nothing_can_be_entered_the_others_are(tmp_path, monkeypatch):
    before = Course.enter
    monkeypatch.setattr(Course, "enter", lambda self, assignment, student, *rest: (
        before(self, assignment, student, *rest) if student != "ada" else 1 / 0))
    monkeypatch.setattr("privgraph.classroom.recording.suspicions", lambda *_: 1 / 0)
    hand_in(tmp_path / "in", "ada", {}), hand_in(tmp_path / "in", "bob", {})
    said = []
    course = marked(tmp_path / "in", {}, said.append)
    assert rows(course).keys() == {"bob"} and "alike.csv could not be made" in said[-1]
    assert [line["student"] for line in read_csv(course / "waiting.csv")] == ["ada"]


def test_a_run_that_cannot_begin_waits_for_a_person(tmp_path, monkeypatch):
    def no_process(cells, student, *_, **__):
        if student == "ada":
            raise OSError("no process is left")
        return Ran([])

    monkeypatch.setattr("privgraph.classroom.grading.run_contained", no_process)
    hand_in(tmp_path / "in", "ada", {}), hand_in(tmp_path / "in", "bob", {})
    grade(tmp_path / "in", tmp_path / "out", trust=True, say=lambda _: None)
    found = rows(tmp_path / "out")
    assert (found["ada"]["to grade by hand"], found["bob"]["to grade by hand"]) == ("yes", "no")


def test_points_given_by_hand_stay_and_are_looked_at_again_once_it_can_be_read(tmp_path):
    course, unread = Course(tmp_path), {part: Mark(0.0, "?", waits=True) for part in FIRST.parts}
    course.add(FIRST)

    def entered(marks, text=None):
        course.enter(FIRST, "ada", marks, FIRST.with_answers({} if text is None else {"repeat": text}))
        row = course.row(FIRST, "ada")
        return row["keep"], row["repeat"], row["to grade by hand"]

    def by_hand(**points):
        with course.gradebook() as book:
            for one in book.find_submission_notebook(FIRST.name, FIRST.name, "ada").grades:
                if (part := one.name.partition("-")[2]) in points:
                    one.manual_score, one.needs_manual_grade = points[part], False
            book.db.commit()

    assert entered(RIGHT, "One.") == ("3", "", "yes")
    by_hand(repeat=3.0)
    assert entered(RIGHT, "One.") == ("3", "3", "no")
    assert entered(unread) == ("", "3", "yes"), "a file that could not be read takes no points away"
    by_hand(**dict.fromkeys(FIRST.parts, 1.0), repeat=2.0)
    assert entered(unread) == ("1", "2", "no")
    assert entered(RIGHT, "One.") == ("1", "2", "yes") == entered(RIGHT, "One.")


class Hostile:
    """A class with which a grader that looks at objects would come to grief."""

    __class__ = list

    def __eq__(self, other):
        raise SystemError

    def __repr__(self):
        raise SystemError

    __hash__, __iter__ = None, None


class Silent(Exception):
    def __str__(self):
        raise SystemError


def cyclic():
    found = []
    found.append(found)
    return found


def raising():
    raise Silent


@pytest.mark.parametrize("answer", [
    Hostile, lambda: [Hostile()], lambda: {1: Hostile()}, cyclic, raising, lambda: (x for x in "ab"), lambda: 10**5000,
    lambda: "x" * 100_000_000, lambda: __import__("torch").empty(2, device="meta"), lambda: object(),
    lambda: __import__("torch").eye(2).to_sparse(), lambda: __import__("numpy").array([{}, object()], dtype=object),
    lambda: {"a": {1, ("b", 2.0)}, 3: float("nan")}, lambda: [10**400, float("inf")], lambda: "\ud83d",
    lambda: {frozenset({1}): 2}, lambda: bytes(5), lambda: type, lambda: {}[Hostile], lambda: ...])
def test_an_odd_object_is_told_as_data_or_as_an_error(monkeypatch, answer):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data[MIME]))
    tell({"f": answer}, "f", "[[]]")
    said, = json.loads(shown[0])
    assert len(shown[0]) < 1000 and len(said) == 1
    mark = Part("f", lambda _: 1.0, lambda _: [()]).mark({}, [said])
    assert mark.share == 0 and (not mark.waits or "value" in said)


def test_numbers_beyond_floats_are_wrong_and_no_error():
    assert not close(10**400, 1.0, 1e-6) and not close(1.0, 10**400, 1e-6) and close(10**400, 10**400, 0)
    normal = __import__("scipy.stats").stats.norm()
    assert not follows([10**400, 1.0], normal, 1e-7) and not follows([{}], {0: 1.0}, 1e-7)


def test_a_comparison_that_was_made_to_last_is_ended():
    """Numbers with one hash: a set of n of them takes n * n steps."""
    numbers = [number * (2**61 - 1) for number in range(60_000)]
    with pytest.raises(TimeoutError, match="longer than 0.2 seconds"), within(0.2):
        __import__("privgraph.teach").teach.unpack({"set": numbers})
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_an_answer_that_cannot_be_read_is_one():
    found = dict(answers(told("a", "[") + told("b", "[" * LONGEST) + told("c", "1")))
    assert found == {"a": UNREAD, "b": UNREAD, "c": 1}
    assert Part("x", lambda _: 1).mark({}, UNREAD).waits and not Part("x", lambda _: 1).mark({}, None).waits


@pytest.mark.parametrize("source", ["+".join("1" * 900), "x = 0x" + "f" * 5000, "\ud83d", "x" * 10**6, "(" * 300,
                                    "f'{x!r:{y}}' f\"{'a' + \"b\"}\""])
def test_a_program_that_cannot_be_taken_apart_is_its_text(source):
    assert program(source) and isinstance(program(source), str)


# --- What is no plain file.


@pytest.fixture(scope="module")
def strange(tmp_path_factory):
    """A folder of submissions with one honest one; what is not what it seems, by student."""
    top, name = tmp_path_factory.mktemp("strange"), f"{FIRST.name}.ipynb"
    solution = top / "solution" / name
    solution.parent.mkdir()
    solution.write_text(json.dumps(FIRST.with_answers(FIRST.answers() | {"repeat": "THE SOLUTION"})))
    hand_in(top / "in", "a-honest", {}), hand_in(top / "in", "z-honest", {})
    for student in ("link", "chain", "dangling", "pipe", "device", "hard", "folder", "socket", "large", "neighbour"):
        (top / "in" / student).mkdir()
    (top / "in" / "link" / name).symlink_to(solution)
    (top / "in" / "chain" / name).symlink_to("../link/" + name)
    (top / "in" / "neighbour" / name).symlink_to("../a-honest/" + name)
    (top / "in" / "dangling" / name).symlink_to("nowhere")
    os.mkfifo(top / "in" / "pipe" / name)
    (top / "in" / "device" / name).symlink_to("/dev/zero")
    os.link(solution, top / "in" / "hard" / name)
    (top / "in" / "folder" / name).mkdir()
    with open(top / "in" / "large" / name, "wb") as file:
        file.truncate(10**12)
    (top / "in" / "linked-folder").symlink_to(solution.parent, target_is_directory=True)
    hand_in(top / "in", "=cmd|' calc'!A0 \x1b[2J", {}), (top / "in" / ".hidden").mkdir()
    os.mkfifo(top / "in" / "pipe-for-a-folder")
    here = os.getcwd()
    os.chdir(top / "in" / "socket")  # the name of a socket may have 107 bytes
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(name)
    os.chdir(here)
    said, lines = [], {student: lines_of(FIRST.answers(), student) for student in ("link", "hard")}
    return marked(top / "in", lines, said.append), said


WHY = {"link": "a link, and links", "chain": "a link, and links", "neighbour": "a link, and links",
       "dangling": "a link, and links", "device": "a link, and links", "pipe": "it is a pipe",
       "hard": "a second name", "folder": "it is a folder", "socket": "it is a socket", "large": "more than 20,000,000"}


@pytest.mark.parametrize("student", WHY)
def test_only_plain_files_are_read(strange, student):
    course, said = strange
    row = rows(course)[student]
    assert row["total points"] == "0" and row["to grade by hand"] == "yes" and row["error"] == ""
    assert any(student in line and WHY[student] in line for line in said)
    assert WHY[student] in next(line["why"] for line in read_csv(course / "waiting.csv") if line["student"] == student)


def test_nothing_of_a_solution_is_shown_and_the_honest_are_graded(strange):
    course, _ = strange
    for path in course.rglob("*"):
        if path.is_file() and path.name != "gradebook.db" and "source" not in path.parts:
            assert "THE SOLUTION" not in path.read_text(encoding="utf-8"), path
    found = rows(course)
    assert found.keys() == {"a-honest", "z-honest", *WHY}
    assert found["a-honest"]["to grade by hand"] == found["z-honest"]["to grade by hand"] == "no"


def test_a_folder_that_is_none_is_said_to_be_none(strange):
    course, said = strange
    listed = {line["student"]: line["why"] for line in read_csv(course / "waiting.csv") if not line["assignment"]}
    assert listed["linked-folder"] == "is a link, and links are not followed"
    assert listed["pipe-for-a-folder"] == "is a pipe"
    hostile = next(name for name in listed if "cmd" in name)
    assert len(listed) == 3
    assert hostile.startswith("'=cmd") and "\x1b" not in hostile
    assert all(line.isprintable() for line in said)


def test_what_was_exchanged_after_a_look_is_not_followed(tmp_path, monkeypatch):
    """Even if the look saw a plain file in a plain folder."""
    (tmp_path / "in" / "ada").mkdir(parents=True)
    (tmp_path / "solution").mkdir()
    hand_in(tmp_path, "secret", {"repeat": "THE SOLUTION"})
    secret = tmp_path / "secret" / f"{FIRST.name}.ipynb"
    monkeypatch.setattr(files, "kind_of", lambda *_: "a file")
    (tmp_path / "in" / "ada" / secret.name).symlink_to(secret)
    (tmp_path / "in" / "bob").symlink_to(secret.parent, target_is_directory=True)
    for student in ("ada", "bob"):
        found = Submission.read(tmp_path / "in" / student / secret.name, student, FIRST)
        assert found.fault and "THE SOLUTION" not in json.dumps(found.notebook)


def test_a_file_that_grows_while_it_is_read_is_cut(tmp_path):
    with open(tmp_path / "grown", "wb") as file:
        file.truncate(LARGEST + 1)
    descriptor = os.open(tmp_path / "grown", os.O_RDONLY)
    with pytest.raises(ValueError, match="more than 20,000,000 bytes"):
        files.read_all(descriptor, 0)
    os.close(descriptor)


def test_a_folder_of_very_many_entries_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST", 3)
    for number in range(4):
        (tmp_path / f"s{number}").mkdir()
    with pytest.raises(ValueError, match="may hold 3 entries"):
        files.entries(tmp_path)


@pytest.mark.parametrize("cells, words", [
    ([{"cell_type": "raw", "metadata": {}, "source": "x"}] * (MOST_CELLS + 1), "more than 1,000 cells"),
    ([{"cell_type": "raw", "metadata": {}, "source": ["x" * MOST_TEXT, "y"]}], "more than 1,000,000 characters")])
def test_what_no_person_could_read_is_not_read(tmp_path, cells, words):
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells}))
    found = Submission.read(path, "ada", FIRST)
    assert words in found.fault and all(mark.waits for mark in found.marks([]).values())


# --- What students wrote is shown as text.

TEXTS = essays("http://127.0.0.1:9")


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_shown_as_text(text):
    """As nbconvert renders it: one block of code that holds all of the text, and nothing else."""
    from nbconvert.filters.markdown_mistune import markdown2html_mistune
    soup = BeautifulSoup(markdown2html_mistune(fenced(text)), "html.parser")
    assert [tag.name for tag in soup.find_all(True)] == ["pre", "code"] and soup.pre.attrs == soup.code.attrs == {}
    assert soup.get_text().strip() == soup.code.get_text().strip()
    assert squeezed(soup.get_text()) == squeezed(text)


def squeezed(text: str) -> str:
    return "".join(c for c in text if c.isprintable() and not c.isspace())


def test_what_is_written_holds_no_markup_and_the_text_is_kept_beside(tmp_path):
    course = Course(tmp_path)
    course.add(FIRST)
    notebook = FIRST.with_answers({"repeat": TEXTS[0]})
    notebook.cells += [new_markdown_cell(text, attachments={"x.svg": {"image/svg+xml": "<svg>"}}) for text in TEXTS[1:]]
    notebook.metadata["title"] = notebook.metadata.kernelspec["name"] = "<script>"
    for cell in notebook.cells:
        cell.metadata["style"] = cell.id = f"\"><script>{RUN}</script>"
        if cell.cell_type == "code":
            cell.outputs = [new_output("display_data", data={"text/html": "<b>x</b>", "image/svg+xml": "<svg>"}),
                            new_output("display_data", data={"image/png": "\"><script>"}, metadata={"image/png": {}}),
                            new_output("display_data", data={"image/png": PIXEL}, metadata={"image/png": {"width": 1}}),
                            new_output("stream", text="\x1b[1mb")]
    course.enter(FIRST, "ada", RIGHT, notebook)
    found = nbformat.read(tmp_path / "autograded" / "ada" / FIRST.name / f"{FIRST.name}.ipynb", 4)
    nbformat.validate(found)
    own = {cell.source for cell in FIRST.for_students().cells}
    texts = [cell.source for cell in found.cells if cell.cell_type == "markdown" and cell.source not in own]
    assert len(texts) == len(TEXTS) and all(text.startswith("```") for text in texts)
    assert [cell.id for cell in found.cells] == [f"cell-{number}" for number in range(len(found.cells))]
    assert not any("attachments" in cell or "style" in cell.metadata for cell in found.cells)
    shown = [new_output("display_data", data={"image/png": PIXEL}), new_output("stream", text="b")]
    assert all(cell.outputs == shown for cell in found.cells if cell.cell_type == "code")
    assert "<script>" not in json.dumps(found.metadata)
    kept = sorted((tmp_path / "texts" / "ada" / FIRST.name).iterdir())
    assert {path.read_bytes() for path in kept} == {text.encode() for text in TEXTS}
    assert (tmp_path / "texts" / "ada" / FIRST.name / "essay-repeat.txt").read_text() == TEXTS[0]


def test_what_an_earlier_version_left_is_mended(tmp_path, monkeypatch):
    course = Course(tmp_path)
    course.add(FIRST)
    with monkeypatch.context() as patch:
        patch.setattr(gradebook, "neutral", lambda notebook, ours: notebook.copy())
        patch.setattr(gradebook, "NEUTRAL", "before")
        course.enter(FIRST, "ada", RIGHT, FIRST.with_answers({"repeat": TEXTS[0]}))
    page = tmp_path / "feedback" / "ada" / FIRST.name / f"{FIRST.name}.html"
    page.parent.mkdir(parents=True)
    page.write_text(f"<html><head></head><body>{TEXTS[0]}</body></html>")
    path = tmp_path / "autograded" / "ada" / FIRST.name / f"{FIRST.name}.ipynb"
    assert sources(path)["essay-repeat"] == TEXTS[0]
    course.add(FIRST)
    assert sources(path)["essay-repeat"] == fenced(TEXTS[0]) and "<script>" not in page.read_text()
    before = path.read_bytes()
    course.add(FIRST)
    assert path.read_bytes() == before, "it is done once"


def sources(path: Path) -> dict[str, str]:
    return gradebook.sources(nbformat.read(path, 4))


def test_a_notebook_that_is_ours_stays_as_it_is():
    ours = FIRST.for_students()
    shown = neutral(ours, ours)
    assert [cell.source for cell in shown.cells] == [cell.source for cell in ours.cells]
    assert gradebook.sources(shown) == gradebook.sources(ours) and shown.metadata == ours.metadata


def test_a_page_says_what_it_may_load_before_anything_else():
    page = inert("<!DOCTYPE html><html><head><title>x</title></head><body style='color: red'><!-- c -->"
                 "<![CDATA[ x ]]><p style='background: image-set(\"http://a\" 1x)'>a</p></body></html>")
    assert page.startswith("<!DOCTYPE html>\n<html><head><meta content=\"default-src 'none'; img-src data:; style-src "
                           "'unsafe-inline'\" http-equiv=\"Content-Security-Policy\"/>") or page.startswith(
        "<!DOCTYPE html>\n<html><head><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "img-src data:; style-src 'unsafe-inline'\"/>")
    assert page.endswith("<body><p>a</p></body></html>")


@pytest.mark.parametrize("content", ["\"><script>", "", "AAAA", 5, None, PIXEL[:20], "é", PIXEL.replace("A", "<")])
def test_a_picture_that_is_none_is_left_out(content):
    assert picture(content) == ""
    assert list(outputs([["image/png", content]])) == [] and picture(PIXEL + "\n") == PIXEL


def test_a_picture_that_unfolds_is_left_out():
    import base64
    large = bytearray(base64.b64decode(PIXEL))
    large[16:24] = (60_000).to_bytes(4, "big") * 2
    assert picture(base64.b64encode(large).decode()) == ""


@pytest.mark.parametrize("value", ["=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", " =1", "\n=1", "|x", "%x",
                                   "=cmd|' /C calc'!A0", "-x", "\u00a0=1"])
def test_no_cell_of_a_table_is_a_formula(tmp_path, value):
    write_csv(tmp_path / "a.csv", [{"identifier": value, "points": "-2.5", "n": 3}])
    row, = read_csv(tmp_path / "a.csv")
    assert row["identifier"].startswith("'") or row["identifier"].lstrip()[0] not in "=+-@|%"
    assert row["points"] == "-2.5" and row["n"] == "3" and spreadsheet("ada b-c") == "ada b-c"


def test_a_terminal_is_told_nothing_but_text():
    hostile = "\x1b[2J\x1b]8;;http://a\x07x\x9b31m\u202e\r\n\ud83d\x00é"
    assert one_line(hostile).isprintable() and one_line(hostile).endswith("é") and pack(1) == 1
