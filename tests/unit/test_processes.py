import subprocess

import psutil
import pytest

from privgraph.processes import children

STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("here", flush=True)
time.sleep(600)
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    monkeypatch.syspath_prepend(tmp_path)
    return "stubborn"


def test_children_end_with_the_block_even_those_that_do_not_want_to(module, monkeypatch):
    monkeypatch.setattr("privgraph.processes.PATIENCE", 0.2)
    with children() as start:
        first, second = start(module, stdout=subprocess.PIPE), start("http.server", 0, "--bind", "127.0.0.1")
        assert first.stdout.readline() == b"here\n" and first.poll() is None
    assert (first.returncode, second.returncode) == (-9, -15) and first.stdout.closed
    assert not {first.pid, second.pid} & {p.pid for p in psutil.Process().children()}


def test_children_end_where_the_block_fails(module):
    with pytest.raises(ZeroDivisionError), children() as start:
        running = start("http.server", 0, "--bind", "127.0.0.1")
        1 / 0  # noqa: B018
    assert running.returncode is not None


def test_children_import_what_this_process_can_with_one_thread(module):
    with children() as start:
        words = ["timeit", "-n1", "-r1", "-s", "import os, stubborn_not as s", "print(os.environ['OMP_NUM_THREADS'])"]
        assert start(*words, stderr=subprocess.DEVNULL).wait(60) == 1
        words[4] = "import os, toy_federation"
        said = start(*words, stdout=subprocess.PIPE).communicate(timeout=60)[0]
    assert said.startswith(b"1\n")
