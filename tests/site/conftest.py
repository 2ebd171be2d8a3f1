"""The pages of the built site, and a real browser where there is one; what is missing makes a test skip and say so."""

import re
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


@pytest.hookimpl(optionalhook=True)  # there may be no xdist
def pytest_xdist_make_scheduler(config, log):
    """Which tests are one process's. (The marks of `--dist loadgroup` do nothing under this pytest.)"""
    from xdist.scheduler import LoadScopeScheduling

    class ByPage(LoadScopeScheduling):
        _split_scope = staticmethod(together)
    return ByPage(config, log)


def together(test: str) -> str:
    """A page is opened in one browser, for all tests that look at it; the HTML of all pages is read by one process;
    other tests of a file share what was made for them."""
    file, page = test.partition("::")[0], re.search(r"\[(.*\.html)", test)
    if file.endswith(("test_static.py", "test_planted.py")) or page and file.endswith("test_previews.py"):
        return "html"
    return page[1] if page else file


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
    from test_browser import open_page, screenshot
    if not browser.execute_script("return window.opened === arguments[0]", page.as_uri()):
        open_page(browser, page)
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
