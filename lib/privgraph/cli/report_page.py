"""A run as one page, ``--report FILE.html`` or ``FILE.md``: by itself whole, with nothing from elsewhere.

It holds accuracies on private labels and counts of private edges, which no epsilon accounts for, and says so in its
head: it is the owner's. With ``--publishable`` these stay out, and so does what names files of the owner's.
"""

from __future__ import annotations

import platform
import re
import shlex
from collections.abc import Mapping, Sequence
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ..methods.conclusions import protection, size_of
from ..privacy import Guarantee
from ..privacy.asking import epsilon_answers
from ..privacy.repeated import Cost
from ..writing import PRIVATE, SHARED, write
from .replacing import check_new
from .said import plain

KINDS = (".html", ".md")
OWNERS = ("For the owner of the data only. Accuracies, and counts of edges, are of private data, and no epsilon "
          "accounts for them; whoever chooses by them releases that choice too. A page that may be passed on is "
          "written with --publishable.")
PUBLISHABLE = ("May be passed on. Nothing here was computed from private data: accuracies, counts of edges and names "
               "of files are left out. What holds was known before anything ran, and holds for what was saved from "
               "secret randomness. Hyperparameters that were chosen by a look at private data tell of that data.")
STYLE = "body{max-width:50em;margin:2em auto;font-family:sans-serif}td,th{text-align:left;padding:.2em 1em .2em 0}"
PACKAGES = ("privgraph", "torch", "torch-geometric", "numpy", "scipy")
Section = tuple[str, Sequence[str] | Sequence[Sequence[str]]]  # a title, and lines, or rows of a table, its head first


def check_report(options) -> None:
    """Refuse what cannot be written before anybody waits for it."""
    if options.report is None:
        if options.publishable:
            raise ValueError("--publishable is about --report, got none")
        return
    if options.report.suffix not in KINDS:
        raise ValueError(f"--report must name a file that ends on {' or '.join(KINDS)}, got {options.report}")
    check_new(options, "--report", options.report)


def write_report(options, facts: Mapping) -> None:
    """The page of what was told.

    :param facts: what the line of JSON would hold.
    """
    title, head = f"{facts['method']}: what it learns and what it protects", OWNERS
    sections = [*about(facts, options.publishable), *([] if options.publishable else owners_own(facts, options.words)),
                ("Versions", [("package", "version"), *versions()])]
    if options.publishable:
        head = PUBLISHABLE
    made = {".html": as_html, ".md": as_markdown}[options.report.suffix](title, head, sections)
    write(options.report, made, SHARED if options.publishable else PRIVATE, "--report")


def about(facts: Mapping, publishable: bool) -> list[Section]:
    """What is public: sizes, hyperparameters, what holds, and what it means."""
    sizes = [(name, facts[name]) for name in ("nodes", "graphs") if name in facts]
    named = [] if publishable else [("graph", facts["graph"])]
    held = list(facts.get("guarantees", ()))
    return [("Data", [("what", "value"), *named, *sizes]),
            ("Hyperparameters", [("name", "value"), *plain(facts["hyperparameters"]).items()]),
            ("What holds where the randomness is secret", [GUARANTEE, *map(row, held)] if held else ["Nothing."]),
            ("Epsilon by every accountant", [ACCOUNTANTS, *found] if (found := facts.get("accountants")) else
             ["None but the sum is asked: budgets that hold without a delta add up."]),
            ("What that means", [protection(held)]),
            ("Taken as known to all", [", ".join(facts.get("public", ())) or "nothing is said to be"]),
            ("Computed from raw data without any noise", list(facts.get("unaccounted", ())) or ["nothing"]),
            ("Randomness", [randomness(facts)])]


ACCOUNTANTS = ("unit", "relation", "accountant", "epsilon")
GUARANTEE = ("unit", "relation", "trust", "epsilon", "delta", "how we know", "that is")


def row(held: Guarantee) -> tuple:
    said = size_of(held) if held.basis != "none" else "no guarantee"
    return held.unit, held.relation, held.trust, f"{held.epsilon:.6g}", f"{held.delta:g}", held.basis, said


def by_accountant(costs: Sequence[Cost]) -> list[tuple[str, str, str, str]]:
    """What each accountant says of the steps behind a guarantee, and of those that say nothing why."""
    return [(cost.guarantee.unit, cost.guarantee.relation, name, f"{found}{'' if found.upper else ' (a lower bound)'}")
            for cost in costs if cost.budget is not None
            for name, found in epsilon_answers(cost.budget.steps, cost.guarantee.delta).items()]


def randomness(facts: Mapping) -> str:
    saved = facts.get("saved", {}).get("randomness")
    told = "What was saved was drawn from secret randomness." if saved == "secret" else \
        "What was saved was drawn from a public seed: no guarantee holds for it." if saved else "Nothing was saved."
    return ("The runs that accuracies are of were drawn from public seeds, 0 and on, and nothing of them may be passed "
            f"on. {told}")


def owners_own(facts: Mapping, words: Sequence[str]) -> list[Section]:
    """What is of private data, and what names files."""
    counted = [("edges", facts["edges"])] if "edges" in facts else []
    scores = [(name, f"{found.mean:.1f}", f"{found.low:.1f} to {found.high:.1f}" if found.n > 2 else "none", found.n)
              for name, found in facts["accuracy"].items()]
    saved = [(name, f"{value:.1f}") for name, value in facts.get("saved", {}).get("accuracy", {}).items()]
    return [("Counted in private data", [("what", "value"), *counted, *saved]),
            ("Accuracy in %, beside its controls", [("arm", "mean", "95% interval", "seeds"), *scores]),
            ("What follows", facts["verdict"]),
            ("Attackers, on a run whose coins are public", [("who", "how well"), *facts["attackers"].items()]
             if "attackers" in facts else ["None was tried; --attack tries one, and privgraph attack others."]),
            ("Command", [shlex.join(["privgraph", "run", facts["method"], *words])])]


def versions() -> list[tuple[str, str]]:
    found = [("Python", platform.python_version())]
    for name in PACKAGES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return found


def as_html(title: str, head: str, sections: Sequence[Section]) -> str:
    """The page as HTML: all text escaped, no script, nothing loaded.

    >>> "<b>" in as_html("<b>", "", [("<b>", ["<b>"]), ("<b>", [("<b>",), ("<b>",)])])
    False
    """
    parts = [f"<h1>{escape(title)}</h1>", f"<p><strong>{escape(head)}</strong></p>"]
    for name, lines in sections:
        parts.append(f"<h2>{escape(name)}</h2>")
        if lines and not isinstance(lines[0], str):
            cells = ["".join(f"<{tag}>{escape(str(each))}</{tag}>" for each in line)
                     for line, tag in zip(lines, ["th"] + ["td"] * len(lines), strict=False)]
            parts.append("<table>" + "".join(f"<tr>{each}</tr>" for each in cells) + "</table>")
        else:
            parts += [f"<p>{escape(str(line))}</p>" for line in lines]
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
            f"<style>{STYLE}</style></head><body>\n" + "\n".join(parts) + "\n</body></html>\n")


def as_markdown(title: str, head: str, sections: Sequence[Section]) -> str:
    """The page as Markdown, in which no text is read as markup.

    >>> print(as_markdown("a_b", "*", [("|", [("x",), ("<y>",)])]).splitlines()[-1])
    | \\<y\\> |
    """
    parts = [f"# {safe(title)}", f"**{safe(head)}**"]
    for name, lines in sections:
        parts.append(f"## {safe(name)}")
        if lines and not isinstance(lines[0], str):
            rows = [f"| {' | '.join(safe(str(each)) for each in line)} |" for line in lines]
            parts.append("\n".join([rows[0], "|" + " --- |" * len(lines[0]), *rows[1:]]))
        else:
            parts += [safe(str(line)) for line in lines]
    return "\n\n".join(parts) + "\n"


def safe(text: str) -> str:
    """Text on one line, with all that Markdown or HTML could read in it escaped."""
    return re.sub(r"([\\`*_{}\[\]()<>#+\-.!|~&$])", r"\\\1", " ".join(text.split()))


def add_report_options(group) -> None:
    """
    :param group: of the parser's arguments.
    """
    group.add_argument("--report", type=Path, metavar="FILE", help="write a page of what was told, .html or .md: for "
                       "the owner of the data")
    group.add_argument("--publishable", action="store_true", help="leave out of --report what was computed from "
                       "private data")
