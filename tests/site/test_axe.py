"""Every page under axe-core, in light and in dark: nothing serious but what the theme's own markup leaves."""

import pytest

pytestmark = pytest.mark.browser

# What the theme and its extensions bring; none of it is ours to write.
OF_THE_THEME = {"region": "its header and footer are no landmarks",
                "aria-required-children": "the bibliography's list has no items but boxes"}
RUN = """
const [mode, looks, done] = arguments;
document.documentElement.dataset.theme = mode;
check().catch(error => [{impact: "critical", id: String(error), nodes: []}]).then(found => done(found.map(rule => [
  rule.impact, rule.id, rule.nodes.slice(0, 3).map(node => node.html.slice(0, 160)).join(" | ")])));

async function check() {
  const run = async (where, rules) => (await axe.run(where, {resultTypes: ["violations"], ...rules})).violations;
  const texts = looks ? oneOfEachLook() : [document];
  const faint = texts.length ? await run({include: texts}, {runOnly: ["color-contrast"]}) : [];
  // In dark only colours are others.
  return mode === "dark" ? faint : faint.concat(await run(document, {rules: {"color-contrast": {enabled: false}}}));
}

// Of texts of the same colour and size, for which all that is behind them paints the same, the first three. A contrast
// is nine tenths of what axe costs, and thousands of words have a few dozen looks.
function oneOfEachLook() {
  const PAINTS = ["backgroundColor", "backgroundImage", "opacity", "filter", "mixBlendMode", "position", "zIndex"];
  const grounds = new Map([[null, ""]]), seen = new Map();
  function ground(node) {
    if (!grounds.has(node)) {
      const style = getComputedStyle(node), own = PAINTS.map(property => style[property]).join();
      const none = own === "rgba(0, 0, 0, 0),none,1,none,normal,static,auto";
      grounds.set(node, ground(node.parentElement) + (none ? "" : own + ";"));
    }
    return grounds.get(node);
  }
  return [...document.body.querySelectorAll("*")].filter(node => {
    if (![...node.childNodes].some(text => text.nodeType === 3 && text.data.trim().length > 1)) return false;
    if (!node.checkVisibility({visibilityProperty: true})) return false;
    const {color, fontSize, fontWeight, textShadow} = getComputedStyle(node);
    const look = [color, fontSize, fontWeight, textShadow, ground(node)].join();
    seen.set(look, (seen.get(look) ?? 0) + 1);
    return seen.get(look) <= 3;
  });
}
"""
MODES = ("light", "dark")


def serious(browser, axe: str, mode: str, looks: bool = True) -> list:
    """What axe finds; faint texts among one of each look, or among all."""
    browser.execute_script(axe)
    return [found for found in browser.execute_async_script(RUN, mode, looks)
            if found[0] in ("serious", "critical") and found[1] not in OF_THE_THEME]


def test_nothing_serious(at_desk, axe):
    assert {mode: serious(at_desk, axe, mode) for mode in MODES} == {mode: [] for mode in MODES}


@pytest.mark.full
def test_no_text_is_faint(at_desk, axe):
    assert {mode: serious(at_desk, axe, mode, looks=False) for mode in MODES} == {mode: [] for mode in MODES}


def test_a_serious_fault_would_be_seen(browser, axe):
    browser.get("data:text/html,<html lang='en'><title>t</title><main><h1>t</h1><img src='x'></main></html>")
    assert "image-alt" in [rule for _, rule, _ in serious(browser, axe, "light")]


@pytest.mark.parametrize("style", [
    "i { color: %23444 }", "u { background: %23aaa }", "b { background: %23aaa }", "b { opacity: 0.3 }",
    "b { position: absolute; left: 0; top: 0; background: %23aaa }", "b { color: %23444; font-size: 30px }", ""])
@pytest.mark.parametrize("mode", MODES)
def test_one_faint_text_would_be_seen(browser, axe, mode, style):
    """A word of 500 that look alike, by its own colour or by what is around it."""
    style = f"[data-theme={mode}] {style}" if style else ""
    browser.get("data:text/html,<html lang='en'><title>t</title><style>html body { background: %23222; color: %23ddd } "
                f"{style}</style><main><h1>A title</h1><p>{'<span>word</span> ' * 400}<b><u><i>word</i></u></b> "
                f"{'<span>word</span> ' * 100}</main></html>")
    assert bool(serious(browser, axe, mode)) == bool(style)
