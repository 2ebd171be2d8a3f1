"""Names and texts that somebody else wrote, on a page built as the book's are and opened in a real browser.

A graph is called after its file, witnesses come out of tests, rows out of a ledger. Nothing in them may run, and all of
it must be there to read.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import yaml

pytest.importorskip("selenium", reason="selenium is not installed: `make test` installs it")
from selenium.webdriver.common.by import By
from test_browser import TYPESET, requests

from privbook import show
from privbook.claims import Claim, Recheck
from privgraph import datasets

pytestmark = pytest.mark.browser

RUN = "document.title='pwned'"
HOSTILE = [
    f"<script>{RUN}</script>", f"<img src=x onerror={RUN}>", f"</script><script>{RUN}</script>", "<!--<script>",
    f"`<script>{RUN}</script>", f"\\`<script>{RUN}</script>\\`", f"$`$<script>{RUN}</script>`",
    f"``<svg onload={RUN}>`", f"<a href=\"`\"><script>{RUN}</script>`", "{{ 6 * 7 }}", "{{ missing }}",
    f"{{raw}}`<script>{RUN}</script>`",
    f"[link](javascript:{RUN})", f"<javascript:{RUN}>", "![picture](https://example.org/pixel.png)",
    ":::{raw} html", "# heading", "- item", "> quoted",
    f"x`y`{{onclick={RUN}}}", f"$\\href{{javascript:{RUN}}}{{formula}}$", f"&lt;script>{RUN}&lt;/script>", "a | b",
    "```{raw} html",
]
GOOD = r"The ratio $\max_y |p(y) - q(y)| < e^\epsilon$ of `a < b` is **bold**."


def claim(number: int, text: str) -> Recheck:
    hostile = Claim(f"id-{number}", "book", text, text, "refuted", ours=text, evidence=["tests/test_x.py::test_y"])
    return Recheck(hostile, "confirmed", (text,))


def named(text: str):
    data = datasets.from_edge_list([[0, 1], [1, 0]], torch.eye(2), [0, 1], num_classes=2)
    data.name = text  # which ``from_edge_list`` refuses
    return data


def cell(output) -> dict:
    """A notebook's cell that was run and gave this."""
    kind = "text/html" if hasattr(output, "_repr_html_") else "text/markdown"
    return {"cell_type": "code", "execution_count": 1, "metadata": {"tags": ["remove-input"]}, "source": "shown",
            "outputs": [
        {"output_type": "display_data", "metadata": {}, "data": {kind: output.data, "text/plain": "an output"}}]}


def outputs():
    results = [claim(number, text) for number, text in enumerate([GOOD, *HOSTILE])]
    yield show.claim_cards(results, "book")
    for text in HOSTILE:
        yield show.banner(named(text))
        yield show.card_table(named(text))
    yield show.filterable([{"what": text, "<b>": text} for text in HOSTILE], {"what": "", "<b>": ""})


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """One page of these outputs, with the settings of the book."""
    book = tmp_path_factory.mktemp("book")
    settings = yaml.safe_load((Path(__file__).parents[2] / "_config.yml").read_text(encoding="utf-8"))
    settings["execute"] = {"execute_notebooks": "off"}
    del settings["sphinx"]["local_extensions"]
    settings["sphinx"]["config"]["extensions"].remove("site_extension")  # it numbers the book's own pages
    for name in ("bibtex_bibfiles", "html_static_path", "html_css_files"):
        settings["sphinx"]["config"][name] = []
    (book / "_config.yml").write_text(yaml.safe_dump(settings))
    (book / "_toc.yml").write_text("format: jb-book\nroot: page\n")
    title = {"cell_type": "markdown", "metadata": {}, "source": "# A page\n\nIn $x$ all is well."}
    page = {"cells": [title, *map(cell, outputs())], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (book / "page.ipynb").write_text(json.dumps(page))
    command = [Path(sys.executable).parent / "jupyter-book", "build", ".", "-q", "--path-output", "."]
    run = subprocess.run(command, cwd=book, capture_output=True, text=True)
    html = book / "_build" / "html" / "page.html"
    assert run.returncode == 0 and html.is_file(), run.stdout[-3000:] + run.stderr[-3000:]
    return html


@pytest.fixture
def opened(browser, built):
    browser.get("about:blank"), browser.get_log("performance")
    browser.get(built.as_uri())
    browser.execute_async_script(TYPESET)
    return browser


def test_nothing_in_a_name_runs(opened):
    assert opened.title.startswith("A page")
    links = opened.execute_script(
        "return [...document.querySelectorAll('main a')].map(a => String(a.href.baseVal ?? a.href))")
    assert [link for link in links if "javascript:" in link] == []
    assert opened.find_elements(By.CSS_SELECTOR, "main td script, main li script, main [onclick], main [onerror]") == []
    assert not [address for address in requests(opened) if "example.org" in address], "a picture was fetched"


def typed(text: str) -> str:
    """Before Sphinx set its dashes and quotation marks (it takes a backslash before one of them away)."""
    for set_as, character in (("–", "--"), ("’", "'"), ("‘", "'"), ("“", '"'), ("”", '"')):
        text = text.replace(set_as, character)
    return text


def test_every_name_can_be_read(opened):
    text = typed(opened.find_element(By.CSS_SELECTOR, "main").text)
    for hostile in ("<script>", "</script>", "<img src=x onerror=", "<!--<script>", "{{ 6 * 7 }}", "{{ missing }}",
                    "{raw}", "a | b"):
        assert text.count(hostile) >= 5, hostile
    names = [bold.text for bold in opened.find_elements(By.CSS_SELECTOR, "main blockquote strong")]
    assert list(map(typed, names)) == ["This page ran on " + hostile.replace("\\`", "`") for hostile in HOSTILE]


def test_mathematics_and_code_still_work(opened):
    row = opened.find_element(By.CSS_SELECTOR, "main .claim")
    assert row.find_elements(By.CSS_SELECTOR, "mjx-container") and row.find_element(By.TAG_NAME, "strong")
    assert "<" in row.text and "\\lt" not in row.text and "$" not in row.text
    assert len(opened.find_elements(By.CSS_SELECTOR, "main .claim > details > p")) == len(HOSTILE) + 1
    assert [piece.text for piece in row.find_elements(By.TAG_NAME, "code")][:3] == ["a", "b", "id-0"]


def test_the_table_with_menus_still_works(opened):
    table = opened.find_element(By.CSS_SELECTOR, ".filterable")
    said = f"{len(HOSTILE)} of {len(HOSTILE)} matching rows shown, {len(HOSTILE)} in all"
    assert table.find_element(By.CSS_SELECTOR, ".count").text == said
    cells = [row.find_elements(By.TAG_NAME, "td") for row in table.find_elements(By.CSS_SELECTOR, "tbody tr")]
    assert [[cell.get_property("textContent") for cell in row] for row in cells] == [[text, text] for text in HOSTILE]
    assert [head.text for head in table.find_elements(By.TAG_NAME, "th")] == ["what", "<b>"]
