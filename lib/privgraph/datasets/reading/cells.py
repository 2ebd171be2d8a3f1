"""What the texts in a column of a table mean: numbers, yes and no, dates, or words."""

import math
import re
from calendar import isleap
from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from typing import NamedTuple

MISSING = {"", "na", "n/a", "nan", "none", "null", "nil", "nat", "<na>", "#n/a", "#na", "?", "-", "--", "."}
PAIRS = [("no", "yes"), ("false", "true"), ("nein", "ja"), ("falsch", "wahr"), ("non", "oui"), ("n", "y"), ("f", "t"),
         ("off", "on")]
SIGN, TENS = r"[+-]?", r"(?:e[+-]?\d+)?"
STYLES = {"point": re.compile(rf"{SIGN}(?:\d+\.?\d*|\.\d+){TENS}", re.I),
          "decimal comma": re.compile(rf"{SIGN}(?:\d+,?\d*|,\d+){TENS}", re.I),
          "comma between thousands": re.compile(rf"{SIGN}\d{{1,3}}(?:[, ']?\d{{3}})*(?:\.\d+)?"),
          "point between thousands, decimal comma": re.compile(rf"{SIGN}\d{{1,3}}(?:[. ']?\d{{3}})*(?:,\d+)?")}
UNITS = re.compile(r"^[€$£] ?| ?(?:%|€|\$|£|EUR|USD|CHF)$")
ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]\d{2}:\d{2}.*)?")
DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?: \d{2}:\d{2}.*)?")
SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})(?: \d{1,2}:\d{2}.*)?")


class Column(NamedTuple):
    """A column that was understood.

    :param kind: number, yes or no, date or text.
    :param values: numbers, NaN where one is missing; of texts the texts, "" where one is missing.
    :param how: in which way numbers are written, where that is worth saying.
    """

    kind: str
    values: list
    how: str = ""


def is_missing(text: str) -> bool:
    return text.strip().lower() in MISSING


def words_of(texts: Sequence[str]) -> list[str]:
    """The texts without blanks around them, "" where one is missing."""
    return ["" if is_missing(text) else text.strip() for text in texts]


def understood(texts: Sequence[str]) -> Column:
    """
    >>> understood(["3,5", "", "1"]).values
    [3.5, nan, 1.0]
    >>> understood(["yes", "no"]).kind, understood(["2020-01-01"]).values, understood(["a", "?"]).values
    ('yes or no', [2020.0], ['a', ''])
    """
    texts = words_of(texts)
    there = [text for text in texts if text]
    return (truths(texts, there) or numbers(texts, there) or dates(texts, there)
            or Column("text", texts))


def truths(texts: list[str], there: list[str]) -> Column | None:
    words = {text.lower() for text in there}
    for pair in PAIRS:
        if words and words <= {*pair} and (len(words) == 2 or min(map(len, pair)) > 1):
            return Column("yes or no", [float(pair.index(text.lower())) if text else math.nan for text in texts])
    return None


def numbers(texts: list[str], there: list[str]) -> Column | None:
    """Numbers that are all written in one way; signs of percent or of money are taken off where all have one."""
    if there and all(map(UNITS.search, there)):
        texts = [UNITS.sub("", text) for text in texts]
        there = [text for text in texts if text]
    for how, style in STYLES.items():
        if there and all(map(style.fullmatch, there)):
            comma = "decimal comma" in how
            plain = [re.sub(r"[ ']", "", text) for text in texts]
            if comma:
                plain = [re.sub(r"\.(?=\d{3})", "", text) if "thousands" in how else text for text in plain]
                plain = [text.replace(",", ".") for text in plain]
            else:
                plain = [text.replace(",", "") for text in plain]
            return Column("number", [float(text) if text else math.nan for text in plain],
                          "" if how == "point" else how)
    return None


def dates(texts: list[str], there: list[str]) -> Column | None:
    """Dates as years with a fraction: 2020-07-02 is 2020.5. 3/4/2020 alone could be a day of March or of April."""
    for style in (ISO, DOTTED, SLASHED):
        found = [style.fullmatch(text) for text in texts]
        if there and all(match for match, text in zip(found, texts, strict=True) if text):
            order = order_of(style, [match for match in found if match])
            try:
                return order and Column("date", [year_of(*(int(match[part]) for part in order)) if match else math.nan
                                                 for match in found])
            except ValueError:  # the 31st of June
                return None
    return None


def order_of(style: re.Pattern, found: list[re.Match]) -> tuple[int, int, int] | None:
    """Where year, month and day stand; None where nothing says so."""
    if style is not SLASHED:
        return (1, 2, 3) if style is ISO else (3, 2, 1)
    first, second = (max(int(match[part]) for match in found) for part in (1, 2))
    if (first > 12) == (second > 12):
        return None
    return (3, 2, 1) if first > 12 else (3, 1, 2)


def year_of(year: int, month: int, day: int) -> float:
    """
    >>> year_of(2021, 1, 1), round(year_of(2020, 7, 2), 2)
    (2021.0, 2020.5)
    """
    return year + (date(year, month, day) - date(year, 1, 1)).days / (366 if isleap(year) else 365)


def in_order(words: Sequence[str]) -> list[str]:
    """Different words in order: of numbers where all are numbers, else of texts.

    >>> in_order(["10", "9", "10"]), in_order(["b", "a"])
    (['9', '10'], ['a', 'b'])
    """
    column = understood(different := sorted({*words}))
    if column.kind != "number":
        return different
    return [word for _, word in sorted(zip(column.values, different, strict=True))]


def is_counting(texts: Sequence[str]) -> bool:
    """Whether these are whole numbers one after the other, as names of columns may be."""
    whole = [int(text) for text in texts if re.fullmatch(r"\d{1,9}", text)]
    return len(whole) == len(texts) and all(b == a + 1 for a, b in pairwise(whole))
