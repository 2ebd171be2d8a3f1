"""Submissions in the box: hostile ones get their zero, the others their marks, and nothing outside changes."""

import csv
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import nbformat
import psutil
import pytest
from bs4 import BeautifulSoup

from handed_in import FIRST, hand_in, lines_of, marked
from privbook.classroom import assignments, containing, inside
from privbook.classroom.alike import suspicions
from privbook.classroom.containing import Limits, available, run_contained
from privbook.classroom.fixtures import fixtures
from privbook.classroom.gradebook import Course, inert
from privbook.classroom.grading import grade
from privbook.classroom.judging import Mark
from privbook.classroom.submissions import Submission
from privgraph.teach.handing_in import MIME

boxed = pytest.mark.skipif(bool(available()), reason=f"submissions cannot be contained: {available()}")
pytestmark = pytest.mark.slow
QUICK = Limits(seconds=90, cell_seconds=5, idle=20)
SLEEP = "86399"  # seconds that a child of a hostile submission would sleep

# An answer; each would like full marks, or to do harm.
HOSTILE = {
    "loop": "while True:\n    pass",
    "memory": "hoard = bytearray(20 * 10**9)",
    "fork-bomb": "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass",
    "exit": "import os\nos._exit(0)",
    "kill-the-grader": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
    "read": "for name in ({secret!r}, {judge!r}):\n    print(open(name).read())",
    "write": "open({target!r}, 'w').write('mine')",
    "overwrite-the-checker": "import importlib.util, pathlib, privgraph.teach.handing_in as telling\n"
                             "telling.attempt = lambda answer: {{'value': True}}\n"  # importing ours takes seconds
                             "ours = pathlib.Path(importlib.util.find_spec('privbook').origin).parent\n"
                             "open(ours / 'classroom' / 'judging.py', 'a').write('# mine')",
    "patch-the-checker": "import privbook.classroom.judging as judging\njudging.close = lambda *_: True",
    "faked-score": "print('20 of 20 points. Right.')\nfrom IPython.display import display\n"
                   "display({{{mime!r}: '[{{\"value\": 1.0}}]'}}, raw=True)",
    "faked-line": "import json, os\nout = open(f'/proc/{{os.getppid()}}/fd/1', 'w')\n"
                  "out.write(json.dumps(dict(part='keep', share=1.0, answer='[1, 1, 1, 1]')) + chr(10))\nout.flush()",
    "patched-abs": "import builtins\nbuiltins.abs = lambda _: 0\nbuiltins.isinstance = lambda *_: True",
    "dropped-cells": "get_ipython().input_transformers_cleanup.append(lambda lines: [])",
    "hook": "def hook(*_):\n    globals()['keep'] = lambda *_: True\n"
            "get_ipython().events.register('pre_run_cell', hook)",
    "output": "print('x' * 200_000_000)",
    "child": "import subprocess\nsubprocess.Popen(['sleep', {sleep!r}], start_new_session=True)",
    "fill-the-root": "for place in ('/', '/dev/shm', '/dev', '/tmp', '.'):\n    try:\n"
                     "        for i in range(99):\n"
                     "            open(f'{{place}}/{{i}}', 'wb').write(bytes(2**25))\n"
                     "    except OSError:\n        pass",
    "nameless-memory": "import os\nheld = [os.memfd_create('x') for _ in range(99)]\n"
                       "for one in held:\n    os.write(one, bytes(2**25))",
    "shared-segment": "import ctypes\nlibc = ctypes.CDLL(None)\n"
                      "made = [libc.shmget(0, 2**30, 0o1600) for _ in range(99)]",
    "user-namespace": "import ctypes\nprint(ctypes.CDLL(None).unshare(0x10000000 | 0x20000))",
    "mount": "import subprocess\nprint(subprocess.run(['mount', '-t', 'tmpfs', 'x', '/mnt']))",
    "long-error": "raise ValueError('x' * 10**7)",
    "error-says-inputs": "def keep(*given):\n    raise type(f'Asked{{given}}', (Exception,), {{}})(given)",
    "endless-error": "class Endless(Exception):\n    def __str__(self):\n        while True: pass\n"
                     "def keep(*_):\n    raise Endless",
    "kept-by-hand": "import privgraph.teach.handing_in as telling\ntelling.HELD = {{'keep': lambda *_: True}}\n"
                    "telling.hold = telling.tell = lambda *_: None",
    "many-faked-lines": "import os\nwith open(f'/proc/{{os.getppid()}}/fd/1', 'w') as out:\n"
                        "    for _ in range(10**5):\n"
                        "        out.write('{{\"part\": \"keep\", \"answer\": \"[[[[1]]]]\"}}\\n')",
    "modules-beside": "for name in ('json', 'zmq', 'queue', 'sitecustomize'):\n"
                      "    open(f'{{name}}.py', 'w').write('raise SystemExit')",
    "kernel-file": "import glob, os\nfor name in glob.glob('kernel*'):\n    os.remove(name)",
    "thread": "import threading, time\ndef wait():\n    while True:\n        time.sleep(.1)\n        keep = 1\n"
              "        globals()['respond'] = lambda *_: 0\nthreading.Thread(target=wait).start()",
    "no-display": "import IPython.display, IPython.core.display_functions as shown\n"
                  "IPython.display.display = shown.display = None\nget_ipython().display_pub.publish = None",
    "stopped-parent": "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)",
    "every-signal": "import os, signal\nfor number in range(1, 65):\n    try:\n"
                    "        signal.signal(number, signal.SIG_IGN)\n    except (OSError, ValueError):\n        pass\n"
                    "while True:\n    pass",
    "segfault": "import ctypes\nctypes.string_at(0)",
    "kill-all": "import os, signal\nos.kill(-1, signal.SIGKILL)",
    "flood": "import threading\ndef flood():\n    with open('/proc/1/fd/1', 'wb') as out:\n        while True:\n"
             "            out.write(b'[' * 65536)\nthreading.Thread(target=flood).start()",
    "descriptors": "import os\nheld = []\nwhile True:\n    held.append(os.pipe())",
    "left-behind": "import atexit, os\natexit.register(os.fork)\n"
                   "if os.fork() == 0:\n    os.setsid()\n    while True: pass",
    "reset": "%reset -f\nquit()",
    "packed-by-hand": "import privgraph.teach.handing_in as telling\ntelling.pack = lambda *_: 1",
    "network": "import socket\nsocket.create_connection(('127.0.0.1', {port}), timeout=2).sendall(b'mine')",
}
# A submission each. They end by a limit of processes, on their own, and as if nothing had been, after one cell was
# without memory, one took too long and one was refused a file.
FEW = (("fork-bomb",), ("exit",), ("memory", "loop", "write", "overwrite-the-checker"))
EACH = tuple((name,) for name in HOSTILE)


@pytest.fixture(scope="module", params=[FEW, pytest.param(EACH, marks=pytest.mark.full)], ids=["few", "all"])
def graded(request, tmp_path_factory):
    """Hostile submissions between two honest ones, graded once."""
    top = tmp_path_factory.mktemp("class")
    secret, target = top / "secret.txt", top / "target.txt"
    secret.write_text("the hidden tests"), target.write_text("ours")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.1)
        said = dict(secret=str(secret), target=str(target), judge=str(FIRST.folder / "judge.py"), sleep=SLEEP,
                    mime=MIME, port=listening.getsockname()[1])
        for names in request.param:
            cells = dict(zip(FIRST.parts, (HOSTILE[name].format(**said) for name in names), strict=False))
            hand_in(top / "in", f"hostile-{'-'.join(names)}", cells)
        hand_in(top / "in", "a-honest", FIRST.answers()), hand_in(top / "in", "z-honest", FIRST.answers())
        (top / "in" / "hostile-no-notebook").mkdir()
        (top / "in" / "hostile-no-notebook" / f"{FIRST.name}.ipynb").write_bytes(b"\x00\xff no notebook")
        before = sorted(path.relative_to(top) for path in top.rglob("*"))
        grade(top / "in", top / "out", limits=QUICK, say=lambda _: None)
        with pytest.raises(TimeoutError):
            listening.accept()
    shutil.copytree(top / "out", top / "again" / "out")
    after = sorted(path for path in (path.relative_to(top) for path in top.rglob("*"))
                   if path.parts[0] not in ("out", "again"))
    unchanged = before == after and secret.read_text() == "the hidden tests" and target.read_text() == "ours"
    return top, unchanged, len(request.param)


def totals(course: Path) -> dict[str, float]:
    with open(course / "identifiers.csv", newline="") as file:
        names = {row["identifier"]: row["student"] for row in csv.DictReader(file)}
    with open(course / "marks" / f"{FIRST.name}.csv", newline="") as file:
        return {names[row["identifier"]]: float(row["total points"]) for row in csv.DictReader(file)}


@boxed
def test_each_hostile_submission_gets_its_zero_and_the_others_are_graded(graded):
    found = totals(graded[0] / "out")
    assert {name: total for name, total in found.items() if name.startswith("hostile") and total > 0} == {}
    assert found["a-honest"] == found["z-honest"] == 16
    assert len(found) == graded[2] + 3


@boxed
def test_nothing_outside_changes_and_nothing_stays(graded):
    assert graded[1] and "# mine" not in Path(containing.__file__).with_name("judging.py").read_text()
    commands = []
    for process in psutil.process_iter(["cmdline"]):
        commands.append(" ".join(process.info["cmdline"] or []))
    assert [command for command in commands if SLEEP in command] == []


@boxed
def test_feedback_says_why_shows_no_hidden_test_and_loads_nothing(graded):
    pages = {path.parts[-3]: path.read_text(encoding="utf-8")
             for path in (graded[0] / "out" / "feedback").rglob("*.html")}
    assert len(pages) == graded[2] + 3
    for name, text in pages.items():
        assert "the hidden tests" not in text and "def uniform" not in text, name
        soup = BeautifulSoup(text, "html.parser")
        assert soup.find_all(["script", "link", "iframe"]) == []
        assert all(tag["src"].startswith("data:") for tag in soup.find_all(src=True))
    loop, memory, bomb = (next(text for student, text in pages.items() if name in student)
                          for name in ("loop", "memory", "fork-bomb"))
    assert "stopped after 5 seconds" in loop and "MemoryError" in memory
    bomb = " ".join(bomb.split())  # whichever is seen first
    assert "stopped: more than 40 processes" in bomb or "stopped: more than 4096 MB" in bomb
    assert "no notebook" in pages["hostile-no-notebook"]


@boxed
def test_grading_twice_gives_the_same_marks(graded):
    """In the same course's folder; what was graded by hand in between stays. The box would tell what it told before."""
    top = graded[0] / "again"
    course = Course(top / "out")
    with course.gradebook() as book:
        grade_of = book.find_submission_notebook(FIRST.name, FIRST.name, "a-honest").grades
        essay = next(one for one in grade_of if one.name == "essay-repeat")
        essay.manual_score, essay.needs_manual_grade = 3.0, False
        book.db.commit()
    for student in ("hostile-exit", "z-honest", "a-honest"):
        shutil.copytree(graded[0] / "in" / student, top / "in" / student)
    before = totals(top / "out")
    marked(top / "in", {student: lines_of(FIRST.answers(), student) for student in ("a-honest", "z-honest")})
    assert totals(top / "out") == before | {"a-honest": 19.0}


def test_a_text_that_was_changed_is_graded_again(tmp_path):
    """Handed in again as it was, it keeps its points; changed, it waits for a person; emptied, it has none."""
    course, marks = Course(tmp_path), {part: Mark(1.0, "Right.") for part in FIRST.parts}
    course.add(FIRST)

    def hand_in_text(text):
        course.enter(FIRST, "ada", marks, FIRST.with_answers({} if text is None else {"repeat": text}))
        row, = course.rows(FIRST)
        return float(row["total points"]), row["to grade by hand"]

    assert hand_in_text("One.") == (16, "yes") == hand_in_text("Another one.")
    with course.gradebook() as book:
        essay = next(one for one in book.find_submission_notebook(FIRST.name, FIRST.name, "ada").grades
                     if one.name == "essay-repeat")
        essay.manual_score, essay.needs_manual_grade = 3.0, False
        book.db.commit()
    assert hand_in_text("Another one.") == (19, "no")
    assert hand_in_text("A third.") == (19, "yes") == hand_in_text("A third.")
    assert hand_in_text(None) == (16, "no")


def test_each_part_has_a_column_of_its_own(tmp_path):
    """One of its parts is called ``total``."""
    course, second = Course(tmp_path), assignments()["02-composition-and-sampling"]
    course.add(second)
    course.enter(second, "ada", {part: Mark(1.0, "Right.") for part in second.parts}, second.with_answers({}))
    row, = course.rows(second)
    assert list(row) == ["identifier", *second.points, "total points", "out of", "to grade by hand"]
    assert "total" in second.points and row["total"] == f"{second.points['total']:g}" and row["total points"] == "16"


def texts(lines: list[dict]) -> list[str]:
    """What each cell showed."""
    return ["".join(text for _, text in line["outputs"]) for line in lines if "outputs" in line]


# Who waits for others on a busy machine is not to blame; what a cell's child uses is the cell's.
WAITING = ["import time; time.sleep(2); print('done')",
           "import subprocess, sys; subprocess.run([sys.executable, '-c', 'while True: pass'])", "print('on')"]


@pytest.fixture
def shown(tmp_path, monkeypatch):
    """What cells show, without the box and in a kernel without torch, which takes seconds to start."""
    def run(cells, seconds, patience, idle=60):
        lines = []
        inside.run(dict(cells=cells, seconds=seconds, patience=patience, idle=idle, mime=MIME), lines.append)
        return texts(lines)

    monkeypatch.setattr(inside, "HEAD", "pass")
    monkeypatch.chdir(tmp_path)
    return run


def test_a_cell_may_wait_for_longer_than_it_may_compute(shown):
    waited, stopped, after = shown(WAITING, 1, 1000)
    assert (waited, after) == ("done\n", "on\n") and "stopped after 1 seconds\n" in stopped


def test_a_cell_that_only_sleeps_is_ended_by_the_clock(shown):
    assert "stopped after 1 seconds by the clock" in shown([f"import time; time.sleep({SLEEP})"], 0.5, 2)[0]


def test_a_cell_that_only_waits_is_ended_sooner_and_one_that_computes_now_and_then_is_not(shown):
    working = "import time\nfor _ in range(30):\n    time.sleep(.1)\n    sum(range(10**6))\nprint('done')"
    worked, stopped, after = shown([working, f"time.sleep({SLEEP})", "print('on')"], 60, 1000, idle=1)
    assert (worked, after) == ("done\n", "on\n") and "stopped: it only waited, for 1 seconds" in stopped


@boxed
def test_cells_may_wait_in_the_box_too_and_what_was_told_before_a_crash_counts():
    cells = [*WAITING, "x = 3", ["one", "x", None], "import os\nos._exit(1)", ["two", "x", None]]
    ran = run_contained(cells, "ada", Limits(cell_seconds=1, patience=1000))
    waited, stopped, after, *_ = texts(ran.lines)
    assert (waited, after) == ("done\n", "on\n") and "stopped after 1 seconds\n" in stopped and not ran.ended
    assert [line["answer"] for line in ran.lines if "part" in line][:1] == ['[{"value": 3}]']


@pytest.mark.parametrize("program, limits, said", [
    ("import subprocess, sys\nfor _ in range(20): subprocess.run([sys.executable, '-c', 'list(range(10**7))'])",
     Limits(seconds=1, patience=1000), "stopped after 1 seconds"),
    (f"import time; time.sleep({SLEEP})", Limits(seconds=1, patience=2), "stopped after 2 seconds by the clock"),
    (f"import time; time.sleep({SLEEP})", Limits(idle=1), "stopped: it only waited, for 3 seconds"),
    ("import time\nfor _ in range(60):\n    time.sleep(.1)\n    sum(range(10**6))", Limits(idle=1), "")])
def test_a_submission_is_ended_by_what_it_uses_and_by_the_clock_and_where_it_only_waits(program, limits, said):
    """With what its children used that have ended."""
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          start_new_session=True) as child:
        assert containing.watch(child, "", limits).ended == said


ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
FORKS = """
def forks(most, tried=400):
    import os, signal
    ids = []
    try:
        while len(ids) < tried:
            ids.append(os.fork())
            if not ids[-1]:
                signal.pause()
    except OSError:
        pass
    for each in ids:
        os.kill(each, signal.SIGKILL)
    print(len(ids) < most)
"""


@pytest.mark.skipif(not ROOT, reason="only root becomes somebody else")
@pytest.mark.parametrize("tasks, refused", [(60, True), (None, False)])
def test_the_kernel_refuses_what_is_too_much(tasks, refused):
    """Of somebody who is not root; threads go on."""
    program = f"{FORKS}\nimport os, threading\nfrom privbook.classroom.inside import limited\nos.setuid(65534)\n" \
              f"limited({tasks})\nthreading.Thread(target=int).start()\nforks(60, 80)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == f"{refused}\n", done


@boxed
@pytest.mark.skipif(ROOT, reason="the kernel refuses root nothing")
def test_the_kernel_refuses_what_is_too_much_in_the_box():
    ran = run_contained([FORKS, "forks(300)"], "ada", Limits(processes=10**6))
    assert texts(ran.lines)[1] == "True\n" and not ran.ended


@pytest.mark.parametrize("tasks, hard, said", [(60, 40, []), (0, -1, [(0, -1), (-1, -1)])])
def test_a_limit_that_is_there_stays(tasks, hard, said, monkeypatch):
    """One that is tighter; and one under which no thread would start."""
    told, before = [], (-1, hard)
    monkeypatch.setattr(inside.resource, "getrlimit", lambda kind: before)
    monkeypatch.setattr(inside.resource, "setrlimit", lambda kind, value: told.append(value))
    monkeypatch.setattr(inside.threading, "Thread", lambda target: SimpleNamespace(start=refuse))
    inside.limited(tasks)
    assert told == said


def refuse():
    raise RuntimeError("can't start new thread")


@pytest.mark.skipif(not ROOT or not hasattr(os, "sched_setscheduler"), reason="others are not let")
def test_who_watches_a_box_goes_before_all_others():
    before = os.sched_getscheduler(0)
    with pytest.raises(KeyError), containing.urgent():
        assert os.sched_getscheduler(0) == os.SCHED_FIFO
        raise KeyError
    assert os.sched_getscheduler(0) == before


TRIES = """
import ctypes, os
from contextlib import suppress
libc = ctypes.CDLL(None, use_errno=True)
def written(place):
    with suppress(OSError):
        for number in range(40):
            with open(f"{place}/{number}", "wb") as file:
                file.write(bytes(2**24))
    with suppress(OSError):
        return sum(os.path.getsize(f"{place}/{name}") for name in os.listdir(place) if name.isdigit()) // 2**20
print([written(place) for place in ("/", "/dev", "/dev/shm", "/scratch")])
print(libc.memfd_create(b"x", 0), libc.shmget(0, 2**30, 0o1600), libc.msgget(0, 0o1600), libc.unshare(0x10000000))
print(os.getuid(), [line.split()[1] for line in open("/proc/self/status") if line.startswith("Cap")])
"""


@boxed
def test_the_box_gives_no_memory_that_is_not_counted():
    """Not in files, nor without names; and no rights in it."""
    with containing.filtered() as calls:
        done = subprocess.run([*containing.box(Path("/scratch"), calls), sys.executable, "-I", "-c", TRIES],
                              capture_output=True, text=True, pass_fds=[calls])
    files, calls, rights = done.stdout.splitlines()
    shared, scratch = containing.SHARED // 2**20, containing.SCRATCH // 2**20
    assert files == f"[0, 0, {shared}, {scratch}]", done
    assert calls == "-1 -1 -1 -1" and rights == "65534 " + str(["0" * 16] * 5)


def test_files_count_as_memory(monkeypatch):
    """Whether they are there or not: no process is seen to have them."""
    monkeypatch.setattr(containing, "family", lambda child: [child])
    monkeypatch.setattr(containing, "spent", lambda process: 0)
    monkeypatch.setattr(containing, "resident", lambda process: 1_200 * 2**20)
    never = inside.Waiting(float("inf"))
    assert "more than 1500 MB" in containing.excess(None, Limits(megabytes=1500), 0, float("inf"), never)
    assert containing.excess(None, Limits(megabytes=1600), 0, float("inf"), never) == ""


def test_without_the_box_grading_refuses(tmp_path, monkeypatch):
    monkeypatch.setattr("privbook.classroom.grading.available", lambda: "bubblewrap is not installed")
    hand_in(tmp_path / "in", "ada", {})
    with pytest.raises(ValueError, match="cannot be contained: bubblewrap is not installed; --trust-submissions"):
        grade(tmp_path / "in", tmp_path / "out")


def test_trusted_submissions_run_without_the_box(tmp_path):
    wrong = next(fixture for fixture in fixtures(FIRST) if fixture.name == "wrong_binary")
    hand_in(tmp_path / "in", "bob", wrong.cells)
    rows = grade(tmp_path / "in", tmp_path / "out", trust=True, limits=Limits(seconds=200), say=lambda _: None)
    row, = rows[FIRST.name]
    assert [row[part] for part in FIRST.parts] == ["0.5", "3", "3", "0", "0"], "right for one of 4; with ours; alone"


ESSAY = ("Whoever reads all fifty two reports of one person sees the true answer more often than each other answer, "
         "and takes the most frequent one. The reports compose, so that the year has fifty two times the epsilon of a "
         "week.")


def test_equal_programs_and_borrowed_values_are_listed():
    """With other names, comments and one more statement; an answer that is another one is not."""
    def sent(student, of):
        right = FIRST.parts["error"].right(FIRST.given(of))
        return [{"part": "error", "answer": json.dumps([{"value": right}])}]
    cells = FIRST.answers()
    renamed = cells["estimate"].replace("seen", "counted").replace("p = ", "chance = ").replace("1 - p", "1 - chance")
    more = renamed.replace("(p - q)", "(chance - q)").replace("    q =", "    n = len(reports)  # mine\n    q =")
    other = next(one for one in fixtures(FIRST) if one.name == "right_loops").cells
    words = ESSAY.split()
    texts = dict(ada=ESSAY, bob="I say. " + ESSAY.replace("true answer", "truth"), cy=" ".join(reversed(words)), dan="")
    handed_in = {"ada": cells, "bob": cells | {"estimate": more}, "cy": other, "dan": {}}
    found = [Submission(student, FIRST, FIRST.with_answers(given | {"repeat": texts[student]}))
             for student, given in handed_in.items()]
    rows = suspicions(found, [sent("ada", "ada"), sent("bob", "ada"), [], []])
    listed = {(row["part"], row["students"], row["why"]) for row in rows}
    assert {("estimate", "ada bob", "the same program"), ("repeat", "ada bob", "the same text"),
            ("error", "bob ada", "a value of ada's data")} <= listed
    assert "cy" not in str(rows) and "dan" not in str(rows)


def test_a_group_that_is_alike_may_be_the_whole_class():
    found = [Submission(f"s{number}", FIRST, FIRST.with_answers(FIRST.answers())) for number in range(9)]
    rows = suspicions(found, [[]] * 9)
    assert ("estimate", " ".join(f"s{number}" for number in range(9))) in {(r["part"], r["students"]) for r in rows}


@pytest.mark.parametrize("part, field, points", [
    ("essay-repeat", "manual_score", 40.0), ("essay-repeat", "manual_score", -1.0), ("check-keep", "manual_score", 2.0),
    ("check-keep", "extra_credit", 1.0), ("essay-repeat", "extra_credit", 0.5)])
def test_points_that_cannot_be_right_are_refused(tmp_path, part, field, points):
    """No total, and it is said; the others have theirs."""
    for student in ("ada", "bob"):
        hand_in(tmp_path / "in", student, FIRST.answers() | {"repeat": "One."})
    lines, said = {student: lines_of(FIRST.answers(), student) for student in ("ada", "bob")}, []
    course = Course(marked(tmp_path / "in", lines))
    with course.gradebook() as book:
        grades = book.find_submission_notebook(FIRST.name, FIRST.name, "ada").grades
        one = next(one for one in grades if one.name == part)
        setattr(one, field, points)
        one.needs_manual_grade = False
        book.db.commit()
    marked(tmp_path / "in", lines, said.append)
    with open(course.folder / "marks" / f"{FIRST.name}.csv", newline="") as file:
        found = {row["identifier"]: row for row in csv.DictReader(file)}
    ada, bob = found[course.alias("ada")], found[course.alias("bob")]
    assert ada["total points"] == ada[part.partition("-")[2]] == "" and f"{points:g} " in ada["needs a look"]
    assert bob["total points"] == "16" and sum("REFUSED" in line and "ada" in line for line in said) == 1


def test_a_folder_without_submissions_is_refused(tmp_path):
    with pytest.raises(ValueError, match="there is no STUDENT/ASSIGNMENT.ipynb"):
        grade(tmp_path, tmp_path / "out", trust=True)


def test_a_notebook_is_made_fit(tmp_path):
    """Ours are ours again: an edited check, one that is gone, one made text, points raised, a cell doubled."""
    notebook = FIRST.with_answers(FIRST.answers())
    cells = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in notebook.cells}
    cells["check-keep"].source = "pass"
    cells["check-loss"].cell_type, cells["check-respond"].metadata.nbgrader["points"] = "markdown", 100
    notebook.cells.remove(cells["check-error"]), notebook.cells.append(cells["answer-keep"])
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(notebook))
    found = Submission.read(path, "ada", FIRST)
    ours = {cell.metadata.nbgrader.grade_id: cell for cell in FIRST.for_students().cells if "nbgrader" in cell.metadata}
    made = {cell.metadata.nbgrader.grade_id: cell for cell in found.notebook.cells if "nbgrader" in cell.metadata}
    assert made.keys() == ours.keys() and found.fault == ""
    for name, cell in made.items():
        assert cell.metadata.nbgrader == ours[name].metadata.nbgrader and cell.cell_type == ours[name].cell_type
        if name.startswith(("check", "setup")):
            assert cell.source == ours[name].source


@pytest.mark.parametrize("texts, counts", [(["", "Mine."], "Mine."), (["Mine.", ""], "Mine."),
                                           (["One.", "Two."], "One."), (["", ""], "")])
def test_a_text_that_was_doubled_counts_where_it_is_written_in(tmp_path, texts, counts):
    notebook = FIRST.with_answers({})
    essay = notebook.cells.pop()
    for text in texts:
        notebook.cells.append(nbformat.from_dict({**essay, "source": text or essay.source}))
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(notebook))
    made = [cell for cell in Submission.read(path, "ada", FIRST).notebook.cells
            if cell.metadata.get("nbgrader", {}).get("grade_id") == "essay-repeat"]
    assert [cell.source for cell in made] == [counts or essay.source]


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"cells": 3}', b"[" * 100_000, b'{"nbformat": 99}',
                                     b'{"nbformat": 4, "cells": [1]}', b"\xff\xfe"])
def test_what_is_no_notebook_is_said_to_be_none(tmp_path, content):
    path = tmp_path / "a.ipynb"
    path.write_bytes(content)
    found = Submission.read(path, "ada", FIRST)
    assert found.fault.startswith("this is no notebook")
    assert all(mark.fraction == 0 and "no notebook" in mark.feedback for mark in found.marks([]).values())


def test_students_data_are_drawn_before_threads_begin(tmp_path, monkeypatch):
    """They were drawn in the threads, with an environment that all share: one student got another's."""
    drawn, given = [], type(FIRST).given
    monkeypatch.setattr(type(FIRST), "given", lambda self, student: (
        drawn.append(threading.current_thread() is threading.main_thread()), given(self, student))[1])
    monkeypatch.setattr("privbook.classroom.grading.run_contained", lambda *_, **__: containing.Executed([]))
    for student in ("ada", "bob", "cy"):
        hand_in(tmp_path / "in", student, {})
    grade(tmp_path / "in", tmp_path / "out", trust=True, say=lambda _: None)
    assert len(drawn) >= 3 and all(drawn)


def test_a_page_loads_nothing_by_its_style_or_links():
    page = ('<body><p style="background: url(http://a)">a</p><style>@import "http://a"</style>'
            '<a href="javascript:x()">b</a><svg><image href="http://a"></image></svg>'
            '<meta http-equiv="refresh" content="0;url=x"/></body>')
    assert inert(page) == "<body><p>a</p><a>b</a></body>"


def test_a_page_is_made_inert():
    page = ('<p onclick="x()">a</p><script>1</script><img src="http://a/b.png"><img src="data:image/png;base64,AA">'
            '<iframe src="x"></iframe><link rel="stylesheet" href="http://a"><a href="http://a">b</a>')
    assert inert(page) == '<p>a</p><img/><img src="data:image/png;base64,AA"/><a href="http://a">b</a>'
