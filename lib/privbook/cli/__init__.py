"""The command ``privbook``: the register, the ledger and the classroom, in a checkout of the book."""

from privgraph import cli


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line and run one command; returns the exit status, as ``privgraph.cli.main`` does."""
    return cli.main(arguments, __name__, "privbook", "The register of claims, the ledger, assignments: what the book "
                                                     "needs beside its library.")
