"""Work that several runs share is done once and kept on disk.

A release serves six backbones and two attacks; a teacher's posterior serves every noise
level. Such a piece is found again by its content: the function's name, its arguments (which name the
graph by its hash), the source of both packages, and the versions of Python, PyTorch, PyG, NumPy and SciPy. After
any change of these it is computed anew. Hours of work may be kept by a ``revision`` instead of source and versions.
"""

import hashlib
import math
import os
import platform
import stat
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import privgraph
from privgraph.datasets import cache_folder
from privgraph.late import Late

joblib = Late("joblib")
# What is kept depends on the code of both packages, wherever each lies.
PACKAGES = (Path(privgraph.__file__).resolve().parent, Path(__file__).resolve().parents[1])
LIMIT = "4G"  # what is kept at most; the least recently used goes first


@lru_cache(maxsize=1)
def code() -> str:
    """A hash over the source of both packages and the versions of what it computes with."""
    versions = [platform.python_version(), *(version(name) for name in ("torch", "torch-geometric", "numpy", "scipy"))]
    digest = hashlib.sha256(repr(versions).encode())
    for package in PACKAGES:
        for path in sorted(package.rglob("*.py")):
            digest.update(path.relative_to(package.parent).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def _timed(name: str, source: str, arguments: dict, function: Callable) -> tuple[Any, float]:
    """``function(**arguments)`` and the seconds it took."""
    start = time.perf_counter()
    value = function(**arguments)
    return value, time.perf_counter() - start


def _of_processor(name: str, source: str, arguments: dict, seconds: float) -> float:
    """What the processor took for what ``_timed`` keeps. It stands apart: joblib forgets all that a function has kept
    when its source changes, and some of that took hours."""
    return seconds


def process_clock() -> float:
    """Seconds that the processor has worked for this process; for a thread beside its first one, for that thread
    alone, as the others work for somebody else (a Dask worker may have several)."""
    return time.process_time() if threading.current_thread() is threading.main_thread() else time.thread_time()


def private_folder(folder: Path) -> Path:
    """The folder, made if it is missing, once nobody but its owner, who runs this, can have put anything into it.

    :raises PermissionError: for a folder of somebody else, or one that others may write to.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.stat()
    if os.name == "nt":  # Windows has other rights, and keeps a user's cache to the user
        return folder
    if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(f"{folder} must belong to you, and nobody else may write to it, as what lies there is "
                              "unpickled and so can run code; "
                              f"got owner {found.st_uid}, mode {stat.S_IMODE(found.st_mode):o}. "
                              "Remove it, or choose another folder with PRIVGRAPH_CACHE")
    if found.st_mode & 0o077:
        folder.chmod(0o700)
    return folder


class Cache:
    """Keeps what costs much, in ``work`` inside ``datasets.cache_folder()`` or in a folder of your own.

    ``saved`` adds up the seconds that were once spent on what has been found, so that a run can report
    what it costs from nothing; ``saved_processor`` those of the processor, NaN where some are not known. Files are
    written whole or not at all, and several processes may share them. They are pickles, as powerful as programs: the
    folder must be yours alone, which is checked before each use.

    :param folder: of one's own; None: in ``datasets.cache_folder()``.

    >>> import statistics, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cache = Cache(folder)
    ...     cache.once(statistics.mean, data=(1, 2)), cache.once(statistics.mean, data=(1, 2))
    (1.5, 1.5)
    """

    def __init__(self, folder: str | Path | None = None):
        self.folder = private_folder(Path(folder) if folder else cache_folder() / "work")
        self.memory = joblib.Memory(self.folder, verbose=0)
        self.saved = self.saved_processor = 0.0

    def once(self, function: Callable, *, revision: int | None = None, **arguments) -> Any:
        """``function(**arguments)``, computed unless it is kept already.

        :param function: of a module, not a lambda, and without side effects.
        :param revision: keep the result until this number changes, whatever the library and the versions do. Raise it
            by hand when what ``function`` computes changes, as an experiment's.
        :param arguments: what the result depends on, all of it: numbers, text, tuples, tensors.
        :raises ValueError: for a function without a name of its own.
        """
        name = f"{function.__module__}.{function.__qualname__}"
        if "<" in name:
            raise ValueError(f"function must have a name of its own, to be found again by it; got {name}")
        private_folder(self.folder)
        keep = self.memory.cache(_timed, ignore=["function"])
        source = code() if revision is None else f"revision {revision}"
        found = keep.check_call_in_cache(name, source, arguments, function)
        start = process_clock()
        value, seconds = keep(name, source, arguments, function)
        spent = process_clock() - start
        self.saved += seconds if found else 0.0
        self._remember(found, spent, name, source, arguments)
        return value

    def _remember(self, found: bool, spent: float, *what) -> None:
        """Keep what the processor took where it was computed, and add up what it once took where it was found."""
        keep = self.memory.cache(_of_processor, ignore=["seconds"])
        if not found:
            keep(*what, spent)
        else:
            known = keep.check_call_in_cache(*what, 0.0)
            self.saved_processor += keep(*what, 0.0) if known else math.nan

    def tidy(self) -> None:
        """Drop the least recently used results beyond ``LIMIT``."""
        self.memory.reduce_size(bytes_limit=LIMIT)
