"""What ties theorem boxes, registry entries and evidence together: none may stand alone."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from privbook import bearing, claims, evidence

ROOT = Path(__file__).parents[2]
REGISTER = claims.load_claims((ROOT / "book" / "claims.yml").read_text(encoding="utf-8"))
CARD = re.compile(r"^\| Verdict \| (.*) \|$", re.MULTILINE)
TITLE = re.compile(r"\(claims? (`[^)]*`), verdict: ([a-z ]+)\)")
DECIDED = [claim for claim in REGISTER.values() if claim.verdict in ("holds", "corrected", "refuted")]


def boxes():
    """(chapter, [claim ids], verdict) of every theorem box in the book."""
    for page in sorted([*(ROOT / "chapters").glob("*.md"), *(ROOT / "book").glob("*.md")]):
        for title in claims.BOX.findall(page.read_text(encoding="utf-8")):
            yield page.name, *box(page.name, title)


def box(page: str, title: str) -> tuple[list[str], str]:
    """([claim ids], verdict) in the title of a theorem box."""
    match = TITLE.search(title)
    assert match, f"{page}: the box {title.strip()!r} names no claim and verdict"
    return re.findall(r"`([^`]+)`", match[1]), match[2]


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


def test_evidence_exists_and_is_not_skipped():
    evidence = {test: claim.id for claim in REGISTER.values() for test in claim.evidence}
    found = [f"{claim}: {test} {why}" for test, claim in evidence.items() if (why := unfit(test))]
    assert found == [] and len(evidence) > 200, "\n".join(found)


def unfit(test: str) -> str:
    """Why a test can be no evidence; empty where it can."""
    path, _, name = test.partition("::")
    if name not in functions(path):
        return "does not exist"
    return "may be skipped" if re.search(r"\bskip|xfail", ast.unparse(functions(path)[name])) else ""


# Each test says how it bears on which claim, and chapter 05's table what each verdict takes.


def marked() -> dict[tuple[str, str], str]:
    """(claim, test) -> role, of all tests in the folders that evidence may lie in."""
    files = (path for folder in evidence.TESTS for path in sorted((ROOT / folder).glob("test_*.py")))
    return {(claim, f"{path.relative_to(ROOT)}::{test}"): role for path in files
            for test, bears in bearing.marks(path).items() for claim, role in bears.items()}


def test_each_test_says_how_it_bears_on_the_claims_that_name_it_and_on_no_other():
    assert set(marked()) == {(claim.id, test) for claim in REGISTER.values() for test in claim.evidence}


def test_the_evidence_carries_the_verdict_and_no_other():
    """Whoever changes the word alone is told, whichever word he takes."""
    for claim in (claim for claim in REGISTER.values() if claim.evidence):
        roles = bearing.roles_of(ROOT, claim.id, claim.evidence).values()
        carried = [verdict for verdict in claims.VERDICTS if not bearing.fault(verdict, roles)]
        assert carried == [claim.verdict], claim.id


def test_a_witness_against_prints_what_it_computed_and_a_proof_is_checked_in_one_place():
    for (claim, test), role in marked().items():
        checks_a_proof = test.startswith("tests/claims/test_certificates.py::")
        assert role != "against" or prints_what_it_computed(test) or checks_a_proof, f"{claim}: {test}"
        assert role != "proof" or checks_a_proof, f"{claim}: {test}"
        assert role in ("measured", "beside") or not bearing.reads_the_ledger(test), f"{claim}: {test}"


@pytest.mark.parametrize("roles, verdict", [(["for", "proof"], "holds"), (["against", "beside"], "refuted"),
                                            (["repair", "against"], "corrected"), (["measured"], "empirical only"),
                                            (["beside"], "not a privacy claim"), ([], None),
                                            (["for", "against"], None)])
def test_which_evidence_carries_which_verdict(roles, verdict):
    carried = [word for word in claims.VERDICTS if not bearing.fault(word, roles)]
    assert carried == ([] if verdict is None else [verdict])


def test_a_mark_that_says_nothing_known_is_refused(tmp_path):
    for role, names in (("supports", '"a"'), ("for", '"a", "a"')):
        file = tmp_path / f"test_{role}.py"
        file.write_text(f'@pytest.mark.bears("{role}", {names})\ndef test_it(): pass\n')
        with pytest.raises(ValueError, match="must say once how it bears on a"):
            bearing.marks(file)


def prints_what_it_computed(test: str) -> bool:
    """Whether a test records a witness with at least one value in it, so not a sentence that stands there anyway."""
    path, _, name = test.partition("::")
    recorded = [call.args[1] for call in ast.walk(functions(path)[name]) if isinstance(call, ast.Call)
                and ast.unparse(call.func) == "record_property" and ast.literal_eval(call.args[0]) == "witness"]
    return any(not isinstance(text, ast.Constant) and (not isinstance(text, ast.JoinedStr) or any(
        isinstance(part, ast.FormattedValue) for part in text.values)) for text in recorded)


def test_the_table_in_chapter_05_has_a_row_for_each_verdict():
    page = (ROOT / "chapters" / "05_auditing_claims.md").read_text(encoding="utf-8")
    rows = page.partition("| verdict |")[2].splitlines()[2:]
    rows = rows[:next(i for i, row in enumerate(rows) if not row.startswith("|"))]
    assert [row.split("|")[1].strip() for row in rows] == list(claims.VERDICTS)


def test_what_is_decided_does_not_rest_on_runs_of_the_ledger_alone():
    """"empirical only" is for what is measured and not proved; the others need a proof,
    an enumeration or an exact number."""
    measured = [claim.id for claim in DECIDED if all(map(bearing.reads_the_ledger, claim.evidence))]
    assert measured == [], "measured only: the verdict is 'empirical only'"
    assert [claim.id for claim in DECIDED if not claim.range] == [], "must say what was tried"
    assert len(DECIDED) > 150


def test_every_theorem_that_holds_is_proved():
    """On its page, right after the box, or in the docstrings where the entry says so."""
    for page in sorted((ROOT / "chapters").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for found in claims.BOX.finditer(text):
            ids, verdict = box(page.name, found[1])
            following = claims.BOX.split(text[found.end():])[0]  # up to the next theorem
            if verdict == "holds" and ":::{prf:proof}" not in following:
                assert all("docstring" in REGISTER[name].ours for name in ids), f"{page.name}: {ids} has no proof"


def test_a_card_speaks_in_the_words_of_the_register():
    """"refuted: ...", never "sound with corrections"."""
    cards = {page.stem: CARD.findall(page.read_text(encoding="utf-8")) for page in (ROOT / "chapters").glob("*.md")}
    said = {name: found[0].partition(":")[0] for name, found in cards.items() if found}
    assert {name: word for name, word in said.items() if word not in claims.VERDICTS} == {} and len(said) >= 7


def test_what_is_false_is_headed_claim():
    """A theorem about a refuted claim says what is true in its place, and is proved; the claim itself is no theorem."""
    headed = Counter()
    for page in sorted((ROOT / "chapters").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for found in claims.BOX.finditer(text):
            refuted, claim = box(page.name, found[1])[1] == "refuted", found[0].startswith(":::{admonition}")
            proved = ":::{prf:proof}" in claims.BOX.split(text[found.end():])[0]
            assert claim == (refuted and not proved), f"{page.name}: {found[0]}"
            headed[claim] += 1
    assert headed[True] > 3 and headed[False] > 20


def test_each_paper_is_covered():
    counts = Counter(c.paper for c in REGISTER.values())
    assert set(counts) == set(claims.PAPERS)
    for name in ("rgnn-theorem-1", "gp-theorem-4-3", "privgnn-theorem-7", "privgnn-per-query"):
        assert REGISTER[name].verdict == "refuted"


# Verdicts that a hostile reading found wrong, as they are now; and entries that had swallowed two sentences.
CORRECTED = {"lppge-privacy-label-disentangles": "refuted", "lppge-privacy-label-lowers-scores": "empirical only",
             "lppge-embeddings-are-like-raw-data": "empirical only",
             "lppge-safeguards-social-networks": "empirical only", "gp-fully-private": "refuted",
             "gp-budgets-used": "holds", "gp-provides-feature-label": "holds", "gp-provides-edge": "refuted"}


def test_verdicts_that_were_wrong_do_not_come_back():
    assert {name: REGISTER[name].verdict for name in CORRECTED} == CORRECTED
    assert "gp-provides-edge-feature-label" not in REGISTER


def test_certificates_are_on_file_and_their_checker_is_evidence():
    """An entry that names a certificate cites the tests that verify it; each certificate is named by an entry."""
    named = {name for claim in REGISTER.values() for name in claim.certificates}
    assert {path.stem for path in (ROOT / "book" / "certificates").glob("*.json")} == named
    for claim in REGISTER.values():
        checked = [test for test in claim.evidence if test.startswith("tests/claims/test_certificates.py::")]
        assert bool(checked) == bool(claim.certificates), claim.id
        source = "".join(ast.unparse(functions("tests/claims/test_certificates.py")[test.partition("::")[2]])
                         for test in checked)
        assert all(name in source for name in claim.certificates)
