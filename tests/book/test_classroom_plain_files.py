"""Only plain files are read: a link to the solution gives no marks, a pipe and an endless device hold nobody up."""

import json
import os
import socket

import pytest

from handed_in import FIRST, hand_in, lines_of, marked, read_csv, rows
from privbook.classroom import plain_files
from privbook.classroom.recognising import MOST_CELLS, MOST_TEXT
from privbook.classroom.stripping import LARGEST, without_outputs
from privbook.classroom.submissions import Submission


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
       "hard": "a second name", "folder": "it is a folder", "socket": "it is a socket",
       "large": "more than 200,000,000"}


@pytest.mark.slow
@pytest.mark.parametrize("student", WHY)
def test_only_plain_files_are_read(strange, student):
    course, said = strange
    row = rows(course)[student]
    assert row["total points"] == "0" and row["to grade by hand"] == "yes" and row["error"] == ""
    assert any(student in line and WHY[student] in line for line in said)
    assert WHY[student] in next(line["why"] for line in read_csv(course / "waiting.csv") if line["student"] == student)


@pytest.mark.slow
def test_nothing_of_a_solution_is_shown_and_the_honest_are_graded(strange):
    course, _ = strange
    for path in course.rglob("*"):
        if path.is_file() and path.name != "gradebook.db" and "source" not in path.parts:
            assert "THE SOLUTION" not in path.read_text(encoding="utf-8"), path
    found = rows(course)
    assert found.keys() == {"a-honest", "z-honest", *WHY}
    assert found["a-honest"]["to grade by hand"] == found["z-honest"]["to grade by hand"] == "no"


@pytest.mark.slow
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
    monkeypatch.setattr(plain_files, "kind_of", lambda *_: "a file")
    (tmp_path / "in" / "ada" / secret.name).symlink_to(secret)
    (tmp_path / "in" / "bob").symlink_to(secret.parent, target_is_directory=True)
    for student in ("ada", "bob"):
        found = Submission.read(tmp_path / "in" / student / secret.name, student, FIRST)
        assert found.fault and "THE SOLUTION" not in json.dumps(found.notebook)


def test_a_file_that_grows_while_it_is_read_is_cut(tmp_path, monkeypatch):
    monkeypatch.setattr(plain_files, "LARGEST", 20_000)
    with open(tmp_path / "grown", "wb") as file:
        file.truncate(20_001)
    descriptor = os.open(tmp_path / "grown", os.O_RDONLY)
    with pytest.raises(ValueError, match="more than 20,000 bytes"):
        plain_files.read_all(descriptor, 0)
    os.close(descriptor)


def test_a_folder_of_very_many_entries_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(plain_files, "MOST", 3)
    for number in range(4):
        (tmp_path / f"s{number}").mkdir()
    with pytest.raises(ValueError, match="may hold 3 entries"):
        plain_files.entries(tmp_path)


@pytest.mark.parametrize("cells, words", [
    ([{"cell_type": "raw", "metadata": {}, "source": "x"}] * (MOST_CELLS + 1), "more than 1,000 cells"),
    ([{"cell_type": "raw", "metadata": {}, "source": ["x" * MOST_TEXT, "y"]}], "more than 1,000,000 characters")])
def test_what_no_person_could_read_is_not_read(tmp_path, cells, words):
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells}))
    found = Submission.read(path, "ada", FIRST)
    assert words in found.fault and all(mark.waits for mark in found.marks([]).values())


@pytest.mark.slow
def test_what_a_notebook_shows_does_not_count_as_its_size(tmp_path):
    """50 MB of plots and a pasted picture."""
    notebook = json.loads(json.dumps(FIRST.with_answers({"keep": "keep = 3"})))
    for number, cell in enumerate(notebook["cells"][:5]):
        picture = {"image/png": "A" * (LARGEST // 2)}
        cell["outputs" if number else "attachments"] = [{"output_type": "display_data", "data": picture}]
    path = tmp_path / "ada" / "a.ipynb"
    path.parent.mkdir()
    path.write_text(json.dumps(notebook))
    found = Submission.read(path, "ada", FIRST)
    assert path.stat().st_size > 2 * LARGEST and found.fault == ""
    assert any(cell.source == "keep = 3" for cell in found.notebook.cells)


@pytest.mark.slow
@pytest.mark.parametrize("content, words", [
    (b"[" + b"[]," * 60_000_000 + b"1]", "cannot be taken out"), (b"x" * (LARGEST + 1), "cannot be taken out"),
    (json.dumps({"cells": [], "metadata": "x" * LARGEST}).encode(), "without its outputs")],
    ids=["unfolds", "no-notebook", "metadata"])
def test_what_is_too_large_without_that_is_refused(content, words):
    with pytest.raises(ValueError, match=words):
        without_outputs(content)
