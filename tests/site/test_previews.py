"""Figures have numbers, terms lead to the glossary, and links show what they lead to before they are followed."""

import re

import pytest
from built_site import SITE

from published import soup

CHAPTER, LINK = SITE / "chapters" / "02_differential_privacy.html", "main a.term[href$='#term-Audit']"


def test_figures_have_the_chapter_s_numbers(page):
    """Every image that a cell draws, with a caption below."""
    bare = [image.get("alt") for image in soup(page).select(".cell_output img") if not image.find_parent("figure")]
    assert bare == []
    numbers = [found.text.split() for found in soup(page).select("figcaption .caption-number")]
    if numbers:
        chapter = str(int(re.match(r"\d\d", page.name)[0]))
        counts = [int(number.removeprefix(f"{chapter}.")) for _, number in numbers]
        assert counts == list(range(counts[0], counts[0] + len(counts))) and {kind for kind, _ in numbers} == {"Figure"}


def test_each_term_is_a_link_once(page):
    links = [link["href"] for link in soup(page).select("a.term")]
    assert len(links) == len(set(links)) <= 25, "a busy page"
    assert all("glossary.html#term-" in link for link in links)
    if page.parent.name == "chapters" and re.match(r"0[2-9]_[a-z]+\w+(?<!_evidence)\.html", page.name):
        assert links, "a chapter that uses no term"


def test_previews_bring_no_second_anchor_and_little_weight(page):
    """And each of them is for a link of the page."""
    previews = soup(page).select("template[data-preview]")
    assert [found for preview in previews for found in preview.select("[id], a, img")] == []
    assert sum(len(str(preview)) for preview in previews) < 60_000
    links = {link["href"] for link in soup(page).select("main a.reference[href]")}
    carried = {preview["data-preview"] for preview in previews}
    assert carried <= links and {link["href"] for link in soup(page).select("a.term")} <= carried


def test_a_refuted_claim_is_no_theorem():
    for path in (SITE / "chapters").glob("*.html"):
        for box in soup(path).select("main .admonition.is-refuted"):
            title = box.select_one(".admonition-title")
            assert not title.text.startswith("Theorem"), title
            assert title.select("a[href*='14_claims.html#'] .verdict.refuted"), title


@pytest.fixture
def opened(browser):
    if not CHAPTER.exists():
        pytest.skip("there is no built site: `make book`")
    from test_browser import open_page
    open_page(browser, CHAPTER)
    yield browser
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def tooltip(browser):
    return browser.find_element("id", "link-preview")


def point_at(browser, selector: str):
    from selenium.webdriver.common.action_chains import ActionChains

    link = browser.find_elements("css selector", selector)[0]
    browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", link)
    ActionChains(browser).move_to_element(link).perform()
    return link


def wait(browser, condition):
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 20).until(condition)


@pytest.mark.browser
@pytest.mark.parametrize("selector, said", [
    (LINK, "An audit checks a privacy claim by code."),
    ("main .admonition a[href$='#dp-randomised-response']", "holds"),
    ("main a[href*='bibliography.html#']", "1965")])
def test_pointing_at_a_link_shows_what_it_leads_to(opened, selector, said):
    link = point_at(opened, selector)
    wait(opened, lambda _: tooltip(opened).is_displayed())
    assert said in tooltip(opened).text
    assert link.get_attribute("aria-describedby") == "link-preview" and not link.get_attribute("title")
    assert tooltip(opened).get_attribute("role") == "tooltip"
    press_escape(opened)
    assert not tooltip(opened).is_displayed() and link.get_attribute("aria-describedby") is None


def press_escape(browser):
    from selenium.webdriver.common.keys import Keys

    browser.switch_to.active_element.send_keys(Keys.ESCAPE)


@pytest.mark.browser
def test_the_keyboard_shows_it_too(opened):
    opened.execute_script("document.querySelector(arguments[0]).focus({focusVisible: true})", LINK)
    assert "An audit checks a privacy claim" in tooltip(opened).text
    press_escape(opened)
    assert not tooltip(opened).is_displayed()
    opened.execute_script("document.activeElement.blur(); document.querySelector(arguments[0]).focus()", LINK)
    opened.execute_script("document.activeElement.blur()")
    assert not tooltip(opened).is_displayed(), "what has no focus shows nothing"


@pytest.mark.browser
def test_one_can_point_at_the_preview_itself(opened):
    from selenium.webdriver.common.action_chains import ActionChains

    point_at(opened, LINK)
    wait(opened, lambda _: tooltip(opened).is_displayed())
    ActionChains(opened).move_to_element(tooltip(opened)).pause(0.6).perform()
    assert tooltip(opened).is_displayed()
    point_at(opened, "main section h2")
    wait(opened, lambda _: not tooltip(opened).is_displayed())


@pytest.mark.browser
@pytest.mark.parametrize("name, selector", [
    ("chapters/02_differential_privacy", LINK), ("book/exercises", "main a[href$='#ex-02-die']")])
def test_its_mathematics_is_set(opened, name, selector):
    """On a page that has no formula of its own, too."""
    from test_browser import TYPESET

    opened.get((SITE / f"{name}.html").as_uri())
    assert opened.execute_async_script(TYPESET)
    opened.execute_script("document.querySelector(arguments[0]).focus({focusVisible: true})", selector)
    wait(opened, lambda _: tooltip(opened).find_elements("css selector", "mjx-container"))
    assert "\\(" not in tooltip(opened).text


@pytest.mark.browser
@pytest.mark.parametrize("width, height", [(1280, 1000), (600, 700)])
def test_it_stays_in_the_window(opened, width, height):
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    try:
        outside = opened.execute_script("""return [...document.querySelectorAll("main a.reference")].filter(link => {
            if (!link.checkVisibility()) return false;
            link.scrollIntoView({block: "center", behavior: "instant"});
            link.focus({focusVisible: true});
            const box = document.getElementById("link-preview").getBoundingClientRect();
            return box.width && (box.left < 0 || box.right > innerWidth || box.top < 0 || box.bottom > innerHeight);
          }).map(link => link.outerHTML.slice(0, 200));""")
        assert outside == []
    finally:
        opened.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.browser
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_axe_finds_nothing_in_it(opened, mode, axe):
    from test_axe import serious

    opened.execute_script("document.documentElement.dataset.theme = arguments[0]", mode)
    opened.execute_script("document.querySelector(arguments[0]).focus({focusVisible: true})", LINK)
    assert tooltip(opened).is_displayed() and serious(opened, axe, mode) == []


@pytest.mark.browser
def test_a_touch_screen_shows_none(opened):
    assert opened.find_elements("id", "link-preview")
    opened.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    opened.get(CHAPTER.as_uri())
    assert opened.execute_script("return matchMedia('(pointer: coarse)').matches"), "no touch screen"
    assert not opened.find_elements("id", "link-preview")
