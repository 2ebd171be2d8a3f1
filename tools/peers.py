"""The properties of ``privgraph.audit.accountants``, tried on other libraries' accountants that are installed.

Writes ``results/accountants.csv``: a row for each accountant and property. Opacus and prv_accountant are not among the
pins of this book: install them elsewhere, and put that folder on PYTHONPATH (behind nothing that the book pins).
"""

import argparse
import contextlib
import csv
import importlib.metadata
import io
import logging
import signal
import warnings
from collections.abc import Callable
from pathlib import Path

from privgraph.audit.accountants import PROPERTIES, Asked, Question, check_accountant
from privgraph.privacy import GaussianPair, Step, pld_epsilon, rdp_epsilon

QUESTIONS = (Question(1.0), Question(4.0, 10), Question(1.0, 1000, 0.01))
PATIENCE = 10  # seconds
FIELDS = ("accountant", "package", "version", "property", "findings", "first")


def ours(epsilon: Callable) -> Callable[[Question], float]:
    return lambda q: epsilon([Step(GaussianPair(q.noise).poisson(q.rate), q.count)], q.delta)


def of_dp_accounting(kind: str) -> Callable[[Question], float]:
    """Its accountants with their defaults."""
    import dp_accounting
    from dp_accounting import pld, rdp
    accountants = {"rdp": rdp.RdpAccountant, "pld": pld.PLDAccountant}
    def epsilon(q: Question) -> float:
        event = dp_accounting.GaussianDpEvent(q.noise)
        event = event if q.rate == 1 else dp_accounting.PoissonSampledDpEvent(q.rate, event)
        return accountants[kind]().compose(dp_accounting.SelfComposedDpEvent(event, q.count)).get_epsilon(q.delta)
    return epsilon


def of_autodp(q: Question) -> float:
    """Its mechanisms, amplified and composed, with their defaults."""
    from autodp.mechanism_zoo import GaussianMechanism
    from autodp.transformer_zoo import AmplificationBySampling, Composition
    one = GaussianMechanism(sigma=q.noise)
    if q.rate != 1:
        one.neighboring = "add_remove"
        one = AmplificationBySampling(PoissonSampling=True)(one, q.rate, improved_bound_flag=True)
    return Composition()([one], [q.count]).get_approxDP(q.delta)


def of_opacus(kind: str) -> Callable[[Question], float]:
    """Its accountants, as its engine steps them, with their defaults."""
    from opacus.accountants import PRVAccountant, RDPAccountant
    def epsilon(q: Question) -> float:
        accountant = {"rdp": RDPAccountant, "prv": PRVAccountant}[kind]()
        accountant.history = [(q.noise, q.rate, q.count)]
        return accountant.get_epsilon(q.delta)
    return epsilon


def of_prv_accountant(q: Question) -> float:
    """Its upper end, with the errors of its own example."""
    from prv_accountant import PRVAccountant
    from prv_accountant.privacy_random_variables import PoissonSubsampledGaussianMechanism
    mechanism = PoissonSubsampledGaussianMechanism(noise_multiplier=q.noise, sampling_probability=q.rate)
    accountant = PRVAccountant(prvs=[mechanism], max_self_compositions=[q.count], eps_error=0.1,
                               delta_error=q.delta / 1e3)
    return accountant.compute_epsilon(delta=q.delta, num_self_compositions=[q.count])[2]


PEERS = {"ours, PLD": ("privgraph", lambda: ours(lambda steps, delta: pld_epsilon(steps, delta).pessimistic)),
         "ours, RDP": ("privgraph", lambda: ours(rdp_epsilon)),
         "dp-accounting, PLD": ("dp-accounting", lambda: of_dp_accounting("pld")),
         "dp-accounting, RDP": ("dp-accounting", lambda: of_dp_accounting("rdp")),
         "autodp": ("autodp", lambda: of_autodp),
         "Opacus, RDP": ("opacus", lambda: of_opacus("rdp")),
         "Opacus, PRV": ("opacus", lambda: of_opacus("prv")),
         "prv_accountant": ("prv-accountant", lambda: of_prv_accountant)}


def in_time(accountant: Callable[[Question], float]) -> Callable[[Question], float]:
    """The same, but that an answer which takes ``PATIENCE`` seconds is none."""
    def late(*_):
        raise TimeoutError(f"no answer after {PATIENCE} seconds")

    def epsilon(question: Question) -> float:
        signal.signal(signal.SIGALRM, late)
        signal.alarm(PATIENCE)
        try:
            return accountant(question)
        finally:
            signal.alarm(0)
    return epsilon


def tried(name: str) -> list[dict[str, object]]:
    """The rows of one accountant."""
    package, get = PEERS[name]
    version = "" if package == "privgraph" else importlib.metadata.version(package)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        found = check_accountant(in_time(get()), QUESTIONS)
    rows = []
    for property in PROPERTIES:
        those = [str(finding) for finding in found if finding.property == property]
        rows.append(dict(zip(FIELDS, (name, package, version, property, len(those), those[0] if those else ""),
                             strict=True)))
    return rows


COLUMNS = {"no answer": ("answers",), "below the truth": ("at least 0", "above the lower bound"),
           "above the bound": ("below the upper bound",),
           "uneven": ("falls with delta", "rises with count", "rises with rate", "falls with noise", "no jumps"),
           "answers what nobody can": ("refuses",)}
PAGE = Path(__file__).parents[1] / "book" / "accountants.md"
RESULTS = Path(__file__).parents[1] / "results" / "accountants.csv"


def results(path: Path = RESULTS) -> list[dict[str, str]]:
    """The rows that were written."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def tables(rows: list[dict[str, str]]) -> str:
    """How often each property fails, and the first finding of each kind, as the page shows them."""
    lines = ["| accountant | " + " | ".join(COLUMNS) + " |", "|---|" + "---|" * len(COLUMNS)]
    for name in dict.fromkeys(row["accountant"] for row in rows):
        those = [row for row in rows if row["accountant"] == name]
        counts = [sum(int(row["findings"]) for row in those if row["property"] in properties)
                  for properties in COLUMNS.values()]
        lines.append(f"| {name} {those[0]['version']}".rstrip() + " | " + " | ".join(map(str, counts)) + " |")
    lines += ["", "| accountant | property | the first finding |", "|---|---|---|"]
    lines += [f"| {row['accountant']} | {row['property']} | {row['first'].partition(': ')[2]} |" for row in rows
              if row["first"] and row["property"] not in ("answers", "refuses")]
    return "\n".join(lines)


def write_page(path: Path = PAGE) -> None:
    """Puts the tables between the page's two marks."""
    before, mark, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    path.write_text(f"{before}{mark}\n{tables(results())}\n{END}{after}", encoding="utf-8")


BEGIN, END = "% accountants: begin (written by tools/peers.py)\n", "\n% accountants: end"


def asked() -> int:
    """How many questions the suite asks."""
    suite = Asked(lambda question: 1.0, 0.01)
    for question in QUESTIONS:
        suite.all_about(question)
    return len(suite.known)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--only", nargs="+", choices=PEERS, default=list(PEERS))
    parser.add_argument("--to", type=Path, default=RESULTS)
    parser.add_argument("--page", action="store_true", help="only write the tables of book/accountants.md again")
    options = parser.parse_args()
    if options.page:
        return write_page()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    for name in options.only:
        keep(tried(name), options.to)
    print(f"{asked()} questions each, from {len(QUESTIONS)} starting points")


def keep(rows: list[dict[str, object]], path: Path) -> None:
    """Writes the rows of one accountant, in the place of those that there were."""
    others = [row for row in results(path) if row["accountant"] != rows[0]["accountant"]] if path.exists() else []
    rows = sorted(others + rows, key=lambda row: list(PEERS).index(row["accountant"]))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader(), writer.writerows(rows)


if __name__ == "__main__":
    main()
