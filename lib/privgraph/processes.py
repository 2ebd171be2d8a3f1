"""Processes that end with whoever started them, however that ends."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

WATCH = 1.0  # seconds between two looks at whether the parent lives
PATIENCE = 5.0  # seconds between asking a process to end and ending it


def die_with(parent: int) -> None:
    """Let this process end within seconds of its parent, however that ends: a killed one can tell nobody."""
    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH)
        os._exit(1)
    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def children() -> Iterator[Callable[..., subprocess.Popen]]:
    """A function that starts a command as a process of one thread; when the block ends, all of them are ended.

    A command is a list of words, the first of them a module: Python's ``-m``. What this process can import, they can.
    Keyword arguments are those of ``subprocess.Popen``.
    """
    started = []

    def start(module: str, *words, **how) -> subprocess.Popen:
        usual: dict[str, Any] = dict(stdin=subprocess.DEVNULL, start_new_session=True, env=os.environ | {
            "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
        started.append(subprocess.Popen([sys.executable, "-m", module, *map(str, words)], **usual | how))
        return started[-1]

    try:
        yield start
    finally:
        end(started)


def end(processes: list[subprocess.Popen]) -> None:
    """Ask all to end, and end those that do not."""
    for process in processes:
        process.terminate()
    last = time.monotonic() + PATIENCE
    for process in processes:
        try:
            process.wait(max(0, last - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
        process.__exit__(None, None, None)  # waits, and closes what it was read by


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
