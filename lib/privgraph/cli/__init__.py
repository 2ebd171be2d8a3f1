"""The command ``privgraph``. Each module of this folder that has ``add_commands`` adds a group of commands."""

import sys

from ..discover import modules
from ..experiments.workers import terminable
from .ending import NobodyReads, explained, lines
from .exact import ExactParser

WRITTEN = ("save", "to")  # options that say where something is written: nobody's leaving ends such a command


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line and run one command; returns the exit status, see ``ending``."""
    with lines() as told:
        try:
            try:
                return command(arguments, told)
            except KeyboardInterrupt:
                print("privgraph: stopped", file=sys.stderr)
                return 130
            except NobodyReads:
                return 0
            except Exception as error:
                return explained(error)
        except NobodyReads:  # of that sentence
            return 0


def command(arguments: list[str] | None, told: tuple) -> int:
    """One command, of which all is said when it returns."""
    try:
        options = parser().parse_args(arguments)
        for line in told:
            line.patient = any(vars(options).get(name) is not None for name in WRITTEN)
        with terminable():
            return options.command(options)
    finally:
        sys.stdout.flush()


def parser() -> ExactParser:
    top = ExactParser(prog="privgraph", description="Privacy-preserving graph neural networks.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for group in groups():
        group.add_commands(commands)
    return top


def groups() -> list:
    """The modules of this folder that add commands."""
    return [module for module in modules(__name__).values() if hasattr(module, "add_commands")]
