"""The command ``privgraph``. Each module of this folder that has ``add_commands`` adds a group of commands."""

import sys

from .. import __version__
from ..discover import modules
from ..processes import terminable
from .ending import NobodyReads, explained, lines
from .spelling import ExactParser

WRITTEN = ("save", "to")  # options that say where something is written: nobody's leaving ends such a command


def main(arguments: list[str] | None = None, package: str = __name__, prog: str = "privgraph",
         description: str = "Privacy-preserving graph neural networks.") -> int:
    """Parse the command line and run one command; returns the exit status, see ``ending``.

    :param package: whose modules add the commands.
    """
    with lines() as notices:
        try:
            try:
                return command(parser(package, prog, description), arguments, notices)
            except KeyboardInterrupt:
                print(f"{prog}: stopped", file=sys.stderr)
                return 130
            except NobodyReads:
                return 0
            except Exception as error:
                return explained(error, prog)
        except NobodyReads:  # of that sentence
            return 0


def command(parser: ExactParser, arguments: list[str] | None, notices: tuple) -> int:
    """One command, of which all is said when it returns."""
    try:
        options = parser.parse_args(arguments)
        for line in notices:
            line.patient = any(vars(options).get(name) is not None for name in WRITTEN)
        with terminable():
            return options.command(options)
    finally:
        sys.stdout.flush()


def parser(package: str = __name__, prog: str = "privgraph", description: str | None = None) -> ExactParser:
    top = ExactParser(prog=prog, description=description)
    top.add_argument("--version", action="version", version=f"{prog} {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for group in groups(package):
        group.add_commands(commands)
    return top


def groups(package: str) -> list:
    """The modules of a package that add commands."""
    return [module for module in modules(package).values() if hasattr(module, "add_commands")]
