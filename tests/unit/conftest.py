"""Processes that end with the test that started them; trainings in double precision; and
what is skipped where an extra of the library is not installed."""

import os
import subprocess
import sys

import pytest
import torch


@pytest.fixture
def start():
    """A function that starts ``privgraph`` with these words as a process of one thread."""
    started = []

    def begin(*words, **how):
        own = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        started.append(subprocess.Popen([sys.executable, "-m", "privgraph", *map(str, words)], env=own, **how))
        return started[-1]
    yield begin
    for process in started:
        process.kill(), process.wait()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Clusters need the extra ``partition``: whatever comes to them without it is skipped, and nothing else."""
    try:
        return (yield)
    except ModuleNotFoundError as error:
        if "privgraph[partition]" not in str(error):
            raise
        pytest.skip(str(error))


pytest_runtest_setup = pytest_runtest_call  # fixtures come to them, too


@pytest.fixture
def pictures():
    pytest.importorskip("matplotlib", reason="pictures need the extra pictures")


@pytest.fixture
def double():
    """Training amplifies a difference in the last digit, so equality of two trainings is asked in double precision."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)
