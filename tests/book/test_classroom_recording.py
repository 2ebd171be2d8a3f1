"""One answer stops no class: what cannot be read or marked waits for a person, and the others have their marks."""

import json
import os
import signal

import numpy as np
import pytest
import torch
from scipy import stats

from handed_in import FIRST, hand_in, lines_of, marked, read_csv, rows, sent
from privbook.classroom import Mark, Part
from privbook.classroom.alike import statements
from privbook.classroom.containing import Executed
from privbook.classroom.gradebook import Course
from privbook.classroom.grading import grade
from privbook.classroom.judging import UNREAD, close, follows
from privbook.classroom.submissions import LONGEST, Submission, answers, reason
from privbook.classroom.time_limit import within
from privgraph.teach import hold, tell, unpack
from privgraph.teach.handing_in import MIME

RIGHT = {part: Mark(1.0, "Right.") for part in FIRST.parts}

# Student -> what was handed in, what came out of the box, whether it waits for a person.
ODD = {
    "power": ({}, sent("error", '[{"value": 1' + "0" * 400 + "}]"), False),
    "power-drawn": ({}, sent("respond", json.dumps([{"value": [10**400]}] * 4)), False),
    "dictionaries": ({}, sent("respond", json.dumps([{"value": [{"dict": []}] * 9}] * 4)), False),
    "dictionaries-for-a-number": ({}, sent("error", '[{"value": [{"dict": [["a", 1]]}, {"dict": []}]}]'), False),
    "terms": ({"keep": "x = " + "+".join(["1"] * 900)}, [], False),
    "digits-in-the-program": ({"keep": "x = 0x" + "f" * 5000}, [], False),
    "nested-program": ({"keep": "x = " + "[" * 500 + "]" * 500}, [], False),
    "half-an-emoji": ({"repeat": "half \ud83d", "keep": "# half \udc00"}, [], True),
    "half-an-emoji-in-an-error": ({}, sent("error", '[{"error": "ValueError: \\ud83d"}]'), False),
    "half-an-emoji-shown": ({}, [{"outputs": [["stdout", "\ud83d"]]}], False),
    "attachment": ({"repeat": "![x](attachment:missing.png)"}, [], True),
    "nan": ({}, sent("error", '[{"value": NaN}]'), False),
    "infinite": ({}, sent("error", '[{"value": [Infinity, -Infinity]}]'), False),
    "no-answer": ({}, [{"outputs": 5}, {"part": 3}, {"part": "keep", "answer": {}}, {"outputs": [[1], "x", None]}],
                  False),
    "digits": ({}, sent("error", '[{"value": 1' + "0" * 5000 + "}]"), True),
    "nested": ({}, sent("error", "[" * 50_000), True),
    "long": ({}, sent("error", "[" + "1," * (LONGEST // 2) + "1]"), True),
    "no-json": ({}, sent("error", "\ud83d"), True),
    "by-hand": ({}, sent("error", '[{"value": {"tensor": [[1], "save"]}}]'), True),
    "seed": ({}, sent("error", '[{"value": {"seed": ' + "9" * 40 + "}}]"), True),
}
LISTED = [pytest.param(name, id=name) for name in ODD]


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


@pytest.mark.slow
def test_one_answer_does_not_stop_the_class(odd):
    _, found, _ = odd
    assert found.keys() == {"a-honest", "z-honest", *ODD}
    assert [found[name]["total points"] for name in ("a-honest", "z-honest")] == ["16", "16"]


@pytest.mark.slow
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


@pytest.mark.slow
def test_marks_are_written_after_each(odd):
    """When the grader says that one is done, a file holds its marks and all earlier ones."""
    done = [student for student, _ in odd[2]]
    assert done == sorted(["a-honest", "z-honest", *ODD])
    for number, (_, found) in enumerate(odd[2], 1):
        assert list(sorted(found)) == done[:number]


@pytest.mark.slow
def test_one_student_again_alone_has_the_same_file_graded_and_others_keep_their_marks(tmp_path):
    """The newest, though another sorts behind it."""
    for student in ("ada", "bob"):
        older = hand_in(tmp_path / "in", student, {})
        newest = older.with_name(f"{FIRST.name} (1).ipynb")
        newest.write_bytes(older.read_bytes())
        os.utime(older, (1e9, 1e9)), os.utime(newest, (1e9 + 1, 1e9 + 1))
    answers_of = {student: lines_of(FIRST.answers(), student) for student in ("ada", "bob")}
    course = marked(tmp_path / "in", answers_of)
    first, files = rows(course), read_csv(course / "files.csv")
    marked(tmp_path / "in", {}, students=["ada"])
    assert [row["file"] for row in files if row["what"] == "graded"] == [
        f"{student}/{FIRST.name} (1).ipynb" for student in ("ada", "bob")]
    assert read_csv(course / "files.csv") == [row for row in files if row["student"] == "ada"]
    assert rows(course)["bob"] == first["bob"] and rows(course)["ada"] != first["ada"]
    with pytest.raises(ValueError, match="student must be one of those with a notebook in .*, got carl"):
        marked(tmp_path / "in", {}, students=["ada", "carl"])


def test_an_answer_that_is_held_is_that_notebook_s_alone():
    """In one process, where several are asked."""
    first, second = {"f": lambda: 1}, {}
    for namespace in (first, second):
        hold(namespace, "f")
    hold(second, "other")
    first["f"] = 3
    told = []
    for namespace in (first, second):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("IPython.display.display", lambda data, **_: told.append(data[MIME]))
            tell(namespace, "f", "[[]]")
    assert told[0] == '[{"value": 1}]' and "error" in told[1] and "f" not in second


def test_marking_is_guarded_as_a_whole(tmp_path, monkeypatch):
    """Whatever happens with one of them, and wherever; of "late" ones the time is over."""
    kinds = {"memory": MemoryError, "system": OSError, "recursion": RecursionError, "late": None}
    for step in ("marks", "with_marks"):
        monkeypatch.setattr(Submission, step, failing(step, kinds))
        for kind in kinds:
            hand_in(tmp_path / "in", f"{kind}-{step}", {})
    hand_in(tmp_path / "in", "ada", {}), hand_in(tmp_path / "in", "zoe", {})
    monkeypatch.setattr(Course, "feedback", lambda *_: None)  # most of the time, and not what is tried
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
            signal.raise_signal(signal.SIGPROF)
            raise AssertionError("no limit was set")
        return before(self, *arguments)
    return fails


@pytest.mark.slow
def test_where_nothing_can_be_entered_the_others_are(tmp_path, monkeypatch):
    before = Course.enter
    monkeypatch.setattr(Course, "enter", lambda self, assignment, student, *rest: (
        before(self, assignment, student, *rest) if student != "ada" else 1 / 0))
    monkeypatch.setattr("privbook.classroom.recording.suspicions", lambda *_: 1 / 0)
    hand_in(tmp_path / "in", "ada", {}), hand_in(tmp_path / "in", "bob", {})
    said = []
    course = marked(tmp_path / "in", {}, said.append)
    assert rows(course).keys() == {"bob"} and "alike.csv could not be made" in said[-1]
    assert [line["student"] for line in read_csv(course / "waiting.csv")] == ["ada"]


@pytest.mark.slow
def test_a_run_that_cannot_begin_waits_for_a_person(tmp_path, monkeypatch):
    def no_process(cells, student, *_, **__):
        if student == "ada":
            raise OSError("no process is left")
        return Executed([])

    monkeypatch.setattr("privbook.classroom.grading.run_contained", no_process)
    hand_in(tmp_path / "in", "ada", {}), hand_in(tmp_path / "in", "bob", {})
    grade(tmp_path / "in", tmp_path / "out", trust=True, say=lambda _: None)
    found = rows(tmp_path / "out")
    assert (found["ada"]["to grade by hand"], found["bob"]["to grade by hand"]) == ("yes", "no")


@pytest.mark.slow
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
    lambda: "x" * 100_000_000, lambda: torch.empty(2, device="meta"), lambda: object(),
    lambda: torch.eye(2).to_sparse(), lambda: np.array([{}, object()], dtype=object),
    lambda: {"a": {1, ("b", 2.0)}, 3: float("nan")}, lambda: [10**400, float("inf")], lambda: "\ud83d",
    lambda: {frozenset({1}): 2}, lambda: bytes(5), lambda: type, lambda: {}[Hostile], lambda: ...])
def test_an_odd_object_is_told_as_data_or_as_an_error(monkeypatch, answer):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data[MIME]))
    tell({"f": answer}, "f", "[[]]")
    said, = json.loads(shown[0])
    assert len(shown[0]) < 1000 and len(said) == 1
    mark = Part("f", lambda _: 1.0, lambda _: [()]).mark({}, [said])
    assert mark.fraction == 0 and (not mark.waits or "value" in said)


def test_numbers_beyond_floats_are_wrong_and_no_error():
    assert not close(10**400, 1.0, 1e-6) and not close(1.0, 10**400, 1e-6) and close(10**400, 10**400, 0)
    assert not follows([10**400, 1.0], stats.norm(), 1e-7) and not follows([{}], {0: 1.0}, 1e-7)


def test_a_comparison_that_was_made_to_last_is_ended():
    """Numbers with one hash: a set of n of them takes n * n steps."""
    numbers = [number * (2**61 - 1) for number in range(60_000)]
    with pytest.raises(TimeoutError, match="longer than 0.2 seconds"), within(0.2):
        unpack({"set": numbers})
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)


def test_an_answer_that_cannot_be_read_is_one():
    found = dict(answers(sent("a", "[") + sent("b", "[" * LONGEST) + sent("c", "1")))
    assert found == {"a": UNREAD, "b": UNREAD, "c": 1}
    assert Part("x", lambda _: 1).mark({}, UNREAD).waits and not Part("x", lambda _: 1).mark({}, None).waits


@pytest.mark.parametrize("source", ["+".join("1" * 900), "x = 0x" + "f" * 5000, "\ud83d", "x" * 10**6, "(" * 300,
                                    "f'{x!r:{y}}' f\"{'a' + \"b\"}\""])
def test_a_program_that_cannot_be_taken_apart_is_its_words(source):
    assert isinstance(statements(source), frozenset)


def test_an_error_that_holds_all_of_a_file_is_said_in_short():
    """Writing it out took 16 seconds."""
    class Slow(Exception):
        def __str__(self):
            raise AssertionError("it was written out")

    assert reason(Slow({"cells": "x" * 10**7}, "the end")) == "Slow: the end" and reason(Slow(b"x")) == "Slow"
    assert len(reason(ValueError("x" * 10**7))) < 300
