"""Kernels that are forked from a process which has imported the packages: warm, and otherwise as any other."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "warm.py"
# What the command does: two kernels, one after the other, then one that is interrupted and whose client is killed.
SCRIPT = """
import json, os, signal, sys, time
from jupyter_client.manager import start_new_kernel

def ask(client, code):
    texts = []
    reply = client.execute_interactive(code, timeout=60, output_hook=lambda said: texts.append(said["content"]))
    return "".join(text.get("text", "") for text in texts), reply["content"]["status"]

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
    found.append(json.loads(ask(client, LOOK)[0]))
    client.stop_channels(), manager.shutdown_kernel()
manager, client = start_new_kernel()
kernel = int(ask(client, "import os; print(os.getpid())")[0])
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
