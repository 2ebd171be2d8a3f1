"""The register of claims on a page: a card for each claim, and menus that leave out some of them."""

import html
from collections import Counter
from pathlib import Path

from IPython.display import HTML, Markdown

from privgraph.checks import check_all, check_choice

from .. import bearing
from ..claims import FAILED, LEDGER, PASSED, Claim, Recheck, book_folder, proof_of
from .escape import code, inline

SCRIPT = Path(__file__).with_name("cards.js")
MOST = 3  # witnesses on a card
CHANGED = {"library": "in the library", "test": "in the test", "none": "none can be"}


def claim_filter() -> HTML:
    """Menus over the cards of the page: by paper, by verdict, by unit; without JavaScript all cards are there."""
    script = "(() =>" + SCRIPT.read_text(encoding="utf-8").partition("(() =>")[2]
    return HTML(f'<div class="claim-filter"><div class="filters"></div><p class="count" aria-live="polite"></p>'
                f"<script>{script}</script></div>")


def claim_cards(results: list[Recheck], paper: str, title: str = "") -> Markdown:
    """The claims of one paper: first the verdict and what is said, folded what holds and how it was checked.

    :param title: the paper's name in the menu; ``paper`` if it is empty
    :param results: of the evidence.
    """
    results = check_all(results, "results", Recheck)
    check_choice(paper, "paper", {result.claim.paper for result in results})
    return Markdown("\n\n".join(card(result, title or paper) for result in results if result.claim.paper == paper))


def card(result: Recheck, title: str) -> str:
    """HTML around Markdown: blank lines lead from the one into the other. A link to #id finds it.

    No text of others begins a line, where Markdown would read it as a list, a heading or a directive.
    """
    claim = result.claim
    tests = len(claim.evidence)
    checked = {PASSED: f"evidence passed: {tests} test{'s' * (tests > 1)}", LEDGER: f"{LEDGER}: {tests} test"
               f"{'s' * (tests > 1)}", FAILED: "EVIDENCE FAILS"}.get(result.outcome, "no evidence to run")
    names = {"id": claim.id, "data-paper": title, "data-verdict": claim.verdict, "data-unit": claim.unit}
    attributes = " ".join(f'{name}="{html.escape(value)}"' for name, value in names.items())
    said = claim.ours or f"waits for {claim.waits_for}"
    proof = witnesses(result.witnesses) if claim.verdict == "refuted" else ""
    return "\n\n".join((
        f'<div class="claim" {attributes}>',
        f"{badge(claim.verdict)} **{inline(claim.place)}** {code(claim.id)} {inline(claim.statement)}",
        f"<details><summary>What holds ({checked})</summary>",
        f"*Our words.* {inline(said)}{proof}{speaks_of(claim)}{evidence(claim, result.roles)}", "</details>", "</div>"))


def speaks_of(claim: Claim) -> str:
    """What may change and how, what was tried, and where a claim that holds is proved."""
    facts = (("Unit", claim.unit), ("Relation", claim.relation), ("Tried", claim.range), ("Proof", proof_of(claim)))
    return "".join(f" *{name}:* {inline(fact)}." for name, fact in facts if fact)


def badge(verdict: str) -> str:
    return f'<span class="verdict {verdict.replace(" ", "-")}">{verdict}</span>'


def evidence(claim: Claim, roles: dict[str, str]) -> str:
    """Where a claim's tests are, each file once, and how they bear on it; its proofs for every epsilon; and in which
    worlds the tests have been seen to fail."""
    files, twins = {}, Counter()
    for test in claim.evidence:
        path, _, name = test.partition("::")
        files.setdefault(path, []).append(code(name) + (f" ({roles[test]})" if test in roles else ""))
        twins.update((twin.file, twin.kind) for twin in bearing.twins(book_folder()).get(test, ()))
    proofs = ", ".join(code(f"book/certificates/{name}.json") for name in claim.certificates)
    seen = ", ".join(f"{count} {CHANGED[kind]} ({code(f'{bearing.TWINS}/{file}')})"
                     for (file, kind), count in sorted(twins.items()))
    return "".join([f" *For every ε*: {proofs}." if proofs else "",
                    *(f" *Evidence* in {code(path)}: {', '.join(names)}." for path, names in files.items()),
                    f" *Counterfactuals*: {seen}." if seen else ""])


def witnesses(found: tuple[str, ...]) -> str:
    """The first witnesses of a refuted claim, as its tests printed them just now."""
    told = list(dict.fromkeys(found))
    rest = f" (and {len(told) - MOST} more)" if len(told) > MOST else ""
    return f" *Witness:* {'; '.join(inline(witness) for witness in told[:MOST])}{rest}." if told else ""
