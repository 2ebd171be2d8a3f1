"""What the ledgers hold now. A file is read again when it has changed, and only then: thousands of cells ask."""

from collections.abc import Callable, Mapping
from functools import lru_cache

from .catalogue import EXPERIMENTS
from .plan import lookup, open_ledger


def stamp(experiment: str) -> tuple:
    """What changes when the file of an experiment does."""
    path = open_ledger(EXPERIMENTS[experiment]).path
    found = path.stat() if path.exists() else None
    return path, found and (found.st_size, found.st_mtime_ns)


def measured(experiment: str) -> Callable[[Mapping, str], dict[int, float]]:
    """A function ``(setting, metric) -> {seed: value}`` over the results of an experiment."""
    return _measured(experiment, stamp(experiment))


@lru_cache(maxsize=None)
def _measured(experiment: str, stamped: tuple) -> Callable[[Mapping, str], dict[int, float]]:
    return lookup(EXPERIMENTS[experiment])
