"""The register of claims: its evidence, run again."""

import shutil
import sys
import textwrap
from collections import Counter

from .. import bearing
from ..claims import FAILED, LEDGER, NOTHING, PASSED, Claim, Recheck, book_folder, load_claims, proof_of, recheck
from ..show.plain import without_latex

OUTCOMES = (PASSED, LEDGER, NOTHING, FAILED)


def add_commands(commands) -> None:
    claims = commands.add_parser("claims", help="run the evidence of every privacy claim again and print the verdicts")
    claims.add_argument("claim", nargs="*", help="an id, or the beginning of several such as privgnn (default: all)")
    claims.set_defaults(command=claims_command)


def claims_command(options) -> int:
    claims = load_claims()
    def asked(claim: Claim, name: str) -> bool:
        return claim.id == name if name in claims else claim.id.startswith(name)
    chosen = [claim for claim in claims.values() if not options.claim or any(asked(claim, n) for n in options.claim)]
    if not chosen:
        raise LookupError(f"no claim begins with {' or '.join(options.claim)}; `privbook claims` lists all")
    print(f"running the evidence of {len(chosen)} claims", file=sys.stderr, flush=True)
    results = recheck(chosen)
    for result in results:
        print(f"{result.claim.id:44} {result.claim.verdict:20} {result.outcome}")
        if result.fault:
            print_line("but", result.fault)
        if options.claim:
            print_details(result)
    counts = Counter(result.outcome for result in results)
    print(f"{len(results)} claims: " + ", ".join(f"{outcome} {counts[outcome]}" for outcome in OUTCOMES))
    return 1 if counts[FAILED] else 0


def print_details(result: Recheck) -> None:
    claim = result.claim
    for name, text in ((f"{claim.paper}, {claim.place}", claim.statement), ("unit", claim.unit),
                       ("relation", claim.relation), ("ours", claim.ours), ("waits for", claim.waits_for),
                       ("range", claim.range), ("proof", proof_of(claim)),
                       *(("witness", witness) for witness in result.witnesses),
                       *(("for every epsilon", f"book/certificates/{name}.json") for name in claim.certificates)):
        if text:
            print_line(name, text)
    twins = bearing.twins(book_folder())
    for test in claim.evidence:
        print_line("evidence", f"{test} ({result.roles.get(test, 'does not say how it bears')})")
        for twin in twins.get(test, ()):
            changes = f"changes the {twin.kind}" if twin.kind != "none" else "none"
            print_line("    counterfactual", f"{changes}, {twin.file}: {twin.said}")


def print_line(name: str, text: str) -> None:
    """As wide as the terminal, and without LaTeX."""
    width = max(40, min(shutil.get_terminal_size().columns, 120))
    print(textwrap.fill(f"{name}: {without_latex(text)}", width, initial_indent="    ", subsequent_indent="        ",
                        break_on_hyphens=False, break_long_words=False))
