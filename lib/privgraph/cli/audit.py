"""Evidence that runs: the register of claims, and whatever a mechanism promises."""

import os
import sys

from ..audit import CheckFailed, check_mechanism
from ..audit.claims import FAILED, PASSED, Claim, load_claims, recheck
from ..mechanisms.text import made, parse


def add_commands(commands) -> None:
    audit = commands.add_parser("audit", help="run the evidence of every privacy claim again and print the verdicts")
    audit.add_argument("claim", nargs="*", help="an id, or the beginning of several such as privgnn (default: all)")
    audit.set_defaults(command=audit_command)

    contract = commands.add_parser("audit-mechanism",
                                   help="try all that a mechanism promises, and name what refutes it")
    contract.add_argument(
        "mechanism", help="NAME or NAME:key=value,...; or module:Class for one of your own, found from here")
    contract.set_defaults(command=audit_mechanism_command)


def audit_command(options) -> int:
    claims = load_claims()
    def asked(claim: Claim, name: str) -> bool:
        return claim.id == name if name in claims else claim.id.startswith(name)
    chosen = [claim for claim in claims.values() if not options.claim or any(asked(claim, n) for n in options.claim)]
    if not chosen:
        raise LookupError(f"no claim begins with {' or '.join(options.claim)}; `privgraph audit` lists all")
    results = recheck(chosen)
    for result in results:
        print(f"{result.claim.id:44} {result.claim.verdict:20} {result.outcome}")
        if options.claim:
            print_details(result.claim, result.witnesses)
    failed = [result.claim.id for result in results if result.outcome == FAILED]
    print(f"{len(results)} claims; evidence ran again and passed for {sum(r.outcome == PASSED for r in results)}, "
          f"pending {sum(r.claim.verdict == 'pending' for r in results)}, failed {len(failed)}")
    return 1 if failed else 0


def print_details(claim: Claim, witnesses: tuple[str, ...]) -> None:
    print(f"    {claim.paper}, {claim.place}: {claim.statement}")
    for name, text in (("ours", claim.ours), ("waits for", claim.waits_for), *(("witness", w) for w in witnesses),
                       *(("for every epsilon", f"book/certificates/{name}.json") for name in claim.certificates),
                       *(("evidence", test) for test in claim.evidence)):
        if text:
            print(f"    {name}: {text}")


def audit_mechanism_command(options) -> int:
    sys.path.insert(0, os.getcwd())  # for a module of one's own
    kind, said = parse(options.mechanism)
    mechanisms = (made(kind, said),) if said else kind.examples()
    if not mechanisms:
        raise ValueError(f"{kind.__name__} has no examples(); say which one: {options.mechanism}:key=value,...")
    try:
        for mechanism in mechanisms:
            print(check_mechanism(mechanism))
    except CheckFailed as failure:
        print(failure)
        return 1
    return 0
