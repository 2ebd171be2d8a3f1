"""Decks of slides: a title, sections and figures of each page, in one file that loads nothing."""

import re

import jupytext
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import slides
from notebooks import CHAPTERS

TITLE = """# Dice and coins

:::{admonition} What you will learn
:class: tip
- how *dice* fall;
- what $\\varepsilon \\le 1$ says, and {doc}`coins <02_x>`.

**You need** nothing.
:::"""
SECTION = """## What is <guaranteed>

Coins are {glue:text}`share:.1f` heads. They have two sides. A third sentence.

:::{prf:theorem} Fair coins (claim `coins`, verdict: holds)
:label: thm-coins

They are fair.
:::

% Figure: Half of {glue:text}`share:.1f` tosses."""


def drawn(picture="QUJD"):
    cell = new_code_cell("plt.show()", metadata={"mystnb": {"image": {"alt": 'A "curve".'}}})
    cell.outputs = [new_output("display_data", {"image/png": picture, "text/plain": "<Figure>"})]
    return cell


@pytest.fixture
def shown():
    cells = [new_markdown_cell(TITLE), drawn(), new_markdown_cell(SECTION), drawn(), drawn(),
             new_markdown_cell("## Exercises\n\n% Figure: Of a solution.\n"), drawn(),
             new_markdown_cell("### Deeper\n\nText.\n\n## Summary\n\n- It **falls**.\n- Two\n  lines.\n")]
    return BeautifulSoup(slides.deck(new_notebook(cells=cells), {"share": 0.5}), "html.parser")


def test_a_deck_has_a_title_sections_figures_and_a_summary(shown):
    found = [re.sub(r"\s+", " ", section.get_text(" ").strip()) for section in shown.find_all("section")]
    assert found == [
        "Dice and coins how dice fall; what ε ≤ 1 says, and coins.",
        "What is <guaranteed> Coins are 0.5 heads. They have two sides. "
        "Theorem. Fair coins (claim coins, verdict: holds)",
        "Half of 0.5 tosses.", "Summary It falls. Two lines."]


def test_a_figure_is_in_the_file_with_its_text_and_nothing_is_loaded(shown):
    image, = shown.find_all("img")
    assert image["src"] == "data:image/png;base64,QUJD" and image["alt"] == 'A "curve".'
    assert "http" not in str(shown) and not shown.find_all("link") and not shown.find_all(src=re.compile("^(?!data:)"))


@pytest.mark.parametrize("page", sorted(path.stem for path in CHAPTERS.glob("*.md")))
def test_each_page_has_a_deck_of_its_own_headings(page):
    """Without having been executed: none of its figures then, and no markup of the site is left."""
    path = CHAPTERS / f"{page}.md"
    shown = BeautifulSoup(slides.deck(jupytext.read(path)), "html.parser")
    heads = [section.find(["h1", "h2"]).get_text() for section in shown.find_all("section")]
    text = slides.CODE.sub("", path.read_text(encoding="utf-8").split("\n---\n", 1)[1])
    main = [words for signs, words in slides.HEADING.findall(text) if signs == "##" and words not in slides.LEFT_OUT]
    assert shown.title.get_text() == heads[0] and len(heads) >= 1 + len(main)
    assert sum(slides.html.unescape(slides.plain(words, {})) in heads for words in main) == len(main)
    assert not re.search(r"\{(doc|ref|prf:ref|cite|eq)\}`|\$", shown.body.get_text().split("const slides")[0])


def test_decks_are_written_for_what_was_executed(tmp_path, monkeypatch):
    monkeypatch.setattr(slides, "EXECUTED", tmp_path / "executed")
    (tmp_path / "executed").mkdir()
    slides.nbformat.write(new_notebook(cells=[new_markdown_cell(TITLE)]), tmp_path / "executed" / "02_x.ipynb")
    made = slides.write(tmp_path / "slides")
    assert [path.name for path in made] == ["02_x.html"] and "Dice and coins" in made[0].read_text(encoding="utf-8")
