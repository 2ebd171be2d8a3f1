"""Evidence takes a minute or two: `make check` leaves it out, `make test` and `privgraph audit` run it."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.parent == HERE and item.path.name != "test_registry.py":
            item.add_marker(pytest.mark.slow)
