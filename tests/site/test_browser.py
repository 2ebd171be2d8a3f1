"""Every page in a real browser, opened from disk as a reader without a server would."""

import base64
import json

import pytest

pytest.importorskip("selenium", reason="selenium is not installed: `make test` installs it")
from built_site import FRONT_DOOR, SCREENSHOTS, SITE
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

pytestmark = pytest.mark.browser

LOCAL = ("file:", "data:", "blob:", "about:", "chrome:", "chrome-extension:")

TYPESET = """
const done = arguments[arguments.length - 1], mathematics = window.MathJax?.startup;
const drawn = () => new Promise(ready => requestAnimationFrame(() => requestAnimationFrame(ready)));
Promise.resolve(mathematics?.promise).then(() => document.fonts.ready).then(drawn).then(() => done(!!mathematics));
"""

# MathJax marks bad TeX with merror, sets an unknown macro in red, and leaves an unclosed brace as it was written.
BAD_MATHEMATICS = """
const bad = "mjx-merror, [data-mjx-error], mjx-container [style*='red'], .math:not(:has(mjx-container))";
return [...document.querySelectorAll(bad)]
    .map(node => node.getAttribute("data-mjx-error") || (node.closest("mjx-container") || node).textContent);
"""


# Otherwise colours are on their way while they are looked at, and the sidebar slides in while a picture is taken.
STILL = """
document.head.append(Object.assign(document.createElement("style"),
    {textContent: "* { transition: none !important; }"}));
"""


def open_page(browser, path, query=""):
    """Load a page with empty logs, hold it still, and wait until its mathematics is set and its fonts are there; is
    there any MathJax?"""
    browser.get("about:blank")
    for log in ("browser", "performance"):
        browser.get_log(log)
    browser.get(path.as_uri() + query)
    browser.execute_script(STILL)
    return browser.execute_async_script(TYPESET)


def errors(browser):
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def requests(browser):
    """Every address the page asked for, from the browser's own record of its network."""
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            yield message["params"]["request"]["url"]


def screenshot(browser, name):
    """The whole page, not only what the window shows."""
    size = browser.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
    whole = {"captureBeyondViewport": True, "clip": {**size, "scale": 1}}
    shot = browser.execute_cdp_cmd("Page.captureScreenshot", whole)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    (SCREENSHOTS / name).write_bytes(base64.b64decode(shot["data"]))


def test_page(at_desk, page):
    browser = at_desk
    assert browser.execute_script(BAD_MATHEMATICS) == [], "red mathematics"
    asked = list(requests(browser))
    assert asked, "the record of the network is empty"
    assert [address for address in asked if not address.startswith(LOCAL)] == [], "asked the outside"
    assert errors(browser) == []


@pytest.mark.parametrize("tex, bad", [(r"\epsilon \le 1", False), (r"\nosuchmacro", True),
                                      (r"\left( 1", True), (r"\frac{1", True)])
def test_bad_mathematics_would_be_seen(browser, tex, bad):
    """The check above sees what a page with bad TeX shows, with the MathJax and the settings of the site."""
    with_mathematics = next((path for path in SITE.rglob("*.html") if "tex-chtml" in path.read_text("utf8")), None)
    if with_mathematics is None:
        pytest.skip("no page of the built site has mathematics")
    assert open_page(browser, with_mathematics)
    browser.execute_script("document.querySelector('main').innerHTML = arguments[0]",
                           rf'<span class="math">\({tex}\)</span>')
    browser.execute_async_script("MathJax.typesetPromise().then(arguments[arguments.length - 1])")
    assert bool(browser.execute_script(BAD_MATHEMATICS)) is bad


def test_search_finds(browser):
    if not (SITE / "search.html").exists():
        pytest.skip("there is no built site: `make book`")
    open_page(browser, SITE / "search.html", "?q=graph")
    found = (By.CSS_SELECTOR, "#search-results li a")
    hits = WebDriverWait(browser, 20).until(lambda window: window.find_elements(*found))
    assert any(hit.get_attribute("href").startswith(SITE.as_uri()) for hit in hits)


@pytest.mark.parametrize("word", ["Rényi", "renyi", "neighbour", "neighbor", "randomised", "randomized", "neighboring",
                                  "postprocessing", "canary", "prototype"])
def test_search_finds_what_the_glossary_explains_in_either_spelling(browser, word):
    if not (SITE / "search.html").exists():
        pytest.skip("there is no built site: `make book`")
    open_page(browser, SITE / "search.html", f"?q={word}")
    glossary = (By.CSS_SELECTOR, "#search-results li a[href*='glossary.html']")
    assert WebDriverWait(browser, 20).until(lambda window: window.find_elements(*glossary))


def test_the_register_can_be_filtered_and_a_link_opens_its_card(browser):
    page = SITE / "chapters" / "14_claims.html"
    if not page.exists():
        pytest.skip("there is no built site: `make book`")
    open_page(browser, page)
    cards = browser.find_elements(By.CSS_SELECTOR, ".claim")

    def shown():
        return [card for card in cards if card.is_displayed()]

    assert len(shown()) == len(cards) > 200
    choose(browser, "verdict", "refuted"), choose(browser, "paper", "RGNN")
    badges = [card.find_element(By.CSS_SELECTOR, ".verdict").text for card in shown()]
    assert 0 < len(badges) < 20 and set(badges) == {"refuted"}
    said = browser.find_element(By.CSS_SELECTOR, ".claim-filter .count").text
    assert said == f"{len(badges)} of {len(cards)} claims"
    browser.execute_script("location.hash = 'gp-theorem-4-3'")
    opened = browser.find_element(By.ID, "gp-theorem-4-3")
    WebDriverWait(browser, 20).until(lambda _: opened.is_displayed())
    assert opened.find_element(By.TAG_NAME, "details").get_attribute("open")


def choose(browser, menu: str, value: str) -> None:
    """Choose a value in the menu of a filterable table."""
    label, = (label for label in browser.find_elements(By.CSS_SELECTOR, ".filters label")
              if label.text.split("\n")[0].startswith(menu))
    Select(label.find_element(By.TAG_NAME, "select")).select_by_visible_text(value)


def test_a_table_of_printed_numbers_can_be_searched(browser):
    """Menus, search box and the button for all rows do what they say, on 5,479 rows."""
    page = SITE / "chapters" / "15_tables_graphprivatizer.html"
    if not page.exists():
        pytest.skip("there is no built site: `make book`")
    open_page(browser, page)

    def shown():
        return browser.find_elements(By.CSS_SELECTOR, ".filterable tbody tr")

    def said():
        return browser.find_element(By.CSS_SELECTOR, ".filterable .count").text

    everything = browser.find_element(By.CSS_SELECTOR, ".filterable button")
    assert len(shown()) == 200 and said() == "200 of 5479 matching rows shown, 5479 in all"
    choose(browser, "table", "Table 4")
    assert len(shown()) == 25 and not everything.is_displayed()
    choose(browser, "verdict", "differs")
    assert len(shown()) == 3 and said().startswith("3 of 3 ")
    choose(browser, "verdict", "all"), choose(browser, "table", "Table 6")
    browser.find_element(By.CSS_SELECTOR, ".filters input").send_keys("lastfm GATv2")
    assert len(shown()) == 8 and all("GATv2" in row.text for row in shown())
    browser.find_element(By.CSS_SELECTOR, ".filters input").clear()
    browser.find_element(By.CSS_SELECTOR, ".filters input").send_keys(" ")
    choose(browser, "table", "Figure 3")
    assert len(shown()) == 200 and everything.is_displayed()
    everything.click()
    assert len(shown()) == 250 and not everything.is_displayed()


def test_the_front_door_leads_in(browser):
    if not FRONT_DOOR.exists():
        pytest.skip("there is no built site: `make book`")
    browser.get(FRONT_DOOR.as_uri())
    assert WebDriverWait(browser, 20).until(
        lambda window: window.current_url == (SITE / "book" / "intro.html").as_uri())
