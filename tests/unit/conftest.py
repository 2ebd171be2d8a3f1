"""Certificates for tests of TLS; processes that end with the test that started them; trainings in double precision; and
what is skipped where an extra of the library is not installed."""

import os
import shutil
import subprocess
import sys

import pytest
import torch

from privgraph.federate import TLSFiles

NAMES = {"server": "ours", "client": "ours", "client-0": "ours", "client-1": "ours", "client-2": "ours",
         "mallory": "ours", "stranger": "theirs"}  # who is certified by whom


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


@pytest.fixture(scope="session")
def pems(tmp_path_factory):
    """Certificates of one authority, and of another; as `federate keys` makes them."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    return certified(tmp_path_factory.mktemp("pems"))


def certified(folder):
    """The files of each name, with the authority that it trusts."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
    for authority in ("ours", "theirs"):
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", f"/CN={authority}",
                "-keyout", f"{authority}.key", "-out", f"{authority}.pem")
    for name, authority in NAMES.items():
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", f"{name}.key",
                "-out", f"{name}.csr", "-addext", "subjectAltName=IP:127.0.0.1")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.pem", "-CAkey", f"{authority}.key",
                "-days", "30", "-copy_extensions", "copy", "-out", f"{name}.pem")
    return lambda name, authority="ours": TLSFiles(*(folder / each for each in (
        f"{authority}.pem", f"{name}.pem", f"{name}.key")))


@pytest.fixture
def double():
    """Training amplifies a difference in the last digit, so equality of two trainings is asked in double precision."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)
