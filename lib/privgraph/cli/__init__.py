"""The command ``privgraph``. Each module of this folder that has ``add_commands`` adds a group of commands.

Only the module of the command that is asked for is imported; of the others their texts are read, for the list of all.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from .. import __version__
from ..discover import texts
from ..processes import terminable
from .ending import FOR_A_NUMBER, NobodyReads, explained, lines, no_room
from .spelling import ExactParser

# As ``add_commands`` says it: a name, and the help.
ADDED = re.compile(r'\bcommands\.add_parser\(\s*"([\w-]+)", help=((?:"[^"]*"\s*)+)')
WRITTEN = ("save", "to", "report")  # options that say where something is written: nobody's leaving ends such a command


def main(arguments: list[str] | None = None, package: str = __name__, prog: str = "privgraph",
         description: str = "Privacy-preserving graph neural networks.") -> int:
    """Parse the command line and run one command; returns the exit status, see ``ending``.

    :param package: whose modules add the commands.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    word = next((said for said in arguments if not said.startswith("-")), "")
    with lines() as notices, Loading(prog):
        try:
            try:
                return command(parser(package, prog, description, word), arguments, notices)
            except KeyboardInterrupt:
                print(f"{prog}: stopped", file=sys.stderr)
                return 130
            except NobodyReads:
                return 0
            except Exception as error:
                return explained(error, prog)
        except NobodyReads:  # of that sentence
            return 0


class Loading:
    """Says so on stderr when torch begins to load, which takes seconds: nobody should wait in silence."""

    def __init__(self, prog: str):
        self.prog = prog

    def __enter__(self) -> None:
        sys.meta_path.insert(0, self)

    def __exit__(self, *_) -> None:
        sys.meta_path.remove(self)

    def find_spec(self, name: str, path=None, target=None) -> None:
        if name == "torch":
            print(f"{self.prog}: loading PyTorch", file=sys.stderr, flush=True)


def command(parser: ExactParser, arguments: list[str], notices: tuple) -> int:
    """One command, of which all is said when it returns."""
    try:
        options = parser.parse_args(arguments)
        for line in notices:
            line.patient = any(vars(options).get(name) is not None for name in WRITTEN)
        with terminable(), in_words_of(parser.asked(arguments), options):
            return options.command(options)
    finally:
        sys.stdout.flush()


@contextmanager
def in_words_of(parser: ExactParser, options: argparse.Namespace) -> Iterator[None]:
    """The library speaks of parameters, and whoever typed a command of options."""
    try:
        yield
    except (ValueError, TypeError, OSError, FloatingPointError) as error:
        if len(error.args) == 1:  # a sentence; other errors of the system hold numbers, and others' have parts
            why = parser.extreme(options) if FOR_A_NUMBER.search(str(error)) else ""
            error.args = (parser.spelt(str(error), options) + why,)
        raise
    except (MemoryError, RuntimeError, ArithmeticError) as error:
        why, extreme = no_room(error), parser.extreme(options)
        if not why or isinstance(error, ArithmeticError) and not extreme:  # which would be our fault
            raise
        raise MemoryError(f"{why}{extreme}") from error


def parser(package: str = __name__, prog: str = "privgraph", description: str | None = None,
           word: str | None = None) -> ExactParser:
    """
    :param word: the command that is asked for; the others are listed, and know nothing more. None: all are there.
    """
    top = ExactParser(prog=prog, description=description)
    top.add_argument("--version", action="version", version=f"{prog} {__version__}")
    commands, known = top.add_subparsers(required=True, metavar="COMMAND"), commands_of(package)
    for name, (module, told) in known.items():
        if word is None or module == known.get(word, ("",))[0]:
            if name not in commands.choices:  # nor added with another of the same module
                import_module(module).add_commands(commands)
        else:
            commands.add_parser(name, help=told)
    return top


def commands_of(package: str) -> dict[str, tuple[str, str]]:
    """Command -> its module and its help, as the texts of the package have them.

    >>> commands_of("privgraph.cli")["data"]
    ('privgraph.cli.data', 'list the known graphs, or download one')
    """
    return {name: (module, "".join(re.findall('"(.*?)"', told))) for module, text in texts(package).items()
            for name, told in ADDED.findall(text)}
