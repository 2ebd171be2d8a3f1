"""The papers' numbers beside ours: coverage, tables with menus, and rows for both."""

import hashlib
import html
import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from IPython.display import HTML, Markdown

from privgraph.checks import check_all, check_choice, check_count, check_is
from privgraph.nn import Interval

from ..papers.attempts import Attempt
from ..papers.coverage import Comparison, compare_paper, hours, left, spent, tally
from ..papers.lookup import RUNNABLE
from ..papers.published import COMMON, papers
from .escape import inline
from .pages import table

UNITS = {"percent": "%", "fraction": "of 1", "count": ""}
SCRIPT = Path(__file__).with_name("filter.js")
MENUS = dict.fromkeys(("table", "graph", "method", "layers", "what", "verdict"), "")


@dataclass(frozen=True)
class PaperPage:
    """A paper's printed numbers beside ours, as its page shows them from top to bottom."""

    comparisons: Sequence[Comparison]

    def counts(self) -> str:
        counts = tally(self.comparisons)
        said = ", ".join(f"{n:,} {verdict}" for verdict, n in counts.items() if n)
        return f"{sum(counts.values()):,} printed values: {said}"

    def tables(self) -> Markdown:
        return coverage(by_table(self.comparisons), "table")

    def left(self) -> Markdown:
        return not_run(by_table([c for c in self.comparisons if c.verdict == "not run" or c.work]), "table")

    def entries(self) -> HTML:
        return filterable(comparison_rows(self.comparisons), MENUS)

    def reasons(self) -> Markdown:
        return reasons(self.comparisons)


def paper_page(paper: str) -> PaperPage:
    """What the page of one of ``papers()`` shows.

    :param paper: its short name.
    """
    return PaperPage(compare_paper(check_choice(paper, "paper", list(papers()))))


def coverage_rows(groups: Mapping[str, Sequence[Comparison]], name: str = "paper") -> list[dict]:
    """One row a group with its printed values by verdict.

    :param groups: comparisons by what the first column says.
    """
    return [{name: group, "printed values": sum(counts.values()), **counts}
            for group, counts in each(groups, tally).items()]


def left_rows(groups: Mapping[str, Sequence[Comparison]], name: str = "paper") -> list[dict]:
    """One row a group with its printed values that were not run, by the reason; what all runs would take that the grid
    still asks for, and what those that there are took.

    :param groups: comparisons by what the first column says.
    """
    prices, took, rows = each(groups, hours), each(groups, spent), []
    for group, counts in each(groups, left).items():
        waiting = f"{counts.pop(RUNNABLE)} ({said_price(*prices[group])})"
        rows.append({name: group, f"{RUNNABLE} (hours)": waiting, **counts, "hours so far": said_spent(*took[group])})
    return rows


def each(groups: Mapping[str, Sequence[Comparison]], count: Callable) -> dict:
    """What is counted of each group."""
    return {group: count(check_all(comparisons, "comparisons", Comparison))
            for group, comparisons in check_is(groups, "groups", Mapping).items()}


def said_price(time: float, complete: bool) -> str:
    """Hours; "over" them, where nothing like a part of the runs was measured; "?", where that is all of them."""
    return rounded(time) if complete else f"over {rounded(time)}" if time else "?"


def said_spent(processor: float, clock: float) -> str:
    """Hours of the processor, and by the clock those of rows from before it was taken."""
    parts = [rounded(processor) if processor or not clock else "", f"{rounded(clock)} by the clock" if clock else ""]
    return " + ".join(filter(None, parts))


def rounded(time: float) -> str:
    return f"{time:.0f}" if time >= 10 or not time else f"{time:.1f}"


def coverage(groups: Mapping[str, Sequence[Comparison]], name: str = "paper") -> Markdown:
    """``coverage_rows`` as a table, with a last row that sums.

    :param groups: comparisons by what the first column says.
    """
    return table(coverage_rows(with_all(groups), name))


def not_run(groups: Mapping[str, Sequence[Comparison]], name: str = "paper") -> Markdown:
    """``left_rows`` as a table, with a last row that sums; a run that two groups ask for counts once there.

    :param groups: comparisons by what the first column says.
    """
    return table(left_rows(with_all(groups), name))


def with_all(groups: Mapping[str, Sequence[Comparison]]) -> dict[str, Sequence[Comparison]]:
    """The groups, and all of them together."""
    together = [comparison for comparisons in check_is(groups, "groups", Mapping).values()
                for comparison in check_all(comparisons, "comparisons", Comparison)]
    return {**groups, "**all**": together}


def by_table(comparisons: Sequence[Comparison]) -> dict[str, list[Comparison]]:
    """table -> its comparisons, in the paper's order.

    :param comparisons: of ``compare_paper``.
    """
    groups = {}
    for comparison in check_all(comparisons, "comparisons", Comparison):
        groups.setdefault(comparison.printed.table, []).append(comparison)
    return groups


def comparison_rows(comparisons: Sequence[Comparison]) -> list[dict]:
    """One row a printed entry, ready for ``filterable``: first what is random and was compared, then counts.

    :param comparisons: of ``compare_paper``.
    """
    rows, comparisons = [], check_all(comparisons, "comparisons", Comparison)
    for comparison in sorted(comparisons, key=lambda c: 2 if c.ours is None else c.ours.half == 0):
        printed, ours, gap = comparison.printed, comparison.ours, comparison.gap
        digits = len(printed.mean.partition(".")[2])
        rows.append({
            "table": printed.table, "graph": printed.dataset, "method": printed.method, "layers": printed.backbone,
            "what": ", ".join(filter(None, (printed.metric.replace("_", " "), UNITS.get(printed.unit, printed.unit)))),
            "setting": ", ".join(f"{name} {value}" for name, value in printed.parameters.items()),
            "printed": str(printed), "ours (runs)": "" if ours is None else number(ours, digits),
            "ours − printed": "" if gap is None else f"{gap.mean:+.{digits}f}".replace("-", "−"),
            "verdict": comparison.verdict, "why": comparison.reason})
    return rows


def number(ours: Interval, digits: int) -> str:
    """A mean with its interval and the number of runs, or a plain number where nothing is random."""
    plain = f"{ours.mean:.{digits}f}"
    if ours.half == 0:
        return plain
    return f"{plain} ± {ours.half:.{digits}f} ({ours.n})" if math.isfinite(ours.half) else f"{plain} ({ours.n})"


def filterable(rows: Sequence[Mapping], menus: Mapping[str, str], limit: int = 200) -> HTML:
    """Rows (column -> value, the columns of the first row) as a table with menus and a search box above it.

    :param menus: column -> the value chosen at first, "" for all.
    :param limit: how many matching rows are shown before the reader asks for all; without JavaScript the
        first ones.
    :param rows: column -> value, one each.
    :raises ValueError: for menus of columns that there are not.
    """
    rows = check_all(rows, "rows", Mapping)
    check_is(menus, "menus", Mapping), check_count(limit, "limit", low=1)
    if not rows or not set(menus) <= set(rows[0]):
        raise ValueError(f"rows must have the columns of menus, {list(menus)}, "
                         f"got {list(rows[0]) if rows else 'no row'}")
    columns = list(rows[0])
    entries = [[str(row[column]) for column in columns] for row in rows]
    # Each text once and rows as numbers, a third as long. Every "<": not only "</script>" ends or changes a script,
    # "<!--<script>" does as well.
    place = {text: number for number, text in enumerate(dict.fromkeys(text for row in entries for text in row))}
    told = [list(place), [[place[text] for text in row] for row in entries]]
    data = json.dumps(told, ensure_ascii=False, separators=(",", ":")).replace("<", r"\u003c")
    head = "".join(f"<th{menu(menus[c]) if c in menus else ''}>{html.escape(c)}</th>" for c in columns)
    body = "\n".join("<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>"
                     for row in entries[:limit])
    name = "table-" + hashlib.sha256(data.encode()).hexdigest()[:12]
    script = SCRIPT.read_text(encoding="utf-8").partition("(() =>")
    script = (script[1] + script[2]).replace("TABLE", name, 1).replace("LIMIT", str(limit), 1)
    return HTML(f'<div class="filterable" id="{name}"><div class="filters"></div>'
                f'<p class="count" aria-live="polite">{min(limit, len(rows))} of {len(rows)} rows</p>'
                f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'
                f'<button hidden>show all</button><script type="application/json">{data}</script>'
                f"<script>{script}</script></div>")


def menu(start: str) -> str:
    return f' data-menu="{html.escape(start)}"'


def reasons(comparisons: Sequence[Comparison]) -> Markdown:
    """Why there is no number of ours, and for how many printed values, the most frequent reason first.

    :param comparisons: of ``compare_paper``.
    """
    counts = Counter()
    for comparison in check_all(comparisons, "comparisons", Comparison):
        if comparison.ours is None:
            uncertain = comparison.verdict == "uncertain reading"
            counts[comparison.verdict if uncertain else comparison.reason] += comparison.printed.values
    return table([{"why there is no number of ours": reason, "printed values": n}
                  for reason, n in counts.most_common()])


def known(found: Sequence[Attempt]) -> str:
    """Whether anybody knows why a cell differs.

    :param found: attempts at one cell.
    """
    statuses = {attempt.status for attempt in check_all(found, "found", Attempt)}
    return "explained" if "explained" in statuses else "open" if statuses else "not looked into yet"


def attempts_table(differing: Sequence[tuple[Comparison, Sequence[Attempt]]]) -> HTML | Markdown:
    """The cells that differ, and whether anybody knows why; with menus.

    :param differing: each with the attempts that speak of it.
    :raises ValueError: for what are no pairs.
    """
    rows = []
    for pair in check_all(differing, "differing", tuple):
        if len(pair) != 2:
            raise ValueError(f"each of differing must be (comparison, attempts), got {len(pair)} things")
        comparison, found = pair
        (row,) = comparison_rows([comparison])
        about = ", ".join(filter(None, (row["graph"], row["method"], row["layers"], row["setting"])))
        rows.append({"where": f"{papers()[comparison.printed.paper]}, {row['table']}", "about": about,
                     **{name: row[name] for name in ("what", "printed", "ours (runs)")},
                     "why": known(found)})
    return filterable(rows, {"where": "", "what": "", "why": ""}, limit=20) if rows else Markdown("Nothing differs.")


def attempts_list(attempts: Sequence[Attempt]) -> Markdown:
    """What was tried, one list item an entry.

    :param attempts: of ``book/attempts.yml``.
    """
    lines = []
    for attempt in check_all(attempts, "attempts", Attempt):
        others = [value if name in COMMON else f"{name} {value}" for name, value in attempt.where.items()
                  if name != "paper"]
        where = inline(", ".join([papers()[attempt.where["paper"]], *others]))
        lines.append(f"- **{where}** ({inline(attempt.status)}){inline(attempt.missed and f': {attempt.missed}')}")
        lines += [f"  - {inline(text)}" for text in attempt.tried]
    return Markdown("\n".join(lines))
