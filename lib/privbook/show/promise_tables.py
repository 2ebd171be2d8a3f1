"""What the library promises, as tables made of its code (``privgraph.audit.promises``), beside the evidence."""

from IPython.display import Markdown

from privgraph.audit.promises import AUDITS, NOT_PROMISED, accounts, promise
from privgraph.mechanisms.mechanism import Mechanism, all_mechanisms

from .. import bearing
from ..claims import Claim, book_folder, load_claims
from .escape import code
from .pages import table

MOST = 2  # claims named in a row


def mechanism_promises() -> Markdown:
    """A row for each mechanism; of several settings the first example stands for all."""
    claims = list(load_claims().values())
    return table([row_of(name, kind, claims) for name, kind in all_mechanisms().items()], align="left")


def row_of(name: str, kind: type[Mechanism], claims: list[Claim]) -> dict[str, str]:
    row, proofs = promise(kind.examples()[0]), ", ".join(map(code, certificates(name)))
    first = {text: text.partition(" ")[0].rstrip(",") for text in (row.known, row.drawn)}  # "proved", "exactly"
    return {"mechanism": code(name), "holds for": row.holds,
            "for every epsilon": first[row.known] + (f"; certificates {proofs}" if proofs else ""),
            "drawn": first[row.drawn], "uses add up": row.adds_up, "evidence": evidence_of(kind, row.tried, claims)}


def certificates(name: str) -> list[str]:
    """The files of proofs that are called after a mechanism."""
    stems = sorted(path.stem for path in (book_folder() / "book" / "certificates").glob("*.json"))
    return [stem for stem in stems if (name == "noisy-arg-max" if stem.endswith("-arg-max")
                                       else stem == name or stem.startswith(f"{name}-"))]


def evidence_of(kind: type[Mechanism], tried: str, claims: list[Claim]) -> str:
    """How the audit tries it, and the claims that hold by tests which use it, the fewest mechanisms first."""
    found = []
    for claim in (claim for claim in claims if claim.verdict == "holds"):
        used = {name for test in claim.evidence for name in bearing.speaks_of(book_folder(), test, ("mechanisms",))}
        found += [(len(used), claim.id)] if kind.__name__ in used else []
    named = [code(name) for _, name in sorted(found)[:MOST]]
    rest = f" and {len(found) - MOST} more" if len(found) > MOST else ""
    return tried + (f"; claims {', '.join(named)}{rest}" if named else "")


def accountant_promises() -> Markdown:
    """Each accountant's answer to one question, beside two bounds on the truth. An upper bound above both is loose."""
    return table([{"accountant": row.name, "asked": row.question, "the truth is at least": f"{row.lower:.3f}",
                   "at most": f"{row.upper:.3f}", "answer": f"{row.answer:.3f}", "which is": row.kind}
                  for row in accounts()], align="left")


def audit_promises() -> Markdown:
    """What the finding of each audit is, as a table."""
    return table([{"audit": f"`{audit.__name__}`", "what it finds is": found} for audit, found in AUDITS.items()],
                 align="left")


def not_promised() -> Markdown:
    """What the library does not promise, and why, as a list."""
    return Markdown("\n".join(f"- **{name}**: {why}" for name, why in NOT_PROMISED.items()))
