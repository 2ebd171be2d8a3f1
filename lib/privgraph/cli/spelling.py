"""Options that are read exactly as they are spelt, by parsers that are filled when they are asked.

``argparse`` takes any beginning of an option for the option, so that ``--seed 2`` was once read as ``--seeds 2``: a
reader who wanted other coins got two runs, and was not told. A parser of this kind makes only such parsers for its
subcommands, so a new command cannot forget it.
"""

import argparse
from collections.abc import Callable

# Options that had another name, because it was a letter away from one that means something else.
RENAMED = {"--seeds": "--repeats says how often something is repeated, and --seed with which coins",
           "--feature-ranges": "--range-file names the file with the bounds of each column",
           "--eta": "--perturbation is the share of nodes that negative views lose",
           "--meta": "--class-loss trains with the loss of the classes",
           "--no-meta": "--no-class-loss trains without the loss of the classes"}


class ExactParser(argparse.ArgumentParser):
    """A parser without abbreviations, whatever its arguments are.

    :param fill: adds what takes long to know; called before the first parsing.

    ``before``: makes other words of those that were typed, such as with ``--config``; these are then ``words`` of what
    was parsed.
    """

    before: Callable[["ExactParser", list[str]], list[str]] | None = None

    def __init__(self, *words, fill: Callable[["ExactParser"], None] | None = None, **how):
        super().__init__(*words, **how | {"allow_abbrev": False})
        self.fill = fill

    def filled(self) -> "ExactParser":
        fill, self.fill = self.fill, None
        if fill:
            fill(self)
        return self

    def parse_known_args(self, args=None, namespace=None):
        own = self.filled()
        if own.before is None or args is None:
            return super().parse_known_args(args, namespace)
        words = own.before(own, list(args))
        found, rest = super().parse_known_args(words, namespace)
        found.words = words
        return found, rest

    def error(self, message: str):
        """Ends with what ``argparse`` says; where an option had another name, with that name as well."""
        super().error("; ".join([message, *renamed(message)]))


def renamed(message: str) -> list[str]:
    """What to say in place of options that the message calls unknown."""
    said = [word.partition("=")[0] for word in message.split() if message.startswith("unrecognized arguments")]
    return [f"{old} is not an option: {new}" for old, new in RENAMED.items() if old in said]
