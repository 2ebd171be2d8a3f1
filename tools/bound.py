"""Which test of the evidence stands for which number of a claim's text, and what is wrong where none does.

Each number that an entry of book/claims.yml prints, in whatever field, must be a number that one of its tests computes
with or compares with. tests/claims/numbers.yml keeps which; formulas are evaluated by tests/claims/test_formulas.py.
So an edit of the register alone is noticed, and an edit of both needs a test that asserts the new number.

    tools/bound.py      writes tests/claims/numbers.yml anew; says which numbers no test asserts, with exit status 1
"""

import ast
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from privbook.bearing import computing, reached
from privbook.claims import Claim, load_claims

ROOT = Path(__file__).resolve().parents[1]
TABLE = Path("tests", "claims", "numbers.yml")
BETWEEN = " ; "
FIELDS = ("place", "statement", "ours", "range")
REFERENCES, SYMBOLS, FORMULAS, WORDS, QUOTED = "references", "symbols", "formulas", "words", "quoted"
NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+(?:e-\d+)?)(?:\.\d+)?|\.\d+"
COUNTS = (r"two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen(?:th)?|twenty|half|halves|thirds?|"
          r"quarters?|twice|both|none|nobody")
PLACES = (r"abstract|algorithms?|appendix|appendices|chapters?|columns?|conclusion|contribution|definitions?|"
          r"equations?|eqs?\.|factor|figures?|lemmas?|lines?|propositions?|remarks?|sections?|tables?|theorems?|rows?")
TOKEN = re.compile(
    r"\$(?P<math>[^$]*)\$"
    rf"|\b(?P<place>(?i:{PLACES}))\s+\(?(?P<where>(?:[A-Z][\w.-]*\d\w*|[IVX]+(?:-\w+)*|\d[\d.]*\w?|[A-Z]\.[\d.]*\d)\)?"
    r"(?:(?:, | and | to |; )\(?(?:\d+\.[\d.]*\d\w?|\d+\w?(?![\d%,.]*\w)|[A-Z]\.[\d.]*\d|[IVX]+-\w+)\)?)*)"
    r"|\((?P<year>(?:[^()]*\b)?(?:19|20)\d\d[^()]*)\)|\b(?P<plain_year>(?:19|20)\d\d)\b(?!,\d)"
    r"|(?P<level>95%) interval"
    rf"|(?<![\w.])(?P<number>{NUMBER})(?![A-Z]{{2}})"
    rf"|\b(?P<word>(?i:{COUNTS}))\b")
ATOM = r"(?:\\mathrm\{\w+\}|\\[A-Za-z]+|\|?[A-Za-z]\|?)(?:_(?:\w|\{[^}]*\}|\\\w+))?'?"
SYMBOL = re.compile(rf"^\(?{ATOM}(?:,\s*{ATOM})*\)?$")  # nothing that could be computed
POWER = re.compile(rf"^(?:[^=<>]*(?:=|<|>|\\le|\\ge))?\s*-?(?:({NUMBER})\s*\\cdot\s*)?10\^(?:\{{(-?\d+)\}}|(\d))$")
PLAIN = re.compile(rf"^[^=<>^/+]*(?:=|<|>|\\le|\\ge)\s*-?({NUMBER})(?:\\%)?$|^-?({NUMBER})$")


class Token(NamedTuple):
    """``kind``: "number", or where such a token is kept in the table; ``value`` of a number."""

    kind: str
    text: str
    value: float = 0.0


@cache
def tokens(claim: Claim, ids: frozenset[str]) -> list[Token]:
    """All that is a number, a formula, a symbol or a reference in the text of an entry."""
    found, named = [], entries(ids)
    for name in FIELDS:
        text = re.sub(r"\s+", " ", getattr(claim, name))
        found += [Token(REFERENCES, reference) for reference in named.findall(text)]
        every = [each for match in TOKEN.finditer(named.sub(" ", text)) for each in read(match)]
        found += [each._replace(kind=REFERENCES) if name == "place" else each for each in every]
    return found


@cache
def entries(ids: frozenset[str]) -> re.Pattern:
    """What finds the names of other entries, which have numbers in them."""
    return re.compile(r"\b(?:" + "|".join(map(re.escape, sorted(ids, key=len, reverse=True))) + r")\b")


def read(match: re.Match) -> Iterator[Token]:
    if (math := match["math"]) is not None:
        yield from read_math(math.strip())
    elif match["place"]:
        yield Token(REFERENCES, f"{match['place']} {match['where']}")
    elif named := match["year"] or match["plain_year"] or match["level"]:
        yield Token(REFERENCES, named)
    elif match["word"]:
        yield Token(WORDS, match["word"].lower())
    else:
        yield Token("number", match["number"], value(match["number"]))


def read_math(text: str) -> Iterator[Token]:
    if power := POWER.match(text):
        factor, exponent, digit = power.groups()
        yield Token("number", text, value(factor or "1") * 10.0 ** int(exponent or digit))
    elif plain := PLAIN.match(text):
        yield Token("number", text, value(plain[1] or plain[2]))
    elif SYMBOL.match(text):
        yield Token(SYMBOLS, text)
    else:
        yield Token(FORMULAS, text)


def value(text: str) -> float:
    return float(text.replace(",", ""))


# What a test computes with.


@cache
def literals(test: str, root: Path = ROOT) -> frozenset[float]:
    """Numbers in a test, in its parameters, and in whatever of its file it uses; not in what it prints."""
    return frozenset(number for _, node in reached(root, test) for each in computing(node) for number in numbers(each))


def numbers(node: ast.AST) -> set[float]:
    """The numbers of one node: itself, those in a text, what two constants make together."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return {value(text) for text in re.findall(rf"(?<![\w.]){NUMBER}", node.value)}
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return {float(node.value)}
    parts = [node.left, node.right] if isinstance(node, ast.BinOp) else []
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "Fraction" and len(node.args) == 2:
        parts = node.args
    if parts and all(isinstance(each, ast.Constant) and type(each.value) in (int, float) for each in parts):
        try:
            return {float(eval(compile(ast.Expression(node), "", "eval"), {"__builtins__": {}, "Fraction": Fraction}))}
        except (ArithmeticError, ValueError, TypeError):
            return set()
    return set()


def stands_for(token: Token, found: frozenset[float]) -> bool:
    """Whether a test has this number: as it stands, as a share where per cent are printed, or with more places."""
    places = len(token.text.partition(".")[2]) if re.fullmatch(NUMBER, token.text) else 0
    near = any(math.isclose(token.value, scale * each, rel_tol=1e-9) for each in found for scale in (1, 100, 0.01))
    return near or places > 0 and any(round(each, places) == token.value for each in found)


# The table: claim -> name of a test, or one of the five words -> tokens, in the order of the text.


def assign(claim: Claim, ids: frozenset[str], root: Path = ROOT) -> tuple[dict[str, list[str]], list[str]]:
    """(where each token is kept, the numbers for which no test stands)."""
    table, missing = {}, []
    for token in tokens(claim, ids):
        if kept := keeper(claim, token, root):
            table.setdefault(kept, []).append(token.text)
        else:
            missing.append(token.text)
    return table, missing


def keeper(claim: Claim, token: Token, root: Path) -> str:
    """Under which key a token is kept; empty for a number that no test of the evidence has."""
    if token.kind != "number":
        return token.kind
    if not claim.evidence:
        return QUOTED
    tests = [test for test in claim.evidence if stands_for(token, literals(test, root))]
    if tests:
        return tests[0].partition("::")[2]
    return WORDS if token.value in (0, 1) else ""  # "none of", "one of"


def faults(claim: Claim, table: dict[str, list[str]], ids: frozenset[str], root: Path = ROOT) -> list[str]:
    """What is wrong with the numbers of a claim: not those of the table, or not those of the tests."""
    every = tokens(claim, ids)
    said, kept = Counter(token.text for token in every), Counter(sum(table.values(), []))
    found = [f"{claim.id}: {text} stands in the register, and the table has no test for it" for text in said - kept]
    found += [f"{claim.id}: {text} is witnessed, and does not stand in the register" for text in kept - said]
    here = {test.partition("::")[2]: literals(test, root) for test in claim.evidence}
    numbers = {token.text: token for token in every if token.kind == "number"}
    for test, texts in table.items():
        if test in here:
            found += [f"{claim.id}: {text} is no number of {test}" for text in texts
                      if text in numbers and not stands_for(numbers[text], here[test])]
        elif test not in (REFERENCES, SYMBOLS, FORMULAS, WORDS) and (test != QUOTED or claim.evidence):
            found.append(f"{claim.id}: {test} is not among its evidence")
    return found


def load(root: Path = ROOT) -> dict[str, dict[str, list[str]]]:
    found = yaml.load((root / TABLE).read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return {claim: {key: texts.split(BETWEEN) for key, texts in table.items()} for claim, table in found.items()}


def main() -> int:
    register = load_claims((ROOT / "book" / "claims.yml").read_text(encoding="utf-8"))
    ids, kept, short = frozenset(register), {}, False
    for claim in register.values():
        table, missing = assign(claim, ids)
        kept[claim.id] = {key: BETWEEN.join(texts) for key, texts in table.items()}
        if missing:
            short = True
            print(f"{claim.id}: no test of its evidence has {', '.join(missing)}")
    head = "# Which test stands for which number of a claim. Written by tools/bound.py; see there.\n"
    text = yaml.safe_dump(kept, sort_keys=False, width=10**6, allow_unicode=True)
    (ROOT / TABLE).write_text(head + text, encoding="utf-8")
    return int(short)


if __name__ == "__main__":
    sys.exit(main())
