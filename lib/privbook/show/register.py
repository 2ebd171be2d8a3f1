"""The register of claims on a page: a card for each claim, and menus that leave out some of them."""

import html
from pathlib import Path

from IPython.display import HTML, Markdown

from privgraph.checks import check_all, check_choice

from ..claims import FAILED, PASSED, Claim, Recheck
from .escape import code, inline

SCRIPT = Path(__file__).with_name("cards.js")
MOST = 3  # witnesses on a card


def claim_filter() -> HTML:
    """Menus over the cards of the page: by paper, by verdict, by unit; without JavaScript all cards are there."""
    script = "(() =>" + SCRIPT.read_text(encoding="utf-8").partition("(() =>")[2]
    return HTML(f'<div class="claim-filter"><div class="filters"></div><p class="count" aria-live="polite"></p>'
                f"<script>{script}</script></div>")


def claim_cards(results: list[Recheck], paper: str, title: str = "") -> Markdown:
    """The claims of one paper: first the verdict and what is said, folded what holds and how it was checked.

    :param title: the paper's name in the menu; ``paper`` if it is empty
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
    checked = {PASSED: f"evidence passed: {tests} test{'s' * (tests > 1)}", FAILED: "EVIDENCE FAILS"}.get(
        result.outcome, "no evidence to run")
    proof = witnesses(result.witnesses) if claim.verdict == "refuted" else ""
    names = {"id": claim.id, "data-paper": title, "data-verdict": claim.verdict, "data-unit": claim.unit}
    attributes = " ".join(f'{name}="{html.escape(value)}"' for name, value in names.items())
    said = claim.ours or f"waits for {claim.waits_for}"
    return "\n\n".join((
        f'<div class="claim" {attributes}>',
        f"{badge(claim.verdict)} **{inline(claim.place)}** {code(claim.id)} {inline(claim.statement)}",
        f"<details><summary>What holds ({checked})</summary>", f"*Our words.* {inline(said)}{proof}{evidence(claim)}",
        "</details>", "</div>"))


def badge(verdict: str) -> str:
    return f'<span class="verdict {verdict.replace(" ", "-")}">{verdict}</span>'


def evidence(claim: Claim) -> str:
    """Where a claim's tests are, each file once with the tests in it, and its proofs for every epsilon."""
    files = {}
    for test in claim.evidence:
        path, _, name = test.partition("::")
        files.setdefault(path, []).append(code(name))
    proofs = ", ".join(code(f"book/certificates/{name}.json") for name in claim.certificates)
    return "".join([f" *For every ε*: {proofs}." if proofs else "",
                    *(f" *Evidence* in {code(path)}: {', '.join(names)}." for path, names in files.items())])


def witnesses(found: tuple[str, ...]) -> str:
    """The first witnesses of a refuted claim, as its tests printed them just now."""
    told = list(dict.fromkeys(found))
    rest = f" (and {len(told) - MOST} more)" if len(told) > MOST else ""
    return f" *Witness:* {'; '.join(inline(witness) for witness in told[:MOST])}{rest}." if told else ""
