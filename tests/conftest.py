"""What holds for all tests: property tests draw the same examples each time, and no clock decides, so a test that fails
now fails for everybody; evidence takes a minute or two, so `make check` leaves it out, while `make test` and
`privbook claims` run it."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

CLAIMS = Path(__file__).parent / "claims"
settings.register_profile("same each time", derandomize=True, deadline=None,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("same each time")


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.parent == CLAIMS and item.path.name != "test_registry.py":
            item.add_marker(pytest.mark.slow)
