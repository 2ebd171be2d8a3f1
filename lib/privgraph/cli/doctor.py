"""What is here and what is not: versions, the processor, graphs, and programs that some commands need."""

import argparse
import os
import platform
import re
import shutil
import sys
from importlib import metadata

from .. import __version__

# What else a command needs, by program.
PROGRAMS = {"bwrap": "grading what students hand in (bubblewrap)", "chromium": "pictures and tests of the book's site",
            "openssl": "privgraph federate keys", "git": "make check, and make test's choice of tests"}
SHOWN = re.compile(r"[\w.-]+")


def add_commands(commands) -> None:
    doctor = commands.add_parser("doctor", help="say which versions, graphs and programs are here")
    doctor.set_defaults(command=doctor_command)


def doctor_command(options: argparse.Namespace) -> int:
    problems = []
    print(f"privgraph {__version__}, Python {platform.python_version()} on {platform.system()} {platform.machine()}, "
          f"{os.cpu_count()} cores")
    for name, least, needed in requirements():
        found = version_of(name)
        state = found or ("not installed" if needed else "not installed, and optional")
        if needed and (found is None or numbers(found) < numbers(least)):
            problems.append(f"{name} {state}, and at least {least} is needed")
        print(f"  {name:20} {state}")
    print(f"  device               {device()}")
    from ..datasets import CARDS, at_hand
    print(f"graphs at hand: {', '.join(name for name in CARDS if at_hand(name))}")
    for program, use in PROGRAMS.items():
        print(f"  {program:20} {'here' if shutil.which(program) else 'not here'}: {use}")
    for problem in problems:
        print(f"problem: {problem}", file=sys.stderr)
    return int(bool(problems))


def requirements() -> list[tuple[str, str, bool]]:
    """What the installed distribution says that it needs: name, least version, and whether nothing works without."""
    found = []
    for text in metadata.requires("privgraph") or []:
        name, (wanted, _, marker) = SHOWN.match(text)[0], text.partition(";")  # type: ignore[index]
        least = re.search(r"[>=]=\s*([\d.]+)", wanted)
        found.append((name, least[1] if least else "0", "extra" not in marker))
    return sorted(found, key=lambda each: not each[2])


def version_of(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def numbers(version: str) -> tuple[int, ...]:
    """
    >>> numbers("2.13.0+cpu") > numbers("2.6")
    True
    """
    return tuple(map(int, re.findall(r"\d+", version.partition("+")[0])[:3]))


def device() -> str:
    """Where PyTorch computes."""
    try:
        import torch
    except ImportError as error:
        return f"unknown, as PyTorch cannot be imported: {error}"
    if torch.cuda.is_available():
        return f"processor; PyTorch also sees {torch.cuda.get_device_name(0)}"
    return "processor"
