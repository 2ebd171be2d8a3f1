"""The registry of privacy claims (``book/claims.yml``) and the command that checks every one again.

A claim is what a paper (or this book) says about privacy; its verdict is ours. ``evidence`` names tests, and
``recheck`` runs them and says whether the evidence passed, which is another thing than whether the claim is true:
the evidence of a refuted claim is a witness against it, and each test says so (``bearing``). ``checked`` runs what has
not passed since a change.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path

import yaml

from privgraph.checks import check_choice
from privgraph.privacy.guarantee import RELATIONS, UNITS

from . import bearing, evidence

VERDICTS = ("holds", "corrected", "refuted", "empirical only", "not a privacy claim", "pending")
PASSED, FAILED, NOTHING = "evidence ran again and passed", "EVIDENCE FAILED", "nothing to run"
LEDGER = "ledger read again"  # no experiment ran: all evidence is rows of runs that were made once
BOX = re.compile(r"^:::\{(?:prf:(?:theorem|lemma|proposition|corollary)|admonition\} Claim:)(.*)$", re.MULTILINE)
TEST = re.compile(r"tests/[\w/]+\.py::\w+")  # nothing that pytest would take for an option, or for a file elsewhere
PAPERS = ("book", "graphprivatizer", "privgnn", "rgnn", "dissertation", "anchors")  # the last: others, beside them


@dataclass(frozen=True)
class Claim:
    """One claim. ``ours`` says what holds and why (for "holds": the proof, or where it is); ``range``: what was tried.

    "holds", "corrected" and "refuted" need ``ours`` and ``evidence``; "pending" needs ``waits_for``; the
    other two need ``ours``. ``certificates``: files in book/certificates with proofs for every epsilon, which the
    evidence verifies.
    """

    id: str
    paper: str
    place: str
    statement: str
    verdict: str
    unit: str = "nothing"
    relation: str = "none"
    range: str = ""
    ours: str = ""
    waits_for: str = ""
    certificates: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()

    def __post_init__(self):
        check_choice(self.verdict, f"verdict of {self.id}", VERDICTS)
        check_choice(self.paper, f"paper of {self.id}", PAPERS)
        check_choice(self.unit, f"unit of {self.id}", UNITS)
        check_choice(self.relation, f"relation of {self.id}", (*RELATIONS, "none"))
        for name in ("evidence", "certificates"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for need in self.needs:
            if not getattr(self, need):
                raise ValueError(f"{self.id} has the verdict {self.verdict!r} and so must have {need!r}, got none")
        if self.evidence and self.verdict == "pending":
            raise ValueError(f"{self.id} must have another verdict than 'pending', as it has evidence")
        for test in self.evidence:
            if not TEST.fullmatch(str(test)):
                raise ValueError(f"evidence of {self.id} must read tests/file.py::test_name, got {test!r}")

    @property
    def needs(self) -> tuple[str, ...]:
        if self.verdict in ("holds", "corrected", "refuted"):
            return "ours", "evidence"
        return ("waits_for",) if self.verdict == "pending" else ("ours",)


@dataclass(frozen=True)
class Recheck:
    """What running a claim's evidence gave (``PASSED``, ``LEDGER``, ``FAILED``, ``NOTHING``), and what the tests print.

    :param fault: why the evidence, though it may pass, does not carry the verdict.
    :param roles: test -> how it bears on the claim.
    """

    claim: Claim
    outcome: str
    witnesses: tuple[str, ...] = ()
    seconds: float = 0.0
    fault: str = ""
    roles: dict[str, str] = field(default_factory=dict)


def book_folder() -> Path:
    """``PRIVGRAPH_BOOK``, or the checkout that ``lib`` lies in: it must hold book/claims.yml and the tests."""
    root = Path(os.environ.get("PRIVGRAPH_BOOK") or Path(__file__).resolve().parents[2])
    if not (root / "book" / "claims.yml").is_file():
        raise FileNotFoundError("book/claims.yml was not found: the registry is part of the book's repository; "
                                "run this in a checkout, or set PRIVGRAPH_BOOK to one")
    return root


def load_claims(text: str | None = None) -> dict[str, Claim]:
    """All claims by id, from ``text`` or book/claims.yml, in the order of the papers."""
    text = (book_folder() / "book" / "claims.yml").read_text(encoding="utf-8") if text is None else text
    claims = {}
    for claim in read_entries(text, "claims.yml", Claim):
        if claim.id in claims:
            raise ValueError(f"claims.yml: the id {claim.id!r} is used twice")
        claims[claim.id] = claim
    return claims


def read_entries(text: str, file: str, kind: type) -> list:
    """A list of entries in YAML, each made into a ``kind`` by its names, whoever wrote it.

    :raises ValueError: naming the file, the entry (its id, or its number from 1 on) and what is wrong with it.
    """
    try:
        entries = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise ValueError(f"{file} must be YAML, got {error}") from error
    if not isinstance(entries, list):
        raise ValueError(f"{file} must be a list of entries with names, got {type(entries).__name__}")
    return [read_entry(entry, f"{file}, entry {number}", kind) for number, entry in enumerate(entries, start=1)]


def read_entry(entry, place: str, kind: type):
    """One entry; ``place`` is what an error calls one that has no id."""
    if not isinstance(entry, dict):
        raise ValueError(f"{place}: must have names, got {type(entry).__name__}")
    place, known = entry.get("id", place), {field.name for field in fields(kind)}
    if unknown := set(entry) - known:
        raise ValueError(f"{place} has unknown keys {sorted(map(str, unknown))}; allowed are {sorted(known)}")
    try:
        return kind(**entry)
    except TypeError as error:
        raise ValueError(f"{place} is not whole: {error}") from error


def recheck(claims: Iterable[Claim]) -> list[Recheck]:
    """Run the evidence of all ``claims`` in one pytest process and say which verdicts it confirms."""
    claims = list(claims)
    cases = evidence.run(book_folder(), tests_of(claims))
    return [judge(claim, cases) for claim in claims]


def checked(claims: Iterable[Claim], workers: int = 1) -> list[Recheck]:
    """What ``recheck`` says, but evidence that has passed since anything changed is not run once more.

    :param workers: processes that run the rest.
    """
    claims, root = list(claims), book_folder()
    kept = {test: cases for test, cases in evidence.read(root).items() if all(case.passed for case in cases)}
    cases = kept | evidence.run(root, [test for test in tests_of(claims) if test not in kept], workers)
    return [judge(claim, cases) for claim in claims]


def tests_of(claims: list[Claim]) -> list[str]:
    return sorted({test for claim in claims for test in claim.evidence})


def judge(claim: Claim, cases: dict) -> Recheck:
    """The evidence passed where each test that the claim names ran and passed, and bears on it as its verdict asks."""
    if not claim.evidence:
        return Recheck(claim, NOTHING)
    roles = bearing.roles_of(book_folder(), claim.id, claim.evidence)
    runs = [cases.get(test, []) for test in claim.evidence]
    every = [case for run in runs for case in run]
    fault = carries(claim, roles)
    good = all(runs) and all(case.passed for case in every) and not fault
    witnesses = tuple(witness for case in every for witness in case.witnesses)
    outcome = LEDGER if all(map(bearing.reads_the_ledger, claim.evidence)) else PASSED
    return Recheck(claim, outcome if good else FAILED, witnesses, sum(case.seconds for case in every), fault, roles)


def carries(claim: Claim, roles: dict[str, str]) -> str:
    """Why evidence that bears on a claim in these ways does not carry its verdict; empty where it does."""
    if silent := [test for test in claim.evidence if test not in roles]:
        return f"{silent[0]} does not say how it bears on {claim.id}"
    return bearing.fault(claim.verdict, roles.values())


def proof_of(claim: Claim) -> str:
    """Where a claim that holds is proved: on a page, in docstrings that its text names, or in its own words."""
    if claim.verdict != "holds":
        return ""
    if page := proofs(book_folder()).get(claim.id):
        return page
    return "in the docstrings that our words name" if re.search(r"docstring|proofs? (is |in |with )", claim.ours) \
        else "in our words"


@cache
def proofs(root: Path) -> dict[str, str]:
    """Claim -> the page on which a proof follows its theorem."""
    found = {}
    for page in sorted((root / "chapters").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for box in BOX.finditer(text):
            if ":::{prf:proof}" in BOX.split(text[box.end():])[0]:
                found |= dict.fromkeys(re.findall(r"`([^`]+)`", box[1]), f"chapters/{page.name}")
    return found
