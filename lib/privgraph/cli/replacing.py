"""A file that is there is written over by nobody who did not say ``--replace``."""

import argparse
from pathlib import Path


def add_replace(group, what: str = "a file that is there") -> None:
    """
    :param group: of the parser's arguments.
    :param what: may be written over.
    """
    group.add_argument("--replace", action="store_true", help=f"write in the place of {what}")


def check_new(options: argparse.Namespace, option: str, *files: Path | None) -> None:
    """Refuse, before anybody waits, files that cannot be written, or are there already; and what is said of none.

    :param option: that names them.
    """
    from ..writing import check_place  # which loads NumPy, and --help needs none
    if options.replace and files == (None,):
        raise ValueError(f"--replace is about what {option} writes, got no {option}")
    for file in filter(None, files):
        check_place(file, option)
        refuse_there(options, option, file)


def refuse_there(options: argparse.Namespace, option: str, *places: Path, but: str = "") -> None:
    """Refuse files, and folders that hold something, that are there already.

    :param but: what else is to be known of ``--replace``.
    """
    for place in places:
        if (place.is_file() or place.is_dir() and any(place.iterdir())) and not options.replace:
            raise FileExistsError(f"{option} must be a new name, got {place}, which is there already; --replace writes "
                                  f"in its place{but}")
