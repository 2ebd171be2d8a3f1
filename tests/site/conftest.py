"""The pages of the built site, and a real browser where there is one; what is missing makes a test skip and say so."""

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from built_site import PAGES, SITE

FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync --hide-scrollbars --window-size=1280,1000""".split()


def pytest_generate_tests(metafunc):
    """A test that takes `page` runs on every page; with no site, once, to skip and say so."""
    if "page" in metafunc.fixturenames:
        metafunc.parametrize("page", PAGES or [None], indirect=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """What one process does (`--dist loadgroup`): open a page in the browser for all tests that look at it, or read the
    HTML of all pages, or run the rest of a file, whose tests share what was made for them."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            of_a_page = getattr(item, "callspec", None) and item.callspec.params.get("page")
            opens = item.get_closest_marker("browser")
            item.add_marker(pytest.mark.xdist_group((of_a_page or item.path.stem) if opens else "html"))


@pytest.fixture(scope="session")
def page(request):
    """Of the session, so that all tests of a page come one after the other, from whatever file."""
    if request.param is None:
        pytest.skip("there is no built site: `make book`")
    return SITE / request.param


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Debian's Chromium under selenium, which here downloads nothing and records all the pages ask for."""
    from selenium import webdriver  # here, so that the static tests run without it

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    missing = [name for name, path in (("chromium", chromium), ("chromedriver", driver)) if path is None]
    if missing:
        pytest.skip(f"no {' and no '.join(missing)} here: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in [*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    window = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    window.set_page_load_timeout(60)
    window.set_script_timeout(60)
    yield window
    window.quit()


@pytest.fixture
def at_desk(browser, page, request):
    """The page as it was opened, once for all tests that only look at it, on a phone and on paper too: whoever opens
    another, or it again, wipes the mark away. They leave its colours as they come."""
    from test_browser import STILL, open_page, screenshot
    if not browser.execute_script("return window.opened === arguments[0]", page.as_uri()):
        open_page(browser, page)
        browser.execute_script(STILL)
        browser.execute_script("window.opened = arguments[0]", page.as_uri())
        if request.config.getoption("--pictures"):
            screenshot(browser, str(page.relative_to(SITE).with_suffix(".png")).replace("/", "-"))
    yield browser
    browser.execute_script("document.documentElement.dataset.theme = 'light'")


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core."""
    package, = find_spec("axe_core_python").submodule_search_locations
    return (Path(package) / "axe.min.js").read_text(encoding="utf-8")
