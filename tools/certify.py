"""Decide all statements for every epsilon, and write their certificates to book/certificates.

Run it after a change of a law or of privbook.prover.statements; the tests verify what it wrote, with a checker of its
own.
"""

import math
import time

from privbook.prover import decide, interval_proofs, statements

LARGEST_FACTOR, MOST_CLASSES = "1.1733", 50  # of epsilon over 1 / beta, for Laplace noise


def main() -> None:
    for family, make in statements.FAMILIES.items():
        start = time.monotonic()
        found = [decide.decide(statement) for statement in make()]
        statements.save(family, found)
        broken = sum(certificate.verdict == "breaks" for certificate in found)
        print(f"{family:34} {len(found):3} statements, {broken} of them false; {time.monotonic() - start:.1f} s")
    start = time.monotonic()  # a minute or two
    within = [interval_proofs.prove(c, factor=LARGEST_FACTOR) for c in range(2, MOST_CLASSES + 1)]
    above = [interval_proofs.prove(c, above=True, last=f"{math.floor(100 * interval_proofs.crossing(c)) / 100:.2f}")
             for c in range(3, MOST_CLASSES + 1)]
    statements.save_laplace(within + above)
    print(f"{statements.LAPLACE:34} {len(within + above):3} statements; {time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    main()
