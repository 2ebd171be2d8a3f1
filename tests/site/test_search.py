"""The search shows first what was asked for: queries of readers, and the pages that answer them."""

from pathlib import Path

import pytest
import yaml

pytest.importorskip("selenium", reason="selenium is not installed: `make test` installs it")
from built_site import SITE
from selenium.webdriver.support.ui import WebDriverWait
from test_browser import open_page

pytestmark = pytest.mark.browser

QUERIES = yaml.safe_load(Path(__file__).with_name("queries.yml").read_text(encoding="utf-8"))
FIRST, AMONG = 0.9, 3  # so many of them come first, and all among the first few
# The best is at the end, and a page may come more than once, by its headings.
PAGES_FOUND = """
return arguments[0].map(query => [...new Set(Search._performSearch(...Search._parseQuery(query)).reverse()
    .map(([page]) => page))]);
"""


@pytest.fixture
def found(browser):
    """What the search finds for a list of queries, pages only, the best first."""
    if not (SITE / "search.html").exists():
        pytest.skip("there is no built site: `make book`")
    open_page(browser, SITE / "search.html", "?q=graph")
    WebDriverWait(browser, 20).until(lambda window: window.execute_script("return Search.hasIndex()"))
    return lambda queries: dict(zip(queries, browser.execute_script(PAGES_FOUND, list(queries)), strict=True))


def test_pages_that_answer_come_first(found):
    places = {query: pages.index(QUERIES[query]) if QUERIES[query] in pages else len(pages)
              for query, pages in found(QUERIES).items()}
    late = {query: place for query, place in places.items() if place}
    assert len(QUERIES) >= 60 and max(places.values()) < AMONG, late
    assert len(late) <= (1 - FIRST) * len(QUERIES), late


def test_a_name_of_the_library_leads_to_its_reference(found):
    names = ["SymmetricResponse", "NeighbourVotes", "privgraph.audit", "sample_pairs"]
    assert all(pages[0].startswith("book/api") for pages in found(names).values())


def test_what_is_nowhere_is_not_found(found):
    assert found(["xylophone"]) == {"xylophone": []}
