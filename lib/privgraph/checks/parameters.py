"""What a parameter may be, said once: ``epsilon: Annotated[float, Epsilon()] = 1.0`` in a frozen dataclass.

Everybody else reads it there: construction (``Parameters``), the command line (``parse``, ``says``), reference pages,
contracts and tests (``bad``: what is to be refused; ``extremes``: what is to be taken). ``none=True`` allows None too.
"""

import math
import re
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, partial
from types import UnionType
from typing import get_type_hints

from . import names, numbers

MOST, BELOW_1 = sys.float_info.max, math.nextafter(1.0, 0.0)
# Classes of fields that a module may know where types are checked only (``late``). Of these nothing is said.
UNLOADED = {"Data": object, "Tensor": object}
NO_NUMBER = (None, "1", math.nan, True, [1.0], 1j)


@dataclass(frozen=True, repr=False)
class Kind:
    """What one field may hold.

    :param checked: (value, name of the field) -> the value as it is kept, or a message with that name.
    :param words: what is allowed.
    :param wrong: values that are refused.
    :param ends: values that are taken, from the ends of what is allowed.
    :param read: makes one of a text.
    :param none: whether None is allowed too.
    :param within: a public size (``Sizes``) or another field, beyond which more changes nothing or has no sense.
    """

    checked: Callable[[object, str], object]
    words: str
    wrong: tuple
    ends: tuple
    read: Callable[[str], object] | None = float
    none: bool = False
    within: str = ""

    def check(self, value, name: str):
        return None if value is None and self.none else self.checked(value, name)

    def parse(self, text: str):
        """The value that a text says. Whether it is allowed is for ``check`` to say."""
        if text == "none" and self.none:
            return None
        if why := beyond(text):  # read as inf it would switch noise off
            raise ValueError(f"{text} cannot be read{why}")
        return self.read(text)

    def says(self) -> str:
        return f"{self.words}, or none" if self.none else self.words

    def bad(self) -> tuple:
        return tuple(value for value in self.wrong if value is not None or not self.none)

    def extremes(self) -> tuple:
        return (*self.ends, None) if self.none else self.ends

    __repr__ = says


class Flag(Kind):
    def __init__(self):
        super().__init__(numbers.check_flag, "True or False", (None, 1, "no"), (True, False), None)


@dataclass(frozen=True, repr=False, init=False)
class Instance(Kind):
    """An object of a class; on the command line its own parameters are said, or what ``read`` understands."""

    kind: type | UnionType

    def __init__(self, kind: type | UnionType, none: bool = False, read: Callable[[str], object] | None = None):
        super().__init__(partial(names.check_is, kind=kind), names.called(kind), (None, 3, "text", kind), (), read,
                         none)
        object.__setattr__(self, "kind", kind)


def Epsilon() -> Kind:
    """A privacy budget."""
    return Kind(numbers.check_epsilon, "a number above 0, or inf", (*NO_NUMBER, 0, -1.0, -math.inf, 1e-320),
                (1e-307, 1e-30, 1e30, 1e307, math.inf))


def Delta() -> Kind:
    return Kind(numbers.check_delta, "a number above 0 and below 1", (*NO_NUMBER, 0, 1, -0.1), (numbers.TINY, BELOW_1))


def Rate() -> Kind:
    """With which probability somebody is sampled."""
    return Kind(numbers.check_rate, "a number above 0, at most 1", (*NO_NUMBER, 0, -0.1, 1.5), (numbers.TINY, 1.0))


def Fraction(closed: bool = False) -> Kind:
    """A share or a probability; with ``closed`` it may be 1."""
    words = "a number from 0 to 1" if closed else "a number from 0, below 1"
    return Kind(partial(numbers.check_fraction, closed=closed), words,
                (*NO_NUMBER, -0.1, 1.5, *(() if closed else (1,))), (0.0, 1.0 if closed else BELOW_1))


def Positive() -> Kind:
    return Kind(numbers.check_positive, "a number above 0", (*NO_NUMBER, 0, -1.0, math.inf, 1e-320),
                (numbers.TINY, MOST))


def NotNegative(inf: bool = False, none: bool = False) -> Kind:
    """With ``inf`` it may be that."""
    return Kind(partial(numbers.check_not_negative, inf=inf), "a number of at least 0" + ", or inf" * inf,
                (*NO_NUMBER, -0.1, -math.inf, *(() if inf else (math.inf,))), (0.0, MOST, *((math.inf,) * inf)),
                none=none)


def Finite() -> Kind:
    return Kind(numbers.check_finite, "a number", (*NO_NUMBER, math.inf, -math.inf), (-MOST, MOST))


def Between(low: float, high: float) -> Kind:
    """Both of them are allowed."""
    return Kind(partial(numbers.check_number, low=low, high=high), f"a number from {low:g} to {high:g}",
                (*NO_NUMBER, math.nextafter(low, -math.inf), math.nextafter(high, math.inf)), (low, high))


def LearningRate() -> Kind:
    return Kind(numbers.check_learning_rate, f"a number above 0, at most {numbers.MOST_RATE:g}",
                (*NO_NUMBER, 0, -1.0, math.inf, 10 * numbers.MOST_RATE), (numbers.TINY, numbers.MOST_RATE))


def Count(low: int = 0, high: int | None = None, none: bool = False, within: str = "") -> Kind:
    """A whole number."""
    words, above = (f"at least {low}", ()) if high is None else (f"{low} to {high}", (high + 1,))
    return Kind(partial(numbers.check_size, low=low, high=high), f"a whole number, {words}",
                (None, "3", low + 0.5, float(low), True, math.nan, [low], low - 1, 2**64, *above),
                (low, 10**9 if high is None else high), whole, none, within)


def Choice(allowed: Collection[str]) -> Kind:
    """One of several names."""
    first = next(iter(allowed))
    return Kind(partial(names.check_choice, allowed=allowed), f"one of {', '.join(sorted(allowed))}",
                (None, "nonsense", "", 3, [first], first.encode()), tuple(allowed), str)


def Sizes() -> Kind:
    """How many values each of some categories has."""
    return Kind(numbers.check_sizes, "whole numbers of at least 2, as 2x3",
                (None, "22", 3, (), (1,), (0.5,), (2.0,), (True,), {2: 3}), ((2,), (10**9, 2)), several(whole))


def Bounds() -> Kind:
    """An end of the range of features: of all, or of each column."""
    return Kind(numbers.check_bound, "a number, or one for each column, as 1x2",
                (None, "1", math.nan, True, 1j, math.inf, (0, math.inf), (None,)), (-MOST, MOST, (0.0, 1.0)),
                lambda text: several(float)(text) if "x" in text else float(text))


def beyond(text: str) -> str:
    """What is to be said of a number that no float is near; nothing of other texts.

    >>> beyond("-1e400"), beyond("1e-400"), beyond("inf"), beyond("0.0"), beyond("two")
    (', which is too large for a number', ', which is too small for a number', '', '', '')
    """
    try:
        value = float(text)
    except ValueError:
        return ""
    if math.isinf(value) and "inf" not in text.lower():
        return ", which is too large for a number"
    zero = value == 0 and re.search("[1-9]", text.lower().partition("e")[0])
    return ", which is too small for a number" if zero else ""


def several(read: Callable[[str], object]) -> Callable[[str], tuple]:
    return lambda text: tuple(map(read, text.split("x")))


def whole(text: str) -> int:
    """A whole number, as 1000, 1_000 or 1e3.

    >>> whole("1e6")
    1000000
    """
    try:
        return int(text)
    except ValueError:
        if not float(text).is_integer():  # inf and nan are not
            raise ValueError(f"invalid literal for a whole number: {text!r}") from None
        return int(float(text))


@cache
def kinds_of(holder: type) -> dict[str, Kind]:
    """The kinds of a dataclass' fields, in their order; what is no such field, or says none, is left out.

    Who gives an inherited field another default need not say again what it may be.
    """
    found = {}
    for base in reversed(holder.__mro__):
        for name, hint in get_type_hints(base, localns=UNLOADED, include_extras=True).items():
            said = [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Kind)]
            found |= {name: said[0]} if said else {}
    held = fields(holder) if is_dataclass(holder) else ()
    return {field.name: found[field.name] for field in held if field.init and field.name in found}


@cache
def checks_of(holder: type) -> tuple[tuple[str, Callable], ...]:
    return tuple((name, kind.check if kind.none else kind.checked) for name, kind in kinds_of(holder).items())


class Parameters:
    """A frozen dataclass that refuses by name what the kinds of its fields refuse, and keeps Python's own numbers."""

    def __post_init__(self):
        for name, check in checks_of(type(self)):
            value = getattr(self, name)
            kept = check(value, name)
            if kept is not value:
                object.__setattr__(self, name, kept)
        self.agree()

    def agree(self) -> None:
        """Refuse fields that are good each, but not together; fill in what hangs on others."""
