"""Pages can be read: in one sitting at a desk, with no line of code cut, and on a phone without a second scroll bar."""

import re

import pytest

pytest.importorskip("selenium", reason="selenium is not installed: `make test` installs it")
from built_site import SITE
from test_browser import open_page

pytestmark = pytest.mark.browser

SCREEN, PHONE = (1280, 1000), (390, 844)  # the first is the browser's window (conftest.FLAGS)
SCREENS = 12  # of a teaching page
TEACHES = re.compile(r"(0\d|1[0-3])_\w+(?<!_evidence)\.html")
CUT = """
return [...document.querySelectorAll(".cell_input pre, .cell_output pre, main div.highlight pre")]
    .filter(box => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1)
    .map(box => box.textContent.slice(0, 80));
"""
WIDE = """
const wide = document.documentElement.clientWidth;
return [document.documentElement.scrollWidth - wide, [...document.querySelectorAll("main article *")]
    .filter(box => box.checkVisibility() && box.getBoundingClientRect().right > wide + 1 && !box.closest(SCROLLS))
    .map(box => box.outerHTML.slice(0, 100)).slice(0, 3)];
"""
# What may be wider than a phone, as it scrolls in a box of its own.
SCROLLS = "'pre, table, mjx-container, .math, .output, .highlight, .pst-scrollable-table-container, .scroll, dl.py'"
# Once MathJax is done: displayed formulas of which a part is out of sight.
CUT_FORMULAS = """
const done = arguments[0];
(window.MathJax?.startup?.promise ?? Promise.resolve()).then(() => done(
    [...document.querySelectorAll('main mjx-container[display="true"]')]
        .filter(box => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1)
        .map(box => box.textContent.slice(0, 80))));
"""


def resize(browser, size):
    width, height = size
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})


@pytest.fixture
def on_phone(browser):
    """The browser, which turns what it shows into a phone's page."""
    resize(browser, PHONE)
    yield browser
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_page_at_a_desk(at_desk, page):
    assert at_desk.execute_script("return window.outerWidth") == SCREEN[0]
    assert at_desk.execute_script(CUT) == []
    if TEACHES.fullmatch(page.name) and page.parent.name == "chapters":
        height = at_desk.execute_script("return document.querySelector('main article').offsetHeight")
        assert height <= SCREENS * SCREEN[1], f"{height / SCREEN[1]:.1f} screens"


def unfit(browser) -> list:
    """What keeps the page from fitting a phone."""
    layout = browser.execute_script("return document.documentElement.clientWidth")
    too_wide, where = browser.execute_script(WIDE.replace("SCROLLS", SCROLLS))
    return [f"{layout} pixels"] * (layout != PHONE[0]) + [f"{too_wide} too many"] * (too_wide > 0) + where


def test_a_page_on_a_phone(at_desk, page, on_phone):
    assert unfit(on_phone) == []
    if page.parent.name != "api":  # a docstring's formulas have the form that reads well as source, and scroll
        assert on_phone.execute_async_script(CUT_FORMULAS) == []


IN_ARTICLE = "document.querySelector('main article').innerHTML = "


@pytest.fixture
def broken(browser, request):
    page = SITE / "book" / "intro.html"
    if not page.exists():
        pytest.skip("there is no built site: `make book`")
    open_page(browser, page)
    browser.execute_script(request.param)


@pytest.mark.parametrize("broken", [
    IN_ARTICLE + "`<p style='width: 500px'>wide</p>`",
    IN_ARTICLE + "`<style>@media (max-width: 500px) { article p { width: 500px } }</style><p>wide on a phone</p>`",
    "document.querySelector('meta[name=viewport]').content = 'width=1280'"], indirect=True)
def test_what_does_not_fit_a_phone_would_be_seen(broken, on_phone):
    assert unfit(on_phone)
