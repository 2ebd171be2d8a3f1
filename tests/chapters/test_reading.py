"""Pages read easily: what tools/prose.py measures of their sentences, captions and links is within its limits."""

import re
from pathlib import Path

import pytest

import prose

ROOT = Path(__file__).resolve().parents[2]
PAGES = [page for folder in ("chapters", "book") for page in sorted((ROOT / folder).glob("*.md"))]


def faults(page: Path) -> list[str]:
    """The limits that a page breaks, if it fails by them."""
    broken = prose.over(prose.look(page)[0])
    return broken if len(broken) > prose.SPARE or set(broken) & set(prose.STRICT) else []


def test_there_are_pages():
    assert len(PAGES) > 55


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_within_the_limits_of_prose(page):
    assert faults(page) == [], f"python tools/prose.py --show {page.relative_to(ROOT)} says what counts against it"


@pytest.mark.parametrize("change, fault", [
    (lambda text: re.sub(r"\. (?=[A-Z])", ". So ", text), "so"),
    (lambda text: re.sub(r"\. (?=[A-Z])", ": ", text), "colon"),
    (lambda text: text + "\n\nThe coins of a person are hers. She turns them round, and she hears what a door is.\n",
     "house"),
    (lambda text: re.sub(r"% Figure: .*", "% Figure: Accuracy over the budget.", text), "capt"),
    (lambda text: text + "\n\nThe page {doc}`on all the many things that we read <06_lpgnn>` has more.\n", "link")])
def test_a_page_that_reads_badly_would_be_seen(change, fault, tmp_path):
    good = (ROOT / "chapters" / "13_which_method.md").read_text(encoding="utf-8")
    page = tmp_path / "13_which_method.md"
    page.write_text(change(good), encoding="utf-8")
    assert fault in faults(page)
