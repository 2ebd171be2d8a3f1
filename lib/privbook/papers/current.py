"""What the ledgers hold now. A file is read again when it has changed, and only then: thousands of entries ask."""

from functools import lru_cache

from ..runs.plan import open_ledger
from .catalogue import experiments
from .results import Results


def stamp(experiment: str) -> tuple:
    """What changes when the file of an experiment does."""
    path = open_ledger(experiments()[experiment]).path
    found = path.stat() if path.exists() else None
    return path, found and (found.st_size, found.st_mtime_ns)


def measured(experiment: str) -> Results:
    """The results of an experiment, read anew when there are others."""
    return _measured(experiment, stamp(experiment))


@lru_cache(maxsize=None)
def _measured(experiment: str, stamped: tuple) -> Results:
    return Results(experiment)
