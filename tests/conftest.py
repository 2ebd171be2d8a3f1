"""What holds for all tests: property tests draw the same examples each time, and no clock decides, so a test that fails
now fails for everybody; evidence takes a minute or two, so `make check` leaves it out unless it changed. And
certificates for tests of TLS."""

import gc
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from changed import Changed
from lots import leave_out
from seconds import Seconds

CLAIMS = Path(__file__).parent / "claims"
NAMES = {"server": "ours", "client": "ours", "client-0": "ours", "client-1": "ours", "client-2": "ours",
         "mallory": "ours", "stranger": "theirs"}  # who is certified by whom
READ = ("test_registry.py", "test_bound.py", "test_formulas.py")  # these run no evidence
settings.register_profile("same each time", derandomize=True, deadline=None,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("same each time")


def pytest_addoption(parser):
    parser.addoption("--seconds", type=Path, help="file for what the slowest tests cost")
    parser.addoption("--changed", action="store_true", help="only tests that look at what changed since main")
    parser.addoption("--pictures", action="store_true", help="each page of the site as a picture: build/screenshots")


def pytest_configure(config):
    config.pluginmanager.register(Seconds(config.getoption("--seconds")))
    if config.getoption("--changed"):
        config.pluginmanager.register(Changed())


def pytest_collection_finish():
    """What is there by now, a million objects of torch and of pytest, stays: a look for garbage need not pass it by."""
    gc.collect(), gc.freeze()


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.parent == CLAIMS and item.path.name not in READ:
            item.add_marker(pytest.mark.slow)
    leave_out(items)


@pytest.fixture(scope="session")
def pems(tmp_path_factory):
    """Certificates of one authority, and of another; as `federate keys` makes them."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    return certified(tmp_path_factory.mktemp("pems"))


def certified(folder):
    """The files of each name, with the authority that it trusts."""
    from privgraph.federate import TLSFiles
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
