"""Numbers: of Python, NumPy and torch alike, in a range, and Python's own afterwards."""

import math
import sys
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..late import torch

TINY = sys.float_info.min  # below it floats have fewer digits, and their inverse has no room
LONGEST = 2**63 - 1  # int64
MOST_RATE = 1e36  # of learning: divided by .1 it is still a number in single precision


def check_number(value, name: str, *, low: float = -math.inf, high: float = math.inf, open_low: bool = False,
                 open_high: bool = False, whole: bool = False, allowed: str = "") -> float:
    """A number in ``low..high`` as Python's own: an int with ``whole``, else a float. NaN and bools are no numbers.

    NumPy's scalars and tensors with one number and no dimension are read. A whole number is refused where it comes as
    a float (2.0): who counts knows the type. Above an open 0, what is too small for all digits of a float (1e-320) is
    refused, as its inverse is infinite.

    :param allowed: how the message says what is allowed; by default the range.
    """
    number = as_number(value, whole)
    inside = number is not None and low <= number <= high
    inside = inside and not (open_low and number == low) and not (open_high and number == high)
    if inside and open_low and low == 0 and number < TINY:
        raise ValueError(f"{name} must be at least {TINY:.3g}, where floats lose their digits, got {value!r}")
    if not inside:
        allowed = allowed or f"lie in {'(' if open_low else '['}{low:g}, {high:g}{')' if open_high else ']'}"
        raise ValueError(f"{name} must {allowed}, got {value!r}")
    return number


def as_number(value: Any, whole: bool = False) -> int | float | None:
    """Python's own int or float for a number of Python, NumPy or torch; None for whatever is none, and for NaN."""
    if type(value) is (int if whole else float):  # the usual case, and much the fastest
        return value if value == value else None
    if isinstance(value, arrays()) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, Integral if whole else Real):
        return None
    own: Callable[[Any], int | float] = int if whole else float
    try:
        number = own(value)
    except OverflowError:  # a whole number that no float reaches
        return None
    return number if number == number else None


def arrays() -> tuple[type, ...]:
    """What has numbers inside and dimensions. Before torch is loaded nothing is a tensor."""
    return (np.ndarray, torch.Tensor) if "torch" in sys.modules else (np.ndarray,)


def check_flag(value: bool, name: str) -> bool:
    """Yes or no; "no" and 0 are neither."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def check_epsilon(epsilon: float, name: str = "epsilon") -> float:
    """A privacy budget: a positive number, or ``inf`` for "no noise"."""
    return check_number(epsilon, name, low=0, open_low=True, allowed="be a positive number or inf")


def check_count(value: int, name: str, low: int = 0, high: int | None = None) -> int:
    """A whole number in ``low..high`` (``high=None``: no upper limit)."""
    limit = f"at least {low}" if high is None else f"between {low} and {high}"
    return check_number(value, name, low=low, high=math.inf if high is None else high, whole=True,
                        allowed=f"be a whole number, {limit}")


def check_size(value: int, name: str, low: int = 0, high: int | None = None) -> int:
    """A whole number in ``low..high``; without an end, one that a tensor can hold or be as long as."""
    number = check_count(value, name, low=low, high=high)
    if high is None and number > LONGEST:
        raise ValueError(f"{name} must be a whole number below 2^63, got {value!r}")
    return number


def check_fraction(value: float, name: str, closed: bool = False) -> float:
    """A probability or a share: a number in [0, 1), or in [0, 1] with ``closed``."""
    return check_number(value, name, low=0, high=1, open_high=not closed)


def check_positive(value: float, name: str) -> float:
    """A finite positive number: a noise scale, a sensitivity."""
    return check_number(value, name, low=0, open_low=True, open_high=True, allowed="be a positive finite number")


def check_learning_rate(value: float, name: str) -> float:
    """A positive number that a step of Adam in single precision can be computed with, divided by .1 as it is."""
    return check_number(value, name, low=0, high=MOST_RATE, open_low=True,
                        allowed=f"be a positive finite number of at most {MOST_RATE:g}")


def check_not_negative(value: float, name: str, inf: bool = False) -> float:
    """A finite number of at least 0: a weight, a scale of noise that may be none; with ``inf`` that, too."""
    allowed = "be at least 0" if inf else "be a finite number of at least 0"
    return check_number(value, name, low=0, open_high=not inf, allowed=allowed)


def check_finite(value: float, name: str) -> float:
    """Any finite number."""
    return check_number(value, name, open_low=True, open_high=True, allowed="be a finite number")


def check_bound(value, name: str, columns: int | None = None) -> float | tuple[float, ...]:
    """A finite number for all columns, or a sequence with one for each; how many there are may be known."""
    if not is_list(value):
        return check_finite(value, name)
    if columns not in (None, len(value)):
        raise ValueError(f"{name} must be a number, or one for each of {columns} columns, got {len(value)}")
    return tuple(check_finite(each, f"{name} of column {j}") for j, each in enumerate(value))


def check_delta(delta: float, name: str = "delta") -> float:
    """The delta of an (epsilon, delta) statement: strictly between 0 and 1."""
    return check_number(delta, name, low=0, high=1, open_low=True, open_high=True,
                        allowed="lie strictly between 0 and 1")


def check_rate(rate: float, name: str = "rate") -> float:
    """The probability with which a person is sampled: in (0, 1]."""
    return check_number(rate, name, low=0, high=1, open_low=True)


def check_order(order: float, name: str = "order", whole: bool = False) -> float:
    """The order of a Renyi divergence: above 1; with ``whole``, one of 2, 3, 4, ... (2.0 too, as orders are real)."""
    allowed = "be a whole number of at least 2" if whole else "be a finite number above 1"
    number = check_number(order, name, low=2 if whole else 1, open_low=not whole, open_high=True, allowed=allowed)
    if whole and number != int(number):
        raise ValueError(f"{name} must {allowed}, got {order!r}")
    return int(number) if whole else number


def check_sequence(values, name: str, what: str):
    """Several of ``what``, in an order: a list, a tuple, an array or a tensor, but no text."""
    if isinstance(values, (str, bytes)) or not isinstance(values, (Sequence, *arrays())):
        raise TypeError(f"{name} must be a sequence of {what}, got {values!r}")
    return values


def check_numbers(values, name: str) -> list[float]:
    """Finite numbers, in an order: at least one."""
    found = [check_finite(value, f"each of {name}") for value in check_sequence(values, name, "numbers")]
    if not found:
        raise ValueError(f"{name} must be a list of at least one number, got none")
    return found


def check_range(value, name: str = "feature_range",
                columns: int | None = None) -> tuple[float, float] | tuple[tuple[float, float], ...]:
    """Public bounds of features: (low, high) for all columns, or a sequence with such a pair for each.

    :param columns: how many there are, where that is known.
    """
    if not is_list(value) or not len(value) or not is_list(value[0]):
        return check_pair(value, name)
    if columns not in (None, len(value)):
        raise ValueError(f"{name} must be a pair (low, high), or one for each of {columns} columns, "
                         f"got {len(value)} pairs")
    return tuple(check_pair(pair, f"{name} of column {j}") for j, pair in enumerate(value))


def check_sizes(sizes: Sequence[int], name: str) -> tuple[int, ...]:
    """How many values each of some categories has: at least one, and two values each."""
    check_count(len(check_sequence(sizes, name, "whole numbers")), f"number of {name}", low=1)
    return tuple(check_size(size, f"each of {name}", low=2) for size in sizes)


def is_list(value) -> bool:
    """Whether it has parts with numbers: a list, a tuple, an array or a tensor, but not of no dimension."""
    return isinstance(value, (list, tuple)) or isinstance(value, arrays()) and value.ndim > 0


def check_pair(value, name: str) -> tuple[float, float]:
    """Two finite numbers (low, high), the first below the second."""
    low, high = map(as_number, value) if is_list(value) and len(value) == 2 else (None, None)
    if low is None or high is None or not -math.inf < low < high < math.inf:
        raise ValueError(f"{name} must be two finite numbers (low, high), low below high, got {value!r}")
    return low, high


def check_distribution(probabilities, name: str) -> np.ndarray:
    """A vector of probabilities that are not negative and sum to 1 (to 1e-9)."""
    try:
        values = np.asarray(check_sequence(probabilities, name, "probabilities"), dtype=float)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be a vector of probabilities, got {probabilities!r}") from error
    if values.ndim != 1 or not values.size or not (values >= 0).all() or abs(math.fsum(values) - 1) > 1e-9:
        raise ValueError(f"{name} must be a vector of probabilities that sum to 1, "
                         f"got shape {list(values.shape)}, smallest {values.min(initial=math.inf):g}, "
                         f"sum {values.sum():.12g}")
    return values
