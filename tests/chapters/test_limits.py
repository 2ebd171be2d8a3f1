"""A chapter is read in one sitting: limits on its prose, cells, tables and minutes,
and a list of exceptions that only shrinks.

An exception holds today's number. It may not grow, and one that is no longer needed fails.
"""

import re
from pathlib import Path

import jupytext
import pytest
from test_prose import NO_PROSE, ONE_LINE

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"
WORDS, SHOWN, HIDDEN, ROWS, COLUMNS, MINUTES, PACE = 3500, 25, 30, 20, 6, 45, 250
LIMITS = {"words": WORDS, "lines of a visible cell": SHOWN, "lines of a hidden cell": HIDDEN,
          "rows of a table": ROWS, "columns of a table": COLUMNS, "minutes": MINUTES}
HIDES = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
# read with their chapter: they state no time
SUB_PAGE = re.compile(r"\d\d_(tables_\w+|contradictions|not_reproduced|\w+_evidence)$")
SPLIT = "to be split: what only a specialist reads goes to a sub-page"
PICTURE = "one figure with several panels; shared helpers for figures will shorten it"
EXCEPTIONS = {
    ("02_differential_privacy", "minutes"): (90, "six sections with exercises of their own, read in two sittings"),
    ("03_what_a_graph_can_leak", "minutes"): (60, "the proofs are folded; with them it takes an hour"),
    ("03_what_a_graph_can_leak", "lines of a hidden cell"): (35, PICTURE),
    ("04_attacks", "minutes"): (75, "three attacks, each by hand first"),
    ("05_auditing_claims", "minutes"): (75, "four auditors, each with a twin that it must catch"),
    ("06_lpgnn", "words"): (3529, SPLIT),
    ("06_lpgnn", "minutes"): (75, SPLIT),
    ("07_rgnn", "words"): (4088, SPLIT),
    ("07_rgnn", "minutes"): (90, SPLIT),
    ("08_graphprivatizer", "words"): (4259, SPLIT),
    ("08_graphprivatizer", "minutes"): (100, SPLIT),
    ("08_graphprivatizer", "lines of a visible cell"): (31,
                                                        "Algorithm 1 by hand, in loops that follow the paper's lines"),
    ("08_graphprivatizer", "lines of a hidden cell"): (34, PICTURE),
    ("09_privgnn", "words"): (4208, SPLIT),
    ("09_privgnn", "minutes"): (90, SPLIT),
    ("09_privgnn", "lines of a visible cell"): (27, "Algorithm 1 by hand, in loops that follow the paper's lines"),
}


def words(text: str) -> int:
    """Words of prose: without cells, mathematics, links' addresses and tables."""
    return len(re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", NO_PROSE.sub(" ", ONE_LINE.sub("", text))))


def cells(text: str) -> list[tuple[bool, int]]:
    """(hidden, lines) of each code cell."""
    found = jupytext.reads(text, "md:myst").cells
    return [(bool(HIDES & set(cell.metadata.get("tags", []))), len(cell.source.splitlines()))
            for cell in found if cell.cell_type == "code"]


def tables(text: str) -> list[tuple[int, int]]:
    """(rows, columns) of each table in the text, without its head. What cells print is not seen here."""
    found = re.findall(r"^\|.*\|\n\|[\s:|-]+\|\n(?:\|.*\|\n?)*", text, re.MULTILINE)
    return [(table.strip().count("\n") - 1, re.sub(r"\\\||`[^`]*`", "", table.splitlines()[0]).count("|") - 1)
            for table in found]


def minutes(text: str) -> int | None:
    stated = re.search(r"\*\*Time:\*\* (\d+) minutes", text)
    return int(stated.group(1)) if stated else None


def measured(text: str) -> dict[str, int]:
    """What the limits speak of; 0 where a chapter has none."""
    shown, hidden = ([lines for hides, lines in cells(text) if hides == kind] for kind in (False, True))
    sizes = [("words", [words(text)]), ("lines of a visible cell", shown), ("lines of a hidden cell", hidden),
             ("rows of a table", [rows for rows, _ in tables(text)]),
             ("columns of a table", [columns for _, columns in tables(text)]), ("minutes", [minutes(text) or 0])]
    return {name: max(found, default=0) for name, found in sizes}


def beyond(chapter: str, text: str) -> dict[tuple[str, str], int]:
    return {(chapter, name): size for name, size in measured(text).items() if size > LIMITS[name]}


@pytest.mark.parametrize("chapter", sorted(path.stem for path in CHAPTERS.glob("*.md")))
def test_a_chapter_keeps_its_limits(chapter):
    found = beyond(chapter, (CHAPTERS / f"{chapter}.md").read_text(encoding="utf-8"))
    allowed = {key: most for key, (most, _) in EXCEPTIONS.items() if key[0] == chapter}
    assert {key: size for key, size in found.items() if size > allowed.get(key, 0)} == {}, "too long, or grown"
    assert allowed.keys() - found.keys() == set(), "no longer needed: strike it from the list"


@pytest.mark.parametrize("chapter", sorted(path.stem for path in CHAPTERS.glob("*.md")))
def test_lines_of_cells_fit_the_page(chapter):
    """Ruff measures no line of a chapter: in the .py its sentences are comments."""
    found = jupytext.read(CHAPTERS / f"{chapter}.md").cells
    lines = [line for cell in found if cell.cell_type == "code" for line in cell.source.splitlines()]
    assert [line for line in lines if len(line) > 120] == []


@pytest.mark.parametrize("chapter", sorted(path.stem for path in CHAPTERS.glob("*.md")))
def test_a_chapter_says_how_long_it_takes(chapter):
    text = (CHAPTERS / f"{chapter}.md").read_text(encoding="utf-8")
    if not SUB_PAGE.match(chapter):
        assert minutes(text) >= words(text) / PACE, "nobody reads so fast"


def test_the_list_of_exceptions_only_shrinks():
    assert len(EXCEPTIONS) <= 16 and all(most > LIMITS[name] for (_, name), (most, _) in EXCEPTIONS.items())


@pytest.mark.parametrize("name, text", [
    ("words", "word " * 3501), ("minutes", "**Time:** 46 minutes"),
    ("lines of a visible cell", "```{code-cell} ipython3\n" + "x = 1\n" * 26 + "```\n"),
    ("lines of a hidden cell", "```{code-cell} ipython3\n:tags: [hide-input]\n\n" + "x = 1\n" * 31 + "```\n"),
    ("rows of a table", "| a |\n|---|\n" + "| 1 |\n" * 21), ("columns of a table", f"{'| a ' * 7}|\n{'|---' * 7}|\n"),
])
def test_what_is_too_long_is_seen(name, text):
    front = "---\nkernelspec:\n  display_name: Python 3\n  name: python3\n---\n\n"
    assert list(beyond("99_toy", front + text)) == [("99_toy", name)]
