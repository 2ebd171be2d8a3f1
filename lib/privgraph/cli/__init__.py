"""The command ``privgraph``. Each module of this folder that has ``add_commands`` adds a group of commands."""

import os
import sys

from ..discover import modules
from .exact import ExactParser


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line and run one command; returns the exit status."""
    options = parser().parse_args(arguments)
    try:
        status = options.command(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # whoever read the lines, such as `head`, has had enough; Python would flush once more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("privgraph: stopped", file=sys.stderr)
        return 130
    except (ValueError, TypeError, LookupError, OSError) as error:
        print(f"privgraph: {' '.join(str(error).split())}", file=sys.stderr)
        return 2


def parser() -> ExactParser:
    top = ExactParser(prog="privgraph", description="Privacy-preserving graph neural networks.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for group in groups():
        group.add_commands(commands)
    return top


def groups() -> list:
    """The modules of this folder that add commands."""
    return [module for module in modules(__name__).values() if hasattr(module, "add_commands")]
