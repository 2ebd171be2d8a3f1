"""Our runs beside the papers' tables: ledger. Counting takes seconds, so a count is kept until something changes."""

import hashlib
from contextlib import suppress
from pathlib import Path

from privgraph.checks import check_name
from privgraph.datasets import cache_folder
from privgraph.writing import PRIVATE, write

from ..claims import book_folder
from ..runs.cache import PACKAGES, code
from ..runs.ledger import results_folder


def add_commands(commands) -> None:
    ledger = commands.add_parser("ledger", help="how many of the papers' printed values were run, agree and differ; "
                                 "what the others would take")
    ledger.add_argument("paper", nargs="?", help="list the tables of one paper")
    ledger.set_defaults(command=ledger_command)


def ledger_command(options) -> int:
    name = "all" if options.paper is None else f"of-{check_name(options.paper, 'paper')}"
    path, now = cache_folder() / "ledger" / f"{name}.txt", stamp()
    before, _, kept = path.read_text(encoding="utf-8").partition("\n") if path.is_file() else ("", "", "")
    if before == now:
        print(kept, end="")
        return 0
    text = "".join(f"{line}\n" for line in counted(options.paper))
    print(text, end="", flush=True)
    with suppress(OSError):  # a folder that nobody can write to
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, f"{now}\n{text}", PRIVATE)
    return 0


def stamp() -> str:
    """A hash over all that is counted, and all that counts: results, both packages, versions."""
    digest = hashlib.sha256(code().encode())
    tables = [book_folder() / "results" / "published", results_folder() / "measured", *PACKAGES]
    for path in sorted({path for folder in tables for path in Path(folder).rglob("*.csv")}):
        digest.update(repr((str(path), hashlib.sha256(path.read_bytes()).hexdigest())).encode())
    return digest.hexdigest()


def counted(paper: str | None) -> list[str]:
    """How many values have which verdict; then why the others have none, and what they would take."""
    from ..papers.coverage import compare_paper
    from ..papers.published import papers
    from ..show import by_table, coverage_rows, left_rows
    if paper:
        groups = by_table(compare_paper(paper))
    else:
        groups = {title: compare_paper(paper) for paper, title in papers().items()}
    groups["all"] = [comparison for comparisons in groups.values() for comparison in comparisons]
    name = "table" if paper else "paper"
    return [*aligned(coverage_rows(groups, name)), "", "What was not run:", *aligned(left_rows(groups, name))]


def aligned(rows: list[dict]) -> list[str]:
    """Rows as lines, with their columns one below the other."""
    widths = {name: max(len(name), *(len(str(row[name])) for row in rows)) for name in rows[0]}
    lines = []
    for row in [{name: name for name in rows[0]}, *rows]:
        first, *others = (f"{row[name]:>{width}}" for name, width in widths.items())
        lines.append("  ".join([first.strip().ljust(len(first)), *others]))
    return lines
