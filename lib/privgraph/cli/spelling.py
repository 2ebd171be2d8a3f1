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
from pathlib import Path

from .meant import CHOICE, DASHES, RENAMED, close, one_of, several

NUMBER = r"((\d+\.?\d*|\.\d+)(e[-+]?\d+)?|inf|nan)"
# Of which argparse knows neither 1e5 nor inf, nor several with commas: it would take them for options.
NEGATIVE = re.compile(f"-{NUMBER}(,-?{NUMBER})*$", re.IGNORECASE)
LARGE = 10**6
TYPE = re.compile(r"invalid (int|float) value:")
CALLED = {"int": "a whole number", "float": "a number"}
PARAMETER = re.compile(r"([a-z]\w*)((?: and \w+)? (?:must|needs|lies|has|cannot)\b.*)", re.DOTALL)
GOT = re.compile(r"\bgot (\S+?),?(?=\s|;|$)")
IGNORED = "ignored explicit argument"  # so argparse says of a value for a flag, though it refuses it
END = "--"
NO_END = f"{END} ends the options of other programs, and is not needed here: leave it out"
ONE = "one word"
ROOM = {None: 1, "?": 1, "*": math.inf, "+": math.inf}  # how many words an option takes, by its nargs


class ExactParser(argparse.ArgumentParser):
    """A parser without abbreviations, whatever its arguments are.

    :param fill: adds what takes long to know; called before the first parsing.

    ``before``: makes other words of those that were typed, such as with ``--config``; these are then ``words`` of what
    was parsed. ``held``: the file in which an option stands that nobody typed. ``otherwise``: how what is no option is
    said instead. ``elsewhere``: of a word for which there is no place, where it has one.
    """

    before: Callable[["ExactParser", list[str]], list[str]] | None = None
    otherwise: str | None = None
    elsewhere: Callable[[str], list[str]] | None = None

    def __init__(self, *words, fill: Callable[["ExactParser"], None] | None = None, **how):
        super().__init__(*words, **how | {"allow_abbrev": False})
        self.fill, self._negative_number_matcher, self.held = fill, NEGATIVE, {}
        self.register("type", float, number)

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
            own.check_known(unknown, words or ()), own.check_said(words or ())
        return options, unknown

    def check_known(self, unknown: Sequence[str], words: Sequence[str]) -> None:
        if unknown and END in words:
            self.error(NO_END)
        if unknown:
            message = f"unrecognized arguments: {' '.join(unknown)}"
            otherwise = [self.otherwise] if self.otherwise and not self.meant(message) else []
            self.error(message, *self.left_over(unknown, words), *otherwise)

    def check_said(self, words: Sequence[str]) -> None:
        """Refuse an option or a place for which an empty word was typed, as an empty variable of a shell is."""
        for word, option, taken in self.standing(words):
            value = word.partition("=")[2] if taken and is_option(word) else word
            if not value.strip():
                self.error(f"argument {option}: is empty" if taken else f"{word!r} names nothing")

    def check_order(self, words: Sequence[str]) -> None:
        """Refuse an option before the subcommand that may have it, whose value would be taken for the subcommand; and
        the subcommand's name where another word must stand."""
        places, plain = self._get_positional_actions() if self.subcommands else [], 0
        for word in words:
            if plain == len(places):
                return
            if not word.startswith("-"):
                self.check_place(word.lower(), places[plain], places)
                plain += 1
            elif word.partition("=")[0] not in self._option_string_actions:
                self.refuse_before(word, places[-1].metavar, self.asked(words).filled())

    def check_place(self, word: str, place: argparse.Action, places: Sequence[argparse.Action]) -> None:
        behind = [each for own in self.subcommands.values() for each in own._get_positional_actions()]
        other = next((each for each in (*places, *behind) if word in (each.choices or ())), place)
        if other is not place and word not in (place.choices or (word,)):
            order = places if other in places else [*places, other]
            self.error(f"argument {place.metavar}: is missing, as {word} is for {other.metavar}; the order is "
                       f"{' '.join(str(each.metavar) for each in order)}")

    def refuse_before(self, word: str, place: str, own: "ExactParser") -> None:
        """Refuse an option in front of a place.

        :param own: the parser behind it, which may know the option.
        """
        message = f"unrecognized arguments: {word}"
        if word == END:
            self.error(NO_END)
        if own.named(word):
            self.error(f"{message} before {place}, which options follow")
        known = self.meant(message)  # of which ``error`` speaks
        unasked = own is self or len(own._actions) == 1  # as of a command whose module was not looked at
        first = [f"{place} comes first, and its --help says which options it has"] if unasked else []
        self.error(message, *([] if known else own.meant(message) + first))

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

    def standing(self, words: Sequence[str]) -> list[tuple[str, str, bool]]:
        """Each word with the last option that was said, and whether it is a value of that, or holds one itself."""
        found, option, room = [], "", 0
        for word in words:
            if is_option(word):
                option, holds, _ = word.partition("=")
                action = self.named(option)
                room = 0 if holds or action is None else ROOM.get(action.nargs, action.nargs)
                found.append((word, option, bool(holds)))
            else:
                found.append((word, option, room > 0))
                room -= 1
        return found

    def left_over(self, unknown: Sequence[str], words: Sequence[str]) -> list[str]:
        """Why there is no place for a word, where it stands after an option that is known, or after none."""
        if len(self._actions) == 1:  # which is --help
            return [f"{self.prog.rpartition(' ')[2]} takes no argument"]
        stray = next((word for word in unknown if not is_option(word)), None)
        places = [option for word, option, taken in self.standing(words) if word == stray and not taken]
        if stray is None or places and places[-1] and not self.named(places[-1]):
            return []
        why = [f"{stray} is said with {action.option_strings[0]} {stray}" for action in self._actions
               if action.option_strings and stray in (action.choices or ())]
        why += self.elsewhere(stray) if self.elsewhere else []
        if places and places[-1]:
            why = [each for each in why if places[-1] not in each]
            return [f"{places[-1]} takes {self.takes(places[-1], words)}, so that {stray} is left over", *why]
        own = ", ".join(place.metavar or place.dest for place in self._get_positional_actions())
        return why or [f"only {own} can be said without an option before it" if own else
                       "a word must follow the option that it is for"]

    def takes(self, option: str, words: Sequence[str]) -> str:
        """How many words an option takes, and how several values are said in one."""
        action = self._option_string_actions[option]
        told = {None: ONE, 0: "no word"}.get(action.nargs, f"{action.nargs} words")
        values = [word.partition("=")[2] if is_option(word) else word
                  for word, said, _ in self.standing(words) if said == option]
        if lists(action):
            return f"{told}, such as {','.join(each.strip(',') for each in values if each)}"
        return f"{told}, in quotes where it holds blanks" if action.type in (None, Path) and told == ONE else told

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
            known = re.findall(r"'([^']*)'", choice[2]) or choice[2].split(", ")
            names = several(choice[1], known)
            return [f"one can be said here, {' or '.join(names)}"] if names else close(choice[1], known)
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


def is_option(word: str) -> bool:
    """Whether a word is read as an option, or was meant as one; negative numbers are none.

    >>> is_option("--to"), is_option("-5"), is_option("-1,.5,-2"), is_option("-"), is_option("")
    (True, False, False, False, False)
    """
    return len(word) > 1 and word[0] in DASHES and not NEGATIVE.match(word)


def number(text: str) -> float:
    """What ``type=float`` reads, and not infinity of a number that is too large."""
    from ..checks.parameters import beyond  # which loads NumPy, and --help needs none
    if why := beyond(text):
        raise argparse.ArgumentTypeError(f"must be a number, got {text!r}{why}")
    return float(text)


def lists(action: argparse.Action) -> bool:
    """Whether one word says several values, with commas between them."""
    return isinstance(action.metavar, str) and "," in action.metavar


def option_of(name: str) -> str:
    """
    >>> option_of("epsilon_x")
    '--epsilon-x'
    """
    return f"--{name.replace('_', '-')}"


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
