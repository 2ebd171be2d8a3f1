"""Locks that say who holds them, and runs that only one command at a time works on.

The system lets go of a lock when its holder dies, however that happens: no lock is ever stale. On a folder that
several machines share this is so where its file system passes locks on (NFS does).
"""

import hashlib
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

PATIENCE = 60.0  # seconds that a lock on a ledger is waited for; it is held for milliseconds


@contextmanager
def held(path: Path, seconds: float | None = None) -> Iterator[None]:
    """Hold the lock file ``path``.

    :raises TimeoutError: naming the holder, where somebody else holds it for ``seconds`` (``PATIENCE``).
    """
    seconds = PATIENCE if seconds is None else seconds
    try:
        lock = FileLock(path, on_acquired=sign)
        lock.acquire(timeout=seconds)
    except Timeout:
        raise TimeoutError(f"{path.name} is held by {holder(path)}, waited for {seconds:g} s; "
                           "end that process, or try again when it is done") from None
    try:
        yield
    finally:
        lock.release()


def sign(file: int) -> None:
    """Write into a lock file, which was just acquired, by whom."""
    text = f"process {os.getpid()} on {socket.gethostname()} since {time.strftime('%Y-%m-%d %H:%M:%S')}"
    os.write(file, f"{text:300}".encode())  # over whatever stood there; emptying a file takes milliseconds


def holder(path: Path) -> str:
    """Who wrote herself into a lock file."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip() or "another process"
    except OSError:  # some systems let nobody read a locked file
        return "another process"


class Claims:
    """The runs that this command has taken: locks on files beside the ledger, given back at the end of ``with``."""

    def __init__(self, ledger: Path):
        self.ledger, self.locks = ledger, {}

    def __enter__(self) -> "Claims":
        return self

    def __exit__(self, *error) -> None:
        for key in list(self.locks):
            self.drop(key)

    def take(self, key: tuple) -> bool:
        """Claim what ``key`` names; False where another command works on it."""
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        path = self.ledger.with_name(f"{self.ledger.stem}-{digest}.lock")
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path, thread_local=False, on_acquired=sign)  # taken in one thread, dropped in another
        try:
            lock.acquire(blocking=False)
        except Timeout:
            return False
        self.locks[key] = lock
        return True

    def drop(self, key: tuple) -> None:
        """Give it back, done or not."""
        lock = self.locks.pop(key)
        with suppress(OSError):  # Windows removes no open file; who waits for a removed one makes a new one
            Path(lock.lock_file).unlink()
        lock.release()
