"""What a browser would print of each page: text, no menus, and nothing that ends beyond the paper."""

import pytest

pytest.importorskip("selenium", reason="selenium is not installed: `make test` installs it")
from built_site import SITE
from test_browser import open_page

pytestmark = pytest.mark.browser

PAPER = 680  # pixels: the width of A4 without the margins that custom.css asks for
CUT = """
const wide = document.documentElement.clientWidth;
const found = [...document.querySelectorAll("main pre, main table, main tr > *, main img, main .claim")]
    .filter(box => box.checkVisibility())
    .filter(box => box.getBoundingClientRect().right > wide + 1 || box.scrollWidth > box.clientWidth + 1
        && getComputedStyle(box).overflowX !== "visible")
    .map(box => box.outerHTML.slice(0, 120));
return [document.documentElement.scrollWidth > wide + 1, found.slice(0, 3)];
"""
SCROLLS = """
return [...document.querySelectorAll("main *")].filter(box => box.checkVisibility()
    && /auto|scroll/.test(getComputedStyle(box).overflow) && (box.scrollWidth > box.clientWidth + 1
    || box.scrollHeight > box.clientHeight + 1)).map(box => box.outerHTML.slice(0, 120)).slice(0, 3);
"""
PRESSED = """
const useless = `#pst-header, .bd-sidebar-primary, .bd-sidebar-secondary, .bd-header-article, footer, button,
    .headerlink, .downloads, .solution, details.hide, .filters, .landing-button`;
return [...document.querySelectorAll(useless)].filter(box => box.checkVisibility())
    .map(box => box.outerHTML.slice(0, 120)).slice(0, 3);
"""
PALE = """
const light = box => getComputedStyle(box).color.match(/[\\d.]+/g).slice(0, 3).reduce((a, b) => a + +b, 0) / 3;
return [...document.querySelectorAll("main p, main li, main td, main pre, main pre span, main h2")]
    .filter(box => !box.closest(".verdict") && light(box) > 130).map(box => box.outerHTML.slice(0, 120)).slice(0, 3);
"""


@pytest.fixture
def paper(browser):
    """The browser, which shows a page as its printer would get it."""
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": PAPER, "height": 1000, "deviceScaleFactor": 1, "mobile": False})
    yield browser
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_page_on_paper(at_desk, paper):
    assert paper.execute_script(CUT) == [False, []]
    assert paper.execute_script(SCROLLS) == []
    assert paper.execute_script(PRESSED) == []
    paper.execute_script("document.documentElement.dataset.theme = 'dark'")
    assert paper.execute_script(PALE) == [], "printed from a dark screen"


def test_cards_are_open_on_paper(paper):
    page = SITE / "chapters" / "14_claims.html"
    if not page.exists():
        pytest.skip("there is no built site: `make book`")
    open_page(paper, page)
    cards, badges, folded = paper.execute_script("""
        const shown = what => [...document.querySelectorAll(what)].filter(box => box.checkVisibility()).length;
        return [shown(".claim"), shown(".claim > p > .verdict"), shown(".claim details > p")];""")
    assert cards == badges > 200 and folded >= cards


@pytest.mark.parametrize("broken, script", [
    ("<table style='width: 3000px'><tr><td>wide</td></tr></table>", CUT),
    ("<pre style='white-space: pre !important; overflow: hidden !important; width: 50px'>a long line</pre>", CUT),
    ("<p style='width: 3000px'>wide</p>", CUT),
    ("<div style='width: 50px; overflow: auto'><p style='width: 90px'>cut</p></div>", SCROLLS),
    ("<div style='height: 50px; overflow: auto'><p style='height: 90px'>cut</p></div>", SCROLLS),
    ("<footer style='display: block !important'>menu</footer>", PRESSED),
    ("<p style='color: #eee'>pale</p>", PALE)])
def test_a_page_that_prints_badly_would_be_seen(paper, broken, script):
    page = SITE / "book" / "intro.html"
    if not page.exists():
        pytest.skip("there is no built site: `make book`")
    open_page(paper, page)
    paper.execute_script("document.querySelector('main').innerHTML = arguments[0]", broken)
    assert paper.execute_script(script) not in ([], [False, []])
