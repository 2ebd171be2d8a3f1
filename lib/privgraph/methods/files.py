"""Files of releases and models: tensors, numbers and text, in a form that cannot run code when it is read.

A file says which ``FORMAT`` it has: one of a later version of the library is refused in a sentence.
"""

import io
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Self

import torch

from .. import writing
from ..checks import check_count

FORMAT = 1  # grows where what was written before cannot be read any more; files without a number are the first
SEEN = 1000  # bytes of a file that show whether it is one of text, or of arrays


def write(content: dict, path, mode: int = writing.SHARED) -> None:
    """Write a dict of tensors, numbers, text, and tuples, lists and dicts of these, whole or not at all."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"path must name a file, got the folder {path}; say {path / 'release.pt'} for instance")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"path must lie in a folder that exists, got {path}")
    writing.write(path, packed(content), mode)


class Stored(ABC):
    """What leaves, and is kept in a file of tensors, numbers and text that cannot run code when it is read."""

    NAMED: ClassVar[str]  # what such a file holds, for messages

    @abstractmethod
    def content(self) -> dict:
        """What a file holds of it, by name."""

    @classmethod
    @abstractmethod
    def of_content(cls, found: dict, path) -> Self:
        """What ``content`` was made of, once all of it is checked: what was read may be anybody's."""

    def save(self, path) -> None:
        """Write it into a file that ``load`` reads."""
        write(self.content(), path)

    @classmethod
    def load(cls, path) -> Self:
        """Read what ``save`` wrote.

        :raises ValueError: where the file holds something else.
        """
        found = read(path, cls.NAMED)
        with refusing(path, cls.NAMED):
            return cls.of_content(found, path)


@contextmanager
def refusing(path, what: str) -> Iterator[None]:
    """What is built of a stranger's content is built or refused: whatever goes wrong, the file was no such thing."""
    try:
        yield
    except ValueError:
        raise
    except Exception as error:
        raise ValueError(f"{path} holds no {what}: {type(error).__name__}, {error}") from error


def packed(content: dict) -> bytes:
    """The content of such a file. (What clients and servers send is packed by ``messages``, and can hold less.)"""
    torch.save({"format": FORMAT} | alone(content), file := io.BytesIO())
    return file.getvalue()


def alone(content):
    """The same with tensors of their own memory: torch writes all memory behind a tensor, so a file with the first rows
    of a table would hold the whole table."""
    if isinstance(content, torch.Tensor):
        return content.detach().clone(memory_format=torch.contiguous_format)
    if isinstance(content, dict):
        return {name: alone(part) for name, part in content.items()}
    return type(content)(map(alone, content)) if isinstance(content, (list, tuple)) else content


def read(path, what: str) -> dict:
    """What ``write`` wrote. The file may come from anybody: weights-only loading builds tensors and numbers only.

    :param what: what the file should hold, for the message.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"path must name a file with {what}, got the folder {path}")
    if not path.exists():
        raise FileNotFoundError(f"path must name a file with {what}, got {path}, which does not exist")
    return contents(path, what, str(path))


def contents(source, what: str, name: str) -> dict:
    try:
        with warnings.catch_warnings(action="ignore"):
            content = torch.load(source, weights_only=True)
    except Exception as error:  # torch meets garbage with errors of any kind, and advises to load the file unsafely
        if isinstance(error, OSError) and error.filename is not None:  # of the system, and not of torch
            raise
        raise ValueError(f"{name} holds no {what.removeprefix('a ')}: {seen_in(source)}; a file from elsewhere could "
                         "run code, so it is not read") from None
    if not isinstance(content, dict):
        raise ValueError(f"{name} holds no {what.removeprefix('a ')}: expected named fields, got "
                         f"{type(content).__name__}")
    check_format(content.pop("format", FORMAT), name)
    return content


def seen_in(source) -> str:
    """What a file that was not understood is instead, where that can be seen without reading it as tensors."""
    if isinstance(source, Path):
        with open(source, "rb") as file:
            head = file.read(SEEN)
        if head.startswith(b"PK") and b".npy" in head:
            return "it holds arrays, as a graph file does"
        if head and all(sign >= 32 or sign in b"\t\n\r" for sign in head):
            return "it holds text"
    return "it was not written by this library, or is damaged"


def check_format(number, name: str) -> None:
    if check_count(number, f"format in {name}", low=1) > FORMAT:
        raise ValueError(f"{name} has format {number}, and this version of privgraph reads formats up to {FORMAT}: a "
                         "later version wrote it")
