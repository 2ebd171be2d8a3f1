"""Every figure of a chapter has a caption of its own: the line ``% Figure: ...`` before the cell that draws it."""

import re
from pathlib import Path

import pytest

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"
DRAWS = re.compile(r"(.*)\n`{3,}\{code-cell\}.*\n---\n(?:(?!---).*\n)*? +alt: (.*)")
CAPTION = re.compile(r"% Figure: [A-Z].{15,198}[.?]")
GLUED = re.compile(r"\{glue:text\}`[^`]*`")  # as long as a number is


def without_caption(text: str) -> list[str]:
    """The alternative texts of figures that have none, or one that is no sentence of at most three lines."""
    return [alt for before, alt in DRAWS.findall(text) if not CAPTION.fullmatch(GLUED.sub("0.00", before))]


@pytest.mark.parametrize("chapter", sorted(path.stem for path in CHAPTERS.glob("*.md")))
def test_every_figure_has_a_caption(chapter):
    text = (CHAPTERS / f"{chapter}.md").read_text(encoding="utf-8")
    assert without_caption(text) == []
    assert len(DRAWS.findall(text)) == text.count("\n    alt: ") == text.count("\n% Figure: ")


@pytest.mark.parametrize("before, found", [
    ("% Figure: Most people have few neighbours.", []), ("", ["Bars."]), ("% Figure: Bars", ["Bars."])])
def test_a_missing_caption_would_be_seen(before, found):
    cell = "```{code-cell} ipython3\n---\nmystnb:\n  image:\n    alt: Bars.\n---\nplt.show()\n```\n"
    assert without_caption(f"Text.\n\n{before}\n{cell}") == found
