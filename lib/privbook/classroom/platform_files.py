"""What a platform gives out, a zip or a folder, as a list of files: nothing is unpacked, and no name leads anywhere.

The names in a zip are students' words, and so is all else in it. A file is read into memory where somebody asks for it,
up to a limit, and is then written under a name of ours. Links, names that lead out, and what would unfold to more than
the limit, stay unread, each with its reason.
"""

import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from .plain_files import KINDS, read_below
from .roster import NotUnderstood

MOST_FILES, LARGEST, MOST_BYTES = 20_000, 100_000_000, 2_000_000_000  # of a source; of one file, and of all
PACKED = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}  # others may ask for gigabytes before the first byte comes
NAMES = ("utf-8", "cp437", "cp1252", "cp850")  # in which programs write a name that has no mark
BEFORE_DATES = 1980  # a zip's word for no date
END, END_64 = b"PK\x05\x06", b"PK\x06\x06"


@dataclass(frozen=True)
class Entry:
    """A file of a source.

    :param paths: its name, from the top, with slashes; several where its encoding is not said.
    :param time: when it was written, if that is known.
    :param fault: why it is not read; nothing if it may be.
    :param read: its content, up to ``LARGEST`` bytes.
    """

    paths: tuple[str, ...]
    size: int
    time: datetime | None
    fault: str
    read: Callable[[], bytes]


@contextmanager
def open_source(path: Path) -> Iterator[list[Entry]]:
    """The files of a zip or a folder, which stays as it is.

    :raises ValueError: if it is neither, or has more than ``MOST_FILES``.
    """
    if path.is_dir():
        yield list(entries_of_folder(path))
        return
    try:
        if directory_size(path) > MOST_FILES * 500:
            raise ValueError(f"a source may have {MOST_FILES:,} files, {str(path)!r} has more")
        archive = zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError, struct.error) as error:
        raise ValueError(f"source must be a folder or a zip, got {str(path)!r}: {error}") from None
    with archive:
        yield list(entries_of_zip(archive))


def directory_size(path: Path) -> int:
    """Bytes of a zip's list of files, which would be read as a whole; nothing if there is no such list."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 70_000))
        tail = file.read()
    at, at_64 = tail.rfind(END), tail.rfind(END_64)
    if at_64 >= 0 and len(tail) >= at_64 + 56:
        return struct.unpack_from("<Q", tail, at_64 + 40)[0]
    return struct.unpack_from("<I", tail, at + 12)[0] if 0 <= at <= len(tail) - 22 else 0


def entries_of_zip(archive: zipfile.ZipFile) -> Iterator[Entry]:
    """In the order of their sizes: what is small is read before all together is too much."""
    infos = [info for info in archive.infolist() if not info.is_dir()]
    if len(infos) > MOST_FILES:
        raise ValueError(f"a source may have {MOST_FILES:,} files, this one has {len(infos):,}")
    total = 0
    for info in sorted(infos, key=lambda info: info.file_size):
        total += info.file_size
        fault = fault_of(info) or (f"all files together have more than {MOST_BYTES:,} bytes" if total > MOST_BYTES
                                   else "")
        yield Entry(names_of(info), info.file_size, time_of(info), fault,
                    lambda info=info: unpacked(archive, info))


def names_of(info: zipfile.ZipInfo) -> tuple[str, ...]:
    """What the name of a file in a zip may be: programs write it in various encodings, and not all say in which."""
    found = [info.filename]
    if not info.flag_bits & 0x800:
        raw = info.orig_filename.encode("cp437", "surrogateescape")
        for encoding in NAMES:
            try:
                found.append(raw.decode(encoding))
            except UnicodeDecodeError:
                continue
        if info.filename == info.orig_filename:  # otherwise a field beside it said the name
            found = [*found[1:], found[0]]
    return tuple(dict.fromkeys(name if "/" in name else name.replace("\\", "/") for name in found))


def fault_of(info: zipfile.ZipInfo) -> str:
    """Why a file of a zip is not read, from what the zip says of it."""
    kind, parts = stat.S_IFMT(info.external_attr >> 16), re.split(r"[\\/]", info.orig_filename)
    if kind not in (0, stat.S_IFREG):
        return f"it is {KINDS.get(kind, 'no plain file')}"
    if ".." in parts or not parts[0] or re.match(r"[A-Za-z]:$", parts[0]) or "\0" in info.orig_filename:
        return "its name leads out of the archive"
    if info.flag_bits & 0x1:
        return "it is locked with a password"
    if info.compress_type not in PACKED:
        return "it is packed in a way that is not read here"
    return f"it has more than {LARGEST:,} bytes" if info.file_size > LARGEST else ""


def time_of(info: zipfile.ZipInfo) -> datetime | None:
    """As this computer's clock would have said it: a zip says no zone."""
    try:
        return datetime(*info.date_time).astimezone() if info.date_time[0] > BEFORE_DATES else None
    except (ValueError, OverflowError):
        return None


def unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """A file's content; what it really has is counted, not what the zip says that it has."""
    try:
        with archive.open(info) as file:
            content = file.read(LARGEST + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError) as error:
        raise NotUnderstood(f"it cannot be unpacked: {error}") from None
    if len(content) > LARGEST:
        raise NotUnderstood(f"it has more than {LARGEST:,} bytes")
    return content


def entries_of_folder(top: Path) -> Iterator[Entry]:
    """All files below; no link is followed, and what is no plain file says so when it is read."""
    count = 0
    for folder, folders, files, at in os.fwalk(top, follow_symlinks=False):
        links = [name for name in folders if stat.S_ISLNK(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode)]
        for name in sorted([*files, *links]):
            if (count := count + 1) > MOST_FILES:
                raise ValueError(f"a source may have {MOST_FILES:,} files, {str(top)!r} has more")
            found, parts = os.stat(name, dir_fd=at, follow_symlinks=False), Path(folder, name).relative_to(top).parts
            kind = KINDS.get(stat.S_IFMT(found.st_mode), "")
            yield Entry(("/".join(parts),), found.st_size, datetime.fromtimestamp(found.st_mtime).astimezone(),
                        f"it is {kind}" if kind else "", lambda parts=parts: plain_content(top, parts))


def plain_content(top: Path, parts: tuple[str, ...]) -> bytes:
    try:
        return read_below(top, parts)
    except ValueError as error:
        raise NotUnderstood(str(error)) from None
