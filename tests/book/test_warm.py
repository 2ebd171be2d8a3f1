"""Kernels that are forked from a process which has imported the packages: warm, and otherwise as any other."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from warm_python import kernels

TOOL = Path(__file__).parents[2] / "tools" / "warm.py"
# What the command does: two kernels, one after the other, then one that is interrupted and whose client is killed.
SCRIPT = """
import json, os, signal, sys, time
from jupyter_client.manager import start_new_kernel

def ask(client, code):
    texts = []
    client.execute_interactive(code, timeout=60, output_hook=lambda said: texts.append(said["content"].get("text", "")))
    return json.loads("".join(texts))

LOOK = '''
import json, os, sys
print(json.dumps({"warm": "torch" in sys.modules, "library": "privgraph" in sys.modules, "folder": os.getcwd(),
                  "said": os.environ.get("SAID"), "left": "left" in globals(), "process": os.getpid(),
                  "path": [folder for folder in sys.path if folder.endswith("tools")]}))
left = 1
'''
found = []
for name in ("one", "two"):
    os.mkdir(name)
    manager, client = start_new_kernel(cwd=name, env={**os.environ, "SAID": name})
    found.append(ask(client, LOOK))
    client.stop_channels(), manager.shutdown_kernel()
manager, client = start_new_kernel()
kernel = ask(client, "import os; print(os.getpid())")
client.execute("print('on')\\nwhile True: pass")
while client.get_iopub_msg(timeout=60)["content"].get("text") != "on\\n":
    pass
manager.interrupt_kernel()
interrupted = client.get_shell_msg(timeout=60)["content"]["ename"]
os.kill(manager.provisioner.pid, signal.SIGKILL)
gone, end = False, time.monotonic() + 10
while not gone and time.monotonic() < end:
    try:
        os.kill(kernel, 0)
        time.sleep(0.05)
    except ProcessLookupError:
        gone = True
print(json.dumps([found, interrupted, gone]))
sys.exit(7)
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("warm")
    (folder / "script.py").write_text(SCRIPT, encoding="utf-8")
    return subprocess.run([sys.executable, TOOL, sys.executable, "script.py"], cwd=folder, capture_output=True,
                          text=True, timeout=120), folder


@pytest.mark.slow
def test_kernels_are_warm_and_know_nothing_of_each_other(ran):
    done, folder = ran
    (one, two), _, _ = json.loads(done.stdout)
    for kernel, name in ((one, "one"), (two, "two")):
        assert kernel["warm"] and not kernel["library"] and not kernel["left"] and kernel["path"] == []
        assert kernel["folder"] == str(folder / name) and kernel["said"] == name
    assert one["process"] != two["process"]


@pytest.mark.slow
def test_a_kernel_can_be_interrupted_and_ends_with_its_client(ran):
    _, interrupted, gone = json.loads(ran[0].stdout)
    assert interrupted == "KeyboardInterrupt" and gone


@pytest.mark.slow
def test_the_commands_own_end_is_passed_on(ran):
    assert ran[0].returncode == 7 and "Traceback" not in ran[0].stderr


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="it looks for processes in /proc")
def test_the_nursery_ends_where_the_command_is_killed(tmp_path):
    """Without a word to it: it holds half a gigabyte."""
    running = subprocess.Popen([*kernels(PACKAGES=()), "sleep", "60"], cwd=tmp_path, start_new_session=True)
    try:
        children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
        assert until(lambda: len(children.read_text().split()) == 2, seconds=30)  # the nursery and the command
        nursery = next(child for child in children.read_text().split()
                       if "import warm" in Path(f"/proc/{child}/cmdline").read_text())
        running.kill()
        running.wait()
        assert until(lambda: not Path(f"/proc/{nursery}").exists(), seconds=30)
    finally:
        os.killpg(running.pid, signal.SIGKILL)


SECONDS = """
import json, os
from jupyter_client.manager import start_new_kernel

def name(client, code):
    return client.execute_interactive(code, timeout=60, output_hook=lambda said: None)["content"].get("ename")

BUSY = "import subprocess, sys; busy = subprocess.Popen([sys.executable, '-c', 'while True: pass'])"
found = []
for cells in (["import time; time.sleep(1.5)", "while True: pass", "1"],
              ["import time; end = time.process_time()",
               *[f"end += {each}\\nwhile time.process_time() < end: pass" for each in (.3, .3, .3, .6)]],
              [BUSY, "import time; time.sleep(10)", "assert busy.wait(10)", "time.sleep(0.5)"]):
    manager, client = start_new_kernel()
    found.append([name(client, cell) for cell in cells])
    client.stop_channels(), manager.shutdown_kernel()
print(json.dumps(found))
"""


@pytest.mark.slow
def test_seconds_of_the_processor_are_counted_and_not_those_of_the_clock(tmp_path):
    """A cell may sleep for longer than it may compute; many short cells are too much for a page; and a process that
    outlives its cell counts, and is ended."""
    tool = kernels(PACKAGES=(), CELL=0.8, PAGE=1.2, SLOWER=1, LOOK=0.1)
    (tmp_path / "script.py").write_text(SECONDS, encoding="utf-8")
    done = subprocess.run([*tool, sys.executable, "script.py"], cwd=tmp_path, capture_output=True,
                          text=True, timeout=120)
    first, second, third = json.loads(done.stdout)
    assert first == [None, "TimeoutError", None]
    assert second == [None, None, None, None, "TimeoutError"]
    assert third == [None, "TimeoutError", None, None]


@pytest.mark.slow
def test_nobody_waits_for_a_nursery_that_failed():
    script = "from jupyter_client.manager import start_new_kernel; start_new_kernel(startup_timeout=600)"
    tool = kernels(PACKAGES=("no_such_package",))
    done = subprocess.run([*tool, sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "No module named 'no_such_package'" in done.stderr and "Kernel died" in done.stderr


def until(true, seconds: float) -> bool:
    """Whether something comes true in time."""
    end = time.monotonic() + seconds
    while not (found := true()) and time.monotonic() < end:
        time.sleep(0.05)
    return found
