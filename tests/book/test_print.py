"""The one page that is printed: its contents, its links and anchors, what is left out; and a toy book as a PDF."""

import re
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

import print as printing

SIDEBAR = """<nav class="bd-links"><ul><li class="toctree-l1 current"><a href="#">The book</a></li></ul>
<p class="caption"><span>Methods</span></p>
<ul><li class="toctree-l1"><a href="../chapters/01_a.html">1. First &amp; best</a>
<ul><li class="toctree-l2"><a href="../chapters/01_b.html">1.5. More</a></li></ul></li></ul>
<p class="caption"><span>The library</span></p>
<ul><li class="toctree-l1"><a href="api.html">API</a></li>
<li class="toctree-l2"><a href="api/mechanisms.html">mechanisms</a></li></ul></nav>"""
CHAPTER = """<section id="exercises"><h1>1. First<a class="headerlink" href="#exercises">#</a></h1>
<p class="downloads"><a href="../notebooks/01_a.ipynb">notebook</a></p>
<p><a id="one" href="01_b.html#exercises">more</a> <a id="two" href="../book/api/mechanisms.html#x">reference</a>
<a id="three" href="https://example.org/a">outside</a> <a id="four" href="#exercises">here</a>
<a id="five" href="../book/intro.html">front</a></p>
<details class="admonition hide above-input"><summary>Show code cell source</summary>folded = 1</details>
<div class="exercise admonition">Ask.</div><div class="solution dropdown admonition" id="s">Answer.</div>
<details><summary>What holds</summary>All of it.</details><img src="../_images/a.png" alt="a"/></section>"""


def whole(article: str, scripts: str = "") -> str:
    return f"<html><head>{scripts}</head><body>{SIDEBAR}<article class='bd-article'>{article}</article></body></html>"


@pytest.fixture
def site(tmp_path):
    """A book of three printed pages, as the site has them."""
    for name, text in {
            "book/intro": whole("<section id='exercises'><h1>The book</h1></section>"),
            "book/api": whole("<h1>API</h1>"),
            "chapters/01_a": whole(CHAPTER, """<link rel="stylesheet" href="../_static/a.css?v=1"/>
<script src="../_static/theme.js"></script><script>window.MathJax = {}</script>
<script defer src="../_static/mathjax/tex-chtml.js"></script>"""),
            "chapters/01_b": whole("<section id='exercises'><h1>1.5. More</h1></section>")}.items():
        page = tmp_path / "html" / f"{name}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text)
    return tmp_path / "html"


def test_the_contents_are_those_of_the_sidebar_without_the_reference():
    lines = printing.contents(BeautifulSoup(SIDEBAR, "html.parser"))
    assert [(line.title, line.page, line.below) for line in lines] == [
        ("About this book", "book/intro", False), ("Methods", "", False),
        ("1. First & best", "chapters/01_a", False), ("1.5. More", "chapters/01_b", True)]


@pytest.mark.parametrize("address, leads_to", [
    ("#x", ("chapters/a", "x")), ("b.html", ("chapters/b", "")), ("b.html#x", ("chapters/b", "x")),
    ("../book/intro.html#x", ("book/intro", "x")), ("", ("chapters/a", ""))])
def test_where_a_link_leads(address, leads_to):
    assert printing.target(address, "chapters/a") == leads_to


def test_links_stay_in_the_book_and_each_has_its_place(site):
    page = BeautifulSoup(printing.one_page(site), "html.parser")
    links = {tag["id"].partition(":")[2]: tag.get("href") for tag in page.select("a[id]")}
    assert links == {"one": "#chapters.01_b:exercises", "two": None, "three": "https://example.org/a",
                     "four": "#chapters.01_a:exercises", "five": "#book.intro"}
    names = [tag["id"] for tag in page.find_all(id=True)]
    assert len(names) == len(set(names)), "two places have one name"
    assert {tag["href"][1:] for tag in page.select("a[href^='#']")} <= set(names)


def test_solutions_and_folded_code_stay_out_and_the_rest_is_open(site):
    page = BeautifulSoup(printing.one_page(site), "html.parser")
    text = page.get_text()
    assert "Ask." in text and "Answer." not in text and "folded = 1" not in text and "notebook" not in text
    assert page.select_one("details").has_attr("open") and "#" not in page.select_one("section h1").text
    assert [line.text for line in page.select(".contents a")] == ["About this book", "1. First & best", "1.5. More"]


def test_style_pictures_and_mathjax_come_from_the_site_and_no_other_script(site):
    page = BeautifulSoup(printing.one_page(site), "html.parser")
    assert [tag["href"] for tag in page.select("link")] == ["../html/_static/a.css?v=1"]
    assert page.select_one("img")["src"] == "../html/_images/a.png"
    scripts = [tag.get("src") or tag.text for tag in page.select("script")]
    assert scripts == ["window.MathJax = {}", "../html/_static/mathjax/tex-chtml.js"]


def test_a_title_cannot_end_its_own_rule():
    rules = printing.running_heads([printing.Line('Say "no" \\ </style>', "book/a")])
    assert r'content: "Say \22 no\22  \5c  \3c /style>"' in rules


# As Chromium writes them: a tree of pages, out of order in the file, and a list of places by name.
PRINTED = b"""%PDF-1.4
5 0 obj
<</Type /Page
/Parent 9 0 R>>
endobj
2 0 obj
<</Type /Page
/Parent 9 0 R>>
endobj
3 0 obj
<</Type /Page
/Parent 1 0 R>>
endobj
9 0 obj
<</Type /Pages
/Count 2
/Kids [2 0 R 5 0 R]>>
endobj
1 0 obj
<</Type /Pages
/Count 3
/Kids [3 0 R 9 0 R]>>
endobj
7 0 obj
<</book.intro [3 0 R /XYZ 6 8 0]
/a#2Fb [5 0 R /XYZ 6.5 800.1 0]>>
endobj
8 0 obj
<</Dest [2 0 R /XYZ 63 7 0]>>
endobj
"""


def test_places_are_found_on_their_pages():
    assert printing.pages_of(PRINTED) == [3, 2, 5]
    assert printing.page_numbers(PRINTED) == {"book.intro": 1, "a/b": 3}


@pytest.mark.parametrize("there, missing", [
    ((), "no chromium and no chromedriver here"), (("chromium",), "no chromedriver here"),
    (("google-chrome", "chromedriver"), "")])
def test_a_missing_browser_is_said_in_one_line(monkeypatch, there, missing):
    monkeypatch.setattr(printing, "shutil", SimpleNamespace(which=lambda name: name if name in there else None))
    if not missing:
        assert printing.programs() == there
        return
    with pytest.raises(SystemExit) as stopped:
        printing.programs()
    assert str(stopped.value).startswith(missing) and "apt-get install" in str(stopped.value)
    assert "\n" not in str(stopped.value)


@pytest.fixture
def chromium():
    pytest.importorskip("selenium", reason="selenium is not installed: `make test` installs it")
    try:
        return printing.programs()
    except SystemExit as stopped:
        pytest.skip(str(stopped))


def table(columns: int) -> str:
    return "<table><tr>" + "".join(f"<td>column_{i}_of_a_wide_table</td>" for i in range(columns)) + "</tr></table>"


@pytest.mark.browser
@pytest.mark.parametrize("columns", [9, 19])  # made smaller; broken and made smaller
def test_a_toy_book_is_printed_with_the_numbers_of_its_pages(chromium, site, tmp_path, columns):
    """Title, contents, front page, chapter, its second page: five sheets. The chapter's table would be cut."""
    wide = table(columns)
    chapter = site / "chapters" / "01_a.html"
    chapter.write_text(re.sub("<script.*?</script>", "", chapter.read_text()).replace("<details>", wide + "<details>"))
    made = printing.book(site, tmp_path / "print")
    printed = made.read_bytes()
    assert printed.startswith(b"%PDF") and len(re.findall(rb"/Type /Page\b", printed)) == 5
    numbers = printing.page_numbers(printed)
    assert [numbers[place] for place in ("book.intro", "chapters.01_a", "chapters.01_b")] == [3, 4, 5]
    with printing.browser() as window:
        printing.load(window, made.parent / "book.html")
        right = "return document.querySelector('table').getBoundingClientRect().right"
        assert window.execute_script(right) <= printing.TEXT_WIDTH + 1
        window.execute_script("document.querySelector('table').style = ''")
        assert window.execute_script(right) > printing.TEXT_WIDTH + 1, "the table was not too wide"
        window.execute_script(printing.FILL, numbers)
        shown = "return [...document.querySelectorAll('.contents .number')].map(box => box.textContent)"
        assert window.execute_script(shown) == ["3", "4", "5"]
