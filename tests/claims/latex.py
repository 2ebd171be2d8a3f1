r"""Formulas of the register, evaluated as they stand: ``value(r"\ln(1+\gamma(e^{\varepsilon}-1))", gamma=.3, ...)``.

A name is the text without backslashes and braces: ``varepsilon_x``, ``|Q|``, ``d'``. Its value is a number; a list, of
which ``\sum_i`` takes one after the other where the name ends in ``_i``; or a function, as in ``\varepsilon(\alpha)``.
"""

import math
import operator
import re

TOKEN = re.compile(r"\\[A-Za-z]+'?|\d+\.?\d*|\.\d+|\|[A-Z]\||[A-Za-z]'?|\S")
RELATIONS = {"=": math.isclose, r"\le": operator.le, "<": operator.lt, ">": operator.gt}
FUNCTIONS = {r"\ln": math.log, r"\tanh": math.tanh, r"\sqrt": math.sqrt}


def value(text: str, **names):
    """The number that a formula gives; of one with relations the sides, each with the relation before it."""
    text = re.sub(r"\\frac\s*(\d)\s*(\w)", r"\\frac{\1}{\2}", text.replace(r"\,", " "))
    reader = Reader(TOKEN.findall(text), {"e": math.e, "infty": math.inf} | names)
    sides = [("", reader.sum())]
    while reader.next in RELATIONS:
        sides.append((reader.take(), reader.sum()))
    if reader.next:
        raise ValueError(f"cannot read {reader.tokens[reader.place:]} of {text!r}")
    return sides[0][1] if len(sides) == 1 else sides


def attained(text: str, **names) -> bool:
    """Whether all sides of a formula with relations are equal: bounds are tried where they are attained."""
    (_, first), *others = value(text, **names)
    return all(math.isclose(first, side, rel_tol=1e-6) for _, side in others)


class Reader:
    """By descent: a sum of products of powers of what is in brackets."""

    def __init__(self, tokens: list[str], names: dict):
        self.tokens, self.names, self.place = tokens, names, 0

    @property
    def next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        token, self.place = self.next, self.place + 1
        if wanted and token != wanted:
            raise ValueError(f"{wanted!r} is missing before {self.tokens[self.place - 1:]}")
        return token

    def sum(self):
        sign = -1 if self.next == "-" and self.take() else 1
        total = sign * self.product()
        while self.next in ("+", "-"):
            total += self.product() if self.take() == "+" else -self.product()
        return total

    def product(self):
        total = self.power()
        while self.next and self.next not in ("+", "-", ")", "}", ",", "]", *RELATIONS):
            if self.next == "/":
                self.take()
                total = total / self.power()
            else:
                total = total * (self.power() if self.next != r"\cdot" else self.take() and self.power())
        return total

    def power(self):
        base = self.atom()
        return base ** (self.take() and self.group()) if self.next == "^" else base

    def group(self):
        """What is in braces, or one token."""
        if self.next != "{":
            return self.atom()
        self.take()
        found = self.sum()
        self.take("}")
        return found

    def brackets(self) -> list:
        self.take("(")
        found = [self.sum()]
        while self.next == ",":
            self.take()
            found.append(self.sum())
        self.take(")")
        return found

    def atom(self):
        if self.next == "(":
            found = self.brackets()
            return found[0] if len(found) == 1 else found
        token = self.take()
        if token == r"\frac":
            return self.group() / self.group()
        if token in FUNCTIONS:
            return FUNCTIONS[token](self.group() if token == r"\sqrt" else self.power())
        if token in (r"\sum", r"\min"):
            return self.over(token)
        if re.fullmatch(r"[\d.]+", token):
            return float(token)
        return self.name(token)

    def over(self, token: str):
        r"""\sum_{i<k}: from 0 on; \min_{l \le 8}: from 1 on; \sum_i: over all entries; \min(a, b): of two."""
        if self.next == "(":
            return min(self.brackets())
        self.take("_")
        braced = self.next == "{" and self.take()
        index, relation = self.take(), self.take() if braced else ""
        values = range(self.names.get(f"count of {index}", 0))
        if braced:
            last = round(self.sum())
            values = range(last) if relation == "<" else range(1, last + 1)
            self.take("}")
        start, outer, found = self.place, self.names, []
        for each in values:
            self.place, self.names = start, outer | {index: each}
            found.append(self.product())
        self.names = outer
        return sum(found) if token == r"\sum" else min(found)

    def name(self, token: str):
        said = token.lstrip("\\")
        if said in ("text", "mathrm"):
            end = self.tokens.index("}", self.place)
            said, self.place = "".join(self.tokens[self.place + 1:end]), end + 1
        if self.next == "_":
            self.take()
            said += "_" + self.subscript()
        found = self.names[said]
        if isinstance(found, list):
            return found[self.names[said[-1]]]
        return found(*self.brackets()) if callable(found) else found

    def subscript(self) -> str:
        token = self.take()
        if token == "{":
            token = "".join(iter(self.take, "}"))
        return token.lstrip("\\")
