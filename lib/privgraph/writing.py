"""Files that are whole or not there, whatever happens while they are written.

A file is written under another name in the folder where it will lie, reaches the disk, and is then moved over its final
name in one step. So under a final name there is what was there before, or all that is new: on a full disk, after an
error, after Ctrl-C, and (what only the next write to the same place cleans up) after a process was killed or the power
went. What is private is readable by its owner alone from the moment it exists; no right is taken away later.

Every other module writes through this one (a test looks for any that does not).
"""

import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from .checks import check_path

SHARED, PRIVATE = 0o666, 0o600  # what a file may let others do, before the user's umask takes away more
BYTES = os.O_WRONLY | getattr(os, "O_BINARY", 0)  # Windows would change line ends
UNFINISHED = re.compile(r"\..*\.(\d+)-[0-9a-f]{8}\.unfinished", re.DOTALL)  # with the process that writes it


def write(path, content: bytes | str, mode: int = SHARED, name: str = "path") -> Path:
    """Write a file, whole or not at all; text as UTF-8. What was there before stays until all of it is on the disk.

    :param mode: ``SHARED``, or ``PRIVATE`` for what its owner alone may read. A file that was there and let others do
        less goes on doing so.
    :param name: of the argument or option that said the path, for messages.
    :returns: the path.
    :raises OSError: of the kind that the system gave, naming the path and the reason; nothing has changed then.
    """
    return write_all({path: content}, mode, name)[0]


def write_all(contents: Mapping, mode: int = SHARED, name: str = "path") -> list[Path]:
    """Write several files: none is moved to its name before all are on the disk."""
    paths = [check_target(path, name) for path in contents]
    staged = []
    try:
        for path, content in zip(paths, contents.values(), strict=True):
            with named_errors(path, name):
                staged.append(unfinished(path))
                fill(staged[-1], content.encode() if isinstance(content, str) else content, mode & rights(path, mode))
        move_all(staged, paths, name)
    finally:
        for new in staged:
            with suppress(OSError):  # why there is nothing to remove was said above
                new.unlink()
    for folder in {path.parent for path in paths}:
        settle(folder)
    return paths


def move_all(staged: list[Path], paths: list[Path], name: str) -> None:
    """Move files to their names; where one cannot be moved, those before it that are new go again."""
    fresh = []
    try:
        for new, path in zip(staged, paths, strict=True):
            fresh += [] if path.exists() else [path]
            with named_errors(path, name):
                os.replace(new, path)
    except BaseException:
        for path in fresh:
            with suppress(OSError):
                path.unlink()
        raise


@contextmanager
def new_folder(path, name: str = "path", mode: int = 0o777, replaces: re.Pattern | None = None) -> Iterator[Path]:
    """A folder to be filled, which is at ``path`` once the block has ended well; otherwise all is as it was before.

    :param mode: as in ``os.mkdir``; 0o700 for what is private.
    :param replaces: what the names of files must match that may go; see ``check_folder``.
    """
    path = check_folder(path, name, replaces)
    made = [folder for folder in path.parents if not folder.exists()]
    new = unfinished(path)
    old = new.with_suffix(".replaced")  # which no later write takes for a leftover
    try:
        with named_errors(path, name):
            path.parent.mkdir(parents=True, exist_ok=True)
            os.mkdir(new, mode)
        yield new
        with named_errors(path, name):
            settle(new)
            move_folder(new, path, old)
        made.clear()
    finally:
        shutil.rmtree(new, ignore_errors=True)
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
    settle(path.parent)


def move_folder(new: Path, path: Path, old: Path) -> None:
    """Put one folder in the place of another, which goes when the new one is there and comes back if it cannot be."""
    if path.exists():
        os.replace(path, old)
    try:
        os.replace(new, path)
    except BaseException:
        if old.exists():
            os.replace(old, path)
        raise
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def taking_turns(path, name: str = "path", seconds: float = 60.0) -> Iterator[None]:
    """One process, and one thread of it, at a time: for what is read, changed and written again.

    Beside the file lies an empty one that ends on .lock; the system lets go of it when whoever holds it ends.

    :raises TimeoutError: where somebody else holds it for so many seconds.
    """
    from filelock import FileLock, Timeout
    path = check_target(path, name)
    lock = FileLock(path.with_name(path.name + ".lock"), mode=PRIVATE, is_singleton=False)
    try:
        lock.acquire(timeout=seconds)
    except Timeout:
        raise TimeoutError(f"{name} is being changed by another process, got {str(path)!r}: waited for {seconds:g} s"
                           ) from None
    try:
        yield
    finally:
        lock.release()


def check_folder(path, name: str = "path", replaces: re.Pattern | None = None) -> Path:
    """The whole path of a folder that can be made, which is tried: before the work whose result it is for.

    :param replaces: a folder that is there must be empty; or, where this is given, hold only what it matches, so that
        nobody's other files are lost with it.
    """
    if not isinstance(path, (str, os.PathLike)) or not str(path):
        raise TypeError(f"{name} must be the path of a folder, got {path!r}")
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_dir():
        raise FileExistsError(f"{name} must be a folder or a new name, got {str(path)!r}, which is a "
                              f"{'file' if path.is_file() else 'device or a pipe'}")
    if path.is_dir() and not os.access(path, os.W_OK | os.X_OK):
        raise PermissionError(f"{name} must be a folder that may be written to, got {str(path)!r}, which is read-only")
    others = sorted(each.name for each in path.iterdir()) if path.is_dir() else []
    if others := [each for each in others if replaces is None or not replaces.fullmatch(each)]:
        raise FileExistsError(f"{name} must be a new or an empty folder, got {str(path)!r}, which holds {others[0]!r}")
    with named_errors(path, name):
        try_folder(next(folder for folder in path.parents if folder.exists()))
    return path


def ready_folder(path, name: str = "path", mode: int = 0o777) -> Path:
    """A folder that is there, made if it is not, and tried: for files that come one by one, each with ``write``.

    :param mode: of one that is made.
    """
    with named_errors(path := Path(path), name):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode, exist_ok=True)
        try_folder(path)
    return path


def check_place(path, name: str = "path") -> Path:
    """A path where a file can be written, which is tried: before the work whose result it is for, not after it."""
    with named_errors(path := check_target(path, name), name):
        try_folder(path.parent)
    return path


def append(path: Path, content: bytes) -> None:
    """Add to the end of a file all of ``content``, or nothing; who calls it sees to it that nobody else does."""
    with named_errors(path, "path"):
        new, file = not path.exists(), os.open(path, BYTES | os.O_CREAT | os.O_APPEND, SHARED)
        try:
            size = os.fstat(file).st_size
            try:
                put(file, content)
            except BaseException:
                os.ftruncate(file, size)
                if new:
                    path.unlink()
                raise
        finally:
            os.close(file)


def check_target(path, name: str) -> Path:
    """A path for a file: not a folder, a device or a pipe, and not a file that its owner has made read-only."""
    path = check_path(path, name)
    if path.is_symlink():  # what it leads to is what is meant
        path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        raise ValueError(f"{name} must be a file or a new name, got {str(path)!r}, which is a device or a pipe")
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(f"{name} must be a file that may be written to, got {str(path)!r}, which is read-only")
    return path


@contextmanager
def named_errors(path: Path, name: str) -> Iterator[None]:
    """Errors of the system say which argument they are about, which path, and why."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        found = type(error)(f"{name} must be a place where files can be written, got {str(path)!r}: {why}")
        found.errno = error.errno
        raise found from error


def unfinished(path: Path) -> Path:
    """Another name in the same folder; what killed processes left beside this path is removed first."""
    start = f".{path.name[:100]}."
    for left in path.parent.glob(".*.unfinished"):
        found = UNFINISHED.fullmatch(left.name)
        if left.name.startswith(start) and found and not alive(int(found[1])):
            shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink(missing_ok=True)
    return path.with_name(f"{start}{os.getpid()}-{secrets.token_hex(4)}.unfinished")


def alive(process: int) -> bool:
    """Whether a process of this machine may still be running."""
    if os.name == "nt":  # where asking would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def rights(path: Path, usual: int) -> int:
    """What a file lets its owner and others do, or ``usual`` where there is none."""
    return stat.S_IMODE(path.stat().st_mode) if path.exists() else usual


def fill(path: Path, content: bytes, mode: int) -> None:
    """Make a file, which must be new, with these rights; its content is on the disk afterwards."""
    file = os.open(path, BYTES | os.O_CREAT | os.O_EXCL, mode)
    try:
        put(file, content)
    finally:
        os.close(file)


def put(file: int, content: bytes) -> None:
    """All of the content, which the system may take in pieces, and then to the disk."""
    left = memoryview(content)
    while left:
        left = left[os.write(file, left):]
    os.fsync(file)


def try_folder(folder: Path) -> None:
    """A file in it, made and removed."""
    probe = unfinished(folder / "probe")
    try:
        fill(probe, b"", PRIVATE)
    finally:
        probe.unlink(missing_ok=True)


def settle(folder: Path) -> None:
    """Let names reach the disk, where the system can be asked to; the files have."""
    with suppress(OSError):
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
