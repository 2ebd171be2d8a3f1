"""What people do to notebooks by accident: what deserves points has them, or a person is told to look."""

import json
from copy import deepcopy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handed_in import FIRST, hand_in, marked, read_csv, rows
from privbook.classroom.fixtures import run_here
from privbook.classroom.recognising import cells_of, holds_text, recognised
from privbook.classroom.submissions import Submission
from privbook.classroom.time_limit import within

ESSAY = "Every week costs epsilon again; after 52 weeks the total is 52 epsilon."
BLANK = "def nothing(): pass"
pytestmark = pytest.mark.slow


def plain_notebook(**answers: str) -> dict:
    """What a student hands in, as JSON: all answers right and a text, but for what is named."""
    return json.loads(json.dumps(FIRST.with_answers(FIRST.answers() | {"repeat": ESSAY} | answers)))


def index_of(notebook: dict, name: str) -> int:
    return next(index for index, cell in enumerate(notebook["cells"])
                if cell["metadata"].get("nbgrader", {}).get("grade_id") == name)


def named(notebook: dict, name: str) -> dict:
    return notebook["cells"][index_of(notebook, name)]


def code(source: str) -> dict:
    return {"cell_type": "code", "source": source, "metadata": {}, "outputs": [], "execution_count": None}


def text(source: str) -> dict:
    return {"cell_type": "markdown", "source": source, "metadata": {}}


def removed(notebook: dict, *names: str) -> list[str]:
    return [notebook["cells"].pop(index_of(notebook, name))["source"] for name in names]


def stripped(notebook):
    for cell in notebook["cells"]:
        cell["metadata"] = {}


def everything_stripped(notebook):
    stripped(notebook)
    for cell in notebook["cells"]:
        cell.pop("id", None)


def deleted_pair(notebook):
    source, _ = removed(notebook, "answer-keep", "check-keep")
    notebook["cells"].insert(4, code(source))


def all_in_one_cell(notebook):
    names = [f"{kind}-{part}" for part in FIRST.parts for kind in ("answer", "check")]
    notebook["cells"].append(code("\n\n".join(removed(notebook, *names)[::2])))


def essay_in_a_copy(notebook):
    essay = named(notebook, "essay-repeat")
    notebook["cells"].append(deepcopy(essay))
    essay["source"] = FIRST.for_students().cells[-1].source


def answer_in_a_copy(notebook):
    """The first has the stub still."""
    index = index_of(notebook, "answer-loss")
    notebook["cells"].insert(index + 1, deepcopy(notebook["cells"][index]))
    notebook["cells"][index]["source"] = next(cell.source for cell in FIRST.for_students().cells
                                              if cell.metadata.get("nbgrader", {}).get("grade_id") == "answer-loss")


def answer_below_the_stub(notebook):
    """Written into a new cell, and the stub stays where it was."""
    answer_in_a_copy(notebook)
    index = index_of(notebook, "answer-loss")
    notebook["cells"][index + 1]["metadata"] = {}
    notebook["cells"][index + 1].pop("id")


def answer_above_the_stub(notebook):
    answer_below_the_stub(notebook)
    index = index_of(notebook, "answer-loss")
    notebook["cells"][index], notebook["cells"][index + 1] = notebook["cells"][index + 1], notebook["cells"][index]


def stub(name: str) -> str:
    return next(cell.source for cell in FIRST.for_students().cells
                if cell.metadata.get("nbgrader", {}).get("grade_id") == name)


def written_into(notebook, name, part):
    """The answer stands in a cell above its own, in which the stub still is."""
    named(notebook, name)["source"] += "\n\n" + named(notebook, f"answer-{part}")["source"]
    named(notebook, f"answer-{part}")["source"] = stub(f"answer-{part}")


def all_in_the_first_answer(notebook):
    for part in list(FIRST.parts)[1:]:
        written_into(notebook, "answer-keep", part)


def answer_in_a_check_above(notebook):
    written_into(notebook, "check-respond", "loss")


def answer_in_the_setup(notebook):
    written_into(notebook, "setup", "loss")


def answer_beside_the_identifier(notebook):
    named(notebook, "identifier")["source"] += "\nimport math"
    written_into(notebook, "identifier", "loss")


def split_answer(notebook):
    index = index_of(notebook, "answer-estimate")
    head, body = named(notebook, "answer-estimate")["source"], "\n\nhelper = 3"
    notebook["cells"].insert(index, code(head))
    notebook["cells"][index + 1]["source"] = body


def solution_in_the_check(notebook):
    source, = removed(notebook, "answer-loss")
    named(notebook, "check-loss")["source"] = source + "\n" + named(notebook, "check-loss")["source"]


def import_in_the_setup(notebook):
    named(notebook, "setup")["source"] = "import numpy as np\n" + named(notebook, "setup")["source"]
    named(notebook, "answer-loss")["source"] = "def loss(p, k):\n    return abs(np.log(p * (k - 1) / (1 - p)))"


def import_beside_the_identifier(notebook):
    import_in_the_setup(notebook)
    named(notebook, "identifier")["source"] += "\nfrom math import *\nimport numpy as np"


def setup_deleted(notebook):
    removed(notebook, "setup")


def setup_and_identifier_deleted(notebook):
    removed(notebook, "identifier", "setup")


def checks_deleted(notebook):
    removed(notebook, *(f"check-{part}" for part in FIRST.parts))


def turned_into_text(notebook):
    named(notebook, "answer-keep")["cell_type"] = "markdown"
    named(notebook, "check-loss")["cell_type"] = "raw"
    named(notebook, "essay-repeat")["cell_type"] = "code"


def name_used_again(notebook):
    """For a list of losses, as one does at the end."""
    notebook["cells"].append(code("loss = [1, 2]\nkeep, error = 3, 'none'"))


def old_format(notebook):
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["input"] = cell.pop("source")
    notebook.update(nbformat=3, nbformat_minor=0, worksheets=[{"cells": notebook.pop("cells")}])


def lines_as_lists(notebook):
    for cell in notebook["cells"]:
        cell["source"] = cell["source"].splitlines(keepends=True)


def essay_deleted_and_elsewhere(notebook):
    removed(notebook, "essay-repeat")
    notebook["cells"].append(text(ESSAY))


def essay_as_comments(notebook):
    named(notebook, "essay-repeat")["source"] = FIRST.for_students().cells[-1].source
    notebook["cells"].append(code("# " + ESSAY))


def essay_in_a_cell_of_code(notebook):
    named(notebook, "essay-repeat")["source"] = FIRST.for_students().cells[-1].source
    notebook["cells"].append(code(ESSAY))


def essay_as_a_string(notebook):
    named(notebook, "essay-repeat")["source"] = stub("essay-repeat")
    notebook["cells"].append(code(f"print({ESSAY!r})"))


def essay_below_the_last_answer(notebook):
    """As comments, and so long that they are about more than the program."""
    named(notebook, "essay-repeat")["source"] = stub("essay-repeat")
    named(notebook, "answer-error")["source"] += f"\n# {ESSAY}" * 4


def essay_below_a_heading(notebook):
    named(notebook, "essay-repeat")["source"] = FIRST.for_students().cells[-1].source
    notebook["cells"][3]["source"] += "\n\n" + ESSAY


def rewrapped(notebook):
    for cell in notebook["cells"]:
        cell["source"] = cell["source"].replace("\n", "\r\n") + "\n\n"


def moved_up(notebook):
    """All checks to the end, in another order."""
    checks = [notebook["cells"].pop(index_of(notebook, f"check-{part}")) for part in FIRST.parts]
    notebook["cells"] += reversed(checks)


def without_kernel(notebook):
    notebook["metadata"] = {}
    notebook["nbformat_minor"] = 99


ODD = {made.__name__: made for made in (
    stripped, everything_stripped, deleted_pair, all_in_one_cell, essay_in_a_copy, answer_in_a_copy, split_answer,
    answer_below_the_stub, answer_above_the_stub, solution_in_the_check, import_in_the_setup,
    import_beside_the_identifier, setup_deleted, setup_and_identifier_deleted, checks_deleted, turned_into_text,
    name_used_again, old_format, lines_as_lists, essay_deleted_and_elsewhere, essay_as_comments,
    essay_in_a_cell_of_code, essay_below_a_heading, essay_as_a_string, essay_below_the_last_answer, rewrapped, moved_up,
    without_kernel, all_in_the_first_answer, answer_in_a_check_above, answer_in_the_setup,
    answer_beside_the_identifier)}
LOST = {"stripped", "everything_stripped", "deleted_pair", "all_in_one_cell", "solution_in_the_check", "setup_deleted",
        "setup_and_identifier_deleted", "checks_deleted", "moved_up", "answer_below_the_stub", "answer_above_the_stub",
        "all_in_the_first_answer", "answer_in_a_check_above", "answer_in_the_setup", "answer_beside_the_identifier"}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """All of them in one class, whose cells run here, as IPython runs them."""
    top, lines = tmp_path_factory.mktemp("odd"), {}
    for name, change in ODD.items():
        notebook, path = plain_notebook(), top / "in" / name / f"{FIRST.name}.ipynb"
        change(notebook)
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(notebook))
        lines[name] = list(run_here(Submission.read(path, name, FIRST)))
    said = []
    course = marked(top / "in", lines, said.append)
    return course, rows(course), said


@pytest.mark.parametrize("name", ODD)
def test_right_answers_have_their_points_and_the_text_waits(graded, name):
    _, found, _ = graded
    assert found[name]["total points"] == "16", found[name]
    assert found[name]["to grade by hand"] == "yes" and found[name]["repeat"] == ""


@pytest.mark.parametrize("name", ODD)
def test_fewer_cells_than_there_are_need_a_look(graded, name):
    """In the marks, on the screen, in waiting.csv."""
    course, found, said = graded
    waiting = {row["student"]: row["why"] for row in read_csv(course / "waiting.csv")}
    line, = (line for line in said if f"  {name}  " in line)
    assert (name in LOST) == bool(found[name]["needs a look"]) == (name in waiting) == ("needs a look" in line)
    assert found[name]["needs a look"] == waiting.get(name, "")


def test_a_student_without_any_text_does_not_wait(tmp_path):
    hand_in(tmp_path / "in", "ada", FIRST.answers() | {"repeat": FIRST.for_students().cells[-1].source})
    row = rows(marked(tmp_path / "in", {}))["ada"]
    assert row["to grade by hand"] == "no" and row["repeat"] == "0" and row["needs a look"] == ""


def test_wrong_answers_in_cells_that_were_not_found_wait_and_the_others_do_not(tmp_path):
    """As does everything where all names are gone; feedback says so."""
    changes = {"pair": lambda notebook: removed(notebook, "answer-keep", "check-keep"), "all": stripped,
               "none": lambda notebook: None}
    for student, change in changes.items():
        notebook, path = plain_notebook(), tmp_path / "in" / student / f"{FIRST.name}.ipynb"
        change(notebook)
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(notebook))
    course = marked(tmp_path / "in", {})
    found = rows(course)
    assert [found[name]["keep"] for name in ("pair", "all", "none")] == ["", "", "0"]
    assert [found[name]["loss"] for name in ("pair", "all", "none")] == ["0", "", "0"]
    pages = [(course / "feedback" / name / FIRST.name / f"{FIRST.name}.html").read_text() for name in ("pair", "none")]
    assert ["Needs a look" in " ".join(page.split()) for page in pages] == [True, False]


@pytest.mark.parametrize("said, waits", [("ModuleNotFoundError: No module named 'seaborn'\n", True),
                                         ("NameError: name 'x' is not defined\n", False)])
def test_what_the_box_does_not_have_is_no_students_fault(tmp_path, said, waits):
    hand_in(tmp_path / "in", "ada", {})
    row = rows(marked(tmp_path / "in", {"ada": [{"outputs": [["error", said]]}]}))["ada"]
    assert row["keep"] == ("" if waits else "0") and ("not in the box" in row["needs a look"]) == waits


@pytest.mark.parametrize("name, waits", [("root", True), ("stem", False)])
def test_a_cell_that_was_run_after_one_below_it_waits(tmp_path, name, waits):
    """In the student's kernel the name was there."""
    notebook = FIRST.with_answers({"error": f"error = {name}(4)"})
    notebook.cells.append(type(notebook.cells[4])(notebook.cells[4], source="root = math.sqrt", metadata={}))
    path = tmp_path / "in" / "ada" / f"{FIRST.name}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(notebook))
    shown = [{"outputs": []}] * 10 + [{"outputs": [["error", f"NameError: name '{name}' is not defined\n"]]}]
    row = rows(marked(tmp_path / "in", {"ada": shown}))["ada"]
    assert row["error"] == ("" if waits else "0") and ("in another order" in row["needs a look"]) == waits


def test_an_answer_that_stands_in_a_text_waits(tmp_path):
    hand_in(tmp_path / "in", "ada", {"repeat": FIRST.answers()["loss"]})
    row = rows(marked(tmp_path / "in", {}))["ada"]
    assert (row["loss"], row["keep"]) == ("", "0") and row["needs a look"] == "a cell of text defines loss"


def test_a_number_for_another_identifier_waits(tmp_path):
    notebook, path = plain_notebook(), tmp_path / "in" / "ada" / f"{FIRST.name}.ipynb"
    named(notebook, "identifier")["source"] = "IDENTIFIER = 'ada.lovelace@example.org'"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(notebook))
    row = rows(marked(tmp_path / "in", {}))["ada"]
    assert (row["error"], row["keep"]) == ("", "0") and "identifier" in row["needs a look"]


def test_no_stub_stands_where_an_answer_was_removed():
    """It would define anew what was defined elsewhere."""
    notebook = plain_notebook()
    all_in_one_cell(notebook)
    made = recognised(cells_of(json.dumps(notebook).encode()), FIRST, "ada").notebook
    assert sum("def loss" in cell.source for cell in made.cells) == 1


def test_a_million_empty_lines_are_no_work():
    """Looking for a command from each of them to the last took hours."""
    notebook = FIRST.with_answers({})
    notebook.cells[-2].source = "\n" * 900_000 + "!ls\n" + "these words are no program but are a text of hers"
    notebook.cells[-2].metadata.clear()
    with within(5):
        assert holds_text(notebook, FIRST)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_other_encodings_are_read(encoding):
    content = json.dumps(plain_notebook(keep="# gr\u00fcn\nx = 1"), ensure_ascii=False).replace("\u2013", "-")
    found = cells_of(content.encode(encoding, "replace"))
    assert any(cell.source.startswith("# gr") for cell in found)


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
                    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3))
NAMES = st.sampled_from([cell.metadata.nbgrader.grade_id for cell in FIRST.for_students().cells
                         if "nbgrader" in cell.metadata] + ["", "answer", "-", "check-none"])
OURS = st.sampled_from([cell.source for cell in FIRST.for_students().cells])
SOURCES = st.text(max_size=30) | OURS | st.sampled_from(
    ["def keep(", "keep = loss = 1", "\ud83d", "%%bash\nkeep = 1", "x = 0x" + "f" * 5000, "[" * 200, "'" * 3])
CELLS = st.lists(st.builds(lambda kind, source, name, extra: {
    "cell_type": kind, "source": source, "metadata": {"nbgrader": {"grade_id": name}}, **extra},
    st.sampled_from(["code", "markdown", "raw"]), SOURCES | st.lists(SOURCES, max_size=3), NAMES,
    st.dictionaries(st.sampled_from(["id", "outputs", "metadata"]), JSON, max_size=2)) | JSON, max_size=12)
ANSWERS = st.builds(lambda part, told: {"part": part, "answer": json.dumps(told)},
                    st.sampled_from([*FIRST.parts, "none"]),
                    JSON | st.lists(st.dictionaries(st.sampled_from(["value", "error"]), JSON, max_size=1), max_size=5))
LINES = st.lists(ANSWERS | st.dictionaries(st.sampled_from(["part", "answer", "outputs", "late"]), JSON, max_size=3)
                 | st.builds(lambda shown: {"outputs": shown}, st.lists(st.lists(st.text(max_size=9), max_size=3))),
                 max_size=6)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(CELLS | JSON, LINES)
def test_grading_never_raises(tmp_path_factory, cells, lines):
    """Whatever was handed in and came out of the box: each part has a mark, and never more than there is."""
    path = tmp_path_factory.mktemp("any") / "ada" / f"{FIRST.name}.ipynb"
    path.parent.mkdir()
    path.write_text(json.dumps({"nbformat": 4, "cells": cells}))
    found = Submission.read(path, "ada", FIRST)
    marks = found.marks(lines)
    shown = found.with_marks(lines, marks)
    assert marks.keys() == FIRST.parts.keys() and all(0 <= mark.fraction <= 1 for mark in marks.values())
    assert isinstance(found.odd(lines, marks), str)
    names = [cell.metadata.nbgrader.grade_id for cell in shown.cells if "nbgrader" in cell.metadata]
    assert len(names) == len(set(names)) and {f"check-{part}" for part in FIRST.parts} <= set(names)
