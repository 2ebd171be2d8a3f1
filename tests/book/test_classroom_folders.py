"""What people make of STUDENT/ASSIGNMENT.ipynb: each file below the folder is graded, or left out with the reason."""

import json
import os
from pathlib import Path

import pytest

from handed_in import FIRST
from privbook.classroom import assignments, folders
from privbook.classroom.folders import accounted, handed_in
from privbook.classroom.submissions import assignment_of

KNOWN = assignments()
NAME, SECOND = FIRST.name, "02-composition-and-sampling"


def laid(top: Path, *paths: str) -> Path:
    """A folder with these files, each a second newer than the one before."""
    for number, path in enumerate(paths):
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text("{}")
        os.utime(top / path, (1e9 + number, 1e9 + number))
    return top


def graded(top: Path) -> dict[str, str]:
    """"student assignment" -> the file."""
    return {f"{one.student} {one.assignment[:2]}": str(one.path) for one in handed_in(top, KNOWN)[0]}


@pytest.mark.parametrize("name", [
    f"{NAME}.ipynb", f"{NAME} (1).ipynb", f"{NAME}-Copy1.ipynb", f"{NAME}-1.ipynb", f"{NAME.upper()}.ipynb",
    f"{NAME.replace('-', '_')}.ipynb", f"{NAME}.IPYNB", f"deeper/{NAME}.ipynb", f"{NAME}/{NAME}.ipynb",
    f"{NAME}(2).ipynb", f"{NAME.replace('-', ' ')} - Copy (3).ipynb", f"{NAME}.ipynb.txt", f"{NAME}.ipynb.json",
    f"{NAME}_final.ipynb",
    f"Ada Lovelace {NAME}.ipynb", f"a/b/c/{NAME} (1) (2).ipynb", f"{NAME} copy.ipynb", f"{NAME} Kopie 2.ipynb",
    f"{NAME}.ipynb/{NAME}.ipynb", f"{NAME}-12.ipynb", f"{NAME}__.ipynb"])
def test_names_that_people_and_computers_give_are_known(tmp_path, name):
    assert graded(laid(tmp_path, f"ada/{name}", f"bob/{NAME}.ipynb")) == {
        "ada 01": f"ada/{name}", "bob 01": f"bob/{NAME}.ipynb"}


def test_a_notebook_whose_name_says_nothing_is_known_by_its_cells(tmp_path):
    laid(tmp_path, "ada/Untitled.ipynb", "ada/notes.ipynb", "bob/homework 2.ipynb")
    (tmp_path / "ada" / "Untitled.ipynb").write_text(json.dumps(FIRST.with_answers(FIRST.answers())))
    (tmp_path / "bob" / "homework 2.ipynb").write_text(json.dumps(KNOWN[SECOND].for_students()))
    found, left = handed_in(tmp_path, KNOWN, lambda path: assignment_of(path, tmp_path, KNOWN))
    assert [(one.student, one.assignment) for one in found] == [("ada", NAME), ("bob", SECOND)]
    assert [(str(one.path), one.meant) for one in left] == [("ada/notes.ipynb", True)]


def test_the_newest_of_several_is_graded_and_the_others_are_said_to_be_older(tmp_path):
    laid(tmp_path, f"ada/{NAME} (1).ipynb", f"ada/{NAME}.ipynb", f"ada/{SECOND}.ipynb", f"bob/{NAME}-1.ipynb")
    found, left = handed_in(tmp_path, KNOWN)
    assert [str(one.path) for one in found] == [f"ada/{NAME}.ipynb", f"ada/{SECOND}.ipynb", f"bob/{NAME}-1.ipynb"]
    assert [(str(one.path), one.why) for one in left] == [
        (f"ada/{NAME} (1).ipynb", f"is older than ada/{NAME}.ipynb, which is graded")]


def test_of_equally_old_ones_the_highest_number_counts(tmp_path):
    laid(tmp_path, *(f"ada/{NAME}{end}.ipynb" for end in (" (2)", " (10)", "", "-Copy1")))
    for path in (tmp_path / "ada").iterdir():
        os.utime(path, (1e9, 1e9))
    assert graded(tmp_path) == {"ada 01": f"ada/{NAME} (10).ipynb"}


def test_a_link_beside_a_file_is_not_graded(tmp_path):
    laid(tmp_path, f"ada/{NAME}.ipynb")
    (tmp_path / "ada" / f"{NAME} (1).ipynb").symlink_to(tmp_path / "ada" / f"{NAME}.ipynb")
    found, left = handed_in(tmp_path, KNOWN)
    assert [str(one.path) for one in found] == [f"ada/{NAME}.ipynb"] and "a link" in left[0].why


LEFT = {"README.md": "lies beside", f"{NAME}.ipynb": "lies beside", "all.zip": "an archive", ".DS_Store": "is hidden",
        f"__MACOSX/ada/._{NAME}.ipynb": "", "ada/.DS_Store": "is hidden", f"ada/._{NAME}.ipynb": "by macOS",
        f"ada/.ipynb_checkpoints/{NAME}-checkpoint.ipynb": "automatic copy", "ada/plot.png": "no notebook",
        "ada/old.zip": "an archive", f"ada/{NAME}.py": "no notebook", f"ada/{NAME}.html": "no notebook",
        "ada/thesis.ipynb": "neither its name", "ada lovelace/deep/more.txt": "no notebook",
        f"ada lovelace/{NAME}.ipynb": "folder's name", "empty/notes.txt": "no notebook"}


def test_every_file_is_accounted_for(tmp_path):
    laid(tmp_path, f"ada/{NAME}.ipynb", *LEFT)
    rows = {row["file"]: row["what"] for row in accounted(*handed_in(tmp_path, KNOWN))}
    assert rows.pop(f"ada/{NAME}.ipynb") == "graded" and "by macOS" in rows.pop("__MACOSX")
    assert "made of letters" in rows.pop("ada lovelace") and "no notebook of an" in rows.pop("empty")
    for path, why in LEFT.items():
        assert path.startswith("__MACOSX") or why in rows.pop(path), path
    assert rows == {}


def test_what_may_be_meant_as_a_submission_is_told_from_what_is_not(tmp_path):
    laid(tmp_path, f"ada/{NAME}.ipynb", *LEFT)
    meant = {str(one.path) for one in handed_in(tmp_path, KNOWN)[1] if one.meant}
    assert meant == {f"{NAME}.ipynb", "ada/thesis.ipynb", "ada lovelace", "empty"}


def test_what_was_unpacked_one_folder_deeper_is_found(tmp_path):
    laid(tmp_path, f"class 3/ada/{NAME}.ipynb", f"class 3/bob/x/{NAME}.ipynb", "list.csv", "class 3/notes.txt")
    assert graded(tmp_path) == {"ada 01": f"class 3/ada/{NAME}.ipynb", "bob 01": f"class 3/bob/x/{NAME}.ipynb"}
    assert {row["file"] for row in accounted(*handed_in(tmp_path, KNOWN))} == {
        f"class 3/ada/{NAME}.ipynb", f"class 3/bob/x/{NAME}.ipynb", "list.csv", "class 3/notes.txt"}


def test_one_student_with_a_folder_for_each_assignment_is_one_student(tmp_path):
    laid(tmp_path, f"ada/{NAME}/{NAME}.ipynb", f"ada/{SECOND}/{SECOND}.ipynb")
    assert graded(tmp_path) == {"ada 01": f"ada/{NAME}/{NAME}.ipynb", "ada 02": f"ada/{SECOND}/{SECOND}.ipynb"}


@pytest.mark.parametrize("bad", ["many", "deep", "closed"])
def test_a_folder_that_cannot_be_walked_costs_that_student_alone(tmp_path, monkeypatch, bad):
    laid(tmp_path, f"ada/{NAME}.ipynb", f"bad/{NAME}.ipynb", f"zoe/{NAME}.ipynb")
    if bad == "many":
        laid(tmp_path, *(f"bad/{number}" for number in range(1000)))
    elif bad == "deep":
        laid(tmp_path, "bad/" + "x/" * 9 + "y")
    else:
        monkeypatch.setattr(folders, "walked", closed(folders.walked))
    found, left = handed_in(tmp_path, KNOWN)
    assert [one.student for one in found] == ["ada", "zoe"] and len(left) == 1 and left[0].meant
    assert left[0].why.startswith("is not graded")


def closed(before):
    def walk(top, place, *rest):
        if place.name == "bad":
            raise PermissionError("not yours")
        return before(top, place, *rest)
    return walk
