"""Submissions that are marked without the box: what would come out of it is written by the test."""

import csv
import functools
import json
from pathlib import Path

import nbgrader.api
import pytest

from privbook.classroom import assignments
from privbook.classroom.containing import Executed
from privbook.classroom.fixtures import run_here
from privbook.classroom.grading import grade
from privbook.classroom.submissions import Submission

# Each new gradebook asks a process of a second for the number of its tables' version, which is the same for all.
nbgrader.api.get_alembic_version = functools.cache(nbgrader.api.get_alembic_version)
FIRST = assignments()["01-randomised-response"]


def sent(part: str, answer: str) -> list[dict]:
    return [{"part": part, "answer": answer}]


def lines_of(cells: dict[str, str], student: str) -> list[dict]:
    return list(run_here(Submission(student, FIRST, FIRST.with_answers(cells))))


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


def marked(folder: Path, lines: dict[str, list[dict]], say=lambda _: None, students=()) -> Path:
    """Grade a folder, where the box tells what is written here; the course's folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("privbook.classroom.gradebook.Course.unknown", lambda *_: "")  # what is written asks for no more
        patch.setattr("privbook.classroom.grading.run_contained", lambda _, student, *__, **___:
                      Executed(lines.get(student, [])))
        grade(folder, folder.with_name("out"), students=students, trust=True, jobs=1, say=say)
    return folder.with_name("out")
