"""The register of claims: its evidence, run again."""

from ..claims import FAILED, PASSED, Claim, load_claims, recheck


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
