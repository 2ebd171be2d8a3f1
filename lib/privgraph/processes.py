"""Processes that end with whoever started them, however that ends."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

WATCH = 1.0  # seconds between two looks at whether the parent lives


def die_with(parent: int) -> None:
    """Let this process end within seconds of its parent, however that ends: a killed one can tell nobody."""
    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH)
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
