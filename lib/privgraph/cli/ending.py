"""How a command ends: with a sentence and a status, whatever happened, and with nothing half written.

0 it did what was asked; 1 it did, and the answer is no; 2 what was asked cannot be done; 3 nothing could be decided;
70 it is our fault; 130 it was stopped.
"""

import os
import re
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

OUR_FAULT = 70  # as in sysexits.h
LIBRARY = Path(__file__).resolve().parents[1]
OTHERS = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "purelib", "platlib")]
# PyTorch's words for what Python calls a MemoryError; and ours where a number that was said may be the reason.
NO_ROOM = re.compile(r"(can't|cannot) allocate memory|not enough memory|(calculation|multiplication) overflow")
ANYWAY = "say --anyway"  # so the refusal of what would take long ends
FOR_A_NUMBER = re.compile(f"NaN or infinite|never finite|{ANYWAY}$")
TRACEBACK = "PRIVGRAPH_TRACEBACK"  # an environment variable: shows where an error was raised


class NobodyReads(BrokenPipeError):
    """Whoever read the lines, such as ``head``, has had enough."""


class Line:
    """Standard output or standard error: where nobody reads it any more, the command ends; or goes on in silence.

    :param patient: whether it goes on, as a command does that is to leave a file.
    """

    def __init__(self, stream):
        self.stream, self.patient = stream or open(os.devnull, "w", encoding="utf-8"), False

    def write(self, text: str) -> int:
        return self.tried(self.stream.write, text) or len(text)

    def flush(self) -> None:
        self.tried(self.stream.flush)

    def tried(self, do: Callable, *arguments):
        try:
            return do(*arguments)
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.stream.fileno())  # Python will flush once more
            if not isinstance(error, BrokenPipeError):
                raise
            if not self.patient:
                raise NobodyReads(error.errno, error.strerror) from None

    def __getattr__(self, name: str):
        return getattr(self.stream, name)


@contextmanager
def lines() -> Iterator[tuple[Line, Line]]:
    """Standard output and standard error as such lines; as they were, afterwards."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = own = Line(sys.stdout), Line(sys.stderr)
    try:
        yield own
    finally:
        sys.stdout, sys.stderr = before


def explained(error: Exception, prog: str = "privgraph") -> int:
    """Say in a sentence what happened and, where it should not have, that it is our fault; the exit status."""
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)
    said, kind = " ".join(sentence(error).split()), type(error).__name__
    if is_meant(error):
        print(f"{prog}: {said or kind}", file=sys.stderr)
        return 2
    print(f"{prog}: this is our fault, and not yours: {kind}{said and f': {said}'}; nothing half written was left. "
          f"{TRACEBACK}=1 before the command shows where it happened, which we would like to be told", file=sys.stderr)
    return OUR_FAULT


def sentence(error: Exception) -> str:
    """What an error says; one of the system without its number.

    >>> sentence(FileNotFoundError(2, "No such file or directory", "mine.npz"))
    "No such file or directory: 'mine.npz'"
    """
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.strerror}: {error.filename!r}"
    return str(error)


def no_room(error: Exception) -> str:
    """That there was not enough memory, or no room in a number, which PyTorch says in words; or nothing."""
    if isinstance(error, MemoryError) or NO_ROOM.search(str(error)):
        return "there is not enough memory for this"
    if isinstance(error, ArithmeticError):
        return "a number on the way leaves the range of floats"
    return "a number is too large for single precision" if "without overflow" in str(error) else ""


def is_meant(error: Exception) -> bool:
    """Whether an error is about what was asked, or about the machine; one that another library raised of a value
    that we let pass is not."""
    if isinstance(error, (OSError, MemoryError, ImportError, FloatingPointError)):
        return True
    if isinstance(error, (KeyError, IndexError)):  # we raise none
        return False
    return isinstance(error, (ValueError, TypeError, LookupError)) and not raised_elsewhere(error)


def raised_elsewhere(error: Exception) -> bool:
    """Whether it was raised in Python, or in a package other than this one."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    place = Path(frames[-1].f_code.co_filename).resolve() if frames else LIBRARY
    return not place.is_relative_to(LIBRARY) and any(place.is_relative_to(folder) for folder in OTHERS)
