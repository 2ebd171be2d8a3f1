"""What ties theorem boxes, registry entries and evidence together: none may stand alone."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from privgraph.audit import claims

ROOT = Path(__file__).parents[2]
REGISTER = claims.load_claims((ROOT / "book" / "claims.yml").read_text(encoding="utf-8"))
BOX = re.compile(r"^:::\{prf:(?:theorem|lemma|proposition|corollary)\}(.*)$", re.MULTILINE)
TITLE = re.compile(r"\(claims? (`[^)]*`), verdict: ([a-z ]+)\)")


def boxes():
    """(chapter, [claim ids], verdict) of every theorem box in the book."""
    for page in sorted([*(ROOT / "chapters").glob("*.md"), *(ROOT / "book").glob("*.md")]):
        for title in BOX.findall(page.read_text(encoding="utf-8")):
            match = TITLE.search(title)
            assert match, f"{page.name}: the box {title.strip()!r} names no claim and verdict"
            yield page.name, re.findall(r"`([^`]+)`", match[1]), match[2]


@cache
def functions(path: str) -> dict[str, ast.FunctionDef]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_theorem_box_has_an_entry_with_its_verdict():
    for page, ids, verdict in boxes():
        for name in ids:
            assert name in REGISTER, f"{page}: no entry {name}"
            assert REGISTER[name].verdict == verdict, f"{page}: {name} is {REGISTER[name].verdict} in the registry"


def test_every_claim_of_the_book_has_a_box():
    boxed = {name for _, ids, _ in boxes() for name in ids}
    assert {c.id for c in REGISTER.values() if c.paper == "book"} <= boxed


@pytest.mark.parametrize("claim", REGISTER.values(), ids=lambda claim: claim.id)
def test_evidence_exists_and_is_not_skipped(claim):
    for test in claim.evidence:
        path, _, name = test.partition("::")
        assert name in functions(path), f"{test} does not exist"
        code = ast.unparse(functions(path)[name])
        assert not re.search(r"\bskip|xfail", code), f"{test} may be skipped"
        assert claim.verdict != "refuted" or any(
            "'witness'" in ast.unparse(functions(t.partition("::")[0])[t.partition("::")[2]]) for t in claim.evidence)


def test_each_paper_is_covered():
    counts = Counter(c.paper for c in REGISTER.values())
    assert set(counts) == set(claims.PAPERS)
    for name in ("rgnn-theorem-1", "gp-theorem-4-3", "privgnn-theorem-7", "privgnn-per-query"):
        assert REGISTER[name].verdict == "refuted"
