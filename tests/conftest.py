"""What holds for all tests: property tests draw the same examples each time, and no clock decides, so a test that fails
now fails for everybody; evidence takes a minute or two, so `make check` leaves it out unless it changed."""

import gc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from changed import Changed
from lots import leave_out
from seconds import Seconds

CLAIMS = Path(__file__).parent / "claims"
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
