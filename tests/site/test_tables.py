"""Tables can be read: no column off the page at 1280 pixels, and enough contrast in both modes."""

import pytest

pytest.importorskip("selenium", reason="selenium is not installed: `make test` installs it")
from built_site import SITE
from test_browser import open_page

pytestmark = pytest.mark.browser

# The header of each table of which a cell ends right of the window, or of a box that cuts or scrolls.
CUT = """
return [...document.querySelectorAll("main table")].filter(table => {
  let limit = innerWidth;
  for (let box = table; box && box !== document.body; box = box.parentElement) {
    if (getComputedStyle(box).overflowX === "visible") continue;
    limit = Math.min(limit, box.getBoundingClientRect().left + box.clientLeft + box.clientWidth);
  }
  const ends = [...table.rows].flatMap(row => [...row.cells]).map(cell => cell.getBoundingClientRect().right);
  return Math.max(0, ...ends) > limit + 1;
}).map(table => table.rows[0].innerText);
"""

# WCAG's contrast of each text in a table with what lies behind it, half transparent colours laid over each other.
FAINT = """
const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
function rgba(colour) {
  canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
}
const over = (top, below) => below.map((value, i) => top[3] * top[i] + (1 - top[3]) * value);
function behind(node) {
  if (!node) return [255, 255, 255];
  return over(rgba(getComputedStyle(node).backgroundColor), behind(node.parentElement));
}
const linear = v => v <= 10.31475 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4;
const light = c => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
const found = new Set();
for (const table of document.querySelectorAll("main table")) {
  const cells = [...table.querySelectorAll("th, td, th *, td *")].slice(0, 400);
  for (const cell of cells) {
    if (![...cell.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    if (cell.closest("mjx-assistive-mml") || !cell.getClientRects().length) continue;
    const ground = behind(cell), ink = over(rgba(getComputedStyle(cell).color), ground);
    const [low, high] = [light(ink), light(ground)].sort((a, b) => a - b);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) found.add(`${cell.tagName} ${contrast.toFixed(2)}: ${cell.innerText.slice(0, 30)}`);
  }
}
return [...found].slice(0, 5);
"""


def test_no_column_is_off_the_page(at_desk):
    assert at_desk.execute_script(CUT) == []


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_table_text_has_contrast(at_desk, mode):
    at_desk.execute_script("document.documentElement.dataset.theme = arguments[0]", mode)
    assert at_desk.execute_script(FAINT) == []


@pytest.mark.parametrize("broken, script", [
    ("<table style='width: 3000px'><tr><td>wide</td></tr></table>", CUT),
    ("<div style='width: 50px; overflow: auto'><table><tr><td>" + "wide" * 30 + "</td></tr></table></div>", CUT),
    ("<table><tr><td style='color: #999; background: #fff'>faint</td></tr></table>", FAINT),
    ("<table style='background: #fff'><tr><td style='color: rgba(0, 0, 0, 0.4)'>faint</td></tr></table>", FAINT)])
def test_a_broken_table_would_be_seen(browser, broken, script):
    page = SITE / "book" / "intro.html"
    if not page.exists():
        pytest.skip("there is no built site: `make book`")
    open_page(browser, page)
    browser.execute_script("document.querySelector('main').innerHTML = arguments[0]", broken)
    assert browser.execute_script(script)
