"""Every page under axe-core, in light and in dark: nothing serious but what the theme's own markup leaves."""

import pytest

pytestmark = pytest.mark.browser

# What the theme and its extensions bring; none of it is ours to write.
OF_THE_THEME = {"region": "its header and footer are no landmarks",
                "aria-required-children": "the bibliography's list has no items but boxes"}
RUN = """
const [mode, rules, done] = arguments;
document.documentElement.dataset.theme = mode;
axe.run({resultTypes: ["violations"], ...rules}).then(found => done(found.violations.map(rule => [rule.impact, rule.id,
  rule.nodes.slice(0, 3).map(node => node.html.slice(0, 160)).join(" | ")])),
  error => done([["critical", String(error), ""]]));
"""
# In dark only colours are others.
MODES = {"light": {}, "dark": {"runOnly": ["color-contrast"]}}


def serious(browser, axe: str, mode: str) -> list:
    browser.execute_script(axe)
    return [found for found in browser.execute_async_script(RUN, mode, MODES[mode])
            if found[0] in ("serious", "critical") and found[1] not in OF_THE_THEME]


def test_nothing_serious(at_desk, axe):
    assert {mode: serious(at_desk, axe, mode) for mode in MODES} == {mode: [] for mode in MODES}


def test_a_serious_fault_would_be_seen(browser, axe):
    browser.get("data:text/html,<html lang='en'><title>t</title><main><h1>t</h1><img src='x'></main></html>")
    assert "image-alt" in [rule for _, rule, _ in serious(browser, axe, "light")]
