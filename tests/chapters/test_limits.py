"""A chapter is read in one sitting: limits on its prose, cells, tables and minutes."""

import math
import re
from pathlib import Path

import jupytext
import pytest
from test_prose import NO_PROSE, ONE_LINE

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"
WORDS, SHOWN, HIDDEN, ROWS, COLUMNS, MINUTES, PACE = 3500, 25, 30, 20, 6, 45, 80
SHOWN_WIDTH = 84  # characters of a visible line
LIMITS = {"words": WORDS, "lines of a visible cell": SHOWN, "lines of a hidden cell": HIDDEN,
          "rows of a table": ROWS, "columns of a table": COLUMNS, "minutes": MINUTES}
HIDES = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
# read with their chapter: they state no time
COMMENT = re.compile(r"^%.*$", re.MULTILINE)
SUB_PAGE = re.compile(r"\d\d_(tables_\w+|not_reproduced|\w+_evidence)$")


def words(text: str) -> int:
    """Words of prose: without cells, mathematics, links' addresses and tables."""
    return len(re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", NO_PROSE.sub(" ", COMMENT.sub("", ONE_LINE.sub("", text)))))


def cells(text: str) -> list[tuple[bool, list[str]]]:
    """(hidden, lines) of each code cell."""
    found = jupytext.reads(text, "md:myst").cells
    return [(bool(HIDES & set(cell.metadata.get("tags", []))), cell.source.splitlines())
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
    shown, hidden = ([len(lines) for hides, lines in cells(text) if hides == kind] for kind in (False, True))
    sizes = [("words", [words(text)]), ("lines of a visible cell", shown), ("lines of a hidden cell", hidden),
             ("rows of a table", [rows for rows, _ in tables(text)]),
             ("columns of a table", [columns for _, columns in tables(text)]), ("minutes", [minutes(text) or 0])]
    return {name: max(found, default=0) for name, found in sizes}


def beyond(chapter: str, text: str) -> dict[tuple[str, str], int]:
    return {(chapter, name): size for name, size in measured(text).items() if size > LIMITS[name]}


@pytest.mark.parametrize("chapter", sorted(path.stem for path in CHAPTERS.glob("*.md")))
def test_a_chapter_keeps_its_limits(chapter):
    assert beyond(chapter, (CHAPTERS / f"{chapter}.md").read_text(encoding="utf-8")) == {}, "too long"


@pytest.mark.parametrize("chapter", sorted(path.stem for path in CHAPTERS.glob("*.md")))
def test_lines_of_cells_fit_the_page(chapter):
    """At 1280 pixels. Ruff measures no line of a chapter: in the .py its sentences are comments."""
    found = cells((CHAPTERS / f"{chapter}.md").read_text(encoding="utf-8"))
    assert [line for _, lines in found for line in lines if len(line) > 120] == []
    assert [line for hidden, lines in found if not hidden for line in lines if len(line) > SHOWN_WIDTH] == []


@pytest.mark.parametrize("chapter", sorted(path.stem for path in CHAPTERS.glob("*.md")))
def test_a_chapter_says_how_long_it_takes(chapter):
    """To read, in steps of five minutes; text with formulas and code is read at PACE words a minute."""
    text = (CHAPTERS / f"{chapter}.md").read_text(encoding="utf-8")
    stated = minutes(text)
    if stated is None:
        assert SUB_PAGE.match(chapter)
    else:
        assert stated == 5 * math.ceil(words(text) / PACE / 5)


@pytest.mark.parametrize("name, text", [
    ("words", "word " * 3501), ("minutes", "**Time:** 46 minutes"),
    ("lines of a visible cell", "```{code-cell} ipython3\n" + "x = 1\n" * 26 + "```\n"),
    ("lines of a hidden cell", "```{code-cell} ipython3\n:tags: [hide-input]\n\n" + "x = 1\n" * 31 + "```\n"),
    ("rows of a table", "| a |\n|---|\n" + "| 1 |\n" * 21), ("columns of a table", f"{'| a ' * 7}|\n{'|---' * 7}|\n"),
])
def test_what_is_too_long_is_seen(name, text):
    front = "---\nkernelspec:\n  display_name: Python 3\n  name: python3\n---\n\n"
    assert list(beyond("99_toy", front + text)) == [("99_toy", name)]
