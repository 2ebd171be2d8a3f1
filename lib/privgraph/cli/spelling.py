"""Options that are read exactly as they are spelt, by parsers that are filled when they are asked.

``argparse`` takes any beginning of an option for the option, so that ``--seed 2`` was once read as ``--seeds 2``: a
reader who wanted other coins got two runs, and was not told. A parser of this kind makes only such parsers for its
subcommands, so a new command cannot forget it. What is wrong is said in the words of the command line.
"""

import argparse
import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches

# Options that had another name, because it was a letter away from one that means something else.
RENAMED = {"--seeds": "--repeats says how often something is repeated, and --seed with which coins",
           "--feature-ranges": "--range-file names the file with the bounds of each column",
           "--eta": "--perturbation is the share of nodes that negative views lose",
           "--meta": "--class-loss trains with the loss of the classes",
           "--no-meta": "--no-class-loss trains without the loss of the classes"}


# Of which argparse knows neither 1e5 nor inf: it would take them for options.
NEGATIVE = re.compile(r"-((\d+\.?\d*|\.\d+)(e[-+]?\d+)?|inf|nan)$", re.IGNORECASE)
EMPTY = re.compile(r"(--[\w-]+=)?\s*")
CHOICE = re.compile(r"invalid choice: '?(.*?)'? \(choose from (.*)\)")
PARAMETER = re.compile(r"([a-z]\w*)((?: and \w+)? (?:must|needs|lies|has|cannot)\b.*)", re.DOTALL)


class ExactParser(argparse.ArgumentParser):
    """A parser without abbreviations, whatever its arguments are.

    :param fill: adds what takes long to know; called before the first parsing.

    ``before``: makes other words of those that were typed, such as with ``--config``; these are then ``words`` of what
    was parsed.
    """

    before: Callable[["ExactParser", list[str]], list[str]] | None = None

    def __init__(self, *words, fill: Callable[["ExactParser"], None] | None = None, **how):
        super().__init__(*words, **how | {"allow_abbrev": False})
        self.fill, self._negative_number_matcher = fill, NEGATIVE

    def filled(self) -> "ExactParser":
        fill, self.fill = self.fill, None
        if fill:
            fill(self)
        return self

    @property
    def subcommands(self) -> dict[str, "ExactParser"]:
        found = (action.choices for action in self._actions if isinstance(action, argparse._SubParsersAction))
        return next(found, {})  # type: ignore[arg-type]

    def asked(self, words: Sequence[str]) -> "ExactParser":
        """The parser of the subcommand that the words of a command line name."""
        own = self
        for word in words:
            own = own.subcommands.get(word, own)
        return own

    def parse_known_args(self, args=None, namespace=None):
        """What a subcommand does not know it says itself, as it has the options that may have been meant."""
        own, words = self.filled(), None if args is None else list(args)
        if own.before and words is not None:
            words = own.before(own, words)
        options, unknown = super().parse_known_args(words, namespace)
        if own.before:
            options.words = words
        if not own.subcommands:
            if unknown:
                own.error(f"unrecognized arguments: {' '.join(unknown)}")
            if empty := list(filter(EMPTY.fullmatch, words or ())):
                own.error(f"{empty[0]!r} names nothing")
        return options, unknown

    def error(self, message: str):
        """Ends with what ``argparse`` says, and with what was perhaps meant."""
        self.exit(2, f"{self.prog}: error: {'; '.join([message, *self.meant(message)])}\n"
                     f"{self.prog} --help says what there is\n")

    def meant(self, message: str) -> list[str]:
        """Former names of options, options that begin so, and words that are close to one that is unknown."""
        if choice := CHOICE.search(message):
            return close(choice[1], re.findall(r"[\w.-]+", choice[2]))
        if not message.startswith("unrecognized arguments"):
            return []
        words = [word.partition("=")[0] for word in message.split() if word.startswith("--")]
        return [advice for word in words for advice in ([f"{word} is not an option: {RENAMED[word]}"]
                if word in RENAMED else close(word, list(self._option_string_actions)))]

    def spelt(self, message: str, options: argparse.Namespace) -> str:
        """A message about a parameter with the option that says it; where nobody said it, its default was meant.

        :param message: as the library says it, "epsilon_x must be positive, got -1".
        """
        if not (match := PARAMETER.fullmatch(message)):
            return message
        name, rest = match.groups()
        found = [action for action in self._actions if action.option_strings and (
            name in (action.dest, action.dest.rpartition(".")[2]) or f"--{name.replace('_', '-')}" in
            action.option_strings)]
        said = [action for action in found if getattr(options, action.dest, None) is not None]
        if len(said or found) != 1:
            return message
        for action in self._actions:  # other parameters of the method that were said
            if action.default is argparse.SUPPRESS and action.dest in options:
                rest = re.sub(rf"\b{re.escape(action.dest)}\b", action.option_strings[0], rest)
        return (said or found)[0].option_strings[0] + rest + ("" if said else ", its default")


def close(word: str, known: Sequence[str]) -> list[str]:
    """What somebody may have meant, in a sentence.

    >>> close("--epsilon", ["--epsilon-x", "--epsilon-y", "--delta"])
    ['for --epsilon, did you mean --epsilon-x, --epsilon-y?']
    """
    found = [name for name in known if name.startswith(f"{word}-")] or get_close_matches(word, known, 3, 0.7)
    return [f"for {word}, did you mean {', '.join(found)}?"] if found else []
