"""In the box: what is asked of functions is seen by no student, and one wrong helper or busy machine costs no more."""

import json
from functools import partial

import pytest

from handed_in import FIRST, hand_in
from privbook.classroom import grading
from privbook.classroom.assignment import assignments
from privbook.classroom.containing import Executed, Limits, available, parse, run_contained
from privbook.classroom.fixtures import fixtures, run_here
from privbook.classroom.gradebook import Course
from privbook.classroom.judging import Mark
from privbook.classroom.submissions import Submission

pytestmark = pytest.mark.slow
KEEP, RESPOND, LOSS, ESTIMATE, ERROR = FIRST.parts


def submission(**answers: str) -> Submission:
    return Submission("ada", FIRST, FIRST.with_answers(FIRST.answers() | answers))


def marks(one: Submission) -> dict[str, Mark]:
    lines = list(run_here(one))
    ours = one.helpers(one.marks(lines))
    return one.marks(lines, ours=ours, again=list(run_here(one, ours)) if ours else [])


def test_one_wrong_helper_costs_its_own_points_only():
    """Three parts call it, and are right given a right one; feedback says so, and what they were without."""
    found = marks(submission(keep="def keep(epsilon, k):\n    return 1 - 1 / (k + epsilon)"))
    assert [found[part].fraction for part in FIRST.parts] == [0, 1, 1, 1, 1]
    for part in (RESPOND, ESTIMATE, ERROR):
        assert "with a right `keep`" in found[part].feedback and "With your own: `" in found[part].feedback
    assert found[LOSS].feedback == "Right."


def test_ours_help_nobody_who_is_wrong_by_himself():
    found = marks(submission(keep="keep = None", estimate="def estimate(reports, epsilon, k):\n    return [0.5] * k"))
    assert found[ESTIMATE].fraction == 0 and "in the place" not in found[ESTIMATE].feedback


def test_what_a_second_run_alone_has_reached_is_said_to_be_of_it():
    one = submission()
    found = one.marks([], ours=[KEEP], again=list(run_here(one, [KEEP])))
    assert found[KEEP].feedback.startswith("Right. This is of a second run. In the first: `keep` could not be read")
    assert "with a right `keep` in the place" in found[LOSS].feedback


@pytest.mark.parametrize("right, asked", [((), 1), ((KEEP,), 1), (FIRST.parts, 0), ((*FIRST.parts,)[:-1], 0)])
def test_a_second_run_is_made_where_it_may_help(right, asked):
    found = {part: Mark(float(part in right), "") for part in FIRST.parts}
    assert bool(submission().helpers(found)) == asked


def test_functions_are_asked_when_the_notebook_is_over():
    """A value below its own cell, too: its name may be used again."""
    asked = submission().questions()
    last = max(index for index, cell in enumerate(asked) if isinstance(cell, str))
    functions = [index for index, cell in enumerate(asked) if not isinstance(cell, str) and len(cell) == 3 and cell[2]]
    assert len(functions) == 4 and min(functions) > last
    kept = [cell for cell in asked[:last] if not isinstance(cell, str)]
    assert kept == [["keep"], ["respond"], ["loss"], ["estimate"]]
    assert asked.count(["error", "error", None]) == 2


def test_hidden_inputs_are_others_in_another_course(tmp_path):
    one, same, other = (Course(tmp_path / name).unknown(FIRST.name) for name in ("a", "a", "b"))
    assert one == same != other
    asked = [FIRST.parts[ESTIMATE].inputs(Submission("ada", FIRST, FIRST.notebook, unknown=name).given)
             for name in ("", one, other)]
    assert [len(each) for each in asked] == [3, 4, 4] and not asked[1][-1][0].equal(asked[2][-1][0])


# All inputs that there are are asked (03), what is right is each student's own (04, 07), or an input must be chosen so
# that no two answers are nearly as good.
CHOSEN = {"03": ["units"], "04": ["law"], "07": ["loss"], "09": ["non_edges"], "10": ["honest"],
          "11": ["precision", "alike"], "12": ["classify", "noisy"]}


def test_of_most_functions_something_is_asked_that_no_page_prints():
    found: dict[str, list[str]] = {}
    for name, assignment in assignments().items():
        given = Submission("ada", assignment, assignment.notebook, unknown="h1").given
        found[name[:2]] = [part for part, judged in assignment.parts.items() if judged.calls
                           and len(judged.inputs(given)) == len(judged.inputs(assignment.given("ada")))]
    assert {name: parts for name, parts in found.items() if parts} == CHOSEN


@pytest.mark.full
def test_hidden_inputs_are_no_trap():
    """Right answers of every kind are right for them, whoever they are drawn for."""
    for assignment in assignments().values():
        for fixture in fixtures(assignment):
            if fixture.most is None:
                one = Submission("ada", assignment, assignment.with_answers(fixture.cells), unknown=fixture.name)
                found = one.marks(list(run_here(one)))
                assert [name for name, mark in found.items() if mark.fraction < 1] == [], fixture.name


@pytest.mark.skipif(bool(available()), reason="no box")
def test_in_the_box_nothing_that_is_asked_is_shown():
    """A function that writes down what it is asked, in each way that it has; and the kernel may end after it."""
    spy = ("asked = []\ndef loss(p, k):\n    print('SEEN', p)\n    asked.append(p)\n    display(p)\n"
           "    raise ValueError(f'SEEN {p}')\n")
    notebook = FIRST.with_answers(FIRST.answers() | {"loss": spy})
    notebook.cells[-1:-1] = [type(notebook.cells[4])(notebook.cells[4], source=text, metadata={}) for text in
                             ("%%time\nprint(asked)", "import os\nos._exit(0)", "print('after', asked)")]
    one = Submission("ada", FIRST, notebook, unknown="h1")
    ran = run_contained(one.questions(), "ada")
    found = one.marks(ran.lines)
    assert [found[part].fraction for part in FIRST.parts] == [1, 1, 0, 1, 1], "what ends the kernel costs nothing else"
    shown = json.dumps(one.with_marks(ran.lines, found)).split("SEEN")
    assert len(shown) == 3, "twice in the program, and nowhere else"
    assert "SEEN" not in found[LOSS].feedback and "ValueError" in found[LOSS].feedback


# Writes, where the grader listens, what our own answer gives for what it was asked: in the second run ours is there.
THIEF = """
import json, os
asked, opened, here = [], [], f"/proc/{os.getppid()}"
def loss(p, k):
    asked.append((p, k))
mine = loss
def steal(*_):
    ours = get_ipython().user_ns["loss"]
    if callable(ours) and ours is not mine:
        told = json.dumps([{"value": ours(*one)} for one in asked])
        for place in (f"{here}/fd/1", "/proc/1/fd/1"):
            try:
                open(place, "w").write(json.dumps({"part": "loss", "answer": told}) + chr(10))
            except OSError:
                pass
for name in ("mem", "environ", "fd/0", "fd/1"):
    try:
        opened.append(open(f"{here}/{name}"))
    except OSError:
        pass
print("OPENED", len(opened))
get_ipython().events.register("post_run_cell", steal)
keep = 1
"""


@pytest.mark.skipif(bool(available()), reason="no box")
def test_what_is_stolen_in_a_second_run_is_no_answer():
    one = submission(keep=THIEF, loss="loss = mine", error="error = 7")
    run = partial(grading.run_one, limits=Limits(), contained=True)
    ran = grading.with_ours(one, run(one, one.questions()), run, Limits())
    assert LOSS in ran.ours and "OPENED 0" in json.dumps(ran.lines)
    assert one.marks(ran.lines, ours=ran.ours, again=ran.again)[LOSS].fraction == 0


def test_lines_without_the_seal_are_not_the_box_s():
    said = b'{"part": "a"}\nmine {"part": "b"}\nseal {"part": "c"}\nseal [1]\nseal {\n seal {"part": "d"}\n'
    assert list(parse(said, "seal")) == [{"part": "c"}]


@pytest.mark.parametrize("load, patience", [(0.0, 2), (1e6, 10)])
def test_what_was_late_runs_once_more_alone(tmp_path, monkeypatch, load, patience):
    """When all others are done; what it then gives counts, and nothing runs a third time. Who is idle waits less."""
    ran, waited = [], []

    def busy(cells, student, limits, **__):
        ran.append(student), waited.append(limits.patience)
        late = student == "bob" or student == "ada" and ran.count(student) < 2
        return Executed([{"outputs": [], "late": late}])

    monkeypatch.setattr("privbook.classroom.grading.run_contained", busy)
    monkeypatch.setattr(Submission, "helpers", lambda *_: [])
    monkeypatch.setattr("os.getloadavg", lambda: (load,) * 3)
    monkeypatch.setattr(Course, "feedback", lambda *_: None)
    for student in ("ada", "bob", "cy", "dan"):
        hand_in(tmp_path / "in", student, {})
    grading.grade(tmp_path / "in", tmp_path / "out", trust=True, limits=Limits(), say=lambda _: None)
    assert sorted(ran[:4]) == ["ada", "bob", "cy", "dan"] and ran[4:] == ["ada", "bob"]
    assert waited == [10] * 4 + [patience] * 2


def test_what_was_ended_and_not_reached_waits():
    found = submission().marks([], "stopped after 300 seconds")
    assert all(mark.waits and "stopped after 300 seconds" in mark.feedback for mark in found.values())
