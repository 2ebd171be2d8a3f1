"""Options that are read exactly as they are spelt.

``argparse`` takes any beginning of an option for the option, so that ``--seed 2`` was once read as ``--seeds 2``: a
reader who wanted other coins got two runs, and was not told. A parser of this kind makes only such parsers for its
subcommands, so a new command cannot forget it.
"""

import argparse

# Options that had another name, because it was a letter away from one that means something else.
RENAMED = {"--seeds": "--repeats says how often something is repeated, and --seed with which coins",
           "--feature-ranges": "--range-file names the file with the bounds of each column",
           "--eta": "--perturbation is the share of nodes that negative views lose",
           "--meta": "--class-loss trains with the loss of the classes",
           "--no-meta": "--no-class-loss trains without the loss of the classes"}


class ExactParser(argparse.ArgumentParser):
    """A parser without abbreviations, whatever its arguments are."""

    def __init__(self, *words, **how):
        super().__init__(*words, **how | {"allow_abbrev": False})

    def error(self, message: str):
        """Ends with what ``argparse`` says; where an option had another name, with that name as well."""
        super().error("; ".join([message, *renamed(message)]))


def renamed(message: str) -> list[str]:
    """What to say in place of options that the message calls unknown."""
    said = [word.partition("=")[0] for word in message.split() if message.startswith("unrecognized arguments")]
    return [f"{old} is not an option: {new}" for old, new in RENAMED.items() if old in said]
