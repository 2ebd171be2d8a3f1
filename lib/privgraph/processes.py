"""Processes that end with whoever started them, however that ends; and what this one has taken."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


def end_with_parent() -> None:
    """Let this process of ``multiprocessing`` end with the one who asked for it, however that ends: a killed one can
    tell nobody."""
    import multiprocessing  # here, as every command has terminable()
    def watch() -> None:
        multiprocessing.parent_process().join()
        os._exit(1)
    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def terminable() -> Iterator[None]:
    """Take SIGTERM as Ctrl-C is taken: what is finished is kept, and the workers are ended."""
    if threading.current_thread() is not threading.main_thread():  # only it may say what a signal does
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def most_memory() -> float | None:
    """The most memory in GB that this process has had at once; None where the system does not say.

    >>> 0.001 < (most_memory() or 0.1) < 1000
    True
    """
    try:
        import resource
    except ImportError:  # Windows
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e9
