"""Options that are read exactly as they are spelt, by parsers that are filled when they are asked.

``argparse`` takes any beginning of an option for the option, so that ``--seed 2`` was once read as ``--seeds 2``: a
reader who wanted other coins got two runs, and was not told. A parser of this kind makes only such parsers for its
subcommands, so a new command cannot forget it. What is wrong is said in the words of the command line.
"""

import argparse
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
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
LARGE = 10**6
CHOICE = re.compile(r"invalid choice: '?(.*?)'? \(choose from (.*)\)")
TYPE = re.compile(r"invalid (int|float) value:")
CALLED = {"int": "a whole number", "float": "a number"}
PARAMETER = re.compile(r"([a-z]\w*)((?: and \w+)? (?:must|needs|lies|has|cannot)\b.*)", re.DOTALL)
GOT = re.compile(r"\bgot (\S+?),?(?=\s|;|$)")
ONE_OF = re.compile(r"\bone of ([^;]+); got '([^']*)'")
IGNORED = "ignored explicit argument"  # so argparse says of a value for a flag, though it refuses it
DASHES = "-\u2010\u2012\u2013\u2014\u2212"  # and what text programs make of it


class ExactParser(argparse.ArgumentParser):
    """A parser without abbreviations, whatever its arguments are.

    :param fill: adds what takes long to know; called before the first parsing.

    ``before``: makes other words of those that were typed, such as with ``--config``; these are then ``words`` of what
    was parsed. ``held``: the file in which an option stands that nobody typed. ``otherwise``: how what is no option is
    said instead.
    """

    before: Callable[["ExactParser", list[str]], list[str]] | None = None
    otherwise: str | None = None

    def __init__(self, *words, fill: Callable[["ExactParser"], None] | None = None, **how):
        super().__init__(*words, **how | {"allow_abbrev": False})
        self.fill, self._negative_number_matcher, self.held = fill, NEGATIVE, {}

    def filled(self) -> "ExactParser":
        fill, self.fill = self.fill, None
        if fill:
            fill(self)
        return self

    @property
    def subcommands(self) -> dict[str, "ExactParser"]:
        found = (action.choices for action in self._actions if isinstance(action, argparse._SubParsersAction))
        return next(found, {})  # type: ignore[arg-type]

    def named(self, word: str) -> argparse.Action | None:
        """The option that a word says, with or without its value."""
        return self._option_string_actions.get(word.partition("=")[0])

    def asked(self, words: Sequence[str]) -> "ExactParser":
        """The parser of the subcommand that the words of a command line name."""
        own = self
        for word in words:
            own = own.subcommands.get(word, own)
        return own

    def parse_known_args(self, args=None, namespace=None):
        """What a subcommand does not know it says itself, as it has the options that may have been meant."""
        own, words = self.filled(), None if args is None else list(args)
        own.check_order(words or ()), own.call_by_name(words or ()), own.check_once(words or ())
        if own.before and words is not None:
            words = own.before(own, words)
        options, unknown = super().parse_known_args(words, namespace)
        if own.before:
            options.words = words
        if not own.subcommands:
            if unknown:
                own.error(f"unrecognized arguments: {' '.join(unknown)}", *own.left_over(unknown, words or ()),
                          *filter(None, [own.otherwise]))
            if empty := list(filter(EMPTY.fullmatch, words or ())):
                own.error(f"{empty[0]!r} names nothing")
        return options, unknown

    def check_order(self, words: Sequence[str]) -> None:
        """Refuse an option before the subcommand that may have it, whose value would be taken for the subcommand."""
        places, plain = self._get_positional_actions() if self.subcommands else [], 0
        for word in words:
            if plain == len(places):
                return
            if not word.startswith("-"):
                plain += 1
            elif word.partition("=")[0] not in self._option_string_actions:
                self.error(f"unrecognized arguments: {word} before {places[-1].metavar}, which options follow")

    def call_by_name(self, words: Sequence[str]) -> None:
        """Let a subcommand call itself by the words before it as they were typed, so that its --help can be had."""
        for place, word in zip(self._get_positional_actions()[:-1] if self.subcommands else [], words, strict=False):
            own = self.asked(words)
            own.prog = own.prog.replace(f" {place.metavar} ", f" {word} ")

    def check_once(self, words: Sequence[str]) -> None:
        """Refuse an option that is said twice, of which ``argparse`` takes the last."""
        told: dict[str, list[str]] = {}
        for word, value in zip(words, [*words[1:], ""], strict=False):
            action = self.named(word)
            if action and not isinstance(action, argparse._AppendAction):
                told.setdefault(action.dest, []).append(word if action.nargs == 0 or "=" in word else f"{word} {value}")
        for again in told.values():
            if len(again) > 1:
                self.error(f"argument {again[0].partition('=')[0].split()[0]}: must be said once, got "
                           f"{' and '.join(again)}")

    def left_over(self, unknown: Sequence[str], words: Sequence[str]) -> list[str]:
        """Why there is no place for a word, where it stands after an option that is known, or after none."""
        stray = next((word for word in unknown if word[:1] not in (*DASHES,)), None)
        before = [word for word in words[:words.index(stray)] if word[:1] in (*DASHES,)] if stray else ["--"]
        action = self.named(before[-1]) if before else None
        if action:
            takes = {None: "one word", 0: "no word"}.get(action.nargs, f"{action.nargs} words")
            return [f"{before[-1].partition('=')[0]} takes {takes}, so that {stray} is left over"]
        own = ", ".join(place.metavar or place.dest for place in self._get_positional_actions())
        return [] if before else [f"only {own} can be said without an option before it" if own else
                                  "a word must follow the option that it is for"]

    def error(self, message: str, *why: str):
        """Ends with what ``argparse`` says, and with what was perhaps meant.

        :param why: more to say of it.
        """
        message = TYPE.sub(lambda match: f"must be {CALLED[match[1]]}, got",
                           message.replace(IGNORED, "takes no value, got"))
        self.exit(2, f"{self.prog}: error: {'; '.join([message, *self.meant(message), *why, *self.places(message)])}\n"
                     f"{self.prog} --help says what there is\n")

    def places(self, message: str) -> list[str]:
        """In which files the options stand of which a message speaks."""
        return [f"{option} stands in {file}" for option, file in self.held.items()
                if re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", message)]

    def meant(self, message: str) -> list[str]:
        """Former names of options, options that begin so, and words that are close to one that is unknown."""
        if choice := CHOICE.search(message):
            return close(choice[1], re.findall(r"'([^']*)'", choice[2]) or choice[2].split(", "))
        if not message.startswith("unrecognized arguments"):
            return one_of(message)
        words = [word.partition("=")[0] for word in message.split() if word[0] in DASHES]
        return [advice for word in words for advice in ([f"{word} is not an option: {RENAMED[word]}"]
                if word in RENAMED else close(word, list(self._option_string_actions)))]

    def spelt(self, message: str, options: argparse.Namespace) -> str:
        """A message about a parameter with the option that says it; where nobody said it, its default was meant.

        :param message: as the library says it, "epsilon_x must be positive, got -1".
        """
        if match := PARAMETER.fullmatch(message):
            name, rest = match.groups()
            action, said = self.saying(name, rest, options)
            rest, sign, got = [*re.split("([,;] got )", rest, maxsplit=1), "", ""][:3]
            for other in self._actions:  # parameters of the method that were said; and the second of two
                if action and len(other.dest) > 2 and (other.default is argparse.SUPPRESS and other.dest in options
                                                       or rest.startswith(f" and {other.dest} ")):
                    rest = re.sub(rf"(?<![-\w]){re.escape(other.dest)}\b", other.option_strings[0], rest)
            if action:
                message = f"{action.option_strings[0]}{rest}{sign}{got}" + ", its default" * bool(sign and not said)
        return "; ".join([message, *one_of(message), *self.places(message)])

    def saying(self, name: str, rest: str, options: argparse.Namespace) -> tuple[argparse.Action | None, bool]:
        """The option that says a parameter, and whether somebody said it; None where it is none or several.

        What a method is made of may know its ``epsilon_x`` as ``epsilon``: then the value tells which is meant.

        :param rest: of the message.
        """
        own = [action for action in self._actions if action.option_strings]
        found = [action for action in own if name in (action.dest, action.dest.rpartition(".")[2])
                 or f"--{name.replace('_', '-')}" in action.option_strings]
        got = GOT.search(rest)
        found = [action for action in found if not (got and differs(got[1], getattr(options, action.dest, None)))]
        said = [action for action in found if getattr(options, action.dest, None) is not None]
        if not found and got:
            said = [action for action in own if f"_{name}_" in f"_{action.dest.replace('.', '_')}_" and
                    got[1] in (repr(value := getattr(options, action.dest, None)), str(value))]
        return ((said or found)[0], bool(said)) if len(said or found) == 1 else (None, False)

    def extreme(self, options: argparse.Namespace) -> str:
        """Numbers that were said and are so large or so small that they may be why something has no room, or no end."""
        said = [f"{action.option_strings[0]} {value:g}" for action in self._actions if action.option_strings
                and type(value := getattr(options, action.dest, None)) in (int, float)
                and (LARGE <= abs(value) < math.inf or 0 < abs(value) <= 1 / LARGE)]
        return f"; extreme in it: {', '.join(said)}" if said else ""


def option_of(name: str) -> str:
    """
    >>> option_of("epsilon_x")
    '--epsilon-x'
    """
    return f"--{name.replace('_', '-')}"


def one_of(message: str) -> list[str]:
    """What may have been meant by a word that is none of those which the message lists."""
    choice = ONE_OF.search(message)
    return close(choice[2], choice[1].split(", ")) if choice else []


@contextmanager
def renamed(name: str, option: str) -> Iterator[None]:
    """Errors about a parameter speak of the option that says it, where the parser cannot know which that is."""
    try:
        yield
    except (ValueError, TypeError, OSError) as error:
        if str(error).startswith(f"{name} "):
            error.args = (option + str(error)[len(name):],)
        raise


def differs(got: str, value) -> bool:
    """Whether a message is about another number or text than this one, such as about that of a mechanism.

    >>> differs("1.0", 1e-5), differs("1.0", 1), differs("nan", 2.0), differs("x", 2.0), differs("3", None)
    (True, False, True, False, False)
    >>> differs("'edge'", "node"), differs("'node'", "node"), differs("new,", "node")
    (True, False, False)
    """
    if isinstance(value, str):
        return got[:1] == got[-1:] == "'" and got != repr(value)
    try:
        return isinstance(value, int | float) and float(got) != value and not (value != value and got == "nan")
    except ValueError:
        return False


def close(word: str, known: Sequence[str]) -> list[str]:
    """What somebody may have meant, in a sentence; capital letters, and dashes of text programs, are no difference.

    A beginning, first letters or one of several words say more than letters that are alike.

    >>> close("--epsilon", ["--epsilon-x", "--epsilon-y", "--delta"])
    ['for --epsilon, did you mean --epsilon-x, --epsilon-y?']
    >>> close("-Delta", ["--epsilon-x", "--epsilon-y", "--delta"])
    ['for -Delta, did you mean --delta?']
    >>> close("--lr", ["--learning-rate", "--help"]), close("edge", ["node", "private edge"])
    (['for --lr, did you mean --learning-rate?'], ['for edge, did you mean private edge?'])
    >>> close("--ways", ["--anyway", "--help"])
    []
    """
    plain, bare = word.lstrip(DASHES).lower().strip(), {name.lstrip("-"): name for name in known if "help" not in name}
    found = [plain] if plain in bare else [name for name in bare if name.startswith(f"{plain}-")]
    if not found and len(plain) > 1:
        found = [name for name in bare if len(plain) > 2 and name.startswith(plain) or plain in name.split()
                 or plain == "".join(part[:1] for part in name.split("-"))]
    found = found or get_close_matches(plain, bare, 3, 0.7)
    return [f"for {word}, did you mean {', '.join(map(bare.get, found))}?"] if found else []
