"""Names: one of a list, or what may become the name of a file; paths; functions by their arguments; and kinds."""

import inspect
import os
import re
from collections.abc import Iterable
from pathlib import Path
from types import UnionType
from typing import get_args

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def check_choice(value: str, name: str, allowed) -> str:
    """One of a fixed list of names."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(sorted(allowed))}; got {value!r}")
    return value


def check_name(value: str, name: str = "name") -> str:
    """The name of a graph or an experiment, which names files too: letters, digits, dots, dashes and underscores."""
    if not isinstance(value, str) or not NAME.fullmatch(value):
        raise ValueError(f"{name} must be made of letters, digits, dots, dashes and underscores, at most 100, the "
                         f"first of them a letter or digit, got {value!r}")
    return value


def check_path(path, name: str = "path") -> Path:
    """Where a file can be written: not a folder, and in one that exists."""
    if not isinstance(path, (str, os.PathLike)) or not str(path):
        raise TypeError(f"{name} must be the path of a file, got {path!r}")
    path = Path(path)
    if path.is_dir() or not path.parent.is_dir():
        what = "which is a folder" if path.is_dir() else f"and there is no folder {str(path.parent)!r}"
        raise ValueError(f"{name} must be a file in a folder that exists, got {str(path)!r}, {what}")
    return path


def check_is(value, name: str, kind: type | UnionType):
    """An instance of a class, or of one of several."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be {called(kind)}, got {value!r}")
    return value


def called(kind: type | UnionType) -> str:
    """
    >>> called(int), called(Exception), called(int | str)
    ('a int', 'an Exception', 'one of int, str')
    """
    first, *others = (each.__name__ for each in get_args(kind) or (kind,))
    return f"one of {', '.join((first, *others))}" if others else f"a{'n' * (first[0] in 'AEIO')} {first}"


def check_all(values, name: str, kind: type) -> list:
    """Several instances of a class; what can be gone through only once is read."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a list of {kind.__name__}, got {values!r}")
    return [check_is(value, f"each of {name}", kind) for value in values]


def check_function(function, name: str, *arguments: str):
    """Something that can be called with these arguments, in this order."""
    try:
        inspect.signature(function).bind(*arguments)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be a function of ({', '.join(arguments)}), got {function!r}: {error}") from error
    return function
