"""What an answer is worth, and what a wrong one shows: compared as data, never run.

A part of an assignment says what is right, and what comes out under a misunderstanding that students have. An answer
that agrees with the latter is told so by its name. No message says what the right answer would have been.
"""

import builtins
import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scipy import stats

from privgraph.teach.handing_in import frozen, pack, unpack

LEVEL = 1e-7  # at most this chance that draws of a right function are refused, for each part
Given = Mapping[str, Any]  # what an assignment's first cell has drawn for a student
UNREAD = "unread"  # in the place of an answer: one came, and it could not be read
SHOWN = 500  # characters of an error
NOTHING = object()  # in the place of an answer: there was an error
HIDDEN = " hidden"  # in what was given: what somebody has been given whom nobody knows
OURS = {"TypeError: nothing is written there yet"}  # what ``teach.tell`` says
ERRORS = {name for name, found in vars(builtins).items() if isinstance(found, type) and issubclass(found, Exception)}


def drawn(given: Given) -> random.Random:
    """Coins for an input of one's own; those of ``HIDDEN`` give one that nobody has seen, and that no page prints.

    :param given: what somebody's notebook holds before any answer.
    """
    return random.Random(given["STUDENT"])


@dataclass(frozen=True)
class Mark:
    """:param fraction: of the part's points, 0 to 1: the share of inputs for which the answer is right.
    :param feedback: what the student is told.
    :param waits: for a person, as the grader could not read or compare the answer: the points are not known."""

    fraction: float
    feedback: str
    waits: bool = False

    def points(self, of: float) -> float:
        """Whole and half points.

        :param of: the part's points.

        >>> Mark(0.75, "").points(3), Mark(1.0, "").points(3), Mark(0.1, "").points(4)
        (2.0, 3.0, 0.0)
        """
        return math.floor(2 * of * self.fraction + 1e-9) / 2


@dataclass(frozen=True)
class Part:
    """An answer that is a value, or a function that is called on inputs the student has not seen.

    :param answer: its name in the notebook.
    :param right: function of ``given`` and a call's arguments: the right value.
    :param calls: function of ``given``: a list of tuples of arguments; None if the answer is a value.
    :param wrong: what to tell -> function as ``right``, of what comes out under that misunderstanding.
    :param tolerance: of numbers, relative, and absolute for those below 1.
    """

    answer: str
    right: Callable
    calls: Callable[[Given], Sequence[tuple]] | None = None
    wrong: Mapping[str, Callable] = field(default_factory=dict)
    tolerance: float = 1e-6

    def inputs(self, given: Given) -> list[tuple]:
        """Arguments of the calls with which a function is asked.

        Among them are those that would be drawn for ``HIDDEN``, whom nobody knows, if what is right for them does not
        depend on whose data they are.

        :param given: what the student's notebook holds before any answer.
        """
        if self.calls is None:
            return [()]
        own, hidden = [tuple(arguments) for arguments in self.calls(given)], given.get(HIDDEN)
        others = [tuple(arguments) for arguments in self.calls(hidden)] if hidden else []
        known = [repr(list(map(pack, arguments))) for arguments in own]
        return own + [arguments for arguments in others if repr(list(map(pack, arguments))) not in known
                      and self.same(given, hidden, arguments)]

    def same(self, given: Given, hidden: Given, arguments: tuple) -> bool:
        """Whether one answer is right for both.

        :param given: what the student's notebook holds before any answer.
        :param hidden: what somebody else's holds.
        :param arguments: of one call.
        """
        try:
            one, other = (unpack(pack(self.right(each, *arguments))) for each in (given, hidden))
            return close(one, other, 1e-12)
        except Exception:  # it is right for the other's data alone, or no data at all, but a law
            return False

    def mark(self, given: Given, received: list[dict] | None) -> Mark:
        """The mark of what a notebook told, see ``teach.tell``; None if it told nothing.

        An answer may be made by hand, of anything: what cannot be compared waits for a person.

        :param given: what the student's notebook holds before any answer.
        :param received: what was told of the answer; None: nothing.
        """
        inputs = self.inputs(given)
        try:
            return self.mark_of(given, inputs, received)
        except Exception as error:
            return Mark(0.0, f"`{self.answer}` could not be compared ({type(error).__name__}): a person has to look "
                             "at it.", waits=True)

    def mark_of(self, given: Given, inputs: list[tuple], received: list[dict] | None) -> Mark:
        """The mark of what was received.

        :param given: what the student's notebook holds before any answer.
        :param inputs: arguments of each call.
        :param received: what was told of the answer; None: nothing.
        """
        if received is None:
            return Mark(0.0, f"`{self.answer}` could not be read: the notebook did not get there.")
        if not answered(received, len(inputs)):
            return Mark(0.0, f"`{self.answer}` could not be read: a person has to look at it.", waits=True)
        errors = [answer["error"] for answer in received if "error" in answer]
        answers = [NOTHING if "error" in answer else unpack(answer["value"]) for answer in received]
        right = [answer is not NOTHING and self.agrees_at(self.right, given, arguments, answer, len(inputs))
                 for arguments, answer in zip(inputs, answers, strict=True)]
        if all(right):
            return Mark(1.0, "Right.")
        share = 0.0 if self.says_the_same(given, inputs, answers) else sum(right) / len(right)
        said = f" It is right for {sum(right)} of {len(right)} inputs." if share else ""
        return Mark(share, self.what_is_wrong(given, inputs, answers, errors) + said)

    def what_is_wrong(self, given: Given, inputs: list[tuple], answers: list, errors: list[str]) -> str:
        """What a student is told: an error, a misunderstanding, or another kind of answer than is asked for.

        :param given: what the student's notebook holds before any answer.
        :param inputs: arguments of each call.
        :param answers: what the student's function gave for each.
        :param errors: what it said where it gave nothing.
        """
        if errors:
            return f"`{self.answer}` gave no answer: {self.shown_error(errors[0])}."
        fitting = [message for message, function in self.wrong.items() if self.agrees(function, given, inputs, answers)]
        if fitting:  # on some students' data two misunderstandings give the same
            return " Or: ".join(fitting)
        for arguments, answer in zip(inputs, answers, strict=True):
            if kind(answer) != (asked := self.asks(given, arguments)):
                return f"`{self.answer}` must be {asked}; here it is {kind(answer)}."
        unseen = " for inputs that you have not seen" if self.calls else ""
        return f"`{self.answer}` is not right yet{unseen}."

    def shown_error(self, error: str) -> str:
        """Of an error what a student may see: a function can say its inputs in one, which nobody should see.

        :param error: as ``teach.tell`` shows it.
        """
        kept = error[:SHOWN]
        if self.calls is None or kept == f"there is no {self.answer!r}" or kept in OURS:
            return kept
        name = kept.partition(":")[0]
        return name if name in ERRORS else "an error of its own"

    def says_the_same(self, given: Given, inputs: list[tuple], answers: list) -> bool:
        """Whether a function gives one answer whatever it is asked, where right ones differ: it is right by chance.

        :param given: what the student's notebook holds before any answer.
        :param inputs: arguments of each call.
        :param answers: what the student's function gave for each.
        """
        return len(answers) > 1 and all(close(answer, answers[0], self.tolerance) for answer in answers)

    def asks(self, given: Given, arguments: tuple) -> str:
        """What kind of answer is right.

        :param given: what the student's notebook holds before any answer.
        :param arguments: of one call.
        """
        return kind(unpack(pack(self.right(given, *arguments))))

    def agrees(self, function: Callable, given: Given, inputs: list[tuple], answers: list) -> bool:
        """Whether all answers are right.

        :param function: as ``right``, or one of ``wrong``.
        :param given: what the student's notebook holds before any answer.
        :param inputs: arguments of each call.
        :param answers: what the student's function gave for each.
        """
        return all(self.agrees_at(function, given, arguments, answer, len(inputs))
                   for arguments, answer in zip(inputs, answers, strict=True))

    def agrees_at(self, function: Callable, given: Given, arguments: tuple, answer: Any, count: int) -> bool:
        """Whether one answer is right.

        :param function: as ``right``, or one of ``wrong``.
        :param given: what the student's notebook holds before any answer.
        :param arguments: of the call.
        :param answer: what the student's function gave.
        :param count: of calls.
        """
        return close(answer, unpack(pack(function(given, *arguments))), self.tolerance)


@dataclass(frozen=True)
class Draws(Part):
    """A function that draws: its outcomes, a list, are compared with a law, at ``LEVEL``.

    :param right: function of ``given`` and a call's arguments: the law of each outcome, as a dictionary outcome ->
        chance, or with a ``cdf``, as SciPy's distributions.
    """

    def asks(self, given: Given, arguments: tuple) -> str:
        """

        :param given: what the student's notebook holds before any answer.
        :param arguments: of one call.
        """
        return "a list"

    def agrees_at(self, function: Callable, given: Given, arguments: tuple, answer: Any, count: int) -> bool:
        """Whether the draws have the right distribution.

        :param count: of calls, and the others as of ``Part``.
        """
        return isinstance(answer, list) and follows(answer, function(given, *arguments), LEVEL / count)

    def says_the_same(self, given: Given, inputs: list[tuple], answers: list) -> bool:
        """Draws are the same by no chance that matters.

        :param given: and the others as of ``Part``.
        """
        return False


def answered(received: Any, count: int) -> bool:
    """Whether there is something to compare: a list of that many answers, each as ``teach.tell`` shows it."""
    return isinstance(received, list) and len(received) == count and all(
        isinstance(answer, dict) and (isinstance(answer.get("error"), str) or readable(answer)) for answer in received)


def readable(answer: dict) -> bool:
    try:
        unpack(answer["value"])
    except Exception:  # it may have been made by hand, of anything
        return False
    return True


def kind(value: Any) -> str:
    """What an unpacked value is, in words.

    >>> kind(2), kind([2]), kind(frozenset({2})), kind({2: 3}), kind("2"), kind(None)
    ('a number', 'a list', 'a set', 'a dictionary', 'a text', 'nothing')
    """
    words: dict[type, str] = {list: "a list", frozenset: "a set", dict: "a dictionary", str: "a text"}
    return "a number" if isinstance(value, (int, float)) else words.get(type(value), "nothing")


def close(found: Any, right: Any, tolerance: float) -> bool:
    """Whether two unpacked values are the same, but for rounding.

    >>> close([1, {"a": 0.3}], [1.0, {"a": 0.1 + 0.2}], 1e-9), close(True, "yes", 1e-9), close(float("inf"), 1, 1)
    (True, False, False)
    """
    if isinstance(right, (int, float)):
        return isinstance(found, (int, float)) and (
            found == right or near(found, right, tolerance))
    if isinstance(right, str):
        return isinstance(found, str) and found.strip().casefold() == right.strip().casefold()
    if isinstance(right, list):
        return isinstance(found, list) and len(found) == len(right) and all(
            close(a, b, tolerance) for a, b in zip(found, right, strict=True))
    if isinstance(right, dict):
        return isinstance(found, dict) and found.keys() == right.keys() and all(
            close(found[key], right[key], tolerance) for key in right)
    return type(found) is type(right) and found == right


def near(found: float, right: float, tolerance: float) -> bool:
    """Whether two numbers are close; an integer beyond all floats is close to none.

    >>> near(10**400, 1.0, 1e-6), near(1.0, 1.0 + 1e-9, 1e-6)
    (False, True)
    """
    try:
        return math.isclose(found, right, rel_tol=tolerance, abs_tol=tolerance)
    except OverflowError:
        return False


def finite(draw: Any) -> bool:
    """Whether it is a number that a float can hold."""
    return isinstance(draw, float) and math.isfinite(draw) or isinstance(draw, int) and abs(draw) < 2**1023


def follows(draws: list, law: Any, level: float) -> bool:
    """Whether draws may come from a law: a test that refuses right ones with a chance of at most ``level``."""
    if not draws:
        return False
    if hasattr(law, "cdf"):
        return all(map(finite, draws)) and stats.kstest(list(map(float, draws)), law.cdf).pvalue >= level
    try:
        counts = Counter(map(frozen, draws))
    except TypeError:  # a dictionary, which is no outcome
        return False
    chances = {frozen(unpack(pack(key))): chance for key, chance in law.items()}
    return counts.keys() <= {key for key, chance in chances.items() if chance > 0} and all(
        stats.binomtest(counts[key], len(draws), chance).pvalue >= level / len(chances)
        for key, chance in chances.items())
