"""Students' files, read without following where they lead.

Whoever fills a folder may put a link to the solution there, a pipe that never ends, or a file that never ends. So each
folder and file is opened as what it is and never followed, and it is the opened thing that is looked at: nobody can
exchange it in between. What is no plain file, has a second name, or is too large, is refused in words.
"""

import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

LARGEST = 200_000_000  # bytes of a file, with all that it shows
MOST, MOST_OF_ONE = 10_000, 1_000  # entries of a folder of submissions, and of a student's with all below it
DEEPEST = 8  # folders in folders
OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC  # a pipe without a writer is no wait
KINDS = {stat.S_IFLNK: "a link, and links are not followed", stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe",
         stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}


def entries(top: Path) -> list[str]:
    """The names in the folder of submissions, in order.

    :raises ValueError: if there are more than ``MOST``.
    """
    found = []
    with os.scandir(top) as listed:
        for entry in listed:
            found.append(entry.name)
            if len(found) > MOST:
                raise ValueError(f"a folder of submissions may hold {MOST:,} entries, {str(top)!r} has more")
    return sorted(found)


class Entry(NamedTuple):
    """:param path: below the folder of submissions.
    :param kind: what it is, in words: "a file", or what cannot be read.
    :param changed: when, in seconds."""

    path: Path
    kind: str
    changed: float


def walked(top: Path, place: Path, most: int = MOST_OF_ONE) -> Iterator[Entry]:
    """All that lies below the folder ``place`` in ``top``, of folders the empty ones only; no link is followed.

    :raises ValueError: if there is more than ``most``, or something deeper than ``DEEPEST``.
    """
    folders, seen = [place], 0
    while folders:
        here = folders.pop()
        if len(here.parts) > DEEPEST:
            raise ValueError(f"its folders are nested more than {DEEPEST} deep")
        with os.scandir(top / here) as listed:
            inside = [(here / entry.name, entry.stat(follow_symlinks=False)) for entry in islice(listed, most)]
        if (seen := seen + len(inside)) >= most:
            raise ValueError(f"it holds more than {most - 1:,} files and folders")
        if not inside and here != place:
            yield Entry(here, "a folder", os.stat(top / here, follow_symlinks=False).st_mtime)
        for path, said in inside:
            if stat.S_ISDIR(said.st_mode):
                folders.append(path)
            else:
                yield Entry(path, KINDS.get(stat.S_IFMT(said.st_mode), "a file"), said.st_mtime)


def kind_of(name: str, at: int | None = None) -> str:
    """What lies there, in words; nothing if there is nothing, "a file" for a plain one."""
    try:
        return KINDS.get(stat.S_IFMT(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode), "a file")
    except (FileNotFoundError, NotADirectoryError):
        return ""


def open_folder(top: Path, place: Path) -> int:
    """A descriptor of the folder ``place`` below ``top``; the caller closes it.

    :raises ValueError: if one on the way is a link, or no folder.
    """
    at = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)  # which the teacher named, and may be a link
    for name in place.parts:
        above = at
        try:
            at = os.open(name, OPEN | os.O_DIRECTORY, dir_fd=above)
        except OSError as error:
            raise ValueError(refused(name, above, error)) from None
        finally:
            os.close(above)
    return at


def read_file(at: int, name: str) -> bytes:
    """All of the plain file ``name`` in the folder with descriptor ``at``.

    :raises ValueError: if it is anything else, or one file under several names, or larger than ``LARGEST``.
    """
    try:
        descriptor = os.open(name, OPEN, dir_fd=at)
    except OSError as error:
        raise ValueError(refused(name, at, error)) from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise ValueError(f"it is {KINDS.get(stat.S_IFMT(found.st_mode), 'no plain file')}")
        if found.st_nlink > 1:
            raise ValueError("it has a second name (a hard link), so it may be somebody else's file; copy it here")
        return read_all(descriptor, found.st_size)
    finally:
        os.close(descriptor)


def read_below(top: Path, parts: tuple[str, ...]) -> bytes:
    """A plain file some folders below ``top``, none of which may be a link.

    :raises ValueError: as ``open_folder`` and ``read_file``.
    """
    at = open_folder(top, Path(*parts[:-1]))
    try:
        return read_file(at, parts[-1])
    finally:
        os.close(at)


def read_all(descriptor: int, size: int) -> bytes:
    """What an opened file holds; it may grow while it is read."""
    content = bytearray()
    while size <= LARGEST and (piece := os.read(descriptor, 2**20)):
        content += piece
        size = max(size, len(content))
    if size > LARGEST:
        raise ValueError(f"it has more than {LARGEST:,} bytes")
    return bytes(content)


def refused(name: str, at: int, error: OSError) -> str:
    """Why something could not be opened: for what it is, or what the system says."""
    kind = kind_of(name, at)
    return f"it is {kind}" if kind not in ("", "a file", "a folder") else f"it cannot be opened: {error.strerror}"
